"""What was assumed of a data set, and the lines for dataset.yml that say it, or say it better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import polars as pl

from ..confirmed import confirming, quoted, sentence
from ..formats import (
    COPY,
    FORMATS,
    HIDDEN,
    LEFT_OUT,
    METADATA,
    NO_LOGS,
    UNREADABLE,
    WITH_ITS_RUN,
)
from ..markdown import first_of
from .assumed_repeats import list_factors, list_misnumbered, list_pairings, list_repeats
from .assumed_settings import (
    list_doubtful_words,
    list_guessed_settings,
    list_half_pairs,
    list_mentions,
    list_overruled_pairs,
    list_unread_settings,
)
from .described.patterns import path_pattern, renamed
from .entities import (
    DEFAULT,
    GUESS,
    JOINED,
    LOGS_SAY,
    NAMES_SAY,
    WINDOW,
    Assumption,
    Description,
    Entry,
    Flow,
    Run,
    Settled,
    Span,
)
from .episodes import split_tests
from .ignoring import ignoring_patterns
from .offered import csv_line, own_numbers, patterns_of
from .traces import is_trace

TCP = ("tcp", None)  # a log that does not name its protocol is of TCP: iperf's CSV, traces of ns-3
MISSING = {  # setting: what it is needed for
    "bottleneck_mbps": "utilisation, and the check of the flows' sum against the link",
    "rtt_ms": "the bandwidth-delay product, and surfaces over the round-trip time",
}


def settled(rows: Iterable[Assumption], confirmed: Collection[str]) -> list[Assumption]:
    """Return what dataset.yml does not confirm, each row with a line that settles it.

    Where its own lines are to be filled in first, or there are none, the line confirms it.

    Args:
        rows: what was assumed.
        confirmed: the sentences of dataset.yml.
    """
    known, left = {*confirmed}, []
    for row in rows:
        said = sentence(row.what, row.value)
        if said in known:
            continue
        if not is_active(row.yaml):
            row = row._replace(yaml="\n".join(filter(None, [confirming(said), row.yaml])))
        left.append(row)
    return left


def is_active(yaml: str | None) -> bool:
    """Return whether lines of dataset.yml say something that is no comment."""
    return any(line and not line.startswith("#") for line in (yaml or "").splitlines())


def folder_title(name: str) -> str:
    """Return the line of dataset.yml that makes a folder's name the title."""
    return f"title: {quoted(name)}"


def list_assumptions(
    name: str,
    dataset: Description,
    entries: list[Entry],
    runs: list[Run],
    flows: list[Flow],
    sides: Mapping[str, int],
    files_yaml: str = "",
    spans: Mapping[str, Span] = MappingProxyType({}),
) -> list[Assumption]:
    """List what the data set does not say.

    Args:
        name: of the folder.
        dataset: what `read_dataset` returned.
        entries: the inventory, placed.
        runs, flows: those of the data set, settled (`shares.settle_share`).
        sides: of how many flows the reports of each side count.
        files_yaml: the lines that `describe_files` proposes; empty where dataset.yml has its own.
        spans: when runs with dates began and ended; none of a data set that is described.
    """
    rows = []
    if not dataset.title:
        because = "the folder's name"
        rows.append(Assumption("title", name, because, folder_title(name), NAMES_SAY))
    logs = [e for e in entries if e.readable and e.format in FORMATS]
    platforms = {FORMATS[e.format].PLATFORM for e in logs} - {None}
    if not dataset.platform:
        because, several = "the formats of the logs", sorted(platforms)
        platform = " or ".join(several) or "other"
        yaml = f"platform: {platform}" if len(several) < 2 else ""
        certainty = LOGS_SAY if several else GUESS
        rows.append(Assumption("platform", platform, because, yaml, certainty))
    unread = list_unread_settings(entries, runs, flows) if files_yaml else []
    rows += _missing_settings(runs, flows, {row.what for row in unread}, entries)
    rows += _flows(flows)
    rows += list_repeats(entries, runs, files_yaml, spans)
    rows += list_factors(entries, runs)
    rows += list_guessed_settings(entries, files_yaml)
    rows += list_doubtful_words(entries, runs) if files_yaml else []
    rows += list_half_pairs(entries, flows, files_yaml)
    rows += list_overruled_pairs(entries, files_yaml)
    rows += unread
    rows += list_pairings(runs, files_yaml)
    rows += list_misnumbered(runs)
    left_out = {k: v for e in entries for k, v in e.left_out_runs.items()}
    rows += [
        Assumption("left out", run, problem, "", LOGS_SAY, JOINED)
        for run, problem in sorted(left_out.items())
    ]
    n, total = sides.get("sender", 0), sum(sides.values())
    if n:
        because = "there is no receiver's report: what a sender wrote may still be in its buffer"
        part = f" of {n:,} of {total:,} flows" if n < total else ""
        rows.append(Assumption("side", f"the sender's report counts{part}", because, "", LOGS_SAY))
    return rows


