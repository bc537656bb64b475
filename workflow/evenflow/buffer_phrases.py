"""Parts of sentences of hstcp-buffers' report, right on whatever part of the campaign there is."""

from __future__ import annotations

import polars as pl

from . import hstcp
from .buffer_claims import CLAIMS, UNDECIDED, Series, percent, runs, scientific
from .buffer_reporting import place_name
from .buffers import RANK, SLOW
from .charts.theme import in_source_order, source_name
from .hstcp_model import iterated_loads
from .markdown import NOTHING, number, span_of
from .provenance.made import made_when
from .roles import listed

NO_RUNS = "no runs"


def data_variables(
    run: pl.DataFrame, flow: pl.DataFrame, ledger: pl.DataFrame, link: pl.DataFrame
) -> dict:
    """Return what the report says of the data set as a whole.

    Args:
        run, flow, ledger: its tables.
        link: the paper's table link_metric.
    """
    files = ledger.filter(pl.col("entry") == "file")
    many, two = link.filter(pl.col("n_flows") > 2), link.filter(pl.col("n_flows") == 2)
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
        "warmup_s": listed(link["warmup_s"]) or NOTHING,
        "starts_s": span_of(flow["start_s"], 1),
        "tool": ", ".join(" ".join(filter(None, tool)) for tool in tools),
        "made_when": made_when(run["made_by"]),
        "n_files": f"{len(files):,}",
        "raw_mb": number(files["bytes"].sum() / 1e6, 1),
        "n_lines": f"{files['lines'].sum():,}",
        "n_rejected_lines": f"{files['lines_rejected'].sum():,}",
    }


def example_variables(loss_rate: float, rtt_s: float) -> dict:
    """Return the numbers of Figure 1 for a loss rate and a round-trip time."""
    found = hstcp.epoch(loss_rate, rtt_s)
    return {
        "loss_rate": scientific(loss_rate, 0),
        "rtt_ms": f"{1000 * rtt_s:g}",
        "top": f"{found.window[-1]:,.0f}",
        "bottom": f"{found.window[0]:,.0f}",
        "decrease_pct": number(100 * float(hstcp.decrease(found.window[-1])), 0),
        "duration_s": number(found.duration_s, 1),
        "packets": f"{found.packets:,.0f}",
        "losses": number(found.packets * loss_rate, 2),
    }


def link_variables(places: pl.DataFrame) -> list[dict]:
    """Return the links' largest buffers, as shares of the BDP of the longest RTT.

    Args:
        places: `buffers.configured_places`.
    """
    links = []
    for row in places.unique("bottleneck_bps").sort("bottleneck_bps").rows(named=True):
        full = round(row["k"] / row["fraction"])
        bdp = row["bottleneck_bps"] * max(row["rtt_s"]) / 8 / row["packet_bytes"]
        links.append(
            {
                "gbps": f"{row['bottleneck_bps'] / 1e9:g}",
                "full_packets": f"{full:,}",
                "bdp_packets": f"{bdp:,.0f}",
                "share_pct": number(100 * full / bdp, 0),
                "ten_percent_pct": number(10 * full / bdp, 1),
            }
        )
    return links


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
            f"{percent(cell['mean'])} with `{cell['implementation']}`{runs(cell)}"
            for cell in mine.rows(named=True)
        ]
        words.append(f"the model {percent(row['utilisation'])}")
        parts.append(f"{place_name((row['bottleneck_bps'], row['aqm']))}: {', '.join(words)}")
    return "; ".join(parts) or NO_RUNS


def tally(series: dict[tuple, dict[str, Series]]) -> dict[str, dict[str, str]]:
    """Return how many tests of the claims hold, by source: {source: {holds, fails, ...}}."""
    counts: dict = {}
    for claim in CLAIMS:
        for place, found in series.items():
            if claim.of is not None and place not in claim.of:
                continue
            for source, one in found.items():
                verdict = claim.test(one)
                if verdict is not None:
                    counts.setdefault(source, []).append(verdict.word)
    return {
        source: {
            "n": str(len(words)),
            "holds": str(words.count("holds")),
            "fails": str(words.count("fails")),
            "undecided": str(words.count(UNDECIDED)),
        }
        for source, words in counts.items()
    }


