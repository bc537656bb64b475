"""Link rate and spread of the round-trip times, which the original's two links change together.

Here each rate has each of the two sets of RTTs. Buffers are fractions of the bandwidth-delay
product of the mean RTT, so that a fraction means the same for both rates and both sets.
"""

from __future__ import annotations

import polars as pl
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import gathered, run_ref
from evenflow.markdown import NOTHING, markdown_table, number, with_interval
from evenflow.metrics.windows import in_window
from evenflow.papers import paper
from evenflow.statistics.repeats import cell_statistics, cut_intervals

from .design import PART, PLACE, RANK, link_name, placed_runs, source_name
from .metrics import link_metrics

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
    used = crossed_run.drop_nulls("utilisation")
    values = used.select(
        "run_id", "scenario_id", metric=pl.lit("utilisation"), value=pl.col("utilisation")
    )
    cells = used.group_by("scenario_id", *SETS, *PLACE, "k", maintain_order=True).agg(
        gathered(run_ref(PART)).alias("runs")
    )
    most = pl.max_horizontal(1.0, "mean")  # the queue's counters have a packet's width
    found = cut_intervals(cell_statistics(values, confidence), pl.lit(0.0), most)
    return cells.join(found.drop("metric"), on="scenario_id", maintain_order="left")


@paper.table
def crossed(crossed_cell) -> str:
    """Return utilisation in %: a row an implementation and buffer, a column a rate and RTTs."""
    links = crossed_cell.select("bottleneck_bps", *SETS).unique(maintain_order=True)
    links = links.sort("bottleneck_bps", "spread_ms")
    rows = []
    for (implementation, fraction), of in crossed_cell.sort(RANK, "fraction").group_by(
        "implementation", "fraction", maintain_order=True
    ):
        cells = [_cell(of.filter(bottleneck_bps=rate, rtts=rtts)) for rate, _, rtts in links.rows()]
        rows.append([source_name(implementation), f"{100 * fraction:g} %", *cells])
    header = ["Source", "Buffer"]
    header += [f"{link_name(rate)}, {rtts}" for rate, _, rtts in links.rows()]
    return markdown_table(header, rows or [["none made yet", NOTHING]], numeric_from=1)


def _cell(cell: pl.DataFrame) -> str:
    if cell.is_empty():
        return NOTHING
    row = cell.row(0, named=True)
    if row["ci_low"] is None:
        text = number(row["mean"], 1, 100)
    else:
        text = with_interval(row["mean"], row["ci_low"], row["ci_high"], 1, 100)
    return made_of(row, f"{text}, n = {row['n']}")[0]
