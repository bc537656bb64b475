"""`evenflow doctor`: what this machine has, and what is missing, with the remedy."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import NamedTuple

from ..places import CITATION, LOCK, NO_CITATION, TO_A_STUDY, is_study, not_filled_in, to_cite
from ..render import renderer_here
from ..revision import describe_revision
from ..verify.sbom import locked_packages

OLDEST = (3, 11)
ROOM_BYTES = 2e9  # for tables and pages of a study of some thousand runs
NEEDED, GOOD = "MISSING", "ok"
LESS = "less"  # works, but not all of it
REINSTALL = "Remedy: pip install --require-hashes -r requirements.lock"


class Row(NamedTuple):
    """What was looked at, how it is (GOOD, LESS or NEEDED), and in words."""

    what: str
    how: str
    said: str


def doctor() -> int:
    """Print a line for each thing that evenflow needs; return 1 where one is missing."""
    rows = [
        python(),
        packages(),
        study(),
        *archive(),
        *writable(),
        room(),
        locale(),
        quarto(),
        fonts(),
        git(),
    ]
    for row in rows:
        print(f"{row.how:8}{row.what:10}{row.said}")
    return int(any(row.how == NEEDED for row in rows))


def python() -> Row:
    """Look at the version of Python."""
    said = sys.version.split()[0]
    good = sys.version_info >= OLDEST
    remedy = "" if good else f". Remedy: {'.'.join(map(str, OLDEST))} or later"
    return Row("Python", GOOD if good else NEEDED, f"{said} ({sys.executable}){remedy}")


def packages() -> Row:
    """Compare the packages that evenflow needs with those that it is tested with."""
    tested: dict[str, list[str]] = {}  # another version for another Python
    for one in locked_packages(LOCK.read_text("utf-8")):
        tested.setdefault(one.name, []).append(one.version)
    lacking, others = [], []
    for name in needed():
        try:
            found = version(name)
        except PackageNotFoundError:
            lacking.append(name)
            continue
        if found not in tested.get(name, [found]):
            others.append(f"{name} {found} (tested: {', '.join(tested[name])})")
    if lacking:
        return Row("packages", NEEDED, f"{', '.join(lacking)} not installed. {REINSTALL}")
    if others:
        return Row("packages", LESS, f"{', '.join(others)}. {REINSTALL}")
    return Row("packages", GOOD, "those that evenflow is tested with")


def needed() -> list[str]:
    """List the packages that evenflow needs, but for those of its developers."""
    try:
        said = requires("evenflow") or []
    except PackageNotFoundError:  # of a checkout
        about = tomllib.loads((LOCK.parent / "pyproject.toml").read_text(encoding="utf-8"))
        said = about["project"]["dependencies"]
    names = (re.match(r"[\w.-]+", line) for line in said if "extra ==" not in line)
    return [name[0] for name in names if name]


def writable() -> list[Row]:
    """Look whether evenflow may write where it must."""
    rows = []
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    above = next(path for path in (cache, *cache.parents) if path.exists())
    for what, place in (("folder", Path.cwd()), ("scratch", Path(tempfile.gettempdir()))):
        good = os.access(place, os.W_OK)
        remedy = "" if good else ": you may not write there. Remedy: chown or chmod"
        rows.append(Row(what, GOOD if good else NEEDED, f"{place}{remedy}"))
    good = os.access(above, os.W_OK)
    said = f"{cache}" if good else f"{cache}: not to be written; caches are kept in the study"
    return [*rows, Row("cache", GOOD if good else LESS, said)]


def room() -> Row:
    """Look at the room on the disk."""
    free = shutil.disk_usage(Path.cwd()).free
    said = f"{free / 1e9:.1f} GB free"
    if free >= ROOM_BYTES:
        return Row("disk", GOOD, said)
    return Row("disk", LESS, f"{said}; a study of 1,000 runs takes some {ROOM_BYTES / 1e9:.0f}")


def locale() -> Row:
    """Look whether names of files are UTF-8."""
    encoding = sys.getfilesystemencoding()
    good = encoding.lower().replace("-", "") == "utf8"
    remedy = "" if good else ". Remedy: export PYTHONUTF8=1"
    return Row("locale", GOOD if good else LESS, f"names of files are {encoding}{remedy}")


def quarto() -> Row:
    """Say what renders papers: Quarto, or pandoc and typst."""
    if shutil.which("quarto"):
        return Row("papers", GOOD, f"rendered by {renderer_here()}")
    return Row(
        "papers", GOOD, f"rendered by {renderer_here()}; Quarto is not installed, and not needed"
    )


def fonts() -> Row:
    """Look for what draws charts and PDFs, which brings its fonts."""
    try:
        import typst  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        return Row("fonts", NEEDED, f"{error}. {REINSTALL}")
    return Row("fonts", GOOD, "of the packages; none of this machine is used")


def git() -> Row:
    """Look for git, and for the commit of the study that pages name."""
    if not shutil.which("git"):
        return Row("git", LESS, "not installed: pages cannot name the commit of the study")
    if not is_study():
        return Row("git", GOOD, "installed")
    if describe_revision(Path.cwd()):
        return Row("git", GOOD, "pages name the commit of the study")
    top = (Path.cwd() / ".git").exists()
    why = "nothing is committed here" if top else "this folder is not the top of a repository"
    first = "" if top else "git init; "
    said = f"{why}: pages cannot name the commit of the study. Remedy: {first}git add --all; "
    return Row("git", LESS, f"{said}git commit")


def study() -> Row:
    """Look whether the working folder is a study."""
    if is_study():
        return Row("study", GOOD, "there is a Snakefile")
    said = "there is no Snakefile, so this is not a study. Remedy:"
    return Row("study", LESS, f"{said} {TO_A_STUDY}")


def archive() -> list[Row]:
    """Look whether a study has what an archive needs beside it."""
    if not is_study():
        return []
    if Path(CITATION).is_file():
        if words := not_filled_in():
            unfilled = f"{CITATION} has {' and '.join(words)}. Remedy: fill it in"
            return [Row("archive", LESS, unfilled)]
        return [Row("archive", GOOD, f"there is a {CITATION}")]
    return [Row("archive", LESS, f"{NO_CITATION}. Remedy: {to_cite()}, and fill it in")]
