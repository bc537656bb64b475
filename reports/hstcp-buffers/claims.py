"""How the claims of claims.yml are measured, on the model and on each implementation.

A subject is a source of values: the model, or ns-2 with one TCP implementation. Its cases are the
links and queues, and for sentences on each buffer, the buffers. Cells are the buffers of a design
(paper.yml); the model is computed and has no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from evenflow.claims.cases import Case, Measured, Part, measurements, with_plan
from evenflow.claims.judge import judge
from evenflow.claims.sentences import Sentence, claims_of
from evenflow.errors import did_you_mean
from evenflow.markdown import span_of
from evenflow.papers import paper
from evenflow.statistics.steady import FLOWS, USE, is_unsteady
from evenflow.statistics.stratified import Cell, Quantity, cell

from .design import (
    CHANGED,
    LINK,
    MODEL,
    PART,
    SHORTEST,
    SLOW,
    changed_runs,
    flow_shares,
    in_source_order,
    link_name,
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
Measure = Callable[["Source"], Measured]
OWN = "sack1"  # ns-2's own implementation, that others are set beside
IMPLEMENTATIONS = (OWN, "linux")  # those with the original's set-up
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
# the column that says whether a run is steady for what is measured of it; drops and cuts have none
UNSTEADY = {"utilisation": "unsteady_use", "error": "unsteady_use", "first_share": "unsteady"}
NOT_CROSSED, NOT_CHANGED = "no run has the RTTs of another link", "no run has this changed"
NO_TWO = "no run has two flows"
LINKS = {"slow": 1e9, "fast": 2.5e9}  # in the cells of claims.yml, as 'tenth on slow droptail'


class Source(NamedTuple):
    """What claims are measured on: the runs of one implementation, or the model's points.

    runs: bottleneck_bps, aqm, fraction, repeat, utilisation, loss_rate (above 0), standard_share;
    null for the model: error (utilisation less the model's), drops_over_p and cuts_over_p (drops
    and cuts a packet over the model's loss rate), first_share (of the flow of the shortest RTT;
    null but at one buffer); of many flows.
    two: runs of two flows that are steady: bottleneck_bps, aqm, fraction, repeat, jfi,
    short_over_long; empty for the model.
    unsteady: how many runs of two flows are not. crossed: runs whose link has the RTTs of another,
    see crossed.py; None where there is none. changed: runs of all implementations with one thing
    changed, as `design.changed_runs` has them; None of the model.
    fixed_points: the table `uniqueness` of the model, else None. name: of the source. beside: runs
    of sack1; None for itself and the model.
    """

    runs: pl.DataFrame
    two: pl.DataFrame
    unsteady: int = 0
    fixed_points: pl.DataFrame | None = None
    name: str = ""
    beside: pl.DataFrame | None = None
    crossed: pl.DataFrame | None = None
    changed: pl.DataFrame | None = None

    @property
    def is_model(self) -> bool:
        return self.fixed_points is not None

    def is_asked(self, said: Sentence) -> bool:
        """Return whether a sentence is about the source; 'slow' are senders on slow links."""
        slow = said.only == "slow" and self.name.endswith(SLOW)
        return slow or said.is_about(MODEL if self.is_model else self.name)


def cells_of(
    runs: pl.DataFrame, name: str, of: Sequence[Quantity], needed: Sequence[str]
) -> dict[tuple, Cell]:
    """Return {(name, bottleneck, queue, fraction): its runs that have all that is needed}."""
    rows: dict[tuple, list] = {}
    place = ("bottleneck_bps", "aqm", "fraction")
    runs = runs.drop_nulls(needed).sort(*place, "repeat")
    for row, whole in zip(runs.rows(named=True), measurements(runs), strict=True):
        values = [
            float("nan") if row[q.name] is None
            else np.log(row[q.name]) if q.scale == "log" else row[q.name]
            for q in of
        ]  # fmt: skip
        key = key_of(name, (row["bottleneck_bps"], row["aqm"]), row["fraction"])
        unsteady = row.get(UNSTEADY.get(needed[0], ""))
        run = f"{PART}/{row['run_id']}" if "run_id" in row else None  # the model has no runs
        rows.setdefault(key, []).append((values, whole, unsteady, run, row.get("n_planned")))
    found = {}
    for key, of in rows.items():
        values, whole, unsteady, names, (n_planned, *_) = zip(*of, strict=True)
        more = {"pool": key[:3], "planned": n_planned, "unsteady": unsteady}
        found[key] = cell(values, whole, runs=tuple(filter(None, names)), **more)
    return found


def key_of(name: str, place: Place, fraction: float) -> tuple:
    """Return the key of a cell of `cells_of`."""
    return (name, *place, round(fraction, 6))


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
        mean = means[key_of(name, place, fraction)]
        found[fraction] = {
            q.name: float(np.exp(v)) if q.scale == "log" else float(v)
            for q, v in zip(of, mean, strict=True)
        }
    return found


def fractions_of(said: Sentence) -> list[float]:
    """Return the buffers of the design that the cells of a claim name."""
    design = said.cells.split(" on ")[0]
    if not isinstance(said.readings.get(design), list):
        remedy = did_you_mean(design, [n for n, v in said.readings.items() if isinstance(v, list)])
        raise said.wrong(f"paper.yml has no design {design!r}", remedy)
    return said.readings[design]


def places_asked(said: Sentence) -> list[Place] | None:
    """Return the links and queues that the cells of a claim name; None for all that there are."""
    _, on, named = said.cells.partition(" on ")
    found = [tuple(place.split()) for place in named.split(" and ")] if on else None
    if found and not all(len(place) == 2 and place[0] in LINKS for place in found):
        remedy = "write link and queue, 'slow droptail', with 'and' between several"
        raise said.wrong(f"{named!r} are no links and queues", remedy)
    return found and [(LINKS[link], queue) for link, queue in found]


def each_place(
    said: Sentence,
    statistic: Statistic | Mapping[str, Statistic],
    value: str,
    fractions: Sequence[float] | None = None,
) -> Measure:
    """Measure a statistic on every link and queue of a source, a case each.

    Args:
        statistic: of the cells of a place; several by name are folded by the quantifier.
        value: the column that it reads.
        fractions: the buffers that it is about, if not all of the sentence.
    """
    several = statistic if isinstance(statistic, Mapping) else {"": statistic}
    fractions, places = fractions or fractions_of(said), places_asked(said)

    def measure(source: Source) -> Measured:
        if not source.is_asked(said) or source.runs[value].is_null().all():
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
            found[place_name(place)] = _case(source, cells, parts, said.quantifier)
        return found or None

    return measure


def _case(source: Source, cells: Mapping, parts: Mapping[str, Part], quantifier="all") -> Case:
    """Return a case; of the model its value, where it is computed at all buffers."""
    if not source.is_model:
        return Case(parts, cells, QUANTITIES, quantifier, name=name_of)
    (part, *others) = parts.values()
    try:
        values = [
            each.statistic({k: of.mean for k, of in cells.items()}) for each in (part, *others)
        ]
    except KeyError:
        return Case(note="the model has not all of the buffers")
    return Case(value=float(np.median(values)))


def _use_less(source: Source, cells: Mapping, first: tuple, second: tuple) -> Case:
    """Return the case of the utilisation of a cell less that of another, by their keys."""

    def less(means: Mapping) -> float:
        return float(means[first][0] - means[second][0])

    return _case(source, cells, {"": Part(less)})


def _not_made(source: Source, why: str) -> Measured:
    """Return that runs are missing, of an implementation with the original's set-up."""
    return {"": Case(note=why)} if source.name in IMPLEMENTATIONS else None


