"""Papers as folders: what their functions make and what that is made of, read off the signatures.

A function under one of the marks of `paper` makes an output that is named after it; the names of
its parameters are what it reads. All of this comes from the text of the modules (`ast`): to build
the graph of jobs nothing of a paper is imported, neither Polars nor Altair.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..errors import DataError, did_you_mean
from ..imports import import_statements, imported_modules
from ..places import SCHEMAS, folders
from ..schema import Document, read_yaml, validate
from ..table_names import companion

SCHEMA = SCHEMAS / "paper.schema.json"
NUMBERS = "_variables.yml"  # all numbers of a paper
ORIGINS = "_origins.json"  # what each of them was printed from
OF_THE_SITE = ("comparisons", "datasets", "docs")  # folders of reports/_site that are of no paper
# mark -> where its output goes
KINDS = {
    "metric": "{derived}/{name}.parquet",
    "figure": "{folder}/figures/{name}.svg",
    "table": "{folder}/tables/{name}.md",
    "number": "{folder}/" + NUMBERS,
}
KEYWORDS = {"of": list | tuple, "runs": bool}  # of these marks
IN_PRINT = ("table", "number")  # kinds of pieces that are text
GIVEN = ("parts", "paper_name")  # {part: data set}; the name of the folder
ABOUT = "about"  # dataset.yml of every data set


@dataclass(frozen=True)
class Piece:
    """What a function makes: a table of the paper, a figure, a table in print, numbers.

    of: parts of the paper that it is of, where it is not of all that it reads. runs: whether the
    rows of a table carry their runs (`paper.metric`).
    """

    kind: str
    name: str
    module: str
    line: int
    reads: tuple[str, ...]
    of: tuple[str, ...] = ()
    runs: bool = False

    @property
    def file(self) -> str:
        """Return the name of its file, without folder: `rtt_ratio` is drawn in rtt-ratio.svg."""
        return self.name if self.kind == "metric" else self.name.replace("_", "-")


def pieces_of(path: Path) -> list[Piece]:
    """List the pieces that a module makes, in the order of its text."""
    found, text = [], path.read_text(encoding="utf-8")
    if not re.search(r"@\s*paper\b", text):  # parsing all took 0.1 s of each start
        return []
    for node in ast.parse(text, str(path)).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            mark = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
            kind = mark.removeprefix("paper.")
            if mark.startswith("paper.") and kind in KINDS:
                reads = tuple(a.arg for a in (*node.args.args, *node.args.kwonlyargs))
                said = _keywords(decorator, path)
                of, runs = tuple(said.get("of", ())), bool(said.get("runs"))
                found.append(Piece(kind, node.name, path.stem, node.lineno, reads, of, runs))
    return found


def _keywords(decorator: ast.expr, path: Path) -> dict:
    """Return the keywords of a decorator, `of` and `runs`.

    Raises:
        DataError: another keyword, or a value that is not written out: no code is run here.
    """
    found = {}
    for keyword in getattr(decorator, "keywords", []):
        name, line = keyword.arg or "**", decorator.lineno
        if name not in KEYWORDS:
            problem, remedy = f"{name}= is not a keyword of a piece", did_you_mean(name, KEYWORDS)
            raise DataError(problem, path=path, line=line, remedy=remedy)
        try:
            found[name] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError):
            found[name] = None
        if not isinstance(found[name], KEYWORDS[name]):
            problem = f"{name}={ast.unparse(keyword.value)} is not written out, or of another kind"
            remedy = "write the value itself, as of=['simulation'] or runs=True"
            raise DataError(problem, path=path, line=line, remedy=remedy)
    return found


@dataclass(frozen=True)
class Paper:
    """A folder with paper.yml: its pieces, and for each module that makes some, one job.

    derived: the folder of the tables of all data sets and papers. shared: parameters of the
    analysis that any paper may read, by name. of_dataset: names of the tables that the workflow
    makes of a data set. raw: the folder of the data sets.
    """

    folder: str
    derived: str
    shared: Mapping = field(default_factory=dict)
    of_dataset: Collection[str] = ()
    raw: str = field(default_factory=lambda: folders().raw)

    @property
    def name(self) -> str:
        return Path(self.folder).name

    @cached_property
    def about(self) -> Document:
        """Return paper.yml: datasets, and where there are any, files, parameters, condensed.

        A paper.schema.json of the folder describes the paper's parameters.
        """
        path = f"{self.folder}/paper.yml"
        about, lines = read_yaml(path)
        own = Path(self.folder, "paper.schema.json")
        for schema in (SCHEMA, own) if own.is_file() else (SCHEMA,):
            validate(about, schema, path=path, lines=lines)
        return Document(about, path, lines)

    def knowing(self, **known) -> Paper:
        """Return the paper with other `known` (see the class); paper.yml is not read again."""
        paper = replace(self, **known)
        vars(paper)["about"] = self.about
        return paper

    @property
    def datasets(self) -> dict[str, str]:
        """Return {part: data set} of the parts that most functions are of."""
        return self.about["datasets"]

    @property
    def further(self) -> dict[str, str]:
        """Return {part: data set} of the parts that single functions read, `<part>_<table>`."""
        return self.about.get("further", {})

    @property
    def all_parts(self) -> dict[str, str]:
        """Return {part: data set} of all parts."""
        return self.datasets | self.further

    @property
    def all_datasets(self) -> list[str]:
        """List the data sets that the paper is made of."""
        return sorted({*self.datasets.values(), *self.further.values()})

    @cached_property
    def modules(self) -> dict[str, list[Piece]]:
        """Return {module: its pieces} of the modules that make any."""
        found = {path.stem: pieces_of(path) for path in sorted(Path(self.folder).glob("*.py"))}
        numbers = [m for m, pieces in found.items() if any(p.kind == "number" for p in pieces)]
        if len(numbers) > 1:
            remedy = f"keep the functions under @paper.number in one, {numbers[0]}.py say"
            problem = f"several modules write {NUMBERS}: {', '.join(numbers)}"
            raise DataError(problem, path=self.folder, remedy=remedy)
        return {module: pieces for module, pieces in found.items() if pieces}

    @property
    def jobs(self) -> dict[str, list[str]]:
        """Return {job: the modules that it calls}: each has its own, but those that only print.

        Tables in print and numbers read the same tables, and most of a short job is the start of
        Python.
        """
        print_only = [m for m, of in self.modules.items() if all(p.kind in IN_PRINT for p in of)]
        found = {module: [module] for module in self.modules if module not in print_only}
        return found | ({"_".join(print_only): print_only} if print_only else {})

    def pieces(self, kind: str) -> list[Piece]:
        """List the pieces of a kind."""
        return [p for pieces in self.modules.values() for p in pieces if p.kind == kind]

    def path(self, piece: Piece) -> str:
        """Return where a piece is written."""
        derived = f"{self.derived}/papers/{self.name}"
        return KINDS[piece.kind].format(folder=self.folder, derived=derived, name=piece.file)

    def outputs(self, *modules: str) -> dict[str, str]:
        """Return {name: path} of what modules make in a job.

        The numbers are two files, `number` and `origins`; a table with runs has `<name>_runs`, a
        table in print `<name>_cells`, what is behind its cells.
        """
        found: dict[str, str] = {}
        for piece in (piece for module in modules for piece in self.modules[module]):
            if piece.kind == "number":
                found |= {"number": self.path(piece), "origins": f"{self.folder}/{ORIGINS}"}
                continue
            found[piece.name] = self.path(piece)
            if piece.runs:
                found[f"{piece.name}_runs"] = companion(self.path(piece))
            if piece.kind == "table":
                found[f"{piece.name}_cells"] = cells_of(self.path(piece))
        return found

    @property
    def made_tables(self) -> list[str]:
        """List the tables that the paper's jobs make, and the runs of their rows."""
        return [p for p in self.outputs(*self.modules).values() if p.endswith(".parquet")]

    @cached_property
    def functions(self) -> dict[str, list]:
        """Return {path of a piece: file, name and line of the function that makes it}."""
        pieces = [piece for of in self.modules.values() for piece in of if piece.kind != "number"]
        return {
            self.path(piece): [f"{self.folder}/{piece.module}.py", piece.name, piece.line]
            for piece in pieces
        }

    def reads(self, piece: Piece) -> dict[str, str | list[str]]:
        """Return {parameter: path, or paths in the order of the data sets} of a piece's files.

        A parameter names a table of the paper (a function under @paper.metric), a table of its data
        sets, or of one of them (`<part>_<table>`), `about` (their dataset.yml), a file of
        paper.yml, a .csv or .yml file of the paper's folder, or a setting (`settings`), which is no
        file.

        Raises:
            DataError: for a parameter that is none of these; names file and line.
        """
        found = {}
        for name in piece.reads:
            where = self.where(name)
            if where is not None:
                found[name] = where
            elif name not in self.settings_known:
                known = {*self._tables, *self.of_dataset, *self.about.get("files", {})}
                raise DataError(
                    f"{piece.name} reads {name!r}: there is no such table, file or parameter",
                    path=f"{self.folder}/{piece.module}.py",
                    line=piece.line,
                    remedy=did_you_mean(name, {*known, *self.settings_known, ABOUT}),
                )
        return found

    def where(self, name: str) -> str | list[str] | None:
        """Return the file, or the files in the order of the data sets, that a parameter names."""
        if name in self._tables:
            return self._tables[name]
        if name in self.of_dataset:
            return [f"{self.derived}/{d}/{name}.parquet" for d in self.datasets.values()]
        for part, dataset in self.all_parts.items():
            table = name.removeprefix(f"{part}_")
            if table != name and table in self.of_dataset:
                return f"{self.derived}/{dataset}/{table}.parquet"
        if name == ABOUT:
            paths = (f"{self.raw}/{dataset}/dataset.yml" for dataset in self.datasets.values())
            return [path for path in paths if Path(path).is_file()]
        if name in self.about.get("files", {}):
            return self.about["files"][name]
        own = [Path(self.folder, f"{name}{ending}") for ending in (".csv", ".yml")]
        return next((str(path) for path in own if path.is_file()), None)

    @property
    def condensed(self) -> dict[str, str]:
        """Return {name: path} of what `make expected` keeps: a table, of each data set if several.

        Raises:
            DataError: there is no such table.
        """
        name = self.about.get("condensed")
        if name is None:
            return {}
        where = self.where(name)
        if where is None:
            known = {*self._tables, *self.of_dataset}
            problem, remedy = f"condensed: there is no table {name!r}", did_you_mean(name, known)
            raise DataError(problem, path=f"{self.folder}/paper.yml", remedy=remedy)
        if isinstance(where, str) or len(where) == 1:
            return {name: where if isinstance(where, str) else where[0]}
        return {f"{name}-{part}": path for part, path in zip(self.datasets, where, strict=True)}

    @cached_property
    def _tables(self) -> dict[str, str]:
        return {piece.name: self.path(piece) for piece in self.pieces("metric")}

    @property
    def settings_known(self) -> dict:
        """Return the settings that a function may name: shared, of paper.yml, and GIVEN."""
        given = {"parts": self.datasets, "paper_name": self.name}
        return {**self.shared, **self.about.get("parameters", {}), **given}

    def inputs(self, *modules: str) -> dict[str, str | list[str]]:
        """Return what modules read in a job; what they make themselves is not among it."""
        pieces = [piece for module in modules for piece in self.modules[module]]
        mine = {piece.name for piece in pieces if piece.kind == "metric"}
        read: dict = {}
        for piece in pieces:
            read |= {k: v for k, v in self.reads(piece).items() if k not in mine}
        return read

    def text_of(self, *modules: str) -> dict[str, str]:
        """Return {'text': the report's text} of the module of the numbers, which it names."""
        makes = any(piece.kind == "number" for module in modules for piece in self.modules[module])
        return {"text": f"{self.folder}/index.qmd"} if makes else {}

    def settings(self, *modules: str) -> dict:
        """Return the settings that modules' functions name: no other change reruns their job."""
        pieces = (piece for module in modules for piece in self.modules[module])
        named = {name for piece in pieces for name in piece.reads} | {"parts"}
        return {name: value for name, value in self.settings_known.items() if name in named}

    def code(self, package: str, *modules: str) -> list[str]:
        """List the files of modules: of their folder, of others beside it, of the library."""
        mine, ahead = set(), {Path(self.folder, f"{module}.py") for module in modules}
        while ahead:
            mine |= ahead
            ahead = {found for path in ahead for found in _of_papers(path, self.folder)} - mine
        library = {found for path in mine for found in imported_modules(path, package)}
        return sorted(map(str, mine | library))


