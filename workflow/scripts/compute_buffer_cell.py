"""Compute mean and interval over the repeats of hstcp-buffers, by link, queue, TCP and buffer."""

from evenflow.buffers import buffer_cells
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(link_metric: str, confidence: float, output: str) -> None:
    """Read link_metric; write buffer_cell."""
    table = read_table(link_metric)
    write_table(buffer_cells(table, table, confidence), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.link_metric, snakemake.params.confidence, snakemake.output[0])
