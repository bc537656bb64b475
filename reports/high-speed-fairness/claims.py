"""The conclusions of `high-speed-fairness` as tests on our cells, by criteria fixed beforehand.

A claim is a sentence of the paper, the criterion that we read it as, and the figure that shows it.
Its test gives a yes or no for every case (a variant, RTT and queue) that the runs of a data set
reach; the verdict follows from their count. Means of the runs are compared, as the paper compares
its points: a case rests on n runs, which the evidence says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.congestion_controls import variant_name
from evenflow.markdown import markdown_table, span_of
from evenflow.papers import paper
from evenflow.papers.claims import (
    IN_PART,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    Claim,
    Found,
    judge,
)

from .metrics import HIGH_SPEED, QUEUES, design, pair_cells, rtt_fits, rtt_points, share_matrix

GOOD_JFI = 0.9  # section 4.2
HIGH_R = 0.9  # 'high correlation'
LOW_RTT_MS, MEDIUM_RTT_MS = 16, 42  # 'very low RTT'; 'RTT > 42 ms'
LEAST_CASES = 0.25  # of those of the whole design; a verdict on fewer would say little
CONFIDENCE = 0.95  # of fits whose intervals no criterion uses
Case = tuple[str, bool]  # where, and whether it holds there


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


@dataclass(frozen=True)
class Cases:
    """The test of a claim by its cases.

    find: from the cells of one data set to the cases that they reach. view: whose runs it needs.
    majority: more than half of the cases is enough, as the paper says of this sentence.
    """

    find: Callable[[pl.DataFrame], list[Case]]
    view: str
    majority: bool = False

    @cached_property
    def n_possible(self) -> int:
        """Return how many cases there are where every cell of the paper's design has runs."""
        return len(self.find(whole_design()))

    def outcome(self, cases: list[Case], least_cases: float = LEAST_CASES) -> str:
        """Return the outcome of the cases that a data set reaches.

        reproduced where it holds in all of them (or in the majority), not reproduced where it holds
        in none (or no majority), else in part. With fewer cases than `least_cases` of the whole
        design's it is not testable.
        """
        if len(cases) < max(1, least_cases * self.n_possible):
            return NOT_TESTABLE
        n_held = sum(holds for _, holds in cases)
        if self.majority:
            return REPRODUCED if 2 * n_held > len(cases) else NOT_REPRODUCED
        if n_held == len(cases):
            return REPRODUCED
        return IN_PART if n_held else NOT_REPRODUCED

    def __call__(self, cells: pl.DataFrame) -> Found:
        """Return the outcome on the rows of `pair_cell` of one part, and its cases in words."""
        cases = self.find(cells)
        outcome = self.outcome(cases)
        held = [where for where, holds in cases if holds]
        if outcome == NOT_TESTABLE:
            of_view = pl.col("view") == self.view
            text = f"{len(cells.filter(of_view))} of the view's {len(design().filter(of_view))} "
            text += f"cells have runs, enough for {len(cases)} of the {self.n_possible} cases"
            return Found(outcome, text + (f"; it holds in {len(held)}" if cases else ""))
        text = f"{len(held)} of {len(cases)} cases (n = {span_of(cells['n'])} each"
        text += f"; the whole design has {self.n_possible})"
        if 0 < len(held) < len(cases):
            failed = [where for where, holds in cases if not holds]
            listed, word = (held, "holds") if len(held) <= len(failed) else (failed, "not")
            text += f"; {word}: {'; '.join(listed[:4])}{' ...' if len(listed) > 4 else ''}"
        return Found(outcome, text)


def _claim(
    key: str, sentence: str, place: str, criterion: str, figure: str, find: Callable | None
) -> Claim:
    """Return a claim that is tested by its cases; without `find` the criterion says why not."""
    untestable = Found(NOT_TESTABLE, criterion)
    test = Cases(find, VIEW_OF[figure], key in MAJORITY) if find else lambda cells: untestable
    return Claim(key, sentence, place, criterion, figure, test)


