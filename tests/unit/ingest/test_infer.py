"""What names say, and layouts of folders as people have them: inferred sensibly or not at all.

Real logs under invented names: what matters here is what is made of the names.
"""

import bz2
import gzip
import json
import lzma
import re
import shutil
import zipfile

import pytest
from evenflow.congestion_controls import cca_name
from evenflow.errors import DataError
from evenflow.ingest.naming.words import read_path
from evenflow.ingest.parse import parse_dataset
from raw_data import IPERF2, ROOT, content, make_dataset
from small_logs import iperf2, iperf3

ARCHIVES = ROOT / "tests/fixtures/archives"
SERVER = content(IPERF2 / "plain.server.log")  # one connection, no date
CLIENT = content(IPERF2 / "plain.client.log")  # its other end
DATED = content(IPERF2 / "enhanced.server.log")
TWO_FLOWS = content(IPERF2 / "parallel.server.log")


def drop(folder, logs: dict[str, bytes]):
    for path, log in logs.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(log)
    return parse_dataset(folder)


def at(minute: int, log: bytes = DATED, host: str = "") -> bytes:
    """Return a dated log as if it had begun at this minute, on this host."""
    log = re.sub(rb"19:44:46", b"19:%02d:46" % minute, log)
    return log.replace(b"127.0.0.1%lo", host.encode()) if host else log


def on(host: str, log: bytes = SERVER) -> bytes:
    """Return an undated log as if this host had written it."""
    return log.replace(b"local 127.0.0.1 ", f"local {host} ".encode())


def flows_of(tables) -> dict[str, list[tuple]]:
    runs: dict[str, list[tuple]] = {}
    for flow in tables["flow"].sort("run_id", "flow_id").rows(named=True):
        runs.setdefault(flow["run_id"], []).append((flow["flow_id"], flow["cca"]))
    return runs


def settings_of(tables) -> list[dict]:
    """Return the settings of the runs that are given, and their factors."""
    hidden = ("run_id", "scenario_id", "platform", "tool", "tool_version", "repeat", "factors")
    hidden += ("made_by", "observed", "guessed")
    found = []
    for run in tables["run"].rows(named=True):
        given = json.loads(run["factors"]) | run
        found.append({k: v for k, v in given.items() if v is not None and k not in hidden})
    return found


