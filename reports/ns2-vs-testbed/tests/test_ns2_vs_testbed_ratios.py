"""Ratios of throughput by RTT, against numbers that are known."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from evenflow.papers.make import load

from ..._grid.grid_runs import BUFFER, grid_of
from ..._grid.surfaces import RTT, Subject

ratios = load(str(Path(__file__).parents[1] / "ratios.py"))
GRID = grid_of({"rtt_ms": [25, 400], "buffer_pct": [20, 100]})


def runs(flow1_mbps, unsteady=False):
    """Two runs of every pairing and cell; flow1_mbps(role, cca, rtt) is the geometric mean."""
    rows = []
    for rtt, buffer in GRID.rows():
        for role, cca in [("calibration", "newreno")] + [
            ("comparison", c) for c in ratios.VARIANTS
        ]:
            for repeat, spread in ((1, 1.01), (2, 1 / 1.01)):
                mine = 1e6 * flow1_mbps(role, cca, rtt)
                rows.append(
                    {
                        **{"role": role, "ccas": f"newreno-{cca}", RTT: rtt, BUFFER: buffer},
                        **{"repeat": repeat, "run_id": f"{role}{cca}{rtt}{buffer}{repeat}"},
                        **{"contested": True, "jfi": 0.6, "utilisation": 1.0},
                        "mean_throughput_bps_flow1": mine * spread,
                        "mean_throughput_bps_flow2": 90e6,
                        **{"level_db_flow1": 70.0, "level_db_flow2": 79.0},
                        "unsteady": unsteady and rtt == 0.4 and cca == "cubic",
                    }
                )
    return pl.DataFrame(rows)


def here(role, cca, rtt):
    return 40 if cca == "newreno" else 10


def there(role, cca, rtt):
    """CUBIC leaves half of what it leaves on the testbed, a quarter at 400 ms."""
    return here(role, cca, rtt) * ((0.25 if rtt == 0.4 else 0.5) if cca == "cubic" else 1)


@pytest.fixture(scope="module")
def table():
    of = Subject("open", "testbed", runs(here, unsteady=True), GRID, runs(there))
    alone = Subject("simulation", "ns2", runs(there), GRID)
    return ratios.ratio_table({"open": of, "simulation": alone}, 0.95)


def test_a_ratio_is_a_geometric_mean_with_its_interval(table):
    assert table["part"].unique().to_list() == ["open"]
    found = {(r["cca"], r[RTT]): r for r in table.rows(named=True)}
    assert found["cubic", 0.025]["ratio"] == pytest.approx(0.5)
    assert found["cubic", 0.4]["ratio"] == pytest.approx(0.25)
    assert found["bic", 0.4]["ratio"] == pytest.approx(1)
    assert found["cubic", 0.4]["ratio_low"] < 0.25 < found["cubic", 0.4]["ratio_high"]
    assert found["cubic", 0.4]["index"] == pytest.approx(0)  # the index does not see it


def test_harm_is_what_newreno_loses_to_the_variant(table):
    cubic = table.filter(cca="cubic").sort(RTT)
    assert cubic["harm_here"].to_list() == pytest.approx([0.75, 0.75])
    assert cubic["harm_there"].to_list() == pytest.approx([0.875, 0.9375])
    assert table.filter(cca="newreno")["harm_here"].to_list() == pytest.approx([0, 0])


def test_what_is_unsteady_is_marked(table):
    marked = table.filter(pl.col("n_unsteady") > 0)
    assert marked.select("cca", RTT).rows() == [("cubic", 0.4)]
    printed = ratios.ratio_markdown(table)
    assert printed.count("400 *") == 1 and "0.94 / 0.75" in printed.replace("\u00a0", " ")


def test_the_figure_says_what_it_shows(table):
    assert "0.25 to 0.50 against CUBIC" in ratios.ratio_message(table)
    assert np.isfinite(table["ratio"].to_numpy()).all()
    drawn = ratios.ratio_chart(table, 1.25, "It falls")
    assert drawn["title"]["text"] == ["It falls"]


def test_the_ratio_of_the_flows_is_of_the_means_of_a_cell():
    cell = {"part": "testbed", "role": "comparison", "ccas": "newreno-bic", "base_rtt_s": 0.1}
    cell |= {"buffer_bdp": 0.2, "contested": True, "n": 3}
    surface = pl.DataFrame(
        [
            cell | {"metric": f"mean_throughput_bps_flow{flow}", "mean": mean}
            for flow, mean in ((1, 3e6), (2, 90e6))
        ]
    )
    (found,) = ratios.flow_ratios(surface).rows(named=True)
    assert found["value"] == pytest.approx(1 / 30)
    assert (found["n"], found["contested"]) == (3, True)


def test_the_card_names_the_confidence_of_its_intervals(table):
    card = load(str(Path(__file__).parents[1] / "card.py"))
    drawn = card.ratio_card(table, "open", "What it shows", 0.975)
    assert "97.5 % intervals" in " ".join(drawn["title"]["subtitle"]).replace("\xa0", " ")
