"""Figures of the paper."""

from __future__ import annotations

import polars as pl
from evenflow.charts.differences import d_surfaces, verdict_chart, w_surfaces
from evenflow.charts.surfaces import jfi_surface_chart
from evenflow.claims.headlines import headline
from evenflow.evidence.say import second
from evenflow.papers import paper

from .._grid.jfi_range import jfi_range_chart
from .._grid.lines_by_rtt import Row, lines_by_rtt
from .._grid.time_series import time_series_chart
from .._grid.topology import topology_chart
from .._grid.warmup import warmup_chart
from .agreement import CELL, agreement_chart
from .card import ratio_card
from .design import ORDER, SETUPS, SIMULATION, TESTBEDS
from .ratios import flow_ratios, ratio_message
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


@paper.figure(of=["simulation", "testbed", "testbed_alternative"])
def jfi_surfaces(surface, claim, headlines):  # Figure 4
    return jfi_surface_chart(surface, ORDER, headline(claim, headlines, "jfi_surfaces", ""))


@paper.figure(of=["simulation", "testbed", "testbed_alternative"])
def flow_ratios_by_rtt(surface, claim, headlines):
    """Draw NewReno's throughput over its competitor's: what the index of Figure 4 hides."""
    ratios = flow_ratios(surface)
    rows = [
        Row(SETUPS[part], ratios.filter(part=part), "NewReno / flow 2", level=1.0, log=True)
        for part in ORDER
    ]
    otherwise = "NewReno's throughput over that of flow 2, by RTT and buffer"
    return lines_by_rtt(rows, headline(claim, headlines, "flow_ratios_by_rtt", otherwise))


@paper.figure(of=["simulation", "testbed", "testbed_alternative"])
def difference_of_ratios(surface, claim, headlines):
    """Draw the difference surfaces as factors: of NewReno over flow 2, ns-2 over the testbed."""
    ratios = flow_ratios(surface)
    of = ratios.filter(part=SIMULATION)
    rows = []
    for part in TESTBEDS:
        both = of.join(second(ratios.filter(part=part)), on=CELL, suffix="_2")
        both = both.with_columns(
            value=pl.col("value") / pl.col("value_2"),
            contested=pl.col("contested") & pl.col("contested_2"),
            n=pl.min_horizontal("n", "n_2"),
        )
        rows.append(Row(SETUPS[part], both, "ns-2 / testbed", level=1.0, log=True))
    otherwise = "NewReno's throughput over flow 2's, in ns-2 relative to each testbed"
    return lines_by_rtt(rows, headline(claim, headlines, "difference_of_ratios", otherwise))


@paper.figure(of=["simulation", "testbed"])
def difference_testbed(difference, claim, headlines):
    message = headline(claim, headlines, "difference_testbed", "")
    return d_surfaces(of_testbed(difference, "testbed"), message)


@paper.figure(of=["simulation", "testbed"])
def significance_testbed(difference):  # Figure 5
    return w_surfaces(of_testbed(difference, "testbed"))


@paper.figure(of=["simulation", "testbed_alternative"])
def difference_testbed_alternative(difference, claim, headlines):
    message = headline(claim, headlines, "difference_testbed_alternative", "")
    return d_surfaces(of_testbed(difference, "testbed_alternative"), message)


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


@paper.figure(of=["simulation", "open"])
def card(ratio, claim, headlines, confidence):  # of the site's first page
    message = headline(claim, headlines, "card", ratio_message(ratio))
    return ratio_card(ratio, "open", message, confidence)
