"""Checks of the times in logs of senders' state (`ss`, tcp_probe), against the flow's own."""

from __future__ import annotations

import polars as pl

from ..formats import ss
from ..ingest.traces import OF_CONNECTIONS
from ..metrics.fairness import FLOW
from .finding import apart, findings, fixed

LOG = [*FLOW, "path"]
TIMES = {
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "path": pl.String,
    "format": pl.String,
    "line": pl.Int64,
    "t_s": pl.Float64,  # on the run's clock
}
BACK_S = 0.1  # that lines of several processors may be in disorder by
JUMP_STEPS, JUMP_S = 2, 1.0  # a gap of more than both is a jump of the clock
LONGER, LONGER_S = 0.25, 2.0  # than the flow: a connection may end later than the test's report


def watching_times(ledger: pl.DataFrame, state: pl.LazyFrame) -> pl.DataFrame:
    """Return when logs of connections show the state of a flow, in the order of their lines.

    Args:
        ledger: the table.
        state: the table tcp_state.

    Returns:
        TIMES, a row a line.
    """
    files = ledger.filter(pl.col("entry") == "file", pl.col("format").is_in(OF_CONNECTIONS))
    files = files.select(pl.col("path").cast(pl.String), "format").unique(maintain_order=True)
    if files.is_empty():  # of simulations, whose traces are long
        return pl.DataFrame(schema=TIMES)
    words = pl.col("run_id", "path").cast(pl.String)
    return (
        state.select(words, "flow_id", "line", "t_s")
        .filter(pl.col("path").is_in(files["path"].implode()))
        .unique()
        .sort(*LOG, "line")
        .collect()
        .join(files, on="path", maintain_order="left")
        .select(pl.col(name).cast(kind) for name, kind in TIMES.items())
    )


def watching_findings(times: pl.DataFrame, sample: pl.DataFrame) -> list[pl.DataFrame]:
    """Find logs of state whose clock jumps, or that last longer than their flow."""
    return [*_clock_jumps(times), _longer_than_flows(times, sample)]


def _clock_jumps(times: pl.DataFrame) -> list[pl.DataFrame]:
    """Find logs whose clock goes back, and polls that are far from the one before."""
    steps = times.with_columns(
        before_s=pl.col("t_s").shift().over(LOG), step_s=pl.col("t_s").diff().over(LOG)
    )
    back = steps.filter(pl.col("step_s") < -BACK_S)
    usual_s = JUMP_STEPS * pl.col("step_s").median().over(LOG)
    ahead = steps.filter(
        pl.col("format") == ss.NAME, pl.col("step_s") > usual_s, pl.col("step_s") > JUMP_S
    )
    backward = pl.format(
        "the clock of the senders' state goes back from {} to {} s (times that it does: {}): what "
        "it shows from there on is too early by as much",
        fixed("before_s", 3),
        fixed("t_s", 3),
        "n",
    )
    forward = pl.format(
        "no state of the sender is shown from {} to {} s; such gaps: {}, together {} s",
        fixed("before_s", 3),
        fixed("t_s", 3),
        "n",
        fixed("sum_s"),
    )
    correct = (
        "use the state before that time alone, or leave the log out (`format: ignore`); let the "
        "clock of the host run free of steps during a test (chrony or ntpd that slews)"
    )
    look = "check whether the recorder paused or the host's clock was set; else measure again"
    return [
        findings(_of_log(back), "clock jump", "error", backward, correct),
        findings(_of_log(ahead), "clock jump", "warning", forward, look),
    ]


def _of_log(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each log and flow, how many it has (n), and the sum of the steps."""
    return rows.group_by(LOG, maintain_order=True).agg(
        pl.len().alias("n"),
        pl.col("step_s").sum().alias("sum_s"),
        pl.col("line", "before_s", "t_s").first(),
    )


def _longer_than_flows(times: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find logs of state that go on long after the last report of their flow."""
    reported = sample.select(pl.col("run_id").cast(pl.String), "flow_id", "t_start_s", "t_end_s")
    flows = reported.group_by(FLOW, maintain_order=True).agg(
        begun_s=pl.min("t_start_s"), end_s=pl.max("t_end_s")
    )
    lasting = times.group_by(LOG, maintain_order=True).agg(last_s=pl.max("t_s"))
    rows = lasting.join(flows, on=FLOW, maintain_order="left").filter(
        pl.col("last_s") - pl.col("end_s") > LONGER_S,
        pl.col("last_s") - pl.col("end_s") > LONGER * (pl.col("end_s") - pl.col("begun_s")),
    )
    message = pl.format(
        "the state of the sender goes on until {} s, but the flow's last report ends at {} s: the "
        "times of the state are wrong, or its connection is not the flow's alone",
        *apart("last_s", "end_s"),
    )
    remedy = (
        "record the time of each block (`date +%s.%N; ss -tin`); or leave the log out "
        "(`format: ignore`). It is right if the log of the flow broke off"
    )
    return findings(rows, "state longer than its flow", "warning", message, remedy)
