"""Tables of markdown, read back."""

import re

from evenflow.markdown import NO_BREAK_SPACE


def rows_of(table: str) -> list[list[str]]:
    """Return the cells of a pipe table, without its rule; every space as a plain one."""
    plain = table.replace(NO_BREAK_SPACE, " ")
    lines = [re.split(r"(?<!\\)\|", line[1:-1]) for line in plain.split("\n")]
    return [[cell.strip() for cell in line] for i, line in enumerate(lines) if i != 1]
