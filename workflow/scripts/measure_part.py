"""Measure the runs of a part of a large data set: all that reads their samples.

What is made of all runs together is computed of what this leaves of each part, so that a run more
has no other part read.
"""

from evenflow.checks import findings_of_samples
from evenflow.metrics.measured import measure, measured_cases
from evenflow.metrics.windows import in_window
from evenflow.provenance.run_files import AT_TIME, run_files
from evenflow.scripting import reporting_errors
from evenflow.table_names import EVENTS
from evenflow.tables import OF_SAMPLE, read_table, scan_table, with_run_enum, write_table

import polars as pl

TABLES = ("run", "flow", "sample", "ledger", "stream", "summary", "interval")
COPY = "\x00"  # after the name of a run


def main(inputs: dict[str, str], settings: dict, outputs: dict[str, str]) -> None:
    """Read the tables of the part; write what was measured.

    Args:
        inputs: paths of TABLES, EVENTS and file; run as the part knows it (`parse.parse_part`).
        settings: warmup_s, steady_state and nru; config.yaml explains them.
        outputs: paths of window, flow and run (`measured.measure`), case
            (`measured.measured_cases`), found, extents and sampled (`checks.OfSamples`), stream
            (with the path of its log) and run_file.
    """
    tables = {name: read_table(inputs[name]) for name in TABLES}
    run, sample, ledger = (tables[name] for name in ("run", "sample", "ledger"))
    measured = measure_runs(sample.select(OF_SAMPLE), tables["flow"], run, settings)
    window = measured["window"]
    paths = read_table(inputs["file"], ["file_id", "path"])
    tables["stream"] = measured["stream"] = tables["stream"].join(paths, on="file_id")
    of_samples = findings_of_samples(tables | {"run": in_window(run, window)})
    measured |= of_samples._asdict()
    events = [scan_table(inputs[name]).select(AT_TIME) for name in EVENTS]
    measured["run_file"] = run_files(ledger, sample, run, window, events)
    for name, path in outputs.items():
        write_table(measured[name], path)


def measure_runs(
    sample: pl.DataFrame, flow: pl.DataFrame, run: pl.DataFrame, settings: dict
) -> dict[str, pl.DataFrame]:
    """Return the tables window, flow, run and case of the part.

    A single run is measured next to a copy of itself: Polars divides by a column of one value
    otherwise than by others, so that the last digit would tell how a data set was parted.
    """
    tables = [sample, flow, run]
    if len(run) == 1:
        copies = (table.with_columns(pl.col("run_id") + COPY) for table in tables)
        tables = [pl.concat(pair) for pair in zip(tables, copies, strict=True)]
    sample, flow, run = with_run_enum(tables, tables[2])
    nru = settings["nru"]
    window, *found = measure(sample, flow, run, settings["warmup_s"], nru["floor_segments"])
    cases = measured_cases(sample, flow, in_window(run, window), settings["steady_state"], nru)
    words = (
        table.with_columns(pl.col("run_id").cast(pl.String)) for table in (window, *found, cases)
    )
    without = (table.filter(~pl.col("run_id").str.ends_with(COPY)) for table in words)
    return dict(zip(("window", "flow", "run", "case"), without, strict=True))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, outputs = dict(snakemake.params.items()), dict(snakemake.output.items())
        main(snakemake.input, params, outputs)
