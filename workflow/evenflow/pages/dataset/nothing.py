"""What the page of a data set without a run says: what its files are, and what would help."""

from __future__ import annotations

import polars as pl

from ...markdown import markdown_table
from ...render.pages import escape_markdown
from .parts import code

EXAMPLES = 3  # paths of each kind that are shown
NO_SAMPLES = "it holds no sample of a flow's throughput"
HELP = """What would help:

- the log of each flow's *receiver*, with a report for every second: `iperf -s -i 1 -e`, or
  `iperf3 -i 1 -J` (the sender's JSON has the receiver's totals only);
- of ns-2 a trace (`$ns trace-queue`, `$ns trace-all`), of ns-3 a FlowMonitor file or the traces
  `-next-rx.data`: windows, RTTs and queues alone do not say what a flow got;
- archives (zip, tar) unpacked;
- where a file is a log and was not recognised: its format in `dataset.yml`, under `files:`
  (`docs/reference/formats.md` lists what can be read, `docs/guides/adding-data.md` how to say it).
"""


def nothing_read(ledger: pl.DataFrame) -> str:
    """Return what the files of a data set are that gave no run, and what would help.

    Args:
        ledger: the table of the data set.
    """
    files = ledger.filter(entry="file")
    if files.is_empty():
        return f"The folder has no file.\n\n{HELP}"
    kinds = (
        files.with_columns(pl.col("reason").fill_null(NO_SAMPLES))
        .group_by("format", "reason", maintain_order=True)
        .agg(pl.len(), pl.col("path").head(EXAMPLES))
        .sort("len", "format", descending=[True, False], maintain_order=True)
    )
    rows = [
        [
            escape_markdown(kind),
            escape_markdown(reason),
            ", ".join(map(code, paths)) + (", ..." if n > len(paths) else ""),
            f"{n:,}",
        ]
        for kind, reason, n, paths in kinds.rows()
    ]
    header = ["Kind", "Why it gives no run", "For example", "Files"]
    table = markdown_table(header, rows, numeric_from=3)
    return (
        f"None of the {len(files):,} files gives a run, so nothing was computed.\n\n{table}\n\n"
        f"{HELP}"
    )
