#!/usr/bin/env python3
"""Make of drawn folders others of the same truth: packed, with other line ends, IPv6, other names.

    python disguise.py NAME OUT DISGUISED      # OUT as generator.py made it

What is true of a folder stays so; where words are changed that say what a number is (`foreign`)
names tell less, so that splits and missed pools are no faults.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import json
import lzma
import re
import zlib
from collections.abc import Callable
from pathlib import Path

ADDRESS = re.compile(rb"(?<![\d.])(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\d.])")
BANNER = b"Warning: Permanently added '10.0.0.1' (ED25519) to the list of known hosts.\n"
CLOSED = b"Connection to 10.0.0.1 closed.\n"
PACKERS = [
    ("", lambda content: content),
    (".gz", lambda content: gzip.compress(content, mtime=0)),
    (".xz", lzma.compress),
    (".bz2", bz2.compress),
]
FOREIGN = {"run": "essai", "rep": "Versuch", "trial": "prueba", "iter": "прогон", "flow": "flux"}


def _packed(path: str, content: bytes) -> tuple[str, bytes]:
    ending, pack = PACKERS[zlib.crc32(path.encode()) % len(PACKERS)]
    return (path, content) if path.endswith(".gz") else (path + ending, pack(content))


def _ipv6(path: str, content: bytes) -> tuple[str, bytes]:
    def longer(match: re.Match) -> bytes:
        a, b, c, d = map(int, match.groups())
        return f"2001:db8:{a:x}{b:02x}:{c:x}::{d:x}".encode()

    return path, ADDRESS.sub(longer, content)


def _capitals(path: str, content: bytes) -> tuple[str, bytes]:
    stem, dot, ending = path.rpartition(".")
    return (stem.upper() + dot + ending if dot else path.upper()), content


def _foreign(path: str, content: bytes) -> tuple[str, bytes]:
    words = "|".join(FOREIGN)
    return re.sub(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", lambda m: FOREIGN[m[0]], path), content


def _remote(content: bytes) -> bytes:
    """Over ssh, as a terminal shows it: a banner before the log, a farewell behind it."""
    return BANNER + content + CLOSED if content.strip() else content


def _content(change: Callable[[bytes], bytes]) -> Callable[[str, bytes], tuple[str, bytes]]:
    """Return a disguise of contents, of files that are not packed; Flent writes its own."""
    apart = (".gz", ".flent")
    return lambda path, content: (path, content if path.endswith(apart) else change(content))


DISGUISES: dict[str, Callable[[str, bytes], tuple[str, bytes]]] = {
    "packed": _packed,
    "crlf": _content(lambda content: content.replace(b"\n", b"\r\n")),
    "bom": _content(lambda content: b"\xef\xbb\xbf" * bool(content) + content),
    "ipv6": _ipv6,
    "capitals": _capitals,
    "spaces": lambda path, content: (path.replace("_", " "), content),
    "deep": lambda path, content: (f"Été à Genève/2nd try (final)/{path}", content),
    "foreign": _foreign,
    "remote": _content(_remote),
}


def disguise(name: str, out: Path, to: Path) -> dict[str, dict[str, str]]:
    """Write all folders of `out`, disguised, and their truth.

    Returns:
        By folder the new path of each file.
    """
    change, all_moved = DISGUISES[name], {}
    for truth_path in sorted((out / "truth").glob("*.json")):
        truth = json.loads(truth_path.read_text(encoding="utf-8"))
        raw = out / "raw" / truth["name"]
        moved = {}
        for file in sorted(p for p in raw.rglob("*") if p.is_file()):
            path = file.relative_to(raw).as_posix()
            moved[path], content = change(path, file.read_bytes())
            target = to / "raw" / truth["name"] / moved[path]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if len(set(moved.values())) < len(moved):
            raise SystemExit(f"{truth['name']}: two paths are one when disguised as {name}")
        all_moved[truth["name"]] = moved
        for file in truth["files"]:
            file["path"] = moved[file["path"]]
            file["copy_of"] = moved.get(file["copy_of"])
        (to / "truth").mkdir(parents=True, exist_ok=True)
        (to / "truth" / truth_path.name).write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return all_moved


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=DISGUISES)
    parser.add_argument("out", type=Path)
    parser.add_argument("to", type=Path)
    options = parser.parse_args()
    disguise(options.name, options.out, options.to)
