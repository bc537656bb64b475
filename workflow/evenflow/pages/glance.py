"""Results at a glance: what the scorecards of the papers (tables/claims.md) come to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

# outcome -> how a verdict in a scorecard begins, in the words of any paper
OUTCOMES = {
    "in part": re.compile(r"\*\*(?:reproduced for\b|partly\*\*)"),
    "reproduced": re.compile(r"\*\*(?:reproduced|holds)\*\*"),
    "not reproduced": re.compile(r"\*\*(?:not reproduced|fails)\*\*"),
    "undecided": re.compile(r"(?:\*\*)?(?:undecided|not testable)\b"),
}
SHOWN = ["reproduced", "in part", "not reproduced", "undecided"]
REFERENCE = re.compile(r"\s*\[?@(?:fig|tbl|sec|eq)-[\w-]+\]?")


@dataclass(frozen=True)
class Claim:
    """A sentence of an original, and the outcomes of its tests: how many of each kind."""

    sentence: str
    outcomes: Mapping[str, int]


def read_claims(table: str) -> list[Claim]:
    """Read a scorecard: a pipe table whose first column is the sentence, empty if as above.

    The verdicts may stand in any other column, one for each data set, link or model.
    """
    rows = [line.strip().strip("|").split(" | ") for line in table.splitlines()[2:] if line.strip()]
    found: dict[str, Counter] = {}
    sentence = ""
    for first, *others in rows:
        sentence = REFERENCE.sub("", first).strip() or sentence
        outcomes = found.setdefault(sentence, Counter())
        outcomes.update(o for cell in others if (o := outcome(cell.strip())))
    return [Claim(sentence, outcomes) for sentence, outcomes in found.items() if outcomes]


def outcome(cell: str) -> str | None:
    """Return the outcome that a cell of a scorecard begins with, None where it is no verdict."""
    return next((name for name, start in OUTCOMES.items() if start.match(cell)), None)


def glance_markdown(papers: Mapping[str, tuple[str, str, list[Claim]]]) -> str:
    """Return the panel as markdown: a row of counts a paper, and every claim in a fold.

    Args:
        papers: by id, the title (escaped), the link to the scorecard, and the claims.
    """
    header = ["Paper", *(name.capitalize() for name in SHOWN)]
    lines = [f"| {' | '.join(header)} |", "|:--|" + "--:|" * len(SHOWN)]
    folds = []
    for title, link, claims in papers.values():
        total = sum((Counter(claim.outcomes) for claim in claims), Counter())
        counts = " | ".join(str(total[name]) for name in SHOWN)
        lines.append(f"| [{title}](<{link}>) | {counts} |")
        rows = [f"| {claim.sentence} | {said(claim)} |" for claim in claims]
        table = "\n".join(["| The original says | Here |", "|:----|:--|", *rows])
        label = f"{len(claims)} claims of {title}".replace('"', "'").replace("\\", "")
        folds.append(f'::: {{.fold title="{label}"}}\n{table}\n:::')
    note = (
        "Counted are verdicts: a claim has one for each data set, link or model that can tell. The "
        "criterion of each, its evidence and the figure are in the paper. The originals' data were "
        "never published: what is not reproduced may be a difference of the set-up."
    )
    return "\n\n".join(["# Results at a glance", note, "\n".join(lines), *folds])


def said(claim: Claim) -> str:
    """Return the outcomes of a claim in words; the number of each where they differ."""
    named = [name for name in SHOWN if claim.outcomes.get(name)]
    if len(named) == 1:
        return named[0]
    return ", ".join(f"{name} ({claim.outcomes[name]})" for name in named)
