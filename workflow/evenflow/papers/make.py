"""Make what a module of a paper makes: call its marked functions, write what they return."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Collection, Mapping
from functools import cache
from importlib.abc import PathEntryFinder
from inspect import signature
from pathlib import Path
from types import ModuleType

import polars as pl

from ..evidence.cells import cells_as_json
from ..evidence.runs import split
from ..evidence.say import checked, leaves, table_name, tagged
from ..files import write_text, write_yaml
from ..plugins import FromSource
from ..render.named import variables_named
from ..schema import read_document, read_yaml
from ..table_names import OF_SAMPLES
from ..tables import read_table, scan_table, write_table
from .find import ABOUT, Piece

LAZY = {*OF_SAMPLES, "arrival"}  # tables of a data set that are read lazily
TAGGED = ("number", "figure", "table")  # pieces whose tables carry the place of each row


def load(path: str | Path) -> ModuleType:
    """Import a module of a paper's folder, hyphens or not.

    `from .metrics import x` works in it, and `from .._grid.metrics import x` of a folder beside it.
    """
    path = Path(path).resolve()
    _read_sources(path.parents[1])
    papers = _package("evenflow_papers", path.parents[1], str(path.parents[1]))
    paper = _package(f"{papers}.paper", path.parent, path.parent.name)
    return importlib.import_module(f"{paper}.{path.stem}")


def _package(kind: str, folder: Path, name: str) -> str:
    """Make a folder a package, whatever it is called; return the package's name."""
    package = f"{kind}_{name.replace('.', '_')}"
    if package not in sys.modules:
        spec = importlib.machinery.ModuleSpec(package, loader=None, is_package=True)
        sys.modules[package] = importlib.util.module_from_spec(spec)
        sys.modules[package].__path__ = [str(folder)]
    return package


@cache
def _read_sources(folder: Path) -> None:
    """Have modules in a folder and below it read from their sources (`plugins.FromSource`)."""
    compiled = importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES
    find = importlib.machinery.FileFinder.path_hook((FromSource, [".py"]), compiled)

    def hook(path: str) -> PathEntryFinder:
        if not Path(path).is_relative_to(folder):
            raise ImportError(path)
        return find(path)

    sys.path_hooks.insert(0, hook)
    for path in [path for path in sys.path_importer_cache if Path(path).is_relative_to(folder)]:
        del sys.path_importer_cache[path]


class Values(dict):
    """The values of parameters by name, read when first asked for.

    A table of the data sets, and `about`, is {part: table}; in a paper of one data set it is the
    table itself, as `<part>_<table>` always is. Tables of LAZY are
    polars.LazyFrame, others polars.DataFrame; .json and .yml files are what they hold, .csv files
    tables of strings.
    """

    def __init__(self, inputs: Mapping, settings: Mapping):
        super().__init__(settings)
        self.inputs = dict(inputs)
        self.written: dict[str, tuple[pl.DataFrame, str]] = {}  # tables of this job, their files

    def __missing__(self, name: str):
        self[name] = value = self._read(name, self.inputs[name])
        return value

    def _read(self, name: str, paths):
        if name == ABOUT:
            known = {Path(path).parent.name: read_yaml(path)[0] or {} for path in paths}
            return self._of_parts([known.get(dataset, {}) for dataset in self["parts"].values()])
        if not isinstance(paths, str):
            read = scan_table if name in LAZY else read_table
            return self._of_parts([read(path) for path in paths])
        readers = {
            ".parquet": scan_table if Path(paths).stem in LAZY else read_table,
            ".csv": lambda path: pl.read_csv(path, infer_schema=False),
            ".json": lambda path: json.loads(Path(path).read_text(encoding="utf-8")),
            ".yml": read_document,
        }
        return readers[Path(paths).suffix](paths)

    def _of_parts(self, values: list):
        of_part = dict(zip(self["parts"], values, strict=True))
        return values[0] if len(of_part) == 1 else of_part

    def with_tags(self, name: str):
        """Return a value whose tables carry the place of each row in its file (`say`)."""
        value, where = self.written.get(name) or (self[name], self.inputs.get(name))
        if where is None or name == ABOUT:
            return value
        if isinstance(where, str):
            return self._tagged(value, where)
        if isinstance(value, Mapping):
            return {
                p: self._tagged(of, path)
                for (p, of), path in zip(value.items(), where, strict=True)
            }
        return self._tagged(value, where[0])

    def with_tags_but_files(self, name: str):
        """Return `with_tags`, but a file of the paper's folder as it is."""
        is_file = isinstance(where := self.inputs.get(name), str) and not where.endswith(".parquet")
        return self[name] if is_file else self.with_tags(name)

    def _tagged(self, value, path: str):
        if not isinstance(value, pl.DataFrame):
            return value
        return tagged(value, table_name(path))


