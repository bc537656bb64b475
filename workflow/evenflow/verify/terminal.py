"""What a verification found, as text tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..paths import printable
from ..places import typed_to_list
from .agreement import Difference
from .manifest import Check

SHOWN = 10  # names or differences that are listed of each kind
WIDTH = 46  # characters of a cell


def text_table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Return rows as a table of plain text; long cells are cut."""
    cells = [[_cut(str(row.get(column, ""))) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    lines = [columns, ["-" * width for width in widths], *cells]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _result(check: Check) -> str:
    if not check.holds:
        return "DIFFERS"
    return "new" if check.new and not check.listed else "as listed"


def raw_table(checks: Mapping[str, Check]) -> str:
    """Return what became of the raw files, a row a manifest, and the names of those at fault."""
    rows = [
        {
            "raw files": name,
            "listed": check.listed,
            "altered": len(check.altered),
            "missing": len(check.missing),
            "not listed": len(check.new),
            "result": _result(check),
        }
        for name, check in checks.items()
    ]
    lines = [text_table(rows, list(rows[0]))]
    for kind, what in (("altered", "ALTERED"), ("missing", "MISSING")):
        names = [name for check in checks.values() for name in getattr(check, kind)]
        lines += _listed(what, names)
    new = sum(len(check.new) for check in checks.values())
    if new:
        lines.append(
            f"{new} raw files are not in a manifest yet and were left out: all that follows is "
            f"about the listed ones. `{typed_to_list()}` adds them."
        )
    return "\n".join(lines)


def _listed(what: str, names: Sequence[str]) -> list[str]:
    more = [f"{what}: ... and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return [*(f"{what}: {printable(name)}" for name in names[:SHOWN]), *more]


def difference_lines(found: Mapping[str, Sequence[Difference]], old: str, new: str) -> list[str]:
    """Return the differences of files in words; `old` and `new` name the two versions."""
    lines = []
    for name, differences in found.items():
        for d in differences[:SHOWN]:
            lines.append(f"DIFFERS: {name}, {d.where}: {old} {d.expected!r}, {new} {d.got!r}")
        if len(differences) > SHOWN:
            lines.append(f"DIFFERS: {name}: ... and {len(differences) - SHOWN} more")
    return lines
