"""The page of a data set, whatever the data set has or lacks."""

import base64
import hashlib
import re

import polars as pl
import pytest
from evenflow.charts.theme import VARIANTS
from evenflow.checks import finding_table
from evenflow.checks.finding import FINDING
from evenflow.ingest.entities import DEFAULT, GUESS, JOINED, LOGS_SAY, WHAT, Assumption
from evenflow.ingest.shares import ASSUMPTION
from evenflow.metrics.over_time import OF_SERIES, points_table
from evenflow.metrics.windows import in_window
from evenflow.pages.dataset.answer import index_words
from evenflow.pages.dataset.found import MAX_EXAMPLES, findings, run_link
from evenflow.pages.dataset.merging import merged_yaml
from evenflow.pages.dataset.offers import Offers, blocks
from evenflow.pages.dataset.palette import contrast, palette
from evenflow.pages.dataset.parts import size_in_words
from evenflow.pages.dataset.subject import Run, distinct, flow_names, rate, subject
from evenflow.pages.dataset.taken import taken_as
from hostile_pipeline import make_page
from made_pages import (
    TWO,
    data_set,
    derived,
    grid_settings,
    numbered,
    page_of,
    rendered,
)
from raw_data import ROOT, make_dataset
from rendered_page import Page
from small_logs import iperf2


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (0.946, "0.946"),  # unfair, beside '0.95 and more fair'
        (0.94996, "0.94996"),
        (0.95, "0.95"),
        (0.9512, "0.95"),
        (0.9449, "0.94"),
        (1 - 1e-9, "1.00"),
        (0.5, "0.50"),
    ],
)
def test_an_index_is_printed_on_its_side_of_what_counts_as_fair(index, words):
    assert index_words(index, 0.95) == words


def test_a_mix_of_flows_that_a_factor_tells_is_not_named_beside_it(tmp_path):
    """Two mixes, of TCP and of UDP, and a factor with these values: 4 settings, not 8."""
    _, html = make_page(ROOT / "tests/fixtures/strangers/port-met-again", tmp_path)
    assert "4 settings (m (10, 20) × name2 (tcp, udp))" in Page(html).text


def test_a_full_grid_is_answered_by_pair(tmp_path):
    scenarios = {f"x_{r}_{b}": TWO for r in (25, 100) for b in (20, 40, 60, 80)}
    for cca, _, _ in TWO:
        for r in (25, 100):
            scenarios |= {f"c{cca}_{r}_{b}": [(cca, 20, 0), (cca, 20, 0)] for b in (20, 60)}
    tables = data_set(scenarios, **grid_settings())
    page = rendered(tables, tmp_path / "d", {"title": "T", "source": "we", "licence": "CC0-1.0"})
    assert "32 runs of 2 flows: 16 settings (3 mixes of flows" in page.text
    assert "Fair in 8 of 16 settings. Least fair: NewReno – BIC, where BIC gets 73 %" in page.text
    assert (
        "on average over 8 settings" in page.text
        and "this page calls 0.95 and more fair" in page.text
    )
    assert "2026-11-20" in page.text and "kernel 6.12" in page.text and "CC0-1.0" in page.text
    hrefs = [target for _, target in page.links]
    assert "tables/cell.csv" in hrefs and "tables/sample.parquet" in hrefs
    assert [axis["label"] for axis in page.data["now"]["axes"]] == ["Buffer (% of BDP)", "RTT (ms)"]


def test_the_numbers_of_the_page_are_those_of_the_tables(tmp_path):
    tables = data_set({"a": TWO}, bottleneck_bps=100e6)
    page = rendered(tables, tmp_path / "d")
    jfi = tables["cell"].filter(metric="jfi").row(0, named=True)
    assert f"Jain's index {jfi['mean']:.2f}" in page.text
    cell = page.data["late"]["cells"]["jfi"][0]
    assert cell == pytest.approx([jfi["mean"], jfi["ci_low"], jfi["ci_high"]], abs=1e-5)
    of_runs = dict(tables["run_metric"].select("run_id", "jfi").rows())
    late = page.data["late"]
    for run, value in zip(late["ids"], late["metrics"]["jfi"], strict=True):
        assert value == pytest.approx(of_runs[run], abs=1e-5)
    means = tables["flow_metric"].filter(run_id=late["ids"][0]).sort("flow_id")
    wanted = (means["mean_throughput_bps"] / 1e6).to_list()
    assert late["x"][0] == pytest.approx(wanted, abs=1e-3)
    shares = [100 * x[1] / sum(x) for x in late["x"]]
    assert f"BIC gets {sum(shares) / 2:.0f} %" in page.text


def test_the_throughput_over_time_is_that_of_the_samples(tmp_path):
    tables = data_set({"a": TWO, "b": [("bic", 50, 3)]}, seconds=10)
    data = rendered(tables, tmp_path / "d").data
    late, points, begin = data["late"], data["points"], 0
    for run, (flows, n, step, top) in zip(late["ids"], late["heads"], strict=True):
        samples = tables["sample"].filter(run_id=run).sort("flow_id", "t_start_s")
        assert top == pytest.approx(samples["throughput_bps"].max() / 1e6, abs=1e-3) and step == 1
        drawn = {}
        for flow in range(flows):
            for at in range(n):
                byte = points[begin + flow * n + at]
                if byte < 255:
                    drawn[flow + 1, at] = byte / 254 * top
        begin += flows * n
        wanted = {
            (flow, round(start)): rate / 1e6
            for flow, start, rate in samples.select("flow_id", "t_start_s", "throughput_bps").rows()
        }
        assert drawn == pytest.approx(wanted, abs=0.002 * top)
    assert begin == len(points)


