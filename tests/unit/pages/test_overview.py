"""The overview of the first page: what its cells are, and what is marked."""

import json
import math
import re
from pathlib import Path

import polars as pl
import pytest
from evenflow.pages.overview import (
    first_choice,
    overview_data,
    overview_table,
    percent,
    share,
    with_overview,
)

THEME = Path(__file__).parents[3] / "workflow/theme"
PAGE = '<html><head></head><body><h1 id="sec-papers">Papers</h1></body></html>'
BEFORE = ['<h1 id="sec-papers"', '<h2 id="data-sets"']


def data_set(derived: Path, name: str, runs: list[dict]) -> Path:
    """Write the tables of runs: scenario, ccas, rates of both flows (Mb/s), drops, change."""
    folder = derived / name
    folder.mkdir(parents=True)
    rows = {"run": [], "flow": [], "flow_metric": [], "run_metric": []}
    for i, of in enumerate(runs):
        run, ccas = f"{of['scenario']}/r{i}", of["ccas"].split("-")
        rows["run"].append(
            {"run_id": run, "scenario_id": of["scenario"], "role": "comparison", "n_flows": 2}
            | {"n_cross_traffic": 0, "platform": "ns2", "bottleneck_bps": of.get("bps", 1e8)}
            | {"repeat": i, "ccas": of["ccas"], "base_rtt_s": of.get("rtt_s", 0.1)}
            | {"buffer_bdp": 0.2, "aqm": of.get("aqm"), "duration_s": 60.0}
            | {"factors": of.get("factors", "{}")}
            | {"observed": json.dumps({"drops": of.get("drops", 9)})}
        )
        rows["run_metric"].append(
            {"run_id": run, "utilisation": 0.9, "drift": 0.0, "flow_change": of.get("change", 1.0)}
        )
        for flow in (1, 2):
            key = {"run_id": run, "flow_id": flow}
            rows["flow"].append(
                key
                | {"cca": ccas[flow - 1], "base_rtt_s": of.get("rtt_s", 0.1)}
                | {"cross_traffic": False}
            )
            rows["flow_metric"].append(key | {"mean_throughput_bps": 1e6 * of["mbps"][flow - 1]})
    for table, of in rows.items():
        pl.DataFrame(of).write_parquet(folder / f"{table}.parquet")
    return Path("data/raw") / name


def pair(mbps=(80.0, 20.0), **more) -> dict:
    return {"scenario": "newreno-bic/rtt100", "ccas": "newreno-bic", "mbps": mbps} | more


def cell(table: str, row: str, column: int) -> str:
    """The cell of a row, by its head, and of a column, from 0."""
    line = re.search(rf'<tr><th scope="row">{row}</th>(.*?)</tr>', table)[1]
    return re.findall(r"<td.*?</td>", line)[column]


def test_a_share_is_that_of_the_mean_log_ratio_and_the_other_order_mirrors_it(tmp_path):
    runs = [pair(), pair((60.0, 40.0))]
    folder = data_set(tmp_path, "mine", runs)
    data = overview_data([folder], {"mine": {"hosts": "large windows"}}, tmp_path, 0.95)
    assert data["sets"] == [{"platform": "ns-2", "hosts": "large windows", "mbps": 100}]
    mean = share((math.log(80 / 20) + math.log(60 / 40)) / 2)
    choice = first_choice(data)
    assert choice == (0, 100, "20 % of BDP")
    table = overview_table(data, choice)
    mine, other = cell(table, "NewReno", 1), cell(table, "BIC", 0)
    assert f"<b>{percent(mean)}</b>" in mine and "<i>n 2</i>" in mine and "second" not in mine
    assert f"<b>{percent(1 - mean)}</b>" in other and 'class="second less"' in other
    assert "not measured" in cell(table, "BIC", 1)
    assert "datasets/mine/index.html#scenario-newreno-2d-bic-2f-rtt100" in mine


