"""The longest RTT for forty minutes: which results of ten minutes are those of a transient.

The runs of the data set `long` are runs of the simulation with the same seeds, at 324 ms and a
queue of 20 % of the BDP, and go on for four times as long. Up to the end of the short run a long
run is the same run, and its steady state begins there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import polars as pl
from evenflow.evidence.runs import gathered, run_ref, together
from evenflow.kit.tables import in_order, interval, named, printed
from evenflow.markdown import NOTHING, number
from evenflow.papers import paper
from evenflow.statistics.stratified import Estimate, estimate

from .cells import LONG, Means, Run, Statistic, Subject, quantities
from .claims import ONE_QUEUE
from .metrics import NAMES, VIEW_NAMES, VIEWS, steady_pairs
from .printed import ratio_text, ratio_with_interval

SHORT_PART, LONG_PART = "simulation", "long"
SIDES = {"short": SHORT_PART, "long": LONG_PART}
CELL = ["view", "cca1", "cca2", "rtt2_ms"]
OF_CELL: dict[str, Callable[[Run], float]] = {  # what is set beside each other, of a cell's means
    "ratio": lambda run: math.log(run.first_bps / run.second_bps),
    "jfi": lambda run: run.jfi,
}
VALUES = [f"{name}_{side}" for name in OF_CELL for side in SIDES]
VALUES += [f"{name}{end}" for name in OF_CELL for end in ("", "_low", "_high")]
COUNTS = [f"{name}_{side}" for name in ("n_runs", "n_unsteady") for side in SIDES]


@paper.metric
def long_metric(long_run, long_flow, long_flow_metric, long_run_metric) -> pl.DataFrame:
    """Return the runs of forty minutes, as `pair_metric`, in views of their own."""
    tables = (long_run, long_flow, long_flow_metric, long_run_metric)
    return steady_pairs(LONG_PART, *tables).with_columns(view=LONG + pl.col("view"))


@paper.metric(runs=True)
def lasting_pair(pair_metric, long_metric, readings, confidence) -> pl.DataFrame:
    """Return what forty minutes change of ten (`lasting`)."""
    runs = pl.concat([pair_metric.filter(part=SHORT_PART), long_metric])
    return lasting(runs, readings, confidence)


def lasting(runs: pl.DataFrame, readings: Mapping, confidence: float) -> pl.DataFrame:
    """Set the cells of long runs beside the same cells of short ones.

    Args:
        runs: the tables `pair_metric` (of the simulation) and `long_metric`.
        readings: of paper.yml.
        confidence: of the intervals.

    Returns:
        A row a cell that has runs of both lengths: view, cca1, cca2, rtt2_ms; ratio_short,
        ratio_long: flow 1's throughput over flow 2's (of the geometric means over repeats); ratio:
        the first over the second; jfi_short, jfi_long, and jfi, their difference; the latter two
        with the ends of their intervals over repeats, null of single runs; n_runs and n_unsteady of
        either length; runs.
    """
    subject = Subject(runs, [[]], readings)
    (queue,) = ONE_QUEUE
    counts = _counts(runs.filter(queue=queue))
    rows = []
    for cell in counts.select(CELL).rows():
        rows.append(dict(zip(CELL, cell, strict=True)))
        for name, value in OF_CELL.items():
            found = {
                end: estimate(
                    subject.cells,
                    subject.on(statistic, queue, []),
                    quantities(readings["floor_bps"]),
                    confidence=confidence,
                )
                for end, statistic in _over_both(value, cell).items()
            }
            rows[-1] |= _columns(name, found)
    schema = dict(counts.select(CELL).schema) | dict.fromkeys(VALUES, pl.Float64)
    table = pl.DataFrame(rows, schema=schema)
    return table.join(counts, on=CELL, maintain_order="left")


def _over_both(value: Callable[[Run], float], cell: tuple) -> dict[str, Statistic]:
    """Return a value of a cell's runs of ten minutes, of its runs of forty, and the difference."""

    def short(x: Means) -> float:
        return value(x.of(*cell))

    return {
        "_short": short,
        "_long": lambda x: short(x.long()),
        "": lambda x: short(x) - short(x.long()),
    }


def _columns(name: str, found: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Return the columns of a value; of ratios they are no logarithms any more."""
    back = math.exp if name == "ratio" else float
    ends = {end: of.value for end, of in found.items()}
    ends |= {"_low": found[""].low, "_high": found[""].high}
    return {name + end: None if value is None else back(value) for end, value in ends.items()}


def _counts(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the cells of both lengths with COUNTS and runs."""
    sides = []
    for side, part in SIDES.items():
        mine = runs.filter(part=part).with_columns(
            pl.col("view").str.strip_prefix(LONG), run=run_ref()
        )
        sides.append(
            mine.group_by(CELL, maintain_order=True).agg(
                pl.len().cast(pl.Int64).alias(f"n_runs_{side}"),
                pl.col("unsteady").sum().cast(pl.Int64).alias(f"n_unsteady_{side}"),
                gathered().alias(f"runs_{side}"),
            )
        )
    short, long = sides
    both = short.join(long, on=CELL, maintain_order="left")
    both = both.with_columns(runs=together(*(f"runs_{side}" for side in SIDES)))
    return in_order(both.select(*CELL, *COUNTS, "runs"), view=VIEWS)


@paper.table
def long_runs(lasting_pair) -> str:
    """Return what forty minutes change of ten: a row a cell."""
    return printed(
        lasting_pair,
        {
            "View": named("view", VIEW_NAMES),
            "Flow 1": named("cca1", NAMES),
            "Flow 2": named("cca2", NAMES),
        },
        {
            "Jain's index": lambda row: _both(row, "jfi", lambda index: number(index, 2)),
            "Short minus long": interval("jfi", 3),
            "Flow 1 / flow 2": lambda row: _both(row, "ratio", ratio_text),
            "Short / long": lambda row: ratio_with_interval(
                row["ratio"], row["ratio_low"], row["ratio_high"]
            ),
            "Unsteady runs": _unsteady,
        },
        once=2,
    )


def _both(row: Mapping, name: str, text: Callable[[float], str]) -> str:
    values = (row[f"{name}_{side}"] for side in SIDES)
    return " → ".join(NOTHING if value is None else text(value) for value in values)


def _unsteady(row: Mapping) -> str:
    sides = (f"{row[f'n_unsteady_{side}']} of {row[f'n_runs_{side}']}" for side in SIDES)
    return " → ".join(sides)
