"""From the files of an inventory to the tables of their formats: in batches, on all cores."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import polars as pl

from ..files import USUAL_LIMITS, Limits
from ..formats import FORMATS, TABLES, UNPARSED, Log, parse_logs
from ..threads import THREADS
from .entities import Entry
from .inventory import LARGE_BYTES, content_of

BATCH_BYTES = 8 * 2**20  # of decompressed logs parsed at once by a core: bounds the memory


def parse_entries(entries: list[Entry], limits: Limits = USUAL_LIMITS) -> dict[str, pl.DataFrame]:
    """Parse every readable file of an inventory into the tables of `formats.TABLES`."""
    by_format: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.readable:
            assert entry.format is not None, entry.path
            by_format.setdefault(entry.format, []).append(entry)
    parsed: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    batches = [
        (format_name, batch)
        for format_name, files in sorted(by_format.items())
        for batch in _batches(files)
    ]

    def parse(format_name: str, batch: list[Entry]) -> dict[str, pl.DataFrame]:
        return parse_logs(format_name, [_log(entry, limits) for entry in batch])

    with ThreadPoolExecutor(THREADS) as pool:
        for tables in pool.map(lambda batch: parse(*batch), batches):
            for name, table in tables.items():
                parsed[name].append(table)
    empty = {name: [pl.DataFrame(schema=columns)] for name, columns in TABLES.items()}
    return {
        name: sort_table(pl.concat(empty[name] + parts), name) for name, parts in parsed.items()
    }


def _log(entry: Entry, limits: Limits) -> Log:
    """Return a log, without its content where it is large and its format reads it in blocks."""
    streaming = getattr(FORMATS.get(entry.format), "READS_BLOCKS", False)
    streaming |= entry.format in UNPARSED and (entry.content_bytes or 0) > LARGE_BYTES
    content = entry.content if streaming else content_of(entry)
    return Log(entry.file_id, content, entry.file, entry.value, limits.line_bytes)


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
