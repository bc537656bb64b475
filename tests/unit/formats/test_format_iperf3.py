"""iperf3's text and JSON: verbatim outputs of the tool, and what becomes of broken ones."""

import json
import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from broken_logs import several
from evenflow import formats
from evenflow.errors import DataError
from evenflow.formats import Log, detect_format
from evenflow.formats.iperf3_objects import Scanner
from evenflow.formats.shapes import count_lines
from evenflow.formats.tables import parse_logs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scanner_twins import in_a_row
from small_logs import iperf3, iperf3_json

FIXTURES = Path(__file__).parents[2] / "fixtures/formats"
TEXTS = sorted((FIXTURES / "iperf3").glob("*/*.log"))
JSONS = sorted((FIXTURES / "iperf3-json").glob("*/*.json"))
# what no format is recognised in: nothing, UTF-16, the help text
UNRECOGNISED = re.compile(r"(client-sigkill\.client|server-sigkill\.server|utf16|usage)")
LOGS = {}  # by tool and version
GROUPS = 8  # that each version's logs are read in, beside all at once
for path in (*TEXTS, *JSONS):
    LOGS.setdefault(f"{path.parts[-3]}/{path.parts[-2]}", []).append(path)


BREAKS = "the JSON breaks or ends here: truncated or mixed with other output"


def parse(format_name, *contents):
    return parse_logs(format_name, [Log(i, c) for i, c in enumerate(contents)])


def format_of(path):
    return "iperf3" if path.suffix == ".log" else "iperf3-json"


def parse_fixture(name):
    path = FIXTURES / name
    return parse(format_of(path), path.read_bytes())


@cache
def read_folder(folder):
    """Parse the logs of a version at once: their contents and the tables."""
    contents = [path.read_bytes() for path in LOGS[folder]]
    return contents, parse(format_of(LOGS[folder][0]), *contents)


def samples(tables):
    """Return the intervals with the side of their stream, in the order of the log."""
    sides = tables["stream"].select("file_id", "stream", "side")
    return tables["interval"].join(sides, on=["file_id", "stream"]).sort("file_id", "line")


def fates(tables):
    return {
        (fate, reason): lines
        for fate, reason, lines in tables["fate"].select("fate", "reason", "lines").rows()
    }


def assert_ledger_adds_up(tables, contents):
    total = tables["fate"].group_by("file_id").agg(pl.sum("lines", "bytes"))
    found = {i: (lines, n_bytes) for i, lines, n_bytes in total.rows()}
    for i, content in enumerate(contents):
        assert found.get(i, (0, 0)) == (count_lines(content), len(content))
    of_rejected = tables["fate"].filter(pl.col("fate") == "rejected")["lines"].sum()
    keys = ["file_id", "line"]
    # a line of JSON may hold intervals that can be read and others
    alone = tables["rejected"].join(tables["interval"], on=keys, how="anti")
    assert of_rejected == len(alone)
    keys = ["file_id", "stream"]
    assert tables["interval"].join(tables["stream"], on=keys, how="anti").is_empty()
    assert tables["stream"].select(keys).is_unique().all()
    for i, last in tables["interval"].group_by("file_id").agg(pl.max("line")).rows():
        assert last <= count_lines(contents[i])


@pytest.mark.parametrize("folder", LOGS)
def test_reads_the_expected_samples(folder):
    contents, tables = read_folder(folder)
    assert_ledger_adds_up(tables, contents)
    wanted = pl.concat(
        pl.read_csv(path.with_suffix(".expected.csv"), infer_schema=False).with_columns(
            file_id=pl.lit(i, pl.UInt32)
        )
        for i, path in enumerate(LOGS[folder])
    )
    numbers = pl.exclude("side", "file_id").cast(pl.Float64)
    found = samples(tables).select(wanted.columns).with_columns(numbers)
    assert_frame_equal(found, wanted.with_columns(numbers), rel_tol=1e-12, abs_tol=1e-12)


SECOND = (
    b"Server listening on 5201\n"
    b"[  5] local 10.0.0.2 port 5201 connected to 10.0.0.1 port 40001\n"
    b"[ ID] Interval           Transfer     Bitrate\n"
    b"[  5]   0.00-%s   sec  %s\n"
)


