"""Two data sets beside each other: Jain's index in the cells of RTT and buffer that both have.

In the tables `simulation` is the data set that is compared and `testbed` the one that it is
compared with: words of the definition of D, whatever the two are.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from .repeats import DIFFERENCE, difference_surface
from .surfaces import CELL, SURFACE, index_on_the_grid

CASE = ["parameter", "value"]
OF_WINDOW = ["warmup_s", "warmup_mser5"]  # parameters of `sensitivity` that move the steady state
MOVED = ["d", "significant_printed", "verdict"]
SIDES = ("of", "against")


def cell_match(of: pl.DataFrame, against: pl.DataFrame) -> pl.DataFrame:
    """Return which cells the data sets have, and which can be compared.

    A cell that holds several scenarios cannot: they differ in what the grid has not, and are no
    repeats of each other. Nor can one in which no run of a side has a value.

    Args:
        of, against: results of `index_on_the_grid`.

    Returns:
        SURFACE, CELL, of_n, of_known, of_scenarios, against_n, against_known, against_scenarios
        (runs, those with a value, and scenarios; 0 where there are none), compared; sorted.
    """
    place = [*SURFACE, *CELL]
    counted = [
        index.group_by(place, maintain_order=True).agg(
            pl.len().cast(pl.Int64).alias(f"{side}_n"),
            pl.col("value").count().cast(pl.Int64).alias(f"{side}_known"),
            pl.col("scenario_id").n_unique().cast(pl.Int64).alias(f"{side}_scenarios"),
        )
        for side, index in zip(SIDES, (of, against), strict=True)
    ]
    counts = [f"{side}_{name}" for side in SIDES for name in ("n", "known", "scenarios")]
    single = [pl.col(f"{side}_scenarios") == 1 for side in SIDES]
    known = [pl.col(f"{side}_known") > 0 for side in SIDES]
    return (
        counted[0]
        .join(counted[1], on=place, how="full", coalesce=True)
        .with_columns(pl.col(counts).fill_null(0))
        .select(*place, *counts, pl.all_horizontal(*single, *known).alias("compared"))
        .sort(*place, *counts)
    )


def index_difference(
    of: Mapping[str, pl.DataFrame], against: Mapping[str, pl.DataFrame], settings: Mapping
) -> pl.DataFrame:
    """Return the difference surfaces of Jain's index; no row where no cell can be compared.

    The column contested is false where a cell is uncontested on either side: where no run lost a
    packet at the bottleneck (`surfaces.is_contested`).

    Args:
        of, against: tables run and run_metric of the data sets.
        settings: margin, confidence and fdr of `repeats.difference_surface`.
    """
    indices = [index_on_the_grid(side["run"], side["run_metric"]) for side in (of, against)]
    return _difference(indices, settings)


def verdict_sensitivity(
    of: Mapping[str, pl.DataFrame], against: Mapping[str, pl.DataFrame], settings: Mapping
) -> pl.DataFrame:
    """Compare the data sets under other starts of the steady state.

    Args:
        of, against: tables run and sensitivity of the data sets.
        settings: as `index_difference` takes them.

    Returns:
        parameter, value (as in `sensitivity`), SURFACE, CELL, MOVED; one row a start that both have
        and cell.
    """
    starts = [
        side["sensitivity"]
        .filter(pl.col("parameter").is_in(OF_WINDOW))
        .partition_by(CASE, as_dict=True)
        for side in (of, against)
    ]
    schema: dict[str, type[pl.DataType]] = dict.fromkeys((*CASE, *SURFACE), pl.String)
    schema |= {**dict.fromkeys(CELL, pl.Float64), "d": DIFFERENCE["d"]}
    schema |= {"significant_printed": pl.Boolean, "verdict": pl.String}
    tables = [pl.DataFrame(schema=schema)]
    for case in sorted(starts[0].keys() & starts[1].keys(), key=str):
        indices = [
            index_on_the_grid(side["run"], start[case])
            for side, start in zip((of, against), starts, strict=True)
        ]
        named = [
            pl.lit(value, dtype=pl.String).alias(name)
            for name, value in zip(CASE, case, strict=True)
        ]
        tables.append(_difference(indices, settings).select(*named, *SURFACE, *CELL, *MOVED))
    return pl.concat(tables)


def _difference(indices: list[pl.DataFrame], settings: Mapping) -> pl.DataFrame:
    place = [*SURFACE, *CELL]
    alike = cell_match(*indices).filter("compared")
    sides = [index.join(alike, on=place, how="semi") for index in indices]
    table = difference_surface(*sides, surface=SURFACE, cell=CELL, **settings)
    contested = pl.concat(sides).group_by(place, maintain_order=True).agg(pl.col("contested").all())
    return table.join(contested, on=place, how="left", maintain_order="left")
