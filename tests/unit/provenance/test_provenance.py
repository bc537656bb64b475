"""Where a report's numbers come from: patterns of names, rows of tables, conditions on runs."""

import subprocess
from dataclasses import replace

import polars as pl
import pytest
from evenflow.provenance.appendix import appendix
from evenflow.provenance.origins import CONFIG, Rows, of_data, origin_of, table
from evenflow.provenance.record import (
    BINS,
    Report,
    count_runs,
    number_record,
    piece_record,
    run_records,
    run_series,
)
from evenflow.render.evidence import anchor
from evenflow.revision import describe_revision, revision_note

# patterns of a paper on a grid
GRID = {
    "settings.example.*": [table("paper.yml")],
    "settings.*": [table(CONFIG)],
    "observed.{part}.*": of_data("run"),
    "summary.{part}.{role}.{metric}.{ccas}.{column}": [
        table("summary", "part", "role", "metric", "ccas")
    ],
    "difference.{part}.*": [
        Rows("difference", ("part",), beside=("simulation",), runs={"role": "comparison"})
    ],
    "why.change.{what}.*": [table("change", "what")],
    "why.*": [table("distance")],
}
OF_PART = {"testbed": "lab", "simulation": "sim"}
SUMMARY = pl.DataFrame(
    {
        "part": ["testbed", "simulation"],
        "role": "comparison",
        "metric": "jfi",
        "ccas": "newreno-bic",
        "mean": [0.8123456789, None],
        "n_cells": [4, 0],
    }
)
MADE = {
    "report/_variables.yml": {"rule": "write", "inputs": ["paper/summary.parquet"], "code": []},
    "paper/summary.parquet": {"rule": "sum", "inputs": ["lab/run.parquet", "sim/run.parquet"]},
    "report/figures/jfi_testbed.svg": {"rule": "draw", "inputs": ["paper/summary.parquet"]},
    "report/figures/curve.svg": {"rule": "curve", "inputs": []},
}


@pytest.fixture
def report() -> Report:
    return Report(
        "a-paper",
        OF_PART,
        MADE,
        lambda name, dataset: f"{dataset or 'paper'}/{name}.parquet",
        {"lab/run.parquet": "lab", "sim/run.parquet": "sim"},
        {"paper/summary.parquet": SUMMARY, "lab/run.parquet": SUMMARY[:0]}.__getitem__,
        {},
        GRID,
    )


def test_a_number_leads_to_its_row_and_runs(report):
    name = "summary.testbed.comparison.jfi.newreno_bic.mean"
    found = number_record(name, "0.81", report, "report/_variables.yml")
    assert found["text"] == "0.81"
    (source,) = found["from"]
    assert source["table"] == "paper/summary.parquet" and source["rows"] == 1
    assert source["where"]["ccas"] == "newreno-bic"
    assert source["row"]["mean"] == 0.812346  # six significant digits
    assert found["runs"] == [{"dataset": ["lab"], "role": "comparison", "ccas": "newreno-bic"}]


def test_a_number_of_nru_has_the_runs_of_its_weights_too(report):
    name = "summary.testbed.comparison.flow_nru_db_flow2.newreno_bic.mean"
    runs = number_record(name, "1.00", report, "report/_variables.yml")["runs"]
    assert runs[1] == {
        "dataset": ["lab"],
        "role": "calibration",
        "ccas": ["bic-bic", "newreno-newreno"],
    }


def test_a_number_that_no_pattern_fits_comes_from_all_that_its_rule_read(report):
    found = number_record("what.is.this", "3", report, "report/_variables.yml")
    assert found["from"] == [{"table": "paper/summary.parquet"}]
    assert found["runs"] == [{"dataset": ["lab", "sim"]}] and "pattern" not in found


def test_a_number_of_a_part_is_of_its_data_set(report):
    found = number_record("observed.testbed.n_drops", "3", report, "report/_variables.yml")
    assert [source["table"] for source in found["from"]] == ["lab/run.parquet"]
    assert found["runs"] == [{"dataset": ["lab"]}]


@pytest.mark.parametrize(
    ("variable", "pattern"),
    [
        ("settings.warmup_s", "settings.*"),
        ("settings.example.rtt_ms", "settings.example.*"),
        ("difference.testbed.all.n_cells", "difference.{part}.*"),
        ("why.change.today.n_cells", "why.change.{what}.*"),
        ("why.model.right.jfi.distance", "why.*"),
        ("summary.testbed.comparison", None),
    ],
)
def test_patterns_are_tried_in_order_and_match_whole_names(variable, pattern):
    origin = origin_of(variable, GRID)
    assert (origin and origin.pattern) == pattern


