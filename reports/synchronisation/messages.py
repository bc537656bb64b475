"""What each figure shows, in a sentence for its title, made of what the figure draws.

Sentences name what is least and most, whichever it is; none is written for one outcome.
"""

from __future__ import annotations

import math

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.statistics.repeats import pearson

from .design import SACK_DROPTAIL, VARIANTS, select, source_rate
from .words import background_name, queue_name

NOTHING = "No run yet"
FR, BETA = "fairness_ratio_12", "beta_measured"
TOPOLOGY = "Flows of different RTT and the background share one bottleneck"
BURST = {"bpdd": "losses in an event", "p": "flows that lose in an event"}
BURST |= {"cov_background": "the CoV of the background"}
ON_LOG = ("bpdd",)
WHISKERS_KEY = (
    "Whiskers: intervals over repeats, where there are enough and the mark does not cover them."
)
HOLLOW_KEY = f"{WHISKERS_KEY} Hollow: few drop events."


def against_fairness(scenarios: pl.DataFrame, x: str, kinds: list[str] | None = None) -> str:
    """Return the correlation of what is drawn: log FR with a measure of burstiness."""
    points = select(scenarios, **SACK_DROPTAIL)
    if kinds:
        points = points.filter(pl.col("background").is_in(kinds))
    if not {FR, x} <= set(points.columns) or len(points.drop_nulls([FR, x])) < 3:
        return NOTHING
    points = points.drop_nulls([FR, x])
    of_x = points[x].log() if x in ON_LOG else points[x]
    r = pearson(of_x.to_numpy(), points[FR].log().to_numpy())
    if r is None:
        return f"No correlation: {len(points)} scenarios have the same {BURST[x]} or fairness ratio"
    log = "the logarithm of " if x in ON_LOG else ""
    return (
        f"Over {len(points)} scenarios the logarithm of the fairness ratio has a correlation of "
        f"{signed(r)} with {log}{BURST[x]}"
    )


def variants(scenarios: pl.DataFrame, aqm: str) -> str:
    """Return the fairness ratio of each variant at the fastest sources that most variants have."""
    points = select(scenarios.filter(background="exponential"), aqm=aqm)
    if FR not in points.columns or points.drop_nulls([FR, "source_kbps"]).is_empty():
        return NOTHING
    points = points.drop_nulls([FR, "source_kbps"])
    rates = points.group_by("source_kbps", maintain_order=True).agg(pl.col("variant").n_unique())
    kbps = rates.sort("variant", "source_kbps")["source_kbps"][-1]
    of = dict(points.filter(source_kbps=kbps).select("variant", FR).rows())
    said = [f"{variant_name(v)} {of[v]:.3g}" for v in VARIANTS if v in of]
    return (
        f"The fairness ratio with {queue_name(aqm)} and sources of {source_rate(kbps)}: "
        f"{', '.join(said)}"
    )


def exponents(points: pl.DataFrame) -> str:
    """Return between which values the exponent of the scenarios of each queue is."""
    if BETA not in points.columns or points.drop_nulls(BETA).is_empty():
        return NOTHING
    said = []
    for (aqm,), of in points.drop_nulls(BETA).group_by("aqm", maintain_order=True):
        low, high = of[BETA].min(), of[BETA].max()
        said.append(f"{low:.2f} to {high:.2f} with {queue_name(aqm)}")
    return f"The exponent β is {', '.join(said)}"


def cutoffs(table: pl.DataFrame) -> str:
    """Return by which factor FR moves between starts: the largest, and that of the late starts."""
    if table.is_empty():
        return NOTHING
    starts = table["cutoff_s"].unique().sort()
    moved, row = _largest_factor(table)
    said = (
        f"Between starts of {starts[0]:g} and {starts[-1]:g} s FR moves by a factor of {moved:.2f} "
        f"at most ({variant_name(row['variant'])}, {source_rate(row['source_kbps'])})"
    )
    if len(starts) > 2:
        late, _ = _largest_factor(table.filter(pl.col("cutoff_s") >= starts[-2]))
        said += f", from {starts[-2]:g} s on by {late:.2f}"
    return said


