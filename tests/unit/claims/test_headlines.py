"""A figure says in its heading what its paper's claims carry today, and nothing else."""

import polars as pl
import pytest
from evenflow.claims.headlines import headline
from evenflow.errors import DataError

NEUTRAL = "NRU by RTT"
BIC = {"says": "BIC gains from NewReno", "claim": "gains", "is": "reproduced", "subject": "own"}
ALL = BIC | {"says": "every variant gains", "claim": "all-gain"}


def claims(*rows: tuple) -> pl.DataFrame:
    columns = ["claim", "subject", "case", "outcome", "quantifier", "transient"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def said(table: pl.DataFrame, *sentences: dict) -> str:
    return headline(table, {"nru": list(sentences)}, "nru", NEUTRAL)


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [
        ("reproduced", "BIC gains from NewReno"),
        ("inconclusive", NEUTRAL),
        ("opposite", NEUTRAL),
        ("no effect", NEUTRAL),
        ("not judged", NEUTRAL),
    ],
)
def test_a_sentence_stands_while_its_claim_has_the_outcome_it_was_written_for(outcome, shown):
    assert said(claims(("gains", "own", "BIC", outcome, "all", False)), BIC) == shown


def test_one_case_that_fails_takes_the_sentence_of_all_away():
    table = claims(
        ("all-gain", "own", "BIC", "reproduced", "all", False),
        ("all-gain", "own", "CUBIC", "opposite", "all", False),
        ("gains", "own", "BIC", "reproduced", "all", False),
    )
    assert said(table, ALL) == NEUTRAL
    assert said(table, ALL | {"case": "BIC"}) == "Every variant gains"
    assert said(table, ALL, BIC) == "BIC gains from NewReno"
    assert said(table, BIC, ALL | {"case": "BIC"}) == "BIC gains from NewReno; every variant gains"


def test_what_is_of_a_transient_says_so_once():
    table = claims(("gains", "own", "BIC", "reproduced", "all", True))
    assert said(table, BIC) == "BIC gains from NewReno (a transient)"
    for says in ("A transient: BIC gains", "Before flows converge, BIC gains"):
        assert said(table, BIC | {"says": says}) == says


def test_a_figure_without_a_sentence_says_what_it_draws():
    assert headline(claims(), {}, "nru", NEUTRAL) == NEUTRAL


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"is": "proved"}, "no claim can be 'proved'"),
        ({"on": "own"}, "write {says"),
    ],
)
def test_a_sentence_that_rests_on_nothing_stops_the_figure(wrong, named):
    table = claims(("gains", "own", "BIC", "reproduced", "all", False))
    with pytest.raises(DataError, match=named):
        said(table, BIC | wrong)


@pytest.mark.parametrize("other", [{"case": "CUBIC"}, {"subject": "theirs"}, {"claim": "g"}])
def test_what_has_no_run_yet_carries_nothing(other):
    table = claims(("gains", "own", "BIC", "reproduced", "all", False))
    assert said(table, BIC | other) == NEUTRAL


def test_a_sentence_is_of_one_data_set():
    table = claims(
        ("gains", "own", "BIC", "reproduced", "all", False),
        ("gains", "shared", "BIC", "reproduced", "all", False),
    )
    bare = {key: value for key, value in BIC.items() if key != "subject"}
    with pytest.raises(DataError, match="of several data sets"):
        said(table, bare)
