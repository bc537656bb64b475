"""The clock of a log of senders' state: steps of it, and state that lasts longer than its flow."""

from __future__ import annotations

import polars as pl
import pytest
from in_chunks import read_logs
from iperf_logs import client
from raw_data import make_dataset

EPOCH_S = 1795443914


def polled(times_s: list[float] | None, n: int = 10) -> bytes:
    """Return blocks of `ss` of the flow's connection at these times; None: n without any."""
    dates = [""] * n if times_s is None else [f"{EPOCH_S + t:.1f}\n" for t in times_s]
    return "".join(
        f"{date}State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
        "ESTAB 0 0 10.0.0.1:40010 10.0.0.9:5001\n\t cubic rto:224 rtt:20/1 mss:1448 cwnd:51 "
        f"bytes_acked:{1000 * i + 1} retrans:0/0\n"
        for i, date in enumerate(dates)
    ).encode()


def found_in(logs: dict[str, bytes], tmp_path) -> list[tuple]:
    """Return what is found: check, severity, path, line and message."""
    folder = make_dataset(tmp_path / "raw", {"iperf.log": client(1, 9, at=0)} | logs, "")
    read_logs(folder, tmp_path / "derived")
    rows = pl.read_parquet(tmp_path / "derived/measured/found.parquet")
    rows = rows.filter(pl.col("check").is_in(["clock jump", "state longer than its flow"]))
    return rows.select("check", "severity", "path", "line", "message").rows()


def test_a_clock_that_goes_back_is_an_error(tmp_path):
    ((check, severity, path, line, said),) = found_in(
        {"ss.txt": polled([0, 1, 2, 3, 4, 0, 1, 2, 3, 4])}, tmp_path
    )
    assert (check, severity, path, line) == ("clock jump", "error", "ss.txt", 24)
    assert "goes back from 4 to 0 s (times that it does: 1)" in said


def test_a_clock_that_leaps_is_a_warning(tmp_path):
    ((check, severity, path, line, said),) = found_in(
        {"ss.txt": polled([0, 1, 2, 3, 4, 9, 10, 11])}, tmp_path
    )
    assert (check, severity, path, line) == ("clock jump", "warning", "ss.txt", 24)
    assert "from 4 to 9 s; such gaps: 1, together 5 s" in said


@pytest.mark.parametrize(
    "times_s",
    [list(range(11)), [0, 0.1, 0.2, 0.9, 1.0, 0.95, 1.05], [0, 4, 8]],
    ids=["each second", "a busy host", "seldom"],
)
def test_other_times_are_right(times_s, tmp_path):
    assert found_in({"ss.txt": polled(times_s)}, tmp_path) == []


@pytest.mark.parametrize(("n", "longer"), [(13, False), (14, True), (100, True)])
def test_state_that_lasts_longer_than_its_flow_of_ten_seconds_is_a_warning(n, longer, tmp_path):
    """Without dates and `lastrcv` blocks are taken to be a second apart."""
    found = found_in({"ss.txt": polled(None, n)}, tmp_path)
    assert len(found) == longer
    for check, severity, path, _, said in found:
        assert (check, severity, path) == ("state longer than its flow", "warning", "ss.txt")
        assert f"until {n - 1} s, but the flow's last report ends at 10 s" in said


def test_without_a_log_of_connections_nothing_is_found(tmp_path):
    assert found_in({}, tmp_path) == []
