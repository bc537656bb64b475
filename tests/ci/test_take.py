"""A figure can be taken away from its page: SVG, PNG, CSV, a link; so can numbers and the entry.

Run it after `make`.
"""

import csv
import io
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from evenflow.render.source import read_variables

ROOT = Path(__file__).parents[2]
SITE = ROOT / "reports/_site"
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
MOST_BYTES = 6144  # of the script of the menus, in each page
FIGURES = 6  # tried of each paper
FIRST = "[...document.querySelectorAll('figure')].filter((f) => f.querySelector(':scope .take'))"
# what a button saves, as [name, text or bytes of the file], and what the menu says then
TAKEN = """(async () => {{
  const figure = document.getElementById("{label}"), menu = figure.querySelector(".take");
  const kept = [], own = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
  URL.createObjectURL = (blob) => {{ kept.push(blob); return own.call(URL, blob); }};
  HTMLAnchorElement.prototype.click = function () {{ kept.push(this.download); }};
  menu.open = true;
  const said = menu.querySelector("[role=status]");
  [...menu.querySelectorAll("button")].find((b) => b.textContent === "{way}").click();
  for (let i = 0; i < 300 && typeof kept.at(-1) !== "string" && !said.textContent; i++)
    await new Promise((done) => setTimeout(done, 20));
  [URL.createObjectURL, HTMLAnchorElement.prototype.click] = [own, click];
  if (typeof kept.at(-1) !== "string") return [said.textContent, null];
  const bytes = new Uint8Array(await kept.at(-2).arrayBuffer());
  const file = "{way}" === "PNG" ? [...bytes.slice(0, 24)] : new TextDecoder().decode(bytes);
  return [kept.at(-1), file];
}})()"""

pytestmark = pytest.mark.skipif(
    not all((SITE / paper / "index.html").is_file() for paper in PAPERS), reason="make first"
)


def taken(browser, label: str, way: str) -> list:
    return browser.evaluate(TAKEN.format(label=label, way=way))


@pytest.mark.parametrize("paper", PAPERS)
def test_figures_are_taken_as_svg_png_and_csv(browser, paper):
    browser.open((SITE / paper / "index.html").as_uri())
    labels = browser.evaluate(f"{FIRST}.map((figure) => figure.id)")
    assert len(labels) >= FIGURES
    n_tables = 0
    for label in labels[:FIGURES]:
        size = browser.evaluate(
            f"(({{naturalWidth: w, naturalHeight: h}}) => [w, h])"
            f"(document.querySelector('#{label} img'))"
        )
        name, svg = taken(browser, label, "SVG")
        assert name == f"{paper}-{label[4:]}.svg"
        drawn = ElementTree.fromstring(svg)  # for paper: no other colours on a dark page
        assert "prefers-color-scheme" not in svg
        assert float(drawn.get("width")) == pytest.approx(size[0], abs=1)
        name, head = taken(browser, label, "PNG")
        assert name.endswith(".png") and bytes(head[:8]) == b"\x89PNG\r\n\x1a\n"
        width = int.from_bytes(bytes(head[16:20]), "big")
        assert width == pytest.approx(size[0] * 300 / 96, abs=2)
        name, text = taken(browser, label, "CSV")
        if text is None:  # a drawing
            assert name == "A drawing: it has no data", label
            continue
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert rows and all(None not in row for row in rows), label
        n_tables += 1
    assert n_tables
    link = browser.evaluate(f"document.querySelector('#{labels[0]} .take').textContent")
    assert re.match("Download or citeSVGPNGCSVLinkCite", link)


def test_rows_that_are_taken_are_those_of_marks(browser):
    """Those of a figure of utilisation, and neither its grid nor its labels."""
    paper = SITE / "hstcp-buffers/index.html"
    if not paper.is_file():
        pytest.skip("no such paper here")
    browser.open(paper.as_uri())
    _, text = taken(browser, "fig-droptail", "CSV")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    sources = {row["source"] for row in rows}
    assert all(any(name.startswith("row of ") for name in row) for row in rows)
    assert len(sources) > 1 and {"percent", "panel"} <= set(rows[0])
    assert all(0 <= float(row["percent"]) <= 101 for row in rows if row["percent"])


def test_the_menus_are_small():
    text = (ROOT / "workflow/theme/take.js").read_text(encoding="utf-8")
    style = (ROOT / "workflow/theme/report.css").read_text(encoding="utf-8")
    style = re.search(r"/\* the menu below.*?(?=/\* provenance)", style, re.DOTALL)[0]
    assert len((text + style).encode()) <= MOST_BYTES


COMMAND = re.compile(r"\\newcommand\{\\([A-Za-z]+)\}\{(.*)\}% ([\w.-]+)")
# a number on a page that is no more than text
PRINTED = re.compile(r'<a class="evidence" href="[^"]*" data-of="([^"]+)">([^<]*)</a>')
IN_LATEX = {r"$-$": "−", r"$\cdot$": "·", r"$\times$": "×", r"\textless{}": "<", r"\,": "\u202f"}
RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def as_printed(latex: str) -> str:
    """Return what LaTeX prints of a number."""
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    for command, sign in IN_LATEX.items():
        latex = latex.replace(command, sign)
    latex = re.sub(r"\$\^\{([\d-]+)\}\$", lambda power: power[1].translate(RAISED), latex)
    latex = re.sub(r"\\texttt\{((?:\\.|[^}\\])*)\}", r"`\1`", latex)
    assert not re.search(r"(?<!\\)[&%#_^~$]|\\(?![&%$#_{}])", latex), latex
    return re.sub(r"\\(.)", r"\1", latex)


@pytest.mark.quick
@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_of_a_paper_is_a_macro_that_prints_the_same(paper):
    if not (SITE / paper / "index.html").is_file():
        pytest.skip("no site was made")
    lines = (SITE / paper / f"{paper}.tex").read_text(encoding="utf-8").splitlines()
    found = [COMMAND.fullmatch(line).groups() for line in lines if not line.startswith("%")]
    assert len({macro for macro, _, _ in found}) == len(found)
    printed = {name: as_printed(value) for _, value, name in found}
    assert printed == read_variables(ROOT / "reports" / paper / "_variables.yml")
    page = (SITE / paper / "index.html").read_text(encoding="utf-8")
    shown = {(of, unescape(text)) for of, text in PRINTED.findall(page) if of in printed}
    assert len(shown) > 10
    same = {of for of, text in shown if text == printed[of]}
    other = {(of, text, printed[of]) for of, text in shown if of not in same}
    assert other == set()
    assert f'href="{paper}.tex"' in page and f'href="{paper}.bib"' in page


@pytest.mark.quick
@pytest.mark.parametrize("paper", PAPERS)
def test_the_file_for_bibtex_has_the_entry_of_the_page(paper):
    if not (SITE / paper / "index.html").is_file():
        pytest.skip("no site was made")
    page = (SITE / paper / "index.html").read_text(encoding="utf-8")
    [shown] = re.findall(r'<details class="cite">.*?<code>(.*?)</code>', page, re.DOTALL)
    entry = (SITE / paper / f"{paper}.bib").read_text(encoding="utf-8")
    assert entry == unescape(shown) + "\n"
    assert entry.startswith(f"@misc{{evenflow-{paper},\n  author = {{{{")
    assert entry.count("{") == entry.count("}")
