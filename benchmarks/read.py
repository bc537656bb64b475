"""Read logs as the job of a data set does, and write all tables.

    read.py FORMAT OUTPUT LIST      LIST: a file with a path a line

OUTPUT.<table>.parquet are the tables, those that the logs do not give without a row.
"""

import gc
import os
import sys
from pathlib import Path

gc.disable()  # as the job does (workflow/scripts/read_logs.py)

from evenflow.ingest.entities import Entry  # noqa: E402
from evenflow.ingest.reading import parse_entries  # noqa: E402


def main(format_name: str, output: str, listed: str) -> None:
    """Read the logs that a file lists."""
    paths = Path(listed).read_text(encoding="utf-8").splitlines()
    tables = parse_entries([_entry(i, path, format_name) for i, path in enumerate(paths)])
    for name, table in tables.items():
        table.write_parquet(f"{output}.{name}.parquet")


def _entry(file_id: int, path: str, format_name: str) -> Entry:
    # of gzip about what it holds: by that logs are read together
    size = os.stat(path).st_size * (8 if path.endswith(".gz") else 1)  # noqa: PTH116 (by thousands)
    known = {"content": None, "content_bytes": size, "readable": True, "format": format_name}
    return Entry(file_id, path, Path(path), **known)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # as jobs end (`scripting.end_job`)
