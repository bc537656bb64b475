"""When runs were made, as reports say it."""

import polars as pl
import pytest
from evenflow.provenance.made import days_made, made_when


@pytest.mark.parametrize(
    ("made_by", "days", "words"),
    [
        (['{"date": "2026-11-20T18:00:00Z"}'], ("2026-11-20", "2026-11-20"), "on 2026-11-20"),
        (
            ['{"date": "2026-11-22T01:00:00Z"}', '{"date": "2026-11-20T18:00:00Z"}'],
            ("2026-11-20", "2026-11-22"),
            "from 2026-11-20 to 2026-11-22",
        ),
        (["{}"], ("–", "–"), "on –"),
        ([], ("–", "–"), "on –"),
    ],
)
def test_the_days_on_which_runs_were_made(made_by, days, words):
    column = pl.Series("made_by", made_by, dtype=pl.String)
    assert days_made(column) == days
    assert made_when(column) == words
