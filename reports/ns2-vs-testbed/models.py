"""Why do ns-2 and the testbed differ? Models set beside printed surfaces.

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
from evenflow.evidence.runs import LIST, gathered, once, run_ref
from evenflow.papers import paper
from evenflow.statistics.surfaces import PLACE, on_the_grid, surface_table

from .._grid.printed import printed_surfaces
from .design import PLATFORMS

# the buffers of the printed surfaces, BDP; on the testbed all of the grid (III-D)
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
    Model("right", "right names", "ns2", "simulation"),
    Model(
        "flow2_unknown",
        "flow 2's name unknown",
        "ns2",
        "fallback",
        _all("newreno-ns2reno", *_OTHERS),
    ),
    Model(
        "both_unknown",
        "both names unknown",
        "ns2",
        "fallback",
        _all("ns2reno-ns2reno", "newreno", *_OTHERS),
    ),
    Model(
        "flow1_unknown",
        "flow 1's name unknown",
        "ns2",
        "fallback",
        _all("ns2reno-compound", "compound"),
    ),
    Model("window20", "20-packet window", "ns2", "window", factors={_WINDOW: "20"}),
    Model("window2172", "2172-packet window", "ns2", "window", factors={_WINDOW: "2172"}),
    Model("router", "own queue", "testbed", "testbed"),
    Model("netem_limit", "shared limit", "testbed", "testbed_alternative"),
)


# platform -> name of its reference
REFERENCE = {model.platform: model.name for model in reversed(MODELS)}


def model_order(names: list[str]) -> list[str]:
    """Return names of models in the order of MODELS."""
    known = [model.name for model in MODELS]
    return sorted(names, key=known.index)


def model_cells(model: Model, cell: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return the cells of a model, by the names of the printed pairings.

    Args:
        model: of MODELS.
        cell, run: tables of its data set.

    Returns:
        metric, role, ccas (as printed), base_rtt_s, buffer_bdp, mean, n, runs. Only buffers that
        the printed surfaces have.
    """
    runs = on_the_grid(run)
    for key, value in model.factors.items():
        runs = runs.filter(factor(key) == value)
    of = runs.group_by("scenario_id", maintain_order=True).agg(
        gathered(run_ref(model.part)).alias("runs")
    )
    cells = surface_table(cell, runs).join(of, on="scenario_id", how="left", maintain_order="left")
    cells = cells.select("metric", *PLACE, "mean", "n", "runs")
    if model.stands_for is not None:
        names = [{"printed": a, "ccas": b} for a, b in model.stands_for.items()]
        cells = cells.join(pl.DataFrame(names), on="ccas").drop("ccas")
        cells = cells.rename({"printed": "ccas"}).select("metric", *PLACE, "mean", "n", "runs")
    cells = cells.with_columns(pl.col("base_rtt_s", "buffer_bdp").round(6))
    buffers = PRINTED_BUFFERS.get(model.platform)
    return cells if buffers is None else cells.filter(pl.col("buffer_bdp").is_in(buffers))


def factor(name: str) -> pl.Expr:
    """Return a free factor of the table `run` as text; null where a run has none of that name."""

    def read(text: str) -> str | None:
        value = json.loads(text or "{}").get(name)
        return None if value is None else str(value)

    return pl.col("factors").map_elements(read, return_dtype=pl.String)


def distance_table(
    published: pl.DataFrame, models: Sequence[tuple[Model, pl.DataFrame]]
) -> pl.DataFrame:
    """Set every printed number beside each model, and beside the reference on the same cells.

    Args:
        published: result of `printed.printed_surfaces`.
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
                reference.select(*PLACE, reference="mean", runs_reference="runs"), on=PLACE
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
                        "runs": once(both["runs"].explode().drop_nulls()),
                        "runs_reference": once(both["runs_reference"].explode().drop_nulls()),
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
    **dict.fromkeys(("runs", "runs_reference"), LIST),
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


@paper.metric(runs=True)
def distance(
    published,
    companion,
    cell,
    run,
    fallback_cell,
    fallback_run,
    window_cell,
    window_run,
    paper_name,
) -> pl.DataFrame:
    tables = {part: (cell[part], run[part]) for part in cell}
    tables |= {"fallback": (fallback_cell, fallback_run), "window": (window_cell, window_run)}
    models = [(model, model_cells(model, *tables[model.part])) for model in MODELS]
    platforms = sorted(set(PLATFORMS.values()))
    distances = [
        distance_table(printed_surfaces(table, platforms, f"reports/{paper_name}/{name}"), models)
        for name, table in (("published.csv", published), ("companion.csv", companion))
    ]
    return pl.concat(distances)
