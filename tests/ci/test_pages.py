"""The rendered site as a reader's browser sees it. Run it after `make`; .ci/run does."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag

import polars as pl
import pytest
from chromium import AXE, NO_AXE

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
# of the documentation a page of each kind: all are made by one function from texts alone
DOCS = ("index", "changelog", "guides/adding-data", "reference/data-model", "tutorial/index")
PAGES = sorted(
    name
    for name in (path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    if not name.startswith("docs/") or name[len("docs/") : -len(".html")] in DOCS
)
EXPECTED = [
    "index.html",
    "search.html",
    *(f"{paper}/index.html" for paper in PAPERS),
    *(f"{paper}/{paper}.{end}" for paper in PAPERS for end in ("pdf", "tex", "bib")),
    *(
        f"datasets/{yml.parent.name}/index.html"
        for yml in (ROOT / "data/raw").glob("*/dataset.yml")
    ),
]
NO_SITE = pytest.mark.skipif(not SITE.exists(), reason="reports/_site is not there: run make first")

LOST = "data/derived/papers/{paper}/lost_findings.txt"  # written with the page
WIDTHS = (320, 390, 768, 1440)  # CSS pixels: two telephones, a tablet, a desk
LARGEST = {"index.html": 4e5, "search.html": 3.5e5}  # bytes; of another page:
LARGEST_OTHER = 8e6
# a page of each kind, the smallest: on it axe looks at every width
KINDS = ("*.html", "datasets/*/*.html", "comparisons/*/*.html", "docs/guides/*.html")
KINDS = [sorted(SITE.glob(kind), key=lambda page: page.stat().st_size)[:1] for kind in KINDS]
KINDS += [[SITE / "index.html"], [SITE / min(PAPERS, default="") / "index.html"]]
OF_EACH_KIND = {page.relative_to(SITE).as_posix() for pages in KINDS for page in pages}
# light: all that axe knows; the other scheme has other colours alone
AXE_RULES = {"light": "{}", "dark": '{runOnly: ["color-contrast"]}'}
# by how much the page can be scrolled sideways, and what sticks out of it; null for nothing. What
# is in a box that scrolls by itself is well; what can be unfolded is looked at unfolded
OVERFLOWING = """(() => {
  document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  const page = document.documentElement, width = page.clientWidth;
  const boxed = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== "visible") return true;
    return false;
  };
  const out = [...document.body.querySelectorAll("*")].filter((element) => {
    const {left, right, width: own, height} = element.getBoundingClientRect();
    return own && height && (right > width + 1 || left < -1) && !boxed(element);
  }).map((element) => element.outerHTML.slice(0, 120));
  const over = page.scrollWidth - width;
  return over > 0 || out.length ? [over, out.slice(0, 5)] : null;
})()"""
# text smaller than 11 px; that of images and live charts has tests of its own (test_evidence.py)
TINY = """[...document.querySelectorAll("body *")].filter((element) =>
  !element.closest("svg, math, sup, sub") && element.checkVisibility() &&
  [...element.childNodes].some((part) => part.nodeType === 3 && part.data.trim()) &&
  parseFloat(getComputedStyle(element).fontSize) < 11).map((element) =>
    `${getComputedStyle(element).fontSize} ${element.outerHTML.slice(0, 120)}`).slice(0, 5)"""
PAINTED = "performance.getEntriesByType('paint').map((entry) => entry.startTime)"
PAINTED_S = 0.6
BROKEN_IMAGES = "[...document.images].filter(image => !image.naturalWidth).map(image => image.alt)"


@pytest.mark.quick
@NO_SITE
@pytest.mark.parametrize("name", EXPECTED)
def test_the_site_holds_every_page(name):
    content = (SITE / name).read_bytes()
    if name.endswith(".pdf"):
        assert content.startswith(b"%PDF-")
        assert content.rstrip().endswith(b"%%EOF")
    elif not name.endswith(".html"):  # what is in them: test_take.py
        assert content.endswith(b"}\n") or content.splitlines()[-1].startswith(b"\\newcommand")
    else:
        assert b"</html>" in content[-20:]


@pytest.mark.quick
@NO_SITE
@pytest.mark.parametrize("paper", PAPERS)
def test_the_data_support_what_a_paper_says(paper):
    lost = (ROOT / LOST.format(paper=paper)).read_text(encoding="utf-8").strip()
    remedy = "write what the data say now, or find out why they changed"
    assert lost == "", f"findings that are no longer supported ({remedy}):\n{lost}"


@NO_SITE
@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_by_itself_and_fits_and_axe_finds_nothing(browser, name):
    """Opened once, as opening takes longest: without network, at all widths, in both schemes."""
    browser.look(min(WIDTHS))
    assert_opens_by_itself(browser, SITE / name)
    for width in WIDTHS:
        # on the narrowest most has to scroll
        if AXE.is_file() and (width == min(WIDTHS) or name in OF_EACH_KIND):
            for scheme, rules in AXE_RULES.items():
                browser.look(width, scheme)
                browser.settle()
                assert browser.violations(rules) == [], (width, scheme)
        browser.look(width)
        assert browser.evaluate(OVERFLOWING) is None, width
        assert browser.evaluate(TINY) == [], width


def assert_opens_by_itself(browser, path):
    page = path.as_uri()
    browser.open(page)
    requested = browser.requests()
    assert [url for url in requested if url.startswith(("http", "ws", "ftp", "//"))] == []
    # one self-contained file
    assert [urldefrag(url).url for url in requested if not url.startswith("data:")] == [page]
    assert browser.complaints() == []
    assert browser.evaluate("document.title")
    assert browser.evaluate(BROKEN_IMAGES) == []


@NO_SITE
@pytest.mark.parametrize("name", sorted(OF_EACH_KIND))
def test_a_page_is_seen_at_once(browser, name):
    times = []
    for _ in range(3):  # the machine may be busy
        browser.open((SITE / name).as_uri())
        assert browser.until(f"{PAINTED}.length", 10)
        times.append(min(browser.evaluate(PAINTED)) / 1000)
    assert min(times) < PAINTED_S, times


@pytest.mark.quick
@NO_SITE
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_small(name):
    assert (SITE / name).stat().st_size < LARGEST.get(name, LARGEST_OTHER)


@pytest.mark.quick
@NO_SITE
@pytest.mark.parametrize("name", PAGES)
def test_links_between_pages_lead_somewhere(name):
    html = (SITE / name).read_text(encoding="utf-8")
    ids = set(re.findall(r'\bid="([^"]+)"', html))
    without_scripts = re.sub(r"<script\b.*?</script>", "", html, flags=re.DOTALL)
    for target in re.findall(r'<a\b[^>]*\bhref="([^"]+)"', without_scripts):
        if re.match(r"[a-z]+:", target):  # to the world outside
            continue
        path, fragment = urldefrag(target)
        assert (SITE / name).parent.joinpath(unquote(path)).resolve().exists(), target
        if fragment.startswith("run="):  # the page's script opens it (test_dataset_pages.py)
            run = pl.read_parquet((SITE / name).parent / "tables/run.parquet")
            assert unquote(unescape(fragment)).removeprefix("run=") in set(run["run_id"]), target
            continue
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


@pytest.mark.skipif(not AXE.is_file(), reason=NO_AXE)
def test_axe_sees_what_it_looks_for(browser, tmp_path):
    page = tmp_path / "faulty.html"
    page.write_text(
        "<!doctype html><html lang=en><title>t</title><style>p {color: #888; background: #fff}"
        "@media (prefers-color-scheme: dark) {p {color: #333; background: #000}}</style>"
        "<main><h1>t</h1><img src='data:,'><p>text</p></main>"
    )
    for scheme, rules in (("light", {"image-alt", "color-contrast"}), ("dark", {"color-contrast"})):
        browser.look(800, scheme)
        browser.open(page.as_uri())
        assert {found[1] for found in browser.violations(AXE_RULES[scheme])} == rules


@pytest.mark.parametrize(
    ("html", "sticks_out"),
    [
        ("<p>short</p>", False),
        ("<div style='width: 900px'>wide</div>", True),
        ("<div style='overflow-x: auto'><div style='width: 900px'>wide</div></div>", False),
        ("<details><summary>more</summary><div style='width: 900px'>wide</div></details>", True),
        ("<div style='position: relative; left: -40px; width: 90px'>left</div>", True),
    ],
)
def test_what_sticks_out_is_seen(browser, tmp_path, html, sticks_out):
    page = tmp_path / "wide.html"
    page.write_text(f"<!doctype html><title>t</title><main>{html}</main>")
    browser.look(768)
    browser.open(page.as_uri())
    assert (browser.evaluate(OVERFLOWING) is not None) == sticks_out


# The smallest type of a chart's axes has 9 px; on paper a figure is 491.5 pt wide at most (A4, the
# theme's margins and a part of them), and nothing in it may be smaller than 6 pt.
PAPER_PT, SMALLEST_PX, SMALLEST_PT = 491.5, 9, 6


@NO_SITE
@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_of_a_paper_says_its_message_and_can_be_read_on_paper(paper):
    text = (ROOT / "reports" / paper / "index.qmd").read_text(encoding="utf-8")
    figures = re.findall(r"\(figures/([\w-]+\.svg)\)", text)
    assert figures
    for path in (ROOT / "reports" / paper / "figures" / name for name in figures):
        svg = path.read_text(encoding="utf-8")
        spec = json.loads(
            unescape(re.search(r"<metadata[^>]*>(.*?)</metadata>", svg, re.DOTALL)[1])
        )
        message = " ".join(spec.get("title", {}).get("text", []))
        assert len(message.split()) > 4, f"{path.name} has no title that says what it shows"
        assert unescape(svg).partition("<desc>")[2].startswith(message), path.name
        width = float(re.search(r'width="([\d.]+)"', svg)[1])
        sizes = map(float, re.findall(r'font-size="([\d.]+)px"', svg.partition("</metadata>")[2]))
        smallest = min(1, PAPER_PT / width) * min(sizes, default=SMALLEST_PX)
        assert smallest >= SMALLEST_PT, f"{path.name}: type of {smallest:.1f} pt on paper"
