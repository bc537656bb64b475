"""The tables of hstcp-buffers: what flows make of one bottleneck, by its buffer."""

from __future__ import annotations

import numpy as np
import polars as pl
from evenflow.evidence.runs import gathered, run_ref, together
from evenflow.metrics.windows import TOLERANCE_S, in_window, mser5_cutoff
from evenflow.packets import HEADER_BYTES
from evenflow.papers import paper
from evenflow.statistics.repeats import cell_statistics, cut_intervals

from .design import AQMS, LINK, PART, PLACE, flow_shares, many_flows, placed_runs
from .highspeed import RFC3649

METRICS = ("utilisation", "goodput_share", "loss_rate", "cut_rate", "queue_share", "jfi")


def link_metrics(
    queue: pl.DataFrame, samples: pl.DataFrame, runs: pl.DataFrame, placed: pl.DataFrame
) -> pl.DataFrame:
    """Return what every run made of its bottleneck in the steady state.

    Args:
        queue, samples: the tables `queue_sample` and `sample`.
        runs: run_id, warmup_s, end_s (null: the log's end).
        placed: result of `placed_runs`.

    Returns:
        run_id and, null where the log has no two lines in the window:
        utilisation: packets that left the queue over those that the link can carry; packets are of
        the size that the queue held (bytes over packets), of packet_bytes where it held none;
        loss_rate: packets dropped over packets that arrived; n_arrived, n_dropped;
        queue_packets, queue_share: mean queue, and over the buffer;
        cut_rate: intervals in which a flow's window fell over packets that the flows delivered, the
        rate at which flows noticed loss (several cuts within an interval count as one).
    """
    edges = runs.select("run_id", "warmup_s", "end_s")
    inside = _within(queue, pl.col("t_s"), edges).sort("run_id", "t_s")
    counters = ("arrived_packets", "departed_packets", "dropped_packets")
    first, later = pl.col("t_s").rank("ordinal").over("run_id") == 1, pl.col("queue_packets")
    of_queue = (
        inside.with_columns(pl.when(~first).then(later).alias("mean_packets"))
        .group_by("run_id", maintain_order=True)
        .agg(
            (pl.col("t_s").last() - pl.col("t_s").first()).alias("length_s"),
            *(
                (pl.col(name).last() - pl.col(name).first()).cast(pl.Int64).alias(name)
                for name in counters
            ),
            pl.col("mean_packets").mean().alias("queue_packets"),
            (pl.col("queue_bytes").sum() / pl.col("queue_packets").sum()).alias("queued_bytes"),
        )
        .filter(pl.col("length_s") > 0)
    )
    size = pl.coalesce(
        pl.when(pl.col("queued_bytes").is_finite()).then(pl.col("queued_bytes")), "packet_bytes"
    )
    bits = pl.col("departed_packets") * size * 8
    arrived, dropped = pl.col("arrived_packets"), pl.col("dropped_packets")
    return (
        placed.select("run_id", "bottleneck_bps", "k", "packet_bytes")
        .join(of_queue, on="run_id", how="left")
        .join(window_cuts(samples, edges, placed), on="run_id", how="left")
        .select(
            "run_id",
            (bits / (pl.col("bottleneck_bps") * pl.col("length_s"))).alias("utilisation"),
            pl.when(arrived > 0).then(dropped / arrived).alias("loss_rate"),
            arrived.alias("n_arrived"),
            dropped.alias("n_dropped"),
            "queue_packets",
            (pl.col("queue_packets") / pl.col("k")).alias("queue_share"),
            "cut_rate",
            "length_s",
        )
        .sort("run_id")
    )


