"""Fairness between flows of different round-trip times: fairness ratio, RTT ratio, exponent.

LHBO: Lee, Hespanha, Bohacek and Obraczka, *A study of TCP fairness in high-speed networks*.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import scipy  # loads scipy.stats, which takes a second, when it is first used

from ..evidence.runs import LIST, gathered, once
from ..statistics.factors import free_factors
from ..statistics.repeats import cell_statistics, correlation, cut_intervals, with_geometric_means
from .fairness import FLOW, compared, mean_over_time, sample_length

RTT = {"measured": "mean_rtt_s", "base": "base_rtt_s"}
PREDICTORS = (
    *("bpdd", "bpdd_foreground", "bpdd_background", "p", "p_foreground"),
    *("time_above_s", "cov", "cov_background"),
)
SHARES = ("p", "p_foreground")
PREDICTED = ("fairness_ratio_12", "beta_measured")
# metrics that spread over factors: their mean is the geometric one, their interval is of the
# logarithm, and correlations are of the logarithm
ON_LOG = r"^(fairness_ratio|rtt_ratio)_|^bpdd$"
ALL = "all"  # kinds of background traffic together
RTT_EXPONENT = {
    "run_id": pl.String,
    "rtt": pl.String,
    "beta": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "n_flows": pl.Int64,
    "n_pairs": pl.Int64,
}
CORRELATION = {
    "ccas": pl.String,
    "aqm": pl.String,
    "background": pl.String,
    "x": pl.String,
    "y": pl.String,
    "method": pl.String,
    "n": pl.Int64,
    "r": pl.Float64,
    "ci_low": pl.Float64,
    "ci_high": pl.Float64,
    "p_value": pl.Float64,
}


def flow_means(flow_metrics: pl.DataFrame, window: pl.DataFrame, flows: pl.DataFrame):
    """Return mean throughput and mean RTT of every compared flow over the steady state.

    Args:
        flow_metrics: the table `flow_metric`.
        window: samples of the steady state (`windows.steady_state`); rtt_s of 0 says that nothing
            was measured yet.
        flows: the table `flow`.

    Returns:
        run_id, flow_id, mean_throughput_bps, mean_rtt_s (over time; null where no log says it),
        base_rtt_s.
    """
    mean_rtt_s = mean_over_time(pl.col("rtt_s"), sample_length())
    rtt = (
        window.filter(pl.col("rtt_s") > 0)
        .sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
    )
    return (
        compared(flows)
        .select(*FLOW, "base_rtt_s")
        .join(flow_metrics.select(*FLOW, "mean_throughput_bps"), on=FLOW, how="left")
        .join(rtt.agg(mean_rtt_s=mean_rtt_s), on=FLOW, how="left")
        .sort(FLOW)
    )


def fairness_ratios(means: pl.DataFrame) -> pl.DataFrame:
    """Return the table `fairness_ratio`: FR_ij = Thru_i / Thru_j of every pair of flows, i < j.

    LHBO, equation 2, where it would be RTT_j / RTT_i. The paper prints an RTT ratio of
    1.53 to 1.55 for propagation delays of 45 and 90 ms, so its RTTs include the queue: rtt_ratio is
    of the measured means, base_rtt_ratio of the RTTs without queueing.

    Args:
        means: result of `flow_means`.
    """
    pairs = means.join(means, on="run_id", suffix="_j").filter(
        pl.col("flow_id") < pl.col("flow_id_j")
    )
    throughput_i, throughput_j = pl.col("mean_throughput_bps"), pl.col("mean_throughput_bps_j")
    return pairs.select(
        "run_id",
        flow_i="flow_id",
        flow_j="flow_id_j",
        throughput_i_bps=throughput_i,
        throughput_j_bps=throughput_j,
        fairness_ratio=pl.when(throughput_j > 0).then(throughput_i / throughput_j),
        rtt_i_s="mean_rtt_s",
        rtt_j_s="mean_rtt_s_j",
        rtt_ratio=pl.col("mean_rtt_s_j") / pl.col("mean_rtt_s"),
        base_rtt_ratio=pl.col("base_rtt_s_j") / pl.col("base_rtt_s"),
    ).sort("run_id", "flow_i", "flow_j")


def rtt_exponent(throughput_bps: np.ndarray, rtt_s: np.ndarray, confidence: float) -> dict:
    """Fit beta in FR_ij = (RTT_j / RTT_i)^beta to all pairs of the flows of a run.

    Least squares of log FR on log RTT ratio through the origin. The N (N - 1) / 2 pairs are not
    independent: each is a difference of two of N flows. The fit is the same as that of a line with
    an intercept through the flows themselves, log Thru = c - beta log RTT, whose N - 2 degrees of
    freedom give the interval (LHBO, section I, for 1 <= beta < 2).

    Args:
        throughput_bps, rtt_s: of each flow, shape (N,).
        confidence: of the interval.

    Returns:
        beta, ci_low, ci_high (null for two flows), n_flows, n_pairs; beta is null where a
        throughput or an RTT is not known or not above 0, or all RTTs are the same.
    """
    n = len(throughput_bps)
    found: dict[str, float | None] = {"beta": None, "ci_low": None, "ci_high": None}
    found |= {"n_flows": n, "n_pairs": n * (n - 1) // 2}
    usable = n > 1 and np.all(throughput_bps > 0) and np.all(rtt_s > 0)  # false for NaN
    if not usable or np.ptp(rtt_s) == 0:
        return found
    fit = scipy.stats.linregress(-np.log(rtt_s), np.log(throughput_bps))
    beta = found["beta"] = float(fit.slope)
    if n > 2:
        half = float(scipy.stats.t.ppf((1 + confidence) / 2, n - 2) * fit.stderr)
        found |= {"ci_low": beta - half, "ci_high": beta + half}
    return found


def rtt_exponents(means: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the table `rtt_exponent`, a row a run for each kind of RTT; see `rtt_exponent`."""
    rows = []
    for (run_id,), of_run in means.sort(FLOW).group_by("run_id", maintain_order=True):
        throughput_bps = of_run["mean_throughput_bps"].fill_null(np.nan).to_numpy()
        for rtt, column in sorted(RTT.items()):
            rtt_s = of_run[column].fill_null(np.nan).to_numpy()
            fit = rtt_exponent(throughput_bps, rtt_s, confidence)
            rows.append({"run_id": run_id, "rtt": rtt, **fit})
    return pl.DataFrame(rows, schema=RTT_EXPONENT).sort("run_id", "rtt")


