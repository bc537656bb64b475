"""The search page: sections of all pages by their words, runs by their ids, all in one file.

It works offline, from a file too: its data are in it, packed, and theme/search.js makes the index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote

from ..files import write_text
from ..render import render_page, with_policy
from ..render.evidence import packed
from ..render.site import Place, Site
from ..runs.scratch import job_folder
from ..tables import read_table

CHARACTERS = 4000  # of a section's text that are searched
# pictures and data in the page itself, most of its length, which the parser would look through
EMBEDDED = re.compile(r'(?<==")data:[^"]*|(?<=>)[^<]{10000,}(?=</script>)')
HEADINGS = ("h1", "h2", "h3", "h4")
# what is no prose: of tables and listings the numbers would be most of the page
BLOCKS = ("p", "li", "div", "dt", "dd", "figure", "figcaption", "summary", "br")  # part words
SILENT = ("script", "style", "svg", "template", "nav", "footer", "form", "table", "pre", "math")
KINDS = {
    "datasets": "data set",
    "comparisons": "comparison",
    "docs": "docs",
}  # by folder; else a paper
FIELD = """<form id="search" role="search">
<label for="search-words">Words, or a part of the id of a run</label>
<input id="search-words" type="search" name="q" autocomplete="off" disabled>
</form>
<p id="search-count" role="status"></p>
<ul id="search-found"></ul>
<noscript><p>The search is a script, and this browser runs none. The
<a href="index.html">first page</a> leads to all papers and data sets.</p></noscript>
"""


@dataclass
class _Section:
    id: str
    title: str = ""
    text: list[str] = field(default_factory=list)


class _Sections(HTMLParser):
    """Collects the prose of a page by section, and its title."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title, self.sections = "", [_Section("")]
        self._silent, self._heading, self._in_title = 0, False, False
        self._body = False

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self._silent += tag in SILENT
        self._in_title = self._in_title or tag == "title"
        self._body = self._body or tag in ("main", "header")
        name = dict(attrs).get("id")
        if tag in HEADINGS and self._body and name and not self._silent:
            self.sections.append(_Section(name))
            self._heading = True
        if tag in BLOCKS:
            self.sections[-1].text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in SILENT
        if tag == "title":
            self._in_title = False
        if tag in HEADINGS:
            self._heading = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif self._heading:
            self.sections[-1].title += data
        elif self._body and not self._silent:
            self.sections[-1].text.append(data)


def page_sections(html: str, url: str) -> list[list[str]]:
    """Return the sections of a page.

    Args:
        html: the page.
        url: its address from the first page.

    Returns:
        A list a section: what kind of page it is on; the page's name, of docs its title; the
        section's title, or the page's where it has none; its address; its prose.
    """
    parser = _Sections()
    parser.feed(EMBEDDED.sub("", html))
    folder, *below = unquote(url).split("/")
    kind, title = KINDS.get(folder, "paper"), " ".join(parser.title.split())
    name = title if kind == "docs" else below[0] if kind != "paper" and below else folder
    found = []
    for section in parser.sections:
        heading = " ".join(section.title.split())
        text = " ".join("".join(section.text).split())[:CHARACTERS]
        if heading or text not in ("", title):
            address = f"{url}#{section.id}" if section.id else url
            found.append([kind, name, heading or title, address, text])
    return found


def search_site(
    html: Path, pages: Iterable[Path], runs: Iterable[Path], theme: Path, site: Site
) -> None:
    """Write the search page.

    Args:
        html: the page to write, next to the first page.
        pages: what is searched; of those that are not there nothing is found.
        runs: tables `run` of data sets, in folders with their names; they may be missing.
        theme: the folder of the reports' theme.
        site: what its header leads to.
    """
    addresses = {quote(path.relative_to(html.parent).as_posix()): path for path in pages}
    entries = [
        entry
        for url, path in sorted(addresses.items())
        if path.is_file()
        for entry in page_sections(path.read_text(encoding="utf-8"), url)
    ]
    ids = {
        path.parent.name: read_table(path)["run_id"].sort().to_list()
        for path in sorted(runs)
        if path.is_file()
    }
    data = {"entries": entries, "runs": ids}
    added = "".join(
        f'<script type="text/plain" id="search-{what}">{packed(of)}</script>\n'
        for what, of in data.items()
    )
    added += f"<script>{(theme / 'search.js').read_text(encoding='utf-8')}</script>\n"
    with job_folder() as temporary:
        plain, place = temporary / "search.html", Place(0, "Search", site=site, path="search.html")
        render_page("", "Search", plain, theme, styles=["search.css"], place=place)
        page = plain.read_text(encoding="utf-8")
    page = page.replace("</main>", f"{FIELD}</main>", 1).replace("</body>", f"{added}</body>", 1)
    write_text(html, with_policy(page))
