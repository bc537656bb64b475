"""The numbers of hstcp-buffers' text: right on whatever part of the campaign there is."""

from __future__ import annotations

import polars as pl
from evenflow.claims.claim_numbers import estimate
from evenflow.claims.judge import LEAST_PLANNED
from evenflow.claims.words import span_of_runs
from evenflow.evidence.say import Said, count, given, list_of, nothing, phrase, say, span
from evenflow.papers import paper
from evenflow.reporting.datasets import made_when_said
from evenflow.statistics.steady import FACTOR, FLOWS, POINTS, is_unsteady

from .design import MODEL, SHORTEST, in_source_order, many_flows

NO_RUNS = "no runs"


@paper.number
def data(run, flow, link_metric) -> dict:
    """Return what the report says of the data set as a whole."""
    many = many_flows(link_metric)
    repeats = pl.len().over("scenario_id")
    few = pl.col("scenario_id").filter(repeats < LEAST_PLANNED).n_unique()
    return {
        "id": say(run, "dataset_id"),
        "n_runs": count(run, words="all runs of the data set"),
        "n_scenarios": say(
            many, pl.col("scenario_id").n_unique(), words="cells of many flows that have a run"
        ),
        "n_few": say(many, few, words=f"cells with fewer than {LEAST_PLANNED} runs"),
        "repeats": span(many, repeats, words="fewest and most runs of a cell of many flows"),
        "duration_s": list_of(run, "duration_s", words="how long a run lasts, s"),
        "warmup_s": list_of(link_metric, "warmup_s", words="where the steady state begins, s"),
        "starts_s": span(flow, "start_s", digits=1, words="first and last start of a flow, s"),
        "made_when": made_when_said([run]),
    }


@paper.number
def settings(confidence, fdr) -> dict:
    return {
        "confidence_pct": given("confidence", float(100 * confidence), confidence),
        "fdr_pct": given("fdr", float(100 * fdr), fdr),
    }


@paper.number
def example(sawtooth) -> dict:
    """Return the numbers of Figure 1 for a loss rate and a round-trip time."""
    return {
        "loss_rate": say(sawtooth, "loss_rate", style="power"),
        "rtt_ms": say(sawtooth, "rtt_ms", style="g"),
        "top": say(sawtooth, "top_packets", style=","),
        "bottom": say(sawtooth, "bottom_packets", style=","),
        "decrease_pct": say(sawtooth, 100 * pl.col("decrease")),
        "duration_s": say(sawtooth, "duration_s", digits=1),
        "packets": say(sawtooth, "packets", style=","),
        "losses": say(
            sawtooth,
            pl.col("packets") * pl.col("loss_rate"),
            digits=2,
            words="packets between two losses times the loss rate",
        ),
    }


@paper.number
def slow(link_buffer) -> dict:
    return link_variables(link_buffer.sort("bottleneck_mbps").head(1))


@paper.number
def fast(link_buffer) -> dict:
    return link_variables(link_buffer.sort("bottleneck_mbps").tail(1))


def link_variables(link: pl.DataFrame) -> dict:
    """Return a link's largest buffer, as a share of the BDP of the longest RTT.

    Args:
        link: its row of the table `link_buffer`.
    """
    share = 100 * pl.col("full_packets") / pl.col("bdp_packets")
    return {
        "gbps": say(link, pl.col("bottleneck_mbps") / 1e3, style="g"),
        "full_packets": say(link, "full_packets", style=","),
        "bdp_packets": say(link, "bdp_packets", style=","),
        "share_pct": say(link, share, words="largest buffer over the BDP of this link, %"),
        "ten_percent_pct": say(
            link,
            share / 10,
            digits=1,
            words="a tenth of the largest buffer over the BDP of this link, %",
        ),
        "root_rule_pct": say(
            link,
            100 / pl.col("n_flows").cast(pl.Float64).sqrt(),
            words="share of a BDP that so many flows need, the inverse of the root of their "
            "number, %",
        ),
    }