def burst_cells(
    burst: pl.DataFrame,
    ratios: pl.DataFrame,
    exponents: pl.DataFrame,
    runs: pl.DataFrame,
    confidence: float,
) -> pl.DataFrame:
    """Return the table `burst_cell`: mean and interval of every metric over a scenario's repeats.

    Args:
        burst, ratios, exponents, runs: the tables `burst_metric`, `fairness_ratio`, `rtt_exponent`
            and `run`.
        confidence: of Student's t interval (`statistics.mean_interval`), cut where the metric ends:
            all but the exponents are not negative, P is a share of the flows.

    Returns:
        What `cell_statistics` gives, and `cut`. Mean and interval of FR, of the RTT ratio and of
        BPDD (`ON_LOG`) are those of the logarithm (`with_geometric_means`).
    """
    of_runs = burst.select(
        "run_id",
        pl.col("n_events").cast(pl.Float64),
        *("flows_losing", "event_interval_s", *PREDICTORS),
    ).unpivot(index="run_id", variable_name="metric")
    nothing = pl.col("throughput_j_bps") == 0
    endless = ratios.with_columns(
        pl.when(nothing).then(math.inf).otherwise("fairness_ratio").alias("fairness_ratio")
    )
    name = pl.format("{}_{}{}", "metric", "flow_i", "flow_j").alias("metric")
    of_pairs, with_endless = (
        table.unpivot(
            ["fairness_ratio", "rtt_ratio"],
            index=["run_id", "flow_i", "flow_j"],
            variable_name="metric",
        ).select("run_id", name, "value")
        for table in (ratios, endless)
    )
    of_fits = exponents.select("run_id", pl.format("beta_{}", "rtt").alias("metric"), value="beta")
    scenario = runs.select("run_id", "scenario_id")
    values = pl.concat([of_runs, of_pairs, of_fits]).join(scenario, on="run_id")
    on_log = pl.concat([of_runs, with_endless]).filter(pl.col("metric").str.contains(ON_LOG))
    on_log = on_log.join(scenario, on="run_id")
    n_flows = (
        exponents.join(scenario, on="run_id")
        .group_by("scenario_id", maintain_order=True)
        .agg(pl.max("n_flows"))
    )
    cells = with_geometric_means(cell_statistics(values, confidence), on_log, confidence)
    exponent, share = pl.col("metric").str.starts_with("beta"), pl.col("metric").is_in(SHARES)
    losing = pl.col("metric") == "flows_losing"
    return cut_intervals(
        cells.join(n_flows, on="scenario_id", how="left", maintain_order="left"),
        pl.when(~exponent).then(0.0),
        pl.when(share).then(1.0).when(losing).then(pl.col("n_flows").cast(pl.Float64)),
    ).drop("n_flows")


