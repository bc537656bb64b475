"""Why do ns-2 and the testbed differ? Models set beside printed surfaces, and one-factor changes.

A model is a data set, or a part of one, that stands for a way in which the originals could have
come by their numbers. It is measured by its distance to the printed min, mean, max and standard
deviation of a surface, and always beside its platform's reference on the same cells: a surface of
fewer cells has a narrower range whatever the model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl
import scipy  # loads scipy.special when it is first used

from .congestion_controls import in_order
from .statistics.surfaces import on_the_grid, surface_table

STATISTICS = ("min", "mean", "max", "stddev")
CELL = ["role", "ccas", "base_rtt_s", "buffer_bdp"]
# the buffers of the printed surfaces, BDP; on the testbed all of the grid (ns2-vs-testbed, III-D)
PRINTED_BUFFERS = {"ns2": [0.2, 0.4, 0.6, 1.0]}


@dataclass(frozen=True)
class Model:
    """A way in which the originals could have come by their surfaces.

    Attributes:
        key: name of its variables.
        name: in print.
        platform: of the printed surfaces that it stands for, `ns2` or `testbed`.
        part: role of its data set.
        stands_for: pairing as printed -> pairing of the data set; None: of the same name.
        factors: values of free factors that its runs have.
    """

    key: str
    name: str
    platform: str
    part: str
    stands_for: dict[str, str] | None = None
    factors: dict[str, str] = field(default_factory=dict)


def _all(ccas: str, *flow2: str) -> dict[str, str]:
    return {f"newreno-{cca}": ccas for cca in flow2}


# The first of a platform is its reference. A flow whose name ns-2 does not know runs its own Reno,
# whatever the name: such runs stand for every pairing.
_OTHERS = ("bic", "cubic", "compound")
_WINDOW = "window_limit_packets"
MODELS = (
    Model("right", "names right", "ns2", "simulation"),
    Model("flow2_unknown", "flow 2 unknown", "ns2", "fallback", _all("newreno-ns2reno", *_OTHERS)),
    Model(
        "both_unknown",
        "both unknown",
        "ns2",
        "fallback",
        _all("ns2reno-ns2reno", "newreno", *_OTHERS),
    ),
    Model(
        "flow1_unknown",
        "flow 1 unknown",
        "ns2",
        "fallback",
        _all("ns2reno-compound", "compound"),
    ),
    Model("window20", "window 20 packets", "ns2", "window", factors={_WINDOW: "20"}),
    Model("window2172", "window 2172 packets", "ns2", "window", factors={_WINDOW: "2172"}),
    Model("router", "router", "testbed", "testbed"),
    Model("netem_limit", "netem-limit", "testbed", "testbed_alternative"),
)


def model_cells(model: Model, cell: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return the cells of a model, by the names of the printed pairings.

    Args:
        model: of MODELS.
        cell, run: tables of its data set.

    Returns:
        metric, role, ccas (as printed), base_rtt_s, buffer_bdp, mean, n. Only buffers that the
        printed surfaces have.
    """
    runs = on_the_grid(run)
    for key, value in model.factors.items():
        runs = runs.filter(factor(key) == value)
    cells = surface_table(cell, runs).select("metric", *CELL, "mean", "n")
    if model.stands_for is not None:
        names = [{"printed": a, "ccas": b} for a, b in model.stands_for.items()]
        cells = cells.join(pl.DataFrame(names), on="ccas").drop("ccas")
        cells = cells.rename({"printed": "ccas"}).select("metric", *CELL, "mean", "n")
    cells = cells.with_columns(pl.col("base_rtt_s", "buffer_bdp").round(6))
    buffers = PRINTED_BUFFERS.get(model.platform)
    return cells if buffers is None else cells.filter(pl.col("buffer_bdp").is_in(buffers))


def factor(name: str) -> pl.Expr:
    """Return a free factor of the table `run` as text; null where a run has none of that name."""

    def read(text: str) -> str | None:
        value = json.loads(text or "{}").get(name)
        return None if value is None else str(value)

    return pl.col("factors").map_elements(read, return_dtype=pl.String)


