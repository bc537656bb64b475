"""Results at a glance: what the claims of the papers (table `claim`) come to."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..papers.claims import count_outcomes, of_original
from ..statistics.outcomes import OUTCOMES

NOTE = (
    "Each sentence of an original is judged by one rule: its statistic is computed from every "
    "complete repetition of the experiment, and the 95 % interval of the mean must lie in what the "
    "sentence asserts (*reproduced*) or outside it (*contradicted*). Else, and with fewer than "
    "three repetitions, it is *inconclusive*. A claim counts once for each data set, platform or "
    "model that it is judged on. The originals' data were never published: what is contradicted "
    "may be a difference of the set-up."
)


def glance_markdown(papers: Mapping[str, tuple[str, str, pl.DataFrame]]) -> str:
    """Return the panel as markdown: a row of counts a paper, and every claim in a fold.

    Args:
        papers: by id, the title (escaped), the link to the scorecard, and the table `claim`.
    """
    header = ["Paper", *(name.capitalize() for name in OUTCOMES)]
    lines = [f"| {' | '.join(header)} |", "|:--|" + "--:|" * len(OUTCOMES)]
    folds = []
    for title, link, claim in papers.values():
        counts = " | ".join(map(str, count_outcomes(claim).values()))
        lines.append(f"| [{title}](<{link}>) | {counts} |")
        claims = of_original(claim).partition_by("claim", maintain_order=True)
        said = [
            (rows["sentence"][0].replace("|", r"\|"), outcomes_in_words(rows)) for rows in claims
        ]
        rows = [f"| {sentence} | {outcomes} |" for sentence, outcomes in said]
        table = "\n".join(["| The original says | Here |", "|:----|:--|", *rows])
        label = f"{len(claims)} claims of {title}".replace('"', "'").replace("\\", "")
        folds.append(f'::: {{.fold title="{label}"}}\n{table}\n:::')
    return "\n\n".join(["# Results at a glance", NOTE, "\n".join(lines), *folds])


def outcomes_in_words(claim: pl.DataFrame) -> str:
    """Return the outcomes of one claim in words; the number of each where they differ."""
    counts = {name: n for name, n in count_outcomes(claim).items() if n}
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{name} ({n})" for name, n in counts.items())
