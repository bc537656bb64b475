"""Our findings and the ranges that the text names: strings and a table."""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.claims.judge import outcomes
from evenflow.claims.words import region_in_words
from evenflow.congestion_controls import variant_name
from evenflow.markdown import NOTHING, markdown_table, number, span_of
from evenflow.papers import paper

from .exponents import exponents_of_claims
from .judging import of_our_own
from .metrics import BDP_SHARE, FLOW_1_RTT_MS, HIGH_SPEED, QUEUES, RTTS_MS, VARIANTS
from .tables import case_evidence, mean_shares_of, plain, span

ENDS = {"low": RTTS_MS[0], "high": RTTS_MS[-1]}
KEYS = {variant_name(cca): cca for cca in VARIANTS} | dict(
    zip(QUEUES.values(), ("at_20_pct", "at_3_mb"), strict=True)
)


def estimates_in_words(claim: pl.DataFrame) -> dict:
    """Return {claim: {part: {case: its estimate and interval, in words}}}.

    A case is named 'cubic_at_3_mb', of a claim without variants 'at_3_mb'.

    Args:
        claim: the table `claim`.
    """
    found: dict = {}
    for row in claim.rows(named=True):
        case = "_".join(KEYS[word] for word in row["case"].split(", ") if word)
        if not case:  # a sentence that no data can tell about
            continue
        of_part = found.setdefault(row["claim"], {}).setdefault(row["subject"], {})
        of_part[case] = _estimate(row)
    return found


def ranges_in_words(claim: pl.DataFrame) -> dict:
    """Return {claim: {part: the range of its cases' estimates}}."""
    found: dict = {}
    for (key, part), rows in claim.group_by("claim", "subject", maintain_order=True):
        found.setdefault(key, {})[part] = span(rows["estimate"], rows["digits"][0])
    return found


def nulls_in_words(claim: pl.DataFrame) -> dict:
    """Return {claim: the range of its null controls over platforms and cases}."""
    by_claim = claim.group_by("claim", maintain_order=True)
    return {key: span(rows["null_estimate"], rows["digits"][0]) for (key,), rows in by_claim}


def of_the_queue(claim: pl.DataFrame) -> dict[str, str]:
    """Return what a full queue, 20 % of flow 1's bandwidth-delay product, does to RTTs.

    Args:
        claim: the table `claim`, which has the exponents.

    Returns:
        most_ms: how long it takes to drain; factor: by how much an exponent of the RTTs that flows
        see is larger than one of their paths', if the queue is always full; cubic: the largest
        exponent of CUBIC times that.
    """
    full_ms, low_ms = BDP_SHARE * FLOW_1_RTT_MS, RTTS_MS[0]
    of_paths = math.log(FLOW_1_RTT_MS / low_ms)
    factor = of_paths / math.log((FLOW_1_RTT_MS + full_ms) / (low_ms + full_ms))
    most = exponents_of_claims(claim).filter(cca="cubic")["exponent"].max()
    return {
        "most_ms": number(full_ms, 0),
        "factor": number(factor, 1),
        "cubic": NOTHING if most is None else f"{number(factor * most, 2)} at most",
    }


def _estimate(row: Mapping) -> str:
    text, digits = plain(row["estimate"], row["digits"]), row["digits"]
    if row["low"] is not None:
        text += f" ({plain(row['low'], digits)} to {plain(row['high'], digits)})"
    return text


def finding_table(claim: pl.DataFrame, parts: list[str]) -> str:
    """Return our findings: what each asserts, and outcome and evidence on each platform."""
    mine = of_our_own(claim)
    folded = {(key, part): said for _, key, part, _, said in outcomes(mine).rows()}
    rows = []
    for (key,), of_claim in mine.group_by("claim", maintain_order=True):
        row = of_claim.row(0, named=True)
        said = [
            f"**{folded[key, part]}**{case_evidence(of_claim.filter(subject=part))}"
            for part in parts
        ]
        asserted = f"{row['statistic']}: {region_in_words(row)} (@{row['figure']})"
        rows.append([row["sentence"], asserted, *said])
    header = ["We find", "It asserts", *(PLATFORMS[part][0] for part in parts)]
    return markdown_table(header, rows, numeric_from=len(header))


def kept_by_newreno(cells: pl.DataFrame) -> dict:
    """Return {cca: {low, high: NewReno's share against it at the lowest and highest RTT, %}}."""
    beside = cells.filter(view="friendliness")
    return {cca: _at_ends(beside.filter(cca2=cca), 100 * pl.col("share1")) for cca in HIGH_SPEED}


def alike(cells: pl.DataFrame) -> dict:
    """Return {cca: {low, high: Jain's index of two flows of it at these RTTs}}."""
    of_view = cells.filter(view="intra")
    return {cca: _at_ends(of_view.filter(cca1=cca), pl.col("jfi"), 2) for cca in VARIANTS}


def beside_others(shares: pl.DataFrame) -> dict:
    """Return {cca: {low, high: its mean share against the four others at these RTTs, %}}."""
    means = mean_shares_of(shares).rename({"rtt_ms": "rtt2_ms"})
    return {cca: _at_ends(means.filter(cca=cca), 100 * pl.col("share")) for cca in HIGH_SPEED}


def _at_ends(rows: pl.DataFrame, value: pl.Expr, digits: int = 0) -> dict[str, str]:
    """Return the ranges of a value over queues and platforms at the ends of the RTTs."""
    found = {}
    for end, rtt in ENDS.items():
        values = rows.filter(rtt2_ms=float(rtt)).select(value).to_series().drop_nulls()
        found[end] = span_of(values, digits) if len(values) else NOTHING
    return found


def mser5_words(sensitivity: pl.DataFrame) -> dict:
    """Return {part: where MSER-5 ends the warm-up: median, most, s; runs in which beyond ours}.

    Args:
        sensitivity: the table `pair_sensitivity`.
    """
    found = {}
    for part in PLATFORMS:
        mine = sensitivity.filter(part=part)
        begins = {
            window: mine.filter(window=window).select("run_id", "from_s")
            for window in ("mser5", "steady")
        }
        both = begins["mser5"].join(begins["steady"], on="run_id", suffix="_ours")
        found[part] = {
            "median_s": f"{both['from_s'].median() or 0:.0f}",
            "most_s": f"{both['from_s'].max() or 0:.0f}",
            "n_later": str((both["from_s"] > both["from_s_ours"]).sum()),
        }
    return found


@paper.table
def own(claim, parts) -> str:
    return finding_table(claim, list(parts))
