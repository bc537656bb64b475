"""Where the pieces of a paper come from, by the signatures of its functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..provenance.origins import CONFIG, Rows, of_data, table
from .find import ABOUT, Paper, Piece
from .make import load

OWN = "paper.yml"  # where the paper's own parameters are


def number_origins(paper: Paper) -> dict[str, list[Rows]]:
    """Return {pattern of numbers' names: the rows of tables that they come from}.

    What `rows` of a function's mark does not say comes from all that the function reads.
    """
    found: dict[str, list[Rows]] = {}
    for piece in paper.pieces("number"):
        function = getattr(load(Path(paper.folder, f"{piece.module}.py")), piece.name)
        said = {f"{piece.name}.{below}".strip("."): rows for below, rows in function.rows.items()}
        rest = [name for name in (piece.name, f"{piece.name}.*") if name not in said]
        found |= said | dict.fromkeys(rest, rows_read(paper, piece))
    return found


def rows_read(paper: Paper, piece: Piece) -> list[Rows]:
    """Return all rows of the tables and files that a function reads, each table once."""
    found: list[Rows] = []
    for name in piece.reads:
        where = paper.where(name)
        if name in paper.of_dataset and isinstance(where, list):  # no table of the paper's own
            found += of_data(name)
        elif name in paper.shared:
            found.append(table(CONFIG))
        elif name in paper.about.get("parameters", {}):
            found.append(table(OWN))
        elif name != ABOUT and where:
            found.append(table(name))
    return [rows for i, rows in enumerate(found) if rows not in found[:i]]


def made_by_function(paper: Paper, made: Mapping[str, Mapping]) -> dict[str, Mapping]:
    """Return what was made from what, of the paper's pieces by function, as a job makes a module.

    Args:
        made: {path: {rule, inputs, code}} as the jobs were run.
    """
    found = dict(made)
    for pieces in paper.modules.values():
        for piece in pieces:
            path = paper.path(piece)
            if path in made and piece.kind != "number":
                reads = paper.reads(piece).values()
                inputs = [
                    p for where in reads for p in ([where] if isinstance(where, str) else where)
                ]
                found[path] = {**made[path], "inputs": inputs}
    return found


def shown_by(paper: Paper, path: str) -> list[str]:
    """Return the data sets that a figure or table says it is of; none where it says nothing."""
    pieces = (piece for pieces in paper.modules.values() for piece in pieces)
    of = next((piece.of for piece in pieces if paper.path(piece) == path), ())
    return [paper.all_parts[part] for part in of]


def files_of(paper: Paper) -> dict[str, str]:
    """Return {name: path} of what numbers come from and is neither a table of the paper nor of all
    its data sets.
    """
    reads = {name for piece in paper.pieces("number") for name in piece.reads}
    where = {name: paper.where(name) for name in reads}
    own = {piece.name for piece in paper.pieces("metric")}
    files = {k: v for k, v in where.items() if isinstance(v, str) and k not in own}
    return files | {OWN: f"{paper.folder}/{OWN}"}
