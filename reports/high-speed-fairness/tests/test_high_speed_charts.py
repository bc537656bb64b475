"""Figures of high-speed-fairness: starved flows, turned pairs, partly filled designs."""

import json

import polars as pl
import pytest
from evenflow.charts.describe import describe
from evenflow.charts.panels import spec_of
from evenflow.kit.panels import powers_of_ten
from markdown_tables import rows_of

from .. import exponents, messages, panels
from .. import figures as charts
from ..matrix import matrix_chart
from ..metrics import VARIANTS, pair_cells, rtt_exponents, share_matrix
from ..topology import topology_chart
from .test_high_speed_metrics import BDP20_16, metrics_of, proportional

RTTS = [16, 82, 324]


def cells_of(*rows):
    return pair_cells({"simulation": metrics_of(*rows)})


STARVED_BIC = ("newreno", "bic", 16, 16, BDP20_16, 800, 0)
FEW = cells_of(STARVED_BIC, *proportional(), ("bic", "cubic", 16, 16, BDP20_16, 0, 800))


def texts(chart) -> list[str]:
    """All words that a chart's marks write, wherever they stand in it."""
    found = []

    def look(part):
        if isinstance(part, dict):
            if part.get("type") == "text" and isinstance(part.get("text"), str):
                found.append(part["text"])
            for each in part.values():
                look(each)
        elif isinstance(part, list):
            for each in part:
                look(each)

    look(spec_of(chart))
    return found


def test_a_starved_flow_stands_at_the_end_of_the_axis_and_is_named():
    points = panels.at_the_ends(FEW, (0.01, 100)).filter(pl.col("view") != "rtt")
    found = {(r["cca1"], r["cca2"]): (r["shown"], r["starved"]) for r in points.rows(named=True)}
    assert found["newreno", "bic"] == (100, panels.STARVED_2)
    assert found["bic", "cubic"] == (0.01, panels.STARVED_1)
    assert found["bic", "bic"] == (pytest.approx(1), None)
    assert "variant starved" in texts(charts.friendliness_chart(FEW))
    assert "BIC starved" in texts(charts.inter_chart(FEW, "bic"))
    assert "competitor starved" in texts(charts.inter_chart(FEW, "cubic"))


def test_every_number_that_a_figure_places_is_finite_and_on_its_axis():
    domain = panels.ratio_domain(FEW)
    points = panels.at_the_ends(FEW, domain)
    for column in ("shown", "low", "high"):
        assert points[column].is_between(*domain).all()


def test_the_axis_grows_by_powers_of_ten_to_the_side_where_runs_are():
    assert panels.ratio_domain(FEW.clear()) == (0.1, 10)
    far = cells_of(("newreno", "bic", 16, 16, BDP20_16, 4, 800))  # 0.005
    low, high = panels.ratio_domain(far)
    assert low == pytest.approx(1 / 1000) and high == 10
    assert powers_of_ten((0.01, 100)) == [0.01, 0.1, 1, 10, 100]


def test_no_line_crosses_an_rtt_without_a_run():
    rows = [("bic", "bic", rtt, rtt, 22_500 * rtt, 400, 400) for rtt in (16, 82, 162)]
    pieces = panels.in_words(cells_of(*rows).sort("rtt2_ms"))["piece"].to_list()
    assert pieces[0] != pieces[1] == pieces[2]  # 42 ms is missing


CLAIM = {"claim": "below_linear", "subject": "simulation", "estimate": 0.1, "n": 3, "n_most": 3}
CLAIM |= {"low": -0.12, "high": 0.31, "misfit": 1.8, "transient": False, "two_state": None}
SCHEMA = {"low": pl.Float64, "high": pl.Float64, "two_state": pl.String}
CLAIMS = pl.DataFrame(
    [
        {**CLAIM, "case": "H-TCP, 20 % of BDP"},
        {**CLAIM, "case": "CUBIC, 3 MB", "low": None, "high": None, "two_state": "CUBIC at 82 ms"},
        {**CLAIM, "case": "CUBIC, 20 % of BDP", "claim": "proportional"},
        {**CLAIM, "case": "BIC, 3 MB", "estimate": None},  # not all of the three RTTs were run
        {**CLAIM, "case": "BIC, 20 % of BDP", "claim": "above_linear", "transient": True},
    ],
    schema_overrides=SCHEMA,
)


