"""Put the tables of a data set beside its page, as Parquet and as CSV."""

import glob
import shutil

from evenflow.files import atomic_path
from evenflow.scripting import reporting_errors
from evenflow.tables import connected


def main(tables: list[str], parquet: list[str], csv: list[str]) -> None:
    """Copy each table; write it as CSV, compressed where its name ends with .gz."""
    with connected() as con:
        for source, copy, text in zip(tables, parquet, csv, strict=True):
            with atomic_path(copy) as temporary:
                shutil.copyfile(source, temporary)
            compression = "gzip" if text.endswith(".gz") else "none"
            with atomic_path(text) as temporary:
                table = con.from_parquet(glob.escape(source))
                table.write_csv(str(temporary), header=True, compression=compression)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.tables, snakemake.output.parquet, snakemake.output.csv)
