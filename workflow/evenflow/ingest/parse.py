"""Ingest: from a folder of raw logs to the parsed tables that the queries build on.

Parsed tables (all of one data set):
    file      every raw file: path, sha256, sizes, format, run, flow, side, clock
    run       settings of every run;  flow: settings of every flow, both in dataset.yml's units
    interval, queue, drop, arrival, fate, rejected: see `formats.TABLES`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ..errors import DataError
from ..files import USUAL_LIMITS, Limits
from ..formats import (
    COPY,
    EMPTY,
    FORMATS,
    LEFT_OUT,
    UNPARSED,
    UNREADABLE,
)
from ..formats.tables import sort_table
from .counters import list_counters, list_long_times, without_impossible
from .described.document import read_dataset
from .described.runs_csv import runs_table
from .durations import DURATION, withdraw_durations
from .entities import Entry, Flow, Group, Run, Settled, Stream
from .flows import flows_of_runs, group_by_path
from .infer import infer_runs
from .inventory import inventory, is_described
from .joining.at_once import parted_by_patterns
from .reading import parse_entries
from .recognition import judge_empty, note_failed_tests, reasons_of_silence, withdraw_doubtful
from .refusals import leave_out_run, refuse_unknown_runs
from .shares import OF_DATES, Share, ccas_of_flows, run_table, settle_share
from .starts import span_of
from .traces import attach_by_labels, is_trace, only_traces

FILE = {
    "file_id": pl.UInt32,
    "path": pl.String,
    "sha256": pl.String,
    "content_sha256": pl.String,  # decompressed
    "bytes": pl.Int64,
    "content_bytes": pl.Int64,
    "format": pl.String,
    "clock": pl.String,
    "run_id": pl.String,
    "problem": pl.String,
}
FLOW = {
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "cca": pl.String,
    "cca_from": pl.String,  # said, log, or dataset.yml: which of the two counts
    "start_s": pl.Float64,
    "start_from": pl.String,  # given, log, clock or assumed
    "cross_traffic": pl.Boolean,  # takes no part in fairness
    "opposite": pl.Boolean,  # cross traffic that goes against the flows that are compared
    "rtt_ms": pl.Float64,
    "mss_bytes": pl.Int64,
}


def parse_dataset(folder: str | Path, limits: Limits = USUAL_LIMITS) -> dict[str, pl.DataFrame]:
    """Read every file of a data set.

    Args:
        folder: the data set.
        limits: of files, logs, lines and dataset.yml.

    Returns:
        The parsed tables by name, each sorted.

    Raises:
        DataError: see `parse_chunk` and `settle_share`.
    """
    tables, share = parse_chunk(folder, limits)
    return {**tables, **settle_chunks(folder, share, limits)}


def settle_chunks(
    folder: str | Path, share: Share, limits: Limits = USUAL_LIMITS
) -> dict[str, pl.DataFrame]:
    """Return the parsed tables that depend on all runs: `run` and `assumption` (`settle_share`)."""
    folder = Path(folder)
    dataset = read_dataset(folder, limits)
    return settle_share(folder, dataset, runs_table(folder, dataset)[0], share)


def parse_chunk(
    folder: str | Path, limits: Limits = USUAL_LIMITS, inside: Iterable[str] | None = None
) -> tuple[dict[str, pl.DataFrame], Share]:
    """Read the files of a data set, or those in some of its folders.

    Args:
        folder: the data set.
        limits: of files, logs, lines and dataset.yml.
        inside: the folders (`chunks`), of a data set that is described; else all.

    Returns:
        The parsed tables by name but `assumption`, each sorted, `run` as far as it does not
        depend on other runs; and what `settle_share` makes these two of.

    Raises:
        DataError: see `inventory` and `flows_of_runs`; a rejected line or a flow without a sample,
            unless dataset.yml says `on_error: quarantine`.
    """
    folder = Path(folder)
    dataset = read_dataset(folder, limits)
    by_run, by_path = runs_table(folder, dataset)
    # what nobody described is taken as it is: a broken log does not stop the others
    described = is_described(dataset, by_path)
    on_error = dataset.on_error or ("fail" if described else "quarantine")
    dataset = replace(dataset, on_error=on_error)
    entries = inventory(folder, dataset, by_path, limits, inside)
    tables = withdraw_doubtful(entries, parse_entries(entries, limits))
    judge_empty(entries)
    tables["interval"], unknown = without_impossible(tables["interval"], tables["stream"])
    tables["stream"] = _with_protocols(tables["stream"], tables["interval"])
    of_file = _streams_of_files(tables, entries)
    note_failed_tests(entries, of_file, tables["fate"])
    inferred = None
    silence = reasons_of_silence(entries, of_file, tables["fate"])
    if described:
        attach_by_labels(entries, of_file, {*by_run, *dataset.exclude})
        groups = group_by_path(folder, dataset, entries, of_file)
    else:
        rows = [row for of_run in by_run.values() for row in of_run]
        of_flows = (dataset.defaults, *dataset.flows.values(), *(row.settings for row in rows))
        cca_said = any(key.startswith("cca") for said in of_flows for key in said)
        groups, inferred = infer_runs(
            entries, of_file, tables["interval"], silence, dataset.pool_over, cca_said
        )
        given = DURATION in dataset.defaults or any(DURATION in row.settings for row in rows)
        inferred += withdraw_durations(entries, groups, tables["interval"], given)
    names = {*groups, *(e.run_id for e in entries if e.run_id is not None)}
    if inside is None:  # before what is wrong with runs that the table should have named
        refuse_unknown_runs(folder, dataset, by_run, sorted(names))
    nothing = _logs_of_nothing(entries, of_file, silence, tables["rejected"])
    runs, flows, settled = flows_of_runs(folder, dataset, groups, by_run, described, nothing)
    streams = _settled(tables["stream"], settled)
    tables["state"] = _on_flows_clock(tables["state"], streams, tables["interval"], entries)
    flows = _with_first_arrivals(flows, streams, tables["interval"])
    traced = {name for name, group in groups.items() if only_traces(group)}
    silent = _flows_without_sample(flows, streams, tables["interval"], traced)
    flowless = _runs_without_flow(runs, flows, groups, traced, silence)
    shared = _shared_flow_ids(entries, flows, tables["drop"])
    with_totals = streams.join(tables["summary"], on=["file_id", "stream"], how="semi")
    totals = set(with_totals.select("run_id", "flow_id").rows())
    if dataset.on_error != "quarantine":
        excluded = [entry.file_id for entry in entries if entry.format == LEFT_OUT]
        rejected = tables["rejected"].filter(~pl.col("file_id").is_in(excluded))
        _refuse_wrong_format(folder, entries, tables["fate"], rejected)
        _refuse_rejected(folder, entries, rejected)
        _refuse_shared(folder, shared)
        _refuse_silent(folder, silent, totals)
        _refuse_flowless(folder, flowless)
    for run_id, flow in silent.items():
        problem, _ = _silence(run_id, flow, (run_id, flow) in totals)
        leave_out_run(run_id, groups[run_id].files, problem)
    for run_id, problem in flowless.items():
        leave_out_run(run_id, groups[run_id].files, problem)
    for drop in shared:
        leave_out_run(drop.run_id, groups[drop.run_id].files, drop.problem)
    without = {*silent, *flowless, *(drop.run_id for drop in shared)}
    flows = [flow for flow in flows if flow.run_id not in without]
    share = Share(
        runs,
        flows,
        sorted(without),
        sorted(names),
        entries,
        {name: group.files for name, group in groups.items()},
        streams.select(OF_DATES),
        _sides(streams.filter("counts", ~pl.col("run_id").is_in(sorted({*without, *traced})))),
        len(entries),
        sum(entry.content_bytes or 0 for entry in entries),
        ccas_of_flows(entries),
        [*list_counters(unknown, entries), *list_long_times(tables, entries)],
        # a table of files says of each log what it is
        [] if by_path or not described else parted_by_patterns(groups),
    )
    if inferred is not None:
        share.inferred, share.rejected = inferred, len(tables["rejected"]) > 0
        share.hollow = _with_tests_of_nothing(entries, of_file)
        share.spans = {name: span for name, group in groups.items() if (span := span_of(group))}
        traces = {(s.file_id, s.stream) for of in of_file.values() for s in of if not s.measures}
        every = (Settled(*row) for row in streams.select(Settled._fields).rows())
        # `ss` lists connections that are of no flow
        share.streams = [s for s in every if s.run_id is not None or s[:2] not in traces]
    tables = _without_left_out(entries, {**tables, "stream": streams})
    of_entries = {
        "file": pl.DataFrame([_file_row(e) for e in entries], schema=FILE),
        "flow": pl.DataFrame([_columns(flow, FLOW) for flow in flows], schema=FLOW),
        "run": run_table([run for run in runs if run.run_id not in without], dataset),
    }
    return {**of_entries, **tables}, share


def _with_protocols(stream: pl.DataFrame, interval: pl.DataFrame) -> pl.DataFrame:
    """Fill in that a connection is of UDP where its log does not name it: its reports have jitter,
    or datagrams that were lost."""
    key = ["file_id", "stream"]
    if all(interval[name].null_count() == len(interval) for name in ("jitter_s", "lost_packets")):
        return stream
    jitter = pl.any_horizontal(pl.col("jitter_s", "lost_packets").is_not_null())
    datagrams = (
        interval.filter(jitter)
        .select(key)
        .unique(maintain_order=True)
        .with_columns(reported=pl.lit("udp"))
    )
    return (
        stream.join(datagrams, on=key, how="left", maintain_order="left")
        .with_columns(pl.coalesce("protocol", "reported").alias("protocol"))
        .drop("reported")
    )


def _streams_of_files(
    tables: dict[str, pl.DataFrame], entries: list[Entry]
) -> dict[int, list[Stream]]:
    """Return the streams of every log, with its clock and path.

    And when their reports end, the bytes that their intervals count, and how long a log of state
    has them.
    """
    key = ["file_id", "stream"]
    carried = tables["interval"].group_by(key, maintain_order=True).agg(n_bytes=pl.sum("bytes"))
    reported = pl.concat([tables[name].select(*key, "t_end_s") for name in ("interval", "summary")])
    reported = (
        reported.group_by(key, maintain_order=True)
        .agg(end_s=pl.max("t_end_s"))
        .with_columns(measures=True)
    )
    watched = tables["state"].group_by(key, maintain_order=True).agg(watched_s=pl.max("t_s"))
    of_stream = tables["stream"].join(reported, on=key, how="left")
    of_stream = of_stream.join(carried, on=key, how="left")
    of_stream = of_stream.join(watched, on=key, how="left").sort(key)
    of_file: dict[int, list[Stream]] = {}
    for row in of_stream.with_columns(pl.col("watched_s").fill_null(0.0)).rows(named=True):
        entry = entries[row["file_id"]]
        if entry.format == UNREADABLE:  # found to be of another format than dataset.yml says
            continue
        measures, clock = bool(row.pop("measures")), FORMATS[entry.format].CLOCK
        stream = Stream(**row, clock=clock, path=entry.path, measures=measures)
        of_file.setdefault(entry.file_id, []).append(stream)
    return of_file


def _logs_of_nothing(
    entries: list[Entry],
    of_file: dict[int, list[Stream]],
    silence: dict[int, str],
    rejected: pl.DataFrame,
) -> dict[int, tuple[int | None, str]]:
    """Return a line, and why, of logs that hold no flow, by file_id."""
    first = rejected.unique("file_id", keep="first", maintain_order=True)
    lines = {row["file_id"]: row for row in first.rows(named=True)}
    found: dict[int, tuple[int | None, str]] = {}
    for entry in entries:
        if not entry.readable or entry.format not in FORMATS or of_file.get(entry.file_id):
            continue
        why = silence.get(entry.file_id, "none of its lines is a report")
        found[entry.file_id] = None, why
        if row := lines.get(entry.file_id):
            found[entry.file_id] = row["line"], _said(row)
    return found


def _with_tests_of_nothing(entries: list[Entry], of_file: Mapping[int, list[Stream]]) -> list[int]:
    """Return the logs that hold a test without a report beside others: described, it is a run.

    Where two clients write into one log their lines mix, and the reports of both are one test's.
    """
    found = []
    for entry in entries:
        tests = [s for s in of_file.get(entry.file_id, []) if entry.format in FORMATS]
        reported = {s.episode for s in tests if s.measures}
        if reported and not is_trace(entry) and {s.episode for s in tests} > reported:
            found.append(entry.file_id)
    return found


def _sides(counting: pl.DataFrame) -> dict[str, int]:
    """Return of how many flows the reports of each side count."""
    known = counting.drop_nulls("side").group_by("side").len().sort("side")
    return dict(known.rows())


def _settled(streams: pl.DataFrame, settled: pl.DataFrame) -> pl.DataFrame:
    """Put run, flow and `counts` beside the streams."""
    joined = streams.drop("flow_id").join(settled, on=["file_id", "stream"], how="left")
    return joined.with_columns(pl.col("counts").fill_null(False))


def _columns(record: Entry | Flow, columns: Iterable[str]) -> dict[str, Any]:
    return {key: getattr(record, key) for key in columns}


def _file_row(entry: Entry) -> dict[str, Any]:
    module = FORMATS.get(entry.format)
    return {
        **_columns(entry, FILE.keys() - {"clock"}),
        # a file of no line has none to give the reason
        "problem": entry.problem or (UNPARSED[EMPTY][1] if entry.format == EMPTY else None),
        "clock": module.CLOCK if module else None,
    }


def _without_left_out(
    entries: list[Entry], tables: dict[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Take what belongs to left-out runs from the tables; the ledger says so instead."""
    why = {
        entry.file_id: UNPARSED.get(entry.format, UNPARSED[LEFT_OUT])[1]
        for entry in entries
        if entry.format in (LEFT_OUT, UNREADABLE, COPY)
    }
    out = list(why)
    if not out:
        return tables
    kept = {name: table.filter(~pl.col("file_id").is_in(out)) for name, table in tables.items()}
    of_files = tables["fate"].filter(pl.col("file_id").is_in(out))
    fate = of_files.group_by("file_id", maintain_order=True).agg(
        pl.lit("skipped").alias("fate").first(),
        pl.sum("lines", "bytes"),
    )
    fate = fate.with_columns(
        reason=pl.col("file_id").replace_strict(why, default=None, return_dtype=pl.String)
    )
    kept["fate"] = sort_table(pl.concat([kept["fate"], fate.select(kept["fate"].columns)]), "fate")
    return kept


