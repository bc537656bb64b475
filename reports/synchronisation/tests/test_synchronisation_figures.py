"""Figures of the report: what a reader sees of hand-made scenarios."""

import json
import re

import polars as pl
import pytest
from evenflow.charts.base import NO_RUN, save_chart
from evenflow.charts.panels import spec_of

from .. import event_figure, messages
from .. import figures as charts
from ..controls import CHANGES
from ..design import SCENARIO
from ..theory import saw_teeth
from .made_runs import (
    PARETO_10,
    a_run,
    controls,
    ftp,
    no_waits,
    none,
    of_linux,
    points,
    repeats,
    udp,
)


def words(chart, tmp_path) -> str:
    """The texts of a drawn chart."""
    save_chart(chart, tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    return " | ".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg))


def datasets(chart) -> list[list[dict]]:
    return list(spec_of(chart)["datasets"].values())


SOME = [
    *repeats(PARETO_10, [2.4, 2.5, 2.6], "fairness_ratio", bpdd=200.0),
    a_run(ftp(1), n_events=5),
    a_run(udp(25.0), fairness_ratio=1.8),
    a_run(udp(25.0), variant="highspeed", fairness_ratio=6.0),
    a_run(udp(5000.0), variant="highspeed", aqm="red", fairness_ratio=1.6),
]


@pytest.mark.parametrize("x", charts.AXES)
def test_only_sack_under_droptail_is_set_against_burstiness(x, tmp_path):
    _, scenarios = points(SOME)
    chart = charts.against_fairness(scenarios, x)
    drawn = {row["scenario_id"] for rows in datasets(chart) for row in rows if "variant" in row}
    assert len(drawn) == 3 and all(name.startswith("sack/droptail/") for name in drawn)
    text = words(chart, tmp_path)
    for name in ("Pareto", "FTP", "Exponential", "RTT ratio", "RTT ratio squared", charts.AXES[x]):
        assert name in text
    assert "HTTP" not in text


def test_p_is_drawn_in_percent_and_theory_at_the_measured_rtt_ratio():
    _, scenarios = points([a_run(ftp(1), p=0.75, rtt_ratio=1.5)])
    rows = [row for rows in datasets(charts.against_fairness(scenarios, "p")) for row in rows]
    assert {row["p"] for row in rows if "p" in row} == {75}
    drawn = json.dumps(spec_of(charts.against_fairness(scenarios, "p")))
    assert '"domain": [70.0, 101]' in drawn and '"zero": false' in drawn  # no share above 100 %
    bands = {row["law"]: (row["low"], row["high"]) for row in rows if "law" in row}
    assert set(bands) == {"RTT ratio", "RTT ratio squared"}
    for law, value in (("RTT ratio", 1.5), ("RTT ratio squared", 2.25)):
        assert bands[law] == pytest.approx((value / 1.005, value * 1.005))


def test_the_variants_of_one_queue_have_the_lines_of_theory(tmp_path):
    _, scenarios = points(SOME)
    text = words(charts.variants_chart(scenarios, "droptail"), tmp_path)
    for name in ("SACK", "HighSpeed", "RTT ratio", "RTT ratio squared", "25"):
        assert name in text
    # HSTCP's law lies at (130 / 85)^4.56 = 6.94: drawn where the data reach it
    assert "RTT ratio to the power 4.56 (HSTCP)" not in text
    _, more = points([*SOME, a_run(udp(5000.0), variant="highspeed", fairness_ratio=9.0)])
    text = words(charts.variants_chart(more, "droptail"), tmp_path)
    assert "RTT ratio to the power 4.56 (HSTCP)" in text
    drawn = datasets(charts.variants_chart(scenarios, "red"))
    assert {row["variant"] for rows in drawn for row in rows if "variant" in row} == {"highspeed"}


def test_every_scenario_has_its_exponent(tmp_path):
    _, scenarios = points(SOME)
    text = words(charts.exponents(scenarios), tmp_path)
    for name in ("SACK, DropTail", "HighSpeed, adaptive RED", "Pareto 10 × 10 Mb/s", "FTP1"):
        assert name in text


