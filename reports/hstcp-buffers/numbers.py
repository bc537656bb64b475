"""The numbers of hstcp-buffers' text: right on whatever part of the campaign there is."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from evenflow.claims.judge import LEAST_PLANNED, outcomes
from evenflow.claims.words import span_of_runs
from evenflow.markdown import NOTHING, listed, number, scientific, span_of
from evenflow.papers import paper
from evenflow.provenance.made import made_when
from evenflow.provenance.origins import table
from evenflow.reporting.setups import plain
from evenflow.statistics.steady import FACTOR, FLOWS, POINTS, USE, is_unsteady

from . import highspeed
from .design import (
    AQMS,
    MODEL,
    SHORTEST,
    configured_places,
    flow_shares,
    in_source_order,
    link_name,
    many_flows,
    rate_ratios,
    source_name,
    two_flow_runs,
)
from .model import iterated_loads

NO_RUNS = "no runs"


def of_fraction(fraction: str) -> list:
    """Return the rows of cells and model that numbers of one buffer come from."""
    cells = table("buffer_cell", metric="utilisation", fraction=fraction)
    return [cells, table("model_point", reading="taken", fraction=fraction)]


@paper.number
def data(run, flow, ledger, link_metric, about, parts) -> dict:
    """Return what the report says of the data set as a whole."""
    files = ledger.filter(pl.col("entry") == "file")
    two = link_metric.filter(pl.col("n_flows") == 2)
    many = many_flows(link_metric)
    tools = run.select("tool", "tool_version").unique().sort(pl.all()).rows()
    return {
        "id": run["dataset_id"][0],
        "n_runs": str(len(run)),
        "n_many": str(len(many)),
        "n_two": str(len(two)),
        "n_scenarios": str(many["scenario_id"].n_unique()),
        "n_few": str(
            (many.group_by("scenario_id", maintain_order=True).len()["len"] < LEAST_PLANNED).sum()
        ),
        "repeats": span_of(many.group_by("scenario_id", maintain_order=True).len()["len"])
        if len(many)
        else NOTHING,
        "fractions_pct": listed(many["fraction"] * 100) or NOTHING,
        "duration_s": listed(run["duration_s"]) or NOTHING,
        "warmup_s": listed(link_metric["warmup_s"]) or NOTHING,
        "starts_s": span_of(flow["start_s"], 1),
        "tool": ", ".join(" ".join(filter(None, tool)) for tool in tools),
        "made_when": made_when(run["made_by"]),
        "n_files": f"{len(files):,}",
        "raw_mb": number(files["bytes"].sum() / 1e6, 1),
        "n_lines": f"{files['lines'].sum():,}",
        "n_rejected_lines": f"{files['lines_rejected'].sum():,}",
        "title": plain(about.get("title", parts["simulation"])),
    }


@paper.number
def settings(confidence, fdr) -> dict:
    return {"confidence_pct": f"{100 * confidence:g}", "fdr_pct": f"{100 * fdr:g}"}


@paper.number
def example(example) -> dict:
    """Return the numbers of Figure 1 for a loss rate and a round-trip time."""
    loss_rate = example["loss_rate"]
    found = highspeed.epoch(loss_rate, example["rtt_ms"] / 1000)
    return {
        "loss_rate": scientific(loss_rate, 0),
        "rtt_ms": f"{example['rtt_ms']:g}",
        "top": f"{found.window[-1]:,.0f}",
        "bottom": f"{found.window[0]:,.0f}",
        "decrease_pct": number(100 * float(highspeed.decrease(found.window[-1])), 0),
        "duration_s": number(found.duration_s, 1),
        "packets": f"{found.packets:,.0f}",
        "losses": number(found.packets * loss_rate, 2),
    }


@paper.number
def slow(links, packet_bytes) -> dict:
    return link_variables(min(links, key=rate_of), packet_bytes)


@paper.number
def fast(links, packet_bytes) -> dict:
    return link_variables(max(links, key=rate_of), packet_bytes)


def rate_of(link: dict) -> float:
    return link["bottleneck_mbps"]


def link_variables(link: dict, packet_bytes: int) -> dict:
    """Return a link's largest buffer, as a share of the BDP of the longest RTT.

    root_rule_pct: the share of a BDP that its flows would need by Appenzeller et al. (2004).

    Args:
        link: bottleneck_mbps, n_flows, rtt_ms (shortest, longest), full_buffer_packets.
        packet_bytes: size of a packet on the link.
    """
    full = link["full_buffer_packets"]
    bdp = rate_of(link) * 1e3 * max(link["rtt_ms"]) / 8 / packet_bytes
    return {
        "gbps": f"{rate_of(link) / 1e3:g}",
        "full_packets": f"{full:,}",
        "bdp_packets": f"{bdp:,.0f}",
        "share_pct": number(100 * full / bdp, 0),
        "ten_percent_pct": number(10 * full / bdp, 1),
        "root_rule_pct": number(100 / link["n_flows"] ** 0.5, 0),
    }


@paper.number
def iterate(links, packet_bytes) -> dict:
    """Return what iterating eq. 5 gives on the slowest link at a tenth of its buffer."""
    places = configured_places([min(links, key=rate_of)], [0.1], packet_bytes)
    row = places.filter(pl.col("aqm") == "droptail").row(0, named=True)
    capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
    loads = iterated_loads(capacity_pps, row["k"], row["rtt_s"])
    return {
        "n": str(len(loads)),
        "low": scientific(min(loads[-2:])),
        "high": scientific(max(loads[-2:])),
        "k": f"{row['k']:,}",
    }


@paper.number(rows={"ten.*": of_fraction("0.1"), "twenty.*": of_fraction("0.2")})
def at(buffer_cell, model_point) -> dict:
    cells = many_flows(buffer_cell)
    return {
        "ten": at_fraction(cells, model_point, 0.1),
        "twenty": at_fraction(cells, model_point, 0.2),
    }


def at_fraction(cells: pl.DataFrame, model: pl.DataFrame, fraction: float) -> dict:
    """Return the range of utilisation at a fraction of the buffer, over links and queues, in %.

    Returns:
        slow, fast: of the simulation on the slowest and on the fastest link, over implementations
        and queues; model: of the model over all links.
    """
    near = (pl.col("fraction") - fraction).abs() < 1e-9
    measured = cells.filter(near, pl.col("metric") == "utilisation")
    taken = model.filter(near, pl.col("reading") == "taken")
    rate = pl.col("bottleneck_bps")
    ends = taken["bottleneck_bps"].min(), taken["bottleneck_bps"].max()
    slow, fast = (measured.filter(rate == end)["mean"] for end in ends)
    return {
        "slow": span_of(100 * slow, 1),
        "fast": span_of(100 * fast, 1),
        "model": span_of(100 * taken["utilisation"], 1),
    }


SLOW_LINK, FAST_LINK = "1 Gb/s, DropTail", "2.5 Gb/s, DropTail"
# name in the text -> source, claim, case
SAID = {
    "tenth_slow": ("sack1", "buffer-of-10-pct", SLOW_LINK),
    "tenth_fast": ("sack1", "buffer-of-10-pct", FAST_LINK),
    "tenth_fast_linux": ("linux", "buffer-of-10-pct", FAST_LINK),
    "fifth_fast": ("sack1", "buffer-of-20-pct", FAST_LINK),
    "drops_slow": ("sack1", "drops-are-not-p", SLOW_LINK),
    "drops_fast": ("sack1", "drops-are-not-p", FAST_LINK),
    "cuts_slow": ("sack1", "cuts-are-p", SLOW_LINK),
    "cuts_fast": ("sack1", "cuts-are-p", FAST_LINK),
    "implementations": ("linux", "implementations-differ", FAST_LINK),
}


@paper.number
def found(claim) -> dict:
    """Return what the text says of claims, by the names of SAID; a dash without a run."""
    rows = {(r["subject"], r["claim"], r["case"]): r for r in claim.rows(named=True)}
    return {
        name: estimate_in_words(rows[key]) if key in rows else NOTHING for name, key in SAID.items()
    }


def estimate_in_words(row: Mapping) -> str:
    """Return a row of the table `claim` in print: '47.7 % (40.2 to 55.2)', or '89.3 % (n = 1)'.

    The number of runs is there where there is no interval; a model has neither.
    """
    value, low, high = (
        None if row[name] is None else number(row[name] / row["factor"], row["digits"])
        for name in ("estimate", "low", "high")
    )
    if value is None:
        return NOTHING
    value += f" {row['unit']}" if row["unit"] else ""
    if row["subject"] == MODEL:
        return value
    return f"{value} (n = {span_of_runs(row)})" if low is None else f"{value} ({low} to {high})"


@paper.number
def errors(model_error) -> dict:
    """Return how far the model is from the simulated utilisation over all cells, in points.

    mean, largest: of the absolute differences; n: cells; below: those in which the simulation is.
    """
    used = model_error.filter(pl.col("reading") == "taken", pl.col("metric") == "utilisation")
    error = 100 * used["error"].drop_nulls()
    return {
        "mean": number(error.abs().mean(), 1),
        "largest": number(error.abs().max(), 1),
        "n": str(len(error)),
        "below": str((error < 0).sum()),
    }


@paper.number
def losses(buffer_cell, model_error) -> dict:
    """Return the medians over all cells of drops and of cuts a packet over the model's p."""
    ratios = rate_ratios(buffer_cell, model_error)
    median = {m: ratios.filter(pl.col("metric") == m)["ratio"].median() for m in RATES}
    return {name: number(median[m], 1) for m, name in RATES.items()}


