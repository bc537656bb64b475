"""Write the numbers of a report's section on further data sets, as JSON of formatted strings."""

import json

import polars as pl
from evenflow import why_tables
from evenflow.files import write_text
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(inputs: dict[str, list[str]], output: str) -> None:
    """Write `why` of the distances and changes, or `modern` of the shares."""
    read = {
        kind: pl.concat([read_table(path) for path in inputs[kind]])
        for kind in ("distance", "change", "share")
        if kind in inputs
    }
    if "share" in read:
        named = {"modern": why_tables.share_variables(read["share"])}
    else:
        named = {
            "why": {
                "model": why_tables.distance_variables(read["distance"]),
                "change": why_tables.change_variables(read["change"]),
            }
        }
    for section in named.values():
        section["shown"] = "yes"
    write_text(output, json.dumps(named, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.output[0])
