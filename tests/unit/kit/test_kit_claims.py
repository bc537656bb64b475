"""Claims on the scenarios of a data set: its mean, which runs they ask for, and what is refused."""

import polars as pl
import pytest
from evenflow.claims.sentences import claims_of
from evenflow.errors import DataError
from evenflow.kit.claims import Runs, mean_of
from evenflow.papers import paper
from evenflow.schema import read_document

CLAIM = """\
fair:
  says: Flows are fair
  where: section 1
  figure: fig-fair
  statistic: mean index
  cells: {cells}
  kind: effect
  more: margin
"""


@paper.claim
def fair(said):
    return mean_of(said, "jfi")


@paper.claim
def even(said):
    return mean_of(said, "throughput_ratio")


@paper.claim
def unknown(said):
    return mean_of(said, "jfj")


RUNS = pl.DataFrame(
    {
        "scenario_id": ["a", "a", "a", "b"],
        "run_id": ["a/1", "a/2", "a/3", "b/1"],
        "base_rtt_s": [0.025, 0.025, 0.025, 0.1],
        "role": ["comparison"] * 4,
        "jfi": [0.6, 0.7, 0.8, 1.0],
    }
).with_columns(
    pl.lit(None, pl.Float64).alias(name) for name in ("drift", "flow_change", "use_change")
)


def measured(tmp_path, function, cells="all", runs=RUNS):
    """Return what a claim by a function measures of runs."""
    path = tmp_path / "claims.yml"
    path.write_text(CLAIM.format(cells=cells).replace("fair:", f"{function.__name__}:", 1))
    (claim,) = claims_of(read_document(path), {"margin": 0.5}, {function.__name__: function})
    return claim.measure(Runs(runs, "logs"))


def test_a_claim_is_of_the_runs_that_it_asks_for_and_each_scenario_counts_once(tmp_path):
    case = measured(tmp_path, fair)[""]
    assert case.cells.keys() == {"a", "b"}
    (part,) = case.parts.values()
    assert part.statistic({"a": [0.7], "b": [1.0]}) == pytest.approx(0.85)
    assert set(case.cells["a"].runs) == {"logs/a/1", "logs/a/2", "logs/a/3"}
    assert measured(tmp_path, fair, "base_rtt_s > 0.05")[""].cells.keys() == {"b"}
    assert "no run" in measured(tmp_path, fair, "base_rtt_s > 1")


def without_a_value(*runs):
    return RUNS.with_columns(jfi=pl.when(~pl.col("run_id").is_in(runs)).then("jfi"))


def test_a_claim_on_all_scenarios_is_not_judged_where_one_has_no_value(tmp_path):
    """No flow of scenario b carried anything: of a alone nothing holds 'in all settings'."""
    runs = without_a_value("b/1")
    case = measured(tmp_path, fair, runs=runs)[""]
    assert not case.parts and case.note == "jfi has no value in 1 of 2 scenarios: b"
    narrow = measured(tmp_path, fair, "base_rtt_s < 0.05", runs)[""]
    assert narrow.cells.keys() == {"a"} and not narrow.note


def test_runs_without_a_value_are_counted_beside_the_outcome(tmp_path):
    case = measured(tmp_path, fair, runs=without_a_value("a/2"))[""]
    assert case.cells["a"].runs == ("logs/a/1", "logs/a/3")
    assert case.note == "jfi has no value in 1 of 4 runs"


def test_a_role_that_has_no_value_by_definition_is_not_asked_for_it(tmp_path):
    """As calibration runs, which have no NRU."""
    calibration = pl.when(pl.col("scenario_id") == "b").then(pl.lit("calibration"))
    runs = without_a_value("b/1").with_columns(role=calibration.otherwise("role"))
    case = measured(tmp_path, fair, runs=runs)[""]
    assert case.cells.keys() == {"a"} and not case.note


@pytest.mark.parametrize(
    ("function", "cells", "words"),
    [
        (even, "all", "is a ratio, which has no mean where a flow starves"),
        (unknown, "all", r"'jfj' is not a metric of runs(.|\n)*jfi"),
        (fair, "rtt > 1", r"write `all`, or a condition on columns of `run`"),
        (fair, "base_rtt_s >", r"write `all`, or a condition on columns of `run`"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_file_and_the_remedy(
    tmp_path, function, cells, words
):
    with pytest.raises(DataError, match=words) as error:
        measured(tmp_path, function, cells)
    assert "claims.yml" in str(error.value)
