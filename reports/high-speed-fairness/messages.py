"""What each figure shows, in a sentence for its title, made of what the figure draws.

Sentences name what is lowest, highest or widest, whichever it is; none is written for one outcome.
"""

from __future__ import annotations

import math

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.markdown import number

from .metrics import QUEUES, rtt_points

NOTHING = "No run yet"
WHISKERS = "Whiskers: smallest to largest run; a point without one is of one run."
TOPOLOGY = "Each flow has a delay of its own; the router has the only queue"
FULL = 0.9  # of the bottleneck


def _ratio(value: float) -> str:
    """Return a throughput ratio with two significant digits, '1,200' or '0.00012'."""
    return f"{float(f'{value:.2g}'):,.5g}" if value < 1e4 else f"{float(f'{value:.2g}'):,.0f}"


def _mean_of_logarithms(ratios: pl.Series) -> float | None:
    """Return the geometric mean of the ratios of cells in which nobody starved."""
    known = ratios.drop_nulls()
    known = known.filter(known > 0)
    return math.exp(known.log().mean()) if len(known) else None


def _ends(of: dict[str, float | None]) -> tuple[tuple[str, float], tuple[str, float]] | None:
    """Return the names with the lowest and the highest value."""
    known = sorted((value, name) for name, value in of.items() if value is not None)
    return ((known[0][1], known[0][0]), (known[-1][1], known[-1][0])) if known else None


def friendliness(cells: pl.DataFrame) -> str:
    """Return next to which variants NewReno gets least and most, over all cells."""
    mine = cells.filter(view="friendliness")
    ends = _ends({cca: _mean_of_logarithms(of["ratio"]) for cca, of in _by(mine, "cca2")})
    if not ends:
        return NOTHING
    (least, low), (most, high) = ends
    return (
        f"NewReno gets least next to {variant_name(least)}, {_ratio(low)} of its throughput in the "
        f"geometric mean of cells, and most next to {variant_name(most)}, {_ratio(high)}"
    )


def intra(cells: pl.DataFrame) -> str:
    """Return of which variants two flows are least and most alike at the longest RTT."""
    mine = cells.filter(view="intra")
    if mine.is_empty():
        return NOTHING
    longest = mine["rtt2_ms"].max()
    at = mine.filter(rtt2_ms=longest)
    (least, low), (most, high) = _ends({cca: of["jfi"].mean() for cca, of in _by(at, "cca1")})
    return (
        f"At {longest:g} ms two {variant_name(least)} flows are least fair to each other, with a "
        f"mean index of {low:.2f}, and two {variant_name(most)} flows fairest, with {high:.2f}"
    )


def rtt_jfi(cells: pl.DataFrame) -> str:
    """Return of which variants the index suffers most and least from unlike RTTs."""
    points = rtt_points(cells)
    unlike = points.filter(pl.col("rtt1_ms") != pl.col("rtt2_ms"))
    ends = _ends({cca: of["jfi"].min() for cca, of in _by(unlike, "cca1")})
    if not ends:
        return NOTHING
    (least, low), (most, high) = ends
    return (
        f"With unlike RTTs the index falls to {low:.2f} for {variant_name(least)}, "
        f"and no lower than {high:.2f} for {variant_name(most)}"
    )


def rtt_ratio(cells: pl.DataFrame) -> str:
    """Return whose ratio spans least and most over the RTTs."""
    spans = {}
    for cca, of in _by(rtt_points(cells), "cca1"):
        known = of["ratio"].drop_nulls()
        known = known.filter(known > 0)
        spans[cca] = known.max() / known.min() if len(known) else None
    ends = _ends(spans)
    if not ends:
        return NOTHING
    (least, low), (most, high) = ends
    return (
        f"Over all cells the ratio of two {variant_name(least)} flows changes by a factor of "
        f"{_ratio(low)}, that of two {variant_name(most)} flows by {_ratio(high)}"
    )


def exponents(fits: pl.DataFrame) -> str:
    """Return the smallest and the largest exponents of a variant, over queues and platforms."""
    known = fits.drop_nulls("exponent")
    of = {cca: group["exponent"] for cca, group in _by(known, "cca")}
    ends = _ends({cca: values.mean() for cca, values in of.items()})
    if not ends:
        return NOTHING
    said = []
    for cca, _ in ends:
        low_and_high = dict.fromkeys(number(end, 1) for end in (of[cca].min(), of[cca].max()))
        said.append(f"{' to '.join(low_and_high)} for {variant_name(cca)}")
    return f"The exponent of the RTT ratio is smallest, {said[0]}, and largest, {said[1]}"


def shares(pair_share: pl.DataFrame, rtts: list[int]) -> str:
    """Return who takes most and least from the others, in the mean of the matrices drawn."""
    drawn = pair_share.filter(pl.col("rtt_ms").is_in([float(rtt) for rtt in rtts]))
    unlike = drawn.filter(pl.col("cca") != pl.col("other"))
    ends = _ends({cca: 100 * of["share"].mean() for cca, of in _by(unlike, "cca")})
    if not ends:
        return NOTHING
    (least, low), (most, high) = ends
    return (
        f"{variant_name(most)} takes most, {high:.0f} % in the mean, "
        f"and {variant_name(least)} least, {low:.0f} %"
    )


def inter(of_view: pl.DataFrame, cca: str) -> str:
    """Return against whom a variant gets least and most.

    Args:
        of_view: cells turned to the variant, its throughput first.
        cca: the variant.
    """
    ends = _ends({other: _mean_of_logarithms(of["ratio"]) for other, of in _by(of_view, "cca2")})
    if not ends:
        return NOTHING
    (least, low), (most, high) = ends
    return (
        f"{variant_name(cca)} gets least against {variant_name(least)}, {_ratio(low)} times its "
        f"throughput in the geometric mean of cells, and most against {variant_name(most)}, "
        f"{_ratio(high)} times"
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
    names = in_order(table[column].unique().to_list())
    return [(name, table.filter(pl.col(column) == name)) for name in names]
