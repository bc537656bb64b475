"""Which raw files a run was read from, and which of their lines the steady state came from."""

from __future__ import annotations

import polars as pl

from ..metrics.windows import in_window, steady_state

# what a log tells, by its format; the others have the reports of flows
KINDS = {
    "ns2-queue": "queue",
    "ns2-trace": "drops",
    "ns2-bins": "drops",
    "ns2-variable": "senders",
    "tcp-info": "senders",
    "run-record": "record",
    "host-state": "record",
}
AT_TIME = ["run_id", "path", "line", "t_s"]


def run_files(
    ledger: pl.DataFrame,
    samples: pl.DataFrame,
    runs: pl.DataFrame,
    windows: pl.DataFrame,
    events: list[pl.LazyFrame],
) -> pl.DataFrame:
    """Return a row a raw file of a run, with the lines that the run's values came from.

    Args:
        ledger, samples, runs, windows: tables of a data set; `samples` with path and line.
        events: the tables EVENTS, or such as have the columns AT_TIME: t_s tells what lies in the
            window.

    Returns:
        run_id, path, sha256, format, lines (of the decompressed file, from 1), first_line and
        last_line of the steady state, n_used lines between them that are in it. Of a file whose
        lines have no time of their own (settings, the record of the run) the lines are all of it
        and n_used is null. A file that gave nothing to a table in the window has n_used 0 and no
        lines.
    """
    files = ledger.filter(pl.col("entry") == "file", pl.col("run_id").is_not_null())
    files = files.select("run_id", "path", "sha256", "format", "lines")
    window = in_window(runs.select("run_id"), windows)
    used = [steady_state(samples, window).select("run_id", "path", "line")]
    timed = [samples.select("run_id", "path").unique(maintain_order=True)]
    inside = pl.col("t_s").is_between(
        pl.col("warmup_s"), pl.col("end_s").fill_null(float("inf")), closed="both"
    )
    for table in events:
        kept = table.select(AT_TIME).join(window.lazy(), on="run_id").filter(inside)
        used.append(kept.select("run_id", "path", "line").collect())
        timed.append(table.select("run_id", "path").unique().sort("run_id", "path").collect())
    spans = (
        pl.concat(used)
        .group_by("run_id", "path", maintain_order=True)
        .agg(
            pl.col("line").min().alias("first_line"),
            pl.col("line").max().alias("last_line"),
            pl.col("line").n_unique().cast(pl.Int64).alias("n_used"),
        )
    )
    of_time = pl.concat(timed).unique(maintain_order=True).with_columns(pl.lit(True).alias("timed"))
    whole = pl.col("timed").is_null() & (pl.col("lines") > 0)
    return (
        files.join(spans, on=["run_id", "path"], how="left")
        .join(of_time, on=["run_id", "path"], how="left")
        .with_columns(
            pl.when(whole).then(1).otherwise("first_line").cast(pl.Int64).alias("first_line"),
            pl.when(whole).then("lines").otherwise("last_line").cast(pl.Int64).alias("last_line"),
            pl.when(pl.col("timed")).then(pl.col("n_used").fill_null(0)).alias("n_used"),
        )
        .drop("timed")
        .sort("run_id", "path")
    )
