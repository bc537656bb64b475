"""One bad file never costs its data set: each is in the ledger with its reason, and is not opened.

All files are made here: names that git, tar or another file system would refuse are in no fixture.
"""

import bz2
import gzip
import lzma
import os
import shutil
import signal
import socket
import stat
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import evenflow.files
import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.files import Limits, block_readers, decompressed, read_pieces
from evenflow.ingest.chunks import levels_of_chunks
from evenflow.ingest.contents import LARGE_BYTES
from evenflow.ingest.described import document
from evenflow.ingest.parse import parse_dataset
from evenflow.pages.dataset import read_about
from evenflow.paths import holds_files, list_files, path_shown_as, printable, shown_path
from evenflow.runs.raw_state import raw_state
from evenflow.verify import manifest
from hypothesis import given
from hypothesis import strategies as st
from raw_data import LOGS, build_tables, make_dataset

GOOD = {f"run{i}/flow1.log": (LOGS / "iperf2/plain.server.log").read_bytes() for i in (1, 2)}
NOBODY = 65534


@pytest.fixture
def folder(tmp_path):
    return make_raw(tmp_path / "raw")


def make_raw(folder, logs=GOOD):
    for path, content in logs.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


@contextmanager
def at_most(seconds):
    """Fail where the block hangs: a pipe without a writer is waited for without end."""

    def fail(*_):
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def ledger_of(folder, tmp_path):
    (tmp_path / "derived").mkdir(exist_ok=True)
    with at_most(60):
        tables = build_tables(folder, tmp_path / "derived")
    assert len(tables["run"]) == len(GOOD)  # the good logs are as if nothing else were there
    files = tables["ledger"].filter(entry="file")
    return {row["path"]: row for row in files.rows(named=True)}


# ---- names --------------------------------------------------------------------------------------

