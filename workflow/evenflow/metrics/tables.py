"""The metric tables of a data set, put together from windows, fairness and statistics."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ..statistics.repeats import cell_statistics, cut_intervals
from .catalogue import METRICS
from .fairness import (
    FLOW,
    calibration_weights,
    compared,
    flow_nru,
    mean_throughput,
    share_of_window,
    with_cross_traffic,
)
from .registry import OfRun, of_grain
from .windows import mser5_cutoff, placed_samples, steady_state, window_coverage


def flow_metric_table(
    samples: pl.DataFrame,
    flows: pl.DataFrame,
    runs: pl.DataFrame,
    weights: pl.DataFrame,
    floor_segments: float,
) -> pl.DataFrame:
    """Return the table `flow_metric`: every flow's means, NRU and counts over the steady state.

    `runs` come with their windows (`windows.in_window`). The counts of what is missing, left out
    and covered are those of `windows.window_coverage`; a flow without any sample in the window has
    null metrics. The metrics of a flow of the registry follow.
    """
    placed = placed_samples(samples, runs)
    window = placed.filter(pl.col("outside").is_null())
    nru = flow_nru(window, flows, runs, weights, floor_segments)
    places = [f"n_{place}_samples" for place in ("before", "after", "stump")]
    table = (
        with_cross_traffic(flows)
        .join(mean_throughput(window), on=FLOW, how="left")
        .join(nru, on=FLOW, how="left")
        .join(runs.select("run_id", "warmup_s"), on="run_id")
        .join(window_coverage(placed, runs), on=FLOW, how="left")
        .with_columns(pl.col("n_samples", "n_zero_samples", *places).fill_null(0))
        .select(
            pl.exclude("n_missing_samples", *places, "coverage"),
            "n_missing_samples",
            *places,
            "coverage",
        )
    )
    more = (known.compute().alias(known.name) for known in of_grain("flow"))
    return table.with_columns(*more).sort(FLOW)


def run_metrics(flow_metrics: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the metrics of every run that need no samples, of the flows compared (`compared`).

    Args:
        flow_metrics: run_id, flow_id, mean_throughput_bps, flow_nru_db of every flow, and
            expected_bps where it is known; with cross_traffic also n_samples and interval_s.
        runs: the table `run`.

    Returns:
        run_id, the metrics of the registry, n_flows, starved_flow (the first flow that carried
        nothing, else null). The metrics are null where a flow has no sample in the window: that is
        not a flow that carried nothing.
    """
    cross = with_cross_traffic(flow_metrics)["cross_traffic"]
    if "expected_bps" not in flow_metrics.columns:
        flow_metrics = flow_metrics.with_columns(expected_bps=pl.lit(None, pl.Float64))
    every = (
        flow_metrics.with_columns(cross.alias("cross"), share_of_window(flow_metrics))
        .join(runs.select("run_id", "bottleneck_bps"), on="run_id", how="left")
        .sort(FLOW)
    )
    of_compared = ~pl.col("cross")
    mean = pl.col("mean_throughput_bps").filter(of_compared)
    beside = (pl.col("mean_throughput_bps") * pl.col("share")).filter("cross")
    of_run = OfRun(
        mean=mean,
        expected=pl.col("expected_bps").filter(of_compared),
        nru=pl.col("flow_nru_db").filter(of_compared),
        complete=mean.is_not_null().all(),
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


def run_metric_table(
    samples: pl.DataFrame, flows: pl.DataFrame, flow_metrics: pl.DataFrame, runs: pl.DataFrame
) -> pl.DataFrame:
    """Return the table `run_metric`: `run_metrics`, and the metrics that need samples.

    `runs` come with their windows (`windows.in_window`).
    """
    table = run_metrics(flow_metrics, runs)
    placed = placed_samples(samples, runs)
    of_flows = placed.join(compared(flows).select(*FLOW, "start_s"), on=FLOW)
    for known in of_grain("run"):
        if known.reads_samples:
            table = table.join(
                known.compute(of_flows), on="run_id", how="left", maintain_order="left"
            )
    return table


def cell_table(
    flow_metrics: pl.DataFrame, run_metrics: pl.DataFrame, runs: pl.DataFrame, confidence: float
) -> pl.DataFrame:
    """Return the table `cell`: mean and interval over repeats of every scenario and metric.

    Metrics: those of `run_metric`, and of every flow mean_throughput_bps, flow_nru_db and the
    registry's with the suffix _flow1, _flow2, ... Intervals end where the metric does
    (`within_bounds`).
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
        .group_by("scenario_id")
        .agg(pl.col("n_flows").max())
    )
    return within_bounds(cell_statistics(values, confidence), n_flows)


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
    name = pl.col("metric").str.replace(r"_flow\d+$", "")
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


def sensitivity_table(
    samples: pl.DataFrame,
    flows: pl.DataFrame,
    runs: pl.DataFrame,
    steady: dict,
    nru: dict,
    weights: Sequence[dict[str, pl.DataFrame]] | None = None,
) -> pl.DataFrame:
    """Return the run metrics under other warm-ups, NRU floors and weights than the default's.

    Args:
        samples, flows, runs: the tables of a data set, `runs` with their windows; or of a part.
        steady: sensitivity_warmup_s, seconds.
        nru: weight_from, floor_segments and sensitivity_floor_segments.
        weights: of all parts (`sensitivity_weights`), where the tables are of one.

    Returns:
        run_id, parameter ('warmup_s', 'warmup_mser5', 'floor_segments', 'weight_from'), value,
        the columns of `run_metric`, flow_nru_db_flow2 and warmup_s. For 'warmup_mser5' the warm-up
        is MSER-5's estimate, the longest of the run's flows, and value is null.
    """
    tables = []
    for i, (these, cases) in enumerate(_plans(samples, flows, runs, steady, nru)):
        window = steady_state(samples, these)
        means = mean_throughput(window)
        for parameter, value, floor_segments, of_weight in cases:
            weight = weights[i][of_weight] if weights else None
            if weight is None:
                weight = calibration_weights(means, flows, these, of_weight)
            levels = flow_nru(window, flows, these, weight, floor_segments)
            per_flow = (
                with_cross_traffic(flows)
                .join(means, on=FLOW, how="left")
                .join(levels, on=FLOW, how="left")
            )
            second = per_flow.filter(pl.col("flow_id") == 2).select(
                "run_id", pl.col("flow_nru_db").alias("flow_nru_db_flow2")
            )
            tables.append(
                run_metrics(per_flow, these)
                .join(second, on="run_id", how="left")
                .join(these.select("run_id", "warmup_s"), on="run_id")
                .select(
                    pl.lit(parameter).alias("parameter"),
                    pl.lit(value, dtype=pl.String).alias("value"),
                    pl.all(),
                )
            )
    return pl.concat(tables).sort("parameter", "value", "run_id", nulls_last=True)


def sensitivity_means(
    samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, steady: dict, nru: dict
) -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """Return the flows' means in each steady state of `sensitivity_table`, and the runs with it."""
    plans = _plans(samples, flows, runs, steady, nru)
    return [(mean_throughput(steady_state(samples, these)), these) for these, _ in plans]


def sensitivity_weights(
    means: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Return the weights of one steady state, by where they are from; all tables of all parts."""
    return {w: calibration_weights(means, flows, runs, w) for w in ("flow2", "all")}


def _plans(
    samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, steady: dict, nru: dict
) -> list[tuple[pl.DataFrame, list[tuple]]]:
    """Return steady states, and for each what is computed: parameter, value, NRU floor, weight."""
    floor, weight_from = nru["floor_segments"], nru["weight_from"]
    plans = [
        (runs.with_columns(warmup_s=pl.lit(float(w))), [("warmup_s", str(w), floor, weight_from)])
        for w in steady["sensitivity_warmup_s"]
    ]
    floors = nru["sensitivity_floor_segments"]
    of_nru = [
        *(("floor_segments", str(f), f, weight_from) for f in floors),
        *(("weight_from", w, floor, w) for w in ("flow2", "all")),
    ]
    mser5 = mser5_warmup(samples, flows, runs)
    return [*plans, (runs, of_nru), (mser5, [("warmup_mser5", None, floor, weight_from)])]


def mser5_warmup(samples: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Give every run the warm-up that MSER-5 finds, the longest of its flows, counted from the
    last flow's start: before it there is no competition."""
    flows = compared(flows)
    last_start = flows.group_by("run_id").agg(pl.col("start_s").max())
    competing = (
        samples.join(flows.select(FLOW), on=FLOW, how="semi")
        .join(last_start, on="run_id")
        .filter(pl.col("t_start_s") >= pl.col("start_s"))
        .sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
        .agg("throughput_bps", "t_end_s")
    )
    cuts = [
        mser5_cutoff(throughput.to_numpy()) if len(throughput) >= 10 else 0
        for throughput in competing["throughput_bps"]
    ]
    found = (
        competing.with_columns(pl.Series("cut", cuts, dtype=pl.Int64))
        .group_by("run_id")
        .agg(pl.col("t_end_s").list.get(pl.col("cut")).max().alias("warmup_s"))
    )
    return runs.drop("warmup_s").join(found, on="run_id")
