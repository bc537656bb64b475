"""Manifests, tolerances and the comparison of texts, tables and pages."""

import base64
import subprocess
from pathlib import Path

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.verify.agreement import Tolerance, agree, compare_texts, differences, tolerance_of
from evenflow.verify.expected import cell_summary, compare_expected, printed_rows
from evenflow.verify.manifest import (
    check_files,
    hash_files,
    list_files,
    read_manifest,
    write_manifest,
)
from evenflow.verify.steps import compare_made, read_tolerances
from evenflow.verify.terminal import raw_table
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[3]
ROUNDED = Tolerance("*", "numbers are rounded", last_digits=1)
EXACT = Tolerance("*", "nothing may differ")


# ---- manifests ----------------------------------------------------------------------------------


@pytest.fixture
def raw(tmp_path):
    for name in ("a.log", "b c.log", "sub/ü.log"):
        path = tmp_path / "raw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    (tmp_path / "raw/.partial.log").write_text("hidden")
    return tmp_path


def test_a_manifest_is_what_sha256sum_checks(raw):
    (raw / "raw/odd\\name\n.log").write_text("odd")
    there = list_files(raw, "raw")
    write_manifest(raw / "m.sha256", hash_files(raw, there))
    assert read_manifest(raw / "m.sha256") == hash_files(raw, there)
    done = subprocess.run(["sha256sum", "--check", "--quiet", "m.sha256"], cwd=raw)
    assert done.returncode == 0
    assert len(there) == 4  # hidden files are left out


def test_a_manifest_of_no_file_is_read_as_it_was_written(tmp_path):
    write_manifest(tmp_path / "m.sha256", {})
    assert read_manifest(tmp_path / "m.sha256") == {}


def test_altered_missing_and_new_files_are_told_apart(raw):
    listed = hash_files(raw, list_files(raw, "raw"))
    (raw / "raw/a.log").write_text("b.log")
    (raw / "raw/b c.log").unlink()
    (raw / "raw/new.log").write_text("")
    check = check_files(raw, listed, list_files(raw, "raw"))
    assert (check.altered, check.missing, check.new) == (
        ["raw/a.log"],
        ["raw/b c.log"],
        ["raw/new.log"],
    )
    assert not check.holds
    said = raw_table({"raw": check})
    assert "ALTERED: raw/a.log" in said and "MISSING: raw/b c.log" in said


def test_new_files_alone_are_no_fault(raw):
    listed = hash_files(raw, ["raw/a.log"])
    check = check_files(raw, listed, list_files(raw, "raw"))
    assert check.holds
    assert raw_table({"raw": check}).splitlines()[2].split()[-2:] == ["as", "listed"]
    unlisted = check_files(raw, {}, list_files(raw, "raw"))
    assert raw_table({"raw": unlisted}).splitlines()[2].endswith(" new")


def test_a_damaged_manifest_is_named_with_its_line(raw):
    (raw / "m.sha256").write_text(f"{'0' * 64}  a\n{'0' * 63}  b\n")
    with pytest.raises(DataError, match=r"m.sha256:2: not a line .*Remedy"):
        read_manifest(raw / "m.sha256")


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("0.30 Mb/s", "0.29 Mb/s", True),  # one unit of the last digit
        ("0.30 Mb/s", "0.28 Mb/s", False),
        ("0.3", "0.29", True),  # the coarser of the two counts
        ("−3.14 dB", "−3.13 dB", True),  # a printed minus
        ("−3.14 dB", "3.14 dB", False),
        ("1.2e-05", "1.3e-05", True),
        ("1.2e-05", "1.4e-05", False),
        ("12 to 13", "12 to 13 (2)", False),
        ("12 runs", "12 flows", False),
        ("rtt25_opb60", "rtt26_opb60", False),  # a number within a name is part of the name
        ("reproduced", "not reproduced", False),
    ],
)
def test_rounded_numbers_agree_within_a_unit_of_the_last_digit(one, other, same):
    assert agree(one, other, ROUNDED) is same
    assert agree(one, other, EXACT) is False


@given(st.floats(-1e9, 1e9), st.floats(-1e-10, 1e-10))
def test_a_relative_tolerance_allows_what_it_says(value, change):
    near = Tolerance("*", "rounding of doubles", relative=1e-9)
    assert near.allows(value, value * (1 + change))
    if abs(value) > 1:
        assert not near.allows(value, value * (1 + 1e-6))


def test_the_first_matching_tolerance_counts_and_nothing_matches_means_exact():
    tolerances = [Tolerance("*/x.md", "first", absolute=1), Tolerance("*.md", "second")]
    assert tolerance_of("a/x.md", tolerances).reason == "first"
    assert tolerance_of("a/y.md", tolerances).reason == "second"
    assert tolerance_of("a/y.png", tolerances).absolute == 0


# ---- files --------------------------------------------------------------------------------------


def parquet(folder: Path, **columns) -> bytes:
    pl.DataFrame(columns).write_parquet(folder / "t.parquet")
    return (folder / "t.parquet").read_bytes()


