"""How far the metrics of data sets move with the parameters of the analysis, as a table."""

from __future__ import annotations

import polars as pl

from ..evidence.cells import made_of
from ..markdown import NOTHING, code, markdown_table, number

SENSITIVITY = {  # parameter of the table `sensitivity`: its name in print
    "warmup_s": "steady state from (s)",
    "warmup_mser5": "steady state from",
    "floor_segments": "NRU floor (segments)",
    "weight_from": "NRU weight from",
}
WEIGHTS = {"all": "both flows", "flow2": "flow 2", "place": "flow in the same place"}


def sensitivity_rows(
    sensitivity: pl.DataFrame, run: pl.DataFrame, weight_from: str
) -> list[list[str]]:
    """Return how far the means over all comparison cells move with each parameter.

    Rows: parameter, value, mean JFI, mean flow-NRU of flow 2 and system-NRU (dB), over cells of all
    pairings, and the number of cells in which flow 2 changes from a lower to a higher share than it
    gets against its own variant, or back (the sign of its flow-NRU, Bhatti and Bateman 2009,
    Table 2).

    Args:
        sensitivity, run: tables of a data set.
        weight_from: the value of that parameter in config.yaml: what the others are compared with.
    """
    metrics = ["jfi", "flow_nru_db_flow2", "system_nru_db"]
    place = run.filter(pl.col("role") == "comparison").select("run_id", "scenario_id")
    placed = sensitivity.join(place, on="run_id")
    cells = (
        placed.group_by("parameter", "value", "scenario_id")
        .agg(pl.col(metrics).mean())
        .sort("parameter", "value", "scenario_id", nulls_last=True)
    )
    share = pl.col("flow_nru_db_flow2").sign()
    default = cells.filter(parameter="weight_from", value=weight_from)
    table = (
        cells.join(default.select("scenario_id", share.alias("share")), on="scenario_id")
        .with_columns((share != pl.col("share")).alias("changed"))
        .group_by("parameter", "value", maintain_order=True)
        .agg(pl.col(metrics).mean(), pl.col("changed").sum(), pl.col("share").count().alias("n"))
    )
    of = dict(placed.group_by("parameter", "value", maintain_order=True))
    return [
        [
            SENSITIVITY[row["parameter"]],
            WEIGHTS.get(row["value"], row["value"]) or "MSER-5",
            *made_of(
                of[row["parameter"], row["value"]],
                number(row["jfi"], 3),
                number(row["flow_nru_db_flow2"], 2),
                number(row["system_nru_db"], 2),
                f"{row['changed']} of {row['n']}" if row["n"] else NOTHING,
            ),
        ]
        for row in by_parameter(table)
    ]


def by_parameter(table: pl.DataFrame) -> list[dict]:
    """Return the rows of a table by parameter and value."""
    order = list(SENSITIVITY)
    return sorted(
        table.rows(named=True), key=lambda r: (order.index(r["parameter"]), _key(r["value"]))
    )


def _key(value: str | None) -> tuple:
    try:
        return (0, float(value or ""), "")
    except ValueError:
        return (1, 0.0, value or "")


def sensitivity_table(parts: dict[str, tuple[pl.DataFrame, pl.DataFrame]], weight_from: str) -> str:
    """Return the sensitivity of several data sets (sensitivity, run), one below the other."""
    rows = [
        [code(name), *row]
        for name, tables in parts.items()
        for row in sensitivity_rows(*tables, weight_from)
    ]
    header = ["Data set", "Parameter", "Value", "JFI", "Flow-NRU of flow 2", "System-NRU"]
    return markdown_table([*header, "Share changes"], rows, numeric_from=2)