@pytest.mark.parametrize(
    ("end_s", "printed", "bps"),
    [
        ("1.00", "1.78 MBytes  0.01 Gbits/sec", 1.78 * 2**20 * 8),  # -f g
        ("1.00", "1.78 MBytes  0.00 GBytes/sec", 1.78 * 2**20 * 8),  # -f G
        ("1.00", "1.78 MBytes  14.9 Mbits/sec", 14.9e6),  # as fine: as it is printed
        ("0.01", "7.07 KBytes  11.7 Mbits/sec", 11.7e6),  # its length is known to one digit alone
        ("1.00", "1.78 MBytes  0.05 Gbits/sec", 0.05e9),  # they contradict each other
    ],
)
def test_a_rate_that_is_printed_too_coarsely_is_the_bytes_over_the_interval(end_s, printed, bps):
    (row,) = samples(parse("iperf3", SECOND % (end_s.encode(), printed.encode()))).to_dicts()
    assert row["throughput_bps"] == pytest.approx(bps, rel=1e-6)


@pytest.mark.parametrize("folder", LOGS)
def test_detects_the_format(folder):
    found, wanted = {}, {}
    for path in LOGS[folder]:
        if UNRECOGNISED.search(path.name):
            continue
        content = path.read_bytes()
        wanted[path.name] = format_of(path)
        if content.startswith(b"iperf3: error"):
            wanted[path.name] = "iperf3"  # old versions write such errors as text in spite of -J
        found[path.name] = formats.detect_format(content, path)
    assert found == wanted


@pytest.mark.parametrize("folder", LOGS)
def test_a_log_is_read_alike_beside_any_others(folder):
    contents, together = read_folder(folder)
    logs = [Log(i, content) for i, content in enumerate(contents)]
    for first in range(GROUPS):
        apart = logs[first::GROUPS]
        alone = parse_logs(format_of(LOGS[folder][0]), apart)
        ours = pl.col("file_id").is_in([log.file_id for log in apart])
        for name in ("stream", "interval", "summary", "fate", "rejected"):
            mine = together[name].filter(ours)
            assert_frame_equal(mine, alone[name], check_row_order=False)


def test_a_sample_s_line_holds_its_bytes():
    content = (FIXTURES / "iperf3-json/3.22/parallel.client.json").read_bytes()
    lines = content.decode().split("\n")
    for row in parse("iperf3-json", content)["interval"].rows(named=True):
        assert lines[row["line"] - 1].strip() == f'"bytes":\t{row["bytes"]},'


@pytest.mark.parametrize("version", ["3.9", "3.12", "3.22"])
def test_sums_are_no_samples(version):
    for name in (f"iperf3/{version}/parallel.server.log", f"iperf3/{version}/parallel.client.log"):
        tables = parse_fixture(name)
        assert len(tables["stream"]) == 3
        assert fates(tables)["summary", "sum over the streams"] >= 4


def test_the_sums_of_json_agree_with_the_streams():
    path = FIXTURES / "iperf3-json/3.22/parallel.client.json"
    sums = [i["sum"]["bytes"] for i in json.loads(path.read_bytes())["intervals"]]
    found = samples(parse("iperf3-json", path.read_bytes()))
    streams = found.with_columns(second=pl.col("t_end_s").round().cast(pl.Int64))
    per_second = streams.group_by("second").agg(pl.sum("bytes")).sort("second")
    assert per_second["bytes"].to_list() == sums