RATES = {"loss_rate": "drops", "cut_rate": "cuts"}


@paper.number
def red(buffer_cell) -> dict:
    """Return how RED's utilisation differs from DropTail's in the same cell, in points.

    median: of the absolute differences; largest, at: the largest, and in which cell; n: of cells.
    """
    used = many_flows(buffer_cell).filter(pl.col("metric") == "utilisation")
    keys = ["bottleneck_bps", "n_flows", "implementation", "fraction"]
    of_aqm = (used.filter(pl.col("aqm") == aqm).select(*keys, "mean") for aqm in AQMS)
    droptail, with_red = of_aqm
    pairs = droptail.join(with_red, on=keys, suffix="_red").with_columns(
        (100 * (pl.col("mean_red") - pl.col("mean"))).alias("more")
    )
    if pairs.is_empty():
        return dict.fromkeys(("median", "largest", "at", "n"), NO_RUNS)
    row = pairs.sort(pl.col("more").abs(), *keys, descending=[True] + [False] * 4).row(
        0, named=True
    )
    return {
        "median": number(pairs["more"].abs().median(), 1),
        "largest": number(row["more"], 1),
        "at": f"{link_name(row['bottleneck_bps'])}, {100 * row['fraction']:g} %, "
        f"{source_name(row['implementation'])}",
        "n": str(len(pairs)),
    }


