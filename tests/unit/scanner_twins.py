"""What the scanners in C do, once more in Python: plain, and a thousand times as slow."""

# ruff: noqa: SIM109
import math
import re
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from evenflow.formats import iperf3_json_lines as lines
from evenflow.formats.iperf2_lines import read_connected
from evenflow.formats.iperf3_objects import (
    BROKEN,
    CONGESTION,
    DATA,
    END,
    ERROR,
    EVENT,
    FIELD_PLACE,
    FIELDS,
    FOUND,
    HEADER,
    INTERVALS,
    MESSAGE,
    N_FIELDS,
    NO_WORD,
    OTHER_JSON,
    OTHER_TEXT,
    PIECE,
    PLACES,
    PLAIN,
    RECEIVER,
    RECORD,
    SENDER,
    START,
    SUMMARY,
    SUMS,
    TEXT,
    UDP,
    Scan,
)
from evenflow.formats.line_shape import NUMBER, shape_of
from evenflow.formats.ns2_trace_scan import (
    ACKNOWLEDGED,
    ACKNOWLEDGES,
    BACKWARDS,
    DROPPED,
    DROPPED_ON_THE_WAY_BACK,
    ELSEWHERE,
    EMPTY,
    FATES,
    NAME_BYTES,
    ON_LAN,
    ON_THE_WAY,
    OTHER,
    QUEUED,
    RECEIVED,
)
from evenflow.formats.ns2_trace_scan import BROKEN as CUT
from evenflow.formats.reports import COUNTED, REPORT, TOLD, Meaning
from evenflow.formats.shapes import LARGEST

SOCKET, FROM, TO, BYTES = (FIELDS.index(name) for name in ("socket", "start", "end", "bytes"))
OMITTED, SENDS = FIELDS.index("omitted"), FIELDS.index("sender")
CODES = {name.encode(): code for code, name in enumerate(FIELDS)}
CODES |= {name.encode(): place for name, place in PLACES.items()}
POWERS = 10.0 ** np.arange(23)
NULL, NOT_A_NUMBER, NO_LITERAL = -1.0, -2.0, -3.0
VALUE, KEY_OR_END, KEY, COLON, NEXT, VALUE_OR_END = range(6)  # what the grammar expects
DEPTH, MAX_STREAMS = 64, 1024


def power_of_10(n: int) -> float:
    """Return 10 to the power of n, multiplied out."""
    result, square, left = 1.0, 10.0, abs(n)
    while left:
        result *= square if left & 1 else 1.0
        left, square = left >> 1, square * square
    return 1.0 / result if n < 0 else result


def scan_reports(contents: list[bytes], meaning: Meaning, longest: float) -> tuple:
    """Read logs line by line: rows of reports, told lines, lines and bytes by log and rule."""
    rows, told = [], []
    counts = np.zeros((2, len(contents), len(meaning.rules)), np.int64)
    for log, content in enumerate(contents):
        for line, whole in enumerate(re.findall(rb"[^\n]*\n|[^\n]+", content), 1):
            text = whole.removesuffix(b"\n").removesuffix(b"\r")
            numbers = [float(number) for number in NUMBER.findall(text)]
            rule, unit = meaning.too_long, 0
            if len(text) <= longest:
                rule, unit = meaning.of_shape(shape_of(text))
            values = [
                numbers[nth] if 0 <= nth < len(numbers) else np.nan for nth in meaning.place[rule]
            ]
            if meaning.fate[rule] != COUNTED and any(value >= LARGEST for value in values):
                rule = meaning.unknown
            if meaning.fate[rule] == REPORT:
                rows.append((log, line, unit, len(whole), *values))
            elif meaning.fate[rule] == TOLD:
                told.append((log, line, len(whole), rule, text))
            counts[:, log, rule] += 1, len(whole)
    return rows, told, counts


