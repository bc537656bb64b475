"""List the cells of high-speed-fairness on which the answer to a sentence of the paper hangs."""

from evenflow.high_speed_repeats import deciding_cells
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(pair_cell: str, output: str) -> None:
    """Read the table `pair_cell`."""
    write_table(deciding_cells(read_table(pair_cell)), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.pair_cell, snakemake.output[0])
