"""What becomes of the cells of ns-2 with long RTTs, in which flows have not converged after 300 s.

The runs of `ns2-long` have the seeds of runs of `ns2-dumbbell` and are six times as long. Their
steady state begins where the short runs end.
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
from evenflow.statistics.surfaces import PLACE

from .._grid.grid_runs import BUFFER, RTT
from .._grid.surfaces import Subject, runs_of_parts
from .design import PLATFORMS, SIMULATION
from .ratios import ratio_table

LONG = "long"
SIDES = ("short", "long")


@paper.metric(runs=True)
def lasting(surface_run, long_run, long_run_metric, long_flow_metric, confidence) -> pl.DataFrame:
    long = runs_of_parts({LONG: long_run}, {LONG: long_run_metric}, {LONG: long_flow_metric})
    return lasting_table(surface_run.filter(part=SIMULATION), long, confidence)


def lasting_table(short: pl.DataFrame, long: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Set long runs beside those of the same place and repeat that end sooner.

    Args:
        short, long: results of `runs_of_parts`, of one part each.
        confidence: of the intervals.

    Returns:
        A row a variant and RTT, over the cells of both that have losses, as of `ratio_table`, where
        `ratio` is NewReno's throughput in the short runs over that in the long ones, and the index
        that of the short runs less that of the long ones; of the comparison runs in these cells
        n_runs_short, n_runs_long, and n_unsteady_short, n_unsteady_long of them unsteady; jfi_short
        and jfi_long, the mean indices.
    """
    beside = beside_shorter(short, long)
    found = ratio_table({LONG: beside}, confidence)
    for side, runs in zip(SIDES, (beside.against, beside.runs), strict=True):
        found = found.join(_of_side(side, runs), on=["cca", RTT], how="left", maintain_order="left")
    both = [f"runs_of_{side}" for side in SIDES]
    found = found.drop_nulls("n_runs_long")  # of this variant and RTT there is none yet
    return found.with_columns(together("runs", *both).alias("runs")).drop(both)


def beside_shorter(short: pl.DataFrame, long: pl.DataFrame) -> Subject:
    """Return the long runs, against those of the same place and repeat that end sooner."""
    pair = [*PLACE, "repeat"]
    short, long = (
        mine.join(other.select(pair).unique(), on=pair, how="semi", maintain_order="left")
        for mine, other in ((short, long), (long, short))
    )
    grid = long.select(RTT, BUFFER).unique().sort(pl.all())
    return Subject(LONG, PLATFORMS[SIMULATION], long, grid, short)


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
    """Return a row a variant and RTT: the index, NewReno's throughput, harm and unsteady runs.

    Args:
        lasting: result of `lasting_table`.
    """
    rows, before = [], ""
    for row in lasting.rows(named=True):
        rows.append(
            [
                variant_name(row["cca"]) if row["cca"] != before else "",
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
        before = row["cca"]
    header = ["Variant", "RTT (ms)", "Jain's index", "Short less long", "NewReno, short / long"]
    header += ["Harm", "Unsteady runs"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=1)


def _both(row: Mapping, name: str, digits: int) -> str:
    return " → ".join(number(row[name.format(side)], digits) for side in SIDES)


def _unsteady(row: Mapping, side: str) -> str:
    return f"{row[f'n_unsteady_{side}']} of {row[f'n_runs_{side}']}"


def lasting_variables(lasting: pl.DataFrame) -> dict:
    """Return what the text says.

    Returns:
        {n_short, n_long (comparison runs), unsteady_short, unsteady_long (of them), and of each
        variant {short, long (mean index over the RTTs), ratio: {RTT in ms: NewReno's throughput,
        short over long}}}.
    """
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
