"""Two flows of six congestion controls on a fast link: the tables of `high-speed-fairness`.

A run's view follows from its flows: NewReno first against another is `friendliness`, two alike are
`intra`, two alike of different RTTs `rtt`, two high-speed ones `inter`. A cell is a view, a queue,
the two congestion controls and the two RTTs, of one data set.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import polars as pl
import scipy  # loads scipy.stats, which takes a second, when it is first used
from evenflow.congestion_controls import variant_name
from evenflow.evidence.runs import LIST, entered, gathered, once, run_ref, together
from evenflow.papers import paper
from evenflow.reporting.builds import build_difference_table, build_table
from evenflow.reporting.selfcheck import check_rows
from evenflow.statistics.repeats import correlation

from .steadiness import cell_steadiness, steadiness

STANDARD = "newreno"
HIGH_SPEED = ["bic", "cubic", "htcp", "highspeed", "scalable"]
VARIANTS = [STANDARD, *HIGH_SPEED]
NAMES = {cca: variant_name(cca) for cca in VARIANTS}
VIEW_NAMES = {
    "friendliness": "TCP-friendliness",
    "intra": "Intra-protocol",
    "rtt": "RTT fairness",
    "inter": "Inter-protocol",
}
VIEWS = list(VIEW_NAMES)
QUEUES = {"bdp20": "20 % of BDP", "3mb": "3 MB"}  # the paper's two, in print
RTTS_MS = [16, 42, 82, 162, 324]
FLOW_1_RTT_MS = 162  # where the flows' RTTs differ
FIXED_BYTES = 3_000_000
BDP_SHARE = 0.2
CELL = ["part", "view", "queue", "cca1", "cca2", "rtt1_ms", "rtt2_ms"]
FLOW_1, FLOW_2, BOTH = "flow 1", "flow 2", "both flows"


def design() -> pl.DataFrame:
    """Return the cells of the paper: view, queue, cca1, cca2, rtt1_ms, rtt2_ms.

    258 of them. Each pair of `inter` is there in one order: the paper does not say which it ran.
    """
    alike = [(cca, cca) for cca in VARIANTS]
    pairs = {
        "friendliness": [(STANDARD, cca) for cca in HIGH_SPEED],
        "intra": alike,
        "rtt": alike,
        "inter": list(combinations(HIGH_SPEED, 2)),
    }
    equal = [(float(rtt), float(rtt)) for rtt in RTTS_MS]
    unlike = [(float(FLOW_1_RTT_MS), float(rtt)) for rtt in RTTS_MS if rtt != FLOW_1_RTT_MS]
    rows = [
        (view, queue, *ccas, *rtts)
        for view in VIEWS
        for queue in QUEUES
        for ccas in pairs[view]
        for rtts in (unlike if view == "rtt" else equal)
    ]
    return pl.DataFrame(rows, schema=[name for name in CELL if name != "part"], orient="row")


def pair_metrics(
    run: pl.DataFrame, flow: pl.DataFrame, flow_metric: pl.DataFrame, run_metric: pl.DataFrame
) -> pl.DataFrame:
    """Return the table `pair_metric`: the runs that have a place in the paper, and their metrics.

    Args:
        run, flow, flow_metric, run_metric: the tables of a data set.

    Returns:
        A row a run of two flows of VARIANTS over a buffer of QUEUES, see
        docs/reference/data-model.md. The throughput ratio (high-speed-fairness 4.1 to 4.4) is
        flow 1 over flow 2: 0 where flow 1 is starved, null where flow 2 is; `starved` names the
        flow without any throughput.
    """
    wide = (
        flow.join(
            flow_metric.select("run_id", "flow_id", "mean_throughput_bps"), on=["run_id", "flow_id"]
        )
        .filter(pl.col("flow_id").is_in([1, 2]))
        .with_columns(rtt_ms=(pl.col("base_rtt_s") * 1000).round(3))
        .pivot("flow_id", index="run_id", values=["cca", "rtt_ms", "mean_throughput_bps"])
    )
    for name in ("cca", "rtt_ms", "mean_throughput_bps"):  # also where no run has a flow 2
        for n in (1, 2):
            if f"{name}_{n}" not in wide.columns:
                kind = pl.String if name == "cca" else pl.Float64
                wide = wide.with_columns(pl.lit(None, kind).alias(f"{name}_{n}"))
    first, second = pl.col("throughput1_bps"), pl.col("throughput2_bps")
    return (
        run.filter(pl.col("n_flows") == 2)
        .select("dataset_id", "scenario_id", "run_id", "repeat", "buffer_bytes", "bottleneck_bps")
        .join(wide, on="run_id")
        .join(run_metric.select("run_id", "jfi", "utilisation"), on="run_id")
        .rename(
            {
                **{f"{name}_{n}": f"{name}{n}" for name in ("cca",) for n in (1, 2)},
                **{f"rtt_ms_{n}": f"rtt{n}_ms" for n in (1, 2)},
                **{f"mean_throughput_bps_{n}": f"throughput{n}_bps" for n in (1, 2)},
            }
        )
        .with_columns(view=view_of(), queue=queue_of())
        .drop_nulls(["view", "queue", "throughput1_bps", "throughput2_bps"])
        .with_columns(
            ratio=pl.when(second > 0).then(first / second),
            share1=pl.when(first + second > 0).then(first / (first + second)),
            starved=pl.when((first == 0) & (second == 0))
            .then(pl.lit(BOTH))
            .when(first == 0)
            .then(pl.lit(FLOW_1))
            .when(second == 0)
            .then(pl.lit(FLOW_2)),
        )
        .select(
            *("dataset_id", "scenario_id", "run_id", "repeat", "view", "queue", "cca1", "cca2"),
            *("rtt1_ms", "rtt2_ms", "throughput1_bps", "throughput2_bps", "jfi", "utilisation"),
            *("ratio", "share1", "starved"),
        )
        .sort("run_id")
    )


def view_of() -> pl.Expr:
    """Return the view of a run of cca1, cca2, rtt1_ms, rtt2_ms; null where the paper has none."""
    alike = pl.col("cca1") == pl.col("cca2")
    same_rtt = pl.col("rtt1_ms") == pl.col("rtt2_ms")
    known = pl.col("cca1").is_in(VARIANTS) & pl.col("cca2").is_in(VARIANTS)
    return (
        pl.when(known & alike & same_rtt)
        .then(pl.lit("intra"))
        .when(known & alike & (pl.col("rtt1_ms") != pl.col("rtt2_ms")))
        .then(pl.lit("rtt"))
        .when(known & same_rtt & (pl.col("cca1") == STANDARD))
        .then(pl.lit("friendliness"))
        .when(known & same_rtt & (pl.col("cca2") != STANDARD))
        .then(pl.lit("inter"))
    )


def queue_of() -> pl.Expr:
    """Return which of QUEUES a run's buffer is; the bandwidth-delay product is flow 1's."""
    bdp_bytes = pl.col("bottleneck_bps") * pl.col("rtt1_ms") / 1000 / 8
    share = pl.col("buffer_bytes") / bdp_bytes
    return (
        pl.when(pl.col("buffer_bytes") == FIXED_BYTES)
        .then(pl.lit("3mb"))
        .when((share - BDP_SHARE).abs() < 0.005)
        .then(pl.lit("bdp20"))
    )


def pair_cells(metrics: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the table `pair_cell`: what the repeats of a cell have in common.

    Args:
        metrics: {part: `pair_metric` of its data set}.

    Returns:
        A row a cell: mean throughputs; `ratio` of these means ('the mean value of throughput ...
        over all runs', section 3), 0 or null where a flow is starved in all runs; mean JFI and
        share of flow 1; the smallest and the largest run of each (ratio_high is null where flow 2
        is starved in a run); n runs, and in how many of them each flow is starved; runs.
    """
    parts = [table.with_columns(part=pl.lit(part)) for part, table in metrics.items()]
    first, second = pl.col("throughput1_bps"), pl.col("throughput2_bps")
    return (
        pl.concat(parts)
        .group_by(CELL)
        .agg(
            pl.col("dataset_id").first(),
            pl.col("scenario_id").sort().first(),
            pl.len().cast(pl.Int64).alias("n"),
            *(column.mean() for column in (first, second, pl.col("jfi"), pl.col("share1"))),
            jfi_low=pl.col("jfi").min(),
            jfi_high=pl.col("jfi").max(),
            ratio_low=pl.col("ratio").min(),
            ratio_high=pl.when((second > 0).all()).then(pl.col("ratio").max()),
            n_starved1=(first == 0).sum().cast(pl.Int64),
            n_starved2=(second == 0).sum().cast(pl.Int64),
            runs=gathered(run_ref()),
        )
        .with_columns(ratio=pl.when(second > 0).then(first / second))
        .select(
            *CELL,
            *(
                "dataset_id",
                "scenario_id",
                "n",
                "throughput1_bps",
                "throughput2_bps",
                "jfi",
                "jfi_low",
                "jfi_high",
            ),
            *("ratio", "ratio_low", "ratio_high", "share1", "n_starved1", "n_starved2", "runs"),
        )
        .sort(CELL)
    )