@paper.number
def shares(link_metric, flow, flow_metric, shares_at) -> dict:
    """Return what the flow of the shortest RTT gets with DropTail, {source: {mbps, pct, n}}.

    Means over the runs; mbps in Mb/s, others_mbps of all other flows together; pct of the traffic.
    """
    runs = flow_shares(link_metric, flow, flow_metric, shares_at).filter(
        pl.col("aqm") == "droptail"
    )
    found = {}
    for name in in_source_order(
        ["sack1", "linux", *runs["implementation"].unique(maintain_order=True).to_list()]
    ):
        mine = runs.filter(pl.col("implementation") == name)
        n = mine["run_id"].n_unique()
        first = mine.filter(SHORTEST)
        others = mine.filter(~SHORTEST)
        share = first["share"].mean()
        found[name.replace("-", "_")] = {
            "mbps": number(first["mbps"].mean(), 0),
            "others_mbps": number(others["mbps"].sum() / n if n else None, 0),
            "pct": number(None if share is None else 100 * share, 0),
            "n": str(n),
        }
    return found


@paper.number
def two(link_metric, flow, flow_metric, run_metric, claim) -> dict:
    """Return what the runs of two flows are worth.

    n: runs; unsteady: of them; largest_drift_points; fairer: outcomes of the claim that a larger
    buffer is fairer, by source.
    """
    runs = two_flow_runs(link_metric, flow, flow_metric)
    unsteady = runs.join(run_metric.filter(is_unsteady()), on="run_id", how="semi")
    said = outcomes(claim).filter(pl.col("claim") == "larger-buffer-is-fairer")
    fairer = (f"{row[4]} with `{row[2]}`" for row in said.rows())
    return {
        "n": str(len(runs)),
        "unsteady": str(len(unsteady)),
        "largest_drift_points": number(None if runs.is_empty() else 100 * runs["drift"].max(), 1),
        "fairer": "; ".join(fairer) or "not testable without runs",
    }


@paper.number
def standard(link_metric) -> dict:
    """Return the most that flows were standard TCP below a tenth of the largest buffer.

    pct: largest share of a run's time, over its flows, with a window of at most w_low; n: runs.
    """
    small = many_flows(link_metric).filter(pl.col("fraction") < 0.1)["standard_share"].drop_nulls()
    return {
        "pct": number(None if small.is_empty() else 100 * small.max(), 1),
        "n": str(len(small)),
    }


@paper.number
def steadiness(link_metric, run_metric) -> dict:
    """Return in how many runs of many flows a flow, and the link's use, is unsteady; the bounds."""
    many = many_flows(link_metric).select("run_id").join(run_metric, on="run_id")
    return {
        "n": str(len(many.filter(is_unsteady(FLOWS)))),
        "n_use": str(len(many.filter(is_unsteady(USE)))),
        "of": str(len(many)),
        "most_use_change": number(many["use_change"].max(), 2),
        "points": f"{100 * POINTS:g}",
        "factor": f"{FACTOR:g}",
    }


@paper.number
def fixed_points(uniqueness) -> dict:
    """Return how many fixed points eq. 5 has, at how many buffers and of how many packets."""
    return {
        "n": span_of(uniqueness["n_fixed_points"]),
        "buffers": str(len(uniqueness)),
        "k": f"{uniqueness['k'].min():,} to {uniqueness['k'].max():,}",
        "falls": "never rises" if uniqueness["falls"].all() else "rises in places",
    }


@paper.number
def warmup(buffer_sensitivity, link_metric) -> str:
    """Return how far the mean utilisation moves over the starts, and the most that a run moves."""
    kept = link_metric.select("run_id", pl.col("utilisation").alias("kept"))
    moved = (
        buffer_sensitivity.join(kept, on="run_id")
        .with_columns((pl.col("utilisation") - pl.col("kept")).alias("moved"))
        .drop_nulls("moved")
    )
    means = moved.group_by("start", maintain_order=True).agg(pl.col("moved").mean())["moved"]
    if means.is_empty():
        return NO_RUNS
    return (
        f"the mean over the runs by {number(100 * means.abs().max(), 2)} points at most, a single "
        f"run by {number(100 * moved['moved'].abs().max(), 2)}"
    )
