"""The referee's checks of the rule, on our data: nested and reversed claims, re-labelled repeats.

Run it after `make`; .ci/run does. They are asked of a few effects of every paper; another
EVENFLOW_SEED draws others.
"""

import os
import random
import re
from collections import Counter
from dataclasses import replace
from html import unescape
from inspect import signature
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.claims.headlines import carried, rows_of
from evenflow.claims.judge import NOT_MONOTONE, folded, judge, of_original, outcomes
from evenflow.papers.find import find_papers
from evenflow.papers.make import Values, load
from evenflow.statistics.outcomes import DECIDED, EFFECT, LEVEL, OPPOSITE, REPRODUCED
from evenflow.statistics.steady import POINTS, is_unsteady

ROOT = Path(__file__).parents[2]
DERIVED = ROOT / "data/derived"
SEED = int(os.environ.get("EVENFLOW_SEED") or 45)
MOST = 5  # claims of a paper
REVERSED = {REPRODUCED: OPPOSITE, OPPOSITE: REPRODUCED}
# of a paper the table that its claims are made of, a row a run
RUNS = {
    "high-speed-fairness": ("pair_metric", "late_metric"),
    "hstcp-buffers": ("link_metric", "crossed_run"),
    "ns2-vs-testbed": ("claim_run",),
    "on-path-buffering": ("surface_run",),
    "synchronisation": ("placed_run", "control_run"),
}

pytestmark = pytest.mark.skipif(
    not (DERIVED / "papers").exists(), reason="data/derived/papers is not there: make first"
)


def of_paper(name, shuffled=None):
    """Return the claims of a paper and what they are judged on, from what `make` has made.

    Args:
        shuffled: whose repeats get other numbers, by a random generator.
    """
    config = yaml.safe_load((ROOT / "workflow/defaults.yaml").read_text(encoding="utf-8"))
    sections = ("steady_state", "nru", "statistics", "burstiness")
    shared = {key: value for section in sections for key, value in config[section].items()}
    tables = {path.stem for path in DERIVED.glob("*/*.parquet") if path.parent.name != "papers"}
    known = {"derived": "data/derived", "shared": shared, "of_dataset": tables}
    paper = find_papers("reports", **known)[name]
    (piece,) = (each for each in paper.pieces("metric") if each.name == "claim")
    reads = paper.reads(piece)
    missing = [p for of in reads.values() for p in ([of] if isinstance(of, str) else of)]
    missing = [path for path in missing if not Path(path).exists()]
    if missing:
        pytest.skip(f"{missing[0]} is not there: make first")
    values = Values(reads, dict(paper.settings_known) | {"parts": paper.datasets})
    module = load(f"reports/{name}/{piece.module}.py")
    for table in RUNS[name] if shuffled else ():
        values[table] = relabelled(values[table], shuffled)
    asked = {}

    def kept(paper_name, claims, subjects, **rule):
        asked.update(claims=list(claims), subjects=subjects, confidence=rule["confidence"])
        return judge(paper_name, [], {}, **rule)

    before, module.judge = module.judge, kept
    try:
        module.claim(**{of: values[of] for of in signature(module.claim).parameters})
    finally:
        module.judge = before
    return asked


def relabelled(runs: pl.DataFrame, generator: random.Random) -> pl.DataFrame:
    """Give runs other numbers, and the table another order."""
    numbers = list(range(1, len(runs) + 1))
    generator.shuffle(numbers)
    kind = runs["repeat"].dtype
    return runs.with_columns(repeat=pl.Series(numbers).cast(kind)).sort("repeat")


def chosen(asked, kind=EFFECT):
    """Some claims of a kind whose parts are all asked for."""
    of_kind = [claim for claim in asked["claims"] if claim.asserts.kind == kind]
    return random.Random(SEED).sample(of_kind, min(MOST, len(of_kind)))


def judged(claims, asked) -> pl.DataFrame:
    """The table of claims, each by itself: no p-value is adjusted."""
    rule = {"confidence": asked["confidence"], "fdr": 1.0}
    return judge("paper", claims, asked["subjects"], **rule)


@pytest.fixture(scope="module", params=sorted(RUNS))
def paper(request):
    os.chdir(ROOT)
    print(f"EVENFLOW_SEED={SEED}")
    return request.param, of_paper(request.param)


