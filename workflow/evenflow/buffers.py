"""hstcp-buffers: what flows make of one bottleneck, by its buffer; the model beside it.

A run's place is its link (bandwidth, number of flows), queue management, TCP implementation and
buffer, the last as the paper's fraction of the largest buffer (factor `buffer_fraction`).
"""

from __future__ import annotations

import json

import numpy as np
import polars as pl

from .charts.theme import SOURCES
from .errors import DataError
from .hstcp_model import FixedPoint, fixed_point, readings_of
from .metrics.windows import TOLERANCE_S, mser5_cutoff
from .statistics.repeats import cell_statistics, cut_intervals

HEADER_BYTES = 52  # TCP/IP and timestamps, as in workflow/queries/run.sql
LINK = ["bottleneck_bps", "n_flows", "aqm"]
PLACE = [*LINK, "implementation", "fraction"]
SLOW = "-slow"  # of an implementation whose senders' links are slower than the bottleneck
RANK = pl.col("implementation").replace_strict(
    {name: i for i, name in enumerate(SOURCES)}, default=len(SOURCES), return_dtype=pl.Int64
)  # the order that implementations are listed in
METRICS = ("utilisation", "goodput_share", "loss_rate", "cut_rate", "queue_share", "jfi")
AQMS = {"droptail": "DropTail", "red": "RED"}


def link_name(bottleneck_bps: float) -> str:
    """Return a link's bandwidth in print: '2.5 Gb/s'."""
    return f"{bottleneck_bps / 1e9:g} Gb/s"


def queue_name(aqm: str) -> str:
    """Return a queue management's name in print."""
    return AQMS.get(aqm, aqm)


def places_of(*tables: pl.DataFrame) -> list[tuple[float, str]]:
    """Return the links and queues, (bottleneck_bps, aqm), of tables with these columns, in order.

    DropTail first, then by bandwidth.
    """
    found = {row for table in tables for row in table.select("bottleneck_bps", "aqm").rows()}
    return sorted(found, key=lambda place: (list(AQMS).index(place[1]), place[0]))


def placed_runs(runs: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """Return the place of every run.

    Args:
        runs, flows: the tables `run` and `flow`.

    Returns:
        run_id, scenario_id, bottleneck_bps, n_flows, aqm, implementation ('' where the run does not
        say; with '-slow' where the factor access_mbps is below the bottleneck's bandwidth),
        fraction, k (buffer in packets), packet_bytes.

    Raises:
        DataError: a run without bandwidth, buffer or `buffer_fraction`.
    """
    factors = [json.loads(text or "{}") for text in runs["factors"]]
    segment = flows.group_by("run_id").agg(pl.col("mss_bytes").first())
    placed = (
        runs.with_columns(
            pl.Series("implementation", [str(f.get("implementation", "")) for f in factors]),
            pl.Series("access_bps", [_number(f.get("access_mbps")) for f in factors], pl.Float64)
            * 1e6,
            pl.Series("fraction", [_number(f.get("buffer_fraction")) for f in factors], pl.Float64),
        )
        .with_columns(
            pl.when(pl.col("access_bps") < pl.col("bottleneck_bps"))
            .then(pl.col("implementation") + SLOW)
            .otherwise("implementation")
            .alias("implementation")
        )
        .join(segment, on="run_id", how="left")
        .with_columns((pl.col("mss_bytes") + HEADER_BYTES).cast(pl.Int64).alias("packet_bytes"))
        .with_columns(
            (pl.col("buffer_bytes") / pl.col("packet_bytes")).round().cast(pl.Int64).alias("k")
        )
    )
    for column, key in (
        ("bottleneck_bps", "bottleneck_mbps"),
        ("k", "buffer_packets and mss_bytes"),
        ("aqm", "aqm"),
        ("fraction", "the factor buffer_fraction"),
    ):
        lacking = placed.filter(pl.col(column).is_null())["run_id"]
        if len(lacking):
            remedy = f"give {key} in its run record, its path or runs.csv (docs/data-model.md)"
            raise DataError(f"run '{lacking[0]}' does not say its {column}", remedy=remedy)
    return placed.select("run_id", "scenario_id", *PLACE, "k", "packet_bytes").sort("run_id")


def _number(value: object) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


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
        .group_by("run_id")
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
        .group_by("run_id")
        .agg(pl.col("fell").sum(), pl.col("bytes").sum(), pl.col("cwnd_bytes").count())
        .join(placed.select("run_id", "packet_bytes"), on="run_id")
        .filter(pl.col("cwnd_bytes") > 0, pl.col("bytes") > 0)
        .select("run_id", (pl.col("fell") * segment / pl.col("bytes")).alias("cut_rate"))
    )


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
    places = placed.select("scenario_id", *PLACE, "k").unique("scenario_id")
    most = pl.max_horizontal(1.0, "mean")  # the queue's counters have a packet's width
    return (
        cut_intervals(cell_statistics(values, confidence), pl.lit(0.0), most)
        .join(places, on="scenario_id")
        .select(*PLACE, "k", pl.exclude(*PLACE, "k"))
        .sort(*PLACE, "metric")
    )


