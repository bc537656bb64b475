"""iperf3 JSON: documents (-J), one or several in a file, and streams of events (--json-stream).

Shape (iperf3 3.22, tabs and line breaks left out):

    {"start": {"connected": [{"socket": 5, "local_host": ...}], "version": "iperf 3.22",
               "timestamp": {"timesecs": 1795214228}, "test_start": {"protocol": "TCP", ...}},
     "intervals": [{"streams": [{"socket": 5, "start": 0, "end": 1.000082, "bytes": 3407144,
                    "bits_per_second": 27254916.66, "retransmits": 52, "snd_cwnd": 23168,
                    "rtt": 8365, "omitted": false, "sender": true}], "sum": {...}}, ...],
     "end": {"streams": [{"sender": {...}, "receiver": {...}}], "sender_tcp_congestion": "bbr"},
     "error": "..."}

or, an object a line, {"event": "start" | "interval" | "end" | "error", "data": ...}. Units: bytes,
bits per second, rtt in microseconds. The sums over streams are never read, so that the two 'sum'
keys of --bidir in old versions do no harm. The report of the other end (--get-server-output) gives
streams of its own.

Fates are given by line: the lines of an interval's object are samples. A line that holds several
things (a document on one line) counts as the most telling: sample, rejected, skipped, summary,
header. An interval that cannot be read is rejected by itself, with its own text where it shares
its lines with samples. Where the grammar breaks, the lines up to the next that begins with a brace
are rejected; the intervals before are kept. So are lines up to the brace of a document that was
appended to the last line of one that was cut.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import polars.selectors as cs

from .columns import as_table
from .iperf3_ends import ABOUT_TEST, is_known
from .iperf3_json_lines import UNKNOWN_LINE as UNKNOWN_LINE
from .iperf3_json_lines import Batch
from .iperf3_json_scan import scan_batch
from .iperf3_objects import RECEIVER

NAME = "iperf3-json"
TOOL = "iperf3"
PLATFORM = "testbed"
TESTS = True
CLOCK = "flow"
SIGNATURE = (
    r"^(?:\xef\xbb\xbf)?[ \r]*\{\s*\""
    r"(?:start\"\s*:\s*\{\s*\"(?:connected|accepted|connecting|cookie|error)"
    r"|event\"\s*:\s*\"(?:start|interval|end|error|server_output)\"\s*,\s*\"data\""
    r"|end\"\s*:\s*\{\s*\"(?:cpu_util|receiver_tcp|streams|sum)"
    r"|intervals\"\s*:\s*\[\s*\{\s*\"(?:streams|sum)"
    # the error of any program may be so told: in words of iperf3 (iperf_error.c)
    r"|error\"\s*:\s*\"(?:error - |interrupt - |the (?:client|server) (?:is|has) |control socket "
    r"|idle timeout |unable to (?:connect|send|receive|start|accept|create|initialize|listen|read"
    r"|write|set|get|bind) ))"
)

COMPLAINT = rb'"error"\s*:\s*"((?:[^"\\]|\\.)*)"'  # why a test measured nothing
# of a server that was interrupted while it waited: no test has failed
WAITED = (
    rb'"connected"\s*:\s*\[\s*\](?:(?!"(?:connected|accepted_connection)")[\s\S])*?'
    rb'"error"\s*:\s*"interrupt - the server has terminated[^"]*"'
)
NO_CONNECTION = rb'"connected"\s*:\s*\[\s*\]'  # of a test that failed before it began
FATE = {"file_id": pl.UInt32, "fate": pl.String, "reason": pl.String}
FATE |= {"lines": pl.Int64, "bytes": pl.Int64}
REJECTED = {"file_id": pl.UInt32, "line": pl.UInt32, "reason": pl.String, "text": pl.String}


def parse(logs):
    """Read the tables `stream`, `interval`, `summary`, `fate` and `rejected`."""
    return tables([scan_batch(logs)]) if logs else {}


def tables(scans: Sequence[Sequence[Batch]]) -> dict[str, pl.DataFrame]:
    """Return the tables of `parse`, of logs that were scanned together or apart."""
    batches = [batch for scan in scans for batch in scan]
    about = [row for batch in batches for row in batch.about]
    streams = read_streams(_joined(batches, "streams"), about)
    interval, summary = (
        _with_streams(_joined(batches, of), streams) for of in ("interval", "summary")
    )
    fates = [row for batch in batches for row in batch.fates]
    rejected = [row for batch in batches for row in batch.rejected]
    return {
        "stream": streams,
        "interval": interval,
        "summary": summary.filter(is_known()),
        "fate": pl.DataFrame(fates, schema=FATE, orient="row"),
        "rejected": pl.DataFrame(rejected, schema=REJECTED, orient="row"),
    }


def _joined(batches: Sequence[Batch], part: str) -> pl.DataFrame:
    """Return a part of batches as a table; `key` becomes the number of a stream through all.

    A number is null where it is not known.
    """
    parts, before = [], 0
    for batch in batches:
        parts.append(as_table(getattr(batch, part)).with_columns(pl.col("key") + before))
        before += batch.n_streams
    return pl.concat(parts, how="diagonal").with_columns(cs.float().fill_nan(None))


def read_streams(of_stream: pl.DataFrame, about: list[dict]) -> pl.DataFrame:
    """Return the streams of all tests, in the order in which the logs announce them."""
    side = (
        pl.when(pl.col("sends").is_not_null())
        .then(pl.when(pl.col("sends") == 1).then(pl.lit("sender")).otherwise(pl.lit("receiver")))
        .when(pl.col("counts") == 1)
        .then(pl.lit("sender"))
        .when(pl.col("jitter") == 1)
        .then(pl.lit("receiver"))
        .otherwise(pl.col("service_side"))
    )
    said = pl.DataFrame(about, schema=ABOUT_TEST, orient="row")
    return pl.concat([of_stream, said], how="horizontal").with_columns(
        stream=pl.int_range(1, pl.len() + 1, dtype=pl.Int32).over("file_id"),
        label=pl.col("socket").cast(pl.Int64, strict=False).cast(pl.String),
        episode=pl.col("test").rank("dense").over("file_id").cast(pl.Int32),
        side=side,
        start_s=pl.lit(0.0),
        complete=(pl.col("finished") == 1) & ~pl.col("aborted"),
    )


def _with_streams(reports: pl.DataFrame, streams: pl.DataFrame) -> pl.DataFrame:
    """Give reports their streams, and final reports the side that their stream and they are of."""
    is_final = "role" in reports.columns
    known = streams.select("key", "stream", own_side="side")
    known = known if is_final else known.drop("own_side")
    reports = reports.join(known, on="key", how="left", maintain_order="left")
    if not is_final:
        return reports
    receiver, sender = pl.lit("receiver"), pl.lit("sender")
    return reports.with_columns(
        own_side=pl.when(pl.col("own_side") == "receiver").then(receiver).otherwise(sender),
        side=pl.when(pl.col("role") == RECEIVER).then(receiver).otherwise(sender),
    )
