"""Measure runs with other warm-ups, NRU floors and weights."""

from evenflow.metrics.measured import cases_apart
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import OF_SAMPLE, read_table, write_table


def main(inputs: dict[str, str], steady_state: dict, nru: dict, output: str) -> None:
    """Read sample, flow, run (`parse.parse_chunk`) and window; write `measured.cases_apart`."""
    sample = read_table(inputs["sample"], OF_SAMPLE)
    flow, run, window = (read_table(inputs[name]) for name in ("flow", "run", "window"))
    write_table(cases_apart(sample, flow, run, window, steady_state, nru), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.steady_state, params.nru, snakemake.output[0])