def window_cuts(samples: pl.DataFrame, edges: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, cut_rate: intervals in which a window fell, a packet delivered."""
    inside = _within(samples, pl.col("t_end_s"), edges).sort("run_id", "flow_id", "t_end_s")
    fell = pl.col("cwnd_bytes").diff().over("run_id", "flow_id") < 0
    segment = pl.col("packet_bytes") - HEADER_BYTES
    return (
        inside.with_columns(fell.alias("fell"))
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("fell").sum(), pl.col("bytes").sum(), pl.col("cwnd_bytes").count())
        .join(placed.select("run_id", "packet_bytes"), on="run_id")
        .filter(pl.col("cwnd_bytes") > 0, pl.col("bytes") > 0)
        .select("run_id", (pl.col("fell") * segment / pl.col("bytes")).alias("cut_rate"))
    )


def flow_dynamics(samples: pl.DataFrame, edges: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Return what the flows of every run did in the steady state.

    Args:
        samples: the table `sample`; intervals of a run are equally long.
        edges, placed: see `window_cuts`.

    Returns:
        run_id; standard_share: share of the flows' time with a window of at most w_low, where
        HighSpeed TCP is standard TCP, by the window at the end of each interval; null without
        windows; drift: the most that a flow's share of the traffic differs between the two halves
        of the window, null where a half has no traffic.
    """
    segment = (pl.col("packet_bytes") - HEADER_BYTES).cast(pl.Float64)
    inside = _within(samples, pl.col("t_end_s"), edges).join(
        placed.select("run_id", "packet_bytes"), on="run_id"
    )
    standard = (
        inside.drop_nulls("cwnd_bytes")
        .group_by("run_id", maintain_order=True)
        .agg((pl.col("cwnd_bytes") / segment <= RFC3649.w_low).mean().alias("standard_share"))
    )
    middle = (pl.col("t_end_s").min() + pl.col("t_end_s").max()).over("run_id") / 2
    halves = (
        inside.with_columns((pl.col("t_end_s") > middle).alias("second"))
        .group_by("run_id", "flow_id", maintain_order=True)
        .agg(
            pl.col("bytes").filter("second").sum().alias("late"),
            pl.col("bytes").filter(~pl.col("second")).sum().alias("early"),
        )
    )
    shares = (pl.col(half) / pl.col(half).sum().over("run_id") for half in ("late", "early"))
    late, early = shares
    drift = (
        halves.with_columns((late - early).abs().alias("drift"))
        .group_by("run_id", maintain_order=True)
        .agg(pl.when(pl.col("drift").is_finite().all()).then(pl.col("drift").max()))
    )
    return standard.join(drift, on="run_id", how="full", coalesce=True).sort("run_id")


def _within(table: pl.DataFrame, time: pl.Expr, edges: pl.DataFrame) -> pl.DataFrame:
    """Select the rows of the steady state, by their time on the run's clock."""
    return table.join(edges, on="run_id").filter(
        time >= pl.col("warmup_s") - TOLERANCE_S,
        time <= pl.col("end_s").fill_null(float("inf")) + TOLERANCE_S,
    )


def buffer_cells(metrics: pl.DataFrame, placed: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return mean and interval over the repeats of every place and metric.

    Args:
        metrics: run_id and METRICS (those that it has); null values are left out.
        placed: result of `placed_runs`.
        confidence: of the intervals.

    Returns:
        PLACE, k, and what `statistics.cell_statistics` gives, sorted. All metrics are shares: an
        interval that reaches beyond 0 or 1 ends there (`statistics.cut_intervals`).
    """
    names = [name for name in METRICS if name in metrics.columns]
    values = metrics.unpivot(names, index="run_id", variable_name="metric")
    values = values.join(placed.select("run_id", "scenario_id"), on="run_id")
    places = placed.select("scenario_id", *PLACE, "k").unique("scenario_id", maintain_order=True)
    most = pl.max_horizontal(1.0, "mean")  # the queue's counters have a packet's width
    return (
        cut_intervals(cell_statistics(values, confidence), pl.lit(0.0), most)
        .join(places, on="scenario_id")
        .select(*PLACE, "k", pl.exclude(*PLACE, "k"))
        .sort(*PLACE, "metric")
    )


def warmup_sensitivity(
    queue: pl.DataFrame,
    samples: pl.DataFrame,
    runs: pl.DataFrame,
    placed: pl.DataFrame,
    warmups_s: list[float],
) -> pl.DataFrame:
    """Return utilisation and loss rate of every run with other starts of the steady state.

    Args:
        queue, samples, runs, placed: see `link_metrics`.
        warmups_s: starts on the run's clock, seconds; one at or after a run's end is left out of
            it.

    Returns:
        run_id, start ('50', ..., or 'MSER-5': the estimate from the run's own utilisation),
        warmup_s, utilisation, loss_rate.
    """
    estimated = mser5_start(queue, runs)
    tables = []
    for start, warmup in [*((f"{w:g}", w) for w in warmups_s), ("MSER-5", None)]:
        these = (
            runs.select("run_id", "end_s").join(estimated, on="run_id")
            if warmup is None
            else runs.select("run_id", "end_s", pl.lit(float(warmup)).alias("warmup_s"))
        )
        found = link_metrics(queue, samples, these, placed).drop_nulls("utilisation")
        tables.append(
            found.join(these.select("run_id", "warmup_s"), on="run_id").select(
                "run_id", pl.lit(start).alias("start"), "warmup_s", "utilisation", "loss_rate"
            )
        )
    return pl.concat(tables).sort("run_id", "warmup_s", "start")


def mser5_start(queue: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, warmup_s: MSER-5's estimate from the packets that leave the queue."""
    departed = (
        queue.join(runs.select("run_id", "end_s"), on="run_id")
        .filter(pl.col("t_s") <= pl.col("end_s").fill_null(float("inf")) + TOLERANCE_S)
        .sort("run_id", "t_s")
        .group_by("run_id", maintain_order=True)
        .agg("t_s", pl.col("departed_packets").diff().alias("departed"))
    )
    rows = []
    for run_id, times, counts in departed.rows():
        series = np.array(counts[1:], float)
        cut = mser5_cutoff(series) if len(series) >= 10 else 0
        rows.append((run_id, times[cut]))
    return pl.DataFrame(rows, schema={"run_id": pl.String, "warmup_s": pl.Float64}, orient="row")


# ---- tables of the paper ----


@paper.metric
def link_metric(run, flow, window, queue_sample, sample, run_metric) -> pl.DataFrame:
    """Return what every run made of its bottleneck, with its place."""
    runs, placed = in_window(run, window), placed_runs(run, flow)
    shares = run_metric.select("run_id", "jfi", pl.col("utilisation").alias("goodput_share"))
    samples, edges = sample.collect(), runs.select("run_id", "warmup_s", "end_s")
    found = link_metrics(queue_sample.collect(), samples, runs, placed)
    return (
        placed.join(found, on="run_id")
        .join(flow_dynamics(samples, edges, placed), on="run_id", how="left")
        .join(shares, on="run_id", how="left")
        .join(runs.select("run_id", "repeat", "warmup_s"), on="run_id")
        .sort("run_id")
    )


@paper.metric(runs=True)
def buffer_cell(link_metric, confidence) -> pl.DataFrame:
    """Return mean and interval over the repeats, by link, queue, TCP and buffer."""
    cells = buffer_cells(link_metric, link_metric, confidence)
    return cells.join(cell_runs(link_metric), on=["scenario_id", "metric"], how="left")


def cell_runs(link: pl.DataFrame) -> pl.DataFrame:
    """Return scenario_id, metric, runs: the runs of a cell that have the metric."""
    names = [name for name in METRICS if name in link.columns]
    values = link.unpivot(names, index=["scenario_id", "run_id"], variable_name="metric")
    return (
        values.drop_nulls("value")
        .group_by("scenario_id", "metric", maintain_order=True)
        .agg(gathered(run_ref(PART)).alias("runs"))
    )


@paper.metric(runs=True)
def red_pair(buffer_cell) -> pl.DataFrame:
    """Return RED's utilisation beside DropTail's in the same cell; more_points: RED's less."""
    used = many_flows(buffer_cell).filter(pl.col("metric") == "utilisation")
    keys = ["bottleneck_bps", "n_flows", "implementation", "fraction"]
    droptail, with_red = (
        used.filter(pl.col("aqm") == aqm).select(
            *keys, pl.col("mean", "runs").name.suffix(f"_{aqm}")
        )
        for aqm in AQMS
    )
    more = 100 * (pl.col("mean_red") - pl.col("mean_droptail"))
    pairs = droptail.join(with_red, on=keys).sort(keys)
    runs = {"runs": together("runs_droptail", "runs_red")}
    return pairs.with_columns(more_points=more, **runs).rename({f"mean_{aqm}": aqm for aqm in AQMS})


@paper.metric
def flow_share(link_metric, flow, flow_metric, shares_at) -> pl.DataFrame:
    """Return the throughput of each flow at one link and buffer (`design.flow_shares`)."""
    return flow_shares(link_metric, flow, flow_metric, shares_at)


@paper.metric
def buffer_sensitivity(link_metric, window, queue_sample, sample, warmups_s) -> pl.DataFrame:
    """Return utilisation and loss rate of every run with other starts of the steady state.

    moved: by how much its utilisation is larger than with the start taken.
    """
    placed = link_metric.drop("warmup_s")
    queue, samples = queue_sample.collect(), sample.collect()
    found = warmup_sensitivity(queue, samples, window, placed, warmups_s)
    places = placed.select("run_id", *LINK, kept="utilisation")
    found = found.join(places, on="run_id").sort("run_id", "warmup_s", "start")
    return found.with_columns(moved=pl.col("utilisation") - pl.col("kept")).drop("kept")
