"""Read every raw file of a data set and write the parsed tables."""

from pathlib import Path

from evenflow.files import Limits
from evenflow.ingest import parse_dataset
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(folder: str, limits: dict[str, float], outputs: list[str]) -> None:
    """Parse the data set in `folder`; each output is named after its table."""
    tables = parse_dataset(folder, Limits(**limits))
    for path in outputs:
        write_table(tables[Path(path).stem], path)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.params.folder, snakemake.params.limits, snakemake.output)
