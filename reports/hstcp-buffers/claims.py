"""hstcp-buffers' conclusions as claims, and what model and simulation say of them.

A subject is a source of values: the model, or ns-2 with one TCP implementation. Its cases are the
links and queues, and for sentences on each buffer, the buffers. Cells are the buffers of a design
(paper.yml); the model is computed and has no interval.

Findings of our own are claims without a place in the original, judged by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from evenflow.claims.cases import Case, Claim, Measured, Part
from evenflow.claims.judge import judge
from evenflow.markdown import span_of
from evenflow.papers import paper
from evenflow.statistics.outcomes import MOST, at_least, at_most, more, within
from evenflow.statistics.stratified import Cell, Quantity, cell

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
Cells = dict[float, dict[str, float]]  # of a place: {fraction: {quantity: value}}
Statistic = Callable[[Cells], float]
OWN = "sack1"  # ns-2's own implementation, that others are set beside
SHARE = partial(Quantity, resolution=0.001, least=0.0, most=1.0)
# the columns of a cell's values; a rate is at least half a packet's
QUANTITIES = (
    SHARE("utilisation"),
    Quantity("loss_rate", "log"),
    SHARE("standard_share"),
    Quantity("error", resolution=0.001),
    Quantity("drops_over_p", "log"),
    Quantity("cuts_over_p", "log"),
    SHARE("first_share"),
)
OF_TWO = (
    Quantity("jfi", resolution=0.001, least=0.5, most=1.0),
    Quantity("short_over_long", "log"),
)
SLOW_DROPTAIL, FAST_DROPTAIL = (1e9, "droptail"), (2.5e9, "droptail")
SLOW_RED, FAST_RED = (1e9, "red"), (2.5e9, "red")
PERCENT = {"unit": "%", "digits": 1, "factor": 0.01}
POINTS = PERCENT | {"unit": "points"}
PER_MILLION = {"scale": "log", "unit": "per million", "digits": 1, "factor": 1e-6}


class Source(NamedTuple):
    """What claims are measured on: the runs of one implementation, or the model's points.

    runs: bottleneck_bps, aqm, fraction, repeat, utilisation, loss_rate (above 0), standard_share;
    null for the model: error (utilisation less the model's), drops_over_p and cuts_over_p (drops
    and cuts a packet over the model's loss rate), first_share (of the flow of the shortest RTT;
    null but at one buffer); of many flows.
    two: runs of two flows that do not drift: bottleneck_bps, aqm, fraction, repeat, jfi,
    short_over_long; empty for the model.
    drifting: how many runs of two flows do.
    fixed_points: the table `uniqueness` of the model, else None. name: of the source. beside: runs
    of sack1; None for itself and the model. planned: runs a cell.
    """

    runs: pl.DataFrame
    two: pl.DataFrame
    drifting: int = 0
    fixed_points: pl.DataFrame | None = None
    name: str = ""
    beside: pl.DataFrame | None = None
    planned: int | None = None

    @property
    def is_model(self) -> bool:
        return self.fixed_points is not None


def cells_of(
    runs: pl.DataFrame, name: str, of: Sequence[Quantity], needed: Sequence[str]
) -> dict[tuple, Cell]:
    """Return {(name, bottleneck, queue, fraction): its runs that have all that is needed}."""
    rows: dict[tuple, list] = {}
    place = ("bottleneck_bps", "aqm", "fraction")
    for row in runs.drop_nulls(needed).sort(*place, "repeat").rows(named=True):
        values = [
            float("nan") if row[q.name] is None
            else np.log(row[q.name]) if q.scale == "log" else row[q.name]
            for q in of
        ]  # fmt: skip
        key = (name, row["bottleneck_bps"], row["aqm"], round(row["fraction"], 6))
        rows.setdefault(key, []).append(values)
    return {key: cell(values, pool=key[:3]) for key, values in rows.items()}


def name_of(key: tuple) -> str:
    """Return a cell in print: 'sack1, 1 Gb/s, DropTail, 10 %'."""
    name, rate, aqm, fraction = key
    return f"{name}, {place_name((rate, aqm))}, {_percent(fraction)}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:g} %"


def read(means: Mapping, name: str, place: Place, fractions: Sequence[float], of) -> Cells:
    """Return the means of a place's buffers by name, off the logarithm."""
    found = {}
    for fraction in fractions:
        mean = means[name, *place, round(fraction, 6)]
        found[fraction] = {
            q.name: float(np.exp(v)) if q.scale == "log" else float(v)
            for q, v in zip(of, mean, strict=True)
        }
    return found