def _with_first_arrivals(
    flows: list[Flow], streams: pl.DataFrame, interval: pl.DataFrame
) -> list[Flow]:
    """Fill in the start of flows whose log has the run's clock and does not say when they began."""
    if all(flow.start_from != "log" or flow.start_s is not None for flow in flows):
        return flows
    arrived = interval.filter(pl.col("bytes") > 0).join(
        streams.filter("counts"), on=["file_id", "stream"]
    )
    first = (
        arrived.group_by("run_id", "flow_id", maintain_order=True).agg(pl.min("t_start_s")).rows()
    )
    first_s = {(run_id, flow_id): t_s for run_id, flow_id, t_s in first}
    return [
        flow._replace(start_s=first_s.get((flow.run_id, flow.flow_id)))
        if flow.start_from == "log" and flow.start_s is None
        else flow
        for flow in flows
    ]


EARLY_S = 2.0  # dates of logs are whole seconds: state may seem to begin before its flow


def _on_flows_clock(
    state: pl.DataFrame, streams: pl.DataFrame, interval: pl.DataFrame, entries: list[Entry]
) -> pl.DataFrame:
    """Move states to the clock of their flow, which begins after what its test omitted (iperf3 -O).

    A log that began later than its flow, or while the flow's first seconds were omitted, is moved
    by the dates in both logs. Only where its states then lie within the flow: dates without a zone
    may be hours off. Else it is taken to begin with the connection, before what was omitted.
    """
    if state.is_empty():
        return state
    key = ["run_id", "flow_id"]
    ends = interval.group_by("file_id", "stream", maintain_order=True).agg(end_s=pl.max("t_end_s"))
    known = streams.filter(pl.col("run_id").is_not_null())
    omit_s = pl.col("options").str.json_path_match("$.omit_s").cast(pl.Float64, strict=False)
    omitted = known.group_by(key, maintain_order=True).agg(omit_s=omit_s.max().fill_null(0.0))
    flow = known.filter("counts").join(ends, on=["file_id", "stream"])
    flow = flow.select(*key, "end_s", began_s="start_epoch_s", of_zone="zone")
    flow = flow.unique(key, keep="first", maintain_order=True)
    after_s = pl.col("start_epoch_s") - pl.col("began_s")
    by_dates = pl.col("zone").eq_missing(pl.col("of_zone")) & after_s.is_between(
        -EARLY_S - pl.col("omit_s"), pl.col("end_s")
    )
    formats = {e.file_id: FORMATS[e.format] for e in entries if e.format in FORMATS}
    of_flows = [file_id for file_id, module in formats.items() if module.CLOCK == "flow"]
    moves = (
        known.filter(pl.col("file_id").is_in(of_flows))
        .join(interval, on=["file_id", "stream"], how="anti")
        .join(flow, on=key, how="left", maintain_order="left")
        .join(omitted, on=key, how="left", maintain_order="left")
        .select(
            *("file_id", "stream"),
            after_s=pl.when(by_dates).then(after_s).otherwise(-pl.col("omit_s")),
        )
        .filter(pl.col("after_s") != 0)
    )
    if moves.is_empty():
        return state
    moved = state.join(moves, on=["file_id", "stream"], how="left", maintain_order="left")
    moved = moved.with_columns(pl.col("t_s") + pl.col("after_s").fill_null(0.0))
    return moved.drop("after_s")


