"""A terminal to run a program in, and what a person sees there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

COLUMNS, ROWS = 100, 40
WORD = re.compile(r"\x1b\[(\d*)([A-Za-z])|([\r\n])|([^\r\n\x1b]+)")


class Screen:
    """What is on a screen after some output; it knows the few commands that ours are.

    Raises:
        AssertionError: there is a command that it does not know.
    """

    def __init__(self) -> None:
        self.lines, self.row, self.column = [""], 0, 0
        self.seen: list[str] = []  # each state of the screen, after a command

    def write(self, text: str) -> None:
        assert WORD.sub("", text) == "", repr(WORD.sub("", text))
        for number, command, control, words in WORD.findall(text):
            if command == "J":  # to the end of the screen
                self.seen.append(str(self))
                self.lines = self.lines[: self.row + 1]
                self.lines[self.row] = self.lines[self.row][: self.column]
            elif command == "A":  # up
                self.row = max(0, self.row - int(number or 1))
            elif command:
                raise AssertionError(f"ESC [ {number}{command}")
            elif control == "\r":
                self.column = 0
            elif control == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            else:
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = (
                    line[: self.column] + words + line[self.column + len(words) :]
                )
                self.column += len(words)

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines).strip("\n")


def run_in_terminal(command: list[str], folder: Path) -> tuple[int, Screen]:
    """Run a program in a terminal; return its exit code, and what was on the screen."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    running = subprocess.Popen(
        command,
        cwd=folder,
        stdin=its,
        stdout=its,
        stderr=its,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(its)
    output = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # its other end is closed
            break
        if not read:
            break
        output += read
    os.close(ours)
    screen = Screen()
    screen.write(output.decode("utf-8"))
    return running.wait(), screen
