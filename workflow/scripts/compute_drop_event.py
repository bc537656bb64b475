"""Compute the table `drop_event`: bursts of losses, and how long the queue was full in each."""

from evenflow.metrics.burstiness import (
    default_gaps,
    drop_events,
    events_with_time_above,
    queue_limits,
    refuse_without_drops,
)
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, scan_table, write_table

NAMES = ("packet_drop", "flow", "run", "window", "ledger")


def main(inputs: dict[str, str], full_queue: float, output: str) -> None:
    """Read the tables NAMES and, run by run, arrival; write drop_event."""
    drop, flow, run, window, ledger = (read_table(inputs[name]) for name in NAMES)
    refuse_without_drops(ledger, run)
    events = drop_events(drop, flow, default_gaps(flow), window)
    bins = scan_table(inputs["arrival"])
    limits = queue_limits(run, flow, bins)
    write_table(events_with_time_above(events, bins, window, limits, full_queue), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.full_queue, snakemake.output[0])
