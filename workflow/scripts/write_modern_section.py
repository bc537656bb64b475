"""Write the section on flows of today and exchanged flows: tables (markdown) and numbers (JSON)."""

import json
from pathlib import Path

import polars as pl
from evenflow import why_tables
from evenflow.files import write_text
from evenflow.scripting import reporting_errors
from evenflow.why import flow_order


def main(inputs: dict[str, str | list[str]], tables: list[str], variables: str) -> None:
    """Write the tables, by name, and `modern`, of the runs and the shares."""
    runs = [pl.read_parquet(path) for path in inputs["run"]]
    share = pl.read_parquet(inputs["share"])
    order = flow_order(share.filter(pl.col("part") != "modern").drop("part"))
    texts = {
        "modern-data": why_tables.data_markdown({run["dataset_id"][0]: run for run in runs}),
        "modern-shares": why_tables.share_markdown(share.filter(part="modern")),
        "modern-order": why_tables.order_markdown(order),
    }
    for path in tables:
        write_text(path, texts[Path(path).stem])
    modern = why_tables.share_variables(share) | {"shown": "yes"}
    write_text(variables, json.dumps({"modern": modern}, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.output.tables, snakemake.output.variables)