def test_text_table_and_figure_have_one_exponent():
    """That of the claims, over three RTTs; what a fit to all RTTs gives is a column beside it."""
    known = exponents.exponents_of_claims(CLAIMS)
    assert known["cca"].to_list() == ["bic", "cubic", "htcp"]  # in the order of the variants
    assert known["exponent"].to_list() == [0.1, 0.1, 0.1]
    assert exponents.exponent_words(CLAIMS)["htcp"] == "0.1"
    assert exponents.exponent_words(CLAIMS)["scalable"] == "–"
    fits = rtt_exponents(FEW, 0.95).with_columns(cca=pl.lit("htcp"), exponent=pl.lit(0.7))
    full = pl.DataFrame(
        [{"part": "simulation", "queue": "bdp20", "cca": "htcp", "exponent_full": 0.16}]
    )
    *_, row = rows_of(exponents.exponent_table(CLAIMS, fits, full))
    assert row[7] == "0.16"
    assert row[:5] == ["H-TCP", "ns-2", "20 % of BDP", "3", "0.10 (−0.12 to 0.31)"]
    assert row[5] == "1.8" and row[6].startswith("0.70, ")


def test_an_exponent_without_an_interval_and_a_transient_are_said_to_be():
    none = rtt_exponents(FEW.clear(), 0.95)
    rows = rows_of(exponents.exponent_table(CLAIMS, none, none))
    bic, cubic = rows[-3], rows[-2]
    assert bic[-1] == "transient" and cubic[-1] == "two states"
    assert cubic[4] == "0.10"


def test_the_exponent_of_each_variant_stands_on_its_line():
    spec = json.dumps(spec_of(charts.exponent_chart(CLAIMS)))
    assert spec.count("-0.12") == 2 and spec.count('"runs per cell: 3"') == 2
    assert spec_of(charts.exponent_chart(CLAIMS.clear()))


def test_a_cell_whose_runs_disagree_on_who_is_ahead_has_no_point():
    cell = FEW.filter(view="rtt").head(1)
    for low, high, ratio in ((0.4, 3.0, 1.0), (0.6, 3.0, 1.0), (0.4, None, 1.0)):
        points = cell.with_columns(
            ratio=pl.lit(ratio), ratio_low=pl.lit(low), ratio_high=pl.lit(high, pl.Float64)
        )
        (row,) = panels.at_the_ends(points, (0.01, 100)).rows(named=True)
        assert (row["shown"] is None) == (low < 0.5)
        assert row["low"] == low


def test_utilisation_is_drawn_where_there_are_runs():
    cells = FEW.with_columns(utilisation=pl.lit(0.9))
    words = json.dumps(spec_of(charts.utilisation_chart(cells)))
    assert words.count(charts.NO_RUN) == 4  # all four views at 3 MB
    assert '"percent": 90.0' in words


def test_the_drawing_of_the_set_up_names_its_hosts():
    words = json.dumps(spec_of(topology_chart()))
    assert all(f'"{name}"' in words for name in ("sender 2", "router", "receiver 1"))


def test_a_pair_seen_from_its_second_flow_is_turned_round():
    cells = cells_of(
        ("bic", "cubic", 16, 16, BDP20_16, 200, 600),
        ("bic", "htcp", 16, 16, BDP20_16, 0, 800),
        ("bic", "scalable", 16, 16, BDP20_16, 800, 0),
    )
    (cubic,) = panels.turned_to(cells, "cubic").rows(named=True)
    assert (cubic["cca1"], cubic["cca2"]) == ("cubic", "bic")
    assert (cubic["ratio"], cubic["share1"]) == (pytest.approx(3), pytest.approx(0.75))
    (htcp,) = panels.turned_to(cells, "htcp").rows(named=True)
    assert (htcp["ratio"], htcp["n_starved1"], htcp["n_starved2"]) == (None, 0, 1)
    (scalable,) = panels.turned_to(cells, "scalable").rows(named=True)
    assert (scalable["ratio"], scalable["n_starved1"]) == (0.0, 1)
    assert panels.turned_to(cells, "bic").equals(cells)


