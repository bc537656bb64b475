"""runs.csv: a table of what is known of runs, of their flows and of single files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from ...errors import DataError, did_you_mean, plainly_spelt
from ...files import own_file
from ...paths import list_files, path_shown_as, shown_path
from ...schema import read_text
from ..entities import Description, Row
from .known_settings import (
    FLOW_KEYS,
    OF_ENDS,
    other_spelling,
    setting_meant,
    split_numbered,
    typed,
)


def runs_table(folder: Path, dataset: Description) -> tuple[dict[str, list[Row]], dict[str, Row]]:
    """Read runs.csv.

    Returns:
        For every run id what the rows of the column 'run' alone say of it, and of its flows; and
        the rows of the files in the column 'path', by path.

    Raises:
        DataError: no such table, or a row that cannot be; two rows that contradict each other.
    """
    if dataset.runs is None:
        return {}, {}
    path = folder / dataset.runs
    if not path.resolve().is_relative_to(folder.resolve()):
        problem = f"'runs: {dataset.runs}' is outside of the data set"
        remedy = "put the table into the data set's folder"
        raise DataError(problem, path=folder / "dataset.yml", remedy=remedy)
    if not own_file(folder, dataset.runs):
        problem = f"there is no file '{dataset.runs}', which dataset.yml names under 'runs'"
        raise DataError(problem, path=folder / "dataset.yml", remedy="add it or delete the key")
    by_run: dict[str, list[Row]] = {}
    by_path: dict[str, Row] = {}
    seen: dict[tuple, Row] = {}
    text = read_text(path).removeprefix("\ufeff")
    with _naming_the_row(path), io.StringIO(text, newline="") as handle:
        reader = csv.DictReader(handle)
        if not {"run", "path"} & set(reader.fieldnames or []):
            raise _no_column(path, text.partition("\n")[0], reader.fieldnames or [])
        _refuse_columns(path, reader.fieldnames or [])
        for row in reader:
            line = reader.line_num
            if None in row:
                problem = f"the row has {len(row[None])} more values than there are columns"
                remedy = "quote values that hold a comma, or name the column in the first line"
                raise DataError(problem, path=path, line=line, remedy=remedy)
            if row.get(""):
                problem = f"the value '{row['']}' is in a column without a name"
                remedy = "name the column in the first line, or delete the value"
                raise DataError(problem, path=path, line=line, remedy=remedy)
            values = {key: value.strip() for key, value in row.items() if value and value.strip()}
            file, run = values.pop("path", None), values.pop("run", None)
            settings = {key: typed(key, value, path, line) for key, value in values.items()}
            of_row = Row(run, settings.pop("flow", None), settings, line)
            _refuse_contradiction(path, of_row, seen, file is not None)
            if file is not None:
                _refuse_bad_path(folder, path, line, file, by_path)
                by_path[file] = of_row
            elif run is None:
                remedy = "say which run (or which file) the settings are of, or delete the row"
                raise DataError("the row names no run", path=path, line=line, remedy=remedy)
            else:
                by_run.setdefault(run, []).extend(_parts(path, of_row))
    return by_run, by_path


def _parts(path: Path, row: Row) -> list[Row]:
    """Part a row of runs.csv into what it says of its run, and of each flow that it names."""
    numbered, of_run = split_numbered(row.settings, path, row.line)
    of_flows = list(numbered.items())
    if row.flow is not None:
        of_flow = {key: of_run.pop(key) for key in FLOW_KEYS if key in of_run}
        of_flows.append((row.flow, of_flow))
    parts = [row._replace(flow=flow, settings=keys) for flow, keys in of_flows]
    return [row._replace(flow=None, settings=of_run), *parts]


def _refuse_contradiction(path: Path, row: Row, seen: dict[tuple, Row], of_file: bool) -> None:
    """Refuse a setting of a run or a flow that an earlier row says otherwise.

    Args:
        path: of runs.csv.
        row: the row, which names its run or is of a file.
        seen: the rows so far by run, flow and setting; changed.
        of_file: whether it is of a file. What it says of a flow without its number is left to
            where the flows of the files are known.
    """
    for part in _parts(path, row._replace(flow=None) if of_file else row):
        for key, value in part.settings.items():
            later = of_file and part.flow is None and key in FLOW_KEYS
            if row.run is None or later or OF_ENDS.fullmatch(key):
                continue
            first = seen.setdefault((row.run, part.flow, key), part)
            if first.settings[key] != value:
                whose = f"run '{row.run}'" + (f", flow {part.flow}" if part.flow else "")
                problem = f"{key} of {whose} is {value} here and {first.settings[key]} in line "
                problem += str(first.line)
                remedy = "correct one of the rows: all that they say of a run must agree"
                raise DataError(problem, path=path, line=row.line, remedy=remedy)


def _no_column(path: Path, header: str, names: Sequence[str]) -> DataError:
    """Return the error of a table of runs without a column of ids or paths, with what it has."""
    problem = "there is no column 'run' or 'path'"
    remedy = "name the column of the runs' ids 'run', or that of the files' paths 'path'"
    other = next((s for s in (";", "\t", "|") if s in header and "," not in header), None)
    alike = [name for name in names if name.strip().lower() in ("run", "path")]
    if other:
        shown = "tabs" if other == "\t" else f"'{other}'"
        problem += f": the header has {shown} between its columns"
        remedy = f"put commas in place of {shown}, and points into numbers with decimal commas"
    elif alike:
        shown = " and ".join(f"'{name}'" for name in alike)
        problem += f", but {shown}"
        remedy = "write the names of all columns in small letters, without blanks"
    return DataError(problem, path=path, line=1, remedy=remedy)


def _refuse_columns(path: Path, names: Sequence[str]) -> None:
    """Refuse two columns of one name, of which the last would count, and other spellings."""
    for i, name in enumerate(names):
        if name and name in names[:i]:
            problem, remedy = f"the column '{name}' is here twice", "keep one of the two"
            raise DataError(problem, path=path, line=1, remedy=remedy)
        meant = setting_meant(name)
        if meant or plainly_spelt(name) == "path" != name:
            raise other_spelling(f"the column '{name}'", meant or "path", path, 1)


@contextmanager
def _naming_the_row(path: Path) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        remedy = "save it as plain CSV in UTF-8: a header line, then one line per row"
        raise DataError(f"not a table of CSV: {error}", path=path, remedy=remedy) from error


def _refuse_bad_path(folder: Path, path: Path, line: int, file: str, seen: dict) -> None:
    if file in seen:
        problem, remedy = f"the file '{file}' has two rows", "merge them"
    elif PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts:
        problem = f"the file '{file}' is outside of the data set"
        remedy = "write its path from the data set's folder; files outside of it cannot be used"
    elif not (folder / path_shown_as(file)).is_file():
        there = [found.path for found in list_files(folder) if not found.problem]
        files = [shown_path(p.relative_to(folder)) for p in there]
        problem, remedy = f"there is no file '{file}'", did_you_mean(file, files)
    else:
        return
    raise DataError(problem, path=path, line=line, remedy=remedy)
