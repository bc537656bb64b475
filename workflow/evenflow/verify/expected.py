"""Expected values: the numbers and key tables of reports as small text files, then and now.

They are committed, so that a change of any number shows in a diff, and compared with what the raw
logs give anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import polars.selectors as cs
import yaml

from ..tables import read_table
from .agreement import Difference, Pairs, Tolerance, agree, compare_texts, tolerance_of

DIGITS = 10  # significant ones of a number in a table
PRINTED = "Printed"  # the column of a report's table that the original's values are in


def expected_text(source: Path) -> str:
    """Return one made file as it is kept: variables by their full names, tables as CSV.

    Of the table `cell`, which has a row a scenario and metric, the extremes and means of each
    metric over the scenarios are kept: a change of any cell moves them.
    """
    if source.suffix == ".yml":
        names = dict(_flat(yaml.safe_load(source.read_text(encoding="utf-8")), ""))
        return yaml.safe_dump(names, allow_unicode=True, sort_keys=False, width=10**6)
    if source.suffix == ".parquet":
        table = read_table(source)
        if source.stem == "cell":
            table = cell_summary(table)
        return table.with_columns(cs.float().round_sig_figs(DIGITS)).write_csv()
    return source.read_text(encoding="utf-8")


def _flat(content: object, prefix: str):
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _flat(value, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, content


def cell_summary(cell: pl.DataFrame) -> pl.DataFrame:
    """Return, for every metric of the table `cell`, how many cells and runs, and their means."""
    return (
        cell.sort("scenario_id", "metric")
        .group_by("metric", maintain_order=True)
        .agg(
            n_cells=pl.len(),
            n_runs=pl.col("n").sum(),
            min=pl.col("mean").min(),
            mean=pl.col("mean").mean(),
            max=pl.col("mean").max(),
            mean_sd=pl.col("sd").mean(),
        )
        .sort("metric")
    )


def printed_rows(
    expected: str, got: str, tolerance: Tolerance, pairs: Pairs = ()
) -> list[dict[str, str]]:
    """Set the values that an original printed, those expected and those got side by side.

    Args:
        expected, got: a report's table of printed values, in two versions; the columns after the
            one named PRINTED are ours.
        tolerance: of the table.
        pairs: texts that a value in it may be printed as.

    Returns:
        A dict a row and column of ours: item, printed, expected, got, result.
    """
    old, new = (_pipe_table(text) for text in (expected, got))
    header = new[0] if new else []
    if PRINTED not in header or not old or old[0] != header:
        return []
    place = header.index(PRINTED)
    old_rows = {tuple(row[: place + 1]): row for row in old[1:]}
    rows = []
    for row in new[1:]:
        before = old_rows.get(tuple(row[: place + 1]))
        label = ", ".join(filter(None, row[:place]))
        for column in range(place + 1, len(header)):
            if header[column] == "n":
                continue
            kept = before[column] if before else "not there"
            rows.append(
                {
                    "item": f"{label} ({header[column].strip('`')})",
                    "printed": row[place],
                    "expected": kept,
                    "got": row[column],
                    "result": result(kept, row[column], tolerance, pairs),
                }
            )
    return rows


def _pipe_table(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [rows[0], *rows[2:]] if len(rows) > 2 else []


def result(expected: str, got: str, tolerance: Tolerance, pairs: Pairs = ()) -> str:
    """Return what a comparison of a value gave, in words."""
    if expected == got:
        return "as expected"
    return "within tolerance" if agree(expected, got, tolerance, pairs) else "DIFFERS"


def compare_expected(
    kept: Mapping[str, str],
    made: Mapping[str, str],
    tolerances: Sequence[Tolerance],
    pairs: Mapping[str, Pairs] | None = None,
) -> dict[str, list[Difference]]:
    """Return the differences of every expected file, by name; an empty list where it agrees.

    Args:
        kept, made: texts by name.
        tolerances: the first that matches a name counts.
        pairs: texts that a value of a file may be printed as, by its name.
    """
    found = {}
    for name in sorted(kept.keys() | made.keys()):
        if name not in made:
            found[name] = [Difference("file", "there", "not made any more")]
        elif name not in kept:
            found[name] = [Difference("file", "not there", "made")]
        else:
            tolerance = tolerance_of(name, tolerances)
            found[name] = compare_texts(
                kept[name], made[name], tolerance, (pairs or {}).get(name, ())
            )
    return found
