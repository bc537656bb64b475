"""From a number or figure of a rendered report to the lines of the raw file, as a reader goes.

Run it after `make`; .ci/run does. Which number, figure and run is random: the seed is printed, and
EVENFLOW_SEED repeats it.
"""

import gzip
import hashlib
import json
import math
import os
import random
import re
import subprocess
from html import unescape
from pathlib import Path

import polars as pl
import pytest
import tab
import yaml
from chromium import AXE, NO_AXE
from evenflow.provenance.words import no_expression
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
CONFIG = yaml.safe_load((ROOT / "workflow/defaults.yaml").read_text(encoding="utf-8"))
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
SEED = int(os.environ.get("EVENFLOW_SEED") or random.randrange(10**6))
PAINTED_S = 1.5
# pages of data sets have charts of another kind (test_dataset_pages.py)
WITHOUT = {*SITE.glob("datasets/*/index.html"), *SITE.glob("docs/**/index.html")}
WITH_LIVE_CHARTS = sorted({*SITE.glob("*/**/index.html")} - WITHOUT)

pytestmark = pytest.mark.skipif(not SITE.exists(), reason="reports/_site is not there: make first")

FIRST_OF_DIALOG = "document.querySelector('#evidence-panel h2').textContent"
CLIPBOARD = ["clipboardReadWrite", "clipboardSanitizedWrite"]
IS_OPEN = "Boolean(document.querySelector('#evidence-panel')?.open)"
# opens a run's entry of the panel; its files as [name, lines, sha256]
OPEN_RUN = """(() => {
  const runs = [...document.querySelectorAll('#evidence-panel details[data-run]')];
  if (!runs.length) return null;
  const run = runs[Math.floor(%f * runs.length)];
  run.querySelector('summary').click();
  return new Promise((done) => setTimeout(() => done({
    dataset: run.dataset.dataset, run: run.dataset.run,
    files: [...run.querySelectorAll('tbody tr')].map(
      (row) => [...row.children].map((cell) => cell.textContent)),
  }), 100));
})()"""


@pytest.fixture(scope="module", params=PAPERS)
def paper(request):
    """A paper: all tests of one follow one another, so that its page need not be loaded by each."""
    return request.param


@pytest.fixture
def chance(request):
    print(f"EVENFLOW_SEED={SEED}")
    return random.Random(f"{SEED} {request.node.name}")


def open_report(browser, paper: str) -> None:
    browser.open((SITE / paper / "index.html").as_uri())
    # until then its links lead to the appendix; the record is unpacked while the page is painted
    assert browser.until("window.evenflow && window.evenflow.record", 15)


def have_report(browser, paper: str) -> None:
    """Open a report where it is not open, as tests left it that only open and close its panel."""
    if browser.evaluate("location.href") != (SITE / paper / "index.html").as_uri():
        open_report(browser, paper)
    browser.evaluate("document.querySelector('#evidence-panel')?.close()")


def named(browser, kind: str) -> list[str]:
    """What the links of a kind are of: numbers, or figures and tables."""
    script = f"[...document.querySelectorAll('a.{kind}')].map((link) => link.dataset.of)"
    return browser.evaluate(script)


def press(browser, key: str) -> None:
    ActionChains(browser.driver).send_keys(key).perform()


def check_files(dataset: str, run: str, files: list) -> None:
    """Compare what the panel says of a run's files with the files and with the tables."""
    assert files
    raw = ROOT / "data/raw" / dataset
    for name, lines, digest in files:
        path = raw / run / name
        path = path if path.is_file() else raw / name
        content = path.read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest, path
        if lines.startswith("none"):
            continue
        first, last = map(int, re.match(r"(\d+) to (\d+)", lines).groups())
        plain = gzip.decompress(content) if path.suffix == ".gz" else content
        listed = plain.decode(errors="replace").splitlines()
        assert 1 <= first <= last <= len(listed), path
        used = re.search(r"\((\d+) used\)", lines)
        assert used is None or 0 < int(used[1]) <= last - first + 1
        if used and path.name.endswith("server.log.gz"):
            check_first_line(dataset, run, path, listed[first - 2 : first])


