"""Metrics of runs and flows, a function each. A new one: here, and in docs/reference/glossary.md.

The function of a run's metric returns an expression over the flows of a run (`registry.OfRun`), or,
where it reads samples, a table with run_id and a column of its name, null where a run has no such
value. That of a flow's metric returns an expression over the columns of `flow_metric`.
"""

from __future__ import annotations

import polars as pl

from .. import plugins
from ..packets import ASSUMED_MSS_BYTES
from .fairness import FLOW, jain_index, sample_length
from .registry import METRICS, OfRun, metric

__all__ = ["METRICS"]  # with those of this module

# what an NRU and harm are measured by (`fairness.CELL`)
CALIBRATIONS = (
    "runs of role calibration (`role`) of the same congestion controls, under the same conditions "
    "(bandwidth, RTT, buffer, AQM, numbers of flows, platform, segment, factors)"
)
DELTA = 0.1  # shares within a tenth of the fair one (Bansal et al. 2001 take 0.1 too)
SMOOTHED_S = 10.0  # throughputs are means over so long: a sawtooth is no lack of convergence
BIN_S = 1.0  # of bytes over time, or the longest reporting interval of the run


@metric(
    grain="run",
    label="Jain's index",
    digits=3,
    paper_digits=2,  # as their originals
    drawn_digits=2,
    least="1/n",
    most=1.0,
    meaning="Jain's index: 1 where all flows get the same.",
    source="Jain, Chiu and Hawe 1984",
)
def jfi(of_run: OfRun) -> pl.Expr:
    several = (of_run.n > 1) | (pl.len() == 1)  # one flow beside cross traffic competes with none
    return pl.when(of_run.complete & several).then(jain_index(of_run.mean))


@metric(
    grain="run",
    label="Flow 1 / flow 2",
    drawn_digits=2,
    scale="log",
    middle=1.0,
    least=0.0,
    meaning="Mean throughput of flow 1 over that of flow 2. Means over repeats are geometric; "
    "there is none where a flow carried nothing in a repeat.",
    needs="The ratio is defined for runs of two flows that both carry something.",
    source="of two flows; null where the second carried nothing",
)
def throughput_ratio(of_run: OfRun) -> pl.Expr:
    first, second = of_run.mean.first(), of_run.mean.slice(1, 1).first()
    return pl.when((of_run.n == 2) & of_run.complete & (second > 0)).then(first / second)


@metric(
    grain="run",
    label="Utilisation (%)",
    factor=0.01,
    digits=1,
    least=0.0,
    meaning="Throughput of all flows together, as a share of the bottleneck's bandwidth.",
    needs="Utilisation needs the bandwidth of the bottleneck (`bottleneck_mbps`).",
    source="goodput of all flows in one direction, cross traffic too, over the bottleneck's "
    "bandwidth",
)
def utilisation(of_run: OfRun) -> pl.Expr:
    return pl.when(of_run.complete).then(of_run.total_bps) / of_run.bottleneck_bps


@metric(
    grain="run",
    label="System-NRU (dB)",
    unit="dB",
    scale="dB",
    middle=0.0,
    meaning="System-NRU: 0 dB where each flow gets what it gets against a flow of its own variant.",
    needs=f"NRU needs {CALIBRATIONS}.",
    source="mean of the flow-NRUs",
)
def system_nru_db(of_run: OfRun) -> pl.Expr:
    return pl.when(of_run.nru.is_not_null().all()).then(of_run.nru.mean())


@metric(
    grain="flow",
    label="Harm",
    most=1.0,
    middle=0.0,
    meaning="Harm: what part of its throughput against its own variant a flow loses to the other.",
    source="Ware, Mukerjee, Seshan and Sherry, HotNets 2019: (x − y) / x",
)
def harm() -> pl.Expr:
    """Return (x - y) / x: x what the flow's variant gets against itself, y what the flow got.

    x is the mean of the calibration runs of the same cell, as the weight of the NRU. Negative where
    a flow gets more than that.
    """
    return _harm(pl.col("mean_throughput_bps"), pl.col("expected_bps"))


def _harm(got: pl.Expr, expected: pl.Expr) -> pl.Expr:
    return pl.when(expected > 0).then((expected - got) / expected)


