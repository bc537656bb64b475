"""Where flows contend, and what the text says of claims."""

import json
from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.papers import claim_numbers
from evenflow.papers.claims import judge
from evenflow.papers.make import load
from evenflow.statistics.windows import windows

FOLDER = Path(__file__).parents[1]
contest, claims = (load(FOLDER / f"{name}.py") for name in ("contest", "claims"))
GRID = [{"rtt_ms": [100, 400], "buffer_pct": [20, 100]}]
CELLS = [(0.1, 0.2), (0.1, 1.0), (0.4, 0.2), (0.4, 1.0)]


def runs(window_bps=36e6, n=3):
    """Runs of NewReno beside itself and BIC; at 400 ms nothing is lost and a window holds both."""
    rows = []
    for ccas in ("newreno-newreno", "newreno-bic"):
        for rtt, buffer in CELLS:
            for repeat in range(1, n + 1):
                calm = rtt == 0.4
                gain = 0.0 if ccas == "newreno-newreno" or calm else 2.0
                rows.append(
                    {
                        "part": "testbed", "role": "comparison", "ccas": ccas,
                        "base_rtt_s": rtt, "buffer_bdp": buffer, "repeat": repeat,
                        "run_id": f"{ccas}/{rtt}/{buffer}/{repeat}",
                        "dropped": 0 if calm else 5, "contested": not calm,
                        "mean_throughput_bps_flow1": window_bps if calm else 47e6,
                        "mean_throughput_bps_flow2": window_bps if calm else 48e6,
                        "flow_nru_db_flow1": -gain, "flow_nru_db_flow2": gain + 0.01 * repeat,
                        "system_nru_db": -gain / 4 + 0.01 * repeat,
                    }
                )  # fmt: skip
    return pl.DataFrame(rows)


def placed(table):
    observed = json.dumps({"mss_bytes": {"1": 1448, "2": 1448}})
    run = table.select("run_id", bottleneck_bps=pl.lit(1e8), observed=pl.lit(observed))
    return windows(table, {"testbed": run})


def test_the_text_says_how_many_cells_are_without_a_loss():
    found = contest.contest_variables(placed(runs()), 3 * 1448)
    assert found["allowed"] == "3"
    mine = found["testbed"]
    assert (mine["comparison"], mine["n_cells"], mine["least_rtt_ms"]) == ("2", "4", "400")
    assert (mine["n_runs"], mine["n_calm_runs"], mine["window"]) == ("24", "12", "1,243")


def test_effects_are_of_all_contested_and_free_cells():
    """The window of 1243 packets fills path and buffer (991) in the cell 100 ms, 20 % alone."""
    effect = contest.effects(placed(runs()), GRID, 0.95)
    bic = effect.filter(part="testbed", quantity="flow2", cca="bic")
    found = dict(bic.select("cells", "estimate").rows())
    assert found["all"] == pytest.approx(1.02)
    assert found["contested"] == pytest.approx(2.02)
    assert bic.filter(cells="free")["of"].item() == "1 cell a replicate"
    null = effect.filter(part="testbed", quantity="flow2", cca="newreno", cells="contested")
    assert null["estimate"].item() == pytest.approx(0.02)
    assert null["low"].item() < 0.02 < null["high"].item()
    printed = contest.effect_markdown(effect, "testbed", "open")
    assert "2.02 (2.00 to 2.04)" in printed.replace("\u00a0", " ")
    assert contest.effect_variables(effect)["testbed"]["flow2"]["bic"]["all"].startswith("1.02 (")
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    assert documented["effect"] == [(c, str(dtype)) for c, dtype in effect.schema.items()]


def test_where_every_cell_is_contested_no_window_binds():
    table = runs().with_columns(contested=pl.lit(True))
    effect = contest.effects(placed(table), GRID, 0.95)
    free = effect.filter(part="testbed", quantity="flow2", cca="bic", cells="free")
    assert free["of"].item() == "4 cells a replicate"


def test_weights_are_as_uncertain_as_their_repeats():
    own = runs().filter(ccas="newreno-bic").with_columns(role=pl.lit("calibration"))
    one = (pl.col("base_rtt_s") == 0.1) & (pl.col("buffer_bdp") == 0.2) & (pl.col("repeat") == 1)
    column = "mean_throughput_bps_flow2"
    own = own.with_columns(pl.when(one).then(48e6 + 3e6).otherwise(pl.col(column)).alias(column))
    (found,) = contest.weight_variables(own).values()
    assert (found["n_cells"], found["n_repeated"]) == ("4", "4")
    assert (found["sd_median"], found["sd_most"]) == ("0.0", "1.7")  # 3 / sqrt(3)


# ---- what the text says -------------------------------------------------------------------------


def claim_table():
    replicates = claims.each_variant
    mean = claims.mean_of("flow_nru_db_flow2")
    columns = "flow_nru_db_flow2"
    declared = [
        claims.in_db("higher", "BIC has more", "1", "fig-x", "mean", claims.Region(low=0.5),
                     replicates(mean, columns, ["bic"], null=True)),
        claims.in_db("null", "BIC has some", "1", "fig-x", "mean", claims.Region(low=-0.5),
                     replicates(mean, columns, ["bic"], null=True)),
        claims.in_db("never", "It is said", "2", "", "what", claims.Region(low=0),
                     claims.never("nobody looked")),
    ]  # fmt: skip
    subjects = claims.subjects_of(runs(), {"testbed": "testbed"}, GRID)
    return judge("p", declared, subjects, confidence=0.95, fdr=0.05)


def test_outcomes_in_the_text_are_those_of_the_table():
    found = claim_numbers.claim_variables(claim_table())
    assert found["of"]["testbed"] == {
        "higher": "reproduced", "null": "inconclusive", "never": "not testable"
    }  # fmt: skip
    assert found["count"]["testbed"] == {
        "reproduced": "1", "contradicted": "0", "inconclusive": "1", "not_testable": "1"
    }  # fmt: skip
    assert found["value"]["testbed"]["higher"]["bic"] == "2.02 dB (2.00 to 2.04)"
    assert found["null"]["testbed"]["higher"]["bic"] == "0.02 dB (0.00 to 0.04)"
    assert (found["n"], found["n_rows"], found["n_with_null"]) == ("3", "3", "2")
    assert (found["n_null"], found["n_passed_null"]) == ("1", "0")