@pytest.mark.parametrize("kind", ["iperf3/3.9/{}.log", "iperf3-json/3.9/{}.json"])
def test_both_ends_name_the_same_connections(kind):
    def by_ports(program, near, far):
        stream = parse_fixture(kind.format(f"parallel-bidir.{program}"))["stream"]
        return {(r[near], r[far]): r["side"] for r in stream.rows(named=True)}

    client = by_ports("client", "local", "peer")
    server = by_ports("server", "peer", "local")
    assert client.keys() == server.keys() and len(client) == 4
    opposite = {"sender": "receiver", "receiver": "sender"}
    assert {ends: opposite[side] for ends, side in client.items()} == server
    assert sorted(client.values()) == ["receiver", "receiver", "sender", "sender"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("iperf3/3.22/omit.client.log", "omitted from the test (-O)"),
        ("iperf3-json/3.22/omit.client.json", "omitted from the test (-O)"),
        ("iperf3-json/3.22/stream-omit.client.json", "omitted from the test (-O)"),
        ("iperf3/3.22/client-sigint.server.log", "printed twice by an aborted test"),
        ("iperf3-json/3.22/client-sigint.server.json", "reported twice by an aborted test"),
    ],
)
def test_says_what_it_skips(name, reason):
    tables = parse_fixture(name)
    assert fates(tables)["skipped", reason] > 0
    spans = tables["interval"].sort("line")
    assert spans["t_start_s"][0] == pytest.approx(0, abs=0.001)
    assert (spans["t_start_s"].diff().drop_nulls() > 0).all()


def test_summaries_have_the_end_that_they_count():
    summary = parse_fixture("iperf3/3.22/tcp.client.log")["summary"]
    assert summary["side"].to_list() == ["sender", "receiver"]
    assert summary["retransmits"].to_list()[1] is None
    of_json = parse_fixture("iperf3-json/3.22/tcp.client.json")["summary"]
    assert of_json["side"].to_list() == ["sender", "receiver"]
    # the server does not know what the client sent: 0 bytes of it are no count
    assert parse_fixture("iperf3-json/3.22/tcp.server.json")["summary"]["side"].to_list() == [
        "receiver"
    ]


def test_tells_the_tests_of_a_server_apart():
    for name in ("iperf3/3.12/several.server.log", "iperf3-json/3.12/several.server.json"):
        stream = parse_fixture(name)["stream"]
        assert stream["episode"].to_list() == [1, 2, 3, 3, 4]
        assert stream["side"].to_list() == ["receiver", "sender"] + ["receiver"] * 3
        assert stream["protocol"].to_list() == ["tcp"] * 4 + ["udp"]
        assert stream["complete"].all()


@pytest.mark.parametrize("kind", ["iperf3/3.22/{}.log", "iperf3-json/3.22/{}.json"])
@pytest.mark.parametrize(
    ("case", "complete"),
    [
        ("tcp.client", True),
        ("tcp.server", True),
        ("client-sigint.client", False),
        ("client-sigint.server", False),
        ("client-sigkill.server", False),
        ("server-sigint.server", False),
        ("server-sigterm.client", False),
    ],
)
def test_knows_whether_a_test_ended(kind, case, complete):
    assert parse_fixture(kind.format(case))["stream"]["complete"].to_list() == [complete]


def test_the_other_end_s_report_is_of_the_same_test():
    for name in (
        "iperf3/3.22/server-output.client.log",
        "iperf3-json/3.22/server-output.client.json",
        "iperf3-json/3.22/stream-server-output.client.json",
    ):
        stream = parse_fixture(name)["stream"]
        assert stream["episode"].to_list() == [1, 1]
        assert stream["side"].to_list() == ["sender", "receiver"]
        assert stream["local"][0] == stream["peer"][1]


def test_a_full_output_after_its_events_is_read_once():
    tables = parse_fixture("iperf3-json/3.22/stream-full.client.json")
    assert len(tables["stream"]) == 1
    assert tables["interval"]["line"].max() <= 4


def test_verbose_output_says_more_of_the_test():
    stream = parse_fixture("iperf3/3.22/verbose-omit.client.log")["stream"].row(0, named=True)
    assert stream["cca"] == "reno"
    assert stream["mss_bytes"] == 1448
    assert stream["planned_s"] == 3
    assert stream["tool_version"] == "3.22"
    assert len(stream["cookie"]) == 36


