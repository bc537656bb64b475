"""Charts: what is drawn is what the table holds, and the same each time."""

import json
import re
from html import unescape

import altair as alt
import polars as pl
import pytest
from evenflow.charts.base import coverage, coverage_of_both, on_grid, save_chart
from evenflow.charts.cells import (
    cell_figure,
    cell_panel,
    drawn_cells,
    grid_of,
    hatching,
    key_of,
    short,
)
from evenflow.charts.colours import JFI_OF_TWO, Colours, one_sided, two_sided
from evenflow.charts.differences import (
    difference_chart,
    difference_message,
    verdict_chart,
    w_surfaces,
)
from evenflow.charts.panels import filled
from evenflow.charts.surfaces import (
    Style,
    extreme,
    extreme_words,
    jfi_surface_chart,
    message_of,
    surface_chart,
)
from evenflow.charts.theme import BLANK, DARK, ON_DARK, ON_LIGHT, TEXT
from evenflow.verify.agreement import differences
from evenflow.verify.steps import read_tolerances
from raw_data import ROOT

CELLS = pl.DataFrame(
    {
        "base_rtt_s": [0.025, 0.1, 0.025, 0.1],
        "buffer_bdp": [0.2, 0.2, 0.6, 0.6],
        "mean": [0.512, 0.637, 0.981, None],
        "n": [3, 1, 3, 1],
        "contested": [True, True, False, True],
        "significant": [True, False, True, False],
    }
)


def panel(table: pl.DataFrame, title: str = "BIC", colours: Colours = JFI_OF_TWO, **changes):
    cells = drawn_cells(on_grid(table), "mean", colours, ".2f")
    surface = cell_panel("mean", grid_of(cells), colours, legend="JFI", **changes)
    return filled(surface, cells, title)


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
    assert {"one_down", "one_across", "pointed"} <= {param["name"] for param in spec["params"]}


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg)


def test_the_grid_is_in_ms_and_percent_without_noise():
    grid = on_grid(pl.DataFrame({"base_rtt_s": [0.1 + 0.2, 0.0125], "buffer_bdp": [0.6, 0.57]}))
    assert grid.select("rtt_ms", "buffer_pct").rows() == [(300.0, 60.0), (12.5, 57.0)]


def fills(svg: str) -> list[tuple[float, float, str]]:
    """Return x, y and colour of every cell that is drawn, in the order of drawing."""
    found = re.findall(r'<path d="M([\d.]+),([\d.]+)h[^"]*" fill="([^"(]+(?:\([\d, ]+\))?)"', svg)
    return [(float(x), float(y), colour) for x, y, colour in found]


def seen_colours(svg: str) -> dict[tuple[float, float], str]:
    """Return the colour of each cell that is seen: the last that is painted."""
    return {(x, y): colour for x, y, colour in fills(svg)}


def test_a_surface_prints_its_values_and_leaves_the_unknown_cell_empty(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS))
    found = texts(svg)
    for label in ("0.51", "0.64", "0.98", "25", "100", "20", "60", "BIC", "JFI"):
        assert label in found
    assert "NaN" not in svg and "null" not in found
    seen = list(seen_colours(svg).values())
    assert seen.count(BLANK) == 1 and len(set(seen)) == 4  # not the colour of the lowest value


def test_a_value_with_an_interval_is_bold_and_one_of_a_single_run_is_not(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS))
    bold = dict.fromkeys(re.findall(r'font-weight="bold"[^>]*>(\d\.\d\d)<', svg))
    assert list(bold) == ["0.51", "0.98"]
    cells = drawn_cells(on_grid(CELLS), "mean", JFI_OF_TWO, ".2f")
    assert key_of(cells)[0] == "Bold: mean of repeats; plain: one run, no interval."
    assert key_of(cells.filter(pl.col("n") == 1))[0].startswith("One run per cell")
    assert key_of(cells.filter(pl.col("n") == 3))[0].startswith("Every value is a mean")


