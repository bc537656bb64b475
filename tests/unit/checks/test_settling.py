"""What settles a finding, and what dataset.yml confirms."""

import polars as pl
import pytest
import yaml
from evenflow.checks.finding import FINDING
from evenflow.checks.settling import with_lines, without_confirmed
from evenflow.ingest.assumptions import settled
from evenflow.ingest.entities import Assumption


def found(*rows) -> pl.DataFrame:
    """Findings of (check, severity, run, path, remedy)."""
    every = [(c, s, run, None, path, None, "it is odd", r, None) for c, s, run, path, r in rows]
    return pl.DataFrame(every, schema=FINDING, orient="row")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            ("few samples in the steady state", "warning", "a", None, "measure for longer"),
            {"steady_state": {"warmup_s": 0}},
        ),
        (("other congestion control", "error", "a", None, "say which"), {"cca_from": "logs"}),
        (
            ("unknown file", "note", None, "x{1}*.txt", "nothing to do if it is not a log"),
            {"files": [{"path": "x[{]1[}][*].txt", "format": "ignore"}]},
        ),
        (("clock jump", "warning", "a", None, "look"), {"exclude": {"a": "clock jump: it is odd"}}),
        (("late", "note", "a", None, "none needed"), {"confirmed": ["late: a: it is odd"]}),
        (("gone", "warning", "a", None, "none needed"), {"confirmed": ["gone: a: it is odd"]}),
        (("odd set", "warning", None, None, "look"), {"confirmed": ["odd set: it is odd"]}),
    ],
)  # fmt: skip
def test_each_finding_has_the_lines_that_settle_it(row, said):
    assert yaml.safe_load(with_lines(found(row), 4)["yaml"].item()) == said


def test_runs_are_left_out_only_where_most_are_right():
    rows = [("jump", "warning", run, None, "look") for run in "abc"]
    lines = with_lines(found(*rows), 6)["yaml"].to_list()
    assert [list(yaml.safe_load(line)) for line in lines] == [["exclude"]] * 3
    lines = with_lines(found(*rows), 5)["yaml"].to_list()
    assert [list(yaml.safe_load(line)) for line in lines] == [["confirmed"]] * 3
    errors = [("jump", "error", *row[2:]) for row in rows]
    assert with_lines(found(*errors), 5)["yaml"].null_count() == 3  # nothing can settle these


def test_what_is_confirmed_is_gone_until_it_changes_and_errors_stay():
    rows = [("jump", severity, "a", None, "none needed") for severity in ("warning", "error")]
    every = found(*rows)
    assert without_confirmed(every, ["jump: a: it is odd"])["severity"].to_list() == ["error"]
    assert without_confirmed(every, ["jump: a: it was odd"]).equals(every)


def test_an_assumption_keeps_its_own_line_or_gets_one_that_confirms_it():
    own = Assumption("platform", "ns2", "the formats", "platform: ns2")
    filled_in = Assumption("rtt_ms", "unknown", "nothing says it", "# defaults: {rtt_ms: 40}")
    kept, asked = settled([own, filled_in], ())
    assert kept == own
    assert yaml.safe_load(asked.yaml) == {"confirmed": ["rtt_ms: unknown"]}
    assert asked.yaml.endswith("# defaults: {rtt_ms: 40}")
    assert settled([own, filled_in], ["rtt_ms: unknown"]) == [own]
