"""Numbers of a text that carry the rows that they were printed from.

A function under `@paper.number` is given tables with one more column, their tag: the place of each
row in its file. It rides along through filter, sort and join. `say` evaluates an expression on the
rows that are left, and so knows which these are; nobody writes them down.

    say(row, "{estimate} ({low} to {high})", digits=3)   columns of one row
    say(build, pl.col("n_runs").sum())                    one value of several rows
    say(cells, "{} of {}", pl.col("calm").sum(), pl.len())
    count(runs, pl.col("drift") > 0.1)                    k of K: its rows are all K
    given("fdr", 5, 0.05)                                 a setting: its name is what it is from

A number is text with holes; each hole is one expression over rows of one table, or a setting. What
is more than that becomes a table first. In the text between holes no digit may stand.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ..markdown import NOTHING, compact, listed, number, scientific

TAG = "row of "  # + the table's name: the column that rides along
AGAIN = re.compile(r" \(\d\)$")  # behind the tag of a further row of one table (`second`)
HOLE = "{}"
NO_NUMBER = re.compile(r"`[^`]*`|\b[Ff]low \d\b")  # code, and the name of a flow
EXTREMES = {"Agg Min": "smallest", "Agg Max": "largest"}
NAMED_HOLE = re.compile(r"\{(\w*)\}")


class NoOrigin(ValueError):
    """A number that no row, setting or file is behind."""


# how a value is written that is neither text nor plain: style -> its text
STYLES: dict[str, Callable[[Any, int], str]] = {
    "": lambda value, digits: number(value, digits) if isinstance(value, float) else str(value),
    ",": lambda value, digits: f"{value:,.{digits}f}",
    "g": lambda value, digits: f"{value:g}",
    "power": lambda value, digits: scientific(value, digits),
    "+": lambda value, digits: ("+" if value > 0 else "") + number(value, digits),
    "compact": lambda value, digits: compact(value, digits),
    "listed": lambda values, digits: listed(pl.Series(values)) or NOTHING,
}


class Said(str):
    """A text in print, and what it was printed from.

    template: the text with a hole for each value. values: what each hole is, as `_value` returns
    it. behind: further values, which the words follow from and do not name.
    """

    template: str
    values: tuple[Mapping, ...]
    behind: tuple[Mapping, ...]


def said(template: str, values: Sequence[Mapping], behind: Sequence[Mapping] = ()) -> Said:
    """Return a template with its values in the place of its holes."""
    texts = iter([value["text"] for value in values])
    made = Said("".join(p if p != HOLE else next(texts) for p in re.split(r"(\{\})", template)))
    made.template, made.values, made.behind = template, tuple(values), tuple(behind)
    return made


def tagged(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return a table with its tag, as the last column."""
    return table.with_columns(pl.int_range(pl.len(), dtype=pl.Int32).alias(TAG + name))


def tags_of(table: pl.DataFrame) -> list[str]:
    """Return the tags of a table: one, or of joined tables several."""
    return [name for name in table.columns if name.startswith(TAG)]


def carried(row: Mapping) -> list[pl.Expr]:
    """Return the tags of a row as columns: what is drawn of it is of this row."""
    return [pl.lit(at, pl.Int32).alias(tag) for tag, at in row.items() if tag.startswith(TAG)]


def second(table: pl.DataFrame) -> pl.DataFrame:
    """Return a table to be joined with other rows of the same one: its tags get further names."""
    tags = tags_of(table)
    n = max(Counter(map(table_of, tags)).values(), default=0)
    return table.rename({tag: f"{TAG}{table_of(tag)} ({i + n + 1})" for i, tag in enumerate(tags)})


def table_of(tag: str) -> str:
    """Return the table that a tag is of."""
    return AGAIN.sub("", tag.removeprefix(TAG))


def say(
    rows: pl.DataFrame,
    what: str | pl.Expr,
    *values: pl.Expr,
    digits: int = 0,
    unit: float = 1.0,
    style: str = "",
    words: str = "",
) -> Said:
    """Return what is printed of some rows, with these rows.

    Args:
        rows: of a tagged table, selected by filter, sort, head or join.
        what: an expression of one value; the name of a column that all rows agree on; or a text
            with {column} for each such column and {} for each expression of `values`.
        digits, unit: of numbers with a point: what is printed is value / unit.
        style: of STYLES.
        words: what the value is, where the table's words for its columns do not say it.

    Returns:
        The text; a dash where no row is left for a column or a mean.

    Raises:
        NoOrigin: the rows do not agree on a column. Rows that have no tag are found by `checked`.
    """
    if isinstance(what, pl.Expr):
        values, what = (what, *values), HOLE
    elif "{" not in what:
        what = f"{{{what}}}"
    rest = iter(values)
    found = []
    for name in NAMED_HOLE.findall(what):
        expression = pl.col(name) if name else next(rest)
        found.append(_value(rows, expression, digits, unit, style, words))
    if rows.is_empty() and all(value["value"] is None for value in found):
        return nothing()
    return said(NAMED_HOLE.sub(HOLE, what), found)


