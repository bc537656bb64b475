"""Numbers of the text: each function writes the branch of its name.

The tables carry the place of each row; `say` evaluates an expression and knows its rows.
"""

import polars as pl
from evenflow.evidence.say import Said, count, given, say
from evenflow.papers import paper


@paper.number
def data(run: pl.DataFrame) -> dict:
    return {
        "n_runs": count(run, words="runs of the data set"),
        "n_scenarios": say(run, pl.col("scenario_id").n_unique(), words="scenarios"),
    }


@paper.number
def confidence_pct(confidence: float) -> Said:
    return given("confidence", 100 * confidence, confidence)


@paper.number
def throughput(flow_metric: pl.DataFrame) -> dict:
    mbps = pl.col("mean_throughput_bps") / 1e6
    return {
        "min_mbps": say(flow_metric, mbps.min(), digits=1),
        "max_mbps": say(flow_metric, mbps.max(), digits=1),
    }