def test_both_ends_of_a_test_say_the_same_name_of_it():
    for name in ("verbose-udp.{}.log", "verbose-omit.{}.log"):
        logs = [parse_fixture(f"iperf3/3.12/{name.format(end)}") for end in ("client", "server")]
        assert logs[0]["stream"]["cookie"].to_list() == logs[1]["stream"]["cookie"].to_list()
    for name in ("omit.{}.json", "bidir.{}.json"):
        logs = [
            parse_fixture(f"iperf3-json/3.22/{name.format(end)}") for end in ("client", "server")
        ]
        cookies = [set(log["stream"]["cookie"]) for log in logs]
        assert cookies[0] == cookies[1] and len(cookies[0]) == 1 and None not in cookies[0]
    of_json = parse_fixture("iperf3-json/3.22/omit.client.json")["stream"].row(0, named=True)
    assert of_json["cca"] == "bbr"
    assert of_json["mss_bytes"] == 1448
    assert of_json["planned_s"] == 3


def test_a_start_on_the_clock_is_after_the_omitted_part():
    raw = (FIXTURES / "iperf3-json/3.22/omit.client.json").read_bytes()
    start = json.loads(raw)["start"]
    omitted = start["test_start"]["omit"]
    assert omitted > 0
    epoch = parse("iperf3-json", raw)["stream"]["start_epoch_s"][0]
    assert epoch == start["timestamp"]["timemillisecs"] / 1000 + omitted


@pytest.mark.parametrize(
    "stamp", ["%b %d %H:%M:%S ", "%a %b %d %H:%M:%S %Y ", "%Y-%m-%dT%H:%M:%SZ "]
)
def test_a_blank_line_behind_a_stamp_is_blank(stamp):
    tables = parse("iperf3", iperf3(stamp=stamp))
    assert tables["rejected"].is_empty() and len(tables["interval"]) == 3


def test_colours_are_read_past():
    coloured = re.sub(rb"(?m)^(\[ +)(\d+)", b"\x1b[1m\\1\x1b[32m\\2\x1b[0m", iperf3())
    tables = parse("iperf3", coloured + b"\x1b[0m\n")
    assert tables["rejected"].is_empty() and len(tables["interval"]) == 3
    assert_ledger_adds_up(tables, [coloured + b"\x1b[0m\n"])
    assert fates(tables)["skipped", "of a terminal: escape sequences alone"] == 1


def test_old_loss_of_nothing_is_read():
    line = "[  4]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec  0.000 ms  0/0 (-nan%)  \n"
    tables = parse("iperf3", line.encode())
    assert samples(tables).select("bytes", "packets", "side").rows() == [(0, 0, "receiver")]
    raw = (FIXTURES / "iperf3-json/3.22/udp.server.json").read_bytes()
    spoilt = re.sub(rb'"(jitter_ms|lost_percent)":\t[\d.e-]+', rb'"\1":\t-nan', raw)
    read = parse("iperf3-json", spoilt)
    assert read["interval"]["jitter_s"].null_count() == len(read["interval"]) > 0
    assert read["rejected"].is_empty()


def test_more_lost_datagrams_than_expected_may_be_negative():
    line = "[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec  0.012 ms  -3/907 (-0.33%)  \n"
    assert parse("iperf3", line.encode())["interval"]["lost_packets"].to_list() == [-3]


def test_refuses_decimal_commas():
    line = "[  5]   0,00-1,00   sec  1,10 MBytes  9,24 Mbits/sec    0   87,7 KBytes       \n"
    tables = parse("iperf3", line.encode())
    (reason,) = tables["rejected"]["reason"]
    assert reason.startswith("decimal commas: run iperf3 with LC_ALL=C")
    assert tables["interval"].is_empty()


@pytest.mark.parametrize("prefix", ["run7: [x] ", "[2026-11-20 22:35:02.123] ", "1795214266; "])
def test_reads_behind_any_prefix(prefix):
    raw = (FIXTURES / "iperf3/3.22/tcp.client.log").read_text()
    plain = samples(parse("iperf3", raw.encode()))
    prefixed = "".join(f"{prefix}{line}\n" for line in raw.splitlines())
    tables = parse("iperf3", prefixed.encode())
    assert samples(tables).equals(plain)
    assert len(tables["stream"]) == 1


def test_a_cut_document_keeps_the_intervals_before():
    raw = (FIXTURES / "iperf3-json/3.22/parallel.client.json").read_bytes()
    whole = parse("iperf3-json", raw)
    cut = raw[: raw.index(b'"end":\t{')]
    tables = parse("iperf3-json", cut)
    assert tables["interval"].equals(whole["interval"])
    assert not tables["stream"]["complete"].any()
    assert tables["rejected"]["line"].to_list() == [count_lines(cut)]