# ---- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("iperf_client_10.0.0.1_5001.log", {"side": "client", "host": "10.0.0.1"}),
        (
            "2024/03/15/exp1/h1_to_h2_cubic.log",
            {"run": "2024", "run1": "03", "run2": "15", "cca": "cubic"},
        ),
        (
            "results/cubic/20mbit/10ms/0.txt",
            {"cca": "cubic", "bottleneck_mbps": "20", "rtt_ms": "10"},
        ),
        ("CUBIC_vs_BBRv2_50ms.txt", {"cca1": "CUBIC", "cca2": "BBRv2", "rtt_ms": "50"}),
        ("New Reno vs BBR/rep 2.log", {"cca1": "New Reno", "cca2": "BBR", "repeat": "2"}),
        ("buf0.5bdp_r1_f2.log", {"buffer_bdp": "0.5", "repeat": "1", "flow": "2"}),
        ("0.5BDP/x.txt", {"buffer_bdp": "0.5"}),
        ("1.5xBDP/x.txt", {"buffer_bdp": "1.5"}),
        ("bdp0.5/x.txt", {"buffer_bdp": "0.5"}),
        ("bdp100/x.txt", {}),  # percent, or times?
        ("buf64kB.log", {"buffer_kB": "64"}),
        ("buffer_64KB.log", {"buffer_kB": "64"}),
        ("queue 64 KiB.log", {"buffer_KiB": "64"}),
        ("buf1MB.log", {"buffer_MB": "1"}),
        ("buf1.5MiB.log", {"buffer_MiB": "1.5"}),
        ("buf64000B.log", {"buffer_bytes": "64000"}),
        ("buffer_64000bytes.log", {"buffer_bytes": "64000"}),
        ("sent1MB.log", {}),
        ("q100pkts.log", {"buffer_packets": "100"}),
        ("delay_10ms.log", {"delay_ms": "10"}),  # of one way, perhaps: no round-trip time
        ("1Gbit/5ms.log", {"bottleneck_gbps": "1", "rtt_ms": "5"}),
        ("3f2a9c1d.log", {"run": "3f2a9c1d"}),
        (
            "2024-03-15_14-22-36/flow1.log.gz",
            {"run": "2024-03-15_14-22-36", "flow": "1"},
        ),
        ("15.03.2024/c.log", {"run": "15.03.2024"}),
        ("exp1\\run1\\flow1.log", {"repeat": "1", "flow": "1"}),  # unpacked from Windows
        ("server1/flow2.log", {"side": None, "flow": "2"}),
        ("sender1_recv2_run1.log", {"repeat": "1"}),  # which of both is the flow?
        ("flow1_and_flow2.log", {}),
        ("flow1_cubic_flow2_reno_run1.log", {"repeat": "1"}),
        ("bbr/flow2_cubic.log", {"flow": "2", "cca": "cubic"}),
        ("cubic/cubic_vs_reno/flow1.log", {"cca1": "cubic", "cca2": "reno", "flow": "1"}),
        ("f2.log", {}),  # a file, a flow?
        ("Versuch 2/Fluss1.log", {"repeat": "2", "flow": "1"}),
        ("essai1_flux2.log", {"repeat": "1", "flow": "2"}),
        ("прогон1/поток2.log", {"repeat": "1", "flow": "2"}),
        ("loss_1%_run2.log", {"repeat": "2"}),  # of what, the word says
        ("0.5%_loss.log", {}),
        ("cubic_20ms_1%loss.log", {"cca": "cubic", "rtt_ms": "20"}),
        ("loss0.1%.log", {}),
        ("cubic_20%.log", {"cca": "cubic", "buffer_pct": "20"}),
        ("100mbit/cross_10mbit.log", {"bottleneck_mbps": "100"}),
        ("100mbit_10mbit_udp.log", {"bottleneck_mbps": "100"}),
        ("rtt20ms_rto_200ms.log", {"rtt_ms": "20"}),
        ("20ms_loss2.log", {"rtt_ms": "20"}),
        ("run1.20ms.log", {"rtt_ms": "20"}),
        ("run٣/flow².log", {}),  # no digits that a table of numbers holds
        ("scubic_rttx_flows.log", {}),
        ("run12345678901.log", {}),
        ("fq_codel_run1.log", {"aqm": "fq_codel", "repeat": "1"}),
        ("cubic_12%3A30%3A01.log", {"cca": "cubic", "run": "12%3A30%3A01"}),
        ("t%3D2024-03-15%2012%3A30/x.log", {"run": "2024-03-15%2012%3A30"}),
        ("12:30:01/x.log", {"run": "12:30:01"}),
        ("Fri Mar 15 14:22:36 2024.log", {"run": "Fri Mar 15 14:22:36 2024"}),
        ("x_15Mar2024.log", {"run": "15Mar2024"}),
        ("240315-142236.log", {"run": "240315-142236"}),
        ("2024-03-15/14-22-36/x.log", {"run": "2024-03-15", "run1": "14-22-36"}),
        ("2024-03-15_1000mbps.log", {"run": "2024-03-15", "bottleneck_mbps": "1000"}),
        ("x_1710509301.25.log", {"run": "1710509301.25"}),
        ("bps_1000000000.log", {}),  # a round rate
        ("1000000b/a000001.log", {}),  # no hash: digits and letters do not take turns
        ("run3/iter2.log", {"run": "3", "repeat": "2"}),
        ("rep#4.log", {"repeat": "4"}),
        ("trialB/run_c.log", {"run": "B", "run1": "c"}),
        ("runs/trials.log", {}),
        ("10ms_delay_1.log", {"delay_ms": "10"}),
        ("20ms_rtt_1.log", {"rtt_ms": "20"}),
        # no number is cut at its point, or at a comma
        ("rtt0.1s.log", {"rtt_s": "0.1"}),
        ("rtt1.5sec.log", {"rtt_s": "1.5"}),
        ("rtt0.1min.log", {}),
        ("delay0.1s.log", {}),
        ("rtt0,5ms.log", {"rtt_ms_label": "0,5"}),
        ("rtt0_5ms.log", {"rtt_ms_label": "0_5"}),
        ("rtt20_1,5BDP.log", {"rtt_ms": "20", "buffer_bdp_label": "1,5"}),
        ("b0.5bdp_loss0,1%.log", {}),
        ("bw1,5mbit.log", {"bottleneck_mbps_label": "1,5"}),
        ("bw2.5Gbps.log", {"bottleneck_gbps": "2.5"}),
        ("bw2.5G.log", {"bottleneck_gbps": "2.5"}),
        # but a point or a comma may part two settings, or one from a number
        ("bw10.20ms.5BDP.log", {"bottleneck_mbps": "10", "rtt_ms": "20", "buffer_bdp": "5"}),
        ("bw10,20ms,run3.log", {"bottleneck_mbps": "10", "rtt_ms": "20", "repeat": "3"}),
        ("rtt20.20240315.log", {"rtt_ms": "20", "run": "20240315"}),
        ("rtt20,1.log", {"rtt_ms": "20"}),
        # a 'p' may stand for a point, and an underscore may
        ("cubic_0p5bdp.log", {"cca": "cubic", "buffer_bdp_label": "0p5"}),
        ("bdp0p5_1p5ms.log", {"buffer_bdp_label": "0p5", "rtt_ms_label": "1p5"}),
        ("bw2p5Gbps.log", {"bottleneck_gbps_label": "2p5"}),
        ("bw10_5mbps.log", {"bottleneck_mbps_label": "10_5"}),
        ("rtt10_5s.log", {"rtt_ms": "10"}),
        ("q50p_2bdp.log", {"buffer_packets": "50", "buffer_bdp": "2"}),
        # other units, and exponents
        ("rtt20us.log", {"rtt_us": "20"}),
        ("duration10min.log", {"duration_min": "10"}),
        ("1e-3ms_rtt1e2_bw1e8.log", {}),
        ("cubic_1e-3loss_20ms.log", {"cca": "cubic", "rtt_ms": "20"}),
        # bytes and bits
        ("bw1.25MBps.log", {"bottleneck_MBps": "1.25"}),
        ("1.25MB/s.log", {"bottleneck_MBps": "1.25"}),
        ("500KBps.log", {"bottleneck_KBps": "500"}),
        ("bw10Mbps.log", {"bottleneck_mbps": "10"}),
        ("bw10Mb.log", {"bottleneck_mbps": "10"}),
        ("bw10MB.log", {}),
        ("10mb/s.log", {"bottleneck_mbps": "10"}),
        # a word wins, and of two that contradict each other none does
        ("100Mb_rtt20_100ms.log", {"rtt_ms": "20"}),
        ("rtt10_rtt50.log", {}),
        ("rtt20/bw10_rtt20.0.log", {"rtt_ms": "20.0", "bottleneck_mbps": "10"}),
        # what there is not is no setting
        ("non-bbr_rtt20.log", {"rtt_ms": "20"}),
        ("without_bbr/rtt20.log", {"rtt_ms": "20"}),
        ("no_fq_codel/cubic.log", {"cca": "cubic"}),
        ("w-o-bbr2.log", {}),
        ("bbr_off.log", {}),
        ("bbr-less_rtt20.log", {"rtt_ms": "20"}),
        ("bbr_less_buffer.log", {"cca": "bbr"}),
        ("cubic_vs_non-bbr.log", {}),
        ("nonlinear_bbr.log", {"cca": "bbr"}),
        ("cubic_fq-codel.log", {"cca": "cubic", "aqm": "fq-codel"}),
        ("cubic_fq_pie.log", {"cca": "cubic", "aqm": "fq_pie"}),
        ("TcpWestwoodPlus.log", {"cca": "TcpWestwoodPlus"}),
        ("Westwood+_run1.log", {"cca": "Westwood+", "repeat": "1"}),
        ("tahoe_vs_sack.log", {"cca1": "tahoe", "cca2": "sack"}),
        ("cubic_vs_mine_run1.log", {"repeat": "1"}),  # a guess holds for both or for none
        ("mine-vs-cubic/flow1.log", {"flow": "1"}),
        ("cubic-bbr/run1/bbr_5.log", {"cca1": "cubic", "cca2": "bbr", "repeat": "1", "cca": "bbr"}),
    ],
)
def test_names_say(path, said):
    pieces = read_path(path)
    assert "".join(piece.text for piece in pieces) == path
    found = {piece.name: piece.text for piece in pieces if piece.name}
    assert found == {name: value for name, value in said.items() if value is not None}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CUBIC", "cubic"),
        ("New Reno", "newreno"),
        ("BBRv2", "bbr2"),
        ("bbr-3", "bbr3"),
        ("H-TCP", "htcp"),
        ("my-tcp", "my_tcp"),
        ("Tahoe", "tahoe"),
        ("TcpLinuxReno", "reno"),
        ("ns3::TcpWestwoodPlus", "westwood"),
        ("Westwood+", "westwood"),
        ("BBRv1", "bbr"),
        ("Sack1", "sack"),
        ("PCC-Vivace", "vivace"),
        ("LEDBAT++", "ledbat"),
    ],
)
def test_congestion_controls_have_one_name(text, name):
    assert cca_name(text) == name


