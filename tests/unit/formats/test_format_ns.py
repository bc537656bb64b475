"""ns-2's and ns-3's outputs, made by the simulators, against plain readings of them.

The expected tables beside the logs come from awk and from Python's XML reader (expected.awk,
expected.py there), not from the parsers.
"""

import random
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from broken_logs import assert_accounted, broken, parse_broken
from evenflow.errors import DataError
from evenflow.formats import detect_format
from evenflow.formats.lexing import lex
from hypothesis import given, settings
from raw_data import ROOT, content

FORMATS = ROOT / "tests/fixtures/formats"
TRACES = [*sorted(FORMATS.glob("ns2-trace/*.tr")), FORMATS / "ns2-trace/dumbbell.tr.gz"]
TRACES = [path for path in TRACES if path.name != "tagged.tr"]
VARIABLES = sorted(FORMATS.glob("ns2-variable/*.tr")) + sorted(FORMATS.glob("ns2-variable/*.nam"))
VARIABLES = [path for path in VARIABLES if path.name != "xgraph.tr"]
QUEUES = sorted(FORMATS.glob("ns2-queue/*.log"))
MONITORS = sorted(FORMATS.glob("ns3-flowmonitor/**/*.xml"))
MONITORS += sorted(FORMATS.glob("ns3-tcp-variants/*/*.flowmonitor"))
NS3 = sorted(FORMATS.glob("ns3-tcp-variants/*/*.data*"))
NS3 = [path for path in NS3 if content(path)]
OF = {"ns2-trace": TRACES, "ns2-variable": VARIABLES, "ns2-queue": QUEUES}
OF |= {"ns3-flowmonitor": MONITORS, "ns3-trace": NS3}


def named(value):
    return value if isinstance(value, str) else f"{value.parent.name}/{value.name}"


def read(format_name, path):
    tables = assert_accounted(format_name, [content(path)], [path])
    assert tables["rejected"].is_empty()
    return tables


def stem(path):
    return path.name.removesuffix(".gz").removesuffix(
        path.suffix if path.suffix != ".gz" else ".tr"
    )


def reasons(tables):
    return dict(tables["fate"].select("reason", "lines").rows())


@pytest.mark.parametrize("format_name", OF)
def test_the_format_is_detected(format_name):
    found = {path: detect_format(content(path), path) for path in OF[format_name]}
    assert found == dict.fromkeys(OF[format_name], format_name)


@pytest.mark.parametrize(
    "name", ["ns2-trace/tagged.tr", "ns2-trace/simple.nam", "ns2-variable/xgraph.tr"]
)
def test_what_names_no_columns_is_not_guessed(name):
    with pytest.raises(DataError, match="not read"):
        detect_format((FORMATS / name).read_bytes(), name)


END = {
    "crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "no final newline": lambda text: text.rstrip(b"\n"),
    "blank lines": lambda text: text + b"\n\n",
}


@cache
def read_together(format_name):
    """Parse the logs of a format at once."""
    paths = OF[format_name]
    return assert_accounted(format_name, [content(path) for path in paths], paths)


@pytest.mark.parametrize("format_name", OF)
@pytest.mark.parametrize("end", END)
def test_line_ends_do_not_matter(format_name, end):
    paths, plain = OF[format_name], read_together(format_name)
    found = assert_accounted(format_name, [END[end](content(path)) for path in paths], paths)
    for name in ("stream", "interval", "state", "queue", "drop", "rejected"):
        for i, path in enumerate(paths):
            assert found[name].filter(file_id=i).equals(plain[name].filter(file_id=i)), (name, path)


# ns-2: the wired trace


def expected_trace(path):
    file = path.with_name(f"{stem(path)}.expected.csv")
    text = {"source": pl.String, "sink": pl.String}
    table = pl.read_csv(file, schema_overrides=text)
    return table.filter(~pl.col("type").str.starts_with("rtProto"))