def test_long_flows_are_averaged_over_time_without_losing_bytes(tmp_path):
    tables = data_set({"a": [("bic", 10, 0)]}, repeats=1, seconds=1001)
    data = rendered(tables, tmp_path / "d").data
    flows, n, step, top = data["late"]["heads"][0]
    assert flows == 1 and n <= 300 * 1.1 and step == int(step) > 1
    known = [byte / 254 * top for byte in data["points"] if byte < 255]
    mean = tables["sample"]["throughput_bps"].mean() / 1e6
    assert sum(known) / len(known) == pytest.approx(mean, rel=0.005)


def test_samples_in_parts_give_the_same_points():
    tables = data_set({"a": TWO, "b": TWO})
    samples, flow = tables["sample"].select(OF_SERIES), tables["flow"]
    whole = points_table([samples], flow, 300)
    assert len(whole) == len(tables["run"])
    parts = [part.clone() for part in samples.partition_by("run_id")]
    assert points_table(parts, flow, 300).equals(whole)
    of_runs = [points_table([part], flow.filter(run_id=part["run_id"][0]), 300) for part in parts]
    assert pl.concat(of_runs).equals(whole)


def test_a_run_without_samples_has_no_points_and_a_flow_without_any_is_drawn_as_none(tmp_path):
    tables = data_set({"a": TWO}, repeats=2)
    one, two = tables["run"]["run_id"]
    silent = (pl.col("run_id") == one) | (pl.col("flow_id") == 2)
    tables["sample"] = tables["sample"].filter(~silent)
    data = rendered(tables, tmp_path / "d").data
    late = data["late"]
    heads = dict(zip(late["ids"], late["heads"], strict=True))
    assert heads[one] == 0 and heads[two][0] == 2
    n = heads[two][1]
    assert set(data["points"][n:]) == {255} and len(data["points"]) == 2 * n


def test_nothing_known_but_the_logs(tmp_path):
    page = rendered(data_set({"a": [(None, 10, 0), (None, 20, 0)]}, repeats=1), tmp_path / "d")
    for line in ("bottleneck_mbps", "rtt_ms", "buffer_pct", "cca: cubic", "{repeat}", "licence"):
        assert line in page.text
    assert "steady_state: {warmup_s: 2}" in page.text and "# steady_state" not in page.text
    assert "congestion control not known" in page.text and "link not known" in page.text
    assert "Unfair: flow 2 gets 66 % where 50 % would be equal" in page.text
    assert page.data["now"]["axes"] == []


def assumption_table(rows) -> pl.DataFrame:
    """Return the table `assumption` of what, value, because, yaml, and more as in Assumption."""
    return pl.DataFrame([Assumption(*row) for row in rows], schema=ASSUMPTION, orient="row")


def certainties(page) -> list[str]:
    """Return how sure the lines of the first screen are."""
    lines = page.html.partition('<ul class="taken"')[2].partition("</ul>")[0]
    return re.findall(r'class="sure [a-z-]+">([^<]+)<', lines)


def test_how_sure_a_line_is_is_what_the_code_that_decided_it_says(tmp_path):
    tables = data_set({"a": TWO})
    rows = [
        ("title", "d", "the folder's name", 'title: "d"', GUESS, WHAT),
        ("platform", "testbed", "the formats of the logs", "platform: testbed", LOGS_SAY, WHAT),
        ("rtt_ms", "unknown", "no name says it", "# defaults: {rtt_ms: 40}", DEFAULT, WHAT),
        ("runs", "2, by their names", "they look alike", "runs: runs.csv", GUESS, JOINED),
        ("dates", "2", "logs have them", "", LOGS_SAY, JOINED),
    ]
    tables["assumption"] = assumption_table(rows)
    page = rendered(tables, tmp_path / "d")
    assert certainties(page) == ["from logs", "a guess", "default"]
    assert "By their names: they look alike. 2: logs have them." in page.text
    said = {"files": [], "steady_state": {"warmup_s": 2}}
    tables["assumption"] = tables["assumption"].clear()
    tables["window"] = tables["window"].with_columns(warmup_from=pl.lit("dataset.yml"))
    assert certainties(rendered(tables, tmp_path / "d", said)) == ["given", "given"]


def test_a_page_with_a_guess_is_never_green(tmp_path):
    tables = data_set({"a": TWO}, seconds=200)
    tables["finding"] = tables["finding"].clear()
    page = rendered(tables, tmp_path / "d")
    assert "Nothing speaks against these numbers" in page.text and "checks passed" in page.text
    assert 'class="chip fine"' in page.html and 'class="box ok"' in page.html
    rows = [("runs", "2", "they look alike", "", GUESS, JOINED)]
    tables["assumption"] = assumption_table(rows)
    page = rendered(tables, tmp_path / "d")
    assert "checks passed, 1 guess" in page.text and "1 line above is a guess" in page.text
    assert "chip fine" not in page.html and "box ok" not in page.html


def test_what_is_missing_is_said_and_what_is_assumed_is_not_missing(tmp_path):
    tables = data_set({"a": TWO})
    rows = [
        ("title", "d", "the folder's name", 'title: "d"'),
        ("platform", "testbed", "the formats of the logs", "platform: testbed"),
        ("rtt_ms", "unknown", "no name and no log says it", "# defaults: {rtt_ms: 40}"),
    ]
    tables["assumption"] = assumption_table(rows)
    page = rendered(tables, tmp_path / "d")
    assert "testbed (assumed)" in page.text
    assert "title of the data set" not in page.text and "licence of the data set" in page.text
    assert "platform: testbed" in page.text and "# defaults: {rtt_ms: 40}" in page.text
    assert "iperf2" in page.text  # the tool, from the format of the logs


