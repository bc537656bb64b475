"""Results in the report on `high-speed-fairness`: formatted strings and markdown tables.

`part` is the role of a data set in the paper: simulation (ns-2) or testbed. Everything here reads
on whatever runs there are: what no run gives is a dash, and counts say how many there are.
"""

from __future__ import annotations

import math
from collections import Counter

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.claims.judge import of_original, outcomes
from evenflow.claims.scorecard import case_numbers, scorecard, steadiness_numbers
from evenflow.congestion_controls import pairing_name, variant_name
from evenflow.evidence.cells import made_of
from evenflow.markdown import (
    NOTHING,
    WORDS_OF_PRINT,
    compact,
    markdown_table,
    number,
    scientific,
    span_of,
)
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.builds import build_markdown
from evenflow.reporting.selfcheck import selfcheck_table
from evenflow.reporting.setups import deviation_table, source_list
from evenflow.schema import Document
from evenflow.statistics.outcomes import OUTCOMES

from .data import coverage_table, data_table, described, facts, recorded
from .exponents import exponent_rows, exponent_words
from .judging import judged
from .metrics import (
    HIGH_SPEED,
    QUEUES,
    RTTS_MS,
    STANDARD,
    VARIANTS,
    VIEW_NAMES,
    VIEWS,
    design,
    mean_shares_of,
)
from .sensitivity import STEADY, WINDOWS

PARTS = list(PLATFORMS)
FULL = 0.9  # of the bottleneck; both flows of a cell below it leave the link partly empty
UNSTEADY = "†"  # mark of a cell of which a run is unsteady
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
                said = (str(row["n"]), starved, _interval(row, "r"), _interval(row, "slope"))
                named = [PLATFORMS[part][0], QUEUES[queue], variant_name(cca)]
                rows.append([*named, *made_of(row, *said, number(row["intercept"], 2))])
    header = ["Platform", "Queue", "Variant", "Cells", "without ratio", "Pearson's r", "Slope"]
    rows = rows or [["no run yet", *[NOTHING] * len(header)]]
    header.append("Intercept")
    if not any(row[4] not in ("", NOTHING) for row in rows):  # no flow 2 is starved
        header, rows = (header[:4] + header[5:]), [row[:4] + row[5:] for row in rows]
    return markdown_table(header, rows, numeric_from=3)


