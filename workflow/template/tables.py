"""Tables in print: each function writes reports/PAPER_NAME/tables/<its name>.md."""

import polars as pl
from evenflow.kit.names import heading_of, mean_of_means, measured
from evenflow.kit.tables import groups, in_order, named, printed
from evenflow.papers import paper

METRICS = ["jfi", "throughput_ratio", "utilisation"]
METRICS += ["mean_throughput_bps_flow1", "mean_throughput_bps_flow2"]


@paper.table
def metrics(cell: pl.DataFrame) -> str:
    """Write each metric over all scenarios, a row a metric."""
    mean = pl.col("mean")
    return printed(
        groups(in_order(cell, metric=METRICS), "metric"),
        {"Metric": named("metric", heading_of)},
        {
            "Scenarios": pl.len(),
            "Runs": pl.col("n").sum(),
            "Min": measured(mean.min()),
            "Mean": measured(mean_of_means()),
            "Max": measured(mean.max()),
        },
    )
