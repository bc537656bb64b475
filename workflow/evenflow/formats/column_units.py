"""The units that a text names, such as the header of a column.

A unit is found where it stands as a word or behind an underscore ('throughput (kbit/s)',
'rtt_ms', 'rxKBytes'), and not behind a number ('a 10 Mbit/s link'), unless that is a factor
('10^6 bit/s', '(1000 bytes)'). A unit is its dimension, and how many of the dimension's unit it is.
"""

from __future__ import annotations

import re

RATE, PACKET_RATE, TIME = "bit/s", "packets/s", "s"
SIZE, BITS, PACKETS = "bytes", "bits", "packets"
Unit = tuple[str, float]
_PREFIX = {
    **{"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30},
    **{"kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12},
    **{"kibi": 2**10, "mebi": 2**20, "gibi": 2**30, "tebi": 2**40, "ti": 2**40},
}
_BEGIN, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9]|/(?! ?10))"  # 'bytes/1000' is a factor
_WORD = "kilo|mega|giga|tera|kibi|mebi|gibi|tebi"
_PREFIXED = rf"(?P<prefix>{_WORD}|[kmgt]i?)?"
_APART = re.compile(  # a prefix that a blank parts from its unit, or a capital: 'MegaBits'
    rf"{_BEGIN}((?i:{_WORD}|milli|micro|nano)|[kKMG]i?)[ _-]"
    r"(?=(?i:bits?|bytes?|octets?|packets?|pkts?|segments?|secs?|seconds?|[bp]ps|b/s)(?![a-z]))"
)
_PER = (
    r"(?:ps|[ _-]?(?:/|per)[ _-]?(?:s|secs?|seconds?)"
    r"|[ _]?/ ?(?P<per>ms|min|minute|h|hour)| s\^?-1)"
)
_RATES = re.compile(
    rf"{_BEGIN}{_PREFIXED}(?P<unit>bits?|bytes?|octets?|b|packets?|pkts?|segments?|segs?|p){_PER}"
    r"(?![A-Za-z0-9/])",
    re.IGNORECASE,
)
_PER_S = {"ms": 1e3, "min": 1 / 60, "minute": 1 / 60, "h": 1 / 3600, "hour": 1 / 3600}
# one letter says too little: 'b' and 's' alone are units in brackets only
_AMOUNTS = re.compile(
    rf"{_BEGIN}(?:{_PREFIXED}(?:(?P<bytes>bytes?|octets?)|(?P<bits>bits|(?<=[kmgtio_(\[])bit))"
    r"|(?P<short>[kmg]i?)(?P<letter>b)|(?<=[(\[])(?P<alone>b)(?=[)\]])"
    r"|(?P<many>kilo|mega|[km])?(?P<packets>packets|pkts|segments|segs|datagrams)"
    r"|(?P<packet>(?<=[(\[])(?:packet|pkt|segment|seg|mss)(?=[)\]])|(?<=_)(?:pkt|seg|mss)(?=$|[\s,;]))"
    rf"){_END}",
    re.IGNORECASE,
)
_TIMES = re.compile(
    rf"{_BEGIN}(?:(?P<ms>ms|msecs?|millis|milli(?:secs?|seconds?))"
    r"|(?P<us>us|µs|μs|usecs?|micros|micro(?:secs?|seconds?))"
    r"|(?P<ns>ns(?!(?:-| ?)[23])|nsecs?|nanos|nano(?:secs?|seconds?))"
    r"|(?P<s>secs?|seconds?|(?<=[(\[_/])s(?=[)\],;\s]|$))"
    # of a clock only: 'min' of 'min_rtt' and 'rtt (min)' is no minute
    r"|(?P<min>minutes?|mins?(?=[)\]]|$|[\s_](?:since|from|after|elapsed)))"
    r"|(?P<h>hours?|hrs?|(?<=[(\[_])h(?=[)\]]|$))|(?P<d>days?))(?![A-Za-z0-9/])",
    re.IGNORECASE,
)
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0, "d": 86400.0}
_OF_CLOCKS = ("min", "h", "d")
_NUMBER = re.compile(
    r"(?:(?:^|[^A-Za-z0-9])(?:\d+[.,])?\d+(?:e\+?\d+)?"  # or of a setting: 'rtt20_ms'
    r"|(?:rtt|delay|owd|bw|rate|bandwidth|link|buf|buffer|q|queue|duration|bin|every|dt|step|interval"
    r"|window|last|mean|avg)\d+)[ _]$",
    re.IGNORECASE,
)
_FLOW = re.compile(  # the number of a flow belongs to its name: 'flow 1 kbps'
    r"(?<![A-Za-z])(?:flow|client|server|host|node|sender|receiver|stream|connection|run|cubic|bbr"
    r"|reno)[ _]\d+[ _]$",
    re.IGNORECASE,
)
_POWER = r"10(?:\^|\*\*)(?P<exponent>\d+)|10(?P<raised>[³⁶⁹])"
_ROUND = r"(?P<number>1e\+?0?[369]|1000(?:000){0,2}|1024|1048576)|(?P<word>thousand|million)s?"
_FACTOR = re.compile(
    rf"(?:(?:{_POWER})|(?:^|[(\[]|in |[x×*] ?)(?:{_ROUND})(?: of)?) ?[x×*]?[ _]?$", re.IGNORECASE
)
_FACTOR_BEHIND = re.compile(
    rf"[ _]?[(\[]?(?:[x×*/] ?(?:{_POWER}|{_ROUND})|(?:in )?(?P<words>thousand|million)s)\b",
    re.IGNORECASE,
)
_RAISED = {"³": 1e3, "⁶": 1e6, "⁹": 1e9}
_WORDS = {"thousand": 1e3, "million": 1e6}