NAMES = {  # on disk, and as it is written
    b"caf\xe9.log": r"caf\xe9.log",
    b"\x1b[31mred.log": r"\x1b[31mred.log",
    b"two\nlines\r\t.log": r"two\nlines\r\t.log",
    b"back\\slash.log": r"back\\slash.log",
    b"back\\x1b.log": r"back\\x1b.log",
    "\u202egol.txt".encode(): r"\u202egol.txt",
    "line\u2028\x85end.log".encode(): r"line\u2028\u0085end.log",
    "délais en µs – 測定 🚀.log".encode(): "délais en µs – 測定 🚀.log",
    b"\xed\xa0\x80.log": r"\xed\xa0\x80.log",  # a surrogate written as UTF-8 is none
    b"\x7f\xef\xbf\xbf.log": r"\x7f\uffff.log",
    b"-rf; $(reboot) 'a' \"b\" <b>&amp;.log": "-rf; $(reboot) 'a' \"b\" <b>&amp;.log",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_written_as_text_on_a_line_and_read_back(name):
    path = os.fsdecode(name)
    assert shown_path(path) == NAMES[name]
    assert os.fsencode(path_shown_as(NAMES[name])) == name
    shown_path(path).encode()  # no surrogate is left


@given(st.binary(min_size=1, max_size=12).filter(lambda b: b"\0" not in b and b"/" not in b))
def test_every_name_can_be_written_and_read_back(name):
    shown = shown_path(os.fsdecode(name))
    if os.fsdecode(name) not in (".", ".."):
        assert os.fsencode(path_shown_as(shown)) == name
    assert len(shown.encode().splitlines()) == 1
    assert printable(shown) == shown


def test_logs_of_any_name_are_read_and_named_in_every_table(folder, tmp_path):
    log = GOOD["run1/flow1.log"]
    more = {os.fsdecode(name): log + b"\n" * i for i, name in enumerate(NAMES)}
    make_raw(folder / "names", more)
    tables = parse_dataset(folder)
    assert set(NAMES.values()) <= {p.removeprefix("names/") for p in tables["file"]["path"]}
    words = [t[c] for t in tables.values() for c in t.columns if t[c].dtype == pl.String]
    for text in pl.concat(words).drop_nulls():
        assert text == printable(text, keep="\n")  # the offered lines of dataset.yml are several


def test_the_lines_offered_for_strange_names_are_yaml_that_matches_them(tmp_path):
    import yaml
    from evenflow.pages.dataset.assumed import merged_yaml

    folder = make_raw(tmp_path / "raw", GOOD | {os.fsdecode(b"x\xff\n\x1b.bin"): b"\xff\x00"})
    offered = merged_yaml(parse_dataset(folder)["assumption"]["yaml"].to_list())
    (folder / "dataset.yml").write_text(offered, encoding="utf-8")
    assert yaml.safe_load(offered)["files"]
    assert len(parse_dataset(folder)["run"]) == len(GOOD)


def test_a_manifest_of_any_names_is_what_sha256sum_checks(tmp_path):
    make_raw(tmp_path / "raw", {os.fsdecode(name): name for name in NAMES})
    manifest.write_manifest(
        tmp_path / "m.sha256", manifest.hash_files(tmp_path, manifest.list_files(tmp_path, "raw"))
    )
    assert len(manifest.read_manifest(tmp_path / "m.sha256")) == len(NAMES)
    subprocess.run(["sha256sum", "--check", "--quiet", "m.sha256"], cwd=tmp_path, check=True)


def test_a_message_cannot_command_a_terminal():
    error = DataError("bad '\x1b]0;x\x07'", path="a\x1b[2J\udcff.log", remedy="mend\nit")
    assert str(error) == r"a\x1b[2J\xff.log: bad '\x1b]0;x\x07'. Remedy: mend" + "\nit"


# ---- what is no file ----------------------------------------------------------------------------


def test_links_pipes_sockets_and_loops_are_listed_and_not_opened(folder, tmp_path, monkeypatch):
    (folder / "gone.log").symlink_to("nowhere/flow1.log")
    (folder / "loop.log").symlink_to("loop.log")
    (folder / "latest").symlink_to("run1")
    (folder / "up").symlink_to(".")
    os.mkfifo(folder / "pipe.log")
    (folder / "to-pipe.log").symlink_to("pipe.log")
    (folder / "null.log").symlink_to(os.devnull)
    monkeypatch.chdir(folder)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.log")
    (folder / "folder.log").mkdir()
    (folder / "folder.log/flow1.txt").write_bytes(b"")
    ledger = ledger_of(folder, tmp_path)
    expected = {
        "gone.log": "nowhere/flow1.log",
        "loop.log": "cannot be reached",
        "latest": "a link to a folder",
        "up": "a link to a folder",
        "pipe.log": "a named pipe",
        "to-pipe.log": "a named pipe",
        "null.log": "a device",
        "s.log": "a socket",
    }
    for path, reason in expected.items():
        assert ledger[path]["format"] == "no-file"
        assert reason in ledger[path]["reason"]
    assert set(ledger) == {*GOOD, *expected, "folder.log/flow1.txt"}


def test_a_pipe_that_a_pattern_names_is_an_error_and_one_that_is_ignored_is_none(tmp_path):
    yml = 'files:\n  - {path: "run{repeat}/flow{flow}.log", format: iperf2}\n'
    folder = make_dataset(tmp_path / "raw", GOOD, yml)
    (folder / "run3").mkdir()
    os.mkfifo(folder / "run3/flow1.log")
    with at_most(60), pytest.raises(DataError, match=r"flow1\.log: a named pipe"):
        parse_dataset(folder)
    ignored = 'files:\n  - {path: "run3/**", format: ignore}\n' + yml.removeprefix("files:\n")
    (folder / "dataset.yml").write_text(ignored)
    assert len(parse_dataset(folder)["run"]) == len(GOOD)


@contextmanager
def as_nobody():
    """Be a user who owns nothing, where the tests run as root, whom no permission stops."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_files_and_folders_that_may_not_be_read_are_listed(tmp_path, monkeypatch):
    folder = make_raw(tmp_path / "raw")
    copied = shutil.copy(document.SCHEMA, tmp_path)  # the project may be root's alone
    monkeypatch.setattr(document, "SCHEMA", copied)
    assert parse_dataset(folder)  # what is compiled is loaded: nobody may not read it
    (folder / "run1/secret.log").write_bytes(GOOD["run1/flow1.log"])
    (folder / "locked").mkdir()
    (folder / "locked/flow1.log").write_bytes(GOOD["run1/flow1.log"])
    (folder / "listed").mkdir()
    (folder / "listed/flow1.log").write_bytes(GOOD["run1/flow1.log"])
    # as root, nobody must reach the folder
    owned = [p for p in (folder, *folder.parents) if p.stat().st_uid == os.geteuid()]
    modes = {p: stat.S_IMODE(p.stat().st_mode) for p in owned if not p.stat().st_mode & 0o001}
    try:
        for path in modes:
            path.chmod(modes[path] | 0o755)
        (folder / "run1/secret.log").chmod(0)
        (folder / "locked").chmod(0)
        (folder / "listed").chmod(0o644)
        with as_nobody():
            tables = parse_dataset(folder)
            there = list_files(folder.parent)
            assert holds_files(folder / "locked") and holds_files(folder / "run1")
    finally:
        for path in (folder / "locked", folder / "listed"):
            path.chmod(0o755)
        for path, mode in modes.items():
            path.chmod(mode)
    assert folder / "listed" / "flow1.log" in [found.path for found in there]
    problems = dict(tables["file"].filter(format="unreadable").select("path", "problem").rows())
    assert set(problems) == {"run1/secret.log", "locked", "listed/flow1.log"}
    assert problems["run1/secret.log"] == "Permission denied"
    assert "Permission denied" in problems["locked"]
    assert {run["run_id"] for run in tables["run"].rows(named=True)} >= {"run2"}


def test_a_pipe_named_as_a_table_of_runs_that_nothing_names_does_not_hang(folder, tmp_path):
    os.mkfifo(folder / "runs.csv")
    assert ledger_of(folder, tmp_path)["runs.csv"]["reason"] == "a named pipe"


SECRET = "user alice\npassword hunter2\n"


def a_link(target: str):
    return lambda path: path.symlink_to(target)


NO_DESCRIPTIONS = {
    "a link out": (a_link("../secret"), "a link out of the data set"),
    "a link out by two": (lambda path: (path.with_name("a").symlink_to("../secret"),
                                        path.symlink_to("a")), "a link out of the data set"),
    "a link by a folder": (lambda path: (path.with_name("up").symlink_to(".."),
                                         path.symlink_to("up/secret")), "a link out"),
    "a link to nothing": (a_link("nowhere"), "a link to 'nowhere', which cannot be reached"),
    "a link to a device": (a_link("/dev/zero"), "a link out of the data set"),
    "a link to a process": (a_link("/proc/self/environ"), "a link out of the data set"),
    "a pipe": (os.mkfifo, "a named pipe"),
    "a folder": (lambda path: path.mkdir(), "a folder"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["dataset.yml", "runs.csv"])
@pytest.mark.parametrize("kind", NO_DESCRIPTIONS)
def test_what_describes_a_data_set_is_a_file_in_it(kind, name, folder):
    """Nothing of what a stranger's link leads to is read, and no pipe is waited for."""
    make, said = NO_DESCRIPTIONS[kind]
    (folder.parent / "secret").write_text(SECRET)
    if name != "dataset.yml":
        (folder / "dataset.yml").write_text("runs: runs.csv\n")
    make(folder / name)
    with pytest.raises(DataError) as refused:
        parse_dataset(folder)
    assert "hunter2" not in str(refused.value)
    assert said in str(refused.value) or "is outside of the data set" in str(refused.value)
    assert levels_of_chunks(folder) == []  # asked by the Snakefile, which must go on
    if name == "dataset.yml":
        with pytest.raises(DataError, match="Remedy: put the file itself there"):
            read_about(folder / name)


def test_a_description_may_be_a_link_within_its_data_set(folder):
    (folder / "about.txt").write_text("title: Two flows\n")
    (folder / "dataset.yml").symlink_to("about.txt")
    assert read_about(folder / "dataset.yml") == {"title": "Two flows"}
    assert parse_dataset(folder)["run"].height == 2


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="Linux")
@pytest.mark.parametrize("target", ["/proc/self/pagemap", "/proc/kallsyms", "/sys/kernel/notes"])
def test_files_of_the_kernel_are_listed_and_not_read(target, folder, tmp_path):
    before = raw_state(folder)
    (folder / "y.txt").symlink_to(target)
    begun = time.monotonic()
    ledger = ledger_of(folder, tmp_path)
    assert time.monotonic() - begun < 20
    assert ledger["y.txt"]["reason"].endswith("which is not a file on a disk")
    # such a file is always new: nothing would ever be made of the last state
    assert raw_state(folder) == before


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="Linux")
def test_a_file_that_says_it_is_empty_and_has_no_end_is_not_read(folder, tmp_path, monkeypatch):
    """As a file of the kernel that is mounted elsewhere is."""
    monkeypatch.setattr("evenflow.paths.KERNELS", ("/nowhere/",))
    (folder / "y.txt").symlink_to("/proc/self/pagemap")
    begun = time.monotonic()
    ledger = ledger_of(folder, tmp_path)
    assert time.monotonic() - begun < 20
    assert ledger["y.txt"]["format"] == "unreadable"
    assert ledger["y.txt"]["reason"] == "no file on a disk: it holds more than it says"


