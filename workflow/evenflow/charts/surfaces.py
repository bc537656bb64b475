"""Surfaces of a paper's data sets: heat maps over RTT and buffer, a panel a pairing.

The papers draw 3-D meshes. Here every cell has its value printed (`cells`). The colours follow the
data of the figure. A pairing that was run and has no value anywhere (no calibration, no NRU) has an
empty panel. Uncontested cells, in which no run lost a packet at the bottleneck, are hatched: there
is nothing to be fair about, and the means over cells that a panel names are without them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from ..congestion_controls import in_order, pairing_name, variant_name
from ..markdown import NO_BREAK_SPACE as NBSP
from .base import coverage, on_grid
from .cells import (
    BUFFER,
    RTT,
    Grid,
    cell_figure,
    cell_panel,
    cell_title,
    drawn_cells,
    grid_of,
    key_of,
)
from .colours import JFI_OF_TWO, one_sided, two_sided
from .describe import name_and_unit
from .panels import filled

MOST_NAMED = 4  # panels whose means a title names


class Style(NamedTuple):
    """How the surfaces of a metric are drawn: dB, which have two sides of zero, or another unit.

    role: of the runs. unit: of print, in SI units. label_format: of a value, as Python has it.
    """

    metric: str
    role: str
    unit: float
    legend: str
    label_format: str

    @property
    def middle(self) -> float | None:
        """Where nothing differs: 0 dB."""
        return 0.0 if self.unit == 1 else None

    @property
    def unit_name(self) -> str:
        """Return the unit of print."""
        return name_and_unit(self.legend)[1]


class Extreme(NamedTuple):
    """The cell of a panel that stands out: its value, and the mean over the contested cells."""

    value: float
    mean: float
    where: str


def surface_chart(surface: pl.DataFrame, part: str, style: Style, message: str = "") -> dict:
    """Return the surfaces of a metric on the data set of one part.

    Args:
        surface: of all parts, with the column part.
        message: what the figure shows; without one, which means are lowest and highest.
    """
    cells = on_grid(surface).filter((pl.col("role") == style.role) & (pl.col("part") == part))
    table = cells.filter(pl.col("metric") == style.metric)
    printed_units = pl.col("mean", "ci_low", "ci_high") / style.unit
    table = table.with_columns(printed_units).with_columns(value="mean")
    scale = one_sided if style.middle is None else two_sided
    colours = scale(table["value"])
    table = drawn_cells(table, "value", colours, style.label_format)
    grid = grid_of(cells)
    panel = cell_panel("value", grid, colours, legend=style.legend)
    charts, found = [], {}
    counted = {ccas: table.filter(pl.col("ccas") == ccas) for ccas in set(cells["ccas"])}
    all_alike, of_each = coverage_of_panels([of_pair["n"] for of_pair in counted.values()])
    for ccas in in_order(list(counted)):
        of_pair, name = counted[ccas], pairing_title(ccas, style.role)
        one = found[name] = extreme(of_pair, grid, style.middle)
        said = [of_each(of_pair["n"]), extreme_words(one, style.label_format, style.middle)]
        charts.append(filled(panel, of_pair, cell_title(name, grid, *said)))
    message = message or message_of(style.legend, found, style.label_format)
    key = [all_alike, *key_of(table, colours, style.unit_name)]
    return cell_figure(charts, grid, message=message, key=key)


def coverage_of_panels(n: Sequence[pl.Series]) -> tuple[str, Callable[[pl.Series], str]]:
    """Return a sentence on the cells of all panels where they have as many, and what to say of one.

    Args:
        n: of each panel the runs behind its cells.
    """
    said = {coverage(of_panel) for of_panel in n}
    if len(n) > 1 and len(said) == 1:
        return f"Each panel: {said.pop()}.", lambda _: ""
    return "", coverage


def pairing_title(ccas: str, role: str) -> str:
    """Return the heading of a panel; of a calibration both flows are of one variant."""
    same = variant_name(ccas.split("-")[0])
    return f"{same}, both flows" if role == "calibration" else pairing_name(ccas)


def extreme(cells: pl.DataFrame, grid: Grid, middle: float | None = None) -> Extreme | None:
    """Return the contested cell that is lowest, or farthest from the middle.

    Args:
        cells: of a panel, with the columns value and contested.
        middle: 0 of dB and differences; 1 of ratios, whose mean is geometric.
    """
    known = cells.drop_nulls("value")
    if known["contested"].any():
        known = known.filter("contested")
    if middle:
        known = known.filter(pl.col("value") > 0)
    if known.is_empty():
        return None
    values = (known["value"] / middle).log() if middle else known["value"]
    row = known.row((values if middle is None else -values.abs()).arg_min(), named=True)
    mean = middle * math.exp(values.mean()) if middle else values.mean()
    return Extreme(row["value"], mean, place(row, grid))


def place(row: dict, grid: Grid) -> str:
    """Return where a cell is: '100 ms and 60 %', or its levels with their names."""
    named = []
    for axis in sorted((grid.across, grid.down), key=lambda axis: axis.field != RTT[0]):
        name, unit = name_and_unit(axis.title)
        value = f"{row[axis.field]:g}{NBSP}{unit.split(' ')[0]}".rstrip(NBSP)
        named.append(value if axis.field in (RTT[0], BUFFER[0]) else f"{name} {value}")
    return " and ".join(named)


def extreme_words(found: Extreme | None, number_format: str, middle: float | None = None) -> str:
    """Return the line below a panel's name: 'mean 0.78, min 0.54 at 100 ms, 40 %'."""
    if found is None:
        return ""
    mean, value = (printed(v, number_format) for v in (found.mean, found.value))
    where = found.where.replace(" and ", ", ")
    most = "min" if middle is None or found.value < middle else "max"
    return f"mean {mean}, {most} {value} at {where}"


