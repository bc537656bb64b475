"""Tables of the paper: its runs, its scenarios as points of its figures, its printed values."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
from evenflow.errors import DataError
from evenflow.evidence.runs import LIST, gathered, once, run_ref
from evenflow.metrics.windows import mser5_warmup, steady_state
from evenflow.papers import paper
from evenflow.statistics.factors import free_factors
from evenflow.statistics.repeats import cell_statistics, cut_intervals, mean_interval

from .design import (
    CASES,
    CASES_OF_ITEM,
    FACTORS,
    LINUX,
    NO_WAITS,
    OWN,
    PART,
    SACK_DROPTAIL,
    SCENARIO,
    in_order,
    select,
    source_rate,
)

FR = "fairness_ratio_12"
AS_IN_THE_ORIGINAL = (pl.col("implementation") == OWN) & pl.col("waits")
ON_OFF = ("pareto", "exponential")
# quantity in published.csv -> metric of the table `burst_cell`
QUANTITIES = {
    "flows_losing_per_drop_event": "flows_losing",
    "fairness_ratio": "fairness_ratio_12",
    "rtt_ratio": "rtt_ratio_12",
    "time_queue_above_97.5pct_per_event": "time_full_s",
    "losses_in_one_event": "bpdd",
    "bpdd": "bpdd",
}


def check_runs(runs: pl.DataFrame) -> None:
    """Refuse a data set that no figure of the paper can be made of.

    Args:
        runs: the table `run`.

    Raises:
        DataError: no run says its background traffic, or has two flows of one congestion control.
    """
    dataset = runs["dataset_id"][0] if len(runs) else "the data set"
    if placed_runs(runs).is_empty():
        problem = f"{dataset} cannot be the simulation of synchronisation: no run says its "
        problem += "background traffic, its queue and its flows' variant"
        remedy = (
            "give its runs the factors background (pareto, exponential, ftp, http or none) and "
            "load, aqm, and one cca for all flows"
        )
        raise DataError(problem, path=f"{dataset}/dataset.yml", remedy=remedy)


def placed_runs(runs: pl.DataFrame, *, changed: bool = False) -> pl.DataFrame:
    """Return the runs with a place in the paper.

    Args:
        runs: the table `run`.
        changed: also those in which one thing is changed (design.py), which are no scenarios:
            senders that are not ns-2's own, or that do not wait before sending.

    Returns:
        The columns of `run` and of SCENARIO; implementation, waits.
    """
    factors = free_factors(runs)
    columns = {
        name: pl.Series([row.get(name) for row in factors], dtype=dtype, strict=False)
        for name, dtype in FACTORS.items()
    }
    variants = pl.col("ccas").str.split("-").list.unique(maintain_order=True)
    implementations = [row.get("implementation", OWN) for row in factors]
    return (
        runs.with_columns(**columns, implementation=pl.Series(implementations, dtype=pl.String))
        .with_columns(waits=~pl.col("load").str.ends_with(NO_WAITS).fill_null(False))
        .filter(
            AS_IN_THE_ORIGINAL | changed,
            pl.col("background").is_not_null(),
            pl.col("aqm").is_not_null(),
            pl.col("n_flows") >= 2,
            variants.list.len() == 1,
        )
        .with_columns(variant=variants.list.first())
        .with_columns(
            label=pl.struct(*FACTORS).map_elements(background_label, return_dtype=pl.String)
        )
    )


def background_label(factors: dict) -> str:
    """Return background traffic in words: '40 × 5 Mb/s', 'FTP1', 'HTTP3', 'none'.

    Args:
        factors: background, load, sources, source_kbps (the rate of one while it is on).
    """
    kbps, sources = factors["source_kbps"], factors["sources"]
    if factors["background"] in ON_OFF and kbps is not None and sources is not None:
        waits = ", no random waits" if (factors["load"] or "").endswith(NO_WAITS) else ""
        return f"{sources:g} × {source_rate(kbps)}{waits}"
    name, *rest = (factors["load"] or factors["background"]).split("-")
    if factors["background"] in ("ftp", "http") and rest:
        return f"{name.upper()}{rest[0]}" + (f" ({', '.join(rest[1:])})" if rest[1:] else "")
    return "-".join([name, *rest])


@paper.metric
def placed_run(
    run: pl.DataFrame,
    burst_metric: pl.DataFrame,
    fairness_ratio: pl.DataFrame,
    rtt_exponent: pl.DataFrame,
) -> pl.DataFrame:
    """Return a row a run with a place in the paper: SCENARIO, run_id, repeat, seed, every metric.

    Returns:
        Also fairness_ratio_12, rtt_ratio_12, base_rtt_ratio_12, beta_measured, beta_base;
        throughput_ratio_41, the throughput of flow 4, of the longest RTT, over flow 1's;
        share_full and time_full_s: the share of the time that the queue was nearly full, and the
        time a drop event (null where the simulation did not count it).

    Raises:
        DataError: no run has a place (`check_runs`).
    """
    check_runs(run)
    return with_metrics(placed_runs(run), burst_metric, fairness_ratio, rtt_exponent)


def with_metrics(
    placed: pl.DataFrame,
    burst_metric: pl.DataFrame,
    fairness_ratio: pl.DataFrame,
    rtt_exponent: pl.DataFrame,
) -> pl.DataFrame:
    """Return placed runs with every metric, in the paper's order; columns of `placed_run`."""
    first = fairness_ratio.filter(pl.col("flow_i") == 1, pl.col("flow_j") == 2).select(
        "run_id",
        fairness_ratio_12="fairness_ratio",
        rtt_ratio_12="rtt_ratio",
        base_rtt_ratio_12="base_rtt_ratio",
    )
    last = fairness_ratio.filter(pl.col("flow_i") == 1, pl.col("flow_j") == 4).select(
        "run_id", throughput_ratio_41=pl.col("throughput_j_bps") / pl.col("throughput_i_bps")
    )
    betas = [
        rtt_exponent.filter(rtt=rtt).select("run_id", pl.col("beta").alias(f"beta_{rtt}"))
        for rtt in ("measured", "base")
    ]
    shares = [_share_full(text) for text in placed["observed"]]
    table = placed.select(
        *SCENARIO, "run_id", "repeat", "seed", share_full=pl.Series(shares, dtype=pl.Float64)
    )
    for part in (burst_metric, first, last, *betas):
        table = table.join(part, on="run_id", how="left")
    per_event = pl.col("share_full") * pl.col("window_s") / pl.col("n_events")
    return in_order(table.with_columns(time_full_s=pl.when(pl.col("n_events") > 0).then(per_event)))


