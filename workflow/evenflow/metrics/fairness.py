"""Fairness metrics: Jain's index, throughput ratio, normalised resource usage (NRU)."""

from __future__ import annotations

import polars as pl

from ..packets import ASSUMED_MSS_BYTES

FLOW = ["run_id", "flow_id"]
PLACE = "place"  # the weight of an NRU is of the calibration's flow in the same place
OF_LEVEL = ["level_db", "n_floored_samples"]  # columns of `mean_levels`
# where a weight holds: all of a scenario but its role and its congestion controls
PATH = ["bottleneck_bps", "base_rtt_s", "buffer_bdp"]
CONDITIONS = ["aqm", "n_flows", "n_cross_traffic", "platform", "factors"]
CELL = [*PATH, *CONDITIONS, "mss_bytes"]


def compared(flows: pl.DataFrame) -> pl.DataFrame:
    """Return the flows whose fairness is measured: all but cross traffic.

    Args:
        flows: rows of flows; `cross_traffic` says which are (none where there is no such column).
    """
    return flows.filter(~_is_cross_traffic(flows))


def cross_traffic(flows: pl.DataFrame) -> pl.DataFrame:
    """Return the flows that are not compared."""
    return flows.filter(_is_cross_traffic(flows))


def of_tcp(flow: pl.DataFrame) -> pl.DataFrame:
    """Return the flows of TCP: all whose logs do not name another protocol."""
    if "protocol" not in flow.columns:
        return flow
    return flow.filter(pl.col("protocol").fill_null("tcp") == "tcp")


def _is_cross_traffic(flows: pl.DataFrame) -> pl.Expr:
    return pl.col("cross_traffic") if "cross_traffic" in flows.columns else pl.lit(False)


def is_opposite(flows: pl.DataFrame) -> pl.Expr:
    """Say of each flow whether it goes against those that are compared (`flow.opposite`).

    It crosses the bottleneck in neither their direction nor their queue.
    """
    return pl.col("opposite") if "opposite" in flows.columns else pl.lit(False)


