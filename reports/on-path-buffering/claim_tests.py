"""Tests of the paper's sentences that look at more than one surface, and readings of its words.

The thresholds are readings of words such as 'flat', not fits.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.markdown import PRINTED, number
from evenflow.papers.surface_tests import NO_RUNS, TOO_FEW, Tested, Tests, cells_of

BOTH_SIDES = 0.1  # a behaviour is 'not consistent' if at least this share of cells is on each side


def on_both_sides(pair: tuple[int, int]) -> bool:
    """Return whether enough of the cells are counted, and enough are not."""
    return BOTH_SIDES * pair[1] <= pair[0] <= (1 - BOTH_SIDES) * pair[1]


def similar_means(metric: str, role: str, variants: tuple[str, ...], within: float) -> Callable:
    """Test whether the variants' means over their common cells lie within a share of each other."""
    unit, digits = PRINTED[metric]

    def test(table: pl.DataFrame) -> Tests:
        cells = {cca: cells_of(table, metric, role, cca) for cca in variants}
        if any(surface.is_empty() for surface in cells.values()):
            return f"needs runs of {', '.join(map(variant_name, variants))}"
        means = {}
        for cca, surface in cells.items():
            for other in cells.values():
                surface = surface.join(other, on=["base_rtt_s", "buffer_bdp"], how="semi")
            means[cca] = surface["mean"].mean()
        if None in means.values():
            return TOO_FEW
        words = "; ".join(f"{variant_name(c)} {number(m / unit, digits)}" for c, m in means.items())
        return [Tested("", words, max(means.values()) <= (1 + within) * min(means.values()))]

    return test


def flatter_than_throughput(variants: tuple[str, ...]) -> Callable:
    """Test whether the flow-NRU of flow 2 varies less over the cells than its throughput, in dB."""

    def test(table: pl.DataFrame) -> Tests:
        found = []
        for cca in variants:
            nru = cells_of(table, "flow_nru_db_flow2", "comparison", cca)
            alone = cells_of(table, "mean_throughput_bps_flow2", "calibration", cca)
            both = nru.join(alone, on=["base_rtt_s", "buffer_bdp"], suffix="_2")
            both = both.filter(pl.col("mean_2") > 0)
            if len(both) < 2:
                continue
            sd = both["mean"].std(), (10 * both["mean_2"].log10()).std()
            words = f"{number(sd[0], 2)} against {number(sd[1], 2)} dB"
            found.append(Tested(variant_name(cca), words, sd[0] < sd[1]))
        return found or NO_RUNS

    return test
