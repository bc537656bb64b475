"""Compute the metrics of a data set: the tables window, weight, flow_metric, run_metric, cell.

Each is computed from the tables of the logs and those before it. In one job, as most of the time of
each would be the start of Python.
"""

from evenflow.metrics.fairness import FLOW, compared
from evenflow.metrics.tables import (
    cell_table,
    flow_metric_table,
    run_metric_table,
    weight_table,
)
from evenflow.metrics.windows import in_window, window_table
from evenflow.scripting import reporting_errors
from evenflow.tables import read_tables, write_table


def main(inputs: dict[str, str], settings: dict, outputs: dict[str, str]) -> None:
    """Read sample, flow and run; write the tables.

    Args:
        inputs: path of each table that is read.
        settings: warmup_s, weight_from, floor_segments and confidence; config.yaml explains them.
        outputs: path of each table that is written.
    """
    sample, flow, run = read_tables(inputs, "sample", "flow", "run")
    among = compared(flow)  # cross traffic comes and goes: the window is that of the others
    of_flows = sample.join(among, on=FLOW, how="semi", maintain_order="left")
    window = window_table(of_flows, among, run, settings["warmup_s"])
    steady = in_window(run, window)
    weight = weight_table(sample, flow, steady, settings["weight_from"])
    flow_metric = flow_metric_table(sample, flow, steady, weight, settings["floor_segments"])
    run_metric = run_metric_table(sample, flow, flow_metric, steady)
    cell = cell_table(flow_metric, run_metric, run, settings["confidence"])
    write_table(window, outputs["window"])
    write_table(weight, outputs["weight"])
    write_table(flow_metric, outputs["flow_metric"])
    write_table(run_metric, outputs["run_metric"])
    write_table(cell, outputs["cell"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, dict(snakemake.params.items()), dict(snakemake.output.items()))
