"""Tables in print: each function writes reports/PAPER_NAME/tables/<its name>.md."""

import polars as pl
from evenflow.evidence.cells import made_of
from evenflow.markdown import markdown_table, number
from evenflow.papers import paper
from evenflow.verify.expected import cell_summary

# metric -> its name in print, the unit that it is divided by, decimal places
METRICS = {
    "jfi": ("Jain's fairness index", 1, 3),
    "throughput_ratio": ("Throughput, flow 1 / flow 2", 1, 2),
    "utilisation": ("Utilisation", 1, 3),
    "mean_throughput_bps_flow1": ("Throughput of flow 1 (Mb/s)", 1e6, 1),
    "mean_throughput_bps_flow2": ("Throughput of flow 2 (Mb/s)", 1e6, 1),
}


@paper.table
def metrics(cell: pl.DataFrame) -> str:
    """Write each metric over all scenarios, a row a metric."""
    of_metric = {row["metric"]: row for row in cell_summary(cell).rows(named=True)}
    rows = []
    for metric, (name, unit, digits) in METRICS.items():
        if metric in of_metric:
            row = of_metric[metric]
            values = [row[k] for k in ("min", "mean", "max")]
            shown = [number(None if v is None else v / unit, digits) for v in values]
            behind = cell.filter(metric=metric)  # the rows that the page leads to
            rows.append([name, *made_of(behind, str(row["n_cells"]), str(row["n_runs"]), *shown)])
    header = ["Metric", "Scenarios", "Runs", "Min", "Mean", "Max"]
    return markdown_table(header, rows, numeric_from=1)
