"""Compute how the verdicts of ns-2 against a testbed move with the start of the steady state."""

import polars as pl
from evenflow.scripting import reporting_errors
from evenflow.surfaces import index_on_the_grid, verdict_sensitivity
from evenflow.tables import write_table

CASE = ["parameter", "value"]
OF_WINDOW = ["warmup_s", "warmup_mser5"]


def cases(sensitivity: str) -> dict[tuple, pl.DataFrame]:
    """Return the run metrics of every start of the steady state: {(parameter, value): table}."""
    table = pl.read_parquet(sensitivity).filter(pl.col("parameter").is_in(OF_WINDOW))
    return table.partition_by(CASE, as_dict=True)


def main(inputs: dict[str, str], statistics: dict, output: str) -> None:
    """Read run and sensitivity of both sides; write a difference table for each case."""
    sides = ("simulation", "testbed")
    runs = [pl.read_parquet(inputs[f"{side}_run"]) for side in sides]
    metrics = [cases(inputs[f"{side}_sensitivity"]) for side in sides]
    tables = {
        case: [index_on_the_grid(run, of[case]) for run, of in zip(runs, metrics, strict=True)]
        for case in sorted(metrics[0].keys() & metrics[1].keys(), key=str)
    }
    settings = {"margin": statistics["equivalence_margin_jfi"]}
    settings |= {key: statistics[key] for key in ("confidence", "fdr")}
    write_table(verdict_sensitivity(tables, settings), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.statistics, snakemake.output[0])
