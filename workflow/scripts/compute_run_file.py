"""Compute the table `run_file`: the raw files of each run, and their lines of the steady state."""

from evenflow.provenance.run_files import AT_TIME, EVENTS, run_files
from evenflow.scripting import reporting_errors
from evenflow.tables import paths_of_parts, read_table, scan_table, write_table

import polars as pl

OF_SAMPLE = ["run_id", "flow_id", "t_start_s", "t_end_s", "path", "line"]


def main(inputs: dict[str, str], output: str) -> None:
    """Read run, window and, part by part, the other tables; write run_file."""
    small, found = [read_table(inputs[name]) for name in ("run", "window")], []
    for part in paths_of_parts(inputs, ("ledger", "sample", *EVENTS)):
        samples = read_table(part["sample"], columns=OF_SAMPLE)
        events = [scan_table(part[name]).select(AT_TIME) for name in EVENTS]
        found.append(run_files(read_table(part["ledger"]), samples, *small, events))
    write_table(pl.concat(found).sort("run_id", "path"), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