@paper.number
def iterate(iterated_load) -> dict:
    """Return what iterating eq. 5 gives on the slowest link at a tenth of its buffer."""
    last = iterated_load.sort("step").tail(2)
    return {
        "n": say(iterated_load, pl.col("step").max()),
        "low": say(last, pl.col("load").min(), digits=1, style="power"),
        "high": say(last, pl.col("load").max(), digits=1, style="power"),
        "k": say(iterated_load, "k", style=","),
    }


@paper.number
def at(buffer_cell, model_point) -> dict:
    return {"ten": at_fraction(many_flows(buffer_cell), model_point, 0.1)}


def at_fraction(cells: pl.DataFrame, model: pl.DataFrame, fraction: float) -> dict:
    """Return the range of utilisation at a fraction of the buffer, over links and queues, in %.

    Returns:
        fast: of the simulation on the fastest link, over implementations and queues; model: of the
        model over all links.
    """
    near = (pl.col("fraction") - fraction).abs() < 1e-9
    measured = cells.filter(near, pl.col("metric") == "utilisation")
    taken = model.filter(near, pl.col("reading") == "taken")
    fastest = measured.filter(pl.col("bottleneck_bps") == taken["bottleneck_bps"].max())
    return {
        "fast": span(fastest, 100 * pl.col("mean"), digits=1),
        "model": span(taken, 100 * pl.col("utilisation"), digits=1),
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
    "slow_start": ("sack1", "limited-slow-start", FAST_LINK),
    "without_slow_start": ("linux", "differ-without-limited-slow-start", FAST_LINK),
    "starts": ("sack1", "other-starts", FAST_LINK),
    "slow_senders": ("sack1-slow", "slow-senders", f"{FAST_LINK}, 10 %"),
}


@paper.number
def found(claim) -> dict:
    """Return what the text says of claims, by the names of SAID; a dash without a run."""
    return {
        name: estimate_in_words(claim.filter(subject=subject, claim=key, case=case))
        for name, (subject, key, case) in SAID.items()
    }


def estimate_in_words(row: pl.DataFrame) -> Said:
    """Return a row of the table `claim` in print: '47.7 % (40.2 to 55.2)', or '89.3 % (n = 1)'.

    The number of runs is there where there is no interval; a model has neither.
    """
    of = row.row(0, named=True) if len(row) else {}
    if of.get("estimate") is None or of["low"] is not None or of["subject"] == MODEL:
        return estimate(row)
    n = say(row, "{n}" if span_of_runs(of) == str(of["n"]) else "{n} to {n_most}")
    return phrase("{} (n = {})", estimate(row), n)


@paper.number
def errors(model_error) -> dict:
    """Return how far the model is from the simulated utilisation over all cells, in points.

    mean, largest: of the absolute differences; n: cells; below: those in which the simulation is.
    """
    used = model_error.filter(pl.col("reading") == "taken", pl.col("metric") == "utilisation")
    used = used.drop_nulls("error")
    size = (100 * pl.col("error")).abs()
    return {
        "mean": say(used, size.mean(), digits=1, words="mean distance from the model, points"),
        "largest": say(used, size.max(), digits=1, words="largest distance from the model, points"),
        "n": count(used, words="simulated cells beside the model"),
        "below": count(used, pl.col("error") < 0, words="cells below the model"),
    }


@paper.number
def red(red_pair) -> dict:
    """Return how RED's utilisation differs from DropTail's in the same cell, in points.

    median, most: of the absolute differences; n: of cells.
    """
    if red_pair.is_empty():
        return dict.fromkeys(("median", "most", "n"), nothing(NO_RUNS))
    size = pl.col("more_points").abs()
    return {
        "median": say(
            red_pair, size.median(), digits=1, words="median distance of RED from DropTail, points"
        ),
        "most": say(
            red_pair, size.max(), digits=1, words="largest distance of RED from DropTail, points"
        ),
        "n": count(red_pair, words="cells that have runs of both queues"),
    }


