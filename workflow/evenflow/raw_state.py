"""The state of a data set's raw files, by which a change of any shows."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from .files import write_text
from .paths import is_of_kernel

IN_MEMORY = 1.5  # MB of tables for each MB of plain logs (docs/explanation/performance.md)
PACKED = 8  # the same for compressed logs
PACKED_ENDS = (".gz", ".bz2", ".xz", ".zst")

Files = list[
    tuple[str, int, int, bool]
]  # path, bytes, time of change in ns, whether it can be read


def raw_state(folder: str | Path) -> str:
    """Return a digest of paths, sizes, times and readability of the files in a folder.

    A file that may not be read is listed as such: once it may be, the tables are others.
    """
    return digest(files_by_folder(folder))


def files_by_folder(folder: str | Path) -> dict[str, Files]:
    """Return what is known of the files in a folder and below it, by the folder that they are in.

    The folders are relative to the first, which is '.'. Those that hold nothing but folders are
    left out, so that a run more changes no other; those that may not be looked into are there.
    Links to folders are not followed.
    """
    found: dict[str, Files] = {}
    todo = [(str(folder), ".")]
    while todo:
        place, name = todo.pop()
        try:
            inside = list(os.scandir(place))
        except OSError:
            found[name] = []
            continue
        others, n_below = [], 0
        for entry in inside:
            if not _is_folder(entry):
                others += [] if is_of_kernel(entry) else [entry.path]
            elif not entry.is_symlink():
                n_below += 1
                todo.append((entry.path, entry.name if name == "." else f"{name}/{entry.name}"))
        if len(inside) > n_below or name == ".":
            found[name] = _about(others)
    return found


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _about(paths: Iterable[str]) -> Files:
    # by os, which takes half the time of Path: at the start of every run all files are looked at
    found = []
    for path in paths:
        try:
            about = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(about.st_mode):
            readable = os.access(path, os.R_OK)
            found.append((path, about.st_size, about.st_mtime_ns, readable))
    return found


def digest(by_folder: Mapping[str, Files]) -> str:
    """Return the digest of what is known of files."""
    state = sorted(file for files in by_folder.values() for file in files)
    return sha256(repr(state).encode()).hexdigest()


def size_mb(by_folder: Mapping[str, Files]) -> int:
    """Estimate what files (`files_by_folder`) take in memory once they are parsed, in MB.

    Measured are 214 KB a run of six compressed logs, which take 27 KB on the disk.
    """
    return int(
        sum(
            size * (PACKED if path.endswith(PACKED_ENDS) else IN_MEMORY)
            for files in by_folder.values()
            for path, size, _, _ in files
        )
        / 1e6
    )


def part_state(by_folder: Mapping[str, Files], description: Files) -> str:
    """Return the state of a part of a data set, on a line, and the folders that are the part.

    Args:
        by_folder: what is known of the files in each of them.
        description: what is known of the files that describe the data set.
    """
    state = digest(by_folder | {"": description})
    return json.dumps({"state": state, "folders": sorted(by_folder)})


def folders_of(state: str) -> list[str]:
    """Return the folders of a part, by its state."""
    return json.loads(state)["folders"]


def part_state_now(folder: str | Path, inside: Iterable[str], description: Iterable[str]) -> str:
    """Return the state of a part of a data set as it is now (`part_state`).

    Args:
        folder: the data set.
        inside: the folders of the part, relative to it.
        description: the files that describe it (`partitions.described_by`).
    """
    by_folder = {}
    for name in inside:
        place = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
        try:
            there = [entry for entry in os.scandir(place) if not is_of_kernel(entry)]
            by_folder[name] = _about(entry.path for entry in there)
        except OSError:
            by_folder[name] = []
    return part_state(by_folder, about_files(folder, description))


def about_files(folder: str | Path, names: Iterable[str]) -> Files:
    """Return what is known of files of a data set, by their paths relative to it."""
    return _about(str(Path(folder, name)) for name in names)


@contextmanager
def being_read(state: str | Path, now: Callable[[], str]) -> Iterator[None]:
    """Keep the state of raw files, in a file, as parsed for as long as the tables are of it.

    Files that change while they are read, as a campaign adds runs, are read again in the next run,
    even where they are put back by then.

    Args:
        state: the file; beside it, with the suffix .parsed, is what the tables are of.
        now: returns the state as it is.
    """
    read, parsed = Path(state).read_text(encoding="utf-8"), Path(state).with_suffix(".parsed")
    parsed.unlink(missing_ok=True)
    yield
    if now() == read.strip():
        write_text(parsed, read)
    else:
        write_text(state, "changed while it was read")
