"""Hostile folders: a table of cases, each a function that spoils a folder, and how it must end.

A folder holds a good run (`GOOD`) and what the case adds. It ends in one of

    error     the folder is refused; the message fits the pattern
    file      the ledger has a file whose 'path: format: reason' fits
    line      the ledger has a rejected line whose 'path:line: reason' fits
    finding   a finding 'check: message' fits
    assumed   an assumption 'what: value' fits
    right     nothing to say: `n` runs

and the good run keeps its samples unless the folder is refused. `test_hostile` has the limits.
"""

import bz2
import gzip
import json
import lzma
import os
import random
import socket
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from raw_data import LOGS, ROOT

FORMATS = ROOT / "tests/fixtures/formats"
LOG = (LOGS / "iperf2/plain.server.log").read_bytes()
GOOD = {f"run1/flow{i}.log": LOG + b"\n" * i for i in (1, 2)}
TEXT3 = (FORMATS / "iperf3/3.22/tcp.client.log").read_bytes()
JSON3 = (FORMATS / "iperf3-json/3.22/tcp.client.json").read_bytes()
DOCUMENT = json.loads(JSON3)
LINES = LOG.splitlines(keepends=True)
REPORTS = [i for i, line in enumerate(LINES) if b" sec " in line]
PATTERN = 'files:\n  - {path: "run{repeat}/flow{flow}.log", format: iperf2}\n'


class Case(NamedTuple):
    """spoil: what is done to the folder; ends, says: how it must end; n: runs, None for any."""

    spoil: Callable[[Path], None]
    ends: str
    says: str = ""
    n: int | None = 1


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def file(content: bytes, ends: str, says: str = "", n: int | None = -1, name: str = "odd.log"):
    """A case of one more file: what can be read of it is a second run."""
    n = (1 if ends == "file" else 2) if n == -1 else n
    return Case(lambda folder: write(folder / name, content), ends, says, n)


def described(yml: str | bytes, ends: str, says: str = "", n: int | None = 1, **files: bytes):
    """A case of a dataset.yml, and of more files: runs_csv is runs.csv."""

    def spoil(folder: Path) -> None:
        write(folder / "dataset.yml", yml.encode() if isinstance(yml, str) else yml)
        for name, content in files.items():
            write(folder / name.replace("_", "."), content)

    return Case(spoil, ends, says, n)


def with_line(new: bytes, at: int = 2) -> bytes:
    """The good log with a report replaced."""
    i = REPORTS[at]
    return b"".join([*LINES[:i], new + b"\n", *LINES[i + 1 :]])


def changed(old: bytes, new: bytes, log: bytes = LOG) -> bytes:
    assert old in log
    return log.replace(old, new)


def document(change: Callable[[dict], None], **form) -> bytes:
    """An iperf3 document after a change."""
    copy = json.loads(JSON3)
    change(copy)
    return json.dumps(copy, **form).encode()


def interval(key: str, value: object, **form) -> bytes:
    """An iperf3 document with a value in one of its intervals."""
    return document(lambda d: d["intervals"][1]["streams"][0].__setitem__(key, value), **form)


def every_interval(key: str, change: Callable, **form) -> bytes:
    def spoil(d: dict) -> None:
        for part in d["intervals"]:
            for stream in part["streams"]:
                stream[key] = change(stream[key])

    return document(spoil, **form)


# ---- contents -----------------------------------------------------------------------------------


