"""Where flows contend, and what the text says of claims."""

import json
import math
from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.claims import claim_numbers
from evenflow.claims.cases import Claim, never
from evenflow.claims.judge import judge
from evenflow.claims.sentences import Sentence
from evenflow.evidence.say import tagged
from evenflow.papers.make import load
from evenflow.statistics.outcomes import less, more

from ..._grid.surfaces import each_variant, mean_of, subjects_of
from ..._grid.tcp_windows import windows

FOLDER = Path(__file__).parents[1]
contest, claims = (load(FOLDER / f"{name}.py") for name in ("contest", "claims"))
GRID = [{"rtt_ms": [100, 400], "buffer_pct": [20, 100]}]
CELLS = [(0.1, 0.2), (0.1, 1.0), (0.4, 0.2), (0.4, 1.0)]


def runs(window_bps=36e6, n=3):
    """Runs of NewReno beside itself and BIC; at 400 ms nothing is lost and a window holds both."""
    rows = []
    of = [("comparison", f"newreno-{cca}") for cca in contest.VARIANTS]
    of += [("calibration", f"{cca}-{cca}") for cca in contest.VARIANTS]
    for role, ccas in of:
        for rtt, buffer in CELLS:
            for repeat in range(1, n + 1):
                calm = rtt == 0.4
                gain = 2.0 if ccas == "newreno-bic" and not calm else 0.0
                level = 10 * math.log10(window_bps if calm else 48e6)  # that of self-fairness
                rows.append(
                    {
                        "part": "testbed", "role": role, "ccas": ccas, "jfi": 0.9,
                        "base_rtt_s": rtt, "buffer_bdp": buffer, "repeat": repeat,
                        "run_id": f"{role}/{ccas}/{rtt}/{buffer}/{repeat}",
                        "dropped": 0 if calm else 5, "contested": not calm,
                        "mean_throughput_bps_flow1": window_bps if calm else 47e6,
                        "mean_throughput_bps_flow2": window_bps if calm else 48e6,
                        "level_db_flow1": level - gain,
                        "level_db_flow2": level + gain + 0.01 * repeat,
                    }
                )  # fmt: skip
    return pl.DataFrame(rows)


def placed(table):
    observed = json.dumps({"mss_bytes": {"1": 1448, "2": 1448}})
    run = table.select("run_id", bottleneck_bps=pl.lit(1e8), observed=pl.lit(observed))
    return windows(table, {"testbed": run})


def test_the_text_says_how_many_cells_are_without_a_loss():
    found = contest.contest_variables(tagged(placed(runs()), "window_run"), 3 * 1448)
    assert found["allowed"] == "3"
    mine = found["testbed"]
    assert (mine["comparison"], mine["n_cells"], mine["least_rtt_ms"]) == ("2", "4", "400")
    assert mine["window"] == "1,243"


def test_effects_are_of_all_contested_and_free_cells():
    """The window of 1243 packets fills path and buffer (991) in the cell 100 ms, 20 % alone."""
    effect = contest.effects(placed(runs()), GRID, 0.95)
    bic = effect.filter(part="testbed", quantity="flow2", cca="bic", weight="flow2")
    found = dict(bic.select("cells", "estimate").rows())
    assert found["all"] == pytest.approx(1.02)
    assert found["contested"] == pytest.approx(2.02)
    assert bic.filter(cells="free")["n_cells"].item() == 1
    null = effect.filter(part="testbed", quantity="flow2", cca="newreno", cells="contested")
    null = null.filter(weight="flow2")
    assert null["estimate"].item() == pytest.approx(0.02)
    assert null["low"].item() < 0.02 < null["high"].item()
    printed = contest.effect_markdown(effect, "testbed", "open")
    assert "2.02 (2.00 to 2.04)" in printed.replace("\u00a0", " ")
    said = contest.effect_variables(tagged(effect, "effect"))["testbed"]["flow2"]["bic"]
    assert said["all"]["flow2"].startswith("1.02 (")
    weighed = contest.weight_markdown(effect).splitlines()
    assert weighed[0].count("|") == 7 and "Both flows" in weighed[0]
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    assert documented["effect"] == [
        (c, str(dtype)) for c, dtype in effect.drop("runs").schema.items()
    ]


