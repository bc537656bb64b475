"""A paper on one's own data: another data set in the testbed's role, by one command.

The data set is made of logs of the tiny testbed, as a stranger would hand them in: no run records,
no licence, one buffer, a variant that the papers do not have, cells without repeats or calibration.
"""

import re
import shutil
from pathlib import Path

import polars as pl
import pytest
from test_workflow import TINY, copy_project, snakemake

DATASET = """
title: 'My data: 50 % of *it*'
platform: testbed
source: measured by a stranger | at home
defaults: {bottleneck_mbps: 100, duration_s: 60, mss_bytes: 1448, buffer_pct: 60}
flows: {1: {start_s: 0}, 2: {start_s: 10}}
files:
  - path: "{role}/{cca1}-{cca2}/{rtt_ms}ms/r{repeat}/flow{flow}.log.gz"
"""
# where the logs are taken from: folder of tiny-testbed -> folder of the data set
RUNS = {
    "calibration/newreno-newreno/rtt25_opb60/r1": "calibration/newreno-newreno/25ms/r1",
    "calibration/newreno-newreno/rtt25_opb60/r2": "calibration/newreno-newreno/25ms/r2",
    "calibration/bic-bic/rtt25_opb60/r1": "calibration/bic-bic/25ms/r1",
    "comparison/newreno-bic/rtt25_opb60/r1": "comparison/newreno-bic/25ms/r1",
    "comparison/newreno-bic/rtt25_opb60/r2": "comparison/newreno-bic/25ms/r2",
    # no calibration at this RTT: a cell without NRU
    "comparison/newreno-bic/rtt100_opb60/r1": "comparison/newreno-bic/100ms/r1",
    # never measured against itself: a pairing without NRU
    "calibration/bic-bic/rtt25_opb60/r2": "comparison/newreno-bbr/25ms/r1",
}
PAPERS = ("on-path-buffering", "ns2-vs-testbed")


def make_dataset(folder: Path, runs: dict[str, str]) -> None:
    for source, target in runs.items():
        (folder / target).mkdir(parents=True)
        for flow in (1, 2):
            log = TINY / "tiny-testbed" / source / f"flow{flow}.server.log.gz"
            shutil.copy(log, folder / target / f"flow{flow}.log.gz")
    (folder / "dataset.yml").write_text(DATASET, encoding="utf-8")


