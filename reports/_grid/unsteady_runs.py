"""How many comparison runs are unsteady, by data set: a table."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from evenflow.evidence.cells import made_of
from evenflow.markdown import markdown_table
from evenflow.reporting.datasets import LONG_MS
from evenflow.statistics.steady import POINTS, is_unsteady

HEADER = (
    "Comparison runs of",
    "Runs",
    "Unsteady",
    "By the share alone",
    f"{round(LONG_MS)} ms or more",
)


def unsteady_markdown(
    run: Mapping[str, pl.DataFrame],
    run_metric: Mapping[str, pl.DataFrame],
    names: Mapping[str, str],
) -> str:
    """Return a row per data set: its comparison runs, and how many of them are unsteady.

    Args:
        run, run_metric: tables by part, tagged.
        names: part -> its name in print, in the order of the rows.
    """
    rows = []
    for part, name in names.items():
        measured = run_metric[part].select("run_id", "drift", "flow_change", pl.col("^row of .*$"))
        compared = run[part].filter(role="comparison").select("run_id", "base_rtt_s")
        known = compared.join(measured, on="run_id")
        unsteady = known.filter(is_unsteady())
        is_long = pl.col("base_rtt_s") * 1000 >= LONG_MS
        shown = known, unsteady, known.filter(pl.col("drift") > POINTS), unsteady.filter(is_long)
        rows.append([name, *(made_of(mine, str(len(mine)))[0] for mine in shown)])
    return markdown_table(list(HEADER), rows, numeric_from=1)
