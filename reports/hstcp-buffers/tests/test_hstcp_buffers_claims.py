"""hstcp-buffers' claims: planted runs give each outcome, the model is exact, cells have runs."""

import polars as pl
import pytest
import yaml
from evenflow.claims.judge import judge, outcomes
from evenflow.claims.sentences import claims_of
from evenflow.schema import read_document
from evenflow.statistics.outcomes import (
    CONTRADICTED,
    INCONCLUSIVE,
    MIXED,
    NO_EFFECT,
    NOT_JUDGED,
    NOT_TESTABLE,
    OPPOSITE,
    REPRODUCED,
)
from raw_data import ROOT

from .. import claims, tables
from ..claims import Source
from ..highspeed import standard_share

FOLDER = ROOT / "reports/hstcp-buffers"
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
DESIGNS = PARAMETERS["designs"]
SAID = read_document(FOLDER / "claims.yml")
READINGS = PARAMETERS["thresholds"] | DESIGNS
CLAIMS = {c.key: c for c in claims_of(SAID, READINGS, vars(claims))}
FRACTIONS = DESIGNS["every"]
WRONG = {CONTRADICTED, NO_EFFECT, OPPOSITE, MIXED}  # decided otherwise
SLOW, SLOW_RED = (1e9, "droptail"), (1e9, "red")
FAST, FAST_RED = (2.5e9, "droptail"), (2.5e9, "red")
NOISE = (-0.01, 0.0, 0.01)  # of three repeats: of a share, or of a rate's logarithm


def runs(n=3, place=SLOW, noise=1.0, fractions=FRACTIONS, **values) -> pl.DataFrame:
    """Runs of one place, n repeats: a function of the fraction for each measure."""
    of = {"utilisation": lambda f: 0.95, "loss_rate": lambda f: 1e-3, "error": lambda f: 0.0}
    of = of | {"standard_share": lambda f: 0.2, "drops_over_p": lambda f: 20.0}
    of = of | {"cuts_over_p": lambda f: 1.5, "first_share": lambda f: 0.7}
    of = of | values
    rows = [
        {"bottleneck_bps": place[0], "aqm": place[1], "fraction": float(f), "repeat": r + 1}
        | {
            name: value(f) * (1 + noise * NOISE[r])
            if name == "loss_rate"
            else value(f) + noise * NOISE[r]
            for name, value in of.items()
        }
        for f in fractions
        for r in range(n)
    ]
    schema = dict.fromkeys(of, pl.Float64)
    return pl.DataFrame(rows, schema_overrides=schema)


def two_flows(jfi=(0.6, 0.8), ratio=3.0, n=3, noise=1.0) -> pl.DataFrame:
    """Steady runs of two flows at the smaller and the larger buffer."""
    return pl.DataFrame(
        [
            {"bottleneck_bps": 1e9, "aqm": "droptail", "fraction": fraction, "repeat": r + 1,
             "jfi": value + noise * NOISE[r] * (1 + i), "short_over_long": ratio + noise * NOISE[r]}
            for i, (fraction, value) in enumerate(
                zip(DESIGNS["two_flows"], jfi, strict=True)
            )
            for r in range(n)
        ]
    )  # fmt: skip


def source(table=None, two=None, unsteady=0, name="sack1", own=None) -> Source:
    """own: utilisation of sack1 on the fast link, that another source is set beside."""
    table = runs() if table is None else table
    beside = None if own is None else runs(place=FAST, utilisation=lambda f: own)
    two = two_flows()[:0] if two is None else two
    return Source(table, two, unsteady, name=name, beside=beside)


def judged(key: str, of: Source) -> pl.DataFrame:
    return judge("paper", [CLAIMS[key]], {"sack1": of}, confidence=0.95, fdr=0.05)


def outcome_of(key: str, of: Source) -> str:
    return outcomes(judged(key, of))["outcome"].item()


def of_runs(name="sack1", **values):
    """Return the source of runs of one replicate's values; a third, noisy, is inconclusive."""
    return lambda noise=1.0: source(runs(noise=noise, **values), name=name)


def both_links(fast, places=((1e9, "droptail"), (2.5e9, "droptail"))):
    """Return the source of runs of both links, of which the slow one has 0.93."""
    return lambda: source(
        pl.concat(
            runs(place=place, noise=1 + i, utilisation=lambda f, u=u: u)
            for i, (place, u) in enumerate(zip(places, (0.93, fast), strict=True))
        )
    )