def rtt_points(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells of RTT fairness: the view `rtt`, and intra where flow 1 has the same RTT.

    Args:
        cells: the table `pair_cell`.

    Returns:
        The cells with rtt_ratio, RTT2 / RTT1, sorted.
    """
    of_view = cells.filter(pl.col("view") == "rtt")
    first = of_view.select("part", "queue", "cca1", "rtt1_ms").unique(maintain_order=True)
    equal = cells.filter(pl.col("view") == "intra").join(
        first, on=["part", "queue", "cca1", "rtt1_ms"], how="semi"
    )
    points = pl.concat([of_view, equal])
    return points.with_columns(rtt_ratio=pl.col("rtt2_ms") / pl.col("rtt1_ms")).sort(
        "part", "queue", "cca1", "rtt2_ms"
    )


def fit_ratio(rtt_ratio: np.ndarray, ratio: np.ndarray, confidence: float) -> dict:
    """Fit the throughput ratio of two flows to their RTT ratio (high-speed-fairness 4.3, Figure 4).

    Least squares of Thru1 / Thru2 on RTT2 / RTT1, with an intercept; proportional sharing has slope
    1 and intercept 0.

    Args:
        rtt_ratio, ratio: of each cell, shape (n,), finite.
        confidence: of the intervals (Student's t for the slope, Fisher's z for Pearson's r).

    Returns:
        n, r, r_low, r_high, slope, slope_low, slope_high, intercept. Null for fewer than three
        cells or without variance; the intervals of r for fewer than four.
    """
    found = correlation(rtt_ratio, ratio, "pearson", confidence)
    fit = {"n": found["n"], "r": found["r"], "r_low": found["ci_low"], "r_high": found["ci_high"]}
    fit |= dict.fromkeys(("slope", "slope_low", "slope_high", "intercept"))
    if found["r"] is None:
        return fit
    line = scipy.stats.linregress(rtt_ratio, ratio)
    half = float(scipy.stats.t.ppf((1 + confidence) / 2, found["n"] - 2) * line.stderr)
    fit |= {"slope": float(line.slope), "intercept": float(line.intercept)}
    return fit | {"slope_low": fit["slope"] - half, "slope_high": fit["slope"] + half}


def fit_exponent(rtt_ratio: np.ndarray, ratio: np.ndarray, confidence: float) -> dict:
    """Fit b in Thru1 / Thru2 = c (RTT2 / RTT1)^b, by least squares of the logarithms.

    b = 0: shares do not depend on the RTT; b = 1: proportional sharing; above 1: flows of the
    smaller RTT get more than in proportion. Unlike the slope of `fit_ratio` it does not hang on the
    one cell with the largest ratio.

    Args:
        rtt_ratio, ratio: of each cell, shape (n,), above 0.
        confidence: of the intervals (Student's t, n - 2 degrees of freedom).

    Returns:
        n, exponent, exponent_low, exponent_high, log_r; null as in `fit_ratio`.
    """
    fit = fit_ratio(np.log(rtt_ratio), np.log(ratio), confidence)
    names = {"slope": "exponent", "slope_low": "exponent_low", "slope_high": "exponent_high"}
    return {"n": fit["n"], **{name: fit[was] for was, name in names.items()}, "log_r": fit["r"]}


RTT_FIT = {
    **dict.fromkeys(("part", "queue", "cca"), pl.String),
    **dict.fromkeys(("n", "n_starved"), pl.Int64),
    **dict.fromkeys(("r", "r_low", "r_high", "slope", "slope_low", "slope_high"), pl.Float64),
    "intercept": pl.Float64,
}


RTT_EXPONENT = {
    **dict.fromkeys(("part", "queue", "cca"), pl.String),
    **dict.fromkeys(("n", "n_starved"), pl.Int64),
    **dict.fromkeys(("exponent", "exponent_low", "exponent_high", "log_r"), pl.Float64),
}


def rtt_fits(cells: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the table `rtt_fit`: `fit_ratio` of every data set, queue and variant.

    A cell whose flow 2 is starved has no ratio and is left out; `n_starved` counts them.

    Args:
        cells: the table `pair_cell`.
        confidence: of the intervals.
    """
    return _fits(cells, fit_ratio, pl.col("ratio").is_not_null(), RTT_FIT, confidence)


def rtt_exponents(cells: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return the table `rtt_exponent`: `fit_exponent` of every data set, queue and variant.

    A cell with a starved flow has no logarithm and is left out; `n_starved` counts them.

    Args:
        cells: the table `pair_cell`.
        confidence: of the intervals.
    """
    return _fits(cells, fit_exponent, pl.col("ratio") > 0, RTT_EXPONENT, confidence)


def _fits(
    cells: pl.DataFrame,
    fit: Callable[[np.ndarray, np.ndarray, float], dict],
    usable: pl.Expr,
    schema: dict,
    confidence: float,
) -> pl.DataFrame:
    rows = []
    key = ["part", "queue", "cca1"]
    for (part, queue, cca), points in rtt_points(cells).group_by(key, maintain_order=True):
        known = points.filter(usable)
        found = fit(known["rtt_ratio"].to_numpy(), known["ratio"].to_numpy(), confidence)
        starved = len(points) - len(known)
        named = {"part": part, "queue": queue, "cca": cca, "n_starved": starved}
        rows.append(named | found | {"runs": once(known["runs"].explode().drop_nulls())})
    return pl.DataFrame(rows, schema=schema | {"runs": LIST}).sort("part", "queue", "cca")


def share_matrix(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the table `pair_share`: what each variant gets against each other, at the same RTT.

    Args:
        cells: the table `pair_cell`.

    Returns:
        part, queue, rtt_ms, cca, other, share (of both flows' throughput, mean over the runs), n,
        runs.
        A pair that was run in one order only gives two rows, whose shares sum to 1; of two alike
        the share is flow 1's. Pairs of which both flows are starved are left out.
    """
    same = cells.filter(pl.col("view").is_in(["friendliness", "intra", "inter"]))
    given = same.select(
        "part",
        "queue",
        rtt_ms="rtt1_ms",
        cca="cca1",
        other="cca2",
        share="share1",
        n="n",
        runs="runs",
    ).drop_nulls("share")
    mirrored = (
        given.filter(pl.col("cca") != pl.col("other"))
        .rename({"cca": "other", "other": "cca"})
        .with_columns(share=1 - pl.col("share"))
        .select(given.columns)
    )
    key = ["part", "queue", "rtt_ms", "cca", "other"]
    weighted = (pl.col("share") * pl.col("n")).sum() / pl.col("n").sum()
    return (
        pl.concat([given, mirrored])
        .group_by(key)
        .agg(weighted, pl.col("n").sum(), entered("runs"))
        .sort(key)
    )


# ---- the tables ----


@paper.metric
def pair_metric(run, flow, flow_metric, run_metric) -> pl.DataFrame:
    """Return the runs that have a place in the paper, and their metrics; a row a run."""
    tables = (run, flow, flow_metric, run_metric)
    return pl.concat(steady_pairs(part, *(of[part] for of in tables)) for part in sorted(run))


def steady_pairs(
    part: str, run: pl.DataFrame, flow: pl.DataFrame, flow_metric: pl.DataFrame,
    run_metric: pl.DataFrame,
) -> pl.DataFrame:  # fmt: skip
    """Return the `pair_metrics` of a data set with their `steadiness`, and its part before them."""
    pairs = pair_metrics(run, flow, flow_metric, run_metric)
    steady = steadiness(run, run_metric)
    pairs = pairs.join(steady, on="run_id", how="left", maintain_order="left")
    return pairs.select(pl.lit(part).alias("part"), pl.all())


@paper.metric(runs=True)
def build(run, selfcheck, selfcheck_06bdbbb8fc05) -> pl.DataFrame:
    """Return which builds of the testbed's kernel made which runs."""
    return build_table({"testbed": run["testbed"]}, [selfcheck, selfcheck_06bdbbb8fc05])


@paper.metric(runs=True)
def pair_cell(pair_metric) -> pl.DataFrame:
    """Return the means of the runs of a cell."""
    by_part = pair_metric.group_by("part", maintain_order=True)
    cells = pair_cells({part: runs.drop("part") for (part,), runs in by_part})
    steady = cell_steadiness(pair_metric, CELL)
    return cells.join(steady, on=CELL, how="left", maintain_order="left")


@paper.metric(runs=True)
def rtt_fit(pair_cell, confidence) -> pl.DataFrame:
    """Return the regressions of throughput ratio on RTT ratio."""
    return rtt_fits(pair_cell, confidence)


@paper.metric(runs=True)
def rtt_exponent(pair_cell, confidence) -> pl.DataFrame:
    """Return the exponents of RTT bias: the regressions of the logarithms."""
    return rtt_exponents(pair_cell, confidence)


@paper.metric(runs=True)
def pair_share(pair_cell) -> pl.DataFrame:
    """Return who takes how much against whom."""
    return share_matrix(pair_cell)


@paper.metric(runs=True)
def mean_share(pair_share) -> pl.DataFrame:
    """Return each high-speed variant's mean share against the four others."""
    return mean_shares_of(pair_share)


def mean_shares_of(shares: pl.DataFrame) -> pl.DataFrame:
    """Return each high-speed variant's mean share against the four others, by part, queue, RTT.

    Args:
        shares: the table `pair_share`; with runs or without.

    Returns:
        With share, and runs if they are known; only where all four pairs of the variant have runs.
    """
    others = shares.filter(
        pl.col("cca").is_in(HIGH_SPEED),
        pl.col("other").is_in(HIGH_SPEED),
        pl.col("cca") != pl.col("other"),
    )
    runs = [entered("runs")] if "runs" in shares.columns else []
    means = others.group_by("part", "queue", "rtt_ms", "cca", maintain_order=True).agg(
        pl.col("share").mean(), pl.len().alias("n_others"), *runs
    )
    return means.filter(pl.col("n_others") == len(HIGH_SPEED) - 1).drop("n_others")


@paper.metric(runs=True)
def platform_pair(pair_cell) -> pl.DataFrame:
    """Return the cells that both platforms have (`common_cells`)."""
    return common_cells(pair_cell)


def common_cells(cells: pl.DataFrame) -> pl.DataFrame:
    """Return the cells that both platforms have; the testbed's columns end in _testbed."""
    place = ["view", "queue", "cca1", "cca2", "rtt1_ms", "rtt2_ms"]
    columns = [*place, "jfi", "share1", "ratio", "n", "n_unsteady"]
    columns += ["runs"] if "runs" in cells.columns else []
    first, second = (cells.filter(part=part).select(columns) for part in ("simulation", "testbed"))
    both = first.join(second, on=place, suffix="_testbed")
    return both.with_columns(runs=together("runs", "runs_testbed")) if "runs" in columns else both


@paper.metric(runs=True)
def repeat_cell(pair_metric) -> pl.DataFrame:
    """Return how the runs of a cell differ.

    Returns:
        part, scenario_id, n, span (of flow 1's share), n_unlike (runs that differ), runs.
    """
    return (
        pair_metric.group_by("part", "scenario_id", maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("n"),
            (pl.max("share1") - pl.min("share1")).alias("span"),
            pl.struct("throughput1_bps", "throughput2_bps")
            .n_unique()
            .cast(pl.Int64)
            .alias("n_unlike"),
            gathered(run_ref()).alias("runs"),
        )
        .sort("part", "scenario_id")
    )


@paper.metric(runs=True)
def build_difference(run, run_metric) -> pl.DataFrame:
    """Return whether the builds of the testbed's kernel differ on cells that two of them have."""
    return build_difference_table({"testbed": run["testbed"]}, run_metric)


@paper.metric
def selfcheck_check(selfcheck) -> pl.DataFrame:
    """Return the checks of the last self-check."""
    return check_rows(selfcheck)


def low_runs(pairs: pl.DataFrame, low_share: float) -> pl.DataFrame:
    """Return the runs in which a flow got less than `low_share`, with its number as low_flow."""
    low_flow = pl.when(pl.col("share1") < low_share).then(1).when(1 - pl.col("share1") < low_share)
    return pairs.with_columns(low_flow=low_flow.then(2)).drop_nulls("low_flow")
