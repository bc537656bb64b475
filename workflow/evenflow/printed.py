"""Numbers that may be printed in two ways: their value lies at the border between two texts.

Another processor adds doubles in another order. A value that is 0.175 here and 0.17499999999999999
there is printed as 0.18 and as 0.17. Once it is a text nobody can tell that from a wrong number, so
a verification, which makes everything again, asks the jobs to note both texts where it happens.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path, PurePath

ASKED = "EVENFLOW_NOTE_PRINTED"  # in the environment of jobs: where to note, and the tolerance
Notes = list[tuple[list[str], frozenset[str]]]  # what a job makes; two texts of one value in it


def printed(value: float, write: Callable[[float], str]) -> str:
    """Return a value as text; note it if the tolerance allows another text."""
    if asked := os.environ.get(ASKED):
        folder, relative, absolute = _asked(asked)
        margin = max(relative * abs(value), absolute)
        texts = sorted({write(value - margin), write(value + margin)})
        if len(texts) > 1:
            running = getattr(sys.modules["__main__"], "snakemake", None)
            outputs = [str(path) for path in running.output] if running else []
            line = json.dumps({"outputs": outputs, "texts": texts})
            with Path(folder, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as handle:
                handle.write(f"{line}\n")
    return write(value)


@cache
def _asked(text: str) -> tuple[str, float, float]:
    return tuple(json.loads(text))


@contextmanager
def noting(folder: Path, relative: float, absolute: float) -> Iterator[None]:
    """Have what is run inside note its numbers in a folder, to be read by `read_notes`.

    Args:
        folder: made if it is not there.
        relative, absolute: how far apart two values are that are the same, in parts of the value
            and in its own unit.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[ASKED] = json.dumps([str(folder), relative, absolute])
    try:
        yield
    finally:
        del os.environ[ASKED]


def read_notes(folder: Path) -> Notes:
    """Return what was noted."""
    lines = [
        line for path in sorted(folder.glob("*.jsonl")) for line in path.open(encoding="utf-8")
    ]
    noted = (json.loads(line) for line in dict.fromkeys(lines))
    return [(note["outputs"], frozenset(note["texts"])) for note in noted]


def pairs_of(name: str, notes: Notes) -> set[frozenset[str]]:
    """Return the texts that a value behind a file may be printed as.

    Args:
        name: path of a made file. A page shows what its own job prints and what was made for it, in
            folders of its name; that of all pages lies above them and shows what they all do.
        notes: of all jobs.
    """
    path = PurePath(name)
    of, is_page = path.parent.name, path.suffix == ".html"
    is_of_all = is_page and of.startswith("_")
    return {
        texts
        for outputs, texts in notes
        if is_of_all
        or name in outputs
        or (is_page and any(of in PurePath(path).parts for path in outputs))
    }
