"""Compute the table `finding`: what about a data set cannot be quite right."""

from evenflow.checks import OfSamples, findings_of_runs, findings_of_samples
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import join_parts, read_table, write_table

OF_RUNS = ("run", "flow", "ledger", "flow_metric", "run_metric", "window")
FROM_LOGS = ("sample", "stream", "summary", "interval")


def main(inputs: dict, stalled_s: float, output: str) -> None:
    """Read the tables of a data set, and what its logs say of themselves; write finding.

    Args:
        inputs: paths of OF_RUNS, of run_metric where it is known; and of FROM_LOGS and file, or
            of a data set in parts, lists of paths, measured_stream and those of `OfSamples`
            (`measure_part`).
        stalled_s: a flow that carries nothing for longer, seconds, is named.
        output: path of finding.
    """
    tables = {name: read_table(inputs[name]) for name in OF_RUNS if name in inputs}
    tables["run"] = in_window(tables["run"], tables["window"])
    if "sample" in inputs:
        tables |= {name: read_table(inputs[name]) for name in FROM_LOGS}
        paths = read_table(inputs["file"], ["file_id", "path"])
        tables["stream"] = tables["stream"].join(paths, on="file_id")
        of_samples = findings_of_samples(tables)
    else:
        tables["stream"] = join_parts(inputs["measured_stream"])
        parts = (join_parts(inputs[f"measured_{name}"]) for name in OfSamples._fields)
        of_samples = OfSamples(*parts)
    write_table(findings_of_runs(tables, of_samples, stalled_s), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = dict(snakemake.input.items())
        main(inputs, snakemake.params.stalled_s, snakemake.output[0])
