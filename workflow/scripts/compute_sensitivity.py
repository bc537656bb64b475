"""Compute the table `sensitivity`: run metrics under other warm-ups, NRU floors and weights."""

from evenflow.metrics.fairness import FLOW
from evenflow.metrics.tables import sensitivity_means, sensitivity_table, sensitivity_weights
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import Parts, read_table, with_run_enum, write_table


def main(inputs: dict[str, str], steady_state: dict, nru: dict, output: str) -> None:
    """Read sample, flow, run and window; write sensitivity."""
    parts, window = Parts(inputs, "sample", "flow"), read_table(inputs["window"])

    def read():
        """Yield sample, flow and run, with its window, of each part."""
        for sample, flow, run in parts:
            yield sample, flow, in_window(run, *with_run_enum([window], run, strict=False))

    weights = None
    if len(parts.parts) > 1:
        found = [(sensitivity_means(*tables, steady_state, nru), tables[1]) for tables in read()]
        flow = parts.join([flow for _, flow in found], *FLOW)
        plans = (zip(*of_plan, strict=True) for of_plan in zip(*(p for p, _ in found), strict=True))
        weights = [
            sensitivity_weights(parts.join(means, *FLOW), flow, parts.join(runs, "run_id"))
            for means, runs in plans
        ]
    tables = [sensitivity_table(*part, steady_state, nru, weights) for part in read()]
    by = ("parameter", "value", "run_id")
    write_table(parts.join(tables, *by), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.steady_state, params.nru, snakemake.output[0])
