"""What figures say in words: of the panels of Altair charts, and in reports' alternative texts."""

import altair as alt
import polars as pl
import pytest
from evenflow.charts.base import save_chart
from evenflow.charts.describe import MAX_PANELS, describe, read_description
from evenflow.charts.panels import titled
from evenflow.render.source import read_source

CELLS = pl.DataFrame(
    {
        "rtt_ms": [25, 25, 400],
        "buffer_pct": [20, 100, 20],
        "jfi": [0.5, 0.75, None],
        "verdict": ["different", "equivalent", "different"],
    }
)
AXES = {"x": alt.X("rtt_ms:O").title("RTT (ms)"), "y": alt.Y("buffer_pct:O").title("Buffer (%)")}


def surface(value: str = "jfi:Q") -> alt.Chart:
    return alt.Chart(CELLS).mark_rect().encode(**AXES, color=alt.Color(value).title("Index"))


def test_surface_says_its_ends_and_where_they_are():
    assert describe(surface().properties(title="NewReno").to_dict()) == (
        "NewReno: 2 values of Index, from 0.5 (RTT 25 ms, Buffer 20 %) to 0.75 "
        "(RTT 25 ms, Buffer 100 %)."
    )


def test_map_of_words_counts_them():
    assert describe(surface("verdict:N").to_dict()) == "different 2, equivalent 1."


def test_lines_name_their_series_and_the_unit_of_their_axis():
    table = pl.DataFrame({"t_s": [1, 2], "mbps": [10.0, 95.64], "cca": ["NewReno", "BIC"]})
    lines = (
        alt.Chart(table)
        .mark_line()
        .encode(
            x=alt.X("t_s").title("Time (s)"),
            y=alt.Y("mbps").title("Throughput (Mb/s)"),
            color="cca",
        )
    )
    assert describe(lines.to_dict()) == (
        "2 values of Throughput, from 10 Mb/s (Time 1 s, NewReno) to 95.6 Mb/s (Time 2 s, BIC)."
    )


def test_intervals_are_passed_over_for_the_values():
    table = pl.DataFrame({"x": [1], "mean": [2.0], "low": [1.0], "high": [3.0]})
    whiskers = alt.Chart(table).mark_rule().encode(x="x:Q", y="low:Q", y2="high:Q")
    points = alt.Chart(table).mark_point().encode(x="x:Q", y="mean:Q")
    assert describe((whiskers + points).to_dict()) == "1 value of mean, 2 (x 1)."


def test_value_drawn_as_its_logarithm_is_said_as_itself():
    table = pl.DataFrame({"x": ["a", "b"], "log_ratio": [-1.0, 1.0]})
    axis = alt.Axis(labelExpr="format(pow(10, datum.value), '.2~f')")
    chart = alt.Chart(table).mark_point().encode(x="x:N", y=alt.Y("log_ratio:Q", axis=axis))
    assert describe(chart.to_dict()) == "2 values of log ratio, from 0.1 (a) to 10 (b)."


def test_panels_that_share_an_axis_share_its_title():
    table = pl.DataFrame({"x": [1], "value": [3.0]})

    def panel(name: str, title: str | None) -> alt.Chart:
        of = alt.Y("value:Q").title(title)
        heading = alt.Title(name, subtitle=["", "n = 1"])
        return alt.Chart(table, title=heading).mark_point().encode(x="x:Q", y=of)

    words = describe(alt.hconcat(panel("a", "Share (%)"), panel("b", None)).to_dict())
    assert (
        words == "a (n = 1): 1 value of Share, 3 % (x 1). b (n = 1): 1 value of Share, 3 % (x 1)."
    )
    several = alt.hconcat(panel("a", "Share"), panel("b", "Ratio"), panel("c", None))
    assert describe(several.to_dict()).endswith("c (n = 1): 1 value of value, 3 (x 1).")


def test_every_facet_and_panel_has_its_sentence():
    table = pl.DataFrame({"x": [1, 2], "y": [3.0, 4.0], "part": ["one", "two"]})
    base = alt.Chart(table).mark_point().encode(x="x:Q", y="y:Q")
    faceted = base.encode(column="part:N").to_dict()
    assert describe(faceted) == "one: 1 value of y, 3 (x 1). two: 1 value of y, 4 (x 2)."
    assert describe(base.facet("part:N").to_dict()) == describe(faceted)
    many = alt.hconcat(*[base.properties(title=f"run {i}") for i in range(MAX_PANELS + 2)])
    words = describe(many.to_dict())
    assert "run 0: " in words
    assert f"run {MAX_PANELS}: " not in words
    assert words.endswith("2 more panels are not described here.")


def test_chart_of_nothing_says_nothing():
    none = CELLS.with_columns(jfi=pl.lit(None, pl.Float64))
    assert describe(alt.Chart(none).mark_rect().encode(**AXES, color="jfi:Q").to_dict()) == ""


def test_report_adds_what_a_figure_says_to_its_alternative_text(tmp_path):
    save_chart(surface().properties(title='the "first" & only'), tmp_path / "figures/jfi.svg")
    text = '![Index.](figures/jfi.svg){#fig-jfi fig-alt="Heat map."}\n![B.](b.svg){fig-alt="B."}\n'
    (tmp_path / "index.qmd").write_text(text)
    first, second = read_source(tmp_path).text.splitlines()
    words = "the 'first' & only: 2 values of Index, from 0.5"
    assert first.startswith(f'![Index.](figures/jfi.svg){{#fig-jfi fig-alt="Heat map. {words}')
    assert first.endswith('(RTT 25 ms, Buffer 100 %)."}')
    assert second == '![B.](b.svg){fig-alt="B."}'


@pytest.mark.parametrize("content", [None, "", "<svg><g/></svg>"])
def test_figure_without_words_has_none(tmp_path, content):
    if content is not None:
        (tmp_path / "a.svg").write_text(content)
    assert read_description(tmp_path / "a.svg") == ""


def test_a_message_comes_first_and_a_drawing_has_no_values():
    assert describe(titled(surface(), "It rises")).startswith("It rises. 2 values of Index, from")
    place = alt.X("rtt_ms:Q", axis=None), alt.Y("buffer_pct:Q", axis=None)
    drawing = alt.Chart(CELLS).mark_circle().encode(*place)
    assert describe(drawing.to_dict()) == ""
    assert describe(titled(drawing, "Two share a link")) == "Two share a link."


def test_a_logarithm_is_no_unit():
    log = alt.X("rtt_ms:Q").title("RTT (ms, logarithmic)"), alt.Y("jfi:Q").title("FR (logarithmic)")
    found = describe(alt.Chart(CELLS.drop_nulls()).mark_point().encode(*log).to_dict())
    assert "logarithmic" not in found and "values of FR, from 0.5 (RTT 25 ms" in found
