"""Counters that cannot be are unknown, of the logs that have them and of no other."""

import polars as pl
import pytest
from evenflow.ingest.counters import without_impossible

# file_id, stream, t_end_s, bytes, retransmits, cwnd_bytes, rtt_s
SCHEMA = {
    "file_id": pl.Int64,
    "stream": pl.Int64,
    "t_end_s": pl.Float64,
    "bytes": pl.Int64,
    "retransmits": pl.Int64,
    "cwnd_bytes": pl.Int64,
    "rtt_s": pl.Float64,
}
COUNTED = ["retransmits", "cwnd_bytes", "rtt_s"]
GOOD = [(0, 1, 1.0, 100, 2, 9000, 0.04), (0, 1, 2.0, 0, 0, 0, None), (0, 2, 1.0, 50, None, 1, 0.04)]


def intervals(*rows):
    of = pl.DataFrame([*GOOD, *rows], schema=SCHEMA, orient="row")
    return of.with_columns(cwnd_packets=pl.lit(None, pl.Int64))


STREAMS = pl.DataFrame({"file_id": [0, 0, 1], "stream": [1, 2, 1], "options": None}).cast(
    {"options": pl.String}
)


def test_a_connection_has_lived_through_the_part_that_is_omitted():
    omitting = STREAMS.with_columns(options=pl.lit('{"omit_s": "5"}'))
    found, said = without_impossible(intervals((1, 1, 1.0, 100, 3, 7, 4.3)), omitting)
    assert found["rtt_s"][-1] == 4.3
    assert said == {}


@pytest.mark.parametrize(
    ("rows", "kept", "unknown"),
    [
        ([(1, 1, 1.0, 100, 3, 7, 0.04)], [(3, 7, 0.04)], {}),
        # one that wrapped says nothing of the other intervals
        (
            [(1, 1, 1.0, 100, 2**31, 7, 0.04), (1, 1, 2.0, 100, 2**31 - 1, 7, 0.04)],
            [(None, 7, 0.04), (2**31 - 1, 7, 0.04)],
            {"retransmits": [1]},
        ),
        # no sender sends without a window
        ([(1, 1, 1.0, 100, 3, 0, 0.04)], [(3, None, 0.04)], {"window": [1]}),
        ([(1, 1, 1.0, 0, 3, 0, 0.04)], [(3, 0, 0.04)], {}),  # nor is anything sent
        (
            [(1, 1, 1.0, 100, 3, 0, 0.04), (1, 1, 2.0, 100, 3, 5, 0.04)],
            [(3, 0, 0.04), (3, 5, 0.04)],
            {},
        ),
        # a round trip takes no longer than the connection has lived
        (
            [(1, 1, 1.0, 100, 3, 7, 4.3), (1, 1, 2.0, 100, 3, 7, 0.04)],
            [(3, 7, None), (3, 7, None)],
            {"round-trip time": [1]},
        ),
        # it lives since its handshake, before the first interval, here one of 0.1 s
        ([(1, 1, 0.1, 100, 3, 7, 0.15)], [(3, 7, 0.15)], {}),
    ],
)
def test_what_cannot_be_is_unknown_of_its_log_alone(rows, kept, unknown):
    found, said = without_impossible(intervals(*rows), STREAMS)
    assert found.columns == intervals().columns
    assert found.filter(file_id=1).select(COUNTED).rows() == kept
    assert found.filter(file_id=0).equals(intervals())
    assert said == unknown
