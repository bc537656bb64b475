"""The look of figures: every congestion control has one name, colour and dash of its own."""

import re
from pathlib import Path

import altair as alt
import polars as pl
import pytest
from evenflow.charts import theme
from evenflow.charts.theme import VARIANTS, VERDICTS, variant_scale
from evenflow.congestion_controls import in_order, pairing_name, variant_name

ROOT = Path(__file__).parents[3]
REPORT_CSS = (ROOT / "workflow/theme/report.css").read_text(encoding="utf-8")
HEX = re.compile(r"#[0-9A-Fa-f]{6}$")


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1) of '#rrggbb'."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_no_two_variants_look_the_same():
    names, colours, dashes = zip(*VARIANTS.values(), strict=True)
    assert len(set(names)) == len(set(colours)) == len({*map(tuple, dashes)}) == len(VARIANTS)
    assert all(HEX.match(colour) for colour in colours)


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("cca", VARIANTS)
def test_every_colour_of_a_line_is_seen_on_light_and_dark_pages(cca):
    colour = VARIANTS[cca][1]
    known_to_be_light = {"highspeed": 2.2, "scalable": 2.2}  # why: decisions.md
    assert contrast(colour, "#ffffff") >= known_to_be_light.get(cca, 3)
    dark = {light.lower(): dark for light, dark in theme.DARK.items()}
    assert contrast(dark.get(colour.lower(), colour), theme.DARK[theme.BLANK]) >= 3


def test_text_and_rules_are_read_on_dark_pages():
    page = theme.DARK[theme.BLANK]
    assert contrast(theme.DARK[theme.TEXT], page) > 7
    assert contrast(theme.DARK[theme.RULE], page) > 2.5
    assert "--paper: #15181c;" in REPORT_CSS and page == "#15181c"
    sheet = theme.dark_style(".live-chart")
    assert ".live-chart [fill='#1a1a1a' i]{fill:#e3e6ea}" in sheet
    assert ".live-chart :not(text)[fill='white' i]{fill:#15181c}" in sheet


def test_verdicts_stay_apart_in_grey():
    shades = sorted(luminance(colour) for colour in VERDICTS.values())
    # 'equivalent' and 'no variance' are near in grey, which is why every cell has a letter
    assert len(set(shades)) == len(shades)
    assert shades[-1] - shades[0] > 0.8


def test_verdicts_are_those_of_the_statistics():
    from evenflow.statistics import repeats as s

    names = {s.DIFFERENT, s.EQUIVALENT, s.BOTH, s.INCONCLUSIVE, s.UNTESTABLE, s.SINGLE}
    assert set(VERDICTS) == names


def test_names_in_print():
    assert pairing_name("newreno-bic") == "NewReno – BIC"
    assert variant_name("dctcp") == "DCTCP"  # one that has no colour of its own
    assert variant_name("mine") == "mine"  # one that nobody knows


@pytest.mark.parametrize(
    ("given", "ordered"),
    [
        (["newreno-cubic", "newreno-newreno", "newreno-bic"], ["newreno", "bic", "cubic"]),
        (["cubic-cubic", "bic-bic", "newreno-newreno"], ["newreno", "bic", "cubic"]),
        (["bic", "newreno"], ["newreno", "bic"]),
        (["a-b", "newreno-bic"], ["bic", "b"]),  # unknown ones last
    ],
)
def test_pairings_come_in_the_order_of_flow_2(given, ordered):
    assert [name.split("-")[-1] for name in in_order(given)] == ordered


def test_the_scale_of_a_variant_does_not_depend_on_the_others():
    alone = variant_scale("color", ["bic"]).to_dict()
    among = variant_scale("color", ["newreno", "cubic", "bic", "dctcp"]).to_dict()
    colours = dict(zip(among["domain"], among["range"], strict=True))
    assert dict(zip(alone["domain"], alone["range"], strict=True)).items() <= colours.items()
    assert colours["DCTCP"] == "#7f7f7f"


def test_the_house_style_is_on_every_chart():
    chart = alt.Chart(pl.DataFrame({"x": [1]})).mark_point().encode(x="x:Q")
    config = theme.house_style(chart.configure_view(step=7).to_dict())["config"]
    assert config["font"] == theme.FONT
    assert config["background"] is None  # the page shows through
    assert config["view"]["stroke"] is None
    assert config["view"]["step"] == 7