@metric(
    grain="run",
    label="Largest harm",
    most=1.0,
    middle=0.0,
    meaning="Harm of the flow that is harmed most: what part of its throughput against its own "
    "variant it loses to the other.",
    needs=f"Harm needs {CALIBRATIONS}.",
    source="Ware, Mukerjee, Seshan and Sherry, HotNets 2019",
)
def largest_harm(of_run: OfRun) -> pl.Expr:
    """Return the largest harm of the run's flows; null where one of them has none."""
    harms = _harm(of_run.mean, of_run.expected)
    return pl.when(harms.is_not_null().all()).then(harms.max())


@metric(
    grain="run",
    label="Convergence (s)",
    unit="s",
    digits=1,
    least=0.0,
    meaning="Convergence: how long after the start of the last flow all shares are first within a "
    "tenth of the fair one, over ten seconds. Means are over the runs that converge.",
    needs="Convergence is of runs of two flows or more whose shares come near the fair one.",
    source="δ-fair convergence time, Bansal et al., SIGCOMM 2001; RFC 5166, 2.8",
)
def convergence_s(sample: pl.DataFrame) -> pl.DataFrame:
    """Return the time from the last flow's start until every flow has a share in (1 ± DELTA) / N.

    Shares are of means over SMOOTHED_S; the end of the first such span counts. Null where that
    never happens, and of a single flow. A span in which a flow lacks samples says nothing.

    Args:
        sample: of the flows that are compared: run_id, flow_id, t_start_s, t_end_s, bytes, and
            start_s of the flow.
    """
    width = sample_length().max().over("run_id").clip(lower_bound=BIN_S)
    first = pl.col("t_start_s").min().over(FLOW)  # a log may begin before its flow does
    start = pl.max_horizontal("start_s", first).max().over("run_id")
    middle = (pl.col("t_start_s") + pl.col("t_end_s")) / 2
    n_flows = sample.group_by("run_id", maintain_order=True).agg(
        pl.col("flow_id").n_unique().alias("n_flows")
    )
    binned = (
        sample.with_columns(width.alias("width_s"), start.alias("last_start_s"))
        .with_columns(
            bin=((middle - pl.col("last_start_s")) / pl.col("width_s")).floor().cast(pl.Int64),
            span=(SMOOTHED_S / pl.col("width_s")).ceil().cast(pl.Int64),
        )
        .filter(pl.col("bin") >= 0)
        .group_by(*FLOW, "bin")
        .agg(pl.col("bytes").sum(), pl.col("width_s", "span").first())
        .sort(*FLOW, "bin")
    )
    spans = [
        part.rolling("bin", period=f"{span}i", group_by=FLOW).agg(
            pl.col("bytes").sum().alias("carried"),
            (pl.len() == span).alias("whole"),
            pl.col("width_s").first(),
        )
        for (span,), part in binned.partition_by("span", as_dict=True).items()
    ]
    if not spans:
        return n_flows.select("run_id", convergence_s=pl.lit(None, pl.Float64))
    shares = pl.concat(spans).filter("whole").join(n_flows, on="run_id")
    share = pl.col("carried") / pl.col("carried").sum() * pl.col("n_flows")
    near = ((share - 1).abs() <= DELTA + 1e-9).all() & (pl.len() == pl.col("n_flows").first())
    reached = (
        shares.filter(pl.col("n_flows") > 1)
        .group_by("run_id", "bin", maintain_order=True)
        .agg(near.alias("near"), ((pl.col("bin") + 1) * pl.col("width_s")).first().alias("end_s"))
        .filter("near")
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("end_s").min().alias("convergence_s"))
    )
    return n_flows.select("run_id").join(reached, on="run_id", how="left").sort("run_id")


