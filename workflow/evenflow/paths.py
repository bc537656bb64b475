"""Names of raw files: how they are written wherever they are shown, and which of them are files.

A name on disk is bytes, any but '/' and NUL. In tables, pages, figures and messages it is written
so that it is text on one line and can be read back ('Names of files' in
docs/reference/data-model.md):
    \\\\            a backslash
    \\n \\r \\t      line feed, carriage return, tab
    \\x1b          another control character of ASCII; from \\x80 on a byte that is not UTF-8
    \\u202e        any other character that prints nothing or turns what is beside it
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# categories of Unicode: controls, formats (the direction of text), surrogates, line separators
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
LONG = {text: character for character, text in SHORT.items()} | {r"\\": "\\"}
ESCAPED = re.compile(r"\\(?:[\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
KINDS = {  # what is neither a file nor a folder
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}
KERNELS = ("/proc/", "/sys/")  # files in them have no end, say that they are empty, or never wait


def printable(text: object, keep: str = "") -> str:
    """Return text with what no terminal, page or YAML file should get written as an escape.

    Args:
        text: anything; as it is where all of it can be printed.
        keep: characters that are left as they are.
    """
    text = str(text)
    rest = text.translate(dict.fromkeys(map(ord, keep))) if keep else text
    if rest.isascii() and rest.isprintable():
        return text
    return "".join(c if c in keep else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if unicodedata.category(character) not in HIDDEN and code & 0xFFFE != 0xFFFE:
        return character
    if character in SHORT:
        return SHORT[character]
    if 0xDC80 <= code <= 0xDCFF:  # how Python holds a byte of a name that is not UTF-8
        return rf"\x{code - 0xDC00:02x}"
    if code < 0x80:
        return rf"\x{code:02x}"
    return rf"\u{code:04x}" if code < 0x10000 else rf"\U{code:08x}"


def shown_path(path: str | Path) -> str:
    """Return a path as it is written in tables, pages, figures and messages."""
    return printable(Path(path).as_posix().replace("\\", "\\\\"))


def path_shown_as(text: str) -> str:
    """Return the path that is written so: `shown_path` undone."""
    return ESCAPED.sub(lambda found: _meant(found[0]), text)


def _meant(escape: str) -> str:
    if escape in LONG:
        return LONG[escape]
    code = int(escape[2:], 16)
    return chr(code + 0xDC00 if escape[1] == "x" and code >= 0x80 else code)


class Found(NamedTuple):
    """What is in a folder: problem, why it is no file that can be read (None where it is one);
    lost: whether it may hold logs all the same."""

    path: Path
    problem: str | None = None
    lost: bool = False


def list_files(folder: str | Path, inside: Iterable[str | Path] | None = None) -> list[Found]:
    """List what is in a folder and below it, but for folders: sorted, nothing is opened.

    Links to folders are not followed: their files would count twice, and a loop has no end.

    Args:
        folder: the folder.
        inside: folders in it, relative to it; where they are given, what is in each of them and not
            below it is listed, and nothing else. One that is gone since holds nothing.
    """
    found: list[Found] = []
    folders = [Path(folder)] if inside is None else [Path(folder, name) for name in inside]
    while folders:
        here = folders.pop()
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    path = here / entry.name
                    if not entry.is_dir(follow_symlinks=False):
                        found.append(Found(path, *_why_no_file(entry)))
                    elif inside is None:
                        folders.append(path)
        except OSError as error:
            if inside is None or not isinstance(error, FileNotFoundError):
                problem = f"the folder cannot be read: {error.strerror}"
                found.append(Found(here, problem, lost=True))
    return sorted(found, key=lambda entry: entry.path.parts)


def holds_files(folder: str | Path) -> bool:
    """Say whether a folder holds anything but folders, or something that may not be looked into."""
    closed: list[OSError] = []
    return any(names for _, _, names in os.walk(folder, onerror=closed.append)) or bool(closed)


def _why_no_file(entry: os.DirEntry) -> tuple[str | None, bool]:
    try:
        kind = entry.stat().st_mode
    except OSError as error:
        if not entry.is_symlink():
            return f"the file cannot be reached: {error.strerror}", True
        return _unreached(Path(entry.path), error), False
    if stat.S_ISDIR(kind):
        return "a link to a folder: links to folders are not followed", False
    if is_of_kernel(entry):
        return f"a link to '{_target(Path(entry.path))}', which is not a file on a disk", False
    if stat.S_ISREG(kind):
        return None, False
    return KINDS.get(stat.S_IFMT(kind), "neither file nor folder"), False


def is_of_kernel(entry: os.DirEntry) -> bool:
    """Say whether an entry of a folder is a link into /proc or /sys (Linux)."""
    return entry.is_symlink() and os.path.realpath(entry.path).startswith(KERNELS)


def _unreached(path: Path, error: OSError) -> str:
    return f"a link to '{_target(path)}', which cannot be reached: {error.strerror}"


def _target(path: Path) -> str:
    return printable(path.readlink())


def why_not_own(folder: str | Path, path: str | Path) -> str | None:
    """Say why a file that is there may not describe a data set; None where it may.

    It must be a file that lies in the data set's folder: a link out of an archive of a stranger
    would bring whatever it leads to into tables and pages.
    """
    path = Path(path)
    try:
        kind = path.stat().st_mode
    except OSError as error:
        return _unreached(path, error) if path.is_symlink() else f"{error.strerror}"
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        return "a link out of the data set" if path.is_symlink() else "outside of the data set"
    if not stat.S_ISREG(kind):
        return KINDS.get(stat.S_IFMT(kind), "neither file nor folder")
    return None
