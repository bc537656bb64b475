"""What a PDF of typst is made of: its links, where they lead, and the sizes of its letters.

A reader of what typst writes, plain objects with a table of where they are, and of no other PDF.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from math import hypot
from pathlib import Path
from typing import NamedTuple

TOKEN = re.compile(
    rb"<<|>>|[\[\]]|/[^\s<>\[\]()/%{}]*|<[0-9A-Fa-f\s]*>"
    rb"|\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|[^\s<>\[\]()/]+",
    re.DOTALL,
)
REFERENCE = re.compile(rb"(\d+)\s+0\s+R\b")
ESCAPE = re.compile(rb"\\(\d{1,3}|.)", re.DOTALL)
IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Ref(int):
    """The number of an object."""


class Stream(NamedTuple):
    """What an object says of its bytes, and these."""

    about: dict
    data: bytes


class Pdf:
    """The objects of a file by number, and its root."""

    def __init__(self, path: Path):
        self.bytes = path.read_bytes()
        begin = int(re.search(rb"startxref\s+(\d+)\s+%%EOF\s*$", self.bytes)[1])
        table = re.match(rb"xref\s+0 (\d+)\s*\n", self.bytes[begin:])
        assert table, "a table that is a stream: typst wrote none"
        lines = self.bytes[begin + table.end() :]
        entries = [lines[20 * i : 20 * i + 18] for i in range(int(table[1]))]
        self.at = {i: int(entry[:10]) for i, entry in enumerate(entries) if entry[17:] == b"n"}
        self.root = self.get(Ref(re.search(rb"/Root (\d+) 0 R", lines)[1]))

    def get(self, value):
        """Return what a reference is of; any other value as it is."""
        if not isinstance(value, Ref):
            return value
        begin = self.bytes.index(b"obj", self.at[value]) + 3
        end = self.bytes.index(b"endobj", begin)
        text = self.bytes[begin:end]
        head, is_stream, _ = text.partition(b"stream")
        found = next(values(REFERENCE.sub(rb"\1\0R", head)))
        if not is_stream:
            return found
        start = begin + len(head) + len(b"stream\n")
        data = self.bytes[start : start + int(self.get(found["Length"]))]
        return Stream(found, zlib.decompress(data) if "Filter" in found else data)

    def pages(self, node: dict | None = None) -> Iterator[tuple[Ref, dict]]:
        """Yield the pages in their order."""
        node = node or self.get(self.root["Pages"])
        for kid in node["Kids"]:
            page = self.get(kid)
            if page["Type"] == "/Page":
                yield kid, page
            else:
                yield from self.pages(page)

    def links(self) -> Iterator[dict]:
        """Yield the annotations that are links."""
        for _, page in self.pages():
            for note in map(self.get, self.get(page.get("Annots", []))):
                if note["Subtype"] == "/Link":
                    yield note

    def places(self) -> dict[bytes, list]:
        """Return the places that have a name: {name: [page, how, x, y, zoom]}."""
        found = {}

        def walk(node: dict) -> None:
            names = self.get(node.get("Names", []))
            for name, where in zip(names[::2], names[1::2], strict=True):
                there = self.get(where)
                found[name] = there["D"] if isinstance(there, dict) else there
            for kid in self.get(node.get("Kids", [])):
                walk(self.get(kid))

        walk(self.get(self.get(self.root.get("Names", {})).get("Dests", {})))
        return found

    def sizes(self) -> Iterator[tuple[int, float, int]]:
        """Yield (page from 1, size in pt, how many bytes of text) of each text that is shown."""
        for number, (_, page) in enumerate(self.pages(), start=1):
            parts = self.get(page["Contents"])
            parts = parts if isinstance(parts, list) else [page["Contents"]]
            text = b"\n".join(self.get(part).data for part in parts)
            for size, length in self._shown(text, self.get(page["Resources"]), IDENTITY):
                yield number, size, length

    def _shown(self, text: bytes, resources: dict, matrix: tuple) -> Iterator[tuple[float, int]]:
        given, kept, size, line = [], [], 0.0, IDENTITY
        for value in values(text, operators=True):
            if not isinstance(value, Operator):
                given.append(value)
                continue
            match value:
                case "q":
                    kept.append((matrix, size))
                case "Q":
                    matrix, size = kept.pop()
                case "cm":
                    matrix = times(given, matrix)
                case "BT":
                    line = IDENTITY
                case "Tf":
                    size = given[-1]
                case "Tm":
                    line = tuple(given)
                case "Tj" | "TJ" | "'" | '"':
                    _, _, c, d, *_ = times(line, matrix)
                    shown = given[-1] if isinstance(given[-1], list) else given[-1:]
                    length = sum(len(part) for part in shown if isinstance(part, bytes))
                    yield size * hypot(c, d), length
                case "Do":
                    form = self.get(self.get(resources["XObject"])[given[0][1:]])
                    if form.about["Subtype"] == "/Form":
                        own = self.get(form.about.get("Resources", resources))
                        inner = times(form.about.get("Matrix", IDENTITY), matrix)
                        yield from self._shown(form.data, own, inner)
            given = []
        assert not kept


class Operator(str):
    """A command of a page's drawing."""


def values(text: bytes, operators: bool = False) -> Iterator:
    """Yield the values of a text in their order, dictionaries and lists as such."""
    tokens = (found[0] for found in TOKEN.finditer(text))

    def value(token: bytes):
        if token == b"<<":
            items = list(until(b">>"))
            return {key[1:]: item for key, item in zip(items[::2], items[1::2], strict=True)}
        if token == b"[":
            return list(until(b"]"))
        if token.startswith(b"/"):
            return token.decode()
        if token.startswith(b"("):
            return ESCAPE.sub(unescaped, token[1:-1])
        if token.startswith(b"<"):
            return bytes.fromhex(token[1:-1].decode())
        if token.endswith(b"\0R"):
            return Ref(token[:-2])
        try:
            return float(token)
        except ValueError:
            return Operator(token.decode("latin-1")) if operators else token.decode("latin-1")

    def until(end: bytes) -> Iterator:
        for token in tokens:
            if token == end:
                return
            yield value(token)

    for token in tokens:
        yield value(token)


def unescaped(found: re.Match) -> bytes:
    """Return the byte that an escape in a string stands for."""
    code = found[1]
    if code.isdigit():
        return bytes([int(code, 8)])
    return {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(code, code)


def times(one: tuple, other: tuple) -> tuple:
    """Return the matrix that does one, then the other."""
    a, b, c, d, e, f = one
    g, h, i, j, k, m = other
    linear = (a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j)
    return (*linear, e * g + f * i + k, e * h + f * j + m)
