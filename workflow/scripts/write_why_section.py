"""Write the section on why ns-2 and the testbed differ: tables (markdown) and numbers (JSON)."""

import json
from pathlib import Path

import polars as pl
from evenflow import why_tables
from evenflow.files import write_text
from evenflow.scripting import reporting_errors


def main(inputs: dict[str, list[str]], tables: list[str], variables: str) -> None:
    """Write the tables, by name, and `why`, of the runs, the distances and the changes."""
    runs = [pl.read_parquet(path) for path in inputs["run"]]
    distance = pl.concat([pl.read_parquet(path) for path in inputs["distance"]])
    change = pl.read_parquet(inputs["change"])
    texts = {
        "why-data": why_tables.data_markdown({run["dataset_id"][0]: run for run in runs}),
        "why-summary": why_tables.summary_markdown(distance),
        "why-ns2": why_tables.distance_markdown(distance.filter(platform="ns2")),
        "why-testbed": why_tables.distance_markdown(distance.filter(platform="testbed")),
        "why-changes": why_tables.change_markdown(change),
    }
    for path in tables:
        write_text(path, texts[Path(path).stem])
    why = {
        "model": why_tables.distance_variables(distance),
        "change": why_tables.change_variables(change),
        "shown": "yes",
    }
    write_text(variables, json.dumps({"why": why}, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.output.tables, snakemake.output.variables)
