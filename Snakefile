# evenflow: from the raw logs in data/raw/ to the papers in reports/_site/. `snakemake --cores all`
import gc
import os
import re
import shlex
import sys
import time
from pathlib import Path

STARTED = time.time()
OTHERS = list(workflow.rules)  # of a workflow that takes this one as a module
# until jobs start (upkeep.smk): of 600,000 files all is kept, and looking for cycles takes seconds
gc.disable()
if set(os.getcwd()) & set("{}:\n"):
    # Snakemake would take braces for wildcards, and PATH has colons between its folders
    problem = "evenflow cannot work in a folder whose path has a brace, a colon or a line break"
    raise WorkflowError(f"{os.getcwd()}: {problem}. Remedy: move the project")
os.environ.setdefault("LOGNAME", str(os.getuid()))  # a container's user may have no name
if shlex.quote(sys.executable) != sys.executable:
    # Snakemake starts scripts by this name without quoting it, so that a space in it would part it
    folders = [os.path.dirname(sys.executable), os.getenv("PATH", "")]
    os.environ.update(PATH=os.pathsep.join(folders))
    sys.executable = "python"
HERE = Path(workflow.current_basedir.get_path_or_uri(secret_free=False))
WORKFLOW = HERE / "workflow"
sys.path[:0] = [str(WORKFLOW), str(HERE)]  # evenflow; the rules of experiments
# the scripts import the package evenflow without its being installed
os.environ.update(PYTHONPATH=os.pathsep.join([str(WORKFLOW), os.getenv("PYTHONPATH", "")]))

from evenflow.ending import end_without_waiting
from evenflow.ingest.dataset import find_datasets, refused_entries
from evenflow.errors import DataError, did_you_mean
from evenflow.papers.find import find_papers
from evenflow.runs.places import PLACE
from evenflow.schema import read_yaml, validate

end_without_waiting()


configfile: "config/config.yaml"


# campaigns: how the raw data were made; the analysis reads nothing of them
for _grid in sorted(Path("experiments").glob("*/grid.yaml")):

    configfile: str(_grid)


_said, _lines = read_yaml("config/config.yaml")
try:
    validate(config, "workflow/schemas/config.schema.json", path="config/config.yaml", lines=_lines)
except DataError as error:
    raise WorkflowError(str(error))

RAW = Path("data/raw")
DATASETS = config.get("datasets") or find_datasets(RAW)
DERIVED = "data/derived"
FOUND = find_papers("reports", derived=DERIVED)
CHOSEN = FOUND if config.get("papers") is None else config["papers"]
for name in CHOSEN:
    if name not in FOUND:
        remedy = f"{did_you_mean(name, FOUND)} (a folder of reports/ with a paper.yml)"
        raise WorkflowError(f"config: papers: there is no paper {name}. Remedy: {remedy}")
# data sets of papers by part, and further ones that single functions read
PAPERS = {name: FOUND[name].datasets for name in CHOSEN}
FURTHER = {name: FOUND[name].further for name in CHOSEN}
COMPARISONS = config.get("comparisons") or {}
CONFIGURED = _said.get("comparisons") or {} if isinstance(_said, dict) else {}
NAMED = {
    name
    for parts in (*PAPERS.values(), *FURTHER.values(), *COMPARISONS.values())
    for name in parts.values()
}
for name in sorted({*DATASETS, *NAMED}):
    if name not in find_datasets(RAW):
        remedy = (
            f"correct the name (there are: {', '.join(find_datasets(RAW))}), add the folder, or"
        )
        remedy += " leave out what names it: a paper, or a comparison in config/config.yaml"
        raise WorkflowError(f"data/raw/{name}: there is no such data set. Remedy: {remedy}")
SITE = "reports/_site"
# every data set has these, whether a report reads them or not
PUBLIC_TABLES = ["run", "flow", "ledger", "assumption", "window", "weight", "flow_metric"]
PUBLIC_TABLES += ["run_metric", "cell", "finding", "run_file"]


wildcard_constraints:
    dataset="[^/]+",
    paper="|".join(map(re.escape, PAPERS)) or "(?!)",
    comparison="[^/]+",


localrules:
    all,
    tidy,


rule all:
    default_target: True
    input:
        lambda w: tidied(),
        f"{SITE}/index.html",
        f"{PLACE}/checked" if refused_entries(RAW) else [],
        lambda w: public_tables(),
        expand(f"{SITE}/datasets/{{dataset}}/index.html", dataset=DATASETS),
        expand(f"{SITE}/{{paper}}/index.html", paper=PAPERS),
        lambda w: [f"{SITE}/{page}" for page in DOCS.values()],
        [f"{SITE}/{paper}/{paper}.pdf" for paper in PAPERS],
        expand(f"{DERIVED}/papers/{{paper}}/lost_findings.txt", paper=PAPERS),
        expand(f"{SITE}/comparisons/{{comparison}}/index.html", comparison=COMPARISONS),


include: "workflow/rules/common.smk"
include: "workflow/rules/upkeep.smk"
include: "workflow/rules/ingest.smk"
include: "workflow/rules/sensitivity.smk"
include: "workflow/rules/burstiness.smk"
include: "workflow/rules/papers.smk"
include: "workflow/rules/pieces.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/rules/docs.smk"
include: "workflow/rules/reports.smk"
include: "workflow/rules/pages.smk"
include: "workflow/rules/comparisons.smk"
include: "workflow/rules/kept.smk"
include: "workflow/rules/tidy.smk"
include: "workflow/rules/verify.smk"
include: "workflow/rules/archive.smk"


for _rule in workflow.rules:
    if not any(_rule is other for other in OTHERS):
        DOOR.hook(_rule, ours=bool(_rule.script))


# these keep their own receipts; what they make is no output of evenflow
for _rules in sorted(Path("experiments").glob("*/rules.smk")):

    include: str(_rules)


for _rule in workflow.rules:
    if not any(_rule is other for other in OTHERS):
        DOOR.hook(_rule, ours=False)
