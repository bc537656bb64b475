"""The model of hstcp-buffers, in every reading, where its curves are drawn through."""

from __future__ import annotations

import numpy as np
import polars as pl
from evenflow.papers import paper

from . import highspeed
from .design import LINK, configured_places
from .model import FixedPoint, crossings, fixed_point, iterated_loads, readings_of


def model_points(places: pl.DataFrame) -> pl.DataFrame:
    """Evaluate the model in every reading.

    Args:
        places: bottleneck_bps, n_flows, aqm, fraction, k, packet_bytes, rtt_s (list: of the flows).

    Returns:
        LINK, fraction, k, reading, and of the fixed point load, loss_rate, utilisation,
        queue_packets; null where a reading has none.
    """
    keys = [*LINK, "fraction", "k"]
    rows = []
    for row in places.unique(keys).sort(keys).rows(named=True):
        capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
        for name, model in readings_of(row["aqm"]).items():
            try:
                point = fixed_point(capacity_pps, row["k"], row["rtt_s"], row["aqm"], model)
            except ValueError:  # no fixed point: the queue and the reading are known ones
                point = FixedPoint(None, None, None, None)
            rows.append({key: row[key] for key in keys} | {"reading": name} | point._asdict())
    schema = dict.fromkeys(FixedPoint._fields, pl.Float64)
    if not rows:
        return pl.DataFrame(schema=places.select(keys).schema | {"reading": pl.String} | schema)
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


@paper.metric
def model_point(links, fractions, packet_bytes) -> pl.DataFrame:
    """Return the fixed points of the links, queues and buffers of paper.yml."""
    return model_points(configured_places(links, fractions, packet_bytes))


def fixed_points(places: pl.DataFrame, n_loads: int) -> pl.DataFrame:
    """Count the fixed points of eq. 5 in the reading taken.

    Args:
        places: see `model_points`.
        n_loads: loads that eq. 5 is looked at for each.

    Returns:
        LINK, fraction, k, n_fixed_points, falls (`model.crossings`); sorted.
    """
    keys = [*LINK, "fraction", "k"]
    rows = []
    for row in places.unique(keys).sort(keys).rows(named=True):
        capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
        found = crossings(capacity_pps, row["k"], row["rtt_s"], row["aqm"], n_loads=n_loads)
        counted = dict(zip(("n_fixed_points", "falls"), found, strict=True))
        rows.append({key: row[key] for key in keys} | counted)
    return pl.DataFrame(rows)


@paper.metric
def uniqueness(links, uniqueness_of, packet_bytes) -> pl.DataFrame:
    """Return the fixed points of eq. 5 from a buffer of one packet to the largest."""
    largest = max(link["full_buffer_packets"] for link in links)
    fractions = np.geomspace(1 / largest, 1, uniqueness_of["buffers"]).tolist()
    places = configured_places(links, fractions, packet_bytes)
    return fixed_points(places, uniqueness_of["loads"])


@paper.metric
def sawtooth(example) -> pl.DataFrame:
    """Return what a flow's window does between two losses, for one loss rate and RTT: one row."""
    found = highspeed.epoch(example["loss_rate"], example["rtt_ms"] / 1000)
    row = {
        "loss_rate": float(example["loss_rate"]),
        "rtt_ms": float(example["rtt_ms"]),
        "top_packets": float(found.window[-1]),
        "bottom_packets": float(found.window[0]),
        "decrease": float(highspeed.decrease(found.window[-1])),
        "duration_s": float(found.duration_s),
        "packets": float(found.packets),
    }
    return pl.DataFrame([row])


@paper.metric
def link_buffer(links, packet_bytes) -> pl.DataFrame:
    """Return the links of paper.yml: their largest buffer, and the BDP of their longest RTT."""
    rows = [
        {
            "bottleneck_mbps": float(of["bottleneck_mbps"]),
            "n_flows": of["n_flows"],
            "full_packets": of["full_buffer_packets"],
            "bdp_packets": of["bottleneck_mbps"] * 1e3 * max(of["rtt_ms"]) / 8 / packet_bytes,
        }
        for of in links
    ]
    return pl.DataFrame(rows)


@paper.metric
def iterated_load(links, packet_bytes) -> pl.DataFrame:
    """Return what iterating eq. 5 gives on the slowest link, a tenth of its buffer: step, load."""
    slowest = min(links, key=lambda of: of["bottleneck_mbps"])
    places = configured_places([slowest], [0.1], packet_bytes)
    row = places.filter(pl.col("aqm") == "droptail").row(0, named=True)
    capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
    loads = iterated_loads(capacity_pps, row["k"], row["rtt_s"])
    steps = {"step": range(1, len(loads) + 1), "load": loads, "k": [row["k"]] * len(loads)}
    return pl.DataFrame(steps)
