"""The real workflow, end to end, on tiny real data (tests/fixtures/tiny, config.yaml beside).

One run in a copy of the project serves most tests, and those of other modules that begin with it;
those that change it put it back.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
import started
from check_numbers import check_numbers, places
from evenflow.papers.find import Paper
from polars.testing import assert_frame_equal
from small_project import CONFIG, ROOT, built_once, copied

TINY = ROOT / "tests/fixtures/tiny"
GOLDEN = Path(__file__).parent / "golden"
DATASETS = ("tiny-ns2", "tiny-testbed")
# what the workflow needs, and what it made in it
COPIED = {
    "profiles": (),
    "Snakefile": (),
    "environment.yml": (),
    "config": (),
    # with what is compiled already; files of these names are being written, and soon gone
    "workflow": ("*.pyc.*", "*.tmp.*"),
    "experiments": ("__pycache__",),
}
PAPER = ROOT / "tests/fixtures/papers/tiny-paper"

TABLES = ["run", "flow", "sample", "queue_sample", "packet_drop", "ledger"]
TABLES += ["window", "weight", "flow_metric", "run_metric", "cell", "sensitivity", "finding"]
TABLES += ["run_file"]
DERIVED = [f"data/derived/{dataset}/{table}.parquet" for dataset in DATASETS for table in TABLES]
DIFFERENCE = "data/derived/comparisons/tiny/difference.parquet"
SURFACE = "data/derived/papers/tiny-paper/surface.parquet"
DRAWN = "data/derived/comparisons/tiny/figures"
FIGURES = [
    "reports/tiny-paper/figures/time-series.svg",
    "reports/tiny-paper/figures/jfi-surfaces.svg",
    f"{DRAWN}/difference-surfaces.svg",
]
MORE_FIGURES = [
    f"{DRAWN}/verdicts.svg",
    "reports/tiny-paper/figures/jfi-range.svg",
    "reports/tiny-paper/figures/throughput.svg",
]
WRITTEN = [
    "reports/tiny-paper/_variables.yml",
    "reports/tiny-paper/tables/published.md",
    "reports/tiny-paper/tables/claims.md",
    "reports/tiny-paper/provenance.json",
    "reports/tiny-paper/provenance.md",
]
PAGES = [f"reports/_site/datasets/{dataset}/index.html" for dataset in DATASETS]
COMPARISON = "reports/_site/comparisons/tiny/index.html"
PAPER_PAGE = "reports/_site/tiny-paper/index.html"
# what is made twice, with one thread a job and with several
THREADED = ["read_logs", "settle_runs", "compute_sensitivity"]
THREADED += ["compute_comparison", "metrics_tiny-paper", "claims_tiny-paper"]
TWICE = [*DERIVED, DIFFERENCE, SURFACE, *FIGURES]
ALL = [*TWICE, *MORE_FIGURES, *WRITTEN, *PAGES, COMPARISON, PAPER_PAGE]


def copy_project(folder: Path) -> Path:
    """Copy what the workflow needs, with the tiny data sets as its raw data and a paper on them.

    No other paper is there: what is tested here holds whatever papers there are.
    """
    folder.mkdir()
    for name, generated in COPIED.items():
        source = ROOT / name
        if source.is_dir():
            ignore = shutil.ignore_patterns(*generated)
            shutil.copytree(source, folder / name, ignore=ignore)
        else:
            shutil.copy(source, folder / name)
    # every setting said, as tests change single ones
    shutil.copy(ROOT / "workflow/defaults.yaml", folder / "config/config.yaml")
    shutil.copytree(TINY, folder / "data/raw")
    for paper in (PAPER, ROOT / "reports/_grid"):  # and what papers on such grids share
        ignore = shutil.ignore_patterns("__*", "tests")
        shutil.copytree(paper, folder / "reports" / paper.name, ignore=ignore)
    return folder


def snakemake(
    project: Path,
    *words: str,
    cores: int = 2,
    config: Path = CONFIG,
):
    """Run Snakemake in a project as a user does; return the finished process."""
    words = ("--configfile", str(config), "--cores", str(cores), *words)
    return started.snakemake(project, *words, env={**os.environ, "PATH": started.path_of_tests()})


def rules_to_run(project: Path, *targets: str) -> dict[str, int]:
    """Return how many jobs of each rule a run would do."""
    done = snakemake(project, "--dry-run", *targets)
    assert done.returncode == 0, done.stdout
    stats = re.search(
        r"^Job stats:\n.*?\n-+ .*?\n(.*?)^total", done.stdout, re.DOTALL | re.MULTILINE
    )
    rows = [line.split() for line in stats[1].splitlines()] if stats else []
    return {rule: int(count) for rule, count in rows}


def outputs_to_make(project: Path, *targets: str) -> set[str]:
    """Return the files that a run would make."""
    done = snakemake(project, "--dry-run", "--summary", *targets)
    assert done.returncode == 0, done.stdout
    lines = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") >= 5]
    header = lines[0]
    plan, name = header.index("plan"), header.index("output_file")
    return {line[name] for line in lines[1:] if line[plan] != "no update"}


def checksums(project: Path) -> dict[str, str]:
    """Return the SHA-256 of everything that the workflow made."""
    made = [*(project / "data/derived").rglob("*"), *(project / "reports").rglob("*")]
    return {
        path.relative_to(project).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in made
        if path.is_file() and "experiments" not in path.parts
    }


@contextmanager
def changed(path: Path, content: bytes | None):
    """Replace (or remove) a file; put it back with its old time of change."""
    old, times = path.read_bytes(), path.stat()
    try:
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        yield
    finally:
        path.write_bytes(old)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def build(folder: Path) -> None:
    """Run the workflow with two cores in a copy of the project."""
    done = snakemake(copy_project(folder), *ALL)
    assert done.returncode == 0, done.stdout[-5000:]
    missing = [path for path in ALL if not (folder / path).stat().st_size]
    assert not missing


def built_project(tmp_path_factory, name: str) -> Path:
    """Return a copy, of that name, in which the workflow ran (`build`): once for all modules."""
    folder = tmp_path_factory.mktemp(name) / "evenflow"
    return copied(built_once(tmp_path_factory, "tiny", build), folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return built_project(tmp_path_factory, "two")


def read(project: Path, dataset: str, table: str) -> pl.DataFrame:
    return pl.read_parquet(project / f"data/derived/{dataset}/{table}.parquet")


# ---- what comes out -----------------------------------------------------------------------------


@pytest.mark.quick
@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("name", ["run_metric", "cell"])
def test_metrics_are_the_golden_ones(project, dataset, name):
    """Golden tables hold what was checked once; to make them anew see `golden/README.md`."""
    assert_golden(read(project, dataset, name), GOLDEN / f"{dataset}_{name}.csv")


@pytest.mark.quick
def test_differences_are_the_golden_ones(project):
    assert_golden(pl.read_parquet(project / DIFFERENCE), GOLDEN / "difference_testbed.csv")


@pytest.mark.quick
def test_the_page_of_a_comparison_says_what_the_data_sets_have_and_how_they_differ(project):
    page = (project / COMPARISON).read_text(encoding="utf-8")
    match = pl.read_parquet(project / "data/derived/comparisons/tiny/cell_match.parquet")
    difference = pl.read_parquet(project / DIFFERENCE)
    assert 0 < match["compared"].sum() == len(difference) < len(match)
    assert match.filter(~pl.col("compared"))["against_n"].to_list() == [0, 0]  # of another buffer
    for words in ("Which cells both have", "Difference surfaces", "MSER-5", "Against"):
        assert words in page
    links = re.findall(r'href="((?:tables|\.\./)[^"]+)"', page.partition("<main")[2])
    assert len(links) == 10
    for link in links:
        assert (project / COMPARISON).parent.joinpath(link).is_file()


def assert_golden(table: pl.DataFrame, path: Path) -> None:
    golden = pl.read_csv(path, schema=table.schema)
    assert_frame_equal(table, golden, check_exact=False, rel_tol=1e-9, abs_tol=1e-9)


# ---- where it comes from ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def provenance(project) -> dict:
    path = project / "reports/tiny-paper/provenance.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.quick
def test_numbers_are_those_of_the_rows_and_runs_that_their_provenance_names(
    project, provenance, monkeypatch
):
    """The printed text follows from the row; another row would not give it."""
    monkeypatch.chdir(project)
    paper = Paper("reports/tiny-paper", "data/derived")
    assert len(check_numbers(paper, whole=True)) == len(provenance["numbers"]) > 7
    name = "mean.testbed.comparison.system_nru_db.newreno_bic.mean"
    (part,) = provenance["numbers"][name]["parts"]
    assert (part["table"], part["rows"]) == ("summary", 1)
    runs = provenance["runs"]["tiny-testbed"]
    ((dataset, pairs),) = provenance["sets"][part["set"]].items()
    listed = {runs[i]["ccas"] for i in places(pairs)}
    assert dataset == "tiny-testbed"
    assert listed == {"newreno-bic", "newreno-newreno", "bic-bic"}  # those of the weights too


@pytest.mark.quick
def test_every_figure_leads_back_to_the_logs_or_is_of_formulas(provenance):
    made = provenance["made"]
    for label, part in provenance["pieces"].items():
        rules, ahead = set(), [part["file"]]
        while ahead:
            step = made[ahead.pop()]
            rules.add(step["rule"])
            ahead += [path for path in step["inputs"] if path in made]
        assert "read_logs" in rules or not part["runs"], label
        assert rules <= set(provenance["rules"])


@pytest.mark.quick
def test_lines_of_raw_files_are_those_of_the_steady_state(project, provenance):
    runs = {run["id"]: run for run in provenance["runs"]["tiny-ns2"]}
    assert len(runs) == 24
    for run_id, run in runs.items():
        files = {path: rest for path, *rest in run["files"]}
        digest, first, last, n_used, kind = files["./goodput.log.gz"]
        assert kind == "flows"
        content = (TINY / "tiny-ns2" / run_id / "goodput.log.gz").read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest
        lines = gzip.decompress(content).decode().splitlines()
        # from 20 s: the samples that end at 20 s or later, of both flows
        ends = [0.0 if line.startswith("#") else float(line.split()[0]) for line in lines]
        inside = [number for number, end in enumerate(ends, start=1) if 20 <= end <= 60]
        assert (first, last, n_used) == (inside[0], inside[-1], len(inside))


def goodput_bytes(log: bytes) -> dict[int, list[tuple[float, int]]]:
    """Read ns-2's goodput log without evenflow: {flow: [(end, bytes)]}."""
    rows: dict[int, list] = {}
    for line in log.decode().splitlines():
        if not line.startswith("#"):
            end, flow, n_bytes = line.split()[:3]
            rows.setdefault(int(flow), []).append((float(end), int(n_bytes)))
    return rows


