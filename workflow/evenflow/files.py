"""Files: read raw logs whatever their compression, write outputs atomically."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import DataError

GZIP_MAGIC, XZ_MAGIC = b"\x1f\x8b", b"\xfd7zXZ\x00"
REMEDY_TRUNCATED = (
    "copy the file again from where it was made, or delete its run so that it is made anew; "
    "to go on without it set 'on_error: quarantine' in dataset.yml"
)


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def decompressed(data: bytes, path: object) -> bytes:
    """Return the content of a raw file: gzip and xz are recognised by their first bytes.

    Raises:
        DataError: the compressed stream is truncated or damaged.
    """
    try:
        if data.startswith(GZIP_MAGIC):
            return gzip.decompress(data)
        if data.startswith(XZ_MAGIC):
            return lzma.decompress(data)
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        problem = f"the compressed file is truncated or damaged ({error})"
        raise DataError(problem, path=path, remedy=REMEDY_TRUNCATED) from error
    return data


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
