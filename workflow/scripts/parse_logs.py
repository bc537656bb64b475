"""Read every raw file of a data set and write the parsed tables."""

import gc
from pathlib import Path

from evenflow.files import Limits
from evenflow.ingest.parse import parse_dataset
from evenflow.raw_state import being_read
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(folder: str, limits: dict[str, float], outputs: list[str]) -> None:
    """Parse the data set in `folder`; each output is named after its table."""
    with being_read(folder) as reading:
        tables = parse_dataset(folder, Limits(**limits))
        reading.list_read(tables["file"]["path"])
        for path in outputs:
            write_table(tables[Path(path).stem], path)


if __name__ == "__main__":
    gc.disable()  # hardly an object here is in a cycle; looking for cycles took a sixth of the time
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(params.folder, params.limits, snakemake.output)
