"""The paper `synchronisation`: its scenarios as points of its figures, its closed form, its printed
values.

Foreground are four flows of different RTT, all of one variant; the background is the factor
`background` of a run ('pareto', 'exponential': on-off sources; 'ftp', 'http', 'none'), and `load`
names its parameters.
"""

from __future__ import annotations

import json

import polars as pl

from .errors import DataError
from .statistics.repeats import cell_statistics, cut_intervals
from .tables import read_table

FEW_EVENTS = 20  # a scenario with fewer drop events in all its runs is marked and has no say
HSTCP_EXPONENT = 4.56  # of HSTCP under perfect synchronisation; section I, from Xu et al. 2004
ON_OFF = ("pareto", "exponential")
FACTORS = {
    "background": pl.String,
    "load": pl.String,
    "sources": pl.Float64,
    "source_kbps": pl.Float64,
    "aggregate_mbps": pl.Float64,
}
SCENARIO = ["scenario_id", "variant", "aqm", *FACTORS, "label"]
# order in figures and tables
VARIANTS = ["sack", "highspeed", "scalable"]
AQMS = ["droptail", "red"]
BACKGROUNDS = ["pareto", "exponential", "ftp", "http", "none"]
# what the text and the figures of the paper name, in terms of our scenarios
BURSTY_50 = {"variant": "sack", "aqm": "droptail", "background": "pareto", "sources": 10.0}
SMOOTH_50 = {**BURSTY_50, "sources": 1000.0}
SACK_DROPTAIL = {"variant": "sack", "aqm": "droptail"}
BURSTY_KBPS, SMOOTH_KBPS = 5000.0, 25.0
CASES = {
    "bursty-10-sources": BURSTY_50,
    "smooth-1000-sources": SMOOTH_50,
    "exponential-5Mbps-sources": {
        **SACK_DROPTAIL,
        "background": "exponential",
        "source_kbps": BURSTY_KBPS,
    },
    "exponential-25kbps-sources": {
        **SACK_DROPTAIL,
        "background": "exponential",
        "source_kbps": SMOOTH_KBPS,
    },
    **{
        f"{short}-droptail-{name}": {
            "variant": variant,
            "aqm": "droptail",
            "background": "exponential",
            "source_kbps": kbps,
        }
        for short, variant in (("hstcp", "highspeed"), ("stcp", "scalable"))
        for name, kbps in (("bursty", BURSTY_KBPS), ("smooth", SMOOTH_KBPS))
    },
}
# a case that is a ratio of RTTs: of all scenarios that a figure is about
CASES_OF_ITEM = {
    ("fig1", "flow1-flow2"): {"variant": "sack", "aqm": "droptail", "aggregate_mbps": 50.0},
    ("fig8", "flow1-flow2"): {"aqm": "droptail", "background": "exponential"},
}
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
    lead = f"{dataset} cannot be the simulation of synchronisation"
    if _placed(runs).is_empty():
        problem = f"{lead}: no run says its background traffic, its queue and its flows' variant"
        remedy = (
            "give its runs the factors background (pareto, exponential, ftp, http or none) and "
            "load, aqm, and one cca for all flows"
        )
        raise DataError(problem, path=f"{dataset}/dataset.yml", remedy=remedy)


