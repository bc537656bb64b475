"""Time how long finding out what ran together takes, of folders that nobody described.

    python ../tests/strangers/generator.py --seed 1 --count 400 OUT
    python join.py OUT/raw             # each folder by itself, as they are dropped
    python join.py --together OUT/raw  # all as one data set

Prints a JSON object: logs and tests, and the CPU-seconds of reading and parsing, of joining, and of
the rest (flows, scenarios). The first folder is read once before, so that loading the libraries
does not count.
"""

import argparse
import gc
import json
import sys
import time
from pathlib import Path

from evenflow.ingest import parse


def main(words: list[str]) -> None:
    """Read and join the tests of folders."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--together", action="store_true", help="as one data set")
    parser.add_argument("raw", type=Path)
    asked = parser.parse_args(words)
    gc.disable()  # as the jobs do
    folders = sorted(asked.raw.iterdir())
    parse.parse_chunk(folders[0])
    total = {"logs": 0, "tests": 0, "reading": 0.0, "joining": 0.0, "rest": 0.0}
    infer, marks = parse.infer_runs, []

    def timed(entries, *more):
        marks.append(time.process_time())
        groups, assumptions = infer(entries, *more)
        marks.append(time.process_time())
        total["logs"] += sum(entry.readable for entry in entries)
        for group in groups.values():
            total["tests"] += len({(s.file_id, s.episode) for s in group.streams})
        return groups, assumptions

    parse.infer_runs = timed
    for folder in [asked.raw] if asked.together else folders:
        marks[:] = [time.process_time()]
        parse.parse_chunk(folder)
        marks.append(time.process_time())
        for name, begun, ended in zip(list(total)[2:], marks, marks[1:], strict=False):
            total[name] += ended - begun
    print(json.dumps({name: round(n, 1) for name, n in total.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
