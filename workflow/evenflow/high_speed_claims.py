"""The conclusions of `high-speed-fairness` as tests on our cells, by criteria fixed beforehand.

A claim is a sentence of the paper, the criterion that we read it as, and the figure that shows it.
Its test gives a yes or no for every case (a variant, RTT and queue) that the runs of a data set
reach; the verdict follows from their count. Means of the runs are compared, as the paper compares
its points: a case rests on n runs, which the evidence says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import polars as pl

from .charts.theme import PLATFORMS, variant_name
from .high_speed import HIGH_SPEED, QUEUES, design, pair_cells, rtt_fits, rtt_points, share_matrix
from .markdown import markdown_table, span_of

REPRODUCED, NOT_REPRODUCED = "reproduced", "not reproduced"
PARTLY = "partly"
NOT_TESTABLE = "not testable here"  # no run of this project can tell
NOT_YET = "not testable yet"  # the runs that can are not there
GOOD_JFI = 0.9  # section 4.2
HIGH_R = 0.9  # 'high correlation'
LOW_RTT_MS, MEDIUM_RTT_MS = 16, 42  # 'very low RTT'; 'RTT > 42 ms'
LEAST_CASES = 0.25  # of those of the whole design; a verdict on fewer would say little
CONFIDENCE = 0.95  # of fits whose intervals no criterion uses
Case = tuple[str, bool]  # where, and whether it holds there


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how it is tested.

    where: its section. test: from the cells of one data set to its cases; None where no run of this
    project can tell, and `criterion` says why.
    """

    key: str
    sentence: str
    where: str
    criterion: str
    figure: str
    test: Callable[[pl.DataFrame], list[Case]] | None


def _place(row: dict) -> str:
    return f"{row['rtt2_ms']:g} ms, {QUEUES[row['queue']]}"


def _groups(cells: pl.DataFrame, wanted: list[str], variant: str):
    """Give for every RTT and queue that has all `wanted` variants its cells, by variant."""
    for _, group in cells.group_by(["queue", "rtt2_ms"], maintain_order=True):
        by = {row[variant]: row for row in group.rows(named=True)}
        if set(wanted) <= set(by):
            yield by


def _highest(view: str, variant: str, best: list[str], measure: str = "jfi", least: bool = False):
    """Test that `best` are the highest (or lowest) of all high-speed variants in every group."""

    def test(cells: pl.DataFrame) -> list[Case]:
        chosen = rtt_points(cells) if view == "rtt" else cells.filter(pl.col("view") == view)
        if view == "rtt":
            chosen = chosen.filter(pl.col("view") == "rtt")
        cases = []
        for by in _groups(chosen.drop_nulls(measure), HIGH_SPEED, variant):
            sign = -1 if least else 1
            mine = min(sign * by[cca][measure] for cca in best)
            others = max(sign * by[cca][measure] for cca in HIGH_SPEED if cca not in best)
            cases.append((_place(by[best[0]]), mine > others))
        return cases

    return test


def _limited(test: Callable, keep: pl.Expr) -> Callable:
    """Return a test on part of the cells only."""
    return lambda cells: test(cells.filter(keep))


def _ends(view: str, variant: str, expected: Callable[[dict, dict], bool]) -> Callable:
    """Test every variant and queue at its lowest against its highest RTT, where both differ."""

    def test(cells: pl.DataFrame) -> list[Case]:
        chosen = cells.filter((pl.col("view") == view) & pl.col(variant).is_in(HIGH_SPEED))
        cases = []
        for (cca, queue), group in chosen.sort("rtt2_ms").group_by(
            [variant, "queue"], maintain_order=True
        ):
            first, last = group.row(0, named=True), group.row(-1, named=True)
            if first["rtt2_ms"] < last["rtt2_ms"]:
                name = f"{variant_name(cca)}, {QUEUES[queue]}"
                cases.append((name, expected(first, last)))
        return cases

    return test


def _unfriendlier(first: dict, last: dict) -> bool:
    return last["jfi"] < first["jfi"] and last["ratio"] is not None and last["ratio"] < 1


