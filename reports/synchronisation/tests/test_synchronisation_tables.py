"""The points of the report, its closed form, its numbers and tables, on hand-made runs."""

import json
from pathlib import Path

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from hypothesis import given
from hypothesis import strategies as st

from .. import metrics, numbers, theory, words
from .. import tables as report
from .made_runs import (
    FOLDER,
    PARETO_10,
    PARETO_1000,
    a_run,
    ftp,
    points,
    repeats,
    tables,
    udp,
)

COLUMNS = "paper,item,platform,case,quantity,unit,statistic,value,where\n"


def test_a_scenario_is_a_point_with_an_interval_over_its_runs():
    runs = repeats(PARETO_10, [2.0, 2.5, 3.125], "fairness_ratio", n_events=10)
    _, scenarios = points(runs)
    (row,) = scenarios.rows(named=True)
    assert (row["n_runs"], row["n_events"], row["few_events"]) == (3, 30, False)
    assert row["seeds"] == [100, 101, 102]
    # equal factors of 1.25: the geometric mean, and Student's t with 2 degrees of freedom
    assert row["fairness_ratio_12"] == pytest.approx(2.5)
    factor = 1.25 ** (4.302653 / 3**0.5)
    assert row["fairness_ratio_12_high"] == pytest.approx(2.5 * factor)
    assert row["fairness_ratio_12_low"] == pytest.approx(2.5 / factor)


def test_a_scenario_of_few_events_is_marked_and_one_of_a_single_run_has_no_interval():
    _, scenarios = points([a_run(ftp(1), n_events=19), a_run(ftp(2), n_events=20)])
    assert scenarios["few_events"].to_list() == [True, False]
    assert scenarios["fairness_ratio_12_low"].to_list() == [None, None]
    text = report.scenarios(scenarios)
    assert "| 19† |" in text and "| 20 |" in text


def test_the_time_above_is_that_of_the_whole_run_over_its_events():
    # 100 of 280,000 bins are full: 0.5 s of 1400 s; over 25 events
    by_run, _ = points([a_run(PARETO_10)])
    assert by_run["time_full_s"].to_list() == pytest.approx([0.5 / 25])


@pytest.mark.parametrize(
    ("factors", "label"),
    [
        (PARETO_10, "10 × 10 Mb/s"),
        (udp(25.0), "8000 × 25 kb/s"),
        (ftp(3), "FTP3"),
        ({"background": "ftp", "load": "ftp-2-printed"}, "FTP2 (printed)"),
        ({"background": "http", "load": "http-1"}, "HTTP1"),
        ({"background": "none", "load": "none"}, "none"),
    ],
)
def test_background_in_words(factors, label):
    assert points([a_run(factors)])[1]["label"].to_list() == [label]


def test_scenarios_stand_in_the_order_of_the_paper():
    runs = [
        a_run(udp(25.0), variant="scalable"),
        a_run(ftp(1)),
        a_run(udp(5000.0)),
        a_run(udp(25.0)),
        a_run(udp(25.0), aqm="red"),
    ]
    _, scenarios = points(runs)
    assert [words.scenario_name(row) for row in scenarios.rows(named=True)] == [
        "SACK, DropTail, Exponential 8000 × 25 kb/s",
        "SACK, DropTail, Exponential 40 × 5 Mb/s",
        "SACK, DropTail, FTP1",
        "SACK, adaptive RED, Exponential 8000 × 25 kb/s",
        "Scalable, DropTail, Exponential 8000 × 25 kb/s",
    ]


def test_runs_of_another_kind_have_no_place_and_a_data_set_of_them_only_is_refused():
    run = tables([a_run(PARETO_10), a_run(ftp(1))])["run"]
    other = run.with_columns(factors=pl.lit(json.dumps({"router_model": "router"})))
    metrics.check_runs(run)
    with pytest.raises(DataError) as error:
        metrics.check_runs(other)
    assert error.value.problem.startswith("mine cannot be the simulation of synchronisation")
    assert "background" in error.value.remedy