def each_buffer(said: Sentence, value: str) -> Measure:
    """Measure a value at every buffer of every link and queue, a case each."""
    at = {
        fraction: each_place(said, only(fraction, value), value, [fraction])
        for fraction in fractions_of(said)
    }

    def measure(source: Source) -> Measured:
        found: dict[str, Case] = {}
        for fraction, of in at.items():
            of_places = of(source) or {}
            found |= {f"{place}, {_percent(fraction)}": case for place, case in of_places.items()}
        return found or None

    return measure


def two_flows(said: Sentence, statistic: Statistic, value: str) -> Measure:
    """Measure a statistic on the runs of two flows that are steady."""
    fractions = fractions_of(said)

    def measure(source: Source) -> Measured:
        left_out = f"{source.unsteady} of its runs are unsteady and left out"
        if source.two.is_empty():
            return {"": Case(note=left_out)} if source.unsteady else _not_made(source, NO_TWO)
        cells = cells_of(source.two, source.name, OF_TWO, [value])
        (place,) = places_of(source.two)

        def of_place(means: Mapping) -> float:
            return statistic(read(means, source.name, place, fractions, OF_TWO))

        return {
            "": Case(
                {"": Part(of_place)},
                cells,
                OF_TWO,
                note=left_out if source.unsteady else "",
                name=name_of,
            )
        }

    return measure


