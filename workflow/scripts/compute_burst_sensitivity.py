"""Compute the table `burst_sensitivity`: BPDD and P with other gaps between drop events."""

from evenflow.metrics.burstiness import gap_sensitivity
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(inputs: dict[str, str], gap_s: list[float], output: str) -> None:
    """Read packet_drop, flow and window; write burst_sensitivity."""
    names = ("packet_drop", "flow", "window")
    drop, flow, window = (read_table(inputs[name]) for name in names)
    write_table(gap_sensitivity(drop, flow, window, gap_s), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.gap_s, snakemake.output[0])
