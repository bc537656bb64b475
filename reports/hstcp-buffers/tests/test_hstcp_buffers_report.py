"""hstcp-buffers' report: claims hold and fail where they should; tables, phrases and charts."""

import re

import polars as pl
import pytest
import yaml
from evenflow.charts.base import save_chart
from evenflow.errors import DataError
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from raw_data import ROOT

from .. import charts, design, evaluation, highspeed, messages, metrics, numbers, tables
from ..model import READINGS

FOLDER = ROOT / "reports/hstcp-buffers"
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
SLOW_PLACE = (1e9, "droptail")
FAST_PLACE = (2.5e9, "red")
PUBLISHED = pl.read_csv(FOLDER / "published.csv", infer_schema=False)


def lines_of(table: str) -> list[str]:
    """Return the lines of a pipe table; every space as a plain one."""
    return table.replace(NO_BREAK_SPACE, " ").split("\n")


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
    assert lines[2].endswith("| at least 90.0 % | 90.0 % | 93.0 % (n = 1) | 93.0 % (n = 1) |")
    assert lines[3].endswith("| about 98.0 % | – | – | – |")
    assert lines[4].split(" | ")[3] == "mostly 10⁻³"


def test_phrases_of_a_campaign_that_has_not_begun():
    cells = cell_table(utilisation=0.93).clear()
    assert numbers.red(metrics.red_pair(with_runs(cells)))["n"] == numbers.NO_RUNS
    said = numbers.at_fraction(cells, model_table(), 0.1)
    assert said == {"fast": "–", "model": "90.0"}


def test_utilisation_at_a_buffer_is_a_range_for_each_link():
    cells = cell_table(utilisation=0.93)
    fast = cells.with_columns(bottleneck_bps=pl.lit(2.5e9), mean=pl.Series([0.4, 0.8]))
    curve = model_table().filter(reading="taken")
    both = pl.concat([curve, curve.with_columns(bottleneck_bps=pl.lit(2.5e9))])
    found = numbers.at_fraction(pl.concat([cells, fast]), both, 0.1)
    assert found["fast"] == "40.0 to 80.0"


def test_red_is_set_beside_droptail_in_the_same_cell():
    cells = cell_table(utilisation=0.9)
    red = cells.with_columns(aqm=pl.lit("red"), mean=pl.Series([0.91, 0.87]))
    pairs = metrics.red_pair(with_runs(pl.concat([cells, red])))
    assert pairs["more_points"].round(6).to_list() == [-3.0, 1.0]  # linux, sack1
    assert pairs["runs"].to_list() == [["simulation/droptail", "simulation/red"]] * 2
    found = numbers.red(tagged(pairs, "red_pair"))
    assert (found["median"], found["most"], found["n"]) == ("2.0", "3.0", "2")


def with_runs(cells: pl.DataFrame) -> pl.DataFrame:
    return cells.with_columns(runs=pl.concat_list(pl.format("simulation/{}", "aqm")))


def test_drops_and_cuts_are_set_over_the_models_p():
    cells = cell_table(cut_rate=1.5e-5, loss_rate=1e-4)
    errors = cells.filter(metric="loss_rate").with_columns(
        reading=pl.lit("taken"), model=pl.lit(1e-5)
    )
    line = lines_of(tables.losses(cells, errors))[2]
    assert line == "| ns-2 sack1 | 1 | 10.0 (10.0) | 1.5 (1.5) |"


def test_runs_with_one_thing_changed_stand_in_their_table_and_nowhere_else():
    cells = cell_table(utilisation=0.9)
    assert lines_of(tables.ablation(cells))[2:] == ["| none made yet | – | – | – |"]
    changed = cells.filter(implementation="linux").with_columns(
        implementation=pl.lit("linux+starts"), mean=pl.lit(0.899)
    )
    cells = pl.concat([cells, changed])
    assert design.many_flows(cells)["implementation"].to_list() == ["sack1", "linux"]
    lines = lines_of(tables.ablation(cells))[2:]
    assert lines == ["| linux | start times of the other's runs | 89.9, n = 1 | 90.0, n = 1 |"]


