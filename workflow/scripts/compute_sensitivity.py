"""Compute the table `sensitivity`: run metrics under other warm-ups, NRU floors and weights."""

from evenflow.metrics.fairness import FLOW
from evenflow.metrics.measured import cases_apart
from evenflow.metrics.tables import sensitivity_table
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import (
    OF_SAMPLE,
    join_chunks,
    read_table,
    read_tables,
    with_run_enum,
    write_table,
)

import polars as pl

IN_ORDER = ("parameter", "value", *FLOW)


def main(inputs: dict, steady_state: dict, nru: dict, output: str) -> None:
    """Write sensitivity of flow and of_all, the table `run`.

    Of one chunk the samples are read (`cases_apart`); of several what was measured of each
    (case, a list).
    """
    flow, run = read_tables({"flow": inputs["flow"], "run": inputs["of_all"]}, "flow", "run")
    (cases,) = with_run_enum([_cases(inputs, steady_state, nru)], run)
    write_table(sensitivity_table(cases, flow, run), output)


def _cases(inputs: dict, steady_state: dict, nru: dict) -> pl.DataFrame:
    if "case" in inputs:
        return join_chunks(inputs["case"], *IN_ORDER)
    sample = read_table(inputs["sample"], OF_SAMPLE)
    flow, run, window = (read_table(inputs[name]) for name in ("flow", "run", "window"))
    cases = cases_apart(sample, flow, run, window, steady_state, nru)
    return cases.sort(IN_ORDER, nulls_last=True)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, params = dict(snakemake.input.items()), snakemake.params
        main(inputs, params.steady_state, params.nru, snakemake.output[0])
