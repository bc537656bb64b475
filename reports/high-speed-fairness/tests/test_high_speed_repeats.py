"""Repeats in high-speed-fairness, on planted runs with known answers."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..metrics import pair_cells
from ..repeats import changed, deciding_cells, repeat_words
from ..replicates import Run
from .test_high_speed_metrics import metrics_of
from .worlds import READINGS, RTT_LISTS, TRUE, runs_of


def deciding(world, claim):
    """The cells that decide a claim, as (queue, cca1, cca2, RTT of flow 2)."""
    runs = runs_of(world, 1, spread=0.0).with_columns(
        share1=pl.col("throughput1_bps") / pl.sum_horizontal("^throughput.*$"),
        scenario_id=pl.col("run_id"),
        part=pl.lit("simulation"),
        n=pl.lit(1),
    )
    found = deciding_cells(runs, RTT_LISTS, READINGS).filter(claim=claim)
    named = runs.join(found.select("scenario_id").unique(), on="scenario_id")
    return set(named.select("queue", "cca1", "cca2", "rtt2_ms").rows())


def friendly(ratios):
    """NewReno / variant at 324 ms; 1 elsewhere."""

    def world(cell):
        there = cell["view"] == "friendliness" and cell["rtt2_ms"] == 324
        return ratios.get(cell["cca2"], 0.1) if there else 1.0

    return world


def test_a_ratio_next_to_the_border_decides_and_others_do_not():
    """The variant must have twice NewReno's throughput: 0.495 is within a point of it."""
    found = deciding(friendly({"bic": 0.495, "cubic": 0.45}), "unfriendly")
    assert found == {(queue, "newreno", "bic", 324.0) for queue in ("bdp20", "3mb")}


def test_both_sides_of_a_close_comparison_decide():
    """Scalable must have a tenth more than the next variant, at every RTT."""
    ratios = {"scalable": 0.0905, "htcp": 0.1, "bic": 0.2, "cubic": 0.2, "highspeed": 0.2}

    def world(cell):
        return ratios.get(cell["cca2"], 1.0) if cell["view"] == "friendliness" else 1.0

    found = deciding(world, "friendly_scalable")
    assert {cca for _, _, cca, _ in found} == {"scalable", "htcp"}


def test_where_all_is_clear_nothing_decides():
    assert deciding(TRUE["friendliness"], "unfriendly") == set()


@given(st.floats(0, 1), st.floats(-0.1, 0.1))
def test_a_changed_run_keeps_what_both_flows_carry(share1, change):
    other = changed(Run(share1 * 8e8, 8e8 - share1 * 8e8, 0.0), change)
    assert other.first_bps + other.second_bps == pytest.approx(8e8)
    assert other.first_bps >= 0 and other.second_bps >= 0
    assert 0.5 <= other.jfi <= 1 + 1e-12


def repeated(*mbps):
    """BIC beside itself at 82 ms, a run for each (flow 1, flow 2) in Mb/s; another cell once."""
    bic = [("bic", "bic", 82, 82, 1_845_000, *each) for each in mbps]
    runs = metrics_of(*bic, ("cubic", "cubic", 82, 82, 1_845_000, 400, 400))
    first = pl.col("cca1") == "bic"
    return runs.with_columns(
        part=pl.lit("simulation"), scenario_id=pl.when(first).then(pl.lit("s")).otherwise("run_id")
    )


def test_how_runs_of_a_cell_differ_is_said():
    words = repeat_words(repeated((520, 280), (552, 248), (540, 260)))
    assert words["simulation"] == (
        "in 1 of 2 cells runs are repeated, 3 each; the share of flow 1 differs by 4.0 points "
        "between them in the median and 4.0 at most"
    )
    assert words["testbed"] == "no cell has more than one run yet"


def test_doubles_are_counted():
    words = repeat_words(repeated((520, 280), (552, 248), (520, 280)))["simulation"]
    assert words.endswith("4.0 at most; in 1 of them a run is another's double")


def test_means_of_cells_have_what_deciding_needs():
    cells = pair_cells({"simulation": repeated((400, 400)).drop("part")})
    assert deciding_cells(cells, RTT_LISTS, READINGS).is_empty()  # most cells have no run
