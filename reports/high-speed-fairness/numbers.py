"""The numbers of the text: each function a branch of _variables.yml, in this order."""

from __future__ import annotations

import polars as pl
from evenflow.charts.theme import PLATFORMS
from evenflow.claims.claim_numbers import outcome_numbers
from evenflow.claims.judge import of_original
from evenflow.congestion_controls import pairing_name, variant_name
from evenflow.evidence.say import (
    Said,
    count,
    given,
    joined,
    list_of,
    nothing,
    phrase,
    say,
    span,
)
from evenflow.papers import paper
from evenflow.reporting.datasets import made_when_said
from evenflow.reporting.said import builds_beside_numbers, selfcheck_numbers, share_in_percent
from evenflow.statistics.outcomes import OUTCOMES
from evenflow.statistics.steady import FACTOR, POINTS

from . import findings_in_print
from .exponents import exponent_rows
from .metrics import HIGH_SPEED, NAMES, QUEUES, VARIANTS, design, low_runs
from .tables import FULL

NO_RUN = "no run yet"
PLACE = ("view", "queue", "cca1", "cca2", "rtt1_ms", "rtt2_ms")  # what a cell of a platform is


@paper.number
def settings(warmup_s, confidence, fdr, low_share) -> dict:
    return {
        "warmup_s": given("warmup_s", f"{warmup_s:g}"),
        "confidence_pct": share_in_percent("confidence", confidence),
        "fdr_pct": share_in_percent("fdr", fdr),
        "low_share_pct": share_in_percent("low_share", low_share),
        "unsteady_points": share_in_percent("statistics.steady.POINTS", POINTS),
        "unsteady_factor": given("statistics.steady.FACTOR", float(FACTOR)),
    }


@paper.number
def readings(readings) -> dict:
    """Return the readings of paper.yml in print; a list is an interval or a list of RTTs."""
    between = {"proportional": "{} to {}", "low_rtt_ms": "{}", "high_rtt_ms": "{} and {}"}
    found = {}
    for name, value in readings.items():
        values = value if isinstance(value, list) else [value]
        parts = [given(f"readings.{name}", f"{each:g}", each) for each in values]
        text = between.get(name, " and ".join(["{}"] * len(parts)))
        found[name] = phrase(text, *parts) if text.count("{}") == len(parts) else joined(parts)
    return found


@paper.number
def exponent(claim) -> dict:
    """Return {cca: the range of a variant's exponents over platforms and queues}."""
    return {cca: _known_span(exponent_rows(claim, cca), "estimate", 1) for cca in VARIANTS}


@paper.number
def misfit(claim) -> dict:
    """Return {cca: the largest factor by which a ratio lies off the power law}."""
    words = "largest factor by which a ratio lies off the power law"
    return {
        cca: say(exponent_rows(claim, cca), pl.col("misfit").max(), digits=1, words=words)
        for cca in VARIANTS
    }


@paper.number
def taken(mean_share) -> dict:
    """Return {cca: range of its mean share against the four others, %}."""
    share = 100 * pl.col("share")
    return {cca: _known_span(mean_share.filter(cca=cca), share, 1) for cca in HIGH_SPEED}


def _known_span(rows: pl.DataFrame, value: str | pl.Expr, digits: int) -> Said:
    """Return the range of a value over the rows that have one; a dash where none has."""
    value = pl.col(value) if isinstance(value, str) else value
    known = rows.filter(value.is_not_null())
    return span(known, value, digits=digits) if len(known) else nothing()


@paper.number
def drift(pair_metric) -> dict:
    """Return {part: runs that are unsteady, two alike flows that converge and when}."""
    found = {}
    time = pl.col("convergence_s")
    for part in PLATFORMS:
        mine = pair_metric.filter(part=part)
        alike = mine.filter(view="intra")
        found[part] = {
            "n_runs": count(mine, words="runs"),
            "n_unsteady": count(mine, pl.col("unsteady"), words="runs that are unsteady"),
            "most_points": say(mine, 100 * pl.col("drift").max()),
            "n_alike": count(alike, words="runs of two flows of one variant"),
            "n_converged": say(
                alike, time.count(), words="runs of two flows of one variant that converge"
            ),
            "median_s": say(alike, time.median()),
            "longest_s": say(alike, time.max()),
            "least_drops": say(mine, pl.col("drops").min()),
        }
    return found


@paper.number
def utilisation(pair_cell) -> dict:
    """Return {part: in how many cells the flows leave a tenth of the link, and where most}."""
    found = {}
    full = given("tables.FULL", f"{100 * FULL:.0f}", FULL)
    for part in PLATFORMS:
        mine = pair_cell.filter(part=part).drop_nulls("utilisation")
        if mine.is_empty():
            found[part] = nothing(NO_RUN)
            continue
        below = count(
            mine, pl.col("utilisation") < FULL, words="number of cells below that share of the link"
        )
        said = phrase(
            "below {} % in {} of {} cells", full, below, count(mine, words="number of all cells")
        )
        if below != "0":
            least = mine.sort("utilisation").head(1)
            row = least.row(0, named=True)
            rtts = (say(least, rtt, style="g") for rtt in ("rtt1_ms", "rtt2_ms"))
            pair = pairing_name(f"{row['cca1']}-{row['cca2']}")
            said = phrase(
                f"{{}}, and the lowest value is {{}} % ({pair}, {{}} and {{}} ms, {{}})",
                said,
                say(least, 100 * pl.col("utilisation"), digits=1),
                *rtts,
                given(f"metrics.QUEUES.{row['queue']}", QUEUES[row["queue"]]),
            )
        found[part] = said
    return found


