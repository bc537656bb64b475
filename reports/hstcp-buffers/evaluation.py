"""The model of hstcp-buffers, in every reading, where its curves are drawn through."""

from __future__ import annotations

import numpy as np
import polars as pl
from evenflow.papers import paper

from .design import LINK, configured_places
from .model import FixedPoint, crossings, fixed_point, readings_of


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