def test_a_cut_document_on_one_line_is_rejected():
    raw = (FIXTURES / "iperf3-json/3.22/tcp.client.json").read_bytes()
    minified = json.dumps(json.loads(raw), separators=(",", ":")).encode()
    whole = parse("iperf3-json", minified)
    columns = ["t_start_s", "t_end_s", "bytes", "throughput_bps", "rtt_s", "retransmits"]
    expected = parse("iperf3-json", raw)["interval"].select(columns)
    assert whole["interval"].select(columns).equals(expected)
    assert whole["interval"]["line"].unique().to_list() == [1]
    tables = parse("iperf3-json", minified[:-400])
    assert tables["interval"].is_empty()
    assert tables["rejected"]["line"].to_list() == [1]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_document_is_read_that_was_appended_within_a_line_of_one_that_was_cut(ending):
    """As `iperf3 -J >> log` does after a test that was killed."""
    cut = iperf3_json(seconds=3)
    cut = cut[: cut.index(b'"seconds"', cut.index(b'"start": 2')) + 5]
    log = (cut + iperf3_json(seconds=4)).replace(b"\n", ending)
    tables = parse("iperf3-json", log)
    assert len(tables["stream"]) == 2
    assert tables["interval"]["t_end_s"].to_list() == [1.0, 2.0, 1.0, 2.0, 3.0, 4.0]
    assert tables["stream"]["complete"].to_list() == [False, True]
    assert fates(tables)["rejected", BREAKS] < 8  # lines of the interval that was cut
    assert_ledger_adds_up(tables, [log])


def test_documents_are_read_on_after_a_broken_one():
    raw = (FIXTURES / "iperf3-json/3.22/tcp.client.json").read_bytes()
    n = len(parse("iperf3-json", raw)["interval"])
    content = raw[:2000] + b"\niperf3: error - something\n" + raw
    tables = parse("iperf3-json", content)
    last_whole = tables["interval"].filter(pl.col("line") > content[:2000].count(b"\n") + 2)
    assert len(last_whole) == n
    assert len(tables["rejected"]) > 0
    assert_ledger_adds_up(tables, [content])


def test_an_error_line_after_a_document_is_a_message():
    raw = (FIXTURES / "iperf3-json/3.22/tcp.client.json").read_bytes()
    tables = parse("iperf3-json", raw + b"iperf3: error - control socket has closed\n")
    assert tables["rejected"].is_empty()
    assert fates(tables)["skipped", "a message"] == 1


def test_an_error_document_says_what_iperf3_said():
    found = fates(parse("iperf3-json", b'{"error":"unable to connect to server: refused"}\n'))
    assert found == {("skipped", "an error of iperf3: unable to connect to server: refused"): 1}


ESCAPES = [b"\x1b[?2004l\r", b"\x1b[0m", b"\x1b]0;user@host: ~\x07", b"\x1b[1;31m\x1b(B"]
PROMPTS = [
    b"user@host:~$ iperf3 -c server -J",
    b"[root@host ~]# iperf3 -J",
    b"$ iperf3 -c server -J",
    b"\x1b[32muser@host\x1b[0m:\x1b[34m~/logs\x1b[0m$ exit",
    b"(base) user@host:~/logs$ ",
    b"Script started on 2026-11-23 14:00:00+00:00",
]


@pytest.mark.parametrize("escape", ESCAPES)
def test_an_escape_sequence_before_the_document_changes_no_sample(escape):
    raw = (FIXTURES / "iperf3-json/3.22/tcp.client.json").read_bytes()
    wanted = parse("iperf3-json", raw)
    for log in (escape + raw, escape + b"\n" + raw + escape + b"\n"):
        assert detect_format(log, "a.json") == "iperf3-json"
        tables = parse("iperf3-json", log)
        assert tables["interval"].drop("line").equals(wanted["interval"].drop("line"))
        assert tables["rejected"].is_empty()
        assert_ledger_adds_up(tables, [log])
    reason = "of a terminal: escape sequences or a shell's prompt"
    assert fates(tables)["skipped", reason] == 2


