"""The scanners in C find what their twins in Python find, in whatever bytes."""

import ctypes
import re
from array import array

import numpy as np
import pytest
import scanner_twins as twins
from evenflow.formats import iperf3_json_lines as lines
from evenflow.formats.compiled import function
from evenflow.formats.iperf3_objects import (
    BROKEN,
    END,
    FIELDS,
    INTERVALS,
    RECORD,
    START,
    Logs,
    Scan,
    Scanner,
)
from evenflow.formats.ns2_trace_scan import scan as scan_trace
from hypothesis import example, given
from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False).map(repr),
    st.text("0123456789", min_size=1, max_size=40),
    st.sampled_from(["1e", "1e+", "1.5e-05", "1e400", "1.", ".5", "-", "00", "1e-400", "7e22"]),
)
KEYS = st.sampled_from(
    [
        *("start", "end", "intervals", "interval", "streams", "sum", "sum_sent", "socket", "bytes"),
        *("bits_per_second", "omitted", "sender", "receiver", "udp", "event", "data", "error"),
        *(
            "server_output_json",
            "server_output_text",
            "sender_tcp_congestion",
            "rtt",
            "x",
            "su",
            "",
        ),
    ]
)
WORDS = st.sampled_from(
    ["true", "false", "null", "nan", "inf", "Infinity", "-inf", "truth", "none"]
)
STRINGS = st.one_of(KEYS, st.sampled_from(['a\\"b', "a\\\\", "cut\n", "interval", "cubic"]))


def quoted(text: str) -> str:
    return f'"{text}"'


VALUES = st.recursive(
    st.one_of(NUMBERS, WORDS, STRINGS.map(quoted)),
    lambda inner: st.one_of(
        st.lists(st.tuples(KEYS, inner)).map(
            lambda pairs: "{" + ",\n".join(f"{quoted(k)}: {v}" for k, v in pairs) + "}"
        ),
        st.lists(inner).map(lambda values: "[" + ", ".join(values) + "]"),
    ),
    max_leaves=30,
)
STREAM = st.tuples(st.integers(1, 3), NUMBERS, NUMBERS, NUMBERS, WORDS).map(
    lambda v: '{{"socket": {}, "start": {}, "end": {},\n"bytes": {}, "omitted": {}}}'.format(*v)
)
DOCUMENT = st.lists(STREAM, max_size=6).map(
    lambda s: (
        '{"start": {"cookie": "x"},\n"intervals": [{"streams": [' + ",\n".join(s) + "]}],"
        '"end": {"streams": [{"sender": {"socket": 1}}]}}\n'
    )
)
EVENT = st.tuples(st.sampled_from(["start", "interval", "end", "error", "x"]), VALUES).map(
    lambda v: '{{"event": "{}", "data": {}}}\n'.format(*v)
)
PIECES = st.one_of(
    st.sampled_from([*'{}[]:,"', "\n", "\t", " ", "\r\n", "\\", "\x00", "\ufeff", "iperf3: x\n"]),
    VALUES,
    DOCUMENT,
    EVENT,
)
LOGS = st.lists(PIECES).map(lambda pieces: "".join(pieces).encode())


@st.composite
def damaged(draw, logs):
    """A log of which something is cut out, or in which bytes are put."""
    log = draw(logs)
    at = draw(st.integers(0, len(log)))
    return log[:at] + draw(st.binary(max_size=3)) + log[at + draw(st.integers(0, 9)) :]


LINES = re.compile(rb"[^\n]*\n|[^\n]+")
# objects whose keys are nearly those of the object before
ALIKE = (
    b'{"intervals":[{"streams":[{"socket":1,"start":0,"bytes":1,"bits_per_second":2,"retransmits":9},'
    b'{"socket":1,"stort":1,"byte":2,"bits_per_sekond":3,"retransmitz":8},'
    b'{"socket":1,"start":2,"bytes":3,"bits_per_second":4,"retransmits":7}'
)