def each_place(
    statistic: Statistic | Mapping[str, Statistic],
    value: str,
    fractions: Sequence[float],
    places: Sequence[Place] | None = None,
    quantifier: str = "all",
) -> Callable[[Source], Measured]:
    """Measure a statistic on every link and queue of a source, a case each.

    Args:
        statistic: of the cells of a place; several by name are folded by the quantifier.
        value: the column that it reads.
        fractions: the buffers that it is about.
        places: that the sentence is about, if not all.
    """
    several = statistic if isinstance(statistic, Mapping) else {"": statistic}

    def measure(source: Source) -> Measured:
        if source.runs[value].is_null().all():
            return None
        cells = cells_of(source.runs, source.name, QUANTITIES, [value])
        found = {}
        for place in places_of(source.runs):
            if places is not None and place not in places:
                continue

            def of_place(function: Statistic, place=place) -> Callable:
                return lambda means: function(
                    read(means, source.name, place, fractions, QUANTITIES)
                )

            parts = {name: Part(of_place(each)) for name, each in several.items()}
            found[place_name(place)] = _case(source, cells, parts, quantifier)
        return found or None

    return measure


def _case(source: Source, cells: Mapping, parts: Mapping[str, Part], quantifier="all") -> Case:
    """Return a case; of the model its value, where it is computed at all buffers."""
    if not source.is_model:
        return Case(parts, cells, QUANTITIES, quantifier, planned=source.planned, name=name_of)
    (part, *others) = parts.values()
    try:
        values = [
            each.statistic({k: of.mean for k, of in cells.items()}) for each in (part, *others)
        ]
    except KeyError:
        return Case(note="the model has not all of the buffers")
    return Case(value=float(np.median(values)))


def each_buffer(
    value: str, fractions: Sequence[float], places: Sequence[Place] | None = None
) -> Callable[[Source], Measured]:
    """Measure a value at every buffer of every link and queue, a case each."""

    def measure(source: Source) -> Measured:
        found: dict[str, Case] = {}
        for fraction in fractions:
            at = each_place(only(fraction, value), value, [fraction], places)
            of_places = at(source) or {}
            found |= {f"{place}, {_percent(fraction)}": of for place, of in of_places.items()}
        return found or None

    return measure


def most_buffers(
    value: str, fractions: Sequence[float], places: Sequence[Place]
) -> Callable[[Source], Measured]:
    """Measure a value at every buffer of some places; most of them are asked for."""
    at = {_percent(fraction): only(fraction, value) for fraction in fractions}
    return each_place(at, value, fractions, places, MOST)


def two_flows(
    statistic: Statistic, value: str, fractions: Sequence[float]
) -> Callable[[Source], Measured]:
    """Measure a statistic on the runs of two flows that are steady."""

    def measure(source: Source) -> Measured:
        drifting = f"{source.drifting} of its runs drift and are left out"
        if source.two.is_empty():
            return {"": Case(note=drifting)} if source.drifting else None
        cells = cells_of(source.two, source.name, OF_TWO, [value])
        (place,) = places_of(source.two)

        def of_place(means: Mapping) -> float:
            return statistic(read(means, source.name, place, fractions, OF_TWO))

        return {
            "": Case(
                {"": Part(of_place)},
                cells,
                OF_TWO,
                planned=source.planned,
                note=drifting if source.drifting else "",
                name=name_of,
            )
        }

    return measure


def beside_own(
    fractions: Sequence[float], places: Sequence[Place] | None = None
) -> Callable[[Source], Measured]:
    """Measure utilisation at a buffer less that of ns-2's own implementation, a case each."""

    def measure(source: Source) -> Measured:
        if source.beside is None:
            return None
        value = ["utilisation"]
        cells = cells_of(source.runs, source.name, QUANTITIES, value)
        cells |= cells_of(source.beside, OWN, QUANTITIES, value)
        known = set(cells)
        found = {}
        for fraction in fractions:
            for place in places_of(source.runs):
                keys = [(name, *place, round(fraction, 6)) for name in (source.name, OWN)]
                if (places is not None and place not in places) or keys[0] not in known:
                    continue

                def apart(means: Mapping, keys=keys) -> float:
                    return float(means[keys[0]][0] - means[keys[1]][0])

                case = place_name(place) + ("" if places else f", {_percent(fraction)}")
                found[case] = _case(source, cells, {"": Part(apart)})
        return found or None

    return measure


