"""The tables in print of the report on `high-speed-fairness`, each a function of its name.

`part` is the role of a data set in the paper: simulation (ns-2) or testbed. Everything here reads
on whatever runs there are: what no run gives is a dash, and counts say how many there are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import polars as pl
from evenflow.charts.theme import PLATFORM_NAMES
from evenflow.claims.scorecard import case_numbers, scorecard, steadiness_numbers
from evenflow.congestion_controls import pairing_name, variant_name
from evenflow.evidence.cells import made_of
from evenflow.kit.tables import fixed, groups, in_order, interval, labelled, named, pivoted, printed
from evenflow.markdown import (
    NOTHING,
    WORDS_OF_PRINT,
    markdown_table,
    number,
    span_of,
)
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.builds import build_markdown
from evenflow.reporting.selfcheck import selfcheck_table
from evenflow.reporting.setups import deviation_table, source_list

from .data import coverage_table, data_table, described, facts, recorded
from .exponents import exponent_rows, exponent_table, exponent_words
from .findings_in_print import harms, share_words
from .judging import outcome_table, window_outcomes
from .metrics import (
    HIGH_SPEED,
    QUEUES,
    RTTS_MS,
    STANDARD,
    VARIANTS,
    VIEW_NAMES,
    VIEWS,
    design,
    low_runs,
    mean_shares_of,
)
from .printed import PRINTED_CASES, ratio_text
from .sensitivity import WINDOWS

FULL = 0.9  # of the bottleneck; both flows of a cell below it leave the link partly empty
UNSTEADY = "†"  # mark of a cell of which a run is unsteady
PLATFORM = {"Platform": named("part", PLATFORM_NAMES)}
VIEW = {"View": named("view", VIEW_NAMES)}
QUEUE = {"Queue": named("queue", QUEUES)}
RTTS = {rtt: f"{rtt} ms" for rtt in RTTS_MS}  # of flow 2, as columns


def pair(cells: pl.DataFrame) -> str:
    """Return the names of the two variants of cells, or runs, of one pair."""
    return pairing_name(f"{cells['cca1'][0]}-{cells['cca2'][0]}")


@paper.table
def data(run, flow, ledger, pair_metric, about) -> str:
    return data_table(described(run, flow, ledger, pair_metric, about))


@paper.table
def sources(parts, about) -> str:
    return source_list({parts[part]: said for part, said in about.items()})


@paper.table
def deviations(authors, run, flow, window, sample, tcp_state, pair_metric, about, parts) -> str:
    said = {}
    for part, name in parts.items():
        states = recorded(tcp_state[part], sample[part])
        tables = (run[part], flow[part], window[part])
        said[name] = facts(*tables, states, pair_metric.filter(part=part), about[part])
    return deviation_table(authors, said)


@paper.table
def coverage(pair_cell, parts) -> str:
    return coverage_table(pair_cell, list(parts))


# ---- the four views ----


@paper.table
def fits(rtt_fit, parts) -> str:
    """Return the fits of RTT fairness: r and slope with their intervals, a row a variant."""
    starved = "without ratio"
    return printed(
        in_order(rtt_fit, part=parts, queue=QUEUES, cca=VARIANTS),
        PLATFORM | QUEUE | {"Variant": named("cca", variant_name)},
        {
            "Cells": "n",
            starved: named("n_starved", lambda n: str(n or "")),
            "Pearson's r": interval("r"),
            "Slope": interval("slope"),
            "Intercept": fixed("intercept", 2),
        },
        optional=[starved],
    )


@paper.table
def drift(pair_cell, parts) -> str:
    """Return how many cells are unsteady by view and RTT, and when two alike flows are equal."""

    def unsteady(cells: pl.DataFrame) -> str:
        return f"{(cells['n_unsteady'] > 0).sum()} of {len(cells)}"

    said = {"unsteady": unsteady, "equal shares": _converged}
    kinds = [*((view, "unsteady") for view in VIEWS), ("intra", "equal shares")]
    rows = [
        pair_cell.filter(part=part, view=view).with_columns(said=pl.lit(what))
        for part in parts
        for view, what in kinds
    ]
    return printed(
        filter(len, rows),
        PLATFORM | {"View": lambda cells: f"{VIEW_NAMES[cells['view'][0]]}: {cells['said'][0]}"},
        pivoted("rtt2_ms", RTTS, lambda cells: said[cells["said"][0]](cells)),
    )


def _converged(cells: pl.DataFrame) -> str:
    """Return '5 of 6, 27 s': in how many cells two flows reach equal shares, the median time."""
    times = cells["convergence_s"].drop_nulls()
    after = f", {number(times.median(), 0)} s" if len(times) else ""
    return f"{len(times)} of {len(cells)}{after}"


@paper.table
def summary(pair_cell, claim, pair_share) -> str:
    """Return the four views in one table: a row a variant, ranges over queues and platforms."""
    ends = (RTTS_MS[0], RTTS_MS[-1])
    power, taken = exponent_words(claim), share_words(pair_share)
    rows = []
    for cca in VARIANTS:
        beside, alike, alone = (
            [pair_cell.filter(rtt2_ms=float(rtt), **of) for rtt in ends]
            for of in (
                {"view": "friendliness", "cca2": cca},
                {"view": "intra", "cca1": cca},
                {"view": "intra", "cca1": STANDARD},
            )
        )
        rows.append([variant_name(cca)])
        for of in beside:
            rows[-1] += made_of(of, span_of(100 * of["share1"], 1))
        for rtt, both in zip(ends, zip(beside, alone, strict=True), strict=True):
            of = harms(pair_cell, cca, rtt)
            rows[-1] += made_of(both, span_of(100 * of, 0) if len(of) else NOTHING)
        for of in alike:
            rows[-1] += made_of(of, span_of(of["jfi"], 2))
        rows[-1] += made_of(exponent_rows(claim, cca), power[cca])
        rows[-1] += (
            [NOTHING] if cca == STANDARD else made_of(pair_share.filter(cca=cca), taken[cca])
        )
    header = ["Variant", *(f"NewReno's share, {rtt} ms (%)" for rtt in ends)]
    header += [f"Harm to NewReno, {rtt} ms (%)" for rtt in ends]
    header += [f"Jain's index of two, {rtt} ms" for rtt in ends]
    header += ["RTT exponent", "Share against others (%)"]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def mean_shares(pair_share, parts) -> str:
    """Return each high-speed variant's mean share against the four others, by RTT and queue, in %.

    A dash where not all four pairs of the variant have runs.
    """
    place = ["part", "queue", "rtt_ms"]
    others = pair_share.filter(pl.col("other").is_in(HIGH_SPEED))
    known = others.join(mean_shares_of(pair_share), on=place, how="semi")

    def mean(shares: pl.DataFrame) -> str:
        found = mean_shares_of(shares)["share"]
        return number(100 * found[0], 0) if len(found) else NOTHING

    return printed(
        groups(in_order(known, part=parts, queue=QUEUES, rtt_ms=RTTS_MS), *place),
        PLATFORM | QUEUE | {"RTT (ms)": named("rtt_ms", "{:g}".format)},
        pivoted("cca", {cca: variant_name(cca) for cca in HIGH_SPEED}, mean),
        numeric_from=2,
        none="no variant has run against all others yet",
    )


@paper.table
def starved(pair_metric, parts, low_share) -> str:
    """Return in which runs a flow got less than `low_share`, a row a view and pair of variants."""
    low = low_runs(pair_metric, low_share)
    by_rtt = pl.concat(low.filter(part=part).sort("rtt2_ms", "queue") for part in parts)

    def places(runs: pl.DataFrame) -> str:
        counts = Counter(runs.select("rtt2_ms", "queue").rows())
        return "; ".join(f"{rtt:g} ms, {QUEUES[queue]} ({n})" for (rtt, queue), n in counts.items())

    def flow(runs: pl.DataFrame) -> str:
        n = runs["low_flow"][0]
        return f"flow {n}, {variant_name(runs[f'cca{n}'][0])}"

    def least(runs: pl.DataFrame) -> str:
        return number(runs[f"throughput{runs['low_flow'][0]}_bps"].min() / 1e6, 2)

    return printed(
        groups(
            in_order(by_rtt, part=parts, view=VIEWS), "part", "view", "cca1", "cca2", "low_flow"
        ),
        PLATFORM | VIEW | {"Flow 1 – flow 2": pair, "Starved": flow},
        {"RTT of flow 2, queue (runs)": places, "Least (Mb/s)": least},
        numeric_from=5,
        none="none",
    )


@paper.table
def cells(pair_cell, parts) -> str:
    """Return every cell that has runs: ratio, and in brackets Jain's index; a column an RTT.

    A cell of which a run is unsteady has a mark.
    """

    def cell(of: pl.DataFrame) -> str:
        mark = UNSTEADY if of["n_unsteady"][0] else ""
        return f"{ratio_text(of['ratio'][0])} ({number(of['jfi'][0], 2)}){mark}"

    place = ["view", "cca1", "cca2"]
    pairs = design().select(place).unique(maintain_order=True).with_row_index("place")
    placed = pair_cell.join(pairs, on=place).sort("place")
    return printed(
        groups(in_order(placed, place=pairs["place"], queue=QUEUES, part=parts),
               *place, "queue", "part"),
        VIEW | {"Flow 1 – flow 2": pair} | QUEUE | PLATFORM,
        {"n": lambda of: span_of(of["n"])} | pivoted("rtt2_ms", RTTS, cell),
    )  # fmt: skip


# ---- ns-2 and the testbed ----


@paper.table
def platforms(platform_pair) -> str:
    """Return how far ns-2 and the testbed are apart in the cells that both have, by view."""
    unsteady = pl.col("n_unsteady") + pl.col("n_unsteady_testbed")
    chosen = {VIEW_NAMES[view]: platform_pair.filter(view=view) for view in VIEWS}
    chosen |= {"all": platform_pair}
    chosen |= {"all without unsteady ones": platform_pair.filter(unsteady == 0)}
    known = (pl.col("ratio") > 0) & (pl.col("ratio_testbed") > 0)  # no flow starved
    factor = (pl.col("ratio").log() - pl.col("ratio_testbed").log()).filter(known).abs()
    gap = (pl.col("jfi") - pl.col("jfi_testbed")).abs()
    share = 100 * (pl.col("share1") - pl.col("share1_testbed")).abs()

    return labelled(
        chosen,
        "View",
        {
            "Cells in common": pl.len(),
            "Mean \\|ΔJ\\|": fixed(gap.mean(), 2),
            "Max \\|ΔJ\\|": fixed(gap.max(), 2),
            "Mean \\|Δshare\\| (points)": fixed(share.mean(), 1),
            "Max \\|Δshare\\|": fixed(share.max(), 1),
            "Factor": fixed(factor.mean().exp(), 1),
            "Largest factor": named(
                factor.max().exp(), lambda most: NOTHING if most is None else ratio_text(most)
            ),
            "Same variant ahead": _same_ahead,
        },
    )


def _same_ahead(both: pl.DataFrame) -> str:
    """Return in how many cells of two variants the same one is ahead: '5 of 6'."""
    unlike = both.filter(pl.col("cca1") != pl.col("cca2"))
    same = (unlike["share1"] > 0.5) == (unlike["share1_testbed"] > 0.5)
    return f"{same.sum()} of {len(unlike)}" if len(unlike) else NOTHING


# ---- printed values, claims, sensitivity ----


@paper.table
def published(published, pair_cell, parts) -> str:
    """Return what the paper's text prints next to ours, a column a platform."""
    cells = {part: pair_cell.filter(part=part) for part in parts}

    def words(row: dict) -> str:
        return f"{WORDS_OF_PRINT.get(row['statistic'], row['statistic'])} {row['value']}"

    def ours(part: str) -> Callable[[dict], str]:
        return lambda row: PRINTED_CASES[row["case"]][1](cells[part], float(row["value"]))

    return printed(
        published,
        {
            "Place": "where",
            "Quantity": lambda row: PRINTED_CASES[row["case"]][0],
            "Printed": words,
            **{PLATFORM_NAMES[part]: ours(part) for part in parts},
        },
        {},
        numeric_from=3,
    )


