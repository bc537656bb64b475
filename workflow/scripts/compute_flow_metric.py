"""Compute the table `flow_metric`: every flow's throughput and NRU over the steady state."""

from evenflow.metrics import flow_metric_table
from evenflow.scripting import reporting_errors
from evenflow.tables import read_tables, write_table
from evenflow.windows import in_window


def main(inputs: dict[str, str], floor_segments: float, output: str) -> None:
    """Read sample, flow, run, weight and window; write flow_metric."""
    names = ("sample", "flow", "run", "weight", "window")
    sample, flow, run, weight, window = read_tables(inputs, *names)
    run = in_window(run, window)
    write_table(flow_metric_table(sample, flow, run, weight, floor_segments), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.floor_segments, snakemake.output[0])
