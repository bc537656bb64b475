"""Compute the table `finding`: what about a data set cannot be quite right."""

from collections.abc import Iterator

from evenflow.checks import OfSamples, findings_of_runs, findings_of_samples
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import read_parts, read_table, write_table

import polars as pl

OF_RUNS = ("run", "flow_metric", "window")
OF_PARTS = ("flow", "sample", "ledger", "file", "stream", "summary", "interval")
KEPT = ("flow", "ledger", "stream")  # of each part


def main(inputs: dict[str, str], stalled_s: float, output: str) -> None:
    """Read the tables of a data set, and what its logs say of themselves; write finding.

    Of those of OF_PARTS the inputs may be lists: the tables of the parts of the data set.
    """
    tables = {name: read_table(inputs[name]) for name in OF_RUNS}
    tables["run"] = in_window(tables["run"], tables["window"])
    kept: dict[str, list[pl.DataFrame]] = {name: [] for name in KEPT}
    of_samples = list(_of_parts(inputs, tables["run"], kept))
    tables |= {name: pl.concat(parts) for name, parts in kept.items()}
    write_table(findings_of_runs(tables, of_samples, stalled_s), output)


def _of_parts(inputs: dict, run: pl.DataFrame, kept: dict[str, list]) -> Iterator[OfSamples]:
    """Yield what the samples of each part say, and keep what checks of all of them need."""
    for part in read_parts(inputs, *OF_PARTS):
        paths = part["file"].select("file_id", "path")
        part["stream"] = part["stream"].join(paths, on="file_id")
        for name, tables in kept.items():
            tables.append(part[name])
        part["run"] = run.join(part["flow"], on="run_id", how="semi", maintain_order="left")
        yield findings_of_samples(part)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.stalled_s, snakemake.output[0])