def units(text: str) -> set[Unit]:
    """Return the units that a text names; of 'kb' both that it may be."""
    text = _split(text)
    found: set[Unit] = set()
    for m in _RATES.finditer(text):
        factor = (
            _scale(m)
            * _PREFIX[(m["prefix"] or "").lower()]
            * _PER_S.get((m["per"] or "").lower(), 1)
        )
        if m["unit"][0].lower() in "ps":
            found.add((PACKET_RATE, factor))
        else:
            in_bytes = m["unit"] == "B" or m["unit"].lower()[:2] in ("by", "oc")
            found.add((RATE, factor * (8 if in_bytes else 1)))
    rest = _RATES.sub(lambda m: " " * len(m[0]), text)
    for m in _AMOUNTS.finditer(rest):
        prefix = (m["prefix"] or m["short"] or m["many"] or "").lower()
        factor = _scale(m) * _PREFIX[prefix]
        found |= {(dimension, factor) for dimension in _dimensions(m)}
    found |= {(TIME, _SECONDS[kind]) for kind in _times(rest) if kind not in _OF_CLOCKS}
    return {(dimension, factor) for dimension, factor in found if factor}


def seconds(text: str) -> set[float]:
    """Return the units of time that the header of a clock names, in seconds."""
    return {_SECONDS[kind] for kind in _times(_split(text))}


def _split(text: str) -> str:
    """Part the words of a name such as 'rxKBytes', but not 'KiB', 'kB' and 'MegaBytes'."""
    return _APART.sub(r"\1", re.sub(r"(?<=[a-z]{2})(?<![kmgt]i)(?=[A-Z])", " ", text))


def _dimensions(m: re.Match[str]) -> tuple[str, ...]:
    if m["packets"] or m["packet"]:
        return (PACKETS,)
    if m["bytes"] or "B" in (m["letter"], m["alone"]):
        return (SIZE,)
    # 'Mb' are bits; 'mb' and '(b)' are bits or bytes
    return (BITS,) if m["bits"] or (m["short"] or "a")[0].isupper() else (BITS, SIZE)


def _times(text: str) -> set[str]:
    return {m.lastgroup or "s" for m in _TIMES.finditer(text) if not _is_behind_number(m)}


def _is_behind_number(m: re.Match[str]) -> bool:
    return bool(_before(_NUMBER, m) and not _before(_FLOW, m))


def _before(pattern: re.Pattern[str], m: re.Match[str]) -> re.Match[str] | None:
    """Search the end of the text before a unit."""
    return pattern.search(m.string, max(0, m.start() - 40), m.start())


def _scale(m: re.Match[str]) -> float:
    """Return the factor at a unit; 0 if the number before it is not a factor but an amount."""
    factor = _before(_FACTOR, m)
    # '(1000 Mbit/s)' is a link's
    if factor and not (factor["number"] and m["prefix"]):
        return _factor(factor)
    if _is_behind_number(m):
        return 0.0
    factor = _FACTOR_BEHIND.match(m.string, m.end())
    return _factor(factor) if factor else 1.0


def _factor(m: re.Match[str]) -> float:
    groups = m.groupdict()
    if groups["exponent"]:
        return 10.0 ** min(int(groups["exponent"]), 12)
    if groups["raised"]:
        return _RAISED[groups["raised"]]
    word = groups["word"] or groups.get("words")
    return _WORDS[word.lower()] if word else float(groups["number"])
