"""What the claims of the papers (table `claim`) come to: a bar a paper, each claim in a fold."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..claims.judge import count_outcomes, of_original
from ..statistics.outcomes import OUTCOMES
from .dataset.subject import many

NOTE = (
    "The papers repeat earlier studies. Each sentence of a study becomes a claim about one number, "
    "which is computed from the means of the runs of each scenario. The claim is *reproduced* if "
    "the whole confidence interval of this number agrees with the sentence. A claimed effect is "
    "*opposite* if the interval shows the reverse effect, and *no effect* if it excludes effects "
    "of a relevant size. Any other claim is *contradicted* if the whole interval disagrees with "
    "the sentence. A claim about several cases is *mixed* if it is decided differently for some "
    "of them. It is *inconclusive* if the interval allows no decision, *not judged* if runs are "
    "missing, and *not testable* if our data cannot test it. A claim counts once for each data "
    "set, platform or model that it was tested on. The data of these studies were never "
    "published, so a different set-up may explain a difference."
)


def glance_markdown(papers: Mapping[str, tuple[str, str, pl.DataFrame]]) -> str:
    """Return the section as markdown; findings of our own are left out.

    Args:
        papers: by id, the title (escaped), the link to the scorecard, and the table `claim`.
    """
    key = " ".join(f"[{name}]{{.outcome .{_class(name)}}}" for name in OUTCOMES)
    lines, folds = [], []
    for title, link, claim in papers.values():
        lines.append(f"::: {{.score}}\n[{title}](<{link}>)\n\n{bar(count_outcomes(claim))}\n:::")
        claims = of_original(claim).partition_by("claim", maintain_order=True)
        said = [
            (rows["sentence"][0].replace("|", r"\|"), outcomes_in_words(rows)) for rows in claims
        ]
        rows = [f"| {sentence} | {outcomes} |" for sentence, outcomes in said]
        table = "\n".join(["| The original says | Here |", "|:----|:--|", *rows])
        label = f"{many(len(claims), 'claim')}, tested in: {title}".replace('"', "'").replace(
            "\\", ""
        )
        folds.append(f'::: {{.fold title="{label}"}}\n{table}\n:::')
    return "\n\n".join(
        ["# Which claims of the original studies hold {#sec-claims}", NOTE, key, *lines, *folds]
    )


def bar(counts: Mapping[str, int]) -> str:
    """Return the outcomes of a paper's claims as a bar: a part for each, as long as its count."""
    there = {name: n for name, n in counts.items() if n}
    parts = "".join(
        f'[{n}]{{.outcome .{_class(name)} style="flex-grow: {n}"}}' for name, n in there.items()
    )
    words = ", ".join(f"{n} {name}" for name, n in there.items()) or "no claim"
    return f'[{parts}]{{.bar role="img" aria-label="{words}" title="{words}"}}'


def _class(outcome: str) -> str:
    return outcome.replace(" ", "-")


def outcomes_in_words(claim: pl.DataFrame) -> str:
    """Return the outcomes of one claim in words; the number of each where they differ."""
    counts = {name: n for name, n in count_outcomes(claim).items() if n}
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{name} ({n})" for name, n in counts.items())