def _flows_without_sample(
    flows: list[Flow], streams: pl.DataFrame, interval: pl.DataFrame, traced: set[str]
) -> dict[str, int]:
    """Return {run: its first flow of which no log holds a sample}.

    Not of `traced` runs, of which nothing but traces of queues and senders is there.
    """
    having = streams.join(interval, on=["file_id", "stream"], how="semi")
    found = set(having.select("run_id", "flow_id").rows())
    silent: dict[str, int] = {}
    for flow in flows:
        if flow.run_id not in traced and (flow.run_id, flow.flow_id) not in found:
            silent.setdefault(flow.run_id, flow.flow_id)
    return silent


def _silence(run_id: str, flow: int, has_total: bool) -> tuple[str, str]:
    """Say why a flow has no sample, and what to do.

    Of a test among several in a log ('server.log#2') nothing can be added or made again.
    """
    problem = f"no log of the run holds a sample of flow {flow}"
    remedy = (
        "add the log of the flow's receiver (iperf -s -i 1), or delete the run so that it is made "
        "again"
    )
    if re.search("#[0-9]+$", run_id):
        remedy = (
            "set 'on_error: quarantine' in dataset.yml, which leaves out this test alone, or cut "
            "the test from the log"
        )
    if has_total:
        problem += ", only a final report (iperf without -i): it says nothing of the steady state"
        remedy = f"measure again with -i 1; or {remedy}"
    return problem, remedy


