"""The papers as PDF: no link is broken, and all of it can be read on paper. Run it after `make`."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from pdf_objects import Pdf, Ref

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
SMALLEST_PT = 6
pytestmark = pytest.mark.skipif(
    not SITE.exists(), reason="reports/_site is not there: run make first"
)


def of_paper(paper: str) -> Path:
    return SITE / paper / f"{paper}.pdf"


def broken(path: Path) -> list:
    """Return the links of a PDF that lead nowhere, or to no address of the web."""
    pdf = Pdf(path)
    pages, places = {page for page, _ in pdf.pages()}, pdf.places()
    found = []
    for link in pdf.links():
        if "Dest" in link:
            to = link["Dest"]
            there = pdf.get(to if isinstance(to, Ref) else places.get(to, [None]))
            if not (isinstance(there, list) and there[0] in pages and there[1] == "/XYZ"):
                found.append(to)
            continue
        address = pdf.get(link["A"])["URI"].decode("ascii")
        parts = urlsplit(address)
        if not parts.scheme and not parts.netloc:
            if not (path.parent / unquote(parts.path)).is_file():
                found.append(address)
        elif parts.scheme != "https" or "." not in parts.netloc or set(address) & set(" <>{}\\"):
            found.append(address)
    return found


@pytest.mark.quick
@pytest.mark.parametrize("paper", PAPERS)
def test_no_link_of_a_pdf_is_broken(paper):
    links = list(Pdf(of_paper(paper)).links())
    assert len(links) > 50  # contents, figures, tables, references
    assert broken(of_paper(paper)) == []


@pytest.mark.quick
@pytest.mark.parametrize(
    ("link", "other"),
    [(b"/Dest(sec-", b"/Dest(sek-"), (b"(https://doi.org/", b"(http://doi.orgs/")],
)
def test_a_broken_link_is_seen(tmp_path, link, other):
    whole = max(map(of_paper, PAPERS), key=lambda path: path.read_bytes().count(link)).read_bytes()
    assert link in whole
    (tmp_path / "a.pdf").write_bytes(whole.replace(link, other, 1))
    assert len(broken(tmp_path / "a.pdf")) == 1


@pytest.mark.parametrize("paper", [pytest.param(PAPERS[0], marks=pytest.mark.quick), *PAPERS[1:]])
def test_no_letter_of_a_pdf_is_smaller_than_6_pt(paper):
    """Of text and of figures, as they are on the page."""
    shown = list(Pdf(of_paper(paper)).sizes())
    assert sum(length for _, _, length in shown) > 50_000
    small = {(page, round(size, 2)) for page, size, _ in shown if size < SMALLEST_PT - 1e-3}
    assert small == set()
