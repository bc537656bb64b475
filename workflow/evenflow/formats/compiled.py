"""How the scanners of logs are compiled: Numba, free of the interpreter's lock, kept on disk.

Numba keeps what it compiled beside the module, or in the user's cache directory where the package
cannot be written; where neither can, it would refuse to import: then nothing is kept, and each
process compiles anew. Several processes may start at once: Numba replaces its files as a whole. Set
NUMBA_CACHE_DIR to have it elsewhere.

What is kept is pickled, and whoever can write a pickle runs what he likes in whoever reads it. So
nothing is read from a folder in which somebody can write who cannot change this code as well.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import numba
from numba.core.caching import FunctionCache

OTHERS_MAY = stat.S_IWGRP | stat.S_IWOTH


def is_ours(folder: str | Path) -> bool:
    """Say whether nobody may write in a folder who may not write in that of this code."""
    try:
        here, there = (Path(place).stat() for place in (Path(__file__).parent, folder))
    except OSError:
        return False
    known = {os.geteuid(), here.st_uid, 0}  # root may write anywhere
    alike = there.st_gid == here.st_gid
    may = here.st_mode & OTHERS_MAY if alike else here.st_mode & stat.S_IWOTH
    return there.st_uid in known and not there.st_mode & OTHERS_MAY & ~may


class Cache(FunctionCache):
    """Numba's cache on disk, which is never needed: what it cannot give or take is compiled.

    Numba's own ends with EOFError, run after run, where a file of it was cut by a full disk or a
    loss of power.
    """

    def load_overload(self, sig, target_context):
        if not is_ours(self.cache_path):
            return None
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling what was cut may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        if not is_ours(self.cache_path):  # it reads what is there before it writes
            return
        with suppress(Exception):  # the disk is full; or the index is damaged and cannot be written
            super().save_overload(sig, data)


def compiled(function):
    """Compile a function of arrays and numbers; negative indices do not count from the end."""
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    with suppress(RuntimeError):  # 'cannot cache function: no locator available'
        dispatcher._cache = Cache(function)  # type: ignore[attr-defined]  # it has no setter
    return dispatcher