def _share_full(observed: str) -> float | None:
    """Return the share of the whole measured time that the queue was nearly full, if counted.

    The simulation counts all bins at whose end the queue is at 97.5 % or above; the log of the bins
    themselves has a part of the run only.
    """
    queue = (json.loads(observed) if observed else {}).get("queue", {})
    return queue["bins_full"] / queue["bins"] if queue.get("bins") else None


@paper.metric(runs=True)
def scenario(
    placed_run: pl.DataFrame, burst_cell: pl.DataFrame, confidence: float, thresholds: dict
) -> pl.DataFrame:
    """Return a row a scenario, a point of the paper's figures.

    Args:
        placed_run: of this module.
        burst_cell: of the data set.
        confidence: of the intervals of time_full_s; those of `burst_cell` have theirs.
        thresholds: few_events, see paper.yml.

    Returns:
        SCENARIO, n_runs, seeds (of its runs, in order), n_events (of all its runs), few_events, and
        for every metric of `burst_cell` and time_full_s <metric>, <metric>_low, <metric>_high (null
        for one run), <metric>_n; base_rtt_ratio_12.
    """
    return points(placed_run, burst_cell, confidence, thresholds)


def points(
    placed_run: pl.DataFrame, burst_cell: pl.DataFrame, confidence: float, thresholds: dict
) -> pl.DataFrame:
    """Return the scenarios of some runs, with the columns of the table `scenario`."""
    scenarios = placed_run.group_by(SCENARIO, maintain_order=True).agg(
        n_runs=pl.len().cast(pl.Int64),
        seeds=pl.col("seed").sort_by("repeat"),
        n_events=pl.col("n_events").sum(),
        base_rtt_ratio_12=pl.col("base_rtt_ratio_12").mean(),
    )
    names = {"mean": "", "ci_low": "_low", "ci_high": "_high", "n": "_n"}
    full = placed_run.select(
        "run_id", "scenario_id", metric=pl.lit("time_full_s"), value=pl.col("time_full_s")
    )
    times = cut_intervals(cell_statistics(full, confidence), pl.lit(0.0), pl.lit(None, pl.Float64))
    metrics = pl.concat([burst_cell, times.select(burst_cell.columns)])
    metrics = metrics.filter(pl.col("metric") != "n_events")
    for column, suffix in names.items():
        wide = metrics.pivot("metric", index="scenario_id", values=column)
        wide = wide.rename({name: f"{name}{suffix}" for name in wide.columns[1:]})
        scenarios = scenarios.join(wide, on="scenario_id", how="left")
    few = pl.col("n_events") < thresholds["few_events"]
    names = [name for name in metrics["metric"].unique().sort() if name in placed_run.columns]
    runs = (
        placed_run.with_columns(run=run_ref(PART))
        .group_by("scenario_id", maintain_order=True)
        .agg(
            gathered().alias("runs"),
            *(
                gathered(pl.col("run").filter(pl.col(name).is_not_null())).alias(f"runs_{name}")
                for name in names
            ),
        )
    )
    return in_order(scenarios.with_columns(few_events=few)).join(
        runs, on="scenario_id", how="left", maintain_order="left"
    )