def cells_of(table: str) -> str:
    """Return where it is said what the cells of a table in print were made of."""
    return f"{table.removesuffix('.md')}.cells.json"


def _of_papers(path: Path, folder: str) -> list[Path]:
    """List the modules that a module of a paper imports from its own folder or from one beside it.

    `from .metrics import x`, `from .._grid.words import x`. Of a package, and of those that a
    module lies in, this is `__init__.py`, which Python runs first.
    """
    found = []
    for level, module, names in import_statements(path.read_text(encoding="utf-8")):
        if level and len(path.relative_to(Path(folder).parent).parts) >= level:
            above, parts = path.parents[level - 1], module.split(".") if module else []
            packages = [above.joinpath(*parts[:n]) for n in range(len(parts) + 1)]
            places = [packages[-1], *(packages[-1] / name for name in names)]
            found += [place / "__init__.py" for place in (*packages, *places)]
            found += [place.with_suffix(".py") for place in places]
    return [path for path in found if path.is_file()]


def find_papers(reports: str, **known) -> dict[str, Paper]:
    """Return {name: paper} of the folders with a paper.yml; `known` as `Paper` takes it.

    Raises:
        DataError: a paper has the name of another folder of the site.
    """
    folders = sorted(path.parent for path in Path(reports).glob("*/paper.yml"))
    for folder in folders:
        if folder.name in OF_THE_SITE:
            problem = f"the site has a folder '{folder.name}' of its own, not for a paper"
            raise DataError(problem, path=folder, remedy="give the paper's folder another name")
    return {folder.name: Paper(str(folder), **known) for folder in folders}