def contents() -> dict[str, Case]:
    """Files of bytes that no tool wrote, or that a tool wrote when something broke."""
    noise = random.Random(24).randbytes
    page = "Two flows – 測定 🚀\n" * 50
    return {
        "empty": file(b"", "file", "", name="run2/flow1.log"),
        "empty of no log": file(b"", "file", "", name="notes.txt"),
        "line feed": file(b"\n", "file"),
        "blanks": file(b" \t \r\n" * 50, "file"),
        "zeros": file(bytes(2**20), "file"),
        "zeros after a log": file(LOG + bytes(2**20), "file", "doubtful"),
        "zeros before a log": file(bytes(2**20) + b"\n" + LOG, "file", "unknown"),
        "zeros within a log": file(with_line(bytes(70000)), "file", "doubtful"),
        "a byte": file(b"\xff", "file"),
        "noise": file(noise(2**20), "file"),
        "noise of lines": file(noise(2**18).replace(b"\0", b"\n"), "file"),
        "no line feed at the end": file(LOG.rstrip(b"\n"), "right"),
        "no line feed at all": file(LOG.replace(b"\n", b" "), "file"),
        "CR only": file(LOG.replace(b"\n", b"\r"), "right"),
        "CRLF": file(LOG.replace(b"\n", b"\r\n"), "right"),
        "CR and CRLF mixed": file(LOG.replace(b"\n", b"\r\r\n"), "right"),
        "line separators": file(LOG.replace(b"\n", "\u2028".encode()), "file"),
        "vertical tabs": file(LOG.replace(b"\n", b"\v"), "file"),
        "UTF-8 BOM": file(b"\xef\xbb\xbf" + LOG, "right"),
        "BOM twice": file(b"\xef\xbb\xbf" * 2 + LOG, "line"),
        "UTF-16 LE": file(b"\xff\xfe" + LOG.decode().encode("utf-16-le"), "right"),
        "UTF-16 BE": file(b"\xfe\xff" + LOG.decode().encode("utf-16-be"), "right"),
        "UTF-16 without BOM": file(LOG.decode().encode("utf-16-le"), "file"),
        "UTF-16 cut in a character": file(
            b"\xff\xfe" + LOG.decode().encode("utf-16-le")[:-1], "file"
        ),
        "UTF-32": file(LOG.decode().encode("utf-32"), "file"),
        "EBCDIC": file(LOG.decode().encode("cp500"), "file"),
        "BOM alone": file(b"\xef\xbb\xbf", "file"),
        "a page of text": file(page.encode(), "file"),
        "latin-1": file("Mesuré à l'été\n".encode("latin-1") * 40, "file"),
        "ANSI": file(b"\x1b[31m" + LOG + b"\x1b[0m", "line"),
        "a terminal's title": file(b"\x1b]0;owned\x07" + LOG, "right"),
        "ESC in a line": file(with_line(b"\x1b[2J[  1] what"), "line"),
        "NUL in a line": file(with_line(b"[  1]\0 3.0"), "line"),
        "bell": file(LOG.replace(b"\n", b"\x07\n"), "file", "no report of an interval"),
        "backspaces": file(with_line(b"[  1] 1\x082"), "line"),
        "RTL in a line": file(with_line("[  1] \u202e3.0".encode()), "line"),
        "a giant line": file(LOG + b"x" * (3 * 2**20) + b"\n", "file", "doubtful"),
        "a giant line of digits": file(LOG + b"9" * (3 * 2**20) + b"\n", "file", "doubtful"),
        "a giant line beyond the limit": file(
            LOG + b"x" * (17 * 2**20) + b"\n", "file", "doubtful"
        ),
        "a giant line of brackets": file(LOG + b"[  1] " * 2**17 + b"\n", "file", "doubtful"),
        "a giant line in iperf3": file(TEXT3 + b"[  1] " * 2**17 + b"\n", "file", "doubtful"),
        "a giant line of blanks": file(LOG + b" " * 2**20 + b"\n", "right"),
        "a giant line of quotes": file(JSON3 + b'"' * 2**20 + b"\n", "file", "doubtful"),
        "a million empty lines": file(LOG + b"\n" * 1_000_000, "right"),
        "a shell script": file(b"#!/bin/sh\n" + LOG, "line", name="run.sh"),
        "an ELF program": file(b"\x7fELF\x02\x01\x01" + noise(5000), "file"),
        "a PNG": file(b"\x89PNG\r\n\x1a\n" + noise(5000), "file", name="plot.png"),
        "a PDF": file(b"%PDF-1.7\n" + noise(5000), "file", name="paper.pdf"),
        "a pcap": file(b"\xd4\xc3\xb2\xa1\x02\0\x04\0" + noise(5000), "file", name="x.pcap"),
        "SQLite": file(b"SQLite format 3\0" + noise(5000), "file", name="x.db"),
        "Parquet": file(b"PAR1" + noise(5000) + b"PAR1", "file", name="x.parquet"),
        "a pickle": file(b"\x80\x04\x95\x1c\0\0\0\0\0\0\0cposix\nsystem\n.", "file", name="x.pkl"),
        "HTML": file(b"<html><script>alert(1)</script></html>\n", "file", name="x.html"),
        "an XML bomb": file(XML_BOMB, "file", name="x.xml"),
        "an XML bomb of ns-3": file(
            XML_BOMB.replace(b"lolz", b"FlowMonitor"), "file", name="f.xml"
        ),
        "an XML of another file": file(XML_ENTITY, "file", name="f.flowmonitor"),
        "deep XML": file(
            b'<?xml version="1.0" ?>\n<FlowMonitor>' + b"<a>" * 10**5,
            "line",
            "no XML",
            name="f.xml",
        ),
        "LaTeX": file(b"\\input{/etc/passwd}\\write18{ls}\n" * 9, "file", name="x.tex"),
        "CSV formulas": file(b"=cmd|' /C calc'!A0,@SUM(1+1),+1,-1\n" * 9, "file", name="x.csv"),
        "CSV of another kind": file(b"a;b;c\n1,5;2,5;3,5\n" * 9, "file", name="x.csv"),
        "SQL": file(b"'; DROP TABLE run; --\n" * 9, "file"),
        "a log quoted in a text": file(page.encode() * 9 + LOG[:300] + page.encode(), "file"),
    }


XML_BOMB = (
    b'<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY l "lol">'
    + b"".join(
        b'<!ENTITY l%d "%s">' % (i, (b"&l%d;" % (i - 1) if i else b"&l;") * 10) for i in range(12)
    )
    + b"]>\n<lolz>&l11;</lolz>\n"
)
XML_ENTITY = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE FlowMonitor [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n'
    b"<FlowMonitor>&x;</FlowMonitor>\n"
)


