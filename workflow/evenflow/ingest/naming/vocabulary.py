"""The words of names that say a setting, a flow or a repeat, and how numbers and dates look."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...congestion_controls import CONTROLS
from ..described.known_settings import NUMBERS

REPETITION = (
    r"run|rep|repeat|repetition|replicate|replica|trial|iter(?:ation)?|round|try|attempt"
    r"|essai|r[eé]p[eé]tition|(?:durch)?lauf|durchgang|versuch|wiederholung|prueba|ensayo|corrida"
    r"|repetici[oó]n|prova|rodada|ripetizione|прогон|запуск|опыт|测试|实验"
)
FLOW_WORDS = r"flow|stream|conn(?:ection)?|flw|flux|fluss|strom|flujo|fluxo|flusso|поток|流"
MS = r"ms|msecs?|milliseconds?"
SECONDS = r"s|secs?|seconds?"
BETWEEN = r"[ _=.#-]?"  # a word and its number
NO_TIME = rf"(?!{BETWEEN}[0-9]+(?:\.[0-9]+)?(?:ms|[uµμ]s|s|%))"
# (setting, words before the number, units after it); of the units one must be there where the
# words are few or missing. What is no key of dataset.yml becomes a factor of that name.
# A unit comes before the lack of one: 'bw2.5Gbps' is not 'bw2' and a rest.
VOCABULARY = (
    # a word with a number and a unit of its own behind it is of that: '20ms_jitter_5ms'
    ("delay_ms", r"", rf"[_-]?ms[ _-]?(?:delay|owd|latency){NO_TIME}"),
    ("jitter_ms", r"", rf"[_-]?ms[ _-]?jitter{NO_TIME}"),
    ("rtt_ms", r"", rf"[_-]?ms[ _-]?(?:rtt|ping){NO_TIME}"),
    ("delay_ms", r"delay|owd|latency", MS),  # of one way, perhaps: no round-trip time
    ("delay", r"delay|owd|latency", r""),
    ("jitter_ms", r"jitter", MS),
    ("jitter", r"jitter", r""),
    ("interval_ms", r"interval|int", r"ms"),
    ("rtt_s", r"rtt|ping", SECONDS),
    ("rtt_us", r"rtt|ping", r"us|µs|μs|usecs?|microseconds?"),
    ("rtt_ms", r"rtt|ping", MS),
    ("rtt_ms", r"rtt|ping", r""),
    ("rtt_ms", r"", r"ms"),
    ("buffer_pct", r"opb|bdp|buf(?:fer)?|queue", r"%|pct|percent"),
    ("buffer_pct", r"opb", r""),
    ("buffer_pct", r"", r"%"),
    ("buffer_bdp", r"(?:buf(?:fer)?|queue|q)?", r"x?[_-]?bdp"),
    # 'bdp100' may be percent
    ("buffer_bdp", r"x?bdp", r"(?<=[0-9][.p][0-9])|(?<=[0-9][.p][0-9][0-9])"),
    ("buffer_packets", r"buf(?:fer)?|queue|qlen|limit|q", r"p|pkts?|packets?"),
    ("buffer_packets", r"", r"pkts?|packets?"),
    ("buffer_kB", r"(?:buf(?:fer)?|queue|qlen|limit|q)?", r"kb|kbytes?"),
    ("buffer_KiB", r"(?:buf(?:fer)?|queue|qlen|limit|q)?", r"kib"),
    ("buffer_MB", r"buf(?:fer)?|queue|qlen|limit", r"mb|mbytes?"),
    ("buffer_MiB", r"buf(?:fer)?|queue|qlen|limit", r"mib"),
    ("buffer_bytes", r"buf(?:fer)?|queue|qlen|limit", r"b|bytes?"),
    # 'B' is a byte, and 'b' a bit; 'MBPS' is as good as 'mbps'
    ("bottleneck_KBps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"(?-i:[kK]B(?:ps|/s))"),
    ("bottleneck_MBps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"(?-i:[mM]B(?:ps|/s))"),
    ("bottleneck_GBps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"(?-i:[gG]B(?:ps|/s))"),
    ("bottleneck_gbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"gbps|gbits?|gb/s"),
    ("bottleneck_gbps", r"bw|bandwidth|bottleneck", r"g|(?-i:[gG]b)"),
    ("bottleneck_gbps", r"link", r"g|(?-i:[gG]b)"),
    ("bottleneck_mbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"mbps|mbits?|mb/s|mbit-s"),
    ("bottleneck_mbps", r"bw|bandwidth|bottleneck", r"m|(?-i:[mM]b)"),
    ("bottleneck_mbps", r"link", r"m|(?-i:[mM]b)"),
    ("bottleneck_kbps", r"(?:bw|rate|bandwidth|link|bottleneck)?", r"kbps|kbits?|kb/s"),
    ("bottleneck_kbps", r"bw|bandwidth|bottleneck", r"k|(?-i:[kK]b)"),
    ("bottleneck_bps", r"bw|rate|bandwidth|link|bottleneck", r"bps|bits?|b/s"),
    ("bottleneck_mbps", r"bw|bandwidth|bottleneck", r""),
    ("duration_s", r"dur(?:ation)?", SECONDS),
    ("duration_min", r"dur(?:ation)?", r"m|mins?|minutes?"),
    ("duration_h", r"dur(?:ation)?", r"h|hrs?|hours?"),
    ("duration_s", r"dur(?:ation)?", r""),
    ("repeat", rf"{REPETITION}|r", r""),
    ("flow", FLOW_WORDS, r""),
    ("short flow", r"f", r""),
    ("seed", r"seed", r""),
)
# units of several letters that may stand apart from their number, of times ('rtt_20_ns') and others
# ('bw_10_MiB'); what has a number of its own behind it begins the next setting ('rtt_20_bdp_2')
TIMES_APART = (
    rf"(?:{MS}|secs?|seconds?|[nuµμ]s(?:ecs?)?|(?:micro|nano)seconds?|mins?(?![ _-]?rto)|minutes?"
    r"|hrs?|hours?)"
)
APART = (
    rf"(?:{TIMES_APART}|%"
    r"|pct|percent|pkts?|packets?|x?bdp|bytes?|[kmgt]i?b(?:ytes?|its?|ps|/s)?|[kmgt]?bits?|bps)"
)
# words before or behind a number that say that it is another one than its unit alone lets think
OTHERS = {
    "buffer_pct": r"loss|plr|drop(?:s|ped|rate)?|load|util(?:i[sz]ation)?|usage|cpu|reorder(?:ing)?"
    r"|dups?|duplicates?|corrupt(?:ion)?|err(?:ors?)?|mark(?:ing)?|duty",
    "rtt_ms": r"(?:min|max|init(?:ial)?)?[ _-]?rto[ _-]?(?:min|max)?|timeout|d?ack|delack|target"
    r"|burst|sampl(?:e[ds]?|ing)|tick|slot|step|warmup|offset|skew|stagger|start|pause|idle|quantum"
    r"|buf(?:fer)?s?|bufferbloat|queues?(?!\.[A-Za-z]+$)|queue?ing|qlen|sojourn|jitter|delay|latency"
    r"|owd|one[ _-]?way|per[ _-]?(?:link|hop)|hop|prop(?:agation)?|interval|period|gap|outage"
    r"|handover|sleep|wait|think|poll(?:ing)?|std(?:dev)?",
    "bottleneck_mbps": r"udp|cbr|cross|background|bg|offered|load|pac(?:ing|ed)|app|video|target"
    r"|traffic|noise",
}
RATES = ("gbps", "kbps", "bps", "KBps", "MBps", "GBps")
OTHERS |= {f"bottleneck_{u}": OTHERS["bottleneck_mbps"] for u in RATES}
# settings in units that dataset.yml does not have: (the key that it has, how many of its unit)
IN_OTHER_UNITS = {
    "rtt_s": ("rtt_ms", 1000),
    "rtt_us": ("rtt_ms", 0.001),
    "duration_min": ("duration_s", 60),
    "duration_h": ("duration_s", 3600),
    "buffer_kB": ("buffer_bytes", 1000),
    "buffer_KiB": ("buffer_bytes", 1024),
    "buffer_MB": ("buffer_bytes", 1000**2),
    "buffer_MiB": ("buffer_bytes", 1024**2),
    "bottleneck_gbps": ("bottleneck_mbps", 1000),
    "bottleneck_kbps": ("bottleneck_mbps", 0.001),
    "bottleneck_bps": ("bottleneck_mbps", 1e-6),
    "bottleneck_KBps": ("bottleneck_mbps", 0.008),
    "bottleneck_MBps": ("bottleneck_mbps", 8),
    "bottleneck_GBps": ("bottleneck_mbps", 8000),
}
SIDES = {
    "sender": r"client|sender|send|snd|src|source",
    "receiver": r"server|receiver|recv|rcv|dst|sink",
}
DATAGRAMS = r"udp|cbr|exp|pareto|poisson|video|audio|rtp"  # what sends without asking
VERSUS = r"[ _.+,&-]*(?:vs?\.?|versus|and|against|x)?[ _.+,&-]*"
STOP = r"(?![A-Za-z0-9])"
WHOLE = r"(?![A-Za-z0-9]|\.[0-9])"
COLON = r"(?::|%3A)"  # as it is, or as names that were made of URLs have it
BETWEEN_TIMES = rf"(?:{COLON}|[-.h_])"
TIME = (
    rf"[0-2][0-9]{BETWEEN_TIMES}?[0-5][0-9](?:(?:{BETWEEN_TIMES}|m)?[0-5][0-9](?:\.[0-9]+)?s?)?"
    r"(?:Z|UTC|GMT|[+-][0-9]{4})?(?![A-Za-z0-9])"
)
CLOCK = (
    rf"[0-2]?[0-9]{COLON}[0-5][0-9](?:{COLON}[0-5][0-9](?:\.[0-9]+)?)?"
    r"|[0-2]?[0-9]h[0-5][0-9](?:m[0-5][0-9]s?)?"
)
YEAR, MONTH, DAY = r"(?:19|20)[0-9]{2}", r"[01][0-9]", r"[0-3]?[0-9]"
MONTHS = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
WEEKDAYS = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}"
GAP = r"(?:[-_ ,.+]|%20)*"
DATE = (
    rf"(?:{YEAR}(?P<d1>[-_./]?){MONTH}(?P=d1)[0-3][0-9]"
    rf"|[0-3][0-9](?P<d2>[-_.]){MONTH}(?P=d2){YEAR}"
    rf"|{DAY}{GAP}{MONTHS}{GAP}{YEAR}|{YEAR}{GAP}{MONTHS}{GAP}{DAY}"
    rf"|(?:{WEEKDAYS}{GAP})?{MONTHS}{GAP}{DAY}{GAP}(?:{TIME}{GAP})?{YEAR}"
    rf"|[0-3][0-9]{MONTH}[0-3][0-9](?=[_-][0-2][0-9][0-5][0-9][0-5][0-9](?![0-9])))"
    rf"(?:(?:[ _T+-]|%20)*{TIME}|/(?=[0-9]{{2}}{BETWEEN_TIMES}|[0-9]{{6}}){TIME})?(?![0-9])"
)
# seconds since 1970 from 2001 to 2033, or their thousandths and so on; not a round rate in bit/s
EPOCH = r"(?!1[0-9]{3}0{6})1[0-9]{9}(?:[0-9]{3}|[0-9]{6}|[0-9]{9})?(?:\.[0-9]{1,9})?"
# digits and letters by turns: '1000000b' is an amount, 'a000001' a number with a letter before it
HASH = (
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?=[a-f]*[0-9]+[a-f]+[0-9]|[0-9]*[a-f]+[0-9]+[a-f])[0-9a-f]{7,64}"
)
# what may come behind a point or a comma that ends a number: 'rtt20.5BDP', but not 'rtt0.1s'
UNITS = r"ms|%|pct|percent|x?bdp|p|pkts?|packets?|k(?:i?b|bytes?)|[mg](?:bps|bits?|b/s)"
INTEGER = r"[0-9]{1,9}"
DECIMAL = (
    rf"[0-9]{{1,9}}(?:\.[0-9]{{1,6}})?(?!\.[0-9]{{1,6}}(?![0-9]|(?:{UNITS})(?![A-Za-z0-9]))"
    rf"|,[0-9]{{1,6}}(?!(?:{UNITS})(?![A-Za-z0-9]))[A-Za-z%])"
)
# numbers that stay text, as no placeholder of a number reads them: decimals with a comma or a 'p',
# or, of a word, with an underscore ('rtt0,5ms', '0p5bdp', 'rtt0_5ms'); with a unit: 'rtt20,1' may
# be the first run. 'bw10_5mbps' is 10.5, but 'rtt10_5s' may be a round-trip time and a duration.
P = r"[0-9]{1,4}(?:p|pt|dot)[0-9]{1,4}"
UNIT_NEXT = r"(?=[ _-]?[A-Za-z%])"
TEXT = rf"(?:0,[0-9]{{1,6}}|[0-9]{{1,9}},[0-9]{{1,6}}{UNIT_NEXT}|{P}{UNIT_NEXT})"
TEXT_OF_WORD = rf"(?:(?:0_[0-9]{{1,3}}|[0-9]_[0-9]){UNIT_NEXT}|{P})"
TEXT_OF_RATE = rf"(?:{TEXT_OF_WORD}|[0-9]{{2,4}}_[0-9]{UNIT_NEXT})"
AS_TEXT = "_label"  # behind the name of a setting whose number stays text
COUNTING = ("repeat", "flow", "short flow", "seed")
WITHOUT_UNIT = {words for name, words, unit in VOCABULARY if name not in COUNTING and not unit}
SETTINGS = {
    f"{name}{end}" for name, *_ in VOCABULARY if name not in COUNTING for end in ("", AS_TEXT)
}
LABELS = ("date", "clock", "epoch", "hash", "letter", "capital")  # of a repetition
# settings that a name may give without saying so, and how it looks where it does say so: a time or
# a rate alone may be that of anything (in the words of `tc` '100mbit' is the size of a buffer, too)
_OF_LINK = (
    r"(?:bw|rate|bandwidth|link|bottleneck)[ _=.#-]?\{bottleneck_mbps\}[ _-]?m(?!(?-i:BPS))"
    r"(?:b(?:its?|ps|/s)?)?(?![A-Za-z]|(?<=[_-]m)[ _=.#-]?[0-9{])"
)
_PART = r"(?<![A-Za-z0-9])(?:[0-9]|\{(?:number|run|repeat)[0-9]*\})_\{buffer_bdp\}"
SAID = {
    "rtt_ms": r"(?:rtt|ping)[ _=.#-]?\{rtt_ms\}|\{rtt_ms\}[ _-]?ms[ _-]?(?:rtt|ping)",
    "bottleneck_mbps": _OF_LINK,
    "buffer_bdp": rf"^(?!.*{_PART})",
    "start_s": r"start(?:s|ed)?(?:[ _-]?at)?[ _=.#-]?\{start_s\} ?s",
}


def guessed_settings(template: str, values: Mapping[str, str]) -> set[str]:
    """Return the settings that an inferred template has from numbers whose word or unit is missing.

    '40ms' may be a delay of one way, '100mbit' a size or the rate of a source, 'bw10' in Gb/s,
    'bw10MBPS' in bytes, '0_5bdp' half of the bandwidth-delay product, and 'rtt0.02' in s.

    Args:
        template: of a path.
        values: what its placeholders stand for.
    """
    found = {
        key
        for key, said in SAID.items()
        if f"{{{key}}}" in template and not re.search(said, template, re.IGNORECASE)
    }
    return found | {"rtt_ms"} if unit_of_rtt(template, values) else found


_RTT_WITHOUT_UNIT = re.compile(
    rf"(?:rtt|ping){BETWEEN}\{{rtt_ms\}}(?![ _-]?(?:ms|milli))", re.IGNORECASE
)


def has_rtt_without_unit(template: str) -> bool:
    """Return whether a template has a round-trip time with its word and no unit: 'rtt{rtt_ms}'."""
    return bool(_RTT_WITHOUT_UNIT.search(template))


def unit_of_rtt(template: str, values: Mapping[str, str]) -> str | None:
    """Return the unit that a round-trip time without one is likelier in than in ms: s or us.

    Of less than 1 it is likelier in s, and of 10 s and more in us.
    """
    if "rtt_ms" not in values or not has_rtt_without_unit(template):
        return None
    number = float(values["rtt_ms"])
    return "s" if 0 < number < 1 else "us" if number >= 10_000 else None


def restated(name: str, text: str) -> tuple[str, float] | None:
    """Return the key of dataset.yml and the value that a setting of a name stands for.

    Args:
        name: of a placeholder; of `IN_OTHER_UNITS`, or with AS_TEXT behind it.
        text: its value.

    Returns:
        None where dataset.yml has no such key, or has the placeholder itself.
    """
    key, times = key_of(name)
    if name not in SETTINGS or key == name or key not in NUMBERS:
        return None
    return key, number_of(text) * times


def key_of(name: str) -> tuple[str, float]:
    """Return the key of dataset.yml that one of SETTINGS stands for, and how many of its unit."""
    base = name.removesuffix(AS_TEXT)
    return IN_OTHER_UNITS.get(base, (base, 1))


def number_of(text: str) -> float:
    if re.fullmatch("[1-9][0-9]{0,2},[0-9]{3}", text):
        text = text.replace(",", "")  # 1,000
    return float(re.sub("[,_]|pt?|dot", ".", text, flags=re.IGNORECASE))


def spelt(cca: str) -> str:
    """Return a regular expression of the ways to write a congestion control.

    Its aliases are among them, except for those that end in a digit: in names of files that may be
    the number of a flow.
    """
    ways = [CONTROLS[cca].spelt or re.sub(r"([0-9])$", r"[_-]?v?\1", cca)]
    ways += [re.escape(alias) for alias in CONTROLS[cca].aliases if not alias[-1].isdigit()]
    return rf"(?:(?:ns3::)?tcp)?(?:{'|'.join(ways)})"


UNNUMBERED = "|".join(
    spelt(cca) for cca in sorted(CONTROLS, key=len, reverse=True) if not cca[-1].isdigit()
)
NUMBERED = re.compile(
    rf"(?<![A-Za-z0-9])(?P<cca>{UNNUMBERED})(?P<gap>[ _-]?)(?P<nth>[0-9]{{1,3}})"
    r"(?![A-Za-z0-9%]|\.[0-9])",
    re.IGNORECASE,
)
ALONE = re.compile(rf"(?<![A-Za-z0-9])(?:{UNNUMBERED})(?![A-Za-z0-9]|[ _-]?[0-9])", re.IGNORECASE)
WITH_NUMBER = {"bbr1", "bbr2", "bbr3", "sack1"}
