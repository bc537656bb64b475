"""How to cite a page: a box with its BibTeX entry, and what search engines of papers read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape

from .element import Html, element, together

TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
AUTHOR = re.compile(r'<meta name="author" content="([^"]*)">')
ABOUT = re.compile(r'<meta name="description" content="([^"]*)">')
SPECIAL = re.compile(r"[&%$#_{}]")


def original_in_words(original: Mapping) -> str:
    """Return a study that a paper repeats: 'Bateman and Bhatti, TCP testing, 2010'.

    Args:
        original: `original` of paper.yml: authors, title, year.
    """
    *some, last = original["authors"]
    names = f"{', '.join(some)} and {last}" if some else last
    return f"{names}, {original['title']}, {original['year']}"


def with_citation(page: str, name: str, revision: Mapping | None) -> tuple[str, Html]:
    """Return a page that says in its head how it is cited, and the box that says it to readers.

    Args:
        page: with a title and its authors in its head.
        name: the paper's, in the key of the entry.
        revision: the commit that it is rendered from (`describe_revision`).
    """
    head = page.partition("</head>")[0]  # of a page of megabytes
    titled = TITLE.search(head)
    title = " ".join(unescape(titled[1]).split()) if titled else name
    authors = [unescape(found) for found in AUTHOR.findall(head)]
    about = ABOUT.search(head)
    date = revision["date"] if revision else None
    meta = [("citation_title", title), *(("citation_author", author) for author in authors)]
    # each in a line: `make verify` passes over the date (config/verify.yaml)
    meta += [("citation_publication_date", date.replace("-", "/"))] if date else []
    meta += [("citation_pdf_url", f"{name}.pdf")]
    seen = [("og:type", "article"), ("og:title", title), ("og:site_name", "evenflow")]
    seen += [("og:description", unescape(about[1]))] if about else []
    lines = [element("meta", name=key, content=value) for key, value in meta]
    lines += [element("meta", property=key, content=value) for key, value in seen]
    more = together([together(line, "\n") for line in lines])
    page = page.replace("</head>", f"{more}</head>", 1)
    entry = element("pre", element("code", bibtex(name, title, authors, revision)))
    return page, element("details", element("summary", "Cite"), entry, class_="cite")


def bibtex(name: str, title: str, authors: Iterable[str], revision: Mapping | None) -> str:
    """Return the BibTeX entry of a paper of the site; year and version are those of the commit."""
    fields = {
        # two braces: the name of a group is no first and last name
        "author": " and ".join(f"{{{_plain(author)}}}" for author in authors),
        "title": f"{{{_plain(title)}}}",
    }
    if revision:
        changed = "" if revision["clean"] else ", changed since"
        fields["year"] = revision["date"][:4]
        fields["note"] = f"version {revision['commit']} of {revision['date']}{changed}"
    lines = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
    return "\n".join([f"@misc{{evenflow-{name},", ",\n".join(lines), "}"])


def _plain(words: str) -> str:
    return SPECIAL.sub(lambda found: f"\\{found[0]}", words)
