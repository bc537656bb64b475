"""What of an original is here: nothing is absent without a reason."""

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.papers.completeness import COLUMNS, completeness_table

GOOD = [
    ("Figure 1", "topology", "absent", "", "no drawing yet"),
    ("Table 1", "set-up", "present", "@tbl-deviations", ""),
]


def table(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def test_every_item_has_a_row_with_its_place_or_its_reason():
    printed = completeness_table(table(GOOD), "completeness.csv")
    assert "@tbl-deviations" in printed
    assert "no drawing yet" in printed


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (("Figure 2", "x", "absent", "", ""), "without a reason"),
        (("Figure 2", "x", "partly", "@fig-x", ""), "without a reason"),
        (("Figure 2", "x", "present", "", ""), "no place is named"),
        (("Figure 2", "x", "here", "@fig-x", ""), "not known"),
    ],
)
def test_a_row_that_says_too_little_is_refused_with_its_line(row, words):
    with pytest.raises(DataError, match=rf"completeness\.csv:4: .*{words}"):
        completeness_table(table([*GOOD, row]), "completeness.csv")
