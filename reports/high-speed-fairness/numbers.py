"""The numbers of the text: each function a branch of _variables.yml, in this order."""

from evenflow.claims.judge import LEAST_PLANNED
from evenflow.papers import paper
from evenflow.provenance.origins import of_data, table
from evenflow.reporting.builds import build_differences
from evenflow.reporting.selfcheck import selfcheck_variables
from evenflow.statistics.steady import FACTOR, POINTS

from . import findings_in_print, tables
from .data import described
from .exponents import exponent_words, misfit_words
from .repeats import repeat_words


@paper.number
def settings(warmup_s, confidence, fdr, low_share) -> dict:
    return {
        "warmup_s": f"{warmup_s:g}",
        "confidence_pct": f"{100 * confidence:g}",
        "fdr_pct": f"{100 * fdr:g}",
        "low_share_pct": f"{100 * low_share:g}",
        "unsteady_points": f"{100 * POINTS:g}",
        "unsteady_factor": f"{FACTOR:g}",
        "least_replicates": str(LEAST_PLANNED),
    }


@paper.number
def readings(readings) -> dict:
    """Return the readings of paper.yml in print; a list is an interval or a list of RTTs."""
    low, high = readings["proportional"]
    return {
        name: f"{value:g}" for name, value in readings.items() if not isinstance(value, list)
    } | {
        "proportional": f"{low:g} to {high:g}",
        **{name: " and ".join(map(str, readings[name])) for name in ("low_rtt_ms", "high_rtt_ms")},
    }


@paper.number(rows={"*": [table("claim")]})
def exponent(claim) -> dict:
    return exponent_words(claim)


@paper.number(rows={"*": [table("claim")]})
def misfit(claim) -> dict:
    return misfit_words(claim)


@paper.number(rows={"{cca}": [table("pair_share", "cca")]})
def taken(pair_share) -> dict:
    return tables.share_words(pair_share)


@paper.number(rows={"{part}.*": [table("pair_metric", "part")]})
def drift(pair_metric) -> dict:
    return tables.drift_words(pair_metric)


@paper.number(rows={"{part}": [table("pair_cell", "part")]})
def utilisation(pair_cell) -> dict:
    return tables.utilisation_words(pair_cell)


@paper.number(rows={"{part}.*": [*of_data("run", "flow", "ledger"), table("pair_metric", "part")]})
def data(run, flow, ledger, pair_metric, about) -> dict:
    return described(run, flow, ledger, pair_metric, about)


@paper.number(rows={"*": [table("pair_metric")]})
def total(run, flow, ledger, pair_metric, about, low_share) -> dict:
    known = described(run, flow, ledger, pair_metric, about)
    return tables.total_variables(pair_metric, known, low_share)


@paper.number(rows={"{view}.{part}.*": [table("pair_cell", "part", "view")]})
def view(pair_cell) -> dict:
    return tables.view_variables(pair_cell)


@paper.number
def common(pair_cell) -> dict:
    return tables.common_numbers(pair_cell)


@paper.number(rows={"{part}": [table("pair_sensitivity", "part")]})
def moved(pair_sensitivity) -> dict:
    return tables.moved_words(pair_sensitivity)


@paper.number(rows={"{part}": [table("pair_metric", "part")]})
def repeats(pair_metric) -> dict:
    return repeat_words(pair_metric)


@paper.number(rows={"{subject}.*": [table("claim", "subject")]})
def claims(claim) -> dict:
    return tables.claim_words(claim)


@paper.number(rows={"{claim}.{subject}.*": [table("claim", "claim", "subject")]})
def estimate(claim) -> dict:
    return findings_in_print.estimates_in_words(claim)


@paper.number(rows={"{claim}.{subject}": [table("claim", "claim", "subject")]})
def range(claim) -> dict:
    return findings_in_print.ranges_in_words(claim)


@paper.number(rows={"{claim}": [table("claim", "claim")]})
def null(claim) -> dict:
    return findings_in_print.nulls_in_words(claim)


@paper.number(rows={"{cca2}.*": [table("pair_cell", "cca2", view="friendliness")]})
def keeps(pair_cell) -> dict:
    return findings_in_print.kept_by_newreno(pair_cell)


@paper.number(rows={"{cca1}.*": [table("pair_cell", "cca1", view="intra")]})
def two(pair_cell) -> dict:
    return findings_in_print.alike(pair_cell)


@paper.number(rows={"{cca}.*": [table("pair_share", "cca")]})
def beside(pair_share) -> dict:
    return findings_in_print.beside_others(pair_share)


@paper.number(rows={"{part}.*": [table("pair_sensitivity", "part", window="mser5")]})
def mser5(pair_sensitivity) -> dict:
    return findings_in_print.mser5_words(pair_sensitivity)


@paper.number(rows={"*": [table("claim")]})
def queue(claim) -> dict:
    return findings_in_print.of_the_queue(claim)


@paper.number(rows={"{part}.*": of_data("run", "run_metric")})
def builds_beside(run, run_metric) -> dict:
    return build_differences({"testbed": run["testbed"]}, run_metric)


@paper.number
def selfcheck(selfcheck) -> dict:
    return selfcheck_variables(selfcheck)
