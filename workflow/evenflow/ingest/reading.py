"""From the files of an inventory to the tables of their formats: in batches, on all cores.

This module does without Polars, as scanners of logs do (`formats`): so logs are scanned while
Polars is imported, by a process that has not needed it before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from threading import Semaphore
from typing import TYPE_CHECKING, Any

from ..files import USUAL_LIMITS, Limits
from ..formats import FORMATS, TWO_COLUMN, UNPARSED, Log
from ..threads import THREADS
from .contents import LARGE_BYTES, content_of, head_of
from .entities import Entry

if TYPE_CHECKING:
    import polars as pl

BATCH_BYTES = 8 * 2**20  # of decompressed logs parsed at once by a core: bounds the memory
SCANS_AT_ONCE = 8  # batches whose tables are made at once, where they are scanned apart
AHEAD = 12  # batches that are scanned while tables of others are made


def parse_entries(entries: list[Entry], limits: Limits = USUAL_LIMITS) -> dict[str, pl.DataFrame]:
    """Parse every readable file of an inventory into the tables of `formats.tables`."""
    by_format: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.readable:
            assert entry.format is not None, entry.path
            by_format.setdefault(entry.format, []).append(entry)
    _let_begin_alike(by_format.get(TWO_COLUMN, []))
    with ThreadPoolExecutor(THREADS) as pool:
        parts: list[dict[str, pl.DataFrame]] = []
        for format_name in sorted(by_format, key=lambda name: (not FORMATS.scanner(name), name)):
            batches = (
                partial(_logs, format_name, batch, limits)
                for batch in _batches(by_format[format_name])
            )
            if FORMATS.scanner(format_name):
                parts.append(_tables_of_scans(pool, format_name, batches))
            else:
                parts += _in_turn(pool, partial(_parse, format_name), batches)
    from ..formats.tables import join_tables

    return join_tables(parts)


def _let_begin_alike(entries: list[Entry]) -> None:
    """Note which two-column files have intervals that begin at their times.

    One script wrote those of a pattern and run: what the flow that starts at 0 says holds for all.
    Changes the entries.
    """
    alike: dict[tuple, list[Entry]] = {}
    for entry in entries:
        if entry.value in FORMATS[TWO_COLUMN].OF_INTERVALS:
            key = (entry.run_id or entry.folder, entry.template, entry.value)
            alike.setdefault(key, []).append(entry)
    for files in alike.values():
        begins = any(FORMATS[TWO_COLUMN].begins_intervals(head_of(e)) for e in files)
        for entry in files:
            entry.begins = begins


def _parse(format_name: str, logs: Callable[[], list[Log]]) -> dict[str, pl.DataFrame]:
    from ..formats.tables import parse_logs

    return parse_logs(format_name, logs())


def _tables_of_scans(
    pool: ThreadPoolExecutor, format_name: str, batches: Iterator[Callable[[], list[Log]]]
) -> dict[str, pl.DataFrame]:
    """Scan logs of one format, and return their tables, made of some scans at a time.

    Logs are scanned while Python imports what their tables need, which one core is left to.
    """
    scan, cores = FORMATS.scanner(format_name), Semaphore(max(1, THREADS - 1))
    assert scan is not None

    def scan_batch(logs: Callable[[], list[Log]]) -> Any:
        with cores:
            return scan(logs())

    scans = _in_turn(pool, scan_batch, batches)
    from ..formats.tables import complete  # imports Polars

    cores.release()
    some = iter(lambda: [*islice(scans, SCANS_AT_ONCE)], [])
    return complete([*_in_turn(pool, FORMATS[format_name].tables, some, THREADS)])


def _in_turn(
    pool: ThreadPoolExecutor, function: Callable, jobs: Iterator, ahead: int = AHEAD
) -> Iterator[Any]:
    """Have a function begin with jobs; return its results in order.

    It is not far ahead of who asks for them.
    """
    waiting = deque(pool.submit(function, job) for job in islice(jobs, ahead))

    def results() -> Iterator[Any]:
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(function, job) for job in islice(jobs, 1))
            yield result

    return results()


def _logs(format_name: str, entries: list[Entry], limits: Limits) -> list[Log]:
    """Return logs, without contents where their format reads them, large ones in blocks."""
    reads = FORMATS.scanner(format_name) is not None  # asked first: `get` imports Polars
    reads = reads or getattr(FORMATS.get(format_name), "READS_BLOCKS", False)
    unparsed = format_name in UNPARSED
    logs = []
    for entry in entries:
        is_large = (entry.content_bytes or 0) > LARGE_BYTES
        content = entry.content if reads or (unparsed and is_large) else content_of(entry)
        known = (entry.value, limits.line_bytes, is_large and content is None, entry.begins)
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
