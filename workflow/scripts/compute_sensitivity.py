"""Compute the table `sensitivity`: run metrics under other warm-ups, NRU floors and weights."""

from evenflow.metrics.tables import sensitivity_table
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import read_tables, write_table


def main(inputs: dict[str, str], steady_state: dict, nru: dict, output: str) -> None:
    """Read sample, flow, run and window; write sensitivity."""
    sample, flow, run, window = read_tables(inputs, "sample", "flow", "run", "window")
    table = sensitivity_table(sample, flow, in_window(run, window), steady_state, nru)
    write_table(table, output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.steady_state, params.nru, snakemake.output[0])
