"""The values that a paper printed, beside the same statistics of our surfaces."""

from __future__ import annotations

import polars as pl

from .errors import DataError, did_you_mean
from .metrics.fairness import two_flow_curve

# quantity in published.csv -> metric of the table `cell`, and its unit in SI units
QUANTITIES = {
    "throughput_flow2": ("mean_throughput_bps_flow2", 1e6),
    "flow_nru_flow2": ("flow_nru_db_flow2", 1.0),
    "system_nru": ("system_nru_db", 1.0),
    "jfi": ("jfi", 1.0),
}
# platform in published.csv -> parts of the paper that measure the same
PARTS = {"testbed": ["testbed", "testbed_alternative"], "ns2": ["simulation"]}
EQUATION = "equation"  # the part of printed values that no measurement enters
COLUMNS = ["paper", "item", "platform", "case", "quantity", "unit", "statistic", "value", "where"]


def read_published(path: str) -> pl.DataFrame:
    """Read published.csv and add metric, unit_si, role and ccas, which our surfaces are named by.

    A case is 'bic-self' (calibration of BIC) or 'newreno-vs-bic' (comparison). Rows whose quantity
    is no surface of ours (`printed_and_computed`) are left out.

    Raises:
        DataError: a missing column, a case of another form, or an unknown quantity.
    """
    table = _read(path).filter(pl.col("platform").is_in(list(PARTS)))
    form = table["case"].str.contains(r"^\w+(-self|-vs-\w+)$")
    if not form.all():
        bad = table.filter(~form)["case"][0]
        remedy = "write 'bic-self' or 'newreno-vs-bic'"
        raise DataError(f"unknown case '{bad}'", path=path, remedy=remedy)
    unknown = table.filter(~pl.col("quantity").is_in(list(QUANTITIES)))["quantity"]
    if len(unknown):
        problem = f"unknown quantity '{unknown[0]}'"
        raise DataError(problem, path=path, remedy=did_you_mean(unknown[0], QUANTITIES))
    case = pl.col("case")
    variant = case.str.strip_suffix("-self")
    metric = {name: metric for name, (metric, _) in QUANTITIES.items()}
    unit = {name: unit for name, (_, unit) in QUANTITIES.items()}
    return table.with_columns(
        pl.col("quantity").replace_strict(metric).alias("metric"),
        pl.col("quantity").replace_strict(unit).alias("unit_si"),
        pl.when(case.str.ends_with("-self"))
        .then(pl.lit("calibration"))
        .otherwise(pl.lit("comparison"))
        .alias("role"),
        pl.when(case.str.ends_with("-self"))
        .then(pl.concat_str([variant, variant], separator="-"))
        .otherwise(case.str.replace("-vs-", "-"))
        .alias("ccas"),
    )


def printed_and_measured(published: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """Join the printed values with ours.

    Args:
        published: result of `read_published`.
        summary: result of `surfaces.surface_summary` with the column part.

    Returns:
        A row a printed value and part of the paper that measures the same: the columns of
        published.csv, part, dataset_id, measured (in the printed unit, null where we have no such
        runs), n_cells, n_runs, n_runs_max.
    """
    measured = summary.unpivot(
        ["min", "mean", "max", "stddev"],
        index=["part", "dataset_id", "metric", "role", "ccas", "n_cells", "n_runs", "n_runs_max"],
        variable_name="statistic",
        value_name="measured",
    )
    parts = pl.DataFrame(
        [(platform, part) for platform, names in PARTS.items() for part in names],
        schema=["platform", "part"],
        orient="row",
    ).join(summary.select("part", "dataset_id").unique(), on="part")
    keys = ["part", "dataset_id", "metric", "role", "ccas", "statistic"]
    return (
        published.with_row_index("row")
        .join(parts, on="platform")
        .join(measured, on=keys, how="left")
        .with_columns(pl.col("measured") / pl.col("unit_si"))
        .sort("row", "part")
        .select(*COLUMNS, *keys[:5], "measured", "n_cells", "n_runs", "n_runs_max")
    )


def printed_and_computed(path: str) -> pl.DataFrame:
    """Return the printed values that follow from an equation, beside what we compute from it.

    on-path-buffering, Figure 2: the smallest and the largest index of two flows (`two_flow_curve`).

    Returns:
        The columns of `printed_and_measured`; part and dataset_id are EQUATION.
    """
    curve = two_flow_curve()["jfi"]
    computed = {"min": curve.min(), "mean": None, "max": curve.max(), "stddev": None}
    named = {"part": EQUATION, "dataset_id": EQUATION, "metric": "jfi", "role": EQUATION}
    counts = dict.fromkeys(("n_cells", "n_runs", "n_runs_max"), pl.lit(None, dtype=pl.Int64))
    return (
        _read(path)
        .filter(platform="analytic", quantity="jfi", case="two-flows")
        .with_columns(
            **{name: pl.lit(value) for name, value in named.items()},
            ccas=pl.col("case"),
            measured=pl.col("statistic").replace_strict(computed, return_dtype=pl.Float64),
            **counts,
        )
        .select(*COLUMNS, *named, "ccas", "measured", *counts)
    )


def _read(path: str) -> pl.DataFrame:
    table = pl.read_csv(path, schema_overrides={"unit": pl.String})  # '1' is a unit as well
    if table.columns != COLUMNS:
        problem = f"the columns are {', '.join(table.columns)}"
        raise DataError(problem, path=path, line=1, remedy=f"use {', '.join(COLUMNS)}")
    return table