def list_zones(streams: pl.DataFrame) -> list[Assumption]:
    """Return the row on dates of zones whose offset from UTC is not known, where there are any.

    Args:
        streams: the parsed streams, with the run that each belongs to.
    """
    dated = streams.drop_nulls(["start_epoch_s", "run_id"])
    local = dated.drop_nulls("zone")
    if local["file_id"].n_unique() < 2 and len(local) == len(dated):
        return []
    zones = local["zone"].unique().sort().to_list()
    names = " or ".join(f"in {zone}" if zone else "without a zone" for zone in zones)
    if len(zones) > 1 or len(local) < len(dated):
        value = f"dates {names} are not compared with others"
    else:
        value = f"dates {names} are of one clock"
    because = "no log says how far they are from UTC: TZ=UTC on every host leaves no doubt"
    return [Assumption("dates", value, because, "", GUESS, JOINED)] if zones else []


IGNORING = ", format: ignore}"  # at the end of a pattern of such files
TRACE_OF_RUNS = "a trace holds connections of several runs"
MAX_NAMES = 12  # of flows
MAX_IGNORED = 40  # patterns of files that are no logs


def describe_files(
    entries: list[Entry],
    streams: Sequence[Settled],
    rejected: bool,
    hollow: Collection[int] = (),
) -> Assumption:
    """Return the row that says in dataset.yml what belongs to which run, as it was found.

    By patterns where these give the same runs and flows; else by a table of files, or of runs where
    a log holds several, which the row shows as comments.

    Args:
        entries: the inventory, placed, after runs were left out.
        streams: the settled streams.
        rejected: whether a log has a line that could not be read.
        hollow: file_id of logs of which one test of several has no report. With patterns or a table
            each test is a run, and is left out; beside other logs all of that run would be.
    """
    of_file: dict[int, list[Settled]] = {}
    for stream in streams:
        of_file.setdefault(stream.file_id, []).append(stream)
    logs = [e for e in entries if e.template and e.format in FORMATS]
    unknown, unreadable, left_out = (
        [e for e in entries if e.format in fates] for fates in (NO_LOGS, (UNREADABLE,), (LEFT_OUT,))
    )
    several = any(e.left_out_runs for e in entries)
    quarantine = bool(rejected or left_out or unreadable or several or hollow)
    head = ["on_error: quarantine"] if quarantine else []
    # the logs of a run that is left out may stay: it is left out again
    kept = {e.pattern_run for e in logs}
    # a log that is left out by itself is of no run: of no name that a run has
    with_run = {e.pattern_run for e in left_out if (e.problem or "").startswith(WITH_ITS_RUN)}
    staying = [e for e in (*left_out, *unreadable) if e.pattern_run in with_run - kept]
    templates = patterns_of([*logs, *staying])
    beside = [e for e in (*unknown, *left_out, *unreadable) if e not in staying]
    otherwise = _otherwise([*logs, *staying], beside, head, entries)
    forgotten = any("flow" in e.values and e.flow_id is None for e in logs)
    n_logs = Counter(key for e in logs for key in {e.pattern_run, e.run_id})
    mixed = any(
        e.file_id in hollow and max(n_logs[e.pattern_run], n_logs[e.run_id]) > 1 for e in logs
    )
    alike = not (forgotten or mixed) and _runs_by_pattern(logs, of_file) == _runs_as_settled(
        logs, streams
    )
    if templates and alike:
        lines = _file_lines(beside, templates, entries)
        named = sorted({key for e in logs for key in e.values})
        count = f"{len(templates)} pattern{'s' * (len(templates) != 1)} of logs"
        ignoring = sum(line.endswith(IGNORING) for line in lines)
        if ignoring:
            count += f", {ignoring} of files that are ignored"
        value = f"{count}; placeholders: {', '.join(named) or 'none'}"
        if otherwise[1:] == [f"# {line}" for line in (*head, *lines)]:
            otherwise = []  # these patterns say both
        text = "\n".join([*head, *lines, *otherwise])
        return Assumption("files", value, "the files' names", text, NAMES_SAY, JOINED)
    files = None if mixed else _table_of_files(logs, of_file)
    if files is None:
        what = _what_a_log_holds(logs, of_file)
        if mixed:
            what = "a log holds a test without a report"
        cut = "it into one a run" if what.startswith(TRACE_OF_RUNS) else "the logs into one a test"
        because = f"{what}; to pair them otherwise cut {cut}"
        columns = ["run", "flow", "cca"]
        table = sorted({(s.run_id, str(s.flow_id), "") for s in streams if s.run_id})
        head = []  # runs are found as before: a broken log stops nothing
    else:
        because = "the names do not tell what ran together"
        if not logs:
            because = "none of the files is a log that is read"
        elif not templates:
            because = "patterns of the names would read some of them otherwise"
        columns, table = files
        in_table = {row[0] for row in table}
        others = [e for e in entries if e.format in (*FORMATS, COPY, LEFT_OUT)]
        if without_row := [e for e in others if e.path not in in_table]:
            head += ["files:", *_ignored(without_row, entries)]
    shown = [f"    {csv_line(row)}" for row in (columns, *table)]  # all: what is copied must work
    lines = ["with a table runs.csv in the folder:", "runs: runs.csv", *head, "runs.csv:", *shown]
    text = "\n".join([*(f"# {line}" for line in lines), *otherwise])
    value = f"{len({s.run_id for s in streams} - {None}):,} runs by the logs' content"
    return Assumption("files", value, because, text, LOGS_SAY, JOINED)


