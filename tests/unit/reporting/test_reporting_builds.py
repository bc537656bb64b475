"""Which builds of the kernel made which runs, and whether they were checked before."""

import json

import polars as pl
from evenflow.evidence.say import tagged
from evenflow.reporting.builds import build_difference_table, build_markdown, build_table
from evenflow.reporting.said import build_numbers, builds_beside_numbers
from markdown_tables import rows_of


def made(build, date):
    return json.dumps({"date": date, "versions": {"kernel_build": build}})


def checked(build, date, n=2, passed=2):
    about = {"date": date, "versions": {"kernel_build": build, "kernel": "6", "iperf": "2"}}
    checks = [
        {"name": "ping", "passed": i < passed, "measured": 1, "expected": 1} for i in range(n)
    ]
    return {"made_by": about, "checks": checks}


RUN = {
    "testbed": pl.DataFrame(
        {
            "dataset_id": "t",
            "scenario_id": ["s1", "s1", "s1", "s2"],
            "run_id": ["s1/r1", "s1/r2", "s1/r3", "s2/r1"],
            "repeat": [1, 2, 3, 1],
            "made_by": [
                made("aa", "2026-01-01T10:00:59Z"),
                made("bb", "2026-01-02T10:00:00Z"),
                made("bb", "2026-01-02T12:00:00Z"),
                made("cc", "2026-01-03T10:00:00Z"),
            ],
        }
    )
}
SELFCHECKS = [
    checked("bb", "2026-01-02T11:00:00Z"),
    checked("aa", "2026-01-01T09:00:00Z", 3, 2),
    checked("bb", "2026-01-05T11:00:00Z"),
]


def test_a_self_check_vouches_for_the_runs_of_its_build_that_came_after():
    builds = build_table(RUN, SELFCHECKS)
    found = builds.select("build", "n_runs", "n_checks", "n_passed", "n_before").rows()
    assert found == [("aa", 1, 3, 2, 0), ("bb", 2, 4, 4, 1), ("cc", 1, None, None, 0)]
    lines = [row[1:] for row in rows_of(build_markdown(builds))[1:]]
    assert builds["repeats"].to_list() == ["1", "2, 3", "1"]
    assert lines[0] == [
        "`aa`",
        "1",
        "1",
        *["2026-01-01 10:00"] * 2,
        "2026-01-01 09:00",
        "2 of 3",
        "0",
    ]
    assert lines[2][-3:] == ["–", "–", "–"]
    about = build_numbers(tagged(builds, "build"))
    assert (about["n"], about["n_runs"], about["n_before"]) == ("3", "4", "1")
    assert (about["first"], about["last"]) == ("2026-01-01 10:00", "2026-01-03 10:00")


def test_a_self_check_that_two_files_hold_counts_once():
    """The latest self-check is kept under its own name and as the first of its build."""
    builds = build_table(RUN, [*SELFCHECKS, SELFCHECKS[-1]])
    assert builds["n_checks"].to_list() == [3, 4, None]


def test_builds_are_compared_in_the_scenarios_that_they_share():
    """Build bb is higher by 0.1 in one scenario of both and by 0.3 in the other: 0.2, p = 0.30."""
    rows = [
        ("s1", "aa", 1, 0.6, 1.0),
        ("s1", "bb", 2, 0.65, 2.0),
        ("s1", "bb", 3, 0.75, 2.0),
        ("s2", "aa", 1, 0.5, 1.0),
        ("s2", "bb", 2, 0.8, 2.0),
        ("s3", "bb", 2, 0.1, 9.0),
    ]
    run = pl.DataFrame(
        {
            "scenario_id": [row[0] for row in rows],
            "run_id": [f"{row[0]}/r{row[2]}" for row in rows],
            "made_by": [made(row[1], f"2026-01-0{row[2]}T10:00:00Z") for row in rows],
        }
    )
    metric = pl.DataFrame(
        {
            "run_id": run["run_id"],
            "jfi": [row[3] for row in rows],
            "throughput_ratio": [row[4] for row in rows],
        }
    )
    table = build_difference_table({"t": run}, {"t": metric})
    assert table["runs"][0].to_list() == ["t/s1/r1", "t/s1/r2", "t/s1/r3", "t/s2/r1", "t/s2/r2"]
    (found,) = builds_beside_numbers(tagged(table, "build_difference")).values()
    assert (found["n_cells"], found["index"], found["index_p"]) == ("2", "0.200", "0.30")
    assert (found["ratio"], found["ratio_p"]) == ("2.00", "–")  # the same in both
    alone = build_difference_table({"t": run.head(1)}, {"t": metric})
    (none,) = builds_beside_numbers(tagged(alone, "build_difference")).values()
    assert (none["n_cells"], none["index"]) == ("0", "–")
