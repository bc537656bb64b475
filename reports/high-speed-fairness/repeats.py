"""Repeats in high-speed-fairness: on which cells an answer hangs, and how runs of a cell differ.

Whether a sentence's statistic lies in its region may hang on one cell. A cell decides a case where
a change of its flows' shares that a second run may bring would turn the case: there are repeats
first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.markdown import number, span_of
from evenflow.papers import paper
from evenflow.papers.claims import Claim

from .claims import claims_of
from .metrics import QUEUES
from .replicates import KEY, Cases, Key, Replicate, Run, Statistic, Subject, asked_for

# of flow 1's share of both. In ns2-dumbbell three runs of a cell lie within 0.0081 in three of four
# cells.
CHANGE = 0.01


def changed(run: Run, change: float) -> Run:
    """Return a run with flow 1's share larger by `change` and the sum of both flows as it is."""
    total_bps = run.first_bps + run.second_bps
    share1 = min(1.0, max(0.0, run.first_bps / total_bps + change))
    jfi = 1 / (2 * (share1**2 + (1 - share1) ** 2))  # fairness.jain_index of two flows
    return Run(share1 * total_bps, (1 - share1) * total_bps, jfi)


def deciding_cells(
    cells: pl.DataFrame,
    rtts_ms: Sequence[Sequence[float]],
    readings: Mapping,
    change: float = CHANGE,
) -> pl.DataFrame:
    """Return the table `deciding_cell`: the cells on which a case of a claim hangs.

    Args:
        cells: the table `pair_cell`.
        rtts_ms, readings: of paper.yml.
        change: of flow 1's share, up or down, that turns a case.

    Returns:
        A row a claim, case and cell: part, claim (its key), case, scenario_id and n, its runs.
    """
    known = cells.drop_nulls("share1")
    names = {(row["part"], *(row[name] for name in KEY)): row for row in known.to_dicts()}
    rows = [
        {"part": part, "claim": claim.key, "case": case, "key": key}
        for (part,), own in known.group_by("part", maintain_order=True)
        for claim in claims_of(readings)
        if isinstance(claim.measure, Cases)
        for case, key in _deciding(claim, Subject(own, rtts_ms, readings), change)
    ]
    found = [
        {name: row[name] for name in ("part", "claim", "case")}
        | {name: names[row["part"], *row["key"]][name] for name in ("scenario_id", "n")}
        for row in rows
    ]
    schema = dict.fromkeys(("part", "claim", "case", "scenario_id"), pl.String) | {"n": pl.Int64}
    return pl.DataFrame(found, schema=schema).sort("part", "claim", "case", "scenario_id")


def _deciding(claim: Claim, means: Subject, change: float) -> list[tuple[str, Key]]:
    """Return case and cell of the means of cells that decide a case of a claim."""
    return [
        (", ".join(filter(None, (name, said))), key)
        for name, statistic in claim.measure.of.items()
        for queue, said in QUEUES.items()
        for key in _turning(claim, statistic, queue, means, change)
    ]


def _turning(
    claim: Claim, statistic: Statistic, queue: str, means: Subject, change: float
) -> list[Key]:
    """Return the cells of a case that turn it; none where no list of RTTs is whole."""
    for rtts in means.rtts_ms:
        asked = asked_for(statistic, queue, rtts, means.readings)
        if set(claim.measure.needs) <= set(rtts) and all(key in means.runs for key in asked):
            break
    else:
        return []
    runs = {key: means.runs[key][0] for key in asked}

    def holds(runs: Mapping[Key, Run]) -> bool:
        return claim.region.holds(
            statistic(Replicate(runs.__getitem__, queue, rtts, means.readings))
        )

    now = holds(runs)
    return [
        key
        for key, run in runs.items()
        if any(holds(runs | {key: changed(run, by)}) != now for by in (change, -change))
    ]


def repeat_words(pairs: pl.DataFrame) -> dict[str, str]:
    """Return {part: how the runs of a cell differ, in words}.

    Args:
        pairs: the table `pair_metric`.
    """
    return {part: _repeat_words(pairs.filter(part=part)) for part in PLATFORMS}


def _repeat_words(pairs: pl.DataFrame) -> str:
    cells = pairs.group_by("scenario_id", maintain_order=True).agg(
        pl.len().alias("n"),
        (pl.max("share1") - pl.min("share1")).alias("span"),
        pl.struct("throughput1_bps", "throughput2_bps").n_unique().alias("n_unlike"),
    )
    several = cells.filter(pl.col("n") > 1)
    if several.is_empty():
        return "no cell has more than one run yet"
    median, most = (number(100 * v, 1) for v in (several["span"].median(), several["span"].max()))
    twice = len(several.filter(pl.col("n_unlike") < pl.col("n")))
    same = f"; in {twice} of them a run is another's double" if twice else ""
    return (
        f"in {len(several)} of {len(cells)} cells runs are repeated, {span_of(several['n'])} each; "
        f"the share of flow 1 differs by {median} points between them in the median and {most} at "
        f"most{same}"
    )


# on demand: which cells to repeat first (`snakemake --cores 1 repeats_high-speed-fairness`)
@paper.metric
def deciding_cell(pair_cell, rtts_of_claims_ms, readings) -> pl.DataFrame:
    """Return the cells on which a case of a claim hangs."""
    return deciding_cells(pair_cell, rtts_of_claims_ms, readings)