def printed(value: float, number_format: str) -> str:
    """Return a value with the minus of print; zero has no sign."""
    text = format(value, number_format)
    return (text if re.search("[1-9]", text) else text.lstrip("+-")).replace("-", "−")


def message_of(legend: str, found: Mapping[str, Extreme | None], number_format: str) -> str:
    """Return the mean over the contested cells of each panel; of many panels their range.

    Single cells, many of which are of one run, are below the panels' names.

    Args:
        legend: name of the values, with their unit in brackets.
        found: of each panel, by name.
    """
    known = [(one.mean, title) for title, one in found.items() if one]
    if not known:
        return f"No value of {legend}"
    name, unit = name_and_unit(legend)
    name = name if name.startswith("Jain") else name[:1].lower() + name[1:]
    said = [(f"{printed(mean, number_format)} {unit}".strip(), title) for mean, title in known]
    if len(known) == 1:
        return f"The mean {name} is {said[0][0]}"
    if len(known) > MOST_NAMED:
        first, last = (f"{printed(end(known)[0], number_format)}" for end in (min, max))
        return f"The mean {name} of a panel is {first} to {f'{last} {unit}'.strip()}"
    return f"Mean {name}: {', '.join(f'{title} {mean}' for mean, title in said)}"


def jfi_surface_chart(surface: pl.DataFrame, parts: Sequence[str], message: str = "") -> dict:
    """Return Jain's index over RTT and buffer: a row a data set, a panel a pairing.

    A data set that lacks a pairing has an empty panel there.

    Args:
        surface: of all parts, with the columns part and dataset_id.
        parts: in the order of the rows.
        message: as `surface_chart` takes it.
    """
    table = on_grid(surface).filter((pl.col("metric") == "jfi") & (pl.col("role") == "comparison"))
    table = table.filter(pl.col("part").is_in(list(parts))).with_columns(value=pl.col("mean"))
    table = drawn_cells(table, "value", JFI_OF_TWO, ".2f")
    pairings = in_order(table["ccas"].unique(maintain_order=True).to_list())
    grid = grid_of(table)
    panel = cell_panel("value", grid, JFI_OF_TWO, legend="JFI")
    panels, found = [], {}
    counted = [of["n"] for of in table.partition_by("part", "ccas")]
    all_alike, of_each = coverage_of_panels(counted)
    for part in (part for part in parts if part in table["part"].to_list()):
        of_part = table.filter(pl.col("part") == part)
        dataset = of_part["dataset_id"][0]
        for ccas in pairings:
            cells = of_part.filter(pl.col("ccas") == ccas)
            name = pairing_name(ccas)
            one = found[f"{name} in {dataset}"] = extreme(cells, grid)
            said = [dataset, of_each(cells["n"]), extreme_words(one, ".2f")]
            panels.append(filled(panel, cells, cell_title(name, grid, *said)))
    return cell_figure(
        panels,
        grid,
        len(pairings),
        message=message or message_of("Jain's index", found, ".2f"),
        key=[all_alike, *key_of(table, JFI_OF_TWO)],
    )