@given(st.lists(st.one_of(LOGS, damaged(LOGS), st.binary()), min_size=1, max_size=3))
@example([b""])
@example([b'{"intervals": [{"streams": [{"socket": 5, "bytes": 1' + b"0" * 400 + b"}]}]}"])
@example(
    [
        b'{"intervals":[{"streams":[{"socket":1,"start":5e-22,"end":7e-22,"bytes":235951006097486908}]}]}'
    ]
)
@example(
    [
        b'{"intervals":[{"streams":[{"socket":1,"start":3e-23,"end":7e23,"bytes":1234567890123456789}]}]}'
    ]
)
@example(
    [b'{"server_output_json":{"start":{"connected":[{"socket":5}],"a":{"b":1}},"intervals":[]}}']
)
@example([b'{"s'])
@example([ALIKE + b',{"socket":1,"bytes":4,"bits_per_second'])
@example([ALIKE + b"]}]}", ALIKE + b']}],"sum":{"socket":1,"bytes":5}}'])
@example([b'{"' + b"[" * 70])
@example([b"[" * 70 + b"\n" + b'{"a":' * 70 + b"}" * 70])
@example([b'{"intervals":[{"streams":[{"socket":1},{"socket":1}' + b',{"socket":2}' * 3])
@example([b"".join(b'{"start":{"connected":[{"socket":%d}]}}\n' % n for n in range(70))])
@example(
    [b"", b'{"start":{"connected":[{"socket":1}]}}', b"", b'{"a":1,', b'x\n{"error":"y"}', b""]
)
def test_json_is_scanned_as_by_the_twin(logs):
    theirs = twins.scan_json(logs)
    block, stops, ends = twins.in_a_row(logs)
    for room in (0, len(block)):  # too little memory, and enough
        ours = twins.as_arrays(Scanner(room).scan(block, stops, ends))
        for name in ours._fields:
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


@given(st.lists(st.one_of(LOGS, damaged(LOGS)), min_size=1, max_size=3))
def test_lines_and_bytes_are_counted_by_log_and_code(logs):
    block, stops, ends = twins.in_a_row(logs)
    found = Scanner(0).scan(block, stops, ends)
    wanted = np.zeros((len(logs), 2, 15), np.int64)
    sizes = [(log, len(x)) for log, text in enumerate(logs) for x in LINES.findall(text)]
    for (log, n_bytes), code in zip(sizes, found.line_code.tolist(), strict=True):
        wanted[log, :, code] += 1, n_bytes
    np.testing.assert_array_equal(lines.count_codes(found, ends, 15), wanted)


NUMBER = st.sampled_from([float("nan"), float("inf"), -1.0, 0.0, 0.5, 1.0, 2.0, 1e9, 2.0**62, 1e19])
OBJECT = st.tuples(
    st.fixed_dictionaries(dict.fromkeys(FIELDS, NUMBER)),
    st.fixed_dictionaries(
        dict.fromkeys(RECORD, st.just(0))
        | {
            "section": st.sampled_from([0, START, INTERVALS, INTERVALS, END]),
            "twice": st.integers(0, 1),
            "stream": st.integers(0, 2),
            "log": st.integers(0, 1),
            "line": st.integers(0, 9),
        }
    ),
)


@given(st.lists(OBJECT, max_size=12), st.integers(1, 3))
def test_objects_become_what_the_twin_says(objects, spare):
    n, n_streams = len(objects), 1 + max((record["stream"] for _, record in objects), default=-1)
    room = n + spare
    numbers, records = np.full((len(FIELDS), room), 7.0), np.full((len(RECORD), room), 7)
    for i, (number, record) in enumerate(objects):
        numbers[:, i] = [number[name] for name in FIELDS]
        records[:, i] = [record[name] for name in RECORD]
    flat = (
        memoryview(matrix.ravel()).cast("B").cast(kind)
        for matrix, kind in ((numbers, "d"), (records, "q"))
    )
    found = array("q", [5, 0, 0, 1, 10, 0, 0, 1])  # two logs, of 5 lines each
    none = memoryview(b"")
    scan = Scan(*flat, room, n, [], none, memoryview(bytearray(10)), found)
    logs = Logs(bytearray(), [40, 41], [0, 0], [0, 0], [0, 0])
    codes, n_found = lines.classify(logs, scan, {})
    of_twin = [
        twins.classify_object(number, record["section"], record["twice"] == 1)
        for number, record in objects
    ]
    assert [*codes] == of_twin and n_found == n_streams
    codes[:1] = bytes([BROKEN])[: len(codes)]
    streams = lines._streams(logs, scan, codes, n_streams)
    mine = {
        k: [(code, *o) for code, o in zip(codes, objects, strict=True) if o[1]["stream"] == k]
        for k in range(n_streams)
    }
    told = {k: of for k, of in mine.items() if any(code != BROKEN for code, *_ in of)}
    assert streams["key"].tolist() == [*told]
    said = ("sends", "counts", "jitter", "finished")
    for i, of in enumerate(told.values()):
        wanted = twins.tell_stream([(code, number) for code, number, _ in of])
        np.testing.assert_equal([streams[name][i] for name in said], wanted)
        first = next(record for code, _, record in of if code != BROKEN)
        where = (40 + first["log"], first["line"] + 1 - 5 * first["log"])
        assert (streams["file_id"][i], streams["line"][i]) == where
    samples = [i for i, code in enumerate(codes) if code == lines.SAMPLE]
    table = lines._quantities(logs, scan, lines._rows_of(codes, lines.SAMPLE))
    for name, (field, unit) in lines.QUANTITIES.items():
        least, most = lines.COUNTS.get(name, (-np.inf, np.inf))
        values = [objects[i][0][field] for i in samples]
        values = [v / unit if least <= v <= most else np.nan for v in values]
        assert (name in table) == (not values or not np.isnan(values).all())
        np.testing.assert_array_equal(table.get(name, values), values)


