"""Files: read raw logs whatever their compression, write outputs atomically."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import yaml

from .errors import DataError

COMPRESSIONS = {  # first bytes of a compressed file
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
}
CODECS = {"gzip": gzip, "xz": lzma, "bz2": bz2}  # of zstd: pyarrow, where it is needed
MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}  # a PowerShell redirection writes them
BLOCK_BYTES = 16 * 2**20  # decompressed at once
PLAIN_BYTES = 4 * 2**20  # read at once: a core's cache holds about as much
LONG_AGO = 1  # seconds since 1970
LINE_BYTES = 2**16  # more than most lines have
REMEDY_TRUNCATED = (
    "copy the file again from where it was made, or delete its run so that it is made anew; "
    "to go on without it set 'on_error: quarantine' in dataset.yml"
)


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def decompressed(data: bytes, path: object) -> bytes:
    """Return the content of a raw file: gzip, xz, zstd and bzip2 are known by their first bytes.

    Text in UTF-16 (as a redirection in PowerShell writes it) becomes UTF-8, without a byte order
    mark.

    Raises:
        DataError: the compressed stream is truncated or damaged.
    """
    kind = compression(data)
    if kind in CODECS:  # small files, by the thousand: as a stream each takes twice the time
        with _naming(path):
            data = CODECS[kind].decompress(data)
    elif kind:
        data = b"".join(_decompressed_blocks(io.BytesIO(data), kind, path))
    data = data.removeprefix(codecs.BOM_UTF8)
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
        if not kind:
            yield from (bytes(read()) for read in block_readers(path))
            return
        rest = b""
        for piece in _decompressed_blocks(handle, kind, path):
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end]
                rest = piece[end:]
            else:
                rest += piece
        if rest:
            yield rest


def block_readers(path: str | Path) -> Iterator[Callable[[], memoryview]]:
    """Yield functions that read a raw file in blocks of whole lines, for threads to call.

    Raises:
        DataError: the compressed stream is truncated or damaged.
    """
    with Path(path).open("rb") as handle:
        kind = compression(handle.read(8))
    if kind:
        yield from (partial(memoryview, block) for block in read_blocks(path))
    else:
        size = Path(path).stat().st_size
        yield from (partial(_lines_from, path, start) for start in range(0, size, PLAIN_BYTES))


def _lines_from(path: str | Path, start: int) -> memoryview:
    """Return those lines of a plain file that begin in the PLAIN_BYTES from `start` on."""
    before = int(start > 0)  # with the byte before, to see whether a line begins at `start`
    beyond = before + PLAIN_BYTES
    with Path(path).open("rb", buffering=0) as handle:
        handle.seek(start - before)
        data = handle.read(beyond + LINE_BYTES)
        begin = data.find(b"\n", 0, beyond) + 1 if before else 0
        if (before and not begin) or begin == beyond:
            return memoryview(b"")
        end = data.find(b"\n", beyond - 1) + 1
        while not end and (more := handle.read(PLAIN_BYTES)):
            end = more.find(b"\n") + 1
            end += len(data) if end else 0
            data += more
    return memoryview(data)[begin : end or len(data)]


def _decompressed_blocks(handle: BinaryIO, kind: str, path: object) -> Iterator[bytes]:
    with _naming(path):
        if kind == "zstd":
            import pyarrow as pa  # here: every job would load it, for a tenth of a second

            with pa.CompressedInputStream(pa.PythonFile(handle, "r"), "zstd") as stream:
                while block := stream.read(BLOCK_BYTES):
                    yield block
        else:
            with CODECS[kind].open(handle) as stream:
                while block := stream.read(BLOCK_BYTES):
                    yield block


@contextmanager
def _naming(path: object) -> Iterator[None]:
    """Name the file whose compressed stream is truncated or damaged."""
    try:
        yield
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
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


def make_old(path: str | Path) -> None:
    """Make a file older than whatever it is made from, so that the next run makes it again."""
    os.utime(path, (LONG_AGO, LONG_AGO))


def write_text(path: str | Path, text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8 with a final newline."""
    with atomic_path(path) as temporary:
        temporary.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def write_yaml(path: str | Path, tree: dict) -> None:
    """Write a tree of strings as YAML, in its order, by the compiled writer where there is one."""
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    write_text(path, yaml.dump(tree, Dumper=dumper, allow_unicode=True, sort_keys=False))
