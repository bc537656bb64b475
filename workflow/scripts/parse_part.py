"""Read the raw files of a part of a large data set, and build its rows of the data set's tables."""

import gc
from pathlib import Path

from evenflow.files import Limits
from evenflow.ingest.parse import parse_part
from evenflow.ingest.partitions import described_by
from evenflow.ingest.shares import write_share
from evenflow.raw_state import being_read, folders_of
from evenflow.scripting import reporting_errors
from evenflow.tables import connected, write_query, write_table


def main(folder: str, state: str, limits: dict[str, float], queries: list[str], outputs) -> None:
    """Parse the part whose state is in the file `state`; outputs are named after their tables.

    Args:
        folder: the data set.
        state: the file with the state of the part's raw files (`raw_state.part_state`), as the run
            laid it down; its stem is the part's name.
        limits: of raw data.
        queries: of `outputs.built`; each may read the tables before its own.
        outputs: parsed (the tables that others read), built, and share: what depends on all runs.
    """
    laid_down = Path(state).read_text(encoding="utf-8").rstrip("\n")
    name = Path(state).stem
    with being_read(folder, name, laid_down, lambda: described_by(folder)) as reading:
        parsed, share = parse_part(folder, Limits(**limits), folders_of(laid_down))
        reading.list_read(parsed["file"]["path"])
        for path in outputs.parsed:
            write_table(parsed[Path(path).stem], path)
        tables = {f"parsed_{name}": table for name, table in parsed.items()}
        with connected():
            for query, path in zip(queries, outputs.built, strict=True):
                sql = Path(query).read_text(encoding="utf-8")
                write_query(sql, {}, path, **tables)
                tables[Path(path).stem] = path
        write_share(share, outputs.share)


if __name__ == "__main__":
    gc.disable()  # hardly an object here is in a cycle; looking for cycles took a sixth of the time
    with reporting_errors(snakemake.log[0]):
        inputs, params = snakemake.input, snakemake.params
        main(params.folder, params.state, params.limits, inputs.queries, snakemake.output)
