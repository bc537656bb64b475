"""Marks in the text and the HTML that lead to where a number or figure is from."""

import base64
import gzip
import hashlib
import json
import re
from html import escape

import pytest
from evenflow import places
from evenflow.render.evidence import add_evidence
from evenflow.render.live import add_charts, copied_figures, label_of, make_live, take_specs
from evenflow.render.source import pieces_and_variables, read_source
from rendered_page import THEME

VARIABLES = "a:\n  n: '3'\n  list: '[1]'\n  id: lab\nshown: 'no'\n"


def marked(tmp_path, text: str) -> str:
    (tmp_path / "index.qmd").write_text(text)
    (tmp_path / "_variables.yml").write_text(VARIABLES)
    return read_source(tmp_path, {"a.n", "a.list", "a.id"}).text


SPAN = '[3]{.evidence of="a.n"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There are {{< var a.n >}} runs.", f"There are {SPAN} runs."),
        ("- *{{< var a.n >}}* of {{< var a.n >}}", f"- *{SPAN}* of {SPAN}"),
        ("![{{< var a.n >}}](x.svg){#fig-x fig-alt=\"{{< var a.n >}}\"}",
         f'![{SPAN}](x.svg){{#fig-x fig-alt="3"}}'),
        ("| a | {{< var a.n >}} |", f"| a | {SPAN} |"),
        ("[{{< var a.n >}}]{.printed}", f"[{SPAN}]{{.printed}}"),
        # where it would not be a link, or would be something else
        ("# {{< var a.n >}} runs", "# 3 runs"),
        ("`x-{{< var a.n >}}`", "`x-3`"),
        ("$n = {{< var a.n >}}$", "$n = 3$"),
        ("[x](y{{< var a.n >}}.html)", "[x](y3.html)"),
        ("see @fig-x {{< var a.n >}}", "see @fig-x 3"),
        ("{{< var a.list >}}", "[1]"),
        ("::: {.callout-note title=\"{{< var a.n >}}\"}", '::: {.callout-note title="3"}'),
        ("```\n{{< var a.n >}}\n```\n{{< var a.n >}}", f"```\n3\n```\n{SPAN}"),
        ("---\ntitle: {{< var a.n >}}\n---\n{{< var a.n >}}", f"---\ntitle: 3\n---\n{SPAN}"),
        # but in a block of title or abstract, which is markdown
        (
            "---\nabstract: |\n  {{< var a.n >}}\nother: |\n  {{< var a.n >}}\n---\n",
            f"---\nabstract: |\n  {SPAN}\nother: |\n  3\n---",
        ),
    ],
)  # fmt: skip
def test_numbers_are_marked_in_running_text_alone(tmp_path, text, expected):
    assert marked(tmp_path, text) == expected


def test_nothing_is_marked_without_a_record(tmp_path):
    marked(tmp_path, "{{< var a.n >}}")
    assert read_source(tmp_path).text == "3"


def test_pieces_and_variables_are_those_that_the_report_shows(tmp_path):
    (tmp_path / "_variables.yml").write_text(VARIABLES)
    (tmp_path / "index.qmd").write_text(
        "{{< var a.n >}}\n\n![A {{< var a.id >}}.](figures/x.svg){#fig-x fig-alt='x'}\n\n"
        "::: {#tbl-y}\n\n{{< include tables/y.md >}}\n\nCaption.\n:::\n\n"
        '::::: {.content-visible when-meta="shown"}\n{{< var a.list >}}\n'
        "![A](figures/z.svg){#fig-z fig-alt='z'}\n:::::\n\n{{< include tables/plain.md >}}\n"
    )
    parts, variables = pieces_and_variables(tmp_path)
    assert parts == {"fig-x": "figures/x.svg", "tbl-y": "tables/y.md"}
    assert variables == {"a.id": "lab", "a.n": "3"}


RECORD = {
    "numbers": {"a.n": {"text": "3", "sentence": "", "parts": []}},
    "printed": ["a.n"],
    "pieces": {"fig-x": {"file": "x.svg"}, "tbl-y": {"file": "y.md"}, "fig-gone": {"file": "z"}},
    "note": "</script><b>",
}
PAGE = (
    '<body><p><span class="evidence" data-of="a.n">3</span> and <span>x</span>'
    '<span class="evidence" data-of="unknown">4</span></p>'
    '<figure id="fig-x"><img><figcaption><p>Figure\u00a01: A.</p></figcaption></figure>'
    '<div id="tbl-y"><figure><figcaption>Table 1: B.</figcaption></figure></div></body>'
)


def test_marks_lead_to_the_appendix_and_carry_what_they_are_of():
    html = add_evidence(PAGE, RECORD, "run();")
    assert '<a class="evidence" href="#from-a-n" data-of="a.n">3</a> and <span>x</span>4<' in html
    assert re.search(
        r'A\. <a class="evidence-source" href="#from-fig-x" data-of="fig-x" '
        r'aria-label="Source of Figure 1">source</a></p></figcaption>',
        html,
    )
    assert 'aria-label="Source of Table 1">source</a></figcaption>' in html
    assert html.endswith("<script>\nrun();</script>\n</body>")