@pytest.mark.parametrize("path", TRACES, ids=named)
def test_bytes_a_second_at_the_own_sink(path):
    tables = read("ns2-trace", path)
    data = pl.col("type") != "ack"
    wanted = (
        expected_trace(path)
        .filter(data & (pl.col("packets") > 0))
        .group_by("source", "sink", "t_start_s")
        .agg(pl.sum("bytes", "packets"))
        .sort("source", "sink", "t_start_s")
    )
    found = tables["interval"].join(tables["stream"], on=["file_id", "stream"])
    arrived = found.filter(pl.col("packets") > 0).sort("peer", "local", "t_start_s")
    columns = ["peer", "local", "t_start_s", "bytes", "packets"]
    assert arrived.select(columns).rows() == wanted.rows()
    # and no second is missing between a flow's first packet and the end of the trace
    for (_,), of_stream in found.sort("t_start_s").group_by("stream"):
        assert of_stream["t_start_s"][1:].to_list() == of_stream["t_end_s"][:-1].to_list()
        rate = of_stream["bytes"] * 8 / (of_stream["t_end_s"] - of_stream["t_start_s"])
        assert of_stream["throughput_bps"].to_list() == pytest.approx(rate.to_list())


@pytest.mark.parametrize("path", TRACES, ids=named)
def test_every_drop_of_a_trace(path):
    expected = expected_trace(path)
    drop = read("ns2-trace", path)["drop"]
    lost = expected.filter(pl.col("type") != "ack")  # an acknowledgement is no loss of its flow
    assert len(drop) == lost["dropped"].sum()
    lines = content(path).decode().splitlines()
    for row in drop.rows(named=True):
        fields = lines[row["line"] - 1].split()
        assert fields[0] in "de" and float(fields[1]) == row["t_s"]
        assert (int(fields[5]), int(fields[10])) == (row["packet_bytes"], row["sequence"])
        assert row["flow_id"] in (None, int(fields[7]))


def test_flow_ids_are_the_flows_numbers_where_each_flow_has_its_own():
    def flow_ids(name):
        return read("ns2-trace", FORMATS / f"ns2-trace/{name}")["stream"]["flow_id"].to_list()

    assert flow_ids("dumbbell.tr.gz") == [1, 2]
    assert flow_ids("chain.tr") == [0]
    assert flow_ids("packet-types.tr") == [None] * 5  # six agents of id 0


def test_what_a_trace_holds_besides():
    found = reasons(read("ns2-trace", FORMATS / "ns2-trace/events.tr"))
    assert found["another event than + - r d e"] == 11
    assert found["an acknowledgement or routing message received"] == 17 + 25
    found = reasons(read("ns2-trace", FORMATS / "ns2-trace/hierarchical.tr"))
    assert found["received at a node on the way"] == 26
    stream = read("ns2-trace", FORMATS / "ns2-trace/hierarchical.tr")["stream"]
    assert stream.select("peer", "local").rows() == [("0.0.0.0", "1.0.1.0")]


def test_addresses_of_two_parts_before_the_port():
    path = FORMATS / "ns2-trace/hierarchical.tr"
    two = content(path).replace(b"0.0.0.0", b"0.7.0").replace(b"1.0.1.0", b"1.12.3")
    stream = assert_accounted("ns2-trace", [two])["stream"]
    assert stream.select("peer", "local").rows() == [("0.7.0", "1.12.3")]


@pytest.mark.parametrize("name", ["dumbbell.tr.gz", "chain.tr", "sack-cbr.tr", "red-early.tr"])
def test_packets_of_a_trace_are_enqueued_once_for_each_hop_and_end(name):
    """The queue that + - d e leave at the end holds what was enqueued and did not depart."""
    held = {}
    for line in content(FORMATS / f"ns2-trace/{name}").decode().splitlines():
        event, _, source, to, *_ = line.split()
        if event in "+-de":
            held[source, to] = (
                held.get((source, to), 0) + {"+": 1, "-": -1, "d": -1, "e": -1}[event]
            )
    assert min(held.values()) >= 0


def test_the_queue_that_a_trace_gives_is_that_of_the_queue_monitor():
    """+1 packet at '+', -1 at '-' and 'd': at each event what the monitor of the link says then."""
    folder = FORMATS / "ns2-trace-and-queue"
    queue = read("ns2-queue", folder / "both.log")["queue"]
    packets, size, derived, after_drop = 0, 0, [], []
    for line in content(folder / "both.tr").decode().splitlines():
        event, t_s, _, _, _, n_bytes, *_ = line.split()
        if event in "+-d":
            sign = 1 if event == "+" else -1
            packets, size = packets + sign, size + sign * int(n_bytes)
            derived.append((float(t_s), packets, size))
        if event == "d":
            after_drop.append(packets)
    found = queue.with_columns(pl.col("t_s").round(6))  # as ns-2 rounds times of traces
    assert found.select("t_s", "queue_packets", "queue_bytes").rows() == derived
    assert len(derived) == 208
    # a DropTail queue of limit 5 holds 4; the parser's drops are those of the count
    assert after_drop == [4] * 15
    assert len(read("ns2-trace", folder / "both.tr")["drop"]) == 15