def test_uncontested_cells_are_hatched_and_that_is_explained(tmp_path):
    cells = drawn_cells(on_grid(CELLS), "mean", JFI_OF_TWO, ".2f")
    lines = hatching(grid_of(cells))
    assert svg_of(tmp_path, panel(CELLS)).count('stroke-width="0.8"') == 1
    contested = CELLS.with_columns(contested=True)
    assert svg_of(tmp_path, panel(contested)).count('stroke-width="0.8"') == 0
    assert any("Hatched" in said for said in key_of(cells))
    assert not any("Hatched" in said for said in key_of(cells.filter("contested")))
    # the lines end at the sides of the cell
    grid = grid_of(cells)
    ends = [tuple(map(float, end.split(","))) for end in re.split("[ML]", lines) if end]
    assert max(abs(x) for x, _ in ends) == pytest.approx(grid.cell_width / 2, abs=0.1)
    assert max(abs(y) for _, y in ends) <= grid.cell_height / 2 + 0.1


def test_a_cell_beyond_the_colours_has_its_corner_filled_and_that_is_said(tmp_path):
    values = pl.Series([0.1] * 99 + [9.3])
    colours = two_sided(values)
    assert colours.limit < 9.3 and colours.is_beyond(9.3) and not colours.is_beyond(0.1)
    cells = drawn_cells(pl.DataFrame({"mean": values, "n": 1}), "mean", colours, "+.1f")
    assert cells["is_beyond"].sum() == 1
    assert "1 cell beyond" in key_of(cells, colours, "dB")[-1]
    assert "dB" in key_of(cells, colours, "dB")[-1]


def test_a_marked_cell_gets_a_frame_that_is_seen_on_every_colour(tmp_path):
    framed = svg_of(tmp_path, panel(CELLS, mark="significant"))
    plain = svg_of(tmp_path, panel(CELLS))
    for ink in (ON_LIGHT, ON_DARK):
        stroke = f'stroke="{ink}" stroke-width'
        assert framed.count(stroke) - plain.count(stroke) == 2


def luminance(colour: str) -> float:
    numbers = re.findall(r"\d+", colour) if colour.startswith("rgb") else None
    parts = numbers or [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in (int(part) / 255 for part in parts)]  # fmt: skip
    return sum(by * c for by, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    "colours",
    [
        JFI_OF_TWO,
        two_sided(pl.Series([-3.0, 2.9])),
        two_sided(pl.Series([0.01] * 9 + [-3.0, 2.9])),
        one_sided(pl.Series([0.0, 1.0]), scheme="greys"),
    ],
    ids=["sequential", "two-sided", "logarithmic", "greys"],
)
def test_what_is_printed_into_a_cell_can_be_read_on_its_colour(tmp_path, colours):
    low, high = colours.domain[0], colours.domain[-1]
    rows = [(0.1, 0.01 * (i + 1), low + (high - low) * i / 40) for i in range(41)]
    table = pl.DataFrame(rows, schema=["base_rtt_s", "buffer_bdp", "mean"], orient="row")
    svg = svg_of(tmp_path, panel(table.with_columns(n=1), colours=colours))
    colour_of = seen_colours(svg)
    cells = drawn_cells(on_grid(table.with_columns(n=1)), "mean", colours, ".2f")
    # the cells come in the order of the rows, after the empty grid
    drawn = [colour for _, _, colour in fills(svg)][-len(rows) :]
    assert len(drawn) == len(colour_of) == 41
    for colour, is_dark in zip(drawn, cells["is_dark"], strict=True):
        ink, ground = luminance(ON_DARK if is_dark else ON_LIGHT), luminance(colour)
        light, dark = max(ink, ground), min(ink, ground)
        assert (light + 0.05) / (dark + 0.05) > 3.6, colour


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.8712, ".2f", "0.87"),
        (-0.4712, "+.2f", "−.47"),
        (0.031, "+.1f", "0.0"),
        (-0.02, "+.1f", "0.0"),
        (-10.44, "+.1f", "−10"),
        (1.476, "+.2f", "+1.5"),
        (0.0004, "+.2f", ".00"),
        (2.31, "+.1f", "+2.3"),
        (123.4, ".1f", "123"),
        (None, ".2f", ""),
    ],
)
def test_a_value_has_few_characters_in_a_cell_and_zero_no_sign(value, number_format, text):
    assert short(value, number_format) == text


def many(n_rtts: int, n_buffers: int) -> pl.DataFrame:
    rows = [(0.001 * r, 0.01 * b, 0.777, 1)
            for r in range(1, n_rtts + 1) for b in range(1, n_buffers + 1)]  # fmt: skip
    return pl.DataFrame(
        rows, schema=["base_rtt_s", "buffer_bdp", "mean", "n"], orient="row"
    ).with_columns(contested=True)


