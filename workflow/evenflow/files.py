"""Files: read raw logs whatever their compression, write outputs atomically."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from .errors import DataError

COMPRESSIONS = {  # first bytes of a compressed file
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
}
MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}  # a PowerShell redirection writes them
BLOCK_BYTES = 16 * 2**20
REMEDY_TRUNCATED = (
    "copy the file again from where it was made, or delete its run so that it is made anew; "
    "to go on without it set 'on_error: quarantine' in dataset.yml"
)


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def decompressed(data: bytes, path: object) -> bytes:
    """Return the content of a raw file: gzip, xz, zstd and bzip2 are recognised by their first bytes.

    Text in UTF-16 (as a redirection in PowerShell writes it) becomes UTF-8.

    Raises:
        DataError: the compressed stream is truncated or damaged.
    """
    if compression(data):
        data = b"".join(_decompressed_blocks(io.BytesIO(data), compression(data), path))
    encoding = MARKS.get(data[:2])
    if encoding and len(data) % 2 == 0:
        return data[2:].decode(encoding, "replace").encode()
    return data


def compression(head: bytes) -> str | None:
    """Return the name of the compression that a file with these first bytes has."""
    return next((name for magic, name in COMPRESSIONS.items() if head.startswith(magic)), None)


def read_blocks(path: str | Path) -> Iterator[bytes]:
    """Yield the content of a raw file in blocks of whole lines, whatever its compression and size.

    Raises:
        DataError: the compressed stream is truncated or damaged.
    """
    with Path(path).open("rb") as handle:
        kind = compression(handle.read(8))
        handle.seek(0)
        pieces = _decompressed_blocks(handle, kind, path) if kind else _plain_blocks(handle)
        rest = b""
        for piece in pieces:
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end]
                rest = piece[end:]
            else:
                rest += piece
        if rest:
            yield rest


def _plain_blocks(handle: BinaryIO) -> Iterator[bytes]:
    while block := handle.read(BLOCK_BYTES):
        yield block


def _decompressed_blocks(handle: BinaryIO, kind: str, path: object) -> Iterator[bytes]:
    openers = {"gzip": gzip.open, "xz": lzma.open, "bz2": bz2.open}
    try:
        if kind == "zstd":
            with pa.CompressedInputStream(pa.PythonFile(handle, "r"), "zstd") as stream:
                while block := stream.read(BLOCK_BYTES):
                    yield block
        else:
            with openers[kind](handle) as stream:
                while block := stream.read(BLOCK_BYTES):
                    yield block
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        problem = f"the compressed file is truncated or damaged ({error})"
        raise DataError(problem, path=path, remedy=REMEDY_TRUNCATED) from error


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it when the block ends without error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8 with a final newline."""
    with atomic_path(path) as temporary:
        temporary.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
