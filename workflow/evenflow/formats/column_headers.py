"""What the header of a file of two columns says, against what is declared.

A header contradicts what is declared

- if it names units of the second column (`column_units`) and the declared one is not among them;
- if it says that times are not in seconds;
- if it says that bytes are all so far where those of an interval or packet are declared, or the
  other way round;
- if it says that throughputs are means since the start.

Bits without 'per second' are a rate where one is declared ('throughput (Mbit)', 'Mbit'), unless
the header says that they are an amount ('transfer (Mbit)').
"""

from __future__ import annotations

import re

from .column_units import BITS, PACKETS, RATE, SIZE, TIME, Unit, seconds, units

DECLARED = {  # value: its unit, and how that is written
    "throughput_bps": ((RATE, 1.0), "bit/s"),
    "throughput_kbps": ((RATE, 1e3), "kbit/s"),
    "throughput_mbps": ((RATE, 1e6), "Mbit/s"),
    **dict.fromkeys(("rtt_s", "srtt_s"), ((TIME, 1.0), "seconds")),
    **dict.fromkeys(("rtt_ms", "srtt_ms"), ((TIME, 1e-3), "milliseconds")),
}
_BY_END = {"_bytes": ((SIZE, 1.0), "bytes"), "_packets": ((PACKETS, 1.0), "packets")}
_RATES = ("throughput_bps", "throughput_kbps", "throughput_mbps")
_AMOUNTS = ("bytes", "received_bytes", "packet_bytes")
_OTHERS = (  # which values are one quantity in several units
    *((f"{name}_packets", f"{name}_bytes") for name in ("cwnd", "ssthresh", "queue")),
    *((f"{name}_s", f"{name}_ms") for name in ("rtt", "srtt")),
)
_TOTAL = "'value: received_bytes' would be right, or correct the header"
SO_FAR = {  # of a value that is not: what is wrong if the numbers are all bytes so far
    value: f"the header says that these are all bytes so far, and 'value: {value}' in dataset.yml "
    f"that they are those of {what}: {_TOTAL}"
    for value, what in (("bytes", "an interval"), ("packet_bytes", "a packet"))
}
OF_INTERVAL = (
    "the header says that these are the bytes of an interval, and 'value: received_bytes' in "
    "dataset.yml that they are all so far: 'value: bytes' would be right, or correct the header"
)
RUNNING_MEAN = (
    "the header says that these are means since the start: write the throughput of each interval "
    "instead, or correct the header"
)
LONGEST = 1000  # characters of a line that are searched
_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")
_CLOCK = re.compile(
    r"(?<![A-Za-z])(?:t|ts|now|x|units?)(?![A-Za-z])|time|elapsed|clock|since|start|begin|epoch"
    r"|interval",
    re.IGNORECASE,
)
_DELAY = re.compile(r"rtt|round|trip|delay|latency|response", re.IGNORECASE)
_XGRAPH = re.compile(r"XUnitText", re.IGNORECASE)
_IN = re.compile(r"(?:t|times?|timestamps?)(?: is| are)? in (?P<unit>\S+?)(?:[,;.]|\s|$)", re.I)
# with a blank behind them these may be other words: 'min rtt', 'ns simulation'
_DOUBTFUL = re.compile(r"min|us|ns", re.IGNORECASE)
_QUANTITY = re.compile(r"cwnd|ssthresh|window|through|thr?put|goodput|rate|queue|data", re.I)
_IS_RATE = re.compile(
    r"through|tput|thr(?![a-z])|goodput|rate|bandwidth|(?<![a-z])bw(?![a-z])|speed", re.IGNORECASE
)
_IS_AMOUNT = re.compile(
    r"data(?!rate| rate|_rate)|transfer|received|volume|amount|size|total|cumul", re.IGNORECASE
)
_CUMULATIVE = re.compile(
    r"(?<![A-Za-z])(?:cum(?:bytes|sum)?|cumul|cumulative(?:ly)?|cumulated|accum|accumulated"
    r"|running (?:sum|total)|so far|since (?:the )?start)(?![A-Za-z])",
    re.IGNORECASE,
)
_TOTALS = re.compile(r"(?<![A-Za-z])totals?(?![A-Za-z])|totalbytes", re.IGNORECASE)
_OF_BYTES = re.compile(
    r"^\W*totals?\W*$|byte|octet|data|traffic|receive|rx|tx|sent|transfer|\(B\)", re.IGNORECASE
)
_MEAN_SO_FAR = re.compile(
    r"(?<![A-Za-z])(?:cum|cumul|cumulative(?:ly)?|cumulated|accumulated)"
    r"(?:$|[ _-]*(?:[(\[]|mean|average|avg|through|tput|thr(?![a-z])|goodput|rate|bandwidth|bw"
    r"|[kMG]?bit))"
    r"|(?:mean|average|avg)[ _]so[ _]far(?![A-Za-z])",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"total[ _]?(?:len|size)", re.IGNORECASE)
_INTERVAL = re.compile(
    r"(?:per|/|in|of|each)[ _]?(?:the |an? |each |last )?(?:interval|bin|slot|period|step)"
    r"|interval[ _]bytes|delta|(?<![A-Za-z])diff",
    re.IGNORECASE,
)


