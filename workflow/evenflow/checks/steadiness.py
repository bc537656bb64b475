"""Checks of when the flows run, together and for long enough, and of whether they settle."""

from __future__ import annotations

import numpy as np
import polars as pl

from ..metrics.fairness import FLOW, sample_length
from ..metrics.windows import ONE_INTERVAL, mser5_cutoff, reporting_interval
from ..statistics.steady import FACTOR, FLOWS, POINTS, is_unsteady
from .finding import apart, findings, fixed, many
from .intervals import OFF_GRID

MOST = 0.5  # flows that run together for less than this share of the run were not compared
EARLY_INTERVALS = 2  # a log that ends more intervals than this before the run does ended early
FEW_SAMPLES = 10  # in the window of a flow
MSER_BATCHES = 400  # batches of MSER-5 grow so that long logs have no more than this
FEW, NONE = "few samples in the steady state", "no sample in the steady state"
NO_STEADY_STATE, MSER5 = "no steady state", "MSER-5"
MEASURE_LONGER = (
    "measure for longer or report more often (iperf -i); or say in dataset.yml where the "
    "steady state of all runs starts (`warmup_s` of `steady_state`)"
)
CORRECT_DURATION = (
    "correct duration_s, or delete it, where it stands (dataset.yml, runs.csv or names)"
)
REMEDY = (
    "measure for longer, or set steady_state: {warmup_s: } in dataset.yml; the table run_metric "
    "has flow_change and drift of every run"
)


