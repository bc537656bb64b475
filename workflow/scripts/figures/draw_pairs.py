"""Draw Figures 2 to 9 of high-speed-fairness, and who takes how much from whom."""

from pathlib import Path

from evenflow import high_speed_charts as charts
from evenflow.charts.base import save_chart
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(pair_cell: str, rtt_fit: str, pair_share: str, outputs: list[str]) -> None:
    """Read the tables of the paper; draw a figure an output, which is named after it."""
    cells, fits, shares = map(read_table, (pair_cell, rtt_fit, pair_share))
    draw = {
        "friendliness": lambda: charts.friendliness_chart(cells),
        "intra": lambda: charts.intra_chart(cells),
        "rtt-jfi": lambda: charts.rtt_jfi_chart(cells),
        "rtt-ratio": lambda: charts.rtt_ratio_chart(cells, fits),
        "shares": lambda: charts.matrix_chart(shares),
    }
    for output in outputs:
        name = Path(output).stem
        is_inter = name.startswith("inter-")
        cca = name.removeprefix("inter-")
        save_chart(charts.inter_chart(cells, cca) if is_inter else draw[name](), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        paths = snakemake.input
        main(paths.pair_cell, paths.rtt_fit, paths.pair_share, list(snakemake.output))
