"""Compute the metrics of a data set: the tables window, weight, flow_metric, run_metric, cell.

In one job, as most of the time of each would be the start of Python.
"""

from evenflow.metrics.fairness import FLOW, calibration_weights
from evenflow.metrics.measured import measure
from evenflow.metrics.tables import cell_table, flow_metric_table, run_metric_table
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import join_parts, read_tables, with_run_enum, write_table

MEASURED = {"window": ("run_id",), "flow": FLOW, "run": ("run_id",)}  # and what sorts them


def main(inputs: dict, settings: dict, outputs: dict[str, str]) -> None:
    """Read flow and run, and sample or what was measured in each part; write the tables.

    Args:
        inputs: paths of flow and run; and of sample, or of a data set in parts lists of paths,
            measured_window, measured_flow and measured_run (`measure_part`).
        settings: warmup_s, weight_from, floor_segments and confidence; config.yaml explains them.
        outputs: path of each table that is written.
    """
    if "sample" in inputs:
        sample, flow, run = read_tables(inputs, "sample", "flow", "run")
        warmup_s, floor_segments = settings["warmup_s"], settings["floor_segments"]
        window, of_flows, of_runs = measure(sample, flow, run, warmup_s, floor_segments)
    else:
        flow, run = read_tables(inputs, "flow", "run")
        parts = (join_parts(inputs[f"measured_{name}"], *by) for name, by in MEASURED.items())
        window, of_flows, of_runs = with_run_enum(parts, run)
    steady = in_window(run, window)
    with_samples = of_flows.filter(of_flows["n_samples"] > 0)
    weight = calibration_weights(with_samples, flow, steady, settings["weight_from"])
    flow_metric = flow_metric_table(of_flows, flow, steady, weight)
    run_metric = run_metric_table(flow_metric, steady, of_runs)
    cell = cell_table(flow_metric, run_metric, run, settings["confidence"])
    write_table(window, outputs["window"])
    write_table(weight, outputs["weight"])
    write_table(flow_metric, outputs["flow_metric"])
    write_table(run_metric, outputs["run_metric"])
    write_table(cell, outputs["cell"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, outputs = dict(snakemake.params.items()), dict(snakemake.output.items())
        main(dict(snakemake.input.items()), params, outputs)
