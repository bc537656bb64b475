"""Read logs as the ingest does and write what was read; print how long it took,
and the most memory it had.

    read.py FORMAT OUTPUT LIST [warm]     LIST: a file with a path a line

OUTPUT.interval.parquet and OUTPUT.drop.parquet hold the tables. The seconds printed are those of
reading and parsing; with 'warm' the first log is read once before, so that loading the compiled
kernels does not count.
"""

import json
import re
import sys
import time
from pathlib import Path

from evenflow.ingest.entities import Entry
from evenflow.ingest.reading import parse_entries


def main(format_name: str, output: str, listed: str, warm: str = "") -> None:
    """Read the logs that a file lists."""
    paths = [Path(line) for line in Path(listed).read_text(encoding="utf-8").splitlines()]
    if warm:
        parse_entries([_entry(0, paths[0], format_name, _first_lines(paths[0]))])
    wall, cpu = time.perf_counter(), time.process_time()
    tables = parse_entries([_entry(i, path, format_name) for i, path in enumerate(paths)])
    seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    for name in ("interval", "drop"):
        tables[name].write_parquet(f"{output}.{name}.parquet")
    print(json.dumps({**seconds, "peak": _peak_bytes()}))


def _peak_bytes() -> int:
    """Return the most memory that this process ever had (Linux); rusage has its parent's too."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024


def _entry(file_id: int, path: Path, format_name: str, content: bytes | None = None) -> Entry:
    size = path.stat().st_size
    known = {"content": content, "content_bytes": size, "readable": True, "format": format_name}
    return Entry(file_id, str(path), path, **known)


def _first_lines(path: Path) -> bytes:
    with path.open("rb") as handle:
        lines = handle.read(2**20)
    return lines if len(lines) < 2**20 else lines[: lines.rfind(b"\n") + 1]


if __name__ == "__main__":
    main(*sys.argv[1:])
