"""Figures of the paper. Those of a testbed are drawn for both models of the router."""

from __future__ import annotations

from evenflow.charts.jfi_range import jfi_range_chart
from evenflow.charts.surfaces import Style, surface_chart
from evenflow.charts.time_series import time_series_chart
from evenflow.charts.topology import topology_chart
from evenflow.charts.warmup import warmup_chart
from evenflow.papers import paper

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


@paper.figure(of=["testbed"])
def throughput_testbed(surface):
    return surface_chart(surface, "testbed", THROUGHPUT)


@paper.figure(of=["testbed_alternative"])
def throughput_testbed_alternative(surface):
    return surface_chart(surface, "testbed_alternative", THROUGHPUT)


@paper.figure(of=["testbed"])
def flow_nru_testbed(surface):
    return surface_chart(surface, "testbed", FLOW_NRU)


@paper.figure(of=["testbed_alternative"])
def flow_nru_testbed_alternative(surface):
    return surface_chart(surface, "testbed_alternative", FLOW_NRU)


@paper.figure(of=["testbed"])
def flow_nru_1_testbed(surface):
    return surface_chart(surface, "testbed", FLOW_NRU_1)


@paper.figure(of=["testbed_alternative"])
def flow_nru_1_testbed_alternative(surface):
    return surface_chart(surface, "testbed_alternative", FLOW_NRU_1)


@paper.figure(of=["testbed"])
def system_nru_testbed(surface):
    return surface_chart(surface, "testbed", SYSTEM_NRU)


@paper.figure(of=["testbed_alternative"])
def system_nru_testbed_alternative(surface):
    return surface_chart(surface, "testbed_alternative", SYSTEM_NRU)


@paper.figure(of=["modern"])
def modern_shares(share):
    return share_chart(share)