def test_an_estimate_has_its_unit_and_its_interval_or_the_number_of_runs():
    row = {"estimate": 0.477, "low": 0.402, "high": 0.552, "factor": 0.01, "digits": 1}
    row |= {"unit": "%", "n": 3, "n_most": 3, "subject": "sack1"}

    def words(row: dict) -> str:
        schema = dict.fromkeys(("estimate", "low", "high"), pl.Float64)
        table = pl.DataFrame([row], schema_overrides=schema)
        return numbers.estimate_in_words(tagged(table, "claim"))

    assert words(row) == "47.7 % (40.2 to 55.2)"
    one = row | {"low": None, "high": None, "n": 1, "n_most": 1}
    assert words(one) == "47.7 % (n = 1)"
    assert words(one | {"n_most": 3}) == "47.7 % (n = 1 to 3)"
    assert words(one | {"subject": "model", "unit": ""}) == "47.7"
    assert words(one | {"estimate": None}) == "–"


def test_the_numbers_of_figure_1():
    table = evaluation.sawtooth({"loss_rate": 1e-5, "rtt_ms": 120})
    found = numbers.example(tagged(table, "sawtooth"))
    assert (found["top"], found["bottom"], found["decrease_pct"]) == ("1,776", "1,243", "30")
    assert found["loss_rate"] == "10⁻⁵"


def test_the_largest_buffer_is_14_percent_of_the_longest_paths_bdp():
    """The paper prints 35 %: 2.5 Gb/s x 142 ms is 44,375 packets of 1 KB."""
    table = evaluation.link_buffer(PARAMETERS["links"], PARAMETERS["packet_bytes"])
    link = numbers.fast(tagged(table, "link_buffer"))
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
    for label in ("1 Gb/s, DropTail", "n = 1 a point", "Model", "Buffer (% of 12,500 packets)",
                  "ns-2 sack1", "ns-2 linux",
                  "Printed", "Utilisation (%)"):  # fmt: skip
        assert label in found
    found = texts(tmp_path, charts.utilisation_chart(curve, cells.clear(), printed, "droptail"))
    assert "no runs" in found and "ns-2 sack1" not in found


def test_rates_of_zero_are_counted_not_drawn(tmp_path):
    place = {"bottleneck_bps": 1e9, "n_flows": 10, "aqm": "droptail", "fraction": 0.1, "k": 1250}
    rates = pl.DataFrame(
        [
            place | {"implementation": name, "metric": metric, "n": 1, "ratio": ratio}
            for name in ("sack1", "linux")
            for metric, ratio in (("loss_rate", 0.0), ("cut_rate", 1.5))
        ]
    )
    found = texts(tmp_path, charts.loss_chart(rates))
    assert {"1 Gb/s, DropTail", "Drops; 2 without any", "Window cuts", "ns-2 linux"} <= set(found)


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


