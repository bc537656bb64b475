"""What each figure shows, in a sentence for its title, made of what the figure draws.

Sentences name what is lowest, highest or widest, whichever it is; none is written for one outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.markdown import number

from .exponents import exponents_of_claims
from .metrics import QUEUES, rtt_points

NOTHING = "No run yet"
WHISKERS = (
    "Whiskers: range over runs; points without whiskers are single runs. No point: runs disagree "
    "by more than a factor of two either way on who is ahead."
)
EXPONENT_KEY = "Bars: intervals over repeats, where there are enough. Hollow: a transient."
TOPOLOGY = "Each flow has a delay of its own; the router has the only queue"
FULL = 0.9  # of the bottleneck


def _ratio(value: float) -> str:
    """Return a throughput ratio with two significant digits, '1,200' or '0.00012'."""
    return f"{float(f'{value:.2g}'):,.5g}" if value < 1e4 else f"{float(f'{value:.2g}'):,.0f}"


def _without_starved(ratios: pl.Series) -> pl.Series:
    """Return the ratios of cells in which nobody starved."""
    known = ratios.drop_nulls()
    return known.filter(known > 0)


def _mean_of_logarithms(ratios: pl.Series) -> float | None:
    """Return the geometric mean of the ratios of cells in which nobody starved."""
    known = _without_starved(ratios)
    return math.exp(known.log().mean()) if len(known) else None


def _ends(of: dict[str, float | None]) -> tuple[tuple[str, float], tuple[str, float]] | None:
    """Return the names with the lowest and the highest value."""
    known = sorted((value, name) for name, value in of.items() if value is not None)
    return ((known[0][1], known[0][0]), (known[-1][1], known[-1][0])) if known else None


def _of_ends(
    of: dict[str, float | None], sentence: str, shown: Callable[[float], str] = "{:.2f}".format
) -> str:
    """Return a sentence on the variants with the lowest and the highest value.

    Args:
        of: the value of each.
        sentence: with {least}, {low}, {most} and {high}: the variants and their values.
        shown: how values are printed.
    """
    ends = _ends(of)
    if not ends:
        return NOTHING
    (least, low), (most, high) = ends
    names = {"least": variant_name(least), "most": variant_name(most)}
    return sentence.format(**names, low=shown(low), high=shown(high))


def friendliness(cells: pl.DataFrame) -> str:
    """Return against which variants NewReno gets least and most, over all cells."""
    mine = cells.filter(view="friendliness")
    return _of_ends(
        {cca: _mean_of_logarithms(of["ratio"]) for cca, of in _by(mine, "cca2")},
        "NewReno gets least against {least}, {low} of its throughput in the geometric mean of "
        "cells, and most against {most}, {high}",
        _ratio,
    )


def intra(cells: pl.DataFrame) -> str:
    """Return of which variants two flows are least and most alike at the longest RTT."""
    mine = cells.filter(view="intra")
    if mine.is_empty():
        return NOTHING
    longest = mine["rtt2_ms"].max()
    at = mine.filter(rtt2_ms=longest)
    return _of_ends(
        {cca: of["jfi"].mean() for cca, of in _by(at, "cca1")},
        f"At {longest:g} ms two {{least}} flows are least fair to each other, with a mean index of "
        "{low}, and two {most} flows fairest, with {high}",
    )


def rtt_jfi(cells: pl.DataFrame) -> str:
    """Return of which variants the index suffers most and least from unlike RTTs."""
    points = rtt_points(cells)
    unlike = points.filter(pl.col("rtt1_ms") != pl.col("rtt2_ms"))
    return _of_ends(
        {cca: of["jfi"].min() for cca, of in _by(unlike, "cca1")},
        "With unlike RTTs the index falls to {low} for {least}, "
        "and no lower than {high} for {most}",
    )


def rtt_ratio(cells: pl.DataFrame) -> str:
    """Return whose ratio spans least and most over the RTTs."""
    spans = {}
    for cca, of in _by(rtt_points(cells), "cca1"):
        known = _without_starved(of["ratio"])
        spans[cca] = known.max() / known.min() if len(known) else None
    return _of_ends(
        spans,
        "Over all cells the ratio of two {least} flows changes by a factor of {low}, "
        "that of two {most} flows by {high}",
        _ratio,
    )


def exponents(claim: pl.DataFrame) -> str:
    """Return the smallest and the largest exponents of a variant, over queues and platforms."""
    known = exponents_of_claims(claim)
    of = {cca: group["exponent"] for cca, group in _by(known, "cca")}
    ends = _ends({cca: values.mean() for cca, values in of.items()})
    if not ends:
        return NOTHING
    said = []
    for cca, _ in ends:
        low_and_high = dict.fromkeys(number(end, 1) for end in (of[cca].min(), of[cca].max()))
        said.append(f"{' to '.join(low_and_high)} for {variant_name(cca)}")
    return f"The exponent over three RTTs is smallest, {said[0]}, and largest, {said[1]}"


def shares(pair_share: pl.DataFrame, rtts: list[int]) -> str:
    """Return who takes most and least from the others, in the mean of the matrices drawn."""
    drawn = pair_share.filter(pl.col("rtt_ms").is_in([float(rtt) for rtt in rtts]))
    unlike = drawn.filter(pl.col("cca") != pl.col("other"))
    return _of_ends(
        {cca: 100 * of["share"].mean() for cca, of in _by(unlike, "cca")},
        "{most} takes most, {high} % in the mean, and {least} least, {low} %",
        "{:.0f}".format,
    )


def inter(of_view: pl.DataFrame, cca: str) -> str:
    """Return against whom a variant gets least and most.

    Args:
        of_view: cells turned to the variant, its throughput first.
        cca: the variant.
    """
    return _of_ends(
        {other: _mean_of_logarithms(of["ratio"]) for other, of in _by(of_view, "cca2")},
        f"{variant_name(cca)} gets least against {{least}}, {{low}} times its throughput in the "
        "geometric mean of cells, and most against {most}, {high} times",
        _ratio,
    )


def utilisation(cells: pl.DataFrame) -> str:
    """Return how many cells fill the link, and which leaves most of it empty."""
    known = cells.drop_nulls("utilisation")
    if known.is_empty():
        return NOTHING
    full = (known["utilisation"] >= FULL).sum()
    least = known.sort("utilisation", "scenario_id").row(0, named=True)
    pairing = pairing_name(f"{least['cca1']}-{least['cca2']}")
    rtts = " and ".join(f"{rtt:g}" for rtt in dict.fromkeys((least["rtt1_ms"], least["rtt2_ms"])))
    return (
        f"In {full} of {len(known)} cells two flows fill {100 * FULL:.0f} % of the link or more; "
        f"least, {100 * least['utilisation']:.0f} %, with {pairing} at {rtts} ms and "
        f"{QUEUES[least['queue']]}"
    )


def sender_states(drawn: list[dict]) -> str:
    """Return the share of flow 1 in the steady state of each run.

    Args:
        drawn: rows of `pair_metric`, in order.
    """
    if not drawn:
        return NOTHING
    said: dict[str, list[str]] = {}
    for run in drawn:
        share = f"{100 * run['share1']:.1f} % on {PLATFORMS[run['part']][0]}"
        said.setdefault(pairing_name(f"{run['cca1']}-{run['cca2']}"), []).append(
            share.replace("on ns-2", "in ns-2").replace("on Testbed", "on the testbed")
        )
    of = "; ".join(f"{' and '.join(shares)} of {name}" for name, shares in said.items())
    return f"In the steady state flow 1 has {of}"


def _by(table: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Return the rows of each variant, in the order of the theme."""
    names = in_order(table[column].unique(maintain_order=True).to_list())
    return [(name, table.filter(pl.col(column) == name)) for name in names]