# ---- layouts ------------------------------------------------------------------------------------


def test_logs_by_address_and_port_stand_by_themselves_where_nothing_pairs_them(tmp_path):
    tables = drop(
        tmp_path,
        {f"iperf_client_10.0.0.{i}_500{i}.log": on(f"10.0.0.{i}", CLIENT) for i in (1, 2)},
    )
    assert flows_of(tables) == {
        "iperf_*_10.0.0.1_5001.log": [(1, None)],
        "iperf_*_10.0.0.2_5002.log": [(1, None)],
    }
    runs = tables["assumption"].filter(what="runs")
    assert "no name and no date tells what ran together" in runs["because"].to_list()


def test_logs_by_address_are_one_run_where_a_folder_is_a_run(tmp_path):
    tables = drop(
        tmp_path,
        {
            f"run{r}/iperf_server_10.0.0.{i}_500{i}.log": on(f"10.0.0.{i}")
            for i in (1, 2)
            for r in (1, 2)
        },
    )
    assert flows_of(tables) == {f"run{r}": [(1, None), (2, None)] for r in (1, 2)}


def test_two_clients_that_ran_at_once_are_one_run(tmp_path):
    logs = {
        "2024/03/15/exp1/h1_to_h2_cubic.log": at(1, host="10.0.1.1"),
        "2024/03/15/exp1/h3_to_h4_bbr.log": at(1, host="10.0.3.3"),
        "2024/03/15/exp2/h1_to_h2_cubic.log": at(9, host="10.0.1.1"),
        "2024/03/15/exp2/h3_to_h4_bbr.log": at(9, host="10.0.3.3"),
    }
    found = flows_of(drop(tmp_path, logs))
    assert list(found.values()) == [[(1, "cubic"), (2, "bbr")]] * 2


