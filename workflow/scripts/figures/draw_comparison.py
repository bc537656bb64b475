"""Draw where two data sets differ; empty files where they have no cell in common."""

from evenflow.charts.base import save_figure
from evenflow.charts.differences import difference_chart, verdict_chart
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import read_table


def main(difference: str, surfaces: str, verdicts: str) -> None:
    """Read a difference table; draw its surfaces and verdicts."""
    table = read_table(difference)
    for chart, output in ((difference_chart, surfaces), (verdict_chart, verdicts)):
        save_figure(chart(table) if len(table) else None, output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        outputs = snakemake.output
        main(snakemake.input.difference, outputs.surfaces, outputs.verdicts)
