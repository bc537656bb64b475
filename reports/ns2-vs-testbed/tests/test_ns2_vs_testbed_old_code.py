"""BIC and CUBIC of Linux 2.6.22 beside those of today and ns-2, against numbers that are known."""

from itertools import product
from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.make import load

from ..._grid.surfaces import RTT

FOLDER = Path(__file__).parents[1]
old_code = load(FOLDER / "old_code.py")
GRID = {"rtt_ms": [100, 400], "buffer_pct": [20]}
# Mb/s that NewReno gets
GETS = {
    ("simulation", "bic"): 10,
    ("simulation", "cubic"): 10,
    ("open", "bic"): 20,
    ("open", "cubic"): 30,
    ("old", "bic2622"): 10,
    ("old", "cubic2622"): 15,
    ("delayed", "bic"): 9,
    ("delayed", "cubic"): 12,
}


@pytest.fixture(scope="module")
def runs():
    rows = []
    for (part, cca), rtt, repeat in product(GETS, (0.1, 0.4), (1, 2, 3)):
        if (part, cca, rtt) == ("old", "cubic2622", 0.4):  # a cell that was not run
            continue
        row = {"part": part, "role": "comparison", "ccas": f"newreno-{cca}", RTT: rtt}
        row |= {"buffer_bdp": 0.2, "repeat": repeat, "run_id": f"{cca}/{rtt}/r{repeat}"}
        row |= {"contested": True, "jfi": 0.6, "utilisation": 1.0, "unsteady": rtt > 0.3}
        row |= {"mean_throughput_bps_flow1": 1e6 * GETS[part, cca] * 1.01 ** (repeat - 2)}
        row |= {"mean_throughput_bps_flow2": 9e7, "level_db_flow1": 70.0, "level_db_flow2": 79.0}
        rows.append(row)
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def table(runs):
    return old_code.old_table(runs, GRID, 0.95)


def test_ratios_are_those_of_newrenos_throughputs_against_the_variant_of_that_age(table):
    at = {
        (row["cca"], row["side"], row["what"]): row["ratio"]
        for row in table.filter(pl.col(RTT) == 0.1).to_dicts()
    }
    assert at == {
        ("bic", "simulation", "as-shipped"): pytest.approx(10 / 20),
        ("bic", "simulation", "linux2622"): pytest.approx(10 / 10),
        ("bic", "shipped", "linux2622"): pytest.approx(20 / 10),
        ("cubic", "simulation", "as-shipped"): pytest.approx(10 / 30),
        ("cubic", "simulation", "linux2622"): pytest.approx(10 / 15),
        ("cubic", "shipped", "linux2622"): pytest.approx(30 / 15),
        ("bic", "delayed", "as-shipped"): pytest.approx(9 / 20),
        ("bic", "delayed", "linux2622"): pytest.approx(9 / 10),
        ("cubic", "delayed", "as-shipped"): pytest.approx(12 / 30),
        ("cubic", "delayed", "linux2622"): pytest.approx(12 / 15),
        ("bic", "acks", "linux2622"): pytest.approx(10 / 9),
        ("cubic", "acks", "linux2622"): pytest.approx(10 / 12),
    }


def test_a_cell_without_the_old_code_is_left_out_of_both_sides(table):
    here = table.filter(cca="cubic", side="shipped")
    assert here[RTT].to_list() == [0.1]
    assert set(here["runs"][0]) == {
        f"{part}/{cca}/0.1/r{n}"
        for part, cca in (("open", "cubic"), ("old", "cubic2622"))
        for n in (1, 2, 3)
    }


def test_the_table_and_the_text_say_the_same(table):
    rows = old_code.old_markdown(table).replace(NO_BREAK_SPACE, " ").splitlines()
    assert "100 ms" in rows[0] and "400 ms" in rows[0]
    assert len(rows) == 2 + 2 * (2 + 2 + 1 + 1)
    first = [cell.strip() for cell in rows[2].split("|")[1:-1]]
    assert first[:3] == ["ns-2 / testbed", "BIC", "of Linux 6.12"]
    assert first[3].startswith("0.50 (") and first[4].endswith("*")
    said = old_code.old_variables(tagged(table, "old_code"))
    assert said["shipped"]["cubic"]["linux2622"] == {"100": "2.00"}
    assert said["simulation"]["bic"]["as_shipped"] == {"100": "0.50", "400": "0.50"}


def test_without_runs_the_table_says_so(runs):
    none = old_code.old_table(runs.clear(), GRID, 0.95)
    assert "no run yet" in old_code.old_markdown(none)


def test_the_documented_columns_are_those_of_the_table(table):
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    schema = split(table)[0].schema
    assert documented["old_code"] == [(column, str(dtype)) for column, dtype in schema.items()]
