"""Where a report's figures come from: files and runs; the appendix."""

import subprocess

import polars as pl
import pytest
from evenflow.provenance.appendix import appendix
from evenflow.provenance.record import (
    BINS,
    Report,
    piece_record,
    run_records,
    run_series,
)
from evenflow.render.evidence import anchor
from evenflow.render.pandoc import elements, parse_markdown, text_of
from evenflow.revision import describe_revision, revision_note

MADE = {
    "report/_variables.yml": {"rule": "write", "inputs": ["paper/summary.parquet"], "code": []},
    "paper/summary.parquet": {"rule": "sum", "inputs": ["lab/run.parquet", "sim/run.parquet"]},
    "report/figures/jfi_testbed.svg": {"rule": "draw", "inputs": ["paper/summary.parquet"]},
    "report/figures/curve.svg": {"rule": "curve", "inputs": []},
}


@pytest.fixture
def report() -> Report:
    return Report(MADE, {"lab/run.parquet": "lab", "sim/run.parquet": "sim"})


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


def test_the_appendix_has_an_anchor_for_every_part_and_number_of_the_abstract(report):
    name = "mean.jfi"
    number = {"text": "0.81", "sentence": "Mean of |D|: from one row."}
    record = {
        "paper": "mine",
        "pieces": {
            "fig-jfi": piece_record("report/figures/jfi_testbed.svg", report),
            "fig-curve": piece_record("report/figures/curve.svg", report),
        },
        "functions": {"report/figures/jfi_testbed.svg": ["reports/mine/figures.py", "jfi", 12]},
        "numbers": {name: number, "other": number | {"text": "7.77"}},
        "printed": [name],
        "made": MADE,
        "runs": {"lab": run_records(RUNS, FILES)},
        "data": {"lab": {"runs": 2, "files": 2, "lines": 6, "sha256": "f" * 64}},
    }
    text = appendix(record)
    assert "{#from-fig-jfi}" in text and f"[0.81]{{#{anchor(name)}}}" in text
    assert r"Mean of \|D\|: from one row." in text and "7.77" not in text
    assert "| `lab` | 2 | 2 | 6 | `ffffffffffffffff` |" in text
    # what it is made from in words, a table that no words are known of by its name
    assert "{#from-fig-jfi} | `summary` | `jfi` in `figures.py` | 2 |" in text
    assert "{#from-fig-curve} | formulas | – | – |" in text
    known = record | {"made": MADE | {"report/figures/jfi_testbed.svg": {"inputs": ["claim"]}}}
    assert "{#from-fig-jfi} | claims | `jfi` in `figures.py` | 2 |" in appendix(known)


ODD = "r @z _y_ *k* $a$ ~c~ ^d^ [b] #e a--b `x` |"


def test_the_appendix_prints_the_names_of_data_sets_and_runs_as_they_are():
    """`@z` after a space would be a citation, of which rendering says that it is not found."""
    number = {"text": "1", "sentence": f"Runs: from one row (run {ODD}), computed from Jain's."}
    known = {"runs": 2, "files": 2, "lines": 6, "sha256": "f" * 64}
    record = {"paper": "mine", "pieces": {}, "numbers": {"a": number}, "printed": ["a"]}
    blocks = parse_markdown(appendix(record | {"data": {ODD: known}}))["blocks"]
    assert not [*elements(blocks, "Cite", "Math", "Emph", "Superscript", "Subscript")]
    said = text_of(blocks).replace("\u00a0", " ")
    assert f"(run {ODD}), computed from Jain’s" in said and said.count(ODD) == 2


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
    # what lies elsewhere is no change of the code
    assert describe_revision(tmp_path, ["sub"])["clean"]
    (tmp_path / "sub/b").write_text("1")
    assert describe_revision(tmp_path, ["sub"])["changed"] == ["sub/"]
    # a folder inside somebody else's repository is not described by its commit
    assert describe_revision(tmp_path / "sub") is None
    assert revision_note(None) == "Rendered from files outside any git repository"