@pytest.mark.quick
def test_jain_index_of_ns2_from_the_raw_logs_without_evenflow(project):
    metrics = dict(read(project, "tiny-ns2", "run_metric").select("run_id", "jfi").rows())
    assert len(metrics) == 24
    for run_id, jfi in metrics.items():
        log = gzip.decompress((TINY / "tiny-ns2" / run_id / "goodput.log.gz").read_bytes())
        # from 20 s: the samples that end at 20 s or later
        x, y = (
            sum(n for end, n in rows if 20 <= end <= 60) / 41
            for _, rows in sorted(goodput_bytes(log).items())
        )
        assert jfi == pytest.approx((x + y) ** 2 / (2 * (x * x + y * y)), rel=1e-12)


@pytest.mark.quick
def test_jain_index_of_the_testbed_from_the_raw_logs_without_evenflow(project):
    starts = dict(
        read(project, "tiny-testbed", "flow").filter(flow_id=2).select("run_id", "start_s").rows()
    )
    metrics = dict(read(project, "tiny-testbed", "run_metric").select("run_id", "jfi").rows())
    assert len(metrics) == 12
    report = re.compile(rb"\] ([\d.]+)-([\d.]+) sec  (\d+) Bytes")
    for run_id, jfi in metrics.items():
        means = []
        for flow, start in ((1, 0.0), (2, starts[run_id])):
            log = TINY / "tiny-testbed" / run_id / f"flow{flow}.server.log.gz"
            rows = [
                (float(begin) + start, float(end) + start, int(n))
                for begin, end, n in report.findall(gzip.decompress(log.read_bytes()))
            ]
            # whole seconds (not iperf's sum, not the last one) within 19 s and the end of the run
            inside = [
                n for b, e, n in rows if abs(e - b - 1) < 1e-6 and b > 19 - 1e-6 and e < 60.000001
            ]
            means.append(sum(inside) / len(inside))
        x, y = means
        assert jfi == pytest.approx((x + y) ** 2 / (2 * (x * x + y * y)), rel=1e-12)


