"""Which files are no logs after all, or other ones: quoted in a text, empty, of another format.

A format is recognised by how a file begins. Whether a file that nobody described is a log is judged
here, once it is parsed: by how much of it the format's own lines are, and by what its name says.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import polars as pl

from ..formats import DOUBTFUL, EMPTY, FORMATS, UNKNOWN, UNPARSED, UNREADABLE
from ..formats.shapes import TOO_LONG
from ..paths import printable
from .dataset import PACKED
from .entities import Entry
from .inventory import content_of, empty_log

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
    lies in the same folder and ends alike. Else it is a file without content.
    """
    logs = [e for e in entries if e.readable and e.format in FORMATS]
    logs = [e for e in logs if not getattr(FORMATS[e.format], "MAY_BE_EMPTY", False)]
    names = {_name_shape(e.path) for e in logs}
    ends = {_folder_and_end(e.path) for e in logs}
    for entry in entries:
        if entry.format != EMPTY:
            continue
        path = entry.path
        if _name_shape(path) in names or _folder_and_end(path) in ends:
            entry.format, entry.readable, entry.content = UNREADABLE, False, None
            entry.problem = empty_log(entry.file).problem


def _name_shape(path: str) -> str:
    return re.sub(r"\d+", "0", PACKED.sub("", path).rpartition("/")[2])


def _folder_and_end(path: str) -> tuple[str, str]:
    path = PurePosixPath(PACKED.sub("", path))
    return path.parent.as_posix(), re.sub(r"\d+", "0", path.suffix)


def own_words(entry: Entry) -> str | None:
    """Return why a log measures nothing, in the words of the tool that wrote it, where it says."""
    pattern = getattr(FORMATS.get(entry.format), "COMPLAINT", None)
    found = re.search(pattern, content_of(entry)) if pattern else None
    return printable(found[1].decode("utf-8", "backslashreplace").strip())[:200] if found else None