OPPOSITES = {  # what was taken for granted of logs, and what to say if it is wrong
    True: "# if each host was measured by itself, these lines instead:",
    False: "# if the logs of one pattern ran together, these lines instead:",
}


def _otherwise(
    logs: list[Entry], beside: list[Entry], head: list[str], entries: list[Entry]
) -> list[str]:
    """Return the lines, as comments, that say the opposite of what names alone suggest.

    Logs have `otherwise` where that is so: which of their placeholders is another one then.
    """
    others = []
    for entry in logs:
        names = entry.otherwise or {}
        template = renamed(entry.template, names)
        values = {names.get(key, key): value for key, value in entry.values.items()}
        others.append(replace(entry, template=template, values=values))
    doubtful = [e.otherwise for e in logs if e.otherwise is not None]
    templates = patterns_of(others)
    if not doubtful or not templates:
        return []
    lines = [*head, *_file_lines(beside, templates, entries)]
    joined = any("run" in names.values() for names in doubtful)
    return [OPPOSITES[joined], *(f"# {line}" for line in lines)]


def _file_lines(beside: list[Entry], templates: list[str], entries: list[Entry]) -> list[str]:
    """Return the key `files:`: the patterns of logs, and of what lies next to them and is none."""
    ignored, rest = _ignored(beside, entries), []
    if len(ignored) > MAX_IGNORED:  # after the logs' patterns, one for all that is left
        patterns = [path_pattern(template) for template in templates]
        matched = [e for e in beside if any(p.fullmatch(e.path) for p in patterns)]
        ignored, rest = _ignored(matched, entries), [_ignore("**")]
    return ["files:", *ignored, *(f"  - path: {quoted(t)}" for t in templates), *rest]


