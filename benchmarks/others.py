"""What else one would read logs with in Python: each prints the bytes of every log, or of all.

    others.py WAY LIST      LIST: a file with a path a line

Run with the packages of requirements/bench.lock. There is no parser of iperf in jc 1.26.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

REPORT = r"^\[ *\d+\] +([\d.]+)- *([\d.]+) sec +(\d+) Bytes"  # of iperf 2 with -f b


def re_text(paths: list[str]) -> None:
    """A loop over the files with a regular expression."""
    import re

    report = re.compile(REPORT, re.MULTILINE)
    for path in paths:
        rows = report.findall(Path(path).read_text())
        say(path, sum(int(n) for start, _, n in rows[1:] if float(start)) + int(rows[0][2]))


def pandas_text(paths: list[str]) -> None:
    """pandas: every line in a column, and str.extract."""
    import pandas as pd

    lines = pd.concat(
        (pd.DataFrame({"path": p, "line": Path(p).read_text().splitlines()}) for p in paths),
        ignore_index=True,
    )
    rows = lines[["path"]].join(lines["line"].str.extract(REPORT).astype(float)).dropna()
    kept = rows[(rows[0] > 0) | ~rows["path"].duplicated()]
    for path, n in kept.groupby("path", sort=False)[2].sum().items():
        say(path, n)


def duckdb_text(paths: list[str]) -> None:
    """DuckDB: every line in a column, and a regular expression."""
    import duckdb

    query = f"""
        with line as (
            select filename, unnest(string_split(content, chr(10))) as line,
                   generate_subscripts(string_split(content, chr(10)), 1) as n
            from read_text(?)
        ),
        found as (
            select filename, n, regexp_extract(line, '{REPORT}', ['start', 'stop', 'bytes']) as f
            from line
        ),
        report as (
            select filename, f.start::double as start, f.bytes::bigint as bytes,
                   row_number() over (partition by filename order by n) as nth
            from found where f.bytes <> ''
        )
        select filename, sum(bytes) from report where start > 0 or nth = 1 group by filename
    """
    for path, n in duckdb.execute(query, [paths]).fetchall():
        say(path, n)


def json_loop(paths: list[str]) -> None:
    """json.loads, and a loop over the intervals."""
    for path in paths:
        say(path, sum(bytes_of(json.loads(Path(path).read_bytes()))))


def orjson_loop(paths: list[str]) -> None:
    """The same with orjson."""
    import orjson

    for path in paths:
        say(path, sum(bytes_of(orjson.loads(Path(path).read_bytes()))))


def msgspec_typed(paths: list[str]) -> None:
    """msgspec with types: it makes objects of nothing else."""
    import msgspec

    class Stream(msgspec.Struct):
        bytes: int
        omitted: bool

    class Interval(msgspec.Struct):
        streams: list[Stream]

    class Document(msgspec.Struct):
        intervals: list[Interval]

    decode = msgspec.json.Decoder(Document).decode
    for path in paths:
        intervals = decode(Path(path).read_bytes()).intervals
        say(path, sum(s.bytes for i in intervals for s in i.streams if not s.omitted))


def duckdb_json(paths: list[str]) -> None:
    """DuckDB's reader of JSON, told what to read."""
    import duckdb

    columns = "{intervals: 'struct(streams struct(bytes bigint, omitted boolean)[])[]'}"
    query = f"""
        with interval as (
            select filename, unnest(intervals) as interval
            from read_json(?, columns = {columns}, format = 'unstructured',
                           maximum_object_size = 100000000, filename = true)
        ),
        stream as (select filename, unnest(interval.streams) as s from interval)
        select filename, sum(s.bytes) filter (not s.omitted) from stream group by filename
    """
    for path, n in duckdb.execute(query, [paths]).fetchall():
        say(path, n)


def bytes_of(document: dict) -> Iterator[int]:
    """Yield the bytes of all intervals but those that the test omits."""
    streams = (s for interval in document["intervals"] for s in interval["streams"])
    return (s["bytes"] for s in streams if not s["omitted"])


def say(path: str, n_bytes: float) -> None:
    print(path, int(n_bytes))


WAYS = {
    way.__name__: way
    for way in (
        *(re_text, pandas_text, duckdb_text),
        *(json_loop, orjson_loop, msgspec_typed, duckdb_json),
    )
}

if __name__ == "__main__":
    WAYS[sys.argv[1]](Path(sys.argv[2]).read_text(encoding="utf-8").split())