def test_what_must_be_known_of_a_cell_is_marked(tmp_path):
    folder = data_set(tmp_path, "mine", [pair(drops=0, change=2.0)])
    data = overview_data([folder], {}, tmp_path, 0.95)
    marked = cell(overview_table(data, first_choice(data)), "NewReno", 1)
    assert 'class="unsteady limited once"' in marked
    assert "<b>~80</b>" in marked and "<i>1 run</i>" in marked


def test_a_starved_flow_has_a_share_and_no_cell_is_lost(tmp_path):
    folder = data_set(tmp_path, "mine", [pair((90.0, 0.0)), pair((90.0, 0.0))])
    data = overview_data([folder], {}, tmp_path, 0.95)
    starved = cell(overview_table(data, first_choice(data)), "BIC", 0)
    assert "&lt;0.1" in starved and "alike" in starved


def hosts_of(data: dict) -> list[str]:
    assert len({tuple(row[:6]) for row in data["rows"]}) == len(data["rows"])
    return [of["hosts"] for of in data["sets"]]


def test_no_setting_beside_rtt_and_buffer_hides_another(tmp_path):
    queues = [pair(scenario=f"newreno-bic/{aqm}", aqm=aqm) for aqm in ("cake", "pie")]
    limits = [
        pair(scenario=f"bic-bic/{limit}", ccas="bic-bic", factors=f'{{"limit": {limit}}}')
        for limit in (20, 2000)
    ]
    for name, runs in (("queues", queues), ("limits", limits)):
        data_set(tmp_path, name, runs)
    data = overview_data(
        [Path("queues"), Path("limits")], {"limits": {"hosts": "old"}}, tmp_path, 0.95
    )
    expected = ["old, limit 20", "old, limit 2000", "queues, CAKE", "queues, PIE"]
    assert hosts_of(data) == expected and len(data["rows"]) == 4


@pytest.mark.parametrize(
    ("others", "hosts"),
    [
        ([{"aqm": "cake"}, {}], ["mine", "mine, CAKE"]),
        ([{"factors": '{"limit": 20}'}, {}], ["mine", "mine, limit 20"]),
        # one of them says it all
        (
            [{"factors": f'{{"a": {n}, "b": "x{n}"}}'} for n in (1, 2)],
            ["mine, b x1", "mine, b x2"],
        ),
        ([{}, {}], ["mine, scenario 0", "mine, scenario 1"]),
    ],
)
def test_scenarios_of_one_place_are_told_apart_by_what_is_known(tmp_path, others, hosts):
    runs = [pair(scenario=str(n), **of) for n, of in enumerate(others)]
    data = overview_data([data_set(tmp_path, "mine", runs)], {}, tmp_path, 0.95)
    assert hosts_of(data) == hosts and len(data["rows"]) == 2


def test_queue_disciplines_of_two_data_sets_are_not_one_selection(tmp_path):
    one = pair(aqm="cake")
    other = pair(scenario="bic-bic", ccas="bic-bic", aqm="droptail")
    for name, run in (("one", one), ("other", other)):
        data_set(tmp_path, name, [run])
    about = {name: {"hosts": "mine"} for name in ("one", "other")}
    data = overview_data([Path("one"), Path("other")], about, tmp_path, 0.95)
    assert hosts_of(data) == ["mine", "mine, CAKE"]


def test_of_one_setting_in_two_roles_one_is_shown(tmp_path):
    folder = data_set(tmp_path, "mine", [pair(), pair(scenario="again/newreno-bic/rtt100")])
    path = tmp_path / "mine/run.parquet"
    roles = pl.Series(["calibration", "comparison"])
    pl.read_parquet(path).with_columns(role=roles).write_parquet(path)
    data = overview_data([folder], {}, tmp_path, 0.95)
    assert hosts_of(data) == ["mine"]
    assert [data["pieces"][i] for i in data["rows"][0][13:]] == ["again", "newreno-bic", "rtt100"]


