"""What the samples of a run say of it, whatever other runs there are.

All that reads samples is here; the metric tables (`tables`) are made of it. So the runs of a large
data set are measured in chunks, and a run more has only its own chunk measured again.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from ..tables import with_run_enum
from .catalogue import METRICS
from .fairness import FLOW, compared, mean_levels, mean_throughput, with_cross_traffic
from .windows import (
    in_window,
    mser5_warmup,
    placed_samples,
    steady_state,
    window_coverage,
    window_table,
)

COPY = "\x00"  # after the name of a run


def measure_apart(
    samples: pl.DataFrame,
    flows: pl.DataFrame,
    runs: pl.DataFrame,
    warmup_s: float,
    floor_segments: float,
) -> dict[str, pl.DataFrame]:
    """Return the tables window, flow and run of `measure`, in whatever chunks runs are read."""
    of_runs = _apart(measure, samples, flows, runs, warmup_s, floor_segments)
    return dict(zip(("window", "flow", "run"), of_runs, strict=True))


def cases_apart(
    samples: pl.DataFrame,
    flows: pl.DataFrame,
    runs: pl.DataFrame,
    window: pl.DataFrame,
    steady: dict,
    nru: dict,
) -> pl.DataFrame:
    """Return `measured_cases`, in whatever chunks runs are read; window: of `measure_apart`."""

    def compute(samples, flows, runs):
        return [measured_cases(samples, flows, runs, steady, nru)]

    (cases,) = _apart(compute, samples, flows, in_window(runs, window))
    return cases


def _apart(
    compute: Callable, samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, *settings
) -> list[pl.DataFrame]:
    """Compute tables of runs, whose numbers do not tell how many runs there were.

    A single run is measured next to a copy of itself: Polars divides by a column of one value
    otherwise than by others, so that the last digit would tell how a data set was read.
    """
    tables = [samples, flows, runs]
    if len(runs) == 1:
        copies = (table.with_columns(pl.col("run_id") + COPY) for table in tables)
        tables = [pl.concat(pair) for pair in zip(tables, copies, strict=True)]
    found = compute(*with_run_enum(tables, tables[2]), *settings)
    words = (table.with_columns(pl.col("run_id").cast(pl.String)) for table in found)
    return [table.filter(~pl.col("run_id").str.ends_with(COPY)) for table in words]


def measure(
    samples: pl.DataFrame,
    flows: pl.DataFrame,
    runs: pl.DataFrame,
    warmup_s: float,
    floor_segments: float,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the table `window` of runs, `measured_flows` and `measured_runs`.

    Args:
        samples, flows, runs: the tables of some runs, whole ones.
        warmup_s: the start of the steady state in config.yaml, seconds.
        floor_segments: the floor of r(t) in the NRU.
    """
    among = compared(flows)  # cross traffic comes and goes: the window is that of the others
    of_flows = samples.join(among, on=FLOW, how="semi", maintain_order="left")
    window = window_table(of_flows, among, runs, warmup_s)
    steady = in_window(runs, window)
    placed = placed_samples(samples, steady)
    of_runs = measured_runs(placed, flows, steady)
    return window, measured_flows(placed, flows, steady, floor_segments), of_runs


def measured_flows(
    placed: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, floor_segments: float
) -> pl.DataFrame:
    """Return what every flow carried in the steady state, and how far its samples cover it.

    Args:
        placed: result of `windows.placed_samples`.
        flows: the table `flow`.
        runs: the table `run`, with windows (`windows.in_window`).
        floor_segments: as for `fairness.mean_levels`.

    Returns:
        A row a flow: run_id, flow_id, cross_traffic, the columns of `fairness.mean_throughput` and
        `fairness.mean_levels`, warmup_s, those of `windows.window_coverage`. A flow without any
        sample in the window has null means.
    """
    window = placed.filter(pl.col("outside").is_null())
    counts = [f"n_{place}_samples" for place in ("before", "after", "stump")]
    return (
        with_cross_traffic(flows)
        .join(mean_throughput(window), on=FLOW, how="left")
        .join(mean_levels(window, flows, floor_segments), on=FLOW, how="left")
        .join(runs.select("run_id", "warmup_s"), on="run_id")
        .join(window_coverage(placed, runs), on=FLOW, how="left")
        .with_columns(pl.col("n_samples", "n_zero_samples", *counts).fill_null(0))
        .sort(FLOW)
    )


def measured_runs(placed: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return run_id and the metrics of the registry that read samples, of every run.

    Args: as for `measured_flows`.
    """
    of_flows = placed.join(compared(flows).select(*FLOW, "start_s"), on=FLOW)
    table = runs.select("run_id").sort("run_id")
    for known in METRICS.values():
        if known.reads_samples:
            found = known.compute(of_flows)
            table = table.join(found, on="run_id", how="left", maintain_order="left")
    return table


def measured_cases(
    samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, steady: dict, nru: dict
) -> pl.DataFrame:
    """Return what every flow carried with other warm-ups and NRU floors.

    `tables.sensitivity_table` is made of it.

    Args:
        samples, flows: the tables.
        runs: the table, with windows (`windows.in_window`).
        steady: sensitivity_warmup_s, seconds.
        nru: weight_from, floor_segments and sensitivity_floor_segments.

    Returns:
        A row a case and flow: parameter and value, weight_from (of the NRU), warmup_s, run_id,
        flow_id, cross_traffic, the columns of `fairness.mean_throughput` and
        `fairness.mean_levels`.
    """
    floor, weight_from = nru["floor_segments"], nru["weight_from"]
    plans: list[tuple[pl.DataFrame, list[tuple]]] = [
        (runs.with_columns(warmup_s=pl.lit(float(w))), [("warmup_s", str(w), floor, weight_from)])
        for w in steady["sensitivity_warmup_s"]
    ]
    floors = [("floor_segments", str(f), f, weight_from) for f in nru["sensitivity_floor_segments"]]
    weights = [("weight_from", w, floor, w) for w in ("place", "flow2", "all")]
    mser5 = mser5_warmup(samples, flows, runs)
    plans += [(runs, floors + weights), (mser5, [("warmup_mser5", None, floor, weight_from)])]
    tables = []
    for these, cases in plans:
        window = steady_state(samples, these)
        of_flows = (
            with_cross_traffic(flows)
            .join(these.select("run_id", "warmup_s"), on="run_id")
            .join(mean_throughput(window), on=FLOW, how="left")
        )
        tables += [
            of_flows.join(mean_levels(window, flows, floor_segments), on=FLOW, how="left").select(
                pl.lit(parameter).alias("parameter"),
                pl.lit(value, dtype=pl.String).alias("value"),
                pl.lit(of_weight).alias("weight_from"),
                pl.all(),
            )
            for parameter, value, floor_segments, of_weight in cases
        ]
    return pl.concat(tables).sort("parameter", "value", *FLOW, nulls_last=True)
