"""The whole paper on hand-made tables: every part is made, every number has an origin."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml
from check_numbers import check_numbers
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.metrics.rtt_fairness import burst_correlations
from evenflow.papers.find import Paper
from evenflow.statistics.outcomes import OUTCOMES
from made_paper import make_paper, table_of

from .made_runs import FOLDER, PARETO_10, PARETO_1000, RTTS_S, a_run, ftp, repeats, tables, udp

RUNS = [
    *repeats(PARETO_10, [2.4, 2.5, 2.6], "fairness_ratio"),
    *repeats(PARETO_1000, [2.0, 2.1, 2.2], "fairness_ratio"),
    *(a_run(ftp(row)) for row in range(1, 5)),
    a_run(udp(25.0), aqm="red"),
]


def more_tables(made: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The other tables of these runs, of one drop event in each, of which the bins are logged."""
    runs = made["run"].select("run_id")

    def of_each(**columns) -> pl.DataFrame:
        return runs.join(pl.DataFrame(columns), how="cross")

    flows = {"flow_id": list(RTTS_S), "base_rtt_s": list(RTTS_S.values())}
    times = [100 + i / 10 for i in range(400)]
    return {
        "flow": of_each(**flows).with_columns(
            mss_bytes=pl.lit(960), start_s=pl.lit(0.0), side=pl.lit("foreground")
        ),
        "drop_event": of_each(
            event=[1], t_start_s=[120.0], t_end_s=[120.1], losses=[30], foreground_losses=[20],
            foreground_flows_losing=[2],
            time_above_s=[0.2],
        ),
        "arrival": of_each(
            t_start_s=times, t_end_s=[t + 0.1 for t in times], queue_packets=[2000] * 400,
            dropped_packets=[1] * 400,
        ),
        "sample": of_each(
            flow_id=[1, 2] * 150,
            t_start_s=[float(t) for t in range(150) for _ in (1, 2)],
            t_end_s=[t + 1.0 for t in range(150) for _ in (1, 2)],
            bytes=[2500 + 10 * (t % 7) for t in range(300)],
            throughput_bps=[8 * (2500.0 + 10 * (t % 7)) for t in range(300)],
            cwnd_bytes=[9600, 4800] * 150,
        ),
        "window": of_each(warmup_s=[100.0], end_s=[150.0]),
        "packet_drop": of_each(t_s=[120.0, 120.1], flow_id=[1, 100]),
        "burst_sensitivity": of_each(
            gap_s=[0.1, 0.18], is_default=[False, True], n_events=[2, 1], bpdd=[15.0, 30.0],
            p=[0.5, 0.75],
        ),
        "arrival_cov": of_each(bin_s=[0.005, 0.01], cov=[0.3, 0.2], cov_background=[0.4, 0.3]),
        "run_metric": of_each(flow_change=[1.0], use_change=[1.0], drift=[0.0]),
        "burst_correlation": burst_correlations(made["burst_cell"], made["run"], 0.95),
        "ledger": pl.DataFrame(
            {"entry": ["file"], "bytes": [10], "lines": [3], "lines_rejected": [0]}
        ),
    }  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Paper:
    found = tables(RUNS)
    simulation = found | more_tables(found)
    folder = tmp_path_factory.mktemp("paper")
    return make_paper(folder, FOLDER.name, {"simulation": simulation}, full_queue=0.975, fdr=0.05)


def text_of(paper: Paper, name: str) -> str:
    return Path(paper.folder, name).read_text(encoding="utf-8").replace(NO_BREAK_SPACE, " ")


def rows_of(paper: Paper, table: str) -> list[list[str]]:
    """The rows of a printed table, its header first."""
    head, _, *lines = text_of(paper, f"tables/{table}.md").splitlines()
    return [line.strip("| ").split(" | ") for line in (head, *lines)]


def test_every_number_of_the_text_has_rows_that_give_it(made):
    assert len(check_numbers(made)) > 25


def test_a_number_of_a_case_leads_to_the_row_and_runs_of_its_scenario(made):
    values = json.loads(text_of(made, "_origins.json"))["case.smooth.flows_losing"]["values"]
    (place,) = {tuple(value["tables"]["scenario"]) for value in values}
    scenario = table_of(made, "scenario")[place[0]].row(0, named=True)
    assert scenario["load"] == "pareto-1000sources"
    runs = table_of(made, "scenario.runs").filter(row=place[0], side="flows_losing")["run"]
    of = table_of(made, "placed_run").filter(scenario_id=scenario["scenario_id"])["run_id"]
    assert runs.to_list() == [f"simulation/{run}" for run in sorted(of)]


def test_the_drop_event_of_both_cases_is_drawn(made):
    drawn = text_of(made, "figures/drop-events.svg")
    assert "Bursty: 10 sources" in drawn and "Smooth: 1000 sources" in drawn


def test_the_topology_has_the_flows_rtts_and_the_bottleneck(made):
    drawn = text_of(made, "figures/topology.svg")
    for label in ("flow 1, 85 ms", "flow 4, 220 ms", "background", "500 Mb/s", "2500 packets"):
        assert label in drawn


def test_the_counts_of_outcomes_are_those_of_the_scorecard(made):
    said = yaml.safe_load(text_of(made, "_variables.yml"))["claims"]
    shown = [row[1].split("**")[1] for row in rows_of(made, "claims")[2::2]]
    named = [o for o in OUTCOMES if f"n_{o.replace(' ', '_')}" in said]  # in the text
    assert len(named) > 2
    for outcome in named:
        assert said[f"n_{outcome.replace(' ', '_')}"] == str(shown.count(outcome))
    folded = table_of(made, "claim").filter(claim="unfair")["folded"]
    assert set(folded) == {"inconclusive"} and said["n"] == str(len(shown))
    rows = rows_of(made, "evidence")
    (place,) = (i for i, row in enumerate(rows) if "FR with 10 sources" in row[0])
    row = rows[place + 1]
    # cells are strata: exp of the difference of mean logs, Welch's interval of 3.9 df
    assert row[1:4] == ["3 (4)", "1.19", "1.08 to 1.32"]


def test_the_gap_of_the_table_is_the_default_one(made):
    header, first, *_ = rows_of(made, "gaps")
    assert header[1:] == ["100 ms", "180 ms (default)"]
    assert first[1:] == ["15 / 50", "30 / 75"]
