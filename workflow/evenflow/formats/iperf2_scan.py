"""What the lines of iperf 2 are, and the scan of its logs; see iperf2.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .factors import load_factors
from .iperf2_reports import MEASURED, Reports, put_in_units, take_reports
from .logs import Log, Shape
from .reports import Meaning, Scan, scanned

ID = r"\[ ?\*?0\]"
SPAN = ID + r" 0- ?0 sec "
SUM_SPAN = r"\[(SUM|SUM-0|FD0)\] ?0- ?0 sec "
LOAD = r"0 (?P<amount>[KMGTP]?)Bytes 0 (?P<rate>[KMGTP]?)(?P<of>bits|Bytes)/sec"
REPORT = "label t_start_s t_end_s amount rate "
TAIL = r"( [^\[]*)?"  # not the beginning of another line
BOUNCED = r" 0=0/0/0/0 ms 0"  # replies = delay avg/min/max/stdev, then retransmissions


def _report(columns: str, tail: str) -> Shape:
    return Shape("sample", SPAN + LOAD + tail + TAIL, REPORT + columns, kind="report")


SHAPES = (
    # an enhanced sender (the header's column names): Write/Err Rtry Cwnd/RTT(var)
    _report("_ _ retransmits cwnd_kbytes rtt_us", r" 0/0 0 0K/0(\(0\))? us"),
    # Write/Err Rtry InF(pkts)/Cwnd(pkts)/RTT(var)
    _report(
        "_ _ retransmits _ _ cwnd_kbytes cwnd_packets rtt_us",
        r" 0/0 0 0K\(0\)/0K\(0\)/0\(0\) us",
    ),
    # Write/Err Rtry Cwnd(pkts)/RTT(var)
    _report("_ _ retransmits cwnd_kbytes cwnd_packets rtt_us", r" 0/0 0 0K\(0\)/0(\(0\))? us"),
    # 2.0.13, last line: a window of -1K means unknown
    _report("_ _ retransmits _ rtt_us", r" 0/0 0 -0K/0 us"),
    # where the system has no window; 2.0.14a's last line, 'NA/0 us', has no retransmissions either
    _report("_ _ retransmits rtt_us", r" 0/0 0 NA/0\(0\) ?us"),
    # --bounceback: BB cnt=avg/min/max/stdev Rtry Cwnd/RTT
    _report("_ _ _ _ _ retransmits cwnd_kbytes rtt_us", BOUNCED + r" 0K/0 us"),
    _report(
        "_ _ _ _ _ retransmits cwnd_kbytes cwnd_packets rtt_us", BOUNCED + r" 0K/?\(0\)/0\(0\) us"
    ),
    _report("_ _ _ _ _ retransmits", BOUNCED),
    # UDP at its receiver: jitter, lost/total datagrams; a negative number of lost ones is no number
    _report("jitter_ms lost_packets packets", r" 0 ms 0/ ?0 \((0|-?nan)%\)"),
    _report("jitter_ms _ packets", r" 0 ms -0/ ?0 \(-?0%\)"),
    _report("", ""),
    Shape("summary", SUM_SPAN + r"0 [KMGTP]?Bytes 0 [^\[]*", reason="sum over the streams"),
    Shape(
        "skipped",
        rf"({ID}|\[SUM(-0)?\]) ?0- ?0 sec 0 datagrams received out-of-order",
        reason="a count of datagrams that arrived out of order",
    ),
    Shape("skipped", rf"{ID} ?0- ?0 sec [A-Z]+0(\(f\))?-PDF: [^\[]*", reason="a histogram"),
    Shape("skipped", rf"{ID} ?0- ?0 sec OWD \(ms\) [^\[]*", reason="one-way delays"),
    Shape("skipped", rf"{ID} ?0- ?0 trip-time [^\[]*", reason="a duration"),
    Shape(
        "skipped",
        SPAN + r"0 [KMGTP]?Bytes -?(nan|inf) [KMGTP]?(bits|Bytes)/sec.*",
        reason="iperf measured no time: not a rate",
    ),
    Shape(
        "rejected",
        SPAN + r"(0 \(null\)s|-0 [KMGTP]?Bytes) -?0 [KMGTP]?(bits|Bytes)/sec.*",
        reason="a byte counter of iperf below zero: the connection had broken",
    ),
    Shape(
        "rejected",
        r"\[[^]]*\] ?0(,0)?- ?0,0 sec .*|.*sec 0,0 [KMGT]?Bytes.*",
        reason="decimal commas: run iperf with LC_ALL=C, or replace them by points",
    ),
    Shape("header", rf"{ID} local \S+ port 0 connected .*", kind="connected", text=True),
    Shape(
        "header",
        r"(Server listening on|Client connecting to|Working load listening on) .*",
        kind="service",
        text=True,
    ),
    Shape("header", rf"({ID} )?TCP congestion control .*", kind="cca", text=True),
    Shape("header", rf"{ID} MSS size 0 bytes.*", kind="mss", text=True),
    Shape("header", rf"{ID} Server Report:", kind="server-report", columns="label"),
    Shape("header", r"-+|\[(ID|SUM-cnt| ID)\] (Interval|Burst) .*|"),
    Shape(
        "header",
        r"((TCP window|(UDP|Write) buffer) size|(UDP i|I)sochronous|Bursting): .*"
        r"|(Sending|Receiving) 0 byte datagrams.*|TOS set to .*|fair-queue socket pacing set to .*",
        kind="option",
        text=True,
    ),
    Shape("header", rf"Read buffer size: .*|({ID}|\[SUM(-0)?\]) Sent 0 datagrams"),
    Shape("header", r"Binding to local .*|TOS defaults to .*|Setting multicast TTL .*"),
    Shape("header", rf"({ID} )?MSS (req )?size .*|{ID} MSS and MTU size unknown .*"),
    Shape("header", r"Bursting.*|Bounce-?back test .*|Burst wait timeout .*"),
    Shape("header", r"Enabled receive histograms .*|Event based writes .*|TCP_NOTSENT_LOWAT .*"),
    Shape("header", r"Joining multicast .*|Using virtual iface .*"),
    Shape(
        "header", r"Server set to single client traffic mode .*|Running Iperf Server as a daemon"
    ),
    Shape("header", r"The Iperf daemon process ID : 0|iperf (version|\(branch) .*"),
    Shape("header", rf"{ID} (Client traffic|Server receiving) to start in .*"),
    Shape("skipped", rf"({ID} )?(WARNING|WARN|Warn)\b.*", reason="a warning"),
    Shape(
        "skipped", r"will give poor performance\. See the Iperf documentation\.", reason="a warning"
    ),
    Shape(
        "skipped", r"Waiting for server threads to complete\. .*", reason="iperf was interrupted"
    ),
    Shape("skipped", rf"{ID} Isoch schedule errors .*", reason="delays of frames"),
    Shape("skipped", r"\[ CT\] final connect times .*", reason="times to connect"),
    Shape(
        "skipped",
        r"Attempt to set '[^']*' congestion control failed: .*",
        reason="congestion control not set: the flow, if any, ran the system's default",
    ),
    Shape(
        "skipped",
        rf"({ID} )?(tcp |udp )?connect(ion)? (failed\b|to .* failed\b).*|\[drop\] local .*",
        reason="iperf could not connect",
    ),
    Shape(
        "skipped",
        rf"({ID} )?(tcp |udp )?(write|send)[a-z]* failed\b.*",
        reason="error while sending",
    ),
    Shape(
        "skipped",
        rf"({ID} )?(tcp |udp )?(read|recv)[a-z]* failed\b.*",
        reason="error while receiving",
    ),
    Shape("skipped", rf"({ID} )?[A-Za-z_'/ -]+ failed\b(: .*)?", reason="an error of iperf"),
    Shape(
        "skipped",
        r"(error|iperf): .*|Usage: iperf .*|Try `iperf .*|The --reverse option .* not supported",
        reason="an error of iperf",
    ),
)
UNKNOWN_LINE = "not a line that iperf 2 writes: truncated or mixed with other output"


def units(match: re.Match) -> dict[str, float]:
    """Return what the shape of a report says.

    byte_factor, bit_factor: of its amount (to bytes) and its rate (to bits per second); star: 1 for
    '[ *1]'; short: 1 for times like ' 0.0- 1.0', which versions up to 2.0.13 print without -e.
    """
    found = match.groupdict()
    if "amount" not in found:
        return {}
    return {
        **load_factors(found),
        "star": float("*" in match[0][:4]),
        "short": float("0- 0 sec" in match[0]),
    }


MEANING = Meaning(SHAPES, UNKNOWN_LINE, units, "label")
OF_EVERY = ("label", "amount", "rate", *MEASURED)  # what every report has
NUMBERS = [name for name in MEANING.columns if name not in OF_EVERY]


class Batch(NamedTuple):
    """What some logs hold, and their reports, which are taken out of its rows, in parts."""

    scan: Scan
    parts: list[Reports]


def scan_batch(logs: Sequence[Log]) -> Batch:
    """Read the reports of logs; their bytes and rates in SI units."""
    with scanned(logs, MEANING) as found:
        for rows in found.rows:
            put_in_units(rows, MEANING)
        return Batch(found, take_reports(found, MEANING))
