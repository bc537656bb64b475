"""claims.yml: what a sentence asserts by the names of readings, and errors with file and line."""

import math

import pytest
from evenflow.claims.cases import Case, Part
from evenflow.claims.sentences import claims_of
from evenflow.errors import DataError
from evenflow.papers import paper
from evenflow.schema import read_document

READINGS = {
    "margin": 0.5,
    "margin_db": 0.5,
    "similar": 1.25,
    "half": [0.4, 0.6],
    "rtts_ms": [16, 82, 324],
    "word": "many",
    "none": 0,
}
CLAIM = """\
# claims
taller:
  says: Trees are taller than shrubs
  where: section 1
  figure: fig-trees
  statistic: mean height, {rtts_ms} ms
  cells: all
  kind: effect
  more: margin
"""


@paper.claim
def taller(said):
    return lambda subject: {"": Case(note=f"of {said.cells}")}


def read(tmp_path, text, names=None):
    path = tmp_path / "claims.yml"
    path.write_text(text, encoding="utf-8")
    return claims_of(read_document(path), READINGS, names or {"taller": taller})


def asserted(tmp_path, *lines):
    """What a claim asserts, of which these lines stand for kind and bound."""
    text = CLAIM.replace("  kind: effect\n  more: margin\n", "".join(f"  {x}\n" for x in lines))
    (claim,) = read(tmp_path, text)
    of = claim.asserts
    return of.kind, of.delta, of.sign, of.low, of.high


def test_a_claim_is_what_the_file_says(tmp_path):
    text = CLAIM + "  unit: '%'\n  digits: 1\n  factor: 0.01\n  of_cases: most\n  scale: log\n"
    (claim,) = read(tmp_path, text.replace("margin", "similar"))
    assert (claim.key, claim.sentence) == ("taller", "Trees are taller than shrubs")
    assert (claim.place, claim.figure, claim.cells) == ("section 1", "fig-trees", "all")
    assert claim.statistic == "mean height, 16, 82 and 324 ms"
    assert (claim.unit, claim.digits, claim.factor) == ("%", 1, 0.01)
    assert (claim.quantifier, claim.scale) == ("most", "log")
    assert claim.measure(None)[""].note == "of all"
    (own,) = read(tmp_path, CLAIM.replace("  where: section 1\n", ""))
    assert own.place == ""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["kind: effect", "more: margin"], ("effect", 0.5, 1, None, None)),
        (["kind: effect", "less: margin"], ("effect", 0.5, -1, None, None)),
        (["kind: change", "moves: margin"], ("change", 0.5, 1, None, None)),
        (["kind: level", "at_least: margin"], ("level", None, 1, 0.5, None)),
        (["kind: level", "at_most: margin"], ("level", None, -1, None, 0.5)),
        (["kind: level", "at_most: margin", "around: 1"], ("level", None, -1, None, 1.5)),
        (["kind: level", "at_least: half"], ("level", None, 1, 0.6, None)),
        (["kind: level", "at_most: margin", "scale: log"], ("level", None, -1, None, 0.5)),
        (["kind: level", "at_most: half"], ("level", None, -1, None, 0.4)),
        (["kind: same", "within: half"], ("same", None, 1, 0.4, 0.6)),
        (["kind: same", "within: margin"], ("same", None, 1, -0.5, 0.5)),
        (["kind: same", "within: margin", "around: 2"], ("same", None, 1, 1.5, 2.5)),
        (["kind: same", "within: similar", "scale: log"], ("same", None, 1, 0.8, 1.25)),
        (
            ["kind: same", "within: similar", "around: 10", "scale: log"],
            ("same", None, 1, 8.0, 12.5),
        ),
        (["kind: effect", "more: margin_db", "scale: dB"], ("effect", 0.5, 1, None, None)),
    ],
)
def test_one_word_says_what_is_asserted(tmp_path, lines, expected):
    assert asserted(tmp_path, *lines) == expected


def test_a_reading_in_db_is_a_factor_of_a_ratio(tmp_path):
    kind, delta, *_ = asserted(tmp_path, "kind: effect", "more: margin_db", "scale: log")
    assert (kind, delta) == ("effect", pytest.approx(math.pow(10, 0.05)))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("more: margin", "more: margn", 9, "did you mean 'margin'"),
        ("more: margin", "more: word", 9, "a number"),
        ("more: margin", "more: half", 9, "a number"),
        ("more: margin", "at_least: margin", 9, "more, less"),
        ("more: margin", "more: none\n  scale: log", 9, "above 0"),
        ("  more: margin\n", "", 8, "more, less"),
        ("more: margin", "more: margin\n  less: margin", 9, "more and less"),
        ("more: margin", "more: margin\n  around: 1", 10, "leave it out"),
        ("says: ", "sais: ", 3, "did you mean 'says'"),
        ("kind: effect", "kind: efect", 8, "kind"),
        ("  says: Trees are taller than shrubs\n", "", 2, "says"),
        ("{rtts_ms}", "{rtt_ms}", 6, "did you mean 'rtts_ms'"),
        ("{rtts_ms}", "{", 6, "{name}"),
        ("figure: fig-trees", "figure: trees", 5, "fig-"),
        ("taller:", "Taller:", 2, "Taller"),
        ("more: margin", "more: margin\n  function: shorter", 10, "@paper.claim"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_a_remedy(tmp_path, old, new, line, words):
    with pytest.raises(DataError) as error:
        read(tmp_path, CLAIM.replace(old, new, 1))
    assert f"claims.yml:{line}: " in str(error.value)
    assert words in str(error.value) and "Remedy: " in str(error.value)


def test_a_function_without_a_claim_is_none_to_leave(tmp_path):
    @paper.claim
    def shorter(said):
        return lambda subject: None

    with pytest.raises(DataError, match=r"claims\.yml: .*shorter"):
        read(tmp_path, CLAIM, {"taller": taller, "shorter": shorter})


def test_what_no_data_can_tell_needs_no_function(tmp_path):
    (claim,) = read(tmp_path, CLAIM + "  not_testable: no tree was measured\n", {"x": 1})
    assert claim.measure(None) == "no tree was measured"


@pytest.mark.parametrize(
    ("line", "case", "word"),
    [
        ("control: shrubs", {}, "control"),
        ("quantifier: most", {}, "quantifier"),
        ("paired: seed", {}, "paired"),
        ("unit: m", {"control": True}, "control"),
        ("unit: m", {"quantifier": "some"}, "quantifier"),
        ("unit: m", {"paired": True}, "paired"),
    ],
)
def test_a_function_that_does_otherwise_than_the_file_says_is_an_error(tmp_path, line, case, word):
    @paper.claim
    def taller(said):
        given = dict(case)
        part = Part(lambda means: 0.0, (lambda means: 0.0) if given.pop("control", 0) else None)
        return lambda subject: {"": Case({"": part}, **given)}

    (claim,) = read(tmp_path, CLAIM + f"  {line}\n", {"taller": taller})
    with pytest.raises(DataError, match=rf"claims\.yml:2: taller: .* of {word}"):
        claim.measure(None)
