"""What clocks say of tests: which ran at once, and how far the clocks of hosts are apart."""

from types import SimpleNamespace

import pytest
from evenflow.ingest.evidence import list_clocks
from evenflow.ingest.joining.at_once import _both, _Span
from evenflow.ingest.joining.by_names import _at_once_by_one_clock


@pytest.mark.parametrize(
    ("length_s", "begin_s", "other_s", "both"),
    [
        (60, 30, 60, True),  # half of the shorter, which is 60 s long
        (60, 31, 60, False),
        (60, 58, 60, False),  # 2 s: clocks differ as much
        (4, 2, 4, False),  # half of a test of 4 s, and no more than clocks differ
        (60, 200, 60, False),
        (10, 5, 300, True),  # half of the first, which is the shorter
        (10, 6, 300, False),
        (300, 295, 10, True),  # half of the second
        (300, 296, 10, False),
    ],
)
def test_two_ran_at_once_for_half_of_the_shorter_and_longer_than_clocks_differ(
    length_s, begin_s, other_s, both
):
    at_s = 1_700_000_000.0  # since 1970
    one = _Span(at_s, at_s + length_s, "a", "a")
    other = _Span(at_s + begin_s, at_s + begin_s + other_s, "b", "b")
    assert _both(one, other) is both


@pytest.mark.parametrize(
    ("start_s", "length_s", "at_once"),
    [
        (1000, 60, True),
        (1003, 60, True),
        (1004, 60, False),  # later than clocks differ
        (1003, 4, False),  # of its 4 s the last is common
    ],
)
def test_a_server_that_dates_two_tests_to_the_same_time_was_several(start_s, length_s, at_once):
    def test(start_s, length_s):
        about = {"zone": "+0000", "folder": "lab", "host": "10.0.0.1"}
        return SimpleNamespace(start_s=start_s, length_s=length_s, **about)

    assert (
        _at_once_by_one_clock(test(1000, 4 if length_s == 4 else 60), test(start_s, 60)) is at_once
    )


def test_the_clock_that_is_ahead_is_named_with_what_says_so():
    hosts = ("10.0.0.1", "10.0.0.2")
    clocks = SimpleNamespace(known={hosts: -3600.0}, told={hosts: (7, True)})
    tests = [SimpleNamespace(host=host, start_s=0.0) for host in hosts]
    (row,) = list_clocks(clocks, [SimpleNamespace(tests=tests)])
    assert row.value == "that of 10.0.0.1 is ahead of that of 10.0.0.2 by 3600 s"
    assert row.because.startswith("both ends of 7 connections")
