"""Claims as data: claims.yml of a paper's folder, and the functions that measure what it says.

The file has the sentences with what they assert, by the names of readings of paper.yml
(workflow/schemas/claims.schema.json describes every key). A function under `@paper.claim` has the
name of the claim, hyphens as underscores, or stands there as `function`. It takes the `Sentence`
and returns the measure of a `cases.Claim`: from a subject to its cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..errors import DataError, did_you_mean
from ..places import SCHEMAS
from ..schema import Document, validate
from ..statistics.outcomes import (
    ALL,
    CHANGE,
    EFFECT,
    LEVEL,
    SAME,
    Assertion,
    at_least,
    at_most,
    less,
    more,
    moves,
    within,
)
from .cases import Claim, Measured, never

SCHEMA = SCHEMAS / "claims.schema.json"
# what a kind may assert
WORDS = {
    EFFECT: ("more", "less"),
    CHANGE: ("moves",),
    LEVEL: ("at_least", "at_most"),
    SAME: ("within",),
}
RATIO = "log"  # the scale on which nothing is a factor of 1
DECIBEL = "_db"  # ends the name of a reading in dB: of a ratio it is the factor 10^(x/10)


@dataclass(frozen=True)
class Sentence:
    """A claim of claims.yml, as a function under `@paper.claim` is given it.

    readings: of paper.yml. cells, inside, cases, quantifier: of the file. control: whether it has
    one. only: the platform or source that it is about, '' for any.
    """

    key: str
    readings: Mapping
    cells: str
    inside: str = ""
    cases: tuple[str, ...] = ()
    quantifier: str = ALL
    control: bool = False
    paired: bool = False
    only: str = ""
    place: tuple = field(default=(None, None), compare=False)  # file and line

    def is_about(self, name: str) -> bool:
        """Return whether the sentence is about a platform or source."""
        return self.only in ("", name)

    def wrong(self, problem: str, remedy: str) -> DataError:
        """Return an error that names the claim, its file and its line."""
        path, line = self.place
        return DataError(f"{self.key}: {problem}", path=path, line=line, remedy=remedy)


def claims_of(said: Document, readings: Mapping, names: Mapping[str, object]) -> list[Claim]:
    """Return the claims of a file, in its order.

    Args:
        said: claims.yml.
        readings: of paper.yml, by name: numbers, ranges of two, lists in words of a statistic.
        names: of the module that has the functions: its `globals()`.

    Raises:
        DataError: a key is unknown or missing, a reading is none of paper.yml, a claim has no
            function, a function no claim; names file, line and remedy.
    """
    validate(dict(said), SCHEMA, path=said.path, lines=said.lines)
    functions = {n: f for n, f in names.items() if callable(f) and getattr(f, "of_claim", False)}
    found, used = [], set()
    for key, about in said.items():
        entry = _Entry(key, about, readings, said)
        function = None
        if "not_testable" not in about:
            name = about.get("function", key.replace("-", "_"))
            if name not in functions:
                problem = f"there is no function {name} under @paper.claim"
                raise entry.wrong(problem, did_you_mean(name, functions), "function")
            function = functions[name]
            used.add(name)
        found.append(entry.claim(function))
    if unused := sorted(set(functions) - used):
        problem = f"no claim is measured by {unused[0]}, a function under @paper.claim"
        remedy = "write the claim, or `function` into one, or take the function away"
        raise DataError(problem, path=said.path, remedy=remedy)
    return found


@dataclass(frozen=True)
class _Entry:
    """One claim of the file."""

    key: str
    about: Mapping
    readings: Mapping
    said: Document

    def wrong(self, problem: str, remedy: str, at: str | None = None) -> DataError:
        lines = self.said.lines
        line = lines.get((self.key, at), lines.get((self.key,)))
        return DataError(f"{self.key}: {problem}", path=self.said.path, line=line, remedy=remedy)

    def claim(self, function: Callable | None) -> Claim:
        about = self.about
        measure: Callable[..., Measured]
        if function is None:
            measure = never(about["not_testable"])
        else:
            measure = _checked(function, self.sentence())
        told = {name: about[name] for name in ("scale", "unit", "digits") if name in about}
        return Claim(
            self.key,
            about["says"],
            about.get("where", ""),
            about.get("figure", ""),
            self.words(),
            self.asserts(),
            measure,
            cells=about["cells"],
            factor=float(about.get("factor", 1)),
            quantifier=about.get("of_cases", ALL),
            subjects=tuple(about.get("subjects", ())),
            before_runs="before_runs" in about,
            **told,
        )

    def sentence(self) -> Sentence:
        about = self.about
        told = {name: about[name] for name in ("inside", "quantifier", "only") if name in about}
        return Sentence(
            self.key,
            self.readings,
            about["cells"],
            cases=tuple(about.get("cases", ())),
            control="control" in about,
            paired="paired" in about,
            place=(self.said.path, self.said.lines.get((self.key,))),
            **told,
        )

    def words(self) -> str:
        """Return the statistic with its readings in it; a list is 'a, b and c'."""
        known = {name: _in_words(value) for name, value in self.readings.items()}
        try:
            return self.about["statistic"].format_map(known)
        except KeyError as error:
            problem = f"there is no reading {error.args[0]!r} in paper.yml"
            raise self.wrong(problem, did_you_mean(error.args[0], known), "statistic") from error
        except (ValueError, IndexError) as error:
            problem, remedy = f"a brace that names no reading ({error})", "write {name}"
            raise self.wrong(problem, remedy, "statistic") from error

    def asserts(self) -> Assertion:
        """Return what is asserted, by its one word."""
        about, kind = self.about, self.about["kind"]
        every = [word for words in WORDS.values() for word in words]
        (word, *others) = [word for word in every if word in about] or [""]
        if others or word not in WORDS[kind]:
            have = " and ".join(filter(None, (word, *others))) or "none"
            problem = f"of kind {kind}, and has {have}"
            raise self.wrong(problem, f"write one of {', '.join(WORDS[kind])}", word or "kind")
        if "around" in about and word not in ("within", "at_most"):
            raise self.wrong(f"`around` says nothing of {word}", "leave it out", "around")
        value, ratio = self.bound(word), about.get("scale") == RATIO
        centre = float(about.get("around", 1 if ratio else 0))
        if isinstance(value, tuple):
            if "around" in about:
                raise self.wrong("a range is around nothing", "leave `around` out", "around")
        elif word == "within":
            value = (centre / value, centre * value) if ratio else (centre - value, centre + value)
        elif word == "at_most" and "around" in about:
            value = centre * value if ratio else centre + value
        makes = {
            "more": more,
            "less": less,
            "moves": moves,
            "at_least": lambda v: at_least(v[1] if isinstance(v, tuple) else v),
            "at_most": lambda v: at_most(v[0] if isinstance(v, tuple) else v),
            "within": lambda v: within(*v),
        }
        return makes[word](value)

    def bound(self, word: str) -> float | tuple[float, float]:
        """Return the reading that a word names: a number, or a range."""
        name = self.about[word]
        if name not in self.readings:
            problem = f"there is no reading {name!r} in paper.yml"
            raise self.wrong(problem, did_you_mean(name, self.readings), word)
        value = self.readings[name]
        numbers = value if isinstance(value, list) else [value]
        fits = all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers)
        if (
            not fits
            or len(numbers) > 2
            or (len(numbers) == 2 and word in ("more", "less", "moves"))
        ):
            problem = f"{word} is the reading {name}, and that is {value!r}"
            raise self.wrong(problem, "name a reading that is a number", word)
        if self.about.get("scale") == RATIO:
            if name.endswith(DECIBEL):
                numbers = [10 ** (v / 10) for v in numbers]
            if min(numbers) <= 0:
                remedy = "name a reading above 0: on a logarithm nothing else has a place"
                raise self.wrong(f"the reading {name} is {value!r}, of a ratio", remedy, word)
        return tuple(numbers) if len(numbers) == 2 else numbers[0]


def _in_words(value: object) -> str:
    if isinstance(value, list):
        *first, last = [_in_words(each) for each in value] or [""]
        return f"{', '.join(first)} and {last}" if first else last
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _checked(function: Callable, sentence: Sentence) -> Callable[..., Measured]:
    """Return a function's measure, which must do what the file says: quantifier, control, pairs."""
    of_subject = function(sentence)

    def measure(subject) -> Measured:
        found = of_subject(subject)
        for case in found.values() if isinstance(found, Mapping) else ():
            if not case.parts:
                continue
            controls = {part.control is not None for part in case.parts.values()}
            done = {
                "control": controls == {sentence.control},
                "quantifier": case.quantifier == sentence.quantifier,
                "paired": case.paired == sentence.paired,
            }
            for what, as_said in done.items():
                if not as_said:
                    problem = f"its function does not do what claims.yml says of {what}"
                    raise sentence.wrong(problem, f"change `{what}`, or the function")
        return found

    return measure