def check_first_line(dataset: str, run: str, path: Path, lines: list[str]) -> None:
    """The first line is the first that ends in the steady state, by its own clock and start."""
    derived = ROOT / "data/derived" / dataset
    flow = int(re.search(r"flow(\d+)", path.name)[1])
    flows = pl.read_parquet(derived / "flow.parquet").filter(run_id=run, flow_id=flow)
    window = pl.read_parquet(derived / "window.parquet").filter(run_id=run)
    ends = [flows["start_s"][0] + float(re.search(r"-\s*([\d.]+) sec", x)[1]) for x in lines]
    assert ends[0] < window["warmup_s"][0] <= ends[1] + 1e-3, (path, lines)


@pytest.mark.parametrize("kind", ["evidence", "evidence-source"])
def test_a_random_number_and_figure_lead_to_raw_files_that_match(browser, chance, paper, kind):
    have_report(browser, paper)
    names = named(browser, kind)
    assert len(names) >= 5
    chance.shuffle(names)
    for name in names:  # some are of formulas or settings, without a run
        link = f"document.querySelector('a.{kind}[data-of=\"{name}\"]')"
        shown = browser.evaluate(f"{link}.textContent")
        browser.evaluate(f"{link}.focus()")
        press(browser, Keys.ENTER)
        assert browser.evaluate(IS_OPEN), name
        title = browser.evaluate(FIRST_OF_DIALOG)
        if kind == "evidence":
            assert title == shown.replace("’", "'")
        else:
            assert re.match(r"(Figure|Table)\s\d", title)
        found = browser.evaluate(OPEN_RUN % chance.random())
        steps = browser.evaluate("document.querySelector('.evidence-steps').textContent")
        press(browser, Keys.ESCAPE)
        assert not browser.evaluate(IS_OPEN)
        assert browser.evaluate(f"document.activeElement === {link}")
        if found:
            assert "read_logs" in steps and ".smk" in steps
            check_files(found["dataset"], found["run"], found["files"])
            return
    pytest.fail("no number or figure of this report has a run")


def test_all_that_has_runs_is_traced_back_to_the_logs(paper):
    record = json.loads((ROOT / f"reports/{paper}/provenance.json").read_text(encoding="utf-8"))
    made = record["made"]

    def rules(path: str) -> set[str]:
        found, ahead = {}, [path]
        while ahead:
            here = ahead.pop()
            if here in made and here not in found:
                found[here] = made[here]["rule"]
                ahead += made[here]["inputs"]
        return {*found.values()}

    of = [*record["numbers"].values(), *record["behind"], *record["figures"].values()]
    tables = {part["path"] for one in of for part in one["parts"] if part.get("set") is not None}
    pieces = {piece["file"] for piece in record["pieces"].values() if piece["runs"]}
    assert tables and pieces
    lost = [path for path in sorted(tables | pieces) if "read_logs" not in rules(path)]
    assert lost == []
    derived = {
        name for step in made.values() for name in step["inputs"] if name.startswith("data/d")
    }
    assert derived <= {*made}


def test_every_mark_opens_a_panel(browser, chance, paper):
    have_report(browser, paper)
    # thirty of some thousands, spread over the page, others each time
    script = """[...document.querySelectorAll('a[data-of]')].filter((_, i, all) => {
      const step = Math.ceil(all.length / 30);
      return i % step === Math.floor(CHANCE * step);
    }).filter((link) => {
      link.click();
      const panel = document.querySelector('#evidence-panel');
      const whole = panel.open && panel.textContent.includes('Software');
      panel.close();
      return !whole;
    }).map((link) => link.dataset.of)"""
    browser.complaints()
    assert browser.evaluate(script.replace("CHANCE", str(chance.random()))) == []
    assert browser.complaints() == []


