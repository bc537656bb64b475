"""What else differs between two data sets that are compared: the settings that are on no grid."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ..markdown import first_of
from ..metrics.fairness import compared
from ..statistics.factors import free_factors
from ..statistics.surfaces import CELL, SURFACE, runs_in_cells

PLACE = [*SURFACE, *CELL]
WORDS = {
    "platform": "Platform",
    "tool": "Tool",
    "aqm": "Queue",
    "mss_bytes": "Segment size (bytes)",
    "side": "Samples of",
    "n_cross_traffic": "Flows of cross traffic",
}
SECONDS = {"warmup_s": "Start of the steady state (s)", "end_s": "End of the steady state (s)"}
NAMES = [*WORDS.values(), *SECONDS.values()]
SLIGHT, SLIGHT_S = 0.05, 0.5  # times up to this share, or so many seconds, apart are alike
LISTED = 4  # values of a setting
UNKNOWN = "not known"


class Unlike(NamedTuple):
    """A setting that differs or is known of one side: its values there, and in how many cells."""

    setting: str
    of: str
    against: str
    n_cells: int

    @property
    def is_known(self) -> bool:
        """Whether it is known of both sides, so that it differs for certain."""
        return UNKNOWN not in (self.of, self.against)


def unlike_settings(
    sides: list[tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]], match: pl.DataFrame
) -> tuple[list[Unlike], list[str]]:
    """Return the settings that differ in cells that are compared, and those known on no side.

    Args:
        sides: of either data set the tables run, flow and window.
        match: result of `comparison.cell_match`.
    """
    cells = match.filter("compared").select(PLACE)
    words, seconds = (
        [make(*side).join(cells, on=PLACE, how="semi") for side in sides]
        for make in (_words, _seconds)
    )
    key = [*PLACE, "setting"]
    text = _value(words[0]).join(_value(words[1]), on=key, how="full", coalesce=True, suffix="_t")
    text = text.filter(pl.col("value").ne_missing(pl.col("value_t")))
    means = [
        of.group_by(key, maintain_order=True).agg(pl.col("value").mean()).drop_nulls("value")
        for of in seconds
    ]
    times = means[0].join(means[1], on=key, suffix="_t").filter(_apart())
    times = times.with_columns(
        pl.col("value", "value_t").round(1).map_elements("{:g}".format, pl.String)
    )
    found = []
    for (setting,), rows in pl.concat([text, times.select(text.columns)]).group_by(
        "setting", maintain_order=True
    ):
        found.append(
            Unlike(str(setting), _listed(rows["value"]), _listed(rows["value_t"]), len(rows))
        )
    known = {name for of in words for name in of.drop_nulls("value")["setting"]}
    found = sorted(found, key=lambda one: [*NAMES, one.setting].index(one.setting))
    return found, [name for name in WORDS.values() if name not in known]


def _words(run: pl.DataFrame, flow: pl.DataFrame, window: pl.DataFrame) -> pl.DataFrame:
    """Return PLACE, setting and value, as text: of every run, or of each of its flows."""
    factors = [
        {"run_id": run_id, "setting": name, "value": str(value)}
        for run_id, of_run in zip(run["run_id"], free_factors(run), strict=True)
        for name, value in of_run.items()
    ]
    of_factors = pl.DataFrame(
        factors, schema=dict.fromkeys(("run_id", "setting", "value"), pl.String)
    )
    of_runs, of_flows = (
        table.select(
            "run_id", pl.col(name for name in WORDS if name in table.columns).cast(pl.String)
        )
        .rename(WORDS, strict=False)
        .unpivot(index="run_id", variable_name="setting")
        for table in (run, compared(flow))
    )
    return runs_in_cells(run).join(pl.concat([of_runs, of_flows, of_factors]), on="run_id")


def _seconds(run: pl.DataFrame, flow: pl.DataFrame, window: pl.DataFrame) -> pl.DataFrame:
    """Return PLACE, setting and value, seconds, of every run."""
    times = window.select("run_id", *SECONDS).rename(SECONDS)
    return runs_in_cells(run).join(
        times.unpivot(index="run_id", variable_name="setting"), on="run_id"
    )


def _value(words: pl.DataFrame) -> pl.DataFrame:
    """Return the value of each setting in each cell, all values where there are several."""
    known = words.group_by(*PLACE, "setting", maintain_order=True).agg(
        pl.col("value").drop_nulls().unique().sort()
    )
    some = pl.col("value").list.len() > 0
    return known.with_columns(pl.when(some).then(pl.col("value").list.join(", ")))


def _apart() -> pl.Expr:
    one, other = pl.col("value"), pl.col("value_t")
    return (one - other).abs() > pl.max_horizontal(SLIGHT * one, SLIGHT * other, pl.lit(SLIGHT_S))


def _listed(values: pl.Series) -> str:
    """Return the values of a setting in words, in their order."""
    every = values.fill_null(UNKNOWN).unique(maintain_order=True).to_list()
    return first_of(every, LISTED, "; ")
