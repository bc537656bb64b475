"""What logs print of how a tool was told to send: runs with other options are no repeats.

Options of reporting (-i, -e, -f, -V) do not matter and are not read, nor is what a system sets by
default ('85.0 KByte (default)'), which varies by itself. `pooling.FROM_LOGS` says what each is.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

# iperf 2 (src/ReportOutputs.c, src/Locale.c), lines before that of a connection
IPERF2 = {
    "tcp_window": re.compile(r"^TCP window size: +([\d.]+ [KMGT]?Byte)(?! \(default\))"),
    "udp_buffer": re.compile(r"^UDP buffer size: +([\d.]+ [KMGT]?Byte)(?! \(default\))"),
    "block": re.compile(r"^(?:Sending|Receiving) (\d+ byte) datagrams|^Write buffer size: +(.+)"),
    "udp_rate": re.compile(r"\bIPG target: +(.+? us)\b"),
    "tos": re.compile(r"^TOS set to (?!0x0\b)(\S+)"),
    "pacing": re.compile(r"^fair-queue socket pacing set to (.+)"),
    "bursts": re.compile(r"^(?:Isochronous|Bursting): +(.+)"),
}
# iperf3 (src/iperf_api.c, src/iperf_locale.c)
IPERF3 = {
    "direction": re.compile(r"(?i)\b(reverse) mode, "),
    "block": re.compile(r"Starting Test: .*\b(\d+) byte blocks"),
    "omit_s": re.compile(r"Starting Test: .*\bomitting (\d+) seconds"),
    "tos": re.compile(r"Starting Test: .*\btos (\d+)"),
    "udp_rate": re.compile(r"Target (?:Bitrate|Bandwidth): *(\d+)"),
}
# keys of an iperf3 document's start and test_start; of the first, 0 says that nothing was asked for
IPERF3_JSON = {
    "reverse": "direction",
    "bidir": "both_directions",
    "sock_bufsize": "tcp_window",
    "fqrate": "pacing",
    "bytes": "amount",
    "blocks": "amount",
    "blksize": "block",
    "omit": "omit_s",
    "tos": "tos",
    "target_bitrate": "udp_rate",
}
ASKED = ("direction", "both_directions", "tcp_window", "pacing", "amount")
USUAL = "as usual"  # an option that was not given
SIZE = re.compile(r"([\d.]+) ([KMGT]?)Byte")
KIBI = {"": 1 / 1024, "K": 1, "M": 1024, "G": 1024**2, "T": 1024**3}


def read_options(text: str, patterns: dict[str, re.Pattern]) -> dict[str, str]:
    """Return the options that a line of text says; sizes in one unit, whatever -f asked for."""
    found = {}
    for option, pattern in patterns.items():
        if match := pattern.search(text):
            value = next(filter(None, match.groups())).partition(" (")[0].strip()
            value = value.replace("Reverse", "reverse")  # as of a JSON document
            size = SIZE.fullmatch(value)
            found[option] = f"{float(size[1]) * KIBI[size[2]]:.3g} KByte" if size else value
    return found


def options_of_json(start: dict, test: dict) -> dict[str, str]:
    """Return the options that an iperf3 document says.

    Args:
        start: its 'start'.
        test: of this, 'test_start'.
    """
    found: dict[str, str] = {}
    for key, option in IPERF3_JSON.items():
        value = test.get(key, start.get(key))
        if not isinstance(value, int | float):
            continue
        if option not in ASKED:
            found[option] = f"{value:.15g}"
        elif value:
            found[option] = "reverse" if key == "reverse" else f"{value:.15g}"
        else:
            found.setdefault(option, USUAL)
    return found


def as_text(options: dict) -> str | None:
    """Return options as they stand in the table `stream`: a JSON object; null where none is."""
    return _as_text(tuple(sorted(options.items()))) if options else None


@lru_cache  # logs of a data set have the same options
def _as_text(options: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(options))