@pytest.mark.quick
@pytest.mark.parametrize("dataset", DATASETS)
def test_the_ledger_accounts_for_every_byte_of_every_raw_file(project, dataset):
    ledger = read(project, dataset, "ledger")
    rows = {row["path"]: row for row in ledger.filter(entry="file").rows(named=True)}
    folder = project / "data/raw" / dataset
    raw = {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()
    }
    assert set(rows) == set(raw)
    fates = ("sample", "header", "summary", "skipped", "rejected")
    for path, data in raw.items():
        content = gzip.decompress(data) if path.endswith(".gz") else data
        lines = len(content.split(b"\n")) - content.endswith(b"\n") if content else 0
        row = rows[path]
        assert (row["bytes"], row["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert sum(row[f"bytes_{fate}"] for fate in fates) == row["content_bytes"] == len(content)
        assert sum(row[f"lines_{fate}"] for fate in fates) == row["lines"] == lines
    assert ledger["lines_rejected"].sum() == 0


@pytest.mark.quick
@pytest.mark.parametrize("dataset", DATASETS)
def test_every_sample_leads_back_to_the_raw_line_that_holds_its_bytes(project, dataset):
    sample = read(project, dataset, "sample")
    logs: dict[str, list[bytes]] = {}
    for path, line, n_bytes in sample.select("path", "line", "bytes").rows():
        if path not in logs:
            data = (project / "data/raw" / dataset / path).read_bytes()
            logs[path] = gzip.decompress(data).split(b"\n")
        assert str(n_bytes).encode() in logs[path][line - 1].split()
    assert len(logs) == 24  # of ns-2 a log a run, of the testbed one for each of two flows


@pytest.mark.quick
def test_the_pages_of_the_data_sets_say_what_they_hold(project):
    for page, n_runs in zip(PAGES, (24, 12), strict=True):
        html = (project / page).read_text(encoding="utf-8")
        assert "Two short flows" in html
        assert f"<b>{n_runs} runs of 2 flows</b>" in html
        of_files = html.partition('<section id="files">')[2].partition("</section>")[0]
        linked = re.findall(r'href="(tables/[^"]+)"', of_files)
        assert len(linked) == len(set(linked)) > 20
        for link in linked:
            assert (project / page).parent.joinpath(link).is_file()


@pytest.mark.quick
def test_a_reader_of_a_telephone_sees_every_page_whole(browser, project):
    from test_pages import OVERFLOWING, assert_opens_by_itself  # faults/run.py has no Selenium

    browser.look(360)
    for page in (PAPER_PAGE, COMPARISON, *PAGES):
        assert_opens_by_itself(browser, project / page)
        assert browser.evaluate(OVERFLOWING) is None, page


@pytest.mark.quick
def test_the_tables_beside_a_page_are_those_of_the_data_set(project):
    for dataset in DATASETS:
        folder = project / f"reports/_site/datasets/{dataset}/tables"
        for name, suffix in (("cell", ".csv"), ("sample", ".csv.gz")):
            table = pl.read_parquet(project / f"data/derived/{dataset}/{name}.parquet")
            assert_frame_equal(pl.read_parquet(folder / f"{name}.parquet"), table)
            text = pl.read_csv(folder / f"{name}{suffix}", schema=table.schema)
            assert_frame_equal(text, table, rel_tol=1e-12)


def test_the_file_that_the_catalogue_looks_for_starts_the_same_workflow(project):
    run = snakemake(project, "--snakefile", "workflow/Snakefile", "--dry-run", "--forceall")
    assert run.returncode == 0, run.stdout
    assert "render_index" in run.stdout


def test_snakemakes_own_report_shows_the_figures_with_what_they_are_made_of(project, tmp_path):
    done = snakemake(project, *ALL, "--report", str(tmp_path / "report.html"))
    assert done.returncode == 0, done.stdout
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'"labels": \{"figure": "([^"]+)"\}', html))
    assert {Path(path).stem for path in (*FIGURES, *MORE_FIGURES)} <= shown
    caption = html[html.index('"caption": "<p>Drawn by the rule') :]
    assert "data/derived/papers/" in caption
    assert {"Papers", "Comparisons", "tiny-paper"} <= set(re.findall(r'"([\w -]+)": [\[{]', html))


