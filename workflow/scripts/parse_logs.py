"""Read every raw file of a data set and write the parsed tables."""

from pathlib import Path

from evenflow.files import Limits, write_text
from evenflow.ingest.parse import parse_dataset
from evenflow.raw_state import raw_state
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(folder: str, state: str, limits: dict[str, float], outputs: list[str]) -> None:
    """Parse the data set in `folder`; each output is named after its table.

    The state of the raw files is kept as parsed for as long as the tables are of it. Files that
    change while they are read, as a campaign adds runs, are read again in the next run, even where
    they are put back by then.
    """
    read, parsed = Path(state).read_text(encoding="utf-8"), Path(state).with_suffix(".parsed")
    parsed.unlink(missing_ok=True)
    tables = parse_dataset(folder, Limits(**limits))
    for path in outputs:
        write_table(tables[Path(path).stem], path)
    if raw_state(folder) == read.strip():
        write_text(parsed, read)
    else:
        write_text(state, "changed while it was read")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(params.folder, snakemake.input.raw, params.limits, snakemake.output)
