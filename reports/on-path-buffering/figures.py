"""Figures of the paper. Those of a testbed are drawn for both models of the router."""

from __future__ import annotations

import polars as pl
from evenflow.charts.surfaces import Style, surface_chart
from evenflow.claims.headlines import headline
from evenflow.papers import paper

from .._grid.jfi_range import jfi_range_chart
from .._grid.lines_by_rtt import Row, lines_by_rtt
from .._grid.time_series import time_series_chart
from .._grid.topology import topology_chart
from .._grid.warmup import warmup_chart
from .card import buffer_card
from .design import ROUTERS, SETUPS
from .modern_figures import share_chart

# Figure 3
THROUGHPUT = Style("mean_throughput_bps_flow2", "calibration", 1e6, "Throughput (Mb/s)", ".1f")
FLOW_NRU = Style("flow_nru_db_flow2", "comparison", 1, "flow-NRU (dB)", "+.1f")  # Figure 4
FLOW_NRU_1 = FLOW_NRU._replace(metric="flow_nru_db_flow1")  # footnote 7
SYSTEM_NRU = FLOW_NRU._replace(metric="system_nru_db", legend="system-NRU (dB)")  # Figure 5


@paper.figure
def topology():  # Figure 1
    return topology_chart()


@paper.figure
def jfi_range():  # Figure 2
    return jfi_range_chart()


@paper.figure
def time_series(sample, flow, run, window, example_run):
    return time_series_chart(sample, flow, run, window, example_run)


@paper.figure
def warmup(sensitivity, run):
    return warmup_chart(sensitivity, run)


def of_style(surface: pl.DataFrame, part: str, style: Style) -> pl.DataFrame:
    """Return the cells of a metric on a testbed, their value in its unit of print."""
    cells = surface.filter(part=part, role=style.role, metric=style.metric)
    return cells.with_columns(value=pl.col("mean") / style.unit)


@paper.figure(of=["testbed", "testbed_alternative"])
def throughput(surface, claim, headlines):  # Figure 3, as lines
    rows = [
        Row(name, of_style(surface, part, THROUGHPUT), "Flow 2 (Mb/s)")
        for part, name in SETUPS.items()
        if part in ROUTERS
    ]
    message = headline(claim, headlines, "throughput", "Throughput of flow 2 by RTT and buffer")
    return lines_by_rtt(rows, message, THROUGHPUT.role)


@paper.figure(of=["testbed"])
def nru(surface, claim, headlines):  # Figures 4 and 5, and footnote 7, as lines
    styles = {"flow 2": FLOW_NRU, "flow 1, NewReno": FLOW_NRU_1, "system": SYSTEM_NRU}
    rows = [
        Row(name, of_style(surface, "testbed", style), "NRU (dB)", 0.0)
        for name, style in styles.items()
    ]
    message = headline(claim, headlines, "nru", "NRU of both flows and of the system by RTT")
    return lines_by_rtt(rows, message)


@paper.figure(of=["testbed"])
def throughput_testbed(surface, claim, headlines):
    message = headline(claim, headlines, "throughput_testbed", "")
    return surface_chart(surface, "testbed", THROUGHPUT, message)


@paper.figure(of=["testbed_alternative"])
def throughput_testbed_alternative(surface, claim, headlines):
    message = headline(claim, headlines, "throughput_testbed_alternative", "")
    return surface_chart(surface, "testbed_alternative", THROUGHPUT, message)


@paper.figure(of=["testbed"])
def flow_nru_testbed(surface, claim, headlines):
    message = headline(claim, headlines, "flow_nru_testbed", "")
    return surface_chart(surface, "testbed", FLOW_NRU, message)


@paper.figure(of=["testbed_alternative"])
def flow_nru_testbed_alternative(surface, claim, headlines):
    message = headline(claim, headlines, "flow_nru_testbed_alternative", "")
    return surface_chart(surface, "testbed_alternative", FLOW_NRU, message)


@paper.figure(of=["testbed"])
def flow_nru_1_testbed(surface, claim, headlines):
    message = headline(claim, headlines, "flow_nru_1_testbed", "")
    return surface_chart(surface, "testbed", FLOW_NRU_1, message)


@paper.figure(of=["testbed_alternative"])
def flow_nru_1_testbed_alternative(surface, claim, headlines):
    message = headline(claim, headlines, "flow_nru_1_testbed_alternative", "")
    return surface_chart(surface, "testbed_alternative", FLOW_NRU_1, message)


@paper.figure(of=["testbed"])
def system_nru_testbed(surface, claim, headlines):
    message = headline(claim, headlines, "system_nru_testbed", "")
    return surface_chart(surface, "testbed", SYSTEM_NRU, message)


@paper.figure(of=["testbed_alternative"])
def system_nru_testbed_alternative(surface, claim, headlines):
    message = headline(claim, headlines, "system_nru_testbed_alternative", "")
    return surface_chart(surface, "testbed_alternative", SYSTEM_NRU, message)


@paper.figure(of=["modern"])
def modern_shares(share):
    return share_chart(share)


@paper.figure(of=["testbed", "testbed_alternative"])
def card(surface, claim, headlines):  # of the site's first page
    message = headline(claim, headlines, "card", "Flow 2 of two BIC flows, by buffer")
    return buffer_card(surface, message)
