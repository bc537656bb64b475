"""What a run of hstcp-buffers is of: its place, what the paper prints, and their names in print.

A run's place is its link (bandwidth, number of flows), queue management, TCP implementation and
buffer, the last as the paper's fraction of the largest buffer (factor `buffer_fraction`).
"""

from __future__ import annotations

import re
from itertools import compress

import numpy as np
import polars as pl
from evenflow.errors import DataError
from evenflow.evidence.say import tags_of
from evenflow.packets import HEADER_BYTES
from evenflow.statistics.factors import free_factors

PRINTED = "reports/hstcp-buffers/published.csv"
LINK = ["bottleneck_bps", "n_flows", "aqm"]
PLACE = [*LINK, "implementation", "fraction"]
SLOW = "-slow"  # of an implementation whose senders' links are slower than the bottleneck
CHANGED = "+"  # of an implementation with one thing changed: 'sack1+starts'
CROSSED = "rtt-spread"  # the factor `changed` of runs whose link has the RTTs of another
# where values are from, in the order that they are listed in: the model, an implementation of
# HighSpeed TCP, the original; names in print
PART = "simulation"  # the only data set of paper.yml
MODEL = "model"
SOURCES = {
    MODEL: "Model",
    "sack1": "ns-2 sack1",
    "linux": "ns-2 linux",
    "sack1-slow": "ns-2 sack1, slow senders",
    "printed": "Printed",
}
RANK = pl.col("implementation").replace_strict(
    {name: i for i, name in enumerate(SOURCES)}, default=len(SOURCES), return_dtype=pl.Int64
)
SHORTEST = pl.col("base_rtt_s") == pl.col("base_rtt_s").min()  # of the flows of a table
AQMS = {"droptail": "DropTail", "red": "RED"}


def source_name(source: str) -> str:
    """Return the name of a source of values (SOURCES) in print."""
    return SOURCES.get(source, source or "ns-2")


def in_source_order(sources: list[str]) -> list[str]:
    """Return sources of values in the order of SOURCES, unknown ones last."""
    known = list(SOURCES)
    return sorted(sources, key=lambda s: (known.index(s) if s in known else len(known), s))


def sources_of(table: pl.DataFrame, column: str = "implementation") -> list[str]:
    """Return the sources of a table's rows, in order."""
    return in_source_order(table[column].unique(maintain_order=True).to_list())


def link_name(bottleneck_bps: float) -> str:
    """Return a link's bandwidth in print: '2.5 Gb/s'."""
    return f"{bottleneck_bps / 1e9:g} Gb/s"


def queue_name(aqm: str) -> str:
    """Return a queue management's name in print."""
    return AQMS.get(aqm, aqm)


def places_of(*tables: pl.DataFrame) -> list[tuple[float, str]]:
    """Return the links and queues, (bottleneck_bps, aqm), of tables with these columns, in order.

    DropTail first, then by bandwidth.
    """
    found = {row for table in tables for row in table.select("bottleneck_bps", "aqm").rows()}
    return sorted(found, key=lambda place: (list(AQMS).index(place[1]), place[0]))


def place_name(place: tuple[float, str]) -> str:
    """Return a link and queue in print: '1 Gb/s, DropTail'."""
    return f"{link_name(place[0])}, {queue_name(place[1])}"


def placed_runs(runs: pl.DataFrame, flows: pl.DataFrame, *, crossed: bool = False) -> pl.DataFrame:
    """Return the place of every run.

    Args:
        runs, flows: the tables `run` and `flow`.
        crossed: of the runs whose link has the RTTs of another, and of these alone, else of all
            others: with the same bandwidth, buffer and queue they would have the same place.

    Returns:
        run_id, scenario_id, bottleneck_bps, n_flows, aqm, implementation ('' where the run does not
        say; with '-slow' where the factor access_mbps is below the bottleneck's bandwidth; with '+'
        and the factor `changed` where a run has one),
        fraction, k (buffer in packets), packet_bytes.

    Raises:
        DataError: a run without bandwidth, buffer or `buffer_fraction`.
    """
    of_all = free_factors(runs)
    wanted = [(f.get("changed") == CROSSED) == crossed for f in of_all]
    factors = [*compress(of_all, wanted)]
    runs = runs.filter(pl.Series(wanted, dtype=pl.Boolean))
    changed = [
        f"{CHANGED}{f['changed']}" if f.get("changed") and not crossed else "" for f in factors
    ]
    segment = flows.group_by("run_id", maintain_order=True).agg(pl.col("mss_bytes").first())
    placed = (
        runs.with_columns(
            pl.Series(
                "implementation", [str(f.get("implementation", "")) for f in factors], pl.String
            ),
            pl.Series("access_bps", [_number(f.get("access_mbps")) for f in factors], pl.Float64)
            * 1e6,
            pl.Series("fraction", [_number(f.get("buffer_fraction")) for f in factors], pl.Float64),
        )
        .with_columns(
            pl.when(pl.col("access_bps") < pl.col("bottleneck_bps"))
            .then(pl.col("implementation") + SLOW)
            .otherwise("implementation")
            .alias("implementation")
        )
        .with_columns(pl.col("implementation") + pl.Series("changed", changed, pl.String))
        .join(segment, on="run_id", how="left")
        .with_columns((pl.col("mss_bytes") + HEADER_BYTES).cast(pl.Int64).alias("packet_bytes"))
        .with_columns(
            (pl.col("buffer_bytes") / pl.col("packet_bytes")).round().cast(pl.Int64).alias("k")
        )
    )
    for column, key in (
        ("bottleneck_bps", "bottleneck_mbps"),
        ("k", "buffer_packets and mss_bytes"),
        ("aqm", "aqm"),
        ("fraction", "the factor buffer_fraction"),
    ):
        lacking = placed.filter(pl.col(column).is_null())["run_id"]
        if len(lacking):
            remedy = f"say {key} in its run record, path or runs.csv: docs/reference/data-model.md"
            raise DataError(f"run '{lacking[0]}' does not say its {column}", remedy=remedy)
    return placed.select("run_id", "scenario_id", *PLACE, "k", "packet_bytes").sort("run_id")


