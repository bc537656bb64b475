"""Claims on a grid: cells of all variants alike, contested ones, weighed by the calibration."""

import math

import numpy as np
import polars as pl
import pytest
from evenflow.claims.cases import Case
from evenflow.claims.cases import asked as asked_cells
from evenflow.claims.sentences import Sentence
from evenflow.errors import DataError
from evenflow.statistics.stratified import estimate

from ..grid_runs import BUFFER, RTT, curve, grid_of, grid_runs, rise
from ..surfaces import (
    COLUMN,
    QUANTITIES,
    Subject,
    Surface,
    differences,
    each_place,
    each_rtt,
    each_variant,
    inside_less_outside,
    mean_of,
    rise_of,
    runs_of_parts,
    where,
)

WHOLE = grid_of({"rtt_ms": [25, 100], "buffer_pct": [20, 100]})
PLACES = [(0.025, 0.2), (0.025, 1.0), (0.1, 0.2), (0.1, 1.0)]
READINGS = {"low_pct": 50, "mid_ms": [20, 30], "word": "x"}
FLOWS = {
    "level_db_flow1": 70.0,
    "level_db_flow2": 70.0,
    "mean_throughput_bps_flow1": 1e7,
    "mean_throughput_bps_flow2": 1e7,
}


def runs(value, repeats=(1, 2, 3), ccas="newreno-bic", calm=(), role="comparison", **flows):
    """Runs whose index is value(rtt_s, buffer, repeat)."""
    rows = [
        {
            "role": role,
            "ccas": ccas,
            RTT: rtt,
            BUFFER: buffer,
            "repeat": repeat,
            "run_id": f"{ccas}/{rtt}/{buffer}/{repeat}",
            "contested": (rtt, buffer) not in calm,
            "jfi": value(rtt, buffer, repeat),
            **(FLOWS | flows),
        }
        for rtt, buffer in PLACES
        for repeat in repeats
    ]
    return pl.DataFrame(rows)


def by_repeat(rtt, buffer, repeat):
    return 0.5 + 0.1 * repeat


def subject(of, against=None):
    return Subject("a", "testbed", of, WHOLE, against)


def said(*variants, cells="all", **more):
    return Sentence("bound", READINGS, cells, cases=variants, place=("claims.yml", 7), **more)


def value_of(case: Case, name="", control=False):
    part = case.parts[name]
    statistic = part.control if control else part.statistic
    return estimate(case.cells, statistic, case.quantities).value


def test_the_rise_is_that_of_a_plane_whatever_cells_are_missing():
    """0.2 a doubling of the RTT, and a level for each buffer: 25 to 100 ms rises by 0.4."""
    rtt, buffer = (pl.Series(of).to_numpy() for of in zip(*PLACES, strict=True))
    plane = 0.2 * pl.Series(rtt).log(2).to_numpy() + buffer
    assert rise(rtt, buffer, plane) == pytest.approx(0.4)
    assert rise(buffer, rtt, plane) == pytest.approx(0.8)
    assert rise(rtt[:3], buffer[:3], plane[:3]) == pytest.approx(0.4)
    assert rise(rtt[2:], buffer[2:], plane[2:]) is None
    assert curve(rtt, buffer, plane) == pytest.approx([-0.2, 0.2])


def test_a_claim_has_a_case_a_variant_and_its_null_in_the_same_cells():
    both = pl.concat([runs(by_repeat), runs(lambda *_: 0.9, ccas="newreno-newreno")])
    measure = each_variant(said("bic", "cubic", control=True), mean_of("jfi"))
    found = measure(subject(both))
    assert value_of(found["BIC"]) == pytest.approx(0.7)
    assert value_of(found["BIC"], control=True) == pytest.approx(0.9)
    lacks = estimate(
        found["CUBIC"].cells, found["CUBIC"].parts[""].statistic, found["BIC"].quantities
    )
    assert len(lacks.lacking) == len(PLACES)
    only = each_variant(said("bic", only="ns2"), mean_of("jfi"))
    assert only(subject(both)) is None


def test_a_cell_that_is_uncontested_of_one_variant_is_left_out_of_all():
    calm = runs(by_repeat, ccas="newreno-cubic", calm=[(0.1, 1.0)])
    found = each_variant(said("bic", "cubic"), mean_of("jfi"))(
        subject(pl.concat([runs(by_repeat), calm]))
    )
    for case in found.values():
        assert len(estimate(case.cells, case.parts[""].statistic, case.quantities).cells) == 3
        assert case.note == "1 uncontested cell left out"