def _ignored(some: list[Entry], entries: list[Entry]) -> list[str]:
    paths = {e.path for e in some}
    others = [e for e in entries if e.path not in paths and e.format not in (METADATA, HIDDEN)]
    patterns = ignoring_patterns(paths, [e.path for e in others])
    return [_ignore(pattern) for pattern in patterns]


def _ignore(pattern: str) -> str:
    return f"  - {{path: {quoted(pattern)}{IGNORING}"


def _runs_by_pattern(logs: list[Entry], of_file: dict[int, list[Settled]]) -> dict[str, set]:
    """Return the streams of the runs that logs are with their templates as patterns."""
    by_run: dict[str, list[Settled]] = {}
    for entry in logs:
        by_run.setdefault(entry.pattern_run, []).extend(of_file.get(entry.file_id, []))
    runs = {}
    for base, streams in by_run.items():
        for run_id, of_run in (split_tests(base, streams) or {base: []}).items():
            runs[run_id] = {(s.file_id, s.stream) for s in of_run}
    return runs


def _runs_as_settled(logs: list[Entry], streams: Sequence[Settled]) -> dict[str, set]:
    runs: dict[str, set] = {e.run_id: set() for e in logs if e.run_id}
    for stream in streams:
        if stream.run_id:
            runs.setdefault(stream.run_id, set()).add((stream.file_id, stream.stream))
    return runs


def _table_of_files(
    logs: list[Entry], of_file: dict[int, list[Settled]]
) -> tuple[list[str], list[tuple]] | None:
    """Return columns and rows of a runs.csv of files; None where a file has several runs."""
    of_file = {e.file_id: of_file.get(e.file_id, []) for e in logs}
    if any(len({s.run_id for s in streams}) > 1 for streams in of_file.values()):
        return None
    several = {s.run_id for of in of_file.values() if len(_flows_of(of)) > 1 for s in of}
    if several & {e.run_id for e in logs if e.flow_id is not None}:
        return None  # a row cannot say which flows a log holds beside those of other logs
    said = {e.file_id: e.found | e.settings for e in logs}
    keys = sorted({key for settings in said.values() for key in settings})
    table = []
    for entry in logs:
        flows = _flows_of(of_file[entry.file_id])
        flow = flows.pop() if len(flows) == 1 and entry.run_id not in several else None
        settings = [said[entry.file_id].get(key) for key in keys]
        table.append((entry.path, entry.run_id, flow, *settings))
    return ["path", "run", "flow", *keys], table


def _what_a_log_holds(logs: list[Entry], of_file: dict[int, list[Settled]]) -> str:
    """Say why a table of files cannot tell runs apart (`_table_of_files`)."""
    runs = [{s.run_id for s in of_file.get(e.file_id, [])} for e in logs]
    several = [entry for entry, of in zip(logs, runs, strict=True) if len(of - {None}) > 1]
    if several and all(map(is_trace, several)):
        return f"{TRACE_OF_RUNS} ({several[0].path})"
    if several:
        return "a log holds several tests"
    if any(len(of) > 1 for of in runs):
        return "a log holds a test that belongs to no run, such as one that is in it twice"
    return "a log holds several flows of a run that has other logs"


def _flows_of(streams: list[Settled]) -> set[int | None]:
    return {s.flow_id for s in streams}