def nothing(text: str = NOTHING) -> Said:
    """Return a dash, or words without a digit: there is no row, and so no number."""
    return said(text, [])


def count(rows: pl.DataFrame, condition: pl.Expr | None = None, words: str = "", style="") -> Said:
    """Return how many rows fulfil a condition; the rows that this is from are all of them."""
    many = pl.len() if condition is None else condition.fill_null(False).sum()
    return say(rows, many, words=words, style=style)


def span(
    rows: pl.DataFrame,
    value: str | pl.Expr,
    *,
    digits: int = 0,
    unit: float = 1.0,
    style: str = "",
    words: str = "",
) -> Said:
    """Return '1 to 3', or the one value that all rows have; a dash where none has one."""
    value = pl.col(value) if isinstance(value, str) else value
    low, high = (
        say(rows, end, digits=digits, unit=unit, style=style, words=words)
        for end in (value.min(), value.max())
    )
    if low == high:
        return phrase(HOLE, low, behind=[high])
    return phrase("{} to {}", low, high)


def list_of(rows: pl.DataFrame, column: str | pl.Expr, words: str = "") -> Said:
    """Return the values of a column in words (`markdown.listed`)."""
    value = pl.col(column) if isinstance(column, str) else column
    every = value.drop_nulls().unique().sort().implode()
    return say(rows, every, style="listed", words=words)


def given(setting: str, text: object, value: object = None) -> Said:
    """Return a setting in print.

    Args:
        setting: name of the parameter that it is, with a point before a part of it
            ('readings.fair_jfi').
        text: what is printed of it.
        value: the setting itself, where that is not what is printed: a share printed in %.
    """
    text = f"{text:g}" if isinstance(text, float) else str(text)
    return said(
        HOLE, [{"setting": setting, "value": text if value is None else value, "text": text}]
    )


def phrase(template: str, *parts: Said, behind: Sequence[Said] = ()) -> Said:
    """Return a text with {} for each part.

    Args:
        behind: what words follow from that name no value: 'never rises'.
    """
    inner = iter(parts)
    made = "".join(
        piece if piece != HOLE else next(inner).template for piece in re.split(r"(\{\})", template)
    )
    more = [value for part in parts for value in part.behind]
    more += [value for part in behind for value in (*part.values, *part.behind)]
    return said(made, [value for part in parts for value in part.values], more)


def joined(parts: Sequence[Said], between: str = ", ", last: str | None = None) -> Said:
    """Return parts with words between them: 'a, b and c' with ' and ' as the last."""
    holes = [HOLE] * len(parts)
    if last is not None and len(holes) > 1:
        return phrase(f"{between.join(holes[:-1])}{last}{HOLE}", *parts)
    return phrase(between.join(holes), *parts)


def leaves(tree: object, name: str = "") -> dict[str, object]:
    """Return {dotted name: text} of a tree of numbers."""
    if isinstance(tree, Mapping):
        found: dict[str, object] = {}
        for key, below in tree.items():
            found |= leaves(below, f"{name}.{key}".strip("."))
        return found
    return {name: tree}


def checked(name: str, text: object) -> dict:
    """Return the origin of a number: its text, the template, and the values of its holes.

    Raises:
        NoOrigin: nothing is behind it, or a digit stands between its holes.
    """
    is_nothing = isinstance(text, Said) and not re.search(r"\d", text)
    if not isinstance(text, Said) or not (text.values or text.behind or is_nothing):
        raise NoOrigin(
            f"{name}: {str(text)!r} comes from no row; make it with say, count, span or given"
        )
    if re.search(r"\d", NO_NUMBER.sub("", text.template)):
        raise NoOrigin(
            f"{name}: {text.template!r} has a digit between its holes; say the row or setting of it"
        )
    for value in (*text.values, *text.behind):
        if "setting" not in value and not value["tables"]:
            raise NoOrigin(
                f"{name}: the rows of {value['text']!r} have no tag; group_by and unpivot lose it, "
                "filter and join keep it"
            )
    of = {"text": str(text), "template": text.template, "values": [*map(in_short, text.values)]}
    return of | ({"behind": [*map(in_short, text.behind)]} if text.behind else {})