@paper.number
def data(run, pair_metric) -> dict:
    """Return what the report says of each data set as a whole."""
    found = {}
    for part, of in run.items():
        pairs = pair_metric.filter(part=part)
        placed = of.join(pairs.select("run_id"), on="run_id", how="semi")
        known = pairs.join(design(), on=PLACE, how="semi")
        found[part] = {
            "n_runs": count(placed, words="runs that have a place in the paper"),
            "n_cells": say(
                known, pl.struct(PLACE).n_unique(), words="cells of the design that have a run"
            ),
            "n_design": given("metrics.design", str(len(design()))),
            "rtts_ms": list_of(pairs, "rtt2_ms"),
            "duration_s": span(placed, "duration_s"),
            "made_when": made_when_said([placed]) if len(placed) else nothing(),
        }
    return found


@paper.number
def total(pair_metric, low_share) -> dict:
    """Return in how many runs a flow gets little or nothing, and against whom: 'Scalable (47)'."""
    low = low_runs(pair_metric, low_share)
    other = pl.when(pl.col("low_flow") == 1).then("cca2").otherwise("cca1")
    beside = low.group_by(other.alias("cca")).len().sort("len", "cca", descending=[True, False])
    named = [
        phrase(f"{variant_name(cca)} ({{}})", count(low.filter(other == cca), words="runs"))
        for cca in beside["cca"]
    ]
    return {
        "n_runs": count(pair_metric, words="runs of both platforms"),
        "n_starved": say(pair_metric, pl.col("starved").count(), words="runs with a starved flow"),
        "n_low": count(low, words="runs in which a flow gets little")
        if len(low)
        else count(pair_metric, pl.lit(False), words="runs in which a flow gets little"),
        "beside": joined(named) if named else nothing(),
    }


@paper.number
def common(platform_pair) -> dict:
    """Return how far the platforms are apart in the cells that both have (`metrics.common_cells`).

    Returns:
        n: these cells; jfi, jfi_most: mean and largest difference of Jain's index; points: mean
        difference of flow 1's share; n_same: cells of two variants in which the same one is ahead,
        of n_unlike.
    """
    gap = (pl.col("jfi") - pl.col("jfi_testbed")).abs()
    points = 100 * (pl.col("share1") - pl.col("share1_testbed")).abs()
    both = platform_pair.filter(pl.col("ratio") > 0, pl.col("ratio_testbed") > 0)
    apart = pl.col("ratio").log() - pl.col("ratio_testbed").log()
    unlike = platform_pair.filter(pl.col("cca1") != pl.col("cca2"))
    same = (pl.col("share1") > 0.5) == (pl.col("share1_testbed") > 0.5)
    return {
        "n": count(platform_pair, words="cells that both platforms have"),
        "jfi": say(platform_pair, gap.mean(), digits=2, words="mean difference of Jain's index"),
        "jfi_most": say(
            platform_pair, gap.max(), digits=2, words="largest difference of Jain's index"
        ),
        "factor": say(
            both,
            apart.abs().mean().exp(),
            digits=1,
            words="geometric mean of the factor between the ratios of throughputs",
        ),
        "points": say(platform_pair, points.mean(), words="mean difference of a share, points"),
        "n_same": count(unlike, same, words="cells in which the same variant is ahead on both"),
        "n_unlike": count(unlike, words="cells of two variants that both platforms have"),
    }


@paper.number
def moved(own_average) -> dict:
    """Return {part: how much the paper's own averaging moves each run, in words}."""
    found = {}
    moved = pl.col("moved")
    for part in PLATFORMS:
        mine = own_average.filter(part=part).drop_nulls("moved")
        if mine.is_empty():
            found[part] = nothing(NO_RUN)
            continue
        found[part] = phrase(
            "by {} on average and {} at most (it rises in {} of {} runs)",
            say(mine, moved.mean(), digits=3, words="mean change of Jain's index"),
            say(mine, moved.abs().max(), digits=2, words="largest change of Jain's index"),
            count(mine, moved > 0, words="runs whose index rises"),
            count(mine, words="all runs"),
        )
    return found


@paper.number
def repeats(repeat_cell) -> dict:
    """Return {part: how the runs of a cell differ, in words}."""
    return {part: _repeats(repeat_cell.filter(part=part)) for part in PLATFORMS}


