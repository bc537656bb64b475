"""Scorecards that take less room: what is said once for all cases, or one data set alone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ..evidence.say import say
from ..markdown import NOTHING, markdown_table, span_of
from ..statistics.outcomes import DECIDED, NOT_OF_ALL, OUTCOMES, REPRODUCED
from .claim_numbers import outcome_numbers
from .judge import of_original, outcomes
from .words import evidence, region_in_words


def short_reasons(claim: pl.DataFrame) -> pl.DataFrame:
    """Return the claims with their notes once for all cases, and how many cells they are of.

    How many cells a statistic is of is one span for the cases of a claim on a data set: '11 to 12
    cells'. What nothing was measured of keeps its notes.
    """
    tables = []
    for of_subject in claim.partition_by("claim", "subject", maintain_order=True):
        whole = of_subject.filter(pl.col("of").fill_null(1) < 2)  # of a part it says nothing
        known = whole["n_cells"].drop_nulls()
        if known.is_empty():
            tables.append(of_subject)
            continue
        cells = span_of(known)
        notes = list(dict.fromkeys(filter(None, of_subject["note"])))
        last = "; ".join([*notes, f"{cells} {'cell' if cells == '1' else 'cells'}"])
        kept = [""] * (len(of_subject) - 1) + [last]
        tables.append(of_subject.with_columns(note=pl.Series(kept, dtype=pl.String)))
    return pl.concat(tables)


def brief_scorecard(claim: pl.DataFrame, name: str) -> str:
    """Return the scorecard of one data set: the sentence, the region, what was found.

    Findings of our own and claims that no data can tell about are left out.

    Args:
        claim: rows of one subject.
        name: of the subject, in print.
    """
    said = dict(outcomes(claim).select("claim", "outcome").rows())
    rows = []
    for (key,), of_claim in of_original(claim).group_by("claim", maintain_order=True):
        if of_claim["estimate"].drop_nulls().len():
            row = of_claim.row(0, named=True)
            found = f"**{said[key]}**{evidence(of_claim)}"
            rows.append([row["sentence"], region_in_words(row), found])
    header = ["The original says", "It asserts", name]
    return _table(header, rows)


def own_findings(claim: pl.DataFrame, names: dict[str, str]) -> str:
    """Return the table of findings of our own: the finding, what it asserts, what was found.

    Args:
        claim: the table `claim`.
        names: subject -> its name in print.
    """
    own = claim.filter(pl.col("place") == "")
    said = {(key, subject): out for _, key, subject, _, out in outcomes(own).rows()}
    rows = []
    for (key, subject), of in own.group_by("claim", "subject", maintain_order=True):
        row = of.row(0, named=True)
        found = f"**{said[key, subject]}**{evidence(of)}"
        asserted = f"{row['statistic']}: {region_in_words(row)}"
        rows.append([row["sentence"], asserted, names.get(subject, subject), found])
    rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    header = ["Finding", "It asserts", "On", "Outcome"]
    return markdown_table(header, rows, numeric_from=len(header))


def outcome_table(claim: pl.DataFrame, names: dict[str, str]) -> str:
    """Return outcomes alone: a row a claim, a column a subject, counted where its cases differ.

    Args:
        claim: rows of the claims that the table is about.
        names: subject -> its name in print, in the order of the columns.
    """
    rows = []
    for (_,), of in claim.group_by("claim", maintain_order=True):
        row = of.row(0, named=True)
        cells = [_by_case(of.filter(subject=subject)) for subject in names]
        rows.append([f"{row['sentence']} ({row['place']})", *cells])
    return _table(["The original says", *names.values()], rows)


def _table(header: list[str], rows: list[list[str]]) -> str:
    rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return markdown_table(header, rows, numeric_from=len(header))


def _by_case(of_subject: pl.DataFrame) -> str:
    """Return the outcome of all cases, or how many have which: '4 reproduced, 2 inconclusive'."""
    if of_subject.is_empty():
        return NOTHING
    said = of_subject["outcome"]
    if said.n_unique() == 1:
        return said[0]
    return ", ".join(f"{n} {name}" for name in OUTCOMES if (n := (said == name).sum()))


def shape_counts(
    claim: pl.DataFrame, keys: Sequence[str], subjects: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Return {subject: {n, and of each outcome how many of the claims `keys` have it}}.

    otherwise: those that are decided and not reproduced.
    """
    tree = {}
    for subject in subjects:
        mine = of_original(claim.filter(pl.col("claim").is_in(keys), subject=subject))
        counts = outcome_numbers(mine)
        other = pl.col("folded").is_in((*DECIDED, NOT_OF_ALL)) & (pl.col("folded") != REPRODUCED)
        tree[subject] = {
            "n": say(mine, pl.col("claim").n_unique(), words="sentences on the shape of surfaces"),
            **counts,
            "otherwise": say(
                mine,
                pl.col("claim").filter(other).n_unique(),
                words="sentences that are decided and not reproduced, all cases of one together",
            ),
        }
    return tree
