"""Compute the table `finding`: what about a data set cannot be quite right."""

from evenflow.checks import finding_table
from evenflow.metrics.windows import in_window
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table

TABLES = ("run", "flow", "sample", "ledger", "flow_metric", "window")
PARSED = ("file", "stream", "summary", "interval")


def main(inputs: dict[str, str], stalled_s: float, output: str) -> None:
    """Read the tables of a data set, and what its logs say of themselves; write finding."""
    tables = {name: read_table(inputs[name]) for name in TABLES}
    tables["run"] = in_window(tables["run"], tables["window"])
    parsed = {name: read_table(inputs[name]) for name in PARSED}
    paths = parsed.pop("file").select("file_id", "path")
    parsed["stream"] = parsed["stream"].join(paths, on="file_id")
    write_table(finding_table(tables | parsed, stalled_s), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.stalled_s, snakemake.output[0])
