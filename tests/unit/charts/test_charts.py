"""Charts: what is drawn is what the table holds, and the same each time."""

import json
import re
from html import unescape

import polars as pl
import pytest
from evenflow.charts.base import (
    coverage,
    coverage_of_both,
    grid_axes,
    labelled,
    nice_domain,
    on_grid,
    panel_grid,
    save_chart,
    surface_panel,
)
from evenflow.charts.panels import filled
from evenflow.charts.theme import BLANK, SEQUENTIAL

CELLS = pl.DataFrame(
    {
        "base_rtt_s": [0.025, 0.1, 0.025, 0.1],
        "buffer_bdp": [0.2, 0.2, 0.6, 0.6],
        "mean": [0.512, 0.637, 0.981, None],
        "significant": [True, False, True, False],
    }
)


def panel(table: pl.DataFrame, title: str = "BIC", **changes):
    options = {
        "legend": "JFI",
        "scheme": SEQUENTIAL,
        "domain": [0.5, 1.0],
        "label_format": ".2f",
    }
    grid = on_grid(table)
    surface = surface_panel("mean", axes=grid_axes(grid), **{**options, **changes})
    return filled(surface, grid, title)


def svg_of(tmp_path, chart) -> str:
    save_chart(chart, tmp_path / "chart.svg")
    return (tmp_path / "chart.svg").read_text(encoding="utf-8")


def spec_of(svg: str) -> dict:
    return json.loads(unescape(re.search(r'<metadata id="vega-lite">(.*?)</metadata>', svg)[1]))


def test_the_svg_carries_what_the_live_chart_needs_and_no_more(tmp_path):
    table = CELLS.with_columns(n=3, ci_low=0.5123456789, unasked=7)
    spec = spec_of(svg_of(tmp_path, panel(table)))
    assert spec["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
    rows = [row for data in spec["datasets"].values() for row in data if "mean" in row]
    assert len(rows) == 4 and rows[0]["mean"] == 0.512 and rows[0]["rtt_ms"] == 25
    assert rows[0]["n"] == 3 and rows[0]["ci_low"] == 0.51235 and "unasked" not in rows[0]
    assert {"one_rtt", "one_buffer", "pointed"} <= {param["name"] for param in spec["params"]}


def test_a_figure_of_pages_without_live_charts_carries_none(tmp_path):
    save_chart(panel(CELLS), tmp_path / "chart.svg", is_live=False)
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert "<desc>BIC: 3 values" in svg and "metadata" not in svg


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg)


def test_the_grid_is_in_ms_and_percent_without_noise():
    grid = on_grid(pl.DataFrame({"base_rtt_s": [0.1 + 0.2, 0.0125], "buffer_bdp": [0.6, 0.57]}))
    assert grid.select("rtt_ms", "buffer_pct").rows() == [(300.0, 60.0), (12.5, 57.0)]


def test_a_surface_prints_its_values_and_leaves_the_unknown_cell_empty(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS))
    found = texts(svg)
    assert [t for t in found if re.fullmatch(r"0\.\d\d", t) and t not in ("0.5", "1.0")]
    for label in ("0.51", "0.64", "0.98", "25", "100", "20", "60", "BIC", "JFI"):
        assert label in found
    assert "NaN" not in svg and "null" not in found
    rects = re.findall(r'"RTT \(ms\): (\d+); Buffer \(% of BDP\): (\d+)[^>]*"rect mark"[^>]*>', svg)
    fills = re.findall(r'"rect mark"[^>]*fill="([^"]+)"', svg)
    cells = dict(zip(rects, fills, strict=True))  # the last one painted is what is seen
    assert cells.pop(("100", "60")) == BLANK  # and not the colour of the lowest value
    assert len(set(cells.values())) == 3 and BLANK not in cells.values()


def test_a_marked_cell_gets_a_frame(tmp_path):
    framed = svg_of(tmp_path, panel(CELLS, mark="significant")).count('stroke="#D55E00"')
    assert framed == 2
    assert svg_of(tmp_path, panel(CELLS)).count('stroke="#D55E00"') == 0


