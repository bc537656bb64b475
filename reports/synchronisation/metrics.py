"""Tables of the paper: its runs, its scenarios as points of its figures, its printed values."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from evenflow.errors import DataError
from evenflow.papers import paper
from evenflow.statistics.factors import free_factors
from evenflow.statistics.repeats import cell_statistics, cut_intervals

from .design import CASES, CASES_OF_ITEM, FACTORS, SACK_DROPTAIL, SCENARIO, in_order, select

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
    if _placed(runs).is_empty():
        problem = f"{dataset} cannot be the simulation of synchronisation: no run says its "
        problem += "background traffic, its queue and its flows' variant"
        remedy = (
            "give its runs the factors background (pareto, exponential, ftp, http or none) and "
            "load, aqm, and one cca for all flows"
        )
        raise DataError(problem, path=f"{dataset}/dataset.yml", remedy=remedy)


def _placed(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with a place in the paper, with the columns of SCENARIO."""
    factors = free_factors(runs)
    columns = {
        name: pl.Series([row.get(name) for row in factors], dtype=dtype, strict=False)
        for name, dtype in FACTORS.items()
    }
    variants = pl.col("ccas").str.split("-").list.unique()
    return (
        runs.with_columns(**columns)
        .filter(
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
    """Return background traffic in words: '40 x 5 Mb/s', 'FTP1', 'HTTP3', 'none'.

    Args:
        factors: background, load, sources, source_kbps (the rate of one while it is on).
    """
    kbps, sources = factors["source_kbps"], factors["sources"]
    if factors["background"] in ON_OFF and kbps is not None and sources is not None:
        rate = f"{kbps / 1000:g} Mb/s" if kbps >= 1000 else f"{kbps:g} kb/s"
        return f"{sources:g} × {rate}"
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
        share_full and time_full_s: the share of the time that the queue was nearly full, and the
        time a drop event (null where the simulation did not count it).

    Raises:
        DataError: no run has a place (`check_runs`).
    """
    check_runs(run)
    first = fairness_ratio.filter(pl.col("flow_i") == 1, pl.col("flow_j") == 2).select(
        "run_id",
        fairness_ratio_12="fairness_ratio",
        rtt_ratio_12="rtt_ratio",
        base_rtt_ratio_12="base_rtt_ratio",
    )
    betas = [
        rtt_exponent.filter(rtt=rtt).select("run_id", pl.col("beta").alias(f"beta_{rtt}"))
        for rtt in ("measured", "base")
    ]
    placed = _placed(run)
    shares = [_share_full(text) for text in placed["observed"]]
    table = placed.select(
        *SCENARIO, "run_id", "repeat", "seed", share_full=pl.Series(shares, dtype=pl.Float64)
    )
    for part in (burst_metric, first, *betas):
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


@paper.metric
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
    return in_order(scenarios.with_columns(few_events=few))


@paper.metric
def printed(published: pl.DataFrame, scenario: pl.DataFrame) -> pl.DataFrame:
    """Return the printed values with ours beside them.

    Args:
        published: published.csv, all strings.
        scenario: of this module.

    Returns:
        The columns of `published`, value as a number and printed, its digits; metric, the column of
        `scenario`; and measured, low, high, n_runs, n_events, n_scenarios, few_events. Of several
        scenarios measured is the mean, without an interval; of none null.

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
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


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


@paper.metric
def gap_mean(burst_sensitivity: pl.DataFrame, placed_run: pl.DataFrame) -> pl.DataFrame:
    """Return bpdd and p of each SACK scenario under DropTail by gap, means over its runs."""
    columns = ["scenario_id", "background", "label"]
    return (
        select(placed_run, **SACK_DROPTAIL)
        .select("run_id", *columns)
        .with_row_index("order")
        .join(burst_sensitivity, on="run_id")
        .group_by(*columns, "gap_s", "is_default")
        .agg(pl.col("bpdd", "p", "n_events").mean(), pl.col("order").min())
        .sort("order", "gap_s")
        .drop("order")
    )
