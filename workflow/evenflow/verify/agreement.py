"""Do two versions of a text, a table or a page agree within declared tolerances?

Texts (YAML, Markdown, CSV, SVG) are compared token by token: numbers as numbers, everything else
exactly. A tolerance says how far two numbers may be apart; which tolerance a file has is in a
configuration, with the reason.
"""

from __future__ import annotations

import base64
import gzip
import html
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")
TABLE_RULE = re.compile(r"(?<=\| )-+(?=:? \|)")  # as long as the cells of its column: says nothing
INVISIBLE = re.compile(r"<(script|style|svg|head)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
INLINE_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL | re.IGNORECASE)
EMBEDDED_SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
EXCERPT = 60  # characters of a line that are shown around a difference


@dataclass(frozen=True)
class Tolerance:
    """How far two numbers of a file may be apart: the largest of the three counts.

    files: pattern of the names that it is for. last_digits: units of the last printed digit.
    relative: of the larger magnitude. absolute: in the number's own unit. ignored: patterns of
    lines that are left out of the comparison. reason: why numbers may differ that much.
    """

    files: str
    reason: str
    last_digits: float = 0
    relative: float = 0
    absolute: float = 0
    ignored: tuple[str, ...] = ()

    def allows(self, one: float, other: float, decimals: int = 0) -> bool:
        """Say whether two numbers agree, of which the coarser has this many decimal places."""
        if one == other or (math.isnan(one) and math.isnan(other)):
            return True
        larger = max(abs(one), abs(other))
        units = self.last_digits * 10.0**-decimals if self.last_digits else 0
        # half a thousandth of a unit: 0.30 - 0.29 is a little more than 0.01
        return abs(one - other) <= max(units * 1.0005, self.relative * larger, self.absolute)


EXACT = Tolerance("*", "nothing was declared")


def tolerance_of(name: str, tolerances: Sequence[Tolerance]) -> Tolerance:
    """Return the first tolerance whose pattern matches a name; without one, none is allowed."""
    return next((t for t in tolerances if fnmatchcase(name, t.files)), EXACT)


@dataclass(frozen=True)
class Difference:
    """One place in which two versions of a file differ."""

    where: str
    expected: str
    got: str


def differences(name: str, expected: bytes, got: bytes, tolerance: Tolerance) -> list[Difference]:
    """Return where two versions of a file differ by more than is allowed.

    Parquet is compared value by value, a page (.html) by its visible text and its figures,
    compressed text after decompression, other text as it is, the rest byte by byte.
    """
    if expected == got:
        return []
    if name.endswith(".parquet"):
        tables = [pl.read_parquet(io.BytesIO(data)) for data in (expected, got)]
        return compare_tables(*tables, tolerance)
    if name.endswith(".gz"):
        expected, got = gzip.decompress(expected), gzip.decompress(got)
    try:
        texts = [data.decode("utf-8") for data in (expected, got)]
    except UnicodeDecodeError:
        return [Difference("content", f"{len(expected)} bytes", f"{len(got)} other bytes")]
    if name.endswith(".html"):
        return compare_pages(*texts, tolerance)
    return compare_texts(*texts, tolerance)