@paper.number
def shares(flow_share) -> dict:
    """Return what the flow of the shortest RTT gets with DropTail, {source: {mbps, pct, n}}.

    Means over the runs; mbps in Mb/s, others_mbps of all other flows together; pct of the traffic.
    """
    runs = flow_share.filter(pl.col("aqm") == "droptail")
    n = pl.col("run_id").n_unique()
    found = {}
    for name in in_source_order(
        ["sack1", "linux", *runs["implementation"].unique(maintain_order=True).to_list()]
    ):
        mine = runs.filter(pl.col("implementation") == name)
        first, others = mine.filter(SHORTEST), mine.filter(~SHORTEST)
        share = 100 * pl.col("share").mean()
        of_others = "what all other flows carry together, the mean over the runs, Mb/s"
        found[name.replace("-", "_")] = {
            "mbps": say(
                first,
                pl.col("mbps").mean(),
                words="mean throughput of the flow of the shortest RTT, Mb/s",
            ),
            "others_mbps": say(others, pl.col("mbps").sum() / n, words=of_others)
            if len(others)
            else nothing(),
            "pct": say(first, share, words="share of the flow of the shortest RTT, %"),
            "n": say(mine, n, words="runs"),
        }
    return found


@paper.number
def two(link_metric, run_metric) -> dict:
    """Return what the runs of two flows are worth: n of them; unsteady: of them."""
    runs = link_metric.filter(pl.col("n_flows") == 2)
    known = runs.select("run_id", pl.col("^row of .*$")).join(run_metric, on="run_id")
    return {
        "n": count(runs, words="runs of two flows"),
        "unsteady": count(known, is_unsteady(), words="runs of two flows that are unsteady"),
    }


@paper.number
def standard(link_metric) -> dict:
    """Return the most that flows were standard TCP below a tenth of the largest buffer.

    pct: largest share of a run's time, over its flows, with a window of at most w_low; n: runs.
    """
    small = many_flows(link_metric).filter(pl.col("fraction") < 0.1).drop_nulls("standard_share")
    return {
        "pct": say(small, 100 * pl.col("standard_share").max(), digits=1),
        "n": count(small, words="runs with less than a tenth of the largest buffer"),
    }


@paper.number
def steadiness(link_metric, run_metric) -> dict:
    """Return in how many runs of many flows a flow is unsteady, how the use changes; the bounds."""
    many = many_flows(link_metric).select("run_id", pl.col("^row of .*$"))
    known = many.join(run_metric, on="run_id")
    return {
        "n": count(known, is_unsteady(FLOWS), words="runs of many flows with an unsteady flow"),
        "of": count(known, words="runs of many flows"),
        "most_use_change": say(known, pl.col("use_change").max(), digits=2),
        "points": given("statistics.steady.POINTS", 100 * POINTS, POINTS),
        "factor": given("statistics.steady.FACTOR", FACTOR),
    }


@paper.number
def crossed(crossed_cell) -> dict:
    """Return the least mean utilisation of the crossed cells above the smallest buffer, %."""
    larger = crossed_cell.filter(pl.col("fraction") > pl.col("fraction").min())
    words = "least mean utilisation of these cells"
    return {"least_pct": say(larger, 100 * pl.col("mean").min(), digits=1, words=words)}


@paper.number
def fixed_points(uniqueness) -> dict:
    """Return how many fixed points eq. 5 has, at how many buffers and of how many packets."""
    falls = count(uniqueness, pl.col("falls"), words="buffers at which the load never rises")
    return {
        "n": span(uniqueness, "n_fixed_points"),
        "buffers": count(uniqueness, words="combinations of link, queue and buffer"),
        "k": span(uniqueness, "k", style=","),
        "falls": phrase(
            "never rises" if uniqueness["falls"].all() else "rises in places", behind=[falls]
        ),
    }


@paper.number
def warmup(buffer_sensitivity) -> Said:
    """Return how far the mean utilisation moves over the starts, and the most that a run moves."""
    moved = buffer_sensitivity.drop_nulls("moved")
    if moved.is_empty():
        return nothing(NO_RUNS)
    size = 100 * pl.col("moved").mean().over("start").abs().max()
    return phrase(
        "the mean over the runs by {} points at most, a single run by {}",
        say(moved, size, digits=2, words="most that the mean over the runs moves, points"),
        say(
            moved,
            100 * pl.col("moved").abs().max(),
            digits=2,
            words="most that a run moves, points",
        ),
    )
