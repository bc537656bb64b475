"""The scanner of iperf3's JSON: finds what evenflow needs in one pass over the bytes.

A JSON parser makes an object of everything; nine tenths of an iperf3 document are not needed. This
scanner checks the grammar, keeps the numbers of the flat objects that have a "socket" (the streams
of an interval, of the final report, and the connections), remembers where the few other values lie,
and counts lines. It reads documents one after another, one a line, or with plain text between, and
goes on after a broken one. Beyond JSON it reads nan and inf, which old iperf3 writes. Compiled by
Numba, free of the interpreter's lock. What is done for every key and number is written out in the
loop: as functions of their own they make it three times slower (Numba 0.68). For the same reason
`x == A or x == B` is not written `x in (A, B)`.
"""

# ruff: noqa: SIM109

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .compiled import compiled

# numbers of a stream's object: rows of `Scan.numbers`
FIELDS = [
    *("socket", "start", "end", "bytes", "bits_per_second", "retransmits", "snd_cwnd", "rtt"),
    *("jitter_ms", "lost_packets", "packets", "omitted", "sender"),
]
SOCKET, FROM, TO, BYTES = (FIELDS.index(name) for name in ("socket", "start", "end", "bytes"))
OMITTED, SENDS = FIELDS.index("omitted"), FIELDS.index("sender")  # fields that are true or false
N_FIELDS = len(FIELDS)
# keys (and names of events) that say where a value belongs
START, INTERVALS, END, ERROR, OTHER_TEXT, OTHER_JSON = range(100, 106)
DATA, EVENT, SENDER, RECEIVER, UDP, CONGESTION = range(106, 112)
SUMS = 120  # any key that begins with 'sum'
NO_WORD = -1
PLACES = {
    "intervals": INTERVALS,
    "interval": INTERVALS,
    "error": ERROR,
    "server_output_text": OTHER_TEXT,
    "server_output_json": OTHER_JSON,
    "data": DATA,
    "event": EVENT,
    "receiver": RECEIVER,
    "udp": UDP,
    "sender_tcp_congestion": CONGESTION,
}
FIELD_PLACE = np.full(N_FIELDS, NO_WORD)  # fields that are places where their value is an object
FIELD_PLACE[[FROM, TO, FIELDS.index("sender")]] = START, END, SENDER
# what a line holds, the higher counts where it holds several
HEADER, SUMMARY, MESSAGE, TEXT, PLAIN, BROKEN = 0, 1, 2, 3, 13, 14
RECORD = [
    *("line", "first", "last", "section", "role", "test", "nested", "stream", "twice", "begin"),
]  # rows of `Scan.records`
PIECE = ["begin", "end", "line", "place", "test", "nested"]  # columns of `Scan.pieces`
LONGEST_KEY = 24
DEPTH = 64  # of nesting, more is no iperf3
MAX_STREAMS = 1024  # of a test; iperf3 allows 128
POWERS = 10.0 ** np.arange(23)  # exactly representable
NULL, NOT_A_NUMBER, NO_LITERAL = -1.0, -2.0, -3.0
VALUE, KEY_OR_END, KEY, COLON, NEXT, VALUE_OR_END = range(6)  # what the grammar expects


class Scan(NamedTuple):
    """What `scan` found in a log.

    numbers: a column a stream's object, rows FIELDS (NaN where it lacks one); records: the same
    columns, rows RECORD (line: of its bytes; section: START, INTERVALS or END; role: SENDER,
    RECEIVER, UDP or 0; test: from 1; nested: 1 in the report of the other end; stream: number in
    the file, from 0; twice: 1 where the stream's last interval said the same; begin: byte offset of
    its brace); pieces: where other
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
    """Return, for a hash of length, first and last byte, the codes, lengths and bytes of keys."""
    codes = {name: number for number, name in enumerate(FIELDS)} | PLACES
    code = np.full((256, 4), NO_WORD, np.int64)
    size = np.zeros((256, 4), np.int64)
    text = np.zeros((256, 4, LONGEST_KEY), np.uint8)
    for name, value in codes.items():
        raw = name.encode()
        slot = (len(raw) * 31 + raw[0] * 7 + raw[-1]) & 255
        free = np.flatnonzero(code[slot] == NO_WORD)[0]
        code[slot, free], size[slot, free] = value, len(raw)
        text[slot, free, : len(raw)] = list(raw)
    return code, size, text


KEYS = _key_table()


def scan(content: bytes) -> Scan:
    """Scan a log of iperf3's JSON."""
    data = np.frombuffer(content, dtype=np.uint8)
    n_lines, n_objects = _count(data)
    room = 64
    while True:
        numbers = np.empty((N_FIELDS, n_objects))
        records = np.empty((len(RECORD), n_objects), np.int64)
        pieces = np.empty((room, len(PIECE)), np.int64)
        line_start = np.empty(n_lines, np.int64)
        line_code = np.empty(n_lines, np.uint8)
        n_records, n_pieces, whole = _scan(
            data, numbers, records, pieces, line_start, line_code, *KEYS, FIELD_PLACE, POWERS
        )
        if n_pieces <= room:
            found = (numbers[:, :n_records], records[:, :n_records], pieces[:n_pieces])
            return Scan(*found, line_start, line_code, whole)
        room = n_pieces