@pytest.mark.parametrize("prompt", PROMPTS)
def test_a_shells_prompt_is_skipped_with_the_reason(prompt):
    raw = (FIXTURES / "iperf3-json/3.22/tcp.client.json").read_bytes()
    log = prompt + b"\n" + raw + prompt + b"\n"
    assert detect_format(log, "a.json") == "iperf3-json"
    tables = parse("iperf3-json", log)
    assert len(tables["interval"]) == len(parse("iperf3-json", raw)["interval"])
    assert tables["rejected"].is_empty()
    assert fates(tables)["skipped", "of a terminal: escape sequences or a shell's prompt"] == 2
    assert_ledger_adds_up(tables, [log])


def test_other_text_beside_a_document_is_still_rejected():
    raw = (FIXTURES / "iperf3-json/3.22/tcp.client.json").read_bytes()
    assert parse("iperf3-json", b"user@host says no\n" + raw)["rejected"]["line"].to_list() == [1]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_json_may_be_laid_out_in_any_way(indent):
    raw = (FIXTURES / "iperf3-json/3.22/parallel-bidir.client.json").read_bytes()
    sorted_keys = json.dumps(json.loads(raw), indent=indent, sort_keys=True).encode()
    columns = ["t_start_s", "t_end_s", "bytes", "cwnd_bytes", "side"]
    order = ["t_start_s", "t_end_s", "bytes"]
    wanted = samples(parse("iperf3-json", raw)).select(columns).sort(order)
    tables = parse("iperf3-json", sorted_keys)
    assert samples(tables).select(columns).sort(order).equals(wanted)
    assert formats.detect_format(sorted_keys, "x.json") == "iperf3-json"
    assert tables["stream"]["complete"].all()
    assert_ledger_adds_up(tables, [sorted_keys])


def test_the_scanner_reads_numbers_as_python_does():
    for path in JSONS:
        text = path.read_bytes()
        for name in (b"bits_per_second", b"end", b"jitter_ms"):
            written = [float(x) for x in re.findall(rb'"%s":\s*([-\d.eE+]+)' % name, text)]
            found = Scanner(len(text)).scan(*in_a_row([text]))
            values = [v for v in found.number(name.decode()) if v == v]
            closest = set(written)
            for value in values:
                assert value in closest or any(
                    w == pytest.approx(value, rel=1e-15) for w in closest
                )


def test_streams_where_iperf3_writes_none_are_named():
    tables = parse("iperf3-json", b'{"other":{"socket":5,"start":0,"end":1,"bytes":9}}\n')
    assert tables["interval"].is_empty()
    assert tables["rejected"]["reason"].to_list() == ["a stream's object where iperf3 writes none"]


def test_a_rejected_interval_on_the_line_of_others_is_named_by_itself():
    good, bad = (f'{{"socket":5,"start":{start},"end":2,"bytes":9}}' for start in (1, 3))
    log = f'{{"intervals":[{{"streams":[{good},{bad}]}}]}}\n'.encode()
    tables = parse("iperf3-json", log)
    assert_ledger_adds_up(tables, [log])
    assert tables["interval"]["bytes"].to_list() == [9]
    (rejected,) = tables["rejected"].rows(named=True)
    assert (rejected["line"], rejected["text"]) == (1, bad)
    assert rejected["reason"] == "the interval ends before it begins"


@pytest.mark.parametrize("form", [{"indent": 1}, {"separators": (",", ":")}])
def test_bad_intervals_of_a_document_leave_the_others(form):
    raw = (FIXTURES / "iperf3-json/3.22/parallel.client.json").read_bytes()
    document = json.loads(raw)
    every = samples(parse("iperf3-json", json.dumps(document, **form).encode())).drop("line")
    bad = {1: ("bytes", True), 2: ("end", -7)}
    for i, (key, value) in bad.items():
        document["intervals"][i]["streams"][0][key] = value
    content = json.dumps(document, **form).encode()
    tables = parse("iperf3-json", content)
    assert_ledger_adds_up(tables, [content])
    kept = samples(tables).drop("line")
    assert len(kept) == len(every) - 2
    assert kept.join(every, on=kept.columns, how="anti", nulls_equal=True).is_empty()
    reasons = tables["rejected"]["reason"].unique(maintain_order=True).to_list()
    assert reasons == [
        "the interval has no start, end or bytes",
        "the interval ends before it begins",
    ]


