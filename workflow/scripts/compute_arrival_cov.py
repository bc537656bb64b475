"""Compute the table `arrival_cov`: CoV of the arrivals at the bottleneck against the bin width."""

from evenflow.metrics.burstiness import arrival_covs
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, scan_table, write_table


def main(inputs: dict[str, str], bin_s: list[float], output: str) -> None:
    """Read window and, run by run, arrival; write arrival_cov."""
    bins, window = scan_table(inputs["arrival"]), read_table(inputs["window"])
    write_table(arrival_covs(bins, window, bin_s), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.bin_s, snakemake.output[0])