@pytest.mark.parametrize("layout", ["cubic_{}loss_run{}.log", "cubic/loss{}/run{}.log"])
def test_a_number_with_decimals_is_one(layout, tmp_path):
    """0.1 is neither 1 nor 0, and counts nothing."""
    values = ("0.1", "0.5", "1")
    logs = {
        layout.format(loss, r): iperf2(mbps=10 * r + float(loss)) for loss in values for r in (1, 2)
    }
    run = parse_dataset(make_dataset(tmp_path, logs, ""))["run"]
    factors = run["factors"].str.json_path_match("$.loss")
    assert sorted(factors) == sorted(2 * values)
    assert run["scenario_id"].n_unique() == 3


def test_variants_with_numbers_that_have_decimals_stop_nothing(tmp_path):
    names = ("cubic_0.5", "vegas_1.5", "vegas_2.5")
    logs = {f"run{r}/{n}.log": iperf2(mbps=r + i) for r in (1, 2) for i, n in enumerate(names)}
    assert len(parse_dataset(make_dataset(tmp_path, logs, ""))["run"]) == len(logs)


def test_files_that_are_packed_in_other_ways_are_repeats_all_the_same(tmp_path):
    """Of five logs two were packed, as tools that rotate logs do."""
    packers = [bytes, gzip.compress, bz2.compress, lzma.compress, bytes]
    endings = ["", ".gz", ".bz2", ".xz", ""]
    logs = {
        f"cubic_20ms_{n}.log{ending}": pack(iperf2(mbps=9 + n / 10))
        for n, (pack, ending) in enumerate(zip(packers, endings, strict=True), start=1)
    }
    run = parse_dataset(make_dataset(tmp_path, logs, ""))["run"]
    assert run["scenario_id"].unique().to_list() == ["cubic_20ms_*.log"]
    assert run["repeat"].to_list() == [1, 2, 3, 4, 5]