def test_a_figure_without_a_run_says_so(tmp_path):
    _, scenarios = points([a_run(ftp(1), variant="scalable", aqm="red")])
    empty = [
        charts.against_fairness(scenarios, "bpdd"),
        charts.variants_chart(scenarios, "droptail"),
        event_figure.events_chart([]),
    ]
    for chart in empty:
        assert charts.NO_RUN in words(chart, tmp_path)


def test_figure_3_is_a_saw_tooth_a_flow(tmp_path):
    windows = saw_teeth([0.045, 0.09], 10.0, 2)
    text = words(charts.windows_chart(windows), tmp_path)
    assert "flow 1, RTT 45 ms" in text and "flow 2, RTT 90 ms" in text


def test_every_point_with_repeats_has_a_whisker_also_where_its_runs_differ_by_factors():
    runs = repeats(udp(5000.0), [30.0, 140.0, 160.0], "fairness_ratio", variant="scalable")
    _, scenarios = points(runs)
    (row,) = (
        row
        for rows in datasets(charts.variants_chart(scenarios, "droptail"))
        for row in rows
        if "variant" in row
    )
    assert 0 < row["fairness_ratio_12_low"] < 30 and row["fairness_ratio_12_high"] > 160


def test_the_start_of_the_steady_state_is_drawn_by_rate_and_variant(tmp_path):
    rows = [
        {
            **dict.fromkeys(SCENARIO),
            "aqm": "droptail",
            "background": "exponential",
            "variant": variant,
            "source_kbps": kbps,
            "cutoff_s": start,
            "fairness_ratio_12": 3.0,
            "fairness_ratio_12_low": 2.0,
            "fairness_ratio_12_high": 4.5,
        }
        for variant in ("sack", "scalable")
        for kbps in (25.0, 5000.0)
        for start in (100.0, 200.0)
    ]
    text = words(charts.cutoffs(pl.DataFrame(rows)), tmp_path)
    for name in ("Sources of 25 kb/s", "Sources of 5 Mb/s", "SACK", "Scalable", "Steady state"):
        assert name in text
    assert charts.NO_RUN in words(charts.cutoffs(pl.DataFrame(rows).clear()), tmp_path)


EVENTS = pl.DataFrame(
    {
        "event": [1, 2, 3, 4],
        "t_start_s": [101.0, 150.0, 200.0, 250.0],
        "t_end_s": [101.1, 150.1, 200.1, 250.1],
        "losses": [30, 10, 30, 90],
        "foreground_losses": [30, 10, 30, 90],
    }
)
BINS = pl.DataFrame(
    {
        "t_start_s": [100 + i / 10 for i in range(2000)],
        "t_end_s": [100.1 + i / 10 for i in range(2000)],
        "queue_packets": [2000] * 2000,
        "dropped_packets": [1] * 2000,
    }
)


def test_figure_1_shows_the_median_event_whose_surroundings_are_logged():
    # the first event has 30 losses too, but begins within a second of the log
    assert event_figure.event_to_show(EVENTS, BINS)["event"] == 3
    assert event_figure.event_to_show(EVENTS, BINS[:0]) is None
    assert event_figure.event_to_show(EVENTS[:1], BINS) is None


def test_figure_1_names_the_flows_and_the_background(tmp_path):
    event = event_figure.event_to_show(EVENTS, BINS)
    samples = pl.DataFrame({"flow_id": [1, 2], "t_end_s": [199.0, 200.0], "cwnd_bytes": [9600] * 2})
    drops = pl.DataFrame({"t_s": [200.0, 200.05, 200.1], "flow_id": [1, 100, None]})
    column = event_figure.event_column("Bursty", event, BINS, samples, drops, 2437.5, 960)
    chart = event_figure.events_chart([column])
    text = words(chart, tmp_path)
    for name in ("Bursty", "flow 1", "flow 2", "background", "Queue (packets)", "Losses in 100 ms"):
        assert name in text
    assert "flow 100" not in text
    lost = [rows for rows in datasets(chart) if rows and set(rows[0]) == {"t_s", "name"}]
    assert json.dumps(lost).count("background") == 2


