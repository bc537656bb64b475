"""iperf 2 text reports, client and server, plain and enhanced (-e), TCP and UDP, 2.0.5 to 2.2.1.

Shape (iperf 2.1.8, `iperf -s -i 1 -e -f b`), times from the start of the flow's own connection:

    [  1] local 10.0.3.1%e0 port 5001 connected with 10.0.1.1 port 40001 (sock=4) (peer 2.1.8)
    [ ID] Interval            Transfer    Bandwidth       Reads=Dist
    [  1] 0.0000-1.0000 sec  11272252 Bytes  90178016 bits/sec  88=2:0:0:0:0:0:0:86
    [  1] 0.0000-3.0064 sec  33947708 Bytes  90335619 bits/sec  261=2:0:0:0:0:0:0:259

**Summaries.** No mark tells them from samples. A report that starts at 0 although the stream has
earlier ones, or is the stream's only one, sums up the whole connection; so does the receiver's
report that a UDP client gets back ('Server Report:'). '[SUM]' and '[FD1]' sum over streams.

**Units** count in 10^3 for bits and in 2^10 for bytes (iperf's stdio.c).

**Precision.** iperf prints three digits, so bytes and rate are each good to 0.5 % (-f b, -f k:
better). A unit chosen with -f that is too large for the flow leaves fewer: '-f g' prints 3.1 MB in
a second as '0.00 GBytes  0.03 Gbits/sec' (2.0.x) or '0.003 GBytes  0.025 Gbits/sec'. Where the
amount is below 1 of its unit and the rate is the larger number, hence the more precise one, the
bytes are computed from the rate, and the other way round for a rate below 1 ('-f G -i 10' prints
'0.02 GBytes  0.00 GBytes/sec'). Otherwise both are what the line says; the two differ by rounding
only. What then is still as coarse as a tenth is marked in the ledger, where most samples of a
stream are so (`coarsely_printed`). Where -f rounds every report of a stream to '0.00 GBytes', and
its summary says that there was data, nothing was measured: such lines are skipped.

**Streams.** Every line that says 'connected' begins a stream, whose number later lines carry.
Numbers are used again (2.0.x). '[ *2]' is the other direction: of a full-duplex connection a stream
of its own, of --reverse (client, 2.1 and later) the only one. **Side:** the end that listens
receives, the end that connects sends; '(reverse)' swaps this, except for the connection that a
server makes itself for -r and -d. With --bounceback the bytes are those of both directions.

**Clock.** Servers up to 2.0.13 count a flow that joins a running one of the same client from the
start of the first: on joining they print the time before at once, as (nearly) empty intervals.
These are skipped, and the stream's times moved to its own start. A stream that no line announces
(`grep sec`) begins when its first report does.

**Congestion control** is known only where iperf names it: of the sender, and not where setting it
failed. **mss_bytes** is TCP_MAXSEG or TCP_INFO's, as printed. **tool_version**: no report says its
own, only its peer's.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from .columns import as_column, as_table
from .factors import FACTOR
from .iperf2_connections import read_connections
from .iperf2_reports import LARGEST_BYTES, LARGEST_RATE, LONGEST, MEASURED, Columns
from .iperf2_scan import MEANING, NUMBERS, Batch, scan_batch
from .iperf2_scan import UNKNOWN_LINE as UNKNOWN_LINE
from .ledger import Ledger, Line
from .line_shape import NUMBER
from .streams import STREAM, assign_streams, begins, find_episodes, is_listed

NAME = "iperf2"
TOOL = "iperf"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"^(Server listening on|Client connecting to) .*\b(?:TCP|UDP) ports? \d+"
    # not two decimals, as iperf3 prints
    r"|^\[ *\*?\d+\] +\d+\.(\d|\d{3,})- *\d+\.(\d|\d{3,}) sec +[\d.]+ [KMGTP]?Bytes"
    r" +[\d.]+ [KMGTP]?(bits|Bytes)/sec"
    r"|^\[ *\*?\d+\] local \S+ port \d+ connected with "
    r"|^(tcp )?connect failed: |^Attempt to set '.*' congestion control failed: "
)

COMPLAINT = rb"((?:tcp )?connect failed: .*)"  # why a test measured nothing
JOINED = "before the connection began: iperf up to 2.0.13 counts from the start of an earlier one"

COARSE = "-f rounded the flow to a digit: use a smaller unit"
TOO_FEW = 10  # steps of the last digit that is printed: rounded by up to a twentieth

KEY = ("row", "file_id", "label")
PLAIN = {
    "file_id": pl.UInt32,
    "line": pl.UInt32,
    **dict.fromkeys(MEASURED, pl.Float64),
    "bytes": pl.Int64,
}
MARKS = {"unit": pl.UInt32, "label": pl.Float64, "n_bytes": pl.UInt32}
CONNECTION = {
    "row": pl.UInt32,
    "file_id": pl.UInt32,
    "line": pl.UInt32,
    "label": pl.Float64,
    "side": pl.String,
    "protocol": pl.String,
    "local": pl.String,
    "peer": pl.String,
    "cca": pl.String,
    "mss_bytes": pl.Int64,
    "start_epoch_s": pl.Float64,
    "zone": pl.String,
    "options": pl.String,
}


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    return tables([scan_batch(logs)]) if logs else {}


def tables(batches: Sequence[Batch]) -> dict[str, pl.DataFrame]:
    """Return the tables of `parse`, of logs that were scanned together or apart."""
    parts = [part for batch in batches for part in batch.parts]
    ledger = Ledger([batch.scan for batch in batches], MEANING)
    reports = ledger.with_rows(
        _joined([part.others for part in parts], PLAIN | MARKS | {"bytes": pl.Float64})
    )
    lines = ledger.lines()
    # columns of no size where no report has it
    absent = [name for name in NUMBERS if name not in reports.columns]
    reports = reports.with_columns(pl.lit(None, pl.Float64).alias(name) for name in absent)
    reports = reports.with_columns(
        from_peer=from_peer(lines, reports), star=_constant(reports, "star")
    )
    reports = refuse_absurd(reports, ledger)
    starred = set(reports.filter(pl.col("star") > 0).select("file_id", "label").rows())
    found, failed = read_connections(lines, starred)
    ledger.mark(pl.Series(failed, dtype=pl.UInt32), "skipped", "iperf could not connect")
    columns = zip(*found, strict=True) if found else [()] * len(CONNECTION)
    connections = pl.DataFrame(dict(zip(CONNECTION, columns, strict=True)), schema=CONNECTION)
    streams, reports = find_streams(reports, connections)
    streams = find_episodes(streams, reports)
    reports = move_to_own_start(streams, reports, ledger)
    streams = before_first_report(streams, reports).with_columns(pl.col("start_s").round(6))
    summary, interval = split_summaries(reports, ledger)
    whole = _joined([part.summary for part in parts], PLAIN | MARKS)
    ledger.move(whole, "summary", None)
    summary = _with_plain(summary, whole)
    interval = _with_plain(interval, _joined([part.interval for part in parts], PLAIN))
    complete = summary.select(*STREAM, complete=True).unique(maintain_order=True)
    streams = streams.join(complete, on=STREAM, how="left")
    summary = summary.join(streams.select(*STREAM, own_side="side"), on=STREAM).with_columns(
        side=pl.when("from_peer").then(pl.lit("receiver")).otherwise("own_side")
    )
    interval = interval.with_columns(
        pl.lit(None, pl.Float64).alias(name)
        for name in ("cwnd_kbytes", "rtt_us")
        if name not in interval.columns
    )
    unknown = (pl.col("cwnd_kbytes") == 0) & (pl.col("rtt_us") == 0)  # no TCP_INFO
    star = pl.when(pl.col("label") % 1 > 0).then(pl.lit("*")).otherwise(pl.lit(""))
    measured: dict[str, dict[str, pl.Expr]] = {
        "cwnd_kbytes": {"cwnd_bytes": pl.when(~unknown).then(pl.col("cwnd_kbytes") * 1024)},
        "cwnd_packets": {"cwnd_packets": pl.when(~unknown).then("cwnd_packets")},
        "rtt_us": {"rtt_s": pl.when(~unknown).then(pl.col("rtt_us") / 1e6)},
        "jitter_ms": {"jitter_s": pl.col("jitter_ms") / 1e3},
    }
    there = [columns for name, columns in measured.items() if name in interval.columns]
    return {
        "stream": streams.with_columns(
            pl.col("complete").fill_null(False),
            label=star + pl.col("label").floor().cast(pl.Int64).cast(pl.String),
        ),
        "interval": interval.with_columns(
            **{name: value for columns in there for name, value in columns.items()}
        ),
        "summary": summary,
        **ledger.tables(),
    }


def _joined(parts: Sequence[Columns], least: dict) -> pl.DataFrame:
    """Return reports as a table, with at least some columns; what one lacks is null."""
    tables = [as_table(part) for part in parts if len(part["line"])]
    table = pl.concat([pl.DataFrame(schema=least), *tables], how="diagonal")
    # what every report has need not be looked through for NaN
    return table.with_columns(
        pl.col(name).fill_nan(None) for name in table.columns if name in NUMBERS
    )


def _with_plain(reports: pl.DataFrame, plain: pl.DataFrame) -> pl.DataFrame:
    """Put the reports of plain logs behind others, whose bytes are whole numbers, too."""
    others = reports.with_columns(pl.col("bytes").cast(pl.Int64))
    marks = {"stream": pl.lit(1, pl.Int32), "from_peer": pl.lit(False)}
    parts = [part for part in (others, plain.with_columns(**marks)) if len(part)]
    return pl.concat(parts or [others], how="diagonal")


def _constant(reports: pl.DataFrame, name: str) -> pl.Series:
    """Return what the shapes of reports say (`iperf2_scan.units`), of each report."""
    return as_column(MEANING.constant(name)).gather(reports["unit"])


def from_peer(lines: Sequence[Line], reports: pl.DataFrame) -> pl.Series | pl.Expr:
    """Say which reports are those that follow 'Server Report:', at most a header between."""
    rows = [
        (line.row, line.file_id, float(label[0]))
        for line in lines
        if line.kind == "server-report" and (label := NUMBER.search(line.text))
    ]
    if not rows:
        return pl.lit(False)
    marks = pl.DataFrame(rows, {name: reports.schema[name] for name in KEY}, orient="row")
    after = marks.join_asof(
        reports.select("row", "file_id", "label", found="row"),
        on="row",
        by=["file_id", "label"],
        strategy="forward",
        check_sortedness=False,
    )
    found = after.filter(pl.col("found") <= pl.col("row") + 2)["found"]
    return is_listed(reports, found)


def refuse_absurd(reports: pl.DataFrame, ledger: Ledger) -> pl.DataFrame:
    """Take away reports whose numbers cannot be: reject the lines, skip a peer's report."""
    if reports.is_empty():
        return reports
    numbers = ("label", *MEASURED)
    wrong = (
        pl.any_horizontal(pl.col(name).is_null() for name in numbers)
        | (pl.col("throughput_bps") > LARGEST_RATE)
        | (pl.col("bytes") >= LARGEST_BYTES)
        | (pl.col("t_end_s") > LONGEST)
        | (pl.col("label") > 1e9)
        | (pl.col("label") % 1 != pl.col("star") / 2)
    )
    backwards = pl.col("t_end_s") < pl.col("t_start_s")
    odd = reports.filter(wrong | backwards)
    if odd.is_empty():
        return reports
    theirs = odd.filter("from_peer")["row"]
    absurd = odd.filter(wrong & ~pl.col("from_peer"))["row"]
    rest = odd.filter(~wrong & ~pl.col("from_peer"))["row"]
    ledger.mark(theirs, "skipped", "a server report with impossible numbers")
    ledger.mark(absurd, "rejected", "no flow has such a rate: a counter of iperf went wrong")
    ledger.mark(rest, "rejected", "the interval ends before it begins")
    return reports.filter(~(wrong | backwards))