def test_a_number_of_a_difference_has_the_runs_of_both_sides(report):
    difference = pl.DataFrame({"part": ["testbed"], "d": [0.1]})
    both = replace(
        report,
        made={"paper/difference.parquet": {"inputs": ["lab/run.parquet", "sim/run.parquet"]}},
        read={"paper/difference.parquet": difference}.__getitem__,
    )
    found = number_record("difference.testbed.mean_d", "0.1", both, "report/_variables.yml")
    assert found["runs"] == [{"dataset": ["lab", "sim"], "role": "comparison"}]


def test_a_figure_that_says_of_what_it_is_has_these_runs_alone(report):
    path = "report/figures/jfi_testbed.svg"
    assert piece_record(path, report)["runs"] == [{"dataset": ["lab", "sim"]}]
    found = piece_record(path, report, ["lab"])
    assert found["runs"] == [{"dataset": ["lab"]}]


def test_a_figure_of_formulas_has_no_runs(report):
    assert piece_record("report/figures/curve.svg", report)["runs"] == []


RUNS = pl.DataFrame(
    {
        "run_id": ["a/r2", "a/r1"],
        "role": ["comparison", "calibration"],
        "ccas": ["newreno-bic", "bic-bic"],
        "base_rtt_s": [0.1, 0.1],
    }
)
FILES = pl.DataFrame(
    [
        ("a/r1", "a/r1/flow1.log", "12ab", 4, 9, 6),
        ("a/r1", "shared.log", "34cd", None, None, 0),
    ],
    schema=["run_id", "path", "sha256", "first_line", "last_line", "n_used"],
    orient="row",
)


def test_runs_name_their_files_once_below_their_folder():
    first, second = run_records(RUNS, FILES)
    assert first["id"] == "a/r1" and first["base_rtt_s"] == 0.1
    assert first["files"] == [
        ["./flow1.log", "12ab", 4, 9, 6],
        ["shared.log", "34cd", None, None, 0],
    ]
    assert second["files"] == []


def test_series_are_means_of_each_part_of_the_run():
    """Flow 1 has 20 Mb/s in the first half and 40 in the second; flow 2 the second half alone."""
    seconds = [float(t) for t in range(60)]
    samples = pl.concat(
        pl.DataFrame(
            {
                "run_id": "r",
                "flow_id": flow,
                "t_start_s": seconds[start:],
                "throughput_bps": [2e7 if t < 30 else 4e7 for t in seconds[start:]],
            }
        )
        for flow, start in ((2, 30), (1, 0))
    )
    one, two = run_series(samples)["r"]
    assert len(one) == len(two) == BINS
    assert one[: BINS // 2] == [200] * (BINS // 2) and one[BINS // 2 + 1 :] == [400] * 14
    assert two[: BINS // 2] == [None] * (BINS // 2) and two[-1] == 400
    assert run_records(RUNS, FILES, {"a/r1": [one, two]})[0]["series"] == [one, two]


def test_conditions_count_runs_any_of_them_selects():
    runs = {"lab": run_records(RUNS, FILES), "sim": run_records(RUNS, FILES)}
    assert count_runs([{"dataset": ["lab"]}], runs) == 2
    assert (
        count_runs([{"dataset": ["lab"], "role": "comparison"}, {"ccas": ["bic-bic"]}], runs) == 3
    )
    assert count_runs([], runs) == 0


def test_the_appendix_has_an_anchor_for_every_part_and_kind_of_number(report):
    name = "summary.testbed.comparison.jfi.newreno_bic.mean"
    number = number_record(name, "0.81", report, "report/_variables.yml")
    record = {
        "pieces": {"fig-jfi": piece_record("report/figures/jfi_testbed.svg", report)},
        "numbers": {name: number},
        "made": MADE,
        "rules": {"draw": {"file": "rules/figures.smk"}},
        "runs": {"lab": run_records(RUNS, FILES)},
        "data": {"lab": {"runs": 2, "files": 2, "lines": 6, "sha256": "f" * 64}},
    }
    text = appendix(record)
    assert "{#from-fig-jfi}" in text and f"{{#{anchor(number['pattern'])}}}" in text
    assert (
        "`draw` in `figures.smk`" in text and "| `lab` | 2 | 2 | 6 | `ffffffffffffffff` |" in text
    )


def git(folder, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def test_the_revision_says_the_commit_and_what_is_not_in_it(tmp_path):
    git(tmp_path, "init")
    (tmp_path / "a").write_text("1")
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-m", "a")
    clean = describe_revision(tmp_path)
    assert clean["clean"] and len(clean["commit"]) == 12
    assert revision_note(clean) == f"Rendered from commit {clean['commit']}"
    (tmp_path / "a").write_text("2")
    (tmp_path / "sub").mkdir()
    changed = describe_revision(tmp_path)
    assert not changed["clean"] and changed["changed"] == ["a"]
    assert revision_note(changed).endswith("with changes that are not committed")
    # a folder inside somebody else's repository is not described by its commit
    assert describe_revision(tmp_path / "sub") is None
    assert revision_note(None) == "Rendered from files that are in no git repository"