def distance_table(published: pl.DataFrame, models: Sequence[tuple[Model, pl.DataFrame]]):
    """Set every printed number beside each model, and beside the reference on the same cells.

    Args:
        published: result of `published.read_published`.
        models: (model, its cells), the reference of each platform among them.

    Returns:
        A row a printed number and model that has a cell of its surface: paper, item, platform,
        role, ccas, metric, unit, statistic, printed, model, n_cells (that model and reference
        share), n_runs, n_runs_max (of the model in a cell), measured, reference (the same statistic
        of the reference on these cells), distance and reference_distance (both |. - printed|, in
        the printed unit).
    """
    rows = []
    references = {}
    for model, cells in models:
        references.setdefault(model.platform, cells)
    surfaces = published.unique(["paper", "item"], keep="first", maintain_order=True)
    printed_on = surfaces.filter(pl.col("platform").is_in(list(references)))
    for surface in printed_on.rows(named=True):
        of_surface = [pl.col(key) == surface[key] for key in ("metric", "role", "ccas")]
        reference = references[surface["platform"]].filter(of_surface)
        printed = published.filter(paper=surface["paper"], item=surface["item"])
        for model, cells in models:
            if model.platform != surface["platform"]:
                continue
            both = cells.filter(of_surface).join(
                reference.select(*CELL, pl.col("mean").alias("reference")), on=CELL
            )
            if both.is_empty():
                continue
            unit = surface["unit_si"]
            mine = surface_statistics(both["mean"] / unit)
            beside = surface_statistics(both["reference"] / unit)
            for statistic, value in printed.select("statistic", "value").rows():
                rows.append(
                    {key: surface[key] for key in IDENTITY}
                    | {
                        "statistic": statistic,
                        "printed": value,
                        "model": model.name,
                        "n_cells": len(both),
                        "n_runs": both["n"].min(),
                        "n_runs_max": both["n"].max(),
                        "measured": mine[statistic],
                        "reference": beside[statistic],
                    }
                )
    table = pl.DataFrame(rows, schema=DISTANCE)
    return table.with_columns(
        (pl.col("measured") - pl.col("printed")).abs().alias("distance"),
        (pl.col("reference") - pl.col("printed")).abs().alias("reference_distance"),
    )


IDENTITY = ["paper", "item", "platform", "role", "ccas", "metric", "unit"]
DISTANCE = dict.fromkeys(IDENTITY, pl.String) | {
    "statistic": pl.String,
    "printed": pl.Float64,
    "model": pl.String,
    **dict.fromkeys(("n_cells", "n_runs", "n_runs_max"), pl.Int64),
    **dict.fromkeys(("measured", "reference"), pl.Float64),
}


def surface_statistics(values: pl.Series) -> dict[str, float | None]:
    """Return min, mean, max and standard deviation (n - 1, null of one cell) over cells."""
    return {
        "min": values.min(),
        "mean": values.mean(),
        "max": values.max(),
        "stddev": values.std(),
    }


def distance_summary(distance: pl.DataFrame) -> pl.DataFrame:
    """Return the mean distance of each model over the printed numbers of a quantity.

    Returns:
        platform, metric, unit, model, n_surfaces, n_numbers, n_cells_min, n_cells_max, distance,
        reference_distance, n_nearer (numbers to which the model is nearer than the reference by
        more than half of the last printed digit), n_farther (the other way round).
    """
    # printed with one or two digits: smaller differences of distance say nothing
    half = pl.when(pl.col("unit") == "1").then(0.005).otherwise(0.05)
    gain = pl.col("reference_distance") - pl.col("distance")
    keys = ["platform", "metric", "unit", "model"]
    return (
        distance.drop_nulls(["distance", "reference_distance"])
        .group_by(keys, maintain_order=True)
        .agg(
            pl.struct("paper", "item").n_unique().cast(pl.Int64).alias("n_surfaces"),
            pl.len().cast(pl.Int64).alias("n_numbers"),
            pl.col("n_cells").min().alias("n_cells_min"),
            pl.col("n_cells").max().alias("n_cells_max"),
            pl.col("distance").mean(),
            pl.col("reference_distance").mean(),
            (gain > half).sum().cast(pl.Int64).alias("n_nearer"),
            (gain < -half).sum().cast(pl.Int64).alias("n_farther"),
        )
    )


def run_values(run: pl.DataFrame, run_metric: pl.DataFrame, flow_metric: pl.DataFrame):
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
        .select(*CELL, "factors", "repeat", "run_id")
        .join(run_metric.select("run_id", "jfi", "utilisation"), on="run_id")
        .join(flows[0], on="run_id")
        .join(flows[1], on="run_id")
        .with_columns(
            pl.col("base_rtt_s", "buffer_bdp").round(6),
            pl.when(both > 0).then(pl.col("flow2_bps") / both).alias("share2"),
        )
        .sort(*CELL, "factors", "repeat", "run_id")
    )


