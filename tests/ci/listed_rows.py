"""Rows of the tables that numbers are printed from, with the runs that are listed of each.

Of a row only its keys and its runs are read here; what was computed of them is made anew from the
lines of their logs (log_lines.py). Nothing of evenflow is imported.
"""

import re
from functools import cache

import log_lines as log
import polars as pl
import yaml
from scipy.stats import t as student

CONFIDENCE = 0.95
REPEAT = re.compile(r"/r\d+$")


class Row:
    """A row of a table: its keys, and the runs that are listed of it, as (data set, run)."""

    def __init__(self, paper: str, table: str, at: int):
        self.paper, self.table, self.at = paper, table, at
        self.keys = tables(paper, table).row(at, named=True)

    def runs(self, side: str = "") -> list[tuple[str, str]]:
        """The runs of a side, of the whole row by default; of a table of runs the run itself."""
        of = companion(self.paper, self.table)
        if of is not None:
            refs = of.get((self.at, side)) or of.get((self.at, ""), [])
        elif "/" in self.table:
            return [(self.table.split("/")[0], self.keys["run_id"])]
        else:
            part = self.keys.get("part") or next(iter(parts(self.paper)))
            refs = [f"{part}/{self.keys['run_id']}"]
        return [(parts(self.paper)[ref.split("/", 1)[0]], ref.split("/", 1)[1]) for ref in refs]

    def cells(self, side: str = "") -> dict[tuple[str, str], list[tuple[str, str]]]:
        """The runs by scenario: {(data set, scenario): its runs}."""
        found: dict[tuple[str, str], list] = {}
        for dataset, run in sorted(self.runs(side)):
            found.setdefault((dataset, REPEAT.sub("", run)), []).append((dataset, run))
        return found


@cache
def parts(paper: str) -> dict[str, str]:
    about = yaml.safe_load((log.ROOT / "reports" / paper / "paper.yml").read_text("utf-8"))
    return about["datasets"] | about.get("further", {})


def path_of(paper: str, table: str):
    return log.DERIVED / (f"{table}.parquet" if "/" in table else f"papers/{paper}/{table}.parquet")


@cache
def tables(paper: str, table: str) -> pl.DataFrame:
    return pl.read_parquet(path_of(paper, table))


@cache
def companion(paper: str, table: str) -> dict[tuple[int, str], list[str]] | None:
    path = path_of(paper, table).with_suffix(".runs.parquet")
    if not path.is_file():
        return None
    found: dict[tuple[int, str], list[str]] = {}
    for row, side, run in pl.read_parquet(path).rows():
        found.setdefault((row, side), []).append(run)
    return found


def quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    return float(student.ppf((1 + confidence) / 2, freedom))
