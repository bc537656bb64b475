"""What a folder without dataset.yml is: settings from names (`names`), runs from names and logs.

Logs whose names tell run and flow are grouped by them, unless the dates in the logs say otherwise.
The others are grouped by their content: connections that overlap in time are one run; logs without
dates, of different hosts and with equally many tests, are paired in their order; what is left is a
run of its own. A wrong grouping is worse than none.

Every guess is an assumption: it is listed in the report with the lines for dataset.yml that say
the same, so that it can be corrected.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from .assumptions import row
from .dataset import ENDS, cca_of_flow, run_of_path, scenario_of_path, split_tests
from .flows import Group, leave_out
from .formats import FORMATS, RUN_RECORD, UNREADABLE
from .names import DATE, DIFFERENT, place

OVERLAP = 0.5  # of the shorter of two connections: so much must be common to be one run


class Unit(NamedTuple):
    """The connections of a log that ran at the same time."""

    entry: dict
    episode: int
    streams: list[dict]
    start_s: float | None  # since 1970
    length_s: float


def infer_runs(
    entries: list[dict],
    of_file: dict[int, list[dict]],
    interval: pl.DataFrame,
    over: Sequence[str] = (),
) -> tuple[dict[str, Group], list[dict]]:
    """Group the logs of a data set that nobody described to runs.

    Args:
        entries: what `inventory` returned; settings, flows and runs are filled in.
        of_file: the parsed streams by file_id.
        interval: the parsed intervals.
        over: placeholders that tell repeats apart, as dataset.yml says (`pool_over`).

    Returns:
        The runs, and how they were found (rows of the table `assumption`).
    """
    ends = interval.group_by("file_id", "stream").agg(pl.max("t_end_s")).rows()
    length_s = {(file_id, stream): end for file_id, stream, end in ends}
    logs = [e for e in entries if e["readable"] and e["format"] in FORMATS]
    broken = [e for e in entries if e["format"] == UNREADABLE]
    place([*logs, *broken], {i: _host(streams) for i, streams in of_file.items() if streams})
    of_flow = cca_of_flow([(e["template"], e["values"]) for e in logs])
    for e in (*logs, *broken):
        path = (e["template"], e["values"], e["template"] in of_flow)
        e["pattern_run"], e["scenario_id"] = run_of_path(*path), scenario_of_path(*path, over)
    records = [e for e in logs if e["format"] == RUN_RECORD]
    runs, assumptions = find_runs([e for e in logs if e not in records], of_file, length_s)
    for record in records:  # of the run in its folder
        for files, _ in runs.values():
            if _folder(record) in map(_folder, files):
                files.append(record)
    _drop_flow_labels(runs)
    runs = _named_as_patterns(runs, logs, of_file)
    in_runs: dict[str, list[str]] = defaultdict(list)
    for name, (files, _) in runs.items():
        for entry in files:
            in_runs[entry["path"]].append(name)
    for entry in entries:
        of_entry = in_runs.get(entry["path"], [])
        entry["run_id"] = of_entry[0] if len(of_entry) == 1 else None
    for entry in broken:
        _place_broken(entry, runs)
    return {name: Group(*run, _scenario(name, run[0])) for name, run in runs.items()}, assumptions


def _scenario(run_id: str, files: list[dict]) -> str | None:
    """Return the scenario that the names of a run's logs say, where it is the names' run."""
    by_names = all(e.get("pattern_run") == run_id for e in files if e["format"] != RUN_RECORD)
    return files[0]["scenario_id"] if by_names else None


def _host(streams: list[dict]) -> str | None:
    """Return the address of the host that wrote a log, where all its connections have one."""
    hosts = {(s["local"] or "").rpartition(":")[0] for s in streams}
    return hosts.pop() or None if len(hosts) == 1 else None


def _place_broken(entry: dict, runs: dict[str, tuple[list[dict], list[dict]]]) -> None:
    """Leave the run of an unreadable log out, unless another log has its flow."""
    run_id, flow = entry["pattern_run"], entry["flow_id"]
    if run_id not in runs or flow is None:
        return
    files, _ = runs[run_id]
    if not any(e["flow_id"] == flow for e in files):
        leave_out(files, f"{entry['path']}: {entry['problem']}")
        del runs[run_id]


def _drop_flow_labels(runs: dict[str, tuple[list[dict], list[dict]]]) -> None:
    """Take from the settings what differs among the logs of one run: it names hosts or flows."""
    keep = ("cca", "start_s", "rtt_ms")
    labels = set()
    for files, _ in runs.values():
        for key in {key for e in files for key in e["settings"]} - set(keep):
            if len({e["settings"].get(key) for e in files if e["flow_id"] is None}) > 1:
                labels |= {(e["template"], key) for e in files}
    for files, _ in runs.values():
        for entry in files:
            for key in [k for k in entry["settings"] if (entry["template"], k) in labels]:
                del entry["settings"][key]


def find_runs(
    entries: list[dict], of_file: dict[int, list[dict]], length_s: dict[tuple[int, int], float]
) -> tuple[dict[str, tuple[list[dict], list[dict]]], list[dict]]:
    """Group placed logs to runs: for every run its logs and streams; and the assumptions made."""
    units = {e["file_id"]: _units(e, of_file.get(e["file_id"], []), length_s) for e in entries}
    named, found = _by_names(entries, units)
    runs: dict[str, tuple[list, list]] = {
        name: (files, [s for e in files for s in of_file.get(e["file_id"], [])])
        for name, files in named.items()
    }
    taken = {e["file_id"] for files in named.values() for e in files}
    others = [e for e in entries if e["file_id"] not in taken]
    tests = {e["path"]: max((u.episode for u in units[e["file_id"]]), default=1) for e in others}
    for groups, how, because in _joined([u for e in others for u in units[e["file_id"]]]):
        for group in groups:
            files = list({u.entry["path"]: u.entry for u in group}.values())
            name = _run_name(group, tests)
            if name in runs:
                name = " + ".join(e["path"] for e in files) + f"#{group[0].episode}"
            runs[name] = (files, [s for u in group for s in u.streams])
            if len(files) == 1 and "host" in files[0]["values"] and _is_shared(files[0], entries):
                files[0]["settings"]["host"] = files[0]["values"]["host"]  # no repeats of others
            _drop_flows_claimed_twice(files)
        if groups:
            found.append(row("runs", f"{len(groups)}, {how}", because))
    for e in others:  # queue monitors, states of hosts: they belong to the run beside them
        if not units[e["file_id"]]:
            beside = [n for n, (files, _) in runs.items() if _folder(e) in map(_folder, files)]
            if FORMATS[e["format"]].TOOL in ("iperf", "iperf3"):
                leave_out([e], "the log holds no report of an interval (iperf -i 1 writes them)")
            elif len(beside) == 1:
                runs[beside[0]][0].append(e)
    return runs, found


def _by_names(
    entries: list[dict], units: dict[int, list[Unit]]
) -> tuple[dict[str, list[dict]], list[dict]]:
    """Group the logs of one test whose names tell run and flow, where no date contradicts."""
    groups: dict[str, list[dict]] = defaultdict(list)
    for e in entries:
        values, tests = set(e["values"]), [u.episode for u in units[e["file_id"]]]
        labelled = bool(values & {"run", "repeat", *DIFFERENT})
        ended = "side" in values if "host" not in values else labelled
        if max(tests, default=1) == 1 and (e["flow_id"] is not None or ended):
            groups[e["pattern_run"]].append(e)
    named, apart = {}, 0
    for name, files in groups.items():
        its_units = [u for e in files for u in units[e["file_id"]]]
        flows = {e["flow_id"] for e in files}
        dated = bool(its_units) and all(u.start_s is not None for u in its_units)
        if len(flows) == 1 and dated:
            continue  # another flow may have run beside it
        if _apart(its_units):
            apart += 1
        else:
            named[name] = files
    found = []
    if named:
        found.append(row("runs", f"{len(named)}, by the files' names", "they tell flows apart"))
    if apart:
        because = "the dates in their logs say that they did not run together"
        found.append(row("runs", f"{apart} that names suggest are not taken as such", because))
    return named, found


def _is_shared(entry: dict, entries: list[dict]) -> bool:
    """Return whether the pattern of a log would put it into one run with others."""
    return sum(e["pattern_run"] == entry["pattern_run"] for e in entries) > 1


def _drop_flows_claimed_twice(files: list[dict]) -> None:
    """Forget the flows that names give where logs that ran together have the same one."""
    flows = [(e["flow_id"], e["values"].get("side")) for e in files]
    if len(set(flows)) < len(flows):
        for e in files:
            e["flow_id"] = None


def _apart(units: list[Unit]) -> bool:
    """Return whether dates say that units did not run together."""
    dated = sorted((u for u in units if u.start_s is not None), key=lambda u: u.start_s)
    return any(
        later.start_s > max(u.start_s + u.length_s for u in dated[:i]) + 1
        for i, later in enumerate(dated)
        if i
    )


def _units(entry: dict, streams: list[dict], length_s: dict) -> list[Unit]:
    episodes: dict[int, list[dict]] = defaultdict(list)
    for stream in streams:
        if (stream["file_id"], stream["stream"]) in length_s:  # else refused, or busy
            episodes[stream["episode"]].append(stream)
    found = []
    for episode, of_episode in episodes.items():
        starts = [s["start_epoch_s"] for s in of_episode]
        start = None if None in starts else min(starts)
        length = max(
            length_s.get((s["file_id"], s["stream"]), 0.0) + (s["start_s"] or 0.0)
            for s in of_episode
        )
        found.append(Unit(entry, episode, of_episode, start, length))
    return found


def _joined(units: list[Unit]) -> list[tuple[list[list[Unit]], str, str]]:
    """Join units to runs: (runs, how, why) for each way in which they were found."""
    dated = [u for u in units if u.start_s is not None]
    runs: list[list[Unit]] = []
    for unit in sorted(dated, key=lambda u: (u.start_s, u.entry["path"])):
        match = next((g for g in reversed(runs) if _together(g, unit)), None)
        if match:
            match.append(unit)
        else:
            runs.append([unit])
    pairs, alone = _in_order([u for u in units if u.start_s is None])
    whole = [u for u in alone if len(u.streams) > 1]
    single = [u for u in alone if len(u.streams) == 1]
    return [
        (
            runs,
            "connections that overlap in time are one run",
            "the logs give the date of each connection",
        ),
        (
            pairs,
            "the tests of the logs are paired in their order",
            "the logs have no dates, and equally many tests of equal length",
        ),
        ([[u] for u in whole], "each log, or test in it, is one", "it holds several flows"),
        (
            [[u] for u in single],
            "each log, or test in it, by itself",
            "no name and no date tells what ran together",
        ),
    ]


def _in_order(units: list[Unit]) -> tuple[list[list[Unit]], list[Unit]]:
    """Pair the tests of undated logs of different hosts or flows, where they are equally many."""
    of_run: dict[str, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    for unit in units:
        path = unit.entry["path"]
        ended = any(ENDS.fullmatch(key) for key in unit.entry["values"])
        of_run[unit.entry["pattern_run"] if ended else path][path].append(unit)
    pairs, alone = [], []
    for of_file in of_run.values():
        files = list(of_file.values())
        several = len(files) > 1 and len({len(f) for f in files}) == 1 and len(files[0]) > 1
        if several and all(_alike(tests) for tests in zip(*files, strict=True)):
            pairs += [list(tests) for tests in zip(*files, strict=True)]
        else:
            alone += [u for f in files for u in f]
    return pairs, alone


def _together(group: list[Unit], unit: Unit) -> bool:
    """Return whether a unit ran beside all of a group, in another log, under the same labels."""
    for other in group:
        if other.entry is unit.entry or _labels(other.entry) != _labels(unit.entry):
            return False
        if _ends(other) & _ends(unit):
            return False  # the same connection: a copy of the log
        begin = max(other.start_s, unit.start_s)
        end = min(other.start_s + other.length_s, unit.start_s + unit.length_s)
        if end - begin < OVERLAP * min(other.length_s, unit.length_s):
            return False
    return True


def _ends(unit: Unit) -> set[tuple]:
    return {(s["side"], s["local"], s["peer"]) for s in unit.streams if s["local"]}


def _labels(entry: dict) -> tuple:
    """Return what a name says of its run; a bare number ('out_0012') may count logs instead."""
    values = entry["values"]
    date = re.fullmatch(DATE, values.get("run", "")[:40], re.IGNORECASE)
    return values.get("repeat"), date[0] if date and len(date[0]) > len("20240315") else None


def _alike(tests: tuple[Unit, ...]) -> bool:
    lengths = [u.length_s for u in tests]
    return max(lengths) - min(lengths) <= 0.2 * max(lengths)


def _named_as_patterns(runs: dict, entries: list[dict], of_file: dict) -> dict:
    """Give runs the ids that they have with the templates as patterns in dataset.yml."""
    by_run: dict[str, list[dict]] = defaultdict(list)
    for e in entries:
        by_run[e["pattern_run"]] += of_file.get(e["file_id"], [])
    patterns = {}
    for base, streams in by_run.items():
        for run_id, of_run in (split_tests(base, streams) or {}).items():
            patterns[_key(of_run)] = run_id
    wanted = {run_id: patterns.get(_key(streams), run_id) for run_id, (_, streams) in runs.items()}
    taken = list(wanted.values())
    return {
        wanted[run_id] if taken.count(wanted[run_id]) == 1 else run_id: run
        for run_id, run in runs.items()
    }


def _key(streams: list[dict]) -> frozenset:
    return frozenset((s["file_id"], s["stream"]) for s in streams)


def _run_name(group: list[Unit], tests: dict[str, int]) -> str:
    """Name a run by its logs; of logs with several tests, with the number of the test."""
    paths = sorted({u.entry["path"] for u in group})
    first = min(group, key=lambda u: u.entry["path"])
    if tests[first.entry["path"]] == 1:
        return " + ".join(paths[:2]) + (f" + {len(paths) - 2} more" if len(paths) > 2 else "")
    head = _common(paths)
    tail = _common([path[len(head) :][::-1] for path in paths])[::-1]
    return f"{head}*{tail}#{first.episode}" if len(paths) > 1 else f"{head}#{first.episode}"


def _common(texts: list[str]) -> str:
    shortest = min(texts, key=len)
    for i, char in enumerate(shortest):
        if any(text[i] != char for text in texts):
            return shortest[:i]
    return shortest


def _folder(entry: dict) -> str:
    return entry["path"].rpartition("/")[0]