def finding_of(runs, check="clock jump", severity="warning", message="it jumps") -> pl.DataFrame:
    rows = [(check, severity, run, 1, None, None, message, "look", None) for run in runs]
    return pl.DataFrame(rows, schema=FINDING, orient="row")


def test_why_a_word_in_names_is_not_taken_is_said(tmp_path):
    logs = {f"cubic_vs_reno_40Mb_halfbdp_flow{n}.txt": iperf2() for n in (1, 2)}
    _, html = make_page(make_dataset(tmp_path, logs, ""), tmp_path / "out")
    for said in ("names have '40Mb', a form that is not taken", "names have 'halfbdp'"):
        assert said in Page(html).text


def test_a_warning_says_what_the_index_would_be_over_the_same_settings(tmp_path):
    tables = data_set({"a": TWO, "b": [("bic", 10, 0), ("bic", 10, 0)]}, repeats=3)
    jfi = pl.when(pl.col("run_id") == "a/r1").then(0.6).otherwise(0.9)
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=jfi)
    tables["finding"] = finding_of(["a/r1", "b/r1", "b/r2", "b/r3"])
    page = rendered(tables, tmp_path / "d")
    assert "Clock jump: 4 of 6 runs." in page.text
    words = "Without them Jain’s index of NewReno – BIC is 0.90, not 0.80, over the same settings"
    assert f"{words}; 1 setting would have no run left." in page.text
    # 0.946 is not fair, and is not said to be 0.95
    near = pl.when(pl.col("run_id") == "a/r1").then(0.87).otherwise(0.946)
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=near)
    page = rendered(tables, tmp_path / "d")
    assert "Jain’s index of NewReno – BIC is 0.946, not 0.92, over" in page.text
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=jfi)
    tables["finding"] = finding_of(["b/r1"])
    page = rendered(tables, tmp_path / "d")
    assert "Without them Jain’s index is the same, over the same settings." in page.text
    slight = pl.when(pl.col("run_id") == "b/r1").then(0.89).otherwise(jfi)
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=slight)
    page = rendered(tables, tmp_path / "d")
    assert "Without them Jain’s index changes by at most 0.02 in any row" in page.text


@pytest.mark.parametrize(
    ("without", "with_it", "words"),
    [
        # a slight change that turns unfair into fair is told, with both numbers
        (0.956, 0.926, "is 0.96, not 0.946, over the same settings: this is fair."),
        (0.944, 0.992, "is 0.94, not 0.96, over the same settings: this is unfair."),
        (0.801, 0.803, "is 0.801, not 0.802, over the same settings."),
        (0.8, 0.8, "Without them Jain’s index is the same, over the same settings."),
        (0.8, None, "They have no Jain’s index: it is the same without them."),
    ],
)
def test_a_slight_change_of_the_index_is_told(tmp_path, without, with_it, words):
    tables = data_set({"a": TWO}, repeats=3)
    jfi = pl.when(pl.col("run_id") == "a/r3").then(with_it).otherwise(without)
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=jfi)
    tables["finding"] = finding_of(["a/r3"])
    assert words in rendered(tables, tmp_path / "d").text


def test_how_many_settings_become_fair_or_unfair_is_told(tmp_path):
    tables = data_set({"a": TWO, "b": TWO, "c": TWO}, repeats=3)
    bad = pl.col("run_id").is_in(["a/r3", "b/r3"])
    value = {"a": (0.96, 0.94), "b": (0.96, 0.92), "c": (0.7, 0.7)}
    jfi = pl.lit(None, pl.Float64)
    for name, (kept, flagged) in value.items():
        own = pl.when(bad).then(flagged).otherwise(kept)
        jfi = pl.when(pl.col("run_id").str.starts_with(name)).then(own).otherwise(jfi)
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=jfi)
    tables["finding"] = finding_of(["a/r3", "b/r3"])
    page = rendered(tables, tmp_path / "d")
    assert "is 0.96, not 0.947, over the same settings: 1 setting becomes fair." in page.text


def test_errors_come_before_warnings_and_two_are_shown(tmp_path):
    tables = data_set({"a": TWO})
    found = [finding_of(["a/r1"], f"check {n}") for n in range(3)]
    tables["finding"] = pl.concat([*found, finding_of(["a/r1"], "bad sum", "error")])
    page = rendered(tables, tmp_path / "d")
    assert "Do not use these numbers yet" in page.text and "4 things to look at" in page.text
    box = page.html.partition('id="trust"')[2].partition("</section>")[0]
    shown, fold, rest = box.partition("<details><summary>2 more")
    assert "Bad sum" in shown and shown.count("<li>") == 2 and rest.count("<li>") == 2 and fold


def test_flows_of_udp_are_said_to_be_that(tmp_path):
    tables = data_set({"a": TWO})
    columns = {
        "protocol": ["udp", None],
        "tool_version": ["2.1.8"] * 2,
        "start_epoch_s": [1e9, None],
    }
    page = rendered({**tables, "stream": pl.DataFrame(columns)}, tmp_path / "d")
    assert "Protocol UDP" in page.text.replace("ProtocolUDP", "Protocol UDP")
    assert "send at their configured rate" in page.text
    assert "iperf2 2.1.8" in page.text and "2001-09-09" in page.text
    assert "send as fast" not in rendered(tables, tmp_path / "e").text


