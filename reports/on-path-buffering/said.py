"""What the text says of claims, of when their criteria were written, and of stalled flows."""

from __future__ import annotations

import json
from collections.abc import Mapping

import polars as pl
from evenflow.markdown import NOTHING, all_of, number, word
from evenflow.papers.claims import count_outcomes, outcomes
from evenflow.reporting.builds import minute
from evenflow.reporting.datasets import stalled_runs


def claim_variables(claim: pl.DataFrame) -> dict:
    """Return what the text says of the claims.

    Args:
        claim: result of `claims.judge`.

    Returns:
        of: {subject: {claim: outcome}}; value, null: {subject: {claim: {case: estimate with
        interval and unit}}}, 'all' for a claim of one case; count: {subject: {outcome: n}};
        n_null: cases whose null lies in the region that the claim asserts, of n_with_null;
        n_passed_null: of them reproduced; n: claims; n_rows: tests. Strings, names with
        underscores.
    """
    of: dict = {}
    for row in outcomes(claim).rows(named=True):
        of.setdefault(row["subject"], {})[_name(row["claim"])] = row["outcome"]
    value: dict = {}
    null: dict = {}
    for row in claim.rows(named=True):
        case = _name(row["case"].lower()) or "all"
        for tree, prefix in ((value, ""), (null, "null_")):
            of_subject = tree.setdefault(row["subject"], {})
            of_subject.setdefault(_name(row["claim"]), {})[case] = _printed(row, prefix)
    with_null = claim.filter(pl.col("null_n") > 0)
    inside = with_null.filter(
        pl.col("null_estimate").is_between(
            pl.col("region_low").fill_null(-float("inf")),
            pl.col("region_high").fill_null(float("inf")),
        )
    )
    return {
        "of": of,
        "value": value,
        "null": null,
        "count": {
            subject: {_name(o): str(n) for o, n in count_outcomes(rows).items()}
            for (subject,), rows in claim.group_by("subject", maintain_order=True)
        },
        "n": str(claim["claim"].n_unique()),
        "n_rows": str(len(claim)),
        "n_with_null": str(len(with_null)),
        "n_null": str(len(inside)),
        "n_passed_null": str((inside["outcome"] == "reproduced").sum()),
        "least_n": str(claim.filter(pl.col("outcome") == "reproduced")["n"].min() or NOTHING),
    }


def _name(text: str) -> str:
    return word(text).replace(" ", "_")


def _printed(row: Mapping, prefix: str) -> str:
    if row[f"{prefix}estimate"] is None:
        return NOTHING
    values = (row[f"{prefix}{name}"] for name in ("estimate", "low", "high"))
    printed = [None if v is None else number(v / row["factor"], row["digits"]) for v in values]
    unit = f" {row['unit']}" if row["unit"] else ""
    interval = f" ({printed[1]} to {printed[2]})" if printed[1] else ""
    return f"{printed[0]}{unit}{interval}"


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


def stalled_in_words(flow_metric: Mapping[str, pl.DataFrame], stalled_s: float) -> str:
    """Return a sentence that names every flow without a byte for longer than `stalled_s`.

    Args:
        flow_metric: by the data set's name.
    """
    named = [
        f"flow {row['flow_id']} of `{name}/{row['run_id']}` ({number(row['zero_s'], 0)} s)"
        for name, table in flow_metric.items()
        for row in stalled_runs(table, stalled_s).rows(named=True)
    ]
    since = f"for more than {stalled_s:g} s of the steady state"
    if not named:
        return f"No flow carried nothing {since}"
    return f"A flow that stalls stays in every mean; {since} nothing was carried by {all_of(named)}"
