"""ns-2's wired trace: packets received at their flow's own sink, per second, and packets dropped.

Twelve columns (ns manual, 'Trace and monitoring support'): event ('+' enqueued, '-' dequeued, 'r'
received at the next node, 'd' dropped, 'e' dropped early by RED), time (s), from node, to node,
type, size (bytes, headers included), flags, flow id, source and destination address (node.port),
sequence number (packets), packet id; columns of TCP headers may follow:

    r 63.251409 3 5 tcp 1500 ------- 2 1.0 5.0 1877 31554

A packet is received when 'to' is the node of its destination, not at every hop; acknowledgements
and messages of routing protocols are not counted. Hierarchical addresses (1.0.2.0) do not name a
node: there the node that hands a flow's packets to no other one is its sink. A retransmitted packet
that arrives twice counts twice: throughput, not goodput.
A connection is a pair of addresses; where each has a flow id of its own, that is the flow's number.
Seconds without a packet, between a flow's first and the end of the trace, are samples of 0 bytes.

Traces are gigabytes: blocks are scanned by a compiled kernel on all cores, and of most lines
(enqueue, dequeue) only the first byte and the end are looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import polars as pl
from numba import njit

from ..files import read_blocks
from .lexing import THREADS
from .shapes import Log, count_lines

NAME = "ns2-trace"
TOOL = "ns-2"
CLOCK = "run"
NUMBER = r"\d+(?:\.\d+)?(?:e[-+]\d+)?"
SIGNATURE = rf"^[-+rde] {NUMBER} \d+ \d+ \S+ \d+ \S+ \d+ [\d.]+ [\d.]+ -?\d+ \d+( |$)"
MAY_BE_EMPTY = True  # a trace of drops of a run without any
READS_BLOCKS = True

# what becomes of a line; the kernel's codes
QUEUED, ELSEWHERE, ACKNOWLEDGES, OTHER, RECEIVED, DROPPED, BROKEN, EMPTY = range(8)
FATES = {
    QUEUED: ("skipped", "enqueued or dequeued: no table needs it"),
    ELSEWHERE: ("skipped", "received at a node on the way"),
    ACKNOWLEDGES: ("skipped", "an acknowledgement or routing message received"),
    OTHER: ("skipped", "another event than + - r d e"),
    RECEIVED: ("sample", None),
    DROPPED: ("sample", None),
    BROKEN: ("rejected", "not a line of a wired trace: cut?"),
    EMPTY: ("header", None),
}
MAX_S = 1e6  # a later time is a damaged line: 11 days, a row a second
INT32 = 2**31
LAST_BIN_S = 0.99  # a last second of which this much is in the trace is whole


class Events(NamedTuple):
    """What a block of a trace holds: one entry a received or dropped packet."""

    code: np.ndarray
    line: np.ndarray  # within the block, from 0
    t_s: np.ndarray
    fid: np.ndarray
    source: np.ndarray  # see _address
    destination: np.ndarray
    hop: np.ndarray  # from x 2^20 + to, where the destination is hierarchical, else -1
    length: np.ndarray  # bytes of the line
    size_bytes: np.ndarray
    sequence: np.ndarray
    lines: np.ndarray  # by code
    bytes: np.ndarray  # by code
    broken: np.ndarray  # (line, begin, end) of each rejected line
    last_s: float


def parse(logs):
    """Read the tables `stream`, `interval`, `drop`, `fate` and `rejected`."""
    parts = [_parse_log(log) for log in logs]
    names = {name for part in parts for name in part}
    return {name: pl.concat([part[name] for part in parts]) for name in names}


def _parse_log(log: Log) -> dict[str, pl.DataFrame]:
    packets, rejected, first_line, last_s = [], [], 1, 0.0
    lines, sizes = np.zeros(len(FATES), np.int64), np.zeros(len(FATES), np.int64)
    received: list[pl.DataFrame] = []
    for block, events in _scanned(read_blocks(log.path) if log.content is None else [log.content]):
        lines += events.lines
        sizes += events.bytes
        for line, begin, end in events.broken:
            text = block[begin:end].decode("utf-8", "backslashreplace")
            rejected.append((log.file_id, int(line) + first_line, FATES[BROKEN][1], text))
        frame = pl.DataFrame(
            {
                "code": events.code,
                "line": events.line + first_line,
                "t_s": events.t_s,
                "flow_id": events.fid,
                "source": events.source,
                "destination": events.destination,
                "hop": events.hop,
                "length": events.length,
                "packet_bytes": events.size_bytes,
                "sequence": events.sequence,
            }
        )
        received.append(_per_second(frame.filter(pl.col("code") == RECEIVED)))
        packets.append(frame.filter(pl.col("code") == DROPPED))
        first_line += int(events.lines.sum())
        last_s = max(last_s, events.last_s)
    arrived, passed = _at_sinks(pl.concat(received or [_per_second(_no_events())]))
    for code, sign in ((RECEIVED, -1), (ELSEWHERE, 1)):
        lines[code] += sign * passed["packets"].sum()
        sizes[code] += sign * passed["length"].sum()
    fate = [
        (log.file_id, *FATES[code], int(lines[code]), int(sizes[code]))
        for code in FATES
        if lines[code]
    ]
    stream, interval = _flows(arrived, last_s)
    own_number = stream["flow_id"].is_not_null().all()
    drop = pl.concat(packets or [_no_events()]).drop(
        "code", "source", "destination", "hop", "length"
    )
    if not own_number:
        drop = drop.with_columns(flow_id=pl.lit(None, pl.Int64))
    file_id = pl.lit(log.file_id, pl.UInt32).alias("file_id")
    text = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}
    counts = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
    counts |= {"lines": pl.Int64, "bytes": pl.Int64}
    fates = pl.DataFrame(fate, schema=counts, orient="row")
    return {
        "stream": stream.with_columns(file_id),
        "interval": interval.with_columns(file_id),
        "drop": drop.with_columns(file_id),
        "fate": fates.group_by("file_id", "fate", "reason").agg(pl.sum("lines", "bytes")),
        "rejected": pl.DataFrame(rejected, schema=text, orient="row"),
    }


def _scanned(blocks: Iterator[bytes]) -> Iterator[tuple[bytes, Events]]:
    """Scan blocks on all cores, in order, with a few of them in memory at a time."""
    with ThreadPoolExecutor(THREADS) as pool:
        waiting: deque = deque()
        for block in blocks:
            waiting.append((block, pool.submit(scan, block)))
            if len(waiting) > THREADS:
                done, future = waiting.popleft()
                yield done, future.result()
        for block, future in waiting:
            yield block, future.result()


def _no_events() -> pl.DataFrame:
    ints = dict.fromkeys(
        ("line", "flow_id", "source", "destination", "hop", "length", "packet_bytes", "sequence"),
        pl.Int64,
    )
    return pl.DataFrame(schema={"code": pl.Int64, "t_s": pl.Float64, **ints})


KEY = ["flow_id", "source", "destination"]


def _per_second(received: pl.DataFrame) -> pl.DataFrame:
    second = pl.col("t_s").floor().cast(pl.Int64).alias("second")
    return received.group_by(*KEY, "hop", second).agg(
        pl.sum("length"),
        bytes=pl.sum("packet_bytes"),
        packets=pl.len().cast(pl.Int64),
        line=pl.min("line"),
    )


def _at_sinks(received: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split what hierarchical addresses leave open: received at the sink, and on the way to it."""
    onward = received.filter(pl.col("hop") >= 0).select(*KEY, node=pl.col("hop") // 2**20).unique()
    received = received.with_columns(node=pl.col("hop") % 2**20)
    keys = [*KEY, "node"]
    on_the_way = received.filter(pl.col("hop") >= 0).join(onward, on=keys, how="semi")
    at_sink = received.join(onward, on=keys, how="anti") if len(onward) else received
    at_sink = pl.concat([received.filter(pl.col("hop") < 0), at_sink.filter(pl.col("hop") >= 0)])
    return at_sink, on_the_way


def _flows(received: pl.DataFrame, last_s: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the streams, and every second of each from its first packet to the trace's end."""
    received = received.group_by(*KEY, "second").agg(pl.sum("bytes", "packets"), pl.min("line"))
    stream = received.group_by(KEY).agg(pl.min("line", "second")).sort("line")
    own = stream["flow_id"].n_unique() == len(stream)
    stream = stream.with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32),
        label=pl.col("flow_id").cast(pl.String),
    )
    last = int(last_s)
    seconds = stream.select(
        *KEY, "stream", second=pl.int_ranges("second", max(last + 1, 1))
    ).explode("second")
    interval = seconds.join(received, on=[*KEY, "second"], how="left").sort("stream", "second")
    whole = (pl.col("second") < last) | (last_s - last >= LAST_BIN_S)
    interval = interval.select(
        "stream",
        pl.col("line"),
        t_start_s=pl.col("second").cast(pl.Float64),
        t_end_s=pl.when(whole).then(pl.col("second") + 1.0).otherwise(last_s),
        bytes=pl.col("bytes").fill_null(0),
        packets=pl.col("packets").fill_null(0),
    ).filter(pl.col("t_end_s") > pl.col("t_start_s"))
    rate = pl.col("bytes") * 8 / (pl.col("t_end_s") - pl.col("t_start_s"))
    stream = stream.select(
        "stream",
        "line",
        "label",
        episode=pl.lit(1),
        side=pl.lit("receiver"),
        local=_address("destination"),
        peer=_address("source"),
        flow_id=pl.col("flow_id") if own else pl.lit(None, pl.Int64),
    )
    return stream, interval.with_columns(throughput_bps=rate)


