"""The registry of metrics: what every metric of runs and flows is, in tables, print and charts.

A metric is a function under `@metric` in `catalogue.py`. The tables `run_metric`, `flow_metric` and
`cell`, the page of a data set and its downloads have it by that. A flow's metric has the number of
the flow in `cell`: harm_flow1, harm_flow2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature

import polars as pl

from ..plugins import refuse_taken


@dataclass(frozen=True)
class Metric:
    """What is known of a metric.

    name: of its column. grain: 'run' or 'flow'. unit: in tables: '1', 's', 'dB', 'bit/s'. label: in
    print, with the unit there, which is `factor` of the table's. digits, paper_digits,
    drawn_digits: after the point, on pages, in papers and in charts. scale: 'linear', 'log' (a
    ratio: its middle is 1) or 'dB'. middle: where nothing differs, of metrics with two sides.
    least, most: of a mean; `least` may be '1/n', n being the flows compared. meaning, needs:
    sentences: what it says, and what a data set without it lacks. source: paper and equation.
    compute: the function.
    """

    name: str
    grain: str
    unit: str
    label: str
    factor: float
    digits: int
    paper_digits: int
    drawn_digits: int
    scale: str
    middle: float | None
    least: float | str | None
    most: float | None
    meaning: str
    needs: str
    source: str
    compute: Callable

    @property
    def reads_samples(self) -> bool:
        """Return whether the function reads the table `sample`."""
        return "sample" in signature(self.compute).parameters

    @property
    def format(self) -> str:
        """Return the format of labels in charts (d3)."""
        return f"{'+' if self.middle == 0 else ''}.{self.drawn_digits}f"


METRICS: dict[str, Metric] = {}


def metric(
    *,
    grain: str,
    label: str,
    meaning: str,
    source: str,
    needs: str = "",
    unit: str = "1",
    factor: float = 1,
    digits: int = 2,
    paper_digits: int | None = None,
    drawn_digits: int | None = None,
    scale: str = "linear",
    middle: float | None = None,
    least: float | str | None = None,
    most: float | None = None,
) -> Callable:
    """Enter a function into the registry as the metric of its name; arguments as in `Metric`."""
    drawn = max(digits - 1, 0) if drawn_digits is None else drawn_digits
    on_paper = digits if paper_digits is None else paper_digits

    def enter(function: Callable) -> Callable:
        name = function.__name__
        refuse_taken(name, name in METRICS, function.__code__.co_filename, "metric")
        METRICS[function.__name__] = Metric(
            function.__name__, grain, unit, label, factor, digits, on_paper, drawn, scale, middle,
            least, most, meaning, needs, source, function,
        )  # fmt: skip
        return function

    return enter


@dataclass(frozen=True)
class OfFlow:
    """What a flow's row of `flow_metric` has beside metrics, in print; as of a `Metric`."""

    label: str
    factor: float
    paper_digits: int
    format: str


# columns that the metrics of runs are computed from
OF_FLOWS = {
    "mean_throughput_bps": OfFlow("Throughput (Mb/s)", 1e6, 1, ".1f"),
    "flow_nru_db": OfFlow("Flow-NRU (dB)", 1, 2, "+.1f"),
}


@dataclass(frozen=True)
class OfRun:
    """Expressions of a run's rows of `flow_metric`.

    mean, expected, nru: mean throughput, what the flow could be expected to get (calibration) and
    flow-NRU of the flows that are compared, in their order; complete: all of them have samples,
    over a time that they share; n: how many they are; total_bps: of all flows, cross traffic too,
    but for what goes the opposite way; bottleneck_bps.
    """

    mean: pl.Expr
    expected: pl.Expr
    nru: pl.Expr
    complete: pl.Expr
    n: pl.Expr
    total_bps: pl.Expr
    bottleneck_bps: pl.Expr


def of_grain(grain: str) -> list[Metric]:
    """List the metrics of runs, or of flows."""
    return [known for known in METRICS.values() if known.grain == grain]


def without_flow(column: str = "metric") -> pl.Expr:
    """Return the names of metrics in the registry: those of `cell` have the number of a flow."""
    return pl.col(column).str.replace(r"_flow\d+$", "")


def is_ratio(column: str = "metric") -> pl.Expr:
    """Say which metrics of a column, named as in `cell`, are ratios: their mean is geometric."""
    ratios = [known.name for known in METRICS.values() if known.scale == "log"]
    return without_flow(column).is_in(ratios)
