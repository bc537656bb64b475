"""Compute the tables `burst_cell` (scenarios) and `burst_correlation` (across scenarios)."""

from evenflow.metrics.rtt_fairness import burst_cells, burst_correlations
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(inputs: dict[str, str], confidence: float, outputs: dict[str, str]) -> None:
    """Read burst_metric, fairness_ratio, rtt_exponent and run; write both."""
    names = ("burst_metric", "fairness_ratio", "rtt_exponent", "run")
    burst, ratio, exponent, run = (read_table(inputs[name]) for name in names)
    cells = burst_cells(burst, ratio, exponent, run, confidence)
    write_table(cells, outputs["burst_cell"])
    write_table(burst_correlations(cells, run, confidence), outputs["burst_correlation"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.confidence, snakemake.output)