def in_units(report: dict, byte_factor: float, bit_factor: float) -> dict:
    """Return a report of iperf 2 with bytes and rate in SI units."""
    amount, rate = report.pop("amount"), report.pop("rate")
    span = report["t_end_s"] - report["t_start_s"]
    n_bytes, bps = amount * byte_factor, rate * bit_factor
    if amount < 1 and rate > amount:
        n_bytes = bps * span / 8
    elif rate < 1 and amount > rate and span > 0:
        rounding = 0.01 * (byte_factor + bit_factor * span / 8)
        if abs(bps * span / 8 - n_bytes) <= rounding:
            bps = n_bytes * 8 / span
    return report | {"bytes": float(np.rint(n_bytes)), "throughput_bps": bps}


def is_odd(report: dict) -> bool:
    """Return whether a report of iperf 2 says what cannot be."""
    longer = report["t_end_s"] > report["t_start_s"]
    possible = report["throughput_bps"] <= 1e13 and report["bytes"] < 2**62
    return not (longer and possible and report["t_end_s"] <= 1e9)


def take_reports(contents: list[bytes], meaning: Meaning, longest: float) -> list[list[tuple]]:
    """Return samples and summaries of plain logs of iperf 2, and the reports of all others."""
    rows, told, _ = scan_reports(contents, meaning, longest)
    of_logs: list[list[dict]] = [[] for _ in contents]
    for log, line, unit, n_bytes, *values in rows:
        report = dict(zip(meaning.columns, values, strict=True))
        constants = meaning.units[unit]
        report = in_units(report, constants["byte_factor"], constants["bit_factor"])
        report["label"] += constants["star"] / 2
        of_logs[log].append(report | {"line": line, "unit": unit, "n_bytes": n_bytes})
    taken: list[list[tuple]] = [[], [], []]
    for log, reports in enumerate(of_logs):
        is_plain = is_plain_log(reports, [row for row in told if row[0] == log], meaning)
        for i, report in enumerate(reports):
            whole = report["t_start_s"] == 0 and (i > 0 or len(reports) == 1)
            kind = int(whole) if is_plain else 2
            taken[kind].append((log, *(report[name] for name in sorted(report))))
    return taken


def is_plain_log(reports: list[dict], told: list[tuple], meaning: Meaning) -> bool:
    """Return whether a log of iperf 2 has one connection, announced first, and sane reports."""
    kinds = [meaning.rules[rule].kind for _, _, _, rule, _ in told]
    announced = [row for row, kind in zip(told, kinds, strict=True) if kind == "connected"]
    if "server-report" in kinds or len(announced) != 1:
        return False
    said = read_connected(announced[0][-1])
    if said is None or said.star or said.local_port == "0":
        return False
    return not any(
        is_odd(report)
        or report["label"] != said.label
        or report["line"] < announced[0][1]
        or meaning.units[report["unit"]]["byte_factor"] >= 2**30
        for report in reports
    )


class Found(NamedTuple):
    """What `Scan` has, as arrays.

    numbers, records: a column an object; pieces: rows PIECE; found: a row a log.
    """

    numbers: np.ndarray
    records: np.ndarray
    pieces: np.ndarray
    line_start: np.ndarray
    line_code: np.ndarray
    found: np.ndarray


def as_arrays(scan: Scan) -> Found:
    """Return what a scanner found as arrays."""
    matrices = (np.asarray(part).reshape(-1, scan.room) for part in (scan.numbers, scan.records))
    pieces = np.array(scan.pieces, np.int64).reshape(-1, len(PIECE))
    of_lines = (np.asarray(scan.line_start), np.asarray(scan.line_code))
    found = np.asarray(scan.found).reshape(-1, len(FOUND))
    return Found(*(matrix[:, : scan.n] for matrix in matrices), pieces, *of_lines, found)


