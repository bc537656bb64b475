"""The scorecard of a paper: outcomes of the original's sentences, and the numbers of each case.

What a reader must know of an outcome besides its numbers is a letter behind it (`MARKS`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import polars as pl

from ..evidence.cells import made_of
from ..markdown import NOTHING, compact, edited, markdown_table
from ..statistics.outcomes import NOT_JUDGED, NOT_TESTABLE, REPRODUCED
from ..statistics.stratified import ALONE, AT_BOUND, STATES
from .judge import FEW_POINTS, MULTIPLICITY, NOT_MONOTONE, NULL_MOVES, of_original, outcomes
from .words import reason_in_words, region_in_words, span_of_runs

BAR = re.compile(r"(?<!\\)\|")  # would end a cell of a table

# letter -> what it says, and whether a row has it; a text of each paper lists them (`legend`)
MARKS: dict[str, tuple[str, Callable[[Mapping], bool]]] = {
    "T": ("a transient", lambda row: row["low"] is not None and bool(row["transient"])),
    "P": (
        "provisional, with fewer runs than planned or a variance borrowed from similar cells",
        lambda row: row["low"] is not None and bool(row["provisional"]),
    ),
    "E": (
        "exploratory, suggested by the same runs",
        lambda row: row["low"] is not None and bool(row["exploratory"]),
    ),
    "N": ("the null control shows an effect too", lambda row: row["why"] == NULL_MOVES),
    "M": ("not significant among all claims", lambda row: row["why"] == MULTIPLICITY),
    "S": ("repeats disagree on which flow gets more", lambda row: row["why"] == STATES),
    "R": ("too many cells with a single run", lambda row: row["why"] in (ALONE, AT_BOUND)),
    "U": (
        "the outcome differs without the unsteady cells",
        lambda row: row["steady_estimate"] is not None and row["steady_outcome"] != row["outcome"],
    ),
    "C": (
        "the curve is not monotone, or has fewer than five points",
        lambda row: row["why"] in (NOT_MONOTONE, FEW_POINTS),
    ),
}


def legend() -> str:
    """Return what the letters behind outcomes say: 'T: a transient; P: provisional'."""
    return "; ".join(f"{letter}: {says}" for letter, (says, _) in MARKS.items())


def marks(rows: Iterable[Mapping], but: str = "") -> str:
    """Return the letters of an outcome, 'T, P'; '' where its numbers say all."""
    each = list(rows)
    found = [mark for mark, (_, has) in MARKS.items() if any(map(has, each)) and mark not in but]
    return ", ".join(found)


def numbered(claim: pl.DataFrame) -> dict[str, int]:
    """Return {claim: its number}, of the original's sentences in the order of the table."""
    keys = of_original(claim)["claim"].unique(maintain_order=True)
    return {key: n for n, key in enumerate(keys, 1)}


def scorecard(
    claim: pl.DataFrame,
    names: Mapping[str, str],
    figures: Mapping[str, str] | None = None,
) -> str:
    """Return the scorecard of the original's sentences, each a heading, with an outcome a subject.

    Of several cases it says in how many the sentence is reproduced. Why nothing is judged is said
    once, with what the sentence asserts. A dash: the sentence is not about the subject.

    Args:
        claim: the table `claim` of the paper; findings of our own are left out.
        names: subject -> its name in print, in the order of the columns.
        figures: label of a figure -> the references to print for it, if not the figure alone.
    """
    numbers = numbered(claim)
    mine = claim.filter(pl.col("subject").is_in(list(names)))
    of_claims = {(key, subject): said for _, key, subject, _, said in outcomes(mine).rows()}
    rows = []
    for (key,), of_claim in of_original(mine).group_by("claim", maintain_order=True):
        row = of_claim.row(0, named=True)
        of_subjects = {
            subject: of for (subject,), of in of_claim.group_by("subject", maintain_order=True)
        }
        said = {s: made_of(of, _outcome(of_claims[key, s], of))[0] for s, of in of_subjects.items()}
        shown = (figures or {}).get(row["figure"], f"@{row['figure']}" if row["figure"] else "")
        asserted = f"{row['statistic']}: {region_in_words(row)}" + (f" ({shown})" if shown else "")
        unjudged = {
            names[s]: reason_in_words(of.row(0, named=True))
            for s, of in of_subjects.items()
            if of_claims[key, s] in (NOT_JUDGED, NOT_TESTABLE) and not marks(of.rows(named=True))
        }
        heading = f"*{numbers[key]}\\. {row['sentence']} ({row['place']})*"
        rows.append([heading, *[""] * len(names)])
        rows.append(
            [
                asserted + _why(unjudged, everywhere=len(unjudged) == len(of_subjects)),
                *(said.get(subject, NOTHING) for subject in names),
            ]
        )
    header = ["What it asserts", *names.values()]
    return _table(header, rows, len(header))


def _outcome(outcome: str, of_subject: pl.DataFrame) -> str:
    letters = marks(of_subject.rows(named=True), but="U")
    behind = "; ".join(filter(None, [cases_that_hold(outcome, of_subject), letters]))
    return f"**{outcome}**" + (f" ({behind})" if behind else "")


def cases_that_hold(outcome: str, of_subject: pl.DataFrame) -> str:
    """Return in how many cases a sentence is reproduced, '2 of 3'; '' of one, or if none is judged.

    Args:
        outcome: of all cases together (`judge.folded`).
        of_subject: rows of the table `claim` of one claim and subject.
    """
    n = len(of_subject)
    held = (of_subject["outcome"] == REPRODUCED).sum()
    return f"{held} of {n}" if n > 1 and outcome not in (NOT_JUDGED, NOT_TESTABLE) else ""