def test_the_exponents_are_drawn_by_queue_and_rate_with_their_values(tmp_path):
    runs = [
        a_run(udp(kbps), variant=variant, aqm=aqm, repeat=i, beta=beta + 0.01 * i)
        for kbps in (25.0, 5000.0)
        for variant, aqm, beta in (("sack", "droptail", 2.0), ("scalable", "red", 0.9))
        for i in (1, 2, 3)
    ]
    drawn = words(charts.exponents_by_queue(points(runs)[1], pl.DataFrame(), {}), tmp_path).split(
        " | "
    )
    assert {"Sources of 5 Mb/s", "Sources of 25 kb/s", "DropTail", "2.0", "0.9"} <= set(drawn)
    nothing = points(runs)[1].filter(variant="none")
    assert NO_RUN in words(charts.exponents_by_queue(nothing, pl.DataFrame(), {}), tmp_path)


def test_exponents_with_one_thing_changed_have_a_row_a_change_and_a_panel_a_variant(tmp_path):
    runs = [
        a_run(factors, variant=variant)
        for variant in ("sack", "highspeed", "scalable")
        for factors in (udp(5000.0), none(), no_waits(5000.0), of_linux(udp(5000.0)))
    ]
    scenarios, control = points(runs)[1], controls(runs)[1]
    drawn = words(charts.exponents_changed(scenarios, control, pl.DataFrame(), {}), tmp_path)
    assert {*CHANGES.values(), "HighSpeed", "Scalable"} <= set(drawn.split(" | "))
    assert "SACK" not in drawn
    nothing = charts.exponents_changed(scenarios[:0], control[:0], pl.DataFrame(), {})
    assert NO_RUN in words(nothing, tmp_path)


def test_titles_follow_the_data():
    _, scenarios = points(SOME)
    said = messages.variants(scenarios, "droptail")
    assert said.endswith("with DropTail and sources of 25 kb/s: SACK 1.8, HighSpeed 6")
    fastest = [a_run(udp(10000.0)), *(a_run(udp(5000.0), variant=v) for v in ("sack", "scalable"))]
    said = messages.variants(points(fastest)[1], "droptail")
    assert said.endswith("sources of 5 Mb/s: SACK 2, Scalable 2")  # not that which SACK alone has
    rows = [a_run(ftp(i), fairness_ratio=2.0 + i, bpdd=10.0 * i * i) for i in (1, 2, 3)]
    _, rising = points(rows)
    assert "correlation of 1.00" in messages.against_fairness(rising, "bpdd")
    falling = rising.with_columns(bpdd=1 / pl.col("bpdd"))
    assert "correlation of −1.00" in messages.against_fairness(falling, "bpdd")
    assert messages.against_fairness(rising.head(2), "bpdd") == messages.NOTHING
    same = rising.with_columns(bpdd=pl.lit(7.0))
    assert messages.against_fairness(same, "bpdd").startswith("No correlation: 3 scenarios")


def test_the_title_of_the_starts_names_what_moves_most():
    rows = [("sack", 25.0, 100.0, 2.0), ("sack", 25.0, 200.0, 2.2), ("sack", 25.0, 250.0, 2.2)]
    rows += [("scalable", 5000.0, s, v) for s, v in ((100.0, 50.0), (200.0, 100.0), (250.0, 110.0))]
    names = ["variant", "source_kbps", "cutoff_s", "fairness_ratio_12"]
    assert messages.cutoffs(pl.DataFrame(rows, schema=names, orient="row")) == (
        "Between starts of 100 and 250 s FR moves by a factor of 2.20 at most (Scalable, 5 Mb/s), "
        "from 200 s on by 1.10"
    )


def test_losses_in_step_cost_the_square_of_the_rtt_ratio():
    said = messages.windows(saw_teeth([0.05, 0.15], 10.0, 3))
    assert "3 times the RTT costs a factor of 9 in throughput" in said
    assert said.endswith("to the power 2")


def test_the_title_of_the_events_says_what_each_did():
    bursty = {"foreground_flows_losing": 4, "time_above_s": 0.31}
    smooth = {"foreground_flows_losing": 3, "time_above_s": None}
    assert messages.events([("Bursty: 10 sources", bursty), ("Smooth: 1000 sources", smooth)]) == (
        "In the events shown, 4 flows lose packets and the queue is nearly full for 0.31 s with "
        "10 sources; 3 flows lose packets with 1000 sources"
    )
    assert messages.events([]) == messages.NOTHING
