"""How the scanners of logs are compiled: Numba, free of the interpreter's lock, kept on disk.

Numba keeps what it compiled beside the module, or in the user's cache directory where the package
cannot be written; where neither can, it would refuse to import: then it goes to a temporary
directory, and each process compiles anew. Several processes may start at once: Numba replaces its
files as a whole. Set NUMBA_CACHE_DIR to have it elsewhere.
"""

from __future__ import annotations

import tempfile

import numba


def compiled(function):
    """Compile a function of arrays and numbers; negative indices do not count from the end."""
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # 'cannot cache function: no locator available'
        numba.config.CACHE_DIR = tempfile.mkdtemp(prefix="evenflow-numba-")
        return numba.njit(cache=True, **options)(function)