def test_thousands_of_streams_are_refused_at_once():
    streams = ",".join(f'{{"socket":{i},"start":0,"end":1,"bytes":9}}' for i in range(200_000))
    tables = parse("iperf3-json", f'{{"intervals":[{{"streams":[{streams}]}}]}}\n'.encode())
    assert tables["rejected"]["line"].to_list() == [1]


SMALL_TEXTS = [p.read_bytes() for p in TEXTS if p.parts[-2] == "3.22"]
SMALL_JSONS = [p.read_bytes() for p in JSONS if p.parts[-2] in ("3.9", "3.22")]
JUNK = st.sampled_from(
    [
        *(b"\n", b"\r\n", b"{", b"}", b'"', b",", b"\0", b"\xff", b"-", b"1e999", b"9" * 30, b"["),
        *(b'{"event":"start","data":', b'"socket":', b'"intervals":[', b"iperf3: error - x\n"),
        *(b"0.00", b"nan", b"(omitted)\n", b"\\", b"null", b"[SUM]", b"Server output:\n", b"-1"),
        b"[  5] local 1.1.1.1 port 1 connected to 2.2.2.2 port 5201\n",
        b"[  5]   1.00-0.50   sec  1.10 MBytes  9.24 Mbits/sec\n",
    ]
)


@st.composite
def spoilt(draw, contents):
    """Return fixtures that were cut, joined, and overwritten."""
    parts = []
    for content in draw(st.lists(st.sampled_from(contents), min_size=1, max_size=3)):
        begin = draw(st.integers(0, len(content)))
        end = draw(st.integers(begin, len(content)))
        parts.append(content[begin:end] if draw(st.booleans()) else content[:end])
        for _ in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(parts[-1])))
            gone = draw(st.integers(0, 30))
            junk = draw(st.one_of(JUNK, st.binary(max_size=5)))
            parts[-1] = parts[-1][:at] + junk + parts[-1][at + gone :]
    return b"".join(parts)


def survives(format_name, *contents):
    try:
        tables = parse(format_name, *contents)
    except DataError:
        for content in contents if len(contents) > 1 else ():
            survives(format_name, content)
        return
    assert_ledger_adds_up(tables, contents)
    interval = tables["interval"]
    assert interval.select("t_start_s", "t_end_s", "bytes").null_count().sum_horizontal()[0] == 0
    assert (interval["t_end_s"] > interval["t_start_s"]).all()


FUZZ = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@FUZZ
@given(several(spoilt(SMALL_TEXTS)))
def test_spoilt_text_is_accounted_for(contents):
    survives("iperf3", *contents)


@FUZZ
@given(several(spoilt(SMALL_JSONS)))
def test_spoilt_json_is_accounted_for(contents):
    survives("iperf3-json", *contents)


@pytest.mark.thorough
@FUZZ
@given(several(st.one_of(spoilt(SMALL_TEXTS + SMALL_JSONS), st.binary(max_size=300))))
def test_each_reader_survives_the_other_s_logs(contents):
    survives("iperf3", *contents)
    survives("iperf3-json", *contents)


OF_3_0 = """Connecting to host 192.0.2.1, port 5201
[  4] local 192.0.2.10 port 40000 connected to 192.0.2.1 port 5201
[ ID] Interval           Transfer     Bandwidth       Retransmits
{intervals}[ ID] Interval           Transfer     Bandwidth       Retransmits
      Sent
[  4]   0.00-10.00  sec   112 MBytes  94.0 Mbits/sec    9
      Received
[  4]   0.00-10.00  sec   111 MBytes  93.1 Mbits/sec
iperf Done.
"""
INTERVALS = {
    "1 s": [(0, 5, 56.1, 3), (5, 10, 56.1, 6)],
    "as long as the test": [(0, 10, 112, 9)],
}


