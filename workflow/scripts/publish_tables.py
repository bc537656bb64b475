"""Put tables beside a page, as Parquet and as CSV."""

from evenflow.pages.downloads import publish
from evenflow.runs.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        publish(snakemake.input.tables, snakemake.output.parquet, snakemake.output.csv)
