"""Names, units and digits of metrics in papers, from the registry of metrics alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from ..evidence.cells import Rows
from ..markdown import number
from ..metrics.catalogue import METRICS
from ..metrics.registry import OF_FLOWS, is_ratio
from .tables import What, number_of, value_of

OF_A_FLOW = re.compile(r"(?P<name>\w+)_flow(?P<flow>\d+)")  # as the table `cell` names it
WITH_UNIT = re.compile(r"(?P<name>.+) \((?P<unit>[^()]+)\)")


@dataclass(frozen=True)
class InPrint:
    """How papers print a metric: its name and unit ('' of a number without one).

    A value in print is that of the table divided by `factor`; digits: after the point.
    drawn: format of values in charts, as Python and d3 have it.
    """

    name: str
    unit: str
    factor: float
    digits: int
    drawn: str

    @property
    def heading(self) -> str:
        """Return name and unit: 'Throughput of flow 2 (Mb/s)'."""
        return f"{self.name} ({self.unit})" if self.unit else self.name


def in_print(metric: str) -> InPrint:
    """Return how papers print a metric of the tables run_metric, flow_metric and cell.

    Raises:
        KeyError: the registry has no such metric.
    """
    found = OF_A_FLOW.fullmatch(metric)
    known = (METRICS | OF_FLOWS)[found["name"] if found else metric]
    said = WITH_UNIT.fullmatch(known.label)
    name, unit = (said["name"], said["unit"]) if said else (known.label, "")
    name = f"{name} of flow {found['flow']}" if found else name
    return InPrint(name, unit, known.factor, known.paper_digits, known.format)


def heading_of(metric: str) -> str:
    """Return a metric's name and unit: 'Throughput of flow 2 (Mb/s)'."""
    return in_print(metric).heading


def measured(what: What, metric: str = "metric", more: int = 0) -> Callable[[Rows], str]:
    """Return what stands in a cell (`tables.printed`): a value as papers print its metric.

    Args:
        what: column or expression of the value.
        metric: column that has the metric's name.
        more: digits beyond those of the metric.
    """

    def cell(rows: Rows) -> str:
        value, of = number_of(rows, what), in_print(str(value_of(rows, metric)))
        return number(None if value is None else value / of.factor, of.digits + more)

    return cell


def mean_of_means(metric: str = "metric") -> pl.Expr:
    """Return the mean of the column `mean` of rows of `cell`, which are of one metric.

    Of a ratio it is the geometric one, and null where a scenario has none because a flow starves.

    Args:
        metric: column that has the metric's name.
    """
    mean = pl.col("mean")
    geometric = pl.when(mean.is_not_null().all()).then(mean.log().mean().exp())
    return pl.when(is_ratio(metric).first()).then(geometric).otherwise(mean.mean())
