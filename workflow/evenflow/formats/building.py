"""How the C of the scanners is compiled to a library. hatch_build.py, too, uses this module, by its
path: it imports nothing but Python's own.

Any compiler will do, as the code calls nothing but a few functions of the C library.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

SOURCES = sorted(Path(__file__).parent.glob("*.c"))
# -fwrapv: numbers of damaged lines may go beyond 64 bits; -ffp-contract: same numbers everywhere
FLAGS = ("-std=c11", "-O3", "-fwrapv", "-ffp-contract=off", "-fPIC", "-shared")
NAMES = ("cc", "gcc", "clang")  # of compilers
PARTS = ".tmp."  # in the names of files that are not whole yet


class NoCompiler(Exception):
    """There is no compiler, or none that works: what the last one said."""


def file_name(system: str = "", machine: str = "") -> str:
    """Return the library's name, which says of which sources it is, and for what machine."""
    digest = hashlib.sha256(" ".join([*FLAGS, *_more_flags()]).encode())
    for source in SOURCES:
        digest.update(source.read_bytes())
    where = f"{system or platform.system()}-{machine or platform.machine()}".lower()
    return f"scanners-{digest.hexdigest()[:16]}-{where}.so"


def digest_file(path: Path) -> Path:
    """Return the file beside a library that holds its SHA-256."""
    return path.with_suffix(".sha256")


def compile_library(path: Path, target: Sequence[str] = ()) -> None:
    """Compile the library, and write its SHA-256 beside it.

    Args:
        path: what to write.
        target: more words for the compiler, of another machine than this one.

    Raises:
        NoCompiler: see there.
        OSError: the folder cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="evenflow-") as scratch:
        output = Path(scratch) / "scanners.so"
        words = [*FLAGS, *_more_flags(), *target, "-o", str(output), *map(str, SOURCES)]
        _run_compiler(words, scratch)
        data = output.read_bytes()
    _replace(path, data)
    _replace(digest_file(path), hashlib.sha256(data).hexdigest().encode())


def _more_flags() -> list[str]:
    """Return the flags that the tests add, for a sanitizer."""
    return shlex.split(os.environ.get("EVENFLOW_CFLAGS", ""))


def _run_compiler(words: Sequence[str], scratch: str) -> None:
    """Run the first compiler that works."""
    said = "there is none"
    for compiler in compilers():
        # the one from PyPI keeps what it made in a cache of its own
        env = os.environ | {"ZIG_GLOBAL_CACHE_DIR": scratch, "ZIG_LOCAL_CACHE_DIR": scratch}
        try:
            done = subprocess.run([*compiler, *words], env=env, capture_output=True, text=True)
        except OSError as error:
            said = str(error)
            continue
        if done.returncode == 0:
            return
        said = f"{shlex.join(compiler)}: {done.stderr.strip()[-500:]}"
    raise NoCompiler(said)


def compilers() -> list[list[str]]:
    """List the commands of the compilers that there are: what CC says, the system's, PyPI's."""
    if os.environ.get("CC"):
        return [shlex.split(os.environ["CC"])]
    found = [[path] for path in map(shutil.which, NAMES) if path]
    if find_spec("ziglang"):
        found.append([sys.executable, "-m", "ziglang", "cc"])
    return found


def _replace(path: Path, data: bytes) -> None:
    """Write a file as a whole."""
    prefix = f"{path.name}{PARTS}"
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=prefix, delete=False) as file:
        try:
            file.write(data)
            file.close()
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        finally:
            Path(file.name).unlink(missing_ok=True)
