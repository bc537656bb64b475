"""The small figures of the first page: their size, their letters, what they say of themselves."""

import re

import altair as alt
import polars as pl
from evenflow.charts.base import save_chart
from evenflow.charts.card import LETTERS, WIDTH, card
from evenflow.charts.describe import read_description


def test_a_card_has_its_width_its_letters_and_its_message(tmp_path):
    data = pl.DataFrame({"x": [1.0, 2.0], "y": [3.0, 4.0], "kind": ["a", "b"]})
    legend = alt.Legend(title="kind", orient="top")
    chart = alt.Chart(data, width=900, height=100).mark_point().encode(
        x=alt.X("x:Q", title="Buffer (%)"),
        y=alt.Y("y:Q", title="A longer title of an axis"),
        color=alt.Color("kind:N", legend=legend),
    )  # fmt: skip
    message = "Buffers matter a great deal more than anyone would have thought of before"
    path = tmp_path / "card.svg"
    save_chart(card(alt.layer(chart, chart.mark_line()), message, "Lines: means of runs."), path)
    svg = path.read_text(encoding="utf-8")
    assert float(re.search(r'width="([\d.]+)"', svg)[1]) == WIDTH
    sizes = map(float, re.findall(r'font-size="([\d.]+)px"', svg.partition("</metadata>")[2]))
    assert min(sizes) >= LETTERS
    said = read_description(path)
    assert said.startswith(f"{message}. 2 values of A longer title of an axis, from 3 ")
    assert "Lines: means" not in said
