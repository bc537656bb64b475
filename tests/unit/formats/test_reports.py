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
from evenflow.formats import iperf2, iperf2_scan, reports
from evenflow.formats.logs import Log, Shape
from evenflow.formats.reports import Meaning, scanned
from evenflow.formats.tables import parse_logs
from hypothesis import example, given
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
            nothing = np.full(len(part.line), np.nan)
            values = [part.values.get(name, nothing) for name in meaning.columns]
            values[meaning.key] = part.each("key")
            places = (part.each("file", int), part.line, part.each("unit", int), part.n_bytes)
            rows += zip(*(column.tolist() for column in (*places, *values)), strict=True)
    told = zip(scan.told.places.tolist(), scan.told.texts, strict=True)
    return rows, [(*place, text) for place, text in told], scan.counts


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
    taken = []
    real = iperf2_scan.take_plain
    monkeypatch.setattr(iperf2_scan, "take_plain", lambda *of: taken.append(real(*of)) or taken[-1])
    both = [sorted_tables(logs)]
    n_plain = sum(len(set(part.interval["file_id"])) for parts in taken for part in parts)
    assert n_plain > 20, n_plain
    monkeypatch.setattr(iperf2_scan, "take_plain", lambda *of: [])
    both.append(sorted_tables(logs))
    for name, table in both[0].items():
        assert table.equals(both[1][name]), name
