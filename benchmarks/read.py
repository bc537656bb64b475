"""Read logs as the job of a data set does, and write all tables.

    read.py FORMAT OUTPUT LIST      LIST: a file with a path a line

OUTPUT.<table>.parquet are the tables, those that the logs do not give without a row.
"""

import gc
import os
import sys
from pathlib import Path

from evenflow.ingest.entities import Entry
from evenflow.ingest.reading import parse_entries


def main(format_name: str, output: str, listed: str) -> None:
    """Read the logs that a file lists."""
    gc.disable()  # as the job does (workflow/scripts/read_logs.py)
    paths = [Path(line) for line in Path(listed).read_text(encoding="utf-8").splitlines()]
    tables = parse_entries([_entry(i, path, format_name) for i, path in enumerate(paths)])
    for name, table in tables.items():
        table.write_parquet(f"{output}.{name}.parquet")


def _entry(file_id: int, path: Path, format_name: str) -> Entry:
    # of gzip about what it holds: by that logs are read together
    size = path.stat().st_size * (8 if path.name.endswith(".gz") else 1)
    known = {"content": None, "content_bytes": size, "readable": True, "format": format_name}
    return Entry(file_id, str(path), path, **known)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # as jobs end (`scripting.end_job`)
