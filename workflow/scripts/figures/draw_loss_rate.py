"""Draw loss rates against the buffer: drops and cuts a packet, the model's, the printed one."""

import polars as pl
from evenflow.buffer_charts import loss_chart
from evenflow.buffer_reporting import read_printed
from evenflow.buffers import many_flows
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(model: str, cell: str, published: str, output: str) -> None:
    """Read the model's curve, the cells and the printed values; draw a panel a link and queue."""
    curve = read_table(model).filter(pl.col("reading") == "taken")
    cells = many_flows(read_table(cell))
    cells = cells.filter(pl.col("metric").is_in(["loss_rate", "cut_rate"]))
    printed = read_printed(published).filter(pl.col("quantity") == "loss_rate")
    save_chart(loss_chart(curve, cells, printed), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        paths = snakemake.input
        main(paths.model_point, paths.buffer_cell, paths.published, snakemake.output[0])