def compressed() -> dict[str, Case]:
    """Compressed files: truncated, joined, nested, damaged, bombs."""
    gz = gzip.compress(LOG, mtime=0)
    wrong_crc = gz[:-8] + zlib.crc32(b"x").to_bytes(4, "little") + gz[-4:]
    wrong_size = gz[:-4] + b"\xff\xff\xff\x7f"
    cases = {
        "gzip": file(gz, "right", name="odd.log.gz"),
        "gzip without its name": file(gz, "right"),
        "gz that is none": file(LOG, "right", name="odd.log.gz"),
        "gzip truncated": file(gz[: len(gz) // 2], "file", name="odd.log.gz"),
        "gzip of a header": file(gz[:10], "file", name="odd.log.gz"),
        "gzip's two bytes": file(gz[:2], "file", name="odd.log.gz"),
        "gzip joined": file(
            gz + gzip.compress(LINES[REPORTS[2]]), "finding", "clock jump", name="odd.log.gz"
        ),
        "gzip and noise": file(gz + b"noise", "file", name="odd.log.gz"),
        "gzip and zeros": file(gz + bytes(512), "right", name="odd.log.gz"),
        "gzip with a wrong sum": file(wrong_crc, "file", name="odd.log.gz"),
        "gzip with a wrong size": file(wrong_size, "file", name="odd.log.gz"),
        "gzip with a flipped bit": file(gz[:60] + bytes([gz[60] ^ 4]) + gz[61:], "file"),
        "gzip in gzip": file(gzip.compress(gz), "file", name="odd.log.gz.gz"),
        "gzip in gzip in gzip": file(gzip.compress(gzip.compress(gz)), "file", name="o.gz"),
        "gzip of nothing": file(gzip.compress(b""), "file", name="odd.log.gz"),
        "xz truncated": file(lzma.compress(LOG)[:-9], "file", name="odd.log.xz"),
        "bz2 truncated": file(bz2.compress(LOG)[:-9], "file", name="odd.log.bz2"),
        "zstd truncated": file(zstd(LOG)[:-9], "file", name="odd.log.zst"),
        "zstd of noise": file(b"\x28\xb5\x2f\xfd" + LOG, "file", name="odd.log.zst"),
        "an LZ4 frame": file(b"\x04\x22\x4d\x18" + LOG, "line", name="odd.log.lz4"),
        "a tar": file(tar({"a.log": LOG}), "file", name="all.tar"),
        "a tar in gzip": file(gzip.compress(tar({"a.log": LOG})), "file", name="all.tar.gz"),
        "a tar of ../": file(tar({"../../evil.log": LOG}), "file", name="evil.tar"),
        "a zip": file(zipped({"../../../evil.log": LOG}), "file", name="evil.zip"),
        "a bomb of lines": Case(
            lambda d: write(d / "odd.log.gz", gzip.compress(LOG + LINES[REPORTS[2]] * 200_000)),
            "finding",
            "clock jump",
            2,
        ),
        "three bombs": bomb(gzip.compress, 3),
    }
    packers = {"gzip": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zstd": zstd}
    return cases | {f"{name} bomb": bomb(pack) for name, pack in packers.items()}


def bomb(pack: Callable[[bytes], bytes], n: int = 1) -> Case:
    """A case of n small files of 80 MiB each; packed when it is tried, which takes seconds."""

    def spoil(folder: Path) -> None:
        packed = pack(bytes(80 * 2**20))
        for i in range(n):
            write(folder / f"odd{i}.log", packed)

    return Case(spoil, "file", "limits.compression_ratio")


def zstd(data: bytes) -> bytes:
    import pyarrow as pa

    return pa.compress(data, "zstd", asbytes=True)


def tar(files: dict[str, bytes]) -> bytes:
    import io
    import tarfile

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


# ---- logs whose numbers cannot be ---------------------------------------------------------------


def numbers() -> dict[str, Case]:
    """Logs of iperf that are lines of iperf and cannot be true."""
    report = "[  1] {} sec  {} Bytes  {} bits/sec".format
    good = ("2.0000-3.0000", "1250000", "10000000")

    def line(**other: str) -> bytes:
        span, amount, rate = (
            other.get(k, g) for k, g in zip(("span", "amount", "rate"), good, strict=True)
        )
        return with_line(report(span, amount, rate).encode())

    csv = b"20261120223528,10.77.0.2,5001,10.77.0.1,33028,4,%s,%s,%s\n"
    rows = [csv % (b"%d.0-%d.0" % (t, t + 1), b"1250000", b"10000000") for t in range(10)]

    def row(*values: bytes) -> bytes:
        return b"".join([*rows[:5], csv % values, *rows[6:]])

    def tenfold(text: bytes, letter: bytes, by: bytes) -> bytes:
        return text.replace(b" " + letter + b"bits/sec", b" " + by + b"bits/sec")

    one, two, three = REPORTS[1:4]
    swapped = [*LINES[:one], LINES[two], LINES[one], *LINES[three:]]
    return {
        "4294967295 bytes": file(line(amount="4294967295"), "finding"),
        "-1 bytes": file(line(amount="-1"), "line"),
        "a 64-bit counter that wrapped": file(line(amount="18446744073709551615"), "line"),
        "NaN rate": file(line(rate="nan"), "right", n=None),
        "infinite rate": file(line(rate="inf"), "right", n=None),
        "1e999 rate": file(line(rate="1e999"), "line"),
        "1e999 bytes": file(line(amount="1e999"), "line"),
        "400 digits": file(line(amount="9" * 400), "line"),
        "hexadecimal": file(line(amount="0xff"), "line"),
        "a decimal comma": file(line(span="2,0000-3,0000", amount="1,25"), "line"),
        "Arabic digits": file(with_line("[  1] ٢.0-٣.0 sec  ١ Bytes".encode()), "line"),
        "negative interval": file(line(span="-2.0000--1.0000"), "line"),
        "reversed interval": file(line(span="3.0000-2.0000"), "line"),
        "interval of zero length": file(line(span="2.0000-2.0000"), "line"),
        "overlapping intervals": file(line(span="1.5000-3.0000"), "finding", "overlap"),
        "interval of 30 years": file(line(span="2.0000-1000000000.0000"), "finding"),
        "interval of 1e300 s": file(line(span="2.0000-1e300"), "line"),
        "the clock goes back": file(b"".join(swapped), "finding", "clock"),
        "huge id": file(with_line(b"[99999999999] 2.0-3.0 sec 1 Bytes 8 bits/sec"), "line"),
        "negative id": file(
            with_line(b"[ -1] 2.0-3.0 sec  1250000 Bytes  10000000 bits/sec"), "line"
        ),
        "rates tenfold in iperf2": file(
            LOG.replace(b"94.4 Mbits", b"944 Mbits"), "finding", "rates"
        ),
        "rates by 1000 in iperf3": file(tenfold(TEXT3, b"M", b"G"), "finding", "rates"),
        "rates tenfold in JSON": file(
            every_interval("bits_per_second", lambda v: v * 10), "finding", "rates"
        ),
        "rates below zero in JSON": file(
            every_interval("bits_per_second", lambda v: -5), "finding", "rates below zero"
        ),
        "a round trip below zero in JSON": file(
            interval("rtt", -5), "finding", "round-trip times below zero"
        ),
        "a window below zero in JSON": file(
            interval("snd_cwnd", -5), "finding", "windows below zero"
        ),
        "retransmits below zero in JSON": file(interval("retransmits", -5), "right"),
        "bytes below zero in JSON": file(interval("bytes", -5), "finding", "end or bytes"),
        "a rate doubled in JSON": file(interval("bits_per_second", 1e9), "finding", "rates"),
        "rates tenfold in CSV": file(
            b"".join(rows).replace(b",10000000\n", b",100000000\n"), "finding", "rates"
        ),
        "CSV 4294967295": file(row(b"5.0-6.0", b"4294967295", b"10000000"), "right", n=None),
        "CSV -1": file(row(b"5.0-6.0", b"-1", b"-1"), "right", n=None),
        "CSV 2^64": file(row(b"5.0-6.0", b"18446744073709551616", b"1"), "right", n=None),
        "CSV NaN": file(row(b"5.0-6.0", b"nan", b"nan"), "line"),
        "CSV too few": file(b"".join(rows) + b"20261120223528,10.77.0.2\n", "line"),
        "CSV quotes": file(b"".join(rows) + b'"a\nb",1,2\n', "line"),
        "CSV backwards": file(row(b"6.0-5.0", b"1", b"1"), "line"),
        "CSV year 0": file(b"".join(rows).replace(b"20261120", b"00000000"), "right", n=None),
        "CSV year 9999": file(b"".join(rows).replace(b"20261120", b"99991231"), "right", n=None),
        "twice the log": file(LOG + LOG, "right", n=None),
        "the same log as two flows": Case(
            lambda d: [write(d / f"run2/flow{i}.log", LOG) for i in (1, 2)] and None,
            "finding",
            "identical logs",
            2,
        ),
        "iperf2 and iperf3": file(LOG + TEXT3, "line", n=3),
        "iperf3 and iperf2": file(TEXT3 + LOG, "right", n=None),
        "text and JSON": file(TEXT3 + JSON3, "right", n=None),
        "JSON and text": file(JSON3 + LOG, "line"),
        "all formats": file(b"\n".join([LOG, TEXT3, JSON3, *rows]), "right", n=None),
        "interleaved logs": file(
            b"".join(a + b for a, b in zip(LINES, TEXT3.splitlines(True), strict=False)), "line"
        ),
    }


def documents() -> dict[str, Case]:
    """JSON of iperf3 and flent."""
    small = {"separators": (",", ":")}
    cases = {
        f"JSON {key} {value!r:.20}": file(interval(key, value), ends, says)
        for key, value, ends, says in (
            ("bytes", True, "line", "no start, end or bytes"),
            ("bytes", "12", "line", "no start, end or bytes"),
            ("bytes", None, "line", "no start, end or bytes"),
            ("bytes", -1, "line", "no start, end or bytes"),
            ("bytes", 2**64, "line", "no start, end or bytes"),
            ("bytes", 10**400, "line", "no start, end or bytes"),
            ("bytes", [], "file", "no report of an interval"),
            ("end", float("nan"), "line", "no start, end or bytes"),
            ("end", float("inf"), "line", "no start, end or bytes"),
            ("end", -1, "line", "ends before it begins"),
            ("start", {}, "file", "no report of an interval"),
            ("rtt", True, "right", ""),
            ("retransmits", -1, "right", ""),
            ("socket", 2**70, "right", ""),
            ("socket", None, "file", "no report of an interval"),
            ("sender", "yes", "right", ""),
            ("omitted", "yes", "right", ""),
        )
    }
    deep = b'{"start":' + b"[" * 100_000
    return cases | {
        "JSON on a line with a bad interval": file(
            interval("bytes", True, **small), "line", "1: the interval has no start"
        ),
        "JSON on a line, cut": file(
            json.dumps(DOCUMENT, **small).encode()[:-99], "file", "no report of an interval"
        ),
        "JSON cut": file(JSON3[: len(JSON3) // 2], "line", "breaks"),
        "JSON cut in a string": file(JSON3[: JSON3.index(b'"version"') + 4], "file"),
        "JSON deep": file(deep, "file"),
        "JSON deep objects": file(b'{"start":' + b'{"a":' * 100_000, "file"),
        "JSON of duplicate keys": file(
            b'{"start":{"connected":[]},' + JSON3.lstrip()[1:], "right", n=None
        ),
        "JSON with a comment": file(b"// made by me\n" + JSON3, "line"),
        "JSON with a trailing comma": file(JSON3.rstrip()[:-1] + b",}\n", "line"),
        "JSON of NaN": file(
            JSON3.replace(b'"omitted":\tfalse', b'"omitted":\tNaN'), "right", n=None
        ),
        "JSON twice": file(JSON3 + JSON3, "right", n=None),
        "JSON of an error": file(
            b'{"start": {"connected": []}, "error": "\\u001b[2Jboom"}\n', "file"
        ),
        "JSON of a lone surrogate": file(
            document(lambda d: d["start"].__setitem__("version", "\ud800")), "right"
        ),
        "JSON with an escape": file(
            document(lambda d: d["start"].__setitem__("version", "\x1b[2J|`<b>")), "right"
        ),
        "JSON with a wrong start": file(
            document(lambda d: d.__setitem__("start", [1, 2])), "right", n=None
        ),
        "JSON of 1e400 seconds": file(
            document(lambda d: d["start"]["timestamp"].__setitem__("timesecs", 10**400)),
            "right",
            n=None,
        ),
        "JSON of year 3e10": file(
            document(lambda d: d["start"]["timestamp"].__setitem__("timesecs", 10**18 - 1)),
            "right",
            n=None,
        ),
        "JSON with a huge MSS": file(
            document(lambda d: d["start"].__setitem__("tcp_mss_default", 2**80)), "right", n=None
        ),
        "JSON array": file(b"[" + JSON3 + b"]", "file"),
        "JSON null": file(b"null\n", "file", name="x.json"),
        "flent NaN": file(
            b'{"metadata": {}, "results": {}, "raw_values": {"TCP": [{"t": NaN, "val": NaN}]}, '
            b'"version": 4, "x_values": []}',
            "file",
            name="x.flent",
        ),
        "flent deep": file(
            b'{"metadata": {}, "raw_values": ' + b"[" * 100_000, "file", name="x.flent"
        ),
        "flent of a list": file(
            b'{"metadata": [], "results": [], "raw_values": [], "version": "4"}',
            "file",
            name="x.flent",
        ),
    }


# ---- descriptions -------------------------------------------------------------------------------

ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(9 * [f'*{old}'])}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
CSV = "runs: runs.csv\n"


def descriptions() -> dict[str, Case]:
    """dataset.yml and runs.csv."""

    def yml(text: str | bytes, says: str) -> Case:
        return described(text, "error", says)

    def runs(text: str, says: str) -> Case:
        return described(CSV, "error", says, runs_csv=text.encode())

    def pattern(path: str, ends: str, says: str = "", n: int | None = 1) -> Case:
        text = f"files:\n  - path: {json.dumps(path)}\n" + PATTERN.removeprefix("files:\n")
        return described(text, ends, says, n)

    key = "defaults: {{rtt_ms: {}}}\n".format
    many = "files:\n" + "".join(f'  - {{path: "a{i}", format: ignore}}\n' for i in range(5_000))
    million = "files:\n" + '  - {path: "a", format: ignore}\n' * 1_000_000
    return {
        "yml empty": described("", "right"),
        "yml null": described("null\n", "right"),
        "yml a list": yml("- a\n- b\n", "yml"),
        "yml a word": yml("hello\n", "yml"),
        "yml a number": yml("12\n", "yml"),
        "yml aliases": yml(ALIASES, "limits.yaml_values"),
        "yml an alias of itself": yml("title: &a [*a]\n", "an alias refers to"),
        "yml a merge of itself": yml("&a\n<<: *a\ntitle: x\n", "an alias refers to"),
        "yml an unknown alias": yml("title: *a\n", "not valid YAML"),
        "yml deep": yml("title: " + "[" * 5000 + "]" * 5000, "nested too deep"),
        "yml large": yml("title: '" + "x" * 2**20 + "'\n", "limits.yaml_bytes"),
        "yml a million patterns": yml(million, "limits.yaml_bytes"),
        "yml 5,000 patterns": yml(many, "limits.patterns"),
        "yml a program": yml("title: !!python/object/apply:os.system [ls]\n", "not valid YAML"),
        "yml a tag": yml("title: !evil x\n", "not valid YAML"),
        "yml binary": yml("title: !!binary gIGCgw==\n", "title"),
        "yml a set": yml("title: !!set {a, b}\n", "title"),
        "yml noise": yml(random.Random(1).randbytes(3000), "UTF-8"),
        "yml UTF-16": yml("title: x\n".encode("utf-16"), "UTF-8"),
        "yml latin-1": yml("title: Été\n".encode("latin-1"), "UTF-8"),
        "yml with a BOM": described(b"\xef\xbb\xbftitle: x\n", "right"),
        "yml CRLF": described(b"title: x\r\nplatform: testbed\r\n", "right"),
        "yml tabs": yml("title:\n\tx: y\n", "yml:2"),
        "yml NUL": yml("title: a\0b\n", "control character"),
        "yml ESC": yml("title: \x1b[2Jx\n", "control character"),
        "yml an escaped ESC": yml('title: "\\e[2Jx"\n', "control character"),
        "yml duplicate keys": yml("title: a\ntitle: b\n", "is here twice"),
        "yml two documents": yml("title: a\n---\ntitle: b\n", "yml"),
        "yml an unknown key": yml("titel: a\n", "unknown key 'titel'"),
        "yml a list as key": yml("? [a, b]\n: c\n", "yml"),
        "yml wrong types": yml("files: 3\n", "files"),
        "yml a pattern of a number": yml("files: [3]\n", "files"),
        "yml no path": yml("files: [{format: iperf2}]\n", "files"),
        "yml an unknown format": yml('files: [{path: "{x}", format: perl}]\n', "unknown format"),
        "yml NaN": yml(key(".nan"), "not a finite number"),
        "yml infinity": yml(key(".inf"), "not a finite number"),
        "yml negative": yml(key("-1"), "rtt_ms"),
        "yml zero bottleneck": yml("defaults: {bottleneck_mbps: 0}\n", "bottleneck_mbps"),
        "yml 1e308": described(PATTERN + key("1.0e+308"), "right"),
        "yml tiny": described(PATTERN + key("1.0e-300"), "right"),
        "yml true": yml(key("true"), "rtt_ms"),
        "yml text": yml(key("'12ms'"), "rtt_ms"),
        "yml a date": yml(key("2026-11-11"), "rtt_ms"),
        "yml 65 bits": yml("defaults: {seed: 9223372036854775808}\n", "64 bits"),
        "yml 6000 digits": yml(f"defaults: {{seed: {'9' * 6000}}}\n", "looks like"),
        "yml a negative warm-up": yml("steady_state: {warmup_s: -1}\n", "warmup_s"),
        "yml a warm-up of an age": described(
            PATTERN + "steady_state: {warmup_s: 1.0e+300}\n", "finding"
        ),
        "yml flow 0": yml(PATTERN + "flows: {0: {cca: bic}}\n", "no log of flow 0"),
        "yml a flow that is not there": yml(
            PATTERN + "flows: {7: {cca: bic}}\n", "no log of flow 7"
        ),
        "yml sexagesimal": yml("defaults: {repeat: 1:2:3}\n", "repeat: YAML reads 1:2:3 as 3723"),
        "yml Norway": described("title: no\n" + PATTERN, "error", "title"),
        "yml HTML": described(
            "title: <script>alert(1)</script>\nsource: '[x](javascript:1)'\n", "right"
        ),
        "yml markdown": described(
            "title: '# | `x` {{< include /etc/passwd >}}'\nsource: '::: {.x}'\n", "right"
        ),
        "yml a formula": described("title: =1+1\n", "right"),
        "pattern of everything": pattern("{x}", "right"),
        "pattern of a regex": pattern("(a+)+$", "right"),
        "pattern of brackets": pattern("run[1]/{x", "error", "a brace in"),
        "pattern of braces": pattern("{}{}/{{x}}", "error", "is not a placeholder"),
        "pattern absolute": pattern("/etc/passwd", "right"),
        "pattern ../": pattern("../other/{x}.log", "right"),
        "pattern of one placeholder often": pattern("{x}" * 40, "right", n=None),
        "pattern of many placeholders": pattern(
            "".join(f"{{x{i}}}" for i in range(60)) + "!", "right", n=None
        ),
        "pattern of many stars": described(
            'files:\n  - {path: "' + "*a" * 40 + '", format: ignore}\n' + PATTERN[7:],
            "error",
            "no pattern",
            **{"a" * 60 + "b.log": LOG},
        ),
        "pattern of a reserved word": pattern("{class}/{lambda}.log", "right", n=None),
        "pattern of a column": pattern("{run_id}/{file_id}", "error", "my_run_id"),
        "pattern of names on the page": described(
            'files:\n  - {path: "{panel}{ccas}/{metric}{value}.log", format: iperf2}\n',
            "right",
            n=None,
        ),
        "pattern of 60 placeholders": described(
            PATTERN
            + '  - {path: "'
            + "".join(f"{{x{i}}}" for i in range(60))
            + '!", format: iperf2}\n'
            + '  - {path: "a*", format: ignore}\n',
            "right",
            **{"a" * 240: LOG},
        ),
        "pattern empty": pattern("", "right", n=None),
        "runs absolute": yml("runs: /etc/passwd\n", "outside"),
        "runs ../": yml("runs: ../runs.csv\n", "outside"),
        "runs a folder": yml("runs: run1\n", "a folder"),
        "runs not there": yml("runs: nope.csv\n", "no file"),
        "runs a number": yml("runs: 3\n", "runs"),
        "runs.csv empty": runs("", "column"),
        "runs.csv no column": runs("a,b\n1,2\n", "no column 'run' or 'path'"),
        "runs.csv a column twice": runs("path,run,run\nrun1/flow1.log,a,b\n", "runs.csv"),
        "runs.csv more values": runs("path,run\nrun1/flow1.log,a,b\n", "more values"),
        "runs.csv a file twice": runs("path,run\nrun1/flow1.log,a\nrun1/flow1.log,b\n", "two rows"),
        "runs.csv no such file": runs("path,run\nnope.log,a\n", "no file"),
        "runs.csv absolute": runs("path,run\n/etc/passwd,a\n", "passwd"),
        "runs.csv ../": runs("path,run\n../good/run1/flow1.log,a\n", r"\.\./good"),
        "runs.csv a long number": runs("path,flow\nrun1/flow1.log,99999999999\n", "too large"),
        "runs.csv NaN": runs("path,rtt_ms\nrun1/flow1.log,nan\n", "not a number"),
        "runs.csv 1e999": runs("path,rtt_ms\nrun1/flow1.log,1e999\n", "not a number"),
        "runs.csv -1": runs("path,rtt_ms\nrun1/flow1.log,-1\n", "not a number"),
        "runs.csv ESC": runs("path,cca\nrun1/flow1.log,\x1b[2Jb\n", "control character"),
        "runs.csv a giant field": runs("path,cca\na.log," + "x" * 200_000 + "\n", "CSV"),
        "runs.csv a quote without end": runs('path,cca\n"run1/flow1.log,b\n', "runs.csv"),
        "runs.csv semicolons": runs("path;run\nrun1/flow1.log;a\n", "no column"),
        "runs.csv all in one flow": runs(
            "path,run,flow\nrun1/flow1.log,r,1\nrun1/flow2.log,r,1\n", "flow"
        ),
        "runs.csv a million columns": runs(
            "path," + ",".join(f"c{i}" for i in range(30_000)) + "\nrun1/flow1.log\n", "flow2"
        ),
    }


# ---- what is no file ----------------------------------------------------------------------------


def oddities() -> dict[str, Case]:
    """Links, pipes, sockets, devices, folders where files should be."""

    def link(target: str, name: str = "odd.log") -> Callable[[Path], None]:
        return lambda folder: (folder / name).symlink_to(target)

    def bound(folder: Path) -> None:
        here = Path.cwd()
        os.chdir(folder)  # the name of a socket is short
        try:
            with socket.socket(socket.AF_UNIX) as server:
                server.bind("s.log")
        finally:
            os.chdir(here)

    def outside(folder: Path) -> None:
        write(folder.parents[1] / "outside.log", LOG)
        (folder / "run2.log").symlink_to("../../outside.log")

    def empty_files(folder: Path) -> None:
        for i in range(600):
            write(folder / f"run{i + 5}/flow1.log", b"")

    def deep(folder: Path) -> None:
        write(folder / Path(*["d"] * 200) / "x.txt", b"x")

    def hard(folder: Path) -> None:
        (folder / "run2").mkdir()
        for i in (1, 2):
            os.link(folder / f"run1/flow{i}.log", folder / f"run2/flow{i}.log")

    def small_logs(folder: Path) -> None:
        for i in range(300):
            write(folder / f"{i:x}z.log", LOG + b"\n" * i)

    return {
        "a link to nothing": Case(link("nowhere"), "file", "cannot be reached"),
        "a link to itself": Case(link("odd.log"), "file", "cannot be reached"),
        "a link up": Case(link("."), "file", "a link to a folder"),
        "a link to the root": Case(link("/"), "file", "a link to a folder"),
        "a link to a device": Case(link("/dev/zero"), "file", "a device"),
        "a link out of the data set": Case(outside, "right", n=2),
        "a link to memory": Case(link("/proc/self/mem"), "file", "not a file on a disk"),
        "a link to a process": Case(link("/proc/self/environ"), "file", "not a file on a disk"),
        "a link without an end": Case(link("/proc/self/pagemap"), "file", "not a file on a disk"),
        "a link that waits": Case(link("/proc/kmsg"), "file", "not a file on a disk"),
        "a pipe": Case(lambda d: os.mkfifo(d / "p.log"), "file", "a named pipe"),
        "a pipe as dataset.yml": Case(
            lambda d: os.mkfifo(d / "dataset.yml"), "error", "named pipe"
        ),
        "a folder as dataset.yml": Case(lambda d: (d / "dataset.yml").mkdir(), "error", "a folder"),
        "dataset.yml a link to nothing": Case(link("x", "dataset.yml"), "error", "reached"),
        "dataset.yml a link to itself": Case(
            link("dataset.yml", "dataset.yml"), "error", "reached"
        ),
        "dataset.yml a link to a device": Case(
            link("/dev/zero", "dataset.yml"), "error", "link out"
        ),
        "dataset.yml a link out": Case(link("/etc/passwd", "dataset.yml"), "error", "link out"),
        "a socket": Case(bound, "file", "a socket"),
        "a folder named as a log": Case(lambda d: (d / "odd.log").mkdir(), "right"),
        "600 empty files": Case(empty_files, "file"),
        "300 logs": Case(small_logs, "right", n=301),
        "deep folders": Case(deep, "file"),
        "hard links": Case(hard, "finding", "identical logs", 2),
    }


# ---- names --------------------------------------------------------------------------------------

NAMES: dict[str, bytes] = {
    "shell": b"$(touch pwn)`id`;rm -rf ~|&>x.log",
    "quotes": b'it\'s "x".log',
    "SQL": b"x'); DROP TABLE run; --.log",
    "glob": b"*[a-z]?{1,2}.log",
    "HTML": b"<img src=x onerror=alert(1)>&amp;.log",
    "URL": b"a%2e%2e%2fb?c#d.log",
    "URL scheme": b"javascript:alert(1).log",
    "format braces": b"{0}{run_id}{{x}}%s%n.log",
    "Snakemake wildcard": b"{dataset}.log",
    "markdown": b"[x](y) ![z](w) **a** `b` $c$ ~~d~~ ^e^.log",
    "a table": b"a|b|c.log",
    "a shortcode": b"{{< include x >}}.log",
    "a div": b"::: {.callout}.log",
    "a citation": b"@fig-x [@y].log",
    "a formula": b"=cmd|'calc'!A0.log",
    "line feed": b"a\nb\n# c.log",
    "CRLF": b"a\r\nb.log",
    "tab": b"a\tb.log",
    "ESC": b"\x1b[31m\x1b]0;x\x07.log",
    "all controls": bytes(range(1, 32)) + b"\x7f.log",
    "C1 controls": "\x85\x9b2J.log".encode(),
    "not UTF-8": b"caf\xe9\xff\xfe.log",
    "a surrogate": b"\xed\xa0\x80.log",
    "an overlong slash": b"a\xc0\xafb.log",
    "RTL override": "a\u202egol.exe.log".encode(),
    "zero width": "a\u200b\u200d\ufeffb.log".encode(),
    "separators": "a\u2028b\u2029c.log".encode(),
    "non-characters": "\ufffe\uffff.log".encode(),
    "private use": "\ue000\U000f0000.log".encode(),
    "emoji": "🚀👩‍👩‍👧.log".encode(),
    "combining": ("a" + "\u0301" * 60 + ".log").encode(),
    "250 bytes": b"x" * 246 + b".log",
    "250 bytes of UTF-8": "測".encode() * 82 + b".log",
    "leading dash": b"-rf.log",
    "two dashes": b"--help",
    "a dot": b".hidden.log",
    "dots": b"...log",
    "trailing space": b"a.log ",
    "leading space": b" a.log",
    "only spaces": b"   ",
    "trailing dot": b"a.log.",
    "backslashes": b"a\\..\\b\\x1b.log",
    "a Windows device": b"CON.log",
    "a colon": b"C:x.log",
    "equals": b"run=1=2.log",
    "a tilde": b"~root.log",
    "a hash": b"#1.log",
    "comma": b"a,b;c.log",
    "YAML": b"- {a: *b, c: !!d}: &e |.log",
    "JSON": b'{"a": [1].log',
    "regex": b"(a+)+$^.*\\d.log",
    "many digits": b"run" + b"9" * 200 + b".log",
    "zeros": b"run" + b"0" * 200 + b"1.log",
    "digits of another script": "run٣_flow२.log".encode(),
    "superscripts": "run²_flow①.log".encode(),
    "a number with an exponent": b"rtt1e400ms_run2.log",
    "negative numbers": b"rtt-5ms_buf-1_run2.log",
    "NaN": b"rttnanms_nan_inf.log",
    "dates that are none": b"2026-99-99_99-99-99.log",
    "NULL": b"NULL.log",
    "a percent sign": b"100%.log",
    "an at sign": b"user@host.log",
    "a long extension": b"a." + b"b" * 200,
}
PAIRS = {  # names that some file system or reader takes for the same
    "case": ("Run2.log", "run2.LOG"),
    "NFC and NFD": tuple(unicodedata.normalize(form, "é2.log") for form in ("NFC", "NFD")),
    "space": ("a2.log", "a2.log "),
    "compressed and not": ("b2.log", "b2.log.gz"),
    "escape and character": ("a\\x1b.log", "a\x1b.log"),
    "digits alike": ("run2.log", "run02.log"),
    "letters alike": ("pa2.log", "\u0440\u04302.log"),
}


def names() -> dict[str, Case]:
    """Each name is that of a log, and of a folder of two."""
    cases = {}
    for what, name in NAMES.items():
        text = os.fsdecode(name)

        def spoil(folder: Path, text: str = text) -> None:
            write(folder / "file" / text, LOG + b"\n\n\n")
            for i in (1, 2):
                write(folder / "folder" / text / f"flow{i}.log", LOG + b"\n" * (i + 3))

        cases[f"name: {what}"] = Case(spoil, "right", n=1 if name.startswith(b".") else 3)
    for what, pair in PAIRS.items():
        cases[f"names: {what}"] = Case(
            lambda d, pair=pair: (
                [write(d / name, LOG + b"\n" * (i + 5)) for i, name in enumerate(pair)] and None
            ),
            "right",
            n=3,
        )
    return cases


CASES = contents() | compressed() | numbers() | documents() | descriptions() | oddities() | names()