def test_specifications_move_from_the_images_to_the_page(tmp_path):
    (tmp_path / "figures").mkdir()
    spec = {"mark": "bar", "title": "a < b & c"}
    svg = "<svg>{}<path/></svg>"
    carried = f'<metadata id="vega-lite">{escape(json.dumps(spec), quote=False)}</metadata>'
    (tmp_path / "figures/x.svg").write_text(svg.format(carried))
    (tmp_path / "figures/old.svg").write_text(svg.format(""))
    parts = {
        "fig-x": {"file": "reports/p/figures/x.svg"},
        "fig-old": {"file": "reports/p/figures/old.svg"},
        "tbl-y": {"file": "reports/p/tables/y.md"},
    }
    specs = take_specs(tmp_path, parts)
    assert specs == {"fig-x": spec}
    assert (tmp_path / "figures/x.svg").read_text() == svg.format("")
    page = add_evidence("<body></body>", RECORD, "run();")
    html = add_charts(page, specs, "vegaEmbed();", THEME)
    for name, held in (("charts", specs), ("vega", "vegaEmbed();")):
        data = re.search(f'id="{name}">(.*?)</script>', html)[1]
        assert json.loads(gzip.decompress(base64.b64decode(data))) == held
    assert html.index('id="vega"') < html.index("run();")
    assert add_charts(page, {}, "vegaEmbed();", THEME) == page


def test_the_record_is_in_the_page_whole_with_the_folders_of_the_study(monkeypatch):
    monkeypatch.setenv(places.HANDED, '{"raw": "logs"}')
    html = add_evidence(PAGE, RECORD, "")
    data = re.search(r'id="provenance">(.*?)</script>', html, re.DOTALL)[1]
    known = json.loads(gzip.decompress(base64.b64decode(data)))
    assert known.pop("folders") == {"raw": "logs", "derived": "data/derived", "reports": "reports"}
    assert known == RECORD


SVG = '<svg><metadata id="vega-lite">{"mark": "a &amp; b"}</metadata><g/></svg>'


def test_the_figures_of_a_page_are_copied_without_what_makes_them_live(tmp_path):
    figures = {name: tmp_path / f"{name}.svg" for name in ("flow_means", "jfi", "drift")}
    for name, text in (("flow_means", SVG), ("jfi", "<svg/>"), ("drift", "")):
        figures[name].write_text(text)
    folder = tmp_path / "copies"
    folder.mkdir()
    copies, specs = copied_figures(figures, folder)
    assert specs == {"fig-flow-means": {"mark": "a & b"}}
    assert copies["flow_means"].read_text() == "<svg><g/></svg>"
    assert copies["drift"].read_text() == "" and copies["jfi"].read_text() == "<svg/>"
    assert figures["flow_means"].read_text() == SVG  # left as it is
    assert label_of("jfi") == "fig-jfi"


def test_a_page_without_provenance_gets_charts_runs_script_and_dark_colours(tmp_path):
    page, vega = tmp_path / "index.html", tmp_path / "vega.js"
    head = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    page.write_text(f"<html>{head}<body><p>text</p></body></html>")
    vega.write_text("window.vegaEmbed = 1;")
    (tmp_path / "report.js").write_text("draw();")
    (tmp_path / "take.js").write_text("take();")
    runs = {"runs": {"mine": [{"id": "r1", "scenario": "s", "files": []}]}, "datasets": ""}
    make_live(page, {"fig-jfi": {"mark": "bar"}}, runs, tmp_path, vega)
    html = page.read_text()
    assert "<body><p>text</p>" in html
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert "default-src 'none'" in policy and "script-src 'sha256-" in policy
    # its own script, and Vega, which that runs later; 'unsafe-inline' is for styles alone
    for script in ("\ndraw();", "\ntake();", "window.vegaEmbed = 1;"):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert re.findall(r"[\w-]+ 'unsafe-\w+'", policy) == ["style-src 'unsafe-inline'"]
    assert html.rstrip().endswith("</body></html>")
    assert "draw();" in html and "prefers-color-scheme: dark" in html
    held = {
        name: json.loads(gzip.decompress(base64.b64decode(text)))
        for name, text in re.findall(r'<script type="text/plain" id="([^"]+)">([^<]*)<', html)
    }
    assert held["provenance"].pop("folders") == places.Folders()._asdict()
    assert held == {
        "provenance": runs,
        "charts": {"fig-jfi": {"mark": "bar"}},
        "vega": "window.vegaEmbed = 1;",
    }


TABLE = """<figure id="tbl-z" class="table"><figcaption>Table 2: C.</figcaption>
<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>
<tr>
<td colspan="2"><em>1. Heading</em></td>
</tr>
<tr class="odd">
<td>CUBIC</td>
<td style="text-align: right;">0.90 (n = 3)</td>
</tr>
<tr><td><a href="#fig-x">Figure 1</a></td><td>0.70</td></tr>
</tbody></table></figure></body>"""


def test_cells_of_a_table_lead_to_their_rows_and_headings_count():
    cells = {"tbl-z": [[1, [1], 0], [2, [0, 1], 1]]}
    html = add_evidence(TABLE, RECORD | {"cells": cells}, "")
    link = '<a class="evidence" href="#from-tbl-z" data-of="tbl-z:{}">{}</a></td>'
    assert f'<td style="text-align: right;">{link.format("1:1", "0.90 (n = 3)")}' in html
    assert f"<td>{link.format('2:1', '0.70')}" in html
    assert '<td><a href="#fig-x">Figure 1</a></td>' in html  # a link already
    assert html.count('data-of="tbl-z:') == 2 and "<td>CUBIC</td>" in html
    absent = add_evidence(TABLE, RECORD | {"cells": {"tbl-none": [[0, [0], 0]]}}, "")
    assert 'class="evidence"' not in absent
