"""Runs that are left out, and what is refused of a run: an error, or its reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from math import isclose
from pathlib import Path
from typing import Any

from ..errors import DataError, did_you_mean
from ..formats import EXCLUDED, LEFT_OUT, UNREADABLE, WITH_ITS_RUN
from ..packets import HEADER_BYTES
from ..places import WHERE_DOCS
from .entities import Description, Entry, Row, Stream

BUFFERS = ("buffer_pct", "buffer_bdp", "buffer_bytes", "buffer_packets")
# bytes: packets of ns-2 and Ethernet, and jumbo frames; those in a queue need not be as large as
# the segments that a log has (offloading)
USUAL_PACKETS = [1000, 1500, 9000]


def leave_out(files: list[Entry], problem: str) -> None:
    """Mark the files of a run so that nothing of it is read: half a run has no fairness."""
    for entry in files:
        if entry.readable:
            entry.format, entry.problem = LEFT_OUT, f"{WITH_ITS_RUN}{problem}"


def leave_out_run(run_id: str, files: list[Entry], problem: str) -> None:
    """Leave a run out, with its logs where they hold no other run."""
    if all(entry.run_id == run_id for entry in files):
        leave_out(files, problem)
    for entry in files:
        entry.left_out_runs[run_id] = problem


def exclude_run(run_id: str, files: list[Entry], dataset: Description) -> None:
    """Leave a run out because dataset.yml says so; of its files no other problem matters."""
    for entry in files:
        if entry.format == UNREADABLE:
            entry.format, entry.readable = None, True  # of `leave_out`
    leave_out_run(run_id, files, f"{EXCLUDED}{dataset.exclude[run_id]}")


def no_run(folder: Path, entries: list[Entry], n_files: int) -> DataError:
    """Return the error of a data set whose dataset.yml describes runs and that has none."""
    broken = next((e for e in entries if e.problem), None)
    if broken is None:
        remedy = (
            f"put logs into it (docs/reference/formats.md lists what can be read; {WHERE_DOCS})"
        )
        problem = f"the data set has no run: none of its {n_files} files is a log"
        return DataError(problem, path=folder, remedy=remedy)
    problem = f"every run of the data set is left out; {broken.path}: {broken.problem}"
    return DataError(problem, path=folder, remedy="repair or replace the runs")


def refuse_logs_of_nothing(
    folder: Path,
    files: list[Entry],
    members: dict[int, list[Stream]],
    nothing: Mapping[int, tuple[int | None, str]],
    is_described: bool,
) -> None:
    """Refuse the log of a flow that is there, but gives nothing of it."""
    for entry in files:
        if not is_described or entry.flow_id in (None, *members) or entry.file_id not in nothing:
            continue
        line, why = nothing[entry.file_id]
        name = entry.path.rpartition("/")[2]
        problem = f"the log of flow {entry.flow_id}, {name}, gives nothing of it: {why}"
        remedy = "correct or replace the log, or leave its run out (exclude: in dataset.yml)"
        raise DataError(problem, path=folder / entry.path, line=line, remedy=remedy)


def refuse_missing_flows(
    where: Path,
    dataset: Description,
    declared: set[int],
    logged: set[int],
    by_row: Mapping[int, str],
) -> None:
    for flow in sorted(declared - logged):
        # a number, or text where it is between quotes
        lines = [dataset.lines.get(("flows", key)) for key in (flow, str(flow))]
        line = next(filter(None, lines), None)
        by_key = f", which line {line} of {dataset.path.name} names" if line else ""
        named = by_row.get(flow, by_key)
        problem = f"the run has no log of flow {flow}{named}"
        remedy = "add the log, or delete the run so that it is made again"
        if named:
            remedy = f"correct the number of the flow in that line if it is wrong; else {remedy}"
        raise DataError(problem, path=where, remedy=remedy)


def refuse_shared_ids(where: Path, streams: list[Stream], declared: set[int]) -> None:
    """Refuse a trace in which several connections have the id of a flow that somebody described.

    Nothing then says which of them is meant. Without a description they are told apart by address.
    The labels of logs on a flow's own clock are no ids: iperf numbers its sockets.
    """
    ends: dict[tuple, set] = defaultdict(set)
    for stream in streams:
        label = str(stream.label)
        numbered = stream.clock == "run" and label.isdigit()
        if stream.flow_id is None and numbered and stream.local:
            ends[stream.file_id, int(label)].add((stream.peer, stream.local))
    for (_, number), pairs in sorted(ends.items()):
        if len(pairs) > 1 and number in declared:
            named = " and ".join(" > ".join(pair) for pair in sorted(pairs)[:2])
            problem = f"flow id {number} is that of {len(pairs)} connections: {named}"
            remedy = "give each flow an id of its own ($agent set fid_ N) and make the run again"
            raise DataError(problem, path=where, remedy=remedy)


def refuse_unknown_runs(
    folder: Path, dataset: Description, table: dict[str, list[Row]], run_ids: list[str]
) -> None:
    """Refuse runs of runs.csv, or under `exclude`, of which there is no file."""
    of_rows = {run: rows[0].line for run, rows in table.items()}
    excluded = {run: dataset.lines.get(("exclude", run)) for run in dataset.exclude}
    for runs, path in ((of_rows, dataset.runs or ""), (excluded, dataset.path.name)):
        for run, line in runs.items():
            if run not in run_ids:
                problem = f"there are no files of the run '{run}'"
                remedy = did_you_mean(run, run_ids)
                raise DataError(problem, path=folder / path, line=line, remedy=remedy)


def refuse_two_buffers(
    where: Path, settings: Mapping[str, Any], segments: Collection[int | None]
) -> None:
    """Refuse a buffer that is given twice, in two units of one kind, with unlike numbers.

    One of them would be dropped. Where one is a part of the bandwidth-delay product and the other
    is not, `checks.bottleneck.contradicting_buffers` compares them.

    Args:
        where: the run.
        settings: of it, from all sources.
        segments: payload of the segments of its flows, bytes, as far as it is known.
    """
    said = {key: settings[key] for key in BUFFERS if settings.get(key) is not None}
    part = [said[key] / of for key, of in (("buffer_pct", 100), ("buffer_bdp", 1)) if key in said]
    size = [said[key] for key in ("buffer_bytes", "buffer_packets") if key in said]
    unlike = len(part) == 2 and not isclose(*part, rel_tol=1e-3)
    if len(size) == 2 and any(size):
        known = [settings["mss_bytes"]] if settings.get("mss_bytes") else segments
        packets = [*(n + HEADER_BYTES for n in known if n), *USUAL_PACKETS]
        a_packet = size[0] / size[1] if size[1] else 0
        unlike |= not any(isclose(a_packet, n, rel_tol=0.1) for n in packets)
    if unlike:
        given = " and ".join(f"{key} {value:g}" for key, value in said.items())
        problem = f"two buffers are given: {given}"
        remedy = "give one of them (dataset.yml, runs.csv, the path or run.json)"
        raise DataError(problem, path=where, remedy=remedy)