def test_numbered_files_of_a_cell_are_its_repeats(tmp_path):
    logs = {
        f"results/{cca}/{rate}mbit/{rtt}ms/{i}.txt": SERVER
        for cca in ("cubic", "bbr")
        for rate in (20, 50)
        for rtt in (10, 40)
        for i in range(3)
    }
    tables = drop(tmp_path, logs)
    assert len(tables["run"]) == 24
    assert set(tables["run"].group_by("scenario_id").len()["len"]) == {3}
    assert set(tables["flow"]["cca"]) == {"cubic", "bbr"}
    assert {"bottleneck_mbps": 20.0, "rtt_ms": 10.0} in settings_of(tables)
    assert tables["assumption"].filter(what="repeat")["value"].item().startswith("24 runs")


def test_a_log_of_both_flows_in_a_folder_of_each_repeat(tmp_path):
    logs = {f"{cca}/rep{r}/iperf.log": TWO_FLOWS for cca in ("cubic", "reno") for r in (1, 2)}
    tables = drop(tmp_path, logs)
    assert flows_of(tables) == {
        f"{cca}/rep{r}": [(1, cca), (2, cca)] for cca in ("cubic", "reno") for r in (1, 2)
    }
    assert tables["run"]["scenario_id"].n_unique() == 2


def test_names_in_capitals(tmp_path):
    logs = {
        f"CUBIC_VS_NEW-RENO_RTT20MS_{b}BDP_RUN1_FLOW{f}.TXT": SERVER
        for f in (1, 2)
        for b in ("0.5", "1")
    }
    tables = drop(tmp_path, logs)
    assert list(flows_of(tables).values()) == [[(1, "cubic"), (2, "newreno")]] * 2
    assert settings_of(tables) == [
        {"rtt_ms": 20.0, "buffer_bdp": 0.5},
        {"rtt_ms": 20.0, "buffer_bdp": 1.0},
    ]


def test_units_of_buffers(tmp_path):
    logs = {
        f"buf{b}_run{r}/flow{f}.log": SERVER
        for b in ("64kB", "128kB")
        for r in (1, 2)
        for f in (1, 2)
    }
    tables = drop(tmp_path / "a", logs)
    assert len(tables["run"]) == 4
    assert {"buffer_kB": "64"} in settings_of(tables)
    logs = {f"q{q}pkts_run1_flow{f}.log": SERVER for q in (50, 100) for f in (1, 2)}
    assert settings_of(drop(tmp_path / "b", logs))[0] == {"buffer_packets": 100}