def _missing_settings(
    runs: list[Run],
    flows: list[Flow],
    unread: Collection[str] = (),
    entries: Iterable[Entry] = (),
) -> list[Assumption]:
    """Row on the settings that no run has, and of which no name says a number that is not read.

    Those of which names say something else have a row each (`list_mentions`).

    A run has a round-trip time, too, if every flow of it that is compared has one.
    """
    lacking = [
        key
        for key in MISSING
        if key not in unread and all(run.settings.get(key) is None for run in runs)
    ]
    compared = [f for f in flows if not f.cross_traffic]
    timed = {f.run_id for f in compared} - {f.run_id for f in compared if f.rtt_ms is None}
    if timed and "rtt_ms" in lacking:
        lacking.remove("rtt_ms")
    buffers = {"buffer_bdp", "buffer_pct", "buffer_bytes", "buffer_packets"}
    unknown = all(run.settings.get(key) is None for run in runs for key in buffers)
    if unknown and buffers.isdisjoint(unread):
        lacking.append("buffer_pct")
    rows = list_mentions(lacking, entries, runs)
    lacking = [key for key in lacking if key not in {row.what for row in rows}]
    if lacking:
        because, yaml = "no name and no log says it", own_numbers(lacking)
        rows.append(Assumption(", ".join(lacking), "unknown", because, yaml, DEFAULT))
    return rows


def _flows(flows: list[Flow]) -> list[Assumption]:
    """Rows on the flows' congestion control, start and part in fairness."""
    of_tcp = [f for f in flows if f.protocol in TCP]
    unknown = sorted({f.flow_id for f in of_tcp if f.cca is None})
    starts: dict[float, set[int]] = {}  # that were assumed: the flows with each
    for f in flows:
        if f.start_from == "assumed" and (f.flow_id > 1 or f.start_s):
            starts.setdefault(f.start_s or 0.0, set()).add(f.flow_id)
    in_every_run = _in_every_run(flows)
    rows: list[Assumption] = []
    lines: dict[int, list[str]] = {}
    if unknown:
        because = "neither names nor logs say which congestion control it has"
        known = {f.flow_id for f in flows if f.cca is not None}
        if known & {*unknown}:  # under `flows:` it would be that of all runs
            because += " in all runs; a table runs.csv can say it (columns run, flow, cca)"
        rows.append(Assumption("cca", f"unknown for flow {_list(unknown)}", because))
        lines |= {flow: ["cca: cubic"] for flow in unknown[:4] if flow not in known}
    if starts:
        because = "no log says when it began: its clock is taken as that of the run"
        if any(starts):
            because += ", from which the seconds that iperf3 omitted (-O) are counted, too"
        said = [f"{s:.15g} for flow {_list(sorted(of))}" for s, of in sorted(starts.items())]
        value = ", ".join(said)
        rows.append(Assumption("start_s", value, because, certainty=GUESS, about=WINDOW))
        for flow in sorted(set().union(*starts.values()))[:4]:
            start_s = min(s for s, of in starts.items() if flow in of)
            lines.setdefault(flow, []).append(f"start_s: {start_s:.15g}")
    some = sorted({*lines} - in_every_run)
    if some:  # under `flows:` a run without it would lack a log
        because = rows[-1].because + (
            f"; not every run has flow {_list(some)}: a table runs.csv can say it (columns run, "
            "flow, cca, start_s)"
        )
        rows[-1] = rows[-1]._replace(because=because)
    lines = {flow: keys for flow, keys in lines.items() if flow in in_every_run}
    if lines:
        body = [f"#   {flow}: {{{', '.join(keys)}}}" for flow, keys in sorted(lines.items())]
        yaml = [rows[-1].yaml, "# with what is true:", "# flows:", *body]
        rows[-1] = rows[-1]._replace(yaml="\n".join(filter(None, yaml)))
    n_flows = Counter(f.run_id for f in flows)  # a flow alone in its run starts with it
    of_logs = {f.flow_id for f in flows if f.start_from == "log" and n_flows[f.run_id] > 1}
    logged = sorted(of_logs - {1})
    if logged:
        rows.append(
            Assumption(
                "start_s",
                f"from the logs for flow {_list(logged)}",
                "dates (where they are whole seconds, to a second, and as far as the clocks of the "
                "hosts agree) or order of lines",
                "",
                LOGS_SAY,
                WINDOW,
            )
        )
    moved = sorted({f.flow_id for f in flows if f.start_from == "clock"} - {1})
    if moved:
        rows.append(
            Assumption(
                "start_s",
                f"from the logs, clocks set right, for flow {_list(moved)}",
                "their dates are whole zones of time apart: the flows of a run would never meet; a "
                "table runs.csv can say otherwise (columns run, flow, start_s)",
                "",
                GUESS,
                WINDOW,
            )
        )
    return [*rows, *_cross_traffic(flows, in_every_run)]


