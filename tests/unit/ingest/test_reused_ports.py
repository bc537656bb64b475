"""Logs of senders' state where the same ports come again: runs with fixed ports, one after another.

Each run has one flow between the same two ends, and its window is a number that no other has.
"""

from __future__ import annotations

from datetime import UTC

import polars as pl
import pytest
from evenflow.ingest.parse import parse_dataset
from iperf_logs import BEGIN, client
from pasted import analysed
from raw_data import build_tables, make_dataset, parse

EPOCH_S = BEGIN.replace(tzinfo=UTC).timestamp()
APART_S = 100  # from the begin of a run to that of the next
LONG_S = 10  # of each
AGAIN = "connection of another time"


def polled(windows: dict[float, int], *, clock_s: float | None = 0.0, counts: bool = True) -> bytes:
    """Return blocks of `ss` each second of connections of 10 s with the flow's ends.

    Args:
        windows: the cwnd of each connection by when it began, seconds after BEGIN.
        clock_s: by how much the recorder's clock is fast; None where it printed none.
        counts: whether the kernel's counters of bytes are printed.
    """
    blocks = []
    for at in range(int(min(windows)), int(max(windows)) + LONG_S):
        date = "" if clock_s is None else f"{EPOCH_S + at + clock_s:.1f}\n"
        block = f"{date}State Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
        for begun, cwnd in windows.items():
            if begun <= at < begun + LONG_S:
                counters = f"bytes_acked:{int(at - begun + 1) * 10**6} lastrcv:9" if counts else ""
                block += "ESTAB 0 0 10.0.0.1:40010 10.0.0.9:5001\n\t cubic rto:224 rtt:20/1 "
                block += f"mss:1448 cwnd:{cwnd} {counters} retrans:0/0\n"
        blocks.append(block)
    return "".join(blocks).encode()


def probed(windows: dict[float, int]) -> bytes:
    """Return a line of tcp_probe each second of the same connections, by seconds since boot."""
    return "".join(
        f" iperf-1 [000] ..s2. {77 + begun + t:.6f}: tcp_probe: family=AF_INET src=10.0.0.1:40010 "
        f"dest=10.0.0.9:5001 mark=0x0 data_len=0 snd_nxt=0xffff0000 snd_una=0x{first + 4096 * t:x} "
        f"snd_cwnd={cwnd} ssthresh=2147483647 snd_wnd=65160 srtt=35 rcv_wnd=64512\n"
        for (begun, cwnd), first in zip(windows.items(), (0xE0000000, 0x1000, 0x99), strict=False)
        for t in range(LONG_S)
    ).encode()


def two_runs(names: tuple[str, str] = ("run1", "run2")) -> dict[str, bytes]:
    """Return the logs of two runs, 100 s apart, with the same ends."""
    return {
        f"{name}/iperf.log": client(1, 9, at=APART_S * i, mbps=8.0 + i)
        for i, name in enumerate(names)
    }


def windows_of(logs: dict[str, bytes], tmp_path, yml: str = "") -> dict[str, tuple]:
    """Return {folder of a run's log: windows of its flow, how many values, from when to when}."""
    folder = make_dataset(tmp_path / "raw", logs, yml)
    tables = build_tables(folder, tmp_path / "derived")
    homes = tables["sample"].group_by("run_id").agg(pl.col("path").str.split("/").list[0].first())
    state = tables["tcp_state"].filter(variable="cwnd_packets").group_by("run_id")
    t_s = pl.col("t_s")
    rows = state.agg(pl.col("value").unique().sort(), pl.len(), first=t_s.min(), last=t_s.max())
    rows = rows.join(homes, on="run_id", how="left").sort("run_id")
    return {
        row["path"] or row["run_id"]: (row["value"], row["len"], row["first"], row["last"])
        for row in rows.rows(named=True)
    }


def found_in(tmp_path) -> list[tuple[str, str | None]]:
    """Return the severity and the log of each finding on connections of another time."""
    return (
        analysed(tmp_path / "raw")["finding"].filter(check=AGAIN).select("severity", "path").rows()
    )


EACH_ITS_OWN = {"run1": ([11], 10, 0, 9), "run2": ([22], 10, 0, 9)}


@pytest.mark.parametrize("clock_s", [0, APART_S, 3600, None], ids=str)
@pytest.mark.parametrize("place", ["run{}/ss.txt", "ss_run{}.txt", "run{}/deep/ss.txt"])
def test_a_log_of_state_is_of_the_run_of_its_name_and_folder(place, clock_s, tmp_path):
    """With a clock that is fast by what the runs are apart it seems to be of the next one."""
    logs = two_runs()
    for i in (1, 2):
        logs[place.format(i)] = polled({APART_S * (i - 1): 11 * i}, clock_s=clock_s)
    assert windows_of(logs, tmp_path) == EACH_ITS_OWN
    assert found_in(tmp_path) == []


def test_a_log_of_state_is_of_the_run_in_its_folder_whatever_that_is_called(tmp_path):
    logs = two_runs(("wired", "radio"))
    logs["wired/ss.txt"] = polled({0: 11}, clock_s=APART_S)
    logs["radio/ss.txt"] = polled({APART_S: 22}, clock_s=APART_S)
    assert windows_of(logs, tmp_path) == {"wired": ([11], 10, 0, 9), "radio": ([22], 10, 0, 9)}


def test_no_log_of_state_is_of_a_run_of_another_repeat(tmp_path):
    logs = two_runs() | {"run3/ss.txt": polled({0: 33}, clock_s=None)}
    del logs["run1/iperf.log"]
    assert "run2" not in windows_of(logs, tmp_path)


