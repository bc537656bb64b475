"""Compute the table `window`: which part of each run is the steady state."""

from evenflow.scripting import reporting_errors
from evenflow.tables import read_tables, write_table
from evenflow.windows import window_table


def main(inputs: dict[str, str], warmup_s: float, output: str) -> None:
    """Read sample, flow and run; write window."""
    write_table(window_table(*read_tables(inputs, "sample", "flow", "run"), warmup_s), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.warmup_s, snakemake.output[0])
