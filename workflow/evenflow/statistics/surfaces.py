"""Surfaces: a metric over the grid of round-trip times and buffers."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl

from ..evidence.runs import entered, gathered, run_ref, together
from .steady import is_unsteady, of_cell

SCENARIO = ["scenario_id", "role", "ccas", "base_rtt_s", "buffer_bdp", "bottleneck_bps"]

# of difference surfaces: what tells surfaces apart, and their cells
SURFACE, CELL = ["ccas"], ["bottleneck_bps", "base_rtt_s", "buffer_bdp"]
PLACE = ["role", "ccas", "base_rtt_s", "buffer_bdp"]  # of a run in its data set


def on_the_grid(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs that have a place on the grid: two flows, one RTT, a buffer."""
    return runs.filter(
        pl.col("n_flows") == 2,
        pl.col("ccas").is_not_null(),
        pl.col("base_rtt_s").is_not_null(),
        pl.col("buffer_bdp").is_not_null(),
    )


def drops_at_bottleneck(observed: str | None) -> int | None:
    """Return the packets that a run lost at its bottleneck, as it counted them; null if it did not.

    Args:
        observed: of the table `run`, JSON: `drops` of the testbed, `queue.drops` of ns-2, or
            `drops` by source, {background, flows: {flow: packets}}.
    """
    said = json.loads(observed) if observed else {}
    if not isinstance(said, dict):
        return None
    queue = said.get("queue")
    drops = said.get("drops", queue.get("drops") if isinstance(queue, dict) else None)
    if isinstance(drops, dict):
        flows = drops.get("flows")
        each = [drops.get("background"), *(flows.values() if isinstance(flows, dict) else [None])]
        drops = None if None in each else sum(each)
    return drops if type(drops) is int else None


def is_contested(runs: pl.DataFrame, by: str | list[str]) -> pl.Series:
    """Say of each run whether its cell is contested: whether any run of the cell lost a packet.

    Where no run of a cell lost a packet at the bottleneck no flow was held back by another, and
    there is nothing to be fair about. A run that did not count its drops counts as contested.

    Args:
        runs: the table `run`.
        by: columns that name a cell.
    """
    lost = (dropped() != 0).fill_null(True)
    return runs.select(lost.any().over(by).alias("contested")).to_series()


def dropped() -> pl.Expr:
    """Return the column dropped of the table `run`: `drops_at_bottleneck`."""
    return (
        pl.col("observed")
        .map_elements(drops_at_bottleneck, return_dtype=pl.Int64, skip_nulls=False)
        .alias("dropped")
    )


def index_on_the_grid(runs: pl.DataFrame, run_metrics: pl.DataFrame) -> pl.DataFrame:
    """Return Jain's index of every run with its place on the grid; calibration is left out.

    Args:
        runs: the table `run`.
        run_metrics: run_id, jfi.

    Returns:
        run_id, scenario_id, SURFACE, CELL, contested (`is_contested`), value; one row a run.
    """
    place = runs_in_cells(runs)
    return place.join(run_metrics.select("run_id", pl.col("jfi").alias("value")), on="run_id")


