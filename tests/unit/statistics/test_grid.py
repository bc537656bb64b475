"""Replicates on a grid: complete or none, of contested cells, weighed by their own repeat."""

import math

import polars as pl
import pytest
from evenflow.papers.surface_claims import (
    Subject,
    differences,
    each_variant,
    mean_of,
    rise_of,
    runs_of_parts,
)
from evenflow.statistics.replicates import (
    BUFFER,
    RTT,
    complete_replicates,
    grid_of,
    grid_runs,
    rise,
    uncontested,
)

WHOLE = grid_of({"rtt_ms": [25, 100], "buffer_pct": [20, 100]})
COARSE = grid_of({"rtt_ms": [25], "buffer_pct": [20, 100]})
PLACES = [(0.025, 0.2), (0.025, 1.0), (0.1, 0.2), (0.1, 1.0)]
SURFACE = [("comparison", "newreno-bic")]


def runs(value, repeats=(1, 2, 3), ccas="newreno-bic", calm=(), without=()) -> pl.DataFrame:
    """Runs whose index is value(rtt_s, buffer, repeat); without: (rtt, buffer, repeat) not run."""
    rows = [
        (
            "comparison",
            ccas,
            rtt,
            buffer,
            repeat,
            (rtt, buffer) not in calm,
            value(rtt, buffer, repeat),
        )
        for rtt, buffer in PLACES
        for repeat in repeats
        if (rtt, buffer, repeat) not in without
    ]
    columns = ["role", "ccas", RTT, BUFFER, "repeat", "contested", "jfi"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def by_repeat(rtt, buffer, repeat):
    return 0.5 + 0.1 * repeat


def test_a_replicate_that_lacks_a_cell_is_none_and_it_is_said():
    some = runs(by_repeat, without=[(0.1, 1.0, 2)])
    found = complete_replicates(some, SURFACE, [WHOLE], ["jfi"])
    assert [table["repeat"][0] for table in found.tables] == [1, 3]
    assert found.partly == {2: 1}
    assert found.in_words() == "4 cells a replicate"


def test_the_smaller_grid_is_taken_where_the_larger_has_too_few():
    some = runs(by_repeat, without=[(0.1, 1.0, 2)])
    found = complete_replicates(some, SURFACE, [WHOLE, COARSE], ["jfi"])
    assert found.cells == 2 and len(found.tables) == 3
    found = complete_replicates(runs(by_repeat), SURFACE, [WHOLE, COARSE], ["jfi"])
    assert found.cells == 4 and len(found.tables) == 3


def test_without_any_complete_replicate_the_nearest_is_named():
    some = runs(by_repeat, repeats=(1,), without=[(0.1, 1.0, 1)])
    found = complete_replicates(some, SURFACE, [WHOLE], ["jfi"])
    assert found.tables == []
    assert found.in_words() == "4 cells a replicate, repeat 1 lacks 1 of them"


def test_uncontested_cells_are_left_out_of_every_replicate():
    some = runs(by_repeat, calm=[(0.1, 1.0)])
    found = complete_replicates(some, SURFACE, [WHOLE], ["jfi"], uncontested(some))
    assert {len(table) for table in found.tables} == {3}
    assert found.in_words() == "3 cells a replicate, 1 uncontested left out"


def test_the_rise_is_that_of_a_plane_whatever_cells_are_missing():
    """0.2 a doubling of the RTT, and a level for each buffer: 25 to 100 ms rises by 0.4."""
    plane = runs(lambda rtt, buffer, repeat: 0.2 * math.log2(rtt) + buffer, repeats=(1,))
    assert rise(plane, RTT, "jfi") == pytest.approx(0.4)
    assert rise(plane, BUFFER, "jfi") == pytest.approx(0.8)
    assert rise(plane.head(3), RTT, "jfi") == pytest.approx(0.4)
    assert rise(plane.filter(pl.col(RTT) == 0.1), RTT, "jfi") is None


def test_a_claim_has_a_case_a_variant_and_its_null():
    both = pl.concat([runs(by_repeat), runs(lambda *_: 1.0, ccas="newreno-newreno")])
    measure = each_variant(mean_of("jfi"), "jfi", ["bic", "cubic"], null=True)
    found = measure(Subject("testbed", both, [WHOLE]))
    assert found["BIC"].values == pytest.approx([0.6, 0.7, 0.8])
    assert found["BIC"].null == pytest.approx([1.0] * 3)
    assert found["CUBIC"].values == []
    only = each_variant(mean_of("jfi"), "jfi", ["bic"], platform="ns2")
    assert only(Subject("testbed", both, [WHOLE])) is None


def test_only_cells_that_the_sentence_is_about_count():
    steep = runs(lambda rtt, buffer, repeat: rtt * repeat)
    measure = each_variant(rise_of("jfi", RTT), "jfi", ["bic"], where=pl.col(BUFFER) < 0.5)
    found = measure(Subject("testbed", steep, [WHOLE]))["BIC"]
    assert found.values == pytest.approx([0.075, 0.15, 0.225])
    assert found.note == "2 cells a replicate"


def test_differences_are_of_the_same_repeat_and_their_null_of_repeats_alone():
    simulation = runs(lambda rtt, buffer, repeat: 0.9)
    testbed = runs(lambda rtt, buffer, repeat: 0.5 + 0.01 * repeat, calm=[(0.1, 0.2)])
    measure = differences(lambda d: d["d"].mean(), ["bic"])
    found = measure(Subject("testbed", testbed, [WHOLE], simulation))[""]
    assert found.values == pytest.approx([0.39, 0.38, 0.37])
    assert found.null == pytest.approx([-0.01, -0.01, 0.02])
    assert "1 uncontested left out" in found.note
    assert measure(Subject("ns2", simulation, [WHOLE])) is None


def tables(calibrated):
    """Run, run_metric, flow_metric of a comparison run and of calibration runs, a repeat each."""
    run, metric, flow = [], [], []
    for repeat, bps in enumerate(calibrated, start=1):
        for role, ccas, got in (
            ("calibration", "newreno-newreno", bps),
            ("calibration", "bic-bic", bps),
            ("comparison", "newreno-bic", 40e6),
        ):
            name = f"{role}/{ccas}/r{repeat}"
            place = {"role": role, "ccas": ccas, RTT: 0.025, BUFFER: 0.2, "factors": None}
            run.append({"run_id": name, "n_flows": 2, "repeat": repeat, "observed": None, **place})
            metric.append({"run_id": name, "jfi": 1.0, "utilisation": 1.0})
            expected = sum(calibrated) / len(calibrated) if role == "comparison" else None
            nru = expected and 10 * math.log10(got / expected)
            flow += [
                {
                    "run_id": name,
                    "flow_id": i,
                    "mean_throughput_bps": got,
                    "flow_nru_db": nru,
                    "expected_bps": expected,
                }
                for i in (1, 2)
            ]
    return (pl.DataFrame(rows, infer_schema_length=None) for rows in (run, metric, flow))


def test_the_weight_of_a_replicate_is_the_calibration_of_its_own_repeat():
    """40 Mb/s against calibrations of 40 and 20 Mb/s: 0 and 3.01 dB, not 1.25 dB twice."""
    found = grid_runs(*tables([40e6, 20e6]), "flow2").filter(role="comparison")
    for column in ("flow_nru_db_flow1", "flow_nru_db_flow2", "system_nru_db"):
        assert found[column].to_list() == pytest.approx([0, 10 * math.log10(2)])


def test_without_a_calibration_of_its_repeat_a_run_has_no_nru():
    run, metric, flow = tables([40e6, 20e6])
    run = run.filter(~pl.col("run_id").str.ends_with("bic-bic/r2"))
    found = runs_of_parts({"a": run}, {"a": metric}, {"a": flow}, "flow2")
    found = found.filter(role="comparison")
    assert found["flow_nru_db_flow2"].to_list() == [pytest.approx(0), None]
    assert found["flow_nru_db_flow1"].null_count() == 0
    assert found["part"].to_list() == ["a", "a"]