def test_each_number_of_the_first_page_opens_its_panel_in_the_paper(browser, paper):
    text = (SITE / "index.html").read_text(encoding="utf-8")
    link = rf'<a href="({re.escape(paper)}/index\.html#number=[^"]+)" class="evidence">([^<]+)</a>'
    numbers = re.findall(link, text)
    assert numbers
    for href, shown in numbers:
        browser.open("about:blank")  # an address that differs in its fragment loads nothing
        browser.open(f"{SITE.as_uri()}/{unescape(href)}")
        assert browser.until(IS_OPEN, 15), href
        said = browser.evaluate("document.querySelector('#evidence-panel').textContent")
        assert unescape(shown).split()[0] in said, href


def test_without_javascript_marks_lead_to_the_appendix(browser, paper):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.load((SITE / paper / "index.html").as_uri())
        tree = browser.call("DOM.getDocument", depth=1)["root"]["nodeId"]
        links = browser.call("DOM.querySelectorAll", nodeId=tree, selector="a[data-of]")["nodeIds"]
        assert links
        for node in links[:: max(1, len(links) // 10)]:
            pairs = browser.call("DOM.getAttributes", nodeId=node)["attributes"]
            target = dict(zip(pairs[::2], pairs[1::2], strict=True))["href"]
            assert browser.call("DOM.querySelector", nodeId=tree, selector=target)["nodeId"], target
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.skipif(not AXE.is_file(), reason=NO_AXE)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_panel(browser, paper, scheme):
    browser.look(1100, scheme)
    open_report(browser, paper)
    browser.evaluate("document.querySelector('a.evidence').click()")
    assert browser.violations(within="#evidence-panel") == []


def test_a_report_paints_at_once_and_its_pdf_is_small(browser, paper):
    assert (SITE / paper / f"{paper}.pdf").stat().st_size < 5e6
    times = [math.inf]
    while min(times) >= PAINTED_S and len(times) <= 3:  # the machine may be busy
        open_report(browser, paper)
        painted = "performance.getEntriesByType('paint').map((entry) => entry.startTime)"
        assert browser.until(f"{painted}.length", 10)
        times.append(min(browser.evaluate(painted)) / 1000)
    assert min(times) < PAINTED_S, times


# the mark in the middle of a live chart: its place on the screen
MIDDLE = """((label) => {
  const marks = [...document.querySelectorAll(`#${label} .live-chart [aria-roledescription]`)]
    .filter((mark) => / mark$/.test(mark.getAttribute('aria-roledescription')));
  const box = marks[Math.floor(marks.length / 2)]?.getBoundingClientRect();
  return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
})('%s')"""


def point(browser, x: float, y: float, *kinds: str) -> None:
    for kind in kinds:
        button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
        browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)
    browser.wait(0.3)


LEGIBLE_PX = 9
# the smallest type of a live chart, and of each chart that is an image yet: px on the screen
SMALLEST_OF_CHART = """((label) => {
  const texts = [...document.querySelectorAll(`#${label} .live-chart text`)];
  return Math.min(...texts.filter((text) => text.textContent).map((text) => {
    const {a, b} = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
  }));
})('%s')"""
SMALLEST_OF_IMAGES = """[...document.querySelectorAll("figure img")].map((image) => {
  image.classList.remove("still");
  const svg = new TextDecoder().decode(
    Uint8Array.from(atob(image.src.split(",")[1]), (sign) => sign.charCodeAt(0)));
  const sizes = [...svg.matchAll(/font-size="([\\d.]+)px"/g)].map((found) => Number(found[1]));
  return Math.min(...sizes) * image.getBoundingClientRect().width / image.naturalWidth;
})"""


def charts_of(browser) -> list[str]:
    """The labels of a page's charts, once they are unpacked."""
    assert browser.until("window.evenflow?.specs", 10)
    return browser.evaluate("Object.keys(evenflow.specs)")


@pytest.mark.parametrize("page", WITH_LIVE_CHARTS, ids=lambda page: page.parent.name)
def test_the_labels_of_every_chart_can_be_read_on_a_telephone(browser, page):
    browser.look(360)
    browser.open(page.as_uri())
    sizes = browser.evaluate(SMALLEST_OF_IMAGES)
    assert sizes and min(sizes) >= LEGIBLE_PX, sizes
    for label in charts_of(browser):
        assert browser.bring_to_life(label), label
        assert browser.evaluate(SMALLEST_OF_CHART % label) >= LEGIBLE_PX, label
    out_of_reach = """[...document.querySelectorAll("figure *")].filter((box) =>
      box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX === "auto" &&
      box.tabIndex !== 0).map((box) => box.className)"""
    assert browser.evaluate(out_of_reach) == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.fixture(scope="module")
def surface() -> tuple[str, str]:
    """A paper, and the label of a figure in it that is a surface with slices to choose."""
    for paper in PAPERS:
        text = (ROOT / f"reports/{paper}/index.qmd").read_text(encoding="utf-8")
        for file, label in re.findall(r"\]\((figures/[^)]+)\)\{#(fig-[\w-]+)", text):
            if "one_across" in (ROOT / f"reports/{paper}" / file).read_text(encoding="utf-8"):
                return paper, label
    return pytest.skip("no paper has a surface")


def test_a_chromium_that_ceases_to_draw_is_replaced(browser, surface, monkeypatch):
    monkeypatch.setattr(tab, "FRAME_S", 2)
    paper, label = surface
    never = """window.requestAnimationFrame = () => 0;
        IntersectionObserver.prototype.observe = () => {};"""
    browser.call("Page.addScriptToEvaluateOnNewDocument", source=never)
    open_report(browser, paper)
    first = browser.driver
    with pytest.warns(UserWarning, match=f"{label}: the browser drew no more"):
        assert browser.bring_to_life(label)
    assert browser.driver is not first


def test_a_chart_that_fails_in_a_chromium_that_draws_is_not_live(browser, surface):
    paper, label = surface
    open_report(browser, paper)
    browser.evaluate("document.getElementById('vega').textContent = ''")
    assert browser.draws()
    assert not browser.bring_to_life(label, seconds=5)


def legend_of(browser, label: str) -> str:
    """What the legend of a live chart calls its colours."""
    legend = f"document.querySelector('#{label} .live-chart .role-legend-title text').textContent"
    return browser.evaluate(legend)


def set_width(browser, width: int) -> None:
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=width < 500)  # fmt: skip


