"""Draw one drop event with bursty and one with smooth background (synchronisation, Figure 1).

The run is the first of its scenario whose log of bins covers the surroundings of an event.
"""

import polars as pl
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import BURSTY_50, SMOOTH_50, read_points, select
from evenflow.synchronisation_charts import event_column, event_to_show, events_chart
from evenflow.tables import read_table

NAMES = {"Bursty: 10 sources": BURSTY_50, "Smooth: 1000 sources": SMOOTH_50}


def main(inputs: dict[str, str], full_queue: float, output: str) -> None:
    """Read the tables of the data set, run by run those with a row a sample; draw."""
    by_run, _ = read_points(inputs)
    events = read_table(inputs["drop_event"])
    columns = []
    for title, wanted in NAMES.items():
        for run in select(by_run, **wanted).rows(named=True):
            bins, samples, drops, flow = (
                pl.scan_parquet(inputs[name]).filter(run_id=run["run_id"]).collect()
                for name in ("arrival", "sample", "packet_drop", "flow")
            )
            event = event_to_show(events.filter(run_id=run["run_id"]), bins)
            if event:
                tables = {"bins": bins, "samples": samples, "drops": drops}
                sizes = {
                    "limit_packets": run["queue_limit_packets"],
                    "full_queue": full_queue,
                    "packet_bytes": flow["mss_bytes"].max(),
                }
                columns.append(event_column(title, event, **tables, **sizes))
                break
    save_chart(events_chart(columns), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.params.full_queue, snakemake.output[0])
