"""Checks of what a log says of itself: its end, its congestion control, its sums."""

from __future__ import annotations

import polars as pl

from ..congestion_controls import usual_name
from ..metrics.fairness import FLOW
from .finding import apart, findings, fixed

SIDES_DIFFER, SUM_DIFFERS = 0.02, 0.01  # client against server; intervals against the final report
ERROR_SAID = r"an error of iperf3: ([^;]*)"  # in the reason of a log in the ledger
END_WITH_A_REPORT = ("iperf3", "iperf3-json")  # unless the test broke off; others may have none
IPERF = ("iperf2", "iperf2-csv", "iperf3", "iperf3-json")
MISSING_INTERVALS = 2  # more than so many are missing: a line or two may be lost otherwise
# a log's rate against its bytes over the interval, as a factor: iperf3's JSON rounds neither; the
# others print as few as one digit (-f g) and times to 0.1 s (iperf 2.0)
EXACT, ROUNDED, CLOCK_S = 1.02, 2.0, 0.1
# what no log can mean with a minus; lost packets may be, where iperf counts one twice
NEVER_NEGATIVE = {
    "bytes": "bytes",
    "throughput_bps": "rates",
    "cwnd_bytes": "windows",
    "cwnd_packets": "windows",
    "rtt_s": "round-trip times",
    "jitter_s": "jitter",
    "retransmits": "retransmits",
    "packets": "packets",
}
OTHER_CCA, OTHER_START = "other congestion control", "other start"
START_DIFFERS_S, ZONE_S = 3, 850  # dates are whole seconds, of clocks that agree to a second or so
SLACK_BYTES = 2 * 128 * 1024  # two reads of iperf: what falls between two reports is no difference


def incomplete_logs(
    stream: pl.DataFrame, ledger: pl.DataFrame, extents: pl.DataFrame
) -> pl.DataFrame:
    """Find connections without a final report, where their tool writes one or other logs have one.

    Args:
        stream: with the path of each log; planned_s says how long a test was to take, if known.
        ledger: the table: the format of a log, and what its tool said of an error.
        extents: of the flows that are compared (`steadiness.extents_of`).
    """
    error = pl.col("reason").str.extract(ERROR_SAID)
    logs = ledger.filter(entry="file").select("path", "format", error=error)
    ran = extents.select(*FLOW, ran_s=pl.col("to_s") - pl.col("start_s"))
    counted = stream.filter("counts").join(logs, on="path", how="left")
    counted = counted.join(ran, on=FLOW, how="left")
    due = pl.col("format").is_in(END_WITH_A_REPORT).fill_null(False) | pl.col("complete").any()
    rows = counted.filter(due & ~pl.col("complete")).sort("run_id", "flow_id", "file_id")
    remedy = (
        "it broke off: its last seconds may be missing; measure it again, and end a program with "
        "TERM, not KILL"
    )
    of_planned = pl.format(" of {} s", fixed("planned_s")).fill_null("")
    reached = pl.format("; its log ends at {} s{}", fixed("ran_s"), of_planned).fill_null("")
    side = pl.col("side").fill_null("flow")
    because = pl.format(": {}", "error").fill_null("")
    message = pl.format("no final report of the {}{}{}", side, because, reached)
    return findings(rows, "log without a final report", "warning", message, remedy)