def contradiction(header: str, value: str | None) -> str | None:
    """Return why a line of a header contradicts what is declared of the second column, or None.

    Args:
        header: a line before the first numbers.
        value: as dataset.yml has it.
    """
    text = header[:LONGEST].lstrip(' \t#%"\ufeff').replace('"', "").rstrip()
    columns, by_blanks = _columns(text)
    if value is None or len(columns) < 2:
        return None
    times, second = _first(text, columns, by_blanks)
    if times and 1.0 not in times:
        return f"the header says that the times are not in seconds: convert them{_times(times)}"
    found = units(second)
    if len(columns[0].split()) > 1 and not by_blanks:
        found |= {unit for unit in units(f"- {columns[0]}") if unit[0] != TIME}
    declared, _ = _declared(value)
    found = _readings(found, second, value)
    if found and declared not in found:
        return _other_unit(found, value)
    return _of_whole(second, value)


def _columns(text: str) -> tuple[list[str], bool]:
    """Return the names of columns with their brackets, and whether blanks part them."""
    masked = _BRACKETS.sub(lambda m: "_" * len(m[0]), text)
    part = next((sign for sign in ";\t," if sign in masked), None)
    names = rf"[^{part}]+" if part else r"\S+"
    found = [text[m.start() : m.end()].strip() for m in re.finditer(names, masked)]
    return [name for name in found if name], part is None


def _first(text: str, columns: list[str], by_blanks: bool) -> tuple[set[float], str]:
    """Return the units of time of the first column, in seconds, and the text of the others."""
    first, *others = columns
    if _XGRAPH.match(first):
        return seconds(" ".join(others)), ""
    if said := _IN.match(text):
        return seconds(f"({said['unit']})"), f"{text[said.end() :]} {' '.join(others)}"
    is_clock = bool(_CLOCK.search(first)) and not _DELAY.search(first)
    is_one = len(_BRACKETS.sub("", first).split()) == 1
    second = (" " if by_blanks else " , ").join(others)
    if is_one and not is_clock and not _DELAY.search(first):
        is_clock = len(columns) == 2 or not by_blanks
        if by_blanks and _DOUBTFUL.fullmatch(first):
            is_minimum = first.lower() == "min"
            is_clock &= bool(units(second) or (not is_minimum and _QUANTITY.search(second)))
    if is_clock:
        return seconds(first), second
    # a sentence: its first word is no unit, but may be a number before one
    return set(), f"- {text}" if text[0].isdigit() else re.split(r"[\s,;]+", text, maxsplit=1)[-1]


def _readings(found: set[Unit], text: str, value: str) -> set[Unit]:
    """Return the units that a text names, and what they may mean where a rate is declared."""
    is_amount = _IS_AMOUNT.search(text) and not _IS_RATE.search(text)
    if value not in _RATES or is_amount:
        return found
    return found | {(RATE, factor) for dimension, factor in found if dimension == BITS}


def _declared(value: str) -> tuple[Unit, str]:
    of_end = (unit for end, unit in _BY_END.items() if f"_{value}".endswith(end))
    return DECLARED.get(value) or next(of_end)


def _other_unit(found: set[Unit], value: str) -> str:
    (dimension, declared), name = _declared(value)
    others: tuple[str, ...] = next((group for group in _OTHERS if value in group), ())
    if value in (*_RATES, *_AMOUNTS):
        others = (*_RATES, *_AMOUNTS[:2])
    right = [f"'value: {other}'" for other in others if _declared(other)[0] in found]
    which = f" ({' or '.join(right)} would be right for the header)" if right else ""
    bits = {(SIZE, factor / 8) for kind, factor in found if kind == BITS}
    factors = {factor / declared for kind, factor in found | bits if kind == dimension}
    # a KB may have 1000 or 1024 bytes
    is_exact = len(factors) == 1 and (dimension != SIZE or bits)
    how = _times(factors) if is_exact else ""
    return (
        f"the header names another unit than 'value: {value}' in dataset.yml: correct the wrong "
        f"one of them{which}, or convert the numbers to {name}{how}"
    )


def _times(factors: set[float]) -> str:
    """Return how to convert numbers by one of some factors, if there is one alone."""
    if len(factors) != 1:
        return ""
    factor = next(iter(factors))
    how = f"multiply them by {factor:.12g}" if factor >= 1 else f"divide them by {1 / factor:.12g}"
    return f" ({how})"


def _of_whole(text: str, value: str) -> str | None:
    """Return why numbers so far are not those of an interval, or the other way round, or None."""
    if value in _RATES:
        return RUNNING_MEAN if _MEAN_SO_FAR.search(text) and not _INTERVAL.search(text) else None
    if value == "received_bytes":
        return OF_INTERVAL if _INTERVAL.search(text) and not _CUMULATIVE.search(text) else None
    if value not in SO_FAR or _INTERVAL.search(text) or _LENGTH.search(text):
        return None
    is_total = _TOTALS.search(text) and _OF_BYTES.search(text)
    return SO_FAR[value] if is_total or _CUMULATIVE.search(text) else None
