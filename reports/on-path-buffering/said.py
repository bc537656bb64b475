"""What the text says of claims and of stalled flows."""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl
from evenflow.markdown import NOTHING, all_of, markdown_table, number, span_of
from evenflow.papers.claims import outcomes
from evenflow.papers.scorecard import evidence, region_in_words
from evenflow.reporting.datasets import stalled_runs

CELLS = r"(\d+) cells? a replicate"  # how a claim's reason names them
BORDER = "the interval has the border of the region in it"


def short_reasons(claim: pl.DataFrame) -> pl.DataFrame:
    """Return the claims with what they say of cells and reasons once for all cases.

    That the border lies in the interval is what inconclusive means; how many cells a replicate has
    is one span for the cases of a claim on a data set: '11 to 12 cells'.
    """
    tables = []
    for of_subject in claim.partition_by("claim", "subject", maintain_order=True):
        reasons = [reason.split("; ") for reason in of_subject["reason"]]
        found = [re.match(CELLS, part) for reason in reasons for part in reason]
        cells = span_of(pl.Series([int(match[1]) for match in found if match], dtype=pl.Int64))
        cells = "" if cells == NOTHING else f"{cells} {'cell' if cells == '1' else 'cells'}"
        kept = [
            "; ".join(part for part in reason if part != BORDER and not re.match(CELLS, part))
            for reason in reasons
        ]
        last = "" if kept[-1] in kept[:-1] else kept[-1]
        kept[-1] = "; ".join(filter(None, (last, cells)))
        tables.append(of_subject.with_columns(reason=pl.Series(kept, dtype=pl.String)))
    return pl.concat(tables)


def brief_scorecard(claim: pl.DataFrame) -> str:
    """Return the scorecard of one data set: the sentence, the region, what was found.

    Claims that no data can tell about are left out.
    """
    said = dict(outcomes(claim).select("claim", "outcome").rows())
    rows = []
    for (key,), of_claim in claim.group_by("claim", maintain_order=True):
        if of_claim["n"].max():
            row = of_claim.row(0, named=True)
            found = f"**{said[key]}**{evidence(of_claim)}"
            rows.append([row["sentence"], region_in_words(row), found])
    header = ["The original says", "It asserts", f"`testbed-{claim['subject'][0]}`"]
    return markdown_table(header, rows, numeric_from=len(header))


def finding_variables(claim: pl.DataFrame, effect: pl.DataFrame, findings: Mapping) -> dict:
    """Return whether the data still say what the text finds: {finding: 'yes' or 'no'}.

    Args:
        claim: result of `claims.judge`.
        effect: result of `contest.effects`.
        findings: {finding: {(subject, claim, case): outcome}}, as `design.FINDINGS`.

    Returns:
        The findings, and window: whether the interval of BIC's rise with the RTT lies above zero
        over the contested cells of the part `testbed`, and below over those where no window binds.
    """
    said = {row[:3]: row[3] for row in claim.select("subject", "claim", "case", "outcome").rows()}
    rise = effect.filter(part="testbed", quantity="rise", cca="bic")
    ends = {row["cells"]: (row["low"], row["high"]) for row in rise.rows(named=True)}
    known = None not in (*ends["contested"], *ends["free"])
    holds = {
        finding: all(said.get(place) == outcome for place, outcome in rests_on.items())
        for finding, rests_on in findings.items()
    }
    holds["window"] = known and ends["contested"][0] > 0 > ends["free"][1]
    return {finding: "yes" if of else "no" for finding, of in holds.items()}


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