def test_large_surfaces_print_no_values(tmp_path):
    many = pl.DataFrame(
        [(0.001 * r, 0.01 * b, 0.777) for r in range(1, 8) for b in range(1, 8)],
        schema=["base_rtt_s", "buffer_bdp", "mean"],
        orient="row",
    )
    assert "0.78" not in texts(svg_of(tmp_path, panel(many)))


def test_cells_of_the_grid_without_a_row_are_drawn_blank(tmp_path):
    table = on_grid(CELLS)
    cells = table.filter(pl.col("buffer_pct") < 50)
    surface = surface_panel(
        "mean",
        axes=grid_axes(table),
        legend="JFI",
        scheme=SEQUENTIAL,
        domain=[0.5, 1.0],
        label_format=".2f",
    )
    svg = svg_of(tmp_path, filled(surface, cells))
    rects = re.findall(r'"RTT \(ms\): (\d+); Buffer \(% of BDP\): (\d+)[^>]*"rect mark"[^>]*>', svg)
    fills = re.findall(r'"rect mark"[^>]*fill="([^"]+)"', svg)
    seen = dict(zip(rects, fills, strict=True))
    assert {cell for cell, fill in seen.items() if fill == BLANK} == {("25", "60"), ("100", "60")}
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("values", "width", "named"),
    [
        (range(25, 401, 25), 190, [100, 200, 300, 400]),
        ([25, 50, 100, 200, 400], 150, [25, 50, 100, 200, 400]),
        (range(50, 401, 50), 150, [100, 200, 300, 400]),
        ([100], 10, [100]),
    ],
)
def test_of_many_values_those_are_named_that_have_room(values, width, named):
    assert labelled(list(values), width) == named


@pytest.mark.parametrize(
    ("n", "said"),
    [
        ([], "no runs"),
        ([3], "1 cell, n = 3"),
        ([3, 3], "2 cells, n = 3"),
        ([3, 1], "2 cells, n = 1–3"),
    ],
)
def test_coverage_is_how_many_cells_of_how_many_runs(n, said):
    assert coverage(pl.Series(n, dtype=pl.Int64)) == said


def test_coverage_of_a_difference_names_both_sides():
    table = pl.DataFrame({"simulation_n": [1, 5], "testbed_n": [2, 2]})
    assert coverage_of_both(table) == "2 cells; n of S 1–5, of T 2"


def test_the_same_chart_gives_the_same_bytes(tmp_path):
    chart = panel_grid([panel(CELLS), panel(CELLS.reverse(), title="CUBIC")], columns=2)
    first, second = svg_of(tmp_path, chart), svg_of(tmp_path, chart)
    # vl-convert counts gradients within a process; every figure is a process of its own
    assert re.sub(r"gradient_\d+", "", first) == re.sub(r"gradient_\d+", "", second)


def test_a_chart_loads_nothing(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS))
    assert not re.findall(r"(?:href|src)=\"(?!#)|@import|url\((?!#|'#)", svg)


@pytest.mark.parametrize(
    ("values", "two_sided", "step", "domain"),
    [
        ([0.51, 0.93], False, 0.1, [0.5, 1.0]),
        ([8.1, 49.4], False, 10, [0, 50]),
        ([3.0, 3.0], False, 1, [3, 4]),
        ([-3.14, 1.55], True, 1, [-4, 0, 4]),
        ([0.0, 0.0], True, 1, [-1, 0, 1]),
        ([None, 2.5], False, 1, [2, 3]),
        ([], False, 1, [0, 1]),
        ([None], True, 1, [-1, 0, 1]),
    ],
)
def test_domains_hold_all_values_and_are_round(values, two_sided, step, domain):
    series = pl.Series(values, dtype=pl.Float64)
    assert nice_domain(series, two_sided=two_sided, step=step) == pytest.approx(domain)


def test_a_figure_is_the_same_file_whatever_was_drawn_before(tmp_path):
    def draw(path):
        save_chart(panel_grid([panel(CELLS), panel(CELLS, "CUBIC")], columns=2), path)
        return path.read_bytes()

    first = draw(tmp_path / "first.svg")
    draw(tmp_path / "between.svg")
    assert draw(tmp_path / "second.svg") == first
    assert b"view_1" in first and b"view_3" not in first