def tally_words(counts: dict[str, dict[str, str]]) -> str:
    """Return the tally as a sentence's part: 'Model: 20 of 26 hold, ...; ns-2 sack1: ...'."""
    return "; ".join(
        f"{source}: {c['holds']} of {c['n']} hold, {c['fails']} fail"
        + (f", {c['undecided']} undecided" if c["undecided"] != "0" else "")
        for source, c in counts.items()
    )


def error_words(errors: pl.DataFrame) -> str:
    """Return how far the model is from the simulation, an implementation each."""
    used = errors.filter(
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


def loss_words(cells: pl.DataFrame, errors: pl.DataFrame) -> str:
    """Return how drops and cuts a packet compare with the model's p: medians of the ratios."""
    used = errors.filter(pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
    place = ["bottleneck_bps", "n_flows", "aqm", "implementation", "fraction"]
    model = used.select(*place, pl.col("model"))
    parts = []
    for (name,), part in (
        cells.filter(pl.col("metric").is_in(["loss_rate", "cut_rate"]))
        .join(model, on=place)
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


def cuts_at(cells: pl.DataFrame, errors: pl.DataFrame, fraction: float) -> str:
    """Return cuts a packet beside the model's p at a fraction of the buffer, as a list."""
    near = (pl.col("fraction") - fraction).abs() < 1e-9
    used = errors.filter(near, pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
    place = ["bottleneck_bps", "n_flows", "aqm", "implementation", "fraction"]
    pairs = cells.filter(pl.col("metric") == "cut_rate").join(
        used.select(*place, "model"), on=place
    )
    parts = [
        f"{scientific(row['mean'])} against {scientific(row['model'])} "
        f"({place_name((row['bottleneck_bps'], row['aqm']))}, `{row['implementation']}`, "
        f"n = {row['n']})"
        for row in pairs.sort("aqm", "bottleneck_bps", RANK).rows(named=True)
    ]
    return "; ".join(parts) or NO_RUNS


def iterate_variables(places: pl.DataFrame) -> dict:
    """Return what iterating eq. 5 gives on the first link at a tenth of its buffer."""
    row = (
        places.filter((pl.col("fraction") - 0.1).abs() < 1e-9, pl.col("aqm") == "droptail")
        .sort("bottleneck_bps")
        .row(0, named=True)
    )
    capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
    loads = iterated_loads(capacity_pps, row["k"], row["rtt_s"])
    return {
        "n": str(len(loads)),
        "low": scientific(min(loads[-2:])),
        "high": scientific(max(loads[-2:])),
        "k": f"{row['k']:,}",
    }


def slow_words(cells: pl.DataFrame) -> str:
    """Return utilisation with senders' links above and below the bottleneck's, cell by cell."""
    used = cells.filter(pl.col("metric") == "utilisation")
    place = ["bottleneck_bps", "n_flows", "aqm", "fraction"]
    slow = used.filter(pl.col("implementation").str.ends_with(SLOW)).with_columns(
        pl.col("implementation").str.strip_suffix(SLOW)
    )
    pairs = used.join(slow, on=[*place, "implementation"], suffix="_slow").sort(place)
    parts = [
        f"{percent(row['mean'])}{runs(row)} with fast links and {percent(row['mean_slow'])}"
        f"{runs({'n': row['n_slow']})} with slow ones, at {100 * row['fraction']:g} % "
        f"({place_name((row['bottleneck_bps'], row['aqm']))}, `{row['implementation']}`)"
        for row in pairs.rows(named=True)
    ]
    return "; ".join(parts) or NO_RUNS


def warmup_words(sensitivity: pl.DataFrame, default: pl.DataFrame) -> str:
    """Return how far the mean utilisation moves over the starts, and the most that a run moves."""
    kept = default.select("run_id", pl.col("utilisation").alias("kept"))
    moved = (
        sensitivity.join(kept, on="run_id")
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


def source_names(cells: pl.DataFrame) -> str:
    """Return the implementations that were run: 'ns-2 sack1 and ns-2 linux'."""
    names = [source_name(n) for n in in_source_order(cells["implementation"].unique().to_list())]
    return " and ".join(names) or NO_RUNS
