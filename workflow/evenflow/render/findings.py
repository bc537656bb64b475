"""Findings: sentences that are bound to claims, `[sentence]{.finding claim="x" is="reproduced"}`.

The outcome that a sentence was written for is compared with the one in the paper's table `claim`.
Where they differ, the sentence is marked on the page with today's outcome. A claim on what is not
steady says in its sentence that flows have not converged (`words.NOT_CONVERGED`): where it does
not, 'a transient' is put behind it. The marks are resolved in the text, before either renderer sees
it; docs/guides/writing-a-paper.md says how to write them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ..claims.judge import folded
from ..claims.words import TRANSIENT, evidence, says_transient
from ..errors import did_you_mean
from ..statistics.outcomes import DECIDED, MIXED, OUTCOMES
from ..tables import read_table

FINDING = r"\.finding(?![\w-])"
MARK = re.compile(rf"\]\{{(?P<marks>[^{{}}]*{FINDING}[^{{}}]*)\}}")
WHOLE = re.compile(r'\s*\.finding(?:\s+[a-z]+="[^"]*")*\s*')
PAIR = re.compile(r'([a-z]+)="([^"]*)"')
KEYS = ("claim", "is", "on", "case")
# a class that is misspelt would leave a sentence bound to nothing
LIKE_A_MARK = re.compile(rf'{FINDING}|\{{[^{{}}]*\bclaim="')
NOT_TEXT = re.compile(r"`[^`]*`|(?<!\\)\$[^$]+\$|\\.")  # brackets there are no span's
MARKUP = re.compile(r"\{[^{}]*\}|[\[\]*]")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|@$~^\"'])")
FORM = '[sentence]{.finding claim="..." is="..."}, on one line, with on= and case= where needed'
TITLES = ("title", "subtitle")
SHOWN = "subject on the page"
MOST = 6  # estimates that the page names of a claim


class Lost(NamedTuple):
    """A finding that the data do not support: where it is written, for what, and what is today."""

    where: str
    sentence: str
    written_for: str
    now: str

    def __str__(self) -> str:
        return f"{self.where}: '{self.sentence}' was written for {self.written_for}. Now {self.now}"


class _Wrong(ValueError):
    """A mark that means nothing; its message says what to do."""


def read_claims(
    path: Path | None, of_part: Mapping[str, str] | None = None
) -> dict[str, pl.DataFrame]:
    """Return {claim: its rows} of a table `claim`; nothing for a paper without one.

    Args:
        path: of the table.
        of_part: {subject: its data set}, which the page names, of those that are one.
    """
    if path is None:
        return {}
    shown = pl.col("subject").replace(dict(of_part or {})).alias(SHOWN)
    table = read_table(path).with_columns(shown)
    parts = table.partition_by("claim", as_dict=True, maintain_order=True)
    return {key: rows for (key,), rows in parts.items()}


def bind_findings(
    line: str,
    claims: Mapping[str, pl.DataFrame],
    where: str,
    problems: list[str],
    lost: list[Lost],
    key: str = "",
) -> str:
    """Return a line with its findings bound: what supports them, or that nothing does.

    Args:
        line: with its variables replaced.
        claims: result of `read_claims`.
        where: file and line number.
        problems: gets what is wrong with the marks.
        lost: gets the findings that the claims do not support.
        key: of the YAML header, if the line is one of its value.
    """
    text = NOT_TEXT.sub(lambda found: " " * len(found[0]), line)
    if not LIKE_A_MARK.search(text):
        return line
    parts, done = [], 0
    for mark in MARK.finditer(text):
        try:
            if key and not line[:1].isspace():
                raise _Wrong(f"write '{key}: >-', and its text indented on the line below")
            sentence = line[_opening(text, mark.start()) + 1 : mark.start()]
            plain = " ".join(MARKUP.sub("", sentence).split())
            short = key in TITLES or line.startswith("#")
            said = says_transient(_sentence_around(text, mark.start()))
            new, found = _bound(mark["marks"], claims, short, of_transient_said=said)
            lost += [Lost(where, plain, *found)] if found else []
        except _Wrong as error:
            problems.append(f"{where}: {error}")
            new = line[mark.start() : mark.end()]
        parts += [line[done : mark.start()], new]
        done = mark.end()
    if LIKE_A_MARK.search(MARK.sub("", text)):
        problems.append(f"{where}: a finding is {FORM}")
    return "".join([*parts, line[done:]])


def _opening(text: str, closing: int) -> int:
    """Return where the bracket opens that is closed at a place."""
    depth = 0
    for place in range(closing, -1, -1):
        depth += {"]": 1, "[": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise _Wrong(f"no bracket opens this finding; it is {FORM}")


def _sentence_around(text: str, place: int) -> str:
    """Return the sentence of a line that a place is in."""
    before = text[:place]
    start = max(before.rfind(end) for end in (". ", "? ", "; ")) + 1
    after = re.search(r"[.?;](?=\s|$)", text[place:])
    return text[start : place + after.start() if after else len(text)]


def _bound(
    marks: str, claims: Mapping[str, pl.DataFrame], short: bool, *, of_transient_said: bool = False
) -> tuple[str, tuple[str, str] | None]:
    """Return what takes the place of a mark, its closing bracket included; what it was written for
    and what is now, where these are not the same.

    Args:
        marks: what is in its braces.
        short: whether the page has no room for evidence, as in a heading.
        of_transient_said: whether the sentence says what it is of, if it is of a transient.
    """
    pairs = _pairs(marks)
    judged = _judged(pairs, claims)
    words = "; ".join(said for _, said, _ in judged)
    title = f'title="{_attribute(words)}"'
    of_transient = any(transient for *_, transient in judged) and not of_transient_said
    behind = f" (a {TRANSIENT})" if of_transient else ""
    if all(outcome == pairs["is"] for outcome, *_ in judged):
        return f"]{{.finding {title}}}{behind}", None
    now = ", ".join(dict.fromkeys(outcome for outcome, *_ in judged))
    of = [f"{key}={pairs[key]}" for key in ("on", "case") if key in pairs]
    written_for = " ".join([pairs["claim"], "=", pairs["is"], *of])
    note = SPECIAL.sub(r"\\\1", f"it was written for {pairs['is']}. Now {words}")
    note = "" if short else f": {note}"
    # `mark` is an element of HTML, and typst's highlight
    marked = f"]{{.mark .finding .lost {title}}} [(**no longer supported**{note})]{{.finding-note}}"
    return marked, (written_for, f"{now} ({words})")


def _pairs(marks: str) -> dict[str, str]:
    """Return what a mark says."""
    found = PAIR.findall(marks)
    pairs = dict(found)
    for key in pairs:
        if key not in KEYS:
            raise _Wrong(f"a finding has no {key!r} ({did_you_mean(key, KEYS)})")
    if not WHOLE.fullmatch(marks) or len(pairs) < len(found) or not pairs.get("claim"):
        raise _Wrong(f"a finding is {FORM}")
    if pairs.get("is") not in OUTCOMES:
        said = did_you_mean(pairs.get("is", ""), OUTCOMES)
        raise _Wrong(f"a finding cannot be {pairs.get('is', '')!r} ({said})")
    return pairs


def _judged(
    pairs: Mapping[str, str], claims: Mapping[str, pl.DataFrame]
) -> list[tuple[str, str, bool]]:
    """Return outcome, evidence and whether it is of a transient, of each claim and subject."""
    judged = []
    for key in pairs["claim"].split():
        if key not in claims:
            said = did_you_mean(key, claims) if claims else "the paper has no table `claim`"
            raise _Wrong(f"there is no claim {key!r} ({said})")
        rows = _chosen(claims[key], "subject", pairs.get("on"), f"claim {key} is not on")
        rows = _chosen(rows, "case", pairs.get("case"), f"claim {key} has no case")
        for (subject,), of_subject in rows.group_by(SHOWN, maintain_order=True):
            outcome = folded(of_subject)
            said = f"{of_subject['statistic'][0]}, {subject}: {outcome}"
            transient = outcome in (*DECIDED, MIXED) and bool(of_subject["transient"].any())
            judged.append((outcome, said + evidence(of_subject, MOST), transient))
    return judged


def _chosen(rows: pl.DataFrame, column: str, value: str | None, wrong: str) -> pl.DataFrame:
    if value is None:
        return rows
    found = rows.filter(pl.col(column) == value)
    if found.is_empty():
        raise _Wrong(f"{wrong} {value!r} ({did_you_mean(value, set(rows[column]))})")
    return found


def _attribute(text: str) -> str:
    """Return text as the value of an attribute in markdown, which may be in a table's cell."""
    escaped = text.replace("\\", "\\\\").replace("&", "&amp;").replace('"', "&quot;")
    return escaped.replace("|", "&#124;").replace("`", "'")
