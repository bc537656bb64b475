"""Build one derived table of a data set: run its query over its input tables."""

from pathlib import Path

from evenflow.scripting import reporting_errors
from evenflow.tables import query_tables, write_table


def main(query: str, inputs: dict[str, str], dataset: str, output: str) -> None:
    """Write the result of the query in file `query` over the Parquet files `inputs`."""
    sql = Path(query).read_text(encoding="utf-8")
    write_table(query_tables(sql, {"dataset_id": dataset}, **inputs), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        tables = {k: v for k, v in snakemake.input.items() if k not in ("code", "query")}
        main(snakemake.input.query, tables, snakemake.wildcards.dataset, snakemake.output[0])
