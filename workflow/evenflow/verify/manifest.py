"""Manifests: the SHA-256 of every raw file, in the form that `sha256sum --check` reads."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import DataError
from ..files import atomic_path
from ..places import typed

LINE = re.compile(r"(\\?)([0-9a-f]{64}) [ *](.+)")
ESCAPES = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}  # how sha256sum writes these in a name


@dataclass(frozen=True)
class Check:
    """What raw files have become since their manifest was written; paths as in the manifest."""

    listed: int = 0
    altered: list[str] = field(default_factory=list)  # another content
    missing: list[str] = field(default_factory=list)  # listed, and not there
    new: list[str] = field(default_factory=list)  # there, and not listed

    @property
    def holds(self) -> bool:
        """Whether every listed file is there, with its content; new files are no fault."""
        return not self.altered and not self.missing


def list_files(root: Path, folder: str, without: tuple[str, ...] = ()) -> list[str]:
    """List the files below a folder, as paths from `root`, sorted; hidden ones are left out.

    Args:
        root: the folder that paths are written from.
        folder: below it.
        without: folders, as paths from `root`, that are left out.
    """
    paths = (path.relative_to(root) for path in Path(root, folder).rglob("*") if path.is_file())
    seen = (path for path in paths if not any(part.startswith(".") for part in path.parts))
    left_out = tuple(f"{name}/" for name in without)
    return sorted(name for name in map(Path.as_posix, seen) if not name.startswith(left_out))


def hash_files(root: Path, paths: list[str]) -> dict[str, str]:
    """Return the SHA-256 of files, by path."""
    return {path: hashlib.sha256(Path(root, path).read_bytes()).hexdigest() for path in paths}


def check_files(root: Path, listed: Mapping[str, str], there: list[str]) -> Check:
    """Compare the files that are `there` with those listed; only the listed ones are read."""
    both = [path for path in there if path in listed]
    found = hash_files(root, both)
    return Check(
        listed=len(listed),
        altered=[path for path in both if found[path] != listed[path]],
        missing=sorted(listed.keys() - set(there)),
        new=[path for path in there if path not in listed],
    )


def read_manifest(path: str | Path) -> dict[str, str]:
    """Read a manifest: SHA-256 by path.

    Raises:
        DataError: a line of another form, or a path that stands there twice.
    """
    listed: dict[str, str] = {}
    text = os.fsdecode(Path(path).read_bytes())  # names may be no UTF-8, as sha256sum writes them
    for number, line in enumerate(text.rstrip("\n").split("\n") if text else (), start=1):
        found = LINE.fullmatch(line)
        if not found:
            raise _wrong_line("not a line '<SHA-256>  <path>'", path, number)
        escaped, digest, name = found.groups()
        if escaped:
            name = re.sub(r"\\.", lambda match: ESCAPES.get(match[0], match[0]), name)
        if name in listed:
            raise _wrong_line(f"{name} is listed twice", path, number)
        listed[name] = digest
    return listed


def _wrong_line(problem: str, path: str | Path, line: int) -> DataError:
    remedy = f"take it back from git, or write it again ({typed('manifest')})"
    return DataError(problem, path=path, line=line, remedy=remedy)


def write_manifest(path: str | Path, hashes: Mapping[str, str]) -> None:
    """Write a manifest, sorted by path, atomically."""
    lines = [_line(digest, name) for name, digest in sorted(hashes.items())]
    with atomic_path(path) as temporary:
        temporary.write_bytes(os.fsencode("".join(f"{line}\n" for line in lines)))


def _line(digest: str, name: str) -> str:
    written = name
    for sequence, character in ESCAPES.items():
        written = written.replace(character, sequence)
    return f"{'' if written == name else chr(92)}{digest}  {written}"
