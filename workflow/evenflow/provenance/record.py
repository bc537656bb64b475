"""What a report's figures, tables and numbers were made of, down to the lines of raw files.

The record of a report is a plain structure that its pages carry as JSON. Nothing is listed twice: a
number names rows of tables and says which runs they are of; `made` says which rule made each table
from which others; each run lists its raw files once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from ..printed import printed
from .origins import Rows, origin_of

FILE_COLUMNS = ("path", "sha256", "first_line", "last_line", "n_used")
RUN_COLUMNS = ("role", "ccas", "base_rtt_s", "buffer_bdp", "bottleneck_bps", "aqm", "repeat")
BINS = 30  # of a run's length, of the throughput over time
DIGITS = 6  # significant, of values of a row


@dataclass(frozen=True)
class Report:
    """What is known of a report.

    paper: its id; of_part: data set by part; made: path -> {rule, inputs, code}, of everything that
    a piece of the report was made from; paths: name of a table and data set (None: of the paper) ->
    its path; data_of: path -> data set of a table that is of one; texts: its variables; origins:
    pattern of a variable's name -> the rows of tables that it comes from.
    """

    paper: str
    of_part: Mapping[str, str]
    made: Mapping[str, Mapping]
    paths: Callable[[str, str | None], str]
    data_of: Mapping[str, str]
    read: Callable[[str], pl.DataFrame]
    texts: Mapping[str, str]
    origins: Mapping[str, list[Rows]]

    def ancestors(self, path: str) -> list[str]:
        """Return what a file was made from, nearest first."""
        found, ahead = [], [path]
        while ahead:
            here = ahead.pop(0)
            for name in self.made.get(here, {}).get("inputs", []):
                if name not in found:
                    found.append(name)
                    ahead.append(name)
        return found

    def datasets(self, path: str) -> list[str]:
        """Return the data sets that a file was made from, sorted."""
        around = [path, *self.ancestors(path)]
        return sorted({self.data_of[name] for name in around if name in self.data_of})


def number_record(variable: str, text: str, report: Report, fallback: str) -> dict:
    """Return where a number of the text is from: {text, from: [...], runs: [...]}.

    Each of `from` has table (or file), where (what selects its rows), rows (how many) and, if it is
    one row, row; `runs` are conditions on the runs, any of which holds.

    Args:
        variable, text: its name and what is printed.
        report: of the report.
        fallback: the file with all numbers; what it was made from is the answer for a number that
            no pattern fits.
    """
    origin, words = origin_of(variable, report.origins), text.replace("`", "")
    if origin is None:
        inputs = report.made.get(fallback, {}).get("inputs", [])
        datasets = report.datasets(fallback)
        return {"text": words, "from": [{"table": path} for path in inputs]} | _runs(datasets)
    part = origin.named.get("part")
    found, datasets = [], set()
    for rows in origin.rows:
        where = origin.where(rows, report.texts)
        for path in _paths(rows, part, report, variable):
            if not path.endswith(".parquet"):
                found.append({"file": path} | ({"where": where} if where else {}))
                continue
            found.append(_selected(report.read(path), where) | {"table": path})
            datasets |= set(report.datasets(path))
    if part in report.of_part:
        beside = {report.of_part[other] for rows in origin.rows for other in rows.beside}
        datasets &= {report.of_part[part], *beside}
    elif part:
        datasets = datasets - set(report.of_part.values()) or datasets
    return {"text": words, "pattern": origin.pattern, "from": found} | _runs(
        sorted(datasets), **_conditions(origin, report.texts)
    )


def _conditions(origin, texts: Mapping[str, str]) -> dict[str, str]:
    """Return what the runs of a number have in common: role, ccas, metric, scenario."""
    known = {key: origin.named[key] for key in ("role", "metric") if key in origin.named}
    for rows in origin.rows:
        if "scenario_id" in rows.said:
            known["scenario"] = origin.where(rows, texts)["scenario_id"]
    if "ccas" in origin.named:
        known["ccas"] = origin.named["ccas"].replace("_", "-")
    for rows in origin.rows:
        known |= rows.runs
    return known


def _runs(datasets: list[str], metric: str = "", **conditions: str) -> dict:
    """Return the conditions on the runs behind a value; of NRU, those of its weights as well."""
    if not datasets:
        return {"runs": []}
    runs = [{"dataset": datasets} | conditions]
    if "nru" in metric and conditions.get("role") == "comparison":
        own = [f"{cca}-{cca}" for cca in conditions.get("ccas", "").split("-") if cca]
        weights = {"dataset": datasets, "role": "calibration"}
        runs.append(weights | ({"ccas": sorted(set(own))} if own else {}))
    return {"runs": runs}


def _paths(rows: Rows, part: str | None, report: Report, variable: str) -> list[str]:
    if rows.of_part:
        datasets = [report.of_part[part]] if part in report.of_part else report.of_part.values()
        return [report.paths(rows.table, dataset) for dataset in dict.fromkeys(datasets)]
    return [report.paths(rows.table.format(part=part), None)]


def _selected(table: pl.DataFrame, where: Mapping[str, str]) -> dict:
    """Return how many rows of a table the conditions select, and the row if it is one."""
    for column, value in where.items():
        table = table.filter(pl.col(column).cast(pl.String) == value)
    found: dict = {"where": dict(where)} if where else {}
    found["rows"] = len(table)
    if len(table) == 1:
        found["row"] = {name: plain(value) for name, value in table.row(0, named=True).items()}
    return found


def plain(value: object) -> object:
    """Return a value as JSON can hold it, floats with DIGITS significant digits."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return float(printed(value, lambda value: repr(float(f"{value:.{DIGITS}g}"))))
    return value if isinstance(value, (int, str, bool, type(None))) else str(value)


