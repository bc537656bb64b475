"""Compute pair_metric, pair_cell, rtt_fit and pair_share of high-speed-fairness."""

import polars as pl
from evenflow.high_speed import pair_cells, pair_metrics, rtt_fits, share_matrix
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table

NAMES = ("run", "flow", "flow_metric", "run_metric")


def main(inputs: dict[str, list[str]], parts: list[str], confidence: float, outputs: dict) -> None:
    """Read the tables of the data set in each part (lists in their order); write the paper's."""
    metrics = {
        part: pair_metrics(*(read_table(inputs[name][i]) for name in NAMES))
        for i, part in enumerate(parts)
    }
    cells = pair_cells(metrics)
    named = [
        table.select(pl.lit(part).alias("part"), pl.all())
        for part, table in sorted(metrics.items())
    ]
    write_table(pl.concat(named), outputs["pair_metric"])
    write_table(cells, outputs["pair_cell"])
    write_table(rtt_fits(cells, confidence), outputs["rtt_fit"])
    write_table(share_matrix(cells), outputs["pair_share"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.parts, params.confidence, snakemake.output)