def classify_object(number: dict[str, float], section: int, twice: bool) -> int:
    """Return what an object of a stream is."""
    start, end, n_bytes = (number[name] for name in ("start", "end", "bytes"))
    is_timed = math.isfinite(start) and math.isfinite(end) and end < 1e9
    is_count = 0 <= n_bytes < 2**62 and n_bytes == math.floor(n_bytes)
    whole = is_timed and is_count
    if section != INTERVALS:
        of_end = SUMMARY if whole else HEADER
        return {START: HEADER, END: of_end}.get(section, lines.ELSEWHERE)
    rules = (
        (not whole, lines.INCOMPLETE),
        (number["omitted"] == 1, lines.OMITTED),
        (end < start, lines.BACKWARDS),
        (end == start, lines.EMPTY),
        (twice, lines.TWICE),
        (True, lines.SAMPLE),
    )
    return next(code for holds, code in rules if holds)


def tell_stream(objects: list[tuple[int, dict[str, float]]]) -> tuple[float, bool, bool, bool]:
    """Return whether a stream sends, has retransmissions, jitter, a final report: of its objects,
    code and numbers each."""
    told = [(code, number) for code, number in objects if code not in (BROKEN, lines.REPEATED)]
    says = [number["sender"] for _, number in told if not math.isnan(number["sender"])]
    has = (
        any(not math.isnan(number[name]) for _, number in told)
        for name in ("retransmits", "jitter_ms")
    )
    return max(says, default=math.nan), *has, any(code == SUMMARY for code, _ in told)


def scan_json(contents: list[bytes]) -> Found:
    """Scan logs of iperf3's JSON, which lie one after another, each with a line feed at its end."""
    parts, found = [], np.zeros(4, np.int64)  # FOUND of the log before
    begin = n_streams = 0
    for log, content in enumerate(contents):
        part, whole = _scan_log(content)
        numbers, records, pieces, line_start, _ = part
        records[[RECORD.index(name) for name in ("line", "first", "last")]] += found[0]
        records[RECORD.index("begin")] += begin
        records[RECORD.index("stream")] += n_streams
        records[RECORD.index("log")] = log
        pieces[:, [PIECE.index(name) for name in ("begin", "end")]] += begin
        pieces[:, PIECE.index("line")] += found[0]
        pieces[:, PIECE.index("log")] = log
        line_start += begin
        sizes = len(line_start), numbers.shape[1], len(pieces)
        found = np.array([*(found[:3] + sizes), whole])
        n_streams = 1 + max(records[RECORD.index("stream")].tolist(), default=n_streams - 1)
        begin += len(content) + lacks_line_feed(content)
        parts.append((*part, found[None]))
    axes = (1, 1, 0, 0, 0, 0)
    columns = zip(zip(*parts, strict=True), axes, strict=True)
    return Found(*(np.concatenate(column, axis=axis) for column, axis in columns))


def in_a_row(contents: list[bytes]) -> tuple[memoryview, list[int], list[int]]:
    """Return logs one after another, where each ends, and where without a line feed added to it."""
    ended = [content + b"\n" * lacks_line_feed(content) for content in contents]
    stops = list(accumulate(map(len, ended)))
    ends = [stop - lacks_line_feed(x) for stop, x in zip(stops, contents, strict=True)]
    return memoryview(bytearray(b"".join(ended))), stops, ends


def lacks_line_feed(content: bytes) -> bool:
    """Return whether a log ends without a line feed, and is not empty."""
    return content[-1:] not in (b"", b"\n")


def _scan_log(content: bytes) -> tuple:
    n_objects = content.count(b"{")
    n_lines = content.count(b"\n") + lacks_line_feed(content)
    numbers, records = np.empty((N_FIELDS, n_objects)), np.empty((len(RECORD), n_objects), np.int64)
    line_start, line_code = np.empty(n_lines, np.int64), np.empty(n_lines, np.uint8)
    n, pieces, whole = _scan(content, numbers, records, line_start, line_code)
    pieces = np.array([(*piece, 0) for piece in pieces], np.int64).reshape(-1, len(PIECE))
    return (numbers[:, :n], records[:, :n], pieces, line_start, line_code), whole


def _painted(place):
    """Return what the lines of a section hold, those of its streams aside."""
    if place in (INTERVALS, END):
        return SUMMARY
    if place == ERROR:
        return MESSAGE
    if place == OTHER_TEXT:
        return TEXT
    return HEADER


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


