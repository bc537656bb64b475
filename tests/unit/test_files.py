"""Files: compression is recognised by content, damage is named, outputs appear whole or not."""

import bz2
import gzip
import lzma
import tempfile
from pathlib import Path
from unittest import mock

import evenflow.files
import pytest
from evenflow.errors import DataError
from evenflow.files import atomic_path, block_readers, decompressed, sha256_hex, write_text
from hypothesis import example, given
from hypothesis import strategies as st
from raw_data import LOGS

LOG = gzip.decompress((LOGS / "testbed-run/flow2.server.log.gz").read_bytes())


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_content_is_the_same_whatever_the_compression(pack):
    assert decompressed(pack(LOG), "flow2.log") == LOG


def test_members_of_a_gz_that_was_appended_to_are_all_read():
    assert decompressed(gzip.compress(LOG) + gzip.compress(b"more\n"), "a.gz") == LOG + b"more\n"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.999])
def test_a_truncated_file_is_named_with_the_remedy(pack, share):
    packed = pack(LOG)
    cut = packed[: max(7, int(share * len(packed)))]
    with pytest.raises(DataError) as error:
        decompressed(cut, "r1/flow2.server.log.gz")
    message = str(error.value)
    assert message.startswith("r1/flow2.server.log.gz: the compressed file is truncated or damaged")
    assert "copy the file again" in message
    assert "on_error: quarantine" in message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_carriage_returns_alone_end_lines(encoding):
    assert decompressed("one\rtwo\r".encode(encoding), "a.log") == b"one\ntwo\n"
    assert decompressed("one\r\ntwo\r".encode(encoding), "a.log") == b"one\r\ntwo\r"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_a_flipped_bit_is_damage(pack):
    packed = bytearray(pack(LOG))
    packed[len(packed) // 2] ^= 0x10
    with pytest.raises(DataError, match="truncated or damaged"):
        decompressed(bytes(packed), "flow2.log.gz")


def test_junk_after_the_gz_is_damage():
    with pytest.raises(DataError, match="truncated or damaged"):
        decompressed(gzip.compress(LOG) + b"junk", "flow2.log.gz")


def test_sha256_is_the_standard_one():
    # FIPS 180-2, appendix B.1
    assert sha256_hex(b"abc").startswith("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61")


def test_an_output_replaces_the_old_one_only_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "table.md"
    write_text(path, "first")
    assert path.read_text() == "first\n"
    with pytest.raises(RuntimeError), atomic_path(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError("died")
    assert path.read_text() == "first\n"
    write_text(path, "second\n\n")
    assert path.read_text() == "second\n"
    assert [p.name for p in path.parent.iterdir()] == ["table.md"]
    assert path.stat().st_mode & 0o777 == 0o644


@given(
    st.lists(st.sampled_from([b"\n", b"a", b"bc", b"\r\n"])).map(b"".join),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([bytes, gzip.compress]),
)
@example(b"abcdefghijklmnopqrst\nu\n", 3, 2, bytes)
def test_blocks_hold_every_line_once_and_whole(content, piece, margin, pack):
    sizes = {"PLAIN_BYTES": piece, "LINE_BYTES": margin, "BLOCK_BYTES": piece}
    with tempfile.TemporaryDirectory() as folder, mock.patch.multiple(evenflow.files, **sizes):
        path = Path(folder) / "log"
        path.write_bytes(pack(content))
        blocks = [block for read in block_readers(path) if (block := bytes(read()))]
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])
