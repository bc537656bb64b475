# What rules share: functions that list their inputs, and what each report is made of. Other
# constants are in the file of their stage.
import os
from functools import cache
from hashlib import sha256
from pathlib import Path

from evenflow.imports import imported_modules

# what is made in reports/, as patterns
MADE_IN_REPORTS = ["reports/_site", "reports/*/figures", "reports/*/tables"]
MADE_IN_REPORTS += ["reports/*/_variables.yml", "reports/*/provenance.*"]
# paper -> names of its report's figures and tables, entered by the file of rules that makes them
REPORT_FIGURES, REPORT_TABLES = {}, {}
# paper -> {role: the data set that its report's text was written about}; of others the text says
# only what is computed
WRITTEN_ABOUT = {}


def modules_of(script):
    """List the modules of evenflow that a script is made of, so that their edit reruns its rule."""
    modules = imported_modules(f"workflow/scripts/{script}.py", "workflow/evenflow")
    return [str(path) for path in modules]


@cache
def raw_state(dataset):
    """Return a digest of the paths, sizes and times of a data set's files: a change of any shows.

    As inputs, Snakemake would look at each file several times for every table that is read from
    them, and keep all their names: half a minute for the whole grid before the first job starts.
    """
    paths = [os.path.join(f, name) for f, _, names in os.walk(RAW / dataset) for name in names]
    about = [(path, os.stat(path)) for path in sorted(paths) if os.path.isfile(path)]
    state = [(path, stat.st_size, stat.st_mtime_ns) for path, stat in about]
    return sha256(repr(state).encode()).hexdigest()


@cache
def renderer():
    """Name what renders the papers here, with its version: with another, all are rendered again."""
    # imported where it is needed: jobs of other rules read this file too
    from evenflow.render import renderer_here

    return renderer_here()


@cache
def page_renderer():
    """Name what renders the pages here, with its version: with another, all are rendered again."""
    from evenflow.render import page_renderer_here

    return page_renderer_here()


def own_roles(paper):
    """List the roles whose data sets are those that the reports' texts were written about.

    What is written about the second testbed sets it beside the first.
    """
    roles = PAPERS[paper]
    own = [role for role, dataset in roles.items() if WRITTEN_ABOUT[paper].get(role) == dataset]
    return own if "testbed" in own else [role for role in own if role == "simulation"]


def own_all_roles(paper):
    """Say whether all data sets of a paper are those that its report's text was written about."""
    return set(own_roles(paper)) == set(WRITTEN_ABOUT[paper])


def testbed_receipts(dataset):
    """The receipts of the runs of a data set that are not there yet."""
    grid = TESTBED["grid"]
    runs = [
        f"{dataset}/{role}/{cca1}-{cca2}/rtt{rtt}_opb{buffer}/r{repeat}"
        for repeat in range(1, grid["repeats"] + 1)
        for role, pairs in grid["pairs"].items()
        for cca1, cca2 in pairs
        for rtt in grid["rtt_ms"]
        for buffer in grid["buffer_pct"]
    ]
    missing = [run for run in runs if not Path("data/raw", run, "run.json").exists()]
    receipts = [f"data/derived/experiments/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts


def high_speed_receipts(dataset):
    """The receipts of the runs of the 900 Mb/s study that a data set of it does not hold yet."""
    missing = experiments.high_speed.list_missing(HIGH_SPEED, dataset, f"data/raw/{dataset}")
    receipts = [f"data/derived/experiments/{dataset}/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts


def small_receipts(start):
    """The receipts of the runs of the small campaigns that are not there yet, below a folder."""
    missing = [
        run for run in experiments.small.list_missing(SMALL, "data/raw") if run.startswith(start)
    ]
    most = SMALL["most"]  # a number of a nested --config is text
    missing = missing[: int(most) if most else None]
    receipts = [f"data/derived/experiments/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts


def manifests():
    """Map the manifests of raw files, those to be written included, to what they list.

    What they list is a folder and, after it, the folders in it that are left out.
    """
    listed = {path.stem for path in Path(MANIFESTS, "raw").glob("*.sha256")}
    found = {
        f"{MANIFESTS}/raw/{name}.sha256": [str(RAW / name)]
        for name in sorted(listed | set(find_datasets(RAW)))
    }
    return found | {f"{MANIFESTS}/data.sha256": ["data", str(RAW), DERIVED]}


def shown(path):
    """Mark a figure for Snakemake's own report (`snakemake --report`), by paper or data set."""
    *_, owner, _, name = Path(path).parts
    kind = "Data sets" if path.startswith(DERIVED) else "Papers"
    if path.startswith(f"{DERIVED}/comparisons/"):
        kind = "Comparisons"
    return report(
        path,
        caption="../report/figure.rst",
        category=kind,
        subcategory=owner,
        labels={"figure": Path(name).stem},
    )


def report_parts(wildcards):
    """List what a report is made of: its numbers, figures and tables."""
    folder, paper = f"reports/{wildcards.paper}", wildcards.paper
    parts = [f"{folder}/_variables.yml"]
    parts += [f"{folder}/figures/{name}.svg" for name in REPORT_FIGURES[paper]]
    return parts + [f"{folder}/tables/{name}.md" for name in REPORT_TABLES[paper]]


def data_behind(paper):
    """List the data sets that a report may be of."""
    return paper_datasets(paper)


@cache
def described_rules(paper):
    """Return {rule: its file, script and settings} of what makes the parts of a report.

    Only these: settings of other rules change with every data set or paper that is added.
    """
    found = {}
    others = tuple(f"_{name}" for name in FOLDERS if name != paper)
    for step in workflow.rules:
        if step.name.endswith(others):
            continue
        script = getattr(step, "script", None)
        made = str(step.output[0]) if step.output else ""
        if not isinstance(script, str) or not made.startswith((f"{DERIVED}/", "reports/")):
            continue
        if made.startswith(SITE):
            continue
        settings = {k: v for k, v in step.params.items() if is_setting(v)}
        found[step.name] = {
            "file": Path(str(step.snakefile)).relative_to(Path(workflow.basedir)).as_posix(),
            "script": f"workflow/{script.removeprefix('../')}",
            "settings": settings,
        }
    return found


def is_setting(value):
    """Say whether a parameter of a rule is a number, a word or a structure of these."""
    if isinstance(value, dict):
        return all(map(is_setting, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_setting, value))
    return isinstance(value, (bool, int, float, str)) and "/" not in str(value)
