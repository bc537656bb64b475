"""What the correlations with FR owe to the scenarios that their claims leave out.

FTP2 as printed, whose sources alone exceed the link's rate, and the scenario without random waits
lie far from the others, and one point can decide a correlation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.evidence.runs import LIST, gathered, once, run_ref
from evenflow.kit.tables import groups, named, pivoted, printed
from evenflow.markdown import NOTHING, number
from evenflow.papers import paper
from evenflow.statistics.repeats import pearson

from .claims import FR, LOGARITHMIC
from .design import NO_WAITS, PART, SACK_DROPTAIL, select

PRINTED = "ftp-2-printed"
JUDGED = {"bpdd": "figures", "p": "figures", "cov_background": "ftp"}  # designs of paper.yml
MEASURES = {"bpdd": "BPDD", "p": "P", "cov_background": "CoV of the background"}
SETS = {
    "judged": "as judged",
    "with_printed": "with FTP2 as printed",
    "every": "all scenarios",
    "apart": "all but these two",
}


@paper.metric(runs=True)
def left_out(placed_run: pl.DataFrame, control_run: pl.DataFrame, designs: dict) -> pl.DataFrame:
    shared = [name for name in placed_run.columns if name in control_run.columns]
    runs = pl.concat([placed_run.select(shared), control_run.select(shared)])
    return correlations_of_sets(runs, designs)


def correlations_of_sets(runs: pl.DataFrame, designs: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """Return Pearson's r of a measure and log FR over sets of scenarios: SACK under DropTail.

    Args:
        runs: the tables `placed_run` and `control_run`.
        designs: of paper.yml: the loads that claims are about.

    Returns:
        x (`MEASURES`), scenarios (`SETS`), n (points, each the mean of a scenario's runs, on the
        scale of the claims), r (null of fewer than three points, and without variance), runs.
    """
    mine = select(runs, **SACK_DROPTAIL).sort("load", "run_id").with_columns(run=run_ref(PART))
    loads = mine["load"].unique(maintain_order=True).to_list()
    rows = []
    for x, design in JUDGED.items():
        scaled = [pl.col(of).log() if of in LOGARITHMIC else pl.col(of) for of in (x, FR)]
        points = (
            mine.drop_nulls([x, FR])
            .group_by("load", maintain_order=True)
            .agg(*(of.mean() for of in scaled), gathered().alias("runs"))
        )
        sets = {
            "judged": designs[design],
            "with_printed": [*designs[design], PRINTED],
            "every": loads,
            "apart": [load for load in loads if load != PRINTED and not load.endswith(NO_WAITS)],
        }
        for name, wanted in sets.items():
            known = points.filter(pl.col("load").is_in(wanted))
            r = pearson(known[x].to_numpy(), known[FR].to_numpy())
            rows.append((x, name, len(known), r, once(known["runs"].explode().drop_nulls())))
    schema = {"x": pl.String, "scenarios": pl.String, "n": pl.Int64, "r": pl.Float64}
    return pl.DataFrame(rows, schema=schema | {"runs": LIST}, orient="row")


@paper.table
def outliers(left_out: pl.DataFrame) -> str:
    """Return the correlations: a row a measure, a column a set of scenarios."""
    return printed(
        groups(left_out, "x"),
        {"Log FR against": named("x", MEASURES)},
        pivoted("scenarios", SETS, _r),
    )


def _r(row: pl.DataFrame) -> str:
    r, n = row.select("r", "n").row(0)
    return NOTHING if r is None else f"{number(r, 2)}, {n} scenarios"