def logs_without_a_beginning(
    stream: pl.DataFrame, interval: pl.DataFrame, ledger: pl.DataFrame
) -> pl.DataFrame:
    """Find connections of iperf, which counts from 0, whose first report begins later.

    Args:
        stream: with the path of each log.
        interval: on the clocks of the connections.
        ledger: the table: the format of a log.
    """
    logs = ledger.filter(pl.col("format").is_in(IPERF), entry="file").select("path")
    owners = stream.filter("counts").join(logs, on="path", how="semi")
    key = ["file_id", "stream"]
    first = (
        interval.sort(*key, "t_start_s")
        .group_by(key, maintain_order=True)
        .agg(pl.first("t_start_s", "t_end_s", "line"))
    )
    length_s = pl.col("t_end_s") - pl.col("t_start_s")
    rows = (
        first.filter(pl.col("t_start_s") > MISSING_INTERVALS * length_s)
        .join(owners.select(*key, "run_id", "flow_id", "path"), on=key)
        .sort("run_id", "flow_id", "path", "line")
    )
    message = pl.format(
        "its first report begins at {} s: the log has lost its beginning", fixed("t_start_s")
    )
    remedy = (
        "if the log was cut or rotated in the middle of a test (another one ends there), put its "
        "parts together into one file; else leave it out: half of a test is not a run"
    )
    return findings(rows, "log without a beginning", "warning", message, remedy)


def connections_without_reports(
    stream: pl.DataFrame, interval: pl.DataFrame, ledger: pl.DataFrame
) -> pl.DataFrame:
    """Find connections of iperf3's tests that are announced, or have a total, and no interval.

    Where others of the same test and side have some: the log has lost them.

    Args:
        stream: with the path of each log.
        interval: on the clocks of the connections.
        ledger: the table: the format of a log.
    """
    logs = ledger.filter(pl.col("format").is_in(END_WITH_A_REPORT), entry="file").select("path")
    test = ["file_id", "episode", "side"]
    reported = interval.select("file_id", "stream").unique(maintain_order=True)
    known = stream.join(logs, on="path", how="semi", maintain_order="left")
    with_some = known.join(reported, on=["file_id", "stream"], how="semi", maintain_order="left")
    of_test = with_some.group_by(test, maintain_order=True).agg(pl.first("run_id"), n=pl.len())
    without = known.join(reported, on=["file_id", "stream"], how="anti", maintain_order="left")
    lost = without.group_by(*test, "path", maintain_order=True).agg(lost=pl.len())
    rows = lost.join(of_test, on=test, maintain_order="left").sort("run_id", "path", "episode")
    message = pl.format(
        "connections of its test without any report of an interval: {} of {}. They are left out of "
        "all tables: index and shares of the run are those of the others",
        "lost",
        pl.col("lost") + pl.col("n"),
    )
    remedy = "the log is damaged or was edited: measure again, or restore it; or leave the run out"
    return findings(rows, "connection without reports", "warning", message, remedy)