def link_runs() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Two flows would be too few: three of each implementation at 2.5 Gb/s, 10 %."""
    links, flows, means = [], [], []
    for name, first in (("sack1", 400.0), ("linux", 1400.0)):
        links.append({"run_id": name, "bottleneck_bps": 2.5e9, "n_flows": 3, "aqm": "droptail",
                      "implementation": name, "fraction": 0.1, "jfi": 0.5, "drift": 0.03,
                      "utilisation": 0.9})  # fmt: skip
        for i, mbps in enumerate((first, 100.0, 100.0), 1):
            flows.append({"run_id": name, "flow_id": i, "base_rtt_s": 0.04 * i})
            means.append({"run_id": name, "flow_id": i, "mean_throughput_bps": mbps * 1e6})
    return pl.DataFrame(links), pl.DataFrame(flows), pl.DataFrame(means)


AT = {"bottleneck_mbps": 2500, "fraction": 0.1}


def test_the_flow_of_the_shortest_rtt_has_its_share(tmp_path):
    found = numbers.shares(design.flow_shares(*link_runs(), AT))
    assert found["linux"] == {"mbps": "1400", "others_mbps": "200", "pct": "88", "n": "1"}
    assert found["sack1"]["pct"] == "67"
    lines = lines_of(tables.shares(*link_runs(), AT))
    assert lines[2] == "| DropTail | ns-2 sack1 | 1 | 400 | 67 | 200 | 0.50 | 3 |"
    none = design.flow_shares(*link_runs(), AT | {"fraction": 0.2})
    assert numbers.shares(none)["linux"]["mbps"] == "–"
    assert "no runs" in tables.shares(*link_runs(), AT | {"fraction": 0.2})
    chart = charts.shares_chart(design.flow_shares(*link_runs(), AT))
    assert {"RTT of the flow (ms)", "ns-2 linux"} <= set(texts(tmp_path, chart))


def test_the_warm_up_shows_what_moves(tmp_path):
    rows = [(f"r{i}", start, 0.9 + 0.01 * i * k)
            for i in (1, 2) for k, start in enumerate(("50", "100", "MSER-5"))]  # fmt: skip
    moved = pl.DataFrame(rows, schema=["run_id", "start", "utilisation"], orient="row")
    moved = moved.with_columns(bottleneck_bps=pl.lit(1e9), n_flows=pl.lit(10), aqm=pl.lit("red"))
    kept = pl.DataFrame({"run_id": ["r1", "r2"], "utilisation": [0.91, 0.92]})
    found = texts(tmp_path, charts.warmup_chart(moved, kept))
    assert {"1 Gb/s, 10 flows", "2 runs", "Change (points)", "MSER-5"} <= set(found)


def test_the_topology_names_the_links(tmp_path):
    found = texts(tmp_path, charts.topology_chart(PARAMETERS["links"], [1e10, 1e9]))
    assert {"1 or 2.5 Gb/s", "10 or 1 Gb/s", "R1", "R2"} <= set(found)


def test_completeness_names_places_that_exist():
    """Every reference of completeness.csv is a label of the report."""
    text = (FOLDER / "index.qmd").read_text(encoding="utf-8")
    table = pl.read_csv(FOLDER / "completeness.csv", infer_schema=False)
    assert tables.completeness(table, "hstcp-buffers")
    places = [place for row in table["where"].drop_nulls() for place in row.split("; ")]
    assert len(places) > 10
    assert [p for p in places if f"{{#{p[1:]}" not in text] == []


def test_titles_follow_the_data():
    curve, cells = model_table().filter(reading="taken"), cell_table(utilisation=0.93)
    assert messages.utilisation(curve, cells, "droptail").startswith(
        "DropTail, ns-2 sack1: with a buffer of 10 % the flows use 93.0 % of 1 Gb/s"
    )
    assert messages.utilisation(curve, cells, "red") == messages.NOTHING
    of = design.flow_shares(*link_runs(), AT)
    assert messages.shares(of) == (
        "The flow with the shortest RTT gets 67 % (DropTail) with ns-2 sack1, 88 % (DropTail) with "
        "ns-2 linux"
    )
    rates = pl.DataFrame({"metric": ["loss_rate", "cut_rate"], "ratio": [20.0, 3.0]})
    assert "dropped 20.0 times" in messages.loss(rates)
    assert "windows reduced 3.0 times" in messages.loss(rates)
    assert messages.loss(rates.clear()) == messages.NOTHING


def test_the_title_of_two_flows_names_the_larger_window():
    runs = pl.DataFrame({"run_id": ["r"], "implementation": ["sack1"], "k": [250],
                         "warmup_s": [5.0], "rtts": [["RTT 80 ms", "RTT 40 ms"]]})  # fmt: skip
    state = pl.DataFrame(
        {"run_id": ["r"] * 6, "flow_id": [1, 2] * 3, "t_end_s": [1.0, 1.0, 6.0, 6.0, 7.0, 7.0]}
        | {"cwnd_packets": [90.0, 1.0, 1.0, 3.0, 3.0, 9.0]}  # the first two before the steady state
    )
    assert messages.two_flows(state, runs) == (
        "In the steady state the window of the flow of RTT 40 ms is larger than that of the flow "
        "of RTT 80 ms: 3.0 times with ns-2 sack1 and a buffer of 250 packets"
    )
    assert "than that of the flow of RTT 40 ms" in messages.two_flows(
        state.with_columns(cwnd_packets=10 - pl.col("cwnd_packets")), runs
    )
    assert messages.two_flows(state.filter(flow_id=1), runs) == messages.NOTHING
    assert messages.warmup(pl.Series([0.0, -4.0, 1.0])).endswith(
        "4.0 points at most, 1.00 in the median"
    )
