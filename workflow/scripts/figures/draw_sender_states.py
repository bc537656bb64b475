"""Draw throughput, window, threshold and RTT of the senders of example runs over time."""

import polars as pl
from evenflow.charts.base import save_chart
from evenflow.high_speed_states import example_run, sender_states, state_chart
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(inputs: dict, parts: list[str], examples: list[dict], output: str) -> None:
    """Read the tables of the data set in each part (lists in their order) and `pair_metric`."""
    pairs = read_table(inputs["pair_metric"])
    tables = {
        part: [pl.scan_parquet(inputs[name][i]) for name in ("flow", "sample", "tcp_state")]
        for i, part in enumerate(parts)
    }
    drawn = []
    for example in examples:
        states = {}
        for part, lazy in tables.items():
            run = example_run(pairs.filter(part=part), example)
            if run is not None:
                of_run = (table.filter(pl.col("run_id") == run["run_id"]) for table in lazy)
                run = sender_states(run["run_id"], *(table.collect() for table in of_run))
            states[part] = run
        drawn.append((example, states))
    save_chart(state_chart(drawn), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.parts, params.examples, snakemake.output[0])