def test_only_cells_that_the_sentence_is_about_count():
    steep = runs(lambda rtt, buffer, repeat: 0.5 + rtt * repeat)
    measure = each_variant(said("bic", cells="buffer_pct < low_pct"), rise_of("jfi", RTT))
    case = measure(subject(steep))["BIC"]
    assert value_of(case) == pytest.approx(0.15)
    assert case.parts[""].curve({key: of.mean for key, of in case.cells.items()})[1] > 0


@pytest.mark.parametrize(
    ("cells", "kept"),
    [
        ("all", PLACES),
        ("rtt_ms <= 25", PLACES[:2]),
        ("rtt_ms < 25", []),
        ("rtt_ms > 25", PLACES[2:]),
        ("rtt_ms >= 100", PLACES[2:]),
        ("rtt_ms = 100", PLACES[2:]),
        ("rtt_ms in mid_ms", PLACES[:2]),
        ("buffer_pct > low_pct", PLACES[1::2]),
        ("rtt_ms > 25 and buffer_pct <= 20", [PLACES[2]]),
        ("free", PLACES[::2]),
        ("bound", PLACES[1::2]),
        ("free and rtt_ms = 25", PLACES[:1]),
    ],
)
def test_cells_in_words(cells, kept):
    free = runs(by_repeat).with_columns(
        contested=pl.lit(False), window=pl.lit(10.0), capacity=pl.col(BUFFER) * 40
    )
    assert WHOLE.filter(where(said(), cells, subject(free))).rows() == kept


@pytest.mark.parametrize(
    "cells", ["any", "rtt_ms <= high", "rtt <= 25", "rtt_ms <= mid_ms", "rtt_ms in low_pct",
              "rtt_ms <= word", "rtt_ms ~ 25", "rtt_ms <= 25 or free", ""]
)  # fmt: skip
def test_cells_that_are_none_are_named_with_file_and_line(cells):
    with pytest.raises(DataError, match=r"^claims\.yml:7: bound: .*Remedy"):
        where(said(), cells, subject(runs(by_repeat)))


def test_inside_is_set_against_the_other_cells():
    steep = runs(lambda rtt, buffer, repeat: 0.5 + rtt + 0.01 * repeat)
    of = inside_less_outside(said("bic", inside="rtt_ms = 100"), "jfi")(subject(steep))["BIC"]
    assert value_of(of) == pytest.approx(0.075)
    nothing = inside_less_outside(said("bic", inside="rtt_ms > 100"), "jfi")(subject(steep))
    assert value_of(nothing["BIC"]) is None


def test_cells_are_judged_each_or_by_their_rtt():
    of = each_variant(said("bic"), mean_of("jfi"), by=each_place)(subject(runs(by_repeat)))["BIC"]
    assert list(of.parts) == [
        "25 ms and 20 %",
        "25 ms and 100 %",
        "100 ms and 20 %",
        "100 ms and 100 %",
    ]
    assert list(each_rtt(PLACES)) == ["25 ms", "100 ms"]
    assert list(each_rtt(PLACES[:3])) == ["25 ms"]  # the other has one end of the buffers
    assert each_rtt(PLACES[::2]) == {}  # of one buffer nothing has both ends
    assert each_rtt([]) == {}


def test_differences_are_of_each_cell_that_is_contested_on_both_sides():
    simulation = runs(lambda rtt, buffer, repeat: 0.9 + 0.001 * repeat)
    testbed = runs(lambda rtt, buffer, repeat: 0.5 + 0.01 * repeat, calm=[(0.1, 0.2)])
    case = differences(said("bic"), "jfi")(subject(testbed, simulation))[""]
    assert list(case.parts) == [
        "BIC at 25 ms and 20 %",
        "BIC at 25 ms and 100 %",
        "BIC at 100 ms and 100 %",
    ]
    assert value_of(case, "BIC at 25 ms and 20 %") == pytest.approx(0.902 - 0.52)
    assert case.note == "1 uncontested cell left out"
    assert differences(said("bic"), "jfi")(subject(simulation)) is None


def test_runs_that_are_equal_are_one_run():
    case = each_variant(said("bic"), mean_of("jfi"))(subject(runs(lambda *_: 0.8)))["BIC"]
    assert {len(of.values) for of in case.cells.values()} == {1}


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
            steady = {"flow_change": 1.0, "drift": 0.0}
            metric.append({"run_id": name, "jfi": 1.0, "utilisation": 1.0, **steady})
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


