"""Log formats: one module each, all of the same shape.

A format module has

    NAME       the name that dataset.yml uses
    TOOL       the program that writes it
    PLATFORM   what it runs on, as dataset.yml names it: testbed, ns2, ns3; None where it may be any
    CLOCK      'flow' (times count from the start of the flow's own log) or 'run'
    SIGNATURE  regular expression that the beginning of a log of this format matches, or None
    PATH       where content does not say it: regular expression that the file's name matches too
    confirm()  where that is not enough: whether the beginning of a log, as text, is of this format
    UNKNOWN_LINE  the reason for which foreign lines are rejected, where it rejects any
    COMPLAINT  regular expression of the words in which such a log says why it measures nothing
    NO_CONNECTION  regular expression of what a test without any connection leaves in a log
    TESTS      True where a log is of one test of throughput, so that without intervals it measured
               nothing; logs of other formats are traces then
    BESIDE     names of formats whose lines such a log may hold as well
    scan_batch(), tables()  what parse() does, in two steps, where that is faster: from a batch of
               logs, by threads, then from what several calls gave, at once
    parse()    from logs (`shapes.Log`) to those of the tables below that the format gives, and
               always the tables `fate` and `rejected`, which account for every byte

Text formats are lists of line shapes (`shapes`, `lexing`). Nothing else in evenflow knows how a log
looks. docs/reference/formats.md lists formats, versions and fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import polars as pl

from .. import plugins
from ..errors import DataError
from .recognise import NO_LOG, recognise, why_not_read
from .shapes import FATES as FATES
from .shapes import Log as Log
from .shapes import account
from .terminal import without_escapes

NEEDED = ("NAME", "TOOL", "PLATFORM", "CLOCK", "SIGNATURE", "parse")  # of a format


class Formats(Mapping[Any, ModuleType]):
    """The modules of this folder that name a format, by this name: imported when asked for.

    A job reads logs of one or two formats, and many read none: importing all takes a tenth of a
    second. Formats of plug-ins (`plugins`) are imported at once.
    """

    def __init__(self) -> None:
        texts = {m.name: Path(__file__).with_name(f"{m.name}.py") for m in iter_modules(__path__)}
        named = re.compile(r'^NAME = "(.+)"$', re.MULTILINE)
        found = {name: named.search(path.read_text("utf-8")) for name, path in texts.items()}
        self._modules: dict[str | None, str] = {
            match[1]: name for name, match in found.items() if match
        }
        self._imported: dict[str | None, ModuleType] = {}
        for module in plugins.modules("formats"):
            if lacking := [name for name in NEEDED if not hasattr(module, name)]:
                problem = f"a format needs {', '.join(lacking)}"
                remedy = "see docs/guides/extending.md"
                raise DataError(problem, path=module.__file__, remedy=remedy)
            plugins.refuse_taken(module.NAME, module.NAME in self, module.__file__, "format")
            self._modules[module.NAME] = module.__name__
            self._imported[module.NAME] = module

    def __getitem__(self, name: str | None) -> ModuleType:
        if name not in self._imported:
            self._imported[name] = import_module(f".{self._modules[name]}", __name__)
        return self._imported[name]

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


# a new format is a file and no line here
FORMATS = Formats()
RUN_RECORD, TWO_COLUMN = "run-record", "two-column"
# formats of one tool, that `format:` may confuse: which of them a log is, its content says
_IPERF2, _IPERF3 = ("iperf2", "iperf2-csv"), ("iperf3", "iperf3-json")
FAMILIES = {
    "iperf": (*_IPERF2, *_IPERF3),
    **dict.fromkeys(_IPERF2, _IPERF2),
    **dict.fromkeys(_IPERF3, _IPERF3),
}
METADATA = "metadata"  # dataset.yml, runs.csv, README: about the data set, no logs of it
IGNORE = "ignore"  # files that dataset.yml declares to be no logs
UNKNOWN = "unknown"  # files of no known format, in a folder that names no patterns
DOUBTFUL = "doubtful"  # files of which too little is what the format that they begin as has
EMPTY = "empty"  # files that hold nothing and are no logs by their names
NO_FILE = "no-file"  # links that lead nowhere or to folders, pipes, sockets, devices
COPY = "copy"  # files that say what another file says, in a folder that names no patterns
# words of reasons in the ledger that others look for: before the reason why a run is left out, and
# why it is excluded; of a log of a test without a flow
WITH_ITS_RUN = "its run is left out: "
EXCLUDED = "excluded in dataset.yml: "
NO_TEST = "no connection was made: a test that failed"
LEFT_OUT = "left-out"  # files of a run that is left out under `on_error: quarantine`
UNREADABLE = "unreadable"  # the file for which it is
# fate and reason of every line of files that no format module parses
UNPARSED = {
    METADATA: ("header", "describes the data set"),
    IGNORE: ("header", "declared not to be a log in dataset.yml"),
    UNKNOWN: ("skipped", NO_LOG),
    DOUBTFUL: ("skipped", "too little of it is a log"),
    EMPTY: ("skipped", "the file is empty"),
    COPY: ("skipped", "it is a copy of another file"),
    LEFT_OUT: ("skipped", "its run is left out"),
}
NO_LOGS = (UNKNOWN, DOUBTFUL, EMPTY, NO_FILE, COPY)  # in a folder that names no patterns
SIGNATURE_BYTES = 4096
USUAL_BYTES = 512  # nearly all logs show by then what they are

# shape of what every format hands on; times in seconds on the format's own clock. A stream is a
# connection as one log reports it: two ends that both write a log make two streams of one flow.
TABLES: dict[str, dict[str, type[pl.DataType]]] = {
    "stream": {
        "file_id": pl.UInt32,
        "stream": pl.Int32,  # 1, 2, ... in the order in which the log announces them
        "line": pl.UInt32,  # where it does
        "label": pl.String,  # what the log calls it
        "episode": pl.Int32,  # streams of a log that share one ran at the same time
        "side": pl.String,  # receiver or sender: whose count it is; null where there is no saying
        "protocol": pl.String,  # tcp, udp, sctp, ...
        "traffic": pl.String,  # what the sender is, where the log says it: cbr, exp, ... (ns-2)
        "local": pl.String,  # address:port of the log's own end
        "peer": pl.String,
        "cca": pl.String,
        "mss_bytes": pl.Int64,
        "start_s": pl.Float64,  # after the first stream of its episode, by the log itself
        "start_epoch_s": pl.Float64,  # when it began, seconds since 1970, by the log's own clock
        "zone": pl.String,  # of that clock where its offset is not known: see `zones`; else null
        "planned_s": pl.Float64,  # how long it was to last
        "complete": pl.Boolean,  # the tool wrote its final report; null where there is none
        "flow_id": pl.Int32,  # where the log numbers its flows itself (ns-2)
        "tool_version": pl.String,
        "options": pl.String,  # JSON object of what the log prints of how it sent: `options`
    },
    "interval": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "stream": pl.Int32,
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "bytes": pl.Int64,
        "throughput_bps": pl.Float64,
        "cwnd_bytes": pl.Float64,
        "cwnd_packets": pl.Float64,
        "rtt_s": pl.Float64,
        "retransmits": pl.Int64,
        "jitter_s": pl.Float64,  # of UDP
        "packets": pl.Int64,
        "lost_packets": pl.Int64,
    },
    "summary": {  # final reports of a stream: checked against its intervals, never averaged
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "stream": pl.Int32,
        "side": pl.String,  # whose count: a log may hold the other end's report too
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "bytes": pl.Int64,
        "throughput_bps": pl.Float64,
        "retransmits": pl.Int64,
    },
    "state": {  # a variable of a sender whenever it changes or is sampled
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "stream": pl.Int32,
        "t_s": pl.Float64,
        "variable": pl.String,  # cwnd_packets, cwnd_bytes, ssthresh_bytes, rtt_s, ...
        "value": pl.Float64,
    },
    "queue": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "t_s": pl.Float64,
        "queue_bytes": pl.Float64,
        "queue_packets": pl.Float64,
        "arrived_packets": pl.Int64,
        "departed_packets": pl.Int64,
        "dropped_packets": pl.Int64,
    },
    "drop": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "t_s": pl.Float64,
        "flow_id": pl.Int32,
        "stream": pl.Int32,  # where the log holds its connection
        "connections": pl.Int64,  # of the log that share the flow id
        "packet_bytes": pl.Int64,
        "sequence": pl.Int64,
    },
    "arrival": {  # at the bottleneck, in a bin of a few milliseconds: up to millions of rows
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "t_start_s": pl.Float64,
        "t_end_s": pl.Float64,
        "arrived_packets": pl.Int32,  # of all flows, dropped ones included
        "dropped_packets": pl.Int32,
        "queue_packets": pl.Int32,  # at the end
        "background_packets": pl.Int32,  # arrived, of background traffic
    },
    "fate": {
        "file_id": pl.UInt32,
        "fate": pl.String,
        "reason": pl.String,
        "lines": pl.Int64,
        "bytes": pl.Int64,
    },
    "rejected": {
        "file_id": pl.UInt32,
        "line": pl.UInt32,
        "reason": pl.String,
        "text": pl.String,
    },
}

BELOW_ZERO = "is below zero"
UNIT = r"_(packets|bytes|bps|s)$"  # at the end of a variable's name
NEVER_NEGATIVE = {
    "state": ["value"],
    "queue": [
        name for name in TABLES["queue"] if name.startswith(("queue", "arrived", "depart", "drop"))
    ],
    "drop": ["packet_bytes"],
    "arrival": [name for name in TABLES["arrival"] if name.endswith("_packets")],
}


@cache
def _signatures() -> dict[str, Callable]:
    """Return what finds the signature of each format that has one."""
    return {
        name: re.compile(module.SIGNATURE, re.MULTILINE).search
        for name, module in FORMATS.items()
        if module.SIGNATURE
    }


@cache
def _beside() -> dict[str, set[str]]:
    """Return the formats whose lines logs of a format may hold as well."""
    return {name: set(m.BESIDE) for name, m in FORMATS.items() if hasattr(m, "BESIDE")}


def detect_format(content: bytes, path: str | Path) -> str:
    """Return the name of the format whose signature the beginning of a log matches.

    Raises:
        DataError: no format, or more than one, matches.
    """
    found = _matching(content[:USUAL_BYTES], path, FORMATS)
    found = found or _matching(content[:SIGNATURE_BYTES], path, FORMATS)
    wider = [name for name, besides in _beside().items() if not besides.isdisjoint(found)]
    found = [*found, *_matching(content[:SIGNATURE_BYTES], path, set(wider) - set(found))]
    beside = {name for other in found for name in _beside().get(other, ())}
    found = [name for name in found if name not in beside]
    if len(found) == 1:
        return found[0]
    kind = None if found else recognise(content, path)
    if kind:
        remedy = (
            f"{kind.help or 'it is not a log'}; or name it in dataset.yml with 'format: ignore'"
        )
        raise DataError(f"{kind.what}: not read", path=path, remedy=remedy)
    problem = "the format is not recognised" if not found else f"may be any of {', '.join(found)}"
    remedy = f"say 'format:' with its pattern in dataset.yml (known: {', '.join(FORMATS)})"
    raise DataError(problem, path=path, remedy=remedy)


def settle_format(declared: str, content: bytes, path: str | Path) -> str:
    """Return the format of a log for which dataset.yml declares one.

    Within a tool's family (FAMILIES) the content decides; else what is declared counts, unless the
    content shows that it is another format and nothing of the declared one.

    Raises:
        DataError: the content is evidently another format, or known not to be read.
    """
    family = FAMILIES.get(declared, (declared,))
    if declared in FORMATS and FORMATS[declared].SIGNATURE is None:
        return declared
    own = _matching(content[:SIGNATURE_BYTES], path, family)
    try:
        found = detect_format(content, path)
    except DataError as error:
        kind = recognise(content, None)  # a name proves nothing against what is declared
        if kind is None or own:
            if declared in FORMATS:
                return own[0] if len(own) == 1 else declared
            raise
        remedy = error.remedy
        found = kind.what
    else:
        if found in family:
            return found
        if own:
            return declared
        remedy = f"write 'format: {found}', or leave 'format:' out"
    problem = f"'format: {declared}' for {Path(path).name}, which seems to be {found}"
    raise DataError(problem, path=path, remedy=remedy)


def _matching(head: bytes, path: str | Path, names: Collection[str]) -> list[str]:
    if not names:
        return []
    text = without_escapes(head).decode("latin-1").replace("\r\n", "\n")
    signatures = _signatures()
    signed = [name for name in names if name in signatures and signatures[name](text)]
    return [
        name
        for name in signed
        if (not hasattr(FORMATS[name], "PATH") or re.search(FORMATS[name].PATH, Path(path).name))
        and (not hasattr(FORMATS[name], "confirm") or FORMATS[name].confirm(text))
    ]


def parse_logs(format_name: str, logs: Sequence[Log]) -> dict[str, pl.DataFrame]:
    """Parse logs of one format.

    Args:
        format_name: a key of FORMATS or of UNPARSED.
        logs: the logs.

    Returns:
        The tables of TABLES, those that the format does not give empty.
    """
    if format_name == UNKNOWN:
        heads = [next(iter(log.pieces()), b"") for log in logs]
        tables = [
            account([log], "skipped", why_not_read(head, log.path))
            for log, head in zip(logs, heads, strict=True)
        ]
        parsed = {"fate": pl.concat(table["fate"] for table in tables)} if tables else {}
    elif format_name in UNPARSED:
        parsed = account(logs, *UNPARSED[format_name])
    else:
        parsed = FORMATS[format_name].parse(logs)
    return complete([parsed])


def scanner_of(format_name: str | None) -> Callable[[Sequence[Log]], Any] | None:
    """Return the format's `scan_batch`; None where it has none."""
    return getattr(FORMATS[format_name], "scan_batch", None) if format_name in FORMATS else None


