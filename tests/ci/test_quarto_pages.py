"""Tables, figures and equations of a page as Quarto writes it, in a browser.

Quarto is not needed: its HTML of them is written down here (classes of Quarto 1.4 to 1.9), in
the theme's own template and style sheet. What a later Quarto writes is not tested.
"""

import shutil

import pytest
from evenflow.render import render_report
from evenflow.render.builtin import html_options
from evenflow.render.pandoc import run_pandoc

from tests.unit.rendered_page import FIXTURE, THEME, install_fake_quarto

CAPTION = "tbl-{name}-caption-0ceaefa1-69ba-4598-a22c-09a6ac19f8ca"
FLOAT = f"""<div id="tbl-{{name}}" class="quarto-float quarto-figure quarto-figure-center anchored">
<figure class="quarto-float quarto-float-tbl figure">
<figcaption class="quarto-float-caption-top quarto-float-caption quarto-float-tbl" id="{CAPTION}">
Table&nbsp;1: {{name}}.
</figcaption>
<div aria-describedby="{CAPTION}">
{{table}}
</div>
</figure>
</div>"""
SECTION = '<section id="{name}" class="level1"><h1>{name}</h1>\n{content}\n</section>'


def table(columns: int, rows: int = 3) -> str:
    """A table of Quarto with numbers, which do not break."""
    row = "<tr>" + "<td>123.456</td>" * columns + "</tr>"
    head = "<tr class='header'>" + "<th>Throughput</th>" * columns + "</tr>"
    body = row * rows
    return f"<table class='caption-top table'><thead>{head}</thead><tbody>{body}</tbody></table>"


TERM = "<mi>throughput</mi><mo>+</mo>"
EQUATION = f'<math display="block"><mrow>{TERM * 30}</mrow></math>'
SMALL, WIDE, LONG = table(2), table(24), table(2, rows=200)
CHART = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='700' height='90'/>"
FIGURE = f"""<div id="fig-chart" class="quarto-float quarto-figure quarto-figure-center anchored">
<figure class="quarto-float quarto-float-fig figure">
<div aria-describedby="fig-chart-caption-0ceaefa1-69ba-4598-a22c-09a6ac19f8ca">
<img src="{CHART}" class="img-fluid figure-img" alt="A chart">
</div>
<figcaption class="quarto-float-caption-bottom quarto-float-caption quarto-float-fig">
Figure&nbsp;1: C.
</figcaption>
</figure>
</div>"""
CONTENTS = {
    "wide": FLOAT.format(name="wide", table=WIDE),
    "small": FLOAT.format(name="small", table=SMALL),
    "bare": WIDE,  # a table without label and caption has nothing around it
    "item": f"<ul><li>{WIDE}</li></ul>",
    "long": FLOAT.format(name="long", table=LONG),
    "equation": f'<p><span id="eq-long">{EQUATION}</span></p>',
    "unlabelled": f"<p>{EQUATION}</p>",
    "figure": FIGURE,
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page that is made of Quarto's HTML."""
    folder = tmp_path_factory.mktemp("quarto")
    sections = [SECTION.format(name=name, content=html) for name, html in CONTENTS.items()]
    options = ["--from=markdown", "--to=html5", "--standalone", "--metadata=title:Tables"]
    body = "```{=html}\n" + "\n".join(sections) + "\n```"
    (folder / "made.html").write_text(run_pandoc([*options, *html_options(THEME)], body))
    shutil.copytree(FIXTURE, folder / "report")
    write = f'while [ "$1" != --output ]; do shift; done; cp {folder}/made.html "$2"'
    with pytest.MonkeyPatch.context() as patch:
        install_fake_quarto(folder / "bin", patch, write)
        made = (folder / "index.html", folder / "report.pdf")
        assert render_report(folder / "report", *made, THEME).startswith("Quarto")
    return made[0].as_uri()


def show(browser, page: str, width: int, media: str = "screen") -> None:
    """Open the page in a window of so many CSS pixels."""
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **metrics)
    browser.call("Emulation.setEmulatedMedia", media=media)
    browser.open(page)


def ask(browser, section: str, script: str):
    """The value of an expression of `table` and its first box that scrolls, `box`."""
    table = f"document.querySelector('#{section} table')"
    return browser.evaluate(
        f"(() => {{ const table = {table};"
        "let box = table.parentElement;"
        "while (box && !['auto', 'scroll'].includes(getComputedStyle(box).overflowX))"
        " box = box.parentElement;"
        f"return {script}; }})()"
    )


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_a_wide_table_scrolls_and_the_page_does_not(browser, page, width):
    show(browser, page, width)
    assert browser.evaluate("innerWidth") == width
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    for section in ("wide", "bare", "item"):
        # there is more than is shown, and it can be scrolled to, with the keyboard too
        assert ask(browser, section, "box !== null"), section
        assert ask(browser, section, "box.scrollWidth > box.clientWidth"), section
        assert ask(browser, section, "box.tabIndex") == 0, section
        edges = "[box.getBoundingClientRect().left, box.getBoundingClientRect().right]"
        left, right = ask(browser, section, edges)
        assert left >= 0 and right <= width, section
    assert ask(browser, "small", "box.scrollWidth === box.clientWidth")
    for box in ("#equation span", "#unlabelled math"):
        box = f"document.querySelector('{box}')"
        assert browser.evaluate(f"{box}.scrollWidth > {box}.clientWidth")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_a_chart_keeps_its_size_and_scrolls_where_it_has_less_room(browser, page, width):
    show(browser, page, width)
    image = "document.querySelector('#figure img')"
    assert browser.evaluate(f"{image}.getBoundingClientRect().width") == 700
    assert (
        browser.evaluate(f"{image}.closest('[tabindex=\"0\"]').scrollWidth") == 700 or width > 700
    )
    caption = "document.querySelector('#figure figcaption').getBoundingClientRect()"
    assert browser.evaluate(f"{caption}.right") <= width


def test_a_caption_stays_where_its_table_scrolls(browser, page):
    show(browser, page, 360)
    assert not ask(browser, "wide", "box.contains(document.querySelector('#wide figcaption'))")
    caption = "document.querySelector('#wide figcaption').getBoundingClientRect()"
    assert browser.evaluate(f"{caption}.left") >= 0 and browser.evaluate(f"{caption}.right") <= 360


def test_on_paper_nothing_scrolls_and_a_long_table_goes_on_over_the_page(browser, page):
    show(browser, page, 794, media="print")  # A4 at 96 dots an inch
    for section in set(CONTENTS) - {"equation", "unlabelled", "figure"}:
        assert ask(browser, section, "box") is None, section
    for box in ("#equation span", "#unlabelled math"):
        style = f"getComputedStyle(document.querySelector('{box}'))"
        assert browser.evaluate(f"{style}.overflowX") == "visible"
    broken = "getComputedStyle(document.querySelector('#long figure')).breakInside"
    assert browser.evaluate(broken) == "auto"
    assert browser.evaluate("getComputedStyle(document.querySelector('#tbl-wide')).transform") == (
        "none"
    )
    assert ask(browser, "small", "table.getBoundingClientRect().left") >= 0