def _largest_factor(table: pl.DataFrame) -> tuple[float, dict]:
    groups = table.group_by("variant", "source_kbps", maintain_order=True).agg(
        by=pl.col(FR).max() / pl.col(FR).min()
    )
    row = groups.sort("by", "variant", "source_kbps").row(-1, named=True)
    return row["by"], row


def gaps(gap_mean: pl.DataFrame) -> str:
    """Return by how much BPDD and P of a scenario move with the gap."""
    known = gap_mean.drop_nulls(["bpdd", "p"])
    if known.is_empty():
        return NOTHING
    moved = known.group_by("scenario_id", maintain_order=True).agg(
        bpdd=pl.col("bpdd").max() / pl.col("bpdd").min(), p=pl.col("p").max() - pl.col("p").min()
    )
    gap = known["gap_s"] * 1000
    return (
        f"Between gaps of {gap.min():g} and {gap.max():g} ms the BPDD of a scenario moves by a "
        f"factor of up to {moved['bpdd'].max():.1f}, P by up to {100 * moved['p'].max():.0f} points"
    )


def widths(table: pl.DataFrame) -> str:
    """Return by how much the CoV moves with the width of a bin.

    Args:
        table: background, label, bin_s, cov of each scenario.
    """
    known = table.drop_nulls("cov")
    if known.is_empty():
        return NOTHING
    moved = known.group_by("scenario_id", maintain_order=True).agg(
        by=pl.col("cov").max() / pl.col("cov").min()
    )["by"]
    widths = known["bin_s"] * 1000
    return (
        f"Between bins of {widths.min():g} and {widths.max():g} ms the CoV of all arrivals of a "
        f"scenario moves by a factor of {moved.min():.1f} to {moved.max():.1f}"
    )


def time_above(means: pl.DataFrame) -> str:
    """Return in which scenarios the queue is nearly full for longest and for shortest."""
    if "time_above_s" not in means.columns or means.drop_nulls("time_above_s").is_empty():
        return NOTHING
    known = means.drop_nulls("time_above_s").sort("time_above_s", "label")
    least, most = (known.row(i, named=True) for i in (0, -1))
    return (
        f"Where bins were logged, the queue is nearly full for {least['time_above_s']:.2f} s per "
        f"event with {background_name(least)} and {most['time_above_s']:.2f} s with "
        f"{background_name(most)}"
    )


def events(shown: list[tuple[str, dict]]) -> str:
    """Return what each event that is drawn did: flows that lost, time with a full queue.

    Args:
        shown: title of the column, row of `drop_event`.
    """
    if not shown:
        return NOTHING
    said = []
    for title, event in shown:
        words = f"{event['foreground_flows_losing']} flows lose packets"
        if event["time_above_s"] is not None:
            words += f" and the queue is nearly full for {event['time_above_s']:.2f} s"
        said.append(f"{words} with {title.split(': ')[-1]}")
    return f"In the events shown, {'; '.join(said)}"


def windows(saw: pl.DataFrame) -> str:
    """Return what unlike RTTs cost flows whose losses are synchronised.

    Args:
        saw: flow, rtt_s, t_s, window_packets, of two flows.
    """
    mean = saw.group_by("flow", "rtt_s").agg(pl.col("window_packets").mean()).sort("flow")
    (r1, w1), (r2, w2) = mean.select("rtt_s", "window_packets").rows()
    rtts, rates = r2 / r1, (w1 / r1) / (w2 / r2)
    power = math.log(rates) / math.log(rtts)
    return (
        f"Synchronised losses: {rtts:.3g} times the RTT costs a factor of {rates:.3g} in "
        f"throughput, the RTT ratio to the power {power:.2g}"
    )


def signed(value: float) -> str:
    """Return a correlation with the minus of print."""
    return f"{value:.2f}".replace("-", "−")
