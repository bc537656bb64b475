"""Which files are no logs after all, or other ones: quoted in a text, empty, of another format.

A format is recognised by how a file begins. Whether a file that nobody described is a log is judged
here, once it is parsed: by how much of it the format's own lines are, and by what its name says.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import polars as pl

from ..formats import DOUBTFUL, EMPTY, FORMATS, NO_TEST, UNKNOWN, UNPARSED, UNREADABLE
from ..formats.shapes import TOO_LONG
from ..paths import printable
from .contents import content_of
from .described.patterns import PACKED
from .entities import Entry, Stream
from .inventory import empty_log

# files whose names say that they are text about logs, or programs: share of the bytes that must be
# lines of the format; of others, and of those named *.log, where prompts and noise are usual
SHARE_OF_SOURCE, SHARE, SHARE_OF_LOG = 0.95, 0.5, 0.1
SOURCES = re.compile(
    r"adoc|awk|bash|bat|bib|cc?|cfg|cls|cmake|cmd|conf|cpp|cs|css|cxx|diff|exp|go|gnu|gnuplot|gp"
    r"|gv|h|hh|hpp|html?|ini|ipynb|java|jl|js|kt|lua|m|markdown|md|mjs|mk|ned|org|p4|patch|php"
    r"|pl|plt|pm|po|ps1|pyw?|qmd|r|rb|rmd|robot|rs|rst|scala|sed|sh|sql|sty|svg|swift|tcl|tex"
    r"|toml|ts|ya?ml|zsh",
    re.IGNORECASE,
)
SOURCE_NAMES = re.compile(
    r"(GNU)?makefile|Dockerfile|Vagrantfile|Jenkinsfile|CMakeLists\.txt|wscript|SConstruct",
    re.IGNORECASE,
)
LOG = re.compile(r"\.log(\.\d+)?$", re.IGNORECASE)
# of names of files beside the logs of tests: variables of senders and queues, errors
BESIDE = re.compile(
    r"(?<![a-z])(?:cwnd|cwin|ssth(?:resh)?|s?rtts?|rto|queue|qlen|qsize|drops?|loss(?:es)?"
    r"|retrans(?:mits?|missions?)?|std_?err|err(?:ors?)?|ping)(?![a-z])",
    re.IGNORECASE,
)
SUM_OF_STREAMS = "sum over the streams"  # the reason of iperf's [SUM] lines


def withdraw_doubtful(
    entries: list[Entry], tables: dict[str, pl.DataFrame]
) -> dict[str, pl.DataFrame]:
    """Take files of which too little is a log from the parsed tables.

    Args:
        entries: the inventory; the format of such files becomes UNKNOWN (source code, text) or
            DOUBTFUL. Files that dataset.yml or runs.csv names are left alone.
        tables: what `parse_entries` returned.

    Returns:
        The tables, with the reason in `fate`.
    """
    share = _own_share(entries, tables["fate"])
    reasons = {}
    for file_id, own in share.items():
        entry = entries[file_id]
        needed, kind = _needed_share(entry)
        if not entry.placed and own < needed:
            words = f"{100 * own:.0f} % of it reads as {entry.format}"
            reasons[file_id] = f"{words}, quoted" if kind == UNKNOWN else f"only {words}"
            entry.format = kind
    if not reasons:
        return tables
    out = pl.col("file_id").is_in(list(reasons))
    kept = {name: table.filter(~out) for name, table in tables.items()}
    reason = pl.col("file_id").replace_strict(reasons, default=None, return_dtype=pl.String)
    fate = (
        tables["fate"]
        .filter(out)
        .group_by("file_id", maintain_order=True)
        .agg(pl.sum("lines", "bytes"))
        .with_columns(fate=pl.lit(UNPARSED[UNKNOWN][0]), reason=reason)
    )
    kept["fate"] = pl.concat([kept["fate"], fate.select(kept["fate"].columns)])
    kept["fate"] = kept["fate"].sort("file_id", "fate", "reason", maintain_order=True)
    return kept


def _own_share(entries: list[Entry], fate: pl.DataFrame) -> dict[int, float]:
    """Return for the logs with foreign lines the share of their bytes that is the format's."""
    reasons = [
        (i, FORMATS[e.format].UNKNOWN_LINE)
        for i, e in enumerate(entries)
        if hasattr(FORMATS.get(e.format), "UNKNOWN_LINE")
    ]
    schema = {"file_id": pl.UInt32, "why": pl.String}
    foreign = (pl.col("reason") == pl.col("why")) | (pl.col("reason") == TOO_LONG)
    other = (pl.col("fate") == "rejected") & foreign
    found = (
        fate.join(pl.DataFrame(reasons, schema=schema, orient="row"), on="file_id")
        .group_by("file_id")
        .agg(total=pl.sum("bytes"), foreign=pl.col("bytes").filter(other).sum())
        .filter(pl.col("foreign") > 0)
        .sort("file_id")
    )
    return {i: 1 - foreign / total for i, total, foreign in found.rows()}


