"""Sanity checks on the evidence: what about a data set's logs and labels cannot be quite right.

A check is a function of the tables that it names, and returns a row a finding. `finding_table` runs
them all. Severity: 'error': a number in the report is wrong or missing because of it; 'warning':
it may be; 'note': good to know.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..metrics.fairness import FLOW, compared
from .bottleneck import too_little_for_the_bottleneck, too_much_for_the_bottleneck
from .files import (
    doubtful_logs,
    identical_logs,
    idle_logs,
    left_out_runs,
    missing_repeats,
    no_files,
    omitted_intervals,
    rejected_lines,
    unknown_files,
    unreadable_files,
)
from .finding import SEVERITIES
from .intervals import interval_findings
from .logs import (
    contradicted_ccas,
    disagreeing_sides,
    incomplete_logs,
    rates_that_differ,
    sums_that_differ,
)
from .steadiness import early_ends, few_samples, staggered_starts, stalled_flows, unsettled_flows
from .traces import runs_of_traces, traces_of_nobody
from .window import unlike_windows, whole_runs


def finding_table(tables: Mapping[str, pl.DataFrame], stalled_s: float) -> pl.DataFrame:
    """Run every check.

    Args:
        tables: run, flow, sample, ledger, flow_metric, window of a data set; run with its windows
            (`windows.in_window`). Also, where there are any, the parsed tables stream (with the
            path of its log), summary and interval: what each connection of each log said.
        stalled_s: a flow without a byte for longer than this, seconds, is named.

    Returns:
        FINDING, sorted by severity, check, run and flow.
    """
    run, flow, sample = tables["run"], tables["flow"], tables["sample"]
    ledger, flow_metric, window = tables["ledger"], tables["flow_metric"], tables["window"]
    stream = tables.get("stream", pl.DataFrame(schema={"run_id": pl.String, "protocol": pl.String}))
    # cross traffic comes and goes as it likes; runs of traces alone have no samples to judge
    among = compared(flow)
    of_flows = sample.join(among, on=FLOW, how="semi", maintain_order="left")
    means = compared(flow_metric).join(sample, on="run_id", how="semi", maintain_order="left")
    udp = stream.filter(protocol="udp")["run_id"].unique()
    found = [
        unreadable_files(ledger),
        unknown_files(ledger),
        doubtful_logs(ledger),
        no_files(ledger),
        idle_logs(ledger),
        left_out_runs(ledger),
        rejected_lines(ledger),
        omitted_intervals(ledger),
        identical_logs(ledger),
        missing_repeats(run),
        too_much_for_the_bottleneck(run, flow_metric),
        too_little_for_the_bottleneck(run, flow_metric, udp),
        *interval_findings(sample),
        staggered_starts(among, of_flows),
        early_ends(run, among, of_flows),
        whole_runs(window),
        unlike_windows(run, window),
        few_samples(means, window),
        stalled_flows(means, stalled_s),
        unsettled_flows(run, among, of_flows),
        runs_of_traces(run, sample),
    ]
    if {"stream", "summary", "interval"} <= set(tables):
        summary = tables["summary"]
        found += [
            incomplete_logs(stream),
            contradicted_ccas(flow, stream),
            disagreeing_sides(stream, summary),
            sums_that_differ(stream, summary, tables["interval"]),
            rates_that_differ(stream, tables["interval"], ledger),
            traces_of_nobody(ledger, stream),
        ]
    rank = pl.col("severity").replace_strict(SEVERITIES, [0, 1, 2])
    order = [rank, "check", "run_id", "flow_id", "path", "line", "message"]
    return pl.concat(found).sort(order, nulls_last=True)
