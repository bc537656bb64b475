"""Figures of the paper."""

from __future__ import annotations

import polars as pl
from evenflow.charts.differences import d_surfaces, verdict_chart, w_surfaces
from evenflow.charts.jfi_range import jfi_range_chart
from evenflow.charts.surfaces import jfi_surface_chart
from evenflow.charts.time_series import time_series_chart
from evenflow.charts.topology import topology_chart
from evenflow.charts.warmup import warmup_chart
from evenflow.papers import paper

from .agreement import agreement_chart
from .design import ORDER
from .why_figures import change_chart, range_chart


def of_testbed(difference: pl.DataFrame, part: str) -> pl.DataFrame:
    """Return the differences from one testbed."""
    return difference.filter(part=part).drop("part")


@paper.figure
def jfi_range():  # Figure 3
    return jfi_range_chart()


@paper.figure
def time_series(sample, flow, run, window, example_run):
    return time_series_chart(sample, flow, run, window, example_run)


@paper.figure
def warmup(sensitivity, run):
    return warmup_chart(sensitivity, run)


@paper.figure
def jfi_surfaces(surface):  # Figure 4
    return jfi_surface_chart(surface, ORDER)


@paper.figure(of=["simulation", "testbed"])
def difference_testbed(difference):
    return d_surfaces(of_testbed(difference, "testbed"))


@paper.figure(of=["simulation", "testbed"])
def significance_testbed(difference):  # Figure 5
    return w_surfaces(of_testbed(difference, "testbed"))


@paper.figure(of=["simulation", "testbed_alternative"])
def difference_testbed_alternative(difference):
    return d_surfaces(of_testbed(difference, "testbed_alternative"))


@paper.figure(of=["simulation", "testbed_alternative"])
def significance_testbed_alternative(difference):  # Figure 5
    return w_surfaces(of_testbed(difference, "testbed_alternative"))


@paper.figure(of=["simulation", "testbed"])
def verdicts_testbed(difference):
    return verdict_chart(of_testbed(difference, "testbed"))


@paper.figure(of=["simulation", "testbed_alternative"])
def verdicts_testbed_alternative(difference):
    return verdict_chart(of_testbed(difference, "testbed_alternative"))


@paper.figure(of=["simulation", "fallback", "window"])
def why_ranges_ns2(distance):
    return range_chart(distance, "ns2")


@paper.figure(of=["testbed", "testbed_alternative"])
def why_ranges_testbed(distance):
    return range_chart(distance, "testbed")


@paper.figure
def why_changes(change):
    return change_chart(change)


@paper.figure(of=["simulation", "testbed", "profiles"])
def free_windows(agreement):
    return agreement_chart(agreement)


@paper.figure
def topology():  # Figures 1 and 2
    return topology_chart()
