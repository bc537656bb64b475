"""Settings in the names of a described data set: those of one flow, and buffers given twice."""

from types import SimpleNamespace

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.ingest.described.of_flows import own_settings_of_flows
from evenflow.ingest.parse import parse_dataset
from evenflow.ingest.refusals import refuse_two_buffers
from evenflow.ingest.shares import ccas_of_flows
from raw_data import make_dataset
from small_logs import iperf2

YML = 'files:\n  - path: "run{{repeat}}/{}.txt"\n'


def flows_of(folder, pattern, names) -> pl.DataFrame:
    logs = {
        f"run{run}/{name}.txt": iperf2(seconds=12, mbps=n)
        for run in (1, 2)
        for n, name in enumerate(names, 4)
    }
    make_dataset(folder, logs, YML.format(pattern))
    flow = parse_dataset(folder)["flow"].sort("run_id", "flow_id")
    assert flow["run_id"].unique().sort().to_list() == ["run1", "run2"]
    return flow


def test_when_a_flow_starts_may_stand_in_its_name(tmp_path):
    flow = flows_of(tmp_path, "flow{flow}_at{start_s}", ["flow1_at0", "flow2_at5"])
    assert flow.select("flow_id", "start_s").rows() == [(1, 0), (2, 5)] * 2


def test_so_may_its_variant_beside_it(tmp_path):
    pattern, names = "flow{flow}_{cca}_at{start_s}", ["flow1_cubic_at0", "flow2_bbr_at5"]
    flow = flows_of(tmp_path, pattern, names)
    assert flow.select("cca", "start_s").rows() == [("cubic", 0), ("bbr", 5)] * 2


def test_a_flow_that_its_name_calls_cross_traffic_stays_in_its_run(tmp_path):
    names = ["flow1_no", "flow2_no", "flow3_yes"]
    flow = flows_of(tmp_path, "flow{flow}_{cross_traffic}", names)
    assert flow["cross_traffic"].to_list() == [False, False, True] * 2


def test_flows_may_have_round_trip_times_of_their_own(tmp_path):
    flow = flows_of(tmp_path, "flow{flow}_rtt{rtt_ms}", ["flow1_rtt20", "flow2_rtt80"])
    assert flow["rtt_ms"].to_list() == [20, 80] * 2


@pytest.mark.parametrize(
    ("template", "said", "of_flows"),
    [
        ("f{flow}_rtt{rtt_ms}", [("1", "20"), ("2", "80")], ("rtt_ms",)),
        # a setting of runs: a flow has several, or all flows have the same
        ("f{flow}_rtt{rtt_ms}", [("1", "20"), ("2", "20"), ("1", "80"), ("2", "80")], ()),
        ("f{flow}_rtt{rtt_ms}", [("1", "20"), ("2", "20")], ()),
        ("f{flow}_rtt{rtt_ms}", [("1", "20"), ("1", "80")], ()),
        # of a folder of runs
        ("rtt{rtt_ms}/f{flow}", [("1", "20"), ("2", "80")], ()),
    ],
)
def test_a_setting_is_that_of_a_flow_if_each_flow_has_one_of_its_own(template, said, of_flows):
    placed = [(template, {"flow": flow, "rtt_ms": rtt}, ()) for flow, rtt in said]
    assert own_settings_of_flows(placed) == [of_flows] * len(said)


@pytest.mark.parametrize(
    ("settings", "segments", "refused"),
    [
        ({"buffer_pct": 100, "buffer_bdp": 0.5}, [], True),
        ({"buffer_pct": 50, "buffer_bdp": 0.5}, [], False),
        ({"buffer_bytes": 150000, "buffer_packets": 100}, [], False),  # of 1500 bytes
        ({"buffer_bytes": 144800, "buffer_packets": 100}, [None], False),  # of their payload
        ({"buffer_bytes": 150000, "buffer_packets": 50}, [], True),
        ({"buffer_bytes": 150000, "buffer_packets": 50}, [2948], False),
        ({"buffer_bytes": 58800, "buffer_packets": 100, "mss_bytes": 536}, [1448], False),
        ({"buffer_bytes": 150000, "buffer_packets": 100}, [32741], False),  # of offloading
        ({"buffer_bytes": 150000, "buffer_packets": 0}, [], True),
        # those of unlike kinds are compared where the bandwidth-delay product is known
        ({"buffer_bytes": 150000, "buffer_pct": 100}, [], False),
        ({"buffer_bytes": 0, "buffer_packets": 0}, [], False),
    ],
)
def test_one_buffer_in_two_units_must_be_the_same(tmp_path, settings, segments, refused):
    if not refused:
        refuse_two_buffers(tmp_path, settings, segments)
        return
    with pytest.raises(DataError, match="two buffers are given") as error:
        refuse_two_buffers(tmp_path, settings, segments)
    assert error.value.remedy.startswith("give one of them")


def test_folders_that_are_read_apart_agree_whose_the_variant_is():
    """In one all flows start at once, in the other one starts later: that is no disagreement."""
    template = "rtt{rtt_ms}/flow{flow}_{cca}_at{start_s}.json"
    starts = {"20": ("0", "0"), "40": ("0", "10")}
    for rtt_ms, of_flows in starts.items():
        placed = [
            (template, {"rtt_ms": rtt_ms, "flow": flow, "cca": cca, "start_s": start_s})
            for flow, cca, start_s in zip("12", ("cubic", "bbr"), of_flows, strict=True)
        ]
        entries = [SimpleNamespace(template=t, values=values) for t, values in placed]
        assert ccas_of_flows(entries) == {template: True}
