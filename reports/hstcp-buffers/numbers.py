"""The numbers of hstcp-buffers' text: right on whatever part of the campaign there is."""

from __future__ import annotations

import polars as pl
from evenflow.markdown import NOTHING, listed, number, percent, scientific, span_of
from evenflow.papers import paper
from evenflow.papers.claims import OUTCOMES, REPRODUCED, count_outcomes
from evenflow.provenance.made import made_when
from evenflow.provenance.origins import table
from evenflow.reporting.setups import plain

from . import highspeed
from .claims import BETWEEN
from .design import (
    PLACE,
    RANK,
    SLOW,
    configured_places,
    counted,
    in_source_order,
    many_flows,
    place_name,
    source_name,
    two_flow_runs,
)
from .model import iterated_loads

NO_RUNS = "no runs"


def of_fraction(fraction: str) -> list:
    """Return the rows of cells and model that numbers of one buffer come from."""
    cells = table("buffer_cell", metric="utilisation", fraction=fraction)
    return [cells, table("model_point", reading="taken", fraction=fraction)]


FULL_CUTS = [table("buffer_cell", metric="cut_rate", fraction="1.0"), table("model_error")]


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
        "repeats": span_of(many.group_by("scenario_id").len()["len"]) if len(many) else NOTHING,
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
def settings(confidence) -> dict:
    return {"confidence_pct": f"{100 * confidence:g}"}


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

    Args:
        link: bottleneck_mbps, rtt_ms (shortest, longest), full_buffer_packets.
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


@paper.number(rows={"ten": of_fraction("0.1"), "twenty": of_fraction("0.2")})
def at(buffer_cell, model_point) -> dict:
    cells = many_flows(buffer_cell)
    return {
        "ten": at_fraction(cells, model_point, 0.1),
        "twenty": at_fraction(cells, model_point, 0.2),
    }


def at_fraction(cells: pl.DataFrame, model: pl.DataFrame, fraction: float) -> str:
    """Return the utilisation at a fraction of the buffer wherever there is one, as a list.

    '94.1 % with `sack1` (n = 1), the model 99.5 % (1 Gb/s, DropTail); ...'
    """
    near = (pl.col("fraction") - fraction).abs() < 1e-9
    measured = cells.filter(near, pl.col("metric") == "utilisation")
    taken = model.filter(near, pl.col("reading") == "taken")
    parts = []
    for row in taken.sort("aqm", "bottleneck_bps").rows(named=True):
        mine = measured.filter(
            pl.col("bottleneck_bps") == row["bottleneck_bps"], pl.col("aqm") == row["aqm"]
        ).sort(RANK)
        words = [
            f"{percent(cell['mean'])} with `{cell['implementation']}`{counted(cell)}"
            for cell in mine.rows(named=True)
        ]
        words.append(f"the model {percent(row['utilisation'])}")
        parts.append(f"{place_name((row['bottleneck_bps'], row['aqm']))}: {', '.join(words)}")
    return "; ".join(parts) or NO_RUNS


@paper.number
def claims(claim) -> str:
    """Return how many tests of the claims have which outcome, by source.

    'Model: 18 of 23 reproduced, 5 not reproduced; ns-2 sack1: ...'
    """
    source = pl.col("subject").str.split(BETWEEN).list.last().alias("source")
    parts = []
    for (name,), tests in claim.group_by(source, maintain_order=True):
        n = count_outcomes(tests)
        shown = [f"{n[REPRODUCED]} of {len(tests)} {REPRODUCED}"]
        shown += [f"{n[o]} {o}" for o in OUTCOMES if o != REPRODUCED and n[o]]
        parts.append(f"{name}: {', '.join(shown)}")
    return "; ".join(parts)


@paper.number
def errors(model_error) -> str:
    """Return how far the model is from the simulation, an implementation each."""
    used = model_error.filter(
        pl.col("reading") == "taken", pl.col("metric") == "utilisation"
    ).drop_nulls("error")
    parts = []
    for (name,), part in (
        used.sort(RANK).partition_by("implementation", as_dict=True, maintain_order=True).items()
    ):
        error = 100 * part["error"]
        below = int((error < 0).sum())
        parts.append(
            f"with `{name}` by {number(error.abs().mean(), 1)} points on average and "
            f"{number(error.abs().max(), 1)} at most ({len(part)} cells; in {below} the "
            "simulation is below the model)"
        )
    return "; ".join(parts) or NO_RUNS