def flow_rtts(flows: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Return bottleneck_bps, n_flows, rtt_s: the list of a link's round-trip times, sorted.

    Raises:
        DataError: runs of one link have different round-trip times.
    """
    lists = (
        flows.sort("run_id", "base_rtt_s")
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("base_rtt_s").alias("rtt_s"))
        .join(placed.select("run_id", "bottleneck_bps", "n_flows"), on="run_id")
    )
    found = lists.select("bottleneck_bps", "n_flows", "rtt_s").unique().sort(pl.all())
    twice = found.filter(pl.struct("bottleneck_bps", "n_flows").is_duplicated())
    if len(twice):
        rate = f"{twice['bottleneck_bps'][0] / 1e6:g} Mb/s, {twice['n_flows'][0]} flows"
        remedy = "give runs of one link and number of flows the same round-trip times"
        raise DataError(f"runs of {rate} have different round-trip times", remedy=remedy)
    return found


def model_points(places: pl.DataFrame) -> pl.DataFrame:
    """Evaluate the model in every reading.

    Args:
        places: bottleneck_bps, n_flows, aqm, fraction, k, packet_bytes, rtt_s (list: of the flows).

    Returns:
        LINK, fraction, k, reading, and of the fixed point load, loss_rate, utilisation,
        queue_packets; null where a reading has none.
    """
    keys = [*LINK, "fraction", "k"]
    rows = []
    for row in places.unique(keys).sort(keys).rows(named=True):
        capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
        for name, model in readings_of(row["aqm"]).items():
            try:
                point = fixed_point(capacity_pps, row["k"], row["rtt_s"], row["aqm"], model)
            except ValueError:  # no fixed point: the queue and the reading are known ones
                point = FixedPoint(None, None, None, None)
            rows.append({key: row[key] for key in keys} | {"reading": name} | point._asdict())
    schema = dict.fromkeys(FixedPoint._fields, pl.Float64)
    if not rows:
        return pl.DataFrame(schema=places.select(keys).schema | {"reading": pl.String} | schema)
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def configured_places(settings: dict) -> pl.DataFrame:
    """Return the places that the model's curves are drawn through.

    Args:
        settings: `hstcp_buffers` of config.yaml: packet_bytes, fractions, and links with
            bottleneck_mbps, n_flows, rtt_ms (shortest, longest), full_buffer_packets.
    """
    rows = [
        {
            "bottleneck_bps": link["bottleneck_mbps"] * 1e6,
            "n_flows": link["n_flows"],
            "aqm": aqm,
            "fraction": float(fraction),
            "k": max(1, round(fraction * link["full_buffer_packets"])),
            "packet_bytes": settings["packet_bytes"],
            "rtt_s": (np.linspace(*link["rtt_ms"], link["n_flows"]) / 1000).tolist(),
        }
        for link in settings["links"]
        for aqm in ("droptail", "red")
        for fraction in settings["fractions"]
    ]
    return pl.DataFrame(rows)


def many_flows(table: pl.DataFrame) -> pl.DataFrame:
    """Select the links that many flows share; the runs of two flows are Figures 5 and 6."""
    return table.filter(pl.col("n_flows") > 2)


def two_flow_examples(placed: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """Return the first repeat of every buffer and implementation of two flows.

    Returns:
        PLACE, run_id, k, and rtts: the flows' names in the order of flow_id ('80 ms', '40 ms').
    """
    names = (
        flows.sort("run_id", "flow_id")
        .group_by("run_id", maintain_order=True)
        .agg(pl.format("RTT {} ms", (pl.col("base_rtt_s") * 1000).round(3)).alias("rtts"))
        .with_columns(pl.col("rtts").list.eval(pl.element().str.replace(r"\.0 ms", " ms")))
    )
    return (
        placed.filter(pl.col("n_flows") == 2)
        .sort("run_id")
        .unique(PLACE, keep="first", maintain_order=True)
        .join(names, on="run_id")
        .select(*PLACE, "run_id", "k", "rtts")
        .sort(RANK, "fraction", "bottleneck_bps")
    )


def model_errors(cells: pl.DataFrame, rtts: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Set the model, in every reading, beside the cells of the link's utilisation and loss rate.

    Args:
        cells: result of `buffer_cells`.
        rtts: result of `flow_rtts`.
        placed: bottleneck_bps, packet_bytes of the runs.

    Returns:
        PLACE, k, metric (utilisation, loss_rate), reading, measured, ci_low, ci_high, n, model,
        error (measured - model).
    """
    measured = cells.filter(pl.col("metric").is_in(["utilisation", "loss_rate"]))
    places = measured.select(*LINK, "fraction", "k").unique().join(rtts, on=LINK[:2])
    sizes = placed.select("bottleneck_bps", "packet_bytes").unique("bottleneck_bps")
    points = model_points(places.join(sizes, on="bottleneck_bps"))
    model = points.unpivot(
        ["utilisation", "loss_rate"],
        index=[*LINK, "fraction", "k", "reading"],
        variable_name="metric",
        value_name="model",
    )
    return (
        measured.rename({"mean": "measured"})
        .join(model, on=[*LINK, "fraction", "k", "metric"])
        .select(*PLACE, "k", "metric", "reading", "measured", "ci_low", "ci_high", "n", "model")
        .with_columns((pl.col("measured") - pl.col("model")).alias("error"))
        .sort(*PLACE, "metric", "reading")
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
