"""ns-2's traces of a TCP agent's variables: a line whenever one changes.

Three shapes (ns manual, 'Trace and monitoring support' and 'TCP agents'; ns-2 2.35):

    0.15160  0  0  2  0  cwnd_ 2.000          $tcp attach $file; $tcp tracevar cwnd_
    time: 0.15160  saddr: 0  sport: 0  daddr: 2  dport: 0  maxseq: 0 ... bkoff: 1
                                              the same with trace_all_oneline_ true
    f t0.1516 a_o43 ncwnd_ v2                 a Trace/Var object
    f -t 0.1516 -s 0 -d 2 -n cwnd_ -a tcp -v 2 -o 1 -T v      for nam, among nam's other lines

The first two name both ends (node, port; node, port) and print round-trip times in seconds; the
others name an object or what nam calls the agent, and print the raw variables: ticks of tcpTick_
(srtt_ times 8, rttvar_ times 4), which a log does not say and which are therefore not converted.
Windows are in packets.
"""

from __future__ import annotations

import re

import polars as pl

from .shapes import Shape, read_lines, tally

NAME = "ns2-variable"
TOOL = "ns-2"
PLATFORM = "ns2"
CLOCK = "run"
MAY_BE_EMPTY = True
SIGNATURE = (
    r"^\d+\.\d+ +-?\d+ +\d+ +-?\d+ +\d+ +[A-Za-z]\w*_ +-?\d"
    r"|^time: \d+\.\d+ +saddr: "
    r"|^f t\d\S* a_o\d+ n\w+ v"
    r"|^f -t \S+ -s \d+ -d \d+ -n \w+ -a \S+ -v "
)
IN_LINE = [
    *("maxseq", "hiack", "seqno", "cwnd", "ssthresh"),
    *("dupacks", "rtt", "srtt", "rttvar", "bkoff"),
]
SIGNED = "(?P<{0}>-?)0"
ONE_LINE = "time: 0 saddr: 0 sport: 0 daddr: 0 dport: 0 " + " ".join(
    f"{name}: " + SIGNED.format(name) for name in IN_LINE
)
NAMED = r"(?P<name>[A-Za-z]\w*)"
SHAPES = (
    Shape(
        "sample",
        rf"0 0 0 0 0 {NAMED} (?P<value>-?)0",
        "t_s node port peer_node peer_port value",
        kind="agent",
    ),
    Shape(
        "sample",
        ONE_LINE,
        "t_s node port peer_node peer_port " + " ".join(IN_LINE),
        kind="line",
    ),
    Shape("sample", rf"f t0 a_o0 n{NAMED} v(?P<value>-?)0", "t_s object value", kind="raw"),
    Shape(
        "sample",
        rf"f -t 0 -s 0 -d 0 -n {NAMED} -a (?P<agent>\S+) -v (?P<value>-?)0( -o -?0)? -T v",
        "t_s node peer_node value",
        kind="raw",
    ),
    Shape("skipped", r"[VAnlavhrdDgcPNXEf+-] -[a-zA-Z] .*", reason="for nam: no variable"),
    Shape("header", "(#.*)?"),
)
UNKNOWN_LINE = "not a line of a variable trace: truncated?"
NAMES = {  # ns-2's name, without its last '_': ours
    "cwnd": "cwnd_packets",
    "ssthresh": "ssthresh_packets",
    "rtt": "rtt_s",
    "srtt": "srtt_s",
    "rttvar": "rttvar_s",
    "hiack": "ack",
    "seqno": "t_seqno",
    "bkoff": "backoff",
}
RAW_NAMES = {"rtt": "rtt_ticks", "srtt": "srtt_eighths_of_tick", "rttvar": "rttvar_quarter_ticks"}
ENDS = ["node", "port", "peer_node", "peer_port", "object", "agent"]


def parse(logs):
    """Read the tables `stream`, `state`, `fate` and `rejected`; a stream is an agent."""
    words: list[str] = []
    lines = read_lines(logs, SHAPES, UNKNOWN_LINE, constants=lambda match: _constants(match, words))
    samples = _signed(lines.filter(pl.col("fate") == "sample")).with_columns(
        pl.col("name", "agent").replace_strict(dict(enumerate(words)), default=None).cast(pl.String)
    )
    streams = _streams(samples)
    samples = samples.join(streams, on=["file_id", *ENDS], nulls_equal=True).sort("file_id", "line")
    state = pl.concat([_single(samples), _one_line(samples)]).sort("file_id", "line", "place")
    return {"stream": streams, "state": state, **tally(lines, logs)}


def _constants(match: re.Match, words: list[str]) -> dict[str, float]:
    """Return what a shape says: the number of its words in `words`, and signs by column."""
    numbers = {}
    for name, text in match.groupdict().items():
        if name in ("name", "agent"):
            words += [text] if text not in words else []
            numbers[name] = float(words.index(text))
        elif text:
            numbers[f"sign_{name}"] = -1.0
    return numbers


def _signed(samples: pl.DataFrame) -> pl.DataFrame:
    """Give numbers their signs, and add the columns that no line of these logs has."""
    names = ["t_s", "value", "name", *IN_LINE, *ENDS]
    signs = [f"sign_{name}" for name in ["value", *IN_LINE]]
    empty = [pl.lit(None, pl.Float64).alias(n) for n in [*names, *signs] if n not in samples]
    return samples.with_columns(empty).with_columns(
        pl.col(name) * pl.col(f"sign_{name}").fill_null(1.0) for name in ["value", *IN_LINE]
    )


def _streams(samples: pl.DataFrame) -> pl.DataFrame:
    streams = samples.group_by("file_id", *ENDS, maintain_order=True).agg(
        pl.min("line"), pl.col("kind").cast(pl.String).first()
    )
    whole = [pl.col(name).cast(pl.Int64) for name in ("node", "port", "peer_node", "peer_port")]
    both = pl.col("kind") != "raw"
    local = pl.when(both).then(pl.format("{}.{}", *whole[:2]))
    peer = pl.when(both).then(pl.format("{}.{}", *whole[2:]))
    return streams.sort("file_id", "line").with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id"),
        label=pl.coalesce(
            pl.format("{}>{}", local, peer),
            "agent",
            pl.format("o{}", pl.col("object").cast(pl.Int64)),
        ),
        episode=pl.lit(1),
        side=pl.lit("sender"),
        protocol=pl.lit("tcp"),
        local=local,
        peer=peer,
    )


STATE = ["file_id", "line", "place", "stream", "t_s", "variable", "value"]


def _single(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of lines that hold one variable."""
    name = pl.col("name").str.strip_suffix("_")
    return (
        samples.filter(pl.col("kind").cast(pl.String) != "line")
        .with_columns(
            place=pl.lit(0, pl.Int32),
            variable=pl.when(pl.col("kind").cast(pl.String) == "raw")
            .then(name.replace({**NAMES, **RAW_NAMES}))
            .otherwise(name.replace(NAMES)),
        )
        .select(STATE)
    )


def _one_line(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of lines that hold all variables."""
    place = {name: i for i, name in enumerate(IN_LINE)}
    return (
        samples.filter(pl.col("kind").cast(pl.String) == "line")
        .drop("value")
        .unpivot(IN_LINE, index=["file_id", "line", "stream", "t_s"], variable_name="variable")
        .with_columns(
            place=pl.col("variable").replace_strict(place, return_dtype=pl.Int32),
            variable=pl.col("variable").replace(NAMES),
        )
        .select(STATE)
    )