def contradicted_ccas(flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose own log names another congestion control than their run does.

    Linux says reno of what the papers call NewReno.
    """
    if not {"cca"} <= set(flow.columns) & set(stream.columns):
        return findings(stream.clear(), OTHER_CCA, "error", pl.lit(""), "")
    usual = pl.col("cca").map_elements(usual_name, return_dtype=pl.String)
    settled = pl.col("cca_from") == "dataset.yml" if "cca_from" in flow.columns else pl.lit(False)
    named = flow.drop_nulls("cca").select(
        *FLOW, pl.col("cca").alias("named"), usual=usual, settled=settled.fill_null(False)
    )
    rows = (
        stream.drop_nulls(["cca", "run_id", "flow_id"])
        .with_columns(usual.alias("logged"))
        .join(named, on=FLOW)
        .filter(pl.col("logged") != pl.col("usual"))
        .sort(*FLOW, "file_id")
    )
    message = pl.format("it should run {}, but its log says {}", "named", "cca")
    remedy = (
        "find out which is right and say it in dataset.yml: `cca_from: logs` takes what the logs "
        "say, `cca_from: names` what names say; until then names and dataset.yml count. If neither "
        "is right, set the congestion control of the sender (iperf -Z) and measure again"
    )
    open_ = findings(rows.filter(~pl.col("settled")), OTHER_CCA, "error", message, remedy)
    message = pl.format("{}; `cca_from: names` of dataset.yml lets the first count", message)
    told = findings(rows.filter("settled"), OTHER_CCA, "note", message, "none needed")
    return pl.concat([open_, told])


def contradicted_starts(flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find flows that are said to start at another time than the dates of the run's logs say.

    Where these date all flows, in one zone; each from the first flow that starts. Clocks that are
    off by an hour or so are why one says when flows start.
    """
    if "start_from" not in flow.columns or "start_epoch_s" not in stream.columns:
        return findings(flow.clear(), OTHER_START, "warning", pl.lit(""), "")
    dated = (
        stream.filter("counts")
        .group_by(FLOW, maintain_order=True)
        .agg(pl.col("start_epoch_s").min(), pl.col("zone").fill_null("UTC").first())
    )
    epoch_s, said_s = pl.col("start_epoch_s"), pl.col("start_s")
    of_run = epoch_s.is_not_null().all() & (pl.col("zone").n_unique() == 1)
    rows = (
        flow.join(dated, on=FLOW, how="left")
        .filter(of_run.over("run_id"))
        .with_columns(((epoch_s - epoch_s.min() + said_s.min()).over("run_id")).alias("dated_s"))
        .filter(
            pl.col("start_from") == "given",
            (pl.col("start_s") - pl.col("dated_s")).abs().is_between(START_DIFFERS_S, ZONE_S),
        )
        .sort(FLOW)
    )
    message = pl.format(
        "it is said to start at {} s, but the dates of the logs say {} s",
        fixed("start_s"),
        fixed("dated_s"),
    )
    remedy = (
        "correct start_s (dataset.yml, runs.csv or the path), or delete it: the dates count then; "
        "keep it if the clocks of the hosts differ"
    )
    return findings(rows, OTHER_START, "warning", message, remedy)


def disagreeing_sides(stream: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose client and server report totals that differ."""
    rows = (
        _totals(stream, summary)
        .group_by("run_id", "flow_id")
        .agg(
            pl.col("bytes").filter(pl.col("side") == side).first().alias(side)
            for side in ("receiver", "sender")
        )
        .drop_nulls()
        .filter(_differ("receiver", "sender", SIDES_DIFFER))
        .sort("run_id", "flow_id")
    )
    message = pl.format(
        "the receiver counts {} MB, the sender {} MB",
        *apart(pl.col("receiver") / 1e6, pl.col("sender") / 1e6, 2),
    )
    remedy = (
        "check that both logs are of the same flow; with UDP the difference is loss, and what is "
        "left in the sender's socket buffer counts as sent"
    )
    return findings(rows, "sides disagree", "warning", message, remedy)


def _differ(one: str, other: str | pl.Expr, share: float) -> pl.Expr:
    """Return whether two counts of bytes differ by more than a share and SLACK_BYTES."""
    a, b = pl.col(one), pl.col(other) if isinstance(other, str) else other
    most = pl.max_horizontal(share * pl.max_horizontal(a, b), pl.lit(SLACK_BYTES))
    return (a - b).abs() > most


def _totals(stream: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Return the last final report of every connection and side, with run, flow and line."""
    owners = stream.select("file_id", "stream", "run_id", "flow_id", "side", "path")
    return (
        summary.join(owners, on=["file_id", "stream"], suffix="_of_log")
        .with_columns(pl.coalesce("side", "side_of_log").alias("side"))
        .drop_nulls(["run_id", "flow_id", "bytes"])
        .sort("file_id", "line")
        .unique(["file_id", "stream", "side"], keep="last", maintain_order=True)
    )


def sums_that_differ(
    stream: pl.DataFrame, summary: pl.DataFrame, interval: pl.DataFrame
) -> pl.DataFrame:
    """Find connections whose intervals sum to something else than their own final report.

    Only where the intervals cover the time of the final report; gaps are found by other checks.
    """
    own = stream.select("file_id", "stream", pl.col("side").alias("own_side"))
    sums = interval.group_by("file_id", "stream", maintain_order=True).agg(
        pl.col("bytes").sum().alias("sum_bytes"),
        (pl.col("t_end_s") - pl.col("t_start_s")).sum().alias("sum_s"),
    )
    span = pl.col("t_end_s") - pl.col("t_start_s")
    # what no report covers, as a server of iperf 2.1 that leaves out its last, partial one
    uncovered = ((span - pl.col("sum_s")) / span).clip(0) * pl.col("bytes")
    rows = (
        _totals(stream, summary)
        .join(own, on=["file_id", "stream"])
        .filter(pl.col("side").eq_missing(pl.col("own_side")))
        .join(sums, on=["file_id", "stream"])
        .filter(
            (pl.col("sum_s") - span).abs() <= SUM_DIFFERS * span,
            _differ("sum_bytes", pl.col("bytes") - uncovered.fill_nan(0), SUM_DIFFERS),
        )
        .sort("run_id", "flow_id", "file_id")
    )
    message = pl.format(
        "the intervals of the {} sum to {} MB, its final report says {} MB",
        pl.col("side").fill_null("flow"),
        *apart(pl.col("sum_bytes") / 1e6, pl.col("bytes") / 1e6, 2),
    )
    remedy = "the log is damaged or mixes connections; the intervals count"
    return findings(rows, "sum differs from the final report", "warning", message, remedy)


def rates_that_differ(
    stream: pl.DataFrame, interval: pl.DataFrame, ledger: pl.DataFrame
) -> pl.DataFrame:
    """Find connections whose log prints rates that are not its bytes over the interval."""
    of_log = ledger.filter(pl.col("format").is_in(IPERF), entry="file").select("path", "format")
    owners = stream.filter("counts").select("file_id", "stream", "run_id", "flow_id", "path")
    exact = pl.col("format") == "iperf3-json"
    by_rate = pl.col("throughput_bps") * (pl.col("t_end_s") - pl.col("t_start_s")) / 8
    slack = pl.when(exact).then(0.0).otherwise(pl.col("throughput_bps") * CLOCK_S / 8)
    factor = pl.when(exact).then(EXACT).otherwise(ROUNDED)
    rows = (
        interval.filter(pl.col("bytes") > 0, pl.col("throughput_bps") > 0)  # below 0: next check
        .join(owners.join(of_log, on="path"), on=["file_id", "stream"])
        .with_columns(times=by_rate / pl.col("bytes"))
        .filter(
            (by_rate - pl.col("bytes")).abs() > slack,
            ~pl.col("times").is_between(1 / factor, factor),
        )
        .sort("run_id", "flow_id", "path", "line")
        .group_by("run_id", "flow_id", "path", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("line", "times").first())
    )
    message = pl.format(
        "rates that are not the bytes over the interval: {}, the first {} times as large",
        "n",
        pl.col("times").round_sig_figs(3),
    )
    remedy = (
        "the log is damaged or was edited: measure again, or restore it; the bytes count, not the "
        "rates"
    )
    return findings(rows, "rates differ from bytes", "error", message, remedy)


def impossible_numbers(
    stream: pl.DataFrame, summary: pl.DataFrame, interval: pl.DataFrame
) -> pl.DataFrame:
    """Find connections whose log says less than nothing: of bytes, rates, round trips, windows."""
    key = ["file_id", "stream"]
    of_tables = [
        table.filter(pl.col(name) < 0).select(
            *key, "line", pl.lit(words).alias("what"), pl.col(name).cast(pl.Float64).alias("value")
        )
        for table in (interval, summary)
        for name, words in NEVER_NEGATIVE.items()
        if name in table.columns
    ]
    owners = stream.select(*key, "run_id", "flow_id", "path")
    rows = (
        pl.concat(of_tables)
        .join(owners, on=key)
        .sort("run_id", "flow_id", "path", "what", "line")
        .group_by("run_id", "flow_id", "path", "what", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("line", "value").first())
    )
    message = pl.format("{} below zero: {}, the first {}", "what", "n", "value")
    remedy = "the log is damaged or was edited: measure again, or restore it"
    return findings(rows, "numbers below zero", "error", message, remedy)