def test_a_claim_and_its_reverse_cannot_disagree(paper):
    _, asked = paper
    claims = chosen(asked)
    back = [replace(c, asserts=replace(c.asserts, sign=-c.asserts.sign)) for c in claims]
    one, two = judged(claims, asked), judged(back, asked)
    for this, that in zip(one.rows(named=True), two.rows(named=True), strict=True):
        if (this["of"] or 1) < 2:
            assert that["outcome"] == REVERSED.get(this["outcome"], this["outcome"])
        elif this["outcome"] == that["outcome"] == REPRODUCED:  # of some: in other cases
            assert this["holds"] + that["holds"] <= this["of"]


@pytest.mark.parametrize("kind", [EFFECT, LEVEL])
def test_what_holds_by_more_holds_by_less(paper, kind):
    """'Above 3' cannot be reproduced where 'above 1.1' is not, of the same runs."""
    _, asked = paper
    claims = chosen(asked, kind)
    if not claims:
        pytest.skip(f"no {kind}")
    found = [judged([scaled(c, by) for c in claims], asked) for by in (0.5, 1.0, 2.0)]
    for weaker, stronger in pairwise(found):
        # a curve may bend by less than the larger delta and by more than the smaller one
        asked_of = (stronger["outcome"] == REPRODUCED) & (weaker["why"] != NOT_MONOTONE)
        assert set(weaker["outcome"].filter(asked_of)) <= {REPRODUCED}


def scaled(claim, by):
    """A claim whose bound asks for more, or less."""
    of = claim.asserts
    if of.kind == EFFECT:
        delta = of.delta**by if claim.scale == "log" else of.delta * by
        return replace(claim, asserts=replace(of, delta=delta))
    away = 0.05 * (by - 1)  # of a level: a step in the direction that it says
    moved = {
        end: None if bound is None else bound * (1 + away if end == "low" else 1 - away)
        for end, bound in (("low", of.low), ("high", of.high))
    }
    return replace(claim, asserts=replace(of, **moved))


def test_relabelled_repeats_change_nothing(paper):
    name, asked = paper
    other = of_paper(name, random.Random(SEED))
    claims = chosen(asked)
    keys = [claim.key for claim in claims]
    again = [claim for key in keys for claim in other["claims"] if claim.key == key]
    one, two = judged(claims, asked), judged(again, other)
    rows = ["claim", "subject", "case"]
    two = one.select(rows).join(two, on=rows, maintain_order="left")
    assert one["outcome"].to_list() == two["outcome"].to_list()
    for end in ("low", "high"):
        ends = (table[end].fill_null(float("nan")).to_list() for table in (one, two))
        assert next(ends) == pytest.approx(next(ends), rel=1e-6, nan_ok=True)


# ---- steady or said: the referee's starved flows ------------------------------------------------


def test_the_starved_flows_of_ns2_are_unsteady():
    """526 of 800 runs of BIC and CUBIC change by more than 1.5 times by the referee's halves.

    In points of share these are eight.
    """
    derived = DERIVED / "ns2-dumbbell"
    run, metric = (pl.read_parquet(derived / f"{name}.parquet") for name in ("run", "run_metric"))
    compared = run.filter(role="comparison").join(metric, on="run_id")
    starving = compared.filter(pl.col("ccas").is_in(["newreno-bic", "newreno-cubic"]))
    assert len(starving) == 800
    assert 520 <= starving.select(is_unsteady().sum()).item() <= 540
    assert (starving["drift"] > POINTS).sum() < 10
    calm = compared.filter(pl.col("ccas") == "newreno-newreno")
    assert calm.select(is_unsteady().sum()).item() == 0
    (finding,) = pl.read_parquet(derived / "finding.parquet").filter(check="no steady state").rows()
    assert "of 3,200 runs are not steady" in " ".join(map(str, finding))


