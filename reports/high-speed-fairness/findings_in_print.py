"""Our findings and the ranges that the text and its tables name."""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.say import Said, nothing, say, span
from evenflow.markdown import span_of

from .metrics import HIGH_SPEED, NAMES, QUEUES, RTTS_MS, STANDARD, VARIANTS, mean_shares_of

ENDS = {"low": RTTS_MS[0], "high": RTTS_MS[-1]}
KEYS = {variant_name(cca): cca for cca in VARIANTS} | dict(
    zip(QUEUES.values(), ("at_20_pct", "at_3_mb"), strict=True)
)


def estimates_in_words(claim: pl.DataFrame) -> dict:
    """Return {claim: {part: {case: its estimate and interval}}}.

    A case is named 'cubic_at_3_mb', of a claim without variants 'at_3_mb'.

    Args:
        claim: the table `claim`, tagged.
    """
    found: dict = {}
    for i, row in enumerate(claim.rows(named=True)):
        case = "_".join(KEYS[word] for word in row["case"].split(", ") if word)
        if not case:  # a sentence that no data can tell about
            continue
        of_part = found.setdefault(row["claim"], {}).setdefault(row["subject"], {})
        ends = "" if row["low"] is None else " ({low} to {high})"
        text = f"{{estimate}}{ends}"
        of_part[case] = (
            nothing()
            if row["estimate"] is None
            else say(claim[i], text, digits=row["digits"], style="compact")
        )
    return found


def ranges_in_words(claim: pl.DataFrame) -> dict:
    """Return {claim: {part: the range of its cases' estimates}}."""
    found: dict = {}
    for key, part in claim.select("claim", "subject").unique(maintain_order=True).rows():
        rows = claim.filter(claim=key, subject=part).drop_nulls("estimate")
        found.setdefault(key, {})[part] = (
            span(rows, "estimate", digits=rows["digits"][0], style="compact")
            if len(rows)
            else nothing()
        )
    return found


def kept_by_newreno(cells: pl.DataFrame) -> dict:
    """Return {cca: {low, high: NewReno's share against it at the lowest and highest RTT, %}}."""
    beside = cells.filter(view="friendliness")
    share = 100 * pl.col("share1")
    return {cca: _at_ends(beside.filter(cca2=cca), share) for cca in HIGH_SPEED}


def beside_newreno(cells: pl.DataFrame) -> dict:
    """Return what the testbed's variants leave NewReno, with the queue that all were run with.

    Returns:
        jfi: {cca: Jain's index at the lowest RTT}; scalable: throughput ratio Scalable / NewReno
        over that of another variant, where this is least, over the higher RTTs; of: which variant
        that is; rtt_ms: and where.
    """
    (queue, *_) = QUEUES
    beside = cells.filter(part="testbed", view="friendliness", queue=queue).drop_nulls("ratio")
    at_low = beside.filter(rtt2_ms=float(ENDS["low"]))
    jfi = {
        cca: say(of, "jfi", digits=2) if len(of := at_low.filter(cca2=cca)) else nothing()
        for cca in HIGH_SPEED
    }
    above = beside.filter(pl.col("rtt2_ms") > ENDS["low"])
    of_scalable = above.filter(cca2="scalable").select("rtt2_ms", most="ratio")
    others = above.filter(pl.col("cca2") != "scalable").join(
        of_scalable, on="rtt2_ms", how="inner", maintain_order="left"
    )
    if others.is_empty():
        return {"jfi": jfi} | dict.fromkeys(("scalable", "of", "rtt_ms"), nothing())
    least = others.sort(pl.col("ratio") / pl.col("most"), "cca2").row(0, named=True)
    at_rtt = above.filter(rtt2_ms=least["rtt2_ms"])
    other = at_rtt.filter(cca2=least["cca2"])
    pair = pl.concat([other, at_rtt.filter(cca2="scalable")])
    return {
        "jfi": jfi,
        "scalable": say(pair, pl.col("ratio").first() / pl.col("ratio").last(), digits=1),
        "of": say(other, pl.col("cca2").replace(NAMES).first()),
        "rtt_ms": say(pair, pl.col("rtt2_ms").first(), digits=0),
    }


def alike(cells: pl.DataFrame) -> dict:
    """Return {cca: {low, high: Jain's index of two flows of it at these RTTs}}."""
    of_view = cells.filter(view="intra")
    return {cca: _at_ends(of_view.filter(cca1=cca), pl.col("jfi"), 2) for cca in VARIANTS}


def beside_others(means: pl.DataFrame) -> dict:
    """Return {cca: {low, high: its mean share against the four others at these RTTs, %}}.

    Args:
        means: the table `mean_share`, tagged.
    """
    share = 100 * pl.col("share")
    return {cca: _at_ends(means.filter(cca=cca), share, rtt="rtt_ms") for cca in HIGH_SPEED}


def _at_ends(
    rows: pl.DataFrame, value: pl.Expr, digits: int = 0, rtt: str = "rtt2_ms"
) -> dict[str, Said]:
    """Return the ranges of a value over queues and platforms at the ends of the RTTs."""
    found = {}
    for end, rtt_ms in ENDS.items():
        mine = rows.filter(pl.col(rtt) == float(rtt_ms), value.is_not_null())
        found[end] = span(mine, value, digits=digits) if len(mine) else nothing()
    return found


def harms(cells: pl.DataFrame, cca: str, rtt_ms: float) -> pl.Series:
    """Return what part of its throughput against another NewReno flow a variant costs NewReno.

    Of flow 1, in each queue and platform that has both pairs at an RTT (Ware et al. 2019).
    """
    at = cells.filter(rtt2_ms=float(rtt_ms))
    place = ["part", "queue"]
    beside = at.filter(view="friendliness", cca2=cca).select(*place, "throughput1_bps")
    alone = at.filter(view="intra", cca1=STANDARD).select(*place, alone="throughput1_bps")
    both = beside.join(alone.filter(pl.col("alone") > 0), on=place, maintain_order="left")
    return 1 - both["throughput1_bps"] / both["alone"]


def share_words(shares: pl.DataFrame) -> dict:
    """Return {cca: range of its mean share against the four others, %}, and NewReno's.

    NewReno's is its share against each variant at the longest RTT.
    """
    means = mean_shares_of(shares)
    found = {cca: span_of(100 * means.filter(cca=cca)["share"], 1) for cca in HIGH_SPEED}
    beside = shares.filter(pl.col("other").is_in(HIGH_SPEED), cca=STANDARD, rtt_ms=RTTS_MS[-1])
    return found | {STANDARD: span_of(100 * beside["share"], 2)}
