"""RTT fairness in both orders of starts: what being the late-comer does to ratios and exponents.

In all other runs flow 1, of 162 ms, starts first. In the data set `swapped` flow 2 does, and flow 1
is the late-comer; all else is the same, the seeds included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.runs import LIST
from evenflow.kit.tables import printed
from evenflow.markdown import with_interval
from evenflow.papers import paper
from evenflow.statistics.stratified import Estimate, estimate

from .cells import LATE_COMER, Subject, quantities
from .claims import CHANGE, FIRST, LATE, ONE_QUEUE, in_orders
from .metrics import VARIANTS, steady_pairs
from .printed import ratio_with_interval

VALUES = [f"{name}{end}" for name in (FIRST, LATE, CHANGE) for end in ("", "_low", "_high")]
RUNS = {"runs": CHANGE, f"runs_{FIRST}": FIRST, f"runs_{LATE}": LATE}  # the row is of both orders
SCHEMA = {"cca": pl.String, "rtt2_ms": pl.Float64}
SCHEMA |= dict.fromkeys(VALUES, pl.Float64) | dict.fromkeys(RUNS, LIST)


@paper.metric
def late_metric(swapped_run, swapped_flow, swapped_flow_metric, swapped_run_metric) -> pl.DataFrame:
    """Return the runs in which flow 2 starts first, as `pair_metric`, in a view of their own."""
    tables = (swapped_run, swapped_flow, swapped_flow_metric, swapped_run_metric)
    return steady_pairs("swapped", *tables).with_columns(view=pl.lit(LATE_COMER))


@paper.metric(runs=True)
def start_order(pair_metric, late_metric, rtts_of_claims_ms, readings, confidence) -> pl.DataFrame:
    """Return RTT bias in ns-2 where flow 1 starts first, and where flow 2 does (`orders`)."""
    runs = pl.concat([pair_metric.filter(part="simulation"), late_metric])
    return orders(runs, rtts_of_claims_ms[0], readings, confidence)


def orders(
    runs: pl.DataFrame, rtts_ms: Sequence[float], readings: Mapping, confidence: float
) -> pl.DataFrame:
    """Return what the order of starts changes: a row a variant and RTT, and one of its exponent.

    Args:
        runs: the tables `pair_metric` and `late_metric` of one platform.
        rtts_ms: of flow 2.
        readings: of paper.yml.
        confidence: of the intervals.

    Returns:
        cca; rtt2_ms, null of an exponent; first, late: flow 1's throughput over flow 2's (of the
        geometric means over repeats) where flow 1 starts first and where it is the late-comer, or
        the exponent in the ratio of the RTTs; change: first over late, of exponents first less
        late; each with the ends of its interval over repeats, null where runs of a cell disagree on
        which flow is ahead; and their runs. Only where both orders have runs.
    """
    subject, rtts = Subject(runs, [list(rtts_ms)], readings), list(rtts_ms)
    columns, rows = quantities(readings["floor_bps"]), []
    for cca in VARIANTS:
        for rtt in (*rtts, None):
            found = {
                name: estimate(
                    subject.cells,
                    subject.on(statistic, *ONE_QUEUE, rtts),
                    columns,
                    confidence=confidence,
                )
                for name, statistic in in_orders(cca, rtt).items()
            }
            if found[CHANGE].value is not None:
                rows.append({"cca": cca, "rtt2_ms": rtt} | _columns(found, is_log=rtt is not None))
    return pl.DataFrame(rows, schema=SCHEMA)


def _columns(found: Mapping[str, Estimate], *, is_log: bool) -> dict:
    back = math.exp if is_log else float
    ends = {
        f"{name}{end}": None if value is None else back(value)
        for name, of in found.items()
        for end, value in (("", of.value), ("_low", of.low), ("_high", of.high))
    }
    return ends | {column: list(found[name].runs) for column, name in RUNS.items()}


@paper.table
def start_orders(start_order) -> str:
    """Return ratios and exponents in both orders of starts."""
    return printed(
        start_order,
        {
            "Variant": lambda row: variant_name(row["cca"]),
            "RTT of flow 2": lambda row: _place(row["rtt2_ms"]),
        },
        {
            "Flow 1 first": lambda row: _value(row, FIRST),
            "Flow 2 first": lambda row: _value(row, LATE),
            "First over second, or difference": lambda row: _value(row, CHANGE),
        },
        once=1,
    )


def _place(rtt_ms: float | None) -> str:
    return "exponent" if rtt_ms is None else f"{rtt_ms:.0f} ms"


def _value(row: Mapping, name: str) -> str:
    """Return a ratio or an exponent with its interval, where there is one."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if row["rtt2_ms"] is None:
        return with_interval(value, low, high, 2)
    return ratio_with_interval(value, low, high)