def test_one_flow_alone_has_no_index(tmp_path):
    page = rendered(data_set({"a": [("cubic", 10, 0)]}, repeats=1), tmp_path / "d")
    assert "One flow ran alone: there is no fairness to measure." in page.text
    assert "Jain’s index is 1" not in page.text
    assert "jfi" not in [metric["key"] for metric in page.data["now"]["metrics"]]


def test_flows_without_an_index_are_said(tmp_path):
    tables = data_set({"a": TWO, "b": TWO})
    jfi = pl.when(pl.col("run_id").str.starts_with("b")).then(None).otherwise("jfi")
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=jfi)
    page = rendered(tables, tmp_path / "d")
    assert "Without Jain’s index: 2 of 4 runs of several flows." in page.text
    assert "Fair in none of 1 settings" not in page.text


def test_one_to_ten_flows_have_a_row_each(tmp_path):
    scenarios = {str(n): [("mycca", 3 + i, 0) for i in range(n)] for n in (1, 2, 3, 10)}
    page = rendered(data_set(scenarios, bottleneck_bps=100e6), tmp_path / "d")
    assert "of 1 to 10 flows" in page.text and "alone: " in page.text
    assert page.html.count('class="share"') == 3
    bar = re.search(r'aria-label="(flow 1 mycca[^"]*flow 10 mycca[^"]*)"', page.html)[1]
    assert sum(map(int, re.findall(r"(\d+) %", bar))) == pytest.approx(100, abs=5)


def test_an_unfair_share_is_not_printed_as_the_equal_one(tmp_path):
    flows = [("cubic", 125 if n < 50 else 75, 0) for n in range(100)]
    page = rendered(data_set({"a": flows}, repeats=1), tmp_path / "d")
    assert re.search(r"Unfair: .* gets 1.2 % where 1.0 % would be equal", page.text)


def turned_about(tables, *runs):
    """Return the tables of a data set in which flow 1 and 2 of some runs got each other's bytes."""
    other = pl.when(pl.col("run_id").is_in(runs)).then(3 - pl.col("flow_id"))
    sample = tables["sample"].with_columns(flow_id=other.otherwise("flow_id").cast(pl.Int32))
    return derived(tables["run"], tables["flow"], sample.sort("run_id", "flow_id", "t_start_s"))


def test_flows_that_win_by_turns_are_not_said_to_get_half(tmp_path):
    """10 and 30 Mb/s in one run, 30 and 10 in the other: unfair, but a mean share of 50 %."""
    page = rendered(turned_about(data_set({"a": TWO}), "a/r2"), tmp_path / "d")
    said = "Unfair, but not always to the same flow: NewReno gets the most in 1, BIC in 1 of 2 runs"
    assert f"{said} (Jain's index 0.8" in page.text
    two = turned_about(data_set({"a": TWO, "b": [("newreno", 20, 0)] * 2}), "a/r2")
    page = rendered(two, tmp_path / "e")
    assert ", where NewReno gets the most in 1, BIC in 1 of 2 runs." in page.text
    # four wins of five are a mean share that says who gets more
    most = rendered(turned_about(data_set({"a": TWO}, repeats=5), "a/r2"), tmp_path / "f")
    assert re.search(r"Unfair: BIC gets 6\d % where 50 % would be equal", most.text)


PAIR = [("cubic", 30, 0), ("cubic", 10, 0)]


def test_flows_have_the_numbers_of_the_table(tmp_path):
    """Two flows of one kind, 0 and 1: that which gets the most is flow 0."""
    tables = numbered(data_set({"a": PAIR}), lambda _, flow: flow - 1)
    page = rendered(tables, tmp_path / "d")
    assert "Unfair: CUBIC (flow 0) gets 7" in page.text
    assert 'aria-label="flow 0 CUBIC 7' in page.html and "; flow 1 CUBIC 2" in page.html
    assert "highest share of flow 0 in any run" in page.text
    now, late = page.data["now"], page.data["late"]
    assert now["flows"] == {"names": ["flow 0", "flow 1"], "numbers": [0, 1]}
    assert late["numbers"] == [[0, 1]] and late["numbered"] == [0, 0]
    ratio = next(m for m in now["metrics"] if m["key"] == "throughput_ratio")
    assert ratio["label"] == "Flow 0 / flow 1"
    assert ratio["meaning"].startswith("Mean throughput of flow 0 over that of flow 1.")
    assert "flow 2" not in page.text.lower()


def test_flows_beside_cross_traffic_keep_their_numbers(tmp_path):
    tables = data_set({"a": [("cubic", 5, 0), *PAIR]})
    cross = pl.col("flow_id") == 1
    flow = tables["flow"].with_columns(
        cross_traffic=cross, protocol=pl.lit("tcp"), traffic=pl.lit(None, pl.String)
    )
    page = rendered(derived(tables["run"], flow, tables["sample"]), tmp_path / "d")
    assert "Unfair: CUBIC (flow 2) gets 7" in page.text
    assert page.data["now"]["flows"]["names"] == ["flow 2", "flow 3"]
    ratio = next(m for m in page.data["now"]["metrics"] if m["key"] == "throughput_ratio")
    assert ratio["label"] == "Flow 2 / flow 3"
    assert ratio["meaning"].startswith("Mean throughput of flow 2 over that of flow 3.")


