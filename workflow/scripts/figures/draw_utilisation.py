"""Draw utilisation against the buffer: hstcp-buffers, Figures 3 and 4 (DropTail), 7 and 8 (RED)."""

import polars as pl
from evenflow.buffer_charts import utilisation_chart
from evenflow.buffer_reporting import read_printed
from evenflow.buffers import many_flows
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(model: str, cell: str, published: str, outputs: dict[str, str]) -> None:
    """Read the model's curve, the cells and the printed values; draw a figure a queue.

    Args:
        outputs: {aqm: path}.
    """
    curve = read_table(model).filter(pl.col("reading") == "taken")
    cells = many_flows(read_table(cell)).filter(pl.col("metric") == "utilisation")
    printed = read_printed(published).filter(pl.col("quantity") == "utilisation")
    printed = printed.select("bottleneck_bps", "aqm", pl.col("low").alias("fraction"), "value")
    for aqm, output in outputs.items():
        save_chart(utilisation_chart(curve, cells, printed, aqm), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        paths, outputs = snakemake.input, dict(snakemake.output.items())
        main(paths.model_point, paths.buffer_cell, paths.published, outputs)