def runs_in_cells(runs: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, scenario_id, SURFACE, CELL and contested of runs as `index_on_the_grid`."""
    place = on_the_grid(runs).filter(pl.col("role").fill_null("comparison") == "comparison")
    place = place.select(
        "run_id",
        "scenario_id",
        "ccas",
        pl.col("bottleneck_bps").round(0),
        # the same place is the same number, though one was given in bytes and the other in %
        pl.col("base_rtt_s").round(6),
        _rounded(pl.col("buffer_bdp")),
        "observed",
    )
    contested = is_contested(place, [*SURFACE, *CELL])
    return place.drop("observed").with_columns(contested)


def _rounded(fraction: pl.Expr) -> pl.Expr:
    """Return a buffer as a fraction of the BDP to three decimals, or to two digits below 0.01.

    At 10 Gb/s and 100 ms fifty packets are 0.0006, and a hundred 0.0012.
    """
    return pl.when(fraction < 0.01).then(fraction.round_sig_figs(2)).otherwise(fraction.round(3))


def nearest_run(runs: pl.DataFrame, example: dict) -> dict:
    """Return the first repeat of the example's cell, or of the nearest cell of the data set.

    The same pairing comes before the RTT (its ratio), and that before the buffer.

    Args:
        runs: comparison runs of two flows, each with RTT and buffer.
        example: ccas, rtt_ms, buffer_pct.
    """
    ratio = (pl.col("base_rtt_s") * 1000 / example["rtt_ms"]).log().abs().round(6)
    return runs.sort(
        pl.col("ccas") != example["ccas"],
        ratio,
        (pl.col("buffer_bdp") * 100 - example["buffer_pct"]).abs().round(6),
        "scenario_id",
        "repeat",
    ).row(0, named=True)


def surface_table(
    cells: pl.DataFrame, runs: pl.DataFrame, run_metrics: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Put the cells of a data set on the grid.

    Args:
        cells: the table `cell`.
        runs: the table `run`.
        run_metrics: the table `run_metric`, which tells what is steady.

    Returns:
        The columns of `cell` and of the scenario: role, ccas ('newreno-bic': flow 1, flow 2),
        base_rtt_s, buffer_bdp, bottleneck_bps, contested, unsteady (`steady.of_cell`; null where
        nothing tells). Scenarios without an RTT or a buffer have
        no place.
    """
    scenarios = runs.select(*SCENARIO, is_contested(runs, "scenario_id").alias("contested"))
    scenarios = scenarios.unique(maintain_order=True).drop_nulls(["base_rtt_s", "buffer_bdp"])
    scenarios = scenarios.join(_steadiness(runs, run_metrics), on="scenario_id", how="left")
    return cells.join(scenarios, on="scenario_id").sort(
        "metric", "role", "ccas", "buffer_bdp", "base_rtt_s", "scenario_id"
    )


def _steadiness(runs: pl.DataFrame, run_metrics: pl.DataFrame | None) -> pl.DataFrame:
    """Return scenario_id, unsteady; no row where nothing tells."""
    if run_metrics is None:
        return pl.DataFrame(schema={"scenario_id": pl.String, "unsteady": pl.Boolean})
    known = run_metrics.select("run_id", unsteady=is_unsteady())
    return (
        runs.select("run_id", "scenario_id")
        .join(known, on="run_id")
        .group_by("scenario_id", maintain_order=True)
        .agg(unsteady=of_cell())
    )


def surfaces_of_parts(
    cells: Mapping[str, pl.DataFrame],
    runs: Mapping[str, pl.DataFrame],
    run_metrics: Mapping[str, pl.DataFrame] | None = None,
) -> pl.DataFrame:
    """Return the surfaces of several data sets, with the columns part and dataset_id.

    Args:
        cells, runs, run_metrics: the tables `cell`, `run` and `run_metric` by part.
    """
    tables = []
    for part, cell in cells.items():
        names = pl.lit(part).alias("part"), pl.lit(runs[part]["dataset_id"][0]).alias("dataset_id")
        steady = run_metrics[part] if run_metrics else None
        table = surface_table(cell, on_the_grid(runs[part]), steady)
        tables.append(table.select(*names, pl.all()))
    return pl.concat(tables)


def with_runs(surface: pl.DataFrame, runs: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return surfaces with the runs of each cell; of an NRU those of its weights as well.

    Args:
        surface: result of `surfaces_of_parts`.
        runs: the table `run` by part.

    Returns:
        With runs (`evidence.runs`): those of the scenario; of an NRU also the calibrations of its
        flows' variants in the same place.
    """
    place = ["part", "bottleneck_bps", "base_rtt_s", "buffer_bdp"]
    every = pl.concat(
        of.select(*SCENARIO, pl.lit(part).alias("part"), run=run_ref(part))
        for part, of in runs.items()
    )
    own = every.group_by("part", "scenario_id", maintain_order=True).agg(
        gathered().alias("runs_own")
    )
    cca = pl.col("ccas").str.split("-").list
    weights = (
        every.filter(pl.col("role") == "calibration", cca.get(0) == cca.get(1, null_on_oob=True))
        .with_columns(cca=cca.get(0))
        .group_by(*place, "cca", maintain_order=True)
        .agg(gathered().alias("runs"))
    )
    found = surface.join(own, on=["part", "scenario_id"], how="left", maintain_order="left")
    for flow in (1, 2):
        of_flow = weights.rename({"cca": f"cca{flow}", "runs": f"runs{flow}"})
        found = found.with_columns(cca.get(flow - 1, null_on_oob=True).alias(f"cca{flow}"))
        on = [*place, f"cca{flow}"]
        found = found.join(of_flow, on=on, how="left", maintain_order="left")
    nru = pl.col("metric")
    return found.with_columns(
        runs=pl.when(nru == "system_nru_db")
        .then(together("runs_own", "runs1", "runs2"))
        .when(nru == "flow_nru_db_flow1")
        .then(together("runs_own", "runs1"))
        .when(nru == "flow_nru_db_flow2")
        .then(together("runs_own", "runs2"))
        .otherwise("runs_own")
    ).drop("runs_own", "cca1", "cca2", "runs1", "runs2")


def surface_summary(surface: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Return min, mean, max and standard deviation of the cells' means over each surface.

    These are the four numbers in the captions of printed surfaces.

    Args:
        surface: result of `surface_table`, several concatenated.
        by: the columns that tell surfaces apart, besides metric, role and ccas.

    Returns:
        by, metric, role, ccas, min, mean, max, stddev (n-1, over cells), n_cells, n_runs and
        n_runs_max (the smallest and the largest number of repeats in a cell), n_uncontested (cells
        in which no run lost a packet) and n_unsteady (cells); they are in the four numbers; runs,
        where the surfaces have them.
    """
    keys = [*by, "metric", "role", "ccas"]
    value = pl.col("mean")
    return (
        surface.sort(*keys, "scenario_id")
        .group_by(keys, maintain_order=True)
        .agg(
            value.min().alias("min"),
            value.mean().alias("mean"),
            value.max().alias("max"),
            value.std().alias("stddev"),
            pl.len().cast(pl.Int64).alias("n_cells"),
            pl.col("n").min().alias("n_runs"),
            pl.col("n").max().alias("n_runs_max"),
            (~pl.col("contested")).sum().cast(pl.Int64).alias("n_uncontested"),
            pl.col("unsteady").sum().cast(pl.Int64).alias("n_unsteady"),
            *([entered("runs")] if "runs" in surface.columns else []),
        )
        .sort(keys)
    )


def run_values(
    run: pl.DataFrame, run_metric: pl.DataFrame, flow_metric: pl.DataFrame
) -> pl.DataFrame:
    """Return what a run of two flows measured, with its place on the grid.

    Returns:
        role, ccas, base_rtt_s, buffer_bdp, factors, repeat, run_id, jfi, utilisation,
        flow1_bps, flow2_bps, share2 (of flow 2 in the sum of both; null where nothing arrived).
    """
    flows = [
        flow_metric.filter(flow_id=flow).select(
            "run_id", pl.col("mean_throughput_bps").alias(f"flow{flow}_bps")
        )
        for flow in (1, 2)
    ]
    both = pl.col("flow1_bps") + pl.col("flow2_bps")
    return (
        on_the_grid(run)
        .select(*PLACE, "factors", "repeat", "run_id")
        .join(run_metric.select("run_id", "jfi", "utilisation"), on="run_id")
        .join(flows[0], on="run_id")
        .join(flows[1], on="run_id")
        .with_columns(
            pl.col("base_rtt_s", "buffer_bdp").round(6),
            pl.when(both > 0).then(pl.col("flow2_bps") / both).alias("share2"),
        )
        .sort(*PLACE, "factors", "repeat", "run_id")
    )