def test_flows_that_runs_number_unlike_are_named_by_their_place(tmp_path):
    tables = numbered(data_set({"a": PAIR}), lambda run, flow: flow - (run == "a/r1"))
    page = rendered(tables, tmp_path / "d")
    assert "Unfair: CUBIC (first flow) gets 7" in page.text
    assert 'aria-label="first flow CUBIC 7' in page.html
    assert "highest share of the first flow in any run" in page.text
    now, late = page.data["now"], page.data["late"]
    assert now["flows"] == {"names": ["first flow", "second flow"], "numbers": [None, None]}
    assert [late["numbers"][n] for n in late["numbered"]] == [[0, 1], [1, 2]]
    ratio = next(m for m in now["metrics"] if m["key"] == "throughput_ratio")
    assert ratio["label"] == "First flow / second flow"
    assert "of the first flow over that of the second flow." in ratio["meaning"]


def test_flows_are_named_by_their_number_or_place():
    def runs(*flows):
        return [Run("", 0, 1, (), (), None, (), of) for of in flows]

    assert flow_names(runs((0, 1), (0, 1, 2))) == ["flow 0", "flow 1", "flow 2"]
    assert flow_names(runs((1, 2), (0, 2))) == ["first flow", "flow 2"]
    many = flow_names(runs(tuple(range(5)), tuple(range(1, 6))))
    assert many[3:5] == ["fourth flow", "flow at place 5"]
    assert flow_names([]) == []


def test_many_pairs_have_a_matrix(tmp_path):
    ccas = ["newreno", "bic", "cubic", "htcp"]
    scenarios = {
        f"{a}{b}_{r}": [(a, 10 + 9 * i, 0), (b, 20, 0)]
        for i, a in enumerate(ccas) for b in ccas for r in (10, 20)
    }  # fmt: skip
    rtt = {"base_rtt_s": lambda s: int(s.rpartition("_")[2]) / 1000}
    page = rendered(data_set(scenarios, repeats=1, **rtt), tmp_path / "d")
    matrix = page.html.partition('<table class="matrix">')[2].partition("</table>")[0]
    assert "Share of flow 1 (rows) against flow 2 (columns)" in page.text
    assert matrix.count("<tr>") == 5 and "All 16 rows, the least fair first" in page.text
    assert re.search(r'scope="row">NewReno</th><td[^>]*><a[^>]*>3\d %', matrix)


def test_what_turns_one_way_is_said(tmp_path):
    scenarios = {f"x_{r}": [("newreno", 30, 0), ("bic", 30 + r, 0)] for r in range(10, 150, 10)}
    rtt = {"base_rtt_s": lambda s: int(s.split("_")[1]) / 1000}
    page = rendered(data_set(scenarios, repeats=1, **rtt), tmp_path / "d")
    assert "Less fair as the RTT grows: NewReno – BIC has Jain’s index 0.98 at 10 ms" in page.text


def on_a_grid(cells, of=lambda rtt, buffer: buffer, repeats=lambda rtt, buffer: 1):
    """Return the tables of a grid: {RTT (ms): buffers (%)}; flow 2 gets `of` as many Mb/s more."""
    places = [(r, b) for r, buffers in cells.items() for b in buffers]
    scenarios = {f"x_{r}_{b}": [("newreno", 30, 0), ("bic", 30 + of(r, b), 0)] for r, b in places}
    tables = data_set(scenarios, repeats=max(repeats(*place) for place in places),
                      **grid_settings())  # fmt: skip
    kept = [f"x_{r}_{b}/r{n}" for r, b in places for n in range(1, repeats(r, b) + 1)]
    return derived(*(tables[n].filter(pl.col("run_id").is_in(kept))
                     for n in ("run", "flow", "sample")))  # fmt: skip


def test_no_trend_comes_from_an_incomplete_grid(tmp_path):
    """The index depends on the buffer alone; short RTTs have small buffers, long ones large."""
    tables = on_a_grid({10: (10, 50), 20: (10, 50, 90), 40: (10, 50, 90, 130),
                        80: (50, 90, 130), 160: (90, 130)})  # fmt: skip
    page = rendered(tables, tmp_path / "d")
    assert "Least fair" in page.text
    assert " as the RTT grows" not in page.text and 'class="spark"' not in page.html


def test_a_trend_is_over_the_cells_that_all_its_levels_have(tmp_path):
    """Along five RTTs; at a buffer that only some have flows are less fair."""
    cells = {10: (10, 20, 90), 20: (10, 20, 90), 40: (10, 20), 80: (10, 20, 50), 160: (10, 20, 50)}
    tables = on_a_grid(cells, lambda rtt, buffer: 200 if buffer == 90 else rtt)
    page = rendered(tables, tmp_path / "d")
    assert "Less fair as the RTT grows: NewReno – BIC has Jain’s index 0.98 at 10 ms" in page.text
    said = "its line over levels of Buffer with every RTT."
    assert said in page.text


def test_a_trend_weighs_settings_alike_whatever_their_runs(tmp_path):
    """At each RTT a fair and an unfair buffer, of 1 to 9 runs: no trend."""
    cells = dict.fromkeys((10, 20, 40, 80), (10, 110, 60, 61))
    more = {10: (9, 1), 20: (6, 2), 40: (2, 6), 80: (1, 9)}

    def repeats(rtt, buffer):
        return more[rtt][buffer > 100] if buffer % 100 == 10 else 1

    tables = on_a_grid(cells, lambda _, buffer: buffer * 3, repeats)
    page = rendered(tables, tmp_path / "d")
    assert " as the RTT grows" not in page.text and 'class="spark"' in page.html


