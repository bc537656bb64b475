"""What each figure shows, in a sentence for its title, made of what the figure draws.

Sentences give the value of each variant, whatever it is; none is written for one outcome.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.markdown import number

from .exponents import exponents_of_claims
from .metrics import rtt_points

NOTHING = "No run yet"
WHISKERS = (
    "Whiskers: range over runs, where the mark does not cover it. No point: the runs disagree "
    "about which flow gets more, by more than a factor of two each way."
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


def _of_each(of: dict[str, float | None], what: str, shown: Callable[[float], str]) -> str:
    """Return a sentence with the value of each variant: 'what: BIC 0.1, CUBIC 0.5'.

    Args:
        of: the value of each.
        what: the values are of.
        shown: how values are printed.
    """
    said = [f"{variant_name(cca)} {shown(value)}" for cca, value in of.items() if value is not None]
    return f"{what}: {', '.join(said)}" if said else NOTHING


def friendliness(cells: pl.DataFrame) -> str:
    """Return what NewReno gets against each variant, over all cells."""
    mine = cells.filter(view="friendliness")
    return _of_each(
        {cca: _mean_of_logarithms(of["ratio"]) for cca, of in _by(mine, "cca2")},
        "NewReno's throughput over that of each variant, geometric mean over the cells",
        _ratio,
    )


def intra(cells: pl.DataFrame) -> str:
    """Return how fairly two flows of each variant share the link at the longest RTT."""
    mine = cells.filter(view="intra")
    if mine.is_empty():
        return NOTHING
    longest = mine["rtt2_ms"].max()
    at = mine.filter(rtt2_ms=longest)
    return _of_each(
        {cca: of["jfi"].mean() for cca, of in _by(at, "cca1")},
        f"Jain's index of two flows of one variant at {longest:g} ms",
        "{:.2f}".format,
    )


def rtt_jfi(cells: pl.DataFrame) -> str:
    """Return the mean index of two flows of each variant whose RTTs differ."""
    points = rtt_points(cells)
    unlike = points.filter(pl.col("rtt1_ms") != pl.col("rtt2_ms"))
    return _of_each(
        {cca: of["jfi"].mean() for cca, of in _by(unlike, "cca1")},
        "Mean of Jain's index of two flows with different RTTs",
        "{:.2f}".format,
    )


def rtt_ratio(cells: pl.DataFrame) -> str:
    """Return by how much the ratio of each variant changes over the RTTs."""
    spans = {}
    for cca, of in _by(rtt_points(cells), "cca1"):
        known = _without_starved(of["ratio"])
        spans[cca] = known.max() / known.min() if len(known) else None
    return _of_each(spans, "Factor by which the throughput ratio changes over the RTTs", _ratio)


def exponents(claim: pl.DataFrame) -> str:
    """Return the exponent of each variant, over queues and platforms."""
    said = []
    for cca, of in _by(exponents_of_claims(claim), "cca"):
        known = of["exponent"].drop_nulls()
        if len(known):
            ends = dict.fromkeys(number(end, 1) for end in (known.min(), known.max()))
            said.append(f"{variant_name(cca)} {' to '.join(ends)}")
    return (
        f"Exponent of the throughput ratio over three RTTs: {', '.join(said)}" if said else NOTHING
    )


def shares(pair_share: pl.DataFrame, rtts: list[int]) -> str:
    """Return what each variant gets against the others, over the matrices drawn."""
    drawn = pair_share.filter(pl.col("rtt_ms").is_in([float(rtt) for rtt in rtts]))
    unlike = drawn.filter(pl.col("cca") != pl.col("other"))
    return _of_each(
        {cca: 100 * of["share"].mean() for cca, of in _by(unlike, "cca")},
        "Mean share of the throughput against the other variants",
        "{:.0f} %".format,
    )


def inter(of_view: pl.DataFrame, cca: str) -> str:
    """Return what a variant gets against each other one.

    Args:
        of_view: cells turned to the variant, its throughput first.
        cca: the variant.
    """
    return _of_each(
        {other: _mean_of_logarithms(of["ratio"]) for other, of in _by(of_view, "cca2")},
        f"{variant_name(cca)}'s throughput over that of each other variant, geometric mean over "
        "the cells",
        _ratio,
    )


def utilisation(cells: pl.DataFrame) -> str:
    """Return how many cells fill the link."""
    known = cells.drop_nulls("utilisation")
    if known.is_empty():
        return NOTHING
    full = (known["utilisation"] >= FULL).sum()
    return f"In {full} of {len(known)} cells two flows use {100 * FULL:.0f} % of the link or more"


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
    of = "; ".join(f"{' and '.join(shares)} with {name}" for name, shares in said.items())
    return f"Flow 1's share of the throughput in the steady state: {of}"


def _by(table: pl.DataFrame, column: str) -> list[tuple[str, pl.DataFrame]]:
    """Return the rows of each variant, in the order of the theme."""
    names = in_order(table[column].unique(maintain_order=True).to_list())
    return [(name, table.filter(pl.col(column) == name)) for name in names]
