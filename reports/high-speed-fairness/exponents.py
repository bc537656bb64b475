"""The exponents of RTT bias: one estimand, over the three RTTs that all cells have.

They are those of the claims, so that text, table and figure have one number: of the means of the
cells of 16, 82 and 324 ms, with an interval over repeats, and how far a ratio lies off the power
law. What a fit to all RTTs that were run gives is beside it in the table, as a sensitivity.
"""

from __future__ import annotations

import polars as pl
from evenflow.charts.theme import PLATFORM_NAMES
from evenflow.claims.words import span_of_runs
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.say import tags_of
from evenflow.markdown import NOTHING, markdown_table, number, span_of, with_interval

from .metrics import QUEUES, VARIANTS

COLUMNS = ["part", "queue", "cca", "exponent", "low", "high", "n", "n_most", "misfit"]
COLUMNS += ["transient", "two_state"]
STATES = {"transient": "transient", "two_state": "two states"}
CLAIMS = ("below_linear", "above_linear")  # of three variants each, of every queue


def exponents_of_claims(claim: pl.DataFrame) -> pl.DataFrame:
    """Return the exponent of each variant, queue and platform that has the three RTTs.

    Args:
        claim: the table `claim`.

    Returns:
        part, queue, cca, exponent, low, high (over repeats; null of too few, and of runs of two
        states), n, n_most (least and most runs of a cell), misfit (largest factor of a ratio off
        the power law), transient, two_state (cells whose runs disagree on who is ahead); sorted by
        variant.
    """
    queues = {buffer: queue for queue, buffer in QUEUES.items()}
    ccas = {variant_name(cca): cca for cca in VARIANTS}
    known = claim.filter(pl.col("claim").is_in(CLAIMS)).drop_nulls("estimate")
    named = pl.col("case").str.split_exact(", ", 1).struct.rename_fields(["variant", "buffer"])
    table = known.with_columns(named.alias("named")).unnest("named")
    rank = {cca: i for i, cca in enumerate(VARIANTS)}
    return (
        table.select(
            pl.col("subject").alias("part"),
            pl.col("buffer").replace(queues).alias("queue"),
            pl.col("variant").replace(ccas).alias("cca"),
            *("low", "high", "n", "n_most", "misfit", "transient", "two_state"),
            *tags_of(claim),
            exponent="estimate",
        )
        .sort(pl.col("cca").replace_strict(rank, default=-1), "part", "queue")
        .select(*COLUMNS, *tags_of(claim))
    )


def exponent_rows(claim: pl.DataFrame, cca: str) -> pl.DataFrame:
    """Return the rows of the table `claim` that are the exponents of a variant."""
    of = pl.col("case").str.starts_with(f"{variant_name(cca)}, ")
    return claim.filter(pl.col("claim").is_in(CLAIMS), of).drop_nulls("estimate")


def exponent_words(claim: pl.DataFrame) -> dict:
    """Return {cca: the range of a variant's exponents over platforms and queues}."""
    known = exponents_of_claims(claim)
    return {
        cca: span_of(of, 1) if len(of := known.filter(cca=cca)["exponent"]) else NOTHING
        for cca in VARIANTS
    }


def exponent_table(claim: pl.DataFrame, fits: pl.DataFrame) -> str:
    """Return the exponents: a row a variant, queue and platform.

    Args:
        claim: the table `claim`.
        fits: the table `rtt_exponent`, of all RTTs that were run.
    """
    every = {(r["part"], r["queue"], r["cca"]): r for r in fits.rows(named=True)}
    rows, before = [], None
    for row in exponents_of_claims(claim).rows(named=True):
        value = with_interval(row["exponent"], row["low"], row["high"], 2)
        of_all = every.get((row["part"], row["queue"], row["cca"]))
        beside = NOTHING
        if of_all and of_all["exponent"] is not None:
            beside = f"{number(of_all['exponent'], 2)}, {of_all['n']} RTTs"
        said = [word for name, word in STATES.items() if row[name]]
        rows.append(
            [
                variant_name(row["cca"]) if row["cca"] != before else "",
                PLATFORM_NAMES[row["part"]],
                QUEUES[row["queue"]],
                *made_of(
                    row,
                    span_of_runs(row),
                    value,
                    number(row["misfit"], 1),
                ),
                *made_of(of_all or {}, beside),
                ", ".join(said),
            ]
        )
        before = row["cca"]
    header = ["Variant", "Platform", "Queue", "Runs", "Exponent", "Off the fit (factor)"]
    header += ["All RTTs", "Note"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)