@paper.metric
def printed(published: pl.DataFrame, scenario: pl.DataFrame) -> pl.DataFrame:
    """Return the printed values with ours beside them.

    Args:
        published: published.csv, all strings.
        scenario: of this module.

    Returns:
        The columns of `published`, value as a number and printed, its digits; metric, the column of
        `scenario`; and measured, low, high, n_runs, n_events, n_scenarios, few_events, runs. Of
        several scenarios measured is the mean, without an interval; of none null.

    Raises:
        DataError: a quantity or case that is none of ours.
    """
    check_published(published)
    table = published.with_columns(
        pl.col("value").alias("printed"),
        pl.col("value").cast(pl.Float64),
        pl.col("quantity").replace_strict(QUANTITIES).alias("metric"),
    )
    rows = []
    for row in table.rows(named=True):
        wanted = CASES.get(row["case"]) or CASES_OF_ITEM[row["item"], row["case"]]
        found = select(scenario, **wanted)
        found = found.drop_nulls(row["metric"]) if row["metric"] in found.columns else found[:0]
        one = found.row(0, named=True) if len(found) == 1 else {}
        rows.append(
            {
                **row,
                "measured": found[row["metric"]].mean() if len(found) else None,
                "low": one.get(f"{row['metric']}_low"),
                "high": one.get(f"{row['metric']}_high"),
                "n_runs": one.get(f"{row['metric']}_n", found["n_runs"].sum()),
                "n_events": found["n_events"].sum(),
                "n_scenarios": len(found),
                "few_events": bool(found["few_events"].any()),
                "runs": once(found["runs"].explode().drop_nulls()),
            }
        )
    return pl.DataFrame(rows, schema_overrides={"runs": LIST}, infer_schema_length=None)