@pytest.mark.parametrize(
    "line",
    [
        b"r 1e300 1 2 tcp 1040 ------- 1 0.0 2.0 3 4",
        b"r 1.5 1 2 tcp 99999999999 ------- 1 0.0 2.0 3 4",
        b"r 1.5 1 2 tcp 1040 ------- 99999999999 0.0 2.0 3 4",
        b"r 1.5 1 2 tcp 1040 ------- 1 0.0.0.0.0 2.0 3 4",
        b"r 1.5 1 2 tcp 1040 ------- 1 0.0",
        b"d 1.5 1 2 tcp",
        b"garbage",
    ],
)
def test_a_damaged_line_of_a_trace_is_rejected(line):
    text = content(FORMATS / "ns2-trace/chain.tr")
    tables = assert_accounted("ns2-trace", [text + line + b"\n"])
    assert tables["rejected"]["text"].to_list() == [line.decode()]
    assert tables["rejected"]["line"].to_list() == [379]
    assert tables["interval"].equals(read("ns2-trace", FORMATS / "ns2-trace/chain.tr")["interval"])


# ns-2: variables and queues


@pytest.mark.parametrize("path", VARIABLES, ids=named)
def test_every_value_of_a_variable(path):
    tables = read("ns2-variable", path)
    expected = pl.read_csv(path.with_name(f"{stem(path)}.expected.csv"), infer_schema=False)
    keys = ["file_id", "stream"]
    found = tables["state"].join(tables["stream"].select(*keys, "label"), on=keys)
    found = found.sort("line", maintain_order=True)
    assert found["t_s"].to_list() == expected["t_s"].cast(pl.Float64).to_list()
    assert found["value"].to_list() == expected["value"].cast(pl.Float64).to_list()
    assert found["label"].to_list() == expected["agent"].to_list()
    names = dict(zip(found["variable"], expected["variable"], strict=True))
    for ours, theirs in names.items():
        assert ours.startswith(theirs.strip("_")) or (ours, theirs) in {
            ("ack", "hiack"),
            ("t_seqno", "seqno"),
            ("backoff", "bkoff"),
        }


def test_ends_and_units_of_variables():
    stream = read("ns2-variable", FORMATS / "ns2-variable/two-flows.tr")["stream"]
    assert stream.select("local", "peer").rows() == [("0.0", "2.0"), ("0.1", "2.1")]
    state = read("ns2-variable", FORMATS / "ns2-variable/linux.tr")["state"]
    rtt = state.filter(variable="rtt_s", value=pl.col("value").max().over("variable"))
    assert 0.05 < rtt["value"][0] < 1  # the path's 50 ms and its queue
    raw = read("ns2-variable", FORMATS / "ns2-variable/trace-object.tr")
    assert "srtt_eighths_of_tick" in raw["state"]["variable"].to_list()
    assert raw["stream"]["local"].to_list() == [None]


def test_queues_by_their_changes():
    queue = read("ns2-queue", FORMATS / "ns2-queue/per-packet.log")["queue"]
    lines = content(FORMATS / "ns2-queue/per-packet.log").decode().splitlines()
    wanted = [tuple(map(float, line.split()[2::2])) for line in lines]
    found = queue.select("t_s", "queue_bytes", "queue_packets").rows()
    assert found == [(t, size, packets) for t, _, _, size, packets in wanted]
    red = read("ns2-queue", FORMATS / "ns2-queue/red.log")["queue"]
    lines = content(FORMATS / "ns2-queue/red.log").decode().splitlines()
    wanted = [tuple(map(float, line.split()[1:])) for line in lines if line.startswith("Q")]
    assert red.select("t_s", "queue_packets").rows() == wanted
    assert red["queue_bytes"].null_count() == len(red)


@pytest.mark.parametrize("path", QUEUES, ids=named)
def test_every_number_of_a_queue_log_is_read(path):
    queue = read("ns2-queue", path)["queue"]
    assert queue["t_s"].null_count() == queue["queue_packets"].null_count() == 0
    assert queue["t_s"].is_sorted()


