"""`make mutants`: do tests notice small changes to what computes? Survivors are listed.

Two hundred changes are drawn from the rooms of rooms.yml by a seed. Each is made in a copy of the
project, never here, and tried with the tests that call the function it is in (cover.py): the quick
ones first, until one fails, for SECONDS of CPU at most. What equivalent.yml lists does not count.

    python tests/mutants/try_changes.py [--seed N] [--changes N] [--jobs N] [--part I/N]
        [--room NAME]

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
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import yaml
from changes import Change, changes_of

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
SECONDS = 30  # of CPU for a change; of its tests, without it, TRIED at most
TRIED = 10
GOAL = 0.85
LEFT_OUT = (".git", ".venv*", ".snakemake", ".hypothesis", "data", "dist", "logs", "_site")
LEFT_OUT += ("__pycache__", "node_modules", "results")


def main(words: list[str]) -> int:
    """Draw changes, try them, and list what survived."""
    asked = arguments(words)
    rooms = yaml.safe_load((HERE / "rooms.yml").read_text(encoding="utf-8"))
    if asked.room:
        rooms = {asked.room: rooms[asked.room]}
    drawn = draw(rooms, asked.seed, asked.changes)
    index, parts = map(int, asked.part.split("/"))
    print(f"seed {asked.seed}: {len(drawn)} changes, part {asked.part}", flush=True)
    known = yaml.safe_load((HERE / "equivalent.yml").read_text(encoding="utf-8")) or []
    equal = {entry["change"]: entry["reason"] for entry in known}
    mine = {n: change for n, change in enumerate(drawn, 1) if n % parts == index % parts}
    with tempfile.TemporaryDirectory(prefix="evenflow-mutants-") as temporary:
        copies = [copy_project(Path(temporary, str(n))) for n in range(asked.jobs)]
        counted = {n: c for n, c in mine.items() if name_of(c) not in equal}
        used = {room: about for room, about in rooms.items() if is_in(about, counted)}
        covers = covered(copies, used)
        results = tried(copies, counted, covers)
    return report(mine, results, equal)


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--changes", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--part", default="1/1", help="2/4: the second quarter of the changes")
    parser.add_argument("--room", help="one room of rooms.yml")
    return parser.parse_args(words)


def draw(rooms: Mapping, seed: int, number: int) -> list[Change]:
    """Draw changes from all that the rooms' modules allow: each with the same chance."""
    paths = sorted(
        p for about in rooms.values() for place in about["code"] for p in ROOT.glob(place)
    )
    found = []
    for path in paths:
        found += changes_of(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    return random.Random(seed).sample(found, min(number, len(found)))


def is_in(about: Mapping, changes: Mapping[int, Change]) -> bool:
    """Return whether any of the changes is in a room."""
    code = {path.relative_to(ROOT).as_posix() for p in about["code"] for path in ROOT.glob(p)}
    return any(change.path in code for change in changes.values())


def name_of(change: Change) -> str:
    """Return how equivalent.yml names a change: its line may move."""
    return str(change).replace(f":{change.line} ", " ", 1)


def copy_project(folder: Path) -> Path:
    """Copy the project without its logs and without what is made."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    return folder


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


def covered(copies: list[Path], rooms: Mapping) -> dict[str, list[str]]:
    """Return {module:function: tests that call it, the quick ones first}, without any change."""
    free: SimpleQueue = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def run(room: str) -> tuple[dict, dict]:
        about, copy = rooms[room], free.get()
        code = [p.relative_to(copy).as_posix() for place in about["code"] for p in copy.glob(place)]
        target = copy.parent / f"{room}.json"
        env = {"MUTANTS_CODE": json.dumps(code), "MUTANTS_COVER": str(target)}
        tests = [p.relative_to(copy).as_posix() for t in about["tests"] for p in copy.glob(t)]
        said = pytest_in(copy, None, "-p", "cover", *tests, **env)[1]
        free.put(copy)
        found = json.loads(target.read_text(encoding="utf-8"))
        if found["failed"] or not found["seconds"]:
            sys.exit(f"tests of {room} fail without any change: {found['failed']}\n{said[-2000:]}")
        return found["calls"], found["seconds"]

    with ThreadPoolExecutor(len(copies)) as pool:
        found = list(pool.map(run, rooms))
    tests, costs = defaultdict(set), {}
    for calls, seconds in found:
        costs |= seconds
        of_file = defaultdict(list)
        for test in seconds:
            of_file[test.partition("::")[0]].append(test)
        for where, functions in calls.items():
            for function in functions:
                tests[function].update([where] if where in seconds else of_file[where])
    print(f"{len(costs)} tests without a change: {sum(costs.values()):.0f} s", flush=True)
    return {name: affordable(sorted(some, key=costs.get), costs) for name, some in tests.items()}


def affordable(tests: list[str], costs: Mapping[str, float]) -> list[str]:
    """Return the tests, quick ones first, that take TRIED seconds together."""
    kept, total = [], 0.0
    for test in tests:
        total += costs[test]
        if kept and total > TRIED:
            break
        kept.append(test)
    return kept


def tried(copies: list[Path], changes: Mapping[int, Change], covers: Mapping) -> dict[int, str]:
    """Return {number: what became of the change}: caught, survived, or no test calls it."""
    free: SimpleQueue = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def run(item: tuple[int, Change]) -> tuple[int, str]:
        number, change = item
        tests = covers.get(f"{change.path}:{change.function}", [])
        if not tests:
            return number, "no test calls it"
        copy = free.get()
        path = copy / change.path
        text = path.read_text(encoding="utf-8")
        path.write_text(change.applied(text), encoding="utf-8")
        code, said = pytest_in(copy, SECONDS, "-x", *tests)
        path.write_text(text, encoding="utf-8")
        free.put(copy)
        # 0: all passed; the tests of a change that hangs are ended
        became = "survived" if code == 0 else "caught" if code != 4 else f"error: {said[-300:]}"
        print(f"{number:4} {became:9} {change}", flush=True)
        return number, became

    with ThreadPoolExecutor(len(copies)) as pool:
        return dict(pool.map(run, changes.items()))


def report(drawn: Mapping[int, Change], results: Mapping[int, str], equal: Mapping) -> int:
    """Print the score and what was not caught; return 1 where the goal is missed."""
    caught = sum(became == "caught" for became in results.values())
    share = caught / len(results) if results else 1.0
    print(f"\n{caught} of {len(results)} caught: {share:.1%} (goal {GOAL:.0%}). Not caught:")
    for number, became in sorted(results.items()):
        if became != "caught":
            print(f"{number:4} {became}: {drawn[number]}")
    print("Equivalent, not counted:")
    for number, change in drawn.items():
        if name_of(change) in equal:
            print(f"{number:4} {change}: {equal[name_of(change)]}")
    return int(share < GOAL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
