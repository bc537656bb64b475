"""Pages of the documentation: texts in Markdown, as forges show them -> pages of the site."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from ..errors import DataError
from ..files import write_text
from ..render.pages import as_html
from ..render.pandoc import elements, run_pandoc, text_of
from ..render.policy import with_policy
from ..render.reach import within_reach
from ..render.site import Place, Site, with_header

READER = "gfm"  # GitHub's Markdown: headings get the addresses that links in the texts name


def render_docs(pages: Mapping[str, str], root: Path, out: Path, theme: Path, site: Site) -> None:
    """Render texts, each to one file that loads nothing.

    Args:
        pages: `pages_of_docs`.
        root: the project, from which links lead to files that have no page.
        out: the folder of the site.
        theme: the folder of the reports' theme.
        site: what the pages lead to.

    Raises:
        DataError: a text without a heading at its beginning.
    """
    for text, page in pages.items():
        document = json.loads(run_pandoc([f"--from={READER}", "--to=json"], _read(root / text)))
        title = _take_title(document, text)
        for link in elements(document["blocks"], "Link"):
            _lead_on(link, text, pages, site)
        options = ["--toc", "--toc-depth=2"] if len(_headings(document)) > 2 else []
        html = as_html(document, title, theme, (root / text).parent, options)
        place = Place(page.count("/"), title, site=site, path=page)
        html = with_header(within_reach(html), place, theme)
        write_text(out / page, with_policy(html))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _headings(document: Mapping) -> list[dict]:
    return [block for block in document["blocks"] if block["t"] == "Header"]


def _take_title(document: dict, text: str) -> str:
    """Take the heading that a text begins with out of it; the others come a level up."""
    first = next(iter(document["blocks"]), None)
    if first is None or first["t"] != "Header" or first["c"][0] != 1:
        remedy = "begin it with '# ' and its title"
        raise DataError("the text has no title", path=text, line=1, remedy=remedy)
    document["blocks"] = document["blocks"][1:]
    for heading in _headings(document):
        heading["c"][0] = max(1, heading["c"][0] - 1)
    return text_of(first["c"][2])


def _lead_on(link: dict, text: str, pages: Mapping[str, str], site: Site) -> None:
    """Let a link to a text lead to its page, one to another file to the repository, or nowhere."""
    attributes, words, (target, title) = link["c"]
    parts = urlsplit(target)
    if parts.scheme or parts.netloc or not parts.path:
        return
    named = os.path.normpath(PurePosixPath(text).parent / unquote(parts.path))
    page = pages.get(named) or pages.get(f"{named}/README.md")
    if page:
        way = os.path.relpath(page, PurePosixPath(pages[text]).parent)
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        link["c"] = [attributes, words, [way + fragment, title]]
    elif address := site.code(named):
        link["c"] = [attributes, words, [address, title]]
    else:
        link.update(t="Span", c=[["", [], []], words])
