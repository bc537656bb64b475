"""Metric tables of samples, as compute_metrics makes them."""

import polars as pl
from evenflow.metrics import tables
from evenflow.metrics.fairness import calibration_weights, mean_throughput
from evenflow.metrics.measured import measure_apart, measured_cases, measured_flows, measured_runs
from evenflow.metrics.windows import in_window, placed_samples, steady_state
from evenflow.tables import OF_SAMPLE

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


def with_metrics(tables_of_runs, warmup_s):
    """Add the windows and metrics of run, flow and sample; runs with their windows."""
    sample, flow, run = (tables_of_runs[name] for name in ("sample", "flow", "run"))
    measured = measure_apart(sample.select(OF_SAMPLE), flow, run, warmup_s, 1)
    run = in_window(run, measured["window"])
    with_samples = measured["flow"].filter(measured["flow"]["n_samples"] > 0)
    weight = calibration_weights(with_samples, flow, run, "flow2")
    made = {"run": run, "window": measured["window"]}
    made["flow_metric"] = tables.flow_metric_table(measured["flow"], flow, run, weight)
    made["run_metric"] = tables.run_metric_table(made["flow_metric"], run, measured["run"])
    return tables_of_runs | made
