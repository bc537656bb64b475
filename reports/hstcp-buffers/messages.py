"""What each figure shows, in a sentence for its title, made of what the figure draws.

Sentences give numbers side by side; none is written for one outcome.
"""

from __future__ import annotations

import polars as pl

from . import highspeed
from .design import AQMS, link_name, queue_name, source_name, sources_of

NOTHING = "No run yet"
TOPOLOGY = "All flows share one bottleneck and its one finite buffer"
TENTH = 0.1  # of the largest buffer: what the original's first conclusion is about
OWN = "sack1"  # ns-2's own implementation, of which most runs are
AT_LOSS = 1e-7  # p_high of RFC 3649
POINTS_KEY = "Line: the model. Filled: means of repeats with intervals; open: one run."
LOSS_KEY = "Filled: means of repeats; open: one run; line: the model's loss rate."


def utilisation(curve: pl.DataFrame, cells: pl.DataFrame, aqm: str) -> str:
    """Return what a tenth of the buffer carries on each link, measured and by the model.

    Args:
        curve: bottleneck_bps, aqm, fraction, utilisation of the model.
        cells: the same with implementation and mean.
    """
    at = [pl.col("aqm") == aqm, (pl.col("fraction") - TENTH).abs() < 1e-9]
    measured = dict(
        cells.filter(*at, implementation=OWN).select("bottleneck_bps", "mean").sort(pl.all()).rows()
    )
    by_model = dict(curve.filter(*at).select("bottleneck_bps", "utilisation").rows())
    said = [
        f"{100 * value:.1f} % of {link_name(rate)}"
        + (f" (the model: {100 * by_model[rate]:.1f} %)" if rate in by_model else "")
        for rate, value in measured.items()
    ]
    if not said:
        return NOTHING
    whose = f"{queue_name(aqm)}, {source_name(OWN)}"
    return f"{whose}: with a buffer of 10 % the flows use {' and '.join(said)}"


def loss(rates: pl.DataFrame) -> str:
    """Return how often the model's loss rate is dropped and cut, in the median of the cells.

    Args:
        rates: metric (loss_rate, cut_rate), ratio to the model's loss rate.
    """
    found = dict(
        rates.group_by("metric", maintain_order=True)
        .agg(pl.col("ratio").median())
        .drop_nulls()
        .rows()
    )
    if set(found) != {"loss_rate", "cut_rate"}:
        return NOTHING
    return (
        f"In the median cell packets are dropped {found['loss_rate']:.1f} times as often as the "
        f"model predicts, and windows reduced {found['cut_rate']:.1f} times as often"
    )


def shares(of_flows: pl.DataFrame) -> str:
    """Return what share the flow of the shortest RTT has, by implementation, with each queue."""
    if of_flows.is_empty():
        return NOTHING
    shortest = of_flows.filter(pl.col("base_rtt_s") == pl.col("base_rtt_s").min())
    said = []
    for name in sources_of(shortest):
        of = shortest.filter(implementation=name)
        by_queue = [
            f"{100 * of.filter(aqm=aqm)['share'].mean():.0f} % ({queue_name(aqm)})"
            for aqm in AQMS
            if aqm in of["aqm"].to_list()
        ]
        said.append(f"{' and '.join(by_queue)} with {source_name(name)}")
    return f"The flow with the shortest RTT gets {', '.join(said)}"


def two_flows(state: pl.DataFrame, runs: pl.DataFrame) -> str:
    """Return how much larger the larger window is, in the mean over each steady state.

    Args:
        state: run_id, flow_id, t_end_s, cwnd_packets.
        runs: run_id, implementation, k, warmup_s, rtts (names of the flows in the order of
            flow_id), in the order drawn.
    """
    said: dict[tuple[str, str], list[str]] = {}  # by the flow of the larger window and the other
    for run in runs.rows(named=True):
        of = (
            state.filter(pl.col("t_end_s") > run["warmup_s"], run_id=run["run_id"])
            .group_by("flow_id", maintain_order=True)
            .agg(pl.col("cwnd_packets").mean())
        )
        if len(of) < 2:  # no sample of one of them
            continue
        (small, low), (large, high) = of.sort("cwnd_packets").rows()
        name, other = (run["rtts"][flow - 1] for flow in (large, small))
        case = f"{source_name(run['implementation'])} and a buffer of {run['k']:,} packets"
        said.setdefault((name, other), []).append(f"{high / low:.1f} times with {case}")
    parts = [
        f"the window of the flow of {name} is larger than that of the flow of {other}: "
        + ", ".join(times)
        for (name, other), times in said.items()
    ]
    return f"In the steady state {', and '.join(parts)}" if parts else NOTHING


def warmup(moved: pl.Series) -> str:
    """Return by how much the utilisation of a run moves: the most, and the median.

    Args:
        moved: in points, of each run and start.
    """
    known = moved.drop_nulls().abs()
    if known.is_empty():
        return NOTHING
    return (
        "With another start of the steady state the utilisation of a run changes by "
        f"{known.max():.1f} points at most, {known.median():.2f} in the median"
    )


def response() -> str:
    """Return the windows of HighSpeed and of standard TCP at one loss rate."""
    fast = float(highspeed.window(AT_LOSS))
    parameters = highspeed.RFC3649
    slow = parameters.w_low * (parameters.p_low / AT_LOSS) ** 0.5
    return (
        f"At a loss rate of {AT_LOSS:.0e} the window of HighSpeed TCP is {fast:,.0f} packets, "
        f"that of standard TCP {slow:,.0f}"
    ).replace("1e-07", "10⁻⁷")


def dynamics(p: float, rtt_s: float) -> str:
    """Return how the window grows between two losses."""
    found = highspeed.epoch(p, rtt_s)
    return (
        f"Between two losses the window grows from {found.window[0]:,.0f} to "
        f"{found.window[-1]:,.0f} packets in {found.duration_s:.1f} s"
    )