def _value(
    rows: pl.DataFrame, expression: pl.Expr, digits: int, unit: float, style: str, words: str
) -> dict:
    """Return a value of some rows: tables and rows, expression, the value, its text."""
    values = rows.select(expression.alias("value"))["value"].to_list()
    if any(repr(other) != repr(values[0]) for other in values[1:]):
        raise NoOrigin(f"{expression}: several values in {len(rows)} rows; say which")
    value = values[0] if values else None
    roots = list(dict.fromkeys(expression.meta.root_names()))
    is_column = len(roots) == 1 and expression.meta.eq(pl.col(roots[0]))
    of = {
        "tables": _tables(rows),
        "expression": None if is_column else expression.meta.serialize(format="json"),
        "columns": roots,
        **({} if is_column or value is None else _extreme(rows, expression)),
        "value": value,
        "text": in_print(value, digits, unit, style),
        "digits": digits,
        "unit": unit,
        "style": style,
        "words": words,
    }
    return {key: each for key, each in of.items() if each not in ("", None) or key == "value"}


def _extreme(rows: pl.DataFrame, expression: pl.Expr) -> dict:
    """Return which extreme an expression is, and at which rows of each table it is; or nothing.

    Between it and the value may be numbers and rounding: 100 * share.max().
    """
    while (kind := _kind(expression)) not in EXTREMES:
        inner = [each for each in expression.meta.pop() if not each.meta.is_literal()]
        if len(inner) != 1 or kind.startswith("Agg"):
            return {}
        [expression] = inner
    [of], asked = expression.meta.pop(), pl.lit(True)
    while _kind(of) == "Filter":
        condition, of = of.meta.pop()
        asked &= condition
    if rows.select(of).height != rows.height:  # of more or fewer values than there are rows
        return {}
    held = rows.filter(asked & (of == expression))
    return {"extreme": EXTREMES[kind], "at": _tables(held)} if len(held) else {}


def _kind(expression: pl.Expr) -> str:
    """Return what an expression does last: 'Filter', 'BinaryExpr', of an aggregation 'Agg Max'."""
    tree = json.loads(expression.meta.serialize(format="json"))
    kind, below = next(iter(tree.items())) if isinstance(tree, dict) else (tree, {})
    return f"{kind} {next(iter(below))}" if kind == "Agg" else kind


def _tables(rows: pl.DataFrame) -> dict[str, list[int]]:
    """Return the places of rows in each table that they are of; of tables put below each other
    those that have one of the rows."""
    places = {
        table_of(tag): rows[tag].drop_nulls().unique().sort().to_list() for tag in tags_of(rows)
    }
    return {name: at for name, at in places.items() if at or rows.is_empty()}


def in_print(value: object, digits: int = 0, unit: float = 1.0, style: str = "") -> str:
    """Return a value as `say` prints it."""
    if value is None:
        return NOTHING
    if isinstance(value, float) and unit != 1:
        value = value / unit
    return STYLES[style](value, digits)


def in_short(value: Mapping) -> dict:
    """Return a value with its rows as ranges, [first, last, ...], as files and pages hold them."""
    more = {key: value[key] for key in ("tables", "at") if value.get(key)}
    return {**value, **{key: {k: ranges(v) for k, v in of.items()} for key, of in more.items()}}


def ranges(places: Sequence[int]) -> list[int]:
    """Return sorted whole numbers as first, last, first, last, ... of those without a gap."""
    found: list[int] = []
    for place in places:
        if found and place == found[-1] + 1:
            found[-1] = place
        else:
            found += [place, place]
    return found


def places(pairs: Sequence[int]) -> list[int]:
    """Return what `ranges` was made of."""
    return [i for a, b in zip(pairs[::2], pairs[1::2], strict=True) for i in range(a, b + 1)]


def table_name(path: str) -> str:
    """Return what a table is called in origins: 'claim' of the paper, else 'data-set/run_metric'.

    A file that is no table of the workflow's has its path for a name.
    """
    if not path.endswith(".parquet"):
        return path
    *_, above, folder, name = ("", *Path(path).parts)[-3:]
    stem = name.removesuffix(".parquet")
    return stem if above == "papers" else f"{folder}/{stem}"


def path_of(table: str, derived: str, paper: str) -> str:
    """Return the file of a table by its name in origins (`table_name`)."""
    if Path(table.partition("#")[0]).suffix:
        return table
    folder = derived if "/" in table else f"{derived}/papers/{paper}"
    return f"{folder}/{table}.parquet"
