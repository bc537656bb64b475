"""Compute the table `weight`: what each variant gets against its like, in each cell."""

from evenflow.metrics import weight_table
from evenflow.scripting import reporting_errors
from evenflow.tables import read_tables, write_table
from evenflow.windows import in_window


def main(inputs: dict[str, str], weight_from: str, output: str) -> None:
    """Read sample, flow, run and window; write weight."""
    sample, flow, run, window = read_tables(inputs, "sample", "flow", "run", "window")
    write_table(weight_table(sample, flow, in_window(run, window), weight_from), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.weight_from, snakemake.output[0])