def _good_intra(cells: pl.DataFrame) -> list[Case]:
    chosen = cells.filter((pl.col("view") == "intra") & pl.col("cca1").is_in(HIGH_SPEED))
    return [
        (f"{variant_name(row['cca1'])}, {_place(row)}", row["jfi"] > GOOD_JFI)
        for row in chosen.drop_nulls("jfi").rows(named=True)
    ]


def _proportional(cells: pl.DataFrame) -> list[Case]:
    fits = rtt_fits(cells, CONFIDENCE).drop_nulls("r").filter(pl.col("cca").is_in(HIGH_SPEED))
    return [
        (
            f"{variant_name(row['cca'])}, {QUEUES[row['queue']]}: r = {row['r']:.3f}",
            row["r"] >= HIGH_R,
        )
        for row in fits.rows(named=True)
    ]


def _against_the_line(variants: list[str], above: bool) -> Callable:
    """Test that the ratio lies above (below) RTT 2 / RTT 1 where flow 2's RTT is the smaller."""

    def test(cells: pl.DataFrame) -> list[Case]:
        points = rtt_points(cells).filter(
            (pl.col("rtt_ratio") < 1) & pl.col("cca1").is_in(variants)
        )
        cases = []
        for row in points.rows(named=True):  # without a ratio: flow 2 is starved
            higher = row["ratio"] is None or row["ratio"] > row["rtt_ratio"]
            cases.append((f"{variant_name(row['cca1'])}, {_place(row)}", higher == above))
        return cases

    return test


def _best_at_equal_rtts(cells: pl.DataFrame) -> list[Case]:
    cases = []
    points = rtt_points(cells).filter(pl.col("cca1").is_in(HIGH_SPEED)).drop_nulls("jfi")
    for (cca, queue), group in points.group_by(["cca1", "queue"], maintain_order=True):
        equal = group.filter(pl.col("rtt_ratio") == 1)["jfi"]
        others = group.filter(pl.col("rtt_ratio") != 1)["jfi"]
        if len(equal) and len(others):
            name = f"{variant_name(cca)}, {QUEUES[queue]}"
            cases.append((name, equal[0] > others.max()))
    return cases


def _rank(cca: str, place: int) -> Callable:
    """Test that a variant's mean share beside the four other high-speed ones has this place.

    1 is the largest, -1 the smallest; groups (RTT, queue) without all ten pairs are left out.
    """

    def test(cells: pl.DataFrame) -> list[Case]:
        shares = share_matrix(cells.filter(pl.col("view") == "inter"))
        cases = []
        for (queue, rtt_ms), group in shares.group_by(["queue", "rtt_ms"], maintain_order=True):
            means = group.group_by("cca").agg(pl.col("share").mean(), pl.len().alias("n"))
            if len(means) < len(HIGH_SPEED) or means["n"].min() < len(HIGH_SPEED) - 1:
                continue
            ranked = means.sort("share", descending=True)["cca"].to_list()
            at = ranked[place - 1] if place > 0 else ranked[place]
            cases.append((f"{rtt_ms:g} ms, {QUEUES[queue]}", at == cca))
        return cases

    return test