def _why(unjudged: Mapping[str, str], *, everywhere: bool) -> str:
    """Return why a sentence is not judged: once where it is the same on all data sets."""
    reasons = {name: reason for name, reason in unjudged.items() if reason}
    if everywhere and len(set(reasons.values())) == 1:
        (reason,) = set(reasons.values())
        return f". {reason[0].upper()}{reason[1:]}"
    return "".join(f". {name}: {reason}" for name, reason in reasons.items())


def case_numbers(
    claim: pl.DataFrame,
    names: Mapping[str, str],
    *,
    own: bool = False,
    on: str = "On",
    least: str = "estimate",
) -> str:
    """Return what was measured of each claim, in columns of numbers and one outcome, a row a case.

    Cases without a measurement are in the scorecard alone. For a case with several parts the
    part nearest to a different outcome is shown, and in how many of them the claim holds. After
    the runs per cell, in brackets, is how many would decide.

    Args:
        claim: the table `claim` of the paper.
        names: subject -> its name in print; of one subject there is no column for it.
        own: whether it is findings of our own, which have their sentence in the table.
        on: heading of the column of subjects.
        least: what a row must have to be shown, 'estimate' or 'low', an interval.
    """
    columns = ("Runs (needed)", "Estimate", "Interval", "Minus null control")
    mine = claim.filter((pl.col("place") == "") == own, pl.col(least).is_not_null())
    return _by_claim(claim, mine, names, on, (*columns, "Outcome"), _numbers)


def steadiness_numbers(claim: pl.DataFrame, names: Mapping[str, str], *, on: str = "On") -> str:
    """Return the claims of which some cells are unsteady, with these cells and without them.

    One of which no steady cell is left, or none at an end that it needs, is left out.

    Arguments as those of `case_numbers`; findings of our own are in the same table, at its end.
    """
    columns = ("Unsteady cells", "All cells", "Outcome", "Steady cells", "Outcome there")
    mine = claim.filter(pl.col("steady_estimate").is_not_null(), pl.col("n_unsteady") > 0)
    return _by_claim(claim, mine, names, on, columns, _steadiness)


def _by_claim(
    claim: pl.DataFrame,
    mine: pl.DataFrame,
    names: Mapping[str, str],
    on: str,
    columns: Sequence[str],
    cells: Callable[[Mapping], list[str]],
) -> str:
    """Return a table with a heading per claim and below it a row per subject and case.

    Columns in which no row has anything are left out.
    """
    numbers = numbered(claim)
    rank = {subject: n for n, subject in enumerate(names)}
    mine = mine.filter(pl.col("subject").is_in(list(names))).with_columns(
        pl.col("subject").replace_strict(rank, default=len(rank), return_dtype=pl.Int64).alias("s")
    )
    order = pl.col("i").min().over("claim")
    mine = mine.with_row_index("i").sort(order, "s", "i")
    header = [on, "Case", *columns]
    rows, above = [], (None, None)
    for row in mine.rows(named=True):
        key, subject = row["claim"], row["subject"]
        if key != above[0]:
            asserted = f"{row['statistic']}: {region_in_words(row)}"
            whose = f"{numbers[key]}\\. " if key in numbers else f"{row['sentence']}: "
            rows.append([f"*{whose}{asserted}*", *[""] * (len(header) - 1)])
        same = (key, subject) == above
        rows.append(["" if same else names[subject], *made_of(row, _case(row), *cells(row))])
        above = key, subject
    if not rows:
        return _table(header[1:], [["no run yet", *[NOTHING] * len(columns)]], 1)
    kept = [
        i
        for i in range(len(header))
        if any(row[i] not in ("", NOTHING) for row in rows if any(row[1:]))
    ]
    kept = [i for i in kept if i != 0 or len(names) > 1]
    shown = [
        [row[i] for i in kept] if any(row[1:]) else [row[0], *[""] * (len(kept) - 1)]
        for row in rows
    ]
    header = [header[i] for i in kept]
    return _table(header, shown, header.index(next(c for c in columns if c in header)))


def _case(row: Mapping) -> str:
    parts = row["of"] is not None and row["of"] > 1
    case = ", ".join(filter(None, [row["case"], row["part"] if parts else ""])) or NOTHING
    return case + (f" ({row['holds']} of {row['of']})" if parts else "")


def _numbers(row: Mapping) -> list[str]:
    n = span_of_runs(row) if row["n"] and row["n_cells"] else NOTHING
    return [
        n if row["n_needed"] is None else f"{n} ({row['n_needed']})",
        _value(row, "estimate"),
        _interval(row, ""),
        _with_interval(row, "contrast_") if row["contrast_low"] is not None else NOTHING,
        row["outcome"] + (f" ({said})" if (said := marks([row])) else ""),
    ]


def _steadiness(row: Mapping) -> list[str]:
    return [
        f"{row['n_unsteady']} of {row['n_places']}",
        _with_interval(row, ""),
        row["outcome"],
        _with_interval(row, "steady_"),
        row["steady_outcome"] or NOTHING,
    ]


def _value(row: Mapping, name: str) -> str:
    value = row[name]
    return NOTHING if value is None else compact(value / row["factor"], row["digits"])


def _interval(row: Mapping, prefix: str) -> str:
    if row[f"{prefix}low"] is None:
        return NOTHING
    return f"{_value(row, f'{prefix}low')} to {_value(row, f'{prefix}high')}"


def _with_interval(row: Mapping, prefix: str) -> str:
    value, interval = _value(row, f"{prefix}estimate"), _interval(row, prefix)
    return value if interval == NOTHING else f"{value} ({interval})"


def _table(header: list[str], rows: list[list[str]], numeric_from: int) -> str:
    rows = [[edited(cell, BAR.sub(r"\\|", cell)) for cell in row] for row in rows]
    return markdown_table(header, rows, numeric_from=numeric_from)