# claim -> planted data for which it is true, for which it is false; its border, whatever the noise
PLANTED = {
    "buffer-of-10-pct": (of_runs(), of_runs(utilisation=lambda f: 0.85),
                         of_runs(utilisation=lambda f: 0.905)),
    "buffer-of-20-pct": (of_runs(utilisation=lambda f: 1.02), of_runs(utilisation=lambda f: 0.9),
                         of_runs(utilisation=lambda f: 0.98)),
    "drop-below-10-pct": (
        lambda: spread(lambda f: 0.9 if f >= 0.1 else 0.5),
        lambda: spread(lambda f: 0.9),
        lambda: spread(lambda f: 0.9 if f >= 0.1 else 0.795),
    ),
    "little-beyond-10-pct": (
        lambda: spread(lambda f: 0.9 + f / 50),
        lambda: spread(lambda f: 0.5 if f < 0.2 else 0.9),
        lambda: spread(lambda f: 0.8 + f / 9),
    ),
    "rises-with-the-buffer": (
        lambda: spread(lambda f: 0.5 + f / 3), lambda: spread(lambda f: 0.9 - f / 3),
        lambda: spread(lambda f: 0.9 + f / 120),
    ),
    "model-is-close": (of_runs(), of_runs(error=lambda f: -0.3 if f < 0.1 else 0.0),
                       of_runs(error=lambda f: 0.045)),
    "loss-of-droptail": (of_runs(), of_runs(loss_rate=lambda f: 1e-4),
                         of_runs(loss_rate=lambda f: 10**-3.5)),
    "loss-of-red": (
        of_runs(place=SLOW_RED, loss_rate=lambda f: 1e-5),
        of_runs(place=SLOW_RED, loss_rate=lambda f: 1e-4 if f == 0.1 else 1e-5),
        of_runs(place=SLOW_RED, loss_rate=lambda f: 10**-4.5),
    ),
    "loss-of-red-on-the-fast-link": (
        of_runs(place=FAST_RED, loss_rate=lambda f: 1e-6), of_runs(place=FAST_RED),
        of_runs(place=FAST_RED, loss_rate=lambda f: 10**-5.5),
    ),
    "reduces-to-standard-tcp": (of_runs(standard_share=lambda f: 0.9), of_runs(),
                                of_runs(standard_share=lambda f: 0.5)),
    "larger-buffer-is-fairer": (
        lambda: source(two=two_flows()), lambda: source(two=two_flows(jfi=(0.8, 0.6))),
        lambda: source(two=two_flows(jfi=(0.6, 0.65))),
    ),
    "tenth-by-link": (both_links(0.48), both_links(0.92), both_links(0.83)),
    "drops-are-not-p": (of_runs(), of_runs(drops_over_p=lambda f: 1.2),
                        of_runs(drops_over_p=lambda f: 3.16)),
    "cuts-are-p": (of_runs(), of_runs(cuts_over_p=lambda f: 9.0),
                   of_runs(cuts_over_p=lambda f: 3.16)),
    "one-flow-has-most": (of_runs(place=FAST), of_runs(place=FAST, first_share=lambda f: 0.4),
                          of_runs(place=FAST, first_share=lambda f: 0.5)),
    "implementations-differ": tuple(
        lambda own=own: source(runs(place=FAST), name="linux", own=own)
        for own in (0.65, 0.94, 0.85)
    ),
    "limited-slow-start": (
        lambda: changing("slow-start", 0.95), lambda: changing("slow-start", 0.72),
        lambda: changing("slow-start", 0.8),
    ),
    "differ-without-limited-slow-start": (
        lambda: changing("slow-start", 0.5, name="linux"),
        lambda: changing("slow-start", 0.72, name="linux"),
        lambda: changing("slow-start", 0.6, name="linux"),
    ),
    "other-starts": (
        lambda: changing("starts", 0.72), lambda: changing("starts", 0.95),
        lambda: changing("starts", 0.795),
    ),
    "rate-alone": (
        lambda: crossing(slow=0.93, fast=0.7), lambda: crossing(slow=0.93, fast=0.92),
        lambda: crossing(slow=0.93, fast=0.83),
    ),
    "tenth-of-the-path": (
        lambda: crossing(slow=0.97, fast=0.96), lambda: crossing(slow=0.8, fast=0.7),
        lambda: crossing(slow=0.902, fast=0.9),
    ),
    "spread-alone": (
        lambda: crossing(narrow=0.2), lambda: crossing(narrow=0.01), lambda: crossing(narrow=0.1),
    ),
    "slow-senders": tuple(
        lambda own=own: source(runs(place=FAST), name="sack1-slow", own=own)
        for own in (0.65, 1.05, 0.935)
    ),
    "unfair-by-rtt": (
        lambda: source(two=two_flows()), lambda: source(two=two_flows(ratio=1.0)),
        lambda: source(two=two_flows(ratio=1.25)),
    ),
}  # fmt: skip
OF_FORMULAS = {"discrepancy-of-mm1k", "uniqueness-depends-on-the-buffer"}


