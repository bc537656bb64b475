"""Compute the table `flow_metric`: every flow's throughput and NRU over the steady state."""

import polars as pl
from evenflow.metrics import flow_metric_table, with_warmup
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(inputs: dict[str, str], warmup_s: float, floor_segments: float, output: str) -> None:
    """Read sample, flow, run and weight; write flow_metric."""
    sample, flow, run, weight = (
        pl.read_parquet(inputs[name]) for name in ("sample", "flow", "run", "weight")
    )
    run = with_warmup(run, warmup_s)
    write_table(flow_metric_table(sample, flow, run, weight, floor_segments), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.warmup_s, params.floor_segments, snakemake.output[0])
