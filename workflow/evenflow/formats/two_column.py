"""Files of two columns, time and a value, that dataset.yml declares.

    files:
      - {path: "run{repeat}/cwnd_{flow}.txt", format: two-column, value: cwnd_packets}

Time is seconds on the run's clock; `value` (VALUES) says what the second column is, and its unit.
Columns are parted by blanks, a tab, a comma or a semicolon; lines before the first numbers and
those that begin with '#', '%' or '"' are headers. If a header contradicts `value`, it is rejected,
and so are the numbers below it (`column_headers`). Of a file without two numbers on any line, lines
that may have been meant are rejected. A last line without a line end is skipped if its
value may be cut. A file is a stream.

Throughput and `bytes` are of the interval that ends at the time; where the first time is 0 and its
value is not, they are of the interval that begins there, as nothing arrives before 0. Then they are
in the other files that one script wrote, too (`Log.begins`): a flow that starts later has no 0.
`received_bytes` are all bytes so far, one line an interval. `packet_bytes` (a packet a line) are
added up by the second, from the first one to the last packet's.
"""

from __future__ import annotations

import re

import polars as pl

from .column_headers import SO_FAR, contradiction
from .shapes import tally
from .texts import give, text_lines, without_fate

NAME = "two-column"
TOOL = None  # whatever wrote it
PLATFORM = None
CLOCK = "run"
MAY_BE_EMPTY = True
SIGNATURE = None  # numbers do not say what they are
STATES = {  # value: our variable, and the factor to its unit
    **{name: (name, 1.0) for name in ("cwnd_packets", "cwnd_bytes", "ssthresh_packets")},
    **{name: (name, 1.0) for name in ("ssthresh_bytes", "inflight_bytes", "rtt_s", "srtt_s")},
    "rtt_ms": ("rtt_s", 1e-3),
    "srtt_ms": ("srtt_s", 1e-3),
}
RATES = {"throughput_bps": 1.0, "throughput_kbps": 1e3, "throughput_mbps": 1e6}
BYTES, TOTAL, PACKETS = "bytes", "received_bytes", "packet_bytes"
OF_INTERVALS = (*RATES, BYTES)  # of those that end, or begin, at the time
QUEUES = ("queue_packets", "queue_bytes")
VALUES = (*STATES, *RATES, BYTES, TOTAL, PACKETS, *QUEUES)
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
ROW = rf'^\s*"?({NUMBER})"?(?:\s*[,;]\s*|\s+)"?({NUMBER})"?\s*[,;]?\s*$'
NO_VALUE = rf"(?i)^\s*{NUMBER}(?:\s*[,;]\s*|\s+)[-+]?(?:nan|na|null|inf|-)?\s*$"
ANY, COMMA = r"\d+(?:[.,]\d+)?", r"\d+,\d+"  # of them at least one with a comma, between others
COMMAS = rf"^\s*(?:{COMMA}(?:\s*;\s*|\s+){ANY}|{ANY}(?:\s*;\s*|\s+){COMMA})\s*$"
HEADER = r'^\s*([#%"].*)?$'
BEGINS = rf'^\s*"?{NUMBER}'  # as a row does
TWO = r"\d\D+\d"
MORE = rf'^\s*"?{NUMBER}"?(?:(?:\s*[,;]\s*|\s+)"?{NUMBER}"?){{2,}}\s*[,;]?\s*$'
UNKNOWN_LINE = "not two numbers, a time and a value"
MORE_COLUMNS = f"{UNKNOWN_LINE}, but more: keep the columns of the time and of one value"
WITH_TEXT = f"{UNKNOWN_LINE}, alone: take units and other words away"
DECIMAL_COMMAS = "decimal commas: replace them by points"
BACKWARDS = "time goes backwards"
NEGATIVE = "a time or a value below zero, or one that no count can be"
FEWER = "all bytes so far are fewer than before"
EMPTY = "there is no value at this time"
FIRST = "the first value: nothing says when its interval began"
CUT = "the last line has no line end, and its value fewer digits than others: it may be cut"
UNDECLARED = "nothing says what the values are: add 'value:' next to the format in dataset.yml"
LARGEST = 2.0**53
HEADER_LINES = 100  # at the begin of a file that are searched for units
HEAD_BYTES = 65536  # in which these are
MAX_S = 1e6  # a later time is a damaged line, or no second: 11 days
LATE = "a time after 1,000,000 s: seconds since 1970, or no seconds? Subtract the run's start"