def test_the_papers_grid_has_every_rtt_named_and_every_value_printed(tmp_path):
    found = texts(svg_of(tmp_path, panel(many(16, 5))))
    assert found.count("0.78") == 80
    assert {str(rtt) for rtt in range(1, 17)} <= set(found)


def test_surfaces_too_large_for_it_print_no_values(tmp_path):
    assert "0.78" not in texts(svg_of(tmp_path, panel(many(60, 60))))


def test_cells_of_the_grid_without_a_row_are_drawn_blank(tmp_path):
    cells = drawn_cells(on_grid(CELLS), "mean", JFI_OF_TWO, ".2f")
    surface = cell_panel("mean", grid_of(cells), JFI_OF_TWO, legend="JFI")
    svg = svg_of(tmp_path, filled(surface, cells.filter(pl.col("buffer_pct") < 50)))
    seen = list(seen_colours(svg).values())
    assert len(seen) == 4 and seen.count(BLANK) == 2


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
    assert coverage_of_both(table) == "2 cells; S: n = 1–5, T: n = 2"


def test_the_same_chart_gives_the_same_bytes(tmp_path):
    grid = grid_of(on_grid(CELLS))
    chart = cell_figure([panel(CELLS), panel(CELLS.reverse(), title="CUBIC")], grid)
    first, second = svg_of(tmp_path, chart), svg_of(tmp_path, chart)
    # vl-convert counts gradients within a process; every figure is a process of its own
    assert re.sub(r"gradient_\d+", "", first) == re.sub(r"gradient_\d+", "", second)


def test_a_chart_loads_nothing(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS))
    assert not re.findall(r"(?:href|src)=\"(?!#)|@import|url\((?!#|'#)", svg)


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        ([0.51, 0.93], [0.5, 0.95]),
        ([8.1, 49.4], [5, 50]),
        ([3.0, 3.0], [3.0, 3.05]),
        ([0.0, 0.0], [0.0, 0.5]),
        ([None, 2.5], [2.5, 2.55]),
        ([], [0, 1]),
    ],
)
def test_a_scale_without_a_middle_holds_all_values_and_is_no_wider_than_they_need(values, domain):
    colours = one_sided(pl.Series(values, dtype=pl.Float64))
    assert colours.domain == pytest.approx(domain, abs=1e-3)
    assert colours.domain[0] < colours.domain[1]


@pytest.mark.parametrize(
    ("values", "limit", "is_logarithmic"),
    [
        ([-3.14, 1.55, 2.0], 3.2, False),
        ([0.0, 0.0], 1.0, True),
        ([], 1.0, False),
        ([0.4] * 99 + [10.0], 0.4, False),  # one extreme cell does not decide
        ([0.01] * 60 + [2.0] * 40, 2.0, True),  # most are small against the largest
    ],
)
def test_a_scale_with_a_middle_follows_nearly_all_of_the_data(values, limit, is_logarithmic):
    colours = two_sided(pl.Series(values, dtype=pl.Float64))
    assert colours.domain == pytest.approx([-limit, 0, limit])
    assert (colours.constant is not None) == is_logarithmic
    linear = two_sided(pl.Series(values, dtype=pl.Float64), is_linear=True)
    assert linear.constant is None and linear.domain == colours.domain


# ---- figures of surfaces ------------------------------------------------------------------------

SURFACE = pl.DataFrame(
    [
        (part, dataset, "comparison", ccas, "jfi", rtt, buffer, mean, n, contested)
        for part, dataset in (("simulation", "ns"), ("testbed", "bed"))
        for ccas, low in (("newreno-newreno", 0.95), ("newreno-bic", 0.55))
        for rtt, buffer, mean, n, contested in (
            (0.025, 0.2, low, 3, True),
            (0.1, 0.2, 0.99, 1, True),
            (0.1, 1.0, 0.5, 1, False),
        )
    ],
    schema=["part", "dataset_id", "role", "ccas", "metric", "base_rtt_s", "buffer_bdp", "mean",
            "n", "contested"],
    orient="row",
).with_columns(ci_low=pl.lit(None, pl.Float64), ci_high=pl.lit(None, pl.Float64))  # fmt: skip


def words_of(svg: str) -> str:
    return " ".join(unescape(text) for text in re.findall(r">([^<>]+)</(?:text|tspan)>", svg))