def test_files_that_are_no_logs_beside_logs(tmp_path):
    folder = tmp_path / "stray"
    folder.mkdir()
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        archive.writestr("flow1.log", SERVER)
    rest = {
        "empty.log": b"",
        ".DS_Store": b"\0\0\0\1Bud1\0",
        "Thumbs.db": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100),
        "trace.pcap": b"\xd4\xc3\xb2\xa1\2\0\4\0" + bytes(200),
        "paper.pdf": b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n1 0 obj\n",
        "cut.gz": b"\x1f\x8b\x08\0\0\0\0\0\0\3abc",
    }
    logs = {f"run1_flow{f}.log": SERVER for f in (1, 2)}
    tables = drop(folder, {**logs, **rest})
    assert flows_of(tables) == {"run1_flow*.log": [(1, None), (2, None)]}
    kinds = dict(tables["file"].select("path", "format").rows())
    assert {path: kinds[path] for path in (*rest, "all.zip")} == {
        "empty.log": "unreadable",
        ".DS_Store": "hidden",
        "Thumbs.db": "unknown",
        "trace.pcap": "unknown",
        "paper.pdf": "unknown",
        "cut.gz": "unreadable",
        "all.zip": "doubtful",
    }
    problems = dict(tables["file"].select("path", "problem").rows())
    assert problems["all.zip"] == "an archive of files: unpacked into the folder they are read"


def test_two_experiments_in_one_folder(tmp_path):
    archive = ARCHIVES / "no-metadata"
    logs = {f"cubic_vs_reno_run{r}_flow{f}.txt": SERVER for r in (1, 2) for f in (1, 2)}
    for name in ("out_0001.json", "out_0002.json"):
        logs[name] = (archive / name).read_bytes()
    found = flows_of(drop(tmp_path, logs))
    assert found == {
        "cubic_vs_reno_run1_flow*.txt": [(1, "cubic"), (2, "reno")],
        "cubic_vs_reno_run2_flow*.txt": [(1, "cubic"), (2, "reno")],
        "out_0001.json + out_0002.json": [(1, "cubic"), (2, "reno")],
    }


def test_names_of_nothing_but_hashes(tmp_path):
    hashes = ("3f2a9c1d", "77fe01ab", "0c0ffee1", "f00dbabe2")
    tables = drop(
        tmp_path / "undated", {f"{h}.log": on(f"10.0.0.{i}") for i, h in enumerate(hashes)}
    )
    assert len(tables["run"]) == 4
    assert tables["run"]["scenario_id"].n_unique() == 4  # nothing says that they are repeats
    minutes = (1, 1, 5, 5)
    logs = {
        f"{h}.log": at(m, host=f"10.0.{i % 2}.1")
        for i, (h, m) in enumerate(zip(hashes, minutes, strict=True))
    }
    found = flows_of(drop(tmp_path / "dated", logs))
    assert list(found) == ["0c0ffee1.log + f00dbabe2.log", "3f2a9c1d.log + 77fe01ab.log"]


def test_no_factor_is_called_after_a_congestion_control(tmp_path):
    logs = {f"cubic20ms_cubic{ms}ms/{r}.log": at(r + ms) for ms in (20, 40) for r in (1, 2)}
    tables = drop(tmp_path, logs)
    assert {*tables["run"]["factors"]} == {'{"ms": "20"}', '{"ms": "40"}'}


def test_a_label_that_goes_with_the_flow_names_its_host(tmp_path):
    logs = {
        f"run{r}/flow{f}_{h}.log": SERVER for r in (1, 2) for f, h in ((1, "alice"), (2, "bob"))
    }
    tables = drop(tmp_path, logs)
    assert flows_of(tables) == {f"run{r}": [(1, None), (2, None)] for r in (1, 2)}
    assert settings_of(tables) == [{}, {}]


def test_round_trip_times_of_the_flows_of_a_run(tmp_path):
    logs = {
        f"run1/{host}_rtt{rtt}.log": at(1, host=f"10.0.{rtt}.1")
        for host, rtt in (("alice", 40), ("bob", 80))
    }
    flows = drop(tmp_path, logs)["flow"]
    assert flows.sort("flow_id")["rtt_ms"].to_list() == [40, 80]


