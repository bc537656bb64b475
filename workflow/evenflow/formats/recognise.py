"""Files that are not read but known by name: what they are and what would help (not_read.yml)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..files import yaml_of

TABLE = Path(__file__).parent / "not_read.yml"
HEAD_BYTES = 4096
NO_LOG = "no log of a known format"
OF_FLOWS = "not read, though it measured flows"  # in the reason of such a file


class Kind(NamedTuple):
    """A kind of file that is not read: the words for it, and what would help (or nothing)."""

    what: str
    help: str
    flows: bool = False  # whether it says what flows got


class _Rule(NamedTuple):
    kind: Kind
    magic: list[re.Pattern]  # of bytes
    pattern: re.Pattern | None  # of text
    name: re.Pattern | None

    def fits(self, head: bytes, text: str) -> bool:
        by_magic = any(pattern.match(head) for pattern in self.magic)
        return by_magic or bool(self.pattern and self.pattern.search(text))


def recognise(content: bytes, path: str | Path | None) -> Kind | None:
    """Return what a file that no format reads is; None where nothing tells.

    Args:
        content: its beginning, decompressed.
        path: its name counts where the content tells nothing.
    """
    head = content[:HEAD_BYTES]
    text = head.decode("latin-1").replace("\r\n", "\n")
    rules = _rules()
    by_content = (rule.kind for rule in rules if rule.fits(head, text))
    name = Path(path).name if path is not None else ""
    for ending in (".gz", ".xz", ".bz2", ".zst"):
        name = name.removesuffix(ending)
    by_name = (rule.kind for rule in rules if rule.name and rule.name.search(name))
    return next(by_content, None) or next(by_name, None)


def why_not_read(content: bytes, path: str | Path | None) -> str:
    """Return the ledger's reason for a file that no format reads."""
    kind = recognise(content, path)
    if kind is None:
        return NO_LOG
    if kind.flows:
        return f"{kind.what}: {OF_FLOWS}; {kind.help}"
    return f"{kind.what}: not read; {kind.help}" if kind.help else f"{kind.what}: no log"


@cache
def _rules() -> list[_Rule]:
    entries = yaml_of(TABLE.read_text(encoding="utf-8"))
    return [
        _Rule(
            Kind(entry["what"], entry["help"], entry.get("flows", False)),
            [_magic(digits) for digits in entry.get("magic", "").split()],
            re.compile(entry["pattern"], re.MULTILINE) if "pattern" in entry else None,
            re.compile(entry["name"], re.IGNORECASE) if "name" in entry else None,
        )
        for entry in entries
    ]


def _magic(digits: str) -> re.Pattern:
    """Return the regular expression of first bytes in hexadecimal, '..' for any."""
    pairs = [digits[i : i + 2] for i in range(0, len(digits), 2)]
    found = b"".join(b"." if pair == ".." else re.escape(bytes.fromhex(pair)) for pair in pairs)
    return re.compile(found, re.DOTALL)