RTT_SETS = ((9.0, "115.5 to 124.5 ms"), (104.0, "38 to 142 ms"))


def crossing(slow=0.7, fast=0.7, narrow=0.0) -> Source:
    """Runs of both rates with both sets of RTTs; narrow: what those close together have more."""
    parts = []
    for i, (place, share) in enumerate(((SLOW, slow), (FAST, fast))):
        for j, ((spread_ms, rtts), more) in enumerate(zip(RTT_SETS, (narrow, 0.0), strict=True)):
            of_both = {"place": place, "noise": 1 + i / 4 + j / 8, "fractions": DESIGNS["crossed"]}
            made = runs(**of_both, utilisation=lambda f, u=share + more: u)
            parts.append(made.with_columns(spread_ms=pl.lit(spread_ms), rtts=pl.lit(rtts)))
    return source()._replace(crossed=pl.concat(parts))


def changing(what: str, share: float, name="sack1") -> Source:
    """Runs of the fast link that use 0.7 of it, and what sack1 uses with one thing changed."""
    of = runs(place=FAST, noise=1.5, utilisation=lambda f: share, fractions=DESIGNS["tenth"])
    whole = source(runs(place=FAST, utilisation=lambda f: 0.7), name=name)
    return whole._replace(changed=of.with_columns(tcp=pl.lit("sack1"), changed=pl.lit(what)))


def spread(utilisation) -> Source:
    """Runs whose noise differs between the buffers, so that differences have some, too."""
    parts = [
        runs(utilisation=utilisation, fractions=[f], noise=1 + i / 4)
        for i, f in enumerate(FRACTIONS)
    ]
    return source(pl.concat(parts))


@pytest.mark.parametrize("key", PLANTED)
def test_planted_runs_give_each_outcome(key):
    true, false, border = (made() for made in PLANTED[key])
    assert outcome_of(key, true) == REPRODUCED
    assert outcome_of(key, false) in WRONG
    assert outcome_of(key, border) == INCONCLUSIVE


def test_every_claim_is_tested():
    assert {*PLANTED, *OF_FORMULAS} == {*CLAIMS}


@pytest.mark.parametrize("key", PLANTED)
def test_one_run_a_cell_decides_nothing(key):
    one = PLANTED[key][0]()
    one = one._replace(runs=one.runs.filter(repeat=1), two=one.two.filter(pl.col("repeat") == 1))
    for part in ("crossed", "changed"):
        if (others := getattr(one, part)) is not None:
            one = one._replace(**{part: others.filter(repeat=1)})
    assert outcome_of(key, one) == NOT_JUDGED


@pytest.mark.parametrize("key", PLANTED)
def test_a_buffer_that_makes_no_difference_passes_no_claim_about_one(key):
    """The same runs at every buffer: nothing rises, drops, or becomes fairer."""
    flat = source(runs(), two_flows(jfi=(0.7, 0.7)))
    about_a_difference = {"drop-below-10-pct", "rises-with-the-buffer", "larger-buffer-is-fairer"}
    if key in about_a_difference:
        assert outcome_of(key, flat) != REPRODUCED


def model_source(loss_rate=1e-5, counts=(1, 1)) -> Source:
    table = runs(n=1, noise=0.0, loss_rate=lambda f: loss_rate,
                 standard_share=lambda f: standard_share(loss_rate))  # fmt: skip
    measured = ("error", "drops_over_p", "cuts_over_p", "first_share")
    table = table.with_columns(pl.lit(None, pl.Float64).alias(name) for name in measured)
    points = pl.DataFrame(
        {"bottleneck_bps": [1e9] * 2, "aqm": ["droptail"] * 2, "n_fixed_points": counts,
         "falls": [True] * 2}
    )  # fmt: skip
    return Source(table, two_flows()[:0], 0, points, "model")