def parse(logs):
    """Read the tables `stream`, `interval`, `state`, `queue`, `fate` and `rejected`."""
    lines = _rows(logs)
    rows = lines.filter(pl.col("fate") == "sample").select(
        *("file_id", "line", "value", "t_s", "n", "said")
    )
    interval, first = _intervals(rows)
    lines = lines.join(
        first.select("file_id", "line", first=pl.lit(True)),
        on=["file_id", "line"],
        how="left",
        maintain_order="left",
    )
    is_first = pl.col("first").fill_null(False)
    lines = lines.with_columns(
        fate=pl.when(is_first).then(pl.lit("skipped")).otherwise("fate"),
        reason=pl.when(is_first).then(pl.lit(FIRST)).otherwise("reason"),
    )
    state = _states(rows)
    measured = pl.concat([interval.select("file_id", "line"), state.select("file_id", "line")])
    stream = (
        measured.group_by("file_id", maintain_order=True)
        .agg(pl.min("line"))
        .join(rows.select("file_id", "value").unique(), on="file_id")
        .with_columns(
            stream=pl.lit(1),
            label="value",
            episode=pl.lit(1),
            side=pl.when(pl.col("value").is_in(list(STATES))).then(pl.lit("sender")),
        )
    )
    tables = {"stream": stream, "interval": interval, "state": state, "queue": _queues(rows)}
    return {**tables, **tally(lines, logs)}


def begins_intervals(content: bytes) -> bool:
    """Return whether a file's first time is 0 and its value is not: its intervals begin there."""
    lines = content[:HEAD_BYTES].split(b"\n", HEADER_LINES + 1)[: HEADER_LINES + 1]
    rows = (re.match(ROW, line.decode("utf-8", "replace")) for line in lines)
    first = next((row for row in rows if row), None)
    return first is not None and float(first[1]) == 0 and float(first[2]) > 0


