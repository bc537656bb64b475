"""The data sets on the index: a table, by platform, that theme/index.js sorts by any column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ..markdown import number
from ..render import as_sentence, escape_markdown, escape_prose
from ..render.site import page_of_dataset
from ..scalars import scalar
from ..tables import read_table
from .campaign import Plan, days_of, percent_of
from .dataset import read_about

PLATFORMS = {"testbed": "Testbed", "ns2": "ns-2", "ns3": "ns-3", "": "other"}  # in their order
NONE = "–"
HEADS = ["Data set", "Platform", "Runs", "Scenarios", "Made", "Jain's index"]
PLANNED = "Of the plan"
BINS = 20
CLAUSE = re.compile(r"[;:]\s|(?<=[.])\s")  # ends what the index says of a source
HALF = 0.5  # the least index of two flows


class Entry(NamedTuple):
    """What the index says of a data set; texts are plain but for `code` in `source`.

    n_runs, n_scenarios, picture: null where its tables are not there. days: the first and the last
    on which runs were made, where they say it. plan: where a campaign has one.
    """

    title: str
    source: str
    html: str
    platform: str = ""
    n_runs: int | None = None
    n_scenarios: int | None = None
    picture: str | None = None
    days: tuple[str, str] | None = None
    plan: Plan | None = None


def entry_of(folder: Path, notes: Mapping[str, str], derived: Path) -> Entry:
    """Return what the index says of a data set.

    Args:
        folder: of its raw logs.
        notes: {link of a page that could not be made: what went wrong}.
        derived: the folder of the tables of all data sets.
    """
    html = page_of_dataset(folder.name)
    if html in notes:
        return Entry(folder.name, notes[html], html)
    about = read_about(folder / "dataset.yml")
    source = about.get("source") or "Who measured this is not stated"
    source = as_sentence(CLAUSE.split(str(source).strip())[0])
    said = Entry(str(about.get("title", folder.name)), source, html)
    paths = [derived / folder.name / f"{table}.parquet" for table in ("run", "cell")]
    if not all(path.is_file() for path in paths):
        return said
    run, cell = (read_table(path) for path in paths)
    platform = next(iter(run["platform"].drop_nulls()), about.get("platform"))
    return said._replace(
        platform=platform if platform in PLATFORMS else "",
        n_runs=len(run),
        n_scenarios=run["scenario_id"].n_unique(),
        picture=jain_histogram(cell.filter(metric="jfi")["mean"].drop_nulls()),
        days=days_of(run),
    )


def jain_histogram(jfi: pl.Series) -> str | None:
    """Return how Jain's index is spread over the scenarios of a data set, drawn in markdown.

    Args:
        jfi: the mean of each scenario; nothing is drawn of none.

    The axis begins at one half, the least that two flows can have, unless something is below.
    """
    if jfi.is_empty():
        return None
    low = HALF if (jfi >= HALF - 1e-9).all() else 0.0
    place = ((jfi - low) / (1 - low) * BINS).floor().cast(pl.Int64).clip(0, BINS - 1)
    count = [int((place == bin).sum()) for bin in range(BINS)]
    bars = "".join(f'[]{{style="height: {100 * n / max(count):.0f}%"}}' for n in count)
    words = f"Jain's index of {_several(len(jfi), 'scenario')}"
    low_high_median = (jfi.min(), jfi.max(), jfi.median())
    words += ": {} to {}, median {}".format(*(number(scalar(v), 2) for v in low_high_median))
    picture = f'[{bars}]{{.spread role="img" aria-label="{words}" title="{words}"}}'
    return f"{picture}\n[[{number(low, 1)}]{{}} [Jain's index]{{}} [{number(1, 1)}]{{}}]{{.axis}}"


def shelf_markdown(entries: Iterable[Entry], state: str = "") -> str:
    """Return the section on the data sets: a table, those of a platform together.

    Args:
        entries: of the data sets.
        state: how much of what is planned is there, in a sentence.
    """
    order = list(PLATFORMS)
    rows = sorted(entries, key=lambda entry: order.index(entry.platform))
    planned = any(entry.plan for entry in rows)
    heads = [*HEADS[:5], PLANNED, *HEADS[5:]] if planned else HEADS
    align = [":--", ":--", "--:", "--:", ":--", *(["--:"] if planned else []), ":--"]
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, align)]
    lines += ["| " + " | ".join(_row(entry, planned)) + " |" for entry in rows]
    blocks = ["# Data sets", escape_markdown(state) if state else ""]
    return "\n\n".join([*filter(None, blocks), "::: {.shelf}\n" + "\n".join(lines) + "\n:::"])


def _row(entry: Entry, planned: bool) -> list[str]:
    """Return the cells of a data set, in markdown."""
    title = f"[{escape_markdown(entry.title)}](<{entry.html}>)"
    counts = [NONE if n is None else f"{n:,}" for n in (entry.n_runs, entry.n_scenarios)]
    of_plan = [percent_of(entry.plan) if entry.plan else NONE] if planned else []
    made = NONE
    if entry.days:
        first, last = entry.days
        made = first if first == last else f"{first} to {last}"
    picture = (entry.picture or NONE).replace("\n", " ")
    source = " ".join(escape_prose(entry.source).split())
    platform = NONE if entry.n_runs is None else PLATFORMS[entry.platform]
    return [f"{title} [{source}]{{.source}}", platform, *counts, made, *of_plan, picture]


def _several(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
