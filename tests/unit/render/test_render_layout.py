"""How tables stand on a page, from the markdown that the project writes."""

import pytest
from evenflow.markdown import markdown_table
from evenflow.render.layout import for_html, for_typst, number_captions
from evenflow.render.pandoc import parse_markdown
from evenflow.render.reach import within_reach

HEADER = ["Scenario", "Mean (s)", "Source"]
ROW = [
    "SACK",
    "1.07",
    "[a](https://example.org/a/long/address/that/nobody/reads/in/a/table/at/all)",
]


def widths_on_paper(rows: list[list[str]]) -> list[float | None]:
    """Return the share of the page that each column of a table gets; None where it is free."""
    table = markdown_table(HEADER, rows, numeric_from=3)
    (block,) = for_typst(parse_markdown(table), {})["blocks"]
    return [width.get("c") for _, width in block["c"][2]]


def test_a_table_that_fits_the_page_is_as_wide_as_it_needs():
    assert widths_on_paper([ROW]) == [None] * 3  # though its source is wider than pandoc's page


def test_a_table_wider_than_the_page_gives_its_room_to_the_column_that_needs_it():
    scenario, mean, source = widths_on_paper([["SACK", "1.07", "many words " * 30]])
    assert scenario < 0.2
    assert mean < 0.2
    assert scenario + mean + source == pytest.approx(1)


def test_a_column_grows_no_further_than_its_cells_need_and_heads_get_what_is_left():
    header = ["Link, queue", "Window that would fill the link (packets)", "Loss rate", "a", "b"]
    rows = [["1 Gb/s, DropTail", "1,499", "x" * 30, "y" * 9, "y" * 9]]
    table = markdown_table(header, rows, numeric_from=1)
    link, window, *_ = (len(rule) for rule in table.split("\n")[1].split("|")[1:-1])
    assert link < 22 and window > 20


def test_a_row_with_a_first_cell_alone_is_a_heading_over_the_whole_table():
    rows = [["*The first claim, in a sentence that is much longer than any cell*", "", ""], ROW]
    table = markdown_table(HEADER, rows, numeric_from=1)
    document = number_captions(parse_markdown(table), {})
    (block,) = for_typst(document, {})["blocks"]
    heading, row = block["c"][4][0][3]
    assert [cell[3] for cell in heading[1]] == [3] and len(row[1]) == 3
    assert [width.get("c") for _, width in block["c"][2]] == [None] * 3  # it makes no column wide
    bare = for_html(document, {})["blocks"]
    assert any(each["t"] == "Table" for each in bare)
    empty = number_captions(
        parse_markdown(markdown_table(HEADER, [["", "", ""]], numeric_from=1)), {}
    )
    assert len(empty["blocks"][0]["c"][4][0][3][0][1]) == 3


def test_an_image_scrolls_in_a_box_of_its_own_unless_it_is_a_link():
    box = '<span class="image-scroll" role="group" aria-label="Figure" tabindex="0">'
    figure = '<figure id="fig-a">\n{}\n<figcaption>Figure 1</figcaption></figure>'
    image, link = '<img src="a.svg" alt="A chart" />', '<p><a href="b"><img src="b.svg" /></a></p>'
    quarto = '<div aria-describedby="c">\n<p>{}</p></div>'  # around a figure's image
    for page in (figure, quarto):
        assert within_reach(page.format(image)) == page.format(f"{box}{image}</span>")
    assert within_reach(link) == link


@pytest.mark.parametrize("name", ["ns-2", "H-TCP"])
def test_no_line_of_a_heading_ends_within_a_short_name(name):
    page = '<h3 id="{0}-shares"><a href="#{0}">Here {1} shares</a></h3><p>{0}</p>'
    unbroken = f'<span class="unbroken">{name}</span>'
    assert within_reach(page.format(name, name)) == page.format(name, unbroken)


def test_equations_can_be_scrolled_by_keyboard_and_tables_have_no_empty_heading():
    page = '<p><span id="eq-a" class="equation"><math display="block">x</math></span>'
    page += '<span id="eq-b">y</span> <a href="#eq-a">1</a></p>'
    page += '<p><math display="block">z</math></p>'
    page += '<th style="s">\n</th><th>A</th>'
    made = within_reach(page)
    assert '<span id="eq-a" class="equation" tabindex="0"><math display="block">' in made
    assert '<span id="eq-b" tabindex="0">' in made
    assert '<p><math display="block" tabindex="0">z' in made
    assert '<td style="s"></td><th>A</th>' in made
