"""Set the values that a paper printed beside ours."""

import polars as pl
from evenflow.published import printed_and_computed, printed_and_measured, read_published
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(published: str, summary: str, output: str) -> None:
    """Read published.csv and the summary of the surfaces; write the joined table."""
    measured = printed_and_measured(read_published(published), pl.read_parquet(summary))
    write_table(pl.concat([measured, printed_and_computed(published)]), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.published, snakemake.input.summary, snakemake.output[0])