def _rows(logs) -> pl.DataFrame:
    """Return a row a line with its fate, its time (t_s) and number (n), and the file's value."""
    values = pl.DataFrame(
        [(log.file_id, log.value, log.begins) for log in logs],
        schema={"file_id": pl.UInt32, "value": pl.String, "said": pl.Boolean},
        orient="row",
    )
    text = pl.col("text")
    numbers = text.str.extract_groups(ROW).struct.rename_fields(["t_s", "n"])
    lines = text_lines(logs).with_columns(numbers.alias("numbers")).unnest("numbers")
    lines = lines.with_columns(pl.col("t_s", "n").cast(pl.Float64, strict=False))
    lines = lines.join(values, on="file_id", how="left", maintain_order="left")
    is_row = pl.col("n").is_not_null() & pl.col("t_s").is_not_null()
    good = is_row & pl.col("t_s").is_between(0, MAX_S) & pl.col("n").is_between(0, LARGEST)
    late = is_row & (pl.col("t_s") > MAX_S)
    before = is_row.cum_sum().over("file_id") == 0
    lines = without_fate(lines)
    is_head = before & (pl.col("line") <= HEADER_LINES)
    against = _contradictions(lines.filter(is_head), lines.filter(is_row))
    lines = lines.join(against, on=["file_id", "line"], how="left", maintain_order="left")
    of_file = pl.when(is_row).then(pl.col("problem").forward_fill().over("file_id"))
    of_line = pl.coalesce("problem", of_file)
    lines = give(lines, of_line.is_not_null(), "rejected", of_line)
    lines = give(lines, text.str.contains(HEADER), "header")
    lines = give(lines, is_row & pl.col("value").is_null(), "rejected", UNDECLARED)
    lines = give(lines, text.str.contains(COMMAS), "rejected", DECIMAL_COMMAS)
    lines = give(lines, late, "rejected", LATE)
    lines = give(lines, is_row & ~good, "rejected", NEGATIVE)
    lines = give(
        lines, good & _falls("t_s", pl.col("fate").is_null() & good), "rejected", BACKWARDS
    )
    cut = _cut(lines.filter(good), logs)
    lines = lines.join(cut, on=["file_id", "line"], how="left", maintain_order="left")
    is_last = pl.col("line") == pl.col("line").max().over("file_id")
    lines = give(lines, pl.col("is_cut") & is_last, "skipped", CUT)
    total = pl.col("fate").is_null() & good & (pl.col("value") == TOTAL)
    lines = give(lines, total & _falls("n", total), "rejected", FEWER)
    lines = give(lines, good, "sample")
    lines = give(lines, text.str.contains(NO_VALUE), "skipped", EMPTY)
    # of a file without a row, what may have been meant as one: not names ('time;cwnd 1 2')
    is_text = pl.col("fate").is_null()
    is_first = is_text & (is_text.cum_sum().over("file_id") == 1)
    may_be_row = text.str.contains(BEGINS) | (text.str.contains(TWO) & ~is_first)
    lines = give(lines, before & ~(may_be_row & ~is_row.any().over("file_id")), "header")
    lines = give(lines, text.str.contains(MORE), "rejected", MORE_COLUMNS)
    lines = give(lines, text.str.contains(r"\d.*[A-Za-z]"), "rejected", WITH_TEXT)
    return give(lines, pl.lit(True), "rejected", UNKNOWN_LINE)


def _cut(rows: pl.DataFrame, logs) -> pl.DataFrame:
    """Return the last lines of files that end in a number which may go on.

    It may, unless it has as many digits behind the point as any other value; of values without a
    point, as many digits. A file whose line end alone is missing is often that of an editor.
    """
    open_ended = [log.file_id for log in logs if log.whole[-1:].isdigit() or log.whole[-1:] == b"."]
    value = pl.col("text").str.extract(ROW, 2)
    behind = value.str.len_chars() - value.str.find(".", literal=True).cast(pl.Int64)
    digits = (
        pl.when(behind.max().is_not_null())
        .then(behind.fill_null(0))
        .otherwise(value.str.len_chars())
    )
    return (
        rows.filter(pl.col("file_id").is_in(open_ended))
        .group_by("file_id", maintain_order=True)
        .agg(pl.last("line"), is_cut=(digits.last() < digits.max()) | (pl.len() == 1))
        .filter("is_cut")
    )


