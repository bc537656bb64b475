"""Logs, and kinds of their lines: what scanners know, which do without Polars.

So logs can be scanned while Polars is imported (`ingest.reading`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..files import USUAL_LIMITS, decompressed, read_pieces
from ..markdown import first_of
from ..paths import printable

CARRYING = "acknowledgements that carry data"  # what FullTcp of ns-2 sends back: in the ledger
NOT_RECEIVED = "met on the way, of flows none of whose packets is received at its sink:"  # ns-2
# of ns-3, in the ledger
MAYBE_RELAYED = "received at a node of which nothing says that it is the flow's sink"
GAP = "..."  # among the hops of a flow: the trace lacks some of them
DROPPED_ON = "dropped on"  # several links, in the ledger
MOST_LINKS = 4  # that are named


def dropped_on(packets: Mapping[str, int]) -> str | None:
    """Return on which links packets were dropped, as the ledger says it; nothing of a single link.

    Args:
        packets: dropped, by link.
    """
    if len(packets) < 2:
        return None
    most = sorted(packets.items(), key=lambda link: -link[1])
    named = first_of([f"{link} ({n:,})" for link, n in most], MOST_LINKS)
    return f"{DROPPED_ON} {len(most)} links: {named}"


TOO_LONG = (
    "a line longer than limits.line_bytes in config/config.yaml: split it, or raise the limit"
)
TEXT_LENGTH = 1000  # of a rejected line: one without end would fill the ledger
FATES = ("sample", "header", "summary", "skipped", "rejected")


class Log(NamedTuple):
    """A raw log: its number in the data set, its decompressed bytes, and where it is.

    content is None where the format reads the file itself, in blocks where the log is large; value
    is what dataset.yml says of the second column of a two-column file, and begins whether its times
    are known to be those at which intervals begin; line_bytes is what a line may have.
    """

    file_id: int
    content: bytes | None
    path: Path | None = None
    value: str | None = None
    line_bytes: float = USUAL_LIMITS.line_bytes
    is_large: bool = False
    begins: bool = False

    @property
    def whole(self) -> bytes:
        """The bytes of a log, read again where it is not in the memory."""
        if self.content is not None:
            return self.content
        assert self.path is not None
        if self.is_large:
            return b"".join(read_pieces(self.path))
        return decompressed(self.path.read_bytes(), self.path)

    def pieces(self) -> Iterable[bytes]:
        """Return the bytes, piece by piece where they are not in the memory."""
        if self.content is not None:
            return [self.content]
        assert self.path is not None
        return read_pieces(self.path)


class Shape(NamedTuple):
    """A kind of line: its fate, the regular expression of its shape, the names of its numbers.

    kind: a name for the code that reads the table; reason: why such a line is not a sample;
    text: whether the table holds the line's text too.
    """

    fate: str
    pattern: str
    columns: str = ""
    kind: str = ""
    reason: str | None = None
    text: bool = False


def shown_line(line: bytes | memoryview) -> str:
    """Return a line as tables and pages show it: its first TEXT_LENGTH bytes, without controls."""
    start = bytes(line[:TEXT_LENGTH]).rstrip(b"\r\n")
    return printable(start.decode("utf-8", "backslashreplace"), keep="\t")
