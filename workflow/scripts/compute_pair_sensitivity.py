"""Compute the metrics of high-speed-fairness over other parts of each run."""

from evenflow.high_speed_windows import pair_sensitivity
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table

NAMES = ("run", "flow", "sample", "window")


def main(inputs: dict[str, list[str]], parts: list[str], output: str) -> None:
    """Read the tables of the data set in each part (lists in their order)."""
    tables = {
        part: {name: read_table(inputs[name][i]) for name in NAMES} for i, part in enumerate(parts)
    }
    write_table(pair_sensitivity(tables), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.parts, snakemake.output[0])
