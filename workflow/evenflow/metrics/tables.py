"""The metric tables of a data set: of what its samples say (`measured`), and statistics."""

from __future__ import annotations

import math

import polars as pl

from ..statistics.repeats import cell_statistics, cut_intervals, with_geometric_means
from .catalogue import METRICS
from .fairness import (
    FLOW,
    OF_LEVEL,
    calibration_weights,
    flow_nru,
    share_of_window,
    with_cross_traffic,
)
from .registry import OfRun, is_ratio, of_grain, without_flow
from .windows import OF_COVERAGE


def flow_metric_table(
    measured: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, weights: pl.DataFrame
) -> pl.DataFrame:
    """Return the table `flow_metric`: every flow's means, NRU and counts over the steady state.

    `measured` is of `measured.measured_flows`; the metrics of a flow of the registry follow.
    """
    in_steady_state = measured.filter(pl.col("n_samples") > 0)
    nru = flow_nru(in_steady_state.select(*FLOW, *OF_LEVEL), flows, runs, weights)
    table = (
        measured.drop(OF_LEVEL)
        .join(nru, on=FLOW, how="left")
        .select(pl.exclude("warmup_s", *OF_COVERAGE), "warmup_s", *OF_COVERAGE)
    )
    more = (known.compute().alias(known.name) for known in of_grain("flow"))
    return table.with_columns(*more).sort(FLOW)


