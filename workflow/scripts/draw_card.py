"""Draw the figure that shows what a paper found as PNG, for sites that show it beside a link."""

from evenflow.charts.base import save_picture
from evenflow.runs.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        save_picture(snakemake.input.svg, snakemake.output.png)