# ---- what runs again ----------------------------------------------------------------------------


@pytest.mark.quick
def test_a_second_run_has_nothing_to_do_and_says_so_soon(project):
    here = snakemake(project, *ALL)  # of a process that has loaded Snakemake
    words = ["--configfile", CONFIG, "--cores", "2", *ALL]
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *map(str, words)],
        cwd=project, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    after = os.times()
    assert done.returncode == here.returncode == 0
    assert "Nothing to be done" in done.stdout and "Nothing to be done" in here.stdout
    cpu_s = after.children_user + after.children_system
    cpu_s -= before.children_user + before.children_system
    assert cpu_s < 10


@pytest.mark.quick
def test_a_changed_log_runs_again_only_what_depends_on_its_data_set(project):
    log = project / "data/raw/tiny-testbed/comparison/newreno-bic/rtt25_opb60/r1/router.log.gz"
    packed_anew = gzip.compress(gzip.decompress(log.read_bytes()), compresslevel=1, mtime=0)
    assert packed_anew != log.read_bytes()
    with changed(log, packed_anew):
        todo = outputs_to_make(project, *ALL)
    assert any("data/derived/tiny-testbed" in path for path in todo)
    assert {"data/derived/tiny-testbed/ledger.parquet", DIFFERENCE, *FIGURES} <= todo
    assert not [path for path in todo if "tiny-ns2" in path]