def _place(places, depth, event):
    """Return section, role and 'nested' of an object, from the keys that lead to it."""
    section, role, nested = 0, 0, np.int64(event == OTHER_JSON)
    for d in range(1, depth):
        place = places[d]
        if place == OTHER_JSON:
            nested = 1
        elif place in (START, INTERVALS, END):
            section = place
        elif place in (SENDER, RECEIVER, UDP):
            role = place
        elif place == DATA and event > 0 and event != OTHER_JSON:
            section = event
    return section, role, nested


def _stream(sockets, nestings, base, n_streams, socket, nested):
    """Return the number of a stream of the current test; n_streams where it is a new one."""
    for k in range(base, n_streams):
        if sockets[k] == socket and nestings[k] == nested:
            return k
    return n_streams


APPENDED = re.compile(rb"\{(?=\r?\n[ \t\r]*\"start\"[ \t\r]*:[ \t\r]*\{)")


def _appended(data, end):
    """Return where the brace of a document is that ends the line that ends at `end`, or None."""
    brace = end - 2 if data[max(end - 1, 0) : end] == b"\r" else end - 1
    return brace if brace >= 0 and APPENDED.match(data, brace) else None


def _scan(data, numbers, records, line_start, line_code):
    """Fill numbers, records, line_start, line_code; return the number of records, the pieces, and
    whether the file is whole."""
    size, pieces = len(data), []
    n_records = n_streams = 0
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
            pieces.append((begin, i, line, PLAIN, test, False))
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
                text = data[begin:end]
                word = SUMS if data[begin : begin + 3] == b"sum" else CODES.get(text, NO_WORD)
            place = FIELD_PLACE[word] if 0 <= word < N_FIELDS else word
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
                    pieces.append((begin, end, line, what, test, nested))
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
                twice = 0
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
                    pieces.append((start_begin, i, line, START, test, nested))
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
                mantissa, digits, fraction = 0, 0, 0
                while i < size and 48 <= data[i] <= 57:
                    if digits < 18:
                        mantissa = mantissa * 10 + (int(data[i]) - 48)
                        digits += mantissa > 0
                    else:
                        fraction -= 1
                    i += 1
                if i < size and data[i] == 46:
                    i += 1
                    good = i < size and 48 <= data[i] <= 57
                    while i < size and 48 <= data[i] <= 57:
                        if digits < 18:
                            mantissa = mantissa * 10 + (int(data[i]) - 48)
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
                    good = good and i < size and 48 <= data[i] <= 57
                    while i < size and 48 <= data[i] <= 57:
                        exponent = min(exponent * 10 + (int(data[i]) - 48), 9999)
                        i += 1
                    exponent *= sign
                power = exponent - fraction
                value = float(mantissa)
                if power < 0:
                    value = value / POWERS[-power] if power >= -22 else value * power_of_10(power)
                elif power > 0:
                    value = value * POWERS[power] if power <= 22 else value * power_of_10(power)
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
        if not good:  # to the next line that begins with a brace, or ends with that of a document
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
                brace = _appended(bytes(data[:size]), i)
                if brace is not None:
                    i = brace
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
    return n_records, pieces, whole


WHOLE = rb"-?[0-9]{1,18}"
ADDRESS = rb"%b(?:\.%b){1,3}" % (WHOLE, WHOLE)
TIME = rb"([0-9]{1,18})(?:\.([0-9]*))?(?:[eE]([-+]?)([0-9]*))?"
PACKET = re.compile(
    rb"([rde]) %b (%b) (%b) ([^ ]*) (%b) [^ ]* (%b) (%b) (%b) (%b) %b(?: |\Z)"
    % (TIME, WHOLE, WHOLE, WHOLE, WHOLE, ADDRESS, ADDRESS, WHOLE, WHOLE)
)