def test_rows_over_unlike_settings_are_said_to_be_that(tmp_path):
    scenarios = {f"x_{r}_{b}": TWO for r in (25, 100) for b in (20, 40, 60, 80)}
    same = {f"y_{r}_{b}": [("cubic", 20, 0), ("bic", 30, 0)]
            for r in (25, 100) for b in (20, 40, 60, 80)}  # fmt: skip
    unlike = "Rows differ in settings"
    page = rendered(data_set(scenarios | same, **grid_settings()), tmp_path / "d")
    assert unlike not in page.text
    del same["y_25_20"]
    page = rendered(data_set(scenarios | same, **grid_settings()), tmp_path / "e")
    assert unlike in page.text


def test_long_names_keep_what_tells_them_apart():
    names = [f"a_very_long_name_that_says_little_of_the_run_number_{n}_of_many" for n in (1, 2)]
    assert distinct(names) == ["1", "2"]
    assert distinct(["short", "names"]) == ["short", "names"]
    # with the words of their parts, where these are short enough: '60s 100' would be two settings
    names = [
        f"BBR – CUBIC, files {f}, Bottleneck {b} Mb/s, buffer 100" for f, b in ((60, 10), (61, 1))
    ]
    assert distinct(names) == ["files 60, Bottleneck 10 Mb/s", "files 61, Bottleneck 1 Mb/s"]


def test_scenarios_that_no_number_tells_apart_have_a_row_each(tmp_path):
    page = rendered(data_set({"monday": TWO, "tuesday": TWO}), tmp_path / "d")
    rows = page.html.partition('<table class="answer">')[2].partition("</table>")[0]
    assert "monday" in rows and "tuesday" in rows


def test_flows_that_start_apart(tmp_path):
    tables = data_set({"a": [("bic", 10, 0), ("bic", 10, 15)]})
    page = rendered(tables, tmp_path / "d")
    assert tables["window"]["end_s"].to_list() == [20.0, 20.0]
    assert "run together only from 15 to 20 s" in page.text
    assert "2 s after the last flow's start, at 17 s" in page.text.replace("’", "'")
    assert "flow 2 starts 15 s later" in page.text


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        (((0, 5), (0, 40)), "flow 2 starts 5 to 40 s later"),
        (((0, 0), (0, 40)), "flow 2 starts 0 to 40 s later"),
        (((15, 0), (15, 0)), "flow 1 starts 15 s later"),
        (((0, 15), (15, 0)), "the last flow starts 15 s after the first"),
        (((0, 5, 10), (0, 15, 30)), "the last flow starts 10 to 30 s after the first"),
        (((0, 0, 10), (0, 0, 30)), "flow 3 starts 10 to 30 s later"),
        (((0, 15), (0, 0, 15)), "the last flow starts 15 s after the first"),
        (((0,), (0, 15)), "flow 2 starts 15 s later"),
        (((0, 0.4), (0.4, 0)), ""),
    ],
)
def test_how_much_later_flows_start_is_said_of_all_runs(tmp_path, starts, words):
    flows = {f"s{n}": [("bic", 10, s) for s in of] for n, of in enumerate(starts)}
    said = re.findall(r"; ([^;]*)\.", taken(data_set(flows, seconds=60)))
    assert said == [f"link not known, RTT not known{', ' if words else ''}{words}"]


def taken(tables) -> str:
    """Return the first line of what was taken as what."""
    made = subject("d", {}, tables, {"equivalence_margin_jfi": 0.05, "confidence": 0.95})
    return str(taken_as(made)[0].words)


def test_the_flow_that_starts_later_has_its_number():
    tables = data_set({"a": [("bic", 10, 0), ("bic", 10, 15)]}, seconds=60)
    assert "flow 1 starts 15 s later" in taken(numbered(tables, lambda _, flow: flow - 1))
    unlike = numbered(tables, lambda run, flow: flow - (run == "a/r1"))
    assert "the second flow starts 15 s later" in taken(unlike)
    one = (pl.col("run_id") == "a/r1") & (pl.col("flow_id") == 2)
    assumed = tables["flow"].with_columns(start_is_assumed=one)
    assert " starts " not in taken(tables | {"flow": assumed})
    first = tables["flow"].with_columns(start_is_assumed=pl.col("flow_id") == 1)
    assert "flow 2 starts 15 s later" in taken(tables | {"flow": first})


def test_a_link_that_some_runs_have_is_not_said_of_all():
    tables = data_set({"a": TWO, "b": TWO}, bottleneck_bps=100e6, base_rtt_s=0.05)
    assert "link 100 Mb/s, RTT 50 ms." in taken(tables)
    run = tables["run"].with_columns(
        bottleneck_bps=pl.when(pl.col("scenario_id") == "a").then("bottleneck_bps")
    )
    assert "link 100 Mb/s where it is known, RTT 50 ms." in taken(tables | {"run": run})


def test_which_time_counts_is_said(tmp_path):
    page = rendered(data_set({"a": TWO, "b": TWO}), tmp_path / "d")
    assert "Means are over 2 to 20 s of each run: runs are short" in page.text
    assert "a report that begins up to one interval before counts, too" in page.text
    long = data_set({"a": TWO}, seconds=60)
    short = data_set({"b": TWO}, repeats=1, seconds=20)
    both = {name: pl.concat([long[name], short[name]]) for name in ("run", "flow", "sample")}
    page = rendered(derived(**both), tmp_path / "e")
    assert "Means are over 2–6 to 20–60 s of each run" in page.text
    assert "no line says the same" in page.text and "# steady_state: {warmup_s: 6}" in page.text