def test_the_title_of_a_figure_is_of_means_over_contested_cells(tmp_path):
    svg = svg_of(tmp_path, jfi_surface_chart(SURFACE, ["simulation", "testbed"]))
    said = words_of(svg)
    message = "Mean Jain's index: NewReno"
    assert message in said and "mean 0.77, min 0.55 at 25\u00a0ms, 20\u00a0%" in said
    assert "Each panel: 3 cells, n = 1–3." in said
    # and so does the alternative text, before the panels
    description = unescape(re.search("<desc>(.*?)</desc>", svg)[1])
    assert description.startswith(message)


def test_a_metric_with_a_middle_has_the_peak_that_is_farthest_from_it():
    table = on_grid(SURFACE).with_columns(value=pl.Series([2.0, 0.1, 1.0] * 4))
    grid, of_pair = grid_of(table), table.head(3)
    assert extreme(of_pair, grid).value == 0.1
    ratio = extreme(of_pair, grid, 1.0)
    assert ratio.value == 0.1  # a tenth is farther from 1 than twice
    assert ratio.mean == pytest.approx((2.0 * 0.1) ** 0.5)  # of the contested cells
    db = extreme(of_pair, grid, 0.0)
    assert db.value == 2.0
    lines = [
        extreme_words(of._replace(where="here"), ".1f", 0.0) for of in (db, db._replace(value=-3))
    ]
    assert lines == ["mean 1.1, max 2.0 at here", "mean 1.1, min −3.0 at here"]
    said = message_of("flow-NRU (dB)", {"BIC": db, "none": None}, "+.1f")
    assert said == "The mean flow-NRU is +1.1 dB"
    less = db._replace(mean=-0.5)
    assert message_of("flow-NRU (dB)", {"BIC": db, "CUBIC": less}, "+.1f") == (
        "Mean flow-NRU: BIC +1.1 dB, CUBIC −0.5 dB"
    )
    many = {f"panel {n}": db._replace(mean=0.1 * n) for n in range(6)}
    assert message_of("flow-NRU (dB)", many, "+.1f") == (
        "The mean flow-NRU of a panel is 0.0 to +0.5 dB"
    )
    assert message_of("JFI", {"BIC": None}, ".2f") == "No value of JFI"


def test_a_surface_without_any_value_is_empty_and_says_so(tmp_path):
    style = Style("system_nru_db", "comparison", 1, "system-NRU (dB)", "+.1f")
    said = words_of(svg_of(tmp_path, surface_chart(SURFACE, "testbed", style)))
    assert "No value of system-NRU (dB)" in said and "Each panel: no runs." in said


DIFFERENCE = pl.DataFrame(
    [
        ("newreno-bic", rtt, 0.2, n, n, d, w, w is not None and w >= 0, verdict, True)
        for rtt, n, d, w, verdict in (
            (0.025, 3, -0.31, 0.2, "different"),
            (0.05, 3, 0.01, -0.02, "equivalent"),
            (0.1, 1, -0.45, None, "one run"),
            (0.2, 1, -0.47, None, "one run"),
        )
    ],
    schema=["ccas", "base_rtt_s", "buffer_bdp", "simulation_n", "testbed_n", "d", "w",
            "significant_printed", "verdict", "contested"],
    orient="row",
)  # fmt: skip


def test_differences_are_all_drawn_and_w_only_where_there_is_one(tmp_path):
    svg = svg_of(tmp_path, difference_chart(DIFFERENCE))
    said = texts(svg)
    assert {"−.31", "+.01", "−.45", "−.47", "+.20", "−.02"} <= set(said)
    assert said.count("200") == 1 and said.count("25") == 2  # an axis of D; one of D and one of W
    words = words_of(svg)
    assert "2 cells without repeats of T have no W" in words
    assert "Bold: both sides have repeats; plain: one run on one." in words
    assert "NewReno – BIC differs by 0.31, the mean of |D|" in words


def test_the_message_on_differences_leaves_out_what_is_uncontested(tmp_path):
    some = DIFFERENCE.with_columns(contested=pl.col("base_rtt_s") < 0.15)
    words = words_of(svg_of(tmp_path, difference_chart(some)))
    assert "differs by 0.26, the mean of |D| over contested cells" in words


