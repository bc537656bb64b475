"""The overview of the first page: who takes how much from whom. Run it after `make`."""

import json
import math
import random
import re
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pytest
from chromium import AXE, NO_AXE
from scipy.stats import t as student
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
PAGE = SITE / "index.html"
MOST_BYTES = 150_000
CELLS = """[...document.querySelectorAll('.matrix :is(td, th)')].map((cell) =>
  [cell.textContent.trim(), cell.className, cell.querySelector('a')?.getAttribute('href') || '',
   cell.getAttribute('style') || ''].join('|'))"""

pytestmark = pytest.mark.skipif(
    not PAGE.is_file() or 'id="overview-data"' not in PAGE.read_text(encoding="utf-8"),
    reason="the first page has no overview: make first",
)


@pytest.fixture(scope="module")
def data() -> dict:
    page = PAGE.read_text(encoding="utf-8")
    (text,) = re.findall(r'id="overview-data">(.*?)</script>', page, re.DOTALL)
    assert len(text.encode()) <= MOST_BYTES
    return json.loads(text)


def open_index(browser, more: str = "") -> None:
    browser.open("about:blank")
    browser.open(PAGE.as_uri() + more)
    browser.until("document.querySelector('#overview.live')", 5)


def press(browser, *keys: str) -> None:
    for key in keys:
        ActionChains(browser.driver).send_keys(key).perform()


def test_the_table_without_a_script_is_the_one_that_is_drawn(browser):
    open_index(browser)
    drawn = browser.evaluate(CELLS)
    page = PAGE.read_text(encoding="utf-8")
    before = re.search(r'<table class="matrix">.*?</table>', page, re.DOTALL)[0]
    browser.evaluate(f"document.querySelector('.matrix').outerHTML = {json.dumps(before)}")
    assert len(drawn) > 20
    assert browser.evaluate(CELLS) == drawn


def test_no_cell_hides_another(data):
    assert len({tuple(row[:6]) for row in data["rows"]}) == len(data["rows"])


def test_cells_are_what_the_tables_of_flows_give(data):
    """Drawn cells: share, interval, n, and a link to a scenario that there is."""
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    for row in random.Random(seed).sample(data["rows"], 40):
        *_, n, log, half = row[:9]
        dataset = data["datasets"][row[12]]
        scenario = "/".join(data["pieces"][i] for i in row[13:])
        derived = ROOT / "data/derived" / dataset
        runs = pl.read_parquet(derived / "run.parquet").filter(scenario_id=scenario)
        flows = pl.read_parquet(derived / "flow_metric.parquet")
        logs = []
        for run in runs["run_id"]:
            one, two = (
                max(flows.filter(run_id=run, flow_id=i)["mean_throughput_bps"][0], 8 * 1448)
                for i in (1, 2)
            )
            logs.append(math.log(one / two))
        assert len(logs) == n, (seed, dataset, scenario)
        assert sum(logs) / n == pytest.approx(log / 1e3, abs=6e-4)
        if half is not None:
            sd = pl.Series(logs).std()
            expected = student.ppf(0.975, n - 1) * sd / math.sqrt(n)
            assert expected == pytest.approx(half / 1e3, abs=6e-4)
        else:
            assert n == 1 or len(set(logs)) == 1


def test_every_cell_leads_to_a_scenario_of_a_page_that_there_is(browser, data):
    open_index(browser)
    links = browser.evaluate(
        "[...document.querySelectorAll('.matrix a')].map((link) => link.getAttribute('href'))"
    )
    assert links
    for link in links:
        page, _, anchor = link.partition("#scenario-")
        assert (SITE / unquote(page)).is_file()
        scenario = re.sub(r"-([0-9a-f]+)-", lambda sign: chr(int(sign[1], 16)), anchor)
        run = pl.read_parquet(ROOT / "data/derived" / page.split("/")[1] / "run.parquet")
        assert scenario in run["scenario_id"], link


def test_by_keyboard_a_switch_and_a_cell_are_chosen_and_the_address_keeps_it(browser):
    open_index(browser)
    stops = "document.querySelectorAll('.matrix a[tabindex=\"0\"]').length"
    assert browser.evaluate(stops) == 1
    browser.evaluate("document.querySelector('.matrix a[tabindex=\"0\"]').focus()")
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    here = (
        "(({parentElement: c}) => [c.parentElement.sectionRowIndex, c.cellIndex])"
        "(document.activeElement)"
    )
    assert browser.evaluate(here) == [1, 2]
    assert browser.evaluate(stops) == 1
    said = browser.evaluate("document.querySelector('.detail strong').textContent")
    assert re.search(r"gets [\d.<>]+ % of what both carry", said)
    before = browser.evaluate(CELLS)
    browser.evaluate("document.querySelector('[data-switch=rtt] :checked').focus()")
    press(browser, Keys.ARROW_RIGHT)
    after = browser.evaluate(CELLS)
    assert before != after
    address = browser.evaluate("location.hash")
    assert address.startswith("#overview~")
    open_index(browser, address)
    assert browser.evaluate(CELLS) == after


def test_every_choice_can_be_drawn(browser, data):
    """Every set, and both kinds of RTTs; marks are those of the rows."""
    open_index(browser)
    browser.complaints()
    for place, of in enumerate(data["sets"]):
        open_index(browser, f"#overview~{place}")
        text = browser.evaluate("document.querySelector('.matrix caption').textContent")
        assert of["platform"] in text and of["hosts"] in text and f"{of['mbps']} Mb/s" in text
        assert browser.evaluate("document.querySelectorAll('.matrix a').length") > 1
        apart = "[...document.querySelectorAll('[data-switch=apart] input')].at(-1)"
        if browser.evaluate(f"Boolean({apart})"):
            browser.evaluate(f"{apart}.click()")
            assert browser.evaluate("document.querySelectorAll('.matrix a').length") > 1
            mean = "document.querySelectorAll('.matrix .mean').length"
            assert browser.evaluate(mean) == 0
    assert browser.complaints() == []


def test_the_order_that_was_not_run_is_the_mirrored_one(browser):
    open_index(browser)
    pairs = browser.evaluate("""[...document.querySelectorAll('.matrix td.second')].map((cell) => {
      const [row, column] = [cell.parentElement.sectionRowIndex, cell.cellIndex];
      const other = document.querySelector('.matrix').tBodies[0].rows[column - 1].cells[row + 1];
      return [cell, other].map((of) => of.querySelector('b').textContent.replace(/[~<>]/g, ''));
    })""")
    assert pairs
    for mine, other in pairs:
        assert float(mine) + float(other) == pytest.approx(100, abs=1.1)


@pytest.mark.skipif(not AXE.is_file(), reason=NO_AXE)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing_in_the_overview(browser, data, width, scheme):
    browser.look(width, scheme)
    for place in (0, len(data["sets"]) - 1):
        open_index(browser, f"#overview~{place}")
        browser.evaluate("document.querySelector('.matrix a').focus()")
        assert browser.violations(within="#overview") == []
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