def run_metrics(flow_metrics: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the metrics of every run that need no samples, of the flows compared (`compared`).

    Args:
        flow_metrics: run_id, flow_id, mean_throughput_bps, flow_nru_db of every flow, and
            expected_bps where it is known; with cross_traffic also n_samples and interval_s, and
            opposite, where that is known.
        runs: the table `run`.

    Returns:
        run_id, the metrics of the registry, n_flows, starved_flow (the first flow that carried
        nothing, else null). The metrics are null where a flow has no sample in the window: that is
        not a flow that carried nothing; and where the flows share no time.
    """
    kinds = with_cross_traffic(flow_metrics)
    cross, opposite = kinds["cross_traffic"], kinds["opposite"]
    if "expected_bps" not in flow_metrics.columns:
        flow_metrics = flow_metrics.with_columns(expected_bps=pl.lit(None, pl.Float64))
    every = (
        flow_metrics.with_columns(
            cross.alias("cross"), opposite.alias("opposite"), share_of_window(flow_metrics)
        )
        .join(runs.select("run_id", "bottleneck_bps", _end(runs)), on="run_id", how="left")
        .with_columns(_shared(flow_metrics).alias("shared"))
        .sort(FLOW)
    )
    of_compared = ~pl.col("cross")
    mean = pl.col("mean_throughput_bps").filter(of_compared)
    beside = (pl.col("mean_throughput_bps") * pl.col("share")).filter(
        pl.col("cross") & ~pl.col("opposite")
    )
    of_run = OfRun(
        mean=mean,
        expected=pl.col("expected_bps").filter(of_compared),
        nru=pl.col("flow_nru_db").filter(of_compared),
        complete=mean.is_not_null().all() & pl.col("shared").filter(of_compared).all(),
        n=of_compared.sum(),
        total_bps=mean.sum() + beside.sum(),
        bottleneck_bps=pl.col("bottleneck_bps").first(),
    )
    metrics = [known for known in of_grain("run") if not known.reads_samples]
    return (
        every.group_by("run_id", maintain_order=True)
        .agg(
            *(known.compute(of_run).alias(known.name) for known in metrics),
            of_compared.sum().cast(pl.Int64).alias("n_flows"),
            pl.col("flow_id").filter(of_compared).filter(mean == 0).first().alias("starved_flow"),
        )
        .sort("run_id")
    )


COVERED = 0.9  # share of the window from which on a flow counts as there all the time


def _end(runs: pl.DataFrame) -> pl.Expr:
    if "end_s" in runs.columns:
        return pl.col("end_s").alias("window_end_s")
    return pl.lit(None, pl.Float64).alias("window_end_s")


def _shared(flow_metrics: pl.DataFrame) -> pl.Expr:
    """Say of every flow whether its mean is over the time that all flows of its run share.

    A window without an end (`windows.window_table`) is not: flows came one after the other, or
    nearly so. There each must have been there all the same.
    """
    if "coverage" not in flow_metrics.columns:
        return pl.lit(True)
    alone = pl.len().over("run_id") == 1
    ends = pl.col("window_end_s").is_not_null()
    return alone | ends | (pl.col("coverage") >= COVERED).fill_null(True)


def run_metric_table(
    flow_metrics: pl.DataFrame, runs: pl.DataFrame, measured: pl.DataFrame
) -> pl.DataFrame:
    """Return the table `run_metric`: `run_metrics`, and the metrics that need samples.

    `measured` is of `measured.measured_runs`.
    """
    table = run_metrics(flow_metrics, runs)
    return table.join(measured, on="run_id", how="left", maintain_order="left")


def cell_table(
    flow_metrics: pl.DataFrame, run_metrics: pl.DataFrame, runs: pl.DataFrame, confidence: float
) -> pl.DataFrame:
    """Return the table `cell`: mean and interval over repeats of every scenario and metric.

    Metrics: those of `run_metric`, and of every flow mean_throughput_bps, flow_nru_db and the
    registry's with the suffix _flow1, _flow2, ... Intervals end where the metric does
    (`within_bounds`). Means of ratios (scale 'log') are geometric (`with_geometric_means`).
    """
    names = [name for name in METRICS if name in run_metrics.columns]
    of_runs = run_metrics.unpivot(names, index="run_id", variable_name="metric")
    more = [known.name for known in of_grain("flow") if known.name in flow_metrics.columns]
    of_flows = flow_metrics.unpivot(
        ["mean_throughput_bps", "flow_nru_db", *more], index=FLOW, variable_name="metric"
    ).select("run_id", pl.format("{}_flow{}", "metric", "flow_id").alias("metric"), "value")
    values = pl.concat([of_runs, of_flows]).join(runs.select("run_id", "scenario_id"), on="run_id")
    n_flows = (
        run_metrics.join(runs.select("run_id", "scenario_id"), on="run_id")
        .group_by("scenario_id", maintain_order=True)
        .agg(pl.col("n_flows").max())
    )
    ratios = _ratios(values, run_metrics)
    cells = with_geometric_means(cell_statistics(values, confidence), ratios, confidence)
    return within_bounds(cells, n_flows)


def _ratios(values: pl.DataFrame, run_metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the values that are ratios; infinite where they have none because a flow starved.

    Of ratios that can be 0: those that cannot have a floor below what flows carry.
    """
    to_zero = [known.name for known in METRICS.values() if known.least == 0]
    open_ended = is_ratio() & without_flow().is_in(to_zero)
    starved = run_metrics.select("run_id", pl.col("starved_flow").is_not_null().alias("starved"))
    endless = pl.when(pl.col("starved") & open_ended).then(math.inf)
    return (
        values.filter(is_ratio())
        .join(starved, on="run_id", how="left", maintain_order="left")
        .with_columns(pl.coalesce("value", endless).alias("value"))
    )


def within_bounds(cells: pl.DataFrame, n_flows: pl.DataFrame) -> pl.DataFrame:
    """Return `cells` with the intervals cut at the ends of what a metric can be (`cut_intervals`).

    Jain's index of N flows, say, lies in [1/N, 1], and so do its means; throughputs are not
    negative.

    Args:
        cells: result of `statistics.cell_statistics`.
        n_flows: scenario_id, n_flows.
    """
    least = {known.name: known.least for known in METRICS.values()}
    most = {known.name: known.most for known in METRICS.values() if known.most is not None}
    fixed = {name: end for name, end in least.items() if isinstance(end, float)}
    name = without_flow()
    low = (
        pl.when(name.is_in([metric for metric, end in least.items() if end == "1/n"]))
        .then(1 / pl.col("n_flows"))
        .when(name == "mean_throughput_bps")
        .then(0.0)
        .otherwise(name.replace_strict(fixed, default=None, return_dtype=pl.Float64))
    )
    high = name.replace_strict(most, default=None, return_dtype=pl.Float64)
    cells = cells.join(n_flows, on="scenario_id", how="left", maintain_order="left")
    return cut_intervals(cells, low, high).drop("n_flows")


def sensitivity_table(cases: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the run metrics under other warm-ups, NRU floors and weights than the default's.

    Args:
        cases: of `measured.measured_cases`.
        flows, runs: the tables of a data set.

    Returns:
        run_id, parameter ('warmup_s', 'warmup_mser5', 'floor_segments', 'weight_from'), value,
        the columns of `run_metric` that need no samples, flow_nru_db_flow2 and warmup_s. For
        'warmup_mser5' the warm-up is MSER-5's estimate, the longest of the run's flows, and value
        is null.
    """
    tables = []
    for case in cases.partition_by("parameter", "value", maintain_order=True) or [cases]:
        means = case.drop_nulls("n_samples")
        weight_from = str(case["weight_from"].first() or "all")  # null: of no run at all
        weights = calibration_weights(means, flows, runs, weight_from)
        levels = flow_nru(means.select(*FLOW, *OF_LEVEL), flows, runs, weights)
        per_flow = case.drop(OF_LEVEL).join(levels, on=FLOW, how="left")
        second = per_flow.filter(pl.col("flow_id") == 2).select(
            "run_id", pl.col("flow_nru_db").alias("flow_nru_db_flow2")
        )
        about = case.group_by("run_id", maintain_order=True).agg(
            pl.col("parameter", "value", "warmup_s").first()
        )
        tables.append(
            run_metrics(per_flow, runs)
            .join(second, on="run_id", how="left")
            .join(about, on="run_id")
            .select("parameter", "value", pl.exclude("parameter", "value"))
        )
    return pl.concat(tables).sort("parameter", "value", "run_id", nulls_last=True)