def test_a_touched_log_counts_as_changed(project):
    log = project / "data/raw/tiny-testbed/comparison/newreno-bic/rtt25_opb60/r1/router.log.gz"
    with changed(log, log.read_bytes()):
        todo = outputs_to_make(project, *ALL)
    assert "data/derived/tiny-testbed/ledger.parquet" in todo
    assert not [path for path in todo if "tiny-ns2" in path]


def test_a_deleted_table_is_made_again_with_its_descendants_only(project):
    deleted = "data/derived/tiny-ns2/sensitivity.parquet"
    targets = [path for path in TWICE if path not in FIGURES]
    before = checksums(project)
    with changed(project / deleted, None):
        rules = rules_to_run(project, *targets)
        assert rules.pop("compute_sensitivity") == 1
        assert rules == {"compute_comparison": 1}
        times = {path: (project / path).stat().st_mtime_ns for path in before if path != deleted}
        done = snakemake(project, deleted, "data/derived/tiny-ns2/run_metric.parquet")
        assert done.returncode == 0, done.stdout
        assert checksums(project) == before
    for path in ("run", "sample", "weight", "parsed/file"):
        name = f"data/derived/tiny-ns2/{path}.parquet"
        assert (project / name).stat().st_mtime_ns == times[name]
    # what was put back is older than what was made from it anew
    assert snakemake(project, *ALL).returncode == 0
    assert checksums(project) == before