@paper.table
def sensitivity(pair_sensitivity, parts) -> str:
    """Return mean Jain's index and median ratio over the runs, by view, a column a window."""

    def typical(runs: pl.DataFrame) -> str:
        middle = runs["ratio"].fill_null(math.inf).median()
        ratio = ratio_text(None if middle == math.inf else middle)
        return f"{number(runs['jfi'].mean(), 3)}; {ratio}"

    return printed(
        groups(in_order(pair_sensitivity, part=parts, view=VIEWS), "part", "view"),
        PLATFORM | VIEW,
        {"Runs": pl.col("run_id").n_unique()} | pivoted("window", WINDOWS, typical),
    )


@paper.table
def verdicts(
    pair_sensitivity,
    pair_metric,
    parts,
    rtts_of_claims_ms,
    claims,
    readings,
    planned,
    confidence,
    fdr,
) -> str:
    """Return how the outcomes of the claims move with the part of a run that is averaged."""
    rule = {"planned": planned, "confidence": confidence, "fdr": fdr}
    read = (pair_sensitivity, pair_metric, rtts_of_claims_ms, claims, readings)
    found = window_outcomes(*read, **rule)
    return outcome_table(found, list(parts))


@paper.table
def claims(claim, parts) -> str:
    return scorecard(claim, {part: PLATFORM_NAMES[part] for part in parts})


@paper.table
def cases(claim) -> str:
    return case_numbers(claim, {"simulation": PLATFORM_NAMES["simulation"]}, least="low")


@paper.table
def cases_testbed(claim) -> str:
    return case_numbers(claim, {"testbed": PLATFORM_NAMES["testbed"]}, least="low")


@paper.table
def unsteady(claim, parts) -> str:
    names = {part: PLATFORM_NAMES[part] for part in parts}
    return steadiness_numbers(claim, names, on="Platform")


@paper.table
def completeness(completeness, paper_name) -> str:
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table
def builds(build) -> str:
    return build_markdown(build)


@paper.table
def selfcheck(selfcheck) -> str:
    return selfcheck_table(selfcheck)


@paper.table
def exponents(rtt_exponent, claim, queue_effect) -> str:
    return exponent_table(claim, rtt_exponent, queue_effect)


@paper.table
def own(claim, parts) -> str:
    """Return our findings: what each asserts, and the numbers of each case on each platform."""
    names = {part: PLATFORM_NAMES[part] for part in parts}
    return case_numbers(claim, names, own=True, on="Platform")
