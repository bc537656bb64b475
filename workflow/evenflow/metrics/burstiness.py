"""Burstiness of losses and arrivals at a bottleneck: drop events, BPDD, P, CoV, time above.

The metrics of Lee, Hespanha, Bohacek and Obraczka, *A study of TCP fairness in high-speed networks*
(section III), here LHBO. Foreground are the flows of the table `flow`, background is everything
else that arrives at the bottleneck.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ..errors import DataError
from ..packets import HEADER_BYTES
from .fairness import compared

TOLERANCE_S = 1e-6  # times are printed to 1 us
ROUNDING_S = 1e-9  # of differences of such times as floating-point numbers
DROP_FORMATS = ["ns2-trace"]  # formats of logs that hold drops

LOSSES = ("losses", "foreground_losses", "background_losses")
BURST_METRIC = [
    *("run_id", "gap_s", "window_s", "n_flows", "n_events", *LOSSES, "event_interval_s"),
    *("bpdd", "bpdd_sd", "bpdd_foreground", "bpdd_background", "p", "p_foreground"),
    *(
        "flows_losing",
        "n_events_timed",
        "time_above_s",
        "queue_limit_packets",
        "bin_s",
        "cov",
        "cov_background",
    ),
]
ARRIVAL_COV = {
    "run_id": pl.String,
    "bin_s": pl.Float64,
    "n_bins": pl.Int64,
    "mean_packets": pl.Float64,
    "cov": pl.Float64,
    "mean_background_packets": pl.Float64,
    "cov_background": pl.Float64,
}


def event_number(t_s: pl.Expr, gap_s: pl.Expr) -> pl.Expr:
    """Return the number (1, 2, ...) of the drop event that each drop belongs to.

    Drops less than a gap apart belong to one event. The paper speaks of 'each drop event' and names
    no gap (section III).

    Args:
        t_s: times of the drops, rising, seconds.
        gap_s: the gap, seconds.
    """
    return (t_s.diff() >= gap_s - ROUNDING_S).fill_null(False).cum_sum().cast(pl.Int32) + 1


def default_gaps(flows: pl.DataFrame) -> pl.DataFrame:
    """Return the gap of each run's drop events: the longest base RTT of its foreground flows.

    A sender learns of a loss and slows down within a round-trip time; drops that are closer cannot
    be a second response to congestion.

    Args:
        flows: the table `flow`.

    Returns:
        run_id, gap_s.

    Raises:
        DataError: nothing says the RTT of a flow.
    """
    flows = compared(flows)
    unknown = flows.filter(pl.col("base_rtt_s").is_null()).sort("run_id", "flow_id").head(1)
    for run_id, flow_id in unknown.select("run_id", "flow_id").rows():
        problem = f"nothing says the round-trip time of flow {flow_id}, the gap of drop events"
        remedy = "add rtt_ms (to its run record, or in dataset.yml under 'flows:')"
        raise DataError(problem, path=run_id, remedy=remedy)
    return flows.group_by("run_id").agg(gap_s=pl.col("base_rtt_s").max()).sort("run_id")


def drop_events(
    drops: pl.DataFrame, flows: pl.DataFrame, gaps: pl.DataFrame, windows: pl.DataFrame
) -> pl.DataFrame:
    """Return the drop events that begin in the steady state.

    Events are found among all drops, so that each drop belongs to one whatever the window.

    Args:
        drops: the table `packet_drop`: run_id, t_s, flow_id (null: not a foreground flow's).
        flows: the table `flow`; drops of all other flows are background traffic's.
        gaps: run_id, gap_s.
        windows: run_id, warmup_s, end_s (null: the log's end).

    Returns:
        run_id, event (from 1), t_start_s, t_end_s, losses, foreground_losses, background_losses,
        foreground_flows_losing; one row an event.
    """
    foreground = flows.select("run_id", "flow_id", foreground=pl.lit(True))
    flow_id = pl.col("flow_id").filter("foreground")
    return (
        drops.select("run_id", "t_s", "flow_id")
        .join(foreground, on=["run_id", "flow_id"], how="left")
        .with_columns(pl.col("foreground").fill_null(False))
        .join(gaps.select("run_id", "gap_s"), on="run_id")
        .sort("run_id", "t_s")
        .with_columns(event=event_number(pl.col("t_s"), pl.col("gap_s")).over("run_id"))
        .group_by("run_id", "event")
        .agg(
            t_start_s=pl.col("t_s").min(),
            t_end_s=pl.col("t_s").max(),
            losses=pl.len().cast(pl.Int64),
            foreground_losses=pl.col("foreground").sum().cast(pl.Int64),
            background_losses=(~pl.col("foreground")).sum().cast(pl.Int64),
            foreground_flows_losing=flow_id.n_unique().cast(pl.Int32),
        )
        .join(windows.select("run_id", "warmup_s", "end_s"), on="run_id")
        .filter(
            pl.col("t_start_s") >= pl.col("warmup_s"),
            pl.col("t_start_s") < pl.col("end_s").fill_null(float("inf")),
        )
        .sort("run_id", "t_start_s")
        .with_columns(event=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("run_id"))
        .drop("warmup_s", "end_s")
    )


EVENT_METRICS = {
    "n_events": pl.col("losses").drop_nulls().len().cast(pl.Int64),
    "bpdd": pl.col("losses").mean(),
    "bpdd_foreground": pl.col("foreground_losses").mean(),
    "bpdd_background": pl.col("background_losses").mean(),
    "p": pl.col("share").mean(),
    "p_foreground": pl.col("share").filter(pl.col("share") > 0).mean(),
    "flows_losing": pl.col("foreground_flows_losing").mean(),
}


def event_metrics(events: pl.DataFrame, flows: pl.DataFrame, **more: pl.Expr) -> pl.DataFrame:
    """Return BPDD and P of every run that has foreground flows.

    BPDD is the mean number of losses a drop event, 'both in foreground and background traffic'; P
    the mean share of the foreground flows with at least one loss (section III). The paper's text on
    Figure 1 gives P as a number of flows: flows_losing. Whether an event that only hits background
    traffic counts the paper does not say: in `p` it does, with a share of 0; in `p_foreground` not.

    Args:
        events: result of `drop_events`.
        flows: the table `flow`.
        more: other metrics, as expressions of the events' columns.

    Returns:
        run_id, n_flows, EVENT_METRICS and `more`; all but n_events null for a run without an event.
    """
    n_flows = flows.group_by("run_id", maintain_order=True).agg(n_flows=pl.len().cast(pl.Int32))
    return (
        n_flows.join(events, on="run_id", how="left")
        .sort("run_id", "event")
        .with_columns(share=pl.col("foreground_flows_losing") / pl.col("n_flows"))
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("n_flows").first(), **EVENT_METRICS, **more)
    )


def gap_sensitivity(
    drops: pl.DataFrame,
    flows: pl.DataFrame,
    windows: pl.DataFrame,
    gaps_s: list[float],
) -> pl.DataFrame:
    """Return the table `burst_sensitivity`: BPDD and P with the default gap and with others.

    Args:
        drops, flows, windows: as for `drop_events`.
        gaps_s: other gaps, seconds.
    """
    default = default_gaps(flows)
    cases = [default.with_columns(is_default=pl.lit(True))]
    cases += [
        default.with_columns(gap_s=pl.lit(float(gap_s)), is_default=pl.lit(False))
        for gap_s in gaps_s
    ]
    tables = [
        case.join(event_metrics(drop_events(drops, flows, case, windows), flows), on="run_id")
        for case in cases
    ]
    return (
        pl.concat(tables)
        .sort("run_id", "gap_s", "is_default", descending=[False, False, True])
        .unique(["run_id", "gap_s"], keep="first", maintain_order=True)
        .drop("n_flows")
    )


def coefficient_of_variation(packets: pl.Expr) -> pl.Expr:
    """Return the CoV of counts, standard deviation (n - 1) / mean; null where the mean is 0.

    LHBO, section III: of the 'number of packets arriving at a bottleneck router' in
    intervals of 5 ms.
    """
    return pl.when(packets.mean() > 0).then(packets.std() / packets.mean())


def arrival_cov(bins: pl.DataFrame, widths_s: list[float]) -> pl.DataFrame:
    """Return the CoV of the arrivals of one run, in bins of several widths.

    Args:
        bins: rows of the table `arrival` of the run and its steady state, in order of time.
        widths_s: widths, seconds, multiples of that of `bins`, which is always added.

    Returns:
        bin_s and the other columns of ARRIVAL_COV but run_id; no row where there is no bin. Wider
        bins count from the first one; a last one that is not whole is left out.

    Raises:
        DataError: a width is no multiple of the log's.
    """
    if bins.is_empty():
        return pl.DataFrame(schema={k: v for k, v in ARRIVAL_COV.items() if k != "run_id"})
    log_s = round(bins["t_end_s"][0] - bins["t_start_s"][0], 9)
    index = (pl.col("t_start_s") / log_s).round().cast(pl.Int64)
    counted = bins.select(
        index - index.first(), all="arrived_packets", background="background_packets"
    )
    tables = []
    for width_s in sorted({log_s, *map(float, widths_s)}):
        times = round(width_s / log_s)
        if times < 1 or abs(times * log_s - width_s) > TOLERANCE_S:
            problem = f"{width_s:g} s is not a multiple of the logs' bins of {log_s:g} s"
            remedy = "correct burstiness.bin_s in config.yaml"
            raise DataError(problem, remedy=remedy)
        wide = (
            counted.group_by(pl.col("t_start_s") // times)
            .agg(pl.col("all", "background").sum(), n=pl.len())
            .filter(pl.col("n") == times)
            .sort("t_start_s")
        )
        tables.append(
            wide.select(
                bin_s=pl.lit(width_s),
                n_bins=pl.len().cast(pl.Int64),
                mean_packets=pl.col("all").mean(),
                cov=coefficient_of_variation(pl.col("all")),
                mean_background_packets=pl.col("background").mean(),
                cov_background=coefficient_of_variation(pl.col("background")),
            ).filter(pl.col("n_bins") > 0)
        )
    return pl.concat(tables)


def queue_limits(runs: pl.DataFrame, flows: pl.DataFrame, bins: pl.LazyFrame) -> pl.DataFrame:
    """Return how many packets the bottleneck's queue holds.

    The buffer in packets where that is what the data set gives; else in full packets (mss_bytes and
    headers); or the longest queue seen, if that is more.

    Args:
        runs, flows: the tables `run` and `flow`.
        bins: the table `arrival`.

    Returns:
        run_id, queue_limit_packets.
    """
    packet = flows.group_by("run_id", maintain_order=True).agg(
        packet=pl.col("mss_bytes").max() + HEADER_BYTES
    )
    longest = pl.col("queue_packets").max().cast(pl.Float64)
    peak = bins.group_by("run_id").agg(peak=longest).sort("run_id")
    buffer = pl.coalesce(
        pl.col("buffer_packets").cast(pl.Float64), pl.col("buffer_bytes") / pl.col("packet")
    )
    return (
        runs.select("run_id", "buffer_bytes", "buffer_packets")
        .join(packet, on="run_id", how="left")
        .join(peak.collect(), on="run_id", how="left")
        .select("run_id", queue_limit_packets=pl.max_horizontal(buffer, "peak"))
        .sort("run_id")
    )


def time_above(
    events: pl.DataFrame,
    bins: pl.DataFrame,
    threshold_packets: float,
    warmup_s: float,
    end_s: float | None,
) -> pl.DataFrame:
    """Return how long the queue of one run was above a threshold, for each of its drop events.

    LHBO, section II: 'the queue remains above 97.5% full roughly 1.5sec per congestion
    event'. A bin counts when the queue at its end is at the threshold or above it, and it counts
    for the event that is nearest to its begin: an event has the time from halfway to the one before
    until halfway to the next, so that the mean over the events is the time above in the window over
    the number of events. Events of whose time a part has no bins are left out (null).

    Args:
        events: drop events of the run, in order: event, t_start_s, t_end_s.
        bins: rows of the table `arrival` of the run and its steady state, without gaps.
        threshold_packets: packets.
        warmup_s, end_s: the steady state, seconds (end null: the end of the bins).

    Returns:
        event, time_above_s.
    """
    if bins.is_empty() or events.is_empty():
        return events.select("event", time_above_s=pl.lit(None, pl.Float64))
    first_s, last_s = bins["t_start_s"].min(), bins["t_end_s"].max()
    slack_s = bins["t_end_s"][0] - bins["t_start_s"][0]
    halfway = (pl.col("t_start_s") + pl.col("t_end_s").shift(1)) / 2
    shares = events.sort("event").select("event", since_s=halfway.fill_null(warmup_s - TOLERANCE_S))
    until_s = pl.col("since_s").shift(-1).fill_null(last_s if end_s is None else end_s)
    covered = (pl.col("since_s") >= first_s - slack_s) & (until_s <= last_s + slack_s)
    above = (
        bins.filter(pl.col("queue_packets") >= threshold_packets)
        .select(since_s="t_start_s", length=pl.col("t_end_s") - pl.col("t_start_s"))
        .sort("since_s")
        .join_asof(shares, on="since_s")
        .group_by("event", maintain_order=True)
        .agg(time_s=pl.col("length").sum())
    )
    return (
        shares.with_columns(covered=covered)
        .join(above, on="event", how="left")
        .select("event", time_above_s=pl.when("covered").then(pl.col("time_s").fill_null(0.0)))
        .sort("event")
    )


def bins_of_runs(bins: pl.LazyFrame, windows: pl.DataFrame) -> Iterator[tuple[dict, pl.DataFrame]]:
    """Read runs' windows and their bins, run by run: all together are too large for the memory.

    Args:
        bins: the table `arrival`.
        windows: run_id, warmup_s, end_s (null: the log's end).
    """
    windows = windows.select("run_id", "warmup_s", "end_s").sort("run_id")
    for run in windows.rows(named=True):
        inside = bins.filter(
            pl.col("run_id") == run["run_id"],
            pl.col("t_start_s") >= run["warmup_s"] - TOLERANCE_S,
            pl.col("t_end_s") <= pl.lit(run["end_s"]).fill_null(float("inf")) + TOLERANCE_S,
        )
        yield run, inside.collect()


def arrival_covs(bins: pl.LazyFrame, windows: pl.DataFrame, widths_s: list[float]) -> pl.DataFrame:
    """Return the table `arrival_cov`; see `arrival_cov` and `bins_of_runs`."""
    tables = [
        arrival_cov(inside, widths_s).select(pl.lit(run["run_id"]).alias("run_id"), pl.all())
        for run, inside in bins_of_runs(bins, windows)
    ]
    return pl.concat([pl.DataFrame(schema=ARRIVAL_COV), *tables])


def events_with_time_above(
    events: pl.DataFrame,
    bins: pl.LazyFrame,
    windows: pl.DataFrame,
    limits: pl.DataFrame,
    full_queue: float,
) -> pl.DataFrame:
    """Return the table `drop_event`: `drop_events` with `time_above`.

    Args:
        events: result of `drop_events`.
        bins, windows: as for `bins_of_runs`.
        limits: result of `queue_limits`.
        full_queue: share of the limit from which on the queue counts as full.
    """
    limit_of = dict(limits.rows())
    times = []
    for run, inside in bins_of_runs(bins, windows):
        of_run = events.filter(run_id=run["run_id"])
        threshold = full_queue * (limit_of[run["run_id"]] or float("inf"))
        found = time_above(of_run, inside, threshold, run["warmup_s"], run["end_s"])
        times.append(found.with_columns(run_id=pl.lit(run["run_id"])))
    return events.join(pl.concat(times), on=["run_id", "event"], how="left").sort("run_id", "event")


def refuse_without_drops(ledger: pl.DataFrame, runs: pl.DataFrame) -> None:
    """Refuse a data set that has a run without a log of drops: it would look like one without any.

    Args:
        ledger, runs: the tables `ledger` and `run`.
    """
    having = ledger.filter(pl.col("format").is_in(DROP_FORMATS), entry="file")["run_id"]
    for run_id in runs.filter(~pl.col("run_id").is_in(having.implode()))["run_id"].sort():
        remedy = "add the trace of its drops, or leave the data set out of the paper's role"
        raise DataError("no log says which packets were dropped", path=run_id, remedy=remedy)


def burst_metrics(
    events: pl.DataFrame,
    flows: pl.DataFrame,
    windows: pl.DataFrame,
    limits: pl.DataFrame,
    covs: pl.DataFrame,
) -> pl.DataFrame:
    """Return the table `burst_metric`.

    Args:
        events: the table `drop_event`.
        flows, windows: the table `flow`; run_id, warmup_s, end_s.
        limits: result of `queue_limits`.
        covs: the table `arrival_cov`; the narrowest bins are the log's.
    """
    counted = event_metrics(
        events,
        flows,
        **{name: pl.col(name).sum() for name in LOSSES},
        bpdd_sd=pl.col("losses").std(),
        n_events_timed=pl.col("time_above_s").drop_nulls().len().cast(pl.Int64),
        time_above_s=pl.col("time_above_s").mean(),
    )
    narrowest = covs.sort("run_id", "bin_s").unique("run_id", keep="first", maintain_order=True)
    window_s = pl.col("end_s") - pl.col("warmup_s")
    return (
        counted.join(default_gaps(flows), on="run_id")
        .join(windows.select("run_id", window_s=window_s), on="run_id")
        .join(limits, on="run_id", how="left")
        .join(narrowest, on="run_id", how="left")
        .with_columns(
            event_interval_s=pl.when(pl.col("n_events") > 0).then(
                pl.col("window_s") / pl.col("n_events")
            )
        )
        .select(BURST_METRIC)
        .sort("run_id")
    )