@given(
    rtts=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)),
    period=st.floats(1, 100),
    periods=st.integers(1, 5),
)
def test_synchronised_windows_give_the_square_of_the_rtt_ratio(rtts, period, periods):
    windows = theory.saw_teeth(list(rtts), period, periods)
    throughput = []
    for flow, rtt_s in enumerate(rtts, 1):
        teeth = windows.filter(flow=flow)
        assert teeth["window_packets"].min() == pytest.approx(teeth["window_packets"].max() / 2)
        # straight lines: the mean of a tooth is that of its ends
        mean = teeth["window_packets"][0:2].mean()
        assert teeth["window_packets"][1] - teeth["window_packets"][0] == pytest.approx(
            period / rtt_s  # a packet a round trip
        )
        throughput.append(mean / rtt_s)
    ratio = rtts[1] / rtts[0]
    assert throughput[0] / throughput[1] == pytest.approx(
        theory.fairness_by_theory(ratio)["synchronised"]
    )


@given(rtts=st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)))
def test_the_ratio_of_two_saw_teeth_is_the_square_of_their_rtts(rtts):
    ratio = theory.throughput_ratio(theory.saw_teeth(list(rtts), 10.0, 3))
    assert ratio == pytest.approx((rtts[1] / rtts[0]) ** 2)


def rates(by_run: dict[str, list[tuple[float, float]]]) -> pl.DataFrame:
    """Samples of flows 1 and 2, a second each: run -> bit/s of both in each second."""
    rows = [
        (run_id, flow, float(t), t + 1.0, int(bps / 8), float(bps))
        for run_id, seconds in by_run.items()
        for t, pair in enumerate(seconds)
        for flow, bps in enumerate(pair, 1)
    ]
    names = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "throughput_bps"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_a_ratio_is_of_what_was_carried_in_the_window():
    samples = rates({"a": [(8e6, 80e6)] * 10 + [(80e6, 8e6)] * 10})
    windows = pl.DataFrame({"run_id": ["a"], "warmup_s": [0.0], "end_s": [20.0]})

    def ratio(**columns):
        found = metrics.ratio_between(samples, windows.with_columns(**columns))
        return found["fairness_ratio_12"].to_list()

    assert ratio() == [1.0]
    assert ratio(warmup_s=pl.lit(11.0)) == [10.0]  # t_end_s of 11 s and more
    assert ratio(end_s=pl.lit(10.0)) == [0.1]
    starved = rates({"a": [(8e6, 0.0)] * 5})
    assert metrics.ratio_between(starved, windows)["fairness_ratio_12"].to_list() == [None]


def test_cutoffs_and_averages_are_of_the_runs_themselves():
    """Scalable twice: flow 2 leads for 50 s, then flow 1, by a factor of 10 and of 40."""
    factors = udp(5000.0)
    runs = [a_run(factors, variant="scalable", repeat=r) for r in (1, 2)]
    found = tables(runs)
    by_run, _ = points(runs)
    ids = by_run["run_id"].to_list()
    samples = rates(
        {
            run_id: [(8e6, 80e6)] * 50 + [(factor * 8e6, 8e6)] * 150
            for run_id, factor in zip(ids, (10, 40), strict=True)
        }
    )
    flow = pl.DataFrame(
        [
            {"run_id": run_id, "flow_id": i, "start_s": float(i), "side": "foreground"}
            for run_id in ids
            for i in (1, 2)
        ]
    )
    window = pl.DataFrame({"run_id": ids, "warmup_s": 100.0, "end_s": 200.0})
    table = metrics.cutoff(samples.lazy(), flow, window, by_run, [51, 100])
    assert table.filter(cutoff_s=51)["fairness_ratio_12"].to_list() == [10.0, 40.0]
    assert table["mser5_s"].min() >= 50
    means = metrics.cutoff_mean(table, 0.95)
    assert means["fairness_ratio_12"].to_list() == pytest.approx([20.0, 20.0])
    assert [len(of) for of in means["runs"]] == [2, 2]
    (line,) = report.cutoffs(means).split("\n")[2:]
    assert line.startswith("| Scalable, DropTail, Exponential 40 × 5") and " | 2 | 20.0 (" in line
    linux = found["run"].with_columns(
        run_id=pl.concat_str(pl.lit("linux-"), "run_id"),
        factors=pl.lit(json.dumps({**factors, "implementation": "linux"})),
    )
    assert (
        metrics.placed_run(*(pl.concat([found["run"], linux]), *list(found.values())[1:4]))[
            "run_id"
        ].to_list()
        == ids
    )  # Linux's senders are no scenarios of the original
    both = [pl.concat([t, t.with_columns(run_id=pl.concat_str(pl.lit("linux-"), "run_id"))])
            for t in (samples, flow)]  # fmt: skip
    average = metrics.average(
        both[0].lazy(), both[1], pl.concat([found["run"], linux]), [[0, 50], [100, 200]]
    )
    assert average["implementation"].to_list() == ["ns2"] * 4 + ["linux"] * 4
    assert average["lead_s"].unique().to_list() == [1.0]
    mean = metrics.average_mean(average, 0.95)
    ids = average.filter(implementation="ns2")["run_id"].unique().sort()
    assert mean.filter(implementation="ns2")["runs"][0].to_list() == [
        f"simulation/{i}" for i in ids
    ]
    said = numbers.averages(tagged(average, "average"), tagged(mean, "average_mean"))
    assert said["own"].startswith("20.0 (") and said["linux"].startswith("20.0 (")
    assert (said["early"], said["n"], said["first_s"]) == ("0.10", "2", "50")
    last = report.averages(average, 0.95).split("\n")[-1].replace(NO_BREAK_SPACE, " ")
    assert last.startswith("| Linux's Scalable, 5 Mb/s | mean | – | 0.10 | 20.0 (")


