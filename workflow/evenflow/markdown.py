"""Numbers and tables as reports print them: formatted strings and markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil

import polars as pl

from .paths import printable
from .printed import printed
from .scalars import scalar

NOTHING = "–"
# how tables name what an original prints (`statistic` of published.csv)
WORDS_OF_PRINT = {"lower bound": "at least", "approx": "about"}
NO_BREAK_SPACE = "\u00a0"
# spaces at which no line of a cell may end: before a unit, in 'n = 3', '14 → 10' and '0.53 / 0.55';
# `code` is left alone
TOGETHER = re.compile(
    r"(?P<code>`[^`]*`)|(?<=\d) (?=(?:ms|s|[KMG]i?B|[KMG]?b/s|dB)\b|%)"
    r"|(?<=\w) (?=[=<>≤≥→] [\d−])|(?<= [=<>≤≥→]) (?=[\d−])|(?<=\d) (?=/ [\d−])|(?<=\d /) (?=[\d−])"
)
# of a cell, all but the text that it prints and the marks of code: links, spans, emphasis
MARKUP = re.compile(r"\[([^][]*)\](?:\([^)]*\)|\{[^}]*\})|[*^$\\]")
CODE = re.compile(r"`([^`]*)`")  # its type is small on paper: see `length`
NARROW = re.compile(r"[\s.,;:/()·⁻⁰¹²³⁴-⁹]")
CROSS_REFERENCE = re.compile(r"@(?:fig|tbl|sec|eq)-[\w-]+")  # prints 'Figure 1'
LARGE, FAR = 99.95, 1e6  # see `compact`
GAP = 3  # between two columns of a table on paper, as `length`
BLANK = 0.5  # between two words, as `length`
NUMBERS = 8  # lines of words that one more line of numbers is worth avoiding
# what is markup, and '--' and '...', which pandoc makes a dash and an ellipsis of
ESCAPED = re.compile(r"([\\`*_{}\[\]<>#|@$~^&\"']|-(?=-)|(?<=-)-|\.(?=\.))")


class Cell(str):
    """The text of a cell and the rows that it was made of (`evidence.cells.made_of`).

    tables: {table: places of its rows}.
    """

    tables: Mapping[str, list[int]]

    def __new__(cls, text: str, tables: Mapping[str, list[int]]) -> Cell:
        made = super().__new__(cls, text)
        made.tables = tables
        return made


class Table(str):
    """A table in markdown; cells: {(row, column): tables of a `Cell`}, from 0 below the head."""

    cells: dict[tuple[int, int], Mapping[str, list[int]]]


def edited(cell: str, text: str) -> str:
    """Return another text for a cell, made of the same rows."""
    return Cell(text, cell.tables) if isinstance(cell, Cell) else text


def number(value: float | None, digits: int) -> str:
    """Format a number with a true minus sign; a dash where there is none."""
    if value is None:
        return NOTHING
    return printed(value, lambda value: _signed(f"{value:.{digits}f}"))


def _signed(text: str) -> str:
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def with_interval(
    value: float | None,
    low: float | None,
    high: float | None,
    digits: int,
    times: float = 1,
) -> str:
    """Format a number with its interval, where it has one: '0.95 (0.90 to 0.99)'.

    Args:
        times: factor to the printed unit.
    """
    said, *ends = (number(None if v is None else v * times, digits) for v in (value, low, high))
    return said if low is None else f"{said} ({ends[0]} to {ends[1]})"


def counted(n: int, word: str) -> str:
    """Return how many there are, in words: '1 cell', '3 cells'."""
    return f"{n:,} {word}" if n == 1 else f"{n:,} {word}s"


def first_of(listed: Sequence[str], most: int, between: str = ", ") -> str:
    """Return what is listed, or the first so many and how many are left: 'a, b and 3 more'."""
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return between.join(listed[:most]) + more


def compact(value: float | None, digits: int) -> str:
    """Format a number; from LARGE on with separators and no digits, from FAR on as a power."""
    if value is None or abs(value) < LARGE:
        return number(value, digits)
    return f"{value:,.0f}" if value < FAR else scientific(value, 1)


def percent(value: float) -> str:
    """Return a share in %, with one digit."""
    return f"{number(100 * value, 1)} %"


def whole_percent(share: float | None) -> str:
    """Return a share in %, without digits and without its sign."""
    return number(None if share is None else 100 * share, 0)


def word(ccas: str) -> str:
    """Return a pairing as a variable's name: 'newreno-bic' is 'newreno_bic'."""
    return ccas.replace("-", "_")


def escape_markdown(text: str) -> str:
    """Plain text as markdown: what would be markup, a citation or a table's border is escaped."""
    return ESCAPED.sub(r"\\\1", str(text))


def code(text: str) -> str:
    """Return text as code that may stand in a table; as plain text where code cannot hold it."""
    text = printable(text)
    return escape_markdown(text) if "|" in text or "`" in text else f"`{text}`"


def markdown_table(header: list[str], rows: list[list[str]], *, numeric_from: int) -> str:
    """Return a pipe table; columns from `numeric_from` on align right.

    Where the table is wider than the page, pandoc makes its columns as wide as their rules are
    long: see `_widths`. A row of which only the first cell has text (of two columns: emphasised
    text) is a heading of those below it, and goes over the whole width (`render.layout`).
    """
    table = [[_together(cell) for cell in cells] for cells in (header, *rows)]
    in_columns = [cells for cells in table if not _is_heading(cells)]
    rule = [
        "-" * width if i < numeric_from else "-" * (width - 1) + ":"
        for i, width in enumerate(_widths(in_columns, numeric_from))
    ]
    lines = (" | ".join(cells).join(("| ", " |")) for cells in (table[0], rule, *table[1:]))
    made = Table("\n".join(lines))
    made.cells = {
        (i, j): cell.tables
        for i, cells in enumerate(rows)
        for j, cell in enumerate(cells)
        if isinstance(cell, Cell)
    }
    return made