def test_numbers_are_read_as_python_reads_them():
    """All of those that logs hold: 17 significant digits, exponents, leading zeros."""
    draw = random.Random(7)
    texts = ["0.050000000000000003", "5e-06", "18446744073709551615", "1e-30", "007", "0.0"]
    texts += [repr(draw.random() * 10 ** draw.randint(-9, 12)) for _ in range(2000)]
    lines = lex("\n".join(texts).encode())
    assert lines.shapes == ["0"]
    assert lines.numbers([0]).tolist() == [float(text) for text in texts]


# ns-3


@pytest.mark.parametrize("path", MONITORS, ids=named)
def test_flows_of_flowmonitor(path):
    tables = read("ns3-flowmonitor", path)
    name = f"{path.stem}.expected.csv"
    file = path.with_name(name)
    if path.suffix == ".flowmonitor":
        file = path.parents[1] / f"{path.parent.name}.flowmonitor.expected.csv"
    expected = pl.read_csv(file, infer_schema=False)
    acks = {
        (row["source"], row["source_port"], row["destination"], row["destination_port"])
        for row in expected.rows(named=True)
        if row["protocol"] == "6" and row["source_port"] in ("5000", "5001", "50000")
    }
    found = tables["interval"].join(tables["stream"], on=["file_id", "stream"]).sort("stream")
    wanted = [
        row
        for row in expected.sort(pl.col("flow_id").cast(pl.Int64)).rows(named=True)
        if (row["source"], row["source_port"], row["destination"], row["destination_port"])
        not in acks
    ]
    assert len(found) == len(wanted)
    for rank, (mine, row) in enumerate(zip(found.rows(named=True), wanted, strict=True), start=1):
        assert (mine["stream"], mine["label"]) == (rank, row["flow_id"])
        assert mine["flow_id"] is None  # ns-3's number is that of a start, not of a flow
        assert mine["side"] == "receiver"
        assert mine["peer"] == f"{row['source']}:{row['source_port']}"
        assert mine["local"] == f"{row['destination']}:{row['destination_port']}"
        assert mine["bytes"] == int(row["rx_bytes"])
        assert mine["packets"] == int(row["rx_packets"])
        assert mine["lost_packets"] == int(row["lost_packets"])
        assert mine["start_s"] == pytest.approx(float(row["first_tx_s"]), rel=1e-9)
        if mine["bytes"]:
            assert mine["t_end_s"] == pytest.approx(float(row["last_rx_s"]), rel=1e-9)
    n_acks = reasons(tables).get("only acknowledges another flow", 0)
    assert n_acks == len(expected) - len(wanted)


def test_a_cut_flowmonitor_says_where():
    text = content(FORMATS / "ns3-flowmonitor/two-tcp.xml")
    cut = text[: text.index(b'flowId="3" sourceAddress') - 20]
    tables = assert_accounted("ns3-flowmonitor", [cut])
    assert tables["stream"]["label"].to_list() == ["1"]
    assert tables["rejected"]["line"].to_list() == [cut.count(b"\n") + 1]
    assert tables["rejected"]["reason"][0].startswith("no XML from here on")
    assert reasons(tables)["no classifier names the flow's ends: the file is cut"] == 2


@pytest.mark.parametrize(
    "declared",
    [
        b'<!DOCTYPE FlowMonitor [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        b'<!DOCTYPE FlowMonitor SYSTEM "file:///etc/hostname">',
    ],
)
def test_a_document_type_is_refused(declared):
    text = content(FORMATS / "ns3-flowmonitor/two-tcp.xml")
    first, rest = text.split(b"\n", 1)
    tables = assert_accounted("ns3-flowmonitor", [first + b"\n" + declared + b"\n" + rest])
    assert tables["stream"].is_empty()
    assert tables["rejected"]["line"][0] == 2
    assert tables["rejected"]["reason"][0].startswith("a document type")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'rxBytes="498144" ', b""),
        (b'rxBytes="498144"', b'rxBytes="-498144"'),
        (b'rxBytes="498144"', b'rxBytes="' + b"9" * 40 + b'"'),
        (b"+1.01232e+09ns", b"+nan"),
        (b'flowId="2" time', b'flowId="1" time'),
    ],
)
def test_an_element_that_cannot_be_right_is_rejected(old, new):
    text = content(FORMATS / "ns3-flowmonitor/two-tcp.xml")
    line = text[: text.index(old)].count(b"\n") + 1
    tables = assert_accounted("ns3-flowmonitor", [text.replace(old, new, 1)])
    assert tables["rejected"]["line"].to_list() == [line]