def with_cross_traffic(flows: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, flow_id, cross_traffic and opposite of flows."""
    return flows.select(
        *FLOW,
        _is_cross_traffic(flows).alias("cross_traffic"),
        is_opposite(flows).alias("opposite"),
    )


def jain_index(throughput: pl.Expr) -> pl.Expr:
    """Return Jain's fairness index J = (sum x)^2 / (N sum x^2) of N flows.

    J lies in [1/N, 1]; null when every flow is at zero (Jain, Chiu and Hawe 1984; Bhatti and
    Bateman 2009, equation 1).

    Args:
        throughput: the flows' throughput, any unit, none negative.
    """
    squares = (throughput**2).sum()
    return pl.when(squares > 0).then(throughput.sum() ** 2 / (throughput.len() * squares))


def two_flow_curve() -> pl.DataFrame:
    """Return Jain's index of two flows against the ratio of their throughputs; nothing measured.

    Bhatti and Bateman 2009, Figure 2: flow 2 is held at 100, flow 1 goes from 1 to 10,000.

    Returns:
        ratio (flow 1 / flow 2), jfi; 401 points, evenly spaced on the logarithm.
    """
    flow_2 = 100.0
    flow_1 = pl.DataFrame({"flow_1": [10 ** (4 * i / 400) for i in range(401)]})
    return (
        flow_1.with_columns(pl.concat_list("flow_1", pl.lit(flow_2)).alias("throughput"))
        .explode("throughput", empty_as_null=True, keep_nulls=True)
        .group_by("flow_1", maintain_order=True)
        .agg(jain_index(pl.col("throughput")).alias("jfi"))
        .select((pl.col("flow_1") / flow_2).alias("ratio"), "jfi")
    )


def nru_db(throughput_bps: pl.Expr, expected_bps: pl.Expr, floor_bps: pl.Expr) -> pl.Expr:
    """Return the normalised resource usage U(t) = 10 log10(w r(t)), w = 1 / expected, in dB.

    0 dB: the flow gets what it gets against its own variant; -3.01 dB: half of it (Bhatti and
    Bateman 2009, equations 2, 3 and 7). An interval without a byte would be minus infinity:
    throughput below `floor_bps` counts as `floor_bps` (the papers do not say what they did).

    Args:
        throughput_bps: r(t), bit/s.
        expected_bps: mean throughput of the variant in the calibration of the same cell, bit/s.
        floor_bps: bit/s; one segment a reporting interval.
    """
    return 10 * (pl.max_horizontal(throughput_bps, floor_bps) / expected_bps).log10()


def mean_throughput(window: pl.DataFrame) -> pl.DataFrame:
    """Return each flow's mean throughput over the steady state.

    Args:
        window: samples of the steady state (`windows.steady_state`).

    Returns:
        run_id, flow_id, mean_throughput_bps (bytes over time, so that samples of any length count
        by it; null where they have none), n_samples, n_zero_samples, zero_s (time in samples
        without a byte), interval_s.
    """
    length = sample_length()
    mean = pl.when(length.sum() > 0).then(pl.col("bytes").sum() * 8 / length.sum())
    return (
        window.group_by(FLOW)
        .agg(
            mean.alias("mean_throughput_bps"),
            pl.len().cast(pl.Int64).alias("n_samples"),
            (pl.col("bytes") == 0).sum().cast(pl.Int64).alias("n_zero_samples"),
            length.filter(pl.col("bytes") == 0).sum().alias("zero_s"),
            pl.col("interval_s").first(),
        )
        .sort(FLOW)
    )


def sample_length() -> pl.Expr:
    """Return the length of a sample, seconds."""
    return pl.col("t_end_s") - pl.col("t_start_s")


def mean_over_time(values: pl.Expr, length_s: pl.Expr) -> pl.Expr:
    """Return the mean of samples' values, each weighted by the sample's length, seconds.

    Null where all are null or none has a length.
    """
    weight = length_s.round(9)  # to a nanosecond: even intervals then weigh exactly the same
    timed = values.is_not_null() & (weight > 0)
    time_s = weight.filter(timed).sum()
    return pl.when(time_s > 0).then((values * weight).filter(timed).sum() / time_s)


def calibration_weights(
    flow_means: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, weight_from: str
) -> pl.DataFrame:
    """Return what each variant can be expected to get in each cell: 1 / w of the NRU.

    The mean throughput in the self-fairness calibration, first over the window, then over the
    repeats (Bhatti and Bateman 2009, equation 7 and section 4.1). Only runs of role 'calibration'
    count: weights from the compared runs themselves could never give a flow more than 0 dB.

    Args:
        flow_means: result of `mean_throughput`.
        flows, runs: the tables `flow` and `run`.
        weight_from: 'place' (the calibration's flow in the same place: flow 1 of flow 1), 'flow2'
            (the paper: flow 2 of the calibration, of both flows) or 'all' (the mean of its two).

    Returns:
        One row a cell, variant and place: CELL, cca, flow_id (of the flows that are weighed; null
        where it is the same for all), expected_bps, sd_bps over repeats, n repeats.
    """
    place = pl.col("flow_id") if weight_from == PLACE else pl.lit(None, pl.Int32)
    per_run = (
        flow_means.join(_in_cells(flows, runs, "calibration"), on=FLOW)
        .filter((pl.col("flow_id") == 2) | pl.lit(weight_from != "flow2"))
        .with_columns(place.alias("flow_id"))
        .group_by("run_id", "cca", "flow_id", *CELL, maintain_order=True)
        .agg(pl.col("mean_throughput_bps").mean())
    )
    return (
        per_run.sort("run_id", "flow_id")
        .group_by("cca", "flow_id", *CELL, maintain_order=True)
        .agg(
            pl.col("mean_throughput_bps").mean().alias("expected_bps"),
            pl.col("mean_throughput_bps").std().alias("sd_bps"),
            pl.len().cast(pl.Int64).alias("n"),
        )
        .sort("cca", "flow_id", *CELL)
    )


def _in_cells(flows: pl.DataFrame, runs: pl.DataFrame, role: str) -> pl.DataFrame:
    """Return run_id, flow_id, cca and CELL of the compared flows whose cell is known, of a role.

    mss_bytes of a flow that no log says is that of all others, where they have the same. What no
    run says of its path is taken as the same in all; what some say is not guessed of the others.
    """
    among = compared(flows).drop_nulls("cca")
    segments = among["mss_bytes"].drop_nulls().unique(maintain_order=True)
    only = pl.lit(segments.item() if len(segments) == 1 else None, pl.Int32)
    placed = [pl.col(name).is_not_null() for name in known_of_path(flows, runs)]
    these = runs.filter(pl.col("role") == role, *placed).select("run_id", *PATH, *CONDITIONS)
    return among.select(*FLOW, "cca", pl.coalesce("mss_bytes", only)).join(these, on="run_id")


def known_of_path(flows: pl.DataFrame, runs: pl.DataFrame) -> list[str]:
    """Return the columns of PATH of which any run says something.

    A run may say it and have null there: its flows have different RTTs, or its buffer is in bytes
    and the BDP is not known.
    """
    said = {
        "bottleneck_bps": [runs["bottleneck_bps"]],
        "base_rtt_s": [flows["base_rtt_s"]],
        "buffer_bdp": [runs[name] for name in ("buffer_bdp", "buffer_bytes", "buffer_packets")],
    }
    return [name for name in PATH if any(of.is_not_null().any() for of in said[name])]


def mean_levels(window: pl.DataFrame, flows: pl.DataFrame, floor_segments: float) -> pl.DataFrame:
    """Return the mean level of each flow's throughput over the steady state, in dB over 1 bit/s.

    The flow-NRU less its weight (`flow_nru`): it needs the run alone. The mean is over time: a
    sample weighs as much as it is long.

    Args:
        window: samples of the steady state, in order of time.
        flows: the table `flow`.
        floor_segments: the floor of r(t), segments of mss_bytes a reporting interval; where that is
            not known, of ASSUMED_MSS_BYTES (`checks.nru` says so on the page).

    Returns:
        run_id, flow_id, level_db, n_floored_samples.
    """
    mss_bytes = pl.col("mss_bytes").fill_null(ASSUMED_MSS_BYTES)
    floor_bps = floor_segments * mss_bytes * 8 / pl.col("interval_s")
    level = nru_db(pl.col("throughput_bps"), pl.lit(1.0), floor_bps)
    return (
        window.join(flows.select(*FLOW, "mss_bytes"), on=FLOW, maintain_order="left")
        .group_by(FLOW, maintain_order=True)
        .agg(
            mean_over_time(level, sample_length()).alias("level_db"),
            (pl.col("throughput_bps") < floor_bps).sum().cast(pl.Int64).alias("n_floored_samples"),
        )
    )


def flow_nru(
    levels: pl.DataFrame, flows: pl.DataFrame, runs: pl.DataFrame, weights: pl.DataFrame
) -> pl.DataFrame:
    """Return the flow-NRU, the mean of U(t) over the steady state, of every compared flow.

    U(t) = 10 log10(r(t) / expected) (`nru_db`), so its mean is the mean level less that of what the
    flow's variant can be expected to get.

    Args:
        levels: result of `mean_levels`.
        flows, runs: the tables `flow` and `run`; only runs of role 'comparison' get an NRU.
        weights: result of `calibration_weights`.

    Returns:
        run_id, flow_id, flow_nru_db (null without a calibration of the cell, or when the
        calibration carried nothing), n_floored_samples, expected_bps.
    """
    known = weights.filter(pl.col("expected_bps") > 0)
    by_place = known["flow_id"].is_not_null().any()
    expected = (
        _in_cells(flows, runs, "comparison")
        .join(
            known if by_place else known.drop("flow_id"),
            on=["cca", *(["flow_id"] if by_place else []), *CELL],
            how="left",
            nulls_equal=True,  # what neither says, such as the AQM
        )
        .select(*FLOW, "expected_bps")
    )
    rated = runs.filter(pl.col("role") == "comparison").select("run_id")
    of_rated = levels.join(rated, on="run_id", how="semi", maintain_order="left")
    return of_rated.join(expected, on=FLOW, how="left", maintain_order="left").select(
        *FLOW,
        (pl.col("level_db") - 10 * pl.col("expected_bps").log10()).alias("flow_nru_db"),
        "n_floored_samples",
        "expected_bps",
    )


def share_of_window(flow_metrics: pl.DataFrame) -> pl.Expr:
    """Return the share of the window in which a flow has samples: cross traffic comes and goes.

    What is compared is there all the time: the window is chosen so.
    """
    if not {"n_samples", "interval_s"} <= set(flow_metrics.columns):
        return pl.lit(1.0).alias("share")
    seconds = pl.col("n_samples") * pl.col("interval_s")
    of_window = seconds.filter(~_is_cross_traffic(flow_metrics)).max().over("run_id")
    return (seconds / of_window).clip(upper_bound=1.0).alias("share")