def test_the_model_has_no_interval_and_is_not_compared_with_itself():
    table = judge("paper", CLAIMS.values(), {"model": model_source()}, confidence=0.95, fdr=0.05)
    assert table["low"].null_count() == len(table)
    found = dict(outcomes(table).select("claim", "outcome").rows())
    assert found["buffer-of-10-pct"] == REPRODUCED and found["loss-of-droptail"] == CONTRADICTED
    assert found["discrepancy-of-mm1k"] == NOT_TESTABLE
    assert not {"model-is-close", "larger-buffer-is-fairer"} & set(found)


def test_uniqueness_depends_on_the_buffer_where_the_number_of_fixed_points_does():
    key = "uniqueness-depends-on-the-buffer"
    assert outcome_of(key, model_source(counts=(1, 1))) == CONTRADICTED
    assert outcome_of(key, model_source(counts=(1, 3))) == REPRODUCED
    assert judged(key, source()).is_empty()  # it is about the model's formulas


def test_the_model_is_standard_tcp_from_p_low_up():
    assert standard_share(1e-3) == 1.0 and standard_share(1e-5) == 0.0
    # window 40 at the loss, cut to half of it: most of the time below 38
    assert 0.5 < standard_share(9.4e-4) < 1.0
    key = "reduces-to-standard-tcp"
    assert outcome_of(key, model_source(2e-3)) == REPRODUCED
    assert outcome_of(key, model_source(1e-5)) == CONTRADICTED


def test_a_buffer_with_fewer_runs_counts_and_one_without_is_named():
    table = runs().filter(~((pl.col("fraction") == 0.1) & (pl.col("repeat") == 3)))
    row = judged("buffer-of-10-pct", source(table)).row(0, named=True)
    assert (row["n"], row["provisional"]) == (2, True)
    table = table.filter(pl.col("fraction") != 0.1)
    row = judged("buffer-of-10-pct", source(table)).row(0, named=True)
    assert (row["outcome"], row["lacking"]) == (NOT_JUDGED, "sack1, 1 Gb/s, DropTail, 10 %")


def test_a_sentence_on_one_link_is_tested_there_only():
    assert judged("loss-of-droptail", source(runs(place=FAST_RED))).is_empty()


def test_unsteady_runs_say_nothing_of_fairness():
    row = judged("larger-buffer-is-fairer", source(unsteady=2)).row(0, named=True)
    assert row["outcome"] == NOT_JUDGED
    assert row["note"] == "2 of its runs are unsteady and left out"


def test_a_run_without_a_drop_counts_half_a_one():
    link = pl.DataFrame(
        {"bottleneck_bps": 1e9, "n_flows": 10, "aqm": "red", "implementation": "sack1",
         "fraction": 0.1, "repeat": 1, "utilisation": 0.9, "loss_rate": 0.0, "cut_rate": 2e-5,
         "n_arrived": 1000, "standard_share": 0.0, "run_id": "r"}
    )  # fmt: skip
    model = link.with_columns(reading=pl.lit("taken"), loss_rate=pl.lit(1e-5)).drop("repeat")
    errors = link.select(*claims.LINK, "implementation", "fraction").join(
        pl.DataFrame({"metric": ["utilisation", "loss_rate"], "model": [0.99, 1e-5]}), how="cross"
    )
    errors = errors.with_columns(reading=pl.lit("taken"))
    two = two_flows().with_columns(unsteady=pl.lit(False), implementation=pl.lit("sack1"))
    linux = link.with_columns(
        implementation=pl.lit("linux"), utilisation=pl.lit(0.95), run_id=pl.lit("l")
    )
    first = pl.DataFrame({"run_id": ["l"], "first_share": [0.7]})
    started = linux.with_columns(implementation=pl.lit("linux+starts"), run_id=pl.lit("s"))
    both = pl.concat([link, linux, started])
    crossed = linux.with_columns(spread_ms=pl.lit(9.0), rtts=pl.lit("115.5 to 124.5 ms"))
    found = claims.sources(model, both, two, errors, pl.DataFrame(), first, crossed)
    assert found["sack1"].crossed is None and found["linux"].crossed["run_id"].to_list() == ["l"]
    assert found["linux"].changed.select("run_id", "tcp").rows() == [("s", "linux")]
    assert found["model"].changed is None
    row = found["sack1"].runs.row(0, named=True)
    assert row["loss_rate"] == pytest.approx(0.5 / 1000)
    assert row["error"] == pytest.approx(-0.09)
    assert found["model"].runs["error"].to_list() == [None]
    assert (row["drops_over_p"], row["cuts_over_p"]) == pytest.approx((50, 2))
    assert row["first_share"] is None and found["sack1"].beside is None
    assert found["linux"].runs["first_share"].to_list() == pytest.approx([0.7])
    assert found["linux"].beside["utilisation"].to_list() == pytest.approx([0.9])
    assert [found[name].name for name in ("model", "sack1", "linux")] == ["model", "sack1", "linux"]