def extents_of(flow: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Return from when to when each flow ran by its log: from_s, to_s, interval_s.

    in_bursts: its sender's log has pauses, none of which is longer than one of its bursts lasts at
    the flow's mean rate: the program was woken when the socket's buffer had room again, and bytes
    were under way all the time.
    """
    pause = (pl.col("bytes") > 0).rle_id()  # a stretch with bytes, a stretch without, ...
    pauses = (
        sample.sort(*FLOW, "t_start_s")
        .with_columns(stretch=pause.over(FLOW), length_s=sample_length())
        .group_by(*FLOW, "stretch", maintain_order=True)
        .agg(pl.col("bytes").max(), pl.col("length_s").sum())
        .filter(pl.col("bytes") == 0)
        .group_by(FLOW, maintain_order=True)
        .agg(pause_s=pl.col("length_s").max())
    )
    burst = pl.col("bytes").filter(pl.col("bytes") > 0).median()
    in_bursts = (pl.col("side") == "sender") & (pl.col("pause_s") <= pl.col("burst_s"))
    return (
        sample.sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
        .agg(
            pl.col("t_start_s").min().alias("from_s"),
            pl.col("t_end_s").max().alias("to_s"),
            reporting_interval().alias("interval_s"),
            pl.col("path", "line").last(),
            burst_s=burst / pl.col("bytes").sum() * sample_length().sum(),
        )
        .join(flow.select(*FLOW, "start_s", "side"), on=FLOW)
        .join(pauses, on=FLOW, how="left")
        .with_columns(
            pl.max_horizontal("from_s", "start_s").alias("from_s"),
            in_bursts.fill_null(False).alias("in_bursts"),
        )
        .drop("side", "pause_s", "burst_s")
        .sort(FLOW)
    )


def staggered_starts(extents: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose flows (`extents_of`) do not run together for most of the time."""
    rows = (
        extents.group_by("run_id", maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("from_s").max().alias("together_s"),
            pl.col("to_s").min().alias("apart_s"),
            (pl.col("to_s").max() - pl.col("from_s").min()).alias("all_s"),
        )
        .with_columns((pl.col("apart_s") - pl.col("together_s")).alias("shared_s"))
        .filter(pl.col("n") > 1, pl.col("shared_s") < MOST * pl.col("all_s"))
    )
    alone = _flows_beside_none(extents)
    never_all = (pl.col("shared_s") <= 0) & ~pl.col("run_id").is_in(alone.implode())
    some = findings(
        rows.filter(never_all),
        "staggered flows",
        "warning",
        pl.lit(
            "its flows never all run at the same time, only some of them together: there is no "
            "index over all of them"
        ),
        "none needed if they come and go; their means are over the times that each has",
    )
    never = findings(
        rows.filter(pl.col("shared_s") <= 0, pl.col("run_id").is_in(alone.implode())),
        "staggered flows",
        "error",
        pl.format(
            "its flows never run at the same time: the first ends at {} s, the last starts at {} s",
            fixed("apart_s"),
            fixed("together_s"),
        ),
        "they do not compete: make each a run of its own; or, if the clocks of the logs differ, "
        "say when each began in a table runs.csv (columns run, flow, start_s)",
    )
    seldom = findings(
        rows.filter(pl.col("shared_s") > 0),
        "staggered flows",
        "warning",
        pl.format(
            "its flows run together only from {} to {} s of {} s; only that time compares them",
            fixed("together_s"),
            fixed("apart_s"),
            fixed("all_s"),
        ),
        "check start_s of the flows and steady_state.warmup_s in dataset.yml",
    )
    return pl.concat([never, some, seldom])


def _flows_beside_none(extents: pl.DataFrame) -> pl.Series:
    """Return the runs that have a flow beside which no other one ran (`extents_of`)."""
    times = extents.select(*FLOW, "from_s", "to_s")
    pairs = times.join(times, on="run_id", suffix="_other").filter(
        pl.col("flow_id") != pl.col("flow_id_other"),
        pl.min_horizontal("to_s", "to_s_other") > pl.max_horizontal("from_s", "from_s_other"),
    )
    return times.join(pairs, on=FLOW, how="anti")["run_id"].unique(maintain_order=True)


def early_ends(run: pl.DataFrame, extents: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find flows whose log ends long before the run does, or before the others of the scenario.

    Not those that ran for as long as they were to, as their log says: a short flow beside a long
    one. If all flows of a run did, duration_s is wrong.

    Where nothing says how long a run is, a flow ends early that ran for less than MOST of the
    median time of the flows of its scenario's runs. Runs of other scenarios may be as short as they
    like; a log of a killed program is told by what it lacks (`logs.incomplete_logs`).

    Args:
        run: the table.
        extents: of all flows that are compared (`extents_of`).
        stream: the parsed table, of whose columns planned_s is used, where there is one.
    """
    usual = (pl.col("to_s") - pl.col("from_s")).median().over("scenario_id")
    extents = extents.join(
        run.select("run_id", "scenario_id", "duration_s"), on="run_id", maintain_order="left"
    ).with_columns(usual.alias("usual_s"))
    due = pl.coalesce("duration_s", pl.col("from_s") + MOST * pl.col("usual_s"))
    slack = pl.when(pl.col("duration_s").is_null()).then(0.0).otherwise(EARLY_INTERVALS)
    rows = extents.with_columns(due.alias("due_s")).filter(
        pl.col("to_s") < pl.col("due_s") - slack * pl.col("interval_s")
    )
    too_long = findings(rows.clear(), "", "", pl.lit(""), "")
    if "planned_s" in stream.columns:
        planned = stream.group_by(FLOW, maintain_order=True).agg(pl.max("planned_s"))
        rows = rows.join(planned, on=FLOW, how="left", maintain_order="left")
        lacks_s = pl.col("planned_s") - (pl.col("to_s") - pl.col("from_s"))
        broken = (lacks_s > EARLY_INTERVALS * pl.col("interval_s")).fill_null(True)
        n_flows = extents.group_by("run_id", maintain_order=True).agg(pl.len().alias("n_flows"))
        every = rows.join(n_flows, on="run_id", how="left", maintain_order="left").filter(
            ~broken.any().over("run_id"),
            pl.len().over("run_id") == pl.col("n_flows"),
            pl.col("duration_s").is_not_null(),
        )
        too_long = _too_long(every)
        rows = rows.filter(broken)
    ends, said_s = apart("to_s", "duration_s")
    lasted, usual = apart(pl.col("to_s") - pl.col("from_s"), "usual_s")
    message = pl.format(
        "its log ends at {} s{}",
        ends.fill_null(fixed("to_s")),
        pl.when(pl.col("duration_s").is_null())
        .then(
            pl.format(
                ", {} s after the flow began; most flows of its scenario ran for {} s",
                lasted,
                usual,
            )
        )
        .otherwise(pl.format(" of {} s", said_s)),
    )
    remedy = "the program was killed or the connection broke: remove the run, or measure it again"
    return pl.concat([findings(rows, "log ends early", "warning", message, remedy), too_long])


def _too_long(rows: pl.DataFrame) -> pl.DataFrame:
    """Return findings on runs whose flows all ended as planned, before the end of the run.

    `rows`: of these flows, with duration_s.
    """
    rows = rows.group_by("run_id", maintain_order=True).agg(pl.max("to_s"), pl.first("duration_s"))
    message = pl.format(
        "its flows end as planned, the last at {} s, but duration_s is {} s",
        *apart("to_s", "duration_s"),
    )
    return findings(rows, "run shorter than duration_s", "warning", message, CORRECT_DURATION)


def few_samples(flow_metric: pl.DataFrame, window: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Find flows with no sample in the steady state, or next to none.

    `window`: the table; in runs that count as a whole (`window.whole_runs`) a sample is enough.
    `run`: the table; where duration_s is known, samples after it are not used.
    """
    start = fixed("warmup_s", 3)
    whole = window.filter(warmup_from=ONE_INTERVAL)
    metric = flow_metric.join(
        run.select("run_id", "duration_s"), on="run_id", how="left", maintain_order="left"
    )
    few = metric.join(whole, on="run_id", how="anti", maintain_order="left")
    few = few.filter(pl.col("n_samples").is_between(1, FEW_SAMPLES - 1))
    mean_over = pl.format("its mean is over {}, from {} s on", many("n_samples", "sample"), start)
    no_mean = pl.format("no sample after the warm-up of {} s: it has no mean", start)
    cut = (pl.col("n_after_samples") > EARLY_INTERVALS) & pl.col("duration_s").is_not_null()
    ended = pl.format(
        "; {} after the end of the run are not used (duration_s, {} s)",
        many("n_after_samples", "sample"),
        fixed("duration_s", 3),
    )
    found = []
    for rows, check, severity, message in (
        (metric.filter(pl.col("n_samples") == 0), NONE, "error", no_mean),
        (few, FEW, "warning", mean_over),
    ):
        found.append(findings(rows.filter(~cut), check, severity, message, MEASURE_LONGER))
        message = pl.format("{}{}", message, ended)
        remedy = f"{CORRECT_DURATION}; or let the steady state start earlier: `warmup_s` of "
        remedy += "`steady_state` in dataset.yml"
        found.append(findings(rows.filter(cut), check, severity, message, remedy))
    return pl.concat(found)


def stalled_flows(
    flow_metric: pl.DataFrame, stalled_s: float, extents: pl.DataFrame
) -> pl.DataFrame:
    """Find flows that carried nothing in the steady state, or nothing for long.

    `extents`: of all flows that are compared (`extents_of`).
    """
    mean = pl.col("mean_throughput_bps")
    remedy = (
        "look at the plot of the run over time; the run counts in every mean of which it has a "
        "value: a run in which no flow carried anything has no Jain's index"
    )
    nothing = findings(
        flow_metric.filter(mean == 0),
        "stalled flow",
        "warning",
        pl.lit("carried nothing at all in the steady state"),
        remedy,
    )
    in_bursts = extents.filter("in_bursts")
    long = findings(
        flow_metric.filter(mean > 0, pl.col("zero_s") > stalled_s).join(
            in_bursts, on=FLOW, how="anti", maintain_order="left"
        ),
        "stalled flow",
        "warning",
        pl.format("carried nothing for {} s of the steady state", fixed("zero_s")),
        remedy,
    )
    return pl.concat([nothing, long])


def mser5_at_its_limit(run: pl.DataFrame, flow: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Find the flows of which MSER-5 would cut off half, the most that it looks at.

    Counted from the last flow's start; flows with fewer than 20 intervals from then on are left
    out. They are counted in the one finding of `unsteady_runs`.
    """
    last_start = flow.group_by("run_id", maintain_order=True).agg(pl.col("start_s").max())
    competing = (
        sample.join(last_start, on="run_id")
        .join(run.select("run_id", "end_s"), on="run_id")
        .filter(
            pl.col("t_start_s") >= pl.col("start_s"),
            pl.col("t_end_s") <= pl.col("end_s").fill_null(float("inf")) + OFF_GRID,
        )
        .sort(*FLOW, "t_start_s")
        .group_by(FLOW, maintain_order=True)
        .agg("throughput_bps")
        .filter(pl.col("throughput_bps").list.len() >= 2 * FEW_SAMPLES)
    )
    rows = []
    for run_id, flow_id, throughput in competing.rows():
        batch = max(5, len(throughput) // MSER_BATCHES)
        most = len(throughput) // batch // 2 * batch
        if mser5_cutoff(np.array(throughput), batch) == most:
            rows.append((run_id, flow_id))
    schema = {"run_id": pl.String, "flow_id": pl.Int32}
    table = pl.DataFrame(rows, schema=schema, orient="row").sort(FLOW)
    return findings(table, MSER5, "note", pl.lit("MSER-5 would cut off half of it"), REMEDY)


def unsteady_runs(run_metric: pl.DataFrame, mser5: pl.DataFrame) -> pl.DataFrame:
    """Find whether runs are not steady (`statistics.steady`): one finding with counts.

    Args:
        run_metric: the table.
        mser5: result of `mser5_at_its_limit`, of all runs.
    """
    known = run_metric.select(
        "run_id", "flow_change", "drift", unsteady=is_unsteady(FLOWS)
    ).drop_nulls("unsteady")
    n = known["unsteady"].sum()
    if not n:
        return findings(known.clear(), NO_STEADY_STATE, "warning", pl.lit(""), REMEDY)
    by_factor, by_points = (known["flow_change"] > FACTOR).sum(), (known["drift"] > POINTS).sum()
    runs = "run is" if len(known) == 1 else "runs are"
    message = (
        f"{n:,} of {len(known):,} {runs} not steady: from one half of the steady state to "
        f"the other a flow's throughput changes by more than a factor of {FACTOR:g} "
        f"({by_factor:,}), or its share by more than {100 * POINTS:g} points ({by_points:,})"
    )
    if len(mser5):
        flows = "flow" if len(mser5) == 1 else "flows"
        message += f"; MSER-5 would cut off half of {len(mser5):,} {flows}"
    one = known.head(1).select(pl.lit(None).alias("run_id"))
    return findings(one, NO_STEADY_STATE, "warning", pl.lit(message), REMEDY)
