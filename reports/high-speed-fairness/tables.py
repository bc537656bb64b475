"""Results in the report on `high-speed-fairness`: formatted strings and markdown tables.

`part` is the role of a data set in the paper: simulation (ns-2) or testbed. Everything here reads
on whatever runs there are: what no run gives is a dash, and counts say how many there are.
"""

from __future__ import annotations

from collections import Counter

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.congestion_controls import pairing_name, variant_name
from evenflow.markdown import NOTHING, markdown_table, number, scientific, span_of
from evenflow.papers import paper
from evenflow.papers.claims import (
    IN_PART,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    OUTCOMES,
    REPRODUCED,
    count_outcomes,
)
from evenflow.reporting.selfcheck import selfcheck_table
from evenflow.reporting.setups import deviation_table, source_list

from .claims import CLAIMS, scorecard
from .data import VIEW_NAMES, coverage_table, data_table, described, facts, recorded
from .metrics import HIGH_SPEED, QUEUES, RTTS_MS, VARIANTS, VIEWS, design, pair_cells
from .sensitivity import STEADY, WINDOWS

PARTS = list(PLATFORMS)
SMALL, LARGE = 0.01, 99.95  # ratios below are printed as powers of ten, above without decimals
INFINITE = "flow 2 starved"


def ratio_text(ratio: float | None) -> str:
    """Return a throughput ratio in print: three digits; of a starved flow, which one it is."""
    if ratio is None:
        return INFINITE
    if ratio == 0:
        return "flow 1 starved"
    if ratio < SMALL:
        return scientific(ratio, 1)
    return f"{ratio:,.0f}" if ratio >= LARGE else f"{ratio:#.3g}"


def of_part(table: pl.DataFrame, part: str) -> pl.DataFrame:
    """Return the rows of one platform."""
    return table.filter(pl.col("part") == part)


def view_variables(cells: pl.DataFrame) -> dict:
    """Return {view: {part: what the cells come to, in words}}, of every view and platform."""
    return {
        view: {
            part: view_words(of_part(cells, part).filter(pl.col("view") == view), view)
            for part in PARTS
        }
        for view in VIEWS
    }


def view_words(cells: pl.DataFrame, view: str) -> dict[str, str]:
    """Return counts and ranges over a view's cells of one platform.

    Returns:
        text: '3 of 50 cells (n = 1): Jain's index 0.54 to 0.70, throughput ratio 0.04 to 0.2', and
        its parts.
    """
    n_all = len(design().filter(pl.col("view") == view))
    found = {
        "n_cells": str(len(cells)),
        "n_design": str(n_all),
        "repeats": span_of(cells["n"]),
        "jfi": span_of(cells["jfi"], 2),
        "ratio": _ratio_span(cells),
        "n_starved": str(len(cells.filter(pl.col("n_starved1") + pl.col("n_starved2") > 0))),
    }
    if cells.is_empty():
        return found | {"text": f"no run yet of the {n_all} cells"}
    text = f"{len(cells)} of {n_all} cells (n = {found['repeats']}): Jain's index {found['jfi']}, "
    text += f"throughput ratio {found['ratio']}"
    if found["n_starved"] != "0":
        text += f"; a flow starved in {found['n_starved']} of them"
    return found | {"text": text}


def _ratio_span(cells: pl.DataFrame) -> str:
    known = cells["ratio"].drop_nulls()
    if known.is_empty():
        return INFINITE if len(cells) else NOTHING
    low, high = ratio_text(known.min()), ratio_text(known.max())
    if len(known) < len(cells):
        high = INFINITE
    return low if low == high else f"{low} to {high}"


