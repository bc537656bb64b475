"""hstcp-buffers' report: claims hold and fail where they should; tables, phrases and charts."""

import re

import polars as pl
import pytest
import yaml
from evenflow.charts.base import save_chart
from evenflow.errors import DataError
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.claims import judge
from raw_data import ROOT

from .. import charts, claims, design, highspeed, numbers, tables
from ..claims import Series
from ..model import READINGS

FOLDER = ROOT / "reports/hstcp-buffers"
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
CLAIMS = claims.claims_of(PARAMETERS["thresholds"])
FRACTIONS = (0.02, 0.1, 0.2, 1.0)
SLOW_PLACE = (1e9, "droptail")
FAST_PLACE = (2.5e9, "red")
PUBLISHED = pl.read_csv(FOLDER / "published.csv", infer_schema=False)


def lines_of(table: str) -> list[str]:
    """Return the lines of a pipe table; every space as a plain one."""
    return table.replace(NO_BREAK_SPACE, " ").split("\n")


def values(mean, n: int | None = 1, half: float | None = None) -> pl.DataFrame:
    """A series over FRACTIONS: mean(fraction), with intervals of +- half."""
    rows = []
    for f in FRACTIONS:
        low, high = (None, None) if half is None else (mean(f) - half, mean(f) + half)
        rows.append((f, float(mean(f)), low, high, n))
    schema = {"fraction": pl.Float64, "mean": pl.Float64, "ci_low": pl.Float64}
    schema |= {"ci_high": pl.Float64, "n": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def series(
    utilisation=lambda f: 0.99,
    loss=lambda f: 1e-3,
    error=lambda f: 0.0,
    place=SLOW_PLACE,
    **kind,
) -> Series:
    errors = pl.DataFrame({"fraction": FRACTIONS, "error": [float(error(f)) for f in FRACTIONS]})
    return Series(place, values(utilisation, **kind), values(loss, **kind), errors)


def claim(words: str):
    found = [c for c in CLAIMS if words in c.sentence]
    assert len(found) == 1, words
    return found[0]


OF_CLAIMS = [
    ("more than 90 %", series(lambda f: 0.92), series(lambda f: 0.88)),
    ("almost 98 %", series(lambda f: 0.976), series(lambda f: 0.974)),
    ("drastic drop", series(lambda f: 0.9 if f >= 0.1 else 0.79), series(lambda f: 0.9 + f / 20)),
    ("increases marginally", series(lambda f: 0.9 + f / 20), series(lambda f: 0.8 + f / 5)),
    ("increases as the buffer", series(lambda f: f), series(lambda f: 1 - f)),
    ("quite close", series(error=lambda f: -0.04), series(error=lambda f: -0.4 * f)),
    ("mostly equal", series(loss=lambda f: 2e-3), series(loss=lambda f: 2e-4)),
    (
        "10⁻⁵ for buffers",
        series(loss=lambda f: 1e-5 if f >= 0.1 else 1, place=(1e9, "red")),
        series(place=(1e9, "red")),
    ),
    (
        "around 10⁻⁶",
        series(loss=lambda f: 3.2e-7, place=FAST_PLACE),
        series(loss=lambda f: 0.0, place=FAST_PLACE),
    ),
]


@pytest.mark.parametrize(("words", "yes", "no"), OF_CLAIMS, ids=[words for words, *_ in OF_CLAIMS])
def test_claims_hold_and_fail(words, yes, no):
    assert claim(words).test(yes).outcome == "reproduced"
    assert claim(words).test(no).outcome == "not reproduced"


def test_every_claim_is_tested():
    assert {claim(words) for words, *_ in OF_CLAIMS} == set(CLAIMS)


def test_a_loss_rate_is_tested_on_its_link_only():
    assert claim("mostly equal").test(series(place=FAST_PLACE)) is None


def test_a_drop_that_was_not_looked_for_cannot_be_tested():
    full = series(lambda f: 0.95)
    smallest = full.utilisation[:1].with_columns(fraction=pl.lit(0.05))
    without = full._replace(utilisation=pl.concat([smallest, full.utilisation[1:]]))
    assert claim("drastic drop").test(full).outcome == "not reproduced"
    found = claim("drastic drop").test(without)
    assert found.outcome == "not testable"
    assert found.evidence.startswith("no buffer of 2 % was run: 95.0 % at 5 %")


def test_an_interval_over_the_threshold_cannot_be_tested():
    at_10 = claim("more than 90 %").test
    found = at_10(series(lambda f: 0.91, n=3, half=0.02))
    assert found.outcome == "not testable"
    assert found.evidence.startswith("the interval holds the threshold: 91.0 % [89.0 %, 93.0 %]")
    assert at_10(series(lambda f: 0.93, n=3, half=0.02)).outcome == "reproduced"
    found = at_10(series(lambda f: 0.87, n=3, half=0.02))
    assert found.outcome == "not reproduced"
    assert found.evidence == "87.0 % [85.0 %, 89.0 %] (n = 3)"


@pytest.mark.parametrize("words", [words for words, *_ in OF_CLAIMS])
def test_a_claim_without_its_buffer_says_nothing(words):
    full = series()
    place = next(test[1].place for test in OF_CLAIMS if test[0] == words)
    nothing = Series(place, *(table.clear() for table in full[1:]))
    assert claim(words).test(nothing) is None


def subjects(of_place: dict) -> dict:
    return {
        f"{design.place_name(place)}{claims.BETWEEN}{source}": one
        for place, found in of_place.items()
        for source, one in found.items()
    }


def test_the_scorecard_has_a_dash_where_nothing_was_run():
    tested = {
        SLOW_PLACE: {"Model": series(n=None), "ns-2 sack1": series(lambda f: 0.5)},
        FAST_PLACE: {"Model": series(n=None, place=FAST_PLACE)},
    }
    claim = judge("hstcp-buffers", CLAIMS, subjects(tested))
    lines = lines_of(tables.claims(claim))
    assert lines[0].endswith("| Link, queue | Model | ns-2 sack1 |")
    assert lines[2].endswith("| **reproduced**: 99.0 % | **not reproduced**: 50.0 % (n = 1) |")
    assert lines[3] == "|  |  | 2.5 Gb/s, RED | **reproduced**: 99.0 % | – |"
    # a claim on one link is tested there only
    assert sum("mostly equal" in line for line in lines) == 1


def test_sources_are_listed_in_one_order_whatever_was_run_first():
    tested = {SLOW_PLACE: {name: series() for name in ("ns-2 linux", "new", "ns-2 sack1", "Model")}}
    header = lines_of(tables.claims(judge("hstcp-buffers", CLAIMS, subjects(tested))))[0]
    assert header.endswith("| Link, queue | Model | ns-2 sack1 | ns-2 linux | new |")


def test_printed_values_are_read_with_link_queue_and_buffers():
    printed = design.printed_values(PUBLISHED)
    first = printed.row(0, named=True)
    assert (first["bottleneck_bps"], first["aqm"], first["low"], first["high"]) == (
        1e9, "droptail", 0.1, 0.1,
    )  # fmt: skip
    red = printed.filter(aqm="red", bottleneck_bps=1e9).row(0, named=True)
    assert (red["low"], red["high"], red["value"]) == (0.1, 1.0, 1e-5)


def test_a_printed_case_of_another_form_is_an_error():
    bad = PUBLISHED.with_columns(
        case=pl.Series([*PUBLISHED["case"][:2], "fast"]).append(PUBLISHED["case"][3:])
    )
    with pytest.raises(DataError, match=r"published\.csv:4: unknown case 'fast'"):
        design.printed_values(bad)


def cell_table(**of_metric) -> pl.DataFrame:
    """Cells of 1 Gb/s, ten flows, DropTail, sack1 at 10 %: {metric: mean}."""
    return pl.DataFrame(
        [
            {"bottleneck_bps": 1e9, "n_flows": 10, "aqm": "droptail", "implementation": name,
             "fraction": 0.1, "k": 1250, "scenario_id": name, "metric": metric, "mean": mean,
             "sd": None, "n": 1, "ci_low": None, "ci_high": None, "deterministic": False}
            for name in ("sack1", "linux")
            for metric, mean in of_metric.items()
        ],
        schema_overrides={"sd": pl.Float64, "ci_low": pl.Float64, "ci_high": pl.Float64},
    )  # fmt: skip


def model_table() -> pl.DataFrame:
    """The model at 10 and 100 %, the same in every reading but two."""
    rows = []
    for reading in READINGS:
        for fraction in (0.1, 1.0):
            shift = {"response-literal": 0.05}.get(reading, 0.0)
            known = reading != "throughput-literal"
            rows.append({"bottleneck_bps": 1e9, "n_flows": 10, "aqm": "droptail",
                         "fraction": fraction, "k": 12500 * fraction, "reading": reading,
                         "load": 0.9, "loss_rate": 1e-5 if known else None,
                         "utilisation": 0.9 + shift if known else None,
                         "queue_packets": 1.0})  # fmt: skip
    return pl.DataFrame(rows)


def test_the_effect_of_each_reading_is_computed():
    lines = lines_of(tables.readings(model_table()))[2:]
    assert len(lines) == len(READINGS) - 1
    assert lines[0].endswith("| +5.00 points, p × 1 (1 Gb/s, DropTail, 10 %) |")
    assert lines[1].endswith("| no fixed point anywhere |")
    assert "less than ± 0.01 points" in lines[3]


def test_every_reading_has_its_words():
    assert [*tables.READING_WORDS] == [name for name in READINGS if name != "taken"]
    assert [*tables.SHORT_NAMES] == [*READINGS]


def test_the_rfcs_table_is_in_the_report():
    table = tables.response()
    assert "| 10⁻² | 12 | 12.0 | 12.0 |" in table
    assert "| 10⁻⁷ | 83,981 | 83,981.0 | 83,000.0 | 83,000 |" in table


def test_printed_beside_ours():
    cells = cell_table(utilisation=0.93, loss_rate=1.5e-4)
    table = tables.published(PUBLISHED, model_table(), cells)
    lines = lines_of(table)
    assert lines[0].endswith("| Printed | Model | ns-2 sack1 | ns-2 linux |")
    assert lines[2].endswith("| lower bound 90.0 % | 90.0 % | 93.0 % (n = 1) | 93.0 % (n = 1) |")
    assert lines[3].endswith("| approx 98.0 % | – | – | – |")
    assert lines[4].split(" | ")[3] == "mostly 10⁻³"


def test_series_without_a_run_are_the_models_alone():
    cells = cell_table(utilisation=0.93, loss_rate=1.5e-4)
    errors = pl.DataFrame(
        schema={"bottleneck_bps": pl.Float64, "aqm": pl.String, "implementation": pl.String,
                "fraction": pl.Float64, "reading": pl.String, "metric": pl.String,
                "error": pl.Float64}
    )  # fmt: skip
    found = claims.series_by_place(model_table(), cells.clear(), errors)
    assert list(found[SLOW_PLACE]) == ["Model"]
    found = claims.series_by_place(model_table(), cells, errors)
    assert list(found[SLOW_PLACE]) == ["Model", "ns-2 sack1", "ns-2 linux"]
    claim = claims.claim(model_table(), cells, errors, PARAMETERS["thresholds"], "hstcp-buffers")
    assert "ns-2 sack1: 1 of 2 reproduced, 1 not reproduced" in numbers.claims(claim)


TWO = pl.DataFrame(
    {
        "implementation": ["sack1"] * 3,
        "fraction": [0.1, 0.1, 1.0],
        "jfi": [0.7, 0.8, 0.9],
    }
)


def test_what_two_flows_say_of_the_claim():
    said = numbers.two_flow_verdict(TWO)
    assert said == (
        "it holds with `sack1`: Jain's index is 0.750 at 10 % (n = 2) and 0.900 at 100 % (n = 1)"
    )
    worse = TWO.with_columns(jfi=1 - pl.col("jfi"))
    assert numbers.two_flow_verdict(worse).startswith("it fails with `sack1`")
    assert "no runs of two flows" in numbers.two_flow_verdict(TWO[:2])


def test_phrases_of_a_campaign_that_has_not_begun():
    cells = cell_table(utilisation=0.93).clear()
    assert numbers.slow_senders(cells) == numbers.NO_RUNS
    assert numbers.implementations(cells) == numbers.NO_RUNS
    said = numbers.at_fraction(cells, model_table(), 0.1)
    assert said == "1 Gb/s, DropTail: the model 90.0 %"


def test_cuts_are_set_beside_the_models_p():
    cells = cell_table(cut_rate=1.1e-5, loss_rate=1e-4)
    errors = cells.filter(metric="loss_rate").with_columns(
        reading=pl.lit("taken"), model=pl.lit(9e-6)
    )
    said = numbers.cuts_at(cells, errors, 0.1)
    assert said.startswith("1.1·10⁻⁵ against 9.0·10⁻⁶ (1 Gb/s, DropTail, `sack1`, n = 1); ")
    assert numbers.cuts_at(cells, errors, 0.2) == numbers.NO_RUNS


def test_slow_senders_are_set_beside_fast_ones():
    cells = cell_table(utilisation=0.45)
    slow = cells.filter(implementation="sack1").with_columns(
        implementation=pl.lit("sack1-slow"), mean=pl.lit(0.58)
    )
    assert numbers.slow_senders(pl.concat([cells, slow])) == (
        "45.0 % (n = 1) with fast links and 58.0 % (n = 1) with slow ones, at 10 % "
        "(1 Gb/s, DropTail, `sack1`)"
    )


def test_the_numbers_of_figure_1():
    found = numbers.example({"loss_rate": 1e-5, "rtt_ms": 120})
    assert (found["top"], found["bottom"], found["decrease_pct"]) == ("1,776", "1,243", "30")
    assert found["loss_rate"] == "10⁻⁵"


def test_the_largest_buffer_is_14_percent_of_the_longest_paths_bdp():
    """The paper prints 35 %: 2.5 Gb/s x 142 ms is 44,375 packets of 1 KB."""
    link = numbers.fast(PARAMETERS["links"], PARAMETERS["packet_bytes"])
    assert (link["share_pct"], link["bdp_packets"], link["full_packets"]) == (
        "14", "44,375", "6,250",
    )  # fmt: skip


def texts(tmp_path, chart) -> list[str]:
    save_chart(chart, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg)


def test_utilisation_names_its_links_runs_and_sources(tmp_path):
    cells = cell_table(utilisation=0.93)
    printed = pl.DataFrame({"bottleneck_bps": [1e9], "aqm": ["droptail"], "fraction": [0.1],
                            "value": [0.9]})  # fmt: skip
    curve = model_table().filter(reading="taken")
    found = texts(tmp_path, charts.utilisation_chart(curve, cells, printed, "droptail"))
    for label in ("1 Gb/s, DropTail", "n = 1 a point", "Model", "ns-2 sack1", "ns-2 linux",
                  "Printed", "Utilisation (%)"):  # fmt: skip
        assert label in found
    found = texts(tmp_path, charts.utilisation_chart(curve, cells.clear(), printed, "droptail"))
    assert "no runs" in found and "ns-2 sack1" not in found


def test_loss_rates_of_zero_are_counted_not_drawn(tmp_path):
    cells = cell_table(loss_rate=0.0, cut_rate=1e-5)
    printed = pl.DataFrame({"bottleneck_bps": [1e9], "aqm": ["droptail"], "value": [1e-3]})
    curve = model_table().filter(reading="taken")
    assert "n = 1 a point, 2 without a drop" in texts(
        tmp_path, charts.loss_chart(curve, cells, printed)
    )


def test_figure_1_and_the_response_function_are_drawn(tmp_path):
    found = texts(tmp_path, charts.window_dynamics(1e-5, 0.12))
    assert "Window (packets)" in found
    found = texts(tmp_path, charts.response_function(highspeed.RFC_TABLE))
    assert {"HighSpeed TCP", "standard TCP", "p(w) as printed"} <= set(found)


def test_two_flows_have_a_column_a_run_and_the_queue_up_to_the_buffer(tmp_path):
    runs = pl.DataFrame({"implementation": ["sack1"], "fraction": [0.1], "run_id": ["r"],
                         "k": [250], "rtts": [["RTT 80 ms", "RTT 40 ms"]]})  # fmt: skip
    state = pl.DataFrame({"run_id": ["r"] * 4, "flow_id": [1, 2, 1, 2],
                          "t_end_s": [0.1, 0.1, 0.2, 0.2],
                          "cwnd_packets": [1.0, 2.0, 3.0, 4.0]})  # fmt: skip
    queue = pl.DataFrame({"run_id": ["r"], "t_s": [0.1], "queue_packets": [7.0]})
    found = texts(tmp_path, charts.two_flow_chart(state, queue, runs))
    for label in ("ns-2 sack1, buffer 250 packets", "RTT 80 ms", "RTT 40 ms", "Queue (packets)"):
        assert label in found
