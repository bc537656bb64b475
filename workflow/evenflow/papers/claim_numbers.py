"""The numbers of claims in a paper's text: a branch of its _variables.yml."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..markdown import NOTHING, number, word
from .claims import count_outcomes, of_original, outcomes


def claim_variables(claim: pl.DataFrame) -> dict:
    """Return what the text says of the claims.

    Args:
        claim: result of `claims.judge`.

    Returns:
        of: {subject: {claim: outcome}}; value, null: {subject: {claim: {case: estimate with
        interval and unit}}}, 'all' for a claim of one case; count: {subject: {outcome: n}} of
        claims of the original; n: these claims; n_rows: tests, of findings of our own too; n_null:
        cases whose null lies in the region that the claim asserts, of n_with_null; n_passed_null:
        of them reproduced. Strings, names with underscores.
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
        "n": str(of_original(claim)["claim"].n_unique()),
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
