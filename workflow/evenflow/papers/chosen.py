"""What a run is about: the papers that were chosen, the data sets that something names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import DataError, did_you_mean
from ..ingest.described.folders import find_datasets, refused_entries, why_no_dataset
from ..schema import Document
from .find import Paper

# {data set: the keys that name it, and where each is written}
Named = dict[str, list[tuple[str, dict]]]


def chosen_papers(
    found: Mapping[str, Paper], wanted: Sequence[str] | None, reports: str, file: Document
) -> dict[str, Paper]:
    """Return the papers that are asked for, or all.

    Args:
        found: all that there are, by name.
        wanted: the setting `papers`; None: all.
        reports: the folder of the papers.
        file: the configuration of the study, as it is written.

    Raises:
        DataError: there is no such paper.
    """
    for place, name in enumerate(wanted or ()):
        if name not in found:
            remedy = f"{did_you_mean(name, found)} (a folder of {reports}/ with a paper.yml)"
            where = file.where(("papers", place), name)
            raise DataError(f"papers: there is no paper {name}", remedy=remedy, **where)
    return {name: found[name] for name in (found if wanted is None else wanted)}


def named_datasets(
    wanted: Iterable[str],
    papers: Iterable[Paper],
    comparisons: Mapping[str, Mapping[str, str]],
    file: Document,
) -> Named:
    """Return the data sets that settings, papers and comparisons name.

    Args:
        wanted: the setting `datasets`.
        papers: those that are made.
        comparisons: the setting `comparisons`.
        file: the configuration of the study, as it is written.
    """
    found: Named = {}
    for place, name in enumerate(wanted):
        found.setdefault(name, []).append(("datasets", file.where(("datasets", place), name)))
    for paper in papers:
        for key in ("datasets", "further"):
            for part, name in paper.about.get(key, {}).items():
                where = paper.about.where((key, part), name)
                found.setdefault(name, []).append((f"{key}.{part}", where))
    for comparison, sides in comparisons.items():
        for side, name in sides.items():
            keys = ("comparisons", comparison, side)
            said = ".".join(map(str, keys)), file.where(keys, name)
            found.setdefault(name, []).append(said)
    return found


def missing_datasets(named: Named, raw: str) -> dict[str, dict]:
    """Return {name that is no data set's: problem, remedy, path and line of a DataError}.

    What papers and comparisons name may have been moved away. They cannot be made, all else can.

    Raises:
        DataError: for the first that the setting `datasets` asks for, or whose name none may have.
    """
    there, refused, found = find_datasets(raw), refused_entries(raw), {}
    for name, (first, *others) in sorted(named.items()):
        if name in there:
            continue
        key, where = first
        also = "".join(f"; {_place(*other)} names it too" for other in others)
        problem, remedy = why_no_dataset(raw, name)
        if name not in refused:
            remedy = f"{remedy}, or take the name out"
        problem = f"{key}: {raw}/{name}: {problem}{also}"
        if key == "datasets" or name in refused:
            raise DataError(problem, remedy=remedy, **where)
        found[name] = {"problem": problem, "remedy": remedy} | where
    return found


def _place(key: str, where: Mapping[str, Any]) -> str:
    return f"{where['path']}:{where['line']} ({key})" if where else key
