"""What stands in the place of a page that could not be made: what went wrong, and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

from ..render import as_sentence, escape_markdown, render_page
from ..render.site import Place, Site
from ..runs.failures import Unmade

UNTOLD = "the run ended before it was made"


def notice_markdown(
    subject: str, causes: Mapping[str, tuple[str, str]], alone: bool = False
) -> str:
    """Return the text of a notice.

    Args:
        subject: what the page would be about.
        causes: {what failed: (problem, remedy)}; none where the run was ended from outside.
        alone: whether it is made by `evenflow report`, so that there is no `make`.
    """
    told = causes or {subject: (UNTOLD, "")}
    again = "say the command `evenflow report` again" if alone else "run `make` again"
    blocks = [
        "This page could not be made from the present files in `data/raw/`. A page that was here "
        "before was made from other files, and was removed."
    ]
    for cause, (problem, remedy) in told.items():
        where = "" if problem.startswith(cause) else f"{cause}: "
        blocks.append(escape_markdown(f"{where}{problem}."))
        do = (
            f"{escape_markdown(as_sentence(remedy))} Then {again}."
            if remedy
            else as_sentence(again)
        )
        blocks.append(f"*What to do:* {do}")
    return "\n\n".join(blocks) + "\n"


def write_notice(
    html: Path, subject: str, causes: Mapping[str, tuple[str, str]], theme: Path, place: Place
) -> None:
    """Write a notice in the place of a page."""
    text = notice_markdown(subject, causes, place.site.alone)
    render_page(text, f"{subject}: not made", html, theme, place=place)


def write_notices(
    unmade: Mapping[str, Unmade],
    site: Path,
    theme: Path,
    around: Site,
    noticing: Callable[[str], AbstractContextManager],
) -> dict[str, str]:
    """Write notices in the places of pages; return {page, as links name it: what the index says}.

    Args:
        unmade: by path.
        site: folder of the site.
        theme: folder of the theme.
        around: what the header leads to.
        noticing: within what it returns for a path, a notice may be written there.
    """
    notes = {}
    for path, (subject, causes) in unmade.items():
        link = Path(path).relative_to(site).as_posix()
        with noticing(path):
            place = Place(link.count("/"), subject, {}, around)
            write_notice(Path(path), subject, causes, theme, place)
        notes[quote(link)] = note(causes)
    return notes


def note(causes: Mapping[str, tuple[str, str]]) -> str:
    """Return what the index says of a page that could not be made, in a sentence."""
    told = [problem for problem, _ in causes.values()] or [UNTOLD]
    return f"It could not be made: {'; '.join(told)}."
