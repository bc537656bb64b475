"""Four queue disciplines: the claims on them on planted runs, the table and the figure."""

import re
from pathlib import Path

import polars as pl
import yaml
from documented import documented_columns
from evenflow.charts.base import save_chart
from evenflow.claims.judge import outcomes
from evenflow.claims.sentences import claims_of
from evenflow.evidence.runs import split
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.make import load
from evenflow.schema import read_document
from evenflow.statistics.outcomes import CONTRADICTED, MIXED, NO_EFFECT, OPPOSITE, REPRODUCED

from ..._grid.grid_runs import grid_of
from ..._grid.surfaces import Subject
from .test_on_path_buffering_claims import FLOW1, FLOW2, NRU1, surface_run

FOLDER = Path(__file__).parents[1]
claims, managed = load(FOLDER / "claims.py"), load(FOLDER / "managed.py")
SAID = read_document(FOLDER / "claims.yml")
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
GRID = grid_of(PARAMETERS["managed_grid"])
PAIRS = [("comparison", pair) for pair in ("newreno-cubic", "newreno-bbr", "cubic-bbr")]
PAIRS += [("calibration", f"{cca}-{cca}") for cca in ("newreno", "cubic", "bbr")]


def planted(values=None):
    """Runs of all pairs with these values, {column: value}."""
    return surface_run(values, pairs=PAIRS)


PLAIN = planted()


def outcome_of(key, **runs):
    """The outcome of a claim with each queue: those named with these runs, the others equal."""
    subjects = {aqm: Subject(aqm, "testbed", runs.get(aqm, PLAIN), GRID) for aqm in managed.QUEUES}
    found = claims_of(SAID, PARAMETERS["readings"], vars(claims))
    found = [claim for claim in found if claim.key == key]
    assert set(found[0].subjects) == set(managed.QUEUES)
    table = claims.judge("p", found, subjects, confidence=0.95, fdr=0.05)
    return dict(outcomes(table).select("subject", "outcome").rows())


def share(of):
    """Values of both flows that give flow 2 a share, of the buffer and RTT."""
    return {
        FLOW1: lambda ccas, r, b: 1e8 * (1 - of(r, b)),
        FLOW2: lambda ccas, r, b: 1e8 * of(r, b),
    }


def test_a_share_that_moves_with_the_buffer_at_one_rtt_is_found_of_its_queue_alone():
    one = planted(share(lambda r, b: 0.3 + 0.3 * b if r < 0.03 else 0.5))
    found = outcome_of("managed-buffer", droptail=one)
    assert found == dict.fromkeys(managed.QUEUES, NO_EFFECT) | {"droptail": REPRODUCED}


def test_changes_in_opposite_directions_do_not_cancel():
    turns = {0.025: 0.3, 0.4: -0.3}
    both = planted(share(lambda r, b: 0.5 + (b - 0.6) * turns.get(r, 0.0)))
    assert outcome_of("managed-buffer", pie=both)["pie"] == REPRODUCED


def test_one_cell_of_unequal_flows_contradicts_that_they_share_equally():
    one = planted(share(lambda r, b: 0.7 if (r, b) == (0.4, 0.2) else 0.5))
    found = outcome_of("managed-equal", cake=one)
    assert found == dict.fromkeys(managed.QUEUES, REPRODUCED) | {"cake": MIXED}
    every = planted(share(lambda r, b: 0.7))
    assert outcome_of("managed-equal", cake=every)["cake"] == CONTRADICTED


def test_throughput_lost_at_a_small_buffer_is_told_from_throughput_gained_there():
    def use(sign):
        return planted(dict.fromkeys((FLOW1, FLOW2), lambda ccas, r, b: 4e7 * (1 + sign * b)))

    found = outcome_of("managed-use", droptail=use(0.8), pie=use(-0.8))
    assert (found["droptail"], found["pie"], found["cake"]) == (REPRODUCED, OPPOSITE, NO_EFFECT)


def test_flow_1_is_set_against_what_its_variant_has_with_the_same_queue():
    def loses(ccas, r, b):
        one, two = ccas.split("-")
        return 0.0 if one == two else -2.0

    found = outcome_of("managed-pays", droptail=planted({NRU1: loses}))
    assert (found["droptail"], found["cake"]) == (REPRODUCED, NO_EFFECT)