def test_text_that_goes_with_one_end_is_no_setting_of_the_run(tmp_path):
    logs, port = {}, 40000
    for pair in ("cubic_reno", "reno_reno"):
        for trial in (1, 2):
            for flow in (1, 2):
                port += 1
                ends = {"server%d.txt": SERVER, "client%d.json": CLIENT}
                for name, log in ends.items():
                    log = log.replace(b"32788", b"%d" % port)
                    logs[f"{pair}/trial{trial}/{name % flow}"] = log
    tables = drop(tmp_path, logs)
    assert list(flows_of(tables).values()) == 2 * [[(1, "cubic"), (2, "reno")]] + 2 * [
        [(1, "reno"), (2, "reno")]
    ]
    assert sorted(tables["run"]["repeat"]) == [1, 1, 2, 2]
    assert set(tables["file"]["problem"]) == {None}


def test_dates_in_logs_win_over_numbers_in_names(tmp_path):
    logs = {f"stream{i}.log": at(10 * i, host="10.0.0.1") for i in (1, 2, 3)}
    tables = drop(tmp_path, logs)
    assert sorted(len(flows) for flows in flows_of(tables).values()) == [1, 1, 1]
    because = tables["assumption"].filter(what="runs")["because"].to_list()
    assert any("the dates in their logs say that they did not run together" in b for b in because)


def test_copies_of_dated_logs_are_not_read_again(tmp_path):
    logs = {f"{folder}/{host}.log": at(1, host=host) for folder in "xy" for host in ("a", "b")}
    tables = drop(tmp_path, logs)
    assert [len(flows) for flows in flows_of(tables).values()] == [2]
    copies = tables["file"].filter(format="copy").select("path", "problem").rows()
    assert copies == [
        (f"y/{host}.log", f"identical with x/{host}.log: a copy of it, not read") for host in "ab"
    ]


def test_an_unreadable_log_leaves_its_run_out_unless_the_other_end_has_the_flow(tmp_path):
    logs = {
        **{f"run{r}/server{f}.log": SERVER for r in (1, 2) for f in (1, 2)},
        "run1/server2.log": b"",
        "run2/client2.log": b"",
    }
    tables = drop(tmp_path, logs)
    assert list(flows_of(tables)) == ["run2"]
    problems = dict(tables["file"].select("path", "problem").rows())
    assert problems["run1/server1.log"].startswith("its run is left out: run1/server2.log: ")


def test_logs_without_report_intervals(tmp_path):
    total = b"".join(line for line in SERVER.splitlines(True) if b"0.0000-1" not in line)
    total = re.sub(rb".*[123].0000-[234].*\n", b"", total)
    assert total.count(b" sec ") == 1
    tables = drop(tmp_path, {"a.log": total})
    assert tables["run"].is_empty()
    assert "holds no report of an interval (iperf -i 1" in tables["file"]["problem"].item()


@pytest.mark.parametrize("tool", ["iperf", "iperf3"])
def test_a_log_with_decimal_commas_is_said_to_have_them(tool, tmp_path):
    log = {"iperf": SERVER, "iperf3": iperf3()}[tool]
    commas = re.sub(rb"(?<=\d)\.(?=\d+[ -])", b",", log)
    problem = drop(tmp_path, {"a.log": commas})["file"]["problem"].item()
    assert problem.startswith("it holds no report of an interval that can be read (decimal commas:")
    assert f"run {tool} with LC_ALL=C" in problem


def test_braces_in_names_are_no_placeholders(tmp_path):
    logs = {f"{{x}}_run1_flow{f}.log": SERVER for f in (1, 2)}
    tables = drop(tmp_path, logs)
    assert len(tables["run"]) == 1
    assert "runs: runs.csv" in tables["assumption"].filter(what="files")["yaml"].item()


# ---- what dataset.yml may leave to inference ----------------------------------------------------


