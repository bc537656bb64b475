"""Where the pieces of a paper come from, by the signatures of its functions."""

from __future__ import annotations

from .find import Paper


def read_by_function(paper: Paper) -> dict[str, list[str]]:
    """Return {path: what the function reads that makes it} of the paper's pieces.

    A job makes all pieces of a module and reads what any of them reads, but for those tables that
    it makes itself: so its receipt says too much of a piece, and of those tables nothing. Numbers
    are not in it: they are in one file.
    """
    found = {}
    for pieces in paper.modules.values():
        for piece in pieces:
            if piece.kind != "number":
                reads = paper.reads(piece).values()
                found[paper.path(piece)] = [
                    p for where in reads for p in ([where] if isinstance(where, str) else where)
                ]
    return found


def shown_by(paper: Paper, path: str) -> list[str]:
    """Return the data sets that a figure or table says it is of; none where it says nothing."""
    pieces = (piece for pieces in paper.modules.values() for piece in pieces)
    of = next((piece.of for piece in pieces if paper.path(piece) == path), ())
    return [paper.all_parts[part] for part in of]
