"""Build the derived tables of a data set that are queries over what was parsed from its logs."""

from pathlib import Path

from evenflow.scripting import reporting_errors
from evenflow.tables import connected, write_query


def main(parsed: list[str], queries: list[str], dataset: str, outputs: list[str]) -> None:
    """Write the result of each query, in order: it may read the tables before its own."""
    tables = {f"parsed_{Path(path).stem}": path for path in parsed}
    with connected():
        for query, output in zip(queries, outputs, strict=True):
            sql = Path(query).read_text(encoding="utf-8")
            write_query(sql, {"dataset_id": dataset}, output, **tables)
            tables[Path(output).stem] = output


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, dataset = snakemake.input, snakemake.wildcards.dataset
        main(inputs.parsed, inputs.queries, dataset, list(snakemake.output))