def check_opens(browser, link: str, page: Path, run: str) -> None:
    """Check that a link opens the scenario of a run on the page of its data set."""
    browser.open(link)
    browser.until("document.querySelector('#setting').open", 20)
    runs = "[...document.querySelectorAll('#setting summary')].map((s) => s.firstChild.data.trim())"
    table = pl.read_parquet(page.parent / "tables/run.parquet")
    scenario = table.filter(run_id=run)["scenario_id"][0]
    assert set(browser.evaluate(runs)) == set(table.filter(scenario_id=scenario)["run_id"])


def test_a_chart_answers_to_pointing_clicking_and_slicing(browser, surface):
    paper, label = surface
    set_width(browser, 1100)
    open_report(browser, paper)
    assert browser.bring_to_life(label)
    image = f"document.querySelector('#{label} img')"
    assert browser.evaluate(f"getComputedStyle({image}).display") == "none"
    spot = browser.evaluate(MIDDLE % label)
    point(browser, *spot, "mouseMoved")
    said = browser.evaluate("document.querySelector('.chart-tip').textContent")
    for word in ("Data set", "RTT (ms)", "Buffer (% of BDP)", "n ", "Interval"):
        assert word in said
    assert legend_of(browser, label) in said
    point(browser, *spot, "mousePressed", "mouseReleased")
    assert browser.evaluate(IS_OPEN)
    n_runs = "document.querySelectorAll('#evidence-panel details[data-run]').length"
    assert 0 < browser.evaluate(n_runs) < 10  # of one cell
    drawn = "document.querySelectorAll('#evidence-panel .evidence-series polyline').length"
    assert browser.evaluate(drawn) == 2 * browser.evaluate(n_runs)
    found = browser.evaluate(OPEN_RUN % 0.0)
    check_files(found["dataset"], found["run"], found["files"])
    # and to its scenario, on the page of its data set
    link = browser.evaluate("document.querySelector('#evidence-panel a.scenario-row').href")
    page = SITE / "datasets" / found["dataset"] / "index.html"
    assert Path(link.removeprefix("file://").partition("#")[0]) == page
    press(browser, Keys.ESCAPE)
    check_opens(browser, link, page, found["run"])
    open_report(browser, paper)
    assert browser.bring_to_life(label)
    # a slice: the cells of the other buffers fade
    faded = f"document.querySelectorAll('#{label} .live-chart path[opacity=\"0.12\"]').length"
    assert browser.evaluate(faded) == 0
    browser.evaluate(f"""(() => {{
      const choice = document.querySelectorAll('#{label} select')[1];
      choice.selectedIndex = 1;
      choice.dispatchEvent(new Event('change'));
      return new Promise((done) => setTimeout(done, 300));
    }})()""")
    assert browser.evaluate(faded) > 10


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1400])
def test_a_surface_is_read_at_every_width_and_in_the_dark(browser, surface, width, scheme):
    paper, label = surface
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", features=features)
    set_width(browser, width)
    open_report(browser, paper)
    assert browser.bring_to_life(label)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(SMALLEST_OF_CHART % label) >= LEGIBLE_PX
    texts = f"[...document.querySelectorAll('#{label} .live-chart text')]"
    right = f"Math.max(...{texts}.map(t => t.getBoundingClientRect().right))"
    assert browser.evaluate(right) <= width
    page = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    ink = f"getComputedStyle({texts}.find(t => t.textContent === 'RTT (ms)')).fill"
    assert contrast(browser.evaluate(ink), page) > 7
    # what is printed into a cell: on the colour of the cell, whatever the page's
    cells = """(() => {
      const boxes = [...document.querySelectorAll('LABEL .live-chart .mark-rect path')]
        .map(p => [p, p.getBoundingClientRect()]);
      return [...document.querySelectorAll('LABEL .live-chart .mark-text text')]
        .filter(t => /^[01][.]\\d\\d$/.test(t.textContent)).slice(0, 400).map(t => {
          const b = t.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;
          const under = boxes.filter(([, q]) =>
            q.left < x && x < q.right && q.top < y && y < q.bottom);
          return [getComputedStyle(t).fill, getComputedStyle(under.at(-1)[0]).fill];
        });
    })()"""
    pairs = browser.evaluate(cells.replace("LABEL", f"#{label}"))
    assert len(pairs) > 20
    assert min(contrast(*pair) for pair in pairs) > 3.5


