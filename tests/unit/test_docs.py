"""The documentation says what is: columns of tables, names in the code, links between pages."""

import importlib
import json
import os
import re
import tomllib
from pathlib import Path
from textwrap import indent

import describe_configuration
import describe_tables
import polars as pl
import pytest
import yaml
from documented import documented_columns
from evenflow import (
    checks,
)
from evenflow.claims import judge
from evenflow.evidence.runs import split
from evenflow.formats import FORMATS, ns2_bins
from evenflow.ingest.described.known_settings import NUMBERS, WORDS
from evenflow.ingest.parse import parse_dataset
from evenflow.metrics import burstiness, rtt_fairness, windows
from evenflow.metrics import tables as metrics
from evenflow.papers.make import load
from evenflow.provenance import run_files
from evenflow.reporting import builds
from evenflow.schema import validate
from evenflow.statistics import comparison, surfaces
from evenflow.table_names import EVENTS
from evenflow.tables import query_tables, write_table
from metrics_of import flow_metric_table, run_metric_table, sensitivity_table, weight_table

ROOT = Path(__file__).parents[2]
GRID = ROOT / "reports/_grid"
printed, surfaces_of_papers = load(GRID / "printed.py"), load(GRID / "surfaces.py")
QUERIES = ROOT / "workflow/queries"
DATA_MODEL = (ROOT / "docs/reference/data-model.md").read_text(encoding="utf-8")
PLACES = (".", "config", "docs", "docs/*", "experiments/*", "reports/*")
PAGES = sorted(path for place in PLACES for path in ROOT.glob(f"{place}/*.md"))
DATASET_YML = """
platform: testbed
defaults: {bottleneck_mbps: 100, duration_s: 20, mss_bytes: 1448, rtt_ms: 50, buffer_bdp: 1}
files:
  - path: "{role}/{cca1}-{cca2}/r{repeat}/flow{flow}.log"
steady_state: {warmup_s: 10}
"""


def iperf_log(seconds: int, bytes_a_second: int) -> str:
    lines = [
        f"[  1] {t}.0000-{t + 1}.0000 sec  {bytes_a_second} Bytes  {8 * bytes_a_second} bits/sec"
        for t in range(seconds)
    ]
    return "\n".join(["Server listening on TCP port 5001", *lines, ""])