def burst_correlations(cells: pl.DataFrame, runs: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the table `burst_correlation`: does burstiness predict unfairness across scenarios?

    A scenario is one point, the mean of its repeats (LHBO, Figures 5 to 7), whatever the
    number of repeats. Scenarios are compared within one set of congestion controls and one queue.
    FR and BPDD enter with their logarithm (`ON_LOG`).

    Args:
        cells: the table `burst_cell`.
        runs: the table `run`, whose factor `background` says the kind of background traffic.
        confidence: of the intervals (`statistics.correlation`).

    Returns:
        With the column runs: those of the scenarios that are points (`evidence.runs`).
    """
    logged = pl.when(pl.col("metric").str.contains(ON_LOG)).then(pl.col("mean").log())
    value = logged.otherwise("mean")
    finite = pl.when(value.is_finite()).then(value)
    wide = cells.with_columns(value=finite).pivot("metric", index="scenario_id", values="value")
    kinds = [factors.get("background") for factors in free_factors(runs)]
    runs = runs.with_columns(background=pl.Series(kinds, dtype=pl.String))
    ref = pl.format("{}/{}", "dataset_id", "run_id")
    scenarios = (
        runs.group_by("scenario_id", maintain_order=True)
        .agg(pl.col("ccas", "aqm", "background").first(), gathered(ref).alias("runs"))
        .join(wide, on="scenario_id")
        .sort("scenario_id")
    )
    groups = pl.concat(
        [
            scenarios.filter(pl.col("background").is_not_null()),
            scenarios.with_columns(background=pl.lit(ALL)),
        ]
    )
    names = ("ccas", "aqm", "background")
    rows = []
    for key, group in groups.group_by(names, maintain_order=True):
        for y in PREDICTED:
            for x in PREDICTORS:
                if {x, y} <= set(group.columns):
                    known = group.drop_nulls([x, y])
                    points = known.select(x, y).to_numpy()
                    named = dict(zip(names, key, strict=True)) | {"x": x, "y": y}
                    for method in ("pearson", "spearman"):
                        found = correlation(points[:, 0], points[:, 1], method, confidence)
                        of_runs = once(known["runs"].explode().drop_nulls())
                        rows.append({**named, "method": method, **found, "runs": of_runs})
    return pl.DataFrame(rows, schema=CORRELATION | {"runs": LIST}).sort(*names, "x", "y", "method")
