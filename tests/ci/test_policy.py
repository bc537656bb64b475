"""What pages may do, as their Content-Security-Policy says it: from the disk all of them work.

Run it after `make`; .ci/run does. What a browser forbids it says in the console.
"""

import json
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from evenflow.render.policy import with_policy

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
THEME = ROOT / "workflow/theme"
NO_SITE = pytest.mark.skipif(not SITE.exists(), reason="reports/_site is not there: run make first")
POLICY = re.compile(r'<head>\s*<meta charset="utf-8">\s*<meta http-equiv="Content-Security-Policy"')
PATIENCE_S = 60  # for a chart, of a busy machine
LABELS = "JSON.stringify(Object.keys((window.evenflow || {}).specs || {}))"
# whether a live chart has marks and a width
DRAWN = """((label) => {
  const chart = document.querySelector(`#${label} .live-chart svg`);
  return Boolean(chart?.querySelector("path, rect") && chart.getBoundingClientRect().width > 100);
})('%s')"""
# changes every control of the charts; returns how many there are
CONTROLS = """(async () => {
  const controls = [...document.querySelectorAll(".live-chart select, .live-chart input")];
  for (const control of controls) {
    if (control.tagName === "SELECT") control.selectedIndex = control.options.length - 1;
    else control.value = control.max || control.value;
    control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input"));
    await new Promise((done) => setTimeout(done, 60));
  }
  return controls.length;
})()"""
# opens the panel of numbers and of captions; returns how many did not open
PANELS = """(() => {
  const of = (kind) => [...document.querySelectorAll(`a.${kind}[data-of]`)].slice(0, 5);
  return [...of("evidence"), ...of("evidence-source")].filter((link) => {
    link.click();
    const panel = document.querySelector("#evidence-panel, #setting");  // of a paper, of a data set
    const filled = panel && panel.open && panel.textContent.length > 20;
    if (panel) panel.close();
    return !filled;
  }).length;
})()"""
SEARCH = """(() => {
  const field = document.getElementById("search-words");
  if (!field) return null;
  field.value = "throughput";
  field.dispatchEvent(new Event("input"));
  return document.querySelectorAll("#search-found li").length;
})()"""


def draw_all(tab) -> tuple[list[str], list[str]]:
    """Draw every chart of a page, one after another: their labels, and those that are not drawn."""
    labels = json.loads(tab.evaluate(LABELS))
    drawn = {
        label: tab.bring_to_life(label, PATIENCE_S) and tab.evaluate(DRAWN % label)
        for label in labels
    }
    return labels, [label for label in labels if not drawn[label]]


@NO_SITE
@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_all_that_it_does_within_its_policy(browser, name):
    page = SITE / name
    assert POLICY.search(page.read_text(encoding="utf-8"))
    browser.look(1200)
    browser.open(page.as_uri())
    browser.wait(0.5)
    labels, lost = draw_all(browser)
    assert lost == []
    if 'id="charts"' in page.read_text(encoding="utf-8"):
        assert labels
    browser.evaluate(CONTROLS)
    assert browser.evaluate(PANELS) == 0
    found = browser.evaluate(SEARCH)
    assert (found is None) == (name != "search.html")
    assert found is None or found > 0
    assert browser.complaints() == []


@NO_SITE
def test_a_table_can_be_downloaded(browser, tmp_path):
    """From the disk a browser shows a text, and keeps what it cannot show."""
    page = next(name for name in PAGES if name.startswith("datasets/"))
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.open((SITE / page).as_uri())
    link = 'document.querySelector(\'a[href^="tables/"][href$="run.parquet"]\')'
    there = urljoin((SITE / page).as_uri(), browser.evaluate(f"{link}.getAttribute('href')"))
    browser.evaluate(f"{link}.click()")
    for _ in range(50):
        if (tmp_path / "run.parquet").is_file():
            break
        browser.wait(0.2)
    assert (tmp_path / "run.parquet").read_bytes() == Path(there[7:]).read_bytes()
    assert browser.complaints() == []


HEAD = (THEME / "report.html").read_text(encoding="utf-8").partition("<meta name=")[0]
PAGE = HEAD.replace("$if(lang)$$lang$$else$en$endif$", "en") + "<title>t</title></head><body>{}"
OWN = "<script>document.title = 'own';</script>"
FOREIGN = {
    "a script": "<script>document.title = 'foreign'</script>",
    "a handler": "<img src='data:,' onerror=\"document.title = 'foreign'\">",
    "a file": "<img src='http://127.0.0.1:9/x.png'>",
    "a style sheet": "<link rel=stylesheet href='http://127.0.0.1:9/x.css'>",
    "a frame": "<iframe src='http://127.0.0.1:9/'></iframe>",
    "a base": "<base href='http://127.0.0.1:9/'>",
}


@pytest.mark.parametrize("what", FOREIGN)
def test_what_did_not_come_with_a_page_is_refused(browser, tmp_path, what):
    """And its own script runs: the policy is that of the page before somebody put this into it."""
    page = tmp_path / "page.html"
    page.write_text(with_policy(PAGE.format(OWN)) + FOREIGN[what])
    browser.open(page.as_uri())
    browser.wait(0.3)
    assert browser.evaluate("document.title") == "own"
    assert any("Content Security Policy" in said for said in browser.complaints())
    assert browser.evaluate("document.baseURI") == page.as_uri()


def test_a_page_whose_policy_nobody_wrote_runs_no_script(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE.format(OWN))
    browser.open(page.as_uri())
    assert browser.evaluate("document.title") == "t"
    assert any("Content Security Policy" in said for said in browser.complaints())
