"""From any page of the site any other is reached in two clicks, and no link is broken."""

import re
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from evenflow.render import render_report
from evenflow.render.report import read_record
from evenflow.render.site import Site, of_paper
from evenflow.revision import describe_revision

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
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


# ---- where `repository_url` says under which address files of the repository are read ------------

FORGE = "https://forge.example/group/evenflow"
SERVED = re.compile(rf"{re.escape(FORGE)}/(blob|tree|commit)/([^/]+)(?:/(.*?))?(?:#L(\d+))?$")
# opens the panel of some numbers, cells and figures and every fold in it; all addresses in it
IN_PANELS = """[...document.querySelectorAll("a[data-of]")].filter((link, i) => i % 40 === 0)
  .flatMap((link) => {
    link.click();
    const panel = document.querySelector("#evidence-panel");
    panel.querySelectorAll("summary").forEach((summary) => summary.click());
    return new Promise((done) => setTimeout(() => {
      const found = [...panel.querySelectorAll("a[href]")].map((a) => [a.href, a.textContent]);
      panel.close();
      done(found);
    }, 50));
  })"""


def test_with_an_address_of_the_repository_files_lines_and_commit_are_links(
    browser, tmp_path, monkeypatch
):
    """A paper rendered anew with it: each link that results names a file and a line that are."""
    paper = next(
        path.parent for path in sorted(ROOT.glob("reports/*/provenance.json")) if is_short(path)
    )
    revision = describe_revision(ROOT)
    record = read_record(paper / "provenance.json", revision)
    site = Site(repository=FORGE)
    html = tmp_path / "index.html"
    monkeypatch.chdir(ROOT)
    render_report(
        paper,
        html,
        tmp_path / "index.pdf",
        ROOT / "workflow/theme",
        revision,
        claims=ROOT / f"data/derived/papers/{paper.name}/claim.parquet",
        place=of_paper(paper.name, sorted(record["runs"]), revision, site),
    )
    static = [unescape(href) for href in LINK.findall(text(html)) if FORGE in href]
    assert any("/tree/HEAD/reports/" in href for href in static)
    browser.open(html.as_uri())
    assert browser.until("window.evenflow && window.evenflow.record", 10)
    opened = browser.evaluate(f"Promise.all({IN_PANELS}).then((found) => found.flat())")
    found = {href: words for href, words in opened if href.startswith("https:")}
    kinds = {"code": 0, "line": 0, "raw": 0}
    for href in {*static, *found}:
        kind, commit, path, line = SERVED.match(href).groups()
        if revision:
            assert commit in ("HEAD", revision["commit"]), href
        if kind == "commit":
            continue
        file = ROOT / unquote(path)
        assert file.exists(), href
        kinds["raw" if path.startswith("data/raw/") else "code"] += 1
        if line:
            kinds["line"] += 1
            assert f"line {line}" in found[href]
            said = file.read_text("utf-8").splitlines()[int(line) - 1]
            assert re.match(r"\s*(def |rule |@|rule$|name:)", said), (href, said)
    assert all(kinds.values()), kinds


def is_short(path: Path) -> bool:
    return path.stat().st_size == min(p.stat().st_size for p in ROOT.glob(f"reports/*/{path.name}"))