def change_table(base: pl.DataFrame, changed: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Set cells with one thing changed beside the same cells of the base.

    Args:
        base: result of `run_values`.
        changed: the same with the column what: the thing that was changed.
        confidence: of the prediction interval, e.g. 0.95.

    Returns:
        A row a cell that both have: what, role, ccas, base_rtt_s, buffer_bdp, base_jfi, base_n,
        expected_low and expected_high (where a further run of the base would lie with that
        confidence: Student's t prediction interval over its repeats, ended where the index of two
        flows does; null of one repeat, or of repeats that are all the same), jfi, n, difference,
        outside (of that interval; null where there is none), base_utilisation, utilisation.
    """
    value = pl.col("jfi")
    before = base.group_by(CELL, maintain_order=True).agg(
        value.mean().alias("base_jfi"),
        value.count().cast(pl.Int64).alias("base_n"),
        value.std().alias("sd"),
        pl.col("utilisation").mean().alias("base_utilisation"),
    )
    after = changed.group_by("what", *CELL, maintain_order=True).agg(
        value.mean(), value.count().cast(pl.Int64).alias("n"), pl.col("utilisation").mean()
    )
    rows = after.join(before, on=CELL, maintain_order="left")
    reach = [
        None if n < 2 or not sd else prediction_reach(sd, n, m, confidence)
        for sd, n, m in rows.select("sd", "base_n", "n").rows()
    ]
    rows = rows.with_columns(pl.Series("reach", reach, dtype=pl.Float64))
    return rows.select(
        "what",
        *CELL,
        "base_jfi",
        "base_n",
        (pl.col("base_jfi") - pl.col("reach")).clip(0.5).alias("expected_low"),
        (pl.col("base_jfi") + pl.col("reach")).clip(upper_bound=1.0).alias("expected_high"),
        "jfi",
        "n",
        (value - pl.col("base_jfi")).alias("difference"),
        ((value - pl.col("base_jfi")).abs() > pl.col("reach")).alias("outside"),
        "base_utilisation",
        "utilisation",
    ).sort("what", *CELL)


def prediction_reach(sd: float, n: int, m: int, confidence: float) -> float:
    """Return how far the mean of m further runs lies from that of n at most, with `confidence`.

    Student's t prediction interval, t(n - 1) sd sqrt(1/n + 1/m).
    """
    return float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2)) * sd * (1 / n + 1 / m) ** 0.5


def share_table(runs: pl.DataFrame) -> pl.DataFrame:
    """Return how two flows share, per cell: means over repeats and the range of flow 2's share.

    Args:
        runs: result of `run_values`.

    Returns:
        role, ccas, base_rtt_s, buffer_bdp, n, flow1_bps, flow2_bps, share2, share2_low,
        share2_high (over repeats), jfi, utilisation.
    """
    means = ("flow1_bps", "flow2_bps", "share2", "jfi", "utilisation")
    return (
        runs.group_by(CELL, maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("n"),
            *(pl.col(name).mean() for name in means),
            pl.col("share2").min().alias("share2_low"),
            pl.col("share2").max().alias("share2_high"),
        )
        .sort(CELL)
    )


def flow_order(shares: pl.DataFrame) -> pl.DataFrame:
    """Set cells of a pairing beside those of the same two with flow 1 and flow 2 exchanged.

    Args:
        shares: result of `share_table`; both orders, each cell once.

    Returns:
        A row a cell that has both orders: first, second (the two congestion controls, in the order
        of the theme), base_rtt_s, buffer_bdp, share_as_flow1 and
        share_as_flow2 (of the second), jfi_as_flow1, jfi_as_flow2 (with the second as that flow),
        n_as_flow1, n_as_flow2. Pairings of one congestion control have no other order.
    """
    flows = shares.with_columns(
        pl.col("ccas").str.split("-").list.get(0).alias("first"),
        pl.col("ccas").str.split("-").list.get(1).alias("second"),
    )
    cell = ["first", "second", "base_rtt_s", "buffer_bdp"]
    places = {cca: place for place, cca in enumerate(in_order(flows["first"].unique().to_list()))}
    place = {name: pl.col(name).replace_strict(places, default=-1) for name in ("first", "second")}
    there = flows.filter(place["first"] < place["second"]).select(
        *cell,
        pl.col("share2").alias("share_as_flow2"),
        pl.col("jfi").alias("jfi_as_flow2"),
        pl.col("n").alias("n_as_flow2"),
    )
    back = flows.select(
        pl.col("second").alias("first"),
        pl.col("first").alias("second"),
        "base_rtt_s",
        "buffer_bdp",
        (1 - pl.col("share2")).alias("share_as_flow1"),
        pl.col("jfi").alias("jfi_as_flow1"),
        pl.col("n").alias("n_as_flow1"),
    )
    return there.join(back, on=cell).sort(cell)
