"""The model of hstcp-buffers, in every reading, where its curves are drawn through."""

from __future__ import annotations

import polars as pl
from evenflow.papers import paper

from .design import LINK, configured_places
from .model import FixedPoint, fixed_point, readings_of


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
