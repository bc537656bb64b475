"""Files: read raw logs whatever their compression, write outputs atomically."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import DataError
from .paths import why_not_own
from .runs.journal import announce_rename, announce_temporary
from .runs.receipts import saw

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
LINE_BYTES = 2**16  # more than most lines have: read at once to find a line's end
ROOM_BYTES = PLAIN_BYTES + LINE_BYTES  # of most blocks
# of gzip, which expands to 1032 times its size at most: what cannot fill the memory needs no limit
SMALL_BYTES = 2**16
RATIO_FROM_BYTES = 64 * 2**20  # decompressed; below, no ratio is too high
BROKEN_STREAM = "the compressed file is truncated or damaged"
REMEDY_TRUNCATED = (
    "copy the file again from where it was made, or delete its run so that it is made again; "
    "to go on without it set 'on_error: quarantine' in dataset.yml"
)


class Limits(NamedTuple):
    """What raw data may cost: `limits` in config.yaml, whose schema says what each of them is of.

    The inventory lowers dataset_bytes to what the files before have left of it.
    """

    decompressed_bytes: float = 20e9
    dataset_bytes: float = 200e9
    compression_ratio: float = 500
    log_bytes: float = 1e9
    line_bytes: float = 16 * 2**20
    yaml_bytes: float = 2**20  # PyYAML reads some 100 kB a second
    yaml_values: float = 100_000
    patterns: float = 1000


USUAL_LIMITS = Limits()
# of files that were read within limits before
NO_LIMITS = Limits(*(float("inf") for _ in Limits._fields))


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of `data` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def decompressed(data: bytes, path: object, limits: Limits = NO_LIMITS) -> bytes:
    """Return the content of a raw file: gzip, xz, zstd and bzip2 are known by their first bytes.

    Text in UTF-16 (as a redirection in PowerShell writes it) becomes UTF-8, without a byte order
    mark. Where lines end in a carriage return alone (old Macs, and editors that imitate them), they
    end in a line feed then.

    Raises:
        DataError: the compressed stream is truncated or damaged, or beyond the limits.
    """
    kind = compression(data)
    if kind == "gzip" and len(data) <= SMALL_BYTES:  # by the thousand: streams take twice the time
        with _naming(path):
            data = gzip.decompress(data)
    elif kind:
        data = b"".join(_decompressed_blocks(io.BytesIO(data), kind, path, limits, len(data)))
    data = data.removeprefix(codecs.BOM_UTF8)
    encoding = MARKS.get(data[:2])
    if encoding and len(data) % 2 == 0:
        data = data[2:].decode(encoding, "replace").encode()
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def compression(head: bytes) -> str | None:
    """Return the name of the compression that a file with these first bytes has."""
    return next((name for magic, name in COMPRESSIONS.items() if head.startswith(magic)), None)


def read_pieces(path: str | Path, limits: Limits = NO_LIMITS) -> Iterator[bytes]:
    """Yield the content of a raw file piece by piece, wherever its lines end.

    Of one that grows, and of one that has no end, what its size said at the beginning.

    Raises:
        DataError: the compressed stream is truncated or damaged, or beyond the limits.
    """
    with Path(path).open("rb") as handle:
        kind = compression(handle.read(8))
        handle.seek(0)
        left = os.fstat(handle.fileno()).st_size
        if kind:
            yield from _decompressed_blocks(handle, kind, path, limits, left)
        while not kind and (piece := handle.read(min(left, BLOCK_BYTES))):
            left -= len(piece)
            yield piece


def _read_lines(path: str | Path, line_bytes: float) -> Iterator[bytes]:
    """Yield the content of a compressed file in blocks of whole lines.

    A line of more than `line_bytes` ends where a piece does: no log has one.
    """
    rest: list[bytes] = []
    for piece in read_pieces(path):
        end = piece.rfind(b"\n") + 1
        if not end and sum(map(len, rest)) + len(piece) > line_bytes:
            end = len(piece)
        if end:
            yield b"".join([*rest, piece[:end]])
            rest = [piece[end:]] if end < len(piece) else []
        else:
            rest.append(piece)
    if rest:
        yield b"".join(rest)


def block_readers(
    path: str | Path, line_bytes: float = USUAL_LIMITS.line_bytes
) -> Iterator[Callable[..., memoryview]]:
    """Yield functions that read a raw file in blocks of whole lines, for threads to call.

    Each may be given a bytearray: a block that fits lies there, so that no new memory is touched,
    which takes longer than to scan it. A line of more than `line_bytes` is cut in two.

    Raises:
        DataError: the compressed stream is truncated or damaged.
    """
    with Path(path).open("rb", buffering=0) as handle:
        if compression(handle.read(8)):
            yield from (partial(_kept, block) for block in _read_lines(path, line_bytes))
            return
        size, start = os.fstat(handle.fileno()).st_size, 0
        while start < size:
            end = _line_end(handle, start + PLAIN_BYTES, size, line_bytes)
            yield partial(_bytes_between, path, start, end)
            start = end


def _line_end(handle: BinaryIO, least: int, size: int, line_bytes: float) -> int:
    """Return where the first line ends that ends at `least` or later, or is cut as too long."""
    at = least - 1
    handle.seek(at)
    while piece := handle.read(LINE_BYTES):
        found = piece.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(piece)
        if at - least >= line_bytes:
            return at
    return size


def _kept(block: bytes, room: bytearray | None = None) -> memoryview:
    return memoryview(block)


def _bytes_between(
    path: str | Path, start: int, end: int, room: bytearray | None = None
) -> memoryview:
    size = end - start
    to = memoryview(room if room is not None and len(room) >= size else bytearray(size))[:size]
    with Path(path).open("rb", buffering=0) as handle:
        handle.seek(start)
        n = 0
        while n < size and (got := handle.readinto(to[n:])):  # less where the file was cut
            n += got
    return to[:n]


def _decompressed_blocks(
    handle: BinaryIO, kind: str, path: object, limits: Limits, size: int
) -> Iterator[bytes]:
    """Yield what a compressed stream of `size` bytes holds."""
    most, total = _most_bytes(limits, size), 0
    with _naming(path), _opened(handle, kind) as stream:
        while block := stream.read(BLOCK_BYTES):
            total += len(block)
            if total > most:
                raise _too_much(limits, size, path)
            yield block


def _opened(handle: BinaryIO, kind: str):
    if kind == "zstd":
        import pyarrow as pa  # here: every job would load it, for a tenth of a second

        return pa.CompressedInputStream(pa.PythonFile(handle, "r"), "zstd")
    return CODECS[kind].open(handle)


def _most_bytes(limits: Limits, size: int) -> float:
    by_ratio = max(RATIO_FROM_BYTES, limits.compression_ratio * size)
    return min(limits.decompressed_bytes, limits.dataset_bytes, by_ratio)


def _too_much(limits: Limits, size: int, path: object) -> DataError:
    most = _most_bytes(limits, size)
    if most == limits.dataset_bytes:
        return too_large_a_dataset(path)
    if most == limits.decompressed_bytes:
        problem, name = f"the compressed file holds more than {most:g} bytes", "decompressed_bytes"
    else:
        times = f"{limits.compression_ratio:g} times its size"
        problem, name = f"the compressed file holds more than {times}", "compression_ratio"
    remedy = "decompress it by hand if it is a log"
    return beyond("limits." + name, problem, remedy, path=path)


def too_large_a_dataset(path: object) -> DataError:
    """Return the error of the file at which a data set becomes too large."""
    problem = "with this file the data set would hold more than it may, decompressed"
    remedy = "make several data sets of it"
    return beyond("limits.dataset_bytes", problem, remedy, path=path)


def beyond(limit: str, problem: str, remedy: str, **where) -> DataError:
    """Return the error of what is beyond a limit: it names the limit, and how to raise it."""
    return DataError(f"{problem} ({limit} in config/config.yaml)", **where,
                     remedy=f"{remedy}, or raise {limit}")  # fmt: skip


def own_file(folder: str | Path, name: str) -> Path | None:
    """Return the file of a data set that describes it, None where there is none of this name.

    Raises:
        DataError: what is there is no file, or a link out of the folder.
    """
    path = Path(folder, name)
    if not os.path.lexists(path):
        saw(path, False)
        return None
    if problem := why_not_own(folder, path):
        remedy = "put the file itself there, or delete it: a data set's files must be in its folder"
        raise DataError(f"it describes the data set, and is {problem}", path=path, remedy=remedy)
    saw(path, True)
    return path


@contextmanager
def _naming(path: object) -> Iterator[None]:
    """Name the file whose compressed stream is truncated or damaged."""
    try:
        yield
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError) as error:
        problem = f"{BROKEN_STREAM} ({error})"
        raise DataError(problem, path=path, remedy=REMEDY_TRUNCATED) from error


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it when the block ends without error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # of a name of its own, so that it can be announced before it is there
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    announce_temporary(temporary)
    temporary.touch(mode=0o600, exist_ok=False)
    try:
        yield temporary
        temporary.chmod(0o644)
        announce_rename(temporary, path)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` to `path` atomically, as UTF-8 with a final newline."""
    with atomic_path(path) as temporary:
        temporary.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def yaml_of(text: str) -> Any:
    """Return what YAML of our own says, by the compiled reader where there is one: in a tenth of
    the time. What users write is read by `schema.read_yaml`, which names lines.

    Raises:
        yaml.YAMLError: it is none.
    """
    import yaml  # here: most jobs read and write none

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def write_yaml(path: str | Path, tree: dict) -> None:
    """Write a tree of strings as YAML, in its order, by the compiled writer where there is one."""
    import yaml  # here: most jobs read and write none

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    write_text(path, yaml.dump(tree, Dumper=dumper, allow_unicode=True, sort_keys=False))
