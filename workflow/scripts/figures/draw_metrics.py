"""Draw the metrics of every scenario of a data set; an empty file for one that does not vary."""

from pathlib import Path

import polars as pl
from evenflow.dataset_charts import metric_chart, save_figure
from evenflow.scripting import reporting_errors


def main(inputs: dict[str, str], outputs: list[str]) -> None:
    """Read cell, run and flow; draw a figure a metric, each in the file of its name."""
    tables = [pl.read_parquet(inputs[name]) for name in ("cell", "run", "flow")]
    for output in outputs:
        save_figure(metric_chart(Path(output).stem, *tables), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, list(snakemake.output))
