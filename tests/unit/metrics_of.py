"""Metric tables of samples, as compute_metrics makes them."""

import polars as pl
from evenflow.metrics import tables
from evenflow.metrics.fairness import calibration_weights, mean_throughput
from evenflow.metrics.measured import measured_cases, measured_flows, measured_runs
from evenflow.metrics.windows import in_window, placed_samples, steady_state, window_table

# what runs have in common beside the columns of their path (`fairness.CONDITIONS`)
SAME = {"aqm": None, "n_flows": 2, "n_cross_traffic": 0, "platform": "testbed", "factors": "{}"}
SAME |= {"buffer_bytes": None, "buffer_packets": None}


def under_same_conditions(runs):
    """Add the columns of SAME to runs."""
    return runs.with_columns(pl.lit(value).alias(name) for name, value in SAME.items())


def weight_table(samples, flows, runs, weight_from):
    means = mean_throughput(steady_state(samples, runs))
    return calibration_weights(means, flows, runs, weight_from)


def flow_metric_table(samples, flows, runs, weights, floor_segments):
    measured = measured_flows(placed_samples(samples, runs), flows, runs, floor_segments)
    return tables.flow_metric_table(measured, flows, runs, weights)


def run_metric_table(samples, flows, flow_metrics, runs):
    measured = measured_runs(placed_samples(samples, runs), flows, runs)
    return tables.run_metric_table(flow_metrics, runs, measured)


def sensitivity_table(samples, flows, runs, steady, nru):
    cases = measured_cases(samples, flows, runs, steady, nru)
    return tables.sensitivity_table(cases, flows, runs)


def with_metrics(tables, warmup_s):
    """Add the windows and metrics of run, flow and sample; runs with their windows."""
    sample, flow, run = (tables[name] for name in ("sample", "flow", "run"))
    window = window_table(sample, flow, run, warmup_s)
    run = in_window(run, window)
    weight = weight_table(sample, flow, run, "flow2")
    flow_metric = flow_metric_table(sample, flow, run, weight, 1)
    run_metric = run_metric_table(sample, flow, flow_metric, run)
    made = {"run": run, "window": window, "flow_metric": flow_metric, "run_metric": run_metric}
    return tables | made
