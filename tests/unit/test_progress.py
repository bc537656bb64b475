"""What `make` says about how far it is: the words, and the time that is left."""

import pytest
from snakemake_logger_plugin_evenflow.progress import SHOWN, Progress, in_words


def run_of(**wanted: int) -> Progress:
    progress = Progress(now=100.0)
    progress.wanted.update(wanted)
    return progress


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (89.4, "89 s"), (90, "2 min"), (5339, "89 min"), (5460, "1 h 31 min")],
)
def test_times_are_said_in_the_unit_of_their_size(seconds, words):
    assert in_words(seconds) == words


def test_the_time_left_goes_by_what_jobs_of_the_rule_took():
    progress = run_of(parse=4, draw=3)
    for number in range(3):  # one after the other
        progress.begin(number, "parse", "", 100 + 10 * number)
        progress.finish(number, 110 + 10 * number)
    assert progress.left_s(130) == pytest.approx(10 + 3 * 10)  # nothing is known of `draw`
    progress.begin(3, "draw", "", 130)
    progress.finish(3, 132)
    assert progress.left_s(132) == pytest.approx(10 + 2 * 2)
    progress.begin(4, "parse", "", 132)
    assert progress.left_s(136) == pytest.approx(10 + 2 * 2 - 4)


def test_jobs_side_by_side_take_less():
    progress = run_of(parse=8)
    for number in range(4):
        progress.begin(number, "parse", "", 100)
    for number in range(4):
        progress.finish(number, 110)
    assert progress.left_s(110) == pytest.approx(10)


def test_nothing_is_said_of_the_time_left_before_it_is_known():
    progress = run_of(parse=8)
    for number in range(3):
        progress.begin(number, "parse", "", 100)
        progress.finish(number, 101)
    assert progress.left_s(101) is None and progress.left_s(106) is not None
    assert progress.lines(101, 80)[1] == "3 of 8 jobs done"
    assert progress.lines(106, 80)[1] == "3 of 8 jobs done, about 5 s left"


def test_a_job_that_failed_is_counted_and_one_that_nobody_knows_is_not():
    progress = run_of(parse=2)
    progress.begin(1, "parse", "Parsing a", 100)
    assert progress.fail(1).title == "Parsing a" and progress.fail(1) is None
    assert progress.finish(7, 110) is None
    assert progress.so_far() == "0 of 2 jobs done, 1 failed"
    progress.begin(1, "parse", "Parsing a", 120)  # tried again
    progress.finish(1, 125)
    assert progress.so_far() == "1 of 2 jobs done"


def test_lines_are_no_wider_and_no_more_than_a_terminal_can_show():
    progress = run_of(parse=9)
    for number in range(SHOWN + 2):
        progress.begin(number, "parse", f"Parsing the logs of {'x' * 100}", 100)
    lines = progress.lines(103, 40)
    assert max(map(len, lines)) < 40 and lines[2].endswith("…")
    assert len(lines) == 2 + SHOWN + 1 and lines[-1] == "  and 2 more"


def test_a_plan_is_one_line():
    assert run_of(b=2, a=1).plan() == "3 jobs: a 1, b 2"
    assert run_of(a=1).plan() == "1 job: a 1"
    assert run_of(**{f"rule_{i}": 2 for i in range(60)}).plan() == "120 jobs of 60 rules"