def test_very_deep_folders_are_walked(tmp_path):
    deep = tmp_path / "raw"
    deep.mkdir()
    here = os.open(deep, os.O_RDONLY)
    try:
        for _ in range(1200):
            os.mkdir("d", dir_fd=here)
            there = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = there
        os.close(os.open("x.log", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        assert [found.path.name for found in list_files(deep)] == ["x.log"]
    finally:
        os.close(here)
        subprocess.run(["rm", "-r", deep], check=True)  # too deep for shutil, which pytest uses


# ---- sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compression_bomb_is_named_with_the_limit_and_costs_only_itself(pack, folder, tmp_path):
    (folder / "bomb.log.gz").write_bytes(pack(bytes(80 * 2**20)))
    begun = time.monotonic()
    ledger = ledger_of(folder, tmp_path)
    assert time.monotonic() - begun < 30
    assert ledger["bomb.log.gz"]["format"] == "unreadable"
    assert "limits.compression_ratio" in ledger["bomb.log.gz"]["reason"]


def test_the_absolute_limit_holds_in_large_and_small_files(tmp_path):
    limits = Limits(decompressed_bytes=1e6, compression_ratio=1e9)
    noise = gzip.compress(os.urandom(300_000) * 4)
    with pytest.raises(DataError, match="decompressed_bytes"):
        decompressed(noise, "a.gz", limits)
    path = tmp_path / "a.gz"
    path.write_bytes(noise)
    with pytest.raises(DataError, match="decompressed_bytes"):
        list(read_pieces(path, limits))
    assert len(b"".join(read_pieces(path))) == 1_200_000


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("limit", ["dataset_bytes", "log_bytes"])
def test_a_log_beyond_a_limit_is_named_with_it_and_costs_only_itself(limit, pack, folder):
    long = GOOD["run1/flow1.log"] * 200
    (folder / "run3").mkdir()
    (folder / "run3/flow1.log").write_bytes(pack(long))
    limits = Limits()._replace(**{limit: len(long) - 1})
    tables = parse_dataset(folder, limits)
    problems = dict(tables["file"].filter(format="unreadable").select("path", "problem").rows())
    assert list(problems) == ["run3/flow1.log"]
    assert f"limits.{limit} in config/config.yaml" in problems["run3/flow1.log"]
    assert set(tables["run"]["run_id"]) == {"run1", "run2"}
    more = Limits()._replace(**{limit: 2 * len(long)})
    assert not len(parse_dataset(folder, more)["file"].filter(format="unreadable"))


def test_a_line_beyond_its_limit_is_rejected_and_named_with_it(folder):
    log = folder / "run1/flow1.log"
    good = log.read_bytes()
    log.write_bytes(good + b"x" * 300 + b"\n")
    (reason,) = parse_dataset(folder, Limits(line_bytes=200))["rejected"]["reason"]
    assert "limits.line_bytes in config/config.yaml" in reason
    (reason,) = parse_dataset(folder, Limits(line_bytes=400))["rejected"]["reason"]
    assert "limits" not in reason


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_without_line_feeds_is_read_in_linear_time(pack, tmp_path, monkeypatch):
    sizes = {"PLAIN_BYTES": 4096, "BLOCK_BYTES": 4096, "LINE_BYTES": 512}
    for name, size in sizes.items():
        monkeypatch.setattr(evenflow.files, name, size)
    path = tmp_path / "zeros"
    content = b"first\n" + bytes(2**20) + b"\nlast\n"
    path.write_bytes(pack(content))
    blocks = [bytes(read()) for read in block_readers(path, line_bytes=2**16)]
    assert b"".join(blocks) == content
    assert max(map(len, blocks)) <= 2**16 + 2 * 4096
    assert blocks[0].startswith(b"first\n")
    assert blocks[-1].endswith(b"last\n")


def test_zeros_without_a_line_feed_are_accounted_for_quickly(folder, tmp_path):
    with (folder / "zeros.bin").open("wb") as handle:
        handle.truncate(8 * LARGE_BYTES)  # a file of holes: no block of the disk
    begun = time.monotonic()
    ledger = ledger_of(folder, tmp_path)
    assert time.monotonic() - begun < 20
    assert ledger["zeros.bin"]["format"] == "unknown"
    assert ledger["zeros.bin"]["bytes_skipped"] == 8 * LARGE_BYTES
    assert ledger["zeros.bin"]["lines"] == 1


def test_a_rejected_line_without_end_is_cut_short_in_the_ledger(folder):
    log = folder / "run1/flow1.log"
    log.write_bytes(log.read_bytes() + b"x" * 5000 + b"\n")
    (text,) = parse_dataset(folder)["rejected"]["text"]
    assert text == "x" * 1000
