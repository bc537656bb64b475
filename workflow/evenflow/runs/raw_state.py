"""The state of a data set's raw files, by which a change of any shows."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from ..paths import is_of_kernel, shown_path
from .receipts import CHANGED, saw_raw

IN_MEMORY = 1.5  # MB of tables for each MB of plain logs (docs/explanation/performance.md)
PACKED = 8  # the same for compressed logs
PACKED_ENDS = (".gz", ".bz2", ".xz", ".zst")
DESCRIPTION = ""  # in the place of a folder: the files that describe a data set

Files = list[
    tuple[str, int, int, bool]
]  # path, bytes, time of change in ns, whether it can be read


def raw_state(folder: str | Path) -> str:
    """Return a digest of paths, sizes, times and readability of the files in a folder.

    A file that may not be read is listed as such: once it may be, the tables are others.
    """
    return digest(files_by_folder(folder))


def files_by_folder(folder: str | Path, moments: list[int] | None = None) -> dict[str, Files]:
    """Return what is known of the files in a folder and below it, by the folder that they are in.

    The folders are relative to the first, which is '.'. Those that hold nothing but folders are
    left out, so that a run more changes no other; those that may not be looked into are there.
    Links to folders are not followed. `moments`, if given, gets the times of change of all inodes.
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
        if moments is not None:
            moments.append(os.stat(place).st_ctime_ns)  # noqa: PTH116
        if len(inside) > n_below or name == ".":
            found[name] = _about(others, moments)
    return found


def _is_folder(entry: os.DirEntry) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _about(paths: Iterable[str], moments: list[int] | None = None) -> Files:
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
            if moments is not None:
                moments.append(about.st_ctime_ns)
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


def chunk_state(by_folder: Mapping[str, Files], description: Files) -> str:
    """Return the state of a chunk of a data set, on a line, and the folders that are the chunk.

    Args:
        by_folder: what is known of the files in each of them.
        description: what is known of the files that describe the data set.
    """
    state = digest({**by_folder, "": description})
    return json.dumps({"state": state, "folders": sorted(by_folder)})


def folders_of(state: str) -> list[str]:
    """Return the folders of a chunk, by its state."""
    return json.loads(state)["folders"]


def about_files(
    folder: str | Path, names: Iterable[str], moments: list[int] | None = None
) -> Files:
    """Return what is known of files of a data set, by their paths relative to it."""
    return _about((str(Path(folder, name)) for name in names), moments)


class Reading:
    """Raw files that are being read; `list_read` says which were found."""

    def __init__(self) -> None:
        self.paths: set[str] | None = None

    def list_read(self, paths: Iterable[str]) -> None:
        """Say which files were found, relative to the data set, as `paths.shown_path` has them."""
        self.paths = set(paths)


@contextmanager
def being_read(
    folder: str,
    chunk: str | None = None,
    state: str | None = None,
    description: Callable[[], Iterable[str]] = list,
) -> Iterator[Reading]:
    """Keep in the receipt of this job of which state of raw files its outputs are.

    Files that change while they are read, as a campaign adds runs, are read again in the next run,
    even where they are put back by then: times of change of inodes and folders show that, and files
    that were not found.

    Args:
        folder: the data set.
        chunk: name of a chunk of it, whose state, at the time when it was laid down, is `state`.
        state: `chunk_state`.
        description: returns the files that describe it (`chunks.described_by`).
    """
    inside = folders_of(state) if state is not None else None
    before, moments = _look(folder, inside, description)
    reading = Reading()
    yield reading
    after, moments_after = _look(folder, inside, description)
    known = _state_of(before, inside)
    same = before == after and moments == moments_after and known == (state or known)
    same = same and (reading.paths is None or _are_in(folder, before, inside, reading.paths))
    saw_raw(raw_name(folder, chunk), short_state(known) if same else CHANGED)


def raw_name(folder: str, chunk: str | None = None) -> str:
    """Name raw files in a receipt."""
    return f"{folder}/" if chunk is None else f"{folder}/@{chunk}"


def of_raw_name(name: str) -> tuple[str, str | None]:
    """Return the data set and the chunk, None for all of it, that a name of `raw_name` is of."""
    folder, _, chunk = name.rpartition("/")
    return Path(folder).name, chunk.removeprefix("@") or None


def short_state(state: str) -> str:
    """Return what a receipt keeps of a state."""
    return sha256(state.encode("utf-8", "surrogateescape")).hexdigest()


def _state_of(looked: Mapping[str, Files], inside: Iterable[str] | None) -> str:
    if inside is None:
        return digest(looked)
    return chunk_state({name: looked[name] for name in inside}, looked[DESCRIPTION])


def _look(
    folder: str, inside: Iterable[str] | None, description: Callable[[], Iterable[str]]
) -> tuple[dict[str, Files], list[int]]:
    """Return what is known of raw files by folder, and their times of change of inodes."""
    moments: list[int] = []
    if inside is None:
        return files_by_folder(folder, moments), moments
    looked = {}
    for name in inside:
        place = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
        try:
            there = (entry.path for entry in os.scandir(place) if not is_of_kernel(entry))
            looked[name] = _about(there, moments)
            if name != ".":  # which changes with every run that is added
                moments.append(os.stat(place).st_ctime_ns)  # noqa: PTH116
        except OSError:
            looked[name] = []
    looked[DESCRIPTION] = about_files(folder, description(), moments)
    return looked, moments


def _are_in(
    folder: str, looked: Mapping[str, Files], inside: Iterable[str] | None, paths: set[str]
) -> bool:
    names = looked.keys() if inside is None else inside
    files = (file[0] for name in names for file in looked[name])
    start = len(os.path.normpath(folder)) + 1
    return all(shown_path(path[start:]) in paths for path in files)


def read_about(path: Path) -> dict:
    """Return what a run laid down of a data set: mb, and the names of its chunks.

    Empty where there is nothing, or something else: the file was damaged.
    """
    with suppress(OSError, ValueError):
        said = json.loads(path.read_bytes())
        if isinstance(said, dict) and type(said.get("mb")) is int:
            chunks = said.get("chunks")
            if isinstance(chunks, list) and all(isinstance(name, str) for name in chunks):
                return said
    return {}