def on_model(measured: Callable[[Source], Measured]) -> Callable[[Source], Measured]:
    """Restrict a measure to the model: the sentence is about its formulas."""
    return lambda source: measured(source) if source.is_model else None


def across_links(fraction: float) -> Callable[[Source], Measured]:
    """Measure utilisation at a buffer, slowest link less fastest, a case a queue."""

    def measure(source: Source) -> Measured:
        here = source.runs.filter((pl.col("fraction") - fraction).abs() < 1e-9)
        places = places_of(here)
        cells = cells_of(here, source.name, QUANTITIES, ["utilisation"])
        found = {}
        for aqm in dict.fromkeys(queue for _, queue in places):
            rates = [rate for rate, queue in places if queue == aqm]
            ends = [
                (source.name, rate, aqm, round(fraction, 6)) for rate in (min(rates), max(rates))
            ]

            def apart(means: Mapping, ends=tuple(ends)) -> float:
                return float(means[ends[0]][0] - means[ends[1]][0])

            if len(rates) > 1:
                found[queue_name(aqm)] = _case(source, cells, {"": Part(apart)})
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
        place_name(place): Case(
            value=float(n.max() - n.min()), note=f"{span_of(n)} at each of {len(n)} buffers"
        )
        for place, n in counts.items()
    }


def _at(table: pl.DataFrame, place: Place) -> pl.DataFrame:
    return table.filter(pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])


def only(fraction: float, value: str) -> Statistic:
    """Return the statistic: a value at one buffer."""
    return lambda cells: cells[fraction][value]


def gain(cells: Cells, value: str = "utilisation") -> float:
    """Return how much a value is larger with the largest buffer than with the smallest."""
    return cells[max(cells)][value] - cells[min(cells)][value]


def rise(cells: Cells) -> float:
    """Return by how much utilisation rises with a buffer ten times as large, by least squares."""
    x = np.log10(np.array(list(cells)))
    y = np.array([of["utilisation"] for of in cells.values()])
    x = x - x.mean()
    return float((x * y).sum() / (x * x).sum())


def mean_standard(cells: Cells) -> float:
    """Return the mean over the buffers of the share of the time as standard TCP."""
    return float(np.mean([of["standard_share"] for of in cells.values()]))


def mean_ratio(cells: Cells, value: str) -> float:
    """Return the geometric mean of a ratio over the buffers."""
    return float(np.exp(np.mean([np.log(of[value]) for of in cells.values()])))


def claims_of(
    thresholds: Mapping[str, float], designs: Mapping[str, Sequence[float]]
) -> list[Claim]:
    """Return the claims of the paper.

    Args:
        thresholds, designs: of paper.yml, where each is described.
    """
    return [
        *sentences_of_the_original(thresholds, designs),
        *findings_of_our_own(thresholds, designs),
    ]


def findings_of_our_own(
    thresholds: Mapping[str, float], designs: Mapping[str, Sequence[float]]
) -> list[Claim]:
    """Return the findings that are no sentence of the original. Arguments as of `claims_of`."""
    t, near = thresholds, thresholds["power_of_ten"]
    rates = {"scale": "log", "digits": 1}
    return [
        Claim(
            "tenth-by-link",
            "A tenth of the buffer fills one link and not the other",
            "",
            "fig-droptail",
            "utilisation at 10 %, slow link less fast link",
            more(t["drastic"]),
            across_links(0.1),
            **POINTS,
        ),
        Claim(
            "drops-are-not-p",
            "With DropTail the model's loss rate is not the rate of drops",
            "",
            "fig-loss",
            "drops a packet over the model's p, geometric mean over 10 and 20 %",
            more(near),
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
            within(1 / near, near),
            each_place(partial(mean_ratio, value="cuts_over_p"), "cuts_over_p", designs["named"]),
            **rates,
        ),
        Claim(
            "one-flow-has-most",
            "The flow of the shortest RTT has most of the traffic",
            "",
            "fig-flow-throughput",
            "its share of the traffic at 10 %",
            at_least(t["most"]),
            each_place(only(0.1, "first_share"), "first_share", [0.1], [FAST_DROPTAIL]),
            **PERCENT,
        ),
        Claim(
            "implementations-differ",
            "Linux's implementation uses more of the fast link than ns-2's own",
            "",
            "fig-flow-throughput",
            "utilisation at 10 %, linux less sack1",
            more(t["drastic"]),
            only_for(lambda name: name == "linux", beside_own([0.1], [FAST_DROPTAIL])),
            **POINTS,
        ),
        Claim(
            "slow-senders",
            "Senders' links that are slower than the bottleneck raise its utilisation",
            "",
            "tbl-named-buffers",
            "utilisation, slow less fast senders, at every buffer",
            more(t["rise"]),
            only_for(lambda name: name.endswith(SLOW), beside_own(designs["named"])),
            **POINTS,
        ),
    ]


