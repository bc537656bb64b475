"""What names say in a form that is not read: it is not called unsaid."""

import pytest
from evenflow.ingest.naming.mentions import mention
from evenflow.ingest.parse import parse_dataset
from raw_data import make_dataset
from small_logs import iperf3_json


@pytest.mark.parametrize(
    ("path", "key", "text"),
    [
        ("rtt1e2_bw1e8.txt", "rtt_ms", "rtt1e2"),
        ("rtt1e2_bw1e8.txt", "bottleneck_mbps", "bw1e8"),
        ("owd10ms.txt", "rtt_ms", "owd10ms"),
        ("latency20_x.txt", "rtt_ms", "latency20"),
        ("rtt0.1min.log", "rtt_ms", "rtt0.1min"),
        ("cubic_rtt10to40ms_run1.txt", "rtt_ms", "rtt10to40ms"),
        ("bw10to20mbit.txt", "bottleneck_mbps", "bw10to20mbit"),
        ("cubic_40Mb_x.txt", "bottleneck_mbps", "40Mb"),
        ("x_100GbE.txt", "bottleneck_mbps", "100GbE"),
        ("x_10G.txt", "bottleneck_mbps", "10G"),
        ("buf100ms/x.txt", "buffer_pct", "buf100ms"),
        ("x_bdp2_y.txt", "buffer_pct", "bdp2"),
        ("x_halfbdp.txt", "buffer_pct", "halfbdp"),
        ("deep_buffer/x.txt", "buffer_pct", "deep_buffer"),
        # nothing of it
        ("cubic_20ms_run1.txt", "rtt_ms", None),
        ("5G/x.txt", "bottleneck_mbps", None),
        ("sent1MB_20m.txt", "bottleneck_mbps", None),
        ("buffers/x.txt", "buffer_pct", None),
        ("queue1.tr", "buffer_pct", None),
        ("link2/x.txt", "bottleneck_mbps", None),
    ],
)
def test_forms_that_are_not_read(path, key, text):
    assert mention(path, key) == text


def rows_of(tmp_path, names: list[str]) -> dict[str, dict]:
    logs = {name: iperf3_json(minute=n, mbps=n) for n, name in enumerate(names, 1)}
    tables = parse_dataset(make_dataset(tmp_path / "said", logs, ""))
    return {row["what"]: row for row in tables["assumption"].filter(value="unknown").to_dicts()}


def test_what_names_say_in_another_form_is_not_called_unsaid(tmp_path):
    rows = rows_of(tmp_path, [f"cubic_40Mb_bdp{n}_run{r}.json" for n in (2, 4) for r in (1, 2)])
    assert rows["rtt_ms"]["because"] == "no name and no log says it"
    assert rows["bottleneck_mbps"]["because"].startswith("names have '40Mb', ")
    assert "# defaults: {bottleneck_mbps: 100}" in rows["bottleneck_mbps"]["yaml"]
    assert rows["buffer_pct"]["because"].startswith("names have 'bdp2', 'bdp4', ")
    assert "#     run,buffer_pct" in rows["buffer_pct"]["yaml"]
    assert "#     cubic_40Mb_bdp4_run1.json," in rows["buffer_pct"]["yaml"].splitlines()


def test_what_nothing_says_is_called_unsaid_in_one_row(tmp_path):
    rows = rows_of(tmp_path, ["cubic_run1.json", "cubic_run2.json"])
    assert rows["bottleneck_mbps, rtt_ms, buffer_pct"]["because"] == "no name and no log says it"
