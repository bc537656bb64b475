"""`evenflow trace 'my-paper 0.045'`: what is behind a number of a paper.

In this repository `make trace NUMBER='my-paper 0.045'`.

A number is given by its text or its name. Printed are its sentence, the first of its rows, its
runs, and for each log a line that prints the lines that the value was computed from.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ..places import folders, typed

READERS = {".gz": "zcat", ".xz": "xzcat", ".zst": "zstdcat", ".bz2": "bzcat"}
MOST = 120  # characters of a cell


def trace(asked: str, reports: Path | None = None) -> int:
    """Print what is behind a number; return 1 if there is none, or several."""
    reports = reports or Path(folders().reports)
    paper, _, wanted = asked.strip().partition(" ")
    path = reports / paper / "provenance.json"
    if not wanted or not path.is_file():
        made = typed("make", "")
        known = ", ".join(sorted(p.parent.name for p in reports.glob("*/provenance.json")))
        print(
            f"{paper or 'nothing'}: say a paper that is made ({known or f'none is: {made}'}) and a"
        )
        print(f"number of its text, by its text or its name: {of_number('paper 0.30')}")
        return 1
    record = json.loads(path.read_text(encoding="utf-8"))
    names = numbers_of(record, wanted)
    if len(names) == 1:
        print("\n".join(lines_behind(record, names[0])))
        return 0
    if not names:
        print(f"{paper}: no number of its text is {wanted!r}")
        return 1
    print(f"{len(names)} numbers of the text have {wanted!r}; ask for one by its name:")
    for name in names:
        print(f"  {of_number(f'{paper} {name}')}   # {record['numbers'][name]['text']}")
    return 1


def of_number(said: str) -> str:
    """Return the command that traces a number."""
    return typed(f"trace '{said}'", f"trace NUMBER='{said}'")


def numbers_of(record: Mapping, wanted: str) -> list[str]:
    """Return the names of the numbers that have a name, or a text; a minus may be a hyphen."""
    numbers = record["numbers"]
    if wanted in numbers:
        return [wanted]
    text = wanted.replace("-", "−") if re.match(r"-\d", wanted) else wanted
    whole = re.compile(rf"(?<![\d.,]){re.escape(text)}(?![\d.,]*\d)")
    exact = [name for name, number in numbers.items() if number["text"] == text]
    return exact or [name for name, number in numbers.items() if whole.search(number["text"])]


def lines_behind(record: Mapping, name: str) -> list[str]:
    """Return what is printed of a number, a line each."""
    number = record["numbers"][name]
    lines = [f"{number['text']}   ({name})", f"  {number['sentence']}", ""]
    runs: dict[tuple, tuple] = {}
    for part in number["parts"]:
        if "setting" in part:
            lines.append(f"setting  {part['setting']}: {part['value']}")
            continue
        lines.append(f"rows     {part['rows']:,} of {part['of']:,} of {part['path']}")
        if part["first"] is not None and Path(part["path"]).is_file():
            table = pl.read_parquet(part["path"], glob=False)
            for said, at in rows_shown(part):
                row = table.row(at, named=True)
                lines.append(f"         {said}, counted from 0:")
                lines += [
                    f"           {k:18} {str(v)[:MOST]}" for k, v in row.items() if v is not None
                ]
        for dataset, run in runs_of_set(record, part.get("set")):
            of = runs.setdefault((dataset, run["id"]), (run, set()))
            of[1].update(part["reads"])
    lines += ["", f"runs     {len(runs):,}; lines count from 1 in the decompressed file"]
    for (dataset, run_id), (run, reads) in runs.items():
        lines.append(f"  {dataset}/{run_id}")
        lines += [f"    {line}" for line in commands(dataset, run, reads)]
    return lines


def rows_shown(part: Mapping) -> list[tuple[str, int]]:
    """Return the rows of a part that are shown, in words and by their place.

    Of an extreme the row that has it, of all else the first of those that the number is of.
    """
    if not part.get("held"):
        first = part["first"]
        return [(f"row {first}" + (", the first of these" if part["rows"] > 1 else ""), first)]
    shown = []
    for held in part["held"]:
        more = f" (and in {held['rows'] - 1:,} more)" if held["rows"] > 1 else ""
        shown.append((f"the {held['which']} is in row {held['row']}{more}", held["row"]))
    return shown


def runs_of_set(record: Mapping, which: int | None) -> list[tuple[str, dict]]:
    """Return the runs of a set: (data set, run)."""
    if which is None:
        return []
    return [
        (dataset, record["runs"][dataset][i])
        for dataset, pairs in record["sets"][which].items()
        for first, last in zip(pairs[::2], pairs[1::2], strict=True)
        for i in range(first, last + 1)
    ]


def commands(dataset: str, run: Mapping, reads: set[str]) -> list[str]:
    """Return for each log of a run that is read a command that prints its lines."""
    found = []
    for path, _, first, last, used, *kind in run["files"]:
        is_read = kind and kind[0] in reads and (used is not None or kind[0] == "record")
        if first is not None and is_read:
            inside = f"{run['id']}/{path[2:]}" if path.startswith("./") else path
            name = shlex.quote(f"{folders().raw}/{dataset}/{inside}")
            reader = READERS.get(Path(path).suffix, "cat")
            found.append(f"{reader} {name} | sed -n '{first},{last}p'")
    return found
