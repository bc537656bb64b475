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
from .receipts import CHANGED, digest_of, saw_raw

IN_MEMORY = 1.5  # MB of tables for each MB of plain logs (docs/explanation/performance.md)
PACKED = 8  # the same for compressed logs
PACKED_ENDS = (".gz", ".bz2", ".xz", ".zst")
ALL_MAY = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH
DESCRIPTION = ""  # in the place of a folder: the files that describe a data set

# path, bytes, time of change in ns, whether it can be read; inode, its time of change in ns
Files = list[tuple[str, int, int, bool, int, int]]


def raw_state(folder: str | Path) -> str:
    """Return a digest of paths, sizes, times and readability of the files in a folder.

    A file that may not be read is listed as such: once it may be, the tables are others.
    """
    return digest(files_by_folder(folder))


def files_by_folder(folder: str | Path, moments: list[int] | None = None) -> dict[str, Files]:
    """Return what is known of the files in a folder and below it, by the folder that they are in.

    The folders are relative to the first, which is '.'. Those that hold nothing but folders are
    left out, so that a run more changes no other; those that may not be looked into are there.
    Links to folders are not followed. `moments`, if given, gets the times of change of folders.
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
            # to ask takes as long as all else, and who may not read would nearly always show here
            readable = about.st_mode & ALL_MAY == ALL_MAY or os.access(path, os.R_OK)
            inode = about.st_ino, about.st_ctime_ns
            found.append((path, about.st_size, about.st_mtime_ns, readable, *inode))
    return found


def digest(by_folder: Mapping[str, Files]) -> str:
    """Return the digest of what is known of files, without their inodes: copies have others."""
    return _digest(file[:4] for files in by_folder.values() for file in files)


def inodes(by_folder: Mapping[str, Files]) -> str:
    """Return the digest of the inodes of files and their times of change, which nobody can set."""
    files = sorted(file for files in by_folder.values() for file in files)
    return sha256(" ".join(f"{inode} {ctime}" for *_, inode, ctime in files).encode()).hexdigest()


def contents(
    folder: str | Path, by_folder: Mapping[str, Files], read: Mapping[str, str | None] | None = None
) -> str:
    """Return the digest of what is in files, each of which is read.

    Args:
        folder: the data set.
        by_folder: what is known of its files.
        read: SHA-256 of those that were read already, relative to the data set, as
            `paths.shown_path` has them.
    """
    known = read or {}
    paths = {file[0] for files in by_folder.values() for file in files}
    return _digest((path, known.get(_shown(folder, path)) or _sha256(path)) for path in paths)


def _digest(state: Iterable[tuple]) -> str:
    return sha256(repr(sorted(state)).encode()).hexdigest()


def _shown(folder: str | Path, path: str) -> str:
    return shown_path(path[len(os.path.normpath(folder)) + 1 :])


def _sha256(path: str) -> str:
    try:
        return digest_of(path)
    except OSError:  # it may not be read, or is gone
        return ""


def size_mb(by_folder: Mapping[str, Files]) -> int:
    """Estimate what files (`files_by_folder`) take in memory once they are parsed, in MB.

    Measured are 214 KB a run of six compressed logs, which take 27 KB on the disk.
    """
    return int(
        sum(
            size * (PACKED if path.endswith(PACKED_ENDS) else IN_MEMORY)
            for files in by_folder.values()
            for path, size, *_ in files
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


def about_files(folder: str | Path, names: Iterable[str]) -> Files:
    """Return what is known of files of a data set, by their paths relative to it."""
    return _about(str(Path(folder, name)) for name in names)


class Reading:
    """Raw files that are being read; `list_read` says which were found."""

    def __init__(self) -> None:
        self.found: dict[str, str | None] | None = None

    def list_read(self, paths: Iterable[str], digests: Iterable[str | None]) -> None:
        """Say which files were found, and the SHA-256 of those that could be read.

        Paths are relative to the data set, as `paths.shown_path` has them.
        """
        self.found = dict(zip(paths, digests, strict=True))


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
    same = same and (reading.found is None or _are_in(folder, before, inside, reading.found))
    name = raw_name(folder, chunk)
    if same:
        read = contents(folder, before, reading.found)
        saw_raw(name, short_state(known), inodes(before), read)
    else:
        saw_raw(name, CHANGED)


def contents_now(folder: str, state: str | None, description: Callable[[], Iterable[str]]) -> str:
    """Return the digest of what is in raw files now, as `being_read` keeps it; all are read.

    Args:
        folder: the data set.
        state: of a chunk of it; None: all of it.
        description: as `being_read` has it.
    """
    inside = folders_of(state) if state is not None else None
    return contents(folder, _look(folder, inside, description)[0])


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
    """Return what is known of raw files by folder, and the times of change of these."""
    moments: list[int] = []
    if inside is None:
        return files_by_folder(folder, moments), moments
    looked = {}
    for name in inside:
        place = os.path.normpath(os.path.join(folder, name))  # noqa: PTH118
        try:
            there = (entry.path for entry in os.scandir(place) if not is_of_kernel(entry))
            looked[name] = _about(there)
            if name != ".":  # which changes with every run that is added
                moments.append(os.stat(place).st_ctime_ns)  # noqa: PTH116
        except OSError:
            looked[name] = []
    looked[DESCRIPTION] = about_files(folder, description())
    return looked, moments


def _are_in(
    folder: str,
    looked: Mapping[str, Files],
    inside: Iterable[str] | None,
    found: Mapping[str, str | None],
) -> bool:
    names = looked.keys() if inside is None else inside
    return all(_shown(folder, file[0]) in found for name in names for file in looked[name])


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
