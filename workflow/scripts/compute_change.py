"""Set the runs with one thing changed beside the same cells of the testbed."""

from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table
from evenflow.why import change_table, factor, run_values


def main(base: list[str], changed: list[str], confidence: float, output: str) -> None:
    """Read run, run_metric and flow_metric of both data sets; write the cells that both have."""
    before = run_values(*map(read_table, base))
    after = run_values(*map(read_table, changed)).with_columns(factor("changed").alias("what"))
    write_table(change_table(before, after, confidence), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        confidence = snakemake.params.confidence
        main(snakemake.input.base, snakemake.input.changed, confidence, snakemake.output[0])
