"""From any page of the site any other is reached in two clicks, and no link is broken."""

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

SITE = Path(__file__).parents[2] / "reports/_site"
LINK = re.compile(r'<a\b[^>]*\bhref="([^"]*)"')
SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)
ANCHOR = re.compile(r'\b(?:id|name)="([^"]*)"')
# addresses that the script of a page knows
BY_SCRIPT = ("#run=", "#scenario", "#number=", "#factors", "#time")
pytestmark = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="no site was made")


@cache
def text(page: Path) -> str:
    return SCRIPT.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> set[str]:
    return set(ANCHOR.findall(text(page)))


@cache
def links(page: Path) -> list[tuple[Path, str]]:
    """Return the links of a page to files of the site: (file, fragment)."""
    found = []
    for href in map(unescape, LINK.findall(text(page))):
        parts = urlsplit(href)
        if not (parts.scheme or parts.netloc):
            to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            found.append((to, parts.fragment))
    return found


def pages() -> list[Path]:
    return sorted(SITE.resolve().rglob("*.html"))


def test_no_link_is_broken():
    broken = []
    for page in pages():
        for to, fragment in links(page):
            is_page = to.suffix == ".html"
            there = to.is_file() and (
                not fragment
                or not is_page
                or f"#{fragment}".startswith(BY_SCRIPT)
                or unquote(fragment) in anchors(to)
            )
            if not there:
                broken.append((page.relative_to(SITE).as_posix(), str(to), fragment))
    assert broken == []


def test_any_page_is_two_clicks_from_any_other():
    every = set(pages())
    near = {page: {to for to, _ in links(page)} & every for page in every}
    far = {}
    for page in every:
        reached = {page} | near[page] | {to for via in near[page] for to in near[via]}
        if missed := every - reached:
            far[page.name] = sorted(str(to.relative_to(SITE.resolve())) for to in missed)
    assert far == {}