@compiled
def _count(data):
    """Return the number of lines and of opening braces."""
    n_lines, n_braces = 0, 0
    for c in data:
        n_lines += c == 10
        n_braces += c == 123
    return n_lines + (data.size > 0 and data[-1] != 10), n_braces


@compiled
def paint(line_code, first, last, code):
    """Give the lines of records their code, where it is higher than what they have."""
    for i in range(first.size):
        for line in range(first[i], last[i] + 1):
            if code[i] > line_code[line]:
                line_code[line] = code[i]


@compiled
def count_codes(line_code, line_start, size, n_codes):
    """Return the number of lines, and of bytes, of each code."""
    counts = np.zeros((2, n_codes), np.int64)
    for i in range(line_code.size):
        end = line_start[i + 1] if i + 1 < line_code.size else size
        counts[0, line_code[i]] += 1
        counts[1, line_code[i]] += end - line_start[i]
    return counts


@compiled
def _painted(place):
    """Return what the lines of a section hold, those of its streams aside."""
    if place in (INTERVALS, END):
        return SUMMARY
    if place == ERROR:
        return MESSAGE
    if place == OTHER_TEXT:
        return TEXT
    return HEADER


@compiled
def _literal(data, begin, end):
    """Return 1 for true, 0 for false, NULL, NOT_A_NUMBER (nan, inf) or NO_LITERAL."""
    length = end - begin
    if length < 3 or length > 8:
        return NO_LITERAL
    first, last = data[begin], data[end - 1]
    if length == 8 and first == 73 and last == 121:  # Infinity, as Python writes it
        return NOT_A_NUMBER
    if length == 4 and first == 116 and last == 101:
        return 1.0
    if length == 5 and first == 102 and last == 101:
        return 0.0
    if length == 4 and first == 110 and last == 108:
        return NULL
    if length == 3 and (first == 110 or first == 78 or first == 105):
        return NOT_A_NUMBER
    return NO_LITERAL


@compiled
def _place(places, depth, event):
    """Return section, role and 'nested' of an object, from the keys that lead to it."""
    section, role, nested = 0, 0, np.int64(event == OTHER_JSON)
    for d in range(1, depth):
        place = places[d]
        if place == OTHER_JSON:
            nested = np.int64(1)
        elif place in (START, INTERVALS, END):
            section = place
        elif place in (SENDER, RECEIVER, UDP):
            role = place
        elif place == DATA and event > 0 and event != OTHER_JSON:
            section = event
    return section, role, nested


@compiled
def _stream(sockets, nestings, base, n_streams, socket, nested):
    """Return the number of a stream of the current test; n_streams where it is a new one."""
    for k in range(base, n_streams):
        if sockets[k] == socket and nestings[k] == nested:
            return k
    return n_streams


@compiled
def _note(pieces, n, begin, end, line, place, test, nested):
    """Write a row of `Scan.pieces` where there is room, number by number: as a tuple the row takes
    seconds to compile."""
    if n < pieces.shape[0]:
        pieces[n, 0] = begin
        pieces[n, 1] = end
        pieces[n, 2] = line
        pieces[n, 3] = place
        pieces[n, 4] = test
        pieces[n, 5] = nested


