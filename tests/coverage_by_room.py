"""How much of each room of the library the tests call; exit code 1 where a room is below its floor.

`make coverage` runs it after the tests: coverage.py's data are in the working folder, the floors (%
of lines) in pyproject.toml, `[tool.evenflow.coverage]`. Jobs of Snakemake are not counted.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "workflow/evenflow"
BESIDE = "beside"  # modules next to the rooms


def main() -> int:
    """Print the rooms with their share of lines that tests call and their floors."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    floors = project["tool"]["evenflow"]["coverage"]
    covered = coverage_by_room(Coverage())
    well = True
    for room in sorted(covered.keys() | floors.keys()):
        share, floor = covered.get(room, 0), floors.get(room, 100)
        well = well and share >= floor
        said = "" if share >= floor else "  below its floor"
        print(f"{room:12}{share:6.1f} %   floor {floor} %{said}")
    return 0 if well else 1


def coverage_by_room(data: Coverage) -> dict[str, float]:
    """Return {room: % of the lines that can run which did run}."""
    data.load()
    lines, missing = Counter(), Counter()
    for path in LIBRARY.rglob("*.py"):
        parts = path.relative_to(LIBRARY).parts
        room = parts[0] if len(parts) > 1 else BESIDE
        _, statements, _, not_run, _ = data.analysis2(str(path))
        lines[room] += len(statements)
        missing[room] += len(not_run)
    return {room: 100 * (1 - missing[room] / n) for room, n in lines.items() if n}


if __name__ == "__main__":
    sys.exit(main())
