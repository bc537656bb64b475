"""The rendered site as a reader's browser sees it. Run it after `make`; .ci/run does."""

import re
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
EXPECTED = [
    "index.html",
    *(f"{paper}/index.html" for paper in PAPERS),
    *(f"{paper}/{paper}.pdf" for paper in PAPERS),
    *(
        f"datasets/{yml.parent.name}/index.html"
        for yml in (ROOT / "data/raw").glob("*/dataset.yml")
    ),
]
NO_SITE = pytest.mark.skipif(not SITE.exists(), reason="reports/_site is not there: run make first")

LOST = "data/derived/papers/{paper}/lost_findings.txt"  # written with the page
BROKEN_IMAGES = "[...document.images].filter(image => !image.naturalWidth).map(image => image.alt)"


@NO_SITE
@pytest.mark.parametrize("name", EXPECTED)
def test_the_site_holds_every_page(name):
    content = (SITE / name).read_bytes()
    if name.endswith(".pdf"):
        assert content.startswith(b"%PDF-")
        assert content.rstrip().endswith(b"%%EOF")
    else:
        assert b"</html>" in content[-20:]


@NO_SITE
@pytest.mark.parametrize("paper", PAPERS)
def test_the_data_support_what_a_paper_says(paper):
    lost = (ROOT / LOST.format(paper=paper)).read_text(encoding="utf-8").strip()
    remedy = "write what the data say now, or find out why they changed"
    assert lost == "", f"findings that are no longer supported ({remedy}):\n{lost}"


@NO_SITE
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_network_and_without_errors(browser, name):
    page = (SITE / name).as_uri()
    browser.open(page)
    requested = browser.requests()
    assert [url for url in requested if url.startswith(("http", "ws", "ftp", "//"))] == []
    # one self-contained file
    assert [urldefrag(url).url for url in requested if not url.startswith("data:")] == [page]
    assert browser.complaints() == []
    assert browser.evaluate("document.title")
    assert browser.evaluate(BROKEN_IMAGES) == []


@NO_SITE
@pytest.mark.parametrize("name", PAGES)
def test_links_between_pages_lead_somewhere(name):
    html = (SITE / name).read_text(encoding="utf-8")
    ids = set(re.findall(r'\bid="([^"]+)"', html))
    for target in re.findall(r'<a\b[^>]*\bhref="([^"]+)"', html):
        if re.match(r"[a-z]+:", target):  # to the world outside
            continue
        path, fragment = urldefrag(target)
        assert (SITE / name).parent.joinpath(unquote(path)).resolve().exists(), target
        assert path or unquote(fragment) in ids, f"{target} leads nowhere in this page"


def test_the_checks_see_what_they_look_for(browser, tmp_path):
    """A page with each of the faults above: without it, a check that sees nothing would pass."""
    page = tmp_path / "faulty.html"
    page.write_text(
        "<!doctype html><title>t</title><img src='none.png' alt='none'>"
        "<img src='http://127.0.0.1:9/x.png' alt='net'><script>console.error('said'); throw 1"
        "</script>"
    )
    browser.open(page.as_uri())
    requested = browser.requests()
    assert "http://127.0.0.1:9/x.png" in requested
    assert (tmp_path / "none.png").as_uri() in requested
    seen = " ".join(browser.complaints())
    assert "said" in seen and "Uncaught" in seen
    assert browser.evaluate(BROKEN_IMAGES) == ["none", "net"]