def compare_texts(expected: str, got: str, tolerance: Tolerance) -> list[Difference]:
    """Return the lines in which two texts differ: in words, or in numbers by more than allowed."""
    first, second = (_lines(text, tolerance) for text in (expected, got))
    if len(first) != len(second):
        only = next(
            (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
            min(len(first), len(second)),
        )
        a, b = (lines[only][1][:EXCERPT] if only < len(lines) else "" for lines in (first, second))
        return [
            Difference(f"from line {only + 1}", f"{len(first)} lines: {a}", f"{len(second)}: {b}")
        ]
    found = []
    for (number, a), (_, b) in zip(first, second, strict=True):
        if a != b and (where := _disagreement(a, b, tolerance)) is not None:
            start = max(0, where - EXCERPT // 2)
            ends = [text[start : start + EXCERPT] for text in (a, b)]
            found.append(Difference(f"line {number}", *ends))
    return found


def agree(expected: str, got: str, tolerance: Tolerance) -> bool:
    """Say whether two short texts, as cells of a table, agree."""
    return expected == got or _disagreement(expected, got, tolerance) is None


def _lines(text: str, tolerance: Tolerance) -> list[tuple[int, str]]:
    ignored = [re.compile(pattern) for pattern in tolerance.ignored]
    numbered = enumerate(TABLE_RULE.sub("---", text).splitlines(), start=1)
    return [(n, line) for n, line in numbered if not any(p.search(line) for p in ignored)]


def _disagreement(a: str, b: str, tolerance: Tolerance) -> int | None:
    """Return the position in `a` of the first token that disagrees, None where all agree."""
    ours, theirs = list(_tokens(a)), list(_tokens(b))
    for (position, one), (_, other) in zip(ours, theirs, strict=False):
        if one == other:
            continue
        numbers = [NUMBER.fullmatch(token) for token in (one, other)]
        if not all(numbers):
            return position
        values = [float(token.replace("−", "-")) for token in (one, other)]
        if not tolerance.allows(*values, decimals=min(_decimals(one), _decimals(other))):
            return position
    if len(ours) != len(theirs):
        return len(a) if len(ours) < len(theirs) else ours[len(theirs)][0]
    return None


def _tokens(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers of a text and what is between them, with their positions."""
    end = 0
    for match in NUMBER.finditer(text):
        if match.start() > end:
            yield end, text[end : match.start()]
        yield match.start(), match[0]
        end = match.end()
    if end < len(text):
        yield end, text[end:]


def _decimals(number: str) -> int:
    """Return the decimal places of a written number; of 1.2e-3 these are 4."""
    mantissa, _, exponent = number.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


def compare_tables(
    expected: pl.DataFrame, got: pl.DataFrame, tolerance: Tolerance
) -> list[Difference]:
    """Return the columns in which two tables differ, each with its first differing row."""
    if expected.schema != got.schema:
        names = [
            ", ".join(f"{c} {t}" for c, t in table.schema.items()) for table in (expected, got)
        ]
        return [Difference("columns", *names)]
    if expected.height != got.height:
        return [Difference("rows", str(expected.height), str(got.height))]
    found = []
    for name in expected.columns:
        a, b = expected[name], got[name]
        unequal = a.ne_missing(b)
        if expected.schema[name].is_float():
            larger = pl.max_horizontal(a.abs(), b.abs())
            allowed = pl.max_horizontal(larger * tolerance.relative, pl.lit(tolerance.absolute))
            near = pl.select((a - b).abs() <= allowed).to_series().fill_null(False)
            unequal &= ~(near | (a.is_nan() & b.is_nan()).fill_null(False))
        if unequal.any():
            row = unequal.arg_true()[0]
            found.append(Difference(f"{name}, row {row + 1}", str(a[row]), str(b[row])))
    return found


def compare_pages(expected: str, got: str, tolerance: Tolerance) -> list[Difference]:
    """Return where the visible text or the static figures of two HTML pages differ."""
    found = compare_texts(visible_text(expected), visible_text(got), tolerance)
    figures = [page_figures(page) for page in (expected, got)]
    if len(figures[0]) != len(figures[1]):
        return [*found, Difference("figures", *(str(len(f)) for f in figures))]
    for number, (a, b) in enumerate(zip(*figures, strict=True), start=1):
        for difference in compare_texts(a, b, tolerance)[:1]:
            where = f"figure {number} of the page"
            found.append(Difference(where, difference.expected, difference.got))
    return found


def visible_text(page: str) -> str:
    """Return what a reader sees of an HTML page, a paragraph or cell a line."""
    text = re.sub(r"<[^>]+>", "\n", INVISIBLE.sub("\n", page))
    return "\n".join(line.strip() for line in html.unescape(text).splitlines() if line.strip())


def page_figures(page: str) -> list[str]:
    """Return the SVG figures of an HTML page, embedded or inline."""
    embedded = [base64.b64decode(m).decode("utf-8", "replace") for m in EMBEDDED_SVG.findall(page)]
    return [*embedded, *INLINE_SVG.findall(page)]


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, nothing where there is none."""
    return path.read_bytes() if path.is_file() else b""