def _repeats(cells: pl.DataFrame) -> Said:
    several = cells.filter(pl.col("n") > 1)
    if several.is_empty():
        return nothing("no cell has more than one run yet")
    said = phrase(
        "{} of {} cells have repeated runs, {} each. Between these the share of flow 1 differs by "
        "{} points in the median and {} at most",
        count(cells, pl.col("n") > 1, words="cells whose runs are repeated"),
        count(cells, words="all cells"),
        span(several, "n"),
        say(several, 100 * pl.col("span").median(), digits=1),
        say(several, 100 * pl.col("span").max(), digits=1),
    )
    double = pl.col("n_unlike") < pl.col("n")
    twice = count(several, double, words="cells in which two runs are identical")
    if twice == "0":
        return said
    return phrase("{}. In {} of these cells two runs are identical", said, twice)


@paper.number
def claims(claim) -> dict:
    """Return {part: {n, text, and the number of each outcome}} of the original's sentences."""
    found = {}
    original = of_original(claim)
    for part in original["subject"].unique(maintain_order=True):
        rows = original.filter(subject=part)
        counts = outcome_numbers(rows)
        named = {name: counts[name.replace(" ", "_")] for name in OUTCOMES}
        said = [phrase(f"{{}} {name}", n) for name, n in named.items() if n != "0"]
        n = say(rows, pl.col("claim").n_unique(), words="sentences of the original")
        found[part] = {"n": n, "text": joined(said), **counts}
    return found


@paper.number
def estimate(claim) -> dict:
    return findings_in_print.estimates_in_words(claim)


@paper.number
def range(claim) -> dict:
    return findings_in_print.ranges_in_words(claim)


@paper.number
def keeps(pair_cell) -> dict:
    return findings_in_print.kept_by_newreno(pair_cell)


@paper.number
def friendly(pair_cell) -> dict:
    return findings_in_print.beside_newreno(pair_cell)


@paper.number
def two(pair_cell) -> dict:
    return findings_in_print.alike(pair_cell)


@paper.number
def beside(mean_share) -> dict:
    return findings_in_print.beside_others(mean_share)


@paper.number
def mser5(warmup_run) -> dict:
    """Return {part: where MSER-5 ends the warm-up: median, s; runs in which that is beyond ours."""
    later = pl.col("mser5_s") > pl.col("steady_s")
    return {
        part: {
            "median_s": say(mine, pl.col("mser5_s").median()),
            "n_later": count(mine, later, words="runs in which MSER-5 leaves out more than we do"),
        }
        for part in PLATFORMS
        for mine in [warmup_run.filter(part=part)]
    }


@paper.number
def queue(queue_effect) -> dict:
    """Return what queues that are always full would do to RTTs and to exponents."""
    most = queue_effect.filter(pl.col("full_ms") == pl.col("full_ms").max())
    return {
        "most_ms": say(most, "full_ms"),
        "factor": say(queue_effect, pl.col("factor").max(), digits=1),
        "cubic": say(queue_effect.filter(cca="cubic"), pl.col("exponent_full").max(), digits=2),
        "htcp": _known_span(queue_effect.filter(cca="htcp"), "exponent_full", 2),
        "htcp_testbed": _known_span(
            queue_effect.filter(cca="htcp", part="testbed"), "exponent_full", 2
        ),
    }


@paper.number
def order(late_metric, start_order) -> dict:
    """Return what the order of starts changes: exponents, and Scalable at the longest RTT."""
    exponents = start_order.filter(pl.col("rtt2_ms").is_null())
    rest, scalable = (exponents.filter((pl.col("cca") == "scalable") == of) for of in (False, True))
    longest = start_order.filter(pl.col("rtt2_ms") == pl.col("rtt2_ms").max(), cca="scalable")
    change, words = pl.col("change").abs(), "difference of the exponents"
    unlike = rest.filter(pl.col("change_low") * pl.col("change_high") > 0)
    names = [say(row, pl.col("cca").replace(NAMES).first()) for row in unlike.iter_slices(1)]
    return {
        "n_runs": count(late_metric, words="runs with flow 2 first"),
        "most": say(rest, change.max(), digits=1, words=f"largest {words}"),
        "scalable": say(scalable, change.max(), digits=1, words=words),
        "unlike": joined(names, ", ", " and ") if names else nothing("none of them"),
        "newreno_late": say(exponents.filter(cca="newreno"), "late", digits=2),
        "scalable_first": say(longest, "first", style=","),
        "scalable_late": say(longest, "late", digits=1),
    }


@paper.number
def lasting(lasting_pair) -> dict:
    """Return how many of the runs of either length are unsteady."""
    return {
        f"{name}_{side}": say(lasting_pair, pl.col(f"{column}_{side}").sum(), words=words)
        for side in ("short", "long")
        for name, column, words in (
            ("n", "n_runs", "runs"),
            ("unsteady", "n_unsteady", "runs that are unsteady"),
        )
    }


@paper.number
def builds_beside(build_difference) -> dict:
    return builds_beside_numbers(build_difference)


@paper.number
def selfcheck(selfcheck_check) -> dict:
    return selfcheck_numbers(selfcheck_check)
