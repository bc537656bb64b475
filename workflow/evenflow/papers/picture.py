"""The figure that shows what a paper found, for the site's first page."""

from __future__ import annotations

from ..errors import DataError, did_you_mean
from .find import Paper


def picture_of(paper: Paper) -> str | None:
    """Return the path of the figure that paper.yml names; None where it names none.

    Raises:
        DataError: there is no such figure.
    """
    name = paper.about.get("picture")
    figures = {piece.name: paper.path(piece) for piece in paper.pieces("figure")}
    if name is None:
        return None
    if name in figures:
        return figures[name]
    problem, remedy = f"picture: there is no figure {name!r}", did_you_mean(name, figures)
    raise DataError(problem, path=f"{paper.folder}/paper.yml", remedy=remedy)