@pytest.mark.parametrize("cells", [FEW, FEW.clear()], ids=["few", "none"])
def test_a_partly_filled_design_is_drawn_and_says_where_no_run_is(cells):
    words = texts(charts.friendliness_chart(cells))
    n_drawn = 1 if len(cells) else 0  # of the five variants only BIC has a run
    assert words.count(charts.NO_RUN) == 2 * (5 - n_drawn)
    spec_of(charts.intra_chart(cells))
    spec_of(charts.rtt_jfi_chart(cells))
    spec_of(charts.rtt_ratio_chart(cells, CLAIMS))
    spec_of(matrix_chart(share_matrix(cells), RTTS))


def test_the_matrix_has_a_place_for_every_variant_beside_every_other():
    spec = spec_of(matrix_chart(share_matrix(FEW), RTTS))
    panel = spec["vconcat"][0]["hconcat"][0]["layer"][0]
    domain = panel["encoding"]["x"]["scale"]["domain"]
    assert len(domain) == len(VARIANTS) and panel["encoding"]["y"]["scale"]["domain"] == domain


def test_no_matrix_is_drawn_that_would_be_empty():
    rows = [
        (a, "cubic", rtt, rtt, 22_500 * rtt, 400, 400) for a, rtt in (("bic", 16), ("cubic", 82))
    ]
    spec = spec_of(matrix_chart(share_matrix(cells_of(*rows)), RTTS))
    titles = [panel["title"]["text"] for panel in spec["vconcat"][0]["hconcat"]]
    assert titles == [["16 ms, 2 cells, n = 1"]]  # at 82 ms CUBIC has run against itself alone


def test_a_panel_says_how_many_cells_and_runs_it_has():
    words = json.dumps(spec_of(charts.friendliness_chart(FEW)))
    assert words.count('"1 cell, n = 1"') == words.count('"1 cell, n = 1; 1 starved"') == 1
    assert words.count('"no runs"') == 8


def test_the_alternative_text_counts_no_value_where_no_run_is():
    text = describe(spec_of(charts.intra_chart(FEW)))
    assert text.startswith("BIC (1 cell, n = 1): 1 value of Jain's index, 1 (RTT 162 ms, ns-2).")
    assert "NewReno" not in text and "shown" not in text


def test_a_fit_is_printed_above_its_panel_and_a_starved_flow_stands_in_it():
    rows = [*proportional(), ("cubic", "cubic", 162, 16, 3_645_000, 800, 0)]
    cells = cells_of(*rows)
    chart = charts.rtt_ratio_chart(cells, CLAIMS)
    assert '"ns-2: 20 % of BDP 0.1"' in json.dumps(spec_of(chart))
    assert "flow 2 starved" in texts(chart)


def test_titles_follow_the_data():
    table = pl.DataFrame(
        {
            "view": ["friendliness"] * 3,
            "cca2": ["bic", "cubic", "cubic"],
            "ratio": [0.1, 0.5, 2.0],
        }
    )
    said = messages.friendliness(table)
    assert said.endswith("geometric mean over the cells: BIC 0.1, CUBIC 1")
    turned = table.with_columns(ratio=1 / pl.col("ratio"))
    assert messages.friendliness(turned).endswith(": BIC 10, CUBIC 1")
    one = table.filter(cca2="cubic")  # a variant without a run is not named
    assert messages.friendliness(one).endswith("over the cells: CUBIC 1")
    assert messages.friendliness(table.clear()) == messages.NOTHING
    starved = {"view": ["intra"], "cca1": ["bic"], "rtt2_ms": [162.0], "jfi": [None]}
    starved = pl.DataFrame(starved, schema_overrides={"jfi": pl.Float64})
    assert messages.intra(starved) == messages.NOTHING
    two = CLAIMS.with_columns(estimate=pl.Series([0.3, 0.1, None, None, 2.0]))
    assert messages.exponents(two) == (
        "Exponent of the throughput ratio over three RTTs: BIC 2.0, CUBIC 0.1, H-TCP 0.3"
    )
    shares = pl.DataFrame(
        {"cca": ["bic", "cubic"], "other": ["cubic", "bic"], "rtt_ms": [16.0] * 2,
         "share": [0.8, 0.2]}
    )  # fmt: skip
    said = "Mean share of the throughput against the other variants: BIC 80 %, CUBIC 20 %"
    assert messages.shares(shares, [16]) == said
    assert messages.shares(shares, [82]) == messages.NOTHING