def test_a_test_of_too_many_streams_is_no_test_of_iperf3():
    streams = b",".join(b'{"socket": %d}' % n for n in range(1030))
    log = b'{"intervals": [{"streams": [' + streams + b"]}]}\n"
    found = twins.as_arrays(Scanner(len(log)).scan(*twins.in_a_row([log])))
    assert not found.found[:, 3].any()
    np.testing.assert_array_equal(found.records, twins.scan_json([log]).records)


WHOLE = st.one_of(st.integers(-3, 9), st.integers(-(10**19), 10**19)).map(str)
TIME = st.one_of(
    st.integers(0, 4).map(str),
    st.floats(0, 2e6).map(repr),
    st.sampled_from(["1e", "1e-", "2.", "0.5e-5", "1" * 19, "1." + "2" * 40, "3e-400", "9e30", ""]),
)
ADDRESS = st.one_of(
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda v: f"{v[0]}.{v[1]}"),
    st.lists(WHOLE, max_size=5).map(".".join),
)
NAME = st.sampled_from(["tcp", "ack", "rtProtoDV", "cbr", "live_tcp_long", "a", "r", "", "ac"])
LINE = st.tuples(
    st.sampled_from([*"rrrrd+-ehxZ", "", "rr", "\x00"]),
    *(TIME, st.integers(0, 3).map(str), st.integers(0, 3).map(str), NAME),
    *(st.sampled_from(["40", "1500", "-1", "2147483648", "x"]), st.sampled_from(["-------", ""])),
    *(st.sampled_from(["1", "2", "-2147483648", "7"]), ADDRESS, ADDRESS, WHOLE, WHOLE),
).map(" ".join)
TRACES = st.lists(
    st.tuples(LINE, st.sampled_from(["\n", "\n", "\r\n", "", " 1 2\n", " \n"])).map("".join)
).map(lambda lines: "".join(lines).encode())


@given(st.one_of(TRACES, damaged(TRACES), st.binary()), st.sampled_from([0.0, 1.5]))
@example(b"", 0.0)
@example(b"r", 0.0)
@example(b"r \r\n\r\n\r", 0.0)
@example(b"r 1 0 1 tcp 40 ------- 1 0.0 1.0 5 6\nr 0.5 0 1 tcp 40 ------- 1 0.0 1.0 5 6", 0.0)
@example(
    b"".join(b"r 1 %d 2 tcp 40 ------- 1 0.0 1.2.0 5 6\n" % (n**3 % 9973) for n in range(400)) * 2,
    0.0,
)
@example(b"r 1 0 1 ack 40 ------- 1 0.0 1.0 5 6\nd 2 0 2 tcp 40 ------- 1 0.0 1.2.0 5 6\n", 0.0)
def test_traces_are_scanned_as_by_the_twin(trace, since_s):
    found = scan_trace(memoryview(trace), since_s)
    received, dropped, broken, counts, *times = twins.scan_trace(trace, since_s)
    assert found.received.tolist() == received
    np.testing.assert_array_equal(found.dropped, np.array(dropped, float).reshape(-1, 9))
    assert found.broken.tolist() == [list(row) for row in broken]
    np.testing.assert_array_equal([found.lines, found.bytes], counts)
    assert [found.first_s, found.last_s] == times


@pytest.mark.parametrize("n", [0, 1, 5])
def test_arrays_of_another_kind_are_refused(n):
    paint = function("paint_lines", "u1", "i8", int, int, "u1")
    with pytest.raises(ctypes.ArgumentError, match="array must have data type"):
        paint(np.zeros(n), np.zeros(11 * n, np.int64), n, n, np.zeros(n, np.uint8))
