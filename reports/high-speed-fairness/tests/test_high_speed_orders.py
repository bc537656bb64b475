"""RTT fairness in both orders of starts, on planted runs with known answers."""

import polars as pl
import pytest
from evenflow.evidence.say import checked, tagged

from ..claims import CHANGE, FIRST, LATE
from ..exponents import with_full_queues
from ..metrics import FLOW_1_RTT_MS
from ..numbers import order as numbers
from ..orders import LATE_COMER, orders, start_orders
from .test_high_speed_metrics import metrics_of

RTTS_MS = [16, 82, 324]
BDP20_162 = 3_645_000  # 20 % of 900 Mb/s x 162 ms
READINGS = {"floor_bps": 11584}
SPREAD = (0.98, 1.0, 1.02)  # of repeats, about a cell's geometric mean


def runs_of(cca, ratio_at, part, view):
    """Three repeats a cell, of the ratios that a function of the RTT gives, 500 Mb/s for flow 2."""
    rows = [
        (cca, cca, FLOW_1_RTT_MS, rtt, BDP20_162, 500 * ratio_at(rtt) * spread, 500)
        for rtt in RTTS_MS
        for spread in SPREAD
    ]
    runs = metrics_of(*rows).with_columns(part=pl.lit(part), drops=pl.lit(9), unsteady=False)
    assert set(runs["view"]) == {"rtt"}
    return runs.with_columns(view=pl.lit(view))


def by_order(first, late, cca="bic"):
    """The table of a variant whose ratios in both orders are these functions of the RTT."""
    runs = [runs_of(cca, first, "simulation", "rtt"), runs_of(cca, late, "swapped", LATE_COMER)]
    return orders(pl.concat(runs), RTTS_MS, READINGS, 0.95)


def power(exponent, factor=1.0):
    return lambda rtt: factor * (rtt / FLOW_1_RTT_MS) ** exponent


def test_a_head_start_that_is_worth_the_same_everywhere_changes_ratios_and_no_exponent():
    found = by_order(power(0.5), power(0.5, 1 / 3))
    ratios = found.filter(pl.col("rtt2_ms").is_not_null())
    assert ratios["rtt2_ms"].to_list() == RTTS_MS
    assert ratios[CHANGE].to_list() == pytest.approx([3.0] * 3, rel=1e-3)
    assert ((ratios["change_low"] < 3) & (ratios["change_high"] > 3)).all()
    (exponent,) = found.filter(pl.col("rtt2_ms").is_null()).rows(named=True)
    assert exponent[FIRST] == pytest.approx(0.5, abs=1e-3)
    assert exponent[LATE] == pytest.approx(0.5, abs=1e-3)
    assert exponent["change_low"] < 0 < exponent["change_high"]


def test_an_exponent_that_depends_on_who_starts_is_found_with_the_runs_of_both_orders():
    found = by_order(power(2.0), power(1.0))
    (exponent,) = found.filter(pl.col("rtt2_ms").is_null()).rows(named=True)
    assert exponent[CHANGE] == pytest.approx(1.0, abs=1e-3) and exponent["change_low"] > 0.9
    of = {name: {run.split("/")[0] for run in exponent[f"runs_{name}"]} for name in (FIRST, LATE)}
    assert of == {FIRST: {"simulation"}, LATE: {"swapped"}}
    assert len(exponent["runs"]) == 2 * len(RTTS_MS) * len(SPREAD)


def test_a_variant_that_was_run_in_one_order_has_no_row():
    runs = runs_of("bic", power(1), "simulation", "rtt")
    assert orders(runs, RTTS_MS, READINGS, 0.95).is_empty()


def test_the_table_and_the_numbers_say_what_was_planted():
    found = by_order(power(2.0), power(1.0), cca="scalable").drop("^runs.*$")
    text = start_orders(found).replace("\u00a0", " ")
    assert "| Scalable | 16 ms |" in text and "| exponent | 2.00 (" in text
    late = runs_of("scalable", power(1.0), "swapped", LATE_COMER)
    said = numbers(tagged(late, "late_metric"), tagged(found, "start_order"))
    texts = {name: checked(name, of)["text"] for name, of in said.items()}
    assert (texts["n_runs"], texts["scalable"]) == ("9", "1.0")
    assert (texts["scalable_first"], texts["scalable_late"]) == ("4", "2.0")


def test_an_exponent_of_rtts_with_full_queues_is_that_of_the_rtts_that_flows_see():
    """Shares in proportion to RTTs with a full queue look flatter beside those of the paths."""
    full_ms = 0.2 * FLOW_1_RTT_MS
    runs = runs_of("htcp", lambda rtt: (rtt + full_ms) / (162 + full_ms), "simulation", "rtt")
    (row,) = with_full_queues(runs, RTTS_MS, READINGS, 900e6).rows(named=True)
    assert (row["cca"], row["queue"]) == ("htcp", "bdp20")
    assert row["exponent_full"] == pytest.approx(1.0, abs=1e-3) and row["exponent"] < 0.7
    assert row["factor"] == pytest.approx(1 / row["exponent"], rel=1e-3)
    assert row["full_ms"] == pytest.approx(32.4) and len(row["runs"]) == 9
