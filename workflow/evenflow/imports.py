"""Which modules a script is made of: what it imports of a package, itself or through others."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

SUFFIXES = (".py", ".yml", ".c")  # of what lies beside a module under its name and belongs to it
# From the text, since Python's parser would take a second for all scripts: the level of a relative
# import, the module, and the names.
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+)?import[ \t]+(\([^)]*\)|(?:\\\n|[^\n])+)",
    re.MULTILINE,
)
# in the text of a package that imports all of its modules; in two, as this module imports none so
FINDS_MODULES = "iter_modules" + "(__path__)"


def imported_modules(script: str | Path, package: str | Path) -> list[Path]:
    """List the files of a package that a script imports, or a module of it that it imports, sorted.

    Imports inside of functions count. An `__init__.py` counts where a name is imported from it, not
    where it only lies above a module.
    """
    return sorted(reached({Path(script)}, Path(package), imported))


def reached(
    files: set[Path], package: Path, by: Callable[[Path, Path], frozenset[Path]]
) -> set[Path]:
    """Return the files of a package that some files import, themselves or through others.

    Args:
        files: these.
        package: its folder.
        by: returns the files that a file itself imports: `imported`, or `named`.
    """
    found: set[Path] = set()
    while files:
        files = {name for file in files for name in by(file, package)} - found
        found |= files
    return found


@cache  # by the text: an edited module is read anew
def import_statements(text: str) -> list[tuple[int, str, list[str]]]:
    """List (level, module, names) of the import statements of a module's text.

    `from ..a.b import c as d, e` is (2, 'a.b', ['c', 'e']), and `import a.b` is (0, '', ['a.b']).
    """
    return [
        (len(dots), module, re.findall(r"[\w.]+", re.sub(r"#.*|\bas\s+\w+", "", what)))
        for dots, module, what in IMPORT.findall(text)
    ]


@cache
def imported(file: Path, package: Path) -> frozenset[Path]:
    """Return the files of a package that a file imports: by name, or all that lie beside it."""
    found = named(file, package)
    if FINDS_MODULES in _text(file):
        found |= {path for path in file.parent.iterdir() if path.suffix in SUFFIXES}
    return found


@cache
def named(file: Path, package: Path) -> frozenset[Path]:
    """Return the files of a package that a file's own import statements name."""
    names = set()
    for level, module, listed in import_statements(_text(file)):
        if level and package not in file.parents:  # of a folder outside the package
            continue
        above = file.relative_to(package.parent).parts[:-level] if level else ()
        base = ".".join(filter(None, [*above, module]))
        names |= {base, *(f"{base}.{name}" if base else name for name in listed)}
    return frozenset(path for name in names for path in _files(name, package))


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _files(name: str, package: Path) -> list[Path]:
    """Return the file of a module of the package by its dotted name; none for other names."""
    return _modules(package).get(name, [])


@cache
def _modules(package: Path) -> dict[str, list[Path]]:
    """Return the files of a package by the dotted names of their modules."""
    found: dict[str, list[Path]] = {}
    seen = set()
    for folder, folders, names in os.walk(package, followlinks=True):
        here = os.stat(folder)  # noqa: PTH116 (as walked)
        if (here.st_dev, here.st_ino) in seen:  # a link leads back
            folders.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        parts = Path(folder).relative_to(package.parent).parts
        for stem, suffix in map(os.path.splitext, names):
            if suffix in SUFFIXES:
                module = parts if (stem, suffix) == ("__init__", ".py") else (*parts, stem)
                found.setdefault(".".join(module), []).append(Path(folder, f"{stem}{suffix}"))
    return found


@cache
def lines_of_rules(snakefile: str) -> dict[str, int]:
    """Return {rule: where it begins in its file} (`lineno` is of what Snakemake makes of it).

    Without rules whose names are made.
    """
    lines = Path(snakefile).read_text(encoding="utf-8").splitlines()
    found = ((re.match(r"\s*rule (\w+):", line), n) for n, line in enumerate(lines, 1))
    return {match[1]: n for match, n in reversed([*found]) if match}
