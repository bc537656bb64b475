"""The header of every page: the way to papers, data sets and docs, and to what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ..markdown import escape_markdown
from ..places import folders
from ..revision import tool_note
from .cite import Cited, cite_box, of_commit, original_in_words, with_metadata
from .element import Html, element, together
from .reach import with_permalinks

BODY = re.compile(r"<body\b[^>]*>\n?")
MAIN = re.compile(r"<main\b(?![^>]*\bid=)")
TAKEN = "For LaTeX"  # files of a paper
SECTIONS = {"Papers": "index.html#sec-papers", "Data sets": "index.html#data-sets"}
SECTIONS |= {"Docs": "docs/index.html", "Search": "search.html"}


class Site(NamedTuple):
    """What pages of a site lead to.

    docs: whether it has pages of the documentation.
    repository: the address under which files of the repository are read, None: nowhere.
    alone: whether a page is made without the others, and leads to none of them.
    url: the address under which the site is read, None: not known, and all of it is relative.
    """

    docs: bool = False
    repository: str | None = None
    alone: bool = False
    url: str | None = None

    def page(self, path: str) -> str | None:
        """Return the address of a file of the site, from its path in it."""
        return f"{self.url.rstrip('/')}/{quote(path)}" if self.url and path else None

    def code(self, path: str) -> str | None:
        """Return the address of a file or folder of the repository."""
        return self.address(f"tree/HEAD/{path}")

    def address(self, what: str) -> str | None:
        """Return the address of what a forge shows of the repository: 'commit/1a2b3c'."""
        return f"{self.repository.rstrip('/')}/{what}" if self.repository else None


class Link(NamedTuple):
    """Words, and where they lead; None: they are words alone."""

    words: str
    href: str | None = None


class Place(NamedTuple):
    """Where a page stands.

    depth: folders between it and the index.
    here: what it is called, '' for the index itself.
    facts: {what: links}, a line under the header: a paper's PDF, the papers of a data set.
    site: what pages lead to.
    cite: of a paper or data set, which has a box that says how to cite it.
    path: of the page in the site; '' of one that only takes another's place.
    """

    depth: int
    here: str = ""
    facts: Mapping[str, Iterable[Link]] = {}
    site: Site = Site()
    cite: Cited | None = None
    path: str = ""

    @property
    def url(self) -> str | None:
        """The address of the page, None where it is not known."""
        return self.site.page(self.path)


def site_header(place: Place) -> Html:
    """Return the header of a page, the same on all of them but for where it stands."""
    if place.site.alone:
        skip = element("a", "Skip to the content", href="#main", class_="skip")
        name = element("span", "evenflow", class_="home")
        return together(skip, element("nav", name, class_="site", aria_label="Site"))
    up = "../" * place.depth
    sections = [item for item in SECTIONS.items() if item[0] != "Docs" or place.site.docs]
    links = [element("a", words, href=up + href) for words, href in sections]
    home = {"aria_current": "page"} if not place.here else {}
    return together(
        element("a", "Skip to the content", href="#main", class_="skip"),
        element(
            "nav",
            element("a", "evenflow", href=f"{up}index.html", class_="home", **home),
            element("ul", [element("li", link) for link in links]),
            class_="site",
            aria_label="Site",
        ),
    )


def site_facts(place: Place, box: Html) -> Html:
    """Return the line of a page that leads to what belongs to it; nothing where nothing does.

    Args:
        place: where the page stands.
        box: what says how it is cited, or nothing.
    """
    facts = [
        together("\n", element("div", element("dt", what), element("dd", _in_turn(links))))
        for what, links in place.facts.items()
        if links
    ]
    if not facts:
        return Html("")
    label = "Of this page"
    return element("nav", element("dl", facts), box, class_="facts-of-page", aria_label=label)


def with_header(page: str, place: Place, theme: Path) -> str:
    """Return a page of a template of the theme, or of Quarto, with the header and its style."""
    style = (Path(theme) / "site.css").read_text(encoding="utf-8")
    page = page.replace("</head>", f"<style>\n{style}</style>\n</head>", 1)
    box = cite_box(page, place.cite, place.url) if place.cite else Html("")
    page = with_metadata(page, place.cite, place.url)
    above = together(site_header(place), "\n", site_facts(place, box), "\n")
    page = with_permalinks(page)
    page = BODY.sub(lambda found: found[0] + above, page, count=1)
    if note := tool_note():
        page = with_footer(page, note)
    return MAIN.sub('<main id="main"', page, count=1)


def with_footer(page: str, note: str) -> str:
    """Return a page with a sentence at its end, in its footer where it has one."""
    line, end = element("p", note), "</footer>" if "</footer>" in page else "</body>"
    whole = f"{line}\n" if end == "</footer>" else f"<footer>\n{line}\n</footer>\n"
    before, _, after = page.rpartition(end)
    return f"{before}{whole}{end}{after}"


def of_paper(
    paper: str,
    datasets: Iterable[str],
    revision: Mapping | None,
    site: Site,
    about: Mapping | None = None,
) -> Place:
    """Return the place of a paper.

    Args:
        paper: its folder's name.
        datasets: the names of its data sets.
        revision: the commit that it is rendered from (`describe_revision`).
        site: what pages lead to.
        about: paper.yml: `original`, the study that it repeats; `doi` and `orcid` of the paper;
            `picture`, of which the rule draw_card makes card.png where the site has an address.
    """
    about = about or {}
    folder, original = f"{folders().reports}/{paper}", about.get("original")
    cited = of_commit(
        paper,
        revision,
        doi=about.get("doi"),
        orcids=about.get("orcid", {}),
        pdf=f"{paper}.pdf",
        picture="card.png" if about.get("picture") else None,
    )
    facts = {
        "Original": [of_original(original)] if original else [],
        "As PDF": [Link(f"{paper}.pdf", f"{paper}.pdf")],
        "Data sets": [Link(name, f"../{page_of_dataset(name)}") for name in sorted({*datasets})],
        "Code": [Link(folder, site.code(folder))],
        **version(revision, site),
        **persistent(cited),
        TAKEN: [Link("numbers", f"{paper}.tex"), Link("BibTeX entry", f"{paper}.bib")],
    }
    return Place(1, paper, facts, site, cited, f"{paper}/index.html")


def persistent(cited: Cited) -> dict[str, list[Link]]:
    """Return the identifiers that a page and its authors keep: DOI and ORCID."""
    doi, orcids = cited.doi, cited.orcids
    named = [Link(f"{who} {orcid}", f"https://orcid.org/{orcid}") for who, orcid in orcids.items()]
    return {"DOI": [Link(doi, f"https://doi.org/{doi}")] if doi else [], "ORCID": named}


def of_original(original: Mapping) -> Link:
    """Return the study that a paper repeats, with its DOI where paper.yml has one."""
    doi = original.get("doi")
    return Link(original_in_words(original), f"https://doi.org/{doi}" if doi else None)


def on_first_page(place: Place) -> str:
    """Return the line of a PDF's first page: version and day, data sets and code, as markdown.

    A PDF is read away from the site, so that only addresses of the web are links in it.
    """
    said = []
    order = sorted(place.facts, key=lambda what: what != "Version")  # it comes first
    for what in order:
        links = place.facts[what]
        words = ", ".join(
            f"[{escape_markdown(words)}]({href})"
            if href and "://" in href
            else escape_markdown(words)
            for words, href in links
        )
        if what not in ("As PDF", "Original", TAKEN) and words:
            said.append(f"{what}: {words}")
    return " · ".join(said)


def of_dataset(
    dataset: str,
    papers: Iterable[str],
    site: Site,
    about: Mapping | None = None,
    version: str | None = None,
) -> Place:
    """Return the place of the page of a data set, from which its papers are reached.

    Args:
        dataset: its folder's name.
        papers: the names of the papers that use it.
        site: what pages lead to.
        about: dataset.yml; `authors`, `year` and `doi` are for those who cite it.
        version: of its raw files (`dataset_version`).
    """
    about = about or {}
    links = [Link(name, f"../../{name}/index.html") for name in sorted({*papers})]
    notes = [f"data set {dataset}", f"version {version}" if version else ""]
    notes += [f"licence {about['licence']}" if about.get("licence") else ""]
    source = " ".join(str(about.get("source") or "").replace("`", "").split())
    cited = Cited(
        dataset,
        tuple(filter(None, notes)),
        source.partition(";")[0],  # what follows says where to read more
        about.get("title"),
        year=about.get("year"),
        authors=tuple(about.get("authors", ())),
        doi=about.get("doi"),
    )
    facts = {
        "Data set": [Link(dataset)],
        "In the papers": links,
        "Version": [Link(version)] if version else [],
        **persistent(cited),
    }
    path = page_of_dataset(dataset, quoted=False)
    return Place(2, dataset, facts, site, None if site.alone else cited, path)


def dataset_version(files: Mapping[str, str | None]) -> str:
    """Return what tells a data set from the same one with another raw file: 12 hex digits.

    They begin the SHA-256 of the list of its files as `sha256sum` prints it, by path
    (docs/guides/using-results.md has the command).

    Args:
        files: {path in the data set: SHA-256}; None: no file, as a link to a folder, or one that
            cannot be read. It does not count.
    """
    listed = "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()) if digest)
    return sha256(listed.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def of_comparison(name: str, datasets: Iterable[str], site: Site) -> Place:
    """Return the place of the page of a comparison of data sets."""
    links = [Link(of, f"../../{page_of_dataset(of)}") for of in datasets]
    path = f"comparisons/{name}/index.html"
    return Place(2, name, {"Data sets": links}, site, path=path)


def version(revision: Mapping | None, site: Site) -> dict[str, list[Link]]:
    """Return which commit a page is of, and its day."""
    if not revision:
        return {"Version": [Link("of files outside any git repository")]}
    commit = revision["commit"]
    changed = "" if revision["clean"] else ", changed since"
    shown = Link(f"{commit}{changed}", site.address(f"commit/{commit}"))
    return {"Version": [shown, Link(revision["date"])]}


def page_of_dataset(dataset: str, quoted: bool = True) -> str:
    """Return the link from the index to the page of a data set, or its path."""
    return f"datasets/{quote(dataset) if quoted else dataset}/index.html"


def _in_turn(links: Iterable[Link]) -> list[object]:
    parts: list[object] = []
    for words, href in links:
        parts += [", " if parts else "", element("a", words, href=href) if href else words]
    return parts