@metric(
    grain="run",
    label="Drift (points)",
    factor=0.01,
    digits=1,
    least=0.0,
    most=1.0,
    meaning="Drift: how far a flow's share moves from the first half of the steady state to the "
    "second, of the flow that moves most.",
    needs="Drift is of runs of two flows or more that carry something in both halves.",
    source="ours",
)
def drift(sample: pl.DataFrame) -> pl.DataFrame:
    """Return the largest change of a flow's share between the halves of the steady state.

    A sample belongs to the half in which its middle lies. Null for a single flow, and where a half
    has no bytes or lacks a flow's samples.

    Args:
        sample: of the flows that are compared: run_id, flow_id, t_start_s, t_end_s, bytes, and
            outside, null in the steady state (`windows.placed_samples`).
    """
    flows = _halves(sample)
    shares = (pl.col(f"{of}_bytes") / pl.col(f"{of}_bytes").sum().over("run_id") for of in HALVES)
    first, second = (pl.when(share.is_finite()).then(share) for share in shares)
    moved = flows.select("run_id", moved=(second - first).abs())
    known = (pl.len() > 1) & pl.col("moved").is_not_null().all()
    return (
        moved.group_by("run_id")
        .agg(pl.when(known).then(pl.col("moved").max()).alias("drift"))
        .sort("run_id")
    )


@metric(
    grain="run",
    label="Change (factor)",
    scale="log",
    least=1.0,
    meaning="Change: the largest factor by which a flow's throughput differs between the halves of "
    "the steady state. It also shows changes of a starved flow, whose share hardly moves.",
    needs="The change of a flow is of runs whose flows have samples in both halves.",
    source="ours",
)
def flow_change(sample: pl.DataFrame) -> pl.DataFrame:
    """Return the largest factor between a flow's throughputs in the halves of the steady state.

    Null where a half lacks a flow's samples. Arguments as of `drift`.
    """
    factors = _halves(sample).with_columns(flow_change=_factor())
    return _largest(factors, "flow_change")


@metric(
    grain="run",
    label="Change of the sum (factor)",
    scale="log",
    least=1.0,
    meaning="Change of the sum: the factor by which what all flows carry differs between the "
    "halves of the steady state.",
    needs="The change of the sum is of runs whose flows have samples in both halves.",
    source="ours",
)
def use_change(sample: pl.DataFrame) -> pl.DataFrame:
    """Return the factor between what all flows carry in the halves of the steady state.

    Null where a half lacks a flow's samples. Arguments as of `drift`.
    """
    flows = _halves(sample)
    rates = [f"{of}_bps" for of in HALVES]
    whole = pl.all_horizontal(pl.col(rate).is_not_null().all() for rate in rates)
    of_all = (pl.when(whole).then(pl.col(rate).sum()).alias(rate) for rate in rates)
    sums = flows.group_by("run_id", maintain_order=True).agg(*of_all)
    return _largest(sums.with_columns(use_change=_factor()), "use_change")


HALVES = ("first", "second")
# a segment a second: what a flow that carries nothing counts as
FLOOR_BPS = 8.0 * ASSUMED_MSS_BYTES


def _halves(sample: pl.DataFrame) -> pl.DataFrame:
    """Return what each flow carried in either half of the steady state.

    A sample belongs to the half in which its middle lies.

    Returns:
        run_id, flow_id, first_bytes, first_bps, second_bytes, second_bps; null without samples.
    """
    window = sample.filter(pl.col("outside").is_null())
    middle = (pl.col("t_start_s") + pl.col("t_end_s")) / 2
    half_way = ((pl.col("t_start_s").min() + pl.col("t_end_s").max()) / 2).over("run_id")
    placed = window.with_columns(later=middle >= half_way, length_s=sample_length())
    halves = dict(zip(HALVES, (~pl.col("later"), pl.col("later")), strict=True))
    carried = {name: pl.col("bytes").filter(half).sum() for name, half in halves.items()}
    took_s = {name: pl.col("length_s").filter(half).sum() for name, half in halves.items()}
    return placed.group_by(FLOW, maintain_order=True).agg(
        pl.when(half.any()).then(value).alias(f"{name}_{unit}")
        for name, half in halves.items()
        for unit, value in (
            ("bytes", carried[name]),
            ("bps", 8 * carried[name] / took_s[name]),
        )
    )


def _factor() -> pl.Expr:
    """Return the factor between the throughputs of the two halves, 1 or more."""
    first, second = (pl.col(f"{of}_bps").clip(lower_bound=FLOOR_BPS) for of in HALVES)
    return pl.max_horizontal(first / second, second / first)


def _largest(table: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return run_id and the largest value of each run; null where one is not known."""
    known = pl.col(name).is_not_null().all()
    return table.group_by("run_id").agg(pl.when(known).then(pl.col(name).max())).sort("run_id")


plugins.modules("metrics")  # under @metric they enter themselves
