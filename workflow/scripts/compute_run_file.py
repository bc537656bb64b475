"""Compute the table `run_file`: the raw files of each run, and their lines of the steady state."""

from evenflow.provenance.run_files import AT_TIME, EVENTS, run_files
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, scan_table, write_table

OF_SAMPLE = ["run_id", "flow_id", "t_start_s", "t_end_s", "path", "line"]


def main(inputs: dict[str, str], output: str) -> None:
    """Read ledger, sample, run, window and the tables of events; write run_file."""
    small = [read_table(inputs[name]) for name in ("run", "window")]
    samples = read_table(inputs["sample"], columns=OF_SAMPLE)
    events = [scan_table(inputs[name]).select(AT_TIME) for name in EVENTS]
    write_table(run_files(read_table(inputs["ledger"]), samples, *small, events), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
