"""Which builds of the testbed's kernel made which runs, and when each build was checked.

Another build is another experiment (docs/explanation/testbed.md), so a report names them, and says
whether a self-check of a build was made before its runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from ..markdown import NOTHING, markdown_table, number
from .selfcheck import selfcheck_variables


def build_table(run: Mapping[str, pl.DataFrame], selfchecks: Iterable[dict]) -> pl.DataFrame:
    """Return a row a data set and build of the kernel: its runs, and the build's self-checks.

    Args:
        run: the table `run` by part; `made_by` names `versions.kernel_build` and `date` (UTC).
        selfchecks: data/testbed-selfcheck*.json, of any builds.

    Returns:
        part, dataset_id, build, n_runs, first, last (when its runs were made), checked (when its
        first self-check was, null without one), n_checks, n_passed (of all its self-checks),
        n_before (runs that were made before it); in the order of part and first.
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
    )
    first_check = checks.group_by("build", maintain_order=True).agg(
        pl.col("checked").min(), pl.col("n_checks", "n_passed").sum()
    )
    tables = []
    for place, (part, runs) in enumerate(run.items()):
        made = runs.select(
            pl.lit(place).alias("place"),
            pl.lit(part).alias("part"),
            "dataset_id",
            build=pl.col("made_by").str.json_path_match("$.versions.kernel_build"),
            date=pl.col("made_by").str.json_path_match("$.date"),
        ).join(first_check, on="build", how="left", nulls_equal=True)
        tables.append(
            made.group_by("place", "part", "dataset_id", "build", maintain_order=True).agg(
                pl.len().cast(pl.Int64).alias("n_runs"),
                pl.col("date").min().alias("first"),
                pl.col("date").max().alias("last"),
                pl.col("checked", "n_checks", "n_passed").first(),
                (pl.col("date") < pl.col("checked")).sum().cast(pl.Int64).alias("n_before"),
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
            f"`{row['dataset_id']}`",
            f"`{row['build']}`" if row["build"] else NOTHING,
            str(row["n_runs"]),
            minute(row["first"]),
            minute(row["last"]),
            minute(row["checked"]),
            f"{row['n_passed']} of {row['n_checks']}" if row["checked"] else NOTHING,
            str(row["n_before"]) if row["checked"] else NOTHING,
        ]
        for row in builds.rows(named=True)
    ]
    header = ["Data set", "Build", "Runs", "First run", "Last run", "First self-check"]
    header += ["Passed", "Runs before it"]
    return markdown_table(header, rows, numeric_from=6)


def build_variables(builds: pl.DataFrame) -> dict[str, str]:
    """Return how many builds made runs, how many runs were made before their build's self-check."""
    checked = builds.filter(pl.col("checked").is_not_null())
    return {
        "n": str(builds["build"].drop_nulls().n_unique()),
        "n_runs": str(builds["n_runs"].sum()),
        "n_before": str(checked["n_before"].sum()),
        "first": minute(builds["first"].min()),
        "last": minute(builds["last"].max()),
    }


def minute(date: str | None) -> str:
    """Return a date and time of a run record to the minute: '2026-11-20 19:48'."""
    return NOTHING if date is None else date[:16].replace("T", " ")


def build_differences(
    run: Mapping[str, pl.DataFrame], run_metric: Mapping[str, pl.DataFrame]
) -> dict[str, dict[str, str]]:
    """Return, by part, how far Jain's index differs between repeats of one build and of two.

    Returns:
        {part: {n_cells, apart, alike}}: the scenarios of which two builds made repeats; the mean
        difference without its sign of two repeats of different builds; of the same build, over all
        scenarios. Dashes where there are none.
    """
    found = {}
    for part, runs in run.items():
        value = runs.select(
            "run_id",
            "scenario_id",
            build=pl.col("made_by").str.json_path_match("$.versions.kernel_build"),
        ).join(run_metric[part].select("run_id", "jfi"), on="run_id")
        pairs = value.join(value, on="scenario_id", suffix="_2").filter(
            pl.col("run_id") < pl.col("run_id_2")
        )
        pairs = pairs.with_columns(difference=(pl.col("jfi") - pl.col("jfi_2")).abs())
        two = pairs.filter(pl.col("build") != pl.col("build_2"))
        one = pairs.filter(pl.col("build") == pl.col("build_2"))
        found[part] = {
            "n_cells": str(two["scenario_id"].n_unique()),
            "apart": number(two["difference"].mean(), 3),
            "alike": number(one["difference"].mean(), 3),
        }
    return found