def _number(value: object) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def access_rates(runs: pl.DataFrame) -> list[float]:
    """Return the rates of the senders' links (bit/s), by the factor access_mbps; fastest first."""
    rates = [_number(factors.get("access_mbps")) for factors in free_factors(runs)]
    return sorted({rate * 1e6 for rate in rates if rate is not None}, reverse=True)


def flow_rtts(flows: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Return bottleneck_bps, n_flows, rtt_s: the list of a link's round-trip times, sorted.

    Raises:
        DataError: runs of one link have different round-trip times.
    """
    lists = (
        flows.sort("run_id", "base_rtt_s")
        .group_by("run_id", maintain_order=True)
        .agg(pl.col("base_rtt_s").alias("rtt_s"))
        .join(placed.select("run_id", "bottleneck_bps", "n_flows"), on="run_id")
    )
    found = lists.select("bottleneck_bps", "n_flows", "rtt_s").unique().sort(pl.all())
    twice = found.filter(pl.struct("bottleneck_bps", "n_flows").is_duplicated())
    if len(twice):
        rate = f"{twice['bottleneck_bps'][0] / 1e6:g} Mb/s, {twice['n_flows'][0]} flows"
        remedy = "give runs of one link and number of flows the same round-trip times"
        raise DataError(f"runs of {rate} have different round-trip times", remedy=remedy)
    return found


def configured_places(links: list[dict], fractions: list[float], packet_bytes: int) -> pl.DataFrame:
    """Return the places that the model's curves are drawn through.

    Args:
        links: bottleneck_mbps, n_flows, rtt_ms (shortest, longest), full_buffer_packets of each.
        fractions: buffers as shares of full_buffer_packets.
        packet_bytes: size of a packet on the link.
    """
    rows = [
        {
            "bottleneck_bps": link["bottleneck_mbps"] * 1e6,
            "n_flows": link["n_flows"],
            "aqm": aqm,
            "fraction": float(fraction),
            "k": max(1, round(fraction * link["full_buffer_packets"])),
            "packet_bytes": packet_bytes,
            "rtt_s": (np.linspace(*link["rtt_ms"], link["n_flows"]) / 1000).tolist(),
        }
        for link in links
        for aqm in AQMS
        for fraction in fractions
    ]
    return pl.DataFrame(rows)


def many_flows(table: pl.DataFrame) -> pl.DataFrame:
    """Select the links that many flows share; the runs of two flows are Figures 5 and 6.

    Runs with one thing changed are no implementation of their own; `changed_runs` has them.
    """
    many = table.filter(pl.col("n_flows") > 2)
    if "implementation" not in many.columns:
        return many
    return many.filter(~pl.col("implementation").str.contains(CHANGED, literal=True))


def changed_runs(table: pl.DataFrame) -> pl.DataFrame:
    """Select the runs or cells with one thing changed, with the columns tcp and changed."""
    part = pl.col("implementation").str.split_exact(CHANGED, 1).struct
    here = table.filter(pl.col("implementation").str.contains(CHANGED, literal=True))
    return here.with_columns(
        part.field("field_0").alias("tcp"), part.field("field_1").alias("changed")
    )


def two_flow_examples(placed: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """Return the first repeat of every buffer and implementation of two flows.

    Returns:
        PLACE, run_id, k, warmup_s, and rtts: the flows' names in the order of flow_id ('80 ms',
        '40 ms').
    """
    names = (
        flows.sort("run_id", "flow_id")
        .group_by("run_id", maintain_order=True)
        .agg(pl.format("RTT {} ms", (pl.col("base_rtt_s") * 1000).round(3)).alias("rtts"))
        .with_columns(pl.col("rtts").list.eval(pl.element().str.replace(r"\.0 ms", " ms")))
    )
    return (
        placed.filter(pl.col("n_flows") == 2)
        .sort("run_id")
        .unique(PLACE, keep="first", maintain_order=True)
        .join(names, on="run_id")
        .select(*PLACE, "run_id", "k", "warmup_s", "rtts", *tags_of(placed))
        .sort(RANK, "fraction", "bottleneck_bps")
    )


def two_flow_runs(
    link: pl.DataFrame, flows: pl.DataFrame, flow_metrics: pl.DataFrame
) -> pl.DataFrame:
    """Return the runs of two flows with both means.

    Args:
        link: the paper's table link_metric.
        flows, flow_metrics: the tables `flow` and `flow_metric`.

    Returns:
        `link` with rtt_long_s, rtt_short_s, long_bps, short_bps, short_over_long; sorted.
    """
    means = (
        flows.join(flow_metrics, on=["run_id", "flow_id"])
        .sort("run_id", "base_rtt_s")
        .group_by("run_id", maintain_order=True)
        .agg(
            pl.col("base_rtt_s").last().alias("rtt_long_s"),
            pl.col("base_rtt_s").first().alias("rtt_short_s"),
            pl.col("mean_throughput_bps").last().alias("long_bps"),
            pl.col("mean_throughput_bps").first().alias("short_bps"),
        )
    )
    two = link.filter(pl.col("n_flows") == 2).join(means, on="run_id")
    two = two.with_columns((pl.col("short_bps") / pl.col("long_bps")).alias("short_over_long"))
    return two.sort(RANK, "fraction", "run_id")


def flow_shares(
    link: pl.DataFrame, flows: pl.DataFrame, flow_metrics: pl.DataFrame, at: dict
) -> pl.DataFrame:
    """Return the throughput of each of many flows at one link and buffer.

    Args:
        link: the paper's table link_metric.
        flows, flow_metrics: the tables `flow` and `flow_metric`.
        at: bottleneck_mbps, fraction.

    Returns:
        A row a run and flow: aqm, implementation, run_id, flow_id, base_rtt_s, mbps (Mb/s), share
        (of what all flows of the run get), jfi, drift; sorted.
    """
    here = many_flows(link).filter(
        (pl.col("bottleneck_bps") - at["bottleneck_mbps"] * 1e6).abs() < 1,
        (pl.col("fraction") - at["fraction"]).abs() < 1e-9,
    )
    mean = pl.col("mean_throughput_bps")
    return (
        here.select("run_id", "aqm", "implementation", "jfi", "drift", *tags_of(here))
        .join(flows.select("run_id", "flow_id", "base_rtt_s"), on="run_id")
        .join(flow_metrics.select("run_id", "flow_id", mean), on=["run_id", "flow_id"])
        .with_columns((mean / 1e6).alias("mbps"), (mean / mean.sum().over("run_id")).alias("share"))
        .drop("mean_throughput_bps")
        .sort("aqm", RANK, "run_id", "base_rtt_s")
    )


def rate_ratios(cells: pl.DataFrame, errors: pl.DataFrame) -> pl.DataFrame:
    """Return drops and cuts a packet over the model's p, cell by cell.

    Args:
        cells, errors: the tables `buffer_cell` and `model_error`.

    Returns:
        PLACE, metric (loss_rate, cut_rate), n (runs), ratio; sources in order.
    """
    used = errors.filter(pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
    return (
        many_flows(cells)
        .filter(pl.col("metric").is_in(["loss_rate", "cut_rate"]))
        .join(used.select(*PLACE, "model"), on=PLACE)
        .select(
            *PLACE,
            "metric",
            "n",
            *tags_of(cells),
            (pl.col("mean") / pl.col("model")).alias("ratio"),
        )
        .drop_nulls("ratio")
        .sort(RANK, *PLACE, "metric")
    )


CASE = (
    r"^(?P<gbps>[\d.]+)Gbps-(?P<delay_ms>\d+)ms(-(?P<aqm>droptail|red))?"
    r"-buffer-(?P<low>\d+)(to(?P<high>\d+))?pct$"
)


def printed_values(published: pl.DataFrame) -> pl.DataFrame:
    """Return what published.csv has: utilisation and loss rates by link, queue, range of buffers.

    Args:
        published: the file, as strings.

    Returns:
        item, quantity, statistic, value, where, bottleneck_bps, aqm (DropTail where the case names
        none), low, high (the buffer's range as fractions).

    Raises:
        DataError: a case of another form.
    """
    for line, case in enumerate(published["case"], 2):
        if not re.match(CASE, case or ""):
            remedy = "write '1Gbps-50ms-red-buffer-10to100pct'"
            raise DataError(f"unknown case '{case}'", path=PRINTED, line=line, remedy=remedy)
    part = pl.col("case").str.extract_groups(CASE).struct
    return published.with_columns(
        pl.col("value").cast(pl.Float64),
        (part.field("gbps").cast(pl.Float64) * 1e9).alias("bottleneck_bps"),
        part.field("aqm").fill_null("droptail").alias("aqm"),
        (part.field("low").cast(pl.Float64) / 100).alias("low"),
        (part.field("high").fill_null(part.field("low")).cast(pl.Float64) / 100).alias("high"),
    ).select(
        "item", "quantity", "statistic", "value", "where", "bottleneck_bps", "aqm", "low", "high"
    )