def test_pairings_are_ranked_by_cells_that_all_of_them_have():
    """CUBIC has one easy cell, in which BIC differs less."""
    easy = DIFFERENCE.filter(base_rtt_s=0.05)
    easy = easy.with_columns(ccas=pl.lit("newreno-cubic"), d=pl.lit(0.2))
    said = difference_message(pl.concat([DIFFERENCE, easy]))
    assert said == (
        "The mean of |D| over the cells of all pairings is largest for NewReno – CUBIC, 0.20, and "
        "smallest for NewReno – BIC, 0.01"
    )
    elsewhere = easy.with_columns(base_rtt_s=pl.lit(0.4))
    assert difference_message(pl.concat([DIFFERENCE, elsewhere])) == (
        "|D| is 0.01 to 0.47; pairings cannot be ranked: no cell has all of them"
    )


def test_verdicts_are_drawn_of_cells_that_can_be_tested(tmp_path):
    said = texts(svg_of(tmp_path, verdict_chart(DIFFERENCE)))
    assert "D −0.31" in said and "E +0.01" in said
    assert "1" not in said and "200" not in said and "100" not in said
    words = " ".join(said)
    assert "Of 2 tested cells: 1 different, 1 equivalent" in words
    assert "2 of 4 cells tested" in words
    none = verdict_chart(DIFFERENCE.filter(verdict="one run"))
    assert "No cell has repeats on both sides" in words_of(svg_of(tmp_path, none))


def test_an_image_has_its_own_dark_colours_and_those_of_cells_stay(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS))
    sheet = re.search("<style>(.*?)</style>", svg)[1]
    assert "prefers-color-scheme: dark" in sheet and f"fill:{DARK[TEXT]}" in sheet
    assert f'fill="{TEXT}"' in svg  # of axes, and so it is right on paper
    assert ON_LIGHT not in sheet and ON_DARK not in sheet  # what is printed into cells
    assert not re.search(r'<rect[^>]*fill="(white|#ffffff)"', svg)  # no ground of its own


def test_an_image_carries_nothing_that_nobody_reads(tmp_path):
    svg = svg_of(tmp_path, panel(CELLS)).split("<metadata")[0]
    assert "aria-" not in svg and "role=" not in svg
    assert svg.count("font-family") == 1


def test_a_figure_is_the_same_file_whatever_was_drawn_before(tmp_path):
    def draw(path):
        panels = [panel(CELLS), panel(CELLS, "CUBIC")]
        save_chart(cell_figure(panels, grid_of(on_grid(CELLS))), path)
        return path.read_bytes()

    first = draw(tmp_path / "first.svg")
    draw(tmp_path / "between.svg")
    assert draw(tmp_path / "second.svg") == first
    assert b"view_1" in first and b"view_3" not in first


def test_without_repeats_a_figure_of_w_says_so(tmp_path):
    without = DIFFERENCE.with_columns(w=pl.lit(None, pl.Float64))
    assert "no cell with repeats of T" in words_of(svg_of(tmp_path, w_surfaces(without)))
    assert "+.20" not in texts(svg_of(tmp_path, difference_chart(without)))


KINDS = {
    "a layer": lambda point, rule: point + rule,
    "side by side": lambda point, rule: (point + rule) | point,
    "facets": lambda point, _: point.facet("w:N"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_bit_of_a_value_makes_no_other_figure(tmp_path, kind):
    """Another processor may add in another order; Altair names data by a hash of all digits."""
    figures = []
    for mean in (0.1 + 0.2, 0.3):  # 0.30000000000000004 and 0.3
        table = pl.DataFrame({"rtt_ms": [25.0, 50, 100], "mean": [mean, 0.7, 0.9], "w": [1, 2, 1]})
        point = alt.Chart(table).mark_point().encode(x="rtt_ms:Q", y="mean:Q")
        rule = alt.Chart(table.head(2)).mark_rule().encode(y="mean:Q")
        figures.append(svg_of(tmp_path, KINDS[kind](point, rule)))
    allowed = read_tolerances(ROOT / "config/verify.yaml")
    assert differences("f.svg", *(figure.encode() for figure in figures), allowed) == []
    assert "data-1" in figures[0]


def test_a_chart_without_data_is_a_sentence_of_a_size_that_renderers_read(tmp_path):
    data = pl.DataFrame(schema={"x": pl.Float64, "y": pl.String})
    chart = alt.Chart(data).mark_point().encode(x="x:Q", y="y:N").properties(height=alt.Step(14))
    save_chart(chart, tmp_path / "empty.svg")
    svg = (tmp_path / "empty.svg").read_text(encoding="utf-8")
    assert "There is no value to show." in svg
    assert float(re.search(r'<svg [^>]*\bheight="([^"]+)"', svg)[1]) < 100