def rerun(project: Path, testbed: str, *papers: str):
    """Make papers with a data set in the testbed's role; return the finished process."""
    targets = [f"reports/_site/{paper}/index.html" for paper in papers]
    return snakemake(project, *targets, "--config", f"testbed={testbed}", "simulation=tiny-ns2")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project in which both papers were made with the data set my-data."""
    folder = copy_project(tmp_path_factory.mktemp("rerun") / "evenflow")
    make_dataset(folder / "data/raw/my-data", RUNS)
    done = rerun(folder, "my-data", *PAPERS)
    assert done.returncode == 0, done.stdout[-5000:]
    return folder


def text_of(project: Path, paper: str) -> str:
    html = (project / f"reports/_site/{paper}/index.html").read_text(encoding="utf-8")
    body = re.sub(r"<(style|svg|script).*?</\1>|<[^>]+>", " ", html, flags=re.DOTALL)
    return " ".join(body.split())


def table(project: Path, paper: str, name: str) -> dict[str, list[str]]:
    """Return a table of a report: its rows by their first cell."""
    text = (
        (project / f"reports/{paper}/tables/{name}.md")
        .read_text(encoding="utf-8")
        .replace("\u00a0", " ")
    )
    rows = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in text.splitlines()]
    return {first: others for first, *others in rows}


def test_the_titles_say_that_the_papers_were_re_run_and_on_what(project):
    assert "— re-run on data set “My data: 50 % of *it*”" in text_of(project, PAPERS[0])
    title = "re-run on data sets “My data: 50 % of *it*” (testbed) and “Two short flows"
    assert title in text_of(project, PAPERS[1])


@pytest.mark.parametrize("paper", PAPERS)
def test_nothing_is_said_of_a_testbed_that_was_not_used(project, paper):
    text = text_of(project, paper)
    for words in ("virtual time", "self-check", "netem-limit", "socket buffers", "reordered"):
        assert words not in text, words
    assert not (project / f"reports/{paper}/tables/selfcheck.md").read_text().strip()
    assert not list((project / f"reports/{paper}/figures").glob("*_testbed_alternative.svg"))


def test_the_deviations_are_those_of_the_data_set(project):
    rows = table(project, "on-path-buffering", "deviations")
    assert rows[""] == ["The authors", "`my-data`"]
    ours = {name: cells[1] for name, cells in rows.items()}
    wanted = {
        "Hosts": "testbed, iperf",
        "Bottleneck": "100 Mb/s",
        "RTT": "25, 100 ms",
        "OPB": "60 % of the BDP",
        "Self-fairness": "NewReno – NewReno, BIC – BIC",
        "Comparison": "NewReno against BIC, BBR",
        "Cells compared": "1 to 2 of 2 a pairing",
        "Repeats": "1 to 2",
        "Runs": "7",
        "Length of a run": "60 s",
        "Steady state from": "20 s",
        "Start of flow 2": "10.00 s",
        "Licence": "not said",
    }
    assert {name: ours[name] for name in wanted} == wanted
    assert "Source: measured by a stranger | at home." in text_of(project, "on-path-buffering")


def test_what_the_data_lack_is_a_dash_and_no_number(project):
    printed = table(project, "on-path-buffering", "published")
    assert printed["Fig. 4(b), NewReno – BIC, dB"][1].endswith(" (1)")
    for panel in ("Fig. 3(c), CUBIC – CUBIC, Mb/s", "Fig. 4(a), NewReno – NewReno, dB"):
        assert printed[panel][1] == "–"
    claims = table(project, "on-path-buffering", "claims")
    larger = claims["Fairness improves as the buffer increases (section 5)"]
    assert larger[1] == "not testable here: too few cells"  # it has one buffer
    surface = pl.read_parquet(project / "data/derived/papers/on-path-buffering/surface.parquet")
    nru = surface.filter(pl.col("metric") == "system_nru_db")
    assert nru.select("ccas", "base_rtt_s", "n").rows() == [("newreno-bic", 0.025, 2)]
    assert "BBR" in (project / "reports/on-path-buffering/figures/flow-nru_testbed.svg").read_text()


def test_a_cell_of_one_run_has_a_difference_but_no_test(project):
    path = "data/derived/papers/ns2-vs-testbed/difference_testbed.parquet"
    rows = pl.read_parquet(project / path).select("base_rtt_s", "testbed_n", "w", "verdict")
    first, second = rows.sort("base_rtt_s").rows()
    assert first[:2] == (0.025, 2) and first[2] is not None and first[3] != "one run"
    assert second == (0.1, 1, None, "one run")


def test_the_run_without_the_option_is_the_configured_one_again(project):
    done = snakemake(project, "--dry-run", "reports/_site/on-path-buffering/index.html")
    assert done.returncode == 0, done.stdout
    assert "throughput_testbed_alternative.svg" in done.stdout


REFUSED = {
    "no calibration": (
        {k: v for k, v in RUNS.items() if v.startswith("comparison")},
        "on-path-buffering",
        "it has no calibration run",
        "{role} in the path",
    ),
    "no NewReno": (
        {k: v.replace("newreno-", "cubic-") for k, v in RUNS.items() if "bbr" in v or "bic-" in v},
        "ns2-vs-testbed",
        "flow 1 is NewReno in none of its pairings",
        "write newreno",
    ),
    "other grid": (
        {k: v.replace("25ms", "33ms").replace("100ms", "77ms") for k, v in RUNS.items()},
        "ns2-vs-testbed",
        "tiny-ns2 and odd have no cell in common",
        "give it two data sets that share some",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_data_set_that_cannot_play_is_named_with_the_remedy(project, case):
    runs, paper, problem, remedy = REFUSED[case]
    folder = project / "data/raw/odd"
    make_dataset(folder, runs)
    try:
        done = rerun(project, "odd", paper)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(project / "data/derived/odd")
    assert done.returncode != 0
    last = done.stdout[done.stdout.rindex(" could not be made:") :]  # said again at the end
    assert problem in last
    assert remedy in last
    assert "Traceback" not in done.stdout
