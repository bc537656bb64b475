"""What is said on the screen while a module of a paper is at work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .find import Piece

STEPS = {
    "claims": "Judging the claims",
    "figures": "Drawing the figures",
    "judging": "Judging the claims",
    "metrics": "Computing the metrics",
    "numbers": "Writing the numbers",
    "tables": "Writing the tables",
}
DOING = {"metric": "Computing", "figure": "Drawing", "table": "Writing", "number": "Writing"}


def step_of(modules: Mapping[str, Iterable[Piece]]) -> str:
    """Return what is said of a job.

    Args:
        modules: name -> what it makes.
    """
    first, *others = (_step(module, pieces) for module, pieces in modules.items())
    return " and ".join([first, *(other.removeprefix("Writing ") for other in others)])


def _step(module: str, pieces: Iterable[Piece]) -> str:
    """Return it; of a module of another name by the first kind of piece that it makes any of."""
    if module in STEPS:
        return STEPS[module]
    kinds = {piece.kind for piece in pieces}
    verb = next(verb for kind, verb in DOING.items() if kind in kinds)
    return f"{verb}: {module}".replace("_", " ")
