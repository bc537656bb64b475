"""Where a run keeps what it knows, and whose paths are whose."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ..places import EXPECTED, MANIFESTS, PLANNED, STATE, folders

PLACE = STATE


def roots() -> tuple[str, str]:
    """Return the folders of results; each may be a link: the user's word where results go."""
    known = folders()
    return known.derived, known.site


def tops() -> set[str]:
    """Return the folders that stay, even if they are empty: of results, and those above them."""
    known = folders()
    return {str(top) for place in (known.derived, known.site) for top in [place, *above(place)]}


def above(place: str) -> list[str]:
    """List the folders above one, as far as the working folder."""
    return [str(folder) for folder in Path(place).parents if folder != Path()]


def is_of_study(path: str) -> bool:
    """Say whether a file is data or text of the study, not code or settings."""
    return path.startswith(tuple(f"{folder}/" for folder in folders()))


def is_committed(path: str) -> bool:
    """Say whether a file is a list that is written on command for the user to commit.

    Such a file is the user's from then on, whatever a receipt or a journal says.
    """
    return path == PLANNED or path.startswith((f"{MANIFESTS}/", f"{EXPECTED}/"))


def free_parts(path: str) -> int:
    """Return how many of the first parts of a path a user may have put elsewhere, by a link.

    The folders of the study, that of the pages, that of a paper, `logs` and `dist`; nothing below
    them.
    """
    raw, derived, reports = folders()
    for folder, more in ((raw, 0), (derived, 0), (reports, 1)):
        if f"{path}/".startswith(f"{folder}/"):
            return folder.count("/") + 1 + more
    return 1


def link_on_way(path: str, known: dict[str, str | None] | None = None) -> str | None:
    """Return the first part of a path that is a link and may not be, or None.

    Args:
        path: relative to the project.
        known: answers for folders, which are filled in: each folder is asked once.
    """
    found = link_above(path.rpartition("/")[0], {} if known is None else known)
    if found:
        return found
    return path if path.count("/") >= free_parts(path) and os.path.islink(path) else None  # noqa: PTH114


def link_above(folder: str, known: dict[str, str | None]) -> str | None:
    """Return the same for a folder, which is asked once."""
    if folder not in known:
        above, slash, _ = folder.rpartition("/")
        found = link_above(above, known) if slash else None
        free = folder.count("/") < free_parts(folder)
        if not found and not free and os.path.islink(folder):  # noqa: PTH114
            found = folder
        known[folder] = found
    return known[folder]


def is_inside(path: object) -> bool:
    """Say whether this is a path below the project, as receipts have them."""
    if not isinstance(path, str) or not path or "\0" in path:
        return False
    return not path.startswith("/") and ".." not in path.split("/")


def prune(folder: Path, tops: Iterable[str | Path]) -> None:
    """Remove a folder that has become empty, and those above it, but not `tops`."""
    kept = {Path(top) for top in tops} | {Path()}
    with suppress(OSError):  # not empty
        while folder not in kept and not folder.is_symlink():
            folder.rmdir()
            folder = folder.parent


def host_name() -> str:
    """Name this machine, as `socket` does, which takes longer to import than all that is here."""
    return os.uname().nodename


def process_name() -> str:
    """Name this process in the name of a file."""
    return f"{host_name()}-{os.getpid()}"


def write_whole(path: Path, text: str) -> None:
    """Write a file of .evenflow/ atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{process_name()}")
    temporary.write_text(text, encoding="utf-8", errors="surrogateescape")
    temporary.replace(path)
