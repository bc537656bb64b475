"""The scorecard of a paper: each of its conclusions, how it is tested, and what our data say.

A claim is a sentence of the paper, a criterion that was fixed before the whole grid was measured,
the figure that shows it, and a test (`claim_tests`) on the cells of one data set, or on the
differences between simulation and testbed. The claims themselves are in `paper_claims`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from .claim_tests import Part
from .markdown import NOTHING, markdown_table

HOLDS, FAILS, UNTESTABLE = "reproduced", "not reproduced", "not testable here"
# figures of which each testbed has its own
EACH_TESTBED = ("fig-throughput", "fig-flow-nru", "fig-flow-nru-1", "fig-system-nru")
EACH_TESTBED += ("fig-difference", "fig-verdicts")


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and how it is tested.

    place: where the paper says it. of: the data sets that it speaks of: 'each', 'testbed',
    'simulation', or 'difference' (between the two). test: returns what it found of each variant,
    or, where the data cannot tell, why not.
    """

    sentence: str
    place: str
    criterion: str
    figure: str
    test: Callable[[pl.DataFrame], list[Part] | str]
    of: str = "each"


def claims_table(
    claims: Sequence[Claim], surface: pl.DataFrame, differences: dict[str, pl.DataFrame]
) -> str:
    """Return the scorecard of a paper: a row a claim, a column a data set.

    Args:
        claims: of the paper.
        surface: the paper's surfaces, with the columns part and dataset_id.
        differences: difference table by the testbed's part, for claims on agreement.
    """
    parts = surface["part"].unique(maintain_order=True).to_list()
    names = dict(surface.select("part", "dataset_id").unique().rows())
    rows = []
    for claim in claims:
        tables = {
            part: differences.get(part)
            if claim.of == "difference"
            else surface.filter(pl.col("part") == part)
            for part in parts
        }
        said = [verdict(claim, part, table) for part, table in tables.items()]
        figures = figure_references(claim.figure, parts)
        sentence = f"{claim.sentence} ({claim.place})"
        rows.append([sentence, f"{claim.criterion} ({figures})", *said])
    header = ["The original says", "Criterion", *(f"`{names[part]}`" for part in parts)]
    return markdown_table(header, rows, numeric_from=len(header))


def verdict(claim: Claim, part: str, table: pl.DataFrame | None) -> str:
    """Return what the data of one part of a paper say of a claim, with the evidence.

    A claim on several variants that holds for some of them is reproduced for these. A dash: the
    sentence is not about this part.
    """
    platform = "simulation" if part == "simulation" else "testbed"
    if claim.of in ("testbed", "simulation") and claim.of != platform:
        return NOTHING
    if claim.of == "difference" and table is None:
        return NOTHING
    found = claim.test(table) if len(table) else "no cell"
    if isinstance(found, str):
        return f"{UNTESTABLE}: {found}"
    evidence = "; ".join(" ".join(filter(None, (p.name, p.value))) for p in found)
    yes, no = ([p.name for p in found if p.holds is holds] for holds in (True, False))
    if yes and no:
        return f"**{HOLDS} for {', '.join(yes)}, not for {', '.join(no)}**: {evidence}"
    return f"**{HOLDS if yes else FAILS}**: {evidence}"


def figure_references(figure: str, parts: list[str]) -> str:
    """Return the cross-references to the figures that show a claim."""
    names = [figure]
    if figure in EACH_TESTBED and "testbed_alternative" in parts:
        names.append(f"{figure}-alternative")
    return ", ".join(f"@{name}" for name in names)


def verdict_counts(table: str) -> dict[str, int]:
    """Count the verdicts in a scorecard: reproduced, in part, not reproduced, not testable."""
    cells = [cell for row in table.split("\n")[2:] for cell in row.strip("| ").split(" | ")[2:]]
    return {
        "n_reproduced": sum(cell.startswith(f"**{HOLDS}**") for cell in cells),
        "n_in_part": sum(cell.startswith(f"**{HOLDS} for") for cell in cells),
        "n_not_reproduced": sum(cell.startswith(f"**{FAILS}**") for cell in cells),
        "n_not_testable": sum(cell.startswith(UNTESTABLE) for cell in cells),
    }