def only(fraction: float, value: str) -> Statistic:
    """Return the statistic: a value at one buffer."""
    return lambda cells: cells[fraction][value]


def gain(cells: Cells, value: str = "utilisation") -> float:
    """Return how much a value is larger with the largest buffer than with the smallest."""
    return cells[max(cells)][value] - cells[min(cells)][value]


def mean_ratio(cells: Cells, value: str) -> float:
    """Return the geometric mean of a ratio over the buffers."""
    return float(np.exp(np.mean([np.log(of[value]) for of in cells.values()])))


# ---- claims by their names ----------------------------------------------------------------------


@paper.claim
def utilisation(said: Sentence) -> Measure:
    """Measure the utilisation at the one buffer of the sentence."""
    (fraction,) = fractions_of(said)
    return each_place(said, only(fraction, "utilisation"), "utilisation")


@paper.claim
def one_flow_has_most(said: Sentence) -> Measure:
    (fraction,) = fractions_of(said)
    return each_place(said, only(fraction, "first_share"), "first_share")


@paper.claim
def gain_in_utilisation(said: Sentence) -> Measure:
    return each_place(said, gain, "utilisation")


@paper.claim
def rises_with_the_buffer(said: Sentence) -> Measure:
    """Measure by how much utilisation rises with a buffer ten times as large: least squares."""

    def rise(cells: Cells) -> float:
        x = np.log10(np.array(list(cells)))
        y = np.array([of["utilisation"] for of in cells.values()])
        x = x - x.mean()
        return float((x * y).sum() / (x * x).sum())

    return each_place(said, rise, "utilisation")


@paper.claim
def model_is_close(said: Sentence) -> Measure:
    return each_buffer(said, "error")


@paper.claim
def loss_of_red(said: Sentence) -> Measure:
    return each_buffer(said, "loss_rate")


@paper.claim
def loss_at_most_buffers(said: Sentence) -> Measure:
    """Measure the loss rate at every buffer of some places; most of them are asked for."""
    fractions = fractions_of(said)
    at = {_percent(fraction): only(fraction, "loss_rate") for fraction in fractions}
    return each_place(said, at, "loss_rate")


@paper.claim
def drops_are_not_p(said: Sentence) -> Measure:
    return each_place(said, partial(mean_ratio, value="drops_over_p"), "drops_over_p")


@paper.claim
def cuts_are_p(said: Sentence) -> Measure:
    return each_place(said, partial(mean_ratio, value="cuts_over_p"), "cuts_over_p")


@paper.claim
def reduces_to_standard_tcp(said: Sentence) -> Measure:
    """Measure the mean over the buffers of the share of the time as standard TCP."""

    def mean(cells: Cells) -> float:
        return float(np.mean([of["standard_share"] for of in cells.values()]))

    return each_place(said, mean, "standard_share")


@paper.claim
def larger_buffer_is_fairer(said: Sentence) -> Measure:
    return two_flows(said, partial(gain, value="jfi"), "jfi")


@paper.claim
def unfair_by_rtt(said: Sentence) -> Measure:
    return two_flows(said, partial(mean_ratio, value="short_over_long"), "short_over_long")


@paper.claim
def discrepancy_of_mm1k(said: Sentence) -> Measure:
    why = (
        "it needs the model with another queue than M/M/1/K; what the approximations of equation "
        "3 do is in @tbl-readings"
    )
    return lambda source: why if source.is_asked(said) else None


@paper.claim
def uniqueness_depends_on_the_buffer(said: Sentence) -> Measure:
    """Measure by how many the fixed points of the model differ between buffers, a case a place."""

    def measure(source: Source) -> Measured:
        if not source.is_asked(said):
            return None
        table = source.fixed_points
        counts = {place: _at(table, place)["n_fixed_points"] for place in places_of(table)}
        return {
            place_name(place): Case(
                value=float(n.max() - n.min()), note=f"{span_of(n)} at each of {len(n)} buffers"
            )
            for place, n in counts.items()
        }

    return measure


def _at(table: pl.DataFrame, place: Place) -> pl.DataFrame:
    return table.filter(pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])


