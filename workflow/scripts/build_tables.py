"""Build the derived tables of a data set that are queries over what was parsed from its logs."""

from pathlib import Path

from evenflow.scripting import reporting_errors
from evenflow.tables import merge_sorted, write_query


def main(parsed: list[str], queries: list[str], dataset: str, outputs: list[str]) -> None:
    """Write the result of each query, in order: it may read the tables before its own."""
    tables = {f"parsed_{Path(path).stem}": path for path in parsed}
    for query, output in zip(queries, outputs, strict=True):
        sql = Path(query).read_text(encoding="utf-8")
        write_query(sql, {"dataset_id": dataset}, output, **tables)
        tables[Path(output).stem] = output


def merge(
    folder: str, parts: list[str], limits: dict[str, float], queries: list[str], outputs: list[str]
) -> None:
    """Write the tables of a data set that was read in parts (`parse_part`).

    Args:
        folder: the data set.
        parts: of each part the folder with its tables, and with what depends on all runs.
        limits: of raw data.
        queries: by which the parts' tables were built too, in the order of `outputs`.
        outputs: the tables.
    """
    # here: where there are no parts they need not be loaded, which takes a second
    from evenflow.files import Limits
    from evenflow.ingest.parse import settle_parts
    from evenflow.ingest.shares import read_shares

    bounds = Limits(**limits)
    share = read_shares(folder, [f"{part}/share.pickle" for part in parts], bounds)
    settled = settle_parts(folder, share, bounds)
    tables = {f"parsed_{name}": table for name, table in settled.items()}
    tables["parsed_flow"] = [f"{part}/parsed/flow.parquet" for part in parts]
    del share
    for query, output in zip(queries, outputs, strict=True):
        sql, name = Path(query).read_text(encoding="utf-8"), Path(output).stem
        if name in settled:
            write_query(sql, {"dataset_id": Path(folder).name}, output, **tables)
        else:
            merge_sorted(sql, output, [f"{part}/{name}.parquet" for part in parts])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, params, outputs = snakemake.input, snakemake.params, list(snakemake.output)
        if inputs.parsed:
            main(inputs.parsed, inputs.queries, snakemake.wildcards.dataset, outputs)
        else:
            parts = [str(Path(share).parent) for share in inputs.shares]
            merge(params.folder, parts, params.limits, inputs.queries, outputs)