def drift_table(cells: pl.DataFrame, parts: list[str]) -> str:
    """Return how many cells are unsteady by view and RTT, and when two alike flows are equal.

    Args:
        cells: the table `pair_cell`.
    """
    rows = []
    for part in parts:
        mine = of_part(cells, part)
        for view in VIEWS:
            of_view = mine.filter(view=view)
            if len(of_view):
                said = [_unsteady(of_view.filter(rtt2_ms=float(rtt))) for rtt in RTTS_MS]
                rows.append([PLATFORMS[part][0], f"{VIEW_NAMES[view]}: unsteady", *said])
        alike = mine.filter(view="intra")
        if len(alike):
            said = [_converged(alike.filter(rtt2_ms=float(rtt))) for rtt in RTTS_MS]
            rows.append([PLATFORMS[part][0], f"{VIEW_NAMES['intra']}: equal shares", *said])
    header = ["Platform", "View", *(f"{rtt} ms" for rtt in RTTS_MS)]
    rows = rows or [["no run yet", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=2)


def _unsteady(cells: pl.DataFrame) -> str:
    said = f"{(cells['n_unsteady'] > 0).sum()} of {len(cells)}" if len(cells) else NOTHING
    return made_of(cells, said)[0]


def _converged(cells: pl.DataFrame) -> str:
    """Return '5 of 6, 27 s': in how many cells two flows reach equal shares, the median time."""
    if cells.is_empty():
        return NOTHING
    times = cells["convergence_s"].drop_nulls()
    after = f", {number(times.median(), 0)} s" if len(times) else ""
    return made_of(cells, f"{len(times)} of {len(cells)}{after}")[0]


def harms(cells: pl.DataFrame, cca: str, rtt_ms: float) -> pl.Series:
    """Return what part of its throughput against another NewReno flow a variant costs NewReno.

    Of flow 1, in each queue and platform that has both pairs at an RTT (Ware et al. 2019).
    """
    at = cells.filter(rtt2_ms=float(rtt_ms))
    place = ["part", "queue"]
    beside = at.filter(view="friendliness", cca2=cca).select(*place, "throughput1_bps")
    alone = at.filter(view="intra", cca1=STANDARD).select(*place, alone="throughput1_bps")
    both = beside.join(alone.filter(pl.col("alone") > 0), on=place, maintain_order="left")
    return 1 - both["throughput1_bps"] / both["alone"]


def summary_table(cells: pl.DataFrame, claim: pl.DataFrame, shares: pl.DataFrame) -> str:
    """Return the four views in one table: a row a variant, ranges over queues and platforms.

    Args:
        cells, claim, shares: the tables `pair_cell`, `claim`, `pair_share`.
    """
    ends = (RTTS_MS[0], RTTS_MS[-1])
    power, taken = exponent_words(claim), share_words(shares)
    rows = []
    for cca in VARIANTS:
        beside = cells.filter(pl.col("view") == "friendliness", pl.col("cca2") == cca)
        alike = cells.filter(pl.col("view") == "intra", pl.col("cca1") == cca)
        at = [(beside.filter(rtt2_ms=float(r)), alike.filter(rtt2_ms=float(r))) for r in ends]
        alone = cells.filter(view="intra", cca1=STANDARD)
        harmed = [[of, alone.filter(rtt2_ms=float(r))] for (of, _), r in zip(at, ends, strict=True)]
        newreno = [made_of(of, span_of(100 * of["share1"], 1))[0] for of, _ in at]
        harm = [span_of(100 * of, 0) if len(of := harms(cells, cca, r)) else NOTHING for r in ends]
        harm = [made_of(of, text)[0] for of, text in zip(harmed, harm, strict=True)]
        jfi = [made_of(of, span_of(of["jfi"], 2))[0] for _, of in at]
        last = NOTHING if cca == STANDARD else made_of(shares.filter(cca=cca), taken[cca])[0]
        raised = made_of(exponent_rows(claim, cca), power[cca])
        rows.append([variant_name(cca), *newreno, *harm, *jfi, *raised, last])
    header = ["Variant", *(f"NewReno's share, {rtt} ms (%)" for rtt in ends)]
    header += [f"Harm to NewReno, {rtt} ms (%)" for rtt in ends]
    header += [f"Jain's index of two, {rtt} ms" for rtt in ends]
    header += ["RTT exponent", "Share against others (%)"]
    return markdown_table(header, rows, numeric_from=1)


def _interval(row: dict, name: str) -> str:
    text = number(row[name], 2)
    if row[f"{name}_low"] is not None:
        text += f" ({number(row[f'{name}_low'], 2)} to {number(row[f'{name}_high'], 2)})"
    return text


def share_words(shares: pl.DataFrame) -> dict:
    """Return {cca: range of its mean share against the four others, %}, and NewReno's.

    NewReno's is its share against each variant at the longest RTT.
    """
    means = mean_shares_of(shares)
    found = {cca: span_of(100 * means.filter(cca=cca)["share"], 1) for cca in HIGH_SPEED}
    beside = shares.filter(pl.col("other").is_in(HIGH_SPEED), cca=STANDARD, rtt_ms=RTTS_MS[-1])
    return found | {STANDARD: span_of(100 * beside["share"], 2)}


def share_table(shares: pl.DataFrame, parts: list[str]) -> str:
    """Return each high-speed variant's mean share against the four others, by RTT and queue, in %.

    A dash where not all four pairs of the variant have runs.
    """
    means = mean_shares_of(shares)

    def of_variant(part: str, queue: str, rtt: float, cca: str) -> pl.DataFrame:
        others = pl.col("other").is_in(HIGH_SPEED)
        return shares.filter(others, part=part, queue=queue, rtt_ms=float(rtt), cca=cca)

    rows = []
    for part in parts:
        for queue in QUEUES:
            for rtt in RTTS_MS:
                mine = of_part(means, part).filter(queue=queue, rtt_ms=float(rtt))
                share = dict(mine.select("cca", 100 * pl.col("share")).rows())
                if share:
                    found = [
                        made_of(of_variant(part, queue, rtt, cca), number(share.get(cca), 0))[0]
                        for cca in HIGH_SPEED
                    ]
                    rows.append([PLATFORMS[part][0], QUEUES[queue], f"{rtt}", *found])
    header = ["Platform", "Queue", "RTT (ms)", *map(variant_name, HIGH_SPEED)]
    rows = rows or [["no variant has run against all others yet", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=2)


def starved_table(pairs: pl.DataFrame, parts: list[str], low_share: float) -> str:
    """Return in which runs a flow got less than `low_share`, a row a view and pair of variants."""
    rows = []
    key = ["view", "cca1", "cca2", "low_flow"]
    for part in parts:
        low = low_runs(of_part(pairs, part), low_share).sort("rtt2_ms", "queue")
        order = pl.col("view").replace_strict({view: i for i, view in enumerate(VIEWS)})
        for (view, cca1, cca2, n), runs in low.sort(order).group_by(key, maintain_order=True):
            counts = Counter(runs.select("rtt2_ms", "queue").rows())
            places = [f"{rtt:g} ms, {QUEUES[queue]} ({of})" for (rtt, queue), of in counts.items()]
            rows.append(
                [
                    *(PLATFORMS[part][0], VIEW_NAMES[view], pairing_name(f"{cca1}-{cca2}")),
                    f"flow {n}, {variant_name((cca1, cca2)[n - 1])}",
                    *made_of(
                        runs, "; ".join(places), number(runs[f"throughput{n}_bps"].min() / 1e6, 2)
                    ),
                ]
            )
    header = ["Platform", "View", "Flow 1 – flow 2", "Starved", "RTT of flow 2, queue (runs)"]
    header.append("Least (Mb/s)")
    rows = rows or [["none", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=5)


def low_runs(pairs: pl.DataFrame, low_share: float) -> pl.DataFrame:
    """Return the runs in which a flow got less than `low_share`, with its number as low_flow."""
    low_flow = pl.when(pl.col("share1") < low_share).then(1).when(1 - pl.col("share1") < low_share)
    return pairs.with_columns(low_flow=low_flow.then(2)).drop_nulls("low_flow")


def cell_table(cells: pl.DataFrame, parts: list[str]) -> str:
    """Return every cell that has runs: ratio, and in brackets Jain's index; a column an RTT.

    A cell of which a run is unsteady has a mark.
    """
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
                    named += [QUEUES[queue], PLATFORMS[part][0], *made_of(mine, span_of(mine["n"]))]
                    rows.append([*named, *(_cell(by_rtt.get(float(rtt))) for rtt in RTTS_MS)])
    header = ["View", "Flow 1 – flow 2", "Queue", "Platform", "n", *(f"{r} ms" for r in RTTS_MS)]
    rows = rows or [["no run yet", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=4)


def _cell(row: dict | None) -> str:
    if not row:
        return NOTHING
    mark = UNSTEADY if row["n_unsteady"] else ""
    return made_of(row, f"{ratio_text(row['ratio'])} ({number(row['jfi'], 2)}){mark}")[0]


# ---- ns-2 and the testbed ---------------------------------------------------------------------


def factors_between(both: pl.DataFrame) -> pl.Series:
    """Return by which factor the ratios of the flows' throughputs differ, the larger over the
    smaller; of cells in which no flow starved on either platform.
    """
    known = both.filter(pl.col("ratio") > 0, pl.col("ratio_testbed") > 0)
    return (known["ratio"].log() - known["ratio_testbed"].log()).abs().exp()


def platform_table(both: pl.DataFrame) -> str:
    """Return how far ns-2 and the testbed are apart in the cells that both have, by view.

    Args:
        both: the table `platform_pair`.
    """
    steady = both.filter(pl.col("n_unsteady") + pl.col("n_unsteady_testbed") == 0)
    chosen = {VIEW_NAMES[view]: both.filter(view=view) for view in VIEWS}
    rows = []
    for name, mine in (chosen | {"all": both, "all without unsteady ones": steady}).items():
        gap = (mine["jfi"] - mine["jfi_testbed"]).abs()
        share = 100 * (mine["share1"] - mine["share1_testbed"]).abs()
        factor = factors_between(mine)
        typical = math.exp(factor.log().mean()) if len(factor) else None
        n_same, n_unlike = _same_ahead(mine)
        rows.append(
            [
                name,
                *made_of(
                    mine,
                    str(len(mine)),
                    *(number(value, 2) for value in (gap.mean(), gap.max())),
                    *(number(value, 1) for value in (share.mean(), share.max())),
                    number(typical, 1),
                    ratio_text(factor.max()) if len(factor) else NOTHING,
                    f"{n_same} of {n_unlike}" if n_unlike else NOTHING,
                ),
            ]
        )
    header = [
        "View",
        "Cells in common",
        "Mean \\|ΔJ\\|",
        "Max \\|ΔJ\\|",
        "Mean \\|Δshare\\| (points)",
    ]
    header += ["Max \\|Δshare\\|", "Factor", "Largest factor", "Same variant ahead"]
    return markdown_table(header, rows, numeric_from=1)


def _same_ahead(both: pl.DataFrame) -> tuple[int, int]:
    """Return in how many cells of two variants the same one is ahead, and of how many."""
    unlike = both.filter(pl.col("cca1") != pl.col("cca2"))
    return ((unlike["share1"] > 0.5) == (unlike["share1_testbed"] > 0.5)).sum(), len(unlike)


# ---- printed values, claims, sensitivity --------------------------------------------------------


def published_table(published: pl.DataFrame, cells: pl.DataFrame, parts: list[str]) -> str:
    """Return what the paper's text prints next to ours, a column a platform.

    Args:
        published: reports/high-speed-fairness/published.csv.
    """
    rows = []
    for row in published.rows(named=True):
        words, measure = PRINTED_CASES[row["case"]]
        limit = float(row["value"])
        ours = [measure(of_part(cells, part), limit) for part in parts]
        said = f"{WORDS_OF_PRINT.get(row['statistic'], row['statistic'])} {row['value']}"
        rows.append([row["where"], words, said, *ours])
    header = ["Place", "Quantity", "Printed", *(PLATFORMS[part][0] for part in parts)]
    return markdown_table(header, rows, numeric_from=3)


def _majority(cells: pl.DataFrame, limit: float) -> str:
    """Return in how many cells Jain's index of two alike high-speed flows is above `limit`."""
    chosen = cells.filter((pl.col("view") == "intra") & pl.col("cca1").is_in(HIGH_SPEED))
    chosen = chosen.drop_nulls("jfi")
    if chosen.is_empty():
        return f"{NOTHING} (0 cells)"
    n = (chosen["jfi"] > limit).sum()
    said = f"{n} of {len(chosen)} cells; median {number(chosen['jfi'].median(), 2)}"
    return made_of(chosen, said)[0]


def _times(cells: pl.DataFrame, limit: float) -> str:
    """Return the largest ratio of Scalable to a competitor, and in how many cells it is `limit`."""
    chosen = cells.filter((pl.col("view") == "inter") & (pl.col("cca2") == "scalable"))
    if chosen.is_empty():  # Scalable is flow 2 of all its pairs
        return f"{NOTHING} (0 cells)"
    times = 1 / chosen["ratio"].fill_null(float("inf"))
    starved = (times == float("inf")).sum()
    largest = "competitor starved" if starved else number(times.max(), 1)
    said = f"{(times >= limit).sum()} of {len(chosen)} cells; largest {largest}"
    return made_of(chosen, said)[0]


# case of published.csv -> words, and what our cells say of it
PRINTED_CASES = {
    "intra-protocol-majority": (
        "Jain's index of two flows of one variant, 'in the majority of cases'",
        _majority,
    ),
    "scalable-vs-others": ("Scalable's throughput over its competitor's, 'at times'", _times),
}


def span(values: pl.Series, digits: int) -> str:
    """Return '0.12 to 2.03', or one value; large ones without digits."""
    low, high = (compact(value, digits) for value in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


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
            n_runs = made_of(mine, str(mine["run_id"].n_unique()))
            rows.append([PLATFORMS[part][0], VIEW_NAMES[view], *n_runs, *values])
    header = ["Platform", "View", "Runs", *WINDOWS.values()]
    return markdown_table(header, rows, numeric_from=2)


def _typical(runs: pl.DataFrame) -> str:
    if runs.is_empty():
        return NOTHING
    middle = runs["ratio"].fill_null(float("inf")).median()
    ratio = ratio_text(None if middle == float("inf") else middle)
    return made_of(runs, f"{number(runs['jfi'].mean(), 3)}; {ratio}")[0]


# of a run, whatever part of it is averaged: is it another run again, contested, steady?
OF_RUN = ["drops", "drift", "flow_change", "unsteady", "convergence_s"]


def window_outcomes(
    sensitivity: pl.DataFrame,
    metric: pl.DataFrame,
    rtts_ms: list[list[float]],
    claims: Document,
    readings: dict,
    *,
    planned: pl.DataFrame,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Return the outcomes of the original's sentences by platform and part of a run.

    Args:
        sensitivity, metric: the tables `pair_sensitivity` and `pair_metric`.
        rtts_ms, claims, readings, planned, confidence, fdr: as for the table `claim`.

    Returns:
        part, window, claim, sentence, outcome.
    """
    of_run = metric.select("part", "run_id", *OF_RUN)
    sensitivity = sensitivity.join(of_run, on=["part", "run_id"], how="left", maintain_order="left")
    found = []
    for (window,), runs in sensitivity.group_by("window", maintain_order=True):
        rule = {"name": window, "planned": planned, "confidence": confidence, "fdr": fdr}
        table = judged(runs, PARTS, rtts_ms, claims, readings, **rule)
        found.append(
            outcomes(of_original(table)).select(
                part="subject",
                window="paper",
                claim="claim",
                sentence="sentence",
                outcome="outcome",
            )
        )
    return pl.concat(found)


def outcome_table(found: pl.DataFrame, parts: list[str]) -> str:
    """Return how the outcomes of the claims move with the part of a run that is averaged.

    Statements whose outcome moves are named by their number in the scorecard.

    Args:
        found: result of `window_outcomes`.
    """
    number = {key: n for n, key in enumerate(found["claim"].unique(maintain_order=True), 1)}
    default = found.filter(window=STEADY).select("part", "claim", was="outcome")
    both = found.join(default, on=["part", "claim"], maintain_order="left")
    rows = []
    for part in parts:
        for window, name in WINDOWS.items():
            mine = both.filter(part=part, window=window)
            counts = Counter(mine["outcome"].to_list())
            moved = mine.filter(pl.col("outcome") != pl.col("was"))
            said = [
                f"{outcome}: {', '.join(str(number[key]) for key in keys)}"
                for outcome in OUTCOMES
                if (keys := moved.filter(outcome=outcome)["claim"].to_list())
            ]
            listed = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name])
            rows.append([PLATFORMS[part][0], name, listed, "; ".join(said) or NOTHING])
    header = ["Platform", "Means over", "Outcomes", "Statements with a different outcome"]
    return markdown_table(header, rows, numeric_from=len(header))


# ---- of the whole report ------------------------------------------------------------------------


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
def platforms(platform_pair) -> str:
    return platform_table(platform_pair)


@paper.table
def sensitivity(pair_sensitivity, parts) -> str:
    return sensitivity_table(pair_sensitivity, list(parts))


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
    rule = {"planned": planned, "confidence": confidence, "fdr": fdr}
    read = (pair_sensitivity, pair_metric, rtts_of_claims_ms, claims, readings)
    found = window_outcomes(*read, **rule)
    return outcome_table(found, list(parts))


@paper.table
def claims(claim, parts) -> str:
    return scorecard(claim, {part: PLATFORMS[part][0] for part in parts})


@paper.table
def cases(claim) -> str:
    return case_numbers(claim, {"simulation": PLATFORMS["simulation"][0]}, least="low")


@paper.table
def cases_testbed(claim) -> str:
    return case_numbers(claim, {"testbed": PLATFORMS["testbed"][0]}, least="low")


@paper.table
def unsteady(claim, parts) -> str:
    names = {part: PLATFORMS[part][0] for part in parts}
    return steadiness_numbers(claim, names, on="Platform")


@paper.table
def completeness(completeness, paper_name) -> str:
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table
def summary(pair_cell, claim, pair_share) -> str:
    return summary_table(pair_cell, claim, pair_share)


@paper.table
def drift(pair_cell, parts) -> str:
    return drift_table(pair_cell, list(parts))


@paper.table
def cells(pair_cell, parts) -> str:
    return cell_table(pair_cell, list(parts))


@paper.table
def builds(build) -> str:
    return build_markdown(build)


@paper.table
def selfcheck(selfcheck) -> str:
    return selfcheck_table(selfcheck)
