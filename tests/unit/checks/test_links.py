"""Flows that share no link are said to be compared all the same, where a trace has every hop."""

import re
from itertools import pairwise

import pytest
from pasted import analysed
from raw_data import ROOT, content, make_dataset

pytestmark = pytest.mark.usefixtures("one_database")
CHECK = "flows without a common link"
DUMBBELL = {1: [0, 2, 3, 4], 2: [1, 2, 3, 5]}
APART = {1: [0, 1, 2], 2: [3, 4, 5]}
PARKING = {1: [3, 0, 1, 2, 7], 2: [4, 0, 1, 5], 3: [6, 1, 2, 8]}


def ns2(ways: dict[int, list[int]], lost: tuple = (), event: str = "r") -> bytes:
    """Return a trace of flows that take these nodes, without some hops."""
    lines = []
    for n in range(120):
        for flow, nodes in ways.items():
            for hop in pairwise(nodes):
                ends = f"{nodes[0]}.0 {nodes[-1]}.0 {n} {n}"
                line = f"{n / 10 + 0.01:.2f} {hop[0]} {hop[1]} tcp 1000 ------- {flow} {ends}"
                lines += [f"r {line}"] * (hop not in lost)
    if event == "h":
        lines.append(f"h {line}")
    return ("\n".join(lines) + "\n").encode()


def found(folder, log: bytes, yml: str = "") -> list[dict]:
    tables = analysed(make_dataset(folder, {"a.tr": log}, yml))
    return tables["finding"].filter(check=CHECK).rows(named=True)


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        (DUMBBELL, None),
        (APART, "flows 1 and 2 share no link"),
        (PARKING, "flows 2 and 3 share no link"),
        ({1: [0, 1, 2], 2: [2, 1, 0]}, None),  # a direction each: said otherwise
        ({1: [0, 1, 2], 2: [3, 1, 4]}, "flows 1 and 2 share no link"),  # but a node
    ],
)
def test_flows_that_share_no_link_are_named(ways, said, tmp_path):
    rows = found(tmp_path / "raw", ns2(ways))
    assert [row["message"].partition(":")[0] for row in rows] == ([said] if said else [])
    for row in rows:
        assert row["severity"] == "warning"
        assert found(tmp_path / "raw", ns2(ways), row["yaml"]) == []


@pytest.mark.parametrize(
    "log",
    [
        ns2(DUMBBELL, lost=((0, 2), (1, 2), (2, 3))),  # the links to the sinks alone
        ns2(DUMBBELL, lost=((2, 3),)),  # without the bottleneck
        ns2(APART, event="h"),  # a LAN, whose stations share a medium
    ],
    ids=["sinks", "no bottleneck", "LAN"],
)
def test_nothing_is_said_where_the_trace_lacks_links(log, tmp_path):
    assert found(tmp_path / "raw", log) == []


@pytest.mark.parametrize("kept", ["^[r+d-]", "^r"])
def test_flows_of_ns3_that_share_no_link_are_named(kept, tmp_path):
    path = ROOT / "tests/fixtures/formats/ns3-ascii/all.tr.gz"
    lines = [x for x in content(path).decode().splitlines(keepends=True) if re.match(kept, x)]
    assert found(tmp_path / "one", "".join(lines).encode()) == []
    for i, line in enumerate(lines):
        if "5001" in line.partition("TcpHeader")[2][:20]:
            lines[i] = line.replace("/NodeList/2/", "/NodeList/7/").replace("List/3/", "List/8/")
    (row,) = found(tmp_path / "apart", "".join(lines).encode())
    assert row["message"].startswith("flows 1 and 2 share no link")
    assert row["yaml"] == "flows:\n  2: {cross_traffic: true}"
    bus = "".join(lines).replace("PointToPointNetDevice", "CsmaNetDevice")
    assert found(tmp_path / "bus", bus.encode()) == []