@pytest.mark.parametrize("case", INTERVALS)
def test_iperf3_3_0_has_other_headings_and_says_above_a_sum_whose_it_is(case):
    rows = [
        f"[  4]  {start:5.2f}-{end:<5.2f}  sec  {mb} MBytes  94.0 Mbits/sec    {lost}\n"
        for start, end, mb, lost in INTERVALS[case]
    ]
    tables = parse("iperf3", OF_3_0.format(intervals="".join(rows)).encode())
    assert tables["interval"]["retransmits"].to_list() == [row[-1] for row in INTERVALS[case]]
    summary = tables["summary"].select("side", "retransmits").rows()
    assert summary == [("sender", 9), ("receiver", None)]
    assert not tables["rejected"].height
    assert tables["stream"]["side"].to_list() == ["sender"]


def test_an_exponent_whose_plus_a_locale_left_out_is_read():
    name = "iperf3-json/3.12/" + next(p.name for p in JSONS if "/3.12/" in str(p))
    whole = (FIXTURES / name).read_bytes()
    spoilt = re.sub(rb'("bits_per_second":\s*)(\d+\.?\d*)(?=[,\s])', rb"\g<1>1.00000e 08", whole)
    assert spoilt != whole and b"e 08" in spoilt
    tables = parse("iperf3-json", spoilt)
    assert not tables["rejected"].height
    kept = tables["interval"]
    assert kept.drop("throughput_bps").equals(
        parse("iperf3-json", whole)["interval"].drop("throughput_bps")
    )
    assert set(kept["throughput_bps"]) == {1e8}


REFUSED = b"iperf3: error - unable to connect to server: Connection refused\n"
LOST = b"Accepted connection from 10.0.0.1, port 40500\niperf3: error - unable to receive results\n"
BUSY = b"iperf3: error - the server is busy running a test. try again later\n"
STOPPED = b"Connecting to host 10.0.0.2, port 5201\niperf3: interrupt - the client has terminated\n"


@pytest.mark.parametrize("failed", [REFUSED, LOST, BUSY, STOPPED])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_failed_test_in_an_appended_log_takes_no_other_one_along(failed, place):
    tests = [iperf3(), iperf3()]
    tests.insert(place, failed)
    streams = parse("iperf3", b"".join(tests))["stream"]
    assert streams["episode"].to_list() == [1, 2]
    early = failed is STOPPED and place == 0  # of which of both a log of a pipe does not say
    assert early or streams["complete"].to_list() == [True, True]


def test_an_error_that_stands_before_the_test_that_it_broke_off_is_of_that_one():
    cut = iperf3().partition(b"- - -")[0]
    assert parse("iperf3", REFUSED + cut + iperf3())["stream"]["complete"].to_list() == [
        False,
        True,
    ]


def as_events(document: bytes, socket: int) -> list[bytes]:
    """Return a document as --json-stream writes it, an event a line."""
    found = json.loads(document.replace(b'"socket": 5', b'"socket": %d' % socket))
    events = [("start", found["start"]), *(("interval", of) for of in found["intervals"])]
    return [
        json.dumps({"event": e, "data": d}).encode() for e, d in [*events, ("end", found["end"])]
    ]


def test_events_of_two_clients_in_one_file_are_those_of_their_sockets():
    one = as_events(iperf3_json(mbps=20.0, cca="cubic", seconds=5), 5)
    other = as_events(iperf3_json(mbps=60.0, cca="bbr", seconds=5), 7)
    mixed = [line for pair in zip(one, other, strict=True) for line in pair]
    tables = parse("iperf3-json", b"\n".join(mixed) + b"\n")
    assert tables["stream"].select("episode", "label", "cca", "complete").rows() == [
        (1, "5", "cubic", True),
        (2, "7", "bbr", True),
    ]
    rates = tables["interval"].group_by("stream").agg(pl.col("bytes").unique(), n=pl.len())
    assert sorted(rates.rows()) == [(1, [2_500_000], 5), (2, [7_500_000], 5)]
    assert tables["summary"].filter(pl.col("side") == "sender")["stream"].to_list() == [1, 2]
