"""Which builds of the testbed's kernel made which runs, and when each build was checked.

Another build is another experiment (docs/explanation/testbed.md), so a report names them, and says
whether a self-check of a build was made before its runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations

import numpy as np
import polars as pl
import scipy

from ..evidence.cells import made_of
from ..evidence.runs import LIST, gathered, once, run_ref
from ..markdown import NOTHING, code, markdown_table
from .selfcheck import selfcheck_variables

BUILD = pl.col("made_by").str.json_path_match("$.versions.kernel_build")
DATE = pl.col("made_by").str.json_path_match("$.date")


def build_table(run: Mapping[str, pl.DataFrame], selfchecks: Iterable[dict]) -> pl.DataFrame:
    """Return a row a data set and build of the kernel: its runs, and the build's self-checks.

    Args:
        run: the table `run` by part; `made_by` names `versions.kernel_build` and `date` (UTC).
        selfchecks: data/testbed-selfcheck*.json, of any builds; a report that two files hold counts
            once.

    Returns:
        part, dataset_id, build, n_runs, repeats (of scenarios that are its: '1, 2'), first, last
        (when its runs were made), checked (when its first self-check was, null without one),
        n_checks, n_passed (of all its self-checks), n_before (runs that were made before it), runs;
        in the order of part and first.
    """
    checks = pl.DataFrame(
        [_check(report) for report in selfchecks],
        schema={
            "build": pl.String,
            "checked": pl.String,
            "n_checks": pl.Int64,
            "n_passed": pl.Int64,
        },
        orient="row",
    ).unique(maintain_order=True)
    first_check = checks.group_by("build", maintain_order=True).agg(
        pl.col("checked").min(), pl.col("n_checks", "n_passed").sum()
    )
    tables = []
    for place, (part, runs) in enumerate(run.items()):
        made = runs.select(
            pl.lit(place).alias("place"),
            pl.lit(part).alias("part"),
            "dataset_id",
            "repeat",
            build=BUILD,
            date=DATE,
            run=run_ref(part),
        ).join(first_check, on="build", how="left", nulls_equal=True)
        tables.append(
            made.group_by("place", "part", "dataset_id", "build", maintain_order=True).agg(
                pl.len().cast(pl.Int64).alias("n_runs"),
                pl.col("repeat").unique().sort().cast(pl.String).str.join(", ").alias("repeats"),
                pl.col("date").min().alias("first"),
                pl.col("date").max().alias("last"),
                pl.col("checked", "n_checks", "n_passed").first(),
                (pl.col("date") < pl.col("checked")).sum().cast(pl.Int64).alias("n_before"),
                gathered().alias("runs"),
            )
        )
    return pl.concat(tables).sort("place", "first").drop("place")


def _check(report: dict) -> tuple[str, str, int, int]:
    made, about = report["made_by"], selfcheck_variables(report)
    build = made["versions"]["kernel_build"]
    return build, made["date"], int(about["n_checks"]), int(about["n_passed"])


def build_markdown(builds: pl.DataFrame) -> str:
    """Return the table in print, times to the minute.

    Args:
        builds: result of `build_table`.
    """
    rows = [
        [
            code(row["dataset_id"]),
            f"`{row['build']}`" if row["build"] else NOTHING,
            *made_of(
                row,
                str(row["n_runs"]),
                row["repeats"],
                minute(row["first"]),
                minute(row["last"]),
                minute(row["checked"]),
                f"{row['n_passed']} of {row['n_checks']}" if row["checked"] else NOTHING,
                str(row["n_before"]) if row["checked"] else NOTHING,
            ),
        ]
        for row in builds.rows(named=True)
    ]
    header = ["Data set", "Build", "Runs", "Repeats", "First run", "Last run", "First self-check"]
    header += ["Passed", "Runs before it"]
    return markdown_table(header, rows, numeric_from=7)


def minute(date: str | None) -> str:
    """Return a date and time of a run record to the minute: '2026-11-20 19:48'."""
    return NOTHING if date is None else date[:16].replace("T", " ")


def build_difference_table(
    run: Mapping[str, pl.DataFrame], run_metric: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Return, a row a part, whether builds differ on the cells that two of them have.

    A cell's difference is the mean of one build's runs less that of the other's; Student's t over
    the cells tests whether it is nothing. Of three builds the two with most cells in common.

    Returns:
        part, n_cells, index, index_p (of Jain's index, later build less earlier), ratio, ratio_p
        (of flow 1's throughput over flow 2's, a factor), null where there are none; runs of these
        cells.
    """
    rows = []
    for part, runs in run.items():
        value = (
            runs.select("run_id", "scenario_id", build=BUILD, date=DATE)
            .join(run_metric[part].select("run_id", "jfi", "throughput_ratio"), on="run_id")
            .drop_nulls("build")
            .with_columns(log_ratio=pl.col("throughput_ratio").log(), run=run_ref(part))
        )
        means = value.group_by("scenario_id", "build", maintain_order=True).agg(
            pl.col("jfi", "log_ratio").mean(), pl.col("date").min(), gathered().alias("runs")
        )
        first = value.group_by("build", maintain_order=True).agg(pl.col("date").min())
        order = first.sort("date")["build"].to_list()
        pairs = [
            means.filter(build=one).join(means.filter(build=two), on="scenario_id", suffix="_2")
            for one, two in combinations(order, 2)
        ]
        common = max(pairs, key=len, default=means.clear())
        index, index_p = _apart(common, "jfi")
        ratio, ratio_p = _apart(common, "log_ratio")
        runs_of = [common[name].explode() for name in ("runs", "runs_2") if name in common.columns]
        rows.append(
            {
                "part": part,
                "n_cells": len(common),
                "index": index,
                "index_p": index_p,
                "ratio": None if ratio is None else math.exp(ratio),
                "ratio_p": ratio_p,
                "runs": once(run for of in runs_of for run in of.drop_nulls()),
            }
        )
    values = dict.fromkeys(("index", "index_p", "ratio", "ratio_p"), pl.Float64)
    schema: dict[str, pl.DataType | type[pl.DataType]]
    schema = {"part": pl.String, "n_cells": pl.Int64, **values, "runs": LIST}
    return pl.DataFrame(rows, schema=schema)


def _apart(common: pl.DataFrame, value: str) -> tuple[float | None, float | None]:
    """Return the mean difference of two builds over cells, later less earlier, and its p-value."""
    if len(common) < 2:
        return None, None
    differences = (common[f"{value}_2"] - common[value]).drop_nulls().to_numpy()
    differences = differences[np.isfinite(differences)]
    if len(differences) < 2 or np.ptp(differences) == 0:
        return (float(differences.mean()) if len(differences) else None), None
    return float(differences.mean()), float(scipy.stats.ttest_1samp(differences, 0).pvalue)
