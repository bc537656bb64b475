"""Compute the table `sensitivity`: run metrics under other warm-ups, NRU floors and weights."""

from evenflow.metrics.fairness import FLOW
from evenflow.metrics.measured import measured_cases
from evenflow.metrics.tables import sensitivity_table
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import join_parts, read_tables, with_run_enum, write_table


def main(inputs: dict, steady_state: dict, nru: dict, output: str) -> None:
    """Read flow and run, and sample with window or what was measured in each part.

    `inputs`: paths; of a data set in parts measured_case, a list of them (`measure_part`).
    """
    if "sample" in inputs:
        sample, flow, run, window = read_tables(inputs, "sample", "flow", "run", "window")
        cases = measured_cases(sample, flow, in_window(run, window), steady_state, nru)
    else:
        flow, run = read_tables(inputs, "flow", "run")
        parts = join_parts(inputs["measured_case"], "parameter", "value", *FLOW)
        (cases,) = with_run_enum([parts], run)
    write_table(sensitivity_table(cases, flow, run), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, params = dict(snakemake.input.items()), snakemake.params
        main(inputs, params.steady_state, params.nru, snakemake.output[0])