def _needed_share(entry: Entry) -> tuple[float, str]:
    """Return which share of a file must be a log, and what it is where less is."""
    path = PurePosixPath(PACKED.sub("", entry.path))
    named = SOURCES.fullmatch(path.suffix[1:]) or SOURCE_NAMES.fullmatch(path.name)
    if named or (entry.content or b"").startswith(b"#!"):
        return SHARE_OF_SOURCE, UNKNOWN
    return (SHARE_OF_LOG if LOG.search(path.name) else SHARE), DOUBTFUL


def judge_empty(entries: list[Entry]) -> None:
    """Call an empty file an error where it looks like a log that should be there.

    It does where a log of a format that cannot be empty has the same name but for its digits, or
    lies in the same folder and ends alike. Else it is a file without content; so is one whose name,
    and no log's, says that it is of a variable or of errors: `cubic_ssthresh.txt`.
    """
    if all(entry.format != EMPTY for entry in entries):
        return
    logs = [e for e in entries if e.readable and e.format in FORMATS]
    logs = [e for e in logs if not getattr(FORMATS[e.format], "MAY_BE_EMPTY", False)]
    names = {_name_shape(e.path) for e in logs}
    ends = {_folder_and_end(e.path) for e in logs}
    of_logs = {word for e in logs for word in _besides(e.path)}
    for entry in entries:
        if entry.format != EMPTY:
            continue
        path = entry.path
        besides = [word for word in _besides(path) if word not in of_logs]
        if besides:
            entry.problem = f"the file is empty: nothing of '{besides[0]}' was written"
        elif _name_shape(path) in names or _folder_and_end(path) in ends:
            entry.format, entry.readable, entry.content = UNREADABLE, False, None
            entry.problem = empty_log(entry.file).problem


def _besides(path: str) -> list[str]:
    """Return the words of a file's name that no log of a test has, but what lies beside one."""
    return [word.lower() for word in BESIDE.findall(path.rpartition("/")[2])]


def _name_shape(path: str) -> str:
    return re.sub(r"\d+", "0", PACKED.sub("", path).rpartition("/")[2])


def _folder_and_end(path: str) -> tuple[str, str]:
    plain = PurePosixPath(PACKED.sub("", path))
    return plain.parent.as_posix(), re.sub(r"\d+", "0", plain.suffix)


# ---- logs of tests that measured nothing, or not all -------------------------------------------

NO_INTERVAL = "it holds no report of an interval (iperf -i 1 writes them)"
UNREADABLE_INTERVALS = "it holds no report of an interval that can be read"
ONLY_A_TOTAL = ", only a final report: it says nothing of the steady state"


def reasons_of_silence(
    entries: list[Entry], of_file: dict[int, list[Stream]], fate: pl.DataFrame
) -> dict[int, str]:
    """Return why logs of tests without a report of an interval hold none, by file_id.

    Args:
        entries: the inventory.
        of_file: the parsed streams by file_id.
        fate: the parsed table.
    """
    sums = fate.filter(pl.col("reason").str.contains(SUM_OF_STREAMS, literal=True))
    n_sums = dict(sums.group_by("file_id", maintain_order=True).agg(pl.sum("lines")).rows())
    rejected = _why_rejected(entries, fate)
    reasons = {}
    for entry in entries:
        streams = of_file.get(entry.file_id, [])
        if not (entry.readable and getattr(FORMATS.get(entry.format), "TESTS", False)):
            continue
        why = rejected.get(entry.file_id)
        no_interval = f"{UNREADABLE_INTERVALS} ({why})" if why else NO_INTERVAL
        if any(stream.measures for stream in streams):
            reasons[entry.file_id] = no_interval + ONLY_A_TOTAL
            continue
        n, said = n_sums.get(entry.file_id, 0), own_words(entry)
        reason = no_interval if streams or not _says_no_connection(entry, said) else NO_TEST
        if n:
            lines = "1 sum" if n == 1 else f"{n} sums"
            reason = f"it holds {lines} over an unknown number of flows ([SUM]) and no flow's own "
            reason += "reports: keep these"
        reasons[entry.file_id] = f"{reason}; it says: {said}" if said else reason
    return reasons


