"""The values that a paper printed, beside the same statistics of our surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.congestion_controls import pairing_name
from evenflow.errors import DataError, did_you_mean
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import is_list_of_runs
from evenflow.evidence.say import say
from evenflow.kit.names import in_print
from evenflow.markdown import NOTHING, markdown_table, number
from evenflow.scalars import scalar

# quantity in published.csv -> metric of the table `cell`; it is printed in the same unit
QUANTITIES = {
    "throughput_flow2": "mean_throughput_bps_flow2",
    "flow_nru_flow2": "flow_nru_db_flow2",
    "system_nru": "system_nru_db",
    "jfi": "jfi",
}
STATISTICS = ("min", "mean", "max", "stddev")
EQUATION = "equation"  # the part of printed values that no measurement enters
COLUMNS = ["paper", "item", "platform", "case", "quantity", "unit", "statistic", "value", "where"]


def printed_surfaces(published: pl.DataFrame, platforms: Sequence[str], path: str) -> pl.DataFrame:
    """Return what was printed of surfaces, with metric, unit_si, role and ccas of ours.

    A case is 'bic-self' (calibration of BIC) or 'newreno-vs-bic' (comparison).

    Args:
        published: a table of COLUMNS, as strings.
        platforms: of the originals that are measured here; rows of others are left out.
        path: of the table, for errors.

    Raises:
        DataError: a missing column, a case of another form, or an unknown quantity.
    """
    table = _typed(published, path).filter(pl.col("platform").is_in(list(platforms)))
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
    unit = {name: float(in_print(metric).factor) for name, metric in QUANTITIES.items()}
    return table.with_columns(
        pl.col("quantity").replace_strict(QUANTITIES).alias("metric"),
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


def printed_and_measured(
    printed: pl.DataFrame, summary: pl.DataFrame, measures: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Join the printed values with ours.

    Args:
        printed: result of `printed_surfaces`.
        summary: result of `surfaces.surface_summary` with the column part.
        measures: platform of the original -> parts of the paper that measure the same.

    Returns:
        A row a printed value and part of the paper that measures the same: COLUMNS, part,
        dataset_id, metric, role, ccas, measured (in the printed unit, null where we have no such
        runs), n_cells, n_runs, n_runs_max; runs, where the summary has those of its rows.
    """
    counts = ["n_cells", "n_runs", "n_runs_max"]
    counts += [name for name in summary.columns if is_list_of_runs(name)]
    measured = summary.unpivot(
        list(STATISTICS),
        index=["part", "dataset_id", "metric", "role", "ccas", *counts],
        variable_name="statistic",
        value_name="measured",
    )
    parts = pl.DataFrame(
        [(platform, part) for platform, names in measures.items() for part in names],
        schema=["platform", "part"],
        orient="row",
    ).join(summary.select("part", "dataset_id").unique(), on="part")
    keys = ["part", "dataset_id", "metric", "role", "ccas", "statistic"]
    return (
        printed.with_row_index("row")
        .join(parts, on="platform")
        .join(measured, on=keys, how="left")
        .with_columns(pl.col("measured") / pl.col("unit_si"))
        .sort("row", "part")
        .select(*COLUMNS, *keys[:5], "measured", *counts)
    )


def printed_and_computed(
    published: pl.DataFrame, computed: Mapping[str, float | None], path: str
) -> pl.DataFrame:
    """Return the printed indices that follow from an equation, beside what it gives.

    Args:
        published: as `printed_surfaces` takes it; rows of platform 'analytic' count.
        computed: statistic -> its value by the equation.
        path: of the table, for errors.

    Returns:
        The columns of `printed_and_measured`; part and dataset_id are EQUATION.
    """
    named = {"part": EQUATION, "dataset_id": EQUATION, "metric": "jfi", "role": EQUATION}
    counts = dict.fromkeys(("n_cells", "n_runs", "n_runs_max"), pl.lit(None, dtype=pl.Int64))
    return (
        _typed(published, path)
        .filter(platform="analytic", quantity="jfi")
        .with_columns(
            **{name: pl.lit(value) for name, value in named.items()},
            ccas=pl.col("case"),
            measured=pl.col("statistic").replace_strict(computed, return_dtype=pl.Float64),
            **counts,
        )
        .select(*COLUMNS, *named, "ccas", "measured", *counts)
    )


def _typed(published: pl.DataFrame, path: str) -> pl.DataFrame:
    if published.columns != COLUMNS:
        problem = f"the columns are {', '.join(published.columns)}"
        raise DataError(problem, path=path, line=1, remedy=f"use {', '.join(COLUMNS)}")
    return published.with_columns(pl.col("value").cast(pl.Float64))


def printed_variables(printed: pl.DataFrame) -> dict:
    """Return {item: {statistic: printed value}}, e.g. fig3b.max, as strings.

    Args:
        printed: result of `printed_and_measured`.
    """
    tree: dict = {}
    for item, metric, statistic in (
        printed.select("item", "metric", "statistic").unique(maintain_order=True).rows()
    ):
        rows = printed.filter(item=item, metric=metric, statistic=statistic)
        tree.setdefault(item, {})[statistic] = say(rows, "value", digits=in_print(metric).digits)
    return tree


def printed_table(
    printed: pl.DataFrame, order: Sequence[str], equation: str = "by the equation"
) -> str:
    """Return the table of printed values beside ours, a row a panel of the paper.

    Ours have the number of their cells in brackets.

    Args:
        printed: result of `printed_and_measured`.
        order: parts, a column each where they have such values.
        equation: where values without a measurement are from.
    """
    parts = printed["part"].unique(maintain_order=True).to_list()
    names = dict(printed.select("part", "dataset_id").unique(maintain_order=True).rows())
    order = [part for part in order if part in parts]
    rows = []
    panels = printed.unique(["item"], maintain_order=True, keep="first")
    for panel in panels.rows(named=True):
        mine = printed.filter(pl.col("item") == panel["item"])
        digits = in_print(QUANTITIES[panel["quantity"]]).digits
        statistics = [s for s in STATISTICS if s in mine["statistic"].to_list()]
        first = mine.filter(pl.col("part") == mine["part"][0])
        said = dict(first.select("statistic", "value").rows())
        cells = made_of(first, " / ".join(number(said[s], digits) for s in statistics))
        if panel["part"] == EQUATION:
            ours = dict(first.select("statistic", "measured").rows())
            values = " / ".join(number(ours[s], digits) for s in statistics)
            rows.append([_panel_name(panel), *cells, *made_of(first, f"{values} ({equation})")])
            rows[-1] += [NOTHING] * (len(order) - 1)
            continue
        for part in order:
            of_part = mine.filter(pl.col("part") == part)
            ours = dict(of_part.select("statistic", "measured").rows())
            if any(value is not None for value in ours.values()):
                values = " / ".join(number(ours[s], digits) for s in statistics)
                cells += made_of(of_part, f"{values} ({scalar(of_part['n_cells'].max())})")
            else:
                cells.append(NOTHING)
        rows.append([_panel_name(panel), *cells])
    header = ["Panel", "Printed", *(f"`{names[part]}`" for part in order)]
    return markdown_table(header, rows, numeric_from=1)


def _panel_name(panel: dict) -> str:
    if panel["part"] == EQUATION:
        return f"Fig. {panel['item'].removeprefix('fig')}, two flows, JFI"
    number_, letter = panel["item"].removeprefix("fig")[:-1], panel["item"][-1]
    unit = in_print(QUANTITIES[panel["quantity"]]).unit or "JFI"
    return f"Fig. {number_}({letter}), {pairing_name(panel['ccas'])}, {unit}"