def _save_chart(chart, path: str) -> None:
    from ..charts.base import save_chart  # here: Altair takes a third of a second

    save_chart(chart, path)


SAVE = {
    "metric": write_table,
    "figure": _save_chart,
    "table": lambda text, path: write_text(path, text),
}


def _file_of(module: ModuleType) -> Path:
    assert module.__file__ is not None, module
    return Path(module.__file__)


def tests_of(module: ModuleType) -> list[Path]:
    """List the tests of a paper: where there are none, its charts are checked as they are drawn."""
    return sorted(_file_of(module).parent.glob("tests/test_*.py"))


def make_pieces(
    pieces: Collection[Piece], module: ModuleType, values: Values, paths: Mapping[str, str]
) -> None:
    """Call the marked functions of a module, in its order, and write what they return.

    Args:
        pieces: of the module (`find.pieces_of`).
        values: of their parameters.
        paths: of the outputs, as `find.Paper.outputs` names them.
    """
    if any(piece.kind == "figure" for piece in pieces) and not tests_of(module):
        from ..charts.panels import validate_charts  # here: as in _save_chart

        validate_charts(True)
    numbers: dict[str, object] = {}
    for piece in pieces:
        function = getattr(module, piece.name)
        read = values.with_tags if piece.kind in TAGGED else values.__getitem__
        if piece.kind == "table":  # what a file of the folder says is text
            read = values.with_tags_but_files
        made = function(**{name: read(name) for name in signature(function).parameters})
        if piece.kind == "number":
            numbers |= leaves(made, piece.name)
            continue
        if piece.kind == "metric":
            values[piece.name] = made  # with its runs, for the tables of this module
        if piece.runs:
            made, runs = split(made)
            write_table(runs, paths[f"{piece.name}_runs"])
        if piece.kind == "metric":
            values.written[piece.name] = (made, paths[piece.name])
        if piece.kind == "table":
            write_text(paths[f"{piece.name}_cells"], cells_as_json(made))
        SAVE[piece.kind](made, paths[piece.name])
    if numbers:
        text = _file_of(module).with_name("index.qmd")
        write_numbers(numbers, paths, text.read_text(encoding="utf-8") if text.is_file() else None)


def write_numbers(
    numbers: Mapping[str, object], paths: Mapping[str, str], text: str | None
) -> None:
    """Write the numbers that a text names, and what each was printed from.

    Args:
        numbers: dotted name -> text.
        paths: of `number` and `origins`.
        text: of the report; None: all numbers are named.

    Raises:
        NoOrigin: a number that the text prints is from no row, setting or file.
    """
    printed, asked = (set(numbers), set()) if text is None else variables_named(text)
    tree: dict = {}
    for name in numbers:
        if name in printed | asked:
            *above, last = name.split(".")
            branch = tree
            for key in above:
                branch = branch.setdefault(key, {})
            branch[last] = str(numbers[name])
    write_yaml(paths["number"], tree)
    origins = {n: checked(n, said) for n, said in numbers.items() if n in printed}
    made = json.dumps(origins, ensure_ascii=False, indent=0, separators=(",", ":"))
    write_text(paths["origins"], made + "\n")
