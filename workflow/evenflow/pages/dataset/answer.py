"""Who got how much: shares of the flows and Jain's index, by setting or pair, and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ...markdown import NOTHING, number
from .subject import (
    Run,
    Subject,
    axis_parts,
    carried_nothing,
    distinct,
    flow_names,
    kind_name,
    many,
    plain,
    rate,
    setting_name,
    spoken,
)

MAX_SETTINGS = 12  # with a row each; of more a row is a panel: a pair and what tells it apart
TURNS = 0.15  # by how much Jain's index must turn along a factor for the sentence to say it
MANY_WINNERS = 3  # of more the sentence names none
MOST_DIGITS = 15  # that a double has
STRAIGHT = 0.05  # by how much it may go back on its way: two ends alone would make a trend of noise


@dataclass(frozen=True)
class Row:
    """A row of the answer: means over its settings, each the mean of its runs.

    shares: of the compared flows, of what they carry together; a run in which they carry nothing
    has none, but counts in total. flows: what each is called. low, high: of the share of the first
    flow in any run. fair: Jain's index; fair_low, fair_high of the settings;
    n_fair of them are fair. wins: of each flow the unfair runs in which it gets the most. total:
    bit/s. trend: (level of the first axis, mean, lowest, highest Jain's index of a run).
    """

    name: str
    full: str
    settings: list[int]
    n_runs: int
    kinds: tuple[str, ...]
    flows: tuple[str, ...]
    shares: tuple[float, ...]
    low: float
    high: float
    fair: float | None
    fair_low: float | None
    fair_high: float | None
    n_fair: int
    wins: tuple[int, ...]
    total: float
    trend: list[tuple[float, float, float, float]]
    number: int = 0  # of the row in the answer

    @property
    def alone(self) -> bool:
        """Whether one flow runs alone, so that there is no fairness to measure."""
        return len(self.shares) == 1


def by_setting(subject: Subject) -> bool:
    """Return whether the answer has a row a setting."""
    return len(subject.settings) <= MAX_SETTINGS or not subject.axes


def answer_rows(subject: Subject) -> list[Row]:
    """Return the rows of the answer, the least fair first, flows alone last.

    A row is of settings whose runs compare the same kinds of flows; settings in which no flow
    carried anything have none.
    """
    groups: dict[tuple, list[int]] = {}
    for n, setting in enumerate(subject.settings):
        kinds = {subject.runs[run].kinds for run in setting.runs}
        for kind in sorted(kinds):
            groups.setdefault((n if by_setting(subject) else setting.panel, kind), []).append(n)
    rows = [row for (_, kinds), of in groups.items() if (row := _row(subject, of, kinds))]
    names = distinct([row.full for row in rows])
    rows = [replace(row, name=name) for row, name in zip(rows, names, strict=True)]
    rows = sorted(rows, key=lambda row: (row.alone, 2 if row.fair is None else row.fair))
    return [replace(row, number=number) for number, row in enumerate(rows)]


def _row(subject: Subject, settings: list[int], kinds: tuple[str, ...]) -> Row | None:
    shares, firsts, totals, fair = [], [], [], []
    wins = [0] * len(kinds)
    every: list[Run] = []
    for setting in settings:
        runs = [run for run in _runs(subject, setting) if run.kinds == kinds]
        every += runs
        known = [means for run in runs if (means := _known(run))]
        carried = [means for means in known if sum(means) > 0]
        if carried:
            of_runs = [tuple(mean / sum(means) for mean in means) for means in carried]
            shares.append(tuple(map(_mean, zip(*of_runs, strict=True))))
            firsts += [of[0] for of in of_runs]
        if known:
            totals.append(_mean([sum(means) for means in known]))
        indices = [run.jfi for run in runs if run.jfi is not None]
        if indices and len(kinds) > 1:
            fair.append(_mean(indices))
        for run in runs:
            if run.jfi is not None and run.jfi < subject.fair and (means := _known(run)):
                wins[means.index(max(means))] += 1
    if not shares:
        return None
    first = subject.settings[settings[0]]
    full = setting_name(first, subject.axes) if by_setting(subject) else spoken(first.panel)
    return Row(
        full, full, settings, len(every), kinds, tuple(flow_names(every)),
        tuple(map(_mean, zip(*shares, strict=True))), min(firsts), max(firsts),
        _mean(fair) if fair else None, min(fair, default=None), max(fair, default=None),
        sum(value >= subject.fair for value in fair), tuple(wins), _mean(totals),
        [] if by_setting(subject) else list(_trend(subject, settings, kinds)),
    )  # fmt: skip


def _known(run: Run) -> tuple[float, ...]:
    """Return the means of a run; none where one is not known."""
    means = tuple(mean for mean in run.means if mean is not None)
    return means if len(means) == len(run.means) else ()


def _runs(subject: Subject, setting: int) -> list[Run]:
    return [subject.runs[run] for run in subject.settings[setting].runs]


def _trend(
    subject: Subject, settings: list[int], kinds: tuple[str, ...]
) -> Iterator[tuple[float, float, float, float]]:
    """Return Jain's index along the first axis; nothing of fewer than three levels.

    Each is the mean of the same settings: at those levels of the second axis that are known at all
    levels of the first, or on an incomplete grid the means would differ with the second axis.
    """
    levels: dict[float, dict[tuple[float, ...], list[float]]] = {}
    for setting in settings:
        found = [run.jfi for run in _runs(subject, setting) if run.kinds == kinds]
        known = [jfi for jfi in found if jfi is not None]
        if known:
            at, *others = subject.settings[setting].levels
            levels.setdefault(at, {}).setdefault(tuple(others), []).extend(known)
    shared = set.intersection(*map(set, levels.values())) if levels else set()
    if len(levels) > 2 and len(kinds) > 1 and shared:
        for at, of_level in sorted(levels.items()):
            of = [of_level[others] for others in sorted(shared)]
            yield at, _mean(list(map(_mean, of))), min(map(min, of)), max(map(max, of))


def alike(subject: Subject, rows: Sequence[Row]) -> bool:
    """Return whether rows are of the same levels of the axes, so that their means compare flows."""
    of_rows = {frozenset(subject.settings[n].levels for n in row.settings) for row in rows}
    return by_setting(subject) or len(of_rows) <= 1


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


# ---- in words ------------------------------------------------------------------------------------


def sentence(subject: Subject, rows: list[Row]) -> str:
    """Return the answer in one or two sentences, made by rule from the rows."""
    compared = [row for row in rows if not row.alone and row.fair is not None]
    if not compared:
        return _no_fairness(subject, rows)
    n, fair = sum(len(row.settings) for row in compared), sum(row.n_fair for row in compared)
    worst, least = compared[0], compared[0].fair or 0.0
    if n == 1:
        index = f"(Jain's index {index_words(least, subject.fair)})"
        if least >= subject.fair:
            all_of_them = "both" if len(worst.shares) == 2 else f"all {len(worst.shares)}"
            return f"Fair: {all_of_them} flows get about the same {index}."
        if _differs(worst, subject.fair):
            return f"Unfair, but not always to the same flow: {_winners(worst)} {index}."
        who, share, equal = _taker(worst)
        return f"Unfair: {who} gets {share} where {equal} would be equal {index}."
    if fair == n:
        text = "Fair in both settings." if n == 2 else f"Fair in all {n:,} settings."
    else:
        text = f"Fair in {f'{fair:,}' if fair else 'none'} of {n:,} settings."
    if least < subject.fair:
        mean = f" on average over {many(len(worst.settings), 'setting')}"
        where = mean if len(worst.settings) > 1 else ""
        who, share, _ = _taker(worst)
        taken = _winners(worst) if _differs(worst, subject.fair) else f"{who} gets {share}{where}"
        text += f" Least fair: {worst.name}, where {taken}."
    return text + _turn(subject, compared)


def _differs(row: Row, fair: float) -> bool:
    """Return whether the flows of a row get about the same only as a mean over its runs.

    Each run is unfair, but not to the same flow: mean shares would say nothing of it.
    """
    of_shares = 1 / (len(row.shares) * sum(share**2 for share in row.shares))  # Jain's index
    return of_shares >= fair and sum(n > 0 for n in row.wins) > 1


def _winners(row: Row) -> str:
    """Return in words which flows get more in how many of the runs of a row."""
    (first, n), *others = [(_who(row, flow), n) for flow, n in enumerate(row.wins) if n]
    if len(others) >= MANY_WINNERS:
        return f"each of {len(others) + 1} flows gets the most in some of {row.n_runs:,} runs"
    said = "".join(f", {who} in {n:,}" for who, n in others)
    return f"{first} gets the most in {n:,}{said} of {row.n_runs:,} runs"


def _taker(row: Row) -> tuple[str, str, str]:
    """Return which flow of a row gets the most, its share, and what would be equal, in words."""
    top = max(range(len(row.shares)), key=lambda i: row.shares[i])
    return (_who(row, top), *_percents(row.shares[top], 1 / len(row.shares)))


def _percents(share: float, equal: float) -> tuple[str, str]:
    """Return two shares in whole per cent, or in as many digits as it takes to tell them apart."""
    said = [[f"{100 * of:.{digits}f} %" for of in (share, equal)] for digits in range(MOST_DIGITS)]
    first, second = next((two for two in said if two[0] != two[1]), said[0])
    return first, second


def _who(row: Row, flow: int) -> str:
    """Return what the flow at a place is called: its kind, with its number if others are of it."""
    kind = row.kinds[flow]
    name = kind_name(kind)
    return f"{name} ({row.flows[flow]})" if row.kinds.count(kind) > 1 else name


def _no_fairness(subject: Subject, rows: list[Row]) -> str:
    if not rows:
        means = [mean for run in subject.runs for mean in run.means if mean is not None]
        none = "In no run do all flows have a mean" if means else "No flow has a mean"
        if any(map(carried_nothing, subject.runs)) and not any(means):
            none = "No flow carried anything in the steady state"
        return f"{none}: nothing can be said of who got how much."
    if not all(row.alone for row in rows):
        return "No flows run at the same time, so there is no fairness to measure."
    nothing = "There is no fairness to measure"
    if len(rows) == 1 and len(subject.runs) == 1:
        who = kind_name(rows[0].kinds[0])
        who = f"{who[:1].upper()}{who[1:]}"
        alone = "One flow ran alone"
        if any(kind == "" for _, kind in subject.series[0]):
            alone = "No flow is compared with it"
        return f"{who} gets {_mbps(rows[0].total)}. {alone}: there is no fairness to measure."
    low, high = (f(rows, key=lambda row: row.total) for f in (min, max))
    span = _mbps(low.total)
    if low is not high:
        span = f"{_mbps(low.total)} ({low.name}) to {_mbps(high.total)} ({high.name})"
    return f"Every run has one flow: {span}. {nothing}."


def _mbps(bps: float) -> str:
    return f"{rate(bps)} Mb/s"


def _turn(subject: Subject, rows: list[Row]) -> str:
    """Return along what fairness turns most, if it goes one way and by enough."""
    turns = []
    for each in rows:
        means = [mean for _, mean, _, _ in each.trend]
        if means and _one_way(means):
            turns.append((abs(means[-1] - means[0]), each))
    by, row = max(turns, key=lambda turn: turn[0], default=(0.0, None))
    if row is None or by <= TURNS:
        return ""
    name, unit = axis_parts(subject.axes[0])
    (first, low, *_), (last, high, *_) = row.trend[0], row.trend[-1]
    word = "Fairer" if high > low else "Less fair"
    ends = [
        f"{index_words(v, subject.fair)} at {f'{plain(at)} {unit}'.strip()}"
        for at, v in ((first, low), (last, high))
    ]
    return f" {word} as the {name} grows: {row.name} has Jain’s index {ends[0]}, {ends[1]}."


def _one_way(means: list[float]) -> bool:
    way = 1 if means[-1] > means[0] else -1
    return all(way * (after - before) > -STRAIGHT for before, after in pairwise(means))


def jain_words(row: Row, fair: float) -> str:
    """Return Jain's index of a row as the table prints it (`index_words`)."""
    return NOTHING if row.fair is None or row.alone else index_words(row.fair, fair)


def index_words(index: float, fair: float) -> str:
    """Return Jain's index to two digits, or as many as it takes.

    Rounded it must be on its own side of what counts as fair: 0.946 beside '0.95 and more fair' is
    not 0.95.
    """
    return number(index, _digits(index, fair))


def index_words_apart(one: float, other: float, fair: float) -> tuple[str, str]:
    """Return two of Jain's indices as `index_words`, in as many digits as tell them apart."""
    least = [_digits(value, fair) for value in (one, other)]
    said = [
        tuple(number(v, max(d, digits)) for v, d in zip((one, other), least, strict=True))
        for digits in range(2, MOST_DIGITS)
    ]
    first, second = next((two for two in said if two[0] != two[1]), said[0])
    return first, second


def _digits(index: float, fair: float) -> int:
    """Return to how many digits, two or more, an index is on its own side of what is fair."""
    digits = range(2, MOST_DIGITS)
    enough = (d for d in digits if (round(index, d) >= fair) == (index >= fair))
    return next(enough, MOST_DIGITS)