def _address(name: str) -> pl.Expr:
    """Return an address as text: node x 2^20 + port, of a hierarchical one -1 - as much, where node
    has 11 bits for each part but the first (2047: there is none)."""
    flat = pl.format("{}.{}", pl.col(name) // 2**20, pl.col(name) % 2**20)
    node, port = (-1 - pl.col(name)) // 2**20, (-1 - pl.col(name)) % 2**20
    parts = [node // 2**22, node // 2**11 % 2**11, node % 2**11]
    three = pl.when(parts[2] < 2047).then(pl.format("{}.{}.{}.{}", *parts, port))
    nested = three.otherwise(pl.format("{}.{}.{}", *parts[:2], port))
    return pl.when(pl.col(name) >= 0).then(flat).otherwise(nested)


def scan(block: bytes) -> Events:
    """Scan a block of whole lines."""
    n_lines = count_lines(block)
    return Events(*_scan(np.frombuffer(block, dtype=np.uint8), n_lines))


@njit(nogil=True, cache=True, inline="always")
def _real(data, i, size):
    """Read a number from i; return it and where it ends, or -1 where there is none."""
    mantissa, fraction, digits = 0, 0, 0
    while i < size and 48 <= data[i] <= 57:
        mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
        digits += 1
        i += 1
    if i < size and data[i] == 46:
        i += 1
        while i < size and 48 <= data[i] <= 57:
            if digits < 18:
                mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                fraction += 1
            digits += 1
            i += 1
    if digits == 0:
        return 0.0, -1
    exponent = -fraction
    if i < size and (data[i] == 101 or data[i] == 69):
        j, sign, power = i + 1, 1, 0
        if j < size and (data[j] == 45 or data[j] == 43):
            sign = -1 if data[j] == 45 else 1
            j += 1
        while j < size and 48 <= data[j] <= 57:
            power = power * 10 + (np.int64(data[j]) - 48)
            j += 1
        exponent += sign * power
        i = j
    if exponent < 0:
        return mantissa / 10.0**-exponent, i
    return mantissa * 10.0**exponent, i


@njit(nogil=True, cache=True, inline="always")
def _whole(data, i, size):
    value, begin, sign = 0, i, 1
    if i < size and data[i] == 45:
        sign = -1
        i += 1
        begin = i
    while i < size and 48 <= data[i] <= 57:
        value = value * 10 + (np.int64(data[i]) - 48)
        i += 1
    return sign * value, (i if i > begin else -1)


@njit(nogil=True, cache=True)
def _scan(data, n_lines):
    code = np.empty(n_lines, np.int64)
    at = np.empty(n_lines, np.int64)
    t_s = np.empty(n_lines, np.float64)
    fid = np.empty(n_lines, np.int64)
    source = np.empty(n_lines, np.int64)
    destination = np.empty(n_lines, np.int64)
    packet = np.empty(n_lines, np.int64)
    sequence = np.empty(n_lines, np.int64)
    hop = np.empty(n_lines, np.int64)
    length = np.empty(n_lines, np.int64)
    part = np.empty(4, np.int64)
    broken = np.empty((n_lines, 3), np.int64)
    lines, sizes = np.zeros(8, np.int64), np.zeros(8, np.int64)
    n, n_broken, line, i, size, last_s = 0, 0, 0, 0, data.size, 0.0
    values = np.empty(8, np.int64)
    while i < size:
        begin, event = i, data[i]
        end = i
        while end < size and data[end] != 10:
            end += 1
        after = end + 1 if end < size else end
        stop = end - 1 if end > begin and data[end - 1] == 13 else end
        what = BROKEN
        if stop == begin:
            what = EMPTY
        elif begin + 1 < stop and data[begin + 1] == 32:
            if event == 43 or event == 45:
                what = QUEUED
            elif event == 114 or event == 100 or event == 101:
                time, i = _real(data, begin + 2, stop)
                # from, to, (type), size, (flags), fid, source, port, destination, port, sequence
                ok = i > 0 and i < stop and data[i] == 32
                kind = i
                for field in range(6):
                    if not ok:
                        break
                    i += 1
                    if field == 2 or field == 3:  # before size: type; before fid: flags
                        if field == 2:
                            kind = i
                        while i < stop and data[i] != 32:
                            i += 1
                        i += 1
                    if field < 4:
                        values[field], i = _whole(data, i, stop)
                        ok = i > 0 and i < stop and data[i] == 32
                    else:  # an address, node.port or a.b.port or a.b.c.port
                        part[0], i = _whole(data, i, stop)
                        ok = i > 0
                        n_parts = 1
                        while ok and i < stop and data[i] == 46 and n_parts < 4:
                            part[n_parts], i = _whole(data, i + 1, stop)
                            n_parts += 1
                            ok = i > 0
                        ok = ok and n_parts > 1 and i < stop and data[i] == 32
                        if n_parts == 2:
                            values[field] = part[0] * 1048576 + part[1]
                        elif ok:
                            last = part[2] if n_parts == 4 else 2047
                            node = (part[0] * 2048 + part[1]) * 2048 + last
                            values[field] = -1 - (node * 1048576 + part[n_parts - 1])
                if ok:
                    values[6], i = _whole(data, i + 1, stop)
                    ok = i > 0 and i < stop and data[i] == 32
                if ok:
                    values[7], i = _whole(data, i + 1, stop)
                    ok = i > 0 and (i == stop or data[i] == 32)
                ok = ok and time <= MAX_S and 0 <= values[2] < INT32 and abs(values[3]) < INT32
                if ok:
                    last_s = max(last_s, time)
                    acknowledges = (
                        data[kind] == 97 and data[kind + 1] == 99 and data[kind + 2] == 107
                    ) or (  # rtProto
                        data[kind] == 114 and data[kind + 1] == 116 and data[kind + 2] == 80
                    )
                    nested = values[5] < 0
                    if event != 114:
                        what = DROPPED
                    elif not nested and values[1] != values[5] // 1048576:
                        what = ELSEWHERE
                    elif acknowledges:
                        what = ACKNOWLEDGES
                    else:
                        what = RECEIVED
                    if what in (DROPPED, RECEIVED):
                        code[n], at[n], t_s[n], packet[n] = what, line, time, values[2]
                        fid[n], source[n], destination[n] = values[3], values[4], values[5]
                        sequence[n] = values[6]
                        hop[n] = values[0] * 1048576 + values[1] if nested else -1
                        length[n] = after - begin
                        n += 1
            elif (65 <= event <= 90) or (97 <= event <= 122):
                what = OTHER
        if what == BROKEN:
            broken[n_broken, 0], broken[n_broken, 1], broken[n_broken, 2] = line, begin, stop
            n_broken += 1
        lines[what] += 1
        sizes[what] += after - begin
        line += 1
        i = after
    return (
        code[:n],
        at[:n],
        t_s[:n],
        fid[:n],
        source[:n],
        destination[:n],
        hop[:n],
        length[:n],
        packet[:n],
        sequence[:n],
        lines,
        sizes,
        broken[:n_broken],
        last_s,
    )
