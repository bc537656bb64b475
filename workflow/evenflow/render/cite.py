"""How to cite a page: a box with its BibTeX entry, and what search engines of papers read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import NamedTuple
from urllib.parse import quote

from .element import Html, element, together
from .errors import RenderError
from .latex import latex_text

TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
AUTHOR = re.compile(r'<meta name="author" content="([^"]*)">')
ABOUT = re.compile(r'<meta name="description" content="([^"]*)">')
NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9.:-]+")  # of BibTeX
NO_TEXT = re.compile(r"[{}\\\s]")  # of addresses, which BibTeX takes as they are


class Cited(NamedTuple):
    """What of a page is cited, beside its title.

    name: of the paper or data set, in the key of the entry.
    notes: words of the entry's note: which version it is, a data set's licence.
    source: where it is from; '' of a paper.
    title: None: that of the page.
    date: 2026-11-26, when that version was made; None: not known.
    year: when it appeared; None: that of the date.
    authors: None: those that the page's head names.
    doi: 10.1109/AINA.2010.133.
    orcids: {author: ORCID}.
    pdf: the file beside the page that it is printed in.
    picture: the file beside the page that is shown where its link is shared.
    """

    name: str
    notes: tuple[str, ...] = ()
    source: str = ""
    title: str | None = None
    date: str | None = None
    year: int | str | None = None
    authors: tuple[str, ...] | None = None
    doi: str | None = None
    orcids: Mapping[str, str] = {}
    pdf: str | None = None
    picture: str | None = None


def original_in_words(original: Mapping) -> str:
    """Return a study that a paper repeats: 'Bateman and Bhatti, TCP testing, 2010'.

    Args:
        original: `original` of paper.yml: authors, title, year.
    """
    *some, last = original["authors"]
    names = f"{', '.join(some)} and {last}" if some else last
    return f"{names}, {original['title']}, {original['year']}"


def of_commit(name: str, revision: Mapping | None, **more) -> Cited:
    """Return what is cited of a paper that is rendered from a commit (`describe_revision`)."""
    if not revision:
        return Cited(name, **more)
    changed = "" if revision["clean"] else ", changed since"
    note = f"version {revision['commit']} of {revision['date']}{changed}"
    return Cited(name, (note,), date=revision["date"], **more)


def with_metadata(page: str, cited: Cited | None, url: str | None) -> str:
    """Return a page whose head says what it is, where it is and how it is cited.

    Args:
        page: with a title in its head, and its authors.
        cited: None: a page that nobody cites, such as a search.
        url: the address that it is read under, None: not known.
    """
    title, authors, about = _of_head(page, cited)
    lines = [element("link", rel="canonical", href=url)] if url else []
    lines += [
        element("meta", name=key, content=value)
        for key, value in _citation(title, authors, cited, url)
    ]
    seen = {
        "og:type": "article" if cited and cited.pdf else "website",
        "og:title": title,
        "og:site_name": "evenflow",
        "og:description": about,
        "og:url": url,
        "og:image": _beside(url, cited.picture) if url and cited and cited.picture else None,
    }
    lines += [element("meta", property=key, content=value) for key, value in seen.items() if value]
    more = together([together(line, "\n") for line in lines])
    return page.replace("</head>", f"{more}</head>", 1)


def cite_box(page: str, cited: Cited, url: str | None) -> Html:
    """Return the box that says to readers how a page is cited."""
    entry = element("pre", element("code", entry_of(page, cited, url)))
    return element("details", element("summary", "Cite"), entry, class_="cite")


def entry_of(page: str, cited: Cited, url: str | None) -> str:
    """Return the BibTeX entry of a page, whose title and authors are those of its head.

    Raises:
        RenderError: an ORCID is of nobody who is an author.
    """
    title, authors, _ = _of_head(page, cited)
    if strangers := sorted(set(cited.orcids) - set(authors)):
        raise RenderError(
            f"{cited.name}: orcid names {', '.join(strangers)}, who is not an author; "
            f"write the names as the authors are written: {', '.join(authors) or 'none is'}"
        )
    return bibtex(cited, title, authors, url)


def bibtex(cited: Cited, title: str, authors: Iterable[str], url: str | None = None) -> str:
    """Return the BibTeX entry of a paper or data set of the site."""
    year = cited.year or (cited.date or "")[:4]
    orcids = [f"{author}: {cited.orcids[author]}" for author in authors if author in cited.orcids]
    fields = {
        # two braces: the name of a group is no first and last name
        "author": " and ".join(f"{{{latex_text(author)}}}" for author in authors),
        "title": f"{{{latex_text(title)}}}",
        "howpublished": latex_text(cited.source),
        "year": latex_text(str(year)),
        "doi": cited.doi and NO_TEXT.sub("", cited.doi),
        "url": url and NO_TEXT.sub("", url),
        "orcid": latex_text(", ".join(orcids)),
        "note": latex_text(", ".join(cited.notes)),
    }
    lines = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
    key = NOT_IN_KEYS.sub("-", cited.name)
    return "\n".join([f"@misc{{evenflow-{key},", ",\n".join(lines), "}"])


def _of_head(page: str, cited: Cited | None) -> tuple[str, list[str], str]:
    """Return the title, the authors and the description of a page."""
    head = page.partition("</head>")[0]  # of a page of megabytes
    titled, about = TITLE.search(head), ABOUT.search(head)
    title = (cited and cited.title) or (unescape(titled[1]) if titled else "")
    authors = [unescape(found) for found in AUTHOR.findall(head)]
    if cited and cited.authors is not None:
        authors = list(cited.authors)
    title = " ".join(title.split()) or (cited.name if cited else "")
    return title, authors, unescape(about[1]) if about else ""


def _citation(
    title: str, authors: Iterable[str], cited: Cited | None, url: str | None
) -> Iterable[tuple[str, str]]:
    """Yield what programs that collect references read, by the names of Google Scholar."""
    if not cited:
        return
    yield "citation_title", title
    for author in authors:
        yield "citation_author", author
        if author in cited.orcids:
            yield "citation_author_orcid", f"https://orcid.org/{cited.orcids[author]}"
    if cited.year or cited.date:
        day = "" if cited.year else str(cited.date)
        yield "citation_publication_date", day.replace("-", "/") or str(cited.year)
    if cited.doi:
        yield "citation_doi", cited.doi
    if url:
        yield "citation_public_url", url
    if cited.pdf:
        yield "citation_pdf_url", _beside(url, cited.pdf)


def _beside(url: str | None, file: str) -> str:
    """Return the address of a file beside a page, relative where that of the page is not known."""
    return f"{url.rpartition('/')[0]}/{quote(file)}" if url else file
