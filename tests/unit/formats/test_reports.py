"""Logs of reports: the scanner in C finds what its twin in Python finds, wherever the bytes lie.
Plain logs of iperf 2 say the same as by the long way."""

import bz2
import gzip
from pathlib import Path

import evenflow.files
import numpy as np
import polars as pl
import pytest
import scanner_twins as twins
from evenflow.formats import iperf2, iperf2_reports, iperf2_scan, reports
from evenflow.formats.logs import Log, Shape
from evenflow.formats.reports import Meaning, scanned
from evenflow.formats.tables import parse_logs
from hypothesis import example, given, settings
from hypothesis import strategies as st

FIXTURES = Path(__file__).parents[2] / "fixtures"
SHAPES = (
    Shape("sample", r"\[ ?0\] 0 (?P<unit>[KM]?)B", "label amount", kind="report"),
    Shape("sample", r"\[ ?0\] 0 s 0 (?P<unit>[KM]?)B", "label t_s amount", kind="report"),
    Shape("header", r"\[ ?0\] begins.*", "label", kind="begins", text=True),
    Shape("header", r"-+|"),
)
FACTORS = {"": 1.0, "K": 1e3, "M": 1e6}


def factor(match):
    """Return the unit of a report."""
    return {"factor": FACTORS[match["unit"]]} if "unit" in match.groupdict() else {}


NUMBER = st.one_of(
    st.integers(0, 40).map(str),
    st.floats(0, allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["9007199254740991", "9007199254740992", "1e400", "1e-400", "0.1" + "0" * 30]),
    st.text("0123456789", min_size=17, max_size=30),
)
LINE = st.one_of(
    st.builds("[{:3d}] {} {}B".format, st.integers(1, 3), NUMBER, st.sampled_from(["", "K", "M"])),
    st.builds("[{}] {} s {} MB".format, NUMBER, NUMBER, NUMBER),
    st.builds("[ {}] begins {}".format, NUMBER, NUMBER),
    st.sampled_from(["", "-----", "[  1]  2.5  B\r", "\r", "1 " * 70, "[ 1] 2 B x"]),
    st.text(max_size=8),
).map(str.encode)
LOGS = st.lists(
    st.one_of(
        st.lists(LINE).map(lambda lines: b"".join(line + b"\n" for line in lines)),
        st.lists(LINE).map(b"\n".join),
        st.binary(max_size=20),
    ),
    max_size=5,
)


def found_in(logs: list[Log], meaning: Meaning, room: int) -> tuple:
    """Return rows, told lines and counts as the twin does, by a buffer of so many bytes."""
    scanner = reports._Scanner(meaning)
    scanner.buffer = bytearray(room)
    meaning.free[:] = [scanner]
    rows = []
    with scanned(logs, meaning) as scan:
        for part in scan.rows:
            lengths = np.diff(np.array([*part.begin, len(part.line)]))
            runs = (part.file, part.unit, part.key)
            file, unit, key = (np.repeat(np.array(run), lengths) for run in runs)
            nothing = np.full(len(part.line), np.nan)
            values = [np.array(part.values.get(name, nothing)) for name in meaning.columns]
            values[meaning.key] = key
            places = (file, np.array(part.line), unit, np.array(part.n_bytes))
            rows += zip(*(column.tolist() for column in (*places, *values)), strict=True)
    counts = np.array([scan.counts, scan.sizes]).reshape(2, len(logs), -1)
    return rows, [*zip(*scan.told, strict=True)], counts


def assert_as_by_the_twin(contents, logs, room, longest=40):
    meaning = Meaning(SHAPES, "unknown", factor, "label")
    rows, told, counts = found_in(logs, meaning, room)
    their_rows, their_told, their_counts = twins.scan_reports(contents, meaning, longest)
    np.testing.assert_array_equal(np.array(rows), np.array(their_rows))
    assert told == their_told
    np.testing.assert_array_equal(counts, their_counts)


@given(LOGS.filter(bool), st.sampled_from([1, 30, 200, 10**5]))
@example([b"[  1] 0.12345678901234567890 1234567890123456789 s 99999999999999999999e-9 B\n"], 200)
@example([b"[ 1] 1 B\n[ 1] 5 s 1 KB\n[ 2] 1 B", b"", b"[ 1] 2 MB"], 200)
@example([b"[ 99999999999999999999] begins\n[ 9999999999999999999] 1 B\n"], 200)
@example([b"".join(b"x%c\n" % n for n in range(200)) * 60], 10**5)
def test_reports_are_scanned_as_by_the_twin(contents, room):
    logs = [Log(i, content, line_bytes=40) for i, content in enumerate(contents)]
    assert_as_by_the_twin(contents, logs, room)


