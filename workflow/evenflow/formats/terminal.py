"""What a terminal leaves in a log that was copied from it: escape sequences, a shell's prompts."""

from __future__ import annotations

import re

# colours, cursor, bracketed paste; the window's title; character sets and keypad modes (ECMA-48)
ESCAPE = re.compile(
    rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>c78])"
)
# 'user@host:~$ iperf3 -J', '[root@host ~]# ', '$ iperf3 -c ...', and the lines of `script`
PROMPT = re.compile(
    rb"\s*(?:\(\S+\) )?\[?[\w.-]+@[\w.-]+(?:[: ][^\n]*?)?[$#%>](?: .*)?$"
    rb"|\s*[$#%>] +(?:sudo +)?\S*iperf3?\b|Script (?:started|done)\b"
)


def without_escapes(content: bytes) -> bytes:
    """Return a log without escape sequences, with as many blanks at the ends of their lines, so
    that all lines keep their places.

    Lines that hold nothing else stay as they are, so that the format names them.
    """
    if b"\x1b" not in content:
        return content
    return b"\n".join(map(_plain, content.split(b"\n")))


def is_of_terminal(line: bytes) -> bool:
    """Return whether a line holds escape sequences alone, or a shell's prompt."""
    plain = ESCAPE.sub(b"", line)
    return (b"\x1b" in line and not plain.strip()) or bool(PROMPT.match(plain))


def _plain(line: bytes) -> bytes:
    found = ESCAPE.sub(b"", line)
    return found.ljust(len(line)) if found.strip() else line