def _refuse_silent(folder: Path, silent: dict[str, int], totals: set[tuple]) -> None:
    for run_id, flow in silent.items():
        problem, remedy = _silence(run_id, flow, (run_id, flow) in totals)
        raise DataError(problem, path=folder / run_id, remedy=remedy)


def _runs_without_flow(
    runs: list[Run],
    flows: list[Flow],
    groups: Mapping[str, Group],
    traced: set[str],
    silence: Mapping[int, str],
) -> dict[str, str]:
    """Return {run: why it has no flow}, of runs of tests that measured nothing."""
    having = {flow.run_id for flow in flows} | traced
    found = {}
    for run in runs:
        if run.run_id not in having:
            files = groups[run.run_id].files
            first = next((e for e in files if e.file_id in silence), None)
            if first is not None:
                found[run.run_id] = f"{first.path}: {silence[first.file_id]}"
    return found


def _refuse_flowless(folder: Path, flowless: Mapping[str, str]) -> None:
    for run_id, problem in flowless.items():
        remedy = "measure it again, or delete its log; 'on_error: quarantine' leaves it out"
        raise DataError(problem, path=folder / run_id, remedy=remedy)


class SharedId(NamedTuple):
    """A drop in a run whose flow id is a flow's, and another connection's too."""

    run_id: str
    path: str  # of the log
    line: int
    problem: str


