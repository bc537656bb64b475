"""Sanity checks on the evidence: what about a data set's logs and labels cannot be quite right.

A check is a function of the tables that it names, and returns a row a finding. `finding_table` runs
them all. Severity: 'error': a number in the report is wrong or missing because of it; 'warning':
it may be; 'note': good to know.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import polars as pl

from ..metrics.fairness import FLOW, compared
from .bottleneck import (
    contradicting_buffers,
    too_little_for_the_bottleneck,
    too_much_for_the_bottleneck,
)
from .campaigns import several_campaigns
from .files import (
    coarse_logs,
    copied_logs,
    cut_values,
    doubtful_logs,
    empty_files,
    failed_tests,
    hidden_logs,
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
    connections_without_reports,
    contradicted_ccas,
    contradicted_starts,
    disagreeing_sides,
    impossible_numbers,
    incomplete_logs,
    logs_without_a_beginning,
    rates_that_differ,
    sums_that_differ,
)
from .lost_flows import listed_in_vain, missing_flows
from .nru import assumed_segments, unknown_paths
from .repeats import unlike_repeats
from .rtts import least_rtts, rtts_below_the_base
from .settling import with_lines, without_confirmed
from .steadiness import (
    MSER5,
    early_ends,
    extents_of,
    few_samples,
    mser5_at_its_limit,
    staggered_starts,
    stalled_flows,
    unsteady_runs,
)
from .traces import (
    data_both_ways,
    flows_not_received,
    flows_without_a_link,
    links_together,
    runs_of_traces,
    sinks_not_known,
    traces_of_nobody,
)
from .watching import watching_findings
from .window import different_times, unlike_windows, unused_samples, whole_runs

OF_LOGS = {"stream", "summary", "interval"}  # parsed tables: what each log said of itself


def finding_table(
    tables: Mapping[str, pl.DataFrame], stalled_s: float, confirmed: Collection[str] = ()
) -> pl.DataFrame:
    """Run every check.

    Args:
        tables: run, flow, sample, ledger, flow_metric, window of a data set; run with its windows
            (`windows.in_window`). Also, where there are any, run_metric, which steadiness is judged
            by, and the parsed tables stream (with the path of its log), summary and interval: what
            each connection of each log said.
        stalled_s: a flow without a byte for longer than this, seconds, is named.
        confirmed: what dataset.yml says is known (`settling.without_confirmed`).

    Returns:
        FINDING, sorted by severity, check, run and flow.
    """
    return findings_of_runs(tables, findings_of_samples(tables), stalled_s, confirmed)


class OfSamples(NamedTuple):
    """What the samples of a chunk of a data set, or of all of it, say."""

    found: pl.DataFrame  # FINDING
    extents: pl.DataFrame  # of the flows that are compared (`steadiness.extents_of`)
    sampled: pl.DataFrame  # run_id of the runs that have samples


def findings_of_samples(tables: Mapping[str, pl.DataFrame]) -> OfSamples:
    """Run the checks that need samples, each of a run by itself.

    Args:
        tables: as for `finding_table`, of some runs; without flow_metric, run_metric and window.
            Also, where there are traces of senders, least_rtt (`rtts.least_rtts`) and watching
            (`watching.watching_times`).
    """
    run, flow, sample = tables["run"], tables["flow"], tables["sample"]
    # cross traffic comes and goes as it likes
    among = compared(flow)
    of_flows = sample.join(among, on=FLOW, how="semi", maintain_order="left")
    found = [*interval_findings(sample), mser5_at_its_limit(run, among, of_flows)]
    found.append(different_times(run, among, sample))
    if "base_rtt_s" in flow.columns and "rtt_s" in sample.columns:
        least = tables["least_rtt"] if "least_rtt" in tables else least_rtts(sample)
        found.append(rtts_below_the_base(run, among, least))
    if "watching" in tables:
        found += watching_findings(tables["watching"], sample)
    if set(tables) >= OF_LOGS:
        stream, summary, interval = tables["stream"], tables["summary"], tables["interval"]
        times = ("file_id", "stream", "t_start_s", "t_end_s")
        reports = pl.concat([interval.select(times), summary.select(times)])
        found += [
            unused_samples(run, of_flows, stream, reports),
            logs_without_a_beginning(stream, interval, tables["ledger"]),
            connections_without_reports(stream, interval, tables["ledger"]),
            disagreeing_sides(stream, summary),
            sums_that_differ(stream, summary, interval),
            rates_that_differ(stream, interval, tables["ledger"]),
            impossible_numbers(stream, summary, interval),
        ]
    extents = extents_of(among, of_flows)
    return OfSamples(pl.concat(found), extents, sample.select("run_id").unique(maintain_order=True))


def findings_of_runs(
    tables: Mapping[str, pl.DataFrame],
    of_samples: OfSamples,
    stalled_s: float,
    confirmed: Collection[str] = (),
) -> pl.DataFrame:
    """Run the checks that need no samples, and put all findings together.

    Args:
        tables: as for `finding_table`, of all runs; without sample, summary and interval.
        of_samples: what the samples of all runs say.
        stalled_s, confirmed: as for `finding_table`.
    """
    run, flow, window = tables["run"], tables["flow"], tables["window"]
    ledger, flow_metric = tables["ledger"], tables["flow_metric"]
    stream = tables.get("stream", pl.DataFrame(schema={"run_id": pl.String, "protocol": pl.String}))
    extents, sampled = of_samples.extents.sort(FLOW), of_samples.sampled
    # runs of traces alone have no samples to judge
    means = compared(flow_metric).join(sampled, on="run_id", how="semi", maintain_order="left")
    is_mser5 = pl.col("check") == MSER5
    udp = stream.filter(protocol="udp")["run_id"].unique(maintain_order=True)
    found = [
        of_samples.found.filter(~is_mser5),
        unreadable_files(ledger),
        unknown_files(ledger),
        doubtful_logs(ledger),
        hidden_logs(ledger),
        no_files(ledger),
        empty_files(ledger),
        idle_logs(ledger),
        left_out_runs(ledger),
        failed_tests(ledger),
        rejected_lines(ledger),
        cut_values(ledger),
        omitted_intervals(ledger),
        coarse_logs(ledger),
        data_both_ways(ledger),
        links_together(ledger),
        sinks_not_known(ledger),
        identical_logs(ledger),
        copied_logs(ledger),
        missing_repeats(run),
        unlike_repeats(run, means),
        contradicting_buffers(run),
        too_much_for_the_bottleneck(run, flow_metric),
        too_little_for_the_bottleneck(run, flow_metric, udp),
        staggered_starts(extents),
        early_ends(run, extents, stream),
        whole_runs(window),
        unlike_windows(run, window),
        few_samples(means, window, run),
        stalled_flows(means, stalled_s, extents),
        assumed_segments(flow, means),
        unknown_paths(run, flow, means),
        runs_of_traces(run, sampled, ledger),
    ]
    if "run_metric" in tables:
        mser5 = of_samples.found.filter(is_mser5)
        found.append(unsteady_runs(tables["run_metric"], mser5))
    if "path" in stream.columns:
        found += [
            incomplete_logs(stream, ledger, extents),
            contradicted_ccas(flow, stream),
            contradicted_starts(flow, stream),
            several_campaigns(run, stream),
            flows_not_received(ledger, stream),
            flows_without_a_link(flow, stream),
            traces_of_nobody(ledger, stream),
        ]
    if "path" in stream.columns and "factors" in run.columns:
        found += [missing_flows(run, flow, stream), listed_in_vain(run)]
    rank = pl.col("severity").replace_strict(SEVERITIES, [0, 1, 2])
    order = [rank, "check", "run_id", "flow_id", "path", "line", "message"]
    every = with_lines(pl.concat(found), len(run))
    return without_confirmed(every, confirmed).sort(order, nulls_last=True)
