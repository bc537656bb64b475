"""Paths with placeholders, as 'rtt{rtt_ms}/flow{flow}.log': what matches, and whose run it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping
from functools import lru_cache

from .known_settings import ENDS, LABEL, NUMBERS, REPETITIONS

MANY_PLACEHOLDERS, LONG_PATH = 4, 60
PACKED = re.compile(r"\.(gz|xz|zst|bz2)$", re.IGNORECASE)
MARKS = {"*": "\1", "{": "\2", "}": "\3"}  # of characters meant literally: no path has these


def path_pattern(template: str, globs: bool = False) -> re.Pattern:
    """Turn 'rtt{rtt_ms}/flow{flow}.log' into a regular expression with named groups.

    Placeholders of numeric settings match numbers only; others match within one path segment.

    Args:
        template: a path with placeholders.
        globs: '*' stands for any text within one path segment, '**/' for any folders; '[*]',
            '[{]' and '[}]' for the characters themselves.
    """
    for character, mark in MARKS.items() if globs else ():
        template = template.replace(f"[{character}]", mark)
    pieces, seen = [], set()
    for literal, name in re.findall(r"([^{}]*)(?:\{(\w+)\})?", template):
        pieces.append(_globbed(literal) if globs else re.escape(literal))
        if name in seen:
            pieces.append(f"(?P={name})")
        elif name:
            seen.add(name)
            value = r"[0-9]+(?:\.[0-9]+)?" if name in NUMBERS else r"[^/]+?"
            pieces.append(f"(?P<{name}>{value})")
    return re.compile("".join(pieces))


def matches(pattern: re.Pattern, paths: Collection[str]) -> dict[str, re.Match]:
    """Return the matches of those paths that fit a pattern (`path_pattern`).

    Many placeholders in one name have as many ways to share a long name as there are to cut it:
    names that cannot fit are found out by a matcher that does not try them all.
    """
    hopeless: set[str] = set()
    if pattern.groups > MANY_PLACEHOLDERS:
        import polars as pl  # here: the Snakefile, which reads names of data sets, needs none

        long = pl.Series([path for path in paths if len(path) > LONG_PATH], dtype=pl.String)
        simple = re.sub(r"\(\?P=\w+\)", "[^/]+", pattern.pattern)
        hopeless.update(long.filter(~long.str.contains(f"^(?:{simple})$")))
    found = ((path, pattern.fullmatch(path)) for path in paths if path not in hopeless)
    return {path: match for path, match in found if match}


def _globbed(literal: str) -> str:
    kinds = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    parts = re.split(r"(\*\*/|\*\*|\*)", re.sub(r"\*{3,}", "**", literal))
    found = ""
    for i, part in enumerate(parts):
        if part == "*" and parts[i + 2 : i + 3] in (["*"], ["**"]):
            # the first place where the text up to the next star fits will do: no other is tried
            parts[i + 1], text = "", parts[i + 1]
            found += f"(?>[^/]*?{re.escape(text)})"
        else:
            found += kinds.get(part) or re.escape(part)
    for character, mark in MARKS.items():
        found = found.replace(re.escape(mark), re.escape(character))
    return found


def run_of_path(template: str, values: dict[str, str], of_flow: Collection[str]) -> str:
    """Return the id of the run that a file belongs to, as its path says it.

    Args:
        template: the pattern that the path matches.
        values: what its placeholders stand for.
        of_flow: placeholders that are of the one flow (`cca_of_flow`, `own_settings_of_flows`).
    """
    ends = tuple(k for k in values if ENDS.fullmatch(k) or k in of_flow)
    whole = re.sub(r"\*+", "*", filled(template, {**values, **dict.fromkeys(ends, "*")}))
    return run_path(template, values, ends) or whole


def scenario_of_path(
    template: str, values: dict[str, str], of_flow: Collection[str], over: Container[str] = ()
) -> str:
    """Return the id of the scenario that a file belongs to; empty where its path says none.

    However the file is packed.

    Args:
        template, values, of_flow: as for `run_of_path`.
        over: placeholders that tell repeats apart, as dataset.yml says (`pool_over`).
    """
    without = tuple(
        k
        for k in values
        if ENDS.fullmatch(k) or LABEL.fullmatch(k) or k in REPETITIONS or k in over or k in of_flow
    )
    return PACKED.sub("", run_path(template, values, without))


def run_path(template: str, values: dict[str, str], without: tuple[str, ...]) -> str:
    """Fill a path template, '*' for the placeholders in `without`, and drop trailing segments
    that hold no other placeholder: what is left names the run (or the scenario)."""
    path = filled(_telling(template, without), {**values, **dict.fromkeys(without, "*")})
    return re.sub(r"\*+", "*", path)


@lru_cache(maxsize=2**14)
def _telling(template: str, without: tuple[str, ...]) -> str:
    """Return a path template up to its last segment with a placeholder that is not `without`."""
    segments = template.split("/")
    while segments and not set(re.findall(r"\{(\w+)\}", segments[-1])) - set(without):
        segments.pop()
    return "/".join(segments)


def renamed(template: str, names: Mapping[str, str]) -> str:
    """Return a path template in which some placeholders have other names."""
    return re.sub(r"\{(\w+)\}", lambda match: f"{{{names.get(match[1], match[1])}}}", template)


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return a path template with values for its placeholders."""
    return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], template)
