"""Do two versions of a text, a table or a page agree within declared tolerances?

Texts (YAML, Markdown, CSV, SVG) are compared token by token. Words and whole numbers agree exactly.
Of printed reals two texts are the same number only where the value behind them may be printed as
either (`evenflow.printed`). Which tolerance a file has is in a configuration, with the reason.
"""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import math
import re
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile

import polars as pl

NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+|·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?(?![\w])")
COORDINATE = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")  # M1.5,2h10: beside letters
WHOLE = re.compile(r"[-+−]?\d+")
TABLE_RULE = re.compile(r"(?<=\| )-+(?=:? \|)")  # as long as the cells of its column: says nothing
INVISIBLE = re.compile(r"<(script|style|svg|head)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
INLINE_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL | re.IGNORECASE)
EMBEDDED_SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
PACKED = re.compile(r'(<script type="text/plain" id="[\w-]+">)([A-Za-z0-9+/=]+)(</script>)')
TAG = re.compile(r"(<[^>]*>)")  # marks: the shapes of a drawing are numbers in them
EXCERPT = 60  # characters of a line that are shown around a difference
REVISION = {"commit": str, "date": str, "clean": bool, "changed": list}  # `describe_revision`
FIGURE = "figure.svg"  # the name by which a figure in a page has its tolerance

Pairs = Collection[frozenset[str]]  # texts that the same value may be printed as


@dataclass(frozen=True)
class Tolerance:
    """How far two numbers of a file may be apart: the larger of the two counts.

    files: pattern of the names that it is for. rounded: reals in its text are rounded, and texts of
    one value agree. relative: of the larger magnitude. absolute: in the number's own unit. ignored:
    patterns of lines that are left out of the comparison. reason: why numbers may differ that much.
    Of whole numbers none may.
    """

    files: str
    reason: str
    rounded: bool = False
    relative: float = 0
    absolute: float = 0
    ignored: tuple[str, ...] = ()

    def allows(self, one: float, other: float) -> bool:
        """Say whether two numbers, of which one at least is no whole number, agree.

        Nothing is near an infinite number, or one that is none (NaN): parts of it allow anything.
        """
        if one == other or (math.isnan(one) and math.isnan(other)):
            return True
        if not (math.isfinite(one) and math.isfinite(other)):
            return False
        larger = max(abs(one), abs(other))
        return abs(one - other) <= max(self.relative * larger, self.absolute)


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


def differences(
    name: str,
    expected: bytes,
    got: bytes,
    allowed: Sequence[Tolerance],
    pairs: Pairs = (),
) -> list[Difference]:
    """Return where two versions of a file differ by more than is allowed.

    Parquet is compared value by value; a page (.html) by its text, its figures, the data that it
    carries, and then by the rest; compressed text after decompression; other text as it is, of a
    drawing (.svg) the text apart from the shapes; what is no text byte by byte.

    Args:
        name: of the file.
        expected, got: its content.
        allowed: tolerances; the first that matches the name counts.
        pairs: texts that a value behind the file may be printed as.
    """
    if expected == got:
        return []
    tolerance = tolerance_of(name, allowed)
    if name.endswith(".parquet"):
        before, now = (pl.read_parquet(io.BytesIO(data)) for data in (expected, got))
        return compare_tables(before, now, tolerance)
    if name.endswith(".gz"):
        expected, got = gzip.decompress(expected), gzip.decompress(got)
    try:
        old, new = expected.decode("utf-8"), got.decode("utf-8")
    except UnicodeDecodeError:
        return [Difference("content", f"{len(expected)} bytes", f"{len(got)} other bytes")]
    if name.endswith(".html"):
        return compare_pages(old, new, tolerance, tolerance_of(FIGURE, allowed), pairs)
    if name.endswith(".svg"):
        return compare_drawings(old, new, tolerance, pairs)
    return compare_texts(old, new, tolerance, pairs)


