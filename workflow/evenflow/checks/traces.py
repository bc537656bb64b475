"""Checks of traces of queues and of senders: whether they lead anywhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import polars as pl

from ..formats.logs import CARRYING, DROPPED_ON, GAP, MAYBE_RELAYED, NOT_RECEIVED
from ..ingest.traces import OF_CONNECTIONS
from ..markdown import first_of
from ..places import WHERE_DOCS
from .finding import findings

NOTHING_READ = "run without a sample"  # the check's name
NO_LINK = "flows without a common link"
MOST_PAIRS = 3  # of flows that are named
NOT_TRACES = ["metadata", "hidden", "ignore", "unknown", "unreadable", "left-out", "copy"]
NOT_TRACES += ["run-record"]


def runs_of_traces(run: pl.DataFrame, sample: pl.DataFrame, ledger: pl.DataFrame) -> pl.DataFrame:
    """Find runs of which no log has a sample: traces alone are known of them, or nothing at all."""
    rows = run.join(sample, on="run_id", how="anti").sort("run_id")
    traced = ledger.filter(pl.col("entry") == "file", pl.col("lines_sample") > 0)
    shared = traced["run_id"].null_count() > 0  # a trace of several runs: which is not said here
    of_nothing = rows.join(traced, on="run_id", how="anti", maintain_order="left")
    of_nothing = of_nothing.clear() if shared else of_nothing
    rows = rows.join(of_nothing, on="run_id", how="anti", maintain_order="left")
    add = "add the logs of its flows"
    traces = (
        f"{add}; or, if it is a part of another run, say so in a table runs.csv "
        "(columns path, run, flow), beside the lines of `files` under 'What was assumed'"
    )
    correct = f"see in the ledger why its lines are rejected or skipped, and correct them, or {add}"
    message = pl.lit("there are traces of queues or senders alone: it has state, and no throughput")
    nothing = pl.lit("no line of its logs could be used: the run has no throughput, and no state")
    return pl.concat(
        [
            findings(rows, "run of traces alone", "note", message, traces),
            findings(of_nothing, NOTHING_READ, "warning", nothing, correct),
        ]
    )


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


def links_together(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose tables of queues or drops have several links, as the rows name none.

    Throughput and fairness do not come of these tables.
    """
    files = ledger.filter(pl.col("entry") == "file", pl.col("run_id").is_not_null()).sort("path")
    dropped = pl.col("reason").str.extract(rf"({DROPPED_ON} \d+ links: [^;]*)")
    drops = files.with_columns(said=dropped).drop_nulls("said")
    name = pl.col("path").str.split("/").list.last()
    queues = (
        files.filter(pl.col("format") == "ns2-queue", pl.col("lines_sample") > 0)
        .group_by("run_id", maintain_order=True)
        .agg(name.str.join(", ").alias("said"), n=pl.len())
        .filter(pl.col("n") > 1)
    )
    fair = "none needed for throughput and fairness"
    trace = f"{fair}; for drop events trace the bottleneck alone (trace-queue), and run it again"
    ignore = (
        f"{fair}; to keep one queue, say of the other logs, under `files:` in dataset.yml, "
        "`- {path: '**/queue2.tr', format: ignore}`; the column `path` says which log a row is of"
    )
    of_drops = pl.format("the table packet_drop, of the bottleneck, has packets {}", "said")
    of_queues = pl.format("the rows of {} logs are together in queue_sample: {}", "n", "said")
    return pl.concat(
        [
            findings(drops, "several links", "warning", of_drops, trace),
            findings(queues, "several queues", "warning", of_queues, ignore),
        ]
    )


