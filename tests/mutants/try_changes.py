"""`make mutants`: do tests notice small changes to what computes? Survivors are listed.

Two hundred changes are drawn from the rooms of rooms.yml by a seed. Each is made in a copy of the
project, never here, and tried with the tests that call the function it is in (cover.py): the quick
ones first, until one fails, for SECONDS of CPU at most. What equivalent.yml lists does not count.

    python tests/mutants/try_changes.py [--seed N] [--changes N] [--jobs N]
        [--part I/N] [--covered FILE]   # in parts, that share what the tests call
        [--room NAME ...]   # of some rooms of the library alone

Exit code 1 where fewer than GOAL of them are caught.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import yaml
from changes import Change, changes_of

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
SECONDS = 30  # of CPU for a change; of its tests, without it, TRIED at most
TRIED = 10
GOAL = 0.85
CAUGHT, SURVIVED, UNTRIED = "caught", "survived", "no test calls it"
LEFT_OUT = {".git", ".snakemake", ".hypothesis", "data", "dist", "logs", "results", "node_modules"}
MADE = ("__pycache__", ".venv*", "_site", "figures")


def main(words: list[str]) -> int:
    """Draw changes, try them, and list what survived."""
    asked = arguments(words)
    rooms = yaml.safe_load((HERE / "rooms.yml").read_text(encoding="utf-8"))
    rooms["code"] = in_rooms(rooms["code"], asked.room)
    rooms["tests"] = in_rooms(rooms["tests"], asked.room)
    known = yaml.safe_load((HERE / "equivalent.yml").read_text(encoding="utf-8")) or []
    equal = {entry["change"]: entry["reason"] for entry in known}
    drawn = dict(enumerate(draw(rooms["code"], asked.seed, asked.changes), 1))
    part, parts = map(int, asked.part.split("/"))
    mine = {number: change for number, change in drawn.items() if number % parts == part % parts}
    counted = {number: change for number, change in mine.items() if name_of(change) not in equal}
    print(f"seed {asked.seed}: {len(drawn)} changes, part {asked.part}", flush=True)
    with tempfile.TemporaryDirectory(prefix="evenflow-mutants-") as temporary:
        copies = SimpleQueue()
        for number in range(asked.jobs):
            copies.put(copy_project(Path(temporary, str(number))))
        with ThreadPoolExecutor(asked.jobs) as pool:
            if not (asked.covered and asked.covered.exists()):
                covers = covered(pool, copies, rooms)
                if asked.covered:
                    asked.covered.write_text(json.dumps(covers), encoding="utf-8")
            else:
                covers = json.loads(asked.covered.read_text(encoding="utf-8"))
            results = tried(pool, copies, counted, covers)
    return report(mine, results, equal)


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", default="1/1", help="2/4: the second quarter of the changes")
    parser.add_argument(
        "--room", action="append", help="claims: changes there alone; may be repeated"
    )
    parser.add_argument("--covered", type=Path, help="where to keep which test calls what")
    return parser.parse_args(words)


def in_rooms(places: list[str], rooms: list[str] | None) -> list[str]:
    """Return the places of some rooms, and those of none, as the tests of papers; None for all."""
    every = {path.name for path in (ROOT / "workflow/evenflow").iterdir() if path.is_dir()}
    every.add("_grid")  # of reports/, which several papers share
    return [
        place
        for place in places
        if not rooms or not every.intersection(named := Path(place).parts) or {*rooms} & {*named}
    ]


def draw(code: list[str], seed: int, number: int) -> list[Change]:
    """Draw changes from all that the modules allow, each with the same chance."""
    found = []
    for path in sorted(path for place in code for path in ROOT.glob(place)):
        found += changes_of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    return random.Random(seed).sample(found, min(number, len(found)))


def name_of(change: Change) -> str:
    """Return how equivalent.yml names a change: its line may move."""
    return str(change).replace(f":{change.line} ", " ", 1)


def copy_project(folder: Path) -> Path:
    """Copy the project without its logs and without what is made."""

    def ignored(where: str, names: list[str]) -> set[str]:
        made = shutil.ignore_patterns(*MADE)(where, names)
        return made | LEFT_OUT.intersection(names) if Path(where) == ROOT else made

    shutil.copytree(ROOT, folder, ignore=ignored, symlinks=True)
    return folder


@contextmanager
def taken(copies: SimpleQueue) -> Iterator[Path]:
    """Yield a copy that nobody else uses, and give it back."""
    copy = copies.get()
    try:
        yield copy
    finally:
        copies.put(copy)


def pytest_in(folder: Path, seconds: int | None, *words: str, **env: str) -> tuple[int, str]:
    """Run pytest in a copy, for so many seconds of CPU; return its code and what it said."""

    def limited() -> None:
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--tb=no",
    ]
    command += ["--basetemp", str(folder) + "-tmp", *words]
    path = os.pathsep.join((str(folder / "workflow"), str(folder / "tests/mutants")))
    env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **env}
    done = subprocess.run(
        command, cwd=folder, env=env, preexec_fn=limited, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def covered(pool: Executor, copies: SimpleQueue, rooms: Mapping) -> dict[str, list[str]]:
    """Return {module:function: tests that call it, the quick ones first}, without any change."""
    code, tests = (
        sorted(path.relative_to(ROOT).as_posix() for p in rooms[of] for path in ROOT.glob(p))
        for of in ("code", "tests")
    )

    def run(path: str) -> dict:
        with taken(copies) as copy, tempfile.TemporaryDirectory() as temporary:
            target = Path(temporary, "calls.json")
            env = {"MUTANTS_CODE": json.dumps(code), "MUTANTS_COVER": str(target)}
            status, said = pytest_in(copy, None, "-p", "cover", path, **env)
            if status:
                sys.exit(f"tests of {path} fail without any change:\n{said[-2000:]}")
            return json.loads(target.read_text(encoding="utf-8"))

    calling, costs, imported = defaultdict(set), {}, set()
    for found in pool.map(run, tests):
        seconds = found["seconds"]
        costs |= seconds
        imported.update(found["imported"])
        for where, functions in found["calls"].items():
            of_file = [test for test in seconds if test.startswith(f"{where}::")]
            for function in functions:
                calling[function].update([where] if where in seconds else of_file)
    for function in imported:  # as the body of a class: who calls the module relies on it
        calling[function] |= calling[f"{function.partition(':')[0]}:"]
    print(f"{len(costs)} tests without a change: {sum(costs.values()):.0f} s", flush=True)
    return {name: affordable(sorted(some, key=costs.get), costs) for name, some in calling.items()}


def affordable(tests: list[str], costs: Mapping[str, float]) -> list[str]:
    """Return the tests, quick ones first, that take TRIED seconds together."""
    kept, total = [], 0.0
    for test in tests:
        total += costs[test]
        if kept and total > TRIED:
            break
        kept.append(test)
    return kept


def tried(
    pool: Executor, copies: SimpleQueue, changes: Mapping[int, Change], covers: Mapping
) -> dict[int, str]:
    """Return {number: what became of the change}: caught, survived, or no test calls it."""

    def run(item: tuple[int, Change]) -> tuple[int, str]:
        number, change = item
        became, tests = UNTRIED, covers.get(f"{change.path}:{change.function}")
        if tests:
            with taken(copies) as copy:
                path = copy / change.path
                text = path.read_text(encoding="utf-8")
                path.write_text(change.applied(text), encoding="utf-8")
                status, said = pytest_in(copy, SECONDS, "-x", *tests)
                path.write_text(text, encoding="utf-8")
            if status in (3, 5):  # of pytest itself
                sys.exit(f"{change}\n{said[-2000:]}")
            # what hangs is ended, and caught; so is what keeps its tests from being imported (4)
            became = CAUGHT if status else SURVIVED
        print(f"{number:4} {became}: {change}", flush=True)
        return number, became

    return dict(pool.map(run, changes.items()))


def report(drawn: Mapping[int, Change], results: Mapping[int, str], equal: Mapping) -> int:
    """Print the score and what was not caught; return 1 where the goal is missed."""
    caught = sum(became == CAUGHT for became in results.values())
    share = caught / len(results) if results else 1.0
    print(f"\n{caught} of {len(results)} caught: {share:.1%} (goal {GOAL:.0%}). Not caught:")
    for number, became in sorted(results.items()):
        if became != CAUGHT:
            print(f"{number:4} {became}: {drawn[number]}")
    print("Equivalent, not counted:")
    for number, change in drawn.items():
        if name_of(change) in equal:
            print(f"{number:4} {change}: {equal[name_of(change)]}")
    return int(share < GOAL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
