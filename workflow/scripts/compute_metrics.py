"""Compute the metrics of a data set: the tables window, weight, flow_metric, run_metric, cell.

Each is computed from the tables of the logs and those before it. In one job, as most of the time of
each would be the start of Python.
"""

from evenflow.metrics.fairness import FLOW, calibration_weights, compared, mean_throughput
from evenflow.metrics.tables import cell_table, flow_metric_table, run_metric_table
from evenflow.metrics.windows import in_window, steady_state, window_table
from evenflow.scripting import reporting_errors
from evenflow.tables import Parts, with_run_enum, write_table


def main(inputs: dict[str, str], settings: dict, outputs: dict[str, str]) -> None:
    """Read sample, flow and run; write the tables.

    One part of the data set after the other, twice: weights are of all parts.

    Args:
        inputs: path of each table that is read; of sample and flow it may be those of parts.
        settings: warmup_s, weight_from, floor_segments and confidence; config.yaml explains them.
        outputs: path of each table that is written.
    """
    parts = Parts(inputs, "sample", "flow")
    windows, means, flows = [], [], []
    for sample, flow, run in parts:
        among = compared(flow)  # cross traffic comes and goes: the window is that of the others
        of_flows = sample.join(among, on=FLOW, how="semi", maintain_order="left")
        windows.append(window_table(of_flows, among, run, settings["warmup_s"]))
        means.append(mean_throughput(steady_state(sample, in_window(run, windows[-1]))))
        flows.append(flow)
    (run,) = with_run_enum([parts.run], parts.run)
    window, mean, flow = (
        parts.join(windows, "run_id"),
        parts.join(means, *FLOW),
        parts.join(flows, *FLOW),
    )
    weight = calibration_weights(mean, flow, in_window(run, window), settings["weight_from"])
    flow_metrics, run_metrics = [], []
    for (sample, flow, own), its_window in zip(parts, windows, strict=True):
        steady = in_window(own, its_window)
        of_flows = flow_metric_table(sample, flow, steady, weight, settings["floor_segments"])
        flow_metrics.append(of_flows)
        run_metrics.append(run_metric_table(sample, flow, of_flows, steady))
    flow_metric, run_metric = parts.join(flow_metrics, *FLOW), parts.join(run_metrics, "run_id")
    cell = cell_table(flow_metric, run_metric, run, settings["confidence"])
    write_table(window, outputs["window"])
    write_table(weight, outputs["weight"])
    write_table(flow_metric, outputs["flow_metric"])
    write_table(run_metric, outputs["run_metric"])
    write_table(cell, outputs["cell"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, dict(snakemake.params.items()), dict(snakemake.output.items()))
