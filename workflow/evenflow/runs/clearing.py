"""Have nothing in the way of what is going to be written, and lose nothing by it.

What is ours is removed. A link, a folder, another's file, and a made file that was edited by hand
are set aside: renamed into `set-aside/<time>/`. A list in that folder says what is there, before it
is there. What is made again byte for byte is removed from it; the rest is the user's.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from .. import places
from .known import Known
from .places import free_parts, link_on_way, prune
from .receipts import digest_of, is_plain

ASIDE = Path(places.ASIDE)
# in a folder of ASIDE: paths, a NUL after each, until it is known whether they are made again
LIST = ".evenflow-list"


class Clearing:
    """Clears paths for the jobs of a run."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.folder: Path | None = None
        self.n_aside = 0

    def clear(self, path: str, replaced: bool = False) -> None:
        """Have nothing at a path, and folders above it that are folders.

        Args:
            path: of an output.
            replaced: whether what is ours stays, as the job itself replaces it when it has ended.
        """
        link = link_on_way(path)
        if link:
            self.set_aside(link)
        parts = path.split("/")
        for n in range(free_parts(path) + 1, len(parts)):
            above = "/".join(parts[:n])
            if os.path.lexists(above) and not os.path.isdir(above):  # noqa: PTH112
                self.set_aside(above)
        if not os.path.lexists(path):
            return
        if not self.known.is_ours(path):
            self.set_aside(path)
        elif not replaced:
            Path(path).unlink()

    def clear_odd(self, path: str) -> None:
        """Have no link and no folder where a file is going to be written over."""
        if link_on_way(path) or (os.path.lexists(path) and not is_plain(path)):
            self.clear(path)

    def set_aside(self, path: str) -> None:
        """Move what lies at a path, whatever it is, where nothing is written or removed."""
        if self.folder is None:
            self.folder = _new_folder()
        with (self.folder / LIST).open("ab") as handle:
            handle.write(os.fsencode(path) + b"\0")
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, target)  # by a rename; to another disk a copy, then it is removed
        self.n_aside += 1


def _new_folder() -> Path:
    """Make a folder of ASIDE that was not there: two runs may begin in a second."""
    name = time.strftime("%Y-%m-%dT%H.%M.%S")
    for n in range(1000):
        folder = ASIDE / (f"{name}.{n}" if n else name)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"{ASIDE}/{name}")


def settle() -> tuple[list[tuple[str, Path]], int]:
    """Remove what was set aside, by this run or a killed one, and is there again byte for byte.

    Returns:
        What is there otherwise, each with where its former content is now, and the number of what
        is not there again and may still be.
    """
    kept, open_ = [], 0
    for listed in sorted(ASIDE.glob(f"*/{LIST}")):
        folder, waiting = listed.parent, []
        for name in filter(None, dict.fromkeys(listed.read_bytes().split(b"\0"))):
            path = os.fsdecode(name)
            target = folder / path
            if not os.path.lexists(target):
                continue
            if not os.path.lexists(path):
                waiting.append(name)
            elif _same_file(path, target):
                target.unlink()
                prune(target.parent, [folder])
            else:
                kept.append((path, target))
        if waiting:
            temporary = listed.with_name(f"{LIST}.new")
            temporary.write_bytes(b"".join(name + b"\0" for name in waiting))
            temporary.replace(listed)
        else:
            listed.unlink()
            prune(folder, [])
        open_ += len(waiting)
    return kept, open_


def _same_file(path: str, target: Path) -> bool:
    if not is_plain(path) or not is_plain(str(target)):
        return False
    sizes = {os.lstat(path).st_size, os.lstat(target).st_size}
    return len(sizes) == 1 and digest_of(path) == digest_of(target)