def _of_flows(numbers: Iterable[int], said: str) -> str:
    """Return the lines of dataset.yml that say something of flows."""
    return "\n".join(["flows:", *(f"  {number}: {{{said}}}" for number in numbers)])


def _in_every_run(flows: list[Flow]) -> set[int]:
    of_run: dict[str, set[int]] = {}
    for flow in flows:
        of_run.setdefault(flow.run_id, set()).add(flow.flow_id)
    return set.intersection(*of_run.values()) if of_run else set()


def _cross_traffic(flows: list[Flow], in_every_run: set[int]) -> list[Assumption]:
    """Row on the flows that are taken for cross traffic, with the line that compares them."""
    cross = [f for f in flows if f.cross_traffic and f.cross_from == "assumed"]
    kinds = {f.protocol for f in cross if f.protocol}
    because = (
        f"it is {' or '.join(sorted(kinds))} next to TCP: it counts in utilisation, not in fairness"
    )
    rows = _cross_traffic_as(cross, in_every_run, because)
    back = [f for f in flows if f.cross_traffic and f.cross_from == "direction"]
    because = "it goes in the opposite direction: it shares no bottleneck with the others and "
    because += f"counts neither in fairness nor in utilisation{_names(flows) if back else ''}"
    rows += _cross_traffic_as(back, in_every_run, because)
    return [*rows, *_doubtful_ways(flows, in_every_run)]


def _names(flows: list[Flow]) -> str:
    """Return the names that logs have for flows, as the end of a sentence; '' where they have none.

    Of flows that runs name alike.
    """
    names: dict[int, set[str]] = {}
    for flow in flows:
        if flow.label:
            names.setdefault(flow.flow_id, set()).add(flow.label)
    known = [f"{n} is '{of.pop()}'" for n, of in sorted(names.items()) if len(of) == 1]
    return f" (flow {first_of(known, MAX_NAMES)})" if known else ""


def _doubtful_ways(flows: list[Flow], in_every_run: set[int]) -> list[Assumption]:
    """Row on the flows that are compared, but may go the other way, with the lines that say so."""
    numbers = sorted({f.flow_id for f in flows if f.cross_from == "doubtful direction"})
    if not numbers:
        return []
    value = f"flow {_list(numbers)} is compared, but may go in the opposite direction"
    because = (
        "its hosts do not tell: it shares no end with the others, and its client receives where "
        "theirs sends (or the reverse), or it goes on from where they end"
    )
    lines = ["# if it shares no bottleneck with the others:"]
    if {*numbers} <= in_every_run:
        lines += [f"# {line}" for line in _of_flows(numbers, "cross_traffic: true").splitlines()]
    else:
        because += "; a table runs.csv can say it (columns run, flow, cross_traffic)"
        lines = []
    return [Assumption("cross_traffic", value, because, "\n".join(lines), GUESS)]


def _cross_traffic_as(cross: list[Flow], in_every_run: set[int], because: str) -> list[Assumption]:
    if not cross:
        return []
    numbers = {f.flow_id for f in cross}
    yaml = ""
    if numbers <= in_every_run:
        body = [f"#   {flow}: {{cross_traffic: false}}" for flow in sorted(numbers)]
        yaml = "\n".join(
            [
                _of_flows(sorted(numbers), "cross_traffic: true"),
                "# to compare it with the others:",
                "# flows:",
                *body,
            ]
        )
    else:
        because += "; a table runs.csv can say otherwise (columns run, flow, cross_traffic)"
    return [Assumption("cross_traffic", f"flow {_list(sorted(numbers))}", because, yaml, LOGS_SAY)]


def _list(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return shown + (", ..." if len(numbers) > 8 else "")
