"""Draw some runs of a data set over time, a panel a run; an empty file where there is none."""

import polars as pl
from evenflow.dataset_charts import runs_over_time, save_figure
from evenflow.scripting import reporting_errors


def main(inputs: dict[str, str], output: str) -> None:
    """Read sample, flow, run and window; draw."""
    tables = (pl.read_parquet(inputs[name]) for name in ("sample", "flow", "run", "window"))
    save_figure(runs_over_time(*tables), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
