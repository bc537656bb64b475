"""What a report's figures, tables and numbers were made of, down to the lines of raw files.

The record of a report is a plain structure that its pages carry as JSON. Nothing is listed twice: a
number names rows of tables and the set of their runs (`behind`); `made` says which rule made each
table from which others; each run lists its raw files once.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from ..printed import printed
from .run_files import KINDS

FILE_COLUMNS = ("path", "sha256", "first_line", "last_line", "n_used")
RUN_COLUMNS = ("role", "ccas", "base_rtt_s", "buffer_bdp", "bottleneck_bps", "aqm", "repeat")
BINS = 30  # of a run's length, of the throughput over time
DIGITS = 6  # significant, of values of a row


@dataclass(frozen=True)
class Report:
    """What is known of a report.

    made: path -> {rule, inputs, code}, of everything that a piece of the report was made from;
    data_of: path -> data set of a table that is of one.
    """

    made: Mapping[str, Mapping]
    data_of: Mapping[str, str]

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


def _runs(datasets: list[str]) -> dict:
    """Return the conditions on the runs behind a piece."""
    return {"runs": [{"dataset": datasets}] if datasets else []}


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
    them or null, and its kind (`run_files.KINDS`) where the format is known]. A file none of whose
    lines was used has null for both.
    """
    by_run: dict[str, list] = {}
    formats = files["format"] if "format" in files.columns else [None] * len(files)
    for (run, *file), name in zip(
        files.select("run_id", *FILE_COLUMNS).rows(), formats, strict=True
    ):
        kind = [] if name is None else [KINDS.get(name, "flows")]
        by_run.setdefault(run, []).append([*file, *kind])
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