def _why_rejected(entries: list[Entry], fate: pl.DataFrame) -> dict[int, str]:
    """Return why most of the rejected lines of logs are, of those that the format knows."""
    unknown = [getattr(FORMATS.get(e.format), "UNKNOWN_LINE", None) for e in entries]
    known = fate.filter(
        pl.col("fate") == "rejected", ~pl.col("reason").is_in([*filter(None, unknown), TOO_LONG])
    )
    most = known.sort("lines", descending=True, maintain_order=True)
    first = most.unique("file_id", keep="first", maintain_order=True)
    return dict(first.select("file_id", "reason").rows())


def own_words(entry: Entry) -> str | None:
    """Return why a log measures nothing, in the words of the tool that wrote it, where it says."""
    found = _complaints(entry)
    return _shown(found[0]) if found else None


def note_failed_tests(
    entries: list[Entry], of_file: dict[int, list[Stream]], fate: pl.DataFrame
) -> None:
    """Say of logs that hold tests how many more failed: refused, or lost before they began.

    Changes `problem` and `failed_at` of the entries. A test that broke off later is one of its
    connections.
    """
    doubtful = set(fate.filter(fate="skipped")["file_id"])
    for entry in entries:
        streams = [s for s in of_file.get(entry.file_id, []) if s.measures]
        if not (streams and entry.readable and entry.file_id in doubtful):
            continue
        of_tests = _without_waiting(entry)
        complaints = _complaints(entry, of_tests)
        broken = {s.episode for s in streams if s.complete is False}
        n_failed = max(len(complaints) - len(broken), _without_connection(entry, of_tests))
        if n_failed <= 0:
            continue
        n_tests = n_failed + len({s.episode for s in streams})
        said = f": {_shown(complaints[0])}" if complaints else ""
        words = f"{n_failed} of its {n_tests} tests failed{said}"
        entry.problem = f"{entry.problem}; {words}" if entry.problem else words
        failed_at = _places_of_failed(entry, of_tests, of_file[entry.file_id])
        entry.failed_at = failed_at if len(failed_at) >= n_failed else None


def _places_of_failed(entry: Entry, content: bytes, streams: list[Stream]) -> list[int]:
    """Return the lines of tests that failed: of connections without a report, or of complaints.

    A complaint behind a test that broke off, or of a pipe before it, is of that test.
    """
    began: dict[int, int] = {}
    for stream in streams:
        began[stream.episode] = min(stream.line, began.get(stream.episode, stream.line))
    measured = {s.episode for s in streams if s.measures}
    broken = {s.episode for s in streams if s.complete is False or not s.measures}
    pattern, lines = getattr(FORMATS.get(entry.format), "COMPLAINT", None), []
    line, end = 1, 0
    for found in re.finditer(pattern, content) if pattern else ():
        line, end = line + content.count(b"\n", end, found.start()), found.start()
        before = [episode for episode, its_line in began.items() if its_line <= line]
        if before and before[-1] in broken:
            broken.remove(before[-1])
        else:
            lines.append(line)
    first = min(began, key=began.__getitem__)
    if first in broken & measured and lines and lines[0] < began[first]:
        del lines[0]
    return sorted([*lines, *(began[episode] for episode in began if episode not in measured)])


def _without_waiting(entry: Entry) -> bytes:
    """Return a log without what its server left when it was ended as it waited for a test."""
    pattern = getattr(FORMATS.get(entry.format), "WAITED", None)
    if not pattern:
        return content_of(entry)
    # lines are counted
    return re.sub(pattern, lambda found: b"\n" * found[0].count(b"\n"), content_of(entry))


def _complaints(entry: Entry, content: bytes | None = None) -> list[bytes]:
    pattern = getattr(FORMATS.get(entry.format), "COMPLAINT", None)
    return re.findall(pattern, content or content_of(entry)) if pattern else []


def _without_connection(entry: Entry, content: bytes | None = None) -> int:
    """Return how many tests a log holds that never had a connection."""
    pattern = getattr(FORMATS.get(entry.format), "NO_CONNECTION", None)
    return len(re.findall(pattern, content or content_of(entry))) if pattern else 0


def _says_no_connection(entry: Entry, said: str | None) -> bool:
    """Return whether a log without a flow is of a test without a connection, and not damaged.

    Where a format says that there was none, as iperf3's JSON does, a log must say it, or complain.
    """
    silent = hasattr(FORMATS[entry.format], "NO_CONNECTION") and not _without_connection(entry)
    return said is not None or not silent


def _shown(words: bytes) -> str:
    return printable(words.decode("utf-8", "backslashreplace").strip())[:200]
