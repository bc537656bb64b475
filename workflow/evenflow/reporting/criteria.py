"""When the criteria of claims were written, and how many runs there were by then."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl

from .builds import minute


def criteria_variables(written: Mapping, run: Mapping[str, pl.DataFrame]) -> dict:
    """Return when criteria were written, and how many comparison runs had been made by then.

    Args:
        written: {what: {commit, date}}, UTC, of paper.yml.
        run: the table `run` by part.

    Returns:
        {what: {date, part: '135 of 440'}}, strings.
    """
    found = {}
    for what, when in written.items():
        leaf = {"date": minute(when["date"])}
        for part, runs in run.items():
            made = runs.filter(role="comparison")["made_by"]
            dates = [json.loads(text)["date"] for text in made]
            leaf[part] = f"{sum(date < when['date'] for date in dates)} of {len(dates)}"
        found[what] = leaf
    return found