def check_published(published: pl.DataFrame) -> None:
    """Refuse printed values that no scenario or no metric of ours stands beside.

    Raises:
        DataError: names the line.
    """
    for line, row in enumerate(published.rows(named=True), start=2):
        known = row["case"] in CASES or (row["item"], row["case"]) in CASES_OF_ITEM
        if row["quantity"] not in QUANTITIES or not known:
            raise DataError(
                f"no scenario of ours is '{row['case']}' or has '{row['quantity']}'",
                path=f"reports/{Path(__file__).parent.name}/published.csv",
                line=line,
                remedy=f"cases: {', '.join(CASES)}; quantities: {', '.join(QUANTITIES)}",
            )


@paper.metric(runs=True)
def gap_mean(burst_sensitivity: pl.DataFrame, placed_run: pl.DataFrame) -> pl.DataFrame:
    """Return bpdd and p of each SACK scenario under DropTail by gap, means over its runs."""
    columns = ["scenario_id", "background", "label"]
    return (
        select(placed_run, **SACK_DROPTAIL)
        .select("run_id", *columns)
        .with_row_index("order")
        .join(burst_sensitivity, on="run_id")
        .group_by(*columns, "gap_s", "is_default")
        .agg(
            pl.col("bpdd", "p", "n_events").mean(),
            pl.col("order").min(),
            gathered(run_ref(PART)).alias("runs"),
        )
        .sort("order", "gap_s")
        .drop("order")
    )


@paper.metric
def cutoff(
    sample: pl.LazyFrame,
    flow: pl.DataFrame,
    window: pl.DataFrame,
    placed_run: pl.DataFrame,
    cutoffs_s: list[float],
) -> pl.DataFrame:
    """Return FR of every run for other starts of the steady state.

    Returns:
        SCENARIO, run_id, repeat; mser5_s, the warm-up that MSER-5 estimates, the longest of the
        run's flows; cutoff_s, fairness_ratio_12. A row a run and cut-off.
    """
    runs = placed_run.select(*SCENARIO, "run_id", "repeat")
    windows = window.select("run_id", "warmup_s", "end_s").join(runs, on="run_id", how="semi")
    samples = sample.collect().join(runs, on="run_id", how="semi")
    flows = flow.join(runs, on="run_id", how="semi")
    mser5 = mser5_warmup(samples, flows, windows).select("run_id", mser5_s="warmup_s")
    ratios = [
        ratio_between(samples, windows.with_columns(warmup_s=pl.lit(float(start_s)))).with_columns(
            cutoff_s=pl.lit(float(start_s))
        )
        for start_s in cutoffs_s
    ]
    return in_order(
        runs.join(mser5, on="run_id", how="left").join(pl.concat(ratios), on="run_id")
    ).sort("cutoff_s", maintain_order=True)


