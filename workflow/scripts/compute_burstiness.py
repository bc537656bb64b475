"""Compute burstiness of losses and arrivals, and fairness between round-trip times.

The tables arrival, drop_event, arrival_cov, burst_metric, burst_sensitivity, fairness_ratio,
rtt_exponent, burst_cell and burst_correlation, the last with the runs of its rows, in one job: each
takes a second.
"""

from pathlib import Path

from evenflow.evidence.runs import split
from evenflow.metrics import burstiness, rtt_fairness
from evenflow.metrics.windows import in_window, steady_state
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import (
    connected,
    paths_of_chunks,
    query_tables,
    read_table,
    scan_table,
    write_parts,
    write_table,
)

READ = ("packet_drop", "flow", "run", "window", "ledger", "sample", "flow_metric")


def main(inputs: dict, settings: dict, outputs: dict[str, str]) -> None:
    """Read the tables of a data set, and of each of its chunks the arrivals; write the tables.

    Args:
        inputs: paths of READ, of the query of arrival, and lists of parsed_arrival and parsed_file.
        settings: full_queue, bin_s, gap_s and confidence; config.yaml explains them.
        outputs: path of each table.
    """
    write_arrivals(inputs["query"], inputs, outputs["arrival"])
    drop, flow, run, window, ledger, sample, metric = (read_table(inputs[name]) for name in READ)
    burstiness.refuse_without_drops(ledger, run)
    bins, confidence = scan_table(outputs["arrival"]), settings["confidence"]
    limits = burstiness.queue_limits(run, flow, bins)
    events = burstiness.drop_events(drop, flow, burstiness.default_gaps(flow), window)
    event = burstiness.events_with_time_above(events, bins, window, limits, settings["full_queue"])
    cov = burstiness.arrival_covs(bins, window, settings["bin_s"])
    burst = burstiness.burst_metrics(event, flow, window, limits, cov)
    means = rtt_fairness.flow_means(metric, steady_state(sample, in_window(run, window)), flow)
    ratio = rtt_fairness.fairness_ratios(means)
    exponent = rtt_fairness.rtt_exponents(means, confidence)
    cells = rtt_fairness.burst_cells(burst, ratio, exponent, run, confidence)
    made = {
        "drop_event": event,
        "arrival_cov": cov,
        "burst_metric": burst,
        "burst_sensitivity": burstiness.gap_sensitivity(drop, flow, window, settings["gap_s"]),
        "fairness_ratio": ratio,
        "rtt_exponent": exponent,
        "burst_cell": cells,
    }
    correlations = rtt_fairness.burst_correlations(cells, run, confidence)
    made["burst_correlation"], made["burst_correlation_runs"] = split(correlations)
    for name, table in made.items():
        write_table(table, outputs[name])


def write_arrivals(query: str, inputs: dict, output: str) -> None:
    """Write the results of the query run by run: the table may be larger than memory."""
    sql = Path(query).read_text(encoding="utf-8")
    found = {}
    for part in paths_of_chunks(inputs, ("parsed_arrival", "parsed_file")):
        found |= dict.fromkeys(read_table(part["parsed_file"])["run_id"].drop_nulls(), part)
    with connected():
        write_parts((query_tables(sql, {"run_id": r}, **found[r]) for r in sorted(found)), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, outputs = dict(snakemake.params.items()), dict(snakemake.output.items())
        main(dict(snakemake.input.items()), params, outputs)