@pytest.mark.parametrize("room", [10, 300, 10**6])
def test_logs_are_read_from_files_of_every_kind(tmp_path, room):
    line = b"[ 1] %d.5 s 7 KB\n"
    contents = [b"".join(line % n for n in range(k)) for k in (3, 0, 9, 1, 40, 2, 5)]
    contents[2] = contents[2].rstrip()
    packed = [*contents]
    packed[0] = gzip.compress(contents[0])
    packed[3] = b"\xef\xbb\xbf" + contents[3]
    packed[5] = bz2.compress(contents[5])
    packed[6] = contents[6].decode().encode("utf-16")
    paths = [tmp_path / f"{i} é.log" for i in range(len(packed))]
    for path, data in zip(paths, packed, strict=True):
        path.write_bytes(data)
    logs = [Log(i, None, path, line_bytes=40) for i, path in enumerate(paths)]
    assert_as_by_the_twin(contents, logs, room)
    with pytest.raises(FileNotFoundError), scanned([Log(0, None, tmp_path / "x")], iperf2.MEANING):
        pass


@pytest.mark.parametrize("end", [b"", b"\n", b"\n" + b"z" * 300])
def test_a_large_log_is_read_in_blocks(tmp_path, monkeypatch, end):
    monkeypatch.setattr(evenflow.files, "PLAIN_BYTES", 64)
    monkeypatch.setattr(evenflow.files, "LINE_BYTES", 16)
    line = b"[ 1] %d.5 s 7 KB\n"
    content = b"".join(line % n for n in range(30)) + b"y" * 500 + b"\n" + line.strip() % 5 + end
    (tmp_path / "log").write_bytes(content)
    (tmp_path / "log.gz").write_bytes(gzip.compress(content))
    for name in ("log", "log.gz"):
        log = Log(0, None, tmp_path / name, line_bytes=40, is_large=True)
        assert_as_by_the_twin([content], [log], 10**6)


def sorted_tables(logs: list[Log]) -> dict[str, pl.DataFrame]:
    """Return the tables of logs, in an order of their own."""
    return {name: t.sort(t.columns) for name, t in parse_logs("iperf2", logs).items()}


def test_plain_logs_say_the_same_by_the_long_way(monkeypatch):
    paths = sorted(path for path in FIXTURES.rglob("*iperf2/**/*") if path.is_file())
    logs = [Log(i, path.read_bytes(), path) for i, path in enumerate(paths)]
    by_hand = [
        b"[  1] local 10.0.0.1 port 5001 connected with 10.0.0.2 port 4\n" + text
        for text in (
            b"[  1] 0.0-1.0 sec 1.0 MBytes 8.4 Mbits/sec\n"
            b"[  1] 1.0-2.0 sec 900 KBytes 7 Mbits/sec\n"
            b"[  1] 0.0-2.0 sec 1.9 MBytes 7.9 Mbits/sec\n",
            b"[  1] 0.0-9.0 sec 1.0 MBytes 0.9 Mbits/sec\n",
            b"[  1] 1.0-2.0 sec 1.0 MBytes 8.4 Mbits/sec\n[  1] 0.0-1.0 sec 1 MBytes 8 Mbits/sec\n",
            b"[  1] 0.0-1.0 sec 0.3 MBytes 2.52 Mbits/sec\n"
            b"[  1] 1.0-1.0 sec 1 MBytes 8 Mbits/sec\n",
        )
    ]
    logs += [Log(1000 + i, text) for i, text in enumerate(by_hand)]
    parts = iperf2_scan.scan_batch(logs).parts
    n_plain = len({file_id for part in parts for file_id in part.interval["file_id"]})
    assert n_plain > 20, n_plain
    both = [sorted_tables(logs)]
    real = iperf2_reports._plain_logs
    none = lambda *of: (bytearray(len(logs)), real(*of)[1])  # noqa: E731
    monkeypatch.setattr(iperf2_reports, "_plain_logs", none)
    both.append(sorted_tables(logs))
    for name, table in both[0].items():
        assert table.equals(both[1][name]), name