def test_what_is_said_of_long_rtts_without_window_limits_is_said_of_a_transient():
    table = pl.read_parquet(DERIVED / "papers/on-path-buffering/claim.parquet")
    of_open = table.filter(subject="open", claim="newreno-pays").drop_nulls("steady_estimate")
    assert of_open["transient"].all() and of_open["case"].to_list() == ["BIC", "CUBIC", "Compound"]
    assert of_open["steady_range"].str.contains("^25 to [12]00 ms").all()
    cubic = of_open.row(by_predicate=pl.col("case") == "CUBIC", named=True)
    assert cubic["estimate"] < -5 and cubic["steady_estimate"] > -3  # NewReno's loss, dB
    bound = table.filter(subject="testbed", claim="newreno-pays")
    assert not bound["transient"].any()


# ---- the right measure beside the old one -------------------------------------------------------


def test_bic_s_rise_is_printed_with_its_null_and_every_weighting():
    """Of system-NRU on the open testbed: the sign is that of the weights, and the null's too."""
    effect = pl.read_parquet(DERIVED / "papers/on-path-buffering/effect.parquet")
    rise = effect.filter(quantity="rise", cells="contested")
    of_open = {
        (row["cca"], row["weight"]): row["estimate"]
        for row in rise.filter(part="open").rows(named=True)
    }
    assert of_open["bic", "flow2"] == pytest.approx(1.35, abs=0.05)
    assert of_open["bic", "place"] == pytest.approx(-1.33, abs=0.1)
    assert of_open["newreno", "flow2"] == pytest.approx(2.83, abs=0.1)
    assert abs(of_open["newreno", "place"]) < 0.5
    assert rise["part"].n_unique() == 3  # on all testbeds
    printed = (ROOT / "reports/on-path-buffering/tables/effects-by-weight.md").read_text("utf-8")
    assert all(name in printed for name in ("Flow in the same place", "Flow 2", "Both flows"))
    assert printed.count("NewReno") == 6


def test_ns2_is_compared_with_the_open_testbed_in_ratios_by_rtt():
    """The referee's table: of CUBIC 0.61 0.56 0.69 0.60 0.46, where the index is within 0.034."""
    ratio = pl.read_parquet(DERIVED / "papers/ns2-vs-testbed/ratio.parquet").filter(part="open")
    cubic = ratio.filter(cca="cubic").sort("base_rtt_s")
    assert cubic["ratio"].to_list() == pytest.approx([0.61, 0.56, 0.69, 0.60, 0.46], abs=0.04)
    assert (cubic["ratio_high"] < 0.8).all()
    assert cubic["index"].abs().to_list()[-1] < 0.05 < cubic["index"].abs().to_list()[0]
    bic = ratio.filter(cca="bic").sort("base_rtt_s")
    assert bic["ratio"].to_list() == pytest.approx([0.83, 0.94, 1.04, 0.88, 0.65], abs=0.06)
    assert cubic["n_unsteady"].to_list()[-1] > 0


def test_no_sentence_of_a_paper_says_more_than_its_claim_today():
    for folder in sorted((DERIVED / "papers").iterdir()):
        lost = folder / "lost_findings.txt"
        assert not lost.exists() or not lost.read_text("utf-8").strip(), lost


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_no_sentence_bears_a_tag(paper):
    """What is of flows that have not converged says so in words of its own, headings too."""
    text = (ROOT / f"reports/_site/{paper}/index.html").read_text("utf-8")
    assert "(a transient)" not in text


def marks_of_header(paper):
    """Return the marks of title and abstract: claim, is, and on and case where they are."""
    text = (ROOT / f"reports/{paper}/index.qmd").read_text("utf-8").split("\n---\n")[0]
    found = re.findall(r"\{\.finding ([^}]*)\}", text)
    return [dict(re.findall(r'([a-z]+)="([^"]*)"', mark)) for mark in found]


# outcome of a mark -> what its sentence says then; a decided one says neither
SAYS = {
    "inconclusive": re.compile(r"\binconclusive\b"),
    "not judged": re.compile(r"\bnot judged\b|\bno verdict\b|\btoo few to judge\b"),
}
MARKED = re.compile(r"\]\{\.finding ([^{}]*)\}")
CODE = re.compile(r"\{\{<.*?>\}\}|\{[.#][^{}]*\}|[\[\]]")  # of variables, marks and anchors


