"""What becomes of the cells with long RTTs, in which flows have not converged after 300 s.

half_hour.py says which runs are set beside each other.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import gathered, run_ref, together
from evenflow.evidence.say import say
from evenflow.kit.tables import interval
from evenflow.markdown import NOTHING, markdown_table, number
from evenflow.papers import paper

from .._grid.grid_runs import RTT
from .design import LONG, LONG_OPEN
from .half_hour import SHORTER, beside_shorter
from .ratios import ratio_table

SIDES = ("short", "long")
IN_PRINT = {LONG: "ns-2", LONG_OPEN: "Testbed"}
IN_TEXT = {LONG: "ns2", LONG_OPEN: "testbed"}


@paper.metric(runs=True)
def lasting(claim_run, confidence) -> pl.DataFrame:
    return lasting_table(claim_run, confidence)


def lasting_table(runs: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Set long runs beside those of the same place and repeat that end sooner.

    Args:
        runs: result of `runs_of_parts`; of the long runs (LONG, LONG_OPEN) and of those that end
            sooner (SHORTER).
        confidence: of the intervals.

    Returns:
        A row a part of long runs, variant and RTT, over the cells of both that have losses, as of
        `ratio_table`, where `ratio` is NewReno's throughput in the short runs over that in the long
        ones, and the index that of the short runs less that of the long ones; of the comparison
        runs in these cells n_runs_short, n_runs_long, and n_unsteady_short, n_unsteady_long of them
        unsteady; jfi_short and jfi_long, the mean indices.
    """
    runs = runs.drop("n_planned", strict=False)  # of the cells here there are other plans
    found = []
    for part, shorter in SHORTER.items():
        beside = beside_shorter(runs.filter(part=shorter), runs.filter(part=part), part)
        of = ratio_table({part: beside}, confidence)
        for side, mine in zip(SIDES, (beside.against, beside.runs), strict=True):
            of = of.join(_of_side(side, mine), on=["cca", RTT], how="left", maintain_order="left")
        found.append(of.drop_nulls("n_runs_long"))  # of this variant and RTT there is none yet
    both = [f"runs_of_{side}" for side in SIDES]
    return pl.concat(found).with_columns(together("runs", *both).alias("runs")).drop(both)


def _of_side(side: str, runs: pl.DataFrame) -> pl.DataFrame:
    """Return cca, base_rtt_s, what comparison runs of a side say, and runs_of_<side>: which."""
    compared = runs.filter(role="comparison").with_columns(
        cca=pl.col("ccas").str.split("-").list.last(), run=run_ref()
    )
    return compared.group_by("cca", RTT, maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias(f"n_runs_{side}"),
        pl.col("unsteady").sum().cast(pl.Int64).alias(f"n_unsteady_{side}"),
        pl.col("jfi").mean().alias(f"jfi_{side}"),
        gathered().alias(f"runs_of_{side}"),
    )


@paper.table
def long_runs(lasting) -> str:
    return lasting_markdown(lasting)


def lasting_markdown(lasting: pl.DataFrame) -> str:
    """Return a row a platform, variant and RTT: index, NewReno's throughput, harm, unsteady runs.

    Args:
        lasting: result of `lasting_table`.
    """
    rows, before = [], ("", "")
    for row in lasting.rows(named=True):
        mine = (row["part"], row["cca"])
        rows.append(
            [
                IN_PRINT[row["part"]] if mine[0] != before[0] else "",
                variant_name(row["cca"]) if mine != before else "",
                f"{1000 * row[RTT]:g}",
                *made_of(
                    row,
                    _both(row, "jfi_{}", 2),
                    interval("index", 3)(row),
                    interval("ratio")(row),
                    f"{number(row['harm_there'], 2)} → {number(row['harm_here'], 2)}",
                    f"{_unsteady(row, 'short')} → {_unsteady(row, 'long')}",
                ),
            ]
        )
        before = mine
    header = ["Platform", "Variant", "RTT (ms)", "Jain's index", "Short minus long"]
    header += ["NewReno, short / long"]
    header += ["Harm", "Unsteady runs"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)


def _both(row: Mapping, name: str, digits: int) -> str:
    return " → ".join(number(row[name.format(side)], digits) for side in SIDES)


def _unsteady(row: Mapping, side: str) -> str:
    return f"{row[f'n_unsteady_{side}']} of {row[f'n_runs_{side}']}"


def lasting_variables(lasting: pl.DataFrame) -> dict:
    """Return what the text says.

    Returns:
        Of each platform {n_short, n_long (comparison runs), unsteady_short, unsteady_long (of
        them), and of each variant {short, long (mean index over the RTTs), ratio: {RTT in ms:
        NewReno's throughput, short over long}}}.
    """
    return {
        name: _variables_of(of)
        for part, name in IN_TEXT.items()
        if len(of := lasting.filter(part=part))
    }


def _variables_of(lasting: pl.DataFrame) -> dict:
    tree: dict = {
        f"{name}_{side}": say(lasting, pl.col(f"{column}_{side}").sum(), words=f"{words}, {side}")
        for name, column, words in (
            ("n", "n_runs", "comparison runs"),
            ("unsteady", "n_unsteady", "comparison runs that are unsteady"),
        )
        for side in SIDES
    }
    for cca in lasting["cca"].unique(maintain_order=True):
        of = lasting.filter(cca=cca)
        tree[cca] = {side: say(of, pl.col(f"jfi_{side}").mean(), digits=2) for side in SIDES}
        tree[cca]["ratio"] = {
            f"{1000 * rtt:g}": say(of.filter(pl.col(RTT) == rtt), "ratio", digits=1)
            for rtt in of[RTT]
        }
    return tree
