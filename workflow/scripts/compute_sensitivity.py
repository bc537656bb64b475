"""Compute the table `sensitivity`: run metrics under other warm-ups, NRU floors and weights."""

from evenflow.metrics.fairness import FLOW
from evenflow.metrics.tables import sensitivity_table
from evenflow.scripting import reporting_errors
from evenflow.tables import join_chunks, read_tables, with_run_enum, write_table


def main(inputs: dict, output: str) -> None:
    """Read flow and run, and what was measured of each chunk (case, a list); write sensitivity."""
    flow, run = read_tables(inputs, "flow", "run")
    (cases,) = with_run_enum([join_chunks(inputs["case"], "parameter", "value", *FLOW)], run)
    write_table(sensitivity_table(cases, flow, run), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.output[0])