def _contradictions(headers: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the lines of headers that contradict what is declared, and the problem."""
    columns = headers.select("file_id", "line", "text", "value").rows()
    found = [(i, line, contradiction(text, value)) for i, line, text, value in columns]
    schema = {"file_id": pl.UInt32, "line": pl.UInt32, "problem": pl.String}
    against = pl.DataFrame([row for row in found if row[2]], schema=schema, orient="row")
    so_far = against.filter(pl.col("problem").is_in(list(SO_FAR.values())))
    if so_far.is_empty():
        return against
    # numbers that fall, or are all the same, are not sums so far
    n = pl.col("n")
    grows = (n.diff().drop_nulls() >= 0).all() & (n.max() > n.min())
    growing = rows.group_by("file_id", maintain_order=True).agg(grows=grows).filter("grows")
    wrong = so_far.join(growing, on="file_id", how="anti").select("file_id", "line")
    return against.join(wrong, on=["file_id", "line"], how="anti", maintain_order="left")


def _falls(column: str, where: pl.Expr) -> pl.Expr:
    """Return whether a line's number is less than one before it in its file."""
    kept = pl.when(where).then(pl.col(column))
    return (kept < kept.cum_max().forward_fill().shift(1).over("file_id")).fill_null(False)


def _states(rows: pl.DataFrame) -> pl.DataFrame:
    state = rows.filter(pl.col("value").is_in(list(STATES)))
    names = {value: name for value, (name, _) in STATES.items()}
    factors = {value: factor for value, (_, factor) in STATES.items()}
    return state.select(
        "file_id",
        "line",
        pl.lit(1).alias("stream"),
        "t_s",
        variable=pl.col("value").replace(names),
        value=pl.col("n") * pl.col("value").replace_strict(factors, default=1.0),
    )


def _queues(rows: pl.DataFrame) -> pl.DataFrame:
    queue = rows.filter(pl.col("value").is_in(QUEUES))
    of = {name: pl.when(pl.col("value") == name).then("n") for name in QUEUES}
    return queue.select("file_id", "line", "t_s", **of)


def _intervals(rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the intervals, and the rows that tell only where the first of them begins."""
    spans = rows.filter(pl.col("value").is_in([*RATES, BYTES, TOTAL]))
    first_t, first_n = (pl.first(name).over("file_id") for name in ("t_s", "n"))
    begins = ((first_t == 0) & (first_n > 0) | pl.col("said")) & (pl.col("value") != TOTAL)
    before, after = (pl.col("t_s").shift(by).over("file_id") for by in (1, -1))
    is_total = pl.col("value") == TOTAL
    lead = pl.when(~is_total & (pl.col("t_s") > 0)).then(
        pl.max_horizontal(pl.lit(0.0), 2 * pl.col("t_s") - after)
    )
    last = 2 * pl.col("t_s") - before
    spans = spans.with_columns(
        t_start_s=pl.when(begins).then("t_s").otherwise(pl.coalesce(before, lead)),
        t_end_s=pl.when(begins).then(pl.coalesce(after, last)).otherwise("t_s"),
    )
    length = pl.col("t_end_s") - pl.col("t_start_s")
    amount = pl.when(is_total).then(pl.col("n").diff().over("file_id")).otherwise("n")
    rate = pl.col("n") * pl.col("value").replace_strict(RATES, default=None)
    spans = spans.with_columns(
        bytes=pl.when(rate.is_null()).then(amount).otherwise(rate * length / 8)
    ).with_columns(throughput_bps=pl.coalesce(rate, pl.col("bytes") * 8 / length))
    good = (length > 0).fill_null(False)
    columns = ["file_id", "line", "t_start_s", "t_end_s", "bytes", "throughput_bps"]
    found = pl.concat([spans.filter(good).select(columns), _seconds(rows).select(columns)])
    found = found.with_columns(pl.col("bytes").round().cast(pl.Int64), stream=pl.lit(1))
    return found.sort("file_id", "t_start_s"), spans.filter(~good).select("file_id", "line")


def _seconds(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the bytes of packets by the second."""
    packets = rows.filter(pl.col("value") == PACKETS).with_columns(
        second=pl.col("t_s").floor().cast(pl.Int64)
    )
    known = packets.group_by("file_id", "second", maintain_order=True).agg(
        bytes=pl.sum("n"), line=pl.first("line")
    )
    extent = packets.group_by("file_id", maintain_order=True).agg(
        first=pl.min("second"), last=pl.max("second"), last_s=pl.max("t_s")
    )
    seconds = extent.with_columns(second=pl.int_ranges("first", pl.col("last") + 1)).explode(
        "second"
    )
    end = pl.when(pl.col("second") < pl.col("last")).then(pl.col("second") + 1.0)
    return (
        seconds.join(known, on=["file_id", "second"], how="left")
        .with_columns(
            t_start_s=pl.col("second").cast(pl.Float64),
            t_end_s=end.otherwise("last_s"),
            bytes=pl.col("bytes").fill_null(0.0),
        )
        .filter(pl.col("t_end_s") > pl.col("t_start_s"))
        .with_columns(
            throughput_bps=pl.col("bytes") * 8 / (pl.col("t_end_s") - pl.col("t_start_s"))
        )
    )
