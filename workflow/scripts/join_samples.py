"""Put together a table with a row a sample of a data set in several chunks."""

from pathlib import Path

from evenflow.runs.scripting import reporting_errors
from evenflow.tables import merge_sorted


def main(chunks: list[str], query: str, output: str) -> None:
    """Write the rows of the chunks' tables in the order of the query that made each of them."""
    merge_sorted(Path(query).read_text(encoding="utf-8"), output, chunks)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.chunks, snakemake.input.query, snakemake.output[0])
