"""The data sets on the index: by platform, each with its runs, scenarios and a small picture."""

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
from .dataset import read_about

GROUPS = {"testbed": "Measured on a testbed", "ns2": "Simulated with ns-2", "": "Other data"}
BINS = 20
CLAUSE = re.compile(r"[;:]\s|(?<=[.])\s")  # ends what the index says of a source
HALF = 0.5  # the least index of two flows


class Entry(NamedTuple):
    """What the index says of a data set; texts are plain but for `code` in `source`.

    n_runs, n_scenarios, picture: null where its tables are not there.
    """

    title: str
    source: str
    html: str
    group: str = ""
    n_runs: int | None = None
    n_scenarios: int | None = None
    picture: str | None = None


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
    source = about.get("source") or "Nobody has said yet who measured this"
    source = as_sentence(CLAUSE.split(str(source).strip())[0])
    said = Entry(str(about.get("title", folder.name)), source, html)
    paths = [derived / folder.name / f"{table}.parquet" for table in ("run", "cell")]
    if not all(path.is_file() for path in paths):
        return said
    run, cell = (read_table(path) for path in paths)
    platform = next(iter(run["platform"].drop_nulls()), about.get("platform"))
    return said._replace(
        group=platform if platform in GROUPS else "",
        n_runs=len(run),
        n_scenarios=run["scenario_id"].n_unique(),
        picture=jain_histogram(cell.filter(metric="jfi")["mean"].drop_nulls()),
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


def shelf_markdown(entries: Iterable[Entry]) -> str:
    """Return the section on the data sets: a part for each platform that has any."""
    entries = list(entries)
    blocks = ["# Data sets"]
    for group, heading in GROUPS.items():
        inside = [entry for entry in entries if entry.group == group]
        if inside:
            blocks += [f"## {heading}", "::::: {.shelf}", *map(_card, inside), ":::::"]
    return "\n\n".join(blocks)


def _card(entry: Entry) -> str:
    lines = [f"### [{escape_markdown(entry.title)}](<{entry.html}>)"]
    lines += [entry.picture] if entry.picture else []
    if entry.n_runs is not None and entry.n_scenarios is not None:
        runs, scenarios = _several(entry.n_runs, "run"), _several(entry.n_scenarios, "scenario")
        lines.append(f"**{runs}** of {scenarios}")
    lines.append(f"[{escape_prose(entry.source)}]{{.source}}")
    return "::: {.card}\n" + "\n\n".join(lines) + "\n:::"


def _several(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
