"""The faster scheduler for ns-2 of lanes.cc: built once, and used wherever it can be.

With it a simulation writes the same bytes, in a fifth to a third less time at 900 Mb/s (two CUBIC
flows at an RTT of 324 ms: 13.8 s of processor time for 21.4). It needs
Debian's ns2 2.35+dfsg-5 on x86-64, whose memory layout lanes.cc repeats, and, to be built, g++ and
the headers of Debian's packages libtclcl1-dev, libotcl1-dev and tcl8.6-dev. Without them ns-2's
own scheduler does the same.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("lanes.cc")
PACKAGE_VERSION = "2.35+dfsg-5"
HEADERS = (Path("/usr/include/tclcl"), Path("/usr/include/tcl8.6"))
# -w: Tcl's own headers use what Tcl calls deprecated
FLAGS = ("-O3", "-fopenmp-simd", "-w", "-shared", "-fPIC", *(f"-I{folder}" for folder in HEADERS))


@functools.cache
def find_lanes(package_version: str | None) -> Path | None:
    """Return lanes.so for this version of Debian's ns2, built if need be; None if it cannot be."""
    compiler = shutil.which("g++")
    if (
        package_version != PACKAGE_VERSION
        or platform.machine() != "x86_64"
        or compiler is None
        or not all(folder.is_dir() for folder in HEADERS)
    ):
        return None
    digest = hashlib.sha256(SOURCE.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:12]
    cache = Path(os.environ.get("EVENFLOW_CACHE") or Path.home() / ".cache/evenflow")
    built = cache / f"ns2-lanes-{digest}.so"
    if built.is_file():
        return built
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as work:
        made = Path(work, "lanes.so")
        command = [compiler, *FLAGS, "-o", str(made), str(SOURCE)]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return None
        made.replace(built)
    return built
