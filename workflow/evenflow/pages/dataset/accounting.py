"""Where every byte of a data set went, and its tables to download."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import polars as pl

from ...markdown import NOTHING
from ...places import WHERE_DOCS
from ...render.element import Html, element, folded, prose, table, together
from ...table_names import OF_SAMPLES
from .parts import size_in_words

ABOUT_TABLES = {
    "run": "runs and their settings",
    "flow": "flows of the runs",
    "sample": "report intervals, with file and line",
    "queue_sample": "the bottleneck's queue",
    "packet_drop": "dropped packets",
    "tcp_state": "variables of the senders",
    "window": "the steady state of each run",
    "weight": "what a congestion control gets against itself",
    "flow_metric": "means and NRU of the flows",
    "run_metric": "Jain's index, ratio, NRU, utilisation of the runs",
    "cell": "means and intervals of the scenarios",
    "finding": "what the sanity checks found",
    "assumption": "what is assumed",
    "ledger": "where every byte of the raw files went",
    # of a comparison
    "cell_match": "which cells either data set has, and which are compared",
    "difference": "how the cells that are compared differ, and what the tests say",
    "verdict_sensitivity": "the same with other starts of the steady state",
}
FATES = ["sample", "header", "summary", "skipped", "rejected"]
MANY_ROWS = 40
UNITS = (
    f"The columns, with units, are in `docs/reference/data-model.md` ({WHERE_DOCS}). Units are SI: "
    "bit/s, bytes, seconds."
)


def ledger(entries: pl.DataFrame) -> Html:
    """Return where the bytes of the raw files went, and which lines could not be read."""
    words = (
        "Every byte of every raw file is accounted for: as a sample, a header, a summary of "
        "samples, skipped for a reason, or rejected."
    )
    parts = [element("p", words), _sums(entries)]
    lines = entries.filter(entry="line")
    if len(lines):
        rows = [
            [
                element("code", f"{row['path']}:{row['line']}"),
                row["reason"] or NOTHING,
                element("code", (row["text"] or "")[:80]),
            ]
            for row in lines.head(MANY_ROWS).rows(named=True)
        ]
        title = f"Rejected lines: {_of(len(lines))}"
        shown = table(["Where", "Why", "Line"], rows, label="Rejected lines")
        parts.append(folded(title, shown))
    left = entries.filter(pl.col("format").is_in(["left-out", "unreadable"]), entry="file")
    if len(left):
        rows = [
            [element("code", row["path"]), row["reason"] or NOTHING]
            for row in left.head(MANY_ROWS).rows(named=True)
        ]
        title = f"Files left out: {_of(len(left))}"
        parts.append(folded(title, table(["File", "Why"], rows, label="Files left out")))
    return together(parts)


def _of(n: int) -> str:
    return f"{n:,}" + (f", the first {MANY_ROWS}" if n > MANY_ROWS else "")


def _sums(entries: pl.DataFrame) -> Html:
    """Return the sums by format: files, bytes and lines by fate."""
    sums = (
        entries.filter(entry="file")
        .group_by("format")
        .agg(
            pl.len(),
            pl.col("bytes", "lines").sum(),
            *(pl.col(f"lines_{fate}").sum() for fate in FATES),
        )
        .sort("format")
    )
    rows = [
        [element("code", kind), *(f"{value:,}" for value in values)]
        for kind, *values in sums.rows()
    ]
    header = ["Format", "Files", "Bytes on disk", "Lines", *(f"{fate} lines" for fate in FATES)]
    return table(header, rows, numeric_from=1, label="Lines by fate")


def downloads(files: Mapping[str, Mapping[str, Path]]) -> Html:
    """Return the links to the tables beside the page."""
    rows = [
        [element("code", name), ABOUT_TABLES.get(name, ""), *map(_link, _both(paths))]
        for name, paths in files.items()
    ]
    shown = table(["Table", "Holds", "Parquet", "CSV"], rows, label="Tables to download")
    return together(element("p", prose(UNITS)), shown, _on_demand(files))


def _both(paths: Mapping[str, Path]) -> tuple[Path, Path]:
    return paths["parquet"], paths["csv"]


def _link(path: Path) -> Html:
    link = element("a", path.name, href=f"tables/{quote(path.name)}")
    return together(link, f" ({size_in_words(path.stat().st_size)})")


def _on_demand(files: Mapping[str, Mapping[str, Path]]) -> Html:
    """Say how to get the tables that are not next to the page: those of a data set in chunks."""
    names = [name for name in OF_SAMPLES if "run" in files and name not in files]
    if not names:
        return Html("")
    first = files["run"]["parquet"].with_name(f"{names[0]}.parquet").as_posix()
    listed = ", ".join(f"`{name}`" for name in names)
    words = (
        f"The tables {listed} are large: this data set was read in chunks. "
        f"`snakemake --cores all {shlex.quote(first)}` puts one of them together, with its CSV."
    )
    return element("p", prose(words))