@pytest.mark.parametrize("path", NS3, ids=named)
def test_values_of_an_ns3_trace(path):
    tables = read("ns3-trace", path)
    flow = int(path.name.split("-flow")[1][0]) + 1 if "-flow" in path.name else 1
    assert set(tables["stream"]["flow_id"]) <= {flow}
    variable = path.name.partition(".")[0].split("-", 2 if "-flow" in path.name else 1)[-1]
    if variable == "next-rx":
        return
    unit = "_s" if variable in ("rtt", "rto") else "_bytes"
    rows = [tuple(map(float, line.split())) for line in content(path).decode().splitlines()]
    empty = {0.0, 4294967295.0} if variable in ("cwnd", "rtt", "ssth") else set()
    wanted = [row for row in rows if row[1] not in empty]
    assert tables["state"].select("t_s", "value").rows() == wanted
    assert all(name.endswith(unit) for name in tables["state"]["variable"])
    assert reasons(tables).get(None, 0) == len(wanted)


@pytest.mark.parametrize("path", [path for path in NS3 if "next-rx" in path.name], ids=named)
def test_payload_a_second_of_an_ns3_trace(path):
    case = path.parent.name
    if "-flow" in path.name:
        case += f"-flow{path.name.split('-flow')[1][0]}"
    expected = pl.read_csv(FORMATS / f"ns3-tcp-variants/{case}.expected.csv")
    interval = read("ns3-trace", path)["interval"]
    assert interval["t_start_s"].to_list() == expected["t_start_s"].to_list()
    assert interval["bytes"].to_list() == expected["bytes"].to_list()
    last = float(content(path).decode().splitlines()[-1].split()[0])
    assert interval["t_end_s"][-1] == last


def test_sequence_numbers_wrap_and_do_not_fall():
    lines = b"0.5 4294967290\n1.5 1000\n1.6 2000\n1.7 1500\n2.5 3000\n"
    tables = assert_accounted("ns3-trace", [lines], [Path("a-next-rx.data")])
    assert tables["interval"]["bytes"].to_list() == [2**32 - 7, 2**32 + 2000 - (2**32 - 6), 1000]
    assert tables["rejected"]["line"].to_list() == [4]


def test_a_trace_whose_name_says_no_variable_is_rejected():
    tables = assert_accounted("ns3-trace", [b"0.0 0\n0.1 940\n"], [Path("data.txt")])
    assert tables["rejected"]["line"].to_list() == [1, 2]
    with pytest.raises(DataError, match="not read"):
        detect_format(b"0.0 0\n0.1 940\n", "data.txt")


# all of them


@pytest.mark.parametrize("format_name", OF)
def test_all_logs_at_once_are_as_each_by_itself(format_name):
    together = read_together(format_name)
    for i, path in enumerate(OF[format_name]):
        alone = read(format_name, path)
        for name in ("stream", "interval", "state", "queue", "drop"):
            mine = alone[name].with_columns(file_id=pl.lit(i, pl.UInt32))
            keys = [k for k in ("stream", "line", "t_start_s", "variable") if k in mine.columns]
            of_file = together[name].filter(file_id=i)
            assert of_file.sort(keys).equals(mine.sort(keys)), (path.name, name)


@pytest.mark.parametrize("format_name", OF)
def test_any_broken_log_is_accounted_for(format_name):
    contents = [content(path) for path in OF[format_name] if path.stat().st_size < 20000]
    path = Path("a-flow1-next-rx.data") if format_name == "ns3-trace" else None

    @settings(max_examples=12, deadline=None)
    @given(broken(contents))
    def check(texts):
        parse_broken(format_name, texts, path)

    check()


def lan(*more):
    """Return a trace of a LAN in which node 3 sends to node 4, and node 6 hears every frame."""
    lines = []
    for n in range(5):
        t, back = f"{n}.1", f"{n}.2"
        lines += [
            f"+ {t} 5 4 tcp 1040 ------- 1 0.0 4.0 {n} {2 * n}",
            f"h {t} 5 8 tcp 1040 ------- 1 0.0 4.0 {n} {2 * n}",
            f"d {t} 5 6 tcp 1040 ------- 1 0.0 4.0 {n} {2 * n}",
            f"r {t} 5 4 tcp 1040 ------- 1 0.0 4.0 {n} {2 * n}",
            f"h {back} 4 8 ack 40 ------- 1 4.0 0.0 {n} {2 * n + 1}",
            f"d {back} 5 6 ack 40 ------- 1 4.0 0.0 {n} {2 * n + 1}",
            f"r {back} 4 5 ack 40 ------- 1 4.0 0.0 {n} {2 * n + 1}",
        ]
    return "".join(f"{line}\n" for line in (*lines, *more)).encode()