@pytest.mark.parametrize("counts", [True, False], ids=["counters", "no counters"])
def test_one_log_over_two_runs_gives_each_its_own(counts, tmp_path):
    logs = two_runs() | {"ss.txt": polled({0: 11, APART_S: 22}, counts=counts)}
    assert windows_of(logs, tmp_path) == EACH_ITS_OWN
    assert found_in(tmp_path) == []


DESCRIBED = 'files: [{path: "run{repeat}/iperf.log"}, {path: "run{repeat}/ss.txt"}]'


@pytest.mark.parametrize("yml", ["", DESCRIBED], ids=["bare", "described"])
def test_a_recorder_that_was_left_running_gives_no_run_the_state_of_the_next(yml, tmp_path):
    logs = two_runs()
    logs["run1/ss.txt"] = polled({0: 11, APART_S: 22})
    logs["run2/ss.txt"] = polled({APART_S: 22}) + b"\n"  # no copy of a part
    assert windows_of(logs, tmp_path, yml) == EACH_ITS_OWN
    assert found_in(tmp_path) == [("note", "run1/ss.txt")]


def test_a_test_before_the_flow_on_its_ports_is_not_of_it(tmp_path):
    logs = {"run2/iperf.log": client(1, 9, at=APART_S), "run2/ss.txt": polled({0: 11, APART_S: 22})}
    assert windows_of(logs, tmp_path) == {"run2": ([22], 10, 0, 9)}
    assert found_in(tmp_path) == [("note", "run2/ss.txt")]


def test_of_two_connections_without_dates_neither_is_of_the_flow(tmp_path):
    logs = {"run2/iperf.log": client(1, 9), "run2/ss.txt": polled({0: 11, 20: 22}, clock_s=None)}
    assert windows_of(logs, tmp_path) == {}
    assert found_in(tmp_path) == [("warning", "run2/ss.txt")]


@pytest.mark.parametrize("clock_s", [0, None], ids=["dated", "undated"])
def test_of_two_logs_of_one_connection_one_is_read(clock_s, tmp_path):
    logs = {"run1/iperf.log": client(1, 9, at=0)}
    logs["run1/ss.txt"] = polled({0: 11}, clock_s=clock_s)
    logs["run1/ss_again.txt"] = polled({0: 12}, clock_s=clock_s)
    assert windows_of(logs, tmp_path) == {"run1": ([11], 10, 0, 9)}
    assert found_in(tmp_path) == [("warning", "run1/ss_again.txt")]


def test_two_logs_one_after_another_are_both_of_the_connection(tmp_path):
    whole = polled({0: 11})
    cut = whole.index(f"{EPOCH_S + 6:.1f}".encode())
    logs = {"run1/iperf.log": client(1, 9, at=0)}
    logs |= {"run1/ss.txt": whole[:cut], "run1/ss_2.txt": whole[cut:]}
    assert windows_of(logs, tmp_path) == {"run1": ([11], 10, 0, 9)}
    assert found_in(tmp_path) == []


@pytest.mark.parametrize("log", [polled, probed])
def test_connections_that_nobody_measured_are_flows_of_their_own(log, tmp_path):
    folder = make_dataset(tmp_path / "raw", {"trace.txt": log({0: 11, APART_S: 22})}, "")
    state = build_tables(folder, tmp_path / "derived")["tcp_state"].filter(variable="cwnd_packets")
    rows = state.group_by("flow_id").agg(pl.col("value").unique(), pl.len()).sort("flow_id")
    assert rows.rows() == [(1, [11.0], 10), (2, [22.0], 10)]


def test_a_trace_without_dates_over_two_runs_is_of_neither(tmp_path):
    logs = two_runs() | {"trace.txt": probed({0: 11, APART_S: 22})}
    assert {"run1", "run2"}.isdisjoint(windows_of(logs, tmp_path))


def test_one_log_over_two_runs_is_accounted_for_in_each(tmp_path):
    folder = make_dataset(tmp_path, two_runs() | {"ss.txt": polled({0: 11, APART_S: 22})}, "")
    runs = parse_dataset(folder)["stream"].filter(pl.col("local") == "10.0.0.1:40010")
    assert runs["run_id"].null_count() == 0 and runs["run_id"].n_unique() == 2


@pytest.mark.parametrize(
    "windows",
    [{0: 11}, {0: 11, 10: 22}, {0: 11, 11: 22, 60: 33}],
    ids=["one", "at once", "three"],
)
@pytest.mark.parametrize("log", [polled, probed])
def test_connections_that_follow_each_other_are_streams(log, windows):
    tables = parse("ss" if log is polled else "tcp-probe", log(windows))
    cwnd = tables["state"].filter(variable="cwnd_packets").sort("stream", "t_s")
    of_stream = cwnd.group_by("stream", maintain_order=True).agg("t_s", pl.col("value").unique())
    wanted = [(i, [float(t) for t in range(10)], [w]) for i, w in enumerate(windows.values(), 1)]
    assert of_stream.rows() == wanted


def test_sequence_numbers_go_around_within_a_connection():
    around = [b"snd_una=0x%x" % ((0xFFFFB000 + 4096 * t) % 2**32) for t in range(LONG_S)]
    lines = probed({0: 11}).splitlines(keepends=True)
    lines = [
        line.replace(line[line.index(b"snd_una") : line.index(b" snd_cwnd")], una)
        for line, una in zip(lines, around, strict=True)
    ]
    assert len(parse("tcp-probe", b"".join(lines))["stream"]) == 1
