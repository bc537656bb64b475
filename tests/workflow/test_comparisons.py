"""Two data sets beside each other by two lines of configuration, a stranger's among them.

The stranger's are made of logs of the tiny testbed, as they would be handed in: no run records, no
licence, one buffer, a variant of which there is no calibration, cells without repeats.
"""

import html
import re
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml
from test_workflow import CONFIG, TINY, changed, copy_project, snakemake

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
    "comparison/newreno-bic/rtt25_opb60/r1": "comparison/newreno-bic/25ms/r1",
    "comparison/newreno-bic/rtt25_opb60/r2": "comparison/newreno-bic/25ms/r2",
    "comparison/newreno-bic/rtt100_opb60/r1": "comparison/newreno-bic/100ms/r1",
    "calibration/bic-bic/rtt25_opb60/r2": "comparison/newreno-bbr/25ms/r1",
}
ELSEWHERE = {k: v.replace("25ms", "33ms").replace("100ms", "77ms") for k, v in RUNS.items()}
# two places that the grid does not know: the first run of each, one scenario each
CROWDED = {
    f"comparison/newreno-bic/rtt25_opb60/r{i}": f"comparison/newreno-bic/25ms/{place}/r1"
    for i, place in ((1, "attic"), (2, "cellar"))
}
COMPARISONS = {
    "mine": {"of": "tiny-ns2", "against": "my-data"},
    "elsewhere": {"of": "elsewhere", "against": "tiny-testbed"},
    "crowded": {"of": "crowded", "against": "tiny-testbed"},
    "nothing": {"of": "tiny-ns2", "against": "no-log"},
}


def make_dataset(folder: Path, runs: dict[str, str], dataset: str = DATASET) -> None:
    for source, target in runs.items():
        (folder / target).mkdir(parents=True)
        for flow in (1, 2):
            log = TINY / "tiny-testbed" / source / f"flow{flow}.server.log.gz"
            shutil.copy(log, folder / target / f"flow{flow}.log.gz")
    (folder / "dataset.yml").write_text(dataset, encoding="utf-8")


def page(name: str) -> str:
    return f"reports/_site/comparisons/{name}/index.html"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with four comparisons, made as `make` makes them."""
    folder = copy_project(tmp_path_factory.mktemp("comparisons") / "evenflow")
    shutil.rmtree(folder / "reports/tiny-paper")
    raw = folder / "data/raw"
    make_dataset(raw / "my-data", RUNS)
    make_dataset(raw / "elsewhere", ELSEWHERE)
    placed = DATASET.replace("{rtt_ms}ms/r{repeat}", "{rtt_ms}ms/{place}/r{repeat}")
    make_dataset(raw / "crowded", CROWDED, placed)
    (raw / "no-log").mkdir()
    (raw / "no-log/notes.txt").write_text("We measured on Tuesday.\n")
    config = yaml.safe_load((folder / "config/config.yaml").read_text(encoding="utf-8"))
    config |= yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["comparisons"] = COMPARISONS
    del config["datasets"]
    (folder / "config/own.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return folder, make(folder)


def make(project: Path, *words: str):
    """Make everything by the configuration with the comparisons."""
    return snakemake(project, *words, config=project / "config/own.yaml")


def text_of(project: Path, name: str) -> str:
    text = (project / page(name)).read_text(encoding="utf-8")
    text = re.sub(r"<(style|svg|script).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
    return " ".join(html.unescape(text).split())


def table(project: Path, name: str, of: str) -> pl.DataFrame:
    return pl.read_parquet(project / f"data/derived/comparisons/{name}/{of}.parquet")


def test_every_comparison_has_its_page_and_the_index_leads_to_it(project):
    project, done = project
    assert done.returncode == 0, done.stdout[-3000:]
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    links = set(re.findall(r'href="(comparisons/[^"]+)"', index))
    assert links == {f"comparisons/{name}/index.html" for name in COMPARISONS}


def test_a_cell_of_one_run_has_a_difference_but_no_test(project):
    rows = table(project[0], "mine", "difference")
    first, second = rows.select("base_rtt_s", "testbed_n", "w", "verdict").sort("base_rtt_s").rows()
    assert first[:2] == (0.025, 2) and first[2] is not None and first[3] != "one run"
    assert second == (0.1, 1, None, "one run")
    assert rows["ccas"].unique().to_list() == ["newreno-bic"]
    text = text_of(project[0], "mine")
    assert "against My data: 50 % of *it*" in text
    # cells of S, of T, in both, compared
    assert "NewReno – BIC 4 2 2 2" in text and "NewReno – BBR 0 1 0 0" in text


def test_data_sets_without_a_common_cell_have_a_page_that_says_so(project):
    project, _ = project
    for name in ("elsewhere", "nothing"):
        assert table(project, name, "difference").is_empty()
        assert table(project, name, "verdict_sensitivity").is_empty()
        text = text_of(project, name)
        assert "There is no cell to compare." in text and "buffer_packets" in text
        assert "Verdicts" not in text
    assert "33, 77 25, 100" in text_of(project, "elsewhere")  # RTTs of S and T


def test_cells_of_several_scenarios_are_named_and_not_compared(project):
    project, _ = project
    assert table(project, "crowded", "difference").is_empty()
    match = table(project, "crowded", "cell_match").filter(base_rtt_s=0.025)
    assert match.select("of_n", "of_scenarios", "against_n", "compared").rows() == [
        (2, 2, 2, False)
    ]
    said = (
        "1 cell of crowded holds several scenarios, NewReno – BIC at 25 ms and 60 % of the BDP 2."
    )
    assert said in text_of(project, "crowded")


def test_a_comparison_with_a_data_set_that_broke_says_what_broke(project):
    project, _ = project
    log = min((project / "data/raw/my-data").rglob("flow1.log.gz"))
    with changed(log, log.read_bytes()[:500]):
        done = make(project)
    assert done.returncode != 0
    assert log.name in text_of(project, "mine")
    assert "There is no cell to compare." in text_of(project, "elsewhere")  # as it was
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    assert re.search(r'comparisons/mine/index.html".*?It could not be made', index, re.DOTALL)
    assert make(project).returncode == 0
    assert "Difference surfaces" in text_of(project, "mine")


def test_a_comparison_that_is_gone_leaves_nothing_behind(project):
    project, _ = project
    config = project / "config/own.yaml"
    fewer = yaml.safe_load(config.read_text(encoding="utf-8"))
    del fewer["comparisons"]["crowded"]
    with changed(config, yaml.safe_dump(fewer).encode()):
        done = make(project)
    assert done.returncode == 0
    assert "there is no comparison crowded: " in done.stdout
    for path in ("data/derived/comparisons/crowded", "reports/_site/comparisons/crowded"):
        assert not (project / path).exists()
    assert (project / page("mine")).is_file()
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    assert "comparisons/crowded" not in index