@compiled
def _scan(
    data, numbers, records, pieces, line_start, line_code, codes, sizes, texts, field_place, powers
):
    """Fill numbers, records, line_start, line_code, and pieces as far as there is room.

    Returns:
        The number of records, of pieces, and whether the file is whole.
    """
    size = data.size
    n_records = n_pieces = n_streams = 0
    whole = True
    # of every stream: its socket, whether it is of the nested report, its last interval
    sockets = np.empty(numbers.shape[1])
    nestings = np.empty(numbers.shape[1], np.int64)
    latest = np.empty(numbers.shape[1], np.int64)
    of_test, base = -1, 0  # the test of the last record, its first stream
    # the grammar: kinds of the open brackets, the place that each level's last key names
    is_object = np.zeros(DEPTH + 1, np.bool_)
    places = np.zeros(DEPTH + 1, np.int64)
    depth, expects, key = 0, VALUE, NO_WORD
    test, fresh, event = 0, False, 0
    sums = 0  # depth of the object of sums that we are in
    # the object that we are in: where it began, the line of its bytes, its numbers
    in_record, opened, at_bytes, start_begin, begins = False, 0, 0, 0, 0
    row = np.full(N_FIELDS, np.nan)
    # the line that we are in, what it holds, what lines of this section hold
    line, seen, section = 0, HEADER, HEADER
    i = 0
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
                seen = section if depth > 0 else HEADER
            continue
        if c == 9 or c == 32 or c == 13:
            i += 1
            continue
        if depth == 0 and c != 123:  # plain text, to the end of the line
            begin = i
            while i < size and data[i] != 10:
                i += 1
            _note(pieces, n_pieces, begin, i, line, PLAIN, test, False)
            n_pieces += 1
            seen = max(seen, PLAIN)
            whole = False
            continue
        good = True
        if c == 34:  # a key or a string
            i += 1
            begin = i
            while i < size and data[i] != 34 and data[i] != 10:
                if data[i] == 92 and i + 1 < size and data[i + 1] != 10:
                    i += 1
                i += 1
            good = i < size and data[i] == 34
            end = i
            i += 1
            is_key = expects == KEY_OR_END or expects == KEY
            is_value = expects == VALUE or expects == VALUE_OR_END
            is_event = is_value and depth == 1 and places[1] == EVENT
            word = NO_WORD
            if good and sums == 0 and (is_key or is_event):
                length = end - begin
                if data[begin] == 115 and data[begin + 1] == 117 and data[begin + 2] == 109:
                    word = SUMS
                elif 0 < length <= LONGEST_KEY:
                    slot = (length * 31 + data[begin] * 7 + data[end - 1]) & 255
                    for k in range(4):
                        if codes[slot, k] < 0:
                            break
                        if sizes[slot, k] == length:
                            same = True
                            for j in range(length):
                                if texts[slot, k, j] != data[begin + j]:
                                    same = False
                                    break
                            if same:
                                word = codes[slot, k]
                                break
            place = field_place[word] if 0 <= word < N_FIELDS else word
            if not good:
                i = end
            elif is_key:
                expects = COLON
                if sums == 0:
                    key = word
                    places[depth] = max(place, 0)
                    nested = places[1] == OTHER_JSON or event == OTHER_JSON
                    if depth == 1:
                        if fresh and place != EVENT:  # a document of its own
                            test += 1
                        fresh = False
                    if (depth == 1 and place != DATA) or (depth == 2 and nested):
                        section = _painted(place)
                        seen = max(seen, section)
            elif is_value:
                expects = NEXT
                if is_event:
                    event = place
                    if event == START or test == 0:
                        test += 1
                    section = _painted(event)
                    seen = max(seen, section)
                is_error = depth == 1 and (places[1] == ERROR or event == ERROR)
                if is_error or places[depth] == CONGESTION:
                    nested = places[1] == OTHER_JSON or event == OTHER_JSON
                    what = ERROR if is_error else CONGESTION
                    _note(pieces, n_pieces, begin, end, line, what, test, nested)
                    n_pieces += 1
            else:
                good = False
        elif c == 58:  # colon
            good = expects == COLON
            expects = VALUE
            i += 1
        elif c == 44:  # comma
            good = expects == NEXT
            expects = KEY if is_object[depth] else VALUE
            i += 1
        elif c == 123 or c == 91:  # opening
            good = (expects == VALUE or expects == VALUE_OR_END) and depth < DEPTH
            good = good and not (in_record and row[SOCKET] == row[SOCKET])  # they are flat
            if good:
                if depth == 0:  # a document, or an event
                    key, fresh, event, section = NO_WORD, True, 0, HEADER
                elif places[depth] == START or (depth == 1 and event == START):
                    start_begin = i if depth <= 2 else start_begin
                depth += 1
                is_object[depth], places[depth] = c == 123, 0
                expects = KEY_OR_END if c == 123 else VALUE_OR_END
                if key == SUMS and sums == 0:
                    sums = depth
                in_record = c == 123 and sums == 0
                if in_record:
                    opened = at_bytes = line
                    begins = i
                    row[:] = np.nan
                i += 1
        elif c == 125:  # closing an object
            good = is_object[depth] and (expects == KEY_OR_END or expects == NEXT)
            if good and in_record and row[SOCKET] != row[SOCKET]:
                good = _place(places, depth, event)[0] != INTERVALS  # whose would it be?
            if good and in_record and row[SOCKET] == row[SOCKET]:
                where, role, nested = _place(places, depth, event)
                if test != of_test:
                    of_test, base = test, n_streams
                stream = _stream(sockets, nestings, base, n_streams, row[SOCKET], nested)
                if stream == n_streams:
                    sockets[stream], nestings[stream], latest[stream] = row[SOCKET], nested, -1
                    n_streams += 1
                    good = n_streams - base <= MAX_STREAMS
                twice = np.int64(0)
                if where == INTERVALS:
                    k = latest[stream]
                    if k >= 0:
                        same_span = numbers[FROM, k] == row[FROM] and numbers[TO, k] == row[TO]
                        twice = np.int64(same_span and numbers[BYTES, k] == row[BYTES])
                    latest[stream] = n_records
                for k in range(N_FIELDS):
                    numbers[k, n_records] = row[k]
                records[0, n_records], records[1, n_records] = at_bytes, opened
                records[2, n_records], records[3, n_records] = line, where
                records[4, n_records], records[5, n_records] = role, test
                records[6, n_records], records[7, n_records] = nested, stream
                records[8, n_records], records[9, n_records] = twice, begins
                n_records += 1
            if good:
                i += 1
                in_record = False
                if depth == sums:
                    sums, key = 0, NO_WORD
                depth -= 1
                expects = NEXT
                nested = places[1] == OTHER_JSON or event == OTHER_JSON
                of_event = places[depth] == DATA and event == START
                if depth == 0:
                    section, expects = HEADER, VALUE
                elif depth == (2 if nested else 1) and (places[depth] == START or of_event):
                    _note(pieces, n_pieces, start_begin, i, line, START, test, nested)
                    n_pieces += 1
        elif c == 93:  # closing a list
            good = not is_object[depth] and (expects == VALUE_OR_END or expects == NEXT)
            if good:
                i += 1
                if depth == sums:
                    sums, key = 0, NO_WORD
                depth -= 1
                expects = NEXT
        elif expects == VALUE or expects == VALUE_OR_END:
            expects = NEXT
            negative = c == 45
            if negative:
                i += 1
            is_number = i < size and 48 <= data[i] <= 57
            wanted = in_record and is_object[depth] and 0 <= key < N_FIELDS
            if is_number and not wanted:  # its grammar is checked roughly
                while i < size and (
                    48 <= data[i] <= 57
                    or data[i] == 46
                    or data[i] == 45
                    or data[i] == 43
                    or data[i] == 101
                    or data[i] == 69
                ):
                    i += 1
                good = 48 <= data[i - 1] <= 57
            elif is_number:
                mantissa, digits, fraction = np.int64(0), 0, 0
                while i < size and 48 <= data[i] <= 57:
                    if digits < 18:
                        mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                        digits += int(mantissa > 0)
                    else:
                        fraction -= 1
                    i += 1
                if i < size and data[i] == 46:
                    i += 1
                    good = i < size and 48 <= data[i] <= 57
                    while i < size and 48 <= data[i] <= 57:
                        if digits < 18:
                            mantissa = mantissa * 10 + (np.int64(data[i]) - 48)
                            digits += int(mantissa > 0)
                            fraction += 1
                        i += 1
                exponent = 0
                if i < size and (data[i] == 101 or data[i] == 69):
                    i += 1
                    sign = 1
                    if i < size and (data[i] == 45 or data[i] == 43):
                        sign = -1 if data[i] == 45 else 1
                        i += 1
                    good = good and i < size and 48 <= data[i] <= 57
                    while i < size and 48 <= data[i] <= 57:
                        exponent = min(exponent * 10 + (np.int64(data[i]) - 48), 9999)  # type: ignore[assignment]  # of Numba
                        i += 1
                    exponent *= sign
                power = exponent - fraction
                value = float(mantissa)
                if power < 0:
                    value = value / powers[-power] if power >= -22 else value * 10.0**power
                elif power > 0:
                    value = value * powers[power] if power <= 22 else value * 10.0**power
                row[key] = -value if negative else value
                if key == BYTES:
                    at_bytes = line
            else:
                begin = i
                while i < size and (65 <= data[i] <= 90 or 97 <= data[i] <= 122):
                    i += 1
                value = _literal(data, begin, i)
                good = value != NO_LITERAL and not (negative and value != NOT_A_NUMBER)
                if wanted and good:
                    is_truth = key == OMITTED or key == SENDS  # true is no number of bytes
                    row[key] = value if is_truth and value >= 0 else np.nan
        else:
            good = False
        if not good:  # to the next line that begins with a brace
            whole = False
            if in_record and row[SOCKET] == row[SOCKET]:
                for back in range(opened, line):
                    line_code[back] = BROKEN
            depth, section, in_record, expects, event, sums = 0, HEADER, False, VALUE, 0, 0
            while True:
                while i < size and data[i] != 10:
                    i += 1
                line_code[line] = seen = BROKEN
                if i + 1 >= size or data[i + 1] == 123:
                    break
                i += 1
                line += 1
                line_start[line] = i
    if size > 0:
        if depth > 0:  # the document is cut
            whole = False
            if in_record and row[SOCKET] == row[SOCKET]:
                for back in range(opened, line):
                    line_code[back] = BROKEN
            seen = BROKEN
        line_code[line] = seen
    return n_records, n_pieces, whole
