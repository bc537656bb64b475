"""The units that the header of a file of two columns names, against those that are declared.

A unit is found where it stands as a word or behind an underscore ('throughput (kbit/s)',
'rtt_ms'), and not behind a number ('a 10 Mbit/s link'). A header contradicts what is declared if it
names units of the second column and the declared one is not among them, or if it says that times
are not in seconds.
"""

from __future__ import annotations

import re

RATE, SIZE, PACKETS, TIME = "bit/s", "bytes", "packets", "s"
_PREFIX = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
_BEGIN, _END = r"(?<![A-Za-z0-9])(?<![0-9] )(?<![0-9]_)", r"(?![A-Za-z0-9/])"
_PREFIXED = r"(?P<prefix>[kmg]i?)?(?P<unit>bits?|bytes?|b)"
_RATES = re.compile(
    rf"{_BEGIN}{_PREFIXED}(?:ps|[ _]?(?:/|per)[ _]?(?:s|sec|second)){_END}", re.IGNORECASE
)
# one letter says too little: 'b' and 's' alone are units in brackets only
_SIZES = re.compile(
    rf"{_BEGIN}(?:(?P<prefix>[kmg]i?)?bytes?|(?<=[(\[])(?P<short>[kmg]i?)?(?-i:B)(?=[)\]])){_END}",
    re.IGNORECASE,
)
_COUNTS = re.compile(rf"{_BEGIN}(?:packets|pkts|segments|segs){_END}", re.IGNORECASE)
_TIMES = re.compile(
    rf"{_BEGIN}(?:(?P<ms>ms|msecs?|milliseconds?)|(?P<us>us|µs|μs|usecs?|microseconds?)"
    r"|(?P<ns>ns|nsecs?|nanoseconds?)|(?P<min>min|minutes?)"
    rf"|(?P<s>secs?|seconds?|(?<=[(\[_])s(?=[)\]]|$))){_END}",
    re.IGNORECASE,
)
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
_FIRST = re.compile(r"""^[\s#%"]*(?P<first>[^\s,;(\["]+(?:\s*[(\[][^)\]]*[)\]])?)"?[\s,;]+(?=\S)""")
_CLOCK = re.compile(r"t(?:[_\s(\[]|$)|time|elapsed", re.IGNORECASE)
DECLARED = {  # value: its dimension, and how many of the unit of the dimension
    "throughput_bps": (RATE, 1.0),
    "throughput_kbps": (RATE, 1e3),
    "throughput_mbps": (RATE, 1e6),
    "rtt_s": (TIME, 1.0),
    "srtt_s": (TIME, 1.0),
    "rtt_ms": (TIME, 1e-3),
    "srtt_ms": (TIME, 1e-3),
}
_BY_END = {"_bytes": (SIZE, 1.0), "_packets": (PACKETS, 1.0)}
OTHER_UNIT = (
    "the header names another unit than 'value:' in dataset.yml: correct the wrong one of them, or "
    "convert the numbers"
)
OTHER_TIMES = "the header says that the times are not in seconds: convert them"


def contradiction(header: str, value: str | None) -> str | None:
    """Return why a line of a header contradicts what is declared of the second column, or None.

    Args:
        header: a line before the first numbers.
        value: as dataset.yml has it.
    """
    columns = _FIRST.match(header)
    if value is None or columns is None:
        return None
    first, second = columns["first"], header[columns.end() :]
    times = {factor for _, factor in _units(first)} if _CLOCK.match(first) else set()
    if times and 1.0 not in times:
        return OTHER_TIMES
    found = _units(second)
    return OTHER_UNIT if found and _declared(value) not in found else None


def _declared(value: str) -> tuple[str, float]:
    of_end = (unit for end, unit in _BY_END.items() if f"_{value}".endswith(end))
    return DECLARED.get(value) or next(of_end)


def _units(text: str) -> set[tuple[str, float]]:
    """Return the units that a text names: their dimension, and how many of its unit they are."""
    found = set()
    for m in _RATES.finditer(text):
        in_bytes = m["unit"] == "B" or m["unit"].lower().startswith("byte")
        found.add((RATE, _PREFIX[(m["prefix"] or "").lower()] * (8 if in_bytes else 1)))
    rest = _RATES.sub(" ", text)
    for m in _SIZES.finditer(rest):
        found.add((SIZE, _PREFIX[(m["prefix"] or m["short"] or "").lower()]))
    found |= {(PACKETS, 1.0) for _ in _COUNTS.finditer(rest)}
    found |= {(TIME, _SECONDS[m.lastgroup or "s"]) for m in _TIMES.finditer(rest)}
    return found