def sentences_of(text):
    """Yield sentences with the marks that they have; what follows a colon is one by itself."""
    for sentence in re.split(r"(?<=[.?;:])\s+", text):
        marks = [dict(re.findall(r'([a-z]+)="([^"]*)"', mark)) for mark in MARKED.findall(sentence)]
        yield CODE.sub("", sentence), marks


def unlike_their_outcomes(text):
    """Return the sentences whose words are of another outcome than their marks."""
    found = []
    for said, marks in sentences_of(text):
        outcomes = {mark["is"] for mark in marks}
        missing = [of for of in outcomes & set(SAYS) if not SAYS[of].search(said)]
        decided = outcomes and not outcomes & set(SAYS)
        if missing or (decided and any(words.search(said) for words in SAYS.values())):
            found.append(said)
    return found


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_a_sentence_says_inconclusive_where_its_claim_is_and_nowhere_else(paper):
    text = (ROOT / f"reports/{paper}/index.qmd").read_text("utf-8")
    assert not [said for line in text.split("\n") for said in unlike_their_outcomes(line)]


def test_words_that_a_claim_does_not_allow_would_be_seen():
    written = '[For CUBIC it is high]{.finding claim="r" is="inconclusive"}, for BIC too.'
    assert unlike_their_outcomes(written)
    assert unlike_their_outcomes(written.replace("it is high", "it is inconclusive")) == []
    assert unlike_their_outcomes('[It is inconclusive]{.finding claim="r" is="reproduced"}.')


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_titles_abstracts_and_headings_name_the_claims_of_their_verdicts(paper):
    """What the original says, and what is asked, needs none."""
    header, text = (ROOT / f"reports/{paper}/index.qmd").read_text("utf-8").split("\n---\n", 1)
    begin = header[header.index("abstract:") :]
    headings = [line for line in text.split("\n") if line.startswith("## ")]
    every = [line for line in [*headings, *begin.split("\n")] if line]
    for said, marks in (pair for line in every for pair in sentences_of(line)):
        if VERDICT.search(said) and not marks:
            assert OF_OTHERS.search(said), said


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_titles_and_abstracts_say_what_another_data_set_contradicts(paper):
    """Where a claim is decided otherwise on another data set of the paper, that is said as well."""
    table = pl.read_parquet(DERIVED / f"papers/{paper}/claim.parquet")
    marks = marks_of_header(paper)
    assert marks
    for mark in marks:
        rows = table.filter(claim=mark["claim"])
        if "case" in mark:
            rows = rows.filter(case=mark["case"])
        said = {(m["claim"], m["is"]) for m in marks}
        for (subject,), of_subject in rows.group_by("subject", maintain_order=True):
            outcome = folded(of_subject)
            if subject == mark.get("on") or "on" not in mark:
                assert outcome == mark["is"], (mark, subject, outcome)
            elif outcome in DECIDED and outcome != mark["is"] and mark["is"] in DECIDED:
                assert (mark["claim"], outcome) in said, (mark, subject, outcome)


# ---- what stands above figures -------------------------------------------------------------------

# subject of a claim -> how a headline names it, where another data set decides otherwise
NAMED = {
    "testbed": r"own queue|separate router queue|[Tt]estbed",
    "testbed_alternative": r"shared limit",
    "open": r"[Ww]ithout window limits",
    "simulation": r"ns-2",
    "sack1": r"ns-2's own",
    "linux": r"Linux's implementation",
    "model": r"model",
    "droptail": r"drop-tail queue",
    "fq_codel": r"FQ-CoDel",
    "cake": r"CAKE",
    "pie": r"PIE",
}
# words of a verdict: a title that has one says more than numbers
VERDICT = re.compile(
    r"\b(?:fair|fairer|unfair|fairness improves|starv\w+|loses to|gains?|best|worst|agrees?"
    r"|differs?|aggressive|because|explains?|lowers|improves?|proportion|does not|is not)\b"
)
# of a sentence that is a question, or about the study that is repeated
OF_OTHERS = re.compile(r"\?$|\boriginal\b")
# what is drawn and not measured, and sentences of numbers that have such a word
NEUTRAL = {("ns2-vs-testbed", "warmup"), ("high-speed-fairness", "intra")}


