"""Link rate and spread of the round-trip times, which the original's two links change together.

Here each rate has each of the two sets of RTTs. Buffers are fractions of the bandwidth-delay
product of the mean RTT, so that a fraction means the same for both rates and both sets.
"""

from __future__ import annotations

import polars as pl
from evenflow.metrics.windows import in_window
from evenflow.papers import paper

from .design import RANK, placed_runs
from .metrics import buffer_cells, cell_runs, link_metrics

SETS = ["spread_ms", "rtts"]  # a set of RTTs: the longest less the shortest, both in print


@paper.metric
def crossed_run(run, flow, window, queue_sample, sample) -> pl.DataFrame:
    """Return what every run whose link has the RTTs of another made of its bottleneck.

    Returns:
        run_id, scenario_id, repeat, PLACE, k and packet_bytes of `design.placed_runs`; spread_ms,
        the longest RTT less the shortest without queue, and rtts, both in print ('38 to 142 ms');
        the columns of `metrics.link_metrics`.
    """
    runs = in_window(run, window)
    placed = placed_runs(runs, flow, crossed=True)
    edges = runs.select("run_id", "warmup_s", "end_s")
    found = link_metrics(queue_sample.collect(), sample.collect(), edges, placed)
    rtt_ms = 1000 * pl.col("base_rtt_s")
    sets = flow.group_by("run_id", maintain_order=True).agg(low=rtt_ms.min(), high=rtt_ms.max())
    names = [f"{low:g} to {high:g} ms" for low, high in sets.select("low", "high").rows()]
    sets = sets.select(
        "run_id", spread_ms=pl.col("high") - pl.col("low"), rtts=pl.Series(names, dtype=pl.String)
    )
    return (
        placed.join(runs.select("run_id", "repeat"), on="run_id")
        .join(sets, on="run_id")
        .join(found, on="run_id", how="left")
        .sort(RANK, "spread_ms", "bottleneck_bps", "aqm", "fraction", "repeat")
    )


@paper.metric(runs=True)
def crossed_cell(crossed_run, confidence) -> pl.DataFrame:
    """Return mean utilisation and interval over the repeats of every cell of `crossed_run`."""
    cells = buffer_cells(crossed_run, crossed_run, confidence).filter(metric="utilisation")
    cells = cells.join(cell_runs(crossed_run), on=["scenario_id", "metric"], how="left")
    sets = crossed_run.select("scenario_id", *SETS).unique("scenario_id", maintain_order=True)
    return cells.join(sets, on="scenario_id", maintain_order="left").drop("metric")
