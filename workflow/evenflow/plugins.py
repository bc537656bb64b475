"""What a study, or an installed package, adds to evenflow: formats, metrics, congestion controls.

    evenflow_plugins/formats/*.py       modules as those of evenflow/formats
    evenflow_plugins/metrics/*.py       functions under @metric, as in evenflow/metrics/catalogue.py
    evenflow_plugins/congestion_controls.yml  entries as those of evenflow's own table

in the working folder; and what packages name in the entry points `evenflow.formats` and
`evenflow.metrics` (modules), `evenflow.congestion_controls` (a dict of such entries).
docs/guides/extending.md
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from .errors import DataError
from .imports import imported, reached
from .places import PLUGINS

PLACE = Path(PLUGINS)
CONTROLS = PLACE / "congestion_controls.yml"
ROOMS = ("formats", "metrics")
# what loads the plug-ins of a room, and so has whatever imports it depend on them
LOADED_BY = {
    "formats": "evenflow/formats/__init__.py",
    "metrics": "evenflow/metrics/catalogue.py",
    "congestion_controls": "evenflow/congestion_controls.py",
}


class FromSource(SourceFileLoader):
    """Reads a module of a study from its source, not from what Python has compiled of it.

    Python takes a compiled file for the module's if size and time are those of the source, in
    seconds: another module that got these would run as the old one.
    """

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the module."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def files(room: str) -> list[Path]:
    """List the files of the plug-ins of a room: the study's, relative, and those of packages.

    Modules that a plug-in imports from the folder, or from its own package, are among them.
    """
    own: set[Path] = {CONTROLS} if room not in ROOMS and CONTROLS.is_file() else set()
    for path in (PLACE / room).glob("*.py"):
        own |= files_of_module(_name(room, path), path)
    found: set[Path] = set()
    for point in _points(room):
        spec = find_spec(point.module)
        if spec and spec.origin:
            found |= files_of_module(point.module, Path(spec.origin))
    return sorted(own) + sorted(found - own)


def files_of_module(name: str, path: Path) -> set[Path]:
    """Return the file of a module and those of its package, the topmost, that it is made of.

    Args:
        name: with dots, as Python has it.
        path: of its file.
    """
    inside = path.parent if path.name == "__init__.py" else path
    package = (inside, *inside.parents)[name.count(".")]
    if package == path:  # a module that is in no package
        return {path}
    return {path} | reached({path}, package, _run_for)


def _run_for(path: Path, package: Path) -> frozenset[Path]:
    """Return what a module imports of its package, and what Python runs before it."""
    if path.suffix != ".py":
        return frozenset()
    above = (folder / "__init__.py" for folder in path.parents if folder not in package.parents)
    return imported(path, package).union(file for file in above if file.is_file())


def files_of(modules: list[Path]) -> list[Path]:
    """List the files of the plug-ins that modules of evenflow load."""
    names = [path.as_posix() for path in modules]
    loaded = [room for room, by in LOADED_BY.items() if any(name.endswith(by) for name in names)]
    return [path for room in loaded for path in files(room)]


def modules(room: str) -> list[ModuleType]:
    """Load the plug-ins of a room.

    Raises:
        DataError: one of them cannot be loaded.
    """
    found = [_load(room, path) for path in sorted((PLACE / room).glob("*.py"))]
    return found + [_of_package(point) for point in _points(room)]


def controls() -> dict[str, dict[str, Any]]:
    """Return the entries of congestion controls that are added, by name."""
    found: dict[str, dict[str, Any]] = {}
    if CONTROLS.is_file():
        from .schema import read_yaml  # here: most processes have no such file, and load no schema

        found |= read_yaml(CONTROLS)[0] or {}
    for point in _points("congestion_controls"):
        found |= _of_package(point)
    return found


def refuse_taken(name: str, taken: object, path: object, what: str) -> None:
    """Raise a DataError where evenflow, or another plug-in, has something of this name."""
    if taken:
        raise DataError(
            f"there is a {what} '{name}' already", path=path, remedy="give it another name"
        )


@cache
def _points(room: str) -> list:
    from importlib.metadata import entry_points  # here: reading logs of a format here needs none

    return sorted(entry_points(group=f"evenflow.{room}"), key=lambda point: point.name)


def _name(room: str, path: Path) -> str:
    return f"{PLACE}.{room}.{path.stem}"


def _load(room: str, path: Path) -> ModuleType:
    name, place = _name(room, path), path.resolve()
    loader = FromSource(name, str(place)) if path.suffix == ".py" else None
    spec = spec_from_file_location(name, place, loader=loader)
    if spec is None or spec.loader is None:
        raise DataError(
            "it is not a Python module", path=path, remedy="give it a name like mine.py"
        )
    module = module_from_spec(spec)
    sys.modules[name] = module  # before it is run, as dataclasses ask for it
    try:
        spec.loader.exec_module(module)
    except DataError:
        raise
    except Exception as error:
        lines = [frame for frame in _frames(error) if frame[0] == str(path.resolve())]
        line = getattr(error, "lineno", None) or (lines[-1][1] if lines else None)
        problem = f"{type(error).__name__}: {error}"
        raise DataError(problem, path=path, line=line, remedy="correct the plug-in") from error
    return module


def _frames(error: BaseException) -> list[tuple[str, int]]:
    found, frame = [], error.__traceback__
    while frame:
        found.append((frame.tb_frame.f_code.co_filename, frame.tb_lineno))
        frame = frame.tb_next
    return found


def _of_package(point: Any) -> Any:
    try:
        return point.load()
    except Exception as error:
        where = f"the entry point {point.name} of {point.dist.name if point.dist else '?'}"
        remedy = "correct or uninstall that package"
        raise DataError(f"{type(error).__name__}: {error}", path=where, remedy=remedy) from error
