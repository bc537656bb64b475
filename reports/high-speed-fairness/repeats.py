"""Repeats in high-speed-fairness: on which cells an answer hangs, and whether repeats turn it.

The case of a claim (`claims`) compares cells, and most cells have one run. A cell
decides a case where a change of its flows' shares that a second run may bring would turn the case:
there are repeats first.
"""

from __future__ import annotations

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.markdown import number, span_of
from evenflow.papers import paper

from .claims import CLAIMS, Cases
from .metrics import pair_cells, rtt_points

# of flow 1's share of both. In ns2-dumbbell three runs of a cell lie within 0.0081 in three of four
# cells.
CHANGE = 0.01


def changed(cell: dict, change: float) -> dict:
    """Return a row of `pair_cell` with flow 1's share larger by `change` and the sum as it is."""
    share1 = min(1.0, max(0.0, cell["share1"] + change))
    total_bps = cell["throughput1_bps"] + cell["throughput2_bps"]
    return cell | {
        "share1": share1,
        "throughput1_bps": share1 * total_bps,
        "throughput2_bps": (1 - share1) * total_bps,
        "ratio": share1 / (1 - share1) if share1 < 1 else None,
        "jfi": 1 / (2 * (share1**2 + (1 - share1) ** 2)),  # fairness.jain_index of two flows
    }


def deciding_cells(cells: pl.DataFrame, change: float = CHANGE) -> pl.DataFrame:
    """Return the table `deciding_cell`: the cells on which a case of a claim hangs.

    Args:
        cells: the table `pair_cell`.
        change: of flow 1's share, up or down, that turns a case.

    Returns:
        A row a claim and cell: part, claim (its key), scenario_id and n, the cell's runs.
    """
    rows = [
        {"part": part, "claim": claim.key, "scenario_id": scenario}
        for (part,), own in cells.group_by("part", maintain_order=True)
        for claim in CLAIMS
        if isinstance(claim.test, Cases)
        for scenario in _deciding(claim.test, own, change)
    ]
    table = pl.DataFrame(rows, schema=dict.fromkeys(("part", "claim", "scenario_id"), pl.String))
    runs = cells.select("part", "scenario_id", "n")
    return table.join(runs, on=["part", "scenario_id"]).sort("part", "claim", "scenario_id")


def _deciding(test: Cases, cells: pl.DataFrame, change: float) -> list[str]:
    """Return the scenarios of the cells that decide a case of a claim."""
    view = test.view
    of_view = rtt_points(cells) if view == "rtt" else cells.filter(view=view)
    rows = of_view.select(cells.columns).to_dicts()  # of rtt: with those of equal RTTs

    def answers(rows: list[dict]) -> list[bool]:
        return [holds for _, holds in test.find(pl.DataFrame(rows, schema=cells.schema))]

    now = answers(rows)

    def turns(i: int, by: float) -> bool:
        return answers([*rows[:i], changed(rows[i], by), *rows[i + 1 :]]) != now

    return [
        row["scenario_id"]
        for i, row in enumerate(rows)
        if row["share1"] is not None and (turns(i, change) or turns(i, -change))
    ]


def repeat_words(pairs: pl.DataFrame) -> dict[str, str]:
    """Return {part: how the runs of a cell differ and what that turns, in words}.

    Args:
        pairs: the table `pair_metric`.
    """
    return {part: _repeat_words(pairs.filter(part=part)) for part in PLATFORMS}


def _repeat_words(pairs: pl.DataFrame) -> str:
    cells = pairs.group_by("scenario_id").agg(
        pl.len().alias("n"), (pl.max("share1") - pl.min("share1")).alias("span")
    )
    several = cells.filter(pl.col("n") > 1)
    if several.is_empty():
        return "no cell has more than one run yet"
    of_means, verdicts = _answers(pairs)
    place = pl.int_range(pl.len()).over("scenario_id")  # of a run among those of its cell
    ordered = pairs.sort("repeat", "run_id").with_columns(
        place=place, last=pl.len().over("scenario_id") - 1
    )
    turned, other = set(), set()
    for k in range(several["n"].max()):
        single = ordered.filter(pl.col("place") == pl.min_horizontal("last", pl.lit(k)))
        of_runs, single_verdicts = _answers(single.select(pairs.columns))
        turned |= {i for i, answer in enumerate(of_means) if of_runs[i] != answer}
        other |= {key for key, verdict in single_verdicts.items() if verdict != verdicts[key]}
    median, most = (number(100 * v, 1) for v in (several["span"].median(), several["span"].max()))
    return (
        f"in {len(several)} of {len(cells)} cells runs are repeated, {span_of(several['n'])} each; "
        f"flow 1's share differs by {median} points between them in the median and {most} at most, "
        f"and with one run of each in the place of their mean {len(turned)} of {len(of_means)} "
        f"cases have another answer and {len(other)} of {len(verdicts)} sentences another verdict"
    )


def _answers(pairs: pl.DataFrame) -> tuple[list[bool], dict[str, str]]:
    """Return the answers of all cases of one platform in order, and {claim: verdict}."""
    cells = pair_cells({"one": pairs})
    tests = {claim.key: claim.test for claim in CLAIMS if isinstance(claim.test, Cases)}
    cases = {key: test.find(cells) for key, test in tests.items()}
    answers = [holds for found in cases.values() for _, holds in found]
    return answers, {key: tests[key].outcome(found) for key, found in cases.items()}


# on demand: which cells to repeat first (`snakemake --cores 1 repeats_high-speed-fairness`)
@paper.metric
def deciding_cell(pair_cell) -> pl.DataFrame:
    """Return the cells on which a case of a claim hangs."""
    return deciding_cells(pair_cell)
