"""Whose is a folder of results that a link leads to: a mark in it names the checkout.

Each of two checkouts that lead to one folder has receipts that are right; only the mark can tell.
"""

from __future__ import annotations

import os
from pathlib import Path

from .places import host_name, roots, write_whole

MARK = ".evenflow-of"  # host, and path of the checkout


def claim_roots() -> str | None:
    """Take the folders of results for this checkout; return why that may not be, with a remedy."""
    for root in roots():
        if why := _claim(root):
            return why
    return None


def _claim(root: str) -> str | None:
    if not os.path.islink(root) and not os.path.ismount(root):  # noqa: PTH114
        return None
    place = Path(os.path.realpath(root))
    if not place.is_dir():
        remedy = "mount or make that folder, or remove the link"
        return f"{root} is a link to {place}, where there is no folder. Remedy: {remedy}"
    mark, me = place / MARK, f"{host_name()}\n{Path.cwd().resolve()}\n"
    said = mark.read_text(encoding="utf-8", errors="surrogateescape") if mark.is_file() else ""
    if said == me:
        return None
    other = _other(said, root, place)
    if other:
        remedy = "give this checkout a folder of its own"
        gone = f"; if that checkout is gone, remove {mark}" if said else ""
        return f"{root}: its files belong to the checkout {other}. Remedy: {remedy}{gone}"
    write_whole(mark, me)
    return None


def _other(said: str, root: str, place: Path) -> str | None:
    """Name another checkout that a folder of results belongs to."""
    host, _, path = said.rstrip("\n").partition("\n")
    if said and host != host_name():
        return f"{path} of {host}"
    if said and path and _leads_to(Path(path, root), place):
        return path
    # the plain folder of another checkout, to which no link leads
    above = place.parents[len(Path(root).parts) - 1]
    inside = above / root == place and above != Path.cwd().resolve()
    return str(above) if inside and (above / "Snakefile").exists() else None


def _leads_to(path: Path, place: Path) -> bool:
    try:
        return path.samefile(place)
    except OSError:
        return False
