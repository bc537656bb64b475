"""The look of the PDF where it can be measured: on which page typst puts what."""

import json

import pytest
from raw_data import ROOT

typst = pytest.importorskip("typst")
THEME = ROOT / "workflow/theme"
PAGE = '#context [#metadata(("{kind}", {i}, here().page())) <at>]'


def pages_of(tmp_path, body):
    """Return {(kind, number): page} of the marks in a text set by the template."""
    template = (THEME / "typst-template.typ").read_text(encoding="utf-8")
    theme = (THEME / "report.typ").read_text(encoding="utf-8")
    callout = theme[theme.index("#let callout-colours") : theme.index("$typst-template")]
    typ = tmp_path / "a.typ"
    text = f"{template}\n{callout}\n#show: doc => evenflow-report(title: [A], doc)\n{body}"
    typ.write_text(text, encoding="utf-8")
    found = json.loads(typst.query(typ, "<at>", field="value"))
    return {(kind, i): page for kind, i, page in found}


def mark(kind, i):
    return PAGE.format(kind=kind, i=i)


@pytest.mark.parametrize("before_cm", [0, 3, 6, 9])
def test_a_heading_of_rows_is_on_the_page_of_the_row_below_it(tmp_path, before_cm):
    rows = "".join(
        f"table.cell(colspan: 2)[_Heading_ {mark('heading', i)}], "
        f"[row {mark('row', i)}], [1], [second], [2],\n"
        for i in range(40)
    )
    head = "table.header([Name], [Value])"
    table = f"#figure(table(columns: 2, {head}, {rows}), caption: [T], kind: table)"
    pages = pages_of(tmp_path, f"#v({before_cm}cm)\n{table}")
    assert max(pages.values()) >= 2
    assert [pages["heading", i] for i in range(40)] == [pages["row", i] for i in range(40)]


@pytest.mark.parametrize(("before", "pages"), [("", 2), ("= References\n\n", 3)])
def test_text_goes_on_around_a_small_table_before_the_references_alone(tmp_path, before, pages):
    """The table has 7 cm, and a page room for 4 more: they are of the text where it may go on."""
    row = "[value], [1], " * 10
    head = "table.header([Name], [Value])"
    table = f"#figure(table(columns: 2, {head}, {row}), caption: [T], kind: table)"
    said = '#context [#metadata(("pages", 0, counter(page).final().first())) <at>]'
    rest = "#block(height: 3cm)[]\n\n#block(height: 16cm)[]"
    body = f"#v(18cm)\n\n{before}Text.\n\n{table}\n\n{rest}\n\n{said}"
    assert pages_of(tmp_path, body) == {("pages", 0): pages}


@pytest.mark.parametrize("before_cm", [20.5, 21, 21.5, 22, 22.5])
def test_a_sentence_with_a_colon_is_on_the_page_of_its_list(tmp_path, before_cm):
    items = "\n".join(f"- {mark('item', i)} #lorem(40)" for i in range(3))
    body = f"#v({before_cm}cm)\n\n*Limits.* These are the limits: {mark('colon', 0)}\n\n{items}"
    pages = pages_of(tmp_path, body.replace(f": {mark('colon', 0)}", f" {mark('colon', 0)}:"))
    assert pages["colon", 0] == pages["item", 0]


def test_a_callout_is_on_one_page(tmp_path):
    lines = "#linebreak()".join(f"line {mark('line', i)}" for i in range(12))
    pages = pages_of(tmp_path, f'#v(21cm)\n#callout("note", [Title {mark("title", 0)}], [{lines}])')
    assert set(pages.values()) == {2}
