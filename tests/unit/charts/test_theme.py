"""The look of figures: every congestion control has one name, colour and dash of its own."""

import re

import altair as alt
import polars as pl
import pytest
from evenflow.charts import theme
from evenflow.charts.theme import VARIANTS, VERDICTS, variant_scale
from evenflow.congestion_controls import in_order, pairing_name, variant_name

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
    assert config["background"] == "white"
    assert config["view"]["stroke"] is None
    assert config["view"]["step"] == 7
