"""Compute the table `weight`: what each variant gets against its like, in each cell."""

import polars as pl
from evenflow.metrics import weight_table, with_warmup
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(inputs: dict[str, str], warmup_s: float, weight_from: str, output: str) -> None:
    """Read sample, flow and run; write weight."""
    sample, flow, run = (pl.read_parquet(inputs[name]) for name in ("sample", "flow", "run"))
    write_table(weight_table(sample, flow, with_warmup(run, warmup_s), weight_from), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.warmup_s, params.weight_from, snakemake.output[0])
