"""hstcp-buffers' conclusions as claims, and what model and simulation say of them.

A subject is a source of values: the model, or ns-2 with one TCP implementation. Its cases are the
links and queues, and for sentences on each buffer, the buffers. A replicate is one repeat of all
buffers of a design (paper.yml); the model is computed and has no interval.

Findings of our own are claims without a place in the original, judged by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from evenflow.markdown import all_of, span_of
from evenflow.papers import paper
from evenflow.papers.claims import Claim, Measured, Region, Replicates, judge
from evenflow.statistics.replicates import LEAST

from .design import (
    LINK,
    MODEL,
    SHORTEST,
    SLOW,
    flow_shares,
    in_source_order,
    many_flows,
    place_name,
    places_of,
    queue_name,
    two_flow_runs,
)
from .highspeed import standard_share

Place = tuple[float, str]  # bottleneck (bit/s), queue
Statistic = Callable[[pl.DataFrame], float]  # of a replicate: its runs by fraction, ascending
SLOW_DROPTAIL, FAST_DROPTAIL = (1e9, "droptail"), (2.5e9, "droptail")
SLOW_RED, FAST_RED = (1e9, "red"), (2.5e9, "red")
PERCENT = {"unit": "%", "digits": 1, "factor": 0.01}
POINTS = PERCENT | {"unit": "points"}
PER_MILLION = {"scale": "log", "unit": "per million", "digits": 1, "factor": 1e-6}


class Source(NamedTuple):
    """What claims are measured on: the runs of one implementation, or the model's points.

    runs: bottleneck_bps, aqm, fraction, repeat, utilisation, loss_rate (above 0), standard_share;
    null for the model: error (utilisation less the model's), drops_over_p and cuts_over_p (drops
    and cuts a packet over the model's loss rate), over_sack1 (utilisation less that of sack1, same
    cell and repeat; null for sack1), first_share (of the flow of the shortest RTT; null but at one
    buffer); of many flows.
    two: runs of two flows that do not drift: bottleneck_bps, aqm, fraction, repeat, jfi,
    short_over_long; empty for the model.
    drifting: how many runs of two flows do.
    fixed_points: the table `uniqueness` of the model, else None. name: of the source.
    """

    runs: pl.DataFrame
    two: pl.DataFrame
    drifting: int = 0
    fixed_points: pl.DataFrame | None = None
    name: str = ""

    @property
    def is_model(self) -> bool:
        return self.fixed_points is not None


def complete(
    runs: pl.DataFrame, designs: Sequence[Sequence[float]], value: str
) -> tuple[list[pl.DataFrame], str]:
    """Return the complete replicates of one place, and what is to be said of them.

    They are of the first design that has LEAST of them, else of the one that has most.

    Args:
        runs: fraction, repeat and the value; a run without the value is none.
        designs: the buffers that a replicate has, as fractions, the preferred design first.
    """
    known = runs.drop_nulls(value).with_columns(pl.col("fraction").round(6))
    found: list[pl.DataFrame] = []
    taken = designs[0]
    for design in designs:
        cells = sorted(round(float(fraction), 6) for fraction in design)
        here = known.filter(pl.col("fraction").is_in(cells))
        here = here.unique(["repeat", "fraction"], keep="first", maintain_order=True)
        repeats = here.sort("repeat", "fraction").partition_by("repeat", maintain_order=True)
        whole = [table for table in repeats if len(table) == len(cells)]
        if len(whole) > len(found):
            found, taken = whole, design
        if len(found) >= LEAST:
            break
    if not found:
        lacks = sorted(set(map(float, designs[0])) - set(known["fraction"]))
        few = f"no run at {_percent(lacks)}"
        many = f"{len(lacks)} of {len(designs[0])} buffers were not run"
        return [], (few if len(lacks) < 3 else many) if lacks else "no repeat has all buffers"
    return found, "" if taken == designs[0] else f"at {_percent(taken)} only"


def _percent(fractions: Sequence[float]) -> str:
    return f"{all_of(f'{100 * fraction:g}' for fraction in sorted(fractions))} %"


def each_place(
    statistic: Statistic,
    value: str,
    designs: Sequence[Sequence[float]],
    places: Sequence[Place] | None = None,
) -> Callable[[Source], Measured]:
    """Measure a statistic on every link and queue of a source, a case each.

    Args:
        statistic: of one replicate.
        value: the column that it reads.
        designs: see `complete`.
        places: that the sentence is about, if not all.
    """

    def measure(source: Source) -> Measured:
        if source.runs[value].is_null().all():
            return None
        found = {}
        for place in places_of(source.runs):
            if places is not None and place not in places:
                continue
            tables, note = complete(_at(source.runs, place), designs, value)
            values = [statistic(table) for table in tables]
            exact = source.is_model and bool(values)
            found[place_name(place)] = Replicates(values, exact=exact, note=note)
        return found or None

    return measure


def each_buffer(
    value: str, fractions: Sequence[float], places: Sequence[Place] | None = None
) -> Callable[[Source], Measured]:
    """Measure a value at every buffer of every link and queue, a case each."""

    def measure(source: Source) -> Measured:
        found: dict[str, Replicates] = {}
        for fraction in fractions:
            at = each_place(partial(_only, value=value), value, [[fraction]], places)
            of_places = at(source) or {}
            found |= {f"{place}, {_percent([fraction])}": of for place, of in of_places.items()}
        return found or None

    return measure


def two_flows(
    statistic: Statistic, value: str, designs: Sequence[Sequence[float]]
) -> Callable[[Source], Measured]:
    """Measure a statistic on the runs of two flows that are steady."""

    def measure(source: Source) -> Measured:
        drifting = f"{source.drifting} of its runs drift and are left out"
        if source.two.is_empty():
            return drifting if source.drifting else None
        tables, note = complete(source.two, designs, value)
        notes = filter(None, (note, drifting if source.drifting else ""))
        return {"": Replicates([statistic(table) for table in tables], note="; ".join(notes))}

    return measure


def on_model(measured: Callable[[Source], Measured]) -> Callable[[Source], Measured]:
    """Restrict a measure to the model: the sentence is about its formulas."""
    return lambda source: measured(source) if source.is_model else None


def across_links(fraction: float) -> Callable[[Source], Measured]:
    """Measure utilisation at a buffer on the slowest link less that on the fastest, a case a queue.

    A replicate is one repeat of both links.
    """

    def measure(source: Source) -> Measured:
        here = source.runs.filter((pl.col("fraction") - fraction).abs() < 1e-9)
        places = places_of(here)
        found = {}
        for aqm in dict.fromkeys(queue for _, queue in places):
            rates = [rate for rate, queue in places if queue == aqm]
            slow, fast = (
                dict(_at(here, (rate, aqm)).select("repeat", "utilisation").drop_nulls().rows())
                for rate in (min(rates), max(rates))
            )
            if len(rates) > 1:
                values = [slow[repeat] - fast[repeat] for repeat in slow if repeat in fast]
                found[queue_name(aqm)] = Replicates(values, exact=source.is_model)
        return found or None

    return measure


def only_for(
    names: Callable[[str], bool], measured: Callable[[Source], Measured]
) -> Callable[[Source], Measured]:
    """Restrict a measure to sources of some names."""
    return lambda source: measured(source) if names(source.name) else None


def most_less_fewest(source: Source) -> Measured:
    """Measure by how many the fixed points of the model differ between buffers, a case a place."""
    table = source.fixed_points
    counts = {place: _at(table, place)["n_fixed_points"] for place in places_of(table)}
    return {
        place_name(place): Replicates(
            [n.max() - n.min()],
            exact=True,
            note=f"{span_of(n)} at each of {len(n)} buffers",
        )
        for place, n in counts.items()
    }


def _at(table: pl.DataFrame, place: Place) -> pl.DataFrame:
    return table.filter(pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])


def _only(replicate: pl.DataFrame, value: str) -> float:
    return replicate[value].item()


def gain(replicate: pl.DataFrame, value: str = "utilisation") -> float:
    """Return how much a value is larger with the largest buffer than with the smallest."""
    return replicate[value][-1] - replicate[value][0]


def rise(replicate: pl.DataFrame) -> float:
    """Return by how much utilisation rises with a buffer ten times as large, by least squares."""
    x, y = np.log10(replicate["fraction"].to_numpy()), replicate["utilisation"].to_numpy()
    x = x - x.mean()
    return float((x * y).sum() / (x * x).sum())


def mean_standard(replicate: pl.DataFrame) -> float:
    """Return the mean over the buffers of the share of the time as standard TCP."""
    return replicate["standard_share"].mean()


def geometric_mean(replicate: pl.DataFrame) -> float:
    """Return the geometric mean over the buffers of how much more the short RTT has."""
    return float(np.exp(replicate["short_over_long"].log().mean()))


def mean_ratio(replicate: pl.DataFrame, value: str) -> float:
    """Return the geometric mean of a ratio over the buffers."""
    return float(np.exp(replicate[value].log().mean()))


def median_rate(replicate: pl.DataFrame) -> float:
    """Return the median loss rate over the buffers: near a value if most of them are."""
    return replicate["loss_rate"].median()


def claims_of(thresholds: Mapping[str, float], designs: Mapping[str, Sequence]) -> list[Claim]:
    """Return the claims of the paper.

    Args:
        thresholds, designs: of paper.yml, where each is described.
    """
    return [
        *sentences_of_the_original(thresholds, designs),
        *findings_of_our_own(thresholds, designs),
    ]


def findings_of_our_own(
    thresholds: Mapping[str, float], designs: Mapping[str, Sequence]
) -> list[Claim]:
    """Return the findings that are no sentence of the original. Arguments as of `claims_of`."""
    t, near = thresholds, thresholds["power_of_ten"]
    at_a_tenth = partial(each_place, designs=[[0.1]], places=[FAST_DROPTAIL])
    rates = {"scale": "log", "digits": 1}
    return [
        Claim(
            "tenth-by-link",
            "A tenth of the buffer fills one link and not the other",
            "",
            "fig-droptail",
            "utilisation at 10 %, slow link less fast link",
            Region(t["drastic"]),
            across_links(0.1),
            **POINTS,
        ),
        Claim(
            "drops-are-not-p",
            "With DropTail the model's loss rate is not the rate of drops",
            "",
            "fig-loss",
            "drops a packet over the model's p, geometric mean over 10 and 20 %",
            Region(near),
            each_place(
                partial(mean_ratio, value="drops_over_p"),
                "drops_over_p",
                designs["named"],
                [SLOW_DROPTAIL, FAST_DROPTAIL],
            ),
            **rates,
        ),
        Claim(
            "cuts-are-p",
            "The model's loss rate is that of window cuts",
            "",
            "fig-loss",
            "cuts a packet over the model's p, geometric mean over 10 and 20 %",
            Region(1 / near, near),
            each_place(partial(mean_ratio, value="cuts_over_p"), "cuts_over_p", designs["named"]),
            **rates,
        ),
        Claim(
            "one-flow-has-most",
            "The flow of the shortest RTT has most of the traffic",
            "",
            "fig-flow-throughput",
            "its share of the traffic at 10 %",
            Region(t["most"]),
            at_a_tenth(partial(_only, value="first_share"), "first_share"),
            **PERCENT,
        ),
        Claim(
            "implementations-differ",
            "Linux's implementation uses more of the fast link than ns-2's own",
            "",
            "fig-flow-throughput",
            "utilisation at 10 %, linux less sack1",
            Region(t["drastic"]),
            only_for(
                lambda name: name == "linux",
                at_a_tenth(partial(_only, value="over_sack1"), "over_sack1"),
            ),
            **POINTS,
        ),
        Claim(
            "slow-senders",
            "Senders' links that are slower than the bottleneck raise its utilisation",
            "",
            "tbl-named-buffers",
            "utilisation, slow less fast senders, at every buffer",
            Region(t["rise"]),
            only_for(
                lambda name: name.endswith(SLOW), each_buffer("over_sack1", designs["named"][0])
            ),
            **POINTS,
        ),
    ]


def sentences_of_the_original(
    thresholds: Mapping[str, float], designs: Mapping[str, Sequence]
) -> list[Claim]:
    """Return the claims that are sentences of the original. Arguments as of `claims_of`."""
    t, curve = thresholds, designs["curve"]
    near = t["power_of_ten"]
    at = partial(_only, value="utilisation")
    larger = [fraction for fraction in curve[0] if fraction >= 0.1]
    return [
        Claim(
            "buffer-of-10-pct",
            "'A buffer size of 10% of the bandwidth-delay product can maintain at least 90% "
            "utilization'",
            "Section V; also III.A and the abstract",
            "fig-droptail",
            "utilisation at 10 %",
            Region(t["at_10"]),
            each_place(at, "utilisation", [[0.1]]),
            **PERCENT,
        ),
        Claim(
            "buffer-of-20-pct",
            "'Reaching almost 98% when the buffer size is around 20%'",
            "Section V; also the abstract",
            "fig-droptail",
            "utilisation at 20 %",
            Region(t["at_20"]),
            each_place(at, "utilisation", [[0.2]]),
            **PERCENT,
        ),
        Claim(
            "drop-below-10-pct",
            "Below 10 %: 'a drastic drop in the utilization'",
            "Section V; also the abstract",
            "fig-droptail",
            "utilisation at 10 % less that at the smallest buffer",
            Region(t["drastic"]),
            each_place(gain, "utilisation", designs["below"]),
            **POINTS,
        ),
        Claim(
            "little-beyond-10-pct",
            "'Increasing the buffer size beyond 10% increases the utilization marginally'",
            "Section V",
            "fig-droptail",
            "utilisation at the larger buffer less that at 10 %",
            Region(None, t["drastic"]),
            each_place(gain, "utilisation", designs["beyond"]),
            **POINTS,
        ),
        Claim(
            "rises-with-the-buffer",
            "'The throughput increases as buffer size increases'",
            "Section V",
            "fig-droptail",
            "rise of the utilisation with a buffer ten times as large, by least squares",
            Region(t["rise"]),
            each_place(rise, "utilisation", curve),
            **POINTS,
        ),
        Claim(
            "model-is-close",
            "'Results from simulations and our analytical model are quite close'",
            "Section III.A; 'close agreement' in IV.A",
            "fig-droptail",
            "utilisation less the model's, at every buffer",
            Region(-t["close"], t["close"]),
            each_buffer("error", curve[0]),
            **POINTS,
        ),
        Claim(
            "discrepancy-of-mm1k",
            "The discrepancy 'mainly arises from our M/M/1/K assumption and simplifying "
            "approximations'",
            "Section III.A",
            "",
            "part of the difference that a model with another queue would not have",
            Region(0.5),
            on_model(
                lambda source: (
                    "it needs the model with another queue than M/M/1/K; what the "
                    "approximations of equation 3 do is in @tbl-readings"
                )
            ),
            **PERCENT,
        ),
        Claim(
            "loss-of-droptail",
            "'The loss rate is mostly equal to $p_l$', a thousandth",
            "Section III.A",
            "fig-loss",
            "median loss rate over the buffers",
            Region(1e-3 / near, 1e-3 * near),
            each_place(median_rate, "loss_rate", curve, [SLOW_DROPTAIL]),
            **PER_MILLION,
        ),
        Claim(
            "loss-of-red",
            "'The loss rate is $10^{-5}$ for buffer ratio ≥ 0.1'",
            "Section IV.A",
            "fig-loss",
            "loss rate at every buffer from 10 % on",
            Region(1e-5 / near, 1e-5 * near),
            each_buffer("loss_rate", larger, [SLOW_RED]),
            **PER_MILLION,
        ),
        Claim(
            "loss-of-red-on-the-fast-link",
            "'The loss rate is around $10^{-6}$'",
            "Section IV.A",
            "fig-loss",
            "median loss rate over the buffers",
            Region(1e-6 / near, 1e-6 * near),
            each_place(median_rate, "loss_rate", curve, [FAST_RED]),
            **PER_MILLION,
        ),
        Claim(
            "reduces-to-standard-tcp",
            "A small buffer 'may reduce HighSpeed TCP to regular/standard TCP'",
            "Section V",
            "",
            "share of the flows' time with a window of at most $w_l$, at the smallest buffers",
            Region(t["standard"]),
            each_place(mean_standard, "standard_share", designs["smallest"]),
            **PERCENT,
        ),
        Claim(
            "uniqueness-depends-on-the-buffer",
            "'The uniqueness of the fixed point of the function depends on the buffer size'",
            "Section III",
            "",
            "most less fewest fixed points of equation 5 at any buffer",
            Region(1),
            on_model(most_less_fewest),
            digits=0,
        ),
        Claim(
            "larger-buffer-is-fairer",
            "'A larger bottleneck buffer reduces the unfairness between two connections'",
            "Section III.A",
            "fig-two-flows",
            "Jain's index with the larger buffer less that with the smaller",
            Region(t["fairer"]),
            two_flows(partial(gain, value="jfi"), "jfi", designs["two_flows"]),
        ),
        Claim(
            "unfair-by-rtt",
            "'The unfairness evident from the window dynamics is due to difference in RTTs'",
            "Section III.A",
            "fig-two-flows",
            "throughput of the flow with the short RTT over the other's, both buffers",
            Region(t["unequal"]),
            two_flows(geometric_mean, "short_over_long", designs["two_flows"]),
            scale="log",
        ),
    ]


def sources(
    model: pl.DataFrame,
    link: pl.DataFrame,
    two: pl.DataFrame,
    errors: pl.DataFrame,
    fixed_points: pl.DataFrame,
    first_share: pl.DataFrame,
    drifting: float,
) -> dict[str, Source]:
    """Return {source: what claims are measured on}, in the order of design.SOURCES.

    Args:
        model, errors: the tables `model_point` and `model_error`; the reading taken is used.
        link: the table `link_metric`.
        two: result of `two_flow_runs`.
        fixed_points: the table `uniqueness`.
        first_share: run_id, first_share, see `Source`.
        drifting: drift from which a run of two flows counts as drifting.
    """
    taken = model.filter(pl.col("reading") == "taken").with_columns(
        pl.col("loss_rate")
        .map_elements(standard_share, return_dtype=pl.Float64)
        .alias("standard_share"),
        repeat=pl.lit(1),
    )
    measured = ("error", "drops_over_p", "cuts_over_p", "over_sack1", "first_share")
    taken = taken.with_columns(pl.lit(None, pl.Float64).alias(name) for name in measured)
    place = [*LINK, "implementation", "fraction"]
    used = errors.filter(pl.col("reading") == "taken")
    runs = many_flows(link).join(first_share, on="run_id", how="left", maintain_order="left")
    for metric in ("utilisation", "loss_rate"):
        said = used.filter(pl.col("metric") == metric).select(
            *place, pl.col("model").alias(f"model_{metric}")
        )
        runs = runs.join(said, on=place, how="left", maintain_order="left")
    of_sack1 = runs.filter(pl.col("implementation") == "sack1").select(
        *LINK, "fraction", "repeat", pl.col("utilisation").alias("of_sack1")
    )
    runs = runs.join(
        of_sack1, on=[*LINK, "fraction", "repeat"], how="left", maintain_order="left"
    ).with_columns(
        (pl.col("utilisation") - pl.col("model_utilisation")).alias("error"),
        # none has no logarithm: it counts as half a drop, half a cut
        *(
            pl.when(pl.col(rate) > 0).then(rate).otherwise(0.5 / pl.col("n_arrived")).alias(rate)
            for rate in ("loss_rate", "cut_rate")
        ),
        pl.when(pl.col("implementation") != "sack1")
        .then(pl.col("utilisation") - pl.col("of_sack1"))
        .alias("over_sack1"),
    )
    runs = runs.with_columns(
        (pl.col("loss_rate") / pl.col("model_loss_rate")).alias("drops_over_p"),
        (pl.col("cut_rate") / pl.col("model_loss_rate")).alias("cuts_over_p"),
    )
    steady = two.filter(pl.col("drift") <= drifting)
    found = {MODEL: Source(taken, steady.clear(), 0, fixed_points, MODEL)}
    names = {*runs["implementation"], *two["implementation"]}
    for name in in_source_order(list(names)):
        mine = pl.col("implementation") == name
        n = len(two.filter(mine)) - len(steady.filter(mine))
        found[name] = Source(runs.filter(mine), steady.filter(mine), n, name=name)
    return found


@paper.metric
def claim(
    model_point,
    link_metric,
    flow,
    flow_metric,
    model_error,
    uniqueness,
    shares_at,
    thresholds,
    designs,
    confidence,
    fdr,
    paper_name,
) -> pl.DataFrame:
    """Return the outcome of every claim, for the model and each implementation."""
    two = two_flow_runs(link_metric, flow, flow_metric)
    first = flow_shares(link_metric, flow, flow_metric, shares_at).filter(SHORTEST)
    first = first.select("run_id", pl.col("share").alias("first_share"))
    limit = thresholds["drifting"]
    subjects = sources(model_point, link_metric, two, model_error, uniqueness, first, limit)
    claims = claims_of(thresholds, designs)
    return judge(paper_name, claims, subjects, confidence=confidence, fdr=fdr)