def published(text: str) -> pl.DataFrame:
    """published.csv as a function that names it gets it."""
    return pl.read_csv(text.encode(), infer_schema=False)


def test_printed_values_stand_next_to_ours():
    row = "synchronisation,{},ns2,{},{},1,mean,{},Section II\n"
    table = published(
        COLUMNS
        + row.format("fig1a", "bursty-10-sources", "fairness_ratio", "2.50")
        + row.format("fig1b", "smooth-1000-sources", "fairness_ratio", "2.0")
        + row.format("fig1", "flow1-flow2", "rtt_ratio", "1.53")
    )
    _, scenarios = points(repeats(PARETO_10, [2.25, 2.35], "fairness_ratio"))
    found = metrics.printed(table, scenarios)
    assert found["measured"].to_list() == pytest.approx([(2.25 * 2.35) ** 0.5, None, 130 / 85])
    assert found["n_runs"].to_list()[0] == 2
    lines = report.published(found).split("\n")[2:]
    # t(1) = 12.706 times half the logarithm of 2.35 / 2.25
    assert "| 2.50 | 2.30 (1.74 to 3.03) | 2 |" in lines[0]
    assert lines[1].endswith("| 2.0 | – | 0 |")


def test_an_unknown_case_of_published_csv_is_refused():
    known = "synchronisation,fig1a,ns2,bursty-10-sources,bpdd,1,mean,2,Section II\n"
    table = published(COLUMNS + known + known.replace("bursty-10-sources", "many"))
    with pytest.raises(DataError, match="'many'") as error:
        metrics.check_published(table)
    assert (Path(error.value.path).name, error.value.line) == ("published.csv", 3)


def test_the_printed_values_of_the_paper_all_have_a_scenario():
    table = published((FOLDER / "published.csv").read_text(encoding="utf-8"))
    metrics.check_published(table)
    assert len(table) == 15


def test_nothing_is_said_of_what_there_is_not():
    _, scenarios = points([a_run(ftp(1), n_events=0, bpdd=0.0)])
    about = numbers.case(scenarios)
    assert about["bursty"] == {"flows_losing": "–", "time_full_s": "–"}
    assert "no scenario has repeats" in report.intervals(scenarios)


def test_facts_are_those_of_the_runs():
    runs = [a_run(PARETO_10), a_run(PARETO_1000), a_run(ftp(1))]
    by_run, _ = points(runs)
    flow = pl.DataFrame(
        [
            {"run_id": run_id, "flow_id": i, "base_rtt_s": rtt_s, "mss_bytes": 960}
            for run_id in by_run["run_id"]
            for i, rtt_s in enumerate((0.045, 0.09), 1)
        ]
    )
    facts = words.facts(tables(runs)["run"], flow, by_run, {"licence": "CC0"})
    assert facts["rtts"].startswith("45, 90 ms")
    assert facts["udp"] == "100 to 10000 kb/s a source, 50 Mb/s"
    assert (facts["ftp"], facts["http"], facts["licence"]) == ("FTP1", "none", "CC0")


def test_an_estimate_has_a_digit_less_for_each_power_of_ten():
    row = {"estimate": 48.62, "low": 39.27, "high": 60.2, "factor": 1.0, "digits": 2}
    assert words.estimate_in_words(row) == "48.6 (39.3 to 60.2)"
    assert words.estimate_in_words(row | {"low": None, "factor": 10.0}) == "4.86"
    assert words.estimate_in_words(row | {"estimate": None}) == "–"