def scan_trace(content: bytes, since_s: float = 0.0) -> tuple:
    """Scan a trace: rows of received, dropped and broken, lines and bytes by fate, first and last
    time."""
    received, dropped, broken = {}, [], []
    counts, first_s, last_s = np.zeros((2, len(FATES)), np.int64), np.inf, since_s
    begin = 0
    for line, whole in enumerate(re.findall(rb"[^\n]*\n|[^\n]+", content)):
        text = whole.removesuffix(b"\n").removesuffix(b"\r")
        packet = PACKET.match(text)
        what = _fate_by_event(text, packet)
        if packet:
            event, *time, start, end, name, size, flow, source, destination, sequence = (
                packet.groups()
            )
            t_s = _seconds(*time)
            start, end, size, flow, sequence = map(int, (start, end, size, flow, sequence))
            source, destination = _address(source), _address(destination)
            hop = _wrapped(start * 2**20 + end)
            if not (t_s <= 1e6 and 0 <= size < 2**31 and abs(flow) < 2**31):
                what = CUT
            else:
                first_s = min(first_s, t_s)
                if t_s < last_s:
                    what = BACKWARDS
                else:
                    last_s = t_s
                    what = _fate(event, text[packet.start(8) :], destination, end)
            mark = 0
            acknowledges = text[packet.start(8) :].startswith((b"ack", b"rtP"))
            if what == ACKNOWLEDGES and text[packet.start(8) :][:1] == b"a" and destination >= 0:
                mark = ACKNOWLEDGED
            elif what == ELSEWHERE and not acknowledges:
                mark = ON_THE_WAY
            if what == RECEIVED or mark:
                place = mark or (hop if destination < 0 else -1)
                by = {ON_THE_WAY: hop, ACKNOWLEDGED: size}.get(mark, int(t_s))
                key = (flow, source, destination, place, by)
                kind = int.from_bytes(name[:NAME_BYTES], "big")
                us = int(t_s * 1e6)
                row = received.setdefault(key, [*key, line, 0, 0, 0, kind, sequence, us, us])
                row[6:9] = row[6] + 1, row[7] + size, row[8] + len(whole)
                row[10:12] = max(row[10], sequence), us
            elif what == DROPPED:
                dropped.append(
                    (line, t_s, flow, size, sequence, source, destination, hop, len(whole))
                )
        if what in (CUT, BACKWARDS):
            broken.append((line, begin, begin + len(text), what))
        counts[:, what] += 1, len(whole)
        begin += len(whole)
    return [*received.values()], dropped, broken, counts, first_s, last_s


def _fate_by_event(text: bytes, packet) -> int:
    """Return what becomes of a line, of a packet's still to be told."""
    if not text:
        return EMPTY
    if text[1:2] != b" ":
        return CUT
    if text[:1] in b"+-":
        return QUEUED
    if text[:1] in b"rde":
        return CUT
    if text[:1] == b"h":
        return ON_LAN
    return OTHER if text[:1].isalpha() else CUT


def _fate(event: bytes, rest: bytes, destination: int, end: int) -> int:
    back = rest.startswith((b"ack", b"rtP"))
    if event != b"r":
        return DROPPED_ON_THE_WAY_BACK if back else DROPPED
    if destination >= 0 and end != destination >> 20:
        return ELSEWHERE
    return ACKNOWLEDGES if back else RECEIVED


def _seconds(whole: bytes, fraction: bytes | None, sign: bytes, power: bytes | None) -> float:
    kept = (fraction or b"")[: 18 - len(whole)]
    exponent = min(int(power or 0), 999) * (-1 if sign == b"-" else 1) - len(kept)
    mantissa = float(int(whole + kept))
    if exponent < 0:
        return mantissa / power_of_10(-exponent)
    return mantissa * power_of_10(exponent)


def _address(text: bytes) -> int:
    *node, port = map(int, text.split(b"."))
    if len(node) == 1:
        return _wrapped(node[0] * 2**20 + port)
    first, second, third = [*node, 2047][:3]
    return _wrapped(-1 - (((first * 2048 + second) * 2048 + third) * 2**20 + port))


def _wrapped(number: int) -> int:
    """Return a number as 64 bits hold it."""
    return (number + 2**63) % 2**64 - 2**63
