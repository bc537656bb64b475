"""The scanner of iperf3's JSON: finds what evenflow needs in one pass over the bytes.

A JSON parser makes an object of everything; nine tenths of an iperf3 document are not needed. This
scanner checks the grammar, keeps the numbers of the flat objects that have a "socket" (the streams
of an interval, of the final report, and the connections), remembers where the few other values lie,
and counts lines. It reads documents one after another, one a line, or with plain text between, and
goes on after a broken one. Beyond JSON it reads nan and inf, which old iperf3 writes. Compiled by
Numba, free of the interpreter's lock.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

# numbers of a stream's object: rows of `Scan.numbers`
FIELDS = [
    *("socket", "start", "end", "bytes", "bits_per_second", "retransmits", "snd_cwnd", "rtt"),
    *("jitter_ms", "lost_packets", "packets", "omitted", "sender"),
]
SOCKET, BYTES = FIELDS.index("socket"), FIELDS.index("bytes")
N_FIELDS = len(FIELDS)
# keys that say where a value belongs; 'sender' is a field and a place
PLACES = [
    *("start", "intervals", "end", "error", "server_output_text", "server_output_json"),
    *("connected", "data", "event", "sender", "receiver", "udp", "sender_tcp_congestion"),
]
PLACE = {name: 100 + i for i, name in enumerate(PLACES)}
START, INTERVALS, END, ERROR, OTHER_TEXT, OTHER_JSON, CONNECTED, DATA, EVENT = range(100, 109)
SENDER, RECEIVER, UDP, CONGESTION = range(109, 113)
# what a line holds, the higher counts where it holds several
HEADER, SUMMARY, MESSAGE, TEXT, PLAIN, BROKEN = 0, 1, 2, 3, 9, 10
SUMS = 99  # any key that begins with 'sum'
RECORD = [
    *("line", "first", "last", "section", "role", "test", "nested", "stream", "twice"),
]  # rows of `Scan.records`
PIECE = ["begin", "end", "line", "place", "test", "nested"]  # columns of `Scan.pieces`
DEPTH = 64
POWERS = 10.0 ** np.arange(23)  # exactly representable
EVENTS = {"start": START, "interval": INTERVALS, "end": END, "error": ERROR}
EVENTS |= {"server_output_text": OTHER_TEXT, "server_output_json": OTHER_JSON}


class Scan(NamedTuple):
    """What `scan` found in a log.

    numbers: a column a stream's object, rows FIELDS (NaN where it lacks one); records: the same
    columns, rows RECORD (line: of its bytes; section: START, INTERVALS or END; role: SENDER,
    RECEIVER, UDP or 0; test: from 1; nested: 1 in the report of the other end; stream: number in
    the file, from 0; twice: 1 where the stream's last interval said the same); pieces: where other
    values lie, columns PIECE; line_start: byte offset of every line; line_code: what it holds;
    whole: nothing is broken, and nothing lies between the documents.
    """

    numbers: np.ndarray
    records: np.ndarray
    pieces: np.ndarray
    line_start: np.ndarray
    line_code: np.ndarray
    whole: bool


def _key_table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for a hash of length, first and last byte: the code, length and bytes of the key."""
    code = np.full((256, 4), -1, np.int64)
    size = np.zeros((256, 4), np.int64)
    text = np.zeros((256, 4, 24), np.uint8)
    keys = {name: i for i, name in enumerate(FIELDS)}
    for name, value in [*PLACE.items(), *keys.items()]:
        if name in ("start", "end", "sender") and value >= 100:
            continue  # a field in a stream's object, else a place: told apart by the value
        if name == "event" or name not in keys or value < 100:
            raw = name.encode()
            slot = (len(raw) * 31 + raw[0] * 7 + raw[-1]) & 255
            free = int(np.flatnonzero(code[slot] < 0)[0])
            code[slot, free], size[slot, free] = value, len(raw)
            text[slot, free, : len(raw)] = list(raw)
    return code, size, text


KEYS = _key_table()
FIELD_PLACE = np.zeros(N_FIELDS, np.int64)
for _name in ("start", "end", "sender"):
    FIELD_PLACE[FIELDS.index(_name)] = PLACE[_name]
EVENT_SIZE = np.array([len(name) for name in EVENTS])
EVENT_LAST = np.array([ord(name[-1]) for name in EVENTS])
EVENT_PLACE = np.array(list(EVENTS.values()))


def scan(content: bytes) -> Scan:
    """Scan a log of iperf3's JSON."""
    data = np.frombuffer(content, dtype=np.uint8)
    n_lines, n_objects = _count(data)
    tables = (*KEYS, FIELD_PLACE, EVENT_SIZE, EVENT_LAST, EVENT_PLACE, POWERS)
    room = 64
    while True:
        numbers = np.empty((N_FIELDS, n_objects))
        records = np.empty((len(RECORD), n_objects), np.int64)
        pieces = np.empty((room, len(PIECE)), np.int64)
        line_start = np.empty(n_lines, np.int64)
        line_code = np.empty(n_lines, np.uint8)
        n_records, n_pieces, whole = _scan(
            data, numbers, records, pieces, line_start, line_code, *tables
        )
        if n_pieces <= room:
            found = (numbers[:, :n_records], records[:, :n_records], pieces[:n_pieces])
            return Scan(*found, line_start, line_code, whole)
        room = n_pieces


@njit(nogil=True, cache=True)
def _count(data):
    """Return the number of lines and of opening braces."""
    n_lines, n_braces = 0, 0
    for c in data:
        n_lines += c == 10
        n_braces += c == 123
    return n_lines + (data.size > 0 and data[-1] != 10), n_braces


@njit(nogil=True, cache=True)
def paint(line_code, first, last, code):
    """Give the lines of records their code, where it is higher than what they have."""
    for i in range(first.size):
        for line in range(first[i], last[i] + 1):
            if code[i] > line_code[line]:
                line_code[line] = code[i]


@njit(nogil=True, cache=True)
def count_codes(line_code, line_start, size, n_codes):
    """Return the number of lines, and of bytes, of each code."""
    counts = np.zeros((2, n_codes), np.int64)
    for i in range(line_code.size):
        end = line_start[i + 1] if i + 1 < line_code.size else size
        counts[0, line_code[i]] += 1
        counts[1, line_code[i]] += end - line_start[i]
    return counts


@njit(nogil=True, cache=True)
def _painted(place):
    """Return what the lines of a section hold, those of its streams aside."""
    if place in (INTERVALS, END):
        return SUMMARY
    if place == ERROR:
        return MESSAGE
    if place == OTHER_TEXT:
        return TEXT
    return HEADER


@njit(nogil=True, cache=True)
def _scan(
    data,
    numbers,
    records,
    pieces,
    line_start,
    line_code,
    key_code,
    key_size,
    key_text,
    field_place,
    event_size,
    event_last,
    event_place,
    powers,
):
    """Fill numbers, records, line_start, line_code, and pieces as far as there is room.

    Returns:
        The number of records, of pieces, and whether the file is whole.
    """
    size, room = data.size, pieces.shape[0]
    row = np.full(N_FIELDS, np.nan)
    is_object = np.zeros(DEPTH + 1, np.bool_)
    places = np.zeros(DEPTH + 1, np.int64)
    n_records = n_pieces = n_streams = 0
    sockets = np.empty(numbers.shape[1])  # of the streams, in which report, their last interval
    others = np.empty(numbers.shape[1], np.int64)
    latest = np.empty(numbers.shape[1], np.int64)
    of_test, base = -1, 0  # the current test, its first stream
    whole = True
    sums = 0  # depth of the object of sums that we are in
    depth, key, test, fresh, event = 0, -1, 0, False, 0
    expects = 0  # 0 value, 1 key or }, 2 key, 3 colon, 4 comma or closing, 5 value or ]
    value_begin, opened, at_bytes, in_record = 0, 0, 0, False
    seen, section = 0, 0
    i, line = 0, 0
    if size >= 3 and data[0] == 0xEF and data[1] == 0xBB and data[2] == 0xBF:
        i = 3
    if size > 0:
        line_start[0] = 0
    while i < size:
        c = data[i]
        if c == 10:
            line_code[line] = seen
            i += 1
            if i < size:
                line += 1
                line_start[line] = i
                seen = section if depth > 0 else 0
            continue
        if c == 9 or c == 32 or c == 13:
            i += 1
            continue
        broken = False
        if depth == 0:
            if c == 123:
                depth, expects, key, fresh, event, section = 1, 1, -1, True, 0, HEADER
                is_object[1], places[1] = True, 0
                in_record = False
                i += 1
                continue
            begin = i  # plain text: to the end of the line
            while i < size and data[i] != 10:
                i += 1
            if n_pieces < room:
                pieces[n_pieces] = (begin, i, line, PLAIN, test, 0)
            n_pieces += 1
            seen = max(seen, PLAIN)
            whole = False
            continue
        if c == 34:
            begin = i + 1
            i += 1
            while i < size and data[i] != 34 and data[i] != 10:
                if data[i] == 92 and i + 1 < size and data[i + 1] != 10:
                    i += 1
                i += 1
            if i >= size or data[i] == 10:
                broken = True
            else:
                end = i
                i += 1
                if sums > 0 and (expects == 1 or expects == 2):
                    expects = 3
                elif expects == 1 or expects == 2:
                    key = -1
                    length = end - begin
                    if data[begin] == 115 and data[begin + 1] == 117 and data[begin + 2] == 109:
                        key = SUMS
                    elif 0 < length <= 24:
                        slot = (length * 31 + data[begin] * 7 + data[end - 1]) & 255
                        for k in range(4):
                            if key_code[slot, k] < 0:
                                break
                            if key_size[slot, k] == length:
                                same = True
                                for j in range(length):
                                    if key_text[slot, k, j] != data[begin + j]:
                                        same = False
                                        break
                                if same:
                                    key = key_code[slot, k]
                                    break
                    place = key
                    if 0 <= key < N_FIELDS:
                        place = field_place[key]
                    places[depth] = max(place, 0)
                    if depth == 1:
                        if fresh and place != EVENT:
                            test += 1  # a document of its own
                        if place != DATA:
                            section = _painted(place)
                            seen = max(seen, section)
                        fresh = False
                    elif depth == 2 and (places[1] == OTHER_JSON or event == OTHER_JSON):
                        section = _painted(place)
                        seen = max(seen, section)
                    expects = 3
                elif expects == 0 or expects == 5:
                    if depth == 1 and places[1] == EVENT:
                        event = -1
                        for k in range(event_size.size):
                            if event_size[k] == end - begin and event_last[k] == data[end - 1]:
                                event = event_place[k]
                        if event == START or test == 0:
                            test += 1
                        section = _painted(event)
                        seen = max(seen, section)
                    elif places[depth] == CONGESTION:
                        other = np.int64(event == OTHER_JSON or places[1] == OTHER_JSON)
                        if n_pieces < room:
                            pieces[n_pieces] = (begin, end, line, CONGESTION, test, other)
                        n_pieces += 1
                    elif depth == 1 and (places[1] == ERROR or event == ERROR):
                        if n_pieces < room:
                            pieces[n_pieces] = (begin, end, line, ERROR, test, 0)
                        n_pieces += 1
                    expects = 4
                else:
                    broken = True
        elif c == 58:  # colon
            broken = expects != 3
            expects = 0
            i += 1
        elif c == 44:  # comma
            broken = expects != 4
            expects = 2 if is_object[depth] else 0
            i += 1
        elif c == 123 or c == 91:
            if (expects != 0 and expects != 5) or depth == DEPTH:
                broken = True
            else:
                starts = places[depth] == START or (depth == 1 and event == START)
                if c == 123 and starts and depth <= 2:
                    value_begin = i
                depth += 1
                is_object[depth] = c == 123
                places[depth] = 0
                expects = 1 if c == 123 else 5
                if key == SUMS and sums == 0:
                    sums = depth
                if c == 123 and sums == 0:
                    opened, at_bytes, in_record = line, line, True
                    row[:] = np.nan
                i += 1
        elif c == 125:
            if not is_object[depth] or (expects != 1 and expects != 4):
                broken = True
            else:
                i += 1
                if in_record and row[SOCKET] == row[SOCKET]:
                    where, role, other = 0, 0, np.int64(event == OTHER_JSON)
                    for d in range(1, depth):
                        place = places[d]
                        if place == OTHER_JSON:
                            other = 1
                        elif place in (START, INTERVALS, END):
                            where = place
                        elif place in (SENDER, RECEIVER, UDP):
                            role = place
                        elif place == DATA and event > 0 and event != OTHER_JSON:
                            where = event
                    if test != of_test:
                        of_test, base = test, n_streams
                    stream = n_streams
                    for k in range(base, n_streams):
                        if sockets[k] == row[SOCKET] and others[k] == other:
                            stream = k
                            break
                    if stream == n_streams:
                        sockets[stream], others[stream], latest[stream] = row[SOCKET], other, -1
                        n_streams += 1
                    twice = np.int64(0)
                    if where == INTERVALS:
                        k = latest[stream]
                        if (
                            k >= 0
                            and numbers[1, k] == row[1]
                            and numbers[2, k] == row[2]
                            and numbers[BYTES, k] == row[BYTES]
                        ):
                            twice = np.int64(1)
                        latest[stream] = n_records
                    for k in range(N_FIELDS):
                        numbers[k, n_records] = row[k]
                    records[0, n_records], records[1, n_records] = at_bytes, opened
                    records[2, n_records], records[3, n_records] = line, where
                    records[4, n_records], records[5, n_records] = role, test
                    records[6, n_records], records[7, n_records] = other, stream
                    records[8, n_records] = twice
                    n_records += 1
                in_record = False
                if depth == sums:
                    sums, key = 0, -1
                depth -= 1
                if depth == 0:
                    section = 0
                    expects = 0
                else:
                    expects = 4
                    is_start = places[depth] == START or (places[depth] == DATA and event == START)
                    is_nested = places[1] == OTHER_JSON or event == OTHER_JSON
                    if is_start and depth == (2 if is_nested else 1):
                        if n_pieces < room:
                            pieces[n_pieces] = (
                                value_begin,
                                i,
                                line,
                                START,
                                test,
                                np.int64(is_nested),
                            )
                        n_pieces += 1
        elif c == 93:
            if is_object[depth] or (expects != 5 and expects != 4):
                broken = True
            else:
                i += 1
                if depth == sums:
                    sums, key = 0, -1
                depth -= 1
                expects = 4
        elif expects == 0 or expects == 5:
            wanted = in_record and is_object[depth] and 0 <= key < N_FIELDS
            digit = c if c != 45 or i + 1 >= size else data[i + 1]
            if not wanted and 48 <= digit <= 57:  # of no use: its grammar is checked roughly
                i += 2 if c == 45 else 1
                while i < size and (
                    48 <= data[i] <= 57
                    or data[i] == 46
                    or data[i] == 45
                    or data[i] == 43
                    or data[i] == 101
                    or data[i] == 69
                ):
                    i += 1
                if 48 <= data[i - 1] <= 57:
                    expects = 4
                    continue
                i -= 1
            value = np.nan
            negative = c == 45
            if negative:
                i += 1
            if i < size and 48 <= data[i] <= 57:
                mantissa, digits, fraction = np.int64(0), 0, 0
                while i < size and 48 <= data[i] <= 57:
                    if digits < 18:
                        mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                        digits += mantissa > 0
                    else:
                        fraction -= 1
                    i += 1
                if i < size and data[i] == 46:
                    i += 1
                    broken = i >= size or not 48 <= data[i] <= 57
                    while i < size and 48 <= data[i] <= 57:
                        if digits < 18:
                            mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                            digits += mantissa > 0
                            fraction += 1
                        i += 1
                exponent = 0
                if i < size and (data[i] == 101 or data[i] == 69):
                    i += 1
                    sign = 1
                    if i < size and (data[i] == 45 or data[i] == 43):
                        sign = -1 if data[i] == 45 else 1
                        i += 1
                    broken = broken or i >= size or not 48 <= data[i] <= 57
                    while i < size and 48 <= data[i] <= 57:
                        exponent = min(exponent * 10 + (np.int64(data[i]) - 48), 9999)
                        i += 1
                    exponent *= sign
                power = exponent - fraction
                value = float(mantissa)
                if power < 0:
                    value = value / powers[-power] if power >= -22 else value * 10.0**power
                elif power > 0:
                    value = value * powers[power] if power <= 22 else value * 10.0**power
                if negative:
                    value = -value
            else:
                begin = i
                while i < size and (65 <= data[i] <= 90 or 97 <= data[i] <= 122):
                    i += 1
                length = i - begin
                first = data[begin] if length else 0
                if length == 4 and first == 116 and data[i - 1] == 101 and not negative:
                    value = 1.0
                elif length == 5 and first == 102 and data[i - 1] == 101 and not negative:
                    value = 0.0
                elif not (
                    (length == 4 and first == 110 and data[i - 1] == 108 and not negative)
                    or (length == 3 and (first == 110 or first == 78 or first == 105))
                ):
                    broken = True
            if wanted:
                row[key] = value
                if key == BYTES:
                    at_bytes = line
            expects = 4
        else:
            broken = True
        if broken:  # up to the next line that begins with a brace
            if in_record and row[SOCKET] == row[SOCKET]:
                for back in range(opened, line):
                    line_code[back] = BROKEN
            depth, section, in_record, expects, event, sums = 0, 0, False, 0, 0, 0
            whole = False
            while True:
                while i < size and data[i] != 10:
                    i += 1
                line_code[line] = BROKEN
                seen = BROKEN
                if i >= size or i + 1 >= size or data[i + 1] == 123:
                    break
                i += 1
                line += 1
                line_start[line] = i
    if size > 0:
        if depth > 0:  # the document is cut
            if in_record and row[SOCKET] == row[SOCKET]:
                for back in range(opened, line):
                    line_code[back] = BROKEN
            seen = BROKEN
            whole = False
        line_code[line] = seen
    return n_records, n_pieces, whole