def test_an_rtt_at_which_a_pair_lost_no_packet_has_no_say():
    far = planted(share(lambda r, b: 0.3 + 0.3 * b if r > 0.3 else 0.5))
    assert outcome_of("managed-buffer", droptail=far)["droptail"] == REPRODUCED
    calm = far.with_columns(contested=pl.col("base_rtt_s") < 0.3)
    assert outcome_of("managed-buffer", droptail=calm)["droptail"] == NO_EFFECT


# ---- runs, table and figure ---------------------------------------------------------------------


def shares(**of):
    """Cells as the metric has them: {queue: share of flow 2 by buffer}; at two RTTs, one calm."""
    rows = []
    for aqm, by_buffer in of.items():
        for rtt in (0.1, 0.4):
            for buffer, share2 in by_buffer.items():
                cell = {"aqm": aqm, "role": "comparison", "ccas": "newreno-bbr", "n": 3}
                cell |= {"base_rtt_s": rtt, "buffer_bdp": buffer, "share2": share2}
                cell |= {"utilisation": 0.9, "contested": (rtt, buffer) != (0.4, 1.0)}
                rows.append(cell)
    return pl.DataFrame(rows)


def test_the_table_has_shares_by_buffer_of_rtts_at_which_every_buffer_is_contested():
    text = managed.share_by_buffer(shares(pie={0.2: 0.7, 1.0: 0.4}, droptail={0.2: 0.9, 1.0: 0.2}))
    lines = text.replace(NO_BREAK_SPACE, " ").splitlines()
    assert lines[0].startswith("| Flow 1 – flow 2 | Queue | RTTs (ms) | Share of flow 2 at 20 % |")
    assert lines[2:] == [
        "| NewReno – BBR | DropTail | 100 | 90.0 | 20.0 | 90.0 | 90.0 |",
        "|  | PIE | 100 | 70.0 | 40.0 | 90.0 | 90.0 |",
    ]


def test_the_figure_has_a_row_of_panels_a_queue_on_one_scale(tmp_path):
    cells = shares(pie={0.2: 0.7, 1.0: 0.4}, droptail={0.2: 0.9, 1.0: 0.2})
    claim = pl.DataFrame(schema={"claim": pl.String})
    save_chart(managed.managed(cells, claim, {}), tmp_path / "a.svg")
    said = re.findall(r">([^<>]+)</(?:text|tspan)>", (tmp_path / "a.svg").read_text("utf-8"))
    assert {"DropTail", "PIE"} <= set(said) and "CAKE" not in said
    assert said.count("100") >= 2 and "0" in said  # the ends of each row's axis


def tables_of_runs(**drops):
    """The tables run, run_metric and flow_metric of one cell, a run a queue: {queue: its drops}."""
    run, run_metric, flow_metric = [], [], []
    for aqm, dropped in drops.items():
        run_id = f"testbed-aqm/{aqm}"
        of = {"run_id": run_id, "dataset_id": "testbed-aqm", "aqm": aqm, "scenario_id": aqm}
        of |= {"role": "comparison", "ccas": "cubic-bbr", "base_rtt_s": 0.1, "buffer_bdp": 0.2}
        of |= {"n_flows": 2, "repeat": 1, "factors": None, "observed": f'{{"drops": {dropped}}}'}
        run.append(of)
        steady = {"flow_change": 1.0, "drift": 0.0}
        run_metric.append({"run_id": run_id, "jfi": 1.0, "utilisation": 0.9, **steady})
        for flow in (1, 2):
            got = {"mean_throughput_bps": 1e7 * flow, "flow_nru_db": 0.0, "expected_bps": 1e7}
            flow_metric.append({"run_id": run_id, "flow_id": flow, **got})
    return tuple(pl.DataFrame(rows) for rows in (run, run_metric, flow_metric))


def test_runs_of_each_queue_are_told_apart():
    planned = {"dataset_id": ["testbed-aqm"], "scenario": ["pie"], "n_planned": [3]}
    found = managed.runs_by_queue(*tables_of_runs(droptail=9, pie=0), pl.DataFrame(planned))
    sizes = {aqm: len(runs) for aqm, runs in found.items()}
    assert sizes == {"droptail": 1, "fq_codel": 0, "cake": 0, "pie": 1}
    assert found["droptail"]["contested"].item() and not found["pie"]["contested"].item()
    assert found["pie"]["n_planned"].item() == 3


def test_the_documented_columns_of_the_shares_are_those_of_the_table():
    table = managed.managed_share(*tables_of_runs(droptail=9, pie=0))
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    said = [(name, str(dtype)) for name, dtype in split(table)[0].schema.items()]
    assert documented["managed_share"] == said
    assert table["contested"].to_list() == [True, False]
