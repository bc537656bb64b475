"""The two pages that are of all others: the index and the search page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..render.site import Site
from .search import search_site
from .site_index import write_index


def write_first_pages(
    html: str | Path,
    search: str | Path,
    pages: Iterable[str],
    runs: Iterable[str],
    about: Mapping[str, Any],
    notes: Mapping[str, str] | None = None,
) -> None:
    """Write the index and the search page.

    Args:
        html: the index.
        search: the search page, next to it.
        pages: what is searched.
        runs: tables `run` of the data sets.
        about: what `site_index.write_index` takes by name, paths as text.
        notes: {link of a page that could not be made: what went wrong}.
    """
    theme, site = Path(about["theme"]), Site(**about["site"])
    write_index(
        [*map(Path, about["reports"])],
        [*map(Path, about["datasets"])],
        theme,
        Path(html),
        notes=notes or {},
        refused=about["refused"],
        claims={name: Path(path) for name, path in about["claims"].items()},
        comparisons=about["comparisons"],
        originals=about["originals"],
        pictures={name: Path(path) for name, path in about["pictures"].items()},
        derived=Path(about["derived"]),
        site=site,
        confidence=about["confidence"],
        planned=Path(about["planned"]) if about.get("planned") else None,
    )
    search_site(Path(search), map(Path, pages), [*map(Path, runs)], theme, site)
