"""What text and JSON of iperf3 say alike: of a test and its connections, and of their two ends."""

from __future__ import annotations

import polars as pl

ABOUT_TEST = {  # what a log says of a connection and its test
    "service_side": pl.String,
    "protocol": pl.String,
    "local": pl.String,
    "peer": pl.String,
    "cca": pl.String,
    "mss_bytes": pl.Int64,
    "start_epoch_s": pl.Float64,
    "zone": pl.String,
    "planned_s": pl.Float64,
    "aborted": pl.Boolean,
    "tool_version": pl.String,
    "options": pl.String,
    "cookie": pl.String,
}


def is_known() -> pl.Expr:
    """Return whether a summary's count is known: iperf3 prints 0 bytes of an end it lost."""
    own = (pl.col("side") == pl.col("own_side")).fill_null(True)
    return (own | (pl.col("bytes") > 0)) & pl.col("bytes").is_between(0, 2.0**62)