def test_a_title_and_defaults_leave_the_rest_to_inference(tmp_path):
    yml = b"title: Mine\ndefaults: {bottleneck_mbps: 100, rtt_ms: 40}\nflows:\n  2: {start_s: 3}\n"
    logs = {f"cubic_vs_bbr_run{r}_flow{f}.log": SERVER for r in (1, 2) for f in (1, 2)}
    tables = drop(tmp_path, {**logs, "dataset.yml": yml})
    assert settings_of(tables) == [{"bottleneck_mbps": 100.0, "rtt_ms": 40.0}] * 2
    assert tables["flow"].filter(flow_id=2)["start_s"].to_list() == [3, 3]
    assert "files" in tables["assumption"]["what"].to_list()
    assert "title" not in tables["assumption"]["what"].to_list()


def test_the_example_of_the_documentation_is_read(tmp_path):
    page = (ROOT / "docs/guides/adding-data.md").read_text(encoding="utf-8")
    (yml,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    logs = {
        f"{pair}_rtt40_run{r}_flow{f}.txt": SERVER
        for pair in ("cubic_vs_reno", "bbr_vs_reno")
        for r in (1, 2)
        for f in (1, 2)
    }
    table = b"run,seed\ncubic_vs_reno_rtt40_run1_flow*.txt,7\n"
    files = {**logs, "plot.py": b"print()\n", "dataset.yml": yml.encode(), "runs.csv": table}
    tables = drop(tmp_path, files)
    assert len(tables["run"]) == 4
    assert tables["run"]["seed"].drop_nulls().to_list() == [7]
    assert tables["flow"].filter(flow_id=2)["start_s"].to_list() == [10] * 4


def test_runs_csv_names_every_log_or_the_one_that_it_forgot(tmp_path):
    logs = {f"{name}.log": SERVER for name in "abc"}
    table = b"path,run,flow,cca\na.log,1,1,cubic\nb.log,1,2,reno\n"
    yml = b"runs: runs.csv\n"
    files = {**logs, "runs.csv": table, "dataset.yml": yml, "notes.txt": b"hello\n"}
    with pytest.raises(DataError, match=r"c.log: the log has no row in runs.csv") as error:
        drop(tmp_path, files)
    assert "format: ignore" in str(error.value)
    ignore = b"files: [{path: c.log, format: ignore}]\n"
    tables = drop(tmp_path, {"dataset.yml": yml + ignore})
    assert flows_of(tables) == {"1": [(1, "cubic"), (2, "reno")]}


def test_every_file_lies_in_one_run_or_is_listed(tmp_path):
    """No log is lost whatever the archive: it has a run, or a problem, or is no log."""
    for archive in sorted(p for p in ARCHIVES.iterdir() if p.is_dir()):
        folder = tmp_path / archive.name
        shutil.copytree(archive, folder)
        tables = parse_dataset(folder)
        settled = set(tables["stream"].drop_nulls("run_id")["file_id"])
        for file in tables["file"].rows(named=True):
            accounted = file["run_id"] or file["problem"] or file["file_id"] in settled
            assert accounted or file["format"] in ("unknown", "metadata", "hidden"), file["path"]


def test_the_trace_files_of_an_ns3_run_are_one_run_with_the_state_of_its_senders(tmp_path):
    source = ROOT / "tests/fixtures/formats/ns3-tcp-variants/two-flows"
    for file in source.glob("*.data"):
        shutil.copy(file, tmp_path)
    tables = parse_dataset(tmp_path)
    assert tables["run"]["run_id"].to_list() == ["TcpVariantsComparison-flow*-*.data"]
    assert tables["flow"]["flow_id"].to_list() == [1, 2]  # flow0 and flow1 in the names
    state = tables["state"].join(tables["stream"], on=["file_id", "stream"])
    found = set(state.select("flow_id", "variable").unique().rows())
    assert {(flow, name) for flow in (1, 2) for name in ("cwnd_bytes", "rtt_s")} <= found
    assert tables["file"]["problem"].null_count() == len(tables["file"])
