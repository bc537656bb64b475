"""Which part of Linux's CUBIC makes NewReno's throughput differ from that in ns-2.

The runs of `testbed-cubic` are those of `testbed-open` in which NewReno competes with CUBIC, with
the same seeds and parameters of Linux's module tcp_cubic that Linux 2.6.22 had otherwise or not at
all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl
from evenflow.evidence.cells import Rows
from evenflow.evidence.runs import LIST, once
from evenflow.evidence.say import say
from evenflow.kit.tables import groups, interval, named, pivoted, printed, value_of
from evenflow.markdown import word
from evenflow.papers import paper
from evenflow.statistics.stratified import estimate

from .._grid.grid_runs import BUFFER, RTT
from .._grid.surfaces import (
    QUANTITIES,
    Place,
    Subject,
    contested_places,
    pairing,
    subjects_of,
)
from .design import OPEN, PLATFORMS, SIMULATION
from .models import factor
from .ratios import factors, statistics_of

CUBIC = "cubic"
AS_SHIPPED = "as-shipped"
# what was changed, by the name of its folder in testbed-cubic; its name in print
PARTS = {
    "no-hystart": "without HyStart",
    "beta819": "819/1024 kept at a loss",
    "no-friendliness": "without friendliness to Reno",
    "all-three": "all three changes",
}
IN_PRINT = {AS_SHIPPED: "as shipped", **PARTS}
# what NewReno's throughput is compared with
SIDES = {"simulation": "ns-2 / testbed", "shipped": "as shipped / changed"}


def changed_runs(claim_run: pl.DataFrame, cubic_run: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return {what was changed: its runs}, in the order of PARTS, those without a run left out.

    Args:
        claim_run: runs that claims are judged on; those of the part `cubic` count.
        cubic_run: the table `run` of testbed-cubic; its folders are the factor `changed`.
    """
    what = cubic_run.select("run_id", what=factor("changed"))
    runs = claim_run.filter(part=CUBIC).join(what, on="run_id", maintain_order="left")
    found = {part: runs.filter(what=part).drop("what") for part in PARTS}
    return {part: of for part, of in found.items() if len(of)}


def beside(subject: Subject, runs: pl.DataFrame, side: str) -> Subject:
    """Return runs with a part changed, against those of ns-2 or those of CUBIC as shipped.

    Args:
        subject: the testbed with CUBIC as shipped, against ns-2.
        runs: the changed ones.
        side: of SIDES.
    """
    cells = runs.select(RTT, BUFFER).unique(maintain_order=True)
    grid = subject.grid.join(cells, on=[RTT, BUFFER], how="semi", maintain_order="left")
    against = subject.against if side == "simulation" else subject.runs
    return replace(subject, runs=runs, against=against, grid=grid)


@paper.metric(runs=True)
def cubic_part(claim_run, cubic_run, grids, confidence) -> pl.DataFrame:
    subject = subjects_of(claim_run, PLATFORMS, grids[-1], simulation=SIMULATION)[OPEN]
    return part_table(subject, changed_runs(claim_run, cubic_run), confidence)


def part_table(
    subject: Subject, changed: Mapping[str, pl.DataFrame], confidence: float, cca: str = CUBIC
) -> pl.DataFrame:
    """Compare what NewReno gets against a variant as shipped, and with a part of it changed.

    Over the cells that are contested on both sides.

    Args:
        subject: the testbed with the variant as shipped, against ns-2.
        changed: result of `changed_runs`.
        confidence: of the intervals.
        cca: the variant.

    Returns:
        side (of SIDES), what (as-shipped, or of `changed`), base_rtt_s, n_cells, n_unsteady (of
        them, on either side), n (least runs of a cell); ratio, ratio_low, ratio_high: NewReno's
        throughput in ns-2 over that on the testbed (side: simulation), or that as shipped over
        that with the change (shipped), geometric mean over the buffers.
    """
    every = {AS_SHIPPED: subject.runs, **changed}
    rows, surface = [], pairing("comparison", cca)
    for side in SIDES:
        for what, runs in every.items():
            if (side, what) == ("shipped", AS_SHIPPED):
                continue
            of = beside(subject, runs, side)
            places = contested_places(of, [surface], list(of.grid.rows()), both_sides=True)
            for rtt in dict.fromkeys(rtt for rtt, _ in places):
                mine = [place for place in places if place[0] == rtt]
                rows.append((side, what, *_row(of, cca, mine, confidence)))
    schema = {"side": pl.String, "what": pl.String, RTT: pl.Float64}
    schema |= dict.fromkeys(("n_cells", "n_unsteady", "n"), pl.Int64)
    schema |= dict.fromkeys(("ratio", "ratio_low", "ratio_high"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"runs": LIST}, orient="row")


def _row(of: Subject, cca: str, places: list[Place], confidence: float) -> tuple:
    ratio = statistics_of(cca, places)["ratio"]
    found = estimate(of.cells, ratio, QUANTITIES, confidence=confidence)
    unsteady = {key[-2:] for key in found.cells if of.cells[key].unsteady}
    n = len(places), len(unsteady), found.n
    return places[0][0], *n, *factors(found), once(found.runs)


# ---- in print -----------------------------------------------------------------------------------


@paper.table
def cubic_parts(cubic_part) -> str:
    return parts_markdown(cubic_part)


def parts_markdown(cubic_part: pl.DataFrame) -> str:
    """Return a row a comparison and what was changed, a column an RTT: the ratio and its interval.

    Args:
        cubic_part: result of `part_table`.
    """
    rtts = {rtt: f"{1000 * rtt:g} ms" for rtt in cubic_part[RTT].unique().sort()}
    names = {"NewReno's throughput": named("side", SIDES), "CUBIC": named("what", IN_PRINT)}
    rows = groups(cubic_part, "side", "what")
    return printed(rows, names, pivoted(RTT, rtts, marked), once=1)


def marked(rows: Rows) -> str:
    """Return the ratio with its interval, and a mark where flows had not converged."""
    return f"{interval('ratio')(rows)}{' *' if value_of(rows, 'n_unsteady') else ''}"


def part_variables(cubic_part: pl.DataFrame) -> dict:
    """Return {side: {what: {RTT in ms: ratio}}}, as of SIDES and IN_PRINT."""
    tree: dict = {}
    for i, row in enumerate(cubic_part.rows(named=True)):
        of = tree.setdefault(row["side"], {}).setdefault(word(row["what"]), {})
        of[f"{1000 * row[RTT]:g}"] = say(cubic_part[i], "ratio", digits=2)
    return tree
