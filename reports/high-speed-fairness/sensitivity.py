"""The metrics of `high-speed-fairness` over other parts of a run than the steady state.

The paper takes its means 'over the duration of the experiment (600 seconds)', flow 2 begins after
60 s, and it discards nothing; we leave out the first 120 s. MSER-5 chooses a warm-up for each run.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from evenflow.metrics.fairness import FLOW, mean_throughput
from evenflow.metrics.tables import run_metrics
from evenflow.metrics.windows import in_window, mser5_warmup, steady_state
from evenflow.papers import paper

from .metrics import pair_metrics

STEADY = "steady"
# part of a run -> its name in print
WINDOWS = {
    "own": "Each flow's own time",
    "together": "From flow 2's start",
    STEADY: "Steady state",
    "mser5": "From MSER-5's warm-up",
    "common": "Steady state, cut to the shorter runs",
    "half": "Second half",
}


def over_windows(parts: Mapping[str, Mapping[str, pl.DataFrame]]) -> pl.DataFrame:
    """Return the table `pair_sensitivity`: `pair_metrics` over each of WINDOWS.

    own: each flow's bytes over the time from its start to its end, as iperf's last line has it and
    the paper's words suggest. together: both flows from the start of flow 2. steady: as in
    `pair_metric`. mser5: from where MSER-5 ends the run's warm-up. common: the steady state, but no
    longer than the data set with the shorter runs. half: the second half of the run.

    Args:
        parts: {part: {run, flow, sample, window} of its data set}.

    Returns:
        part, window and the columns of `pair_metrics`, sorted by part, window, run_id; from_s, the
        run's time before which samples are left out (null for `own`).
    """
    ends = [tables["window"]["end_s"].max() for tables in parts.values()]
    common_end_s = min((end for end in ends if end is not None), default=float("inf"))
    found = []
    for part, tables in parts.items():
        for window, (means, begin) in window_means(tables, common_end_s).items():
            run, flow = tables["run"], tables["flow"]
            metric = (
                flow.select(FLOW)
                .join(means.select(*FLOW, "mean_throughput_bps"), on=FLOW, how="left")
                .with_columns(flow_nru_db=pl.lit(None, pl.Float64))
            )
            pairs = pair_metrics(run, flow, metric, run_metrics(metric, run))
            named = (pl.lit(part).alias("part"), pl.lit(window).alias("window"))
            found.append(pairs.join(begin, on="run_id", how="left").select(*named, pl.all()))
    return pl.concat(found).sort("part", "window", "run_id")


def window_means(
    tables: Mapping[str, pl.DataFrame], common_end_s: float
) -> dict[str, tuple[pl.DataFrame, pl.DataFrame]]:
    """Return {window: (run_id, flow_id, mean_throughput_bps; run_id, from_s)} of one data set.

    Args:
        tables: run, flow, sample, window.
        common_end_s: where `common` ends, seconds on the run's clock.
    """
    flow, sample = tables["flow"], tables["sample"]
    runs = in_window(tables["run"], tables["window"])
    of_run = (
        sample.group_by("run_id", maintain_order=True)
        .agg(
            (pl.col("t_end_s") - pl.col("t_start_s")).median().alias("interval_s"),
            pl.col("t_end_s").max().alias("last_s"),
        )
        .join(flow.group_by("run_id").agg(pl.col("start_s").max().alias("start2_s")), on="run_id")
    )
    runs = runs.join(of_run, on="run_id", how="left")
    end_s = pl.coalesce("end_s", "last_s")
    moved = {
        # steady_state lets in the sample that ends at warmup_s: one interval later it does not
        "together": runs.with_columns(warmup_s=pl.col("start2_s") + pl.col("interval_s")),
        STEADY: runs,
        "mser5": mser5_warmup(sample, flow, runs),
        "common": runs.with_columns(end_s=pl.min_horizontal(end_s, pl.lit(common_end_s))),
        "half": runs.with_columns(warmup_s=end_s / 2),
    }
    found = {
        name: (
            mean_throughput(steady_state(sample, these)),
            these.select("run_id", from_s="warmup_s"),
        )
        for name, these in moved.items()
    }
    own = (
        sample.group_by(FLOW, maintain_order=True)
        .agg(pl.col("bytes").sum(), pl.col("t_end_s").max())
        .join(flow.select(*FLOW, "start_s"), on=FLOW)
        .with_columns(
            mean_throughput_bps=8 * pl.col("bytes") / (pl.col("t_end_s") - pl.col("start_s"))
        )
    )
    never = runs.select("run_id", pl.lit(None, pl.Float64).alias("from_s"))
    return {name: ((own, never) if name == "own" else found[name]) for name in WINDOWS}


@paper.metric
def pair_sensitivity(run, flow, sample, window) -> pl.DataFrame:
    """Return the metrics of each run over other parts of it."""
    return over_windows(
        {
            part: {
                "run": run[part],
                "flow": flow[part],
                "sample": sample[part].collect(),
                "window": window[part],
            }
            for part in run
        }
    )


@paper.metric
def own_average(pair_sensitivity) -> pl.DataFrame:
    """Return how the paper's own averaging moves each run: part, run_id, jfi, jfi_own, moved."""
    wide = pair_sensitivity.filter(window=STEADY).join(
        pair_sensitivity.filter(window="own").select("part", "run_id", jfi_own="jfi"),
        on=["part", "run_id"],
        maintain_order="left",
    )
    moved = pl.col("jfi_own") - pl.col("jfi")
    return wide.select("part", "run_id", "jfi", "jfi_own", moved=moved)


@paper.metric
def warmup_run(pair_sensitivity) -> pl.DataFrame:
    """Return where MSER-5 and we end the warm-up of each run: part, run_id, mser5_s, steady_s."""
    begins = [
        pair_sensitivity.filter(window=window).select(
            "part", "run_id", pl.col("from_s").alias(name)
        )
        for window, name in (("mser5", "mser5_s"), (STEADY, "steady_s"))
    ]
    return begins[0].join(begins[1], on=["part", "run_id"], maintain_order="left")