def headlines_of(paper):
    """Return the headlines of paper.yml: figure -> sentences with the claims that carry them."""
    about = yaml.safe_load((ROOT / f"reports/{paper}/paper.yml").read_text("utf-8"))
    assert about["picture"] in about["parameters"]["headlines"]
    return about["parameters"]["headlines"]


def figure_title(paper, figure):
    """Return the message that a drawn figure bears: where its alternative text begins."""
    svg = (ROOT / f"reports/{paper}/figures/{figure.replace('_', '-')}.svg").read_text("utf-8")
    return unescape(re.search(r"<desc>(.*?)</desc>", svg, re.DOTALL)[1]).replace("\u00a0", " ")


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_headlines_rest_on_claims_that_there_are(paper):
    table = pl.read_parquet(DERIVED / f"papers/{paper}/claim.parquet")
    drawn = {path.stem.replace("-", "_") for path in (ROOT / f"reports/{paper}/figures").glob("*")}
    headlines = headlines_of(paper)
    assert headlines and set(headlines) <= drawn
    for figure, sentences in headlines.items():
        for sentence in sentences:
            assert len(rows_of(table, sentence)), (figure, sentence)


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_a_figure_says_what_its_claims_carry_and_nothing_that_they_do_not(paper):
    table = pl.read_parquet(DERIVED / f"papers/{paper}/claim.parquet")
    for figure, sentences in headlines_of(paper).items():
        title = figure_title(paper, figure).lower()
        for sentence in sentences:
            assert bool(carried(table, sentence)) == (sentence["says"].lower() in title), figure


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_a_headline_names_its_data_set_where_another_decides_otherwise(paper):
    """In the sentence, or in the first of its figure, which the others go on from."""
    table = pl.read_parquet(DERIVED / f"papers/{paper}/claim.parquet")
    for figure, sentences in headlines_of(paper).items():
        for sentence in sentences:
            if "subject" not in sentence:
                continue
            others = table.filter(pl.col("claim") == sentence["claim"])
            if "case" in sentence:
                others = others.filter(pl.col("case") == sentence["case"])
            outcomes = {
                subject: folded(of)
                for (subject,), of in others.group_by("subject", maintain_order=True)
            }
            mine = outcomes.pop(sentence["subject"])
            if any(other in DECIDED and other != mine for other in outcomes.values()):
                said = f"{sentences[0]['says']} {sentence['says']}"
                assert re.search(NAMED[sentence["subject"]], said), (figure, sentence)


@pytest.mark.parametrize("paper", sorted(RUNS))
def test_other_titles_of_figures_are_numbers_without_a_verdict(paper):
    headlines = headlines_of(paper)
    for path in sorted((ROOT / f"reports/{paper}/figures").glob("*.svg")):
        figure = path.stem.replace("-", "_")
        if figure in headlines or (paper, figure) in NEUTRAL:
            continue
        message = figure_title(paper, figure).split(". ")[0]
        assert not VERDICT.search(message), (figure, message)


def test_a_headline_that_a_claim_does_not_carry_would_be_seen():
    table = pl.read_parquet(DERIVED / "papers/on-path-buffering/claim.parquet")
    (sentence,) = headlines_of("on-path-buffering")["system_nru_testbed"]
    assert carried(table, sentence)
    turned = table.with_columns(
        outcome=pl.when(pl.col("claim") == sentence["claim"])
        .then(pl.lit(OPPOSITE))
        .otherwise("outcome")
    )
    assert carried(turned, sentence) == ""


def test_over_the_steady_state_the_statements_come_out_as_the_claims_say():
    """A row of the table of other parts of a run is the one that the claims are over."""
    paper = "high-speed-fairness"
    claim = outcomes(of_original(pl.read_parquet(DERIVED / f"papers/{paper}/claim.parquet")))
    table = (ROOT / f"reports/{paper}/tables/verdicts.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    said = {row[0]: row[2] for row in rows if row[1] == "Steady state"}
    for subject, platform in (("simulation", "ns-2"), ("testbed", "Testbed")):
        found = Counter(claim.filter(subject=subject)["outcome"])
        printed = dict(part.split(" ", 1)[::-1] for part in said[platform].split(", "))
        assert {name: int(n) for name, n in printed.items()} == found