def piece_record(path: str, report: Report, shown: Collection[str] = ()) -> dict:
    """Return where a figure or table is from: {file, runs}; how it was made is in `made`.

    Args:
        path: of the figure or table.
        report: of the report.
        shown: data sets that it is of, where it is not of all that it reads.
    """
    datasets = [name for name in report.datasets(path) if not shown or name in shown]
    return {"file": path} | _runs(datasets)


def run_series(samples: pl.DataFrame) -> dict[str, list[list[int | None]]]:
    """Return {run: a list a flow} of the throughput over the run in BINS parts, in 0.1 Mb/s.

    Args:
        samples: run_id, flow_id, t_start_s and throughput_bps of the table `sample`.
    """
    width = pl.col("t_start_s").max().over("run_id") / BINS + 1e-9
    bins = (
        samples.with_columns((pl.col("t_start_s") / width).cast(pl.Int64).alias("bin"))
        .group_by("run_id", "flow_id", "bin")
        .agg((pl.col("throughput_bps").mean() / 1e5).round().cast(pl.Int64).alias("value"))
        .sort("run_id", "flow_id", "bin")
    )
    flows: dict[tuple, list[int | None]] = {}
    for run, flow, i, value in bins.rows():  # sorted: dicts keep the order
        flows.setdefault((run, flow), [None] * BINS)[i] = value
    found: dict[str, list] = {}
    for (run, _), values in flows.items():
        found.setdefault(run, []).append(values)
    return found


def run_records(
    runs: pl.DataFrame, files: pl.DataFrame, series: Mapping[str, list] | None = None
) -> list[dict]:
    """Return the runs of a data set with their raw files, and their `run_series` if given.

    A run has id, scenario, the columns RUN_COLUMNS that say something, and files: [path below the
    folder of the run if it has one, sha256, first line, last line, lines of the steady state among
    them or null]. A file none of whose lines was used has null for both.
    """
    by_run: dict[str, list] = {}
    for run, *file in files.select("run_id", *FILE_COLUMNS).rows():
        by_run.setdefault(run, []).append(file)
    records = []
    for row in runs.sort("run_id").rows(named=True):
        known = {name: plain(row[name]) for name in RUN_COLUMNS if row.get(name) is not None}
        folder = f"{row['run_id']}/"
        own = [
            [f"./{path.removeprefix(folder)}" if path.startswith(folder) else path, *rest]
            for path, *rest in by_run.get(row["run_id"], [])
        ]
        drawn = {"series": series[row["run_id"]]} if series and row["run_id"] in series else {}
        if row.get("scenario_id") is not None:
            known["scenario"] = row["scenario_id"]
        records.append({"id": row["run_id"]} | known | drawn | {"files": own})
    return records


def count_runs(conditions: Iterable[Mapping], runs: Mapping[str, list[dict]]) -> int:
    """Return how many runs the conditions of a number or figure select.

    Args:
        conditions: `runs` of a record.
        runs: `run_records` by data set.
    """
    return sum(
        any(_holds(condition, dataset, run) for condition in conditions)
        for dataset, records in runs.items()
        for run in records
    )


def _holds(condition: Mapping, dataset: str, run: Mapping) -> bool:
    known = {"dataset": dataset} | run
    return all(
        known.get(name) in (wanted if isinstance(wanted, list) else [wanted])
        for name, wanted in condition.items()
    )