ANNOUNCED = "[  1] local 10.0.0.1 port 5001 connected with 10.0.0.2 port 4"
REPORTS_OF_IPERF2 = st.sampled_from(
    [
        *("[  1] 1.0-2.0 sec 1.0 MBytes 8.1 Mbits/sec", "[  1] 0.0-9.0 sec 9 MBytes 8 Mbits/sec"),
        *("[  1] 0.0-1.0 sec 0.96 MBytes 8.1 Mbits/sec", "[  1] 0.0-1.0 sec 0 Bytes 0 bits/sec"),
        *(
            "[  1] 3-4 sec 3.3 MBytes 25 Mbits/sec 1/0 3 17K/50 us",
            "[  1] 3-4 sec 1 Bytes 8 bits/sec",
        ),
        # of the amount and the rate one is the more precise: by rounding they may differ
        *(f"[  1] 0.0-10.0 sec 5.00 MBytes {rate} MBytes/sec" for rate in (0.51, 0.49, 0.52, 0.48)),
        *(
            "[  1] 2.0-2.0 sec 0.005 KBytes 0 KBytes/sec",
            "[  1] 3.0-2.0 sec 0.5 KBytes 4.1 Kbits/sec",
        ),
    ]
)
NOT_PLAIN = st.sampled_from(
    [
        *(ANNOUNCED, ANNOUNCED.replace("5001", "0"), ANNOUNCED.replace("  1", " *1")),
        *("[  1] Server Report:", "[  2] 1.0-2.0 sec 1.0 MBytes 8.1 Mbits/sec"),
        *("[ *1] 1.0-2.0 sec 1.0 MBytes 8.1 Mbits/sec", "[  1] 1-2 sec 0.01 GBytes 8 Mbits/sec"),
        *("[  1] 1.0-2.0 sec 1e13 MBytes 8 Mbits/sec", "[  1] 1-2 sec 1 MBytes 2e4 Gbits/sec"),
        *("[  1] 2e8-2e9 sec 1.0 MBytes 8 Mbits/sec", "[  1] 2.0-1.0 sec 1 MBytes 8 Mbits/sec"),
        *("", "x", ANNOUNCED.replace("connected", "conn")),
    ]
)


def a_log(begin: list[str], reports: list[str], odd: list[tuple[int, str]]) -> list[str]:
    """Return the lines of a log: odd ones are put where they say."""
    lines = [*begin, *reports]
    for at, line in odd:
        lines.insert(at, line)
    return lines


OF_IPERF2 = st.builds(
    a_log,
    st.sampled_from([[ANNOUNCED], [ANNOUNCED], []]),
    st.lists(REPORTS_OF_IPERF2, max_size=5),
    st.lists(st.tuples(st.integers(0, 3), st.one_of(NOT_PLAIN, REPORTS_OF_IPERF2)), max_size=1),
)
LOGS_OF_IPERF2 = st.lists(OF_IPERF2, min_size=1, max_size=4)
PLAIN_HAVE = {"file_id", "line", "bytes", "throughput_bps", *iperf2.NUMBERS, "t_start_s", "t_end_s"}


def rows_of(columns: dict, names: list[str]) -> list[tuple]:
    """Return reports that were taken, with the columns that their kind has."""
    nothing = [np.nan] * len(columns["line"])
    return [*zip(*(columns.get(name, nothing) for name in names), strict=True)]


@settings(max_examples=500)
@given(LOGS_OF_IPERF2, st.sampled_from([300, 10**5]))
def test_reports_of_plain_logs_are_taken_as_by_the_twin(logs, room):
    contents = ["\n".join(lines).encode() for lines in logs]
    meaning = iperf2.MEANING
    scanner = reports._Scanner(meaning)
    scanner.buffer = bytearray(room)
    meaning.free[:] = [scanner]
    batch = iperf2_scan.scan_batch([Log(i, c, line_bytes=200) for i, c in enumerate(contents)])
    theirs = twins.take_reports(contents, meaning, 200)
    values = [name for name in meaning.columns if name not in ("amount", "rate")]
    names = sorted({*values, "bytes", "throughput_bps", "line", "unit", "n_bytes"})
    for kind, of_kind in enumerate(theirs):
        ours = [row for part in batch.parts for row in rows_of(part[kind], ["file_id", *names])]
        known = [i for i, name in enumerate(["file_id", *names]) if kind or name in PLAIN_HAVE]
        expected = [[row[i] for i in known] for row in of_kind]
        np.testing.assert_array_equal([[row[i] for i in known] for row in ours], expected)
