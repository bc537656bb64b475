"""Figures of many panels: each shows its own table, and all answer to one pointer."""

import altair as alt
import polars as pl
import pytest
from evenflow.charts.base import save_chart
from evenflow.charts.panels import (
    ROWS,
    below,
    beside,
    even_lines,
    filled,
    panel_title,
    spec_of,
    titled,
    width_of,
    wrapped,
)

POINTED = alt.selection_point(name="pointed", fields=["x"], on="pointerover")
PANEL = spec_of(
    alt.layer(
        alt.Chart(alt.NamedData("steady")).mark_rect().encode(x="x:Q", x2="to:Q"),
        alt.Chart(ROWS).mark_text().encode(x="x:Q", text="name:N").add_params(POINTED),
    )
)
STEADY = pl.DataFrame({"x": [0.0], "to": [1.0]})


def panel(name: str) -> dict:
    return filled(PANEL, pl.DataFrame({"x": [1.0], "name": [name]}), f"of {name}", steady=STEADY)


def svg_of(figure: dict, tmp_path) -> str:
    save_chart(figure, tmp_path / "figure.svg")
    return (tmp_path / "figure.svg").read_text(encoding="utf-8").partition("</metadata>")[2]


@pytest.mark.parametrize("arrange", [beside, below, lambda *p: wrapped(*p, columns=2)])
def test_every_panel_shows_its_own_table_below_its_own_title(arrange, tmp_path):
    svg = svg_of(arrange(panel("one"), panel("two"), panel("three")), tmp_path)
    for name in ("one", "two", "three"):
        assert svg.count(f">{name}</text>") == 1 and svg.count(f">of {name}</text>") == 1


def test_arrangements_can_be_arranged_and_mixed_with_charts(tmp_path):
    chart = alt.Chart(STEADY, title="drawn by Altair").mark_point().encode(x="x:Q")
    svg = svg_of(below(beside(panel("one"), panel("two")), chart, spacing=5), tmp_path)
    for text in ("of one", "of two", "drawn by Altair"):
        assert f">{text}</text>" in svg


def test_an_arrangement_has_a_heading_of_its_own(tmp_path):
    title = alt.Title("both", subtitle=["on one link"])
    svg = svg_of(below(panel("one"), panel("two"), title=title), tmp_path)
    assert all(f">{text}</text>" in svg for text in ("both", "on one link", "of one"))


def test_one_pointer_is_at_home_in_every_panel():
    figure = below(beside(panel("one"), panel("two")), panel("one"))
    (pointer,) = figure["params"]
    assert len(pointer["views"]) == len(set(pointer["views"])) == 3


def test_the_same_table_is_in_the_figure_once():
    figure = beside(panel("one"), panel("one"), panel("two"))
    assert sorted(map(len, figure["datasets"].values())) == [1, 1, 1]  # two panels', the window


def test_scales_are_shared_as_asked():
    figure = beside(panel("one"), panel("two"), resolve={"color": "shared"}, spacing=3)
    assert figure["resolve"] == {"scale": {"color": "shared"}} and figure["spacing"] == 3


def test_what_is_not_a_number_is_nothing():
    (rows,) = (
        rows
        for rows in filled(PANEL, pl.DataFrame({"x": [float("nan")]}), steady=STEADY)[
            "datasets"
        ].values()
        if "to" not in rows[0]
    )
    assert rows == [{"x": None}]


ONE = alt.Chart(STEADY, width=100, title="of one").mark_point().encode(x="x:Q")


@pytest.mark.parametrize("chart", [ONE, beside(panel("one"), panel("two"))])
def test_a_figure_is_headed_by_its_message_and_its_panels_keep_their_headings(chart, tmp_path):
    svg = svg_of(titled(chart, "It rises", "One run."), tmp_path)
    assert all(f">{text}</text>" in svg for text in ("It rises", "One run.", "of one"))


def test_a_message_is_as_wide_as_its_figure():
    words = " ".join(["word"] * 60)
    narrow, wide = (titled(beside(*[ONE] * n), words)["title"]["text"] for n in (3, 6))
    assert len(narrow) > len(wide) > 1
    assert len(titled(below(*[ONE] * 5), words)["title"]["text"]) > len(narrow)


def test_the_width_of_a_figure_is_that_of_its_widest_row():
    one, two = width_of(spec_of(ONE)), width_of(beside(ONE, ONE))
    assert two > 2 * one > 200
    assert width_of(below(beside(ONE, ONE), ONE)) == two
    assert width_of(wrapped(ONE, ONE, ONE, columns=2)) == two
    assert width_of(spec_of(alt.layer(ONE, ONE))) == one


def test_a_chart_of_facets_is_as_wide_as_the_columns_that_its_data_have():
    rows = pl.DataFrame({"x": range(4), "y": range(4), "who": list("abca"), "where": list("cdcd")})
    one = alt.Chart(rows, width=100).mark_point().encode(x="x:Q", y="y:Q")
    widths = [
        width_of(below(facets))
        for facets in (
            one.facet(row="where:N"),
            one.facet(column="where:N"),
            one.facet(column="who:N", row="where:N"),
            one.facet("who:N", columns=2),
        )
    ]
    of_one = width_of(spec_of(one))
    assert widths[0] == of_one and widths[1] == widths[3]
    assert 2 * of_one < widths[1] < 3 * of_one < widths[2]


def test_the_lines_of_a_title_are_about_as_long_and_a_number_keeps_its_unit():
    message = "The queue is nearly full for 0.02 s of an event with FTP2 and 2.11 s with FTP7"
    one, two = even_lines(message, 70)
    assert abs(len(one) - len(two)) < 8
    for characters in range(12, 80):
        lines = even_lines(message, characters)
        assert not any(line.startswith("s ") for line in lines), lines
        assert max(map(len, lines)) <= characters
        assert " ".join(lines).replace("\N{NO-BREAK SPACE}", " ") == message


def test_panels_have_headings_of_one_size_whatever_is_in_them():
    sizes = {
        panel_title("SACK").fontSize,
        panel_title(["one", "two"], "n = 3", width=90, narrow=True).fontSize,
    }
    assert sizes == {11}
    assert panel_title("a heading of many words", width=60).text == [
        "a heading",
        "of many",
        "words",
    ]
