"""What the page of a data set without a run says: what its files are, and what would help."""

from __future__ import annotations

import polars as pl

from ...places import WHERE_DOCS
from ...render.element import Html, element, prose, table, together

EXAMPLES = 3  # paths of each kind that are shown
NO_SAMPLES = "it holds no sample of a flow's throughput"
HELP = [
    "the log of each flow's receiver, with a report for every second: `iperf -s -i 1 -e`, or "
    "`iperf3 -i 1 -J` (the sender's JSON has the receiver's totals only);",
    "of ns-2 a trace (`$ns trace-queue`, `$ns trace-all`), of ns-3 a FlowMonitor file or the "
    "traces `-next-rx.data`: windows, RTTs and queues alone do not say what a flow got;",
    "archives (zip, tar) unpacked;",
    "where a file is a log and was not recognised: its format in `dataset.yml`, under `files:` "
    "(`docs/reference/formats.md` lists what can be read, `docs/guides/adding-data.md` how to say "
    f"it; {WHERE_DOCS}).",
]


def nothing_read(ledger: pl.DataFrame) -> Html:
    """Return what the files of a data set are that gave no run, and what would help.

    Args:
        ledger: the table of the data set.
    """
    files = ledger.filter(entry="file")
    help_ = together(
        element("p", "What would help:"), element("ul", [element("li", prose(h)) for h in HELP])
    )
    if files.is_empty():
        return together(element("p", "The folder has no file."), help_)
    kinds = (
        files.with_columns(pl.col("reason").fill_null(NO_SAMPLES))
        .group_by("format", "reason", maintain_order=True)
        .agg(pl.len(), pl.col("path").head(EXAMPLES))
        .sort("len", "format", descending=[True, False], maintain_order=True)
    )
    rows = []
    for kind, reason, n, paths in kinds.rows():
        shown = [part for path in paths for part in (", ", element("code", path))][1:]
        rows.append([kind, reason, together(shown, ", …" if n > len(paths) else ""), f"{n:,}"])
    header = ["Taken for", "Why it gives no run", "For example", "Files"]
    words = f"None of the {len(files):,} files gives a run, so nothing was computed."
    if len(files) == 1:
        words = "The one file gives no run, so nothing was computed."
    return together(
        element("p", words), table(header, rows, numeric_from=3, label="Kinds of files"), help_
    )
