"""Write the numbers of a report's section on further data sets, as JSON of formatted strings."""

import json

import polars as pl
from evenflow import why_tables
from evenflow.files import write_text
from evenflow.scripting import reporting_errors


def main(distance: list[str], change: str | None, share: str | None, output: str) -> None:
    """Write `why` of the distances and changes, or `modern` of the shares."""
    if share:
        named = {"modern": why_tables.share_variables(pl.read_parquet(share))}
    else:
        distances = pl.concat([pl.read_parquet(path) for path in distance])
        named = {
            "why": {
                "model": why_tables.distance_variables(distances),
                "change": why_tables.change_variables(pl.read_parquet(change)),
            }
        }
    for section in named.values():
        section["shown"] = "yes"
    write_text(output, json.dumps(named, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = snakemake.input
        change, share = inputs.get("change"), inputs.get("share")
        main(inputs.get("distance", []), change, share, snakemake.output[0])