def compare_texts(
    expected: str,
    got: str,
    tolerance: Tolerance,
    pairs: Pairs = (),
    numbers: re.Pattern = NUMBER,
) -> list[Difference]:
    """Return the lines in which two texts differ: in words, or in numbers by more than allowed."""
    first, second = (_lines(text, tolerance) for text in (expected, got))
    if len(first) != len(second):
        only = next(
            (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
            min(len(first), len(second)),
        )
        a, b = (lines[only][1] if only < len(lines) else "" for lines in (first, second))
        shown = _excerpts(a, b, 0, 0)
        return [
            Difference(
                f"from line {only + 1}",
                *(f"{len(of)} lines: {at}" for of, at in zip((first, second), shown, strict=True)),
            )
        ]
    found = []
    for (number, a), (_, b) in zip(first, second, strict=True):
        if a != b and (where := _disagreement(a, b, tolerance, pairs, numbers)) is not None:
            found.append(Difference(f"line {number}", *_excerpts(a, b, *where)))
    return found


def agree(expected: str, got: str, tolerance: Tolerance, pairs: Pairs = ()) -> bool:
    """Say whether two short texts, as cells of a table, agree."""
    return expected == got or _disagreement(expected, got, tolerance, pairs) is None


def _excerpts(a: str, b: str, at_a: int, at_b: int) -> tuple[str, str]:
    """Return what stands around the first character that differs, behind these places."""
    letters = zip(a[at_a:], b[at_b:], strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
    starts = (max(0, at + same - EXCERPT // 2) for at in (at_a, at_b))
    shown = [text[start : start + EXCERPT] for text, start in zip((a, b), starts, strict=True)]
    if shown[0].split() == shown[1].split():  # kinds of spaces, which look alike
        shown = [text.encode("unicode_escape").decode() for text in shown]
    return shown[0], shown[1]


def _lines(text: str, tolerance: Tolerance) -> list[tuple[int, str]]:
    ignored = [re.compile(pattern) for pattern in tolerance.ignored]
    numbered = enumerate(TABLE_RULE.sub("---", text).splitlines(), start=1)
    return [(n, line) for n, line in numbered if not any(p.search(line) for p in ignored)]


def _disagreement(
    a: str, b: str, tolerance: Tolerance, pairs: Pairs, numbers: re.Pattern = NUMBER
) -> tuple[int, int] | None:
    """Return the positions in both of the first token that disagrees, None where all agree."""
    ours, theirs = list(_tokens(a, numbers)), list(_tokens(b, numbers))
    for (at_a, one), (at_b, other) in zip(ours, theirs, strict=False):
        if one != other and not _same_number(one, other, tolerance, pairs):
            return at_a, at_b
    if len(ours) != len(theirs):
        shared = min(len(ours), len(theirs))
        ends = [of[shared][0] if shared < len(of) else len(t) for of, t in ((ours, a), (theirs, b))]
        return ends[0], ends[1]
    return None


def _same_number(one: str, other: str, tolerance: Tolerance, pairs: Pairs) -> bool:
    """Say whether two unequal tokens are the same number: reals alone can be."""
    if not all(NUMBER.fullmatch(token) or COORDINATE.fullmatch(token) for token in (one, other)):
        return False
    if all(WHOLE.fullmatch(token) for token in (one, other)):
        return False
    if tolerance.rounded and frozenset((one, other)) in pairs:
        return True
    if not (tolerance.relative or tolerance.absolute) or "·" in one + other:
        return False
    values = [float(token.replace("−", "-")) for token in (one, other)]
    return all(map(math.isfinite, values)) and tolerance.allows(*values)  # 1e999 and 2e999 are not


def _tokens(text: str, numbers: re.Pattern) -> Iterator[tuple[int, str]]:
    """Yield the numbers of a text and what is between them, with their positions."""
    end = 0
    for match in numbers.finditer(text):
        if match.start() > end:
            yield end, text[end : match.start()]
        yield match.start(), match[0]
        end = match.end()
    if end < len(text):
        yield end, text[end:]


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
            near = pl.select((a - b).abs() <= allowed).to_series() & a.is_finite() & b.is_finite()
            unequal &= ~near.fill_null(False)
        if unequal.any():
            row = unequal.arg_true()[0]
            shown = _excerpts(str(a[row]), str(b[row]), 0, 0)
            found.append(Difference(f"{name}, row {row + 1}", *shown))
    return found


def compare_drawings(
    expected: str, got: str, tolerance: Tolerance, pairs: Pairs = ()
) -> list[Difference]:
    """Return where two drawings (SVG) differ: in their text as in any, in shapes by coordinates."""
    if expected == got:
        return []
    drawn = [TAG.split(drawing) for drawing in (expected, got)]  # text, tag, text, ...
    of_text = Tolerance(tolerance.files, tolerance.reason, tolerance.rounded)
    if len(drawn[0]) == len(drawn[1]):
        for place, (a, b) in enumerate(zip(*drawn, strict=True)):
            how = (tolerance, (), COORDINATE) if place % 2 else (of_text, pairs)
            if a != b and (found := compare_texts(a, b, *how)):
                where = f"line {''.join(drawn[0][:place]).count(chr(10)) + 1}"
                return [Difference(where, found[0].expected, found[0].got)]
        return []
    return [Difference("content", *_excerpts(expected, got, 0, 0))]


def compare_pages(
    expected: str,
    got: str,
    tolerance: Tolerance,
    of_figures: Tolerance,
    pairs: Pairs = (),
) -> list[Difference]:
    """Return where two HTML pages differ: in what is read, in the figures, in what they carry."""
    (old, new), figures, carried = zip(*map(page_parts, (expected, got)), strict=True)
    found = compare_texts(visible_text(expected), visible_text(got), tolerance, pairs)
    if len(figures[0]) != len(figures[1]):
        return [*found, Difference("figures", *(str(len(f)) for f in figures))]
    for number, (a, b) in enumerate(zip(*figures, strict=True), start=1):
        for difference in compare_drawings(a, b, of_figures, pairs):
            where = f"figure {number} of the page"
            found.append(Difference(where, difference.expected, difference.got))
    if [name for name, _ in carried[0]] != [name for name, _ in carried[1]]:
        names = [", ".join(name for name, _ in of) for of in carried]
        return [*found, Difference("data in the page", *names)]
    for (name, a), (_, b) in zip(*carried, strict=True):
        for difference in compare_texts(a, b, tolerance, pairs)[:1]:
            where = f"data in the page, {name}"
            found.append(Difference(where, difference.expected, difference.got))
    return found or [
        Difference(f"{difference.where} of the page's source", difference.expected, difference.got)
        for difference in compare_texts(old, new, tolerance, pairs)[:1]
    ]


def visible_text(page: str) -> str:
    """Return what a reader sees of an HTML page, a paragraph or cell a line."""
    text = re.sub(r"<[^>]+>", "\n", INVISIBLE.sub("\n", page))
    return "\n".join(line.strip() for line in html.unescape(text).splitlines() if line.strip())


def page_parts(page: str) -> tuple[str, list[str], list[tuple[str, str]]]:
    """Take a page apart.

    Returns:
        its source without the other two; its SVG figures, embedded or inline; the data that it
        carries packed (`render.evidence.packed`), each with its name, an entry a line.
    """
    figures = [base64.b64decode(m).decode("utf-8", "replace") for m in EMBEDDED_SVG.findall(page)]
    figures += INLINE_SVG.findall(page)
    carried = [(tag, _unpacked(data)) for tag, data, _ in PACKED.findall(page)]
    source = INLINE_SVG.sub("", EMBEDDED_SVG.sub("", PACKED.sub(r"\1\3", page)))
    return source, figures, carried


def revision_in(page: str) -> dict | None:
    """Return the revision that a paper's page says it was rendered from, None where it names none.

    So a page that is made again elsewhere can say the same (`revision.rendering_as_of`).
    """
    for tag, data, _ in PACKED.findall(page):
        record = _record(data) if 'id="provenance"' in tag else None
        said = record.get("revision") if isinstance(record, dict) else None
        if isinstance(said, dict) and {k: type(v) for k, v in said.items()} == REVISION:
            return said
    return None


def _record(data: str) -> object:
    """Unpack data (`render.evidence.packed`); None where they were altered."""
    try:
        return json.loads(gzip.decompress(base64.b64decode(data)))
    except (OSError, EOFError, ValueError, zlib.error):
        return None


def _unpacked(data: str) -> str:
    """Return packed data as text; what was altered so that nothing unpacks it, as it is."""
    record = _record(data)
    return data if record is None else json.dumps(record, ensure_ascii=False, indent=0)
