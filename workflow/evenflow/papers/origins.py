"""Where the pieces of a paper come from, by the signatures of its functions."""

from __future__ import annotations

from collections.abc import Mapping

from .find import Paper


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