def contrast(one: str, other: str) -> float:
    """The contrast (WCAG 2.1) of two colours, 'rgb(...)'."""

    def luminance(colour: str) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
                  for part in (int(n) / 255 for n in re.findall(r"\d+", colour)[:3])]  # fmt: skip
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_an_image_of_a_chart_is_right_in_the_dark_before_it_is_live(browser, surface):
    """The mean brightness of the image, as drawn: a chart on white would be far brighter."""
    found, (paper, label) = {}, surface
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.call("Emulation.setEmulatedMedia", features=features)
        open_report(browser, paper)
        found[scheme] = browser.evaluate(
            """(async () => {
          const image = document.querySelector('#LABEL img');
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [200, 200];
          const drawn = canvas.getContext('2d');
          drawn.fillStyle = getComputedStyle(document.body).backgroundColor;
          drawn.fillRect(0, 0, 200, 200);
          await image.decode();
          drawn.drawImage(image, 0, 0, 200, 200);
          const all = drawn.getImageData(0, 0, 200, 200).data;
          return all.reduce((sum, part) => sum + part, 0) / all.length;
        })()""".replace("LABEL", label)
        )
    assert found["light"] > 200 and found["dark"] < 120


def test_on_paper_the_image_stands_in_the_place_of_a_live_chart(browser, paper):
    """That all charts are drawn, and without complaint, says test_policy.py."""
    open_report(browser, paper)
    label = charts_of(browser)[0]
    assert browser.bring_to_life(label)
    browser.call("Emulation.setEmulatedMedia", media="print")
    still = f"getComputedStyle(document.querySelector('#{label} img')).display"
    assert browser.evaluate(still) != "none"
    browser.call("Emulation.setEmulatedMedia", media="")


