"""Parts of paths that are read by themselves."""

import pytest
from evenflow.ingest.joining.roles import parts_of
from evenflow.ingest.naming.segments import segments_of
from evenflow.ingest.naming.words import read_path


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("cubic/rtt50/run1.log", ["cubic", "rtt50", "run1.log"]),
        ("lab/2024/03/15/run1.log", ["lab", "2024/03/15", "run1.log"]),
        ("x100mb/s/run1.log", ["x100mb/s", "run1.log"]),
        ("a.log", ["a.log"]),
    ],
)
def test_a_path_is_cut_at_slashes_but_within_dates_and_units(path, parts):
    assert [part for _, part in segments_of(path)] == parts
    assert all(path.startswith(part, at) for at, part in segments_of(path))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "lab/2024/03/15/14-22-36/x.log",
            {"run": "2024", "run1": "03", "run2": "15", "run3": "14-22-36"},
        ),
        ("lab/100mb/s_r2.log", {"bottleneck_mbps": "100", "repeat": "2"}),
    ],
)
def test_what_goes_on_behind_a_slash_is_read_as_one(path, said):
    assert {p.name: p.text for p in read_path(path) if p.name} == said


@pytest.mark.parametrize(
    "path", ["a.log", "run1/rtt40/Cubic_bbr-2.log", "2024/03/15/h1 server.log", "x//y_10.0.0.1.txt"]
)
def test_parts_of_a_path_are_all_of_it_each_in_its_place(path):
    parts = parts_of(path)
    stem = path.lower().removesuffix(".log").removesuffix(".txt")
    assert "".join(part.text for part in parts) == stem
    assert [path[part.start : part.end].lower() for part in parts] == [p.text for p in parts]


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("run1/x.log", [(4, 5)]),
        ("a/b/c.log", [(1, 2), (3, 4)]),
        ("2024/03/x.log", [(4, 5), (7, 8)]),
    ],
)
def test_slashes_of_a_path_stand_where_they_are(path, places):
    assert [(p.start, p.end) for p in parts_of(path) if p.text == "/"] == places
