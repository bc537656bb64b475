"""Where the numbers of a report's text come from: the tables and rows behind each variable.

A variable's name says what it is of (`summary.testbed.comparison.jfi.newreno_bic.mean`); a pattern
turns the name into tables and the rows of them. Patterns are tried in order; a number that none
fits comes from all tables that its rule read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

WORD = r"(?P<{}>[^.]+)"
CONFIG, PUBLISHED = "config", "published.csv"  # files, in the place of a table


@dataclass(frozen=True)
class Rows:
    """A table and the columns whose values the name of a variable gives.

    `of_part`: it is a table of the data set that plays the part named, or of all that play.
    `said`: columns whose values other variables of the report say, column -> variable.
    `beside`: further parts whose runs are behind the rows of the part named.
    `runs`: what the runs behind the rows have in common, column of `run` -> value.
    """

    table: str
    columns: tuple[str, ...] = ()
    of_part: bool = False
    fixed: Mapping[str, str] = field(default_factory=dict)
    said: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    runs: Mapping[str, str] = field(default_factory=dict)


def table(name: str, *columns: str, **fixed: str) -> Rows:
    """Return rows of a table of the paper."""
    return Rows(name, columns, fixed=fixed)


def of_data(*names: str) -> list[Rows]:
    """Return tables of the data set that plays a part."""
    return [Rows(name, of_part=True) for name in names]


@dataclass(frozen=True)
class Origin:
    """Where a number comes from: the pattern, what it makes of the name, and the rows."""

    pattern: str
    named: Mapping[str, str]
    rows: list[Rows]

    def where(self, rows: Rows, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the values of columns that select the rows; pairings as the tables write them.

        texts: the report's variables.
        """
        found = {name: self.named[name] for name in rows.columns}
        for name in ("ccas", "what"):
            if name in found:
                found[name] = found[name].replace("_", "-")
        said = {column: texts[name.format(**self.named)] for column, name in rows.said.items()}
        return found | dict(rows.fixed) | said


def origin_of(variable: str, origins: Mapping[str, list[Rows]]) -> Origin | None:
    """Return where a variable of a report comes from, by {pattern: rows}; None where none fits."""
    for pattern, rows in origins.items():
        if found := _expression(pattern).fullmatch(variable):
            return Origin(pattern, found.groupdict(), rows)
    return None


def _expression(pattern: str) -> re.Pattern:
    parts = []
    for part in pattern.split("."):
        if part == "*":
            parts.append(r".+")
        elif part.startswith("{"):
            parts.append(WORD.format(part[1:-1]))
        else:
            parts.append(re.escape(part))
    return re.compile(r"\.".join(parts))
