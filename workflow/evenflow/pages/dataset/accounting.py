"""Where every byte of a data set went, and its tables to download."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ...markdown import NOTHING, ledger_table, markdown_table
from ...render.pages import escape_markdown
from ...table_names import OF_SAMPLES
from .parts import MANY_ROWS, code, folded

ABOUT_TABLES = {
    "run": "runs and their settings",
    "flow": "flows of the runs",
    "sample": "report intervals, with file and line",
    "queue_sample": "the bottleneck's queue",
    "packet_drop": "dropped packets",
    "tcp_state": "variables of the senders",
    "window": "the steady state of each run",
    "weight": "what a congestion control gets against its like",
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


def ledger(table: pl.DataFrame) -> str:
    """Return where the bytes of the raw files went, and which lines could not be read."""
    parts = [
        "Every byte of every raw file is accounted for: as a sample, a header, a summary of "
        "samples, skipped for a reason, or rejected.",
        ledger_table(table),
    ]
    lines = table.filter(entry="line")
    if len(lines):
        rows = [
            [
                code(f"{row['path']}:{row['line']}"),
                escape_markdown(row["reason"] or NOTHING),
                code((row["text"] or "")[:80]),
            ]
            for row in lines.head(MANY_ROWS).rows(named=True)
        ]
        title = f"Rejected lines: {len(lines):,}" + (f", the first {MANY_ROWS}" * (len(lines) > 40))
        parts.append(folded(["Where", "Why", "Line"], rows, 3, title, 0))
    left = table.filter(pl.col("format").is_in(["left-out", "unreadable"]), entry="file")
    if len(left):
        rows = [
            [code(row["path"]), escape_markdown(row["reason"] or NOTHING)]
            for row in left.head(MANY_ROWS).rows(named=True)
        ]
        parts.append(folded(["File", "Why"], rows, 2, f"Files left out: {len(left):,}", 0))
    return "\n\n".join(parts)


def downloads(files: Mapping[str, Mapping[str, Path]]) -> str:
    """Return the links to the tables beside the page."""
    rows = []
    for table, paths in files.items():
        links = [
            f"[{path.name}](<tables/{path.name}>) ({_size(path.stat().st_size)})"
            for path in (paths["parquet"], paths["csv"])
        ]
        rows.append([code(table), ABOUT_TABLES.get(table, ""), *links])
    text = (
        "The columns, with units, are in `docs/reference/data-model.md`. Units are SI: bit/s, "
        "bytes, seconds."
    )
    table = markdown_table(["Table", "Holds", "Parquet", "CSV"], rows, numeric_from=4)
    return f"{text}\n\n{table}\n\n{_on_demand(files)}"


def _on_demand(files: Mapping[str, Mapping[str, Path]]) -> str:
    """Say how to get the tables that are not next to the page: those of a data set in parts."""
    names = [name for name in OF_SAMPLES if "run" in files and name not in files]
    if not names:
        return ""
    first = files["run"]["parquet"].with_name(f"{names[0]}.parquet").as_posix()
    return (
        f"The tables {', '.join(map(code, names))} are large: this data set was read in parts. "
        f"{code(f'snakemake --cores all {first}')} puts one of them together, with its CSV."
    )


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{max(n_bytes, 100) / 1e3:.1f} kB"
