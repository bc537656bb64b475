"""What settles a finding: in words, and as lines of dataset.yml where there are some."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ...render.element import Html, element, prose, together
from .merging import keys_as_yaml, keys_of
from .offers import Offers
from .subject import many

# check -> the line that settles it, of checks whose findings have none of their own
LINES = dict.fromkeys(
    ("few samples in the steady state", "no sample in the steady state"),
    "steady_state: {warmup_s: 0}",
)
MOST_LEFT_OUT = 0.5  # of the runs: if more are wrong, leaving them out is no remedy
MANY_RUNS = 40  # that one line each still can be read


class Remedy(NamedTuple):
    """What to do about a finding: in words, and lines of dataset.yml that do it, if there are."""

    words: str
    yaml: str


def remedy_of(check: str, rows: pl.DataFrame, n_runs: int) -> Remedy:
    """Return the remedy of findings of one check.

    Args:
        check: its name.
        rows: of the table `finding`.
        n_runs: of the data set.
    """
    words = "; or ".join(rows["remedy"].unique(maintain_order=True).drop_nulls())
    return Remedy(words, LINES.get(check) or leaving_out(rows, n_runs))


def leaving_out(rows: pl.DataFrame, n_runs: int) -> str:
    """Return the key `exclude` with the runs that findings are about, and what was found of each.

    Empty where they are about no run, or about so many that little would be left.

    Args:
        rows: findings of one check.
        n_runs: of the data set.
    """
    of_run = rows.drop_nulls("run_id").unique("run_id", keep="first", maintain_order=True)
    if not 0 < len(of_run) <= min(MOST_LEFT_OUT * n_runs, MANY_RUNS):
        return ""
    reasons = of_run.sort("run_id").select("run_id", pl.format("{}: {}", "check", "message"))
    return keys_as_yaml({"exclude": dict(reasons.rows())})


def shown_remedy(remedy: Remedy, offers: Offers) -> Html:
    """Return the words of a remedy, and its lines if it has some."""
    words = element("span", prose(f"{remedy.words[:1].upper()}{remedy.words[1:]}."), class_="rem")
    left_out = keys_of([remedy.yaml]).get("exclude", {})
    title = f"or leave {many(len(left_out), 'run')} out" if left_out else ""
    changes = remedy.yaml in LINES.values()
    return together(words, offers.shown(remedy.yaml, title, changes, apart=bool(left_out)))
