"""From the files of an inventory to the tables of their formats: in batches, on all cores."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import polars as pl

from ..files import USUAL_LIMITS, Limits
from ..formats import (
    FORMATS,
    TABLES,
    UNPARSED,
    Log,
    complete,
    parse_logs,
    scanner_of,
    tables_of_scans,
)
from ..threads import THREADS
from .entities import Entry
from .inventory import LARGE_BYTES, content_of

BATCH_BYTES = 8 * 2**20  # of decompressed logs parsed at once by a core: bounds the memory
TOLD_BYTES = 64 * 2**20  # of logs whose tables are made at once, where they are scanned apart
AHEAD = 12  # batches that are scanned while tables of others are made

Tables = dict[str, pl.DataFrame]


def parse_entries(entries: list[Entry], limits: Limits = USUAL_LIMITS) -> Tables:
    """Parse every readable file of an inventory into the tables of `formats.TABLES`."""
    by_format: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.readable:
            assert entry.format is not None, entry.path
            by_format.setdefault(entry.format, []).append(entry)
    parsed: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    with ThreadPoolExecutor(THREADS) as pool:
        for format_name, files in sorted(by_format.items()):
            for tables in _parsed(pool, format_name, files, limits):
                for name, table in tables.items():
                    parsed[name].append(table)
    return {name: sort_table(_joined(name, parts), name) for name, parts in parsed.items()}


def _joined(name: str, parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return parts of a table as one; one part alone keeps columns of one value as such."""
    parts = [part for part in parts if len(part)]
    return pl.concat(parts) if parts else pl.DataFrame(schema=TABLES[name])


def _parsed(
    pool: ThreadPoolExecutor, format_name: str, files: list[Entry], limits: Limits
) -> Iterator[Tables]:
    """Yield the tables of files of one format, of some files at a time."""
    scan = scanner_of(format_name)
    step = scan or partial(parse_logs, format_name)
    done = _in_turn(pool, lambda batch: step(_logs(format_name, batch, limits)), _batches(files))
    if scan is None:
        yield from done
        return
    held: list[Any] = []
    told: list[Tables] = []
    for batch, scanned in zip(_batches(files), done, strict=True):
        held.append(scanned)
        if len(held) * BATCH_BYTES >= TOLD_BYTES or batch[-1] is files[-1]:
            told.append(tables_of_scans(format_name, held))
            held = []
    yield complete(told)


def _in_turn(pool: ThreadPoolExecutor, function: Callable, jobs: Iterable) -> Iterator[Any]:
    """Yield what a function makes of jobs, in order; it is not far ahead of who asks for it."""
    waiting: deque[Future] = deque()
    for job in jobs:
        waiting.append(pool.submit(function, job))
        if len(waiting) > AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _logs(format_name: str, entries: list[Entry], limits: Limits) -> list[Log]:
    """Return logs, without contents where their format reads them, large ones in blocks."""
    reads = scanner_of(format_name) is not None
    reads |= getattr(FORMATS.get(format_name), "READS_BLOCKS", False)
    unparsed = format_name in UNPARSED
    logs = []
    for entry in entries:
        is_large = (entry.content_bytes or 0) > LARGE_BYTES
        content = entry.content if reads or (unparsed and is_large) else content_of(entry)
        known = (entry.value, limits.line_bytes, is_large and content is None)
        logs.append(Log(entry.file_id, content, entry.file, *known))
    return logs


def _batches(entries: list[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        n_bytes = entry.content_bytes or 0
        if batch and size + n_bytes > BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += n_bytes
    yield batch


SORTED_BY = {"fate": ["file_id", "fate", "reason"], "stream": ["file_id", "stream"]}


def sort_table(table: pl.DataFrame, name: str) -> pl.DataFrame:
    if table.is_empty():
        return table
    if name in ("interval", "arrival"):  # the largest, and mostly in order: sorting copies them
        place = pl.col("file_id").cast(pl.Int64) * 2**32 + pl.col("line")
        if table.select(place).to_series().is_sorted():
            return table
    return table.sort(SORTED_BY.get(name, ["file_id", "line"]), maintain_order=True)