def test_a_data_set_that_has_the_cells_of_another_is_a_set_of_its_own(tmp_path):
    swapped = pair(scenario="bic-newreno/rtt100", ccas="bic-newreno")
    more = pair(scenario="bic-bic/rtt100", ccas="bic-bic")
    for name, runs in (("long", [pair()]), ("short", [pair(), more]), ("swapped", [swapped])):
        data_set(tmp_path, name, runs)
    names = ("long", "short", "swapped")
    about = {name: {"hosts": "mine"} for name in names}
    data = overview_data([Path(name) for name in names], about, tmp_path, 0.95)
    assert hosts_of(data) == ["mine", "mine, long"]
    assert hosts_of(overview_data(map(Path, names), {}, tmp_path, 0.95)) == sorted(names)


def test_a_site_without_papers_has_it_before_the_data_sets(tmp_path):
    data = overview_data([data_set(tmp_path, "mine", [pair()])], {}, tmp_path, 0.95)
    plain = '<html><head></head><body><h2 id="data-sets">Data sets</h2></body></html>'
    page = with_overview(plain, data, THEME, BEFORE)
    assert page.index('id="overview"') < page.index('id="data-sets"')


def test_values_that_are_close_are_told_apart(tmp_path):
    rtts = [0.0102, 0.0104, 0.00021, 0.000212, 1.024]
    runs = [pair(scenario=f"newreno-bic/{rtt_s}", rtt_s=rtt_s) for rtt_s in rtts]
    data_set(tmp_path, "mine", runs)
    rates = [pair(scenario=f"newreno-bic/{bps}", bps=bps) for bps in (12.2e6, 12.4e6)]
    data_set(tmp_path, "rates", rates)
    data = overview_data([Path("mine"), Path("rates")], {}, tmp_path, 0.95)
    assert {row[3] for row in data["rows"]} == {10.2, 10.4, 0.21, 0.212, 1024, 100}
    assert sorted(of["mbps"] for of in data["sets"]) == [12.2, 12.4, 100]


def test_short_rtts_and_low_rates_are_not_zero(tmp_path):
    runs = [pair(scenario=f"newreno-bic/{rtt_s}", rtt_s=rtt_s, bps=256e3) for rtt_s in (2e-4, 4e-4)]
    data = overview_data([data_set(tmp_path, "mine", runs)], {}, tmp_path, 0.95)
    assert [row[3] for row in data["rows"]] == [0.2, 0.4]
    assert data["sets"][0]["mbps"] == 0.26


def test_a_data_set_can_be_kept_out_and_pages_without_pairs_stay_as_they_are(tmp_path):
    folder = data_set(tmp_path, "mine", [pair()])
    assert overview_data([folder], {"mine": {"overview": False}}, tmp_path, 0.95)["rows"] == []
    nothing = overview_data([Path("data/raw/empty")], {}, tmp_path, 0.95)
    assert with_overview(PAGE, nothing, THEME, BEFORE) == PAGE


def test_the_page_holds_the_table_before_the_papers_and_hostile_names_are_text(tmp_path):
    folder = data_set(tmp_path, "mine", [pair()])
    data = overview_data([folder], {"mine": {"hosts": "</script><b>x"}}, tmp_path, 0.95)
    page = with_overview(PAGE, data, THEME, BEFORE)
    assert page.index('id="overview"') < page.index(BEFORE[0])
    assert "</script><b>x" not in page
    held = json.loads(re.search(r'id="overview-data">(.*?)</script>', page, re.DOTALL)[1])
    assert held == data


@pytest.mark.parametrize(
    ("part", "text"),
    [(0.5, "50"), (0.0001, "<0.1"), (0.99999, ">99.9"), (0.004, "0.4"), (0.993, "99.3")],
)
def test_shares_in_print(part, text):
    assert percent(part) == text