def number_of_the_abstract(browser) -> str:
    """The name of a number of the abstract that has runs."""
    return browser.evaluate("""(() => {
      const { numbers, printed } = window.evenflow.record;
      const has = (name) => numbers[name].parts.some(({ set }) => set !== undefined);
      return printed.find((name) => has(name) && document.querySelector(`a[data-of="${name}"]`));
    })()""")


def in_panel(browser, wanted: str, steps: int = 60) -> None:
    """Go by Tab to an element of the panel."""
    here = f"document.activeElement.matches('#evidence-panel {wanted}')"
    for _ in range(steps):
        press(browser, Keys.TAB)
        if browser.evaluate(here):
            return
    pytest.fail(f"no {wanted} in {steps} steps of Tab")


def check_copied_command(browser) -> None:
    """Open the first run of the panel, copy the command of a log, run it: it prints its lines."""
    in_panel(browser, "details[data-run] > summary")
    press(browser, Keys.ENTER)
    browser.until("document.querySelector('#evidence-panel details[open] .copy')", 2)
    in_panel(browser, "details[data-run] .copy")
    browser.call("Browser.grantPermissions", permissions=CLIPBOARD)
    press(browser, Keys.ENTER)
    browser.wait(0.3)
    command = browser.evaluate("navigator.clipboard.readText()")
    first, last = map(int, re.search(r"sed -n '(\d+),(\d+)p'$", command).groups())
    made = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(made.stdout.splitlines()) == last - first + 1


def test_by_keyboard_a_number_leads_to_a_command_that_prints_its_lines(browser, paper):
    have_report(browser, paper)
    name = number_of_the_abstract(browser)
    browser.evaluate(f"document.querySelector('a[data-of=\"{name}\"]').focus()")
    press(browser, Keys.ENTER)
    assert browser.evaluate(IS_OPEN)
    assert (
        browser.evaluate("document.querySelector('#evidence-panel .lead').textContent.length") > 30
    )
    check_copied_command(browser)


# ---- a table by keyboard ------------------------------------------------------------------------

# the tables whose cells lead to rows: how many stops of Tab each has
STOPS = """[...document.querySelectorAll("table")].map((table) =>
  [...table.querySelectorAll("td > a.evidence[data-of^='tbl-']")]).filter((links) => links.length)
  .map((links) => links.filter((link) => link.tabIndex === 0).length)"""
# the name of the first cell that has runs
CELL_WITH_RUNS = """(() => {
  const { cells, behind } = evenflow.record;
  for (const [label, marks] of Object.entries(cells))
    for (const [row, columns, k] of marks)
      for (const column of columns) {
        const name = `${label}:${row}:${column}`;
        if (behind[k].parts.some(({ set, reads }) => set !== undefined && reads.includes("flows"))
            && document.querySelector(`a[data-of="${name}"]`)) return name;
      }
})()"""


def test_by_keyboard_a_number_of_a_table_leads_to_a_copied_command(browser, paper):
    have_report(browser, paper)
    name = browser.evaluate(CELL_WITH_RUNS)
    link = f"document.querySelector('a[data-of=\"{name}\"]')"
    shown = browser.evaluate(f"{link}.textContent")
    browser.evaluate(f"{link}.focus()")
    press(browser, Keys.ENTER)
    assert browser.evaluate(IS_OPEN)
    assert browser.evaluate(FIRST_OF_DIALOG) == shown
    assert len(browser.evaluate("document.querySelector('#evidence-panel .lead').textContent")) > 30
    check_copied_command(browser)
    press(browser, Keys.ESCAPE)
    assert browser.evaluate(f"document.activeElement === {link}")