ABOVE_LOW = pl.col("rtt2_ms") > LOW_RTT_MS
CLAIMS = [
    Claim(
        "unfriendly",
        "The high-speed protocols can be significantly unfriendly to standard TCP, especially as "
        "the BDP increases",
        "6",
        "Jain's index lower at the highest RTT than at the lowest, and NewReno gets less",
        "fig-friendliness",
        _ends("friendliness", "cca2", _unfriendlier),
    ),
    Claim(
        "friendly_low",
        "CUBIC and H-TCP exhibit better fairness with standard TCP at very low RTT",
        "4.1",
        "16 ms: both have a higher Jain's index than BIC, HighSpeed and Scalable",
        "fig-friendliness",
        _limited(
            _highest("friendliness", "cca2", ["cubic", "htcp"]), pl.col("rtt2_ms") == LOW_RTT_MS
        ),
    ),
    Claim(
        "friendly_scalable",
        "Scalable TCP is consistently the most aggressive towards standard TCP",
        "4.1",
        "above 16 ms: the lowest ratio NewReno / variant of the five",
        "fig-friendliness",
        _limited(
            _highest("friendliness", "cca2", ["scalable"], measure="ratio", least=True), ABOVE_LOW
        ),
    ),
    Claim(
        "friendly_highspeed",
        "HighSpeed TCP exhibits superior TCP-friendliness at medium to high RTTs",
        "4.1",
        "above 42 ms: the highest Jain's index of the five",
        "fig-friendliness",
        _limited(
            _highest("friendliness", "cca2", ["highspeed"]), pl.col("rtt2_ms") > MEDIUM_RTT_MS
        ),
    ),
    Claim(
        "slow_start",
        "Limited slow start yields a significant improvement of HighSpeed's TCP-friendliness",
        "6",
        "neither ns-2's nor Linux 6.12's HighSpeed TCP has limited slow start",
        "fig-friendliness",
        None,
    ),
    Claim(
        "intra",
        "All high-speed variants exhibit good intra-protocol fairness",
        "6",
        f"Jain's index above {GOOD_JFI:g}; the paper: 'in the majority of cases'",
        "fig-intra",
        _good_intra,
    ),
    Claim(
        "intra_htcp",
        "H-TCP obtained the higher Jain's index at all tested configurations",
        "6",
        "the highest of the five",
        "fig-intra",
        _highest("intra", "cca1", ["htcp"]),
    ),
    Claim(
        "intra_trend",
        "In intra-protocol tests there is a trend to increased fairness with increased RTT",
        "6",
        "Jain's index higher at the highest RTT than at the lowest",
        "fig-intra",
        _ends("intra", "cca1", lambda first, last: last["jfi"] > first["jfi"]),
    ),
    Claim(
        "proportional",
        "Throughput of flows of different RTTs is proportional to the ratio of their RTTs",
        "6",
        f"Pearson's r of throughput ratio and RTT ratio at least {HIGH_R:g}",
        "fig-rtt-ratio",
        _proportional,
    ),
    Claim(
        "rtt_fair",
        "H-TCP and CUBIC showed higher RTT-fairness",
        "4.3, 6",
        "both have a higher Jain's index than BIC, HighSpeed and Scalable",
        "fig-rtt-jfi",
        _highest("rtt", "cca1", ["htcp", "cubic"]),
    ),
    Claim(
        "rtt_above",
        "Their longer flows get more than in proportion to the RTTs",
        "4.3",
        "flow 2's RTT the smaller: throughput ratio above the RTT ratio",
        "fig-rtt-ratio",
        _against_the_line(["htcp", "cubic"], above=True),
    ),
    Claim(
        "rtt_favour",
        "Scalable, HighSpeed and BIC tend to favour flows with smaller RTTs",
        "4.3, 6",
        "flow 2's RTT the smaller: throughput ratio below the RTT ratio",
        "fig-rtt-ratio",
        _against_the_line(["scalable", "highspeed", "bic"], above=False),
    ),
    Claim(
        "rtt_scalable",
        "Scalable TCP consistently had the lower fairness index",
        "4.3",
        "the lowest Jain's index of the five",
        "fig-rtt-jfi",
        _highest("rtt", "cca1", ["scalable"], least=True),
    ),
    Claim(
        "rtt_equal",
        "The best fairness is when all flows have the same RTT",
        "6",
        "Jain's index highest at 162 ms",
        "fig-rtt-jfi",
        _best_at_equal_rtts,
    ),
    Claim(
        "inter_scalable",
        "Scalable TCP is the most aggressive towards other protocols",
        "6",
        "the largest mean share beside the four others",
        "fig-shares",
        _rank("scalable", 1),
    ),
    Claim(
        "inter_htcp",
        "followed by H-TCP",
        "6",
        "the second largest mean share",
        "fig-shares",
        _rank("htcp", 2),
    ),
    Claim(
        "inter_highspeed",
        "HighSpeed TCP was the most gentle towards the other high-speed protocols",
        "6",
        "the smallest mean share",
        "fig-shares",
        _rank("highspeed", -1),
    ),
]
MAJORITY = {"intra"}  # claims of 'the majority of cases': more than half is enough
# figure that shows a claim -> the view whose runs test it
VIEW_OF = {
    "fig-friendliness": "friendliness",
    "fig-intra": "intra",
    "fig-rtt-jfi": "rtt",
    "fig-rtt-ratio": "rtt",
    "fig-shares": "inter",
}