def test_acknowledgements_that_carry_data_are_said():
    """FullTcp calls all packets of the end that was called `ack`; options take up to 40 bytes."""
    sizes = [40, 80, 1040, 1040, 540]
    lines = [
        f"r {n}.1 0 4 tcp 1040 ------- 1 0.0 4.0 {n} {2 * n}\n"
        f"r {n}.2 4 0 ack {size} ------- 1 4.0 0.0 {n} {2 * n + 1}\n"
        for n, size in enumerate(sizes)
    ]
    tables = assert_accounted("ns2-trace", ["".join(lines).encode()])
    assert tables["interval"]["bytes"].sum() == 5 * 1040
    found = reasons(tables)
    assert found["3 acknowledgements that carry data, 0.0025 MB: they are not counted"] == 3
    assert found["an acknowledgement or routing message received"] == 2
    # a sink whose packets are all large sends no data
    large = "".join(lines).replace("ack 40", "ack 1000").replace("ack 80", "ack 1000")
    large = large.replace("ack 540", "ack 1000").encode()
    found = reasons(assert_accounted("ns2-trace", [large]))
    assert found["an acknowledgement or routing message received"] == 5


def test_what_other_stations_of_a_lan_pass_over_is_not_lost():
    tables = assert_accounted("ns2-trace", [lan()])
    assert tables["interval"]["packets"].sum() == 5
    assert tables["stream"].select("flow_id", "local").rows() == [(1, "4.0")]
    assert tables["drop"].is_empty()
    assert reasons(tables)["a frame that another station of the LAN passed over: not lost"] == 5
    assert reasons(tables)["an acknowledgement or routing message dropped"] == 5
    # the queue of a hop that carries packets is full
    tables = assert_accounted("ns2-trace", [lan("d 5.5 5 4 tcp 1040 ------- 1 0.0 4.0 5 11")])
    assert tables["drop"].select("t_s", "flow_id", "connections").rows() == [(5.5, 1, 1)]


def of_one_link(*sinks, seconds=10):
    """Return a trace of the link from node 2 to 3: a packet a second of each flow to its sink."""
    lines = [
        f"r {second}.{flow} 2 3 tcp 1040 ------- {flow} 0.{flow} {sink}.{flow} {second} {second}\n"
        for second in range(seconds)
        for flow, sink in enumerate(sinks, start=1)
    ]
    return "".join(lines).encode()


def test_a_flow_whose_sink_is_not_in_the_trace_is_said():
    """`trace-queue n2 n3`: flow 2 goes on to node 5."""
    tables = assert_accounted("ns2-trace", [of_one_link(3, 5, 3)])
    assert tables["stream"]["flow_id"].to_list() == [1, 3]
    said = "met on the way, of flows none of whose packets is received at its sink: "
    assert reasons(tables)[f"{said}flow 2 (0.2 to 5.2)"] == 10
    many = reasons(assert_accounted("ns2-trace", [of_one_link(3, *[5] * 6)]))
    assert many[f"{said}flow 2 (0.2 to 5.2), flow 3 (0.3 to 5.3), flow 4 (0.4 to 5.4), "
                "flow 5 (0.5 to 5.5) and 2 more"] == 60  # fmt: skip


def test_a_flow_that_begins_as_the_trace_ends_may_be_under_way():
    begins = b"r 9.9 2 3 tcp 1040 ------- 2 0.2 5.2 0 99\n"
    tables = assert_accounted("ns2-trace", [of_one_link(3) + begins])
    assert reasons(tables)["received at a node on the way"] == 1


def test_drops_on_several_links_are_said():
    drops = [(2, 3), (2, 3), (3, 6)]
    lines = [
        f"d {n}.5 {start} {end} tcp 1040 ------- 1 0.0 3.0 {n} {n}\n"
        for n, (start, end) in enumerate(drops)
    ]
    found = reasons(assert_accounted("ns2-trace", ["".join(lines).encode()]))
    assert found == {"dropped on 2 links: 2-3 (2), 3-6 (1)": 3}
    found = reasons(assert_accounted("ns2-trace", ["".join(lines[:2]).encode()]))
    assert found == {None: 2}
