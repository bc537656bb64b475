"""Lines for dataset.yml and runs.csv that an assumption offers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..markdown import first_of
from .described.patterns import path_pattern
from .entities import Entry

MAX_VALUES = 6  # of a factor that are shown


def own_numbers(keys: Iterable[str]) -> str:
    """Return the line, as a comment, that gives settings to all runs, with examples of numbers."""
    example = {"bottleneck_mbps": 100, "rtt_ms": 40, "buffer_pct": 100}
    numbers = ", ".join(f"{key}: {example[key]}" for key in keys)
    return f"# with your own numbers:\n# defaults: {{{numbers}}}"


def some_of(texts: Iterable[str]) -> str:
    return first_of(list(dict.fromkeys(texts)), MAX_VALUES)


def table_of(key: str, values: Mapping[Any, str | float], head: str) -> str:
    """Return lines, as comments, of a table runs.csv with a setting of each run."""
    shown = {run: v if isinstance(v, str) else f"{v:.12g}" for run, v in values.items()}
    table = [f"    {csv_line(row)}" for row in sorted(shown.items(), key=str)]
    lines = [head, "runs: runs.csv", "runs.csv:", f"    run,{key}", *table]
    return "\n".join(f"# {line}" for line in lines)


def patterns_of(logs: list[Entry]) -> list[str]:
    """Return the templates of logs in an order in which each log's own is the first that matches.

    Empty where the order tried, by the length of what is no placeholder, is none such.
    """
    templates = sorted({e.template for e in logs}, key=lambda t: (-len(_plain(t)), t))
    patterns = [(template, path_pattern(template)) for template in templates]
    for entry in logs:
        found = ((t, p.fullmatch(entry.path)) for t, p in patterns)
        first = next(((t, m.groupdict()) for t, m in found if m), None)
        if first != (entry.template, entry.values):
            return []
    return templates


def _plain(template: str) -> str:
    return re.sub(r"\{\w+\}", "", template)


def csv_line(values: Iterable) -> str:
    """Return a line of a CSV file; None is left empty."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow("" if v is None else v for v in values)
    return line.getvalue()