@paper.claim
def beside_own(said: Sentence) -> Measure:
    """Measure utilisation at each buffer less that of ns-2's own implementation, a case each."""
    fractions, places = fractions_of(said), places_asked(said)

    def measure(source: Source) -> Measured:
        if source.beside is None or not source.is_asked(said):
            return None
        value = ["utilisation"]
        cells = cells_of(source.runs, source.name, QUANTITIES, value)
        cells |= cells_of(source.beside, OWN, QUANTITIES, value)
        known = set(cells)
        found = {}
        for fraction in fractions:
            for place in places_of(source.runs):
                mine, own = (key_of(name, place, fraction) for name in (source.name, OWN))
                if (places is not None and place not in places) or mine not in known:
                    continue
                case = place_name(place) + ("" if places else f", {_percent(fraction)}")
                found[case] = _use_less(source, cells, mine, own)
        return found or None

    return measure


def changed_apart(said: Sentence, changed: str, *, own: bool = True) -> Measure:
    """Measure utilisation at a buffer of runs with one thing changed less that without, a case a
    place.

    Args:
        changed: what, as in `design.changed_runs`.
        own: of the same implementation; else that of the source less that of ns-2's own with it
            changed.
    """
    (fraction,) = fractions_of(said)

    def measure(source: Source) -> Measured:
        if source.changed is None or not source.is_asked(said):
            return None
        tcp = source.name if own else OWN
        others, name = source.changed.filter(tcp=tcp, changed=changed), f"{tcp}{CHANGED}{changed}"
        if others.is_empty():
            return _not_made(source, NOT_CHANGED)
        cells = cells_of(others, name, QUANTITIES, ["utilisation"])
        cells |= cells_of(source.runs, source.name, QUANTITIES, ["utilisation"])
        found = {}
        for place in places_of(others):
            ends = [key_of(of, place, fraction) for of in (name, source.name)]
            found[place_name(place)] = _use_less(source, cells, *(ends if own else ends[::-1]))
        return found

    return measure


@paper.claim
def limited_slow_start(said: Sentence) -> Measure:
    return changed_apart(said, "slow-start")


@paper.claim
def differ_without_limited_slow_start(said: Sentence) -> Measure:
    return changed_apart(said, "slow-start", own=False)


@paper.claim
def other_starts(said: Sentence) -> Measure:
    return changed_apart(said, "starts")


@paper.claim
def tenth_by_link(said: Sentence) -> Measure:
    """Measure utilisation at a buffer, slowest link less fastest, a case a queue."""
    (fraction,) = fractions_of(said)

    def measure(source: Source) -> Measured:
        here = source.runs.filter((pl.col("fraction") - fraction).abs() < 1e-9)
        places = places_of(here)
        cells = cells_of(here, source.name, QUANTITIES, ["utilisation"])
        found = {}
        for aqm in dict.fromkeys(queue for _, queue in places):
            rates = [rate for rate, queue in places if queue == aqm]
            if len(rates) > 1:
                ends = (key_of(source.name, (of(rates), aqm), fraction) for of in (min, max))
                found[queue_name(aqm)] = _use_less(source, cells, *ends)
        return found or None

    return measure


def crossed_apart(said: Sentence, varied: str) -> Measure:
    """Measure utilisation at the first of two rates, or sets of RTTs, less that at the last.

    Args:
        varied: bottleneck_bps, the slower rate first, or rtts, the closer ones first; the other is
            the same, a case each with each buffer.
    """
    fractions = fractions_of(said)
    (same,) = {"bottleneck_bps", "rtts"} - {varied}

    def measure(source: Source) -> Measured:
        if source.crossed is None:
            return _not_made(source, NOT_CROSSED)
        cells, found = {}, {}
        for (rtts,), runs in source.crossed.group_by("rtts", maintain_order=True):
            cells |= cells_of(runs, f"{source.name}, {rtts}", QUANTITIES, ["utilisation"])
        places = source.crossed.select("spread_ms", "rtts", "bottleneck_bps", "aqm").unique(
            maintain_order=True
        )
        places = places.sort("spread_ms", "bottleneck_bps", "aqm")
        for (at, aqm), of in places.group_by(same, "aqm", maintain_order=True):
            ends = of.sort("bottleneck_bps", "spread_ms").select("rtts", "bottleneck_bps").rows()
            if len(ends) < 2:
                continue
            for fraction in fractions:
                first, last = (
                    key_of(f"{source.name}, {rtts}", (rate, aqm), fraction)
                    for rtts, rate in (ends[0], ends[-1])
                )
                place = link_name(at) if same == "bottleneck_bps" else at
                found[f"{place}, {_percent(fraction)}"] = _use_less(source, cells, first, last)
        return found or None

    return measure