def test_an_edited_module_runs_its_rules_again(project):
    module = project / "workflow/evenflow/statistics/surfaces.py"
    with changed(module, module.read_bytes() + b"# edited\n"):
        rules = rules_to_run(project, *TWICE)
    assert {"metrics_tiny-paper", "compute_comparison"} <= set(rules)
    assert "read_logs" not in rules


def test_an_edited_format_reads_again_only_data_sets_that_have_it(project):
    formats = project / "workflow/evenflow/formats"

    def read_again(name: str, edit: bytes = b"# edited\n", instead_of: bytes = b"") -> set[str]:
        text = (formats / name).read_bytes()
        edited = text.replace(instead_of, edit, 1) if instead_of else text + edit
        assert edited != text
        with changed(formats / name, edited):
            todo = outputs_to_make(project, *TWICE)
        return {name for name in DATASETS if f"data/derived/{name}/ledger.parquet" in todo}

    assert read_again("nuttcp.py") == set()
    assert read_again("nuttcp.py", b"|^nuttcp-[trx]: ", b"|^nuttcp-[tr]: ") == {*DATASETS}
    assert read_again("nuttcp.py", b"def parse(:", b"def parse(") == {*DATASETS}  # cannot be loaded
    assert read_again("iperf2.py") == read_again("iperf2_scan.py") == {"tiny-testbed"}
    assert read_again("ns2_goodput.py") == {"tiny-ns2"}
    assert read_again("__init__.py") == {*DATASETS}


def test_an_edited_module_of_a_paper_makes_its_own_parts_again(project):
    module = project / "reports/tiny-paper/figures.py"
    with changed(module, module.read_bytes() + b"# edited\n"):
        rules = rules_to_run(project, *ALL)
    made = {"figures_tiny-paper", "render_report"}
    assert set(rules) == made


def test_one_job_after_the_other_with_three_threads_gives_the_same_bytes(project, tmp_path_factory):
    """The project was made by two jobs at once, with a thread each: its data sets are small."""
    one = copy_project(tmp_path_factory.mktemp("one") / "evenflow")
    threads = [f"{rule}=3" for rule in THREADED]
    done = snakemake(one, "--set-threads", *threads, "--", *TWICE, cores=3)
    assert done.returncode == 0, done.stdout[-5000:]
    first, second = checksums(project), checksums(one)
    tables = [path.relative_to(one).as_posix() for path in one.glob("data/derived/**/*.parquet")]
    assert {*TWICE, *tables} <= set(second)
    made = [path for path in second if path.startswith("data/derived") or path.endswith(".svg")]
    assert [path for path in made if first[path] != second[path]] == []


# ---- bad input: said with the remedy, and nothing stale is left ---------------------------------

RUN = "comparison/newreno-bic/rtt25_opb60/r1"


def cut_in_a_line(data: bytes) -> bytes:
    lines = gzip.decompress(data).split(b"\n")
    lines[40] = lines[40][:25]
    return gzip.compress(b"\n".join(lines), mtime=0)


def test_after_a_failure_the_file_put_back_gives_the_same_again(project):
    before = checksums(project)
    log = project / f"data/raw/tiny-ns2/{RUN}/goodput.log.gz"
    with changed(log, log.read_bytes()[:500]):
        assert snakemake(project, *DERIVED).returncode != 0
    assert not [path for path in outputs_to_make(project, *ALL) if "tiny-testbed" in path]
    assert snakemake(project, *ALL).returncode == 0
    assert checksums(project) == before
    assert "Nothing to be done" in snakemake(project, *ALL).stdout


