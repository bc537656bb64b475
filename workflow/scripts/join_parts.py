"""Put together the tables of a data set that was read in parts, but those with a row a sample."""

import gc
from pathlib import Path

from evenflow.files import Limits
from evenflow.ingest.parse import settle_parts
from evenflow.ingest.shares import read_shares
from evenflow.scripting import reporting_errors
from evenflow.tables import connected, merge_sorted, write_query


def main(
    folder: str,
    inputs: dict[str, list[str]],
    limits: dict[str, float],
    outputs: list[str],
) -> None:
    """Settle what depends on all runs, and write the tables.

    Args:
        folder: the data set.
        inputs: of each part (`parse_part`) shares, parsed_flow, and each of the tables that need no
            more than putting together; queries: by which the tables are built, in the order of
            `outputs`.
        limits: of raw data.
        outputs: the tables.
    """
    bounds = Limits(**limits)
    settled = settle_parts(folder, read_shares(folder, inputs["shares"], bounds), bounds)
    tables = {f"parsed_{name}": table for name, table in settled.items()}
    tables["parsed_flow"] = inputs["parsed_flow"]
    with connected():
        for query, output in zip(inputs["queries"], outputs, strict=True):
            sql, name = Path(query).read_text(encoding="utf-8"), Path(output).stem
            if name in settled:
                write_query(sql, {"dataset_id": Path(folder).name}, output, **tables)
            else:
                merge_sorted(sql, output, inputs[name])


if __name__ == "__main__":
    gc.disable()  # no object here is in a cycle; looking for cycles took a quarter of the time
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(params.folder, snakemake.input, params.limits, list(snakemake.output))