def _shared_flow_ids(entries: list[Entry], flows: list[Flow], drop: pl.DataFrame) -> list[SharedId]:
    """Return the first drop of each run whose flow id is a flow's, and another connection's too.

    Only where the log has nothing else to tell connections apart by; background traffic, which is
    no flow of the run, may share an id.
    """
    if drop.is_empty():
        return []
    known = {(flow.run_id, flow.flow_id) for flow in flows}
    doubtful = drop.filter(pl.col("connections") > 1, pl.col("stream").is_null())
    first = doubtful.sort("file_id", "line").unique(
        ["file_id", "flow_id"], keep="first", maintain_order=True
    )
    found: dict[str, SharedId] = {}
    for row in first.sort("file_id", "line").rows(named=True):
        entry = entries[row["file_id"]]
        if (entry.run_id, row["flow_id"]) in known:
            problem = f"flow id {row['flow_id']} is that of {row['connections']} connections"
            shared = SharedId(entry.run_id, entry.path, row["line"], problem)
            found.setdefault(entry.run_id, shared)
    return list(found.values())


def _refuse_shared(folder: Path, shared: list[SharedId]) -> None:
    for drop in shared:
        remedy = (
            "give each flow an id of its own, and background traffic others ($agent set fid_ N), "
            "and make the run again"
        )
        raise DataError(drop.problem, path=folder / drop.path, line=drop.line, remedy=remedy)


