"""Makes committed runs of the testbed again with today's kernel; compares all logs byte by byte.

    python -m experiments.testbed.again data/raw/testbed-open/comparison/newreno-bic/rtt100_opb20/r1
    python -m experiments.testbed.again --each 5 [--report REPORT.json]      five runs of each build
    python -m experiments.testbed.again --builds                             who made which runs

Two builds of the kernel count as one where all logs of such runs agree; runs of others are balanced
over the repeats of a cell. Nothing below data/raw is written. Exit status 1 when a log differs.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import re
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from experiments.testbed import run

RAW = Path("data/raw")


def build_of(folder: Path) -> str:
    """The build of the kernel that made a run."""
    return json.loads((folder / "run.json").read_text())["made_by"]["versions"]["kernel_build"]


def runs_by_build(raw: Path = RAW) -> dict[str, list[Path]]:
    """Build -> folders of its runs, in the order of their paths."""
    found: dict[str, list[Path]] = defaultdict(list)
    for record in sorted(raw.glob("testbed*/**/run.json")):
        found[build_of(record.parent)].append(record.parent)
    return dict(sorted(found.items()))


def spread(folders: list[Path], count: int) -> list[Path]:
    """`count` of the folders, evenly over their order: data sets and pairs in turn."""
    step = len(folders) / count
    return [folders[int((k + 0.5) * step)] for k in range(count)] if step > 1 else folders


def logs_of(folder: Path) -> dict[str, bytes]:
    """Name -> content of all logs of a run, however they are packed."""
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}
    return {path.stem: unpack[path.suffix](path.read_bytes()) for path in folder.glob("*.log.*")}


def differences(before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, str]:
    """Log -> its first line that differs; empty when all logs have the same bytes."""
    found = {}
    for name in sorted(before | after):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            found[name] = "only before" if new is None else "only now"
        elif old != new:
            lines = list(zip(old.decode().splitlines(), new.decode().splitlines(), strict=False))
            first = next((k for k, (a, b) in enumerate(lines) if a != b), len(lines))
            was = lines[first][0] if first < len(lines) else "its end"
            found[name] = f"line {first + 1}, before: {re.sub(r' +', ' ', was)}"
    return found


def make_again(folder: Path, scratch: Path, limit_s: float) -> dict[str, object]:
    """Make a run again by the command in its run.json, below `scratch`; say how its logs differ.

    Raises run.RunError where the run cannot be made.
    """
    record = json.loads((folder / "run.json").read_text())
    words = record["made_by"]["command"].removeprefix("python -m experiments.testbed.run ").split()
    words[0] = str(folder)
    scenario = run.scenario_of(run.parse_arguments(words))
    target = scratch / "run"
    made = run.run(scenario, target, limit_s, record["made_by"]["command"])
    different = differences(logs_of(folder), logs_of(target))
    versions = made["made_by"]["versions"]
    return {
        "run": str(folder), "build_before": record["made_by"]["versions"]["kernel_build"],
        "build_now": versions["kernel_build"], "same": not different, "different": different,
        "wall_s": made["made_by"]["wall_s"],
    }  # fmt: skip


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="experiments.testbed.again",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", type=Path, nargs="*", metavar="RUN", help="folder of a run")
    parser.add_argument("--each", type=int, default=0, metavar="N", help="N runs of each build")
    parser.add_argument("--of", metavar="BUILD", help="with --each: of this build only")
    parser.add_argument("--builds", action="store_true", help="list the builds and their runs")
    parser.add_argument("--report", type=Path, help="write what was found, JSON")
    parser.add_argument("--limit-s", type=float, default=7200, help="wall clock of a run")
    asked = parser.parse_args(words)
    builds = runs_by_build() if asked.builds or asked.each else {}
    for build, folders in builds.items() if asked.builds else ():
        sets = Counter(folder.relative_to(RAW).parts[0] for folder in folders)
        print(build, len(folders), *(f"{name}:{n}" for name, n in sorted(sets.items())))
    chosen = list(asked.runs)
    for build, folders in builds.items():
        if asked.each and asked.of in (None, build):
            chosen += spread(folders, asked.each)
    results = []
    try:
        for folder in chosen:
            with tempfile.TemporaryDirectory(prefix="evenflow-again.") as scratch:
                results.append(make_again(folder, Path(scratch), asked.limit_s))
            found = results[-1]
            said = "same bytes" if found["same"] else f"DIFFERENT: {found['different']}"
            print(f"{found['build_before']} {folder}: {said}", flush=True)
    except (run.RunError, OSError, KeyError, ValueError) as error:
        print(f"{folder} cannot be made again: {error}", file=sys.stderr)
        return 1
    finally:
        if asked.report and results:
            asked.report.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(found["same"] for found in results) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the guest
    sys.exit(main(sys.argv[1:]))