def test_tables_are_compared_value_by_value(tmp_path):
    near = Tolerance("*", "rounding of doubles", relative=1e-9)
    first = parquet(tmp_path, run_id=["a", "b"], jfi=[0.5, None], n=[1, 2])
    other = parquet(tmp_path, run_id=["a", "b"], jfi=[0.5 + 1e-12, None], n=[1, 2])
    assert first != other and differences("t.parquet", first, other, near) == []
    other = parquet(tmp_path, run_id=["a", "b"], jfi=[0.5, 0.6], n=[1, 3])
    found = differences("t.parquet", first, other, near)
    assert [(d.where, d.expected, d.got) for d in found] == [
        ("jfi, row 2", "None", "0.6"),
        ("n, row 2", "2", "3"),
    ]
    shorter = parquet(tmp_path, run_id=["a"], jfi=[0.5], n=[1])
    assert differences("t.parquet", first, shorter, near)[0].where == "rows"


def page(text: str, figure: str, style: str = "") -> bytes:
    svg = base64.b64encode(f'<svg><path d="{figure}"/></svg>'.encode()).decode()
    image = f'<img src="data:image/svg+xml;base64,{svg}">'
    return f"<head><style>{style}</style></head><p>{text}</p>{image}".encode()


def test_pages_are_compared_by_what_a_reader_sees():
    first = page("Jain's index is 0.91", "M1 2")
    assert differences("i.html", first, page("Jain's index is 0.91", "M1 2", "p {}"), EXACT) == []
    found = differences("i.html", first, page("Jain's index is 0.92", "M1 2"), EXACT)
    assert [d.got for d in found] == ["Jain's index is 0.92"]
    found = differences("i.html", first, page("Jain's index is 0.91", "M1 3"), EXACT)
    assert [d.where for d in found] == ["figure 1 of the page"]


def test_other_files_are_compared_by_their_bytes():
    assert differences("p.pdf", b"\xff1", b"\xff2", ROUNDED)


def test_what_depends_on_raw_files_that_are_not_listed_is_not_compared(tmp_path):
    here, anew = tmp_path / "here", tmp_path / "anew"
    for folder in (here, anew):
        for dataset in ("old", "grown"):
            (folder / "derived" / dataset).mkdir(parents=True)
            (folder / "derived" / dataset / "x.csv").write_text(folder.name)
    said = []
    layout = {"compared": ["derived"], "uncompared": []}
    made_of = {"derived/old/": ["old"], "derived/grown/": ["grown"]}
    new = ["raw/grown/r9/flow1.log"]
    rows = compare_made(here, anew, layout, made_of, new, [], said.append)
    assert [line for line in said if line.startswith("DIFFERS")] == [
        "DIFFERS: derived/old/x.csv, line 1: here 'here', made again 'anew'"
    ]
    assert said[-1] == "1 files not compared, as raw files of their data sets are not listed"
    assert rows[0]["compared"] == rows[0]["differ"] == 1


# ---- expected values ----------------------------------------------------------------------------

TABLE = "| Panel | Printed | `ours` | n |\n| --- | --: | --: | --: |\n| Fig. 1 | 0.4 | {} | 5 |\n"


def test_printed_expected_and_new_values_stand_side_by_side():
    rows = printed_rows(TABLE.format("0.91"), TABLE.format("0.95"), ROUNDED)
    assert rows == [
        {
            "item": "Fig. 1 (ours)",
            "printed": "0.4",
            "expected": "0.91",
            "got": "0.95",
            "result": "DIFFERS",
        }
    ]


def test_values_that_came_or_went_differ():
    found = compare_expected({"a.md": "x", "b.md": "1"}, {"b.md": "1", "c.md": "x"}, [])
    assert {name: [d.got for d in of] for name, of in found.items()} == {
        "a.md": ["not made any more"],
        "b.md": [],
        "c.md": ["made"],
    }


def test_the_rule_of_a_table_is_no_value():
    """It is as long as the cells of its column, which may be 9.9 or 10.1 within a tolerance."""
    wider = TABLE.replace("| --- | --: |", "| ------- | ------: |")
    assert wider != TABLE
    assert compare_texts(TABLE, wider, ROUNDED) == []


def test_a_change_of_any_cell_moves_the_summary():
    cell = pl.DataFrame(
        {
            "scenario_id": ["a", "b", "c"],
            "metric": ["jfi"] * 3,
            "mean": [0.5, 0.7, 0.9],
            "sd": [0.1, None, 0.1],
            "n": [2, 1, 2],
        }
    )
    first = cell_summary(cell)
    assert first.rows() == [("jfi", 3, 5, 0.5, pytest.approx(0.7), 0.9, pytest.approx(0.1))]
    for row in range(3):
        moved = cell.with_row_index().with_columns(
            mean=pl.col("mean") + pl.when(pl.col("index") == row).then(0.001).otherwise(0)
        )
        assert not cell_summary(moved).equals(first)


def test_every_tolerance_has_a_reason(tmp_path):
    assert all(len(t.reason) > 20 for t in read_tolerances(ROOT / "config/verify.yaml"))
    bad = tmp_path / "verify.yaml"
    bad.write_text(
        "tolerances:\n  - files: '*.md'\n    last_digit: 1\n    reason: rounded numbers\n"
    )
    with pytest.raises(DataError, match=r"verify.yaml:3: unknown key 'last_digit'"):
        read_tolerances(bad)