def find_streams(
    reports: pl.DataFrame, connections: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give every report its stream; see `streams.assign_streams`.

    Of reports without an announcement before them it may come after the last (2.1.5, where the
    connection was reset), or not at all (option -x C), and then each report from 0 that is followed
    by one from later on begins a stream.
    """
    streams, placed = assign_streams(reports, connections)
    implied = streams.filter(pl.col("local").is_null())
    if implied.is_empty():
        return streams, placed
    key = ["file_id", "label"]
    homeless = placed.join(implied.select(STREAM), on=STREAM, how="semi").sort("row")
    again = (pl.col("t_start_s") == 0) & (pl.col("t_start_s").shift(-1).over(key) > 0)
    starts = homeless.filter(again | (pl.int_range(pl.len()).over(key) == 0))
    settled = placed.join(homeless, on="row", how="anti").select(key).unique(maintain_order=True)
    alone = (
        starts.group_by(key, maintain_order=True)
        .agg(begun=pl.min("row"), n=pl.len())
        .filter(pl.col("n") == 1)
    )
    late = alone.join(settled, on=key, how="anti").join(connections, on=key, how="semi")
    moved = connections.join(late.select(*key, "begun"), on=key, how="left").with_columns(
        row=pl.coalesce("begun", "row")
    )
    unsaid = starts.join(late, on=key, how="anti").select("row", "file_id", "line", "label")
    return assign_streams(reports, pl.concat([moved.drop("begun"), unsaid], how="diagonal"))


def split_summaries(reports: pl.DataFrame, ledger: Ledger) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Tell summaries from samples; return both."""
    if reports.is_empty():
        return reports, reports
    own = reports if not reports["from_peer"].any() else reports.filter(~pl.col("from_peer"))
    extent = _extents(own)
    from_start = own.filter(pl.col("t_start_s") == 0).join(extent, on=STREAM)
    whole = from_start.filter((pl.col("row") > pl.col("first")) | (pl.col("n") == 1))["row"]
    whole = pl.concat([whole, reports.filter("from_peer")["row"]])
    sums_up = is_listed(reports, whole)
    summary, interval = reports.filter(sums_up), reports.filter(~sums_up)
    instants = interval.filter(pl.col("t_end_s") <= pl.col("t_start_s"))["row"]
    zeros = rounded_to_nothing(interval, summary)
    ledger.mark(whole, "summary", None)
    ledger.mark(instants, "rejected", "the interval has zero length")
    ledger.mark(zeros, "skipped", "-f rounded the flow to nothing: use a smaller unit")
    ledger.mark(coarsely_printed(interval), "sample", COARSE)
    others = pl.concat([instants, zeros])
    if len(others):
        interval = interval.filter(~is_listed(interval, others))
    return summary, interval


def _extents(reports: pl.DataFrame) -> pl.DataFrame:
    """Return the first row of each stream, and how many reports it has."""
    begin = begins(reports, STREAM)
    n = begin.shift(-1, fill_value=len(reports)) - begin
    together = reports[begin].select(*STREAM, first="row", n=n)
    if not together.select(STREAM).is_duplicated().any():
        return together
    return reports.group_by(STREAM, maintain_order=True).agg(first=pl.min("row"), n=pl.len())


def before_first_report(streams: pl.DataFrame, reports: pl.DataFrame) -> pl.DataFrame:
    """Move the start of streams that no line announces to before the first report of each.

    Until then it was taken as the announcement (`find_streams`); but it is written at the end of
    the time that it reports. Not of streams that `move_to_own_start` moved.
    """
    first = reports.join(streams.filter(pl.col("start_s") > 0).select("row"), on="row", how="semi")
    if first.is_empty():
        return streams
    lasted = first.select("row", lasted_s="t_end_s")
    start = pl.col("start_s") - pl.col("lasted_s").fill_null(0.0)
    found = streams.join(lasted, on="row", how="left", maintain_order="left")
    return found.with_columns(start.clip(lower_bound=0).alias("start_s")).drop("lasted_s")


def rounded_to_nothing(interval: pl.DataFrame, summary: pl.DataFrame) -> pl.Series:
    """Return the rows of streams that are '0.00 GBytes' throughout, but not in their summary."""
    giga = _constant(interval, "byte_factor") >= FACTOR["G"]
    suspects = (
        interval.filter(giga & (pl.col("bytes") == 0)).select(STREAM).unique(maintain_order=True)
    )
    if suspects.is_empty():
        return interval["row"].clear()
    totals = (
        interval.join(suspects, on=STREAM, how="semi")
        .group_by(STREAM, maintain_order=True)
        .agg(pl.sum("bytes"))
    )
    said = summary.filter(pl.col("bytes") > 0).select(STREAM)
    empty = totals.filter(pl.col("bytes") == 0).join(said, on=STREAM, how="semi")
    return interval.join(empty, on=STREAM, how="semi")["row"]


def coarsely_printed(interval: pl.DataFrame) -> pl.Series:
    """Return the rows of streams of which most samples are printed with a digit or less (-f g)."""
    giga = interval.filter(_constant(interval, "byte_factor") >= FACTOR["G"])
    if giga.is_empty():
        return interval["row"].clear()
    numbers = (("bytes", "byte_factor"), ("throughput_bps", "bit_factor"))
    amount, rate = (giga[name] / _constant(giga, factor) for name, factor in numbers)
    printed = giga.select(*STREAM, "row", finer=pl.max_horizontal(amount, rate))
    # versions from 2.1 on print a third digit after the point below 1
    two_digits = ((pl.col("finer") * 100).round(6) % 1 == 0).all().over(STREAM)
    coarse = pl.col("finer") < TOO_FEW * pl.when(two_digits).then(0.01).otherwise(0.001)
    carried = pl.col("finer") > 0
    most = (coarse & carried).sum().over(STREAM) > carried.sum().over(STREAM) / 2
    return printed.filter(most)["row"]


def move_to_own_start(streams: pl.DataFrame, reports: pl.DataFrame, ledger: Ledger) -> pl.DataFrame:
    """Move the times of streams that count from the start of an earlier one, see Clock above.

    Such a stream prints, before any other stream reports again, all the time that went by before it
    began. (One that counts from its own start prints its first interval after the others have
    reported at least once. A single such interval can be chance in newer versions, whose times have
    more digits, and is the first that there is of a stream that no line announces.)
    """
    late = streams.filter(pl.col("start_s") > 0)
    if late.is_empty():
        return reports
    around = reports.join(late.select("file_id").unique(), on="file_id", how="semi").sort("row")
    around = around.with_columns(
        before=pl.col("row").shift(1).over("file_id"),
        block=(pl.col("stream") != pl.col("stream").shift(1)).fill_null(True).cum_sum(),
    )
    around = around.join(late.select(*STREAM, "start_s", begun="row"), on=STREAM)
    first = around.filter(pl.col("block") == pl.col("block").first().over(STREAM))
    at_once = first.filter(pl.col("before").first().over(STREAM) < pl.col("begun"))
    passed = at_once.filter(pl.col("t_end_s") <= pl.col("start_s") + 1e-6)
    passed = passed.with_columns(short=_constant(passed, "short"))
    joined = passed.group_by(STREAM, maintain_order=True).agg(
        shift=pl.max("t_end_s"),
        n=pl.len(),
        told=(pl.col("short") > 0).all() & (pl.col("row").first() > pl.col("begun").first()),
    )
    joined = joined.filter((pl.col("n") > 1) | pl.col("told")).drop("n", "told")
    if joined.is_empty():
        return reports
    rows = passed.join(joined, on=STREAM, how="semi")["row"]
    ledger.mark(rows, "skipped", JOINED)
    reports = reports.filter(~pl.col("row").is_in(rows.implode())).join(joined, STREAM, how="left")
    shift = pl.col("shift").fill_null(0.0)
    starts = pl.max_horizontal(pl.col("t_start_s") - shift, 0.0)
    ends = pl.col("t_end_s") - shift
    longer = (shift > 0) & (pl.col("t_start_s") == 0)  # a summary, its rate over too long a time
    reports = reports.with_columns(
        t_start_s=starts.round(4),
        t_end_s=ends.round(4),
        throughput_bps=pl.when(longer).then(pl.col("bytes") * 8 / ends).otherwise("throughput_bps"),
    )
    return reports.drop("shift")
