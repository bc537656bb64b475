"""The contents of files of an inventory, kept or read again."""

from __future__ import annotations

from ..files import decompressed, read_pieces
from .entities import Entry

LARGE_BYTES = 32 * 2**20  # a log this large (compressed: an eighth) is read in blocks, not whole


def head_of(entry: Entry) -> bytes:
    """Return the beginning of a readable file, or all where it was kept."""
    if entry.content is not None:
        return entry.content
    return next(read_pieces(entry.file), b"")


def content_of(entry: Entry) -> bytes:
    """Return the content of a readable file, read again where it was not kept."""
    if entry.content is not None:
        return entry.content
    if (entry.content_bytes or 0) > LARGE_BYTES:
        return b"".join(read_pieces(entry.file))
    with entry.file.open("rb", buffering=0) as handle:  # by the thousand: a buffer takes as long
        data = handle.read()
    return decompressed(data, entry.file)
