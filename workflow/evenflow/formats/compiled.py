"""The scanners of logs: C beside the modules that call it, one library of all, called by ctypes.

`make` has it compiled in set-up (`building`), a wheel brings it along, and where there is none of
these sources it is compiled when it is first needed. It is kept beside the modules, in the user's
cache where that cannot be written, and where neither can be, each process compiles anew.
EVENFLOW_SCANNERS names another folder. Several processes may start at once: files are replaced as a
whole.

Whoever can write a library runs what they like in whoever loads it. So none is loaded from a folder
in which somebody can write who cannot change this code as well, and none that was cut or changed.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import DataError
from .building import NoCompiler, compile_library, digest_file, file_name

HERE = Path(__file__).parent
IN_WHEEL = HERE / "__compiled__"
OTHERS_MAY = stat.S_IWGRP | stat.S_IWOTH
# kinds of numbers as NumPy names them, where memory has no array around it: as Python does
KINDS = {"i1": "b", "u1": "B", "i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f8": "d"}


def function(name: str, *kinds: str | type[int] | type[ctypes.Structure]):
    """Return a function of the library, which is loaded when it is first called.

    While it runs others may hold the interpreter's lock.

    Args:
        name: what C calls it; it returns a 64-bit integer.
        kinds: of its arguments, in order: int, a structure, or what an array has, as NumPy names
            it (KINDS). An array may be memory as well, or bytes of 'u1', which C does not change:
            NumPy is not imported here, so that logs are scanned without it.
    """

    @cache
    def loaded():
        found = getattr(library(), name)
        found.restype = ctypes.c_int64
        found.argtypes = [_argument(kind) for kind in kinds]
        return found

    return lambda *values: loaded()(*values)


def _argument(kind: str | type) -> Any:
    if isinstance(kind, str):
        return _Array(kind)
    return ctypes.c_int64 if kind is int else ctypes.POINTER(kind)


class _Array:
    """An argument that is an array: its address, as NumPy's ndpointer hands it on, in a tenth of
    the time."""

    def __init__(self, kind: str):
        self._kind = kind
        self._names = [
            f"{order}{kind}" for order in ("|", "<" if sys.byteorder == "little" else ">")
        ]

    def from_param(self, array: Any) -> Any:
        if isinstance(array, bytes) and self._kind == "u1":
            return ctypes.c_void_p.from_param(array)
        about = getattr(array, "__array_interface__", None)
        if about is None:
            view = memoryview(array)
            if view.format != KINDS.get(self._kind) or not view.contiguous:
                raise TypeError(f"memory must be of kind {self._kind}, and contiguous")
            if not view.nbytes:
                return ctypes.c_void_p()
            return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(view)))
        if about["typestr"] not in self._names or about["strides"]:
            raise TypeError(f"array must have data type {self._kind}, and be contiguous")
        return ctypes.c_void_p(about["data"][0])


@cache
def library() -> ctypes.CDLL:
    """Load the library; compile it where there is none.

    Raises:
        DataError: there is none, and no compiler that works.
    """
    for folder in (IN_WHEEL, *_places()):
        found = _load(folder / file_name())
        if found is not None:
            return found
    try:
        for folder in _places():
            with suppress(OSError):
                folder.mkdir(mode=0o755, parents=True, exist_ok=True)
                if is_ours(folder):
                    return _compiled(folder)
        with tempfile.TemporaryDirectory(prefix="evenflow-") as scratch:
            return _compiled(Path(scratch))  # loaded, it need not be there
    except NoCompiler as error:
        problem = f"the scanners of logs need a compiler for C that works ({error})"
        remedy = (
            "in a checkout run make, which fetches one; elsewhere install gcc or clang, or "
            "'python -m pip install ziglang'"
        )
        raise DataError(problem, path=HERE, remedy=remedy) from error


def _places() -> Iterator[Path]:
    """Yield where the library may be kept, the best place first."""
    if "EVENFLOW_SCANNERS" in os.environ:
        yield Path(os.environ["EVENFLOW_SCANNERS"])
        return
    yield HERE / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "evenflow"


def is_ours(folder: str | Path) -> bool:
    """Say whether nobody may write in a folder who may not write in that of this code."""
    try:
        here, there = (Path(place).stat() for place in (HERE, folder))
    except OSError:
        return False
    known = {os.geteuid(), here.st_uid, 0}  # root may write anywhere
    alike = there.st_gid == here.st_gid
    may = here.st_mode & OTHERS_MAY if alike else here.st_mode & stat.S_IWOTH
    return there.st_uid in known and not there.st_mode & OTHERS_MAY & ~may


def _load(path: Path) -> ctypes.CDLL | None:
    """Load a library that is whole, and where nobody else can have put it."""
    try:
        data, said = path.read_bytes(), digest_file(path).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data).hexdigest().encode() != said or not is_ours(path.parent):
        return None
    with suppress(OSError):  # it needs another C library
        return ctypes.CDLL(str(path))
    return None


def _compiled(folder: Path) -> ctypes.CDLL:
    path = folder / file_name()
    compile_library(path)
    return ctypes.CDLL(str(path))
