"""CUBIC with parts changed beside CUBIC as shipped and ns-2, against numbers that are known."""

from itertools import product
from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.make import load

from ..._grid.surfaces import RTT, subjects_of

FOLDER = Path(__file__).parents[1]
cubic_parts = load(FOLDER / "cubic_parts.py")
PLATFORMS = {"open": "testbed", "simulation": "ns2"}
GRID = {"rtt_ms": [100, 400], "buffer_pct": [20]}
CHANGES = {"no-hystart": 5, "all-three": 10}  # Mb/s that NewReno gets with it


def runs(part, newreno_mbps, prefix="", rtts=(0.1, 0.4)):
    """Runs against CUBIC; flows had not converged at the longest RTT."""
    rows = []
    for rtt, repeat in product(rtts, (1, 2, 3)):
        rows.append(
            {
                **{"part": part, "role": "comparison", "ccas": "newreno-cubic", RTT: rtt},
                **{"buffer_bdp": 0.2, "repeat": repeat, "run_id": f"{prefix}{rtt}/r{repeat}"},
                **{"contested": True, "jfi": 0.6, "utilisation": 1.0, "unsteady": rtt > 0.3},
                "mean_throughput_bps_flow1": 1e6 * newreno_mbps * 1.01 ** (repeat - 2),
                **{"mean_throughput_bps_flow2": 9e7, "level_db_flow1": 70.0},
                "level_db_flow2": 79.0,
            }
        )
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def every():
    changed = [runs("cubic", mbps, f"{what}/") for what, mbps in CHANGES.items()]
    return pl.concat([runs("open", 20), runs("simulation", 10), *changed])


@pytest.fixture(scope="module")
def changed(every):
    names = every.filter(part="cubic")["run_id"]
    factors = [f'{{"changed": "{name.split("/")[0]}"}}' for name in names]
    table = pl.DataFrame({"run_id": names, "factors": factors})
    return cubic_parts.changed_runs(every, table)


@pytest.fixture(scope="module")
def table(every, changed):
    subject = subjects_of(every, PLATFORMS, GRID, simulation="simulation")["open"]
    return cubic_parts.part_table(subject, changed, 0.95)


def test_the_folder_says_what_was_changed_and_a_change_without_runs_is_left_out(changed):
    assert {what: len(of) for what, of in changed.items()} == dict.fromkeys(CHANGES, 6)


def test_ratios_are_those_of_newrenos_throughputs(table):
    at = {(row["side"], row["what"]): row for row in table.filter(pl.col(RTT) == 0.1).to_dicts()}
    ratios = {key: row["ratio"] for key, row in at.items()}
    assert ratios == {
        ("simulation", "as-shipped"): pytest.approx(10 / 20),
        ("simulation", "no-hystart"): pytest.approx(10 / 5),
        ("simulation", "all-three"): pytest.approx(1.0),
        ("shipped", "no-hystart"): pytest.approx(20 / 5),
        ("shipped", "all-three"): pytest.approx(20 / 10),
    }
    first = at["shipped", "no-hystart"]
    assert first["ratio_low"] < first["ratio"] < first["ratio_high"] and first["n"] == 3
    used = set(first["runs"])
    assert {"cubic/no-hystart/0.1/r1", "open/0.1/r1"} < used and len(used) == 6


def test_a_cell_that_was_not_run_with_the_change_is_left_out_of_both_sides(every, changed):
    subject = subjects_of(every, PLATFORMS, GRID, simulation="simulation")["open"]
    short = {"no-hystart": changed["no-hystart"].filter(pl.col(RTT) < 0.3)}
    found = cubic_parts.part_table(subject, short, 0.95).filter(side="shipped")
    assert found[RTT].to_list() == [0.1]


def test_the_table_and_the_text_say_the_same(table):
    rows = cubic_parts.parts_markdown(table).replace(NO_BREAK_SPACE, " ").splitlines()
    assert "100 ms" in rows[0] and "400 ms" in rows[0]
    assert len(rows) == 2 + 5
    shipped = rows[2].split("|")
    assert shipped[1:3] == [" ns-2 / testbed ", " as shipped "]
    assert shipped[3].strip().startswith("0.50 (") and shipped[4].strip().endswith("*")
    said = cubic_parts.part_variables(tagged(table, "cubic_part"))
    assert said["shipped"]["no_hystart"] == {"100": "4.00", "400": "4.00"}
    assert said["simulation"]["as_shipped"]["100"] == "0.50"


def test_without_runs_the_table_says_so():
    empty = pl.DataFrame(schema={"side": pl.String, "what": pl.String, RTT: pl.Float64})
    assert "no run yet" in cubic_parts.parts_markdown(empty)


def test_the_documented_columns_are_those_of_the_table(table):
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    schema = split(table)[0].schema
    assert documented["cubic_part"] == [(column, str(dtype)) for column, dtype in schema.items()]
