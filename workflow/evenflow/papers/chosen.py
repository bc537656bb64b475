"""What a run is about: the papers that were chosen, the data sets that something names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..errors import DataError, did_you_mean
from ..ingest.dataset import find_datasets, refused_entries
from ..schema import Document
from .find import Paper

Named = dict[str, tuple[str, dict]]  # {data set: the key that names it, where that is written}


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
        found.setdefault(name, ("datasets", file.where(("datasets", place), name)))
    for paper in papers:
        for key in ("datasets", "further"):
            for part, name in paper.about.get(key, {}).items():
                found.setdefault(name, (f"{key}.{part}", paper.about.where((key, part), name)))
    for comparison, sides in comparisons.items():
        for side, name in sides.items():
            keys = ("comparisons", comparison, side)
            found.setdefault(name, (".".join(map(str, keys)), file.where(keys, name)))
    return found


def refuse_missing(named: Named, raw: str) -> None:
    """Refuse names that are no data set's.

    Raises:
        DataError: for the first of them.
    """
    there, refused = find_datasets(raw), refused_entries(raw)
    for name, (key, where) in sorted(named.items()):
        if name in refused:
            problem, remedy = refused[name]
            raise DataError(f"{key}: {raw}/{name}: {problem}", remedy=remedy, **where)
        if name not in there:
            known = f"there are: {', '.join(there)}" if there else "there is none yet"
            remedy = f"correct the name ({known}), add the folder, or take the name out"
            problem = f"{key}: {raw}/{name}: there is no such data set"
            raise DataError(problem, remedy=remedy, **where)
