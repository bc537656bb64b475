"""Which files of a large data set are read together: runs fall into chunks by their folder.

A chunk is some hundred runs, so that one process reads it in little memory, many processes read a
data set, and one run more has only its own chunk read again. A small data set is one chunk. Only a
data set that dataset.yml describes can have several: where names are to be understood, all of them
must be seen.
"""

from __future__ import annotations

import csv
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sized
from pathlib import Path
from typing import Any
from zlib import crc32

from ..errors import DataError
from ..files import own_file
from ..schema import read_yaml
from .described.known_settings import ENDS

IGNORE = "ignore"  # format of files that are no logs
GROWN = 4  # times the size that chunks should have, when a data set is cut again


def count_chunks(n_files: int, from_files: int, files: int, before: int | None = None) -> int:
    """Return how many chunks a data set has.

    Args:
        n_files: of the data set.
        from_files: a data set of fewer is one chunk.
        files: that a chunk should have, about.
        before: the number that it had: it keeps it until its chunks are GROWN times as large.
    """
    if n_files < from_files:
        return 1
    if before and n_files <= GROWN * files * before:
        return before
    return max(1, math.ceil(n_files / files))


def cut(
    folder: Path, by_folder: Mapping[str, Sized], before: int | None, files: int, from_files: int
) -> Mapping[int, list[str]]:
    """Return {chunk: the folders that are of it} of a data set; nothing if it is read in one.

    Args:
        folder: of the data set.
        by_folder: its files, by the folder that they are in.
        before, files, from_files: as `count_chunks` has them.
    """
    n = count_chunks(sum(map(len, by_folder.values())), from_files, files, before)
    levels = levels_of_chunks(folder) if n > 1 else []
    return chunk_folders(by_folder, levels, n) if levels else {}


def described_by(folder: str | Path) -> list[str]:
    """Return which files say what a data set holds: dataset.yml and its table of runs."""
    table = _description(folder).get("runs")
    return ["dataset.yml", *([table] if isinstance(table, str) else [])]


def levels_of_chunks(folder: str | Path) -> list[int]:
    """Return the levels of a data set's folders whose names the files of a run have in common.

    None where nothing says which files are of a run, or only names of files do, or a table does.
    """
    content = _description(folder)
    try:
        if content.get("runs"):
            table = own_file(folder, content["runs"])
            if table is None or _names_files(table):
                return []
        patterns = [p for p in content.get("files", []) if p.get("format") != IGNORE]
        return common_levels([p["path"] for p in patterns])
    except (DataError, OSError, AttributeError, KeyError, TypeError, ValueError, csv.Error):
        return []  # whoever reads it says what is wrong with it


def _description(folder: str | Path) -> dict[str, Any]:
    """Return what dataset.yml says; nothing where there is none, or a wrong one."""
    try:
        path = own_file(folder, "dataset.yml")
        content, _ = read_yaml(path) if path else ({}, {})
    except (DataError, OSError):
        return {}
    return content if isinstance(content, dict) else {}


def _names_files(table: Path) -> bool:
    """Return whether a table of runs has rows of single files, which may be of any run."""
    with table.open(encoding="utf-8-sig", newline="") as lines:
        return "path" in next(csv.reader(lines), [])


def common_levels(templates: Iterable[str]) -> list[int]:
    """Return the levels of folders that are part of a run's name in every pattern.

    So files of one run, which have one name, are alike there (`dataset.run_of_path`).
    """
    common: set[int] | None = None
    for template in templates:
        segments = [set(re.findall(r"\{(\w+)\}", segment)) for segment in template.split("/")]
        names = set().union(*segments)
        ends = {name for name in names if ENDS.fullmatch(name)}
        of_pair = {"cca1", "cca2"} <= names
        ends |= {"cca"} if ends or of_pair else set()  # that of the one flow, it may be
        of_run = len(segments)
        while of_run and not segments[of_run - 1] - ends:
            of_run -= 1
        of_run = of_run or len(segments)  # the whole path is the name
        levels = {i for i in range(min(of_run, len(segments) - 1)) if not segments[i] & ends}
        common = levels if common is None else common & levels
    return sorted(common or ())


def chunk_folders(folders: Iterable[str], levels: list[int], n: int) -> Mapping[int, list[str]]:
    """Return {chunk: the folders that are of it}, each chunk from 0 to n - 1.

    Args:
        folders: relative to the data set.
        levels: of `levels_of_chunks`.
        n: how many chunks there are.
    """
    chunks: dict[int, list[str]] = defaultdict(list)
    for folder in folders:
        segments = folder.split("/")
        key = "/".join(segments[i] for i in levels if i < len(segments))
        chunks[crc32(key.encode(errors="surrogateescape")) % n].append(folder)
    return {chunk: chunks[chunk] for chunk in range(n)}