@paper.claim
def tenth_of_the_path(said: Sentence) -> Measure:
    """Measure the utilisation at a buffer of each rate with each set of RTTs, a case each."""
    (fraction,) = fractions_of(said)

    def measure(source: Source) -> Measured:
        if source.crossed is None:
            return _not_made(source, NOT_CROSSED)
        found = {}
        for (rate, aqm, rtts), runs in source.crossed.group_by(
            "bottleneck_bps", "aqm", "rtts", maintain_order=True
        ):
            cells = cells_of(runs, source.name, QUANTITIES, ["utilisation"])
            key = key_of(source.name, (rate, aqm), fraction)

            def at(means: Mapping, key=key) -> float:
                return float(means[key][0])

            found[f"{link_name(rate)}, {rtts}"] = _case(source, cells, {"": Part(at)})
        return found

    return measure


@paper.claim
def rate_alone(said: Sentence) -> Measure:
    return crossed_apart(said, "bottleneck_bps")


@paper.claim
def spread_alone(said: Sentence) -> Measure:
    return crossed_apart(said, "rtts")


def sources(
    model: pl.DataFrame,
    link: pl.DataFrame,
    two: pl.DataFrame,
    errors: pl.DataFrame,
    fixed_points: pl.DataFrame,
    first_share: pl.DataFrame,
    crossed: pl.DataFrame,
) -> dict[str, Source]:
    """Return {source: what claims are measured on}, in the order of design.SOURCES.

    Args:
        model, errors: the tables `model_point` and `model_error`; the reading taken is used.
        link: the table `link_metric`.
        two: result of `two_flow_runs`, with unsteady.
        fixed_points: the table `uniqueness`.
        first_share: run_id, first_share, see `Source`.
        crossed: the table `crossed_run`.
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
    steady = two.filter(~pl.col("unsteady"))
    found = {MODEL: Source(taken, steady.clear(), 0, fixed_points, MODEL)}
    lacking = [pl.lit(None, pl.Float64).alias(q.name) for q in QUANTITIES[1:]]
    # their utilisation alone is asked for
    crossed, changed = (table.with_columns(lacking) for table in (crossed, changed_runs(link)))
    names = {*runs["implementation"], *two["implementation"]}
    for name in in_source_order(list(names)):
        mine = pl.col("implementation") == name
        n = len(two.filter(mine)) - len(steady.filter(mine))
        beside = None if name == OWN else runs.filter(pl.col("implementation") == OWN)
        others = crossed.filter(mine) if name in crossed["implementation"] else None
        of_mine = runs.filter(mine), steady.filter(mine), n, None, name, beside
        found[name] = Source(*of_mine, others, changed)
    return found


@paper.metric(runs=True)
def claim(
    model_point,
    link_metric,
    crossed_run,
    flow,
    flow_metric,
    model_error,
    uniqueness,
    shares_at,
    thresholds,
    designs,
    planned,
    parts,
    run_metric,
    claims,
    confidence,
    fdr,
    paper_name,
) -> pl.DataFrame:
    """Return the outcome of every claim, for the model and each implementation."""
    steadiness = {"unsteady": is_unsteady(FLOWS), "unsteady_use": is_unsteady(USE)}
    steadiness = run_metric.select("run_id", **steadiness)
    planned_link, crossed = (
        with_plan(
            table.with_columns(dataset_id=pl.lit(parts["simulation"])).join(
                steadiness, on="run_id", how="left"
            ),
            planned,
        )
        for table in (link_metric, crossed_run)
    )
    two = two_flow_runs(planned_link, flow, flow_metric)
    first = flow_shares(link_metric, flow, flow_metric, shares_at).filter(SHORTEST)
    first = first.select("run_id", pl.col("share").alias("first_share"))
    subjects = sources(model_point, planned_link, two, model_error, uniqueness, first, crossed)
    found = claims_of(claims, thresholds | designs, globals())
    return judge(paper_name, found, subjects, confidence=confidence, fdr=fdr)
