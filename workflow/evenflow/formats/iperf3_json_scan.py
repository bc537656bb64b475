"""The scan of logs of iperf3's JSON; see iperf3_json.py.

What their lines and objects are says iperf3_json_lines.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial

from .blocks import ROOM_BYTES, Block, memory, read_blocks
from .iperf3_json_lines import Batch, batch_of
from .iperf3_objects import Logs, Scan, Scanner
from .logs import Log
from .terminal import without_escapes

SIGN_LEFT_OUT = re.compile(rb"(:[ \t]*-?\d+(?:\.\d+)?[eE]) (?=\d{2,3}\s*[,}\]])")


class _Reader:
    """A scanner, and the memory that it reads logs into; of one thread at a time."""

    def __init__(self) -> None:
        self.buffer, self.scanner = memory(ROOM_BYTES), Scanner(ROOM_BYTES)

    def read(self, block: Block, logs: Sequence[Log]) -> Batch:
        """Scan the logs of a block, of all."""
        of_block = Logs.of(block, logs)
        usual = of_block.content is self.buffer  # what a long log needs is not kept
        _blank_escapes(of_block)
        found = _scan(of_block, self.scanner if usual else Scanner(len(of_block.content)))
        return batch_of(of_block, found)


_free: list[_Reader] = []


def scan_batch(logs: Sequence[Log]) -> list[Batch]:
    """Scan some logs, and say what each of their lines and objects is: of some at a time."""
    try:
        reader = _free.pop()
    except IndexError:
        reader = _Reader()
    try:
        return [reader.read(block, logs) for block in read_blocks(logs, reader.buffer, _alone)]
    finally:
        _free.append(reader)


def _alone(log: Log, number: int) -> Iterator[Block]:
    """Yield a log that does not fit into the buffer in memory of its own."""
    content = bytearray(log.whole)
    lacks = not content.endswith(b"\n")
    content += b"\n" * lacks
    yield Block(memoryview(content), number, 0, [len(content)], [lacks])


def _blank_escapes(logs: Logs) -> None:
    """Put blanks in the place of a terminal's escape sequences."""
    place = partial(logs.content.find, b"\x1b")
    at = place(0, logs.ends[-1])
    while at >= 0:
        log = bisect_right(logs.ends, at)
        logs.change(log, without_escapes)
        at = place(logs.ends[log], logs.ends[-1])


def _scan(logs: Logs, scanner: Scanner) -> Scan:
    """Scan logs, with a + where iperf3 3.1 left it out of a number in some locales: 1.5e 08.

    Such a number breaks the grammar, so nothing else needs to be looked through for it.
    """
    block = memoryview(logs.content)[: logs.stops[-1]], logs.stops, logs.ends
    found = scanner.scan(*block)
    broken = (log for log, whole in enumerate(found.of_logs("whole")) if not whole)
    changed = [logs.change(log, _with_signs) for log in broken]
    return scanner.scan(*block) if any(changed) else found


def _with_signs(content: bytes) -> bytes:
    if not (b"e 0" in content or b"e 1" in content):
        return content
    return SIGN_LEFT_OUT.sub(rb"\1+", content)
