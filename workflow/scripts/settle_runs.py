"""Settle what depends on all runs of a data set: its tables but those with a row a sample.

Which runs are repeats of one scenario, the metrics of flows, runs and scenarios, and what about the
data cannot be quite right: of what each chunk of the data set says of its runs (`read_logs`).
"""

import gc
from pathlib import Path

from evenflow.checks import OfSamples, findings_of_runs
from evenflow.files import Limits
from evenflow.formats.others import done_without
from evenflow.ingest.described.document import read_dataset
from evenflow.ingest.parse import settle_chunks
from evenflow.ingest.shares import read_shares
from evenflow.metrics.fairness import FLOW, calibration_weights
from evenflow.metrics.tables import cell_table, flow_metric_table, run_metric_table
from evenflow.metrics.windows import in_window
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import (
    connected,
    join_chunks,
    merge_sorted,
    read_table,
    with_run_enum,
    write_query,
    write_table,
)

import polars as pl
import polars.selectors as cs

OF_RECORDS = ("made_by", "observed")  # columns of run: long, and of no metric or finding
MEASURED = {"window": ("run_id",), "flow": FLOW, "run": ("run_id",)}  # and what sorts them


def main(folder: str, inputs: dict[str, list[str]], params: dict, outputs: dict[str, str]) -> None:
    """Read what is known of each chunk of a data set, and write its tables.

    Args:
        folder: the data set.
        inputs: of each chunk shares, parsed_flow, flow, ledger, and measured_<name> of all that
            `read_logs` measures; queries: by which tables are built, in the order of `outputs`.
        params: limits, weight_from, confidence and stalled_s; config.yaml explains them.
        outputs: path of each table that is written: run, assumption, window, weight, flow_metric,
            run_metric, cell, finding and run_file; of a data set in several chunks flow and ledger.
    """
    limits = Limits(**params["limits"])
    # first, as it imports much: what is left behind in memory that is free again keeps it
    confirmed = read_dataset(folder, limits).confirmed
    queries = {Path(path).stem: Path(path).read_text("utf-8") for path in inputs["queries"]}
    put_together(inputs, queries, outputs)
    build(folder, inputs, queries, limits, outputs)
    known = {"run": read_table(outputs["run"]).drop(OF_RECORDS)}
    known["flow"] = joined(inputs, outputs, "flow")
    metrics = compute_metrics(inputs, known["flow"], known["run"], params)
    for name, table in metrics.items():
        known[name] = table.with_columns(cs.enum().cast(pl.String))
        write_table(known[name], outputs[name])
    del metrics
    known["run"] = in_window(known["run"], known["window"])
    known["ledger"] = joined(inputs, outputs, "ledger").drop("sha256", cs.starts_with("bytes_"))
    known["stream"] = join_chunks(inputs["measured_stream"])
    of_samples = OfSamples(*(join_chunks(inputs[f"measured_{name}"]) for name in OfSamples._fields))
    found = findings_of_runs(known, of_samples, params["stalled_s"], confirmed)
    write_table(found, outputs["finding"])
    del known, of_samples, found  # of 100,000 runs they take half a gigabyte
    write_table(join_chunks(inputs["measured_run_file"], "run_id", "path"), outputs["run_file"])


def put_together(inputs: dict, queries: dict[str, str], outputs: dict[str, str]) -> None:
    """Write flow and ledger of a data set in several chunks, of those of its chunks."""
    for name in queries.keys() & inputs.keys():
        merge_sorted(queries[name], outputs[name], inputs[name])


def build(
    folder: str, inputs: dict, queries: dict[str, str], limits: Limits, outputs: dict[str, str]
) -> None:
    """Write run and assumption."""
    settled = settle_chunks(folder, read_shares(folder, inputs["shares"], limits), limits)
    tables = {f"parsed_{name}": table for name, table in settled.items()}
    tables["parsed_flow"] = inputs["parsed_flow"]
    with connected():
        for name in settled:
            write_query(queries[name], {"dataset_id": Path(folder).name}, outputs[name], **tables)


def joined(inputs: dict, outputs: dict[str, str], name: str) -> pl.DataFrame:
    """Return a table that was put together here, or that of the only chunk."""
    return read_table(outputs.get(name) or inputs[name][0])


def compute_metrics(
    inputs: dict, flow: pl.DataFrame, run: pl.DataFrame, params: dict
) -> dict[str, pl.DataFrame]:
    """Return the tables window, weight, flow_metric, run_metric and cell."""
    flow, run = with_run_enum([flow, run], run)
    parts = (join_chunks(inputs[f"measured_{name}"], *by) for name, by in MEASURED.items())
    window, of_flows, of_runs = with_run_enum(parts, run)
    steady = in_window(run, window)
    with_samples = of_flows.filter(of_flows["n_samples"] > 0)
    weight = calibration_weights(with_samples, flow, steady, params["weight_from"])
    flow_metric = flow_metric_table(of_flows, flow, steady, weight)
    run_metric = run_metric_table(flow_metric, steady, of_runs)
    return {
        "window": window,
        "weight": weight,
        "flow_metric": flow_metric,
        "run_metric": run_metric,
        "cell": cell_table(flow_metric, run_metric, run, params["confidence"]),
    }


if __name__ == "__main__":
    gc.disable()  # no object here is in a cycle; looking for cycles took a quarter of the time
    with reporting_errors(snakemake.log[0], done_without):
        params, outputs = dict(snakemake.params.items()), dict(snakemake.output.items())
        main(params["folder"], dict(snakemake.input.items()), params, outputs)