def _is_heading(cells: list[str]) -> bool:
    emphasised = cells[0].startswith("*") and not cells[0].startswith("**")
    return not any(cells[1:]) and (len(cells) > 2 or (len(cells) == 2 and emphasised))


def _together(cell: str) -> str:
    return TOGETHER.sub(lambda found: found["code"] or NO_BREAK_SPACE, cell)


def line_length(n_columns: int) -> int:
    """Return the length of a table's line on paper: the theme sets wide tables in smaller type."""
    return 133 if n_columns > 9 else 119 if n_columns > 6 else 103


def length(text: str) -> float:
    """Return how long a text is on paper, in digits.

    Spaces, points and exponents are half as long; in `code` all are as long.
    """
    rest = CODE.sub("", text)
    return len(rest) - len(NARROW.findall(rest)) / 2 + len("".join(CODE.findall(text)))


def _words(texts: Sequence[str]) -> Counter[tuple[float, ...]]:
    """Return the lengths of the words of cells, and how many cells have them; the head is first.

    A dash between two words is not alone on a line: it goes with the first.
    """
    texts = [MARKUP.sub(r"\1", CROSS_REFERENCE.sub("Figure\u00a01", cell)) for cell in texts]
    texts = [text.replace(" – ", f"{NO_BREAK_SPACE}– ") for text in texts]
    head = tuple(float(len(word)) for word in texts[0].split(" "))  # of the head, which is bold
    return Counter([head, *(tuple(map(length, text.split(" "))) for text in texts[1:])])


def _n_lines(words: Sequence[float], width: int) -> int:
    """Return how many lines words take in a column."""
    n, left = 1, float(width)
    for i, word in enumerate(words):
        if i and word + BLANK > left:
            n, left = n + 1, width - word
        else:
            left -= word + BLANK * bool(i)
    return n


def _costs(cells: Counter[tuple[float, ...]], least: int, spare: int, weight: int) -> list[int]:
    """Return what a column costs in widths from `least` on, to the first of one line per cell."""
    costs: list[int] = []
    for width in range(least, least + spare + 1):
        lines = ((_n_lines(words, width), n) for words, n in cells.items())
        costs.append(weight * sum(n * (taken - 1) ** 2 for taken, n in lines))
        if not costs[-1]:
            break
    return costs


def _widths(table: list[list[str]], numeric_from: int) -> list[int]:
    """Return the width of each column, as `length`.

    No column is narrower than its longest word. What is left of the line is shared out such that
    cells have few lines: the sum of the squares of those beyond the first is as small as it can be,
    where a line of numbers counts as NUMBERS of words. So one long cell does not make a column wide
    at the cost of many others.
    """
    cells = [_words(column) for column in zip(*table, strict=True)]
    least = [ceil(max(max(words) for words in column)) for column in cells]
    spare = line_length(len(cells)) - GAP * len(cells) - sum(least)
    best: dict[int, tuple[int, list[int]]] = {0: (0, [])}  # width beyond `least`: cost, widths
    for j, (column, width) in enumerate(zip(cells, least, strict=True)):
        costs = _costs(column, width, max(0, spare), NUMBERS if j >= numeric_from else 1)
        shared: dict[int, tuple[int, list[int]]] = {}
        for used, (before, widths) in best.items():
            for more, cost in enumerate(costs):
                key, sum_ = used + more, before + cost
                if key <= max(0, spare) and (key not in shared or sum_ < shared[key][0]):
                    shared[key] = (sum_, [*widths, width + more])
        best = shared
    _, widths = min(best.values(), key=lambda found: (found[0], sum(found[1])))
    return [width + GAP for width in widths]


def span_of(values: pl.Series, digits: int = 0) -> str:
    """Return the smallest and the largest value, '1 to 3', or the one that all are."""
    if values.drop_nulls().is_empty():
        return NOTHING
    low, high = (number(scalar(end), digits) for end in (values.min(), values.max()))
    return low if low == high else f"{low} to {high}"


def listed(values: pl.Series) -> str:
    """Return numbers in words: '25, 100', or '25 to 400 by 25' where there are many in even steps.

    Nulls are left out; without a value the text is empty.
    """
    found = sorted({round(value, 3) for value in values.drop_nulls()})
    steps = {round(b - a, 3) for a, b in pairwise(found)}
    if len(found) > 3 and len(steps) == 1:
        return f"{found[0]:g} to {found[-1]:g} by {steps.pop():g}"
    return ", ".join(f"{value:g}" for value in found)


def all_of(words: Iterable[str]) -> str:
    """Return words as a list in a sentence: 'a, b and c'."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def scientific(value: float | None, digits: int = 1) -> str:
    """Return a small number as reports print it: 1.2·10⁻⁵; 10⁻⁵ with no digits."""
    if value is None:
        return NOTHING
    if value == 0:
        return "0"
    return printed(value, lambda value: _as_power(f"{value:.{digits}e}"))


def _as_power(text: str) -> str:
    mantissa, exponent = text.split("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if mantissa == "1" else f"{mantissa}·10{raised}"
