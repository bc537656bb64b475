"""The site in Firefox: what the other tests look at in Chromium alone. Run it after `make`."""

import re

import firefox
import polars as pl
import pytest
from test_pages import BROKEN_IMAGES, NO_SITE, OVERFLOWING, PAPERS, SITE
from test_policy import draw_all

FORTY, MANY = "datasets/testbed-modern/index.html", "datasets/ns2-dumbbell/index.html"
DATASETS = (FORTY, MANY)
PAPER = f"{PAPERS[0]}/index.html"
PAGES = ("index.html", "search.html", *DATASETS, PAPER)
WIDTHS = (320, 1440)  # CSS pixels
READY = "document.documentElement.dataset.ready === 'yes'"
PATIENCE_S = 30
FOCUSED = "document.activeElement"
MANY_STOPS = 150  # of the Tab key, before a chart is reached

pytestmark = [
    NO_SITE,
    pytest.mark.skipif(firefox.PROGRAM is None, reason=firefox.MISSING),
]


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    with firefox.browser(tmp_path_factory.mktemp("firefox")) as found:
        yield found


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_network_and_without_errors(tab, name):
    tab.look(1440)
    tab.open((SITE / name).as_uri())
    assert [url for url in tab.requests() if not url.startswith("data:")] == []
    assert tab.complaints() == []
    assert tab.evaluate("document.title")
    assert tab.evaluate(BROKEN_IMAGES) == []


@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_of_a_page(tab, name):
    for width in WIDTHS:
        tab.look(width)
        tab.open((SITE / name).as_uri())
        assert tab.evaluate("innerWidth") == width
        assert tab.evaluate(OVERFLOWING) is None, width


def test_what_a_page_does_amiss_is_seen(tab, tmp_path):
    """Else the tests above would pass whatever Firefox said."""
    page = tmp_path / "faulty.html"
    rule = "script-src 'unsafe-inline'; frame-src 'none'"
    page.write_text(
        "<!doctype html><meta charset=utf-8><title>t</title>"
        f'<meta http-equiv=Content-Security-Policy content="{rule}">'
        "<iframe src='data:,x'></iframe><img src='http://127.0.0.1:64999/x.png' alt='net'>"
        "<script>console.error('said'); console.warn('warned'); throw new Error('thrown')</script>"
    )
    tab.open(page.as_uri())
    assert "http://127.0.0.1:64999/x.png" in tab.requests()
    said = "\n".join(tab.complaints())
    for each in ("said", "warned", "thrown", "frame-src"):
        assert each in said
    assert tab.evaluate(BROKEN_IMAGES) == ["net"]


@pytest.mark.parametrize("name", DATASETS)
def test_charts_of_a_data_set_are_drawn(tab, name):
    tab.look(1440)
    tab.open((SITE / name).as_uri())
    assert tab.until(READY, PATIENCE_S)
    marks = tab.evaluate("""[...new Set([...document.querySelectorAll('#factors [data-setting]')]
      .filter((mark) => mark.getBoundingClientRect().width > 0)
      .map((mark) => Number(mark.dataset.setting)))].sort((a, b) => a - b)""")
    run = pl.read_parquet((SITE / name).parent / "tables/run.parquet")
    assert marks == list(range(run["scenario_id"].n_unique()))
    lines = tab.evaluate("""[...document.querySelectorAll('#time polyline')].map((line) => {
      const { width, height } = line.getBoundingClientRect();
      return width > 0 && height > 0;
    })""")
    assert lines and all(lines)
    assert tab.complaints() == []


def test_charts_of_a_paper_are_drawn(tab):
    tab.look(1440)
    tab.open((SITE / PAPER).as_uri())
    assert tab.until("window.evenflow && window.evenflow.specs", PATIENCE_S)
    labels, lost = draw_all(tab)
    assert labels and not lost
    assert tab.complaints() == []


@pytest.mark.parametrize("name", DATASETS)
def test_a_mark_is_reached_and_opened_by_keyboard(tab, name):
    tab.look(1440)
    tab.open((SITE / name).as_uri())
    assert tab.until(READY, PATIENCE_S)
    tab.evaluate("document.querySelector('#factors').scrollIntoView()")
    for _ in range(MANY_STOPS):
        tab.press("Tab")
        if tab.evaluate(f"{FOCUSED}.matches('#factors [data-setting]')"):
            break
    before = tab.evaluate(f"{FOCUSED}.ariaLabel")
    tab.press("ArrowRight")
    after = tab.evaluate(f"{FOCUSED}.ariaLabel")
    assert after and before and after != before
    tab.press("Enter")
    assert tab.until("document.querySelector('#setting').open", PATIENCE_S)
    title = tab.evaluate("document.querySelector('#setting-title').textContent")
    assert title == after.split("\n")[0]
    assert tab.evaluate("document.querySelectorAll('#setting polyline').length") > 0
    tab.press("Escape")
    assert not tab.evaluate("document.querySelector('#setting').open")
    assert tab.evaluate(f"{FOCUSED}.ariaLabel") == after
    assert tab.complaints() == []


@pytest.fixture(scope="module")
def without_script(tmp_path_factory):
    with firefox.browser(tmp_path_factory.mktemp("no-script"), **firefox.NO_SCRIPT) as found:
        yield found


@pytest.mark.parametrize("name", DATASETS)
def test_the_first_screen_is_whole_without_a_script(without_script, name):
    without_script.look(1440)
    without_script.load((SITE / name).as_uri())
    assert without_script.evaluate("document.documentElement.dataset.ready") is None
    bottoms = without_script.evaluate("""[".taken", "#answer h2", "#trust h2", ".chip"].map(
      (part) => document.querySelector(part).getBoundingClientRect().bottom)""")
    assert min(bottoms) > 0 and max(bottoms) <= 900, bottoms


@pytest.mark.parametrize("name", ["index.html", FORTY, PAPER])
def test_from_a_page_of_the_disk_one_can_search(tab, name):
    """By the form of the header or, where it has none, by the link to the search page."""
    tab.look(1440)
    tab.open((SITE / name).as_uri())
    reach = """(() => {
      const place = document.querySelector("form[action$='search.html'] input[name=q]")
        || document.querySelector("a[href$='search.html']");
      place.focus();
      return place.localName;
    })()"""
    words = [*"bufer", "Enter"] if tab.evaluate(reach) == "input" else ["Enter"]
    tab.press(*words)
    for _ in range(50):
        if "/search.html" in tab.evaluate("location.href"):
            break
        tab.wait(0.2)
    enabled = "document.querySelector('#search-words')?.disabled === false"
    assert tab.until(enabled, PATIENCE_S)
    if len(words) == 1:
        tab.press(*"bufer")
    assert tab.evaluate("document.querySelector('#search-words').value") == "bufer"
    assert tab.until("document.querySelectorAll('#search-found li').length", PATIENCE_S)
    count = tab.evaluate("document.querySelector('#search-count').textContent")
    assert re.search(r"\d sections? with similar words", count)  # 'buffer': a letter is missing
    assert tab.complaints() == []