def test_links_are_compared_where_there_are_two_with_all_their_runs():
    key = "tenth-by-link"
    assert judged(key, source(runs(place=FAST))).is_empty()
    both = pl.concat([runs(n=2), runs(place=FAST, n=3, utilisation=lambda f: 0.5)])
    row = judged(key, source(both)).row(0, named=True)
    assert (row["case"], row["n"], row["n_most"]) == ("DropTail", 2, 3)
    assert row["estimate"] == pytest.approx(0.945 - 0.5)


def test_rate_and_rtts_are_each_compared_with_the_other_the_same():
    table = judged("rate-alone", crossing(slow=0.93, fast=0.7, narrow=0.05))
    cases = [
        f"{rtts}, {buffer}" for _, rtts in RTT_SETS for buffer in ("2 %", "5 %", "10 %", "20 %")
    ]
    assert table["case"].to_list() == cases
    assert table["estimate"].to_list() == pytest.approx([0.23] * 8)
    table = judged("spread-alone", crossing(slow=0.93, fast=0.7, narrow=0.05))
    assert table["case"].to_list()[:4] == [
        "1 Gb/s, 2 %",
        "1 Gb/s, 5 %",
        "1 Gb/s, 10 %",
        "1 Gb/s, 20 %",
    ]
    assert table["estimate"].to_list() == pytest.approx([0.05] * 8)
    assert judged("rate-alone", source())["note"].to_list() == [
        "no run has the RTTs of another link"
    ]
    assert judged("rate-alone", source(name="sack1-slow")).is_empty()
    table = judged("tenth-of-the-path", crossing(slow=0.93, fast=0.7, narrow=0.05))
    assert dict(table.select("case", "estimate").rows()) == pytest.approx(
        {
            "1 Gb/s, 115.5 to 124.5 ms": 0.98,
            "1 Gb/s, 38 to 142 ms": 0.93,
            "2.5 Gb/s, 115.5 to 124.5 ms": 0.75,
            "2.5 Gb/s, 38 to 142 ms": 0.7,
        }
    )


def test_a_finding_about_one_implementation_is_asked_of_no_other():
    assert judged("implementations-differ", source(runs(place=FAST))).is_empty()
    assert judged("slow-senders", source(runs(place=FAST), name="linux")).is_empty()


def test_scorecard_and_evidence():
    fast = runs(n=1, place=FAST_RED, utilisation=lambda f: 0.5, error=lambda f: -0.4)
    subjects = {
        "model": model_source(),
        "linux": source(fast, name="linux"),
        "sack1": source(pl.concat([runs(), fast]), two_flows()),
        "sack1-slow": source(fast, name="sack1-slow"),
    }
    table = judge("paper", CLAIMS.values(), subjects, confidence=0.95, fdr=0.05)
    lines = tables.claims(table).replace("\u00a0", " ").split("\n")
    assert lines[0].endswith("| Model | ns-2 sack1 | ns-2 linux |")  # sources in one order
    assert "**inconclusive** (1 of 2; R)" in lines[3]
    lines = tables.evidence(table).replace("\u00a0", " ").split("\n")
    assert "| Model | 1 Gb/s, DropTail | – | 95.0 | – |" in lines[3]
    assert any("| 1 Gb/s, DropTail | 3 | 95.0 | 92.5 to 97.5 |" in line for line in lines)
    assert any("| 1 Gb/s, DropTail, 2 % | 3 | 0.0 | −2.5 to 2.5 |" in line for line in lines)
    assert not any("another queue" in line for line in lines)
    ours = tables.findings(table).split("\n")
    assert ours[2].startswith(
        "| *With DropTail packets are dropped far more often than the model's loss rate says"
    )
    assert not any("rate of packet drops, divided" in line for line in lines)
    counts = tables.outcome_counts(table).split("\n")
    assert counts[2].split(" | ")[0] == "| Model" and len(counts) == 6
    n = [int(cell) for cell in counts[2].strip("| ").split(" | ")[1:]]
    assert sum(n[:-1]) == n[-1] == 9  # sentences of the original that the model can be asked
