"""Compute the table `burst_metric`: BPDD, P, CoV and time above of every run."""

from evenflow.metrics.burstiness import burst_metrics, queue_limits
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, scan_table, write_table


def main(inputs: dict[str, str], output: str) -> None:
    """Read drop_event, flow, run, window, arrival_cov and peaks of arrival; write burst_metric."""
    names = ("drop_event", "flow", "window", "run", "arrival_cov")
    event, flow, window, run, cov = (read_table(inputs[name]) for name in names)
    limits = queue_limits(run, flow, scan_table(inputs["arrival"]))
    write_table(burst_metrics(event, flow, window, limits, cov), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
