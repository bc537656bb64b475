"""iperf3 text reports, client and server, TCP and UDP.

Shape (iperf3 3.22, `iperf3 -c host -i 1`), times from the end of the omitted part of the test:

    Connecting to host 10.9.0.2, port 5201
    [  4] local 10.9.0.1 port 32820 connected to 10.9.0.2 port 5201
    [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
    [  4]   0.00-1.00   sec  3.00 MBytes  25.1 Mbits/sec   26   18.4 KBytes
    [  4]   0.00-3.00   sec  7.50 MBytes  21.0 Mbits/sec   26            sender
    [  4]   0.00-3.01   sec  6.75 MBytes  18.8 Mbits/sec                  receiver

Units: bits count in 10^3, bytes in 2^10 (iperf3's units.c). Every line may begin with a title (-T)
or a timestamp (--timestamps). Which end a stream reports: by its role ([TX-C], [RX-S], ...) with
--bidir; a sender's intervals have retransmissions or a count of datagrams, a UDP receiver's have
jitter; else a server receives, and a client that says 'Reverse mode'. iperf3 runs one test at a
time: all its streams start at once. An aborted test may print its last interval twice.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import polars as pl

from .factors import FACTOR, load_factors
from .iperf3_ends import ABOUT_TEST, is_known
from .options import IPERF3, as_text, read_options
from .shapes import Shape, read_lines, tally
from .streams import STREAM, assign_streams, mark
from .zones import in_utc

NAME = "iperf3"
TOOL = "iperf3"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"\A(?![\s\S]*^\s*\{\s*\"(?:start|event|error|end)\")"
    r"(?![\s\S]*^(?:Server listening on|Client connecting to) .*(?:TCP|UDP) port)"  # iperf 2
    r"[\s\S]*?^(?:[^\"\n]{0,80}?(?:"
    r"Connecting to host \S+, port \d+"
    # many a server says on which port it listens: iperf3 draws a line below
    r"|Server listening on \d+(?: \(test #\d+\)$|\s*\n[^\"\n]{0,80}?-{20})"
    r"|Accepted connection from \S+, port \d+"
    r"|\[ *\d+\](?:\[[TR]X-[CS]\])? [ \d]{2,}\d\.\d\d-[\d. ]{6,} sec +[\d.]+ [KMGT]?Bytes +[\d.]+ )"
    r"|iperf3: (?:error|interrupt|the client|the server))"
)
BESIDE = ("iperf2",)  # whose reports, too, may look so after the first 100 s

SPAN = r"\[ ?0\](\[(?P<role>[TR]X)-[CS]\])? 0-0 sec "
LOAD = r"0 (?P<amount>[KMGT]?)Bytes 0 (?P<rate>[KMGT]?)(?P<of>bits|Bytes)/sec"
REPORT = "label t_start_s t_end_s amount rate "
LOADS = (  # what follows the throughput: the sender's counts, the UDP receiver's, nothing
    (LOAD + r" 0 0 (?P<cwnd>[KMGT]?)Bytes", REPORT + "retransmits cwnd"),
    (
        LOAD + r" 0 ms (?P<lost>-?)0/0 \(-?(0|nan|inf)%\)",
        REPORT + "jitter_ms lost_packets received_packets",
    ),
    (LOAD + " 0", REPORT + "count"),  # retransmissions or datagrams: its heading says which
    (LOAD, REPORT),
)
ENDINGS = (
    ("sample", "", None),
    ("skipped", r" \(omitted\)", "omitted from the test (-O)"),
    ("summary", " (?P<side>sender|receiver)", "sums up a stream"),
)
PREFIX_NUMBERS = 8  # of a title or a timestamp before a report
ANY = r"(.*?[ :;])??"  # the prefix of lines of which no number is needed
# no '[' within: where many stand on a line, each would be looked for the rest from
NO_STATISTICS = r"\[ ?0\](\[..-.\])?[^\[]* statistics not available\)"
TABLE = r"\[ ID\](\[Role\])? Interval Transfer (Bitrate|Bandwidth)"
DEBUG = (
    r"sent 0 bytes of 0, pending 0, total 0|tcpi_snd_cwnd .*|interval_len .*|interval forces keep"
    r"|ignoring short interval with no data|State change: .*|Reading new State .*|Thread FD .*"
    r"|(All|Sender|Receiver) threads .*|Buffer 0 bytes|(send|get)_(parameters|results):?.*"
    r"|[{}\]][{}\],]*|\"\w+\": .*|Congestion algorithm is .*"
)


def _report_shapes():
    """Return the shapes of reports, without a prefix and after one of up to PREFIX_NUMBERS."""
    for skipped in range(PREFIX_NUMBERS + 1):
        prefix = rf"(?:[^0]*0){{{skipped}}}[^0]*?" if skipped else r"(?:[^0]*?[^0\[])??"
        for load, columns in LOADS:
            for fate, ending, reason in ENDINGS:
                pattern = prefix + SPAN + load + ending
                kind = "summary" if fate == "summary" else "report"
                yield Shape(fate, pattern, "_ " * skipped + columns, kind=kind, reason=reason)


COMMAS = "decimal commas: run iperf3 with LC_ALL=C, or replace them by points"
SHAPES = (
    Shape("rejected", r".*\x00.*", reason="NUL bytes: left by a crash, or UTF-16 (use iconv)"),
    Shape(
        "summary",
        ANY + r"\[SUM\](\[[TR]X-[CS]\])? 0- ?0 sec .*",
        reason="sum over the streams",
    ),
    *_report_shapes(),
    Shape("rejected", r".*\] 0,0-0,0 sec .*|.* 0,0 [KMGT]?Bytes .*", reason=COMMAS),
    Shape("header", ANY + r"\[ ?0\] local .* connected to .*", kind="connected", text=True),
    Shape("header", ANY + TABLE + " (Total|Jitter Lost/Total) Datagrams", kind="datagrams"),
    Shape("header", ANY + TABLE + " Retr(ansmits)?( Cwnd)?", kind="retransmits"),
    Shape("header", ANY + TABLE, kind="table"),
    Shape("header", " *Sent", kind="sent"),  # iperf3 3.0: the next line sums up what one end did
    Shape("header", " *Received", kind="received"),
    Shape(
        "header",
        ANY + r"(Connecting to host |Accepted connection from |Server listening on |Server output:"
        r"|iperf Done\.|Reverse mode, |Starting Test: |Time: |TCP MSS: |snd_tcp_congestion "
        r"|Target (Bitrate|Bandwidth): |Cookie: |iperf 0"
        r"$).*",
        kind="test",
        text=True,
    ),
    # blank, perhaps behind a stamp: 'Fri Nov 20 22:35:02 2026', 'Nov 20 22:35:02', '2026-11-20'
    Shape("header", r"([^\W0]{1,4}[., ]+){1,2}0 0:0:0( 0)?|[-+0:.TZ;,/ ]*|\S*:"),
    Shape("header", ANY + r"(- )*-+|" + ANY + r"(Control connection MSS 0|Linux .*)"),
    Shape("header", ANY + r"(Test Complete\..*|(Target|Setting|SNDBUF|RCVBUF|rcv_tcp_) ?.*)"),
    Shape("header", ANY + r"(Buffer size: .*|Server JSON output:|FreeBSD .*|Darwin .*)"),
    Shape("summary", ANY + r"(CPU Utilization: .*|Sent 0 [KMGT]?Byte / .*)", reason="of the host"),
    Shape("summary", ANY + r"\[ ?0\](\[..-.\])? Sent 0 datagrams", reason="sums up a stream"),
    Shape("summary", r".*0 datagrams received out-of-order", reason="a count of reordering"),
    Shape("skipped", ANY + NO_STATISTICS, reason="one end's statistics are missing"),
    Shape("skipped", r"(.* )?iperf0: .*", kind="message", reason="a message", text=True),
    Shape("skipped", "(?i)warning:? .*", reason="a warning"),
    Shape("skipped", r".*\x1b.*", reason="of a terminal: escape sequences alone"),
    Shape("skipped", DEBUG, reason="output of iperf3 -d, or a server's JSON"),
)
COMPLAINT = rb"iperf3: error - (.*)"  # why a test measured nothing
ERROR, TEXT_LENGTH = r"iperf3: error - (.*\S)", 200
UNKNOWN_LINE = "not a line that iperf3 writes: truncated or mixed with other output"
CODES = {"TX": 1, "sender": 1, "RX": 2, "receiver": 2}
SIDES = {1: "sender", 2: "receiver"}
ENDS = {"sent": 1.0, "received": 2.0}  # headings of 3.0
CLOCK_S = 0.01  # times have two decimals

CONNECTED = re.compile(
    r"\[ *(?P<label>\d+)\] local (?P<local>\S+) port (?P<local_port>\d+) connected to "
    r"(?P<peer>\S+) port (?P<peer_port>\d+)"
)
SAID = {
    "tool_version": re.compile(r"iperf (3[\w.+-]*)$"),
    "time": re.compile(r"Time: (\w{3}, \d+ \w{3} \d{4} [\d:]+ GMT)"),
    "protocol": re.compile(r"Starting Test: protocol: (\w+)"),
    "planned_s": re.compile(r"Starting Test: .*\b(\d+) second test"),
    "mss_bytes": re.compile(r"TCP MSS: ([1-9]\d*)"),
    "cca": re.compile(r"snd_tcp_congestion (\w+)"),
    "cookie": re.compile(r"Cookie: (\S+)"),
}
# dates without a year count in one that `units.SET_S` takes for none, and has a 29 February
ANY_YEAR, YEARLESS = 2000, "a year that no log says"
DAYLESS, DAY_S = "a day that no log says", 86400  # clock times count in the first day of that year
BEFORE_LABEL = re.compile(r"\[ *\d+\].*")  # what follows the stamp of a connection or a report
CLOCK_TIME = re.compile(r"\W*(\d\d:\d\d:\d\d(?:\.\d+)?)(?=\W|$)")
SINCE_START_S = 2.0  # a log that begins so soon after midnight counts from its start (ts -s)
LATE_S = 2.0  # times are whole seconds, and a program reads a line a little late
OPENING = re.compile(r"Connecting to host |Accepted connection from |Server listening on |Time: ")
IDLE = re.compile(r"interrupt - the server has terminated|server is busy")  # between tests
CONNECTION = {
    "row": pl.UInt32,
    "file_id": pl.UInt32,
    "line": pl.UInt32,
    "label": pl.Float64,
    "episode": pl.Int32,
    "piped": pl.Boolean,  # whether its date is that of another program (`read_time`)
    **ABOUT_TEST,
}


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE, units, NUMBERS).with_row_index("row")
    reports = lines.filter(pl.col("kind").is_in(["report", "summary"])).with_columns(
        bytes=(pl.col("amount") * pl.col("byte_factor")).round(),
        throughput_bps=pl.col("rate") * pl.col("bit_factor"),
        cwnd_bytes=pl.col("cwnd") * pl.col("cwnd_factor"),
        jitter_s=pl.col("jitter_ms") / 1e3,
        lost_packets=pl.col("lost_packets") * pl.col("lost_sign"),
    )
    reports = _without_coarse_rates(reports)
    reports = _of_an_end(_named_counts(reports, lines), lines)
    announced = read_connections(lines, reports)
    streams, reports = assign_streams(reports, announced)
    streams = _without_late_dates(_after_omitted(streams, reports), reports, logs)
    intervals, whole = _split_reports(reports)
    lines = _mark_errors(_mark_intervals(lines, intervals, whole))
    summary = pl.concat(
        [reports.filter(pl.col("fate") == "summary"), reports.filter(pl.col("row").is_in(whole))]
    ).sort("row")
    kept = lines.filter(pl.col("fate") == "sample").select("row")
    streams = _with_sides(streams, reports.filter(pl.col("kind") == "report"), summary)
    own_side = streams.select(*STREAM, own_side="side")
    summary = summary.join(own_side, on=STREAM).with_columns(
        side=pl.coalesce(pl.col("said").replace_strict(SIDES, default=None), "own_side")
    )
    return {
        "stream": streams,
        "interval": intervals.join(kept, on="row", how="semi"),
        "summary": summary.filter(is_known()),
        **tally(lines, logs),
    }


def _without_coarse_rates(reports: pl.DataFrame) -> pl.DataFrame:
    """Let a rate that is printed more coarsely than its bytes be the bytes over the interval.

    iperf3 counts bytes and prints both rounded, the rate in the unit of -f: '1.78 MBytes  0.01
    Gbits/sec'. A report whose two numbers contradict each other stays as it is: a check names it.
    """
    length_s = pl.col("t_end_s") - pl.col("t_start_s")
    n_bytes, bps = pl.col("bytes"), pl.col("throughput_bps")
    step_bytes = _last_digit("amount") * pl.col("byte_factor")
    step_bps = _last_digit("rate") * pl.col("bit_factor")
    rounding = step_bytes + (step_bps * length_s + bps * CLOCK_S) / 8
    agree = (bps * length_s / 8 - n_bytes).abs() <= rounding
    # the rate has the error of its print; bytes over the interval those of bytes and times
    coarse = step_bps * n_bytes > (step_bytes + n_bytes * CLOCK_S / length_s) * bps
    by_bytes = agree & coarse & (length_s > 0)
    return reports.with_columns(
        throughput_bps=pl.when(by_bytes).then(n_bytes * 8 / length_s).otherwise(bps)
    )


def _last_digit(number: str) -> pl.Expr:
    """Return what the last digit of a printed number counts (iperf3's units.c, unit_snprintf)."""
    value = pl.col(number)
    return pl.when(value < 9.995).then(0.01).when(value < 99.95).then(0.1).otherwise(1.0)


NUMBERS = [
    *("label", "t_start_s", "t_end_s", "amount", "rate", "retransmits", "cwnd", "jitter_ms"),
    *("lost_packets", "received_packets", "count", "byte_factor", "bit_factor", "cwnd_factor"),
    *("lost_sign", "role", "said"),
]


def whole(column: str) -> pl.Expr:
    """Return a count; null where it is none: iperf3 writes -1 for what it does not know."""
    known = pl.col(column).is_between(0, 2.0**62) | (column == "lost_packets")
    return pl.when(known & (pl.col(column).abs() < 2.0**62)).then(column)


def _named_counts(reports: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Give the bare counts of reports the meaning that the heading above them has."""
    headings = lines.filter(pl.col("kind").is_in(["datagrams", "retransmits"])).select(
        "row", "file_id", heading=pl.col("kind").cast(pl.String)
    )
    named = reports.join_asof(headings, on="row", by="file_id", check_sortedness=False)
    counts = pl.when(pl.col("heading") == "retransmits").then("count")
    sent = pl.when(pl.col("heading") == "datagrams").then("count")
    return named.with_columns(
        retransmits=pl.coalesce("retransmits", counts),
        packets=pl.coalesce("received_packets", sent),
    ).with_columns(whole(c).alias(c) for c in ("retransmits", "packets", "lost_packets"))


def _of_an_end(reports: pl.DataFrame, lines: pl.DataFrame) -> pl.DataFrame:
    """Note in `said` which end a report under the headings `Sent` and `Received` of 3.0 sums up."""
    headings = lines.filter(pl.col("kind").is_in(["retransmits", "datagrams", "table", *ENDS]))
    headings = headings.select("row", "file_id", under=pl.col("kind").cast(pl.String))
    under = pl.col("under").replace_strict(ENDS, default=None, return_dtype=pl.Float64)
    return reports.join_asof(headings, on="row", by="file_id", check_sortedness=False).with_columns(
        said=pl.coalesce("said", under), sums_up=under.is_not_null()
    )


def read_connections(lines: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Read the lines that announce connections, with what the log says of their test."""
    said = lines.filter(pl.col("text").is_not_null())
    last_report = reports.select("row", "file_id", last="row")
    said = said.join_asof(last_report, on="row", by="file_id", check_sortedness=False)
    rows: list[dict] = []
    file_id, test = None, {}
    for row, of_file, line, kind, text, last in said.select(
        "row", "file_id", "line", pl.col("kind").cast(pl.String), "text", "last"
    ).iter_rows():
        if of_file != file_id:
            file_id, test = of_file, _new_test(1)
            early = False
        if kind == "message":
            # of an error before a connection: that test had none; or, as standard error is written
            # at once and standard output later, the next one broke off, and has no final report
            if "error - " not in text or test["streams"]:
                early = not test["streams"] and test["episode"] == 1
                if not IDLE.search(text) and not test.get("done"):  # else the next one failed
                    test["aborted"] = True
        elif kind == "test":
            _read_test(test := _test_of(test, text), text)
        elif match := CONNECTED.search(text):
            reported = last is not None and test["streams"] and last > test["streams"][-1]["row"]
            if reported or any(int(match["label"]) == s["label"] for s in test["streams"]):
                test = {**_new_test(test["episode"] + 1), "service": test["service"]}
            if early:  # interrupted, with a final report of what there was
                test["aborted"], early = True, False
            test["streams"].append(
                {
                    "row": row,
                    "file_id": of_file,
                    "line": line,
                    "label": int(match["label"]),
                    "local": f"{match['local'].partition('%')[0]}:{match['local_port']}",
                    "peer": f"{match['peer'].partition('%')[0]}:{match['peer_port']}",
                    "stamp": read_stamp(text),
                    "time": read_time(text),
                    "test": test,
                }
            )
            rows.append(test["streams"][-1])
    return pl.DataFrame([_connection(**row) for row in rows], schema=CONNECTION, orient="row")


def _new_test(episode: int) -> dict:
    return {"episode": episode, "streams": [], "service": None, "output": False, "aborted": False}


def _test_of(test: dict, text: str) -> dict:
    """Return the test that a line belongs to: a new one where the line opens it."""
    if "Server output:" in text:  # of the same test, from its other end
        return {**_new_test(test["episode"]), "output": True, "service": "server"}
    if test["output"] and "iperf Done." in text:
        return {**_new_test(test["episode"]), "output": True}
    opens = "Connecting to host" in text if test["output"] else OPENING.search(text)
    if opens and (test["streams"] or test["output"]):
        return _new_test(test["episode"] + 1)
    if opens and test["aborted"]:  # before it had a connection
        return _new_test(test["episode"])
    return test


def _read_test(test: dict, text: str) -> None:
    """Note what a line says of its test."""
    if "Connecting to host" in text:
        test["service"] = "client"
    elif "Accepted connection" in text or "Server listening" in text:
        test["service"] = "server"
    elif "Reverse mode" in text:
        test["reverse"] = True
    elif "iperf Done." in text:
        test["done"] = True
    test.setdefault("options", {}).update(read_options(text, IPERF3))
    for key, pattern in SAID.items():
        if match := pattern.search(text):
            test[key] = match[1]


def _connection(row, file_id, line, label, local, peer, stamp, time, test) -> dict:
    """Return the row of a stream's announcement, with all that was said of its test."""
    receives = (test["service"] == "server") != bool(test.get("reverse"))
    epoch, zone = (_seconds(test["time"]), None) if "time" in test else stamp
    if piped := epoch is None:
        epoch, zone = time
    number = {key: float(test[key]) for key in ("planned_s", "mss_bytes") if key in test}
    return {
        "row": row,
        "file_id": file_id,
        "line": line,
        "label": float(label),
        "episode": test["episode"],
        "piped": piped,
        "service_side": ("receiver" if receives else "sender") if test["service"] else None,
        "protocol": test["protocol"].lower() if "protocol" in test else None,
        "local": local,
        "peer": peer,
        "cca": test.get("cca"),
        "mss_bytes": int(number["mss_bytes"]) if "mss_bytes" in number else None,
        "start_epoch_s": epoch,
        "zone": zone,
        "planned_s": number.get("planned_s"),
        "aborted": test["aborted"],
        "tool_version": test.get("tool_version"),
        "options": as_text(test.get("options", {})),
        "cookie": test.get("cookie"),
    }


def _after_omitted(streams: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Let streams begin after their omitted part (-O), and note its length among their options.

    Only -V says it. Else it lasts to the end of the last omitted report, rounded: -O takes whole
    seconds.
    """
    omitted = reports.filter(pl.col("kind") == "report", pl.col("fate") == "skipped")
    seen_s = omitted.group_by(STREAM, maintain_order=True).agg(seen_s=pl.max("t_end_s").round())
    said_s = pl.col("options").str.json_path_match("$.omit_s").cast(pl.Float64)
    streams = streams.join(seen_s, on=STREAM, how="left", maintain_order="left").with_columns(
        start_epoch_s=pl.col("start_epoch_s") + pl.coalesce(said_s, "seen_s", 0.0)
    )
    options = [
        text if seen is None else as_text({"omit_s": f"{seen:.15g}", **json.loads(text or "{}")})
        for text, seen in streams.select("options", "seen_s").iter_rows()
    ]
    return streams.with_columns(options=pl.Series(options, dtype=pl.String)).drop("seen_s")


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None


def read_stamp(text: str) -> tuple[float | None, str | None]:
    """Return the seconds since 1970 of a line's timestamp, if it is one of --timestamps' usual two,
    and its zone (`zones`).

    'Fri Nov 20 22:35:02 2026 [  5] ...' (its zone is not known), or seconds ('%s').
    """
    prefix = _stamp_of(text)
    try:
        clock = datetime.strptime(prefix, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        return (float(prefix) if re.fullmatch(r"1\d{9}(\.\d+)?", prefix) else None), None
    return in_utc(clock.timestamp(), None)


def _stamp_of(text: str) -> str:
    return BEFORE_LABEL.sub("", text).strip(" ;,:|[]")


def read_time(text: str) -> tuple[float | None, str | None]:
    """Return the same as `read_stamp` of a time that another program put before a line, as ts(1).

    'Nov 20 22:35:02', of a year that nothing says (YEARLESS), '22:35:02' of a day that nothing says
    (DAYLESS; of --timestamps, too), or '2026-11-20T22:35:02+01:00'.
    """
    prefix = _stamp_of(text)
    if clock := CLOCK_TIME.fullmatch(prefix):
        moment = datetime.fromisoformat(f"{ANY_YEAR}-01-01T{clock[1]}").replace(tzinfo=UTC)
        return moment.timestamp(), DAYLESS
    try:
        moment = datetime.strptime(f"{ANY_YEAR} {prefix}", "%Y %b %d %H:%M:%S").replace(tzinfo=UTC)
        return moment.timestamp(), YEARLESS
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(prefix if ":" in prefix else "")
    except ValueError:
        return None, None
    if moment.tzinfo:
        return moment.timestamp(), None
    return in_utc(moment.replace(tzinfo=UTC).timestamp(), None)


def _counts_from_start(line: bytes) -> bool:
    """Return whether the clock time before a log's first line is 0, as of ts -s."""
    first = CLOCK_TIME.match(line.decode("utf-8", "replace"))
    return (
        first is not None
        and first[1].startswith("00:00:0")
        and float(first[1].rpartition(":")[2]) < SINCE_START_S
    )


def _without_late_dates(streams: pl.DataFrame, reports: pl.DataFrame, logs) -> pl.DataFrame:
    """Take away the dates of streams by another program that read their lines late.

    iperf3 writes into a pipe once some lines have gathered, without --forceflush. Then the time of
    the last report, less its end, is not the time of the connection. Nor do times date it that
    count from the start of the log.
    """
    piped = streams.filter("piped", pl.col("start_epoch_s").is_not_null())
    if piped.is_empty():
        return streams
    last = reports.filter(pl.col("fate") == "sample").sort("row")
    last = last.join(piped.select(*STREAM, "start_epoch_s"), on=STREAM, maintain_order="left")
    last = last.group_by(STREAM, maintain_order=True).last()
    files = {*piped["file_id"]}
    texts = {log.file_id: log.whole.split(b"\n") for log in logs if log.file_id in files}
    is_late = []
    for file_id, line, end_s, begun in last.select(
        "file_id", "line", "t_end_s", "start_epoch_s"
    ).iter_rows():
        at, zone = read_time(texts[file_id][line - 1].decode("utf-8", "replace"))
        late_s = 0.0 if at is None else at - end_s - begun
        if zone == DAYLESS:  # midnight may have come
            late_s = (late_s + DAY_S / 2) % DAY_S - DAY_S / 2
        since_start = zone == DAYLESS and _counts_from_start(texts[file_id][0])
        is_late.append(at is None or abs(late_s) > LATE_S or since_start)
    late = last.select(STREAM).filter(pl.Series(is_late, dtype=pl.Boolean)).with_columns(late=True)
    streams = streams.join(late, on=STREAM, how="left", maintain_order="left")
    dated = pl.col("late").is_null()
    return streams.with_columns(
        pl.when(dated).then(name).alias(name) for name in ("start_epoch_s", "zone")
    ).drop("late")


def _split_reports(reports: pl.DataFrame) -> tuple[pl.DataFrame, list[int]]:
    """Return the reports of intervals, and the rows of those that sum up a stream unsaid."""
    intervals = reports.filter(pl.col("fate") == "sample").sort("row")
    first = pl.col("row") == pl.col("row").first().over(STREAM)
    earliest = pl.col("t_start_s").first().over(STREAM)
    starts_anew = (pl.col("t_start_s") == earliest) & ~first & (earliest == 0)
    longer = pl.col("t_end_s") > pl.col("t_end_s").first().over(STREAM)
    whole = intervals.filter((starts_anew & longer) | pl.col("sums_up"))["row"].to_list()
    return intervals.filter(~pl.col("row").is_in(whole)), whole


def _mark_intervals(lines: pl.DataFrame, intervals: pl.DataFrame, whole: list[int]) -> pl.DataFrame:
    """Give intervals that are none their fate."""
    said = ("t_start_s", "t_end_s", "bytes", "throughput_bps")
    twice = pl.all_horizontal(pl.col(c) == pl.col(c).shift(1).over(STREAM) for c in said)
    empty = pl.col("t_end_s") == pl.col("t_start_s")
    known = pl.col("bytes").is_between(0, 2.0**62) & pl.col("t_end_s").is_not_null()
    senseless = ~known.fill_null(False) | pl.col("t_start_s").is_null()
    marks = (
        (pl.Series(whole, dtype=pl.UInt32), "summary", "sums up a stream"),
        (intervals.filter(twice)["row"], "skipped", "printed twice by an aborted test"),
        (intervals.filter(empty)["row"], "skipped", "an interval of zero length"),
        (
            intervals.filter(pl.col("t_end_s") < pl.col("t_start_s"))["row"],
            "rejected",
            "the interval ends before it begins",
        ),
        (intervals.filter(senseless)["row"], "rejected", "an impossible number"),
    )
    for rows, fate, reason in marks:
        lines = mark(lines, rows, fate, reason)
    return lines


def _mark_errors(lines: pl.DataFrame) -> pl.DataFrame:
    """Give lines that say why a test broke off their reason."""
    said = pl.col("text").str.extract(ERROR)
    errors = lines.filter(pl.col("kind") == "message", said.is_not_null())
    for (error,), rows in errors.group_by(said, maintain_order=True):
        lines = mark(lines, rows["row"], "skipped", f"an error of iperf3: {error[:TEXT_LENGTH]}")
    return lines


def _with_sides(
    streams: pl.DataFrame, reports: pl.DataFrame, summary: pl.DataFrame
) -> pl.DataFrame:
    """Say of each stream which end it reports, its protocol, and whether the test went to its end.

    Args:
        streams: what `assign_streams` returned.
        reports: the reports of intervals, omitted ones too.
        summary: the reports that sum up streams.
    """
    roles = pl.concat([reports, summary])
    of_role = roles.group_by(STREAM, maintain_order=True).agg(
        role=pl.max("role"), jitter=pl.col("jitter_s").is_not_null().any()
    )
    counted = reports.group_by(STREAM, maintain_order=True).agg(
        sends=pl.col("count").is_not_null().any() | pl.col("cwnd").is_not_null().any(),
        receives=pl.col("jitter_s").is_not_null().any(),
    )
    datagrams = roles.group_by(STREAM, maintain_order=True).agg(
        sent=pl.col("packets").is_not_null().any()
    )
    finished = summary.select(*STREAM, finished=True).unique(maintain_order=True)
    for more in (of_role, counted, datagrams, finished):
        streams = streams.join(more, on=STREAM, how="left")
    columns = set(streams.columns)
    streams = streams.with_columns(
        pl.lit(None, kind).alias(name) for name, kind in CONNECTION.items() if name not in columns
    )
    side = (
        pl.when(pl.col("role").is_not_null())
        .then(pl.col("role").replace_strict(SIDES, default=None))
        .when(pl.col("sends"))
        .then(pl.lit("sender"))
        .when(pl.col("receives"))
        .then(pl.lit("receiver"))
        .otherwise(pl.col("service_side"))
    )
    udp = pl.col("jitter") | pl.col("sent")
    protocol = pl.when(udp).then(pl.lit("udp")).when(udp.is_not_null()).then(pl.lit("tcp"))
    aborted = pl.col("aborted").fill_null(False)
    return streams.with_columns(
        side=side,
        protocol=pl.coalesce("protocol", protocol),
        complete=pl.col("finished").fill_null(False) & ~aborted,
        episode=pl.col("episode").fill_null(pl.col("episode").max().over("file_id")).fill_null(1),
        start_s=pl.lit(0.0),
        label=pl.col("label").cast(pl.Int64).cast(pl.String),
    )


def units(match: re.Match) -> dict[str, float]:
    """Return the factors of a report's numbers to SI units, and what its words say as numbers."""
    found = match.groupdict()
    if "amount" not in found:
        return {}
    constants = {
        **load_factors(found),
        "cwnd_factor": FACTOR.get(found.get("cwnd", "?")),
        "lost_sign": {"-": -1, "": 1}.get(found.get("lost", "?")),
        "role": CODES.get(found["role"]),
        "said": CODES.get(found.get("side", "?")),
    }
    return {name: value for name, value in constants.items() if value is not None}