def flows_not_received(ledger: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find flows that are in no table as the trace of ns-2 that has them ends before their sinks.

    Not where another trace of the run has their sinks, nor where other logs give the throughput.

    Args:
        ledger: the table.
        stream: the parsed table, with the path of each log.
    """
    of_file = ["run_id", "path"]
    is_trace = (ledger["entry"] == "file") & (ledger["format"] == "ns2-trace")
    said = pl.col("reason").str.extract(rf"{NOT_RECEIVED} ([^;]*)")
    traces = ledger.filter(is_trace).select(*of_file, said=said)
    counted = stream.filter("counts")
    by_others = counted.join(traces, on="path", how="anti").select("run_id")
    ends = pl.format("({} to {})", "peer", "local").alias("ends")
    flows = (
        traces.drop_nulls("said")
        .join(by_others, on="run_id", how="anti")
        .with_columns(
            flow=pl.col("said").str.extract_all(r"flow \S+ \(\S+ to \S+\)"),
            more=pl.col("said").str.extract("( and [0-9,]+ more)$").fill_null(""),
        )
        .explode("flow")
        .with_columns(ends=pl.col("flow").str.extract(r"(\(.*\))"))
        .join(counted.select("run_id", ends), on=["run_id", "ends"], how="anti")
        .group_by(*of_file, maintain_order=True)
        .agg(pl.col("flow").str.join(", "), pl.col("more").first())
    )
    remedy = (
        "trace the links to the sinks too (trace-all), and make the run again; or leave the run out"
    )
    message = pl.format(
        "no table has the throughput of {}{}: packets are traced on the way to the sink, and none "
        "there. Shares and Jain's index are those of the other flows alone",
        "flow",
        "more",
    )
    rows = flows.sort(*of_file)
    return findings(rows, "flow without its sink", "warning", message, remedy)


def sinks_not_known(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find traces of ns-3 that may end at a router, before the sinks of their flows."""
    rows = ledger.filter(
        pl.col("entry") == "file",
        pl.col("reason").str.contains(MAYBE_RELAYED, literal=True),
        pl.col("lines_sample") > 0,
    ).sort("path")
    message = (
        "it has no line that says that a flow ends where it is received last: if that is a router, "
        "the throughput includes what is lost behind it"
    )
    remedy = (
        "nothing if its last node is the sink of its flows; else leave the run out, or trace all "
        "devices with all lines (EnableAsciiAll), and make the run again"
    )
    return findings(rows, "sink not known", "warning", pl.lit(message), remedy)


def flows_without_a_link(flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find flows of a run that are compared, though no link of a trace is on the way of both.

    Of traces that have every hop of them. Flows that cross a link in opposite directions are told
    apart by direction (`ways.flows_against`).

    Args:
        flow: the table.
        stream: the parsed table, with the path of each log.
    """
    if "hops" not in stream.columns:
        return findings(stream.clear(), NO_LINK, "warning", pl.lit(""), "")
    key = ["run_id", "flow_id"]
    whole = pl.col("hops").is_not_null() & ~pl.col("hops").str.contains(GAP, literal=True)
    ways = stream.filter("counts", whole).select(*key, "hops")
    ways = ways.join(flow.filter(~pl.col("cross_traffic")), on=key, how="semi")
    rows: list[dict] = []
    beside: dict[str, list[int]] = {}
    for (run,), of_run in ways.sort(key).group_by("run_id", maintain_order=True):
        run_id = str(run)
        pairs = _without_a_link(dict(of_run.select("flow_id", "hops").rows()))
        if pairs:
            named = first_of([f"flows {one} and {other}" for one, other in pairs], MOST_PAIRS)
            rows.append({"run_id": run_id, "said": named})
            beside[run_id] = _fewest(pairs)
    table = pl.DataFrame(rows, schema={"run_id": pl.String, "said": pl.String})
    if not rows:
        return findings(table, NO_LINK, "warning", pl.lit(""), "")
    alike, n_runs = {*map(tuple, beside.values())}, flow["run_id"].n_unique()
    n_of_flow = flow.group_by("flow_id", maintain_order=True).agg(pl.col("run_id").n_unique())
    everywhere = {number for number, n in n_of_flow.rows() if n == n_runs}
    remedy = (
        "say which of them is not to be compared: cross_traffic of the flow, in dataset.yml or "
        "runs.csv (columns run, flow, cross_traffic); or simulate them in runs of their own"
    )
    if len(alike) == 1 and {*(numbers := alike.pop())} <= everywhere:
        lines = [f"  {number}: {{cross_traffic: true}}" for number in numbers]
        table = table.with_columns(yaml=pl.lit("\n".join(["flows:", *lines])))
    message = pl.format(
        "{} share no link: neither takes anything from the other, but shares and Jain's index of "
        "the run compare them",
        "said",
    )
    return findings(table, NO_LINK, "warning", message, remedy)


def _without_a_link(hops: Mapping[int, str]) -> list[tuple[int, int]]:
    """Return the pairs of flows that share no link, in either direction, by their hops."""
    links = {
        n: frozenset(frozenset(hop.split("-")) for hop in of.split()) for n, of in hops.items()
    }
    if not links or frozenset.intersection(*links.values()):
        return []
    apart = {
        ways: {others for others in {*links.values()} if not ways & others}
        for ways in {*links.values()}
    }
    return [
        (one, other) for one, other in combinations(links, 2) if links[other] in apart[links[one]]
    ]


def _fewest(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return flows without which no pair is left: those of most pairs, of as many the last."""
    others: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        others[one].add(other)
        others[other].add(one)
    found = []
    while others:
        most = max(others, key=lambda flow: (len(others[flow]), flow))
        found.append(most)
        for other in others.pop(most):
            others[other].discard(most)
            if not others[other]:
                del others[other]
    return sorted(found)


def traces_of_nobody(ledger: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find files with samples that reach no table, as nothing says which run or flow they are of.

    Of a trace that has a flow's connection the others are said: `ss` lists all of its host. So are
    those that have a flow's ends at another time, or that another log has.

    Args:
        ledger: the table.
        stream: the parsed table, with the path of each log.
    """
    homeless_ones = stream.filter(pl.col("run_id").is_null())
    is_again = _ends_both_ways(stream.filter(pl.col("run_id").is_not_null()))
    files = ledger.filter(
        pl.col("entry") == "file",
        pl.col("lines_sample") > 0,
        ~pl.col("format").is_in(NOT_TRACES),
        ~pl.col("format").str.starts_with("iperf"),  # refused connections are streams of no flow
    )
    # of a simulator nodes have the same addresses in all of its runs
    watching = files.filter(pl.col("format").is_in(OF_CONNECTIONS))
    watched = homeless_ones.join(watching, on="path", how="semi", maintain_order="left")
    again = watched.join(is_again, on=["local", "peer"], how="semi", maintain_order="left")
    of_others = homeless_ones.join(again, on=["path", "stream"], how="anti", maintain_order="left")
    lost = of_others.select("path").unique(maintain_order=True)
    settled = (
        stream.filter(pl.col("run_id").is_not_null()).select("path").unique(maintain_order=True)
    )
    homeless = files.filter(pl.col("run_id").is_null()).join(settled, on="path", how="anti")
    flowless = files.filter(pl.col("run_id").is_not_null()).join(lost, on="path", how="semi")
    # a log of several runs is of none of them alone
    of_runs = pl.col("run_id").is_not_null() | pl.col("format").is_in(OF_CONNECTIONS)
    with_others = files.filter(of_runs).join(lost, on="path", how="semi")
    beside = _other_connections(with_others.join(settled, on="path", how="semi"), of_others)
    flowless = flowless.join(settled, on="path", how="anti")
    remedy = (
        "say it in a table runs.csv (columns path, run, flow), beside the lines of `files` under "
        f"'What was assumed': see docs/guides/adding-data.md ({WHERE_DOCS})"
    )
    n = pl.col("lines_sample")
    samples_belong = (
        pl.when(n == 1)
        .then(pl.lit("only sample belongs"))
        .otherwise(pl.format("{} samples belong", n))
    )
    lost_ones = (
        findings(
            rows.sort("path"),
            "trace without a flow",
            "warning",
            pl.format("nothing says which {} its {} to", pl.lit(what), samples_belong),
            remedy,
        )
        for rows, what in ((homeless, "run"), (flowless, "flow"))
    )
    return pl.concat([*lost_ones, beside, _connections_again(watching, settled, again)])


def _ends_both_ways(stream: pl.DataFrame) -> pl.DataFrame:
    ends = stream.select("local", "peer")
    return pl.concat([ends, ends.select(local="peer", peer="local")])


def _connections_again(
    files: pl.DataFrame, settled: pl.DataFrame, again: pl.DataFrame
) -> pl.DataFrame:
    """Return findings on connections that have the ends of a flow and are not taken for it.

    Where the same log has the flow's connection too, it is a note.
    """
    of_path = again.group_by("path", maintain_order=True).agg(
        n=pl.len(), ends=pl.format("{} and {}", "local", "peer").min()
    )
    rows = files.join(of_path, on="path").sort("path")
    message = pl.format(
        "connections with the ends of a flow that are left out of all tables: {} (such as {}). "
        "They were not there at the flow's time, nothing says that they were, or another log has "
        "the state of that time",
        "n",
        "ends",
    )
    remedy = (
        "nothing if they are of other tests on the same ports, or if two logs watched one "
        "connection; else correct the dates of the log, or cut it into one for each run"
    )
    check = "connection of another time"
    beside = rows.join(settled, on="path", how="semi", maintain_order="left")
    alone = rows.join(settled, on="path", how="anti", maintain_order="left")
    return pl.concat(
        [
            findings(beside, check, "note", message, remedy),
            findings(alone, check, "warning", message, remedy),
        ]
    )


def _other_connections(files: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Return notes on connections beside a flow's, whose samples are in no table."""
    ends = pl.format("{} and {}", "local", "peer")
    others = (
        stream.filter(pl.col("run_id").is_null())
        .group_by("path", maintain_order=True)
        .agg(n=pl.len(), ends=pl.when(pl.col("local").is_not_null()).then(ends).min())
    )
    rows = files.join(others, on="path").sort("path")
    one, ends = pl.col("n") == 1, pl.col("ends").fill_null("it does not name them")
    message = (
        pl.when(one)
        .then(pl.format("1 connection has ends that no log of a flow has ({}): its samples", ends))
        .otherwise(
            pl.format(
                "{} connections have ends that no log of a flow has (such as {}): their samples",
                "n",
                ends,
            )
        )
        + " are left out of all tables"
    )
    remedy = (
        "nothing if it is another connection of the host, such as iperf3's for control; else add "
        "the log of its flow"
    )
    return findings(rows, "other connections in a trace", "note", message, remedy)