def test_the_weight_of_an_nru_is_a_cell_of_the_claim():
    """40 Mb/s against calibrations of 40 and 20 Mb/s: 1.51 dB, and its spread in the interval."""
    found = grid_runs(*tables([40e6, 20e6]))
    assert found.filter(role="comparison")["level_db_flow2"].to_list() == pytest.approx(
        [10 * math.log10(40e6)] * 2
    )
    one = Subject("a", "testbed", found, grid_of({"rtt_ms": [25], "buffer_pct": [20]}))
    case = each_variant(said("bic"), mean_of("nru2"))(one)["BIC"]
    of = estimate(case.cells, case.parts[""].statistic, case.quantities)
    assert of.value == pytest.approx(5 * math.log10(2))
    assert len(of.cells) == 2  # its own calibration, not that of flow 1's variant


def test_a_part_is_named_with_its_runs():
    run, metric, flow = tables([40e6, 20e6])
    found = runs_of_parts({"a": run}, {"a": metric}, {"a": flow})
    assert found["part"].unique().to_list() == ["a"]


@pytest.mark.parametrize(("name", "least"), [("jfi", 0.5), ("share2", 0.0), ("first", 0.0)])
def test_a_value_at_the_end_of_its_range_is_known(name, least):
    quantity = QUANTITIES[COLUMN[name]]
    assert [quantity.is_at_bound(value) for value in (least, 0.75, 1.0)] == [True, False, True]


def runs_with(calm=True):
    """Two repeats of three cells of NewReno against BIC, and of both calibrations.

    At 100 ms BIC's own calibration is unsteady, in half of its runs.
    """
    rows = []
    for rtt in (0.025, 0.05, 0.1):
        for role, ccas in (
            ("comparison", "newreno-bic"),
            ("comparison", "newreno-newreno"),
            ("calibration", "newreno-newreno"),
            ("calibration", "bic-bic"),
        ):
            for repeat in (1, 2):
                rows.append(
                    {
                        **{"role": role, "ccas": ccas, RTT: rtt, BUFFER: 0.2, "repeat": repeat},
                        **{"run_id": f"{role}{ccas}{rtt}{repeat}", "contested": True, "jfi": 0.8},
                        **{"mean_throughput_bps_flow1": 40e6, "utilisation": 1.0, "dropped": 1},
                        "mean_throughput_bps_flow2": 40e6 * (1 + rtt) * (1 + 0.01 * repeat),
                        **{
                            "level_db_flow1": 76.0,
                            "level_db_flow2": 76.0 + 10 * rtt + repeat / 100,
                        },
                        "unsteady": (ccas, rtt, repeat) == ("bic-bic", 0.1, 1) and not calm,
                    }
                )
    return pl.DataFrame(rows)


def measured(runs, value="nru2", **more):
    subject = Subject("a", "testbed", runs, grid_of({"rtt_ms": [25, 50, 100], "buffer_pct": [20]}))
    return each_variant(said("bic", **more), mean_of(value))(subject)["BIC"]


def test_an_unsteady_weight_takes_its_place_from_claim_and_control():
    case = measured(runs_with(calm=False), control=True)
    steady = case.steady
    assert (steady.n_out, steady.of, steady.span) == (1, 3, "25 to 50 ms and 20 %")
    asked = {
        key[3] for part in steady.case.parts.values() for key in asked_cells(steady.case, part)
    }
    assert asked == {0.025, 0.05}
    assert steady.loses_end and steady.is_of_transient
    assert measured(runs_with()).steady.n_out == 0


def test_runs_of_which_nothing_is_known_are_not_said_to_be_steady():
    assert measured(runs_with().drop("unsteady")).steady is None


def test_statistics_of_throughputs_ask_for_no_weights():
    """A calibration that is unsteady is nothing to a statement on flow 2's throughput."""
    subject = Subject(
        "a",
        "testbed",
        runs_with(calm=False),
        grid_of({"rtt_ms": [25, 50, 100], "buffer_pct": [20]}),
    )
    case = each_variant(said("bic"), mean_of("flow2"))(subject)["BIC"]
    assert case.steady.n_out == 0


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("nru1", {"newreno-newreno"}),
        ("nru2", {"bic-bic"}),
        ("system", {"newreno-newreno", "bic-bic"}),
        ("jfi", set()),
    ],
)
def test_an_nru_asks_for_the_calibration_of_its_own_flow_alone(name, asked):
    read = set()

    class Means(dict):
        def __missing__(self, key):
            read.add(key[1:3])
            return np.ones(len(QUANTITIES))

    surface = Surface(Means(), ("here", "comparison", "newreno-bic"), [(0.1, 0.2)], "place")
    assert surface[name].shape == (1,)
    assert read == {("comparison", "newreno-bic"), *(("calibration", of) for of in asked)}