def fit_table(fits: pl.DataFrame, parts: list[str]) -> str:
    """Return the fits of RTT fairness: r and slope with their intervals, a row a variant."""
    rows = []
    for part in parts:
        for queue in QUEUES:
            for cca in VARIANTS:
                found = of_part(fits, part).filter(queue=queue, cca=cca)
                if found.is_empty():
                    continue
                row = found.row(0, named=True)
                starved = str(row["n_starved"]) if row["n_starved"] else ""
                rows.append(
                    [
                        *(PLATFORMS[part][0], QUEUES[queue], variant_name(cca)),
                        *(str(row["n"]), starved, _interval(row, "r"), _interval(row, "slope")),
                        number(row["intercept"], 2),
                    ]
                )
    header = ["Platform", "Queue", "Variant", "Cells", "without ratio", "Pearson's r", "Slope"]
    rows = rows or [["no run yet", *[NOTHING] * len(header)]]
    return markdown_table([*header, "Intercept"], rows, numeric_from=3)


def _interval(row: dict, name: str) -> str:
    text = number(row[name], 2)
    if row[f"{name}_low"] is not None:
        text += f" ({number(row[f'{name}_low'], 2)} to {number(row[f'{name}_high'], 2)})"
    return text


def share_table(shares: pl.DataFrame, parts: list[str]) -> str:
    """Return each high-speed variant's mean share beside the four others, by RTT and queue, in %.

    A dash where not all four pairs of the variant have runs.
    """
    others = shares.filter(
        pl.col("cca").is_in(HIGH_SPEED),
        pl.col("other").is_in(HIGH_SPEED),
        pl.col("cca") != pl.col("other"),
    )
    rows = []
    for part in parts:
        for queue in QUEUES:
            for rtt in RTTS_MS:
                mine = of_part(others, part).filter(queue=queue, rtt_ms=float(rtt))
                found = []
                for cca in HIGH_SPEED:
                    of_cca = mine.filter(cca=cca)["share"]
                    whole = len(of_cca) == len(HIGH_SPEED) - 1
                    found.append(number(100 * of_cca.mean(), 0) if whole else NOTHING)
                if set(found) != {NOTHING}:
                    rows.append([PLATFORMS[part][0], QUEUES[queue], f"{rtt}", *found])
    header = ["Platform", "Queue", "RTT (ms)", *map(variant_name, HIGH_SPEED)]
    rows = rows or [["no variant has run beside all others yet", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=2)


def starved_table(pairs: pl.DataFrame, parts: list[str], low_share: float) -> str:
    """Return the runs in which a flow got less than `low_share`, the starved ones marked."""
    rows = []
    for part in parts:
        for row in _low(of_part(pairs, part), low_share).sort("run_id").rows(named=True):
            n = row["low_flow"]
            rows.append(
                [
                    f"`{row['dataset_id']}`",
                    f"`{row['run_id']}`",
                    f"flow {n}, {variant_name(row[f'cca{n}'])}",
                    number(row[f"throughput{n}_bps"] / 1e6, 2),
                    ratio_text(row["ratio"]),
                ]
            )
    header = ["Data set", "Run", "Flow", "Mean (Mb/s)", "Flow 1 / flow 2"]
    rows = rows or [["none", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=3)


def _low(pairs: pl.DataFrame, low_share: float) -> pl.DataFrame:
    """Return the runs in which a flow got less than `low_share`, with its number as low_flow."""
    low_flow = pl.when(pl.col("share1") < low_share).then(1).when(1 - pl.col("share1") < low_share)
    return pairs.with_columns(low_flow=low_flow.then(2)).drop_nulls("low_flow")


def cell_table(cells: pl.DataFrame, parts: list[str]) -> str:
    """Return every cell that has runs: ratio, and in brackets Jain's index; a column an RTT."""
    rows = []
    for view in VIEWS:
        of_view = cells.filter(pl.col("view") == view)
        pairs = design().filter(pl.col("view") == view).select("cca1", "cca2")
        for first, second in pairs.unique(maintain_order=True).rows():
            for queue in QUEUES:
                for part in parts:
                    mine = of_part(of_view, part).filter(cca1=first, cca2=second, queue=queue)
                    if mine.is_empty():
                        continue
                    by_rtt = {row["rtt2_ms"]: row for row in mine.rows(named=True)}
                    named = [VIEW_NAMES[view], pairing_name(f"{first}-{second}")]
                    named += [QUEUES[queue], PLATFORMS[part][0], span_of(mine["n"])]
                    rows.append([*named, *(_cell(by_rtt.get(float(rtt))) for rtt in RTTS_MS)])
    header = ["View", "Flow 1 – flow 2", "Queue", "Platform", "n", *(f"{r} ms" for r in RTTS_MS)]
    rows = rows or [["no run yet", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=4)


def _cell(row: dict | None) -> str:
    return f"{ratio_text(row['ratio'])} ({number(row['jfi'], 2)})" if row else NOTHING


# ---- ns-2 beside the testbed --------------------------------------------------------------------


def common_cells(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells that both platforms have; the testbed's columns end in _testbed."""
    place = ["view", "queue", "cca1", "cca2", "rtt1_ms", "rtt2_ms"]
    first, second = (of_part(cells, part) for part in ("simulation", "testbed"))
    columns = [*place, "jfi", "share1", "n"]
    return first.select(columns).join(second.select(columns), on=place, suffix="_testbed")


def platform_table(cells: pl.DataFrame) -> str:
    """Return how far ns-2 and the testbed are apart in the cells that both have, by view."""
    both = common_cells(cells)
    rows = []
    for view in [*VIEWS, None]:
        mine = both if view is None else both.filter(pl.col("view") == view)
        gap = (mine["jfi"] - mine["jfi_testbed"]).abs()
        share = 100 * (mine["share1"] - mine["share1_testbed"]).abs()
        n_same, n_unlike = _same_ahead(mine)
        rows.append(
            [
                "all" if view is None else VIEW_NAMES[view],
                str(len(mine)),
                *(number(value, 2) for value in (gap.mean(), gap.max())),
                *(number(value, 1) for value in (share.mean(), share.max())),
                f"{n_same} of {n_unlike}" if n_unlike else NOTHING,
            ]
        )
    header = [
        "View",
        "Cells in common",
        "mean \\|ΔJ\\|",
        "max \\|ΔJ\\|",
        "mean \\|Δshare\\| (points)",
    ]
    header += ["max \\|Δshare\\|", "same variant ahead"]
    return markdown_table(header, rows, numeric_from=1)


def _same_ahead(both: pl.DataFrame) -> tuple[int, int]:
    """Return in how many cells of two variants the same one is ahead, and of how many."""
    unlike = both.filter(pl.col("cca1") != pl.col("cca2"))
    return ((unlike["share1"] > 0.5) == (unlike["share1_testbed"] > 0.5)).sum(), len(unlike)


def common_words(cells: pl.DataFrame) -> str:
    """Return the last row of `platform_table` in words."""
    both = common_cells(cells)
    if both.is_empty():
        return "no cell has runs on both platforms"
    gap = (both["jfi"] - both["jfi_testbed"]).abs()
    n_same, n_unlike = _same_ahead(both)
    cells_have = "cell has" if len(both) == 1 else "cells have"
    text = f"{len(both)} {cells_have} runs on both platforms; Jain's indices differ by "
    text += f"{number(gap.mean(), 2)} in the mean and {number(gap.max(), 2)} at most"
    if n_unlike:
        text += f", and the same variant is ahead in {n_same} of the {n_unlike} with two variants"
    return text


# ---- printed values, claims, sensitivity --------------------------------------------------------


def published_table(published: pl.DataFrame, cells: pl.DataFrame, parts: list[str]) -> str:
    """Return what the paper's text prints beside ours, a column a platform.

    Args:
        published: reports/high-speed-fairness/published.csv.
    """
    rows = []
    for row in published.rows(named=True):
        words, measure = PRINTED_CASES[row["case"]]
        limit = float(row["value"])
        ours = [measure(of_part(cells, part), limit) for part in parts]
        rows.append([row["where"], words, f"{row['statistic']} {row['value']}", *ours])
    header = ["Place", "Quantity", "Printed", *(PLATFORMS[part][0] for part in parts)]
    return markdown_table(header, rows, numeric_from=3)


def _majority(cells: pl.DataFrame, limit: float) -> str:
    """Return in how many cells Jain's index of two alike high-speed flows is above `limit`."""
    chosen = cells.filter((pl.col("view") == "intra") & pl.col("cca1").is_in(HIGH_SPEED))
    chosen = chosen.drop_nulls("jfi")
    if chosen.is_empty():
        return f"{NOTHING} (0 cells)"
    n = (chosen["jfi"] > limit).sum()
    return f"{n} of {len(chosen)} cells; median {number(chosen['jfi'].median(), 2)}"


def _times(cells: pl.DataFrame, limit: float) -> str:
    """Return the largest ratio of Scalable to a competitor, and in how many cells it is `limit`."""
    chosen = cells.filter((pl.col("view") == "inter") & (pl.col("cca2") == "scalable"))
    if chosen.is_empty():  # Scalable is flow 2 of all its pairs
        return f"{NOTHING} (0 cells)"
    times = 1 / chosen["ratio"].fill_null(float("inf"))
    starved = (times == float("inf")).sum()
    largest = "competitor starved" if starved else number(times.max(), 1)
    return f"{(times >= limit).sum()} of {len(chosen)} cells; largest {largest}"


# case of published.csv -> words, and what our cells say of it
PRINTED_CASES = {
    "intra-protocol-majority": ("Jain's index of two alike, 'in the majority of cases'", _majority),
    "scalable-vs-others": ("Scalable's throughput over its competitor's, 'at times'", _times),
}


def claim_words(claim: pl.DataFrame) -> dict:
    """Return {part: {n, text}}: how many claims there are, and what a data set says of them."""
    found = {}
    for (part,), rows in claim.group_by("subject", maintain_order=True):
        counts = count_outcomes(rows)
        n_tested = len(rows) - counts[NOT_TESTABLE]
        text = (
            f"{n_tested} can be tested: {counts[REPRODUCED]} reproduced, {counts[IN_PART]} in "
            f"part, {counts[NOT_REPRODUCED]} not"
        )
        found[part] = {"n": str(len(rows)), "text": text if n_tested else "none can be tested yet"}
    return found


def sensitivity_table(sensitivity: pl.DataFrame, parts: list[str]) -> str:
    """Return mean Jain's index and median ratio over the runs, by view, a column a window.

    Args:
        sensitivity: the table `pair_sensitivity`.
    """
    rows = []
    for part in parts:
        for view in VIEWS:
            mine = of_part(sensitivity, part).filter(pl.col("view") == view)
            values = [_typical(mine.filter(pl.col("window") == window)) for window in WINDOWS]
            n_runs = str(mine["run_id"].n_unique())
            rows.append([PLATFORMS[part][0], VIEW_NAMES[view], n_runs, *values])
    header = ["Platform", "View", "Runs", *WINDOWS.values()]
    return markdown_table(header, rows, numeric_from=2)


def _typical(runs: pl.DataFrame) -> str:
    if runs.is_empty():
        return NOTHING
    middle = runs["ratio"].fill_null(float("inf")).median()
    ratio = ratio_text(None if middle == float("inf") else middle)
    return f"{number(runs['jfi'].mean(), 3)}; {ratio}"


def window_verdicts(sensitivity: pl.DataFrame) -> pl.DataFrame:
    """Return the claims' verdicts by platform and window: part, window, claim, verdict."""
    rows = []
    for (part, window), runs in sensitivity.group_by("part", "window", maintain_order=True):
        cells = pair_cells({part: runs.drop("part", "window")})
        rows += [(part, window, claim.key, claim.test(cells).outcome) for claim in CLAIMS]
    schema = dict.fromkeys(("part", "window", "claim", "verdict"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def verdict_table(sensitivity: pl.DataFrame, parts: list[str]) -> str:
    """Return how the verdicts on the claims move with the part of a run that is averaged."""
    verdicts = window_verdicts(sensitivity)
    default = verdicts.filter(window=STEADY).select("part", "claim", was="verdict")
    both = verdicts.join(default, on=["part", "claim"], maintain_order="left")
    sentences = {claim.key: claim.sentence for claim in CLAIMS}
    rows = []
    for part in parts:
        for window, name in WINDOWS.items():
            mine = both.filter(part=part, window=window)
            counts = Counter(mine["verdict"].to_list())
            moved = mine.filter(pl.col("verdict") != pl.col("was"))["claim"].to_list()
            said = "; ".join(sentences[key] for key in moved) or ("–" if len(mine) else "no run")
            found = ", ".join(
                f"{counts[verdict]} {verdict}" for verdict in OUTCOMES if counts[verdict]
            )
            rows.append([PLATFORMS[part][0], name, found, said])
    header = ["Platform", "Means over", "Verdicts", "Another verdict on"]
    return markdown_table(header, rows, numeric_from=len(header))


def moved_words(sensitivity: pl.DataFrame) -> dict[str, str]:
    """Return {part: how much the paper's own averaging moves each run, in words}."""
    found = {}
    for part in PARTS:
        mine = of_part(sensitivity, part)
        wide = mine.filter(window=STEADY).join(
            mine.filter(window="own").select("run_id", jfi_own="jfi"), on="run_id"
        )
        moved = (wide["jfi_own"] - wide["jfi"]).drop_nulls()
        if moved.is_empty():
            found[part] = "no run yet"
            continue
        up = (moved > 0).sum()
        found[part] = (
            f"Jain's index moves by {number(moved.mean(), 3)} in the mean (it rises in {up} of "
            f"{len(moved)} runs), by {number(moved.abs().max(), 2)} at most"
        )
    return found


# ---- of the whole report ------------------------------------------------------------------------


def total_variables(pairs: pl.DataFrame, data: dict[str, dict], low_share: float) -> dict[str, str]:
    """Return how many runs and cells the platforms have: '258 (ns-2) and 87 (testbed) of the 258
    cells', in how many runs a flow gets little or nothing, and beside whom: 'Scalable (47), BIC
    (2)'.

    Args:
        pairs: the table `pair_metric`.
        data: {part: result of `data.data_variables`}.
        low_share: of both flows' throughput, below which a flow gets little.
    """
    low = _low(pairs, low_share)
    other = pl.when(pl.col("low_flow") == 1).then("cca2").otherwise("cca1")
    beside = low.group_by(other.alias("cca")).len().sort("len", "cca", descending=[True, False])
    named = [f"{variant_name(cca)} ({n})" for cca, n in beside.rows()]
    cells = [f"{about['n_cells']} ({PLATFORMS[part][0].lower()})" for part, about in data.items()]
    return {
        "n_runs": str(len(pairs)),
        "cells": f"{' and '.join(cells)} of the {len(design())} cells",
        "n_starved": str(pairs["starved"].count()),
        "n_low": str(len(low)),
        "beside": ", ".join(named) or NOTHING,
    }


# ---- the tables in print ----


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


@paper.table
def published(published, pair_cell, parts) -> str:
    return published_table(published, pair_cell, list(parts))


@paper.table
def fits(rtt_fit, parts) -> str:
    return fit_table(rtt_fit, list(parts))


@paper.table
def mean_shares(pair_share, parts) -> str:
    return share_table(pair_share, list(parts))


@paper.table
def starved(pair_metric, parts, low_share) -> str:
    return starved_table(pair_metric, list(parts), low_share)


@paper.table
def platforms(pair_cell) -> str:
    return platform_table(pair_cell)


@paper.table
def sensitivity(pair_sensitivity, parts) -> str:
    return sensitivity_table(pair_sensitivity, list(parts))


@paper.table
def verdicts(pair_sensitivity, parts) -> str:
    return verdict_table(pair_sensitivity, list(parts))


@paper.table
def claims(claim, parts) -> str:
    return scorecard(claim, parts)


@paper.table
def cells(pair_cell, parts) -> str:
    return cell_table(pair_cell, list(parts))


@paper.table
def selfcheck(selfcheck) -> str:
    return selfcheck_table(selfcheck)