def test_a_start_that_is_offered_leaves_something_of_every_run(tmp_path):
    """And a run without samples, for which config.yaml's 120 s count, has no say in it."""
    long = data_set({"a": TWO}, seconds=400)
    short = data_set({"b": TWO}, repeats=1, seconds=20)
    both = {name: pl.concat([long[name], short[name]]) for name in ("run", "flow", "sample")}
    page = rendered(derived(**both), tmp_path / "d")
    assert "no line says the same" in page.text and "# steady_state: {warmup_s: 2}" in page.text
    silent = pl.col("run_id") == long["run"]["run_id"][0]
    both = {name: pl.concat([long[name].filter(silent), short[name]]) for name in both}
    both["sample"] = both["sample"].filter(~silent)
    page = rendered(derived(**both), tmp_path / "e")
    assert "steady_state: {warmup_s: 2}" in page.text and "no line says the same" not in page.text
    assert "Means are over 2 to 20 s of each run" in page.text
    none = data_set({"a": TWO}, repeats=1, seconds=400)
    none["sample"] = none["sample"].clear()
    page = rendered(derived(*(none[name] for name in ("run", "flow", "sample"))), tmp_path / "f")
    assert "There is no mean" in page.text


def test_runs_of_one_interval_are_said_to_have_no_steady_state(tmp_path):
    tables = data_set({"a": TWO})
    total = tables["sample"].filter(pl.col("line") == 1).with_columns(t_end_s=pl.lit(20.0))
    total = total.filter(run_id="a/r2")
    rest = tables["sample"].filter(run_id="a/r1")
    mixed = derived(tables["run"], tables["flow"], pl.concat([rest, total]))
    page = rendered(mixed, tmp_path / "d")
    assert "For 1 run with only one interval they are over the whole run" in page.text
    assert "1 of 2 over the whole run" in page.text  # repeats that are unlike
    assert mixed["flow_metric"]["mean_throughput_bps"].null_count() == 0
    alone = rendered(derived(tables["run"].filter(repeat=2), tables["flow"].filter(run_id="a/r2"),
                             total), tmp_path / "e")  # fmt: skip
    assert "Means are over whole runs" in alone.text
    assert "steady_state: {warmup_s" not in alone.text


def test_a_flow_that_never_carries_anything(tmp_path):
    tables = data_set({"a": [("bic", 10, 0), ("bic", 10, 0)]}, repeats=1)
    sample = tables["sample"].with_columns(
        pl.when(pl.col("flow_id") == 2).then(0).otherwise("bytes").alias("bytes")
    )
    page = rendered(derived(tables["run"], tables["flow"], sample), tmp_path / "d")
    assert "carried nothing at all" in page.text
    assert "BIC (flow 1) gets 100 %" in page.text
    assert "throughput_ratio" not in [m["key"] for m in page.data["now"]["metrics"]]


def without_bytes(tables, *runs):
    """Return the tables of a data set in which the flows of some runs carried nothing."""
    n_bytes = pl.when(pl.col("run_id").is_in(runs)).then(0).otherwise("bytes")
    sample = tables["sample"].with_columns(bytes=n_bytes, throughput_bps=n_bytes * 8.0)
    return derived(tables["run"], tables["flow"], sample)


def test_a_run_that_carried_nothing_counts_in_the_throughput(tmp_path):
    """Of three runs of about 40 Mb/s one carried nothing: 27 Mb/s, as in the table `cell`."""
    tables = without_bytes(data_set({"a": TWO}, repeats=3), "a/r3")
    total = tables["flow_metric"].group_by("run_id").agg(pl.sum("mean_throughput_bps"))
    page = rendered(tables, tmp_path / "d")
    row = page.html.partition('<table class="answer">')[2].partition("</table>")[0]
    assert f">{total['mean_throughput_bps'].mean() / 1e6:.1f}</a>" in row and ">3</a>" in row
    said = "Nothing was carried in the steady state of 1 of 3 runs of several flows: it counts as 0"
    assert f"{said} in the throughput, and in no share or Jain’s index." in page.text
    assert "Their flows do not overlap in time" not in page.text
    assert "a run in which no flow carried anything has no Jain" in page.text


def test_runs_that_all_carried_nothing_are_said(tmp_path):
    tables = without_bytes(data_set({"a": TWO}), "a/r1", "a/r2")
    page = rendered(tables, tmp_path / "d")
    assert "No flow carried anything in the steady state: nothing can be said of who" in page.text
    assert "in the steady state of every run of several flows: they count as 0" in page.text


def test_a_run_without_a_sample_is_said_to_be_in_no_mean(tmp_path):
    tables = data_set({"a": TWO})
    lost = pl.when(pl.col("run_id") == "a/r2").then(None)
    tables["flow_metric"] = tables["flow_metric"].with_columns(
        mean_throughput_bps=lost.otherwise("mean_throughput_bps")
    )
    tables["run_metric"] = tables["run_metric"].with_columns(jfi=lost.otherwise("jfi"))
    page = rendered(tables, tmp_path / "d")
    assert "Without Jain’s index: 1 of 2 runs of several flows." in page.text
    assert "A run without a sample is in none of these means." in page.text


