"""A search over rendered pages that works offline: an index in one page, and a short script."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

CHARACTERS = 4000  # of a section's text that are searched: of long tables the beginning
# pictures and data in the page itself, most of its length, which the parser would look through
EMBEDDED = re.compile(r'(?<==")data:[^"]*|(?<=>)[^<]{10000,}(?=</script>)')
HEADINGS = ("h1", "h2", "h3")
SILENT = ("script", "style", "svg", "template", "nav", "footer")
SCRIPT = """
(() => {
  const data = JSON.parse(document.getElementById("search-data").textContent);
  const place = document.querySelector("main");
  const box = document.createElement("search");
  box.innerHTML = '<label for="search-words">Search all pages</label> ' +
    '<input id="search-words" type="search" autocomplete="off">' +
    '<p id="search-count" role="status"></p><ul id="search-found"></ul>';
  box.id = "search";
  place.prepend(box);
  const [input, count, list] = ["words", "count", "found"].map(
    name => document.getElementById("search-" + name));
  if (location.hash === "#search") input.focus();
  addEventListener("hashchange", () => location.hash === "#search" && input.focus());
  const low = data.map(entry => [entry.page, entry.title, entry.text].map(s => s.toLowerCase()));
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const hits = !words.length ? [] : data.map((entry, i) => {
      const [page, title, text] = low[i];
      const all = words.every(w => page.includes(w) || title.includes(w) || text.includes(w));
      return {entry, i, rank: all ? 1 + words.filter(w => title.includes(w)).length : 0};
    }).filter(hit => hit.rank).sort((a, b) => b.rank - a.rank || a.i - b.i);
    count.textContent = !words.length ? "" :
      hits.length + (hits.length === 1 ? " section" : " sections") +
      (hits.length > 20 ? ", the first 20" : "");
    list.replaceChildren(...hits.slice(0, 20).map(({entry, i}) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = entry.url;
      link.textContent = entry.title ? entry.page + " – " + entry.title : entry.page;
      const at = Math.max(0, ...words.map(w => low[i][2].indexOf(w)));
      const start = Math.max(0, at - 60);
      const text = document.createElement("p");
      text.textContent = (start ? "… " : "") + entry.text.slice(start, start + 160) + " …";
      item.append(link, text);
      return item;
    }));
  });
})();
"""
STYLE = """
search { display: block; margin: 0 0 2rem; font-family: var(--sans); }
#search-words { font: inherit; width: min(100%, 24rem); padding: 0.3rem 0.5rem; }
#search-count { margin: 0.4rem 0; color: var(--quiet); }
#search-found p { margin: 0 0 0.6rem; font-size: 0.85em; color: var(--quiet); }
@media print { search { display: none; } }
"""


@dataclass
class _Section:
    id: str
    title: str = ""
    text: list[str] = field(default_factory=list)


class _Sections(HTMLParser):
    """Collects the text of a page by section, and its title."""

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


def page_sections(html: str, url: str) -> list[dict[str, str]]:
    """Return the sections of a page: page (its title), title, url with the section's id, text."""
    parser = _Sections()
    parser.feed(EMBEDDED.sub("", html))
    found = []
    for section in parser.sections:
        text = " ".join(" ".join(section.text).split())[:CHARACTERS]
        if not section.title.strip() and text in ("", " ".join(parser.title.split())):
            continue
        found.append(
            {
                "page": " ".join(parser.title.split()),
                "title": " ".join(section.title.split()),
                "url": f"{url}#{section.id}" if section.id else url,
                "text": text,
            }
        )
    return found


def with_search(html: str, pages: Mapping[str, str]) -> str:
    """Return a page with a search over others: a field that is there where JavaScript is.

    Args:
        html: the page.
        pages: content of each page that is searched, by its link from `html`.
    """
    entries = [entry for url, page in sorted(pages.items()) for entry in page_sections(page, url)]
    data = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    data = re.sub(r"<(?=[/!])", r"\\u003c", data)  # what would end the script element
    style = f"<style>{STYLE}</style>\n</head>"
    script = f'<script type="application/json" id="search-data">{data}</script>\n'
    script += f"<script>{SCRIPT}</script>\n</body>"
    return html.replace("</head>", style, 1).replace("</body>", script, 1)
