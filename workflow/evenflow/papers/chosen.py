"""What a run is about: the papers that were chosen, the data sets that something names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..errors import DataError, did_you_mean
from ..ingest.dataset import find_datasets
from .find import Paper


def chosen_papers(
    found: Mapping[str, Paper], wanted: Sequence[str] | None, reports: str
) -> dict[str, Paper]:
    """Return the papers that are asked for, or all.

    Args:
        found: all that there are, by name.
        wanted: the setting `papers`; None: all.
        reports: the folder of the papers.

    Raises:
        DataError: there is no such paper.
    """
    for name in wanted or ():
        if name not in found:
            remedy = f"{did_you_mean(name, found)} (a folder of {reports}/ with a paper.yml)"
            raise DataError(f"config: papers: there is no paper {name}", remedy=remedy)
    return {name: found[name] for name in (found if wanted is None else wanted)}


def named_datasets(papers: Iterable[Paper], comparisons: Iterable[Mapping[str, str]]) -> set[str]:
    """Return the data sets that papers and comparisons are made of."""
    named = {name for paper in papers for name in paper.all_datasets}
    return named | {name for sides in comparisons for name in sides.values()}


def refuse_missing(names: Iterable[str], raw: str) -> None:
    """Refuse names that are no data set's.

    Raises:
        DataError: for the first of them.
    """
    there = find_datasets(raw)
    for name in sorted(names):
        if name not in there:
            remedy = f"correct the name (there are: {', '.join(there)}), add the folder, or leave"
            remedy += " out what names it: a paper, or a comparison of the configuration"
            raise DataError("there is no such data set", path=f"{raw}/{name}", remedy=remedy)