def burst_tables(tables: dict[str, pl.DataFrame], runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of burstiness, of a drop a second and two bins of 5 ms in every run."""
    sample, flow = tables["sample"], tables["flow"].with_columns(base_rtt_s=pl.lit(0.05))
    times = {"t_s": [6.0, 7.0, 8.0], "flow_id": pl.Series([1, 2, 100], dtype=pl.Int32)}
    drop = runs.select("run_id").join(pl.DataFrame(times), how="cross")
    counts = zip(ns2_bins.COUNTS, (9, 1, 5, 2), strict=True)
    bins = pl.DataFrame({"t_start_s": [8.0, 8.005], "t_end_s": [8.005, 8.01]}).with_columns(
        pl.lit(n, pl.Int32).alias(column) for column, n in counts
    )
    bins = runs.select("run_id").join(bins, how="cross").lazy()
    window = tables["window"]
    limits = burstiness.queue_limits(runs, flow, bins)
    events = burstiness.drop_events(drop, flow, burstiness.default_gaps(flow), window)
    made = {
        "drop_event": burstiness.events_with_time_above(events, bins, window, limits, 0.975),
        "arrival_cov": burstiness.arrival_covs(bins, window, [0.005, 0.01]),
        "burst_sensitivity": burstiness.gap_sensitivity(drop, flow, window, [0.1]),
    }
    made["burst_metric"] = burstiness.burst_metrics(
        made["drop_event"], flow, window, limits, made["arrival_cov"]
    )
    steady = windows.steady_state(sample, runs)
    means = rtt_fairness.flow_means(tables["flow_metric"], steady, flow)
    made["fairness_ratio"] = rtt_fairness.fairness_ratios(means)
    made["rtt_exponent"] = rtt_fairness.rtt_exponents(means, 0.95)
    made["burst_cell"] = rtt_fairness.burst_cells(
        made["burst_metric"], made["fairness_ratio"], made["rtt_exponent"], runs, 0.95
    )
    correlations = rtt_fairness.burst_correlations(made["burst_cell"], runs, 0.95)
    made["burst_correlation"], _ = split(correlations)
    return made


@pytest.fixture(scope="module")
def actual(tmp_path_factory) -> dict[str, pl.DataFrame]:
    """Every derived table, made from eight little logs by the code that makes the real ones."""
    raw, derived = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("derived")
    (raw / "dataset.yml").write_text(DATASET_YML)
    for role in ("calibration", "comparison"):
        for repeat in (1, 2):
            folder = raw / role / "newreno-newreno" / f"r{repeat}"
            folder.mkdir(parents=True)
            for flow in (1, 2):
                log = iperf_log(20, 1_000_000 * flow + 1000 * repeat)
                (folder / f"flow{flow}.log").write_text(log)
    parsed = parse_dataset(raw)
    for name, table in parsed.items():
        write_table(table, derived / f"parsed_{name}.parquet")
    inputs = {f"parsed_{name}": derived / f"parsed_{name}.parquet" for name in parsed}
    tables = {}
    for name in ("run", "flow", *sorted(path.stem for path in QUERIES.glob("*.sql"))):
        sql = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
        parameters = {"dataset_id": "tiny", "run_id": "none"}
        tables[name] = query_tables(sql, parameters, **inputs)
        write_table(tables[name], derived / f"{name}.parquet")
        inputs[name] = derived / f"{name}.parquet"
    sample, flow, run = (tables[name] for name in ("sample", "flow", "run"))
    tables["window"] = windows.window_table(sample, flow, run, 5)
    run = windows.in_window(run, tables["window"])
    tables["weight"] = weight_table(sample, flow, run, "flow2")
    tables["flow_metric"] = flow_metric_table(sample, flow, run, tables["weight"], 1)
    tables["run_metric"] = run_metric_table(sample, flow, tables["flow_metric"], run)
    tables["cell"] = metrics.cell_table(tables["flow_metric"], tables["run_metric"], run, 0.95)
    config = yaml.safe_load((ROOT / "workflow/defaults.yaml").read_text())
    tables["sensitivity"] = sensitivity_table(
        sample, flow, run, config["steady_state"], config["nru"]
    )
    tables["finding"] = checks.finding_table({**tables, "run": run}, 10)
    events = [tables[name].lazy() for name in EVENTS]
    tables["run_file"] = run_files.run_files(
        tables["ledger"], sample, run, tables["window"], events
    )
    named = [
        pl.lit(value).alias(name) for name, value in (("part", "testbed"), ("dataset_id", "t"))
    ]
    tables |= burst_tables(tables, run)
    tables["surface"] = surfaces.surface_table(tables["cell"], run).select(*named, pl.all())
    tables["summary"] = surfaces.surface_summary(tables["surface"], ["part", "dataset_id"])
    row = ("p", "fig1", "testbed", "newreno-vs-bic", "jfi", "1", "mean", "0.5", "Figure 1")
    said = pl.DataFrame([row], schema=printed.COLUMNS, orient="row")
    tables["printed"] = printed.printed_and_measured(
        printed.printed_surfaces(said, ["testbed"], "published.csv"),
        tables["summary"],
        {"testbed": ["testbed"]},
    )
    of_part = {"testbed": run}, *({"testbed": tables[n]} for n in ("run_metric", "flow_metric"))
    tables["surface_run"] = surfaces_of_papers.runs_of_parts(*of_part)
    tables["build"] = builds.build_table({"testbed": run}, [])
    tables["claim"] = judge.judge("p", [], {}, confidence=0.95, fdr=0.05)
    side = {"run": run, **{name: tables[name] for name in ("run_metric", "sensitivity")}}
    settings = {"margin": 0.05, "confidence": 0.95, "fdr": 0.05}
    index = surfaces.index_on_the_grid(run, tables["run_metric"])
    tables["cell_match"] = comparison.cell_match(index, index)
    tables["difference"] = comparison.index_difference(side, side, settings)
    tables["verdict_sensitivity"] = comparison.verdict_sensitivity(side, side, settings)
    return tables


def test_every_derived_table_is_documented(actual):
    assert set(documented_columns(DATA_MODEL)) == set(actual)


@pytest.mark.parametrize("table", documented_columns(DATA_MODEL))
def test_documented_columns_are_those_of_the_table(table, actual):
    made, _ = split(actual[table])  # without the lists of runs, which are a file of their own
    schema = [(name, str(dtype)) for name, dtype in made.schema.items()]
    assert documented_columns(DATA_MODEL)[table] == schema


@pytest.mark.parametrize(
    "table", ["run", "flow", "sample", "flow_metric", "run_metric", "weight", "run_file"]
)
def test_tables_are_sorted_by_the_columns_in_bold(table, actual):
    section = DATA_MODEL.split(f"\n### `{table}`")[1].split("\n### ")[0]
    keys = re.findall(r"^\| \*\*`(\w+)`\*\*", section, re.MULTILINE)
    assert len(actual[table]) > 0
    assert actual[table].equals(actual[table].sort(keys, maintain_order=True))


@pytest.mark.parametrize(
    "page", ["guides/adding-data.md", "reference/data-model.md", "tutorial/README.md"]
)
def test_the_example_of_dataset_yml_is_valid(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    example = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.DOTALL)[1])
    schema = ROOT / "workflow/schemas/dataset.schema.json"
    validate(example, schema, path=page)
    assert set(example) > {"title", "files"}
    assert {entry.get("format", "ignore") for entry in example["files"]} <= {*FORMATS, "ignore"}


def test_the_example_of_a_run_record_has_known_keys():
    record = json.loads(re.search(r"```json\n(.*?)```", DATA_MODEL, re.DOTALL)[1])
    free = set(record["run"]) - set(NUMBERS) - set(WORDS)
    assert free == {"router_model", "host_profile"}


def test_the_configuration_is_documented_as_the_schemas_have_it():
    described = (ROOT / describe_configuration.PAGE).read_text(encoding="utf-8")
    assert described == describe_configuration.page(), "make reference writes it"


def test_the_words_of_tables_are_documented_as_panels_have_them():
    described = (ROOT / describe_tables.PAGE).read_text(encoding="utf-8")
    assert described == describe_tables.page(), "make reference writes it"


@pytest.mark.parametrize("schema", describe_configuration.FILES)
def test_every_key_of_a_schema_has_a_description(schema):
    path = ROOT / f"workflow/schemas/{schema}.schema.json"
    tree = json.loads(path.read_text(encoding="utf-8"))
    found = dict(describe_configuration.keys(tree, tree))
    assert [key for key, entry in found.items() if not entry.get("description")] == []
    assert len(found) > 4


def test_every_page_is_reached_from_the_start_page():
    start = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w/.-]+)", start))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/*/*.md")}
    assert pages - linked == set()


def test_every_format_is_documented():
    page = (ROOT / "docs/reference/formats.md").read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"`{name}`" not in page + DATA_MODEL] == []


ENDINGS = (
    "css",
    "csv",
    "html",
    "js",
    "json",
    "md",
    "parquet",
    "png",
    "py",
    "smk",
    "sql",
    "typ",
    "yml",
)


# code that was; keys with dots
OTHER_NAMES = {"history-of-numbers.md", "configuration.md"}


def imported(path: Path):
    """Return a module of the library, or of a paper's folder, by its path."""
    if not path.is_relative_to(ROOT / "workflow"):
        return load(path)
    parts = path.relative_to(ROOT / "workflow").with_suffix("").parts
    return importlib.import_module(".".join(parts))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_names_of_code_exist(page):
    modules: dict[str, list] = {}
    for path in (*(ROOT / "workflow/evenflow").rglob("*.py"), *GRID.glob("*.py")):
        modules.setdefault(path.stem, []).append(path)
    if page.parent.parent.name == "reports":  # of a paper
        modules |= {path.stem: [path] for path in page.parent.glob("*.py")}
    text = page.read_text(encoding="utf-8")
    for module, name in re.findall(r"`(?:evenflow\.)?(?:\w+\.)?(\w+)\.(\w+)`", text):
        # a file, or a module of a room
        is_file = name in (*ENDINGS, "dataset", *modules)
        if module in modules and not is_file and page.name not in OTHER_NAMES:
            found = any(hasattr(imported(path), name) for path in modules[module])
            assert found, f"{page.name}: there is no {module}.{name}"
    for name in re.findall(r"`(\w+\.sql)`", text):
        assert (QUERIES / name).exists(), f"{page.name}: there is no {name}"


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings have on the usual forges."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)  # links, no examples of them
    for target, _, anchor in re.findall(r"\]\(([^)#\s]*)(#([^)\s]+))?", text):
        if not re.match(r"https?:|mailto:", target):
            assert (page.parent / target).exists(), f"{page.name}: there is no {target}"
            if anchor:
                there = page.parent / target if target else page
                assert anchor in anchors(there), f"{page.name}: {there.name} has no {anchor}"


def test_links_of_the_installed_documentation_lead_to_what_is_installed():
    """`evenflow --help` points to it; the wheel and the archive of sources have the same files."""
    hatch = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]
    targets = hatch["build"]["targets"]
    packed = {Path(name): Path(there) for name, there in targets["wheel"]["force-include"].items()}
    sources = [Path(name) for name in targets["sdist"]["only-include"]]
    assert [name for name in packed if not any(map(name.is_relative_to, sources))] == []
    files = {
        there / path.relative_to(ROOT / name): path
        for name, there in packed.items()
        for path in ([ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*"))
    }
    pages = [there for there in files if there.suffix == ".md" and "workflow" not in there.parts]
    assert Path("evenflow/docs/README.md") in pages
    lost = [
        (str(page), link)
        for page in pages
        for link in links(files[page])
        if Path(os.path.normpath(page.parent / link)) not in files
    ]
    assert lost == []


def links(page: Path) -> list[str]:
    """Return the files that a page leads to, as it names them."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)  # links, no examples of them
    found = re.findall(r"\]\(([^)#\s]+)", text)
    return [link for link in found if not re.match(r"https?:|mailto:", link)]


# its bytes name a build of the testbed's kernel, so that its old words stay
KEPT = {"experiments/testbed/kernel/tcp_compound.c"}


def test_pages_that_code_and_data_name_are_there():
    kinds = re.compile(r"c|csv|json|md|py|qmd|rst|sh|smk|sql|tcl|ya?ml")
    places = ("benchmarks", "config", "docs", "experiments", "reports", "workflow")
    texts = [path for place in places for path in ROOT.glob(f"{place}/**/*.*")]
    texts = [path for path in texts if kinds.fullmatch(path.suffix[1:])]
    texts += [*ROOT.glob("data/raw/*/dataset.yml"), ROOT / "Makefile", *ROOT.glob("*.md")]
    made = re.compile(r"reports/(_site|[^/]+/(figures|tables|provenance))")
    named = {}
    for path in texts:
        name = path.relative_to(ROOT).as_posix()
        if path.name not in OTHER_NAMES and name not in KEPT and not made.match(name):
            found = re.findall(r"(?<![\w/.-])docs/[\w/-]+\.md", path.read_text(encoding="utf-8"))
            named |= {f"{name}: {page}": page for page in found}
    assert [where for where, page in named.items() if not (ROOT / page).is_file()] == []
    assert len(named) > 50


def test_the_workflow_catalogue_finds_what_it_asks_for():
    """Standardised usage: where the workflow is, how it is configured, how it is deployed."""
    for path in ("workflow/Snakefile", "config/README.md", "README.md", "LICENSE", "CITATION.cff"):
        assert (ROOT / path).is_file(), path
    text = (ROOT / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8")
    usage = yaml.safe_load(text)["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    assert usage["software-stack-deployment"]["conda"] is True
    rules = [path.read_text(encoding="utf-8") for path in ROOT.glob("workflow/rules/*.smk")]
    jobs = [rule for text in rules for rule in re.split(r"(?m)^ *rule ", text)[1:]]
    jobs = [rule for rule in jobs if re.search(r"(?m)^ +(script|shell):", rule)]
    assert [rule.splitlines()[0] for rule in jobs if "conda:" not in rule] == []
    assert len(jobs) > 20


def commands(program: str) -> set[str]:
    """What the pages tell a reader to ask `make` or `snakemake` for, without options."""
    words = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"```sh\n(.*?)```", lambda m: indent(m[1], "    "), text, flags=re.DOTALL)
        for code in re.findall(r"`[^`\n]+`|^ {4}\S.*$", text, re.MULTILINE):
            line = re.sub(r"  +#.*", "", code.strip("` "))
            if found := re.match(rf"(?:python -m )?{program}((?: [\w./-]+)+)$", line):
                words |= {word for word in found[1].split() if not word.isdigit()}
    return {word for word in words if not word.startswith("-")} - {"all"}


def test_commands_name_targets_that_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    asked = {word for word in commands("make") if not word.startswith("reports/_site/")}
    assert asked - targets == {".venv/.ready"}
    assert {"archive", "verify", "manifest", "expected", "reference"} <= asked
    rules = [path.read_text(encoding="utf-8") for path in ROOT.glob("experiments/*/rules.smk")]
    campaigns = set(re.findall(r"^rule (grid_\w+):", "\n".join(rules), re.MULTILINE))
    campaigns |= {f"grid_{path.name.replace('-', '_')}" for path in ROOT.glob("data/raw/*/")}
    asked = {word for word in commands("snakemake") if word.startswith("grid_")}
    assert asked <= campaigns and len(asked) > 5