@paper.number
def losses(buffer_cell, model_error) -> str:
    """Return how drops and cuts a packet compare with the model's p: medians of the ratios."""
    used = model_error.filter(pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
    model = used.select(*PLACE, "model")
    parts = []
    for (name,), part in (
        many_flows(buffer_cell)
        .filter(pl.col("metric").is_in(["loss_rate", "cut_rate"]))
        .join(model, on=PLACE)
        .with_columns((pl.col("mean") / pl.col("model")).alias("ratio"))
        .sort(RANK)
        .partition_by("implementation", as_dict=True, maintain_order=True)
        .items()
    ):
        ratio = {
            metric: part.filter(pl.col("metric") == metric)["ratio"].median()
            for metric in ("loss_rate", "cut_rate")
        }
        if None in ratio.values():
            continue
        parts.append(
            f"with `{name}` the median ratio to the model's loss rate is "
            f"{number(ratio['loss_rate'], 1)} for drops and {number(ratio['cut_rate'], 1)} for cuts"
        )
    return "; ".join(parts) or NO_RUNS


@paper.number(rows={"": FULL_CUTS})
def full_cuts(buffer_cell, model_error) -> str:
    return cuts_at(many_flows(buffer_cell), model_error, 1.0)


def cuts_at(cells: pl.DataFrame, errors: pl.DataFrame, fraction: float) -> str:
    """Return cuts a packet beside the model's p at a fraction of the buffer, as a list."""
    near = (pl.col("fraction") - fraction).abs() < 1e-9
    used = errors.filter(near, pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
    pairs = cells.filter(pl.col("metric") == "cut_rate").join(
        used.select(*PLACE, "model"), on=PLACE
    )
    parts = [
        f"{scientific(row['mean'])} against {scientific(row['model'])} "
        f"({place_name((row['bottleneck_bps'], row['aqm']))}, `{row['implementation']}`, "
        f"n = {row['n']})"
        for row in pairs.sort("aqm", "bottleneck_bps", RANK).rows(named=True)
    ]
    return "; ".join(parts) or NO_RUNS


@paper.number
def two_flows(link_metric, flow, flow_metric) -> str:
    return two_flow_verdict(two_flow_runs(link_metric, flow, flow_metric))


def two_flow_verdict(two: pl.DataFrame) -> str:
    """Return whether the larger buffer is fairer, an implementation each, in words."""
    words = []
    for (name,), part in two.partition_by(
        "implementation", as_dict=True, maintain_order=True
    ).items():
        means = part.group_by("fraction").agg(pl.col("jfi").mean(), pl.len()).sort("fraction")
        if len(means) < 2:
            continue
        (small, low, n_low), *_, (large, high, n_high) = means.rows()
        verdict = "holds" if high > low else "fails"
        words.append(
            f"it {verdict} with `{name}`: Jain's index is {number(low, 3)} at "
            f"{100 * small:g} % (n = {n_low}) and {number(high, 3)} at {100 * large:g} % "
            f"(n = {n_high})"
        )
    return "; ".join(words) or "there are no runs of two flows at two buffers to test it on"


@paper.number
def implementations(buffer_cell) -> str:
    """Return the implementations that many flows ran: 'ns-2 sack1 and ns-2 linux'."""
    names = many_flows(buffer_cell)["implementation"].unique().to_list()
    return " and ".join(map(source_name, in_source_order(names))) or NO_RUNS


@paper.number(rows={"": [table("buffer_cell", metric="utilisation")]})
def slow_senders(buffer_cell) -> str:
    """Return utilisation with senders' links above and below the bottleneck's, cell by cell."""
    used = many_flows(buffer_cell).filter(pl.col("metric") == "utilisation")
    place = ["bottleneck_bps", "n_flows", "aqm", "fraction"]
    slow = used.filter(pl.col("implementation").str.ends_with(SLOW)).with_columns(
        pl.col("implementation").str.strip_suffix(SLOW)
    )
    pairs = used.join(slow, on=[*place, "implementation"], suffix="_slow").sort(place)
    parts = [
        f"{percent(row['mean'])}{counted(row)} with fast links and {percent(row['mean_slow'])}"
        f"{counted({'n': row['n_slow']})} with slow ones, at {100 * row['fraction']:g} % "
        f"({place_name((row['bottleneck_bps'], row['aqm']))}, `{row['implementation']}`)"
        for row in pairs.rows(named=True)
    ]
    return "; ".join(parts) or NO_RUNS


@paper.number
def warmup(buffer_sensitivity, link_metric) -> str:
    """Return how far the mean utilisation moves over the starts, and the most that a run moves."""
    kept = link_metric.select("run_id", pl.col("utilisation").alias("kept"))
    moved = (
        buffer_sensitivity.join(kept, on="run_id")
        .with_columns((pl.col("utilisation") - pl.col("kept")).alias("moved"))
        .drop_nulls("moved")
    )
    means = moved.group_by("start").agg(pl.col("moved").mean())["moved"]
    if means.is_empty():
        return NO_RUNS
    return (
        f"the mean over the runs by {number(100 * means.abs().max(), 2)} points at most, a single "
        f"run by {number(100 * moved['moved'].abs().max(), 2)}"
    )