def ratio_between(samples: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """Return FR of flows 1 and 2 over a window of each run: run_id, fairness_ratio_12.

    Args:
        samples: the table `sample`.
        windows: run_id, warmup_s, end_s (null: the log's end), seconds on the run's clock.
    """
    inside = steady_state(samples, windows)
    bytes_of = [pl.col("bytes").filter(pl.col("flow_id") == flow).sum() for flow in (1, 2)]
    return (
        inside.group_by("run_id")
        .agg(first=bytes_of[0], second=bytes_of[1])
        .select(
            "run_id",
            fairness_ratio_12=pl.when(pl.col("second") > 0).then(
                pl.col("first") / pl.col("second")
            ),
        )
        .sort("run_id")
    )


@paper.metric(runs=True)
def cutoff_mean(cutoff: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the geometric mean of FR over each scenario's runs by cut-off, of several runs.

    Returns:
        SCENARIO, cutoff_s, n, fairness_ratio_12, its _low and _high (of
        the logarithm), and the least and the most that MSER-5 says: mser5_least_s, mser5_most_s.
    """
    names = [*SCENARIO, "cutoff_s"]
    rows = []
    for key, table in cutoff.drop_nulls("fairness_ratio_12").group_by(names, maintain_order=True):
        if len(table) > 1:
            of_mser5 = {
                "mser5_least_s": table["mser5_s"].min(),
                "mser5_most_s": table["mser5_s"].max(),
            }
            mean = geometric_mean(table["fairness_ratio_12"], "fairness_ratio_12", confidence)
            runs = {"runs": once(table.select(run_ref(PART).alias("run"))["run"])}
            rows.append(dict(zip(names, key, strict=True)) | mean | of_mser5 | runs)
    schema = {name: cutoff.schema[name] for name in names} | {"n": pl.Int64}
    numbers = ["fairness_ratio_12", "fairness_ratio_12_low", "fairness_ratio_12_high"]
    numbers += ["mser5_least_s", "mser5_most_s"]
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(numbers, pl.Float64) | {"runs": LIST})


def geometric_mean(values: pl.Series, name: str, confidence: float) -> dict:
    """Return n, <name>, its _low and its _high: the geometric mean, the logarithm's interval."""
    found = mean_interval(values.log().to_numpy(), confidence)
    ends = {name: found["mean"], f"{name}_low": found["ci_low"], f"{name}_high": found["ci_high"]}
    back = {key: None if value is None else math.exp(value) for key, value in ends.items()}
    return {"n": found["n"], **back}


@paper.metric
def average(
    sample: pl.LazyFrame, flow: pl.DataFrame, run: pl.DataFrame, windows_s: list[list[float]]
) -> pl.DataFrame:
    """Return FR of the runs of Scalable under DropTail averaged over several windows.

    Returns:
        implementation (of the senders), source_kbps, run_id, repeat, lead_s (start of flow 2 less
        that of flow 1), from_s, to_s, fairness_ratio_12; a row a run and window. ns-2's own first,
        bursty sources first.
    """
    implementations = [OWN, LINUX]
    of_scalable = {"variant": "scalable", "aqm": "droptail", "background": "exponential"}
    runs = select(placed_runs(run, changed=True), waits=True, **of_scalable)
    starts = [
        flow.filter(flow_id=number).select("run_id", pl.col("start_s").alias(f"start{number}_s"))
        for number in (1, 2)
    ]
    runs = (
        runs.select("implementation", "source_kbps", "run_id", "repeat")
        .join(starts[0], on="run_id")
        .join(starts[1], on="run_id")
        .with_columns(lead_s=pl.col("start2_s") - pl.col("start1_s"))
        .drop("start1_s", "start2_s")
    )
    samples = sample.collect().join(runs, on="run_id", how="semi")
    parts = [
        runs.select(
            "run_id", warmup_s=pl.lit(float(begin_s)), end_s=pl.lit(float(end_s))
        ).with_columns(from_s=pl.col("warmup_s"), to_s=pl.col("end_s"))
        for begin_s, end_s in windows_s
    ]
    found = [
        part.select("run_id", "from_s", "to_s").join(ratio_between(samples, part), on="run_id")
        for part in parts
    ]
    order = pl.col("implementation").replace_strict(
        {name: i for i, name in enumerate(implementations)}
    )
    return runs.join(pl.concat(found), on="run_id").sort(
        order, -pl.col("source_kbps"), "repeat", "from_s", "to_s"
    )


@paper.metric(runs=True)
def average_mean(average: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the geometric mean of FR over the runs of each sender and source, latest window.

    Returns:
        implementation, source_kbps, n, fairness_ratio_12, its _low and _high.
    """
    late = average.filter(pl.col("from_s") == pl.col("from_s").max()).drop_nulls(FR)
    names = ["implementation", "source_kbps"]
    rows = [
        dict(zip(names, key, strict=True))
        | geometric_mean(table[FR], FR, confidence)
        | {"runs": table.select(run_ref(PART)).to_series().sort().to_list()}
        for key, table in late.group_by(names, maintain_order=True)
    ]
    schema = {name: average.schema[name] for name in names} | {"n": pl.Int64}
    schema |= dict.fromkeys((FR, f"{FR}_low", f"{FR}_high"), pl.Float64) | {"runs": LIST}
    return pl.DataFrame(rows, schema=schema)