def sentences_of_the_original(
    thresholds: Mapping[str, float], designs: Mapping[str, Sequence[float]]
) -> list[Claim]:
    """Return the claims that are sentences of the original. Arguments as of `claims_of`."""
    t, curve, every = thresholds, designs["repeated"], designs["every"]
    near = t["power_of_ten"]
    larger = [fraction for fraction in every if fraction >= 0.1]
    return [
        Claim(
            "buffer-of-10-pct",
            "'A buffer size of 10% of the bandwidth-delay product can maintain at least 90% "
            "utilization'",
            "Section V; also III.A and the abstract",
            "fig-droptail",
            "utilisation at 10 %",
            at_least(t["at_10"]),
            each_place(only(0.1, "utilisation"), "utilisation", [0.1]),
            **PERCENT,
        ),
        Claim(
            "buffer-of-20-pct",
            "'Reaching almost 98% when the buffer size is around 20%'",
            "Section V; also the abstract",
            "fig-droptail",
            "utilisation at 20 %",
            at_least(t["at_20"]),
            each_place(only(0.2, "utilisation"), "utilisation", [0.2]),
            **PERCENT,
        ),
        Claim(
            "drop-below-10-pct",
            "Below 10 %: 'a drastic drop in the utilization'",
            "Section V; also the abstract",
            "fig-droptail",
            "utilisation at 10 % less that at the smallest buffer",
            more(t["drastic"]),
            each_place(gain, "utilisation", designs["below"]),
            **POINTS,
        ),
        Claim(
            "little-beyond-10-pct",
            "'Increasing the buffer size beyond 10% increases the utilization marginally'",
            "Section V",
            "fig-droptail",
            "utilisation at the larger buffer less that at 10 %",
            at_most(t["drastic"]),
            each_place(gain, "utilisation", designs["beyond"]),
            **POINTS,
        ),
        Claim(
            "rises-with-the-buffer",
            "'The throughput increases as buffer size increases'",
            "Section V",
            "fig-droptail",
            "rise of the utilisation with a buffer ten times as large, by least squares",
            more(t["rise"]),
            each_place(rise, "utilisation", curve),
            **POINTS,
        ),
        Claim(
            "model-is-close",
            "'Results from simulations and our analytical model are quite close'",
            "Section III.A; 'close agreement' in IV.A",
            "fig-droptail",
            "utilisation less the model's, at every buffer",
            within(-t["close"], t["close"]),
            each_buffer("error", every),
            **POINTS,
        ),
        Claim(
            "discrepancy-of-mm1k",
            "The discrepancy 'mainly arises from our M/M/1/K assumption and simplifying "
            "approximations'",
            "Section III.A",
            "",
            "part of the difference that a model with another queue would not have",
            at_least(0.5),
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
            "loss rate at most of the buffers",
            within(1e-3 / near, 1e-3 * near),
            most_buffers("loss_rate", curve, [SLOW_DROPTAIL]),
            **PER_MILLION,
        ),
        Claim(
            "loss-of-red",
            "'The loss rate is $10^{-5}$ for buffer ratio ≥ 0.1'",
            "Section IV.A",
            "fig-loss",
            "loss rate at every buffer from 10 % on",
            within(1e-5 / near, 1e-5 * near),
            each_buffer("loss_rate", larger, [SLOW_RED]),
            **PER_MILLION,
        ),
        Claim(
            "loss-of-red-on-the-fast-link",
            "'The loss rate is around $10^{-6}$'",
            "Section IV.A",
            "fig-loss",
            "loss rate at most of the buffers",
            within(1e-6 / near, 1e-6 * near),
            most_buffers("loss_rate", curve, [FAST_RED]),
            **PER_MILLION,
        ),
        Claim(
            "reduces-to-standard-tcp",
            "A small buffer 'may reduce HighSpeed TCP to regular/standard TCP'",
            "Section V",
            "",
            "share of the flows' time with a window of at most $w_l$, at the smallest buffers",
            at_least(t["standard"]),
            each_place(mean_standard, "standard_share", designs["smallest"]),
            **PERCENT,
        ),
        Claim(
            "uniqueness-depends-on-the-buffer",
            "'The uniqueness of the fixed point of the function depends on the buffer size'",
            "Section III",
            "",
            "most less fewest fixed points of equation 5 at any buffer",
            at_least(1),
            on_model(most_less_fewest),
            digits=0,
        ),
        Claim(
            "larger-buffer-is-fairer",
            "'A larger bottleneck buffer reduces the unfairness between two connections'",
            "Section III.A",
            "fig-two-flows",
            "Jain's index with the larger buffer less that with the smaller",
            more(t["fairer"]),
            two_flows(partial(gain, value="jfi"), "jfi", designs["two_flows"]),
        ),
        Claim(
            "unfair-by-rtt",
            "'The unfairness evident from the window dynamics is due to difference in RTTs'",
            "Section III.A",
            "fig-two-flows",
            "throughput of the flow with the short RTT over the other's, both buffers",
            more(t["unequal"]),
            two_flows(
                partial(mean_ratio, value="short_over_long"),
                "short_over_long",
                designs["two_flows"],
            ),
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
    planned: int | None = None,
) -> dict[str, Source]:
    """Return {source: what claims are measured on}, in the order of design.SOURCES.

    Args:
        model, errors: the tables `model_point` and `model_error`; the reading taken is used.
        link: the table `link_metric`.
        two: result of `two_flow_runs`.
        fixed_points: the table `uniqueness`.
        first_share: run_id, first_share, see `Source`.
        drifting: drift from which a run of two flows counts as drifting.
        planned: runs a cell.
    """
    taken = model.filter(pl.col("reading") == "taken").with_columns(
        pl.col("loss_rate")
        .map_elements(standard_share, return_dtype=pl.Float64)
        .alias("standard_share"),
        repeat=pl.lit(1),
    )
    measured = ("error", "drops_over_p", "cuts_over_p", "first_share")
    taken = taken.with_columns(pl.lit(None, pl.Float64).alias(name) for name in measured)
    place = [*LINK, "implementation", "fraction"]
    used = errors.filter(pl.col("reading") == "taken")
    runs = many_flows(link).join(first_share, on="run_id", how="left", maintain_order="left")
    for metric in ("utilisation", "loss_rate"):
        said = used.filter(pl.col("metric") == metric).select(
            *place, pl.col("model").alias(f"model_{metric}")
        )
        runs = runs.join(said, on=place, how="left", maintain_order="left")
    runs = runs.with_columns(
        (pl.col("utilisation") - pl.col("model_utilisation")).alias("error"),
        # none has no logarithm: it counts as half a drop, half a cut
        *(
            pl.when(pl.col(rate) > 0).then(rate).otherwise(0.5 / pl.col("n_arrived")).alias(rate)
            for rate in ("loss_rate", "cut_rate")
        ),
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
        beside = None if name == OWN else runs.filter(pl.col("implementation") == OWN)
        found[name] = Source(runs.filter(mine), steady.filter(mine), n, None, name, beside, planned)
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
    planned,
    confidence,
    fdr,
    paper_name,
) -> pl.DataFrame:
    """Return the outcome of every claim, for the model and each implementation."""
    two = two_flow_runs(link_metric, flow, flow_metric)
    first = flow_shares(link_metric, flow, flow_metric, shares_at).filter(SHORTEST)
    first = first.select("run_id", pl.col("share").alias("first_share"))
    limit = thresholds["drifting"]
    subjects = sources(
        model_point, link_metric, two, model_error, uniqueness, first, limit, planned["simulation"]
    )
    claims = claims_of(thresholds, designs)
    return judge(paper_name, claims, subjects, confidence=confidence, fdr=fdr)
