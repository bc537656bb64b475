"""What names are made of: the pattern of a log, as it would stand under `files:`."""

from __future__ import annotations

import re

import pytest
from evenflow.ingest.entities import Entry
from evenflow.ingest.naming.counting import numbered_controls
from evenflow.ingest.naming.placing import place
from evenflow.ingest.naming.vocabulary import ALONE, NUMBERED, WITH_NUMBER, spelt
from evenflow.ingest.naming.words import read_path


def templates(*paths, hosts=None, members=None) -> list[str]:
    """Return the patterns that are inferred; hosts: that the logs say, in their order."""
    entries = [Entry(i, path, None, format="iperf2") for i, path in enumerate(paths)]
    if members is not None:  # texts that tell the logs of one run apart
        spans = {
            path: [(path.index(text), path.index(text) + len(text))]
            for path, text in zip(paths, members, strict=True)
        }
        place(entries, dict(enumerate(hosts or ())), spans)
    else:
        place(entries, dict(enumerate(hosts or ())))
    return [entry.template for entry in entries]


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        (["run1.log", "run2.log"], "run{repeat}.log"),
        (["1/x.log", "2/x.log"], "{repeat}/x.log"),  # a folder of a number alone
        (["out_1.log", "out_2.log"], "out_{run}.log"),
        (["1.log", "2.log"], "{run}.log"),
        (["lyon.log", "oslo.log"], "{name}.log"),
        (["p3.log", "p7.log"], "p{p}.log"),
        (["lab/30.log", "lab/70.log"], "lab/{number}.log"),
        (["client.log", "server.log"], "{side}.log"),
        (["flow1.log", "flow2.log"], "flow{flow}.log"),
        (["rtt20_a.log", "rtt40_a.log"], "rtt{rtt_ms}_a.log"),
        (["lyon_oslo.log", "rome_bern.log"], "{name}_{name2}.log"),
    ],
)
def test_what_varies_in_names_is_called_by_what_stands_beside_it(paths, pattern):
    assert set(templates(*paths)) == {pattern}


@pytest.mark.parametrize(
    ("hosts", "members", "pattern"),
    [
        (["10.0.0.1", "10.0.0.2"], None, "{host}.log"),
        (["10.0.0.1", "10.0.0.1"], None, "{name}.log"),
        (["10.0.0.1", "10.0.0.2"], ["", ""], "{place}.log"),  # they did not measure together
        (["10.0.0.1", "10.0.0.2"], ["lyon", "oslo"], "{host}.log"),
        ([None, None], ["lyon", "oslo"], "{host}.log"),
    ],
)
def test_what_goes_with_hosts_names_hosts_or_places(hosts, members, pattern):
    assert set(templates("lyon.log", "oslo.log", hosts=hosts, members=members)) == {pattern}


def test_pieces_of_a_path_stand_in_its_order_whatever_was_found_first():
    """A congestion control with the number of a flow is found apart from all else."""
    paths = [f"lab/bbr{n}_rtt20_run3.log" for n in (1, 2)]
    numbered = numbered_controls(paths, NUMBERED, ALONE, WITH_NUMBER)
    for n, path in enumerate(paths, 1):
        pieces = read_path(path, numbered[path])
        assert "".join(piece.text for piece in pieces) == path
        said = [(piece.name, piece.text) for piece in pieces if piece.name]
        assert [name for name, _ in said[:2]] == ["cca", "flow"]
        assert said == [("cca", "bbr"), ("flow", str(n)), ("rtt_ms", "20"), ("repeat", "3")]


def test_a_numbered_congestion_control_and_another_one_behind_it_are_no_pair():
    """'bbr1_vs_cubic': nothing says of which flow the second is."""
    paths = [f"lab/bbr{n}_vs_cubic.log" for n in (1, 2)]
    numbered = numbered_controls(paths, NUMBERED, ALONE, WITH_NUMBER)
    assert set(numbered) == set(paths)
    names = [piece.name for path in paths for piece in read_path(path, numbered[path])]
    assert not {"cca", "cca1", "cca2"} & set(names)


@pytest.mark.parametrize(
    ("cca", "written", "is_it"),
    [
        ("bbr2", "bbr2", True),
        ("bbr2", "bbr_v2", True),
        ("bbr2", "bbr-2", True),
        ("bbr2", "bbr3", False),
        ("cubic", "tcpcubic", True),
        ("cubic", "ns3::TcpCubic", True),
        ("cubic", "cub", False),
    ],
)
def test_ways_to_write_a_congestion_control(cca, written, is_it):
    assert bool(re.fullmatch(spelt(cca), written, re.IGNORECASE)) is is_it
