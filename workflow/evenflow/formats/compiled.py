"""How the scanners of logs are compiled: Numba, free of the interpreter's lock, kept on disk.

Numba keeps what it compiled beside the module, or in the user's cache directory where the package
cannot be written; where neither can, it would refuse to import: then nothing is kept, and each
process compiles anew. Several processes may start at once: Numba replaces its files as a whole. Set
NUMBA_CACHE_DIR to have it elsewhere.
"""

from __future__ import annotations

from contextlib import suppress

import numba
from numba.core.caching import FunctionCache


class Cache(FunctionCache):
    """Numba's cache on disk, which is never needed: what it cannot give or take is compiled.

    Numba's own ends with EOFError, run after run, where a file of it was cut by a full disk or a
    loss of power.
    """

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling what was cut may raise anything
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig, data):
        with suppress(Exception):  # the disk is full; or the index is damaged and cannot be written
            super().save_overload(sig, data)


def compiled(function):
    """Compile a function of arrays and numbers; negative indices do not count from the end."""
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    with suppress(RuntimeError):  # 'cannot cache function: no locator available'
        dispatcher._cache = Cache(function)
    return dispatcher
