"""Draw the mean throughput of every flow of a data set; an empty file where it has one."""

import polars as pl
from evenflow.dataset_charts import flow_means, save_figure
from evenflow.scripting import reporting_errors


def main(inputs: dict[str, str], output: str) -> None:
    """Read cell, run and flow; draw."""
    tables = (pl.read_parquet(inputs[name]) for name in ("cell", "run", "flow"))
    save_figure(flow_means(*tables), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