MAJORITY = {"intra"}  # claims of 'the majority of cases'
CLAIMS = [
    _claim(
        "unfriendly",
        "The high-speed protocols can be significantly unfriendly to standard TCP, especially as "
        "the BDP increases",
        "6",
        "Jain's index lower at the highest RTT than at the lowest, and NewReno gets less",
        "fig-friendliness",
        _ends("friendliness", "cca2", _unfriendlier),
    ),
    _claim(
        "friendly_low",
        "CUBIC and H-TCP exhibit better fairness with standard TCP at very low RTT",
        "4.1",
        "16 ms: both have a higher Jain's index than BIC, HighSpeed and Scalable",
        "fig-friendliness",
        _limited(
            _highest("friendliness", "cca2", ["cubic", "htcp"]), pl.col("rtt2_ms") == LOW_RTT_MS
        ),
    ),
    _claim(
        "friendly_scalable",
        "Scalable TCP is consistently the most aggressive towards standard TCP",
        "4.1",
        "above 16 ms: the lowest ratio NewReno / variant of the five",
        "fig-friendliness",
        _limited(
            _highest("friendliness", "cca2", ["scalable"], measure="ratio", least=True), ABOVE_LOW
        ),
    ),
    _claim(
        "friendly_highspeed",
        "HighSpeed TCP exhibits superior TCP-friendliness at medium to high RTTs",
        "4.1",
        "above 42 ms: the highest Jain's index of the five",
        "fig-friendliness",
        _limited(
            _highest("friendliness", "cca2", ["highspeed"]), pl.col("rtt2_ms") > MEDIUM_RTT_MS
        ),
    ),
    _claim(
        "slow_start",
        "Limited slow start yields a significant improvement of HighSpeed's TCP-friendliness",
        "6",
        "neither ns-2's nor Linux 6.12's HighSpeed TCP has limited slow start",
        "fig-friendliness",
        None,
    ),
    _claim(
        "intra",
        "All high-speed variants exhibit good intra-protocol fairness",
        "6",
        f"Jain's index above {GOOD_JFI:g}; the paper: 'in the majority of cases'",
        "fig-intra",
        _good_intra,
    ),
    _claim(
        "intra_htcp",
        "H-TCP obtained the higher Jain's index at all tested configurations",
        "6",
        "the highest of the five",
        "fig-intra",
        _highest("intra", "cca1", ["htcp"]),
    ),
    _claim(
        "intra_trend",
        "In intra-protocol tests there is a trend to increased fairness with increased RTT",
        "6",
        "Jain's index higher at the highest RTT than at the lowest",
        "fig-intra",
        _ends("intra", "cca1", lambda first, last: last["jfi"] > first["jfi"]),
    ),
    _claim(
        "proportional",
        "Throughput of flows of different RTTs is proportional to the ratio of their RTTs",
        "6",
        f"Pearson's r of throughput ratio and RTT ratio at least {HIGH_R:g}",
        "fig-rtt-ratio",
        _proportional,
    ),
    _claim(
        "rtt_fair",
        "H-TCP and CUBIC showed higher RTT-fairness",
        "4.3, 6",
        "both have a higher Jain's index than BIC, HighSpeed and Scalable",
        "fig-rtt-jfi",
        _highest("rtt", "cca1", ["htcp", "cubic"]),
    ),
    _claim(
        "rtt_above",
        "Their longer flows get more than in proportion to the RTTs",
        "4.3",
        "flow 2's RTT the smaller: throughput ratio above the RTT ratio",
        "fig-rtt-ratio",
        _against_the_line(["htcp", "cubic"], above=True),
    ),
    _claim(
        "rtt_favour",
        "Scalable, HighSpeed and BIC tend to favour flows with smaller RTTs",
        "4.3, 6",
        "flow 2's RTT the smaller: throughput ratio below the RTT ratio",
        "fig-rtt-ratio",
        _against_the_line(["scalable", "highspeed", "bic"], above=False),
    ),
    _claim(
        "rtt_scalable",
        "Scalable TCP consistently had the lower fairness index",
        "4.3",
        "the lowest Jain's index of the five",
        "fig-rtt-jfi",
        _highest("rtt", "cca1", ["scalable"], least=True),
    ),
    _claim(
        "rtt_equal",
        "The best fairness is when all flows have the same RTT",
        "6",
        "Jain's index highest at 162 ms",
        "fig-rtt-jfi",
        _best_at_equal_rtts,
    ),
    _claim(
        "inter_scalable",
        "Scalable TCP is the most aggressive towards other protocols",
        "6",
        "the largest mean share beside the four others",
        "fig-shares",
        _rank("scalable", 1),
    ),
    _claim(
        "inter_htcp",
        "followed by H-TCP",
        "6",
        "the second largest mean share",
        "fig-shares",
        _rank("htcp", 2),
    ),
    _claim(
        "inter_highspeed",
        "HighSpeed TCP was the most gentle towards the other high-speed protocols",
        "6",
        "the smallest mean share",
        "fig-shares",
        _rank("highspeed", -1),
    ),
]


@paper.metric
def claim(pair_cell, parts, paper_name) -> pl.DataFrame:
    """Return what each data set says of each claim."""
    return judge(paper_name, CLAIMS, {part: pair_cell.filter(part=part) for part in parts})


def scorecard(claim: pl.DataFrame, parts: Iterable[str]) -> str:
    """Return the table `claim` as a row a claim, a column a part of the paper."""
    rows = []
    for _, of_claim in claim.group_by("claim", maintain_order=True):
        said = {row["subject"]: row for row in of_claim.rows(named=True)}
        first = of_claim.row(0, named=True)
        sentence = f"{first['sentence']} (section {first['place']})"
        verdicts = [f"**{said[part]['outcome']}**: {said[part]['evidence']}" for part in parts]
        rows.append([sentence, f"{first['criterion']} (@{first['figure']})", *verdicts])
    header = ["The original says", "Criterion", *(PLATFORMS[part][0] for part in parts)]
    return markdown_table(header, rows, numeric_from=len(header))
