"""When runs were made, as their records say it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..markdown import NOTHING


def days_made(made_by: Iterable[str]) -> tuple[str, str]:
    """Return the first and the last day on which runs were made: ('2026-11-20', '2026-11-22').

    Args:
        made_by: that column of `run`, a JSON object a run; one without a date counts as a dash.
    """
    days = [json.loads(text).get("date", NOTHING)[:10] for text in made_by]
    return min(days, default=NOTHING), max(days, default=NOTHING)


def made_when(made_by: Iterable[str]) -> str:
    """Return the days in words: 'on 2026-11-20' or 'from 2026-11-20 to 2026-11-22'."""
    first, last = days_made(made_by)
    return f"on {first}" if first == last else f"from {first} to {last}"