@cache
def whole_design() -> pl.DataFrame:
    """Return cells for every place of the paper's design, all alike: how many cases a test has."""
    first, second = pl.col("rtt2_ms"), pl.col("rtt1_ms")  # in proportion: a fit has variance
    words = dict.fromkeys(("dataset_id", "scenario_id"), pl.lit(""))
    return pair_cells(
        {
            "design": design().with_columns(
                throughput1_bps=first,
                throughput2_bps=second,
                ratio=first / second,
                share1=first / (first + second),
                jfi=pl.lit(1.0),
                **words,
            )
        }
    )


@cache
def n_possible(claim: Claim) -> int:
    """Return how many cases a claim has where every cell of the paper's design has runs."""
    return len(claim.test(whole_design())) if claim.test else 0


def judge(claim: Claim, cells: pl.DataFrame, least_cases: float = LEAST_CASES) -> tuple[str, str]:
    """Return a claim's verdict on one data set, and the evidence in words.

    Args:
        claim: of CLAIMS.
        cells: the table `pair_cell`, of one part.
        least_cases: share of the whole design's cases that a verdict needs.

    Returns:
        The verdict (`verdict_of`), and the cases in which it holds or does not; where it is not
        testable yet, how many there are.
    """
    if claim.test is None:
        return NOT_TESTABLE, claim.criterion
    cases = claim.test(cells)
    verdict = verdict_of(claim, cases, least_cases)
    n_all = n_possible(claim)
    held = [where for where, holds in cases if holds]
    if verdict == NOT_YET:
        of_view = pl.col("view") == VIEW_OF[claim.figure]
        text = f"{len(cells.filter(of_view))} of the view's {len(design().filter(of_view))} cells "
        text += f"have runs, enough for {len(cases)} of the {n_all} cases"
        return NOT_YET, text + (f"; it holds in {len(held)}" if cases else "")
    text = f"{len(held)} of {len(cases)} cases (n = {span_of(cells['n'])} each"
    text += f"; the whole design has {n_all})"
    if 0 < len(held) < len(cases):
        failed = [where for where, holds in cases if not holds]
        listed, word = (held, "holds") if len(held) <= len(failed) else (failed, "not")
        text += f"; {word}: {'; '.join(listed[:4])}{' ...' if len(listed) > 4 else ''}"
    return verdict, text


def verdict_of(claim: Claim, cases: list[Case], least_cases: float = LEAST_CASES) -> str:
    """Return a claim's verdict on one data set, of the cases that its test found there.

    reproduced where it holds in all cases that there are ('in the majority' where the paper says
    so), not reproduced where it holds in none (or no majority), else partly. With fewer cases than
    `least_cases` of the whole design's it is not testable yet.
    """
    if len(cases) < max(1, least_cases * n_possible(claim)):
        return NOT_YET
    n_held = sum(holds for _, holds in cases)
    if claim.key in MAJORITY:
        return REPRODUCED if 2 * n_held > len(cases) else NOT_REPRODUCED
    if n_held == len(cases):
        return REPRODUCED
    return PARTLY if n_held else NOT_REPRODUCED


def claims_table(cells: pl.DataFrame, parts: list[str]) -> str:
    """Return the scorecard: a row a claim, a column a platform.

    Args:
        cells: the table `pair_cell`.
        parts: the roles that data sets have in the paper, in order.
    """
    rows = []
    for claim in CLAIMS:
        said = [judge(claim, cells.filter(pl.col("part") == part)) for part in parts]
        sentence = f"{claim.sentence} (section {claim.where})"
        verdicts = [f"**{verdict}**: {evidence}" for verdict, evidence in said]
        rows.append([sentence, f"{claim.criterion} (@{claim.figure})", *verdicts])
    header = ["The original says", "Criterion", *(PLATFORMS[part][0] for part in parts)]
    return markdown_table(header, rows, numeric_from=len(header))