def _said(row: Mapping[str, Any]) -> str:
    """Return why a line is rejected, and how it begins."""
    return f"{row['reason']}: '{row['text'][:80]}'"


def _refuse_wrong_format(
    folder: Path, entries: list[Entry], fate: pl.DataFrame, rejected: pl.DataFrame
) -> None:
    """Refuse a declared format as which not one line of a file can be read."""
    read = set(fate.filter(pl.col("fate").is_in(["sample", "summary"]))["file_id"])
    for row in rejected.unique("file_id", keep="first", maintain_order=True).rows(named=True):
        entry = entries[row["file_id"]]
        line = entry.declared_line
        if line is not None and row["file_id"] not in read:
            if FORMATS[entry.format].SIGNATURE is None:  # nothing else could detect it
                problem = f"no line can be read; this is the first: {_said(row)}"
                remedy = "correct the file so, or name it with 'format: ignore' in dataset.yml"
                path = folder / entry.path
                raise DataError(problem, path=path, line=row["line"], remedy=remedy)
            problem = (
                f"'format: {entry.format}' for {entry.path}, of which no line can be read so "
                f"(line {row['line']}: {_said(row)})"
            )
            remedy = "leave 'format:' out and the format is detected, or say 'format: ignore'"
            raise DataError(problem, path=folder / "dataset.yml", line=line, remedy=remedy)


def _refuse_rejected(folder: Path, entries: list[Entry], rejected: pl.DataFrame) -> None:
    if rejected.is_empty():
        return
    first = rejected.row(0, named=True)
    others = f" ({len(rejected) - 1} more such lines)" if len(rejected) > 1 else ""
    problem = f"{_said(first)}{others}"
    remedy = (
        "restore the log or delete its run so that it is made again; to leave such lines out and "
        "list them in the ledger set 'on_error: quarantine' in dataset.yml"
    )
    path = folder / entries[first["file_id"]].path
    raise DataError(problem, path=path, line=first["line"], remedy=remedy)