def _placed(runs: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with a place in the paper, with the columns of SCENARIO."""
    factors = [json.loads(text) if text else {} for text in runs["factors"]]
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


def run_table(
    runs: pl.DataFrame, burst: pl.DataFrame, ratios: pl.DataFrame, exponents: pl.DataFrame
) -> pl.DataFrame:
    """Return a row a run of the paper: SCENARIO, run_id, repeat, seed and every metric.

    Args:
        runs, burst, ratios, exponents: the tables `run`, `burst_metric`, `fairness_ratio` and
            `rtt_exponent`.

    Returns:
        Also fairness_ratio_12, rtt_ratio_12, base_rtt_ratio_12, beta_measured, beta_base;
        share_full and time_full_s: the share of the time that the queue was nearly full, and the
        time a drop event (null where the simulation did not count it).
    """
    first = ratios.filter(pl.col("flow_i") == 1, pl.col("flow_j") == 2).select(
        "run_id",
        fairness_ratio_12="fairness_ratio",
        rtt_ratio_12="rtt_ratio",
        base_rtt_ratio_12="base_rtt_ratio",
    )
    betas = [
        exponents.filter(rtt=rtt).select("run_id", pl.col("beta").alias(f"beta_{rtt}"))
        for rtt in ("measured", "base")
    ]
    placed = _placed(runs)
    shares = [_share_full(text) for text in placed["observed"]]
    table = placed.select(
        *SCENARIO, "run_id", "repeat", "seed", share_full=pl.Series(shares, dtype=pl.Float64)
    )
    for part in (burst, first, *betas):
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


def scenario_table(
    by_run: pl.DataFrame, cells: pl.DataFrame, confidence: float = 0.95
) -> pl.DataFrame:
    """Return a row a scenario, a point of the paper's figures.

    Args:
        by_run: result of `run_table`.
        cells: the table `burst_cell`.
        confidence: of the intervals of time_full_s; those of `cells` have theirs.

    Returns:
        SCENARIO, n_runs, seeds (of its runs, in order), n_events (of all its runs), few_events, and
        for every metric of `burst_cell` and time_full_s <metric>, <metric>_low, <metric>_high (null
        for one run), <metric>_n; base_rtt_ratio_12.
    """
    scenarios = by_run.group_by(SCENARIO, maintain_order=True).agg(
        n_runs=pl.len().cast(pl.Int64),
        seeds=pl.col("seed").sort_by("repeat"),
        n_events=pl.col("n_events").sum(),
        base_rtt_ratio_12=pl.col("base_rtt_ratio_12").mean(),
    )
    names = {"mean": "", "ci_low": "_low", "ci_high": "_high", "n": "_n"}
    full = by_run.select(
        "run_id", "scenario_id", metric=pl.lit("time_full_s"), value=pl.col("time_full_s")
    )
    times = cut_intervals(cell_statistics(full, confidence), pl.lit(0.0), pl.lit(None, pl.Float64))
    metrics = pl.concat([cells, times.select(cells.columns)])
    metrics = metrics.filter(pl.col("metric") != "n_events")
    for column, suffix in names.items():
        wide = metrics.pivot("metric", index="scenario_id", values=column)
        wide = wide.rename({name: f"{name}{suffix}" for name in wide.columns[1:]})
        scenarios = scenarios.join(wide, on="scenario_id", how="left")
    return in_order(scenarios.with_columns(few_events=pl.col("n_events") < FEW_EVENTS))


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    """Sort by variant, queue, background and the burstiness of its sources, smooth first."""
    ranks = [
        pl.col(name).replace_strict({v: i for i, v in enumerate(order)}, default=len(order))
        for name, order in (("variant", VARIANTS), ("aqm", AQMS), ("background", BACKGROUNDS))
    ]
    rest = [name for name in ("repeat", "run_id") if name in table.columns]
    return table.sort(*ranks, "aggregate_mbps", "source_kbps", "load", "scenario_id", *rest)


def select(table: pl.DataFrame, **wanted) -> pl.DataFrame:
    """Return the rows (of runs or scenarios) whose columns have these values."""
    return table.filter(*(pl.col(name) == value for name, value in wanted.items()))


def synchronised_windows(rtts_s: list[float], period_s: float, periods: int) -> pl.DataFrame:
    """Return the windows of flows whose losses are perfectly synchronised, from the closed form.

    Each grows by a packet a round trip, from W/2 to W = 2 T / RTT, and is halved every T seconds
    (section II, Figure 3).

    Args:
        rtts_s: of each flow.
        period_s: T, time between losses.
        periods: how many.

    Returns:
        flow, rtt_s, t_s, window_packets: the corners of the saw teeth, in order.
    """
    rows = []
    for flow, rtt_s in enumerate(rtts_s, 1):
        top = 2 * period_s / rtt_s
        for i in range(periods):
            rows.append((flow, rtt_s, i * period_s, top / 2))
            rows.append((flow, rtt_s, (i + 1) * period_s, top))
        rows.append((flow, rtt_s, periods * period_s, top / 2))
    return pl.DataFrame(rows, schema=["flow", "rtt_s", "t_s", "window_packets"], orient="row")


def theory(rtt_ratio: float) -> dict[str, float]:
    """Return what FR is by theory: without synchronisation, with it, and with it for HSTCP."""
    return {
        "independent": rtt_ratio,
        "synchronised": rtt_ratio**2,
        "synchronised HSTCP": rtt_ratio**HSTCP_EXPONENT,
    }


def read_published(path: str) -> pl.DataFrame:
    """Read published.csv and add metric, the column of `scenario_table`, and printed, the value
    with its digits.

    Raises:
        DataError: a quantity or case that is none of ours.
    """
    words = {"unit": pl.String, "value": pl.String}  # '1' is a unit as well
    table = pl.read_csv(path, schema_overrides=words).with_columns(
        pl.col("value").alias("printed"), pl.col("value").cast(pl.Float64)
    )
    for row in table.rows(named=True):
        known = row["case"] in CASES or (row["item"], row["case"]) in CASES_OF_ITEM
        if row["quantity"] not in QUANTITIES or not known:
            problem = f"no scenario of ours is '{row['case']}' or has '{row['quantity']}'"
            remedy = f"cases: {', '.join(CASES)}; quantities: {', '.join(QUANTITIES)}"
            raise DataError(problem, path=path, remedy=remedy)
    return table.with_columns(metric=pl.col("quantity").replace_strict(QUANTITIES))


def printed_and_measured(published: pl.DataFrame, scenarios: pl.DataFrame) -> pl.DataFrame:
    """Return the printed values with ours beside them.

    Args:
        published: result of `read_published`.
        scenarios: result of `scenario_table`.

    Returns:
        The columns of `published` and measured, low, high, n_runs, n_events, n_scenarios,
        few_events. Of several scenarios measured is the mean, without an interval; of none null.
    """
    rows = []
    for row in published.rows(named=True):
        wanted = CASES.get(row["case"]) or CASES_OF_ITEM[row["item"], row["case"]]
        found = select(scenarios, **wanted)
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


def read_points(inputs: dict[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read the tables of a data set that the points of the figures come from.

    Args:
        inputs: paths of run, burst_metric, fairness_ratio, rtt_exponent and burst_cell.

    Returns:
        Results of `run_table` and `scenario_table`.

    Raises:
        DataError: no run has a place in the paper (`check_runs`).
    """
    names = ("run", "burst_metric", "fairness_ratio", "rtt_exponent", "burst_cell")
    *tables, cells = (read_table(inputs[name]) for name in names)
    check_runs(tables[0])
    by_run = run_table(*tables)
    return by_run, scenario_table(by_run, cells)