def tables_of_scans(format_name: str, scans: Sequence[Any]) -> dict[str, pl.DataFrame]:
    """Return the tables that a format gives of what its `scan_batch` has read, for `complete`."""
    return FORMATS[format_name].tables(scans)


def complete(parsed: Sequence[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Return the tables that a format gives, of some logs and of others, with all their columns."""
    return _without_impossible(
        {
            name: _typed(
                [p[name] for p in parsed if name in p] or [pl.DataFrame(schema=columns)], columns
            )
            for name, columns in TABLES.items()
        }
    )


def _without_impossible(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Reject windows, round-trip times, queues and counts below zero, each by itself.

    Of a line with several numbers the others stay: by its fate it is still a sample. Numbers
    without a unit stay: a sequence number of ns-2 is -1 before the first packet.

    Intervals and final reports keep theirs: bytes and rates are checked against each other
    (`checks.logs`).
    """
    rejected = [tables["rejected"]]
    for name, columns in NEVER_NEGATIVE.items():
        table = tables[name]
        for column in columns if len(table) else ():
            measured = pl.lit(True)
            if "variable" in table.columns:
                measured = pl.col("variable").str.contains(UNIT)
            below = (measured & (pl.col(column) < 0)).fill_null(False)
            bad = table.filter(below)
            if bad.is_empty():
                continue
            what = pl.col("variable") if "variable" in table.columns else pl.lit(column)
            text = pl.format("{}: {}", what, column)
            reason = pl.format(f"{{}} {BELOW_ZERO}", what)
            rejected.append(bad.select("file_id", "line", reason=reason, text=text))
            table = table.filter(~below)
        tables = {**tables, name: table}
    return {**tables, "rejected": pl.concat(rejected)}


def _typed(parts: Sequence[pl.DataFrame], columns: dict) -> pl.DataFrame:
    table = parts[0] if len(parts) == 1 else pl.concat(parts, how="diagonal_relaxed")
    if table.is_empty():
        return pl.DataFrame(schema=columns)
    there = set(table.columns)
    return table.select(
        pl.col(name).cast(kind) if name in there else pl.lit(None, kind).alias(name)
        for name, kind in columns.items()
    )