BAD_RAW = {
    "truncated gz": (
        f"tiny-ns2/{RUN}/goodput.log.gz",
        lambda data: data[: len(data) // 2],
        "goodput.log.gz: the compressed file is truncated or damaged",
        "copy the file again",
    ),
    "line cut in the middle": (
        f"tiny-testbed/{RUN}/flow1.server.log.gz",
        cut_in_a_line,
        "flow1.server.log.gz:41: not a line that iperf 2 writes",
        "on_error: quarantine",
    ),
    "missing flow 2": (
        f"tiny-testbed/{RUN}/flow2.server.log.gz",
        lambda data: None,
        f"{RUN}: no log of the run holds a sample of flow 2",
        "delete the run so that it is made again",
    ),
    "misspelt key of dataset.yml": (
        "tiny-ns2/dataset.yml",
        lambda data: data.replace(b"licence:", b"lisence:"),
        "dataset.yml:4: unknown key 'lisence'",
        "did you mean 'licence'?",
    ),
}


@pytest.mark.parametrize("case", BAD_RAW)
def test_bad_raw_data_stop_their_data_set_and_leave_nothing_stale(project, case):
    path, damage, problem, remedy = BAD_RAW[case]
    file = project / "data/raw" / path
    before = checksums(project)
    with changed(file, damage(file.read_bytes())):
        done = snakemake(project, *DERIVED)
        last = done.stdout[done.stdout.rindex(" could not be made:") :]  # said again at the end
    assert done.returncode != 0
    for words in (problem, remedy):
        assert words in last
    assert "Traceback" not in done.stdout
    gone = {name for name in before if not (project / name).exists()}
    dataset = path.partition("/")[0]
    assert {name for name in DERIVED if f"/{dataset}/" in name} <= gone
    assert not [name for name in gone if f"/{dataset}/" not in name]
    assert snakemake(project, *DERIVED).returncode == 0
    assert checksums(project) == before


BAD_CONFIG = {
    "misspelt key": (
        "config/config.yaml",
        lambda text: text.replace("floor_segments: 1\n", "floor_segment: 1\n"),
        "unknown key 'floor_segment' in nru",
        "did you mean 'floor_segments'?",
    ),
    "wrong type": (
        "config/config.yaml",
        lambda text: text.replace("stalled_s: 10", "stalled_s: 10 s"),
        "statistics.stalled_s: '10 s' is not of type 'number'",
        "config.schema.json",
    ),
}


@pytest.mark.parametrize("case", BAD_CONFIG)
def test_a_bad_configuration_stops_before_anything_runs(project, case):
    path, damage, problem, remedy = BAD_CONFIG[case]
    file = project / path
    wrong = damage(file.read_text(encoding="utf-8"))
    line = 1 + next(
        i
        for i, (a, b) in enumerate(
            zip(file.read_text().split("\n"), wrong.split("\n"), strict=True)
        )
        if a != b
    )
    before = checksums(project)
    with changed(file, wrong.encode()):
        done = snakemake(project, *ALL)
    assert done.returncode != 0
    assert f"config/config.yaml:{line}: {problem}" in done.stdout
    assert remedy in done.stdout
    assert checksums(project) == before


@pytest.mark.parametrize("of", ["a paper", "a comparison"])
def test_a_data_set_that_is_not_there_is_named(project, of):
    paper, config = project / "reports/tiny-paper/paper.yml", project / "config/config.yaml"
    if of == "a paper":
        file, text = paper, paper.read_bytes().replace(b"tiny-ns2", b"tiny-tesbed")
        page = PAPER_PAGE
    else:
        comparisons = b"comparisons: {a: {of: tiny-tesbed, against: tiny-ns2}}"
        file, text = config, config.read_bytes().replace(b"comparisons: {}", comparisons)
        page = "reports/_site/comparisons/a/index.html"
    with changed(file, text):
        done = snakemake(project, page)
    assert done.returncode != 0
    assert "data/raw/tiny-tesbed: there is no such data set" in done.stdout
    assert "Remedy: correct the name (did you mean 'tiny-testbed'?)" in done.stdout