def test_where_every_cell_is_contested_no_window_binds():
    table = runs().with_columns(contested=pl.lit(True))
    effect = contest.effects(placed(table), GRID, 0.95)
    free = effect.filter(part="testbed", quantity="flow2", cca="bic", cells="free")
    assert free["n_cells"].unique().item() == 4


def test_weights_are_as_uncertain_as_their_repeats():
    own = (
        runs()
        .filter(ccas="newreno-bic", role="comparison")
        .with_columns(role=pl.lit("calibration"))
    )
    one = (pl.col("base_rtt_s") == 0.1) & (pl.col("buffer_bdp") == 0.2) & (pl.col("repeat") == 1)
    column = "mean_throughput_bps_flow2"
    own = own.with_columns(pl.when(one).then(48e6 + 3e6).otherwise(pl.col(column)).alias(column))
    cells = contest.weight_cells(own)
    assert set(cells["runs"].list.len()) == {cells["n"][0]}
    (found,) = contest.weight_variables(tagged(cells, "weight_cell")).values()
    assert (found["n_cells"], found["n_repeated"]) == ("4", "4")
    assert (found["sd_median"], found["sd_most"]) == ("0.0", "1.7")  # 3 / sqrt(3)


def test_the_spread_of_calibrations_is_shown_by_variant():
    """One of three repeats of BIC has 3 Mb/s more: a standard deviation of 3 / sqrt(3)."""
    one = (pl.col("ccas") == "bic-bic") & (pl.col("base_rtt_s") == 0.1)
    one &= (pl.col("buffer_bdp") == 0.2) & (pl.col("repeat") == 1)
    flow2 = pl.col("mean_throughput_bps_flow2")
    moved = pl.when(one).then(flow2 + 3e6).otherwise(flow2)
    cells = contest.weight_cells(runs().with_columns(moved))
    _, _, *lines = contest.calibration_markdown(cells).splitlines()
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[1] for row in table] == ["NewReno", "BIC", "CUBIC", "Compound", "all"]
    assert table[1][2:] == ["4", "4", "0.0", "1.7", "0.2"]
    assert table[-1][2:] == ["16", "16", "0.0", "1.7", "0.2"]
    assert table[0][0] == "Own queue" and not any(row[0] for row in table[1:])


# ---- what the text says -------------------------------------------------------------------------


def claim_table():
    said = Sentence("higher", {}, "all", cases=("bic",), control=True)
    mean = each_variant(said, mean_of("nru2"))
    in_db = {"scale": "dB", "unit": "dB"}
    declared = [
        Claim("higher", "BIC has more", "1", "fig-x", "mean", more(0.5), mean, **in_db),
        Claim("lower", "BIC has less", "1", "fig-x", "mean", less(0.5), mean, **in_db),
        Claim("never", "It is said", "2", "", "what", more(0.5), never("nobody looked"), **in_db),
    ]
    subjects = subjects_of(runs(), {"testbed": "testbed"}, GRID[-1])
    return judge("p", declared, subjects, confidence=0.95, fdr=0.05)


def test_outcomes_in_the_text_are_those_of_the_table():
    found = claim_numbers.claim_variables(tagged(claim_table(), "claim"))
    assert found["of"]["testbed"] == {
        "higher": "reproduced", "lower": "opposite", "never": "not testable"
    }  # fmt: skip
    count = found["count"]["testbed"]
    assert (count["reproduced"], count["opposite"], count["not_testable"]) == ("1", "1", "1")
    assert found["value"]["testbed"]["higher"]["bic"].startswith("2.02 dB (2.0")
    assert found["null"]["testbed"]["higher"]["bic"].startswith("0.02 dB (0.0")
    assert found["contrast"]["testbed"]["higher"]["bic"].startswith("2.00 dB (")
    assert (found["n"], found["n_rows"], found["n_with_null"]) == ("3", "3", "2")
    assert (found["n_null_matters"], found["n_null_moves"]) == ("0", "0")