def test_a_table_is_one_stop_and_arrows_go_from_number_to_number(browser, paper):
    have_report(browser, paper)
    stops = browser.evaluate(STOPS)
    assert len(stops) >= 5 and set(stops) == {1}
    at = "document.activeElement.dataset.of"
    first = "document.querySelector(\"td > a.evidence[data-of^='tbl-']\")"
    browser.evaluate(f"{first}.focus()")
    seen = [browser.evaluate(at)]
    for key in (Keys.END, Keys.ARROW_UP, Keys.HOME, Keys.ARROW_DOWN):
        press(browser, key)
        seen.append(browser.evaluate(at))
    assert seen[3] == seen[0] and len(set(seen)) == 4  # end, above it, and below the first
    assert {name.split(":")[0] for name in seen} == {seen[0].split(":")[0]}


# of thirty cells at most, as each opens the panel
WORDS_OF_CELLS = """[...document.querySelectorAll("td > a.evidence[data-of^='tbl-']")]
  .filter((_, i, all) => i % Math.ceil(all.length / 30) === 0).map((link) => {
    link.click();
    const said = document.querySelector("#evidence-panel .lead").textContent;
    document.querySelector("#evidence-panel").close();
    return said;
  })"""


def test_what_is_said_of_a_cell_has_no_text_of_a_variable_in_it(browser, paper):
    open_report(browser, paper)
    sentences = browser.evaluate(WORDS_OF_CELLS)
    assert len(sentences) > 10
    for said in sentences:  # all that cells are made of is in test_numbers_on_data.py
        assert no_expression(said) and re.match(r"[^a-z]", said) and said.endswith("."), said


# ---- a chart by keyboard ------------------------------------------------------------------------

FOCUS_OF_CHART = "document.querySelector('#%s .live-chart svg').focus()"
HAS_RUN = "Boolean(document.querySelector('#evidence-panel details[data-run]'))"
AT = "document.querySelectorAll('.live-chart svg:focus .at').length"


def test_by_keyboard_a_mark_leads_to_its_row_and_to_a_copied_command(browser, paper):
    """One Tab stop a chart, arrows from mark to mark, Enter, and Escape back to the mark."""
    open_report(browser, paper)
    labels = charts_of(browser)
    for label in labels:
        assert browser.bring_to_life(label), label
        chart = f"document.querySelector('#{label} .live-chart')"
        assert browser.evaluate(f"{chart}.querySelectorAll('[tabindex=\"0\"]').length") == 1
        browser.evaluate(FOCUS_OF_CHART % label)
        press(browser, Keys.ARROW_RIGHT)
        press(browser, Keys.ARROW_DOWN)
        assert browser.evaluate(AT) == 1, label
        assert len(browser.evaluate(f"{chart}.querySelector('.chart-said').textContent")) > 3
        press(browser, Keys.ENTER)
        browser.wait(0.2)
        if not browser.evaluate(IS_OPEN):
            continue  # a mark of formulas
        said = browser.evaluate("document.querySelector('#evidence-panel').textContent")
        if "counted from 0, of" in said and browser.evaluate(HAS_RUN):
            break
        press(browser, Keys.ESCAPE)
    else:
        pytest.fail("no mark leads to its row and a run")
    check_copied_command(browser)
    press(browser, Keys.ESCAPE)
    assert not browser.evaluate(IS_OPEN)
    assert browser.evaluate(AT) == 1


def test_the_panel_opens_at_once(browser, paper):
    """In 0.3 s, of a number of the abstract, once the page is idle."""
    open_report(browser, paper)
    name = number_of_the_abstract(browser)
    took = """(() => {
      const link = document.querySelector('a[data-of="NAME"]'), panel = () =>
        document.querySelector('#evidence-panel');
      const begun = performance.now();
      link.click();
      return new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
        const opened = performance.now() - begun;
        panel().close();
        done(opened / 1000);
      })));
    })()""".replace("NAME", name)
    assert min(browser.evaluate(took) for _ in range(3)) < 0.3
