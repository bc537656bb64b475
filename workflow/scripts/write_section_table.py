"""Write one table of a section on further data sets as markdown."""

import polars as pl
from evenflow import why_tables
from evenflow.files import write_text
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table
from evenflow.why import flow_order


def main(inputs: list[str], table: str, output: str) -> None:
    """Read what `table` is made of, one or several files of one kind; write it."""
    tables = [read_table(path) for path in inputs]
    both = pl.concat(tables)
    if table in ("why-data", "modern-data"):
        text = why_tables.data_markdown({run["dataset_id"][0]: run for run in tables})
    elif table == "why-summary":
        text = why_tables.summary_markdown(both)
    elif table in ("why-ns2", "why-testbed"):
        platform = table.removeprefix("why-")
        text = why_tables.distance_markdown(both.filter(platform=platform))
    elif table == "why-changes":
        text = why_tables.change_markdown(both)
    elif table == "modern-shares":
        text = why_tables.share_markdown(both.filter(part="modern"))
    elif table == "modern-order":
        order = flow_order(both.filter(pl.col("part") != "modern").drop("part"))
        text = why_tables.order_markdown(order)
    else:
        raise ValueError(f"no table '{table}'")
    write_text(output, text)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.tables, snakemake.wildcards.table, snakemake.output[0])
