"""The exponents of RTT bias: one estimand, over the three RTTs that all cells have.

They are those of the claims, so that text, table and figure have one number: of the means of the
cells of 16, 82 and 324 ms, with an interval over repeats, and how far a ratio lies off the power
law. What a fit to all RTTs that were run gives is beside it in the table, as a sensitivity, and so
is what RTTs with a queue that is always full would give: RTTs here are those of the paths alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import polars as pl
from evenflow.charts.theme import PLATFORM_NAMES
from evenflow.claims.words import span_of_runs
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import LIST
from evenflow.evidence.say import tags_of
from evenflow.markdown import NOTHING, markdown_table, number, span_of, with_interval
from evenflow.papers import paper
from evenflow.statistics.stratified import estimate

from .cells import Subject, quantities
from .claims import exponent
from .metrics import BDP_SHARE, FIXED_BYTES, FLOW_1_RTT_MS, QUEUES, VARIANTS

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


@paper.metric(runs=True)
def queue_effect(pair_metric, run, rtts_of_claims_ms, readings) -> pl.DataFrame:
    """Return the exponents of RTTs with queues that are always full (`with_full_queues`)."""
    (rate_bps,) = pl.concat([of["bottleneck_bps"] for of in run.values()]).unique(
        maintain_order=True
    )
    return with_full_queues(pair_metric, rtts_of_claims_ms[0], readings, rate_bps)


def with_full_queues(
    runs: pl.DataFrame, rtts_ms: Sequence[float], readings: Mapping, rate_bps: float
) -> pl.DataFrame:
    """Fit exponents to the RTTs of the paths, and to those with a queue that is always full.

    Args:
        runs: the table `pair_metric`.
        rtts_ms: of flow 2.
        readings: of paper.yml.
        rate_bps: of the bottleneck.

    Returns:
        part, queue, cca; full_ms: how long a full queue takes to drain; exponent, exponent_full;
        factor: the second over the first; runs. A row where all of the RTTs have runs.
    """
    full_ms = {"bdp20": BDP_SHARE * FLOW_1_RTT_MS, "3mb": FIXED_BYTES * 8000 / rate_bps}
    columns, rows = quantities(readings["floor_bps"]), []
    for (part,), of_part in runs.group_by("part", maintain_order=True):
        subject = Subject(of_part, [rtts_ms], readings)
        for (queue, added_ms), cca in product(full_ms.items(), VARIANTS):
            plain, full = (
                estimate(
                    subject.cells,
                    subject.on(partial(exponent, cca=cca, queue_ms=ms), queue, rtts_ms),
                    columns,
                )
                for ms in (0.0, added_ms)
            )
            if plain.value is not None and full.value is not None:
                values = (added_ms, plain.value, full.value, full.value / plain.value)
                rows.append((part, queue, cca, *values, list(plain.runs)))
    schema = dict.fromkeys(("part", "queue", "cca"), pl.String)
    schema |= dict.fromkeys(("full_ms", "exponent", "exponent_full", "factor"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"runs": LIST}, orient="row")


def exponent_rows(claim: pl.DataFrame, cca: str) -> pl.DataFrame:
    """Return the rows of the table `claim` that are the exponents of a variant, and have intervals.

    Without are those of cells with two states, which no claim is judged by.
    """
    of = pl.col("case").str.starts_with(f"{variant_name(cca)}, ")
    return claim.filter(pl.col("claim").is_in(CLAIMS), of).drop_nulls("low")


def exponent_words(claim: pl.DataFrame) -> dict:
    """Return {cca: the range of its exponents (`exponent_rows`) over platforms and queues}."""
    of = {cca: exponent_rows(claim, cca)["estimate"] for cca in VARIANTS}
    return {cca: span_of(found, 1) if len(found) else NOTHING for cca, found in of.items()}


def exponent_table(claim: pl.DataFrame, fits: pl.DataFrame, full: pl.DataFrame) -> str:
    """Return the exponents: a row a variant, queue and platform.

    Args:
        claim: the table `claim`.
        fits: the table `rtt_exponent`, of all RTTs that were run.
        full: the table `queue_effect`.
    """
    every, queued = (
        {(r["part"], r["queue"], r["cca"]): r for r in of.rows(named=True)} for of in (fits, full)
    )
    rows, before = [], None
    for row in exponents_of_claims(claim).rows(named=True):
        value = with_interval(row["exponent"], row["low"], row["high"], 2)
        case = (row["part"], row["queue"], row["cca"])
        of_all, of_full = every.get(case), queued.get(case, {})
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
                *made_of(of_full, number(of_full.get("exponent_full"), 2)),
                ", ".join(said),
            ]
        )
        before = row["cca"]
    header = ["Variant", "Platform", "Queue", "Runs", "Exponent", "Off the fit (factor)"]
    header += ["All RTTs", "Full queue", "Note"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)
