"""Checks of traces of queues and of senders: whether they lead anywhere."""

from __future__ import annotations

import polars as pl

from ..formats.logs import CARRYING
from .finding import findings

NOT_TRACES = ["metadata", "ignore", "unknown", "unreadable", "left-out", "copy", "run-record"]


def runs_of_traces(run: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find runs of which no log has a sample: traces alone are known of them."""
    rows = run.join(sample, on="run_id", how="anti").sort("run_id")
    remedy = (
        "add the logs of its flows; or, if it is a part of another run, say so in a table runs.csv "
        "(columns path, run, flow), beside the lines of `files` under 'What was assumed'"
    )
    message = pl.lit("there are traces of queues or senders alone: it has state, and no throughput")
    return findings(rows, "run of traces alone", "note", message, remedy)


def data_both_ways(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find traces of ns-2 whose acknowledgements carry data (FullTcp), which no sample counts."""
    said = pl.col("reason").str.extract(rf"([\d,]+ {CARRYING}[^;:]*)")
    rows = ledger.filter(pl.col("entry") == "file").with_columns(said=said).drop_nulls("said")
    remedy = (
        "nothing if only one direction matters; otherwise give each direction a connection with a "
        "flow id of its own, and make the run again"
    )
    message = pl.format("data goes both ways: no table has {}", "said")
    return findings(rows.sort("path"), "data both ways", "warning", message, remedy)


def traces_of_nobody(ledger: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find files with samples that reach no table, as nothing says which run or flow they are of.

    Args:
        ledger: the table.
        stream: the parsed table, with the path of each log.
    """
    lost = stream.filter(pl.col("run_id").is_null()).select("path").unique(maintain_order=True)
    settled = (
        stream.filter(pl.col("run_id").is_not_null()).select("path").unique(maintain_order=True)
    )
    files = ledger.filter(
        pl.col("entry") == "file",
        pl.col("lines_sample") > 0,
        ~pl.col("format").is_in(NOT_TRACES),
        ~pl.col("format").str.starts_with("iperf"),  # refused connections are streams of no flow
    )
    homeless = files.filter(pl.col("run_id").is_null()).join(settled, on="path", how="anti")
    flowless = files.filter(pl.col("run_id").is_not_null()).join(lost, on="path", how="semi")
    remedy = (
        "say it in a table runs.csv (columns path, run, flow), beside the lines of `files` under "
        "'What was assumed': see docs/guides/adding-data.md"
    )
    n = pl.col("lines_sample")
    samples_belong = (
        pl.when(n == 1)
        .then(pl.lit("only sample belongs"))
        .otherwise(pl.format("{} samples belong", n))
    )
    return pl.concat(
        findings(
            rows.sort("path"),
            "trace without a flow",
            "warning",
            pl.format("nothing says which {} its {} to", pl.lit(what), samples_belong),
            remedy,
        )
        for rows, what in ((homeless, "run"), (flowless, "flow"))
    )