def test_no_run_at_all(tmp_path):
    tables = data_set({"a": TWO})
    empty = {name: table.clear() for name, table in tables.items()}
    rejected = (
        tables["ledger"]
        .head(1)
        .with_columns(pl.lit("unreadable").alias("format"), pl.lit("cut short").alias("reason"))
    )
    finding = finding_table({**empty, "run": in_window(empty["run"], empty["window"]),
                             "ledger": rejected}, 10)  # fmt: skip
    said = {"source": "<script>we</script>"}
    page = rendered({**empty, "ledger": rejected, "finding": finding}, tmp_path / "d", said)
    assert "<script>we</script>" in page.text
    assert "No run of this data set could be read" in page.text
    assert "Taken for" in page.text and "unreadable" in page.text and "cut short" in page.text
    assert page.data == {} and page.scripts == 0


def test_names_with_markup_stay_as_they_are(tmp_path):
    names = ["a|b*_$x", "[c](d)", "<i>&amp;`", "</script>", r"\x1b[31m\u202e"]
    tables = data_set(dict.fromkeys(names, TWO))
    page = rendered(tables, tmp_path / "d", {"title": "</title><b>"})
    assert page.data["late"]["scenarios"] == sorted(names)
    for name in names:
        assert name in page.text
    assert "<i>&amp;`" not in page.html and "</title><b>" in page.text


def test_a_run_without_a_name_is_the_only_one():
    assert run_link("") == '<a href="#run=">the only run</a>'


def findings_of(messages):
    found = [finding_of([f"r{i}"], message=m) for i, m in enumerate(messages)]
    return Page(findings(pl.concat(found), Offers("d"))).text


def test_many_findings_are_folded_and_cut_short():
    text = findings_of([f"it jumps by {i}" for i in range(20)])
    assert "warning clock jump 20" in text
    assert text.count("it jumps") == MAX_EXAMPLES
    assert "12 more" in text


def test_what_many_findings_share_is_said_once_with_the_places():
    text = findings_of(["it jumps"] * 1628)
    assert "warning clock jump 1,628" in text
    assert text.count("it jumps") == 1
    assert "r19, flow 1; and 1,608 more" in text


def test_the_answer_comes_first_and_offered_lines_are_cut(tmp_path):
    tables = data_set({"a": TWO})
    ignored = "\n".join(f'  - {{path: "p{i}.png", format: ignore}}' for i in range(1600))
    tables["assumption"] = assumption_table(
        [("files", "2 patterns", "the files' names", f"files:\n{ignored}")]
    )
    page = rendered(tables, tmp_path / "d")
    parts = ["answer", "trust", "time", "settings", "runs", "findings", "assumed", "settle"]
    parts += ["about", "files", "terms"]
    assert [name for name in page.ids if name in parts] == parts
    shown = re.sub(r"<script.*?</script>", "", page.html, flags=re.DOTALL)
    assert "p698.png" in shown and "p699.png" not in shown  # page_rows of SETTINGS
    assert "The first 700 of 1,601 lines" in page.text


def test_lines_of_dataset_yml_are_merged_into_one_block():
    block = merged_yaml(
        [
            "defaults: {bottleneck_mbps: 100}",
            "defaults: {rtt_ms: 50}",
            'files:\n  - path: "a/{flow}.log"',
            None,
            "# with your own numbers:\n# flows: {1: {cca: cubic}}",
        ]
    )
    assert block.splitlines() == [
        "defaults: {bottleneck_mbps: 100, rtt_ms: 50}",
        "files:",
        "- {path: 'a/{flow}.log'}",
        "# with your own numbers:",
        "# flows: {1: {cca: cubic}}",
    ]
    assert merged_yaml([]) == ""


def test_dataset_yml_is_taken_apart_by_its_keys():
    text = "# mine\ntitle: T  # so\nflows:\n  1: {cca: bic}\n# end\nrole: x\n"
    assert blocks(text) == [
        [None, None, "# mine"],
        ["title", "T", "title: T  # so"],
        ["flows", {1: {"cca": "bic"}}, "flows:\n  1: {cca: bic}\n# end"],
        ["role", "x", "role: x"],
    ]
    assert blocks("{title: T}") == [["title", "T", ""]]
    assert blocks("") == []


@pytest.mark.parametrize("kinds", [list(VARIANTS), ["flow 1", "flow 2"], ["mycca", "UDP"]])
def test_every_colour_stands_out_on_its_page(kinds):
    sheet = palette(kinds)
    light, dark = sheet.split("@media")
    for part, paper in ((light, "#ffffff"), (dark, "#15181c")):
        rules = re.findall(r"\.k\d+\{--k:(#\w+);--on:(#\w+)\}", part)
        assert len(rules) == len(kinds)
        for colour, on in rules:
            assert contrast(colour, paper) >= 3, colour
            assert contrast(colour, on) >= 4.5, colour


def test_only_the_scripts_of_the_page_may_run(tmp_path):
    html = page_of(data_set({"a": TWO}), tmp_path / "d")
    script = re.search(r"<script>(.*?)</script>", html, re.DOTALL)[1]
    assert html.count("<script>") == 1 and script.strip().endswith("})();")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html


def test_small_folders_are_said_in_kilobytes():
    assert [size_in_words(n) for n in (3, 21_000, 4_200_000)] == ["0.1 kB", "21.0 kB", "4.2 MB"]


@pytest.mark.parametrize(
    ("bps", "text"),
    [
        (94.14e6, "94.1"),
        (25e6, "25.0"),
        (12.3e9, "12,300"),
        (0.0, "0.0"),
        (230e3, "0.23"),
        (950e3, "0.95"),
        (996e3, "1.0"),
        (99.6e3, "0.10"),
        (64e3, "0.064"),
        (3.7e3, "0.0037"),
    ],
)
def test_low_rates_are_not_zero_in_print(bps, text):
    assert rate(bps) == text
