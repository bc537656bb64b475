"""Small folders of strangers, each of a kind that once went wrong: the right answer of each.

tests/fixtures/strangers/README.md says what is in them. What many such folders give, of which the
truth is known, is tried in tests/strangers.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys

import polars as pl
import pytest
from raw_data import ROOT

STRANGERS = ROOT / "tests/fixtures/strangers"


def load(name: str):
    """Return a module of tests/strangers, which is no package."""
    spec = importlib.util.spec_from_file_location(f"of_{name}", ROOT / f"tests/strangers/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def derived(tmp_path_factory):
    """Make the tables of all folders, as the workflow does."""
    place = tmp_path_factory.mktemp("strangers")
    shutil.copytree(STRANGERS, place / "raw", ignore=lambda *_: ["README.md"])
    load("score").derive(ROOT, place, place / "derived")
    return lambda folder, table: pl.read_parquet(place / f"derived/{folder}/{table}.parquet")


def logs_of_runs(derived, folder: str) -> list[list[str]]:
    """Return for every run its logs."""
    stream = derived(folder, "measured/stream").drop_nulls("run_id")
    of_run = stream.group_by("run_id").agg(pl.col("path").unique().sort())
    return sorted(of_run["path"].to_list())


def means_of(derived, folder: str) -> list[list[float]]:
    """Return the means of the flows of every run, Mb/s."""
    means = derived(folder, "flow_metric").group_by("run_id").agg("mean_throughput_bps")
    return sorted(sorted(round(m / 1e6, 1) for m in of) for of in means["mean_throughput_bps"])


def jain_of(derived, folder: str) -> list[float | None]:
    return [j and round(j, 3) for j in derived(folder, "run_metric")["jfi"]]


def findings_of(derived, folder: str, check: str) -> list[str]:
    return derived(folder, "finding").filter(check=check)["message"].to_list()


def test_a_report_that_came_late_is_in_no_mean(derived):
    folder = "trailing-long-interval"
    assert means_of(derived, folder) == [[125.0]] * 3
    assert derived(folder, "run")["scenario_id"].n_unique() == 1
    late = derived(folder, "finding").filter(check="late report")
    assert sorted(late["path"]) == ["cubic_rep2_server.json", "cubic_rep3_server.json"]


def test_a_port_that_is_met_again_joins_nothing(derived):
    logs = ["far/udp_10m.txt", "far/udp_20m.txt", "near/tcp_10m.txt", "near/tcp_20m.txt"]
    assert logs_of_runs(derived, "port-met-again") == [[log] for log in logs]


def test_node_numbers_of_simulations_are_no_addresses(derived):
    assert logs_of_runs(derived, "ns2-traces-mirrored") == [["lab1.tr"], ["lab2.tr"]]
    assert derived("ns2-traces-mirrored", "flow").group_by("run_id").len()["len"].to_list() == [
        1,
        1,
    ]


def test_a_document_that_is_printed_twice_is_one_run(derived):
    assert len(derived("document-printed-twice", "run")) == 1
    (message,) = findings_of(derived, "document-printed-twice", "identical logs")
    assert "identical" in message


def test_what_goes_with_an_end_labels_no_repeat(derived):
    runs = [[f"fix{n}/{end}.json" for end in ("r1", "r2", "s1", "s2")] for n in range(3)]
    assert logs_of_runs(derived, "r-is-receiver") == runs
    assert means_of(derived, "r-is-receiver") == [[40.0, 80.0]] * 3
    assert jain_of(derived, "r-is-receiver") == [0.9] * 3


def test_the_size_of_a_queue_is_no_flow(derived):
    folder = "queue-size-in-a-folder"
    assert len(logs_of_runs(derived, folder)) == 6
    assert derived(folder, "flow")["flow_id"].to_list() == [1] * 6
    factors = derived(folder, "run")["factors"].str.json_path_match("$.q")
    assert sorted(factors) == ["100"] * 3 + ["20"] * 3


def test_flows_of_opposite_directions_have_no_index(derived):
    assert jain_of(derived, "two-directions") == [None]
    said = derived("two-directions", "assumption").filter(what="cross_traffic")["because"].to_list()
    assert len(said) == 1 and "opposite direction" in said[0]


def test_counters_that_cannot_be_are_unknown(derived):
    sample = derived("counters-without-tcp-info", "sample")
    for counter in ("cwnd_bytes", "rtt_s", "retransmits"):
        assert sample[counter].null_count() == len(sample), counter
    assert (sample["bytes"] > 0).all()
    said = derived("counters-without-tcp-info", "assumption").filter(what="counters")["value"]
    assert [value.split("sender's ")[1] for value in said] == [
        "retransmits in 1 log",
        "round-trip time in 1 log",
        "window in 2 logs",
    ]


def test_a_long_flow_and_short_ones_beside_it_are_one_run(derived):
    logs = ["elephant.json", "mouse_0.json", "mouse_1.json", "mouse_2.json"]
    runs = [[f"{folder}/{log}" for log in logs] for folder in ("a_min30", "a_min50")]
    assert logs_of_runs(derived, "long-flow-and-short-ones") == runs
    assert jain_of(derived, "long-flow-and-short-ones") == [None, None]  # never all at once
    # that names join the short ones and dates part them is no doubt: beside the long one all are
    assert len(assumed(derived, "long-flow-and-short-ones", "runs")) == 1
    (words,) = set(findings_of(derived, "long-flow-and-short-ones", "staggered flows"))
    assert "never all run at the same time, only some of them together" in words


def test_labs_without_a_network_in_common_are_not_one_run(derived):
    runs = [[f"lab-{lab}/bbr.json", f"lab-{lab}/cubic.json"] for lab in "ab"]
    assert logs_of_runs(derived, "two-labs-at-once") == runs
    assert sorted(jain_of(derived, "two-labs-at-once")) == [0.8, 0.98]


def test_the_own_variant_of_a_file_counts_before_the_pair_of_its_folder(derived):
    folder = "pair-named-by-the-folder"
    runs = [
        [f"cubic-bbrv2/trial{trial}/{variant}_{buffer}_.log" for variant in ("bbr2", "cubic")]
        for trial in (1, 2, 3)
        for buffer in (1, 2)
    ]
    assert logs_of_runs(derived, folder) == sorted(runs)
    flows = derived(folder, "flow").group_by("run_id").agg(pl.col("cca").sort())
    assert flows["cca"].to_list() == [["bbr2", "cubic"]] * 6
    said = derived(folder, "assumption").filter(what="runs")["value"].to_list()
    assert any("a number behind the variant of a flow" in value for value in said)


def test_half_of_the_flows_are_no_run_and_settings_that_count_are_asked_about(derived):
    folder = "half-of-the-flows-and-a-setting-that-counts"
    hosts = ("bbr_h12", "bbr_h13", "cubic_h10", "cubic_h11")
    assert logs_of_runs(derived, folder) == [
        [f"{host}_{buffer}_.log" for host in hosts] for buffer in range(1, 7)
    ]
    if derived(folder, "run")["scenario_id"].n_unique() < 6:
        (message, *_) = findings_of(derived, folder, "unlike repeats")
        assert "repeats" in message


def assumed(derived, folder: str, what: str) -> list[str]:
    return derived(folder, "assumption").filter(what=what)["value"].to_list()


def test_whole_writes_of_a_sender_are_no_stall(derived):
    assert findings_of(derived, "bursts-of-writes", "stalled flow") == []
    assert means_of(derived, "bursts-of-writes")[0][0] == 2.5


def test_numbered_hosts_are_one_run_at_each_of_several_settings(derived):
    folder = "hosts-and-several-rtts"
    assert logs_of_runs(derived, folder) == [
        [f"lab/cubic-{rtt}ms-h{host}.txt" for host in (1, 2)] for rtt in (40, 80)
    ]
    assert sorted(derived(folder, "run")["base_rtt_s"]) == [0.04, 0.08]
    (why,) = derived(folder, "assumption").filter(what="runs")["because"]
    assert "differ in a number only, which goes with the server's port" in why
    assert derived(folder, "flow").group_by("run_id").len()["len"].to_list() == [2, 2]


def test_a_test_without_a_connection_failed_and_is_no_run(derived):
    folder = "test-without-a-flow"
    assert (
        logs_of_runs(derived, folder)
        == [["ok.json"]]
        == [derived(folder, "run")["run_id"].to_list()]
    )
    (failed,) = derived(folder, "finding").filter(check="failed test").rows(named=True)
    assert (failed["severity"], failed["path"]) == ("warning", "server.json")
    assert "no connection was made" in failed["message"]
    assert derived(folder, "finding").filter(severity="error").is_empty()


def test_failed_tests_among_others_in_a_log_are_counted(derived):
    folder = "failed-among-others"
    assert len(derived(folder, "run")) == 2
    (message,) = findings_of(derived, folder, "failed test")
    assert message == "3 of its 5 tests failed: unable to connect to server: Connection refused"


def test_each_delivered_packet_of_a_lan_counts_once(derived):
    assert derived("lan-trace", "flow")["flow_id"].to_list() == [1]
    assert derived("lan-trace", "sample")["bytes"].sum() == 400 * 1040
    assert len(derived("lan-trace", "packet_drop")) == 0


def test_a_factor_holds_what_the_settings_do_not_say(derived):
    run = derived("factor-files-of-pairs", "run")
    factors = run["factors"].str.json_decode(pl.Struct({"files": pl.String, "buffer": pl.String}))
    folders = run["run_id"].str.extract("^([^/]+)/")
    assert len(run) == 9 and factors.struct["files"].equals(folders, check_names=False)
    assert sorted(set(factors.struct["buffer"])) == ["100", "1000"]
    assert sorted(run["bottleneck_bps"] / 1e6) == [10.0] * 6 + [100.0] * 3
    (guess,) = assumed(derived, "factor-files-of-pairs", "bottleneck_mbps")
    assert guess == "10, 100 in names, taken as the bandwidth of the bottleneck, Mb/s"


def test_the_columns_of_iperf3_3_0_are_read(derived):
    sample = derived("retransmits-of-3.0", "sample")
    assert sample["retransmits"].to_list() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
    assert derived("retransmits-of-3.0", "ledger")["lines_rejected"].drop_nulls().sum() == 0


def test_what_is_not_read_is_said_in_words_that_lead_somewhere(derived):
    folder = "misleading-messages"
    assert means_of(derived, folder) == [[100.0]]  # with exponents that a locale took the + from
    (sums,) = derived(folder, "finding").filter(check="log left out").rows(named=True)
    assert "4 sums over an unknown number of flows" in sums["message"]
    assert "-i 1" not in sums["message"] + sums["remedy"] and "rows of its flows" in sums["remedy"]
    (flowgrind,) = findings_of(derived, folder, "flow that is not read")
    assert flowgrind.startswith("a report of flowgrind: not read")


def test_tests_that_broke_off_are_said_to_have(derived):
    messages = set(findings_of(derived, "test-that-broke-off", "log without a final report"))
    ended = "; its log ends at "
    words = "no final report of the sender"
    lost = ": control socket has closed unexpectedly"
    assert messages == {f"{words}{lost}{ended}19 s", f"{words}{ended}12 s of 20 s"}


def test_a_bandwidth_that_names_suggest_is_a_guess_and_a_wrong_one_is_called_so(derived):
    folder = "guess-that-is-not-listed"
    rows = derived(folder, "assumption").filter(what="bottleneck_mbps").sort("value")
    kept, row = rows.rows(named=True)
    assert kept["value"].startswith("'500' in names, kept as the factor bottleneck_kbps")
    assert (row["value"].split(" in ")[0], row["certainty"]) == ("10, 100", "a guess")
    assert "{quantity}mbit" in row["yaml"]
    guessed = derived(folder, "run").select(pl.col("guessed").str.contains("bottleneck_mbps"))
    assert guessed["guessed"].to_list() == [True, True, False]
    messages = findings_of(derived, folder, "more than the bottleneck")
    assert len(messages) == 2 and all("as was guessed" in message for message in messages)
    assert not any("was given as" in message for message in messages)


def test_drawn_folders_have_no_wrong_number_in_silence(tmp_path):
    """Try a few of those that tests/strangers draws, which is left to `make test-all`."""
    faults, _ = load("test_strangers").faults_of(tmp_path, 5, 6)
    assert not faults, "\n".join(faults)


def test_a_document_that_was_printed_twice_is_not_said_to_hold_several_tests(derived):
    assumed = derived("document-printed-twice", "assumption").filter(what="files")
    assert assumed["because"][0].startswith("a log holds a test that belongs to no run")
