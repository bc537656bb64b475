"""Compute the table `run_file`: the raw files of each run, and their lines of the steady state."""

from evenflow.provenance.run_files import AT_TIME, run_files
from evenflow.scripting import reporting_errors
from evenflow.table_names import EVENTS
from evenflow.tables import join_parts, read_table, scan_table, write_table

OF_SAMPLE = ["run_id", "flow_id", "t_start_s", "t_end_s", "path", "line"]


def main(inputs: dict, output: str) -> None:
    """Read ledger, run, window, sample and those of EVENTS, or join the tables of the parts.

    `inputs`: paths; of a data set in parts measured_run_file, a list of them (`measure_part`).
    """
    if "measured_run_file" in inputs:
        write_table(join_parts(inputs["measured_run_file"], "run_id", "path"), output)
        return
    ledger, run, window = (read_table(inputs[name]) for name in ("ledger", "run", "window"))
    sample = read_table(inputs["sample"], columns=OF_SAMPLE)
    events = [scan_table(inputs[name]).select(AT_TIME) for name in EVENTS]
    write_table(run_files(ledger, sample, run, window, events), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.output[0])
