"""Which made files belong to what is gone: data sets, their chunks, papers, comparisons, docs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from ..places import folders


class There(NamedTuple):
    """What is there, whatever was chosen for this run.

    Attributes:
        datasets: folders of raw data, and names that are no data set's.
        papers: folders of papers.
        comparisons: of the configuration.
        docs: pages of the documentation, from the site's folder.
        has_chunk: says whether a data set has this chunk; so it does where nobody knows.
    """

    datasets: Collection[str]
    papers: Collection[str]
    comparisons: Collection[str]
    docs: Collection[str]
    has_chunk: Callable[[str, str], bool]


def is_gone(path: str, there: There) -> bool:
    """Say whether a made file is of something that is gone."""
    match _parts(path):
        case ["derived", "papers", paper, _, *_]:
            return paper not in there.papers
        case ["derived", "comparisons", name, _, *_]:
            return name not in there.comparisons
        case ["derived", dataset, "chunks", chunk, _, *_]:
            return dataset not in there.datasets or not there.has_chunk(dataset, chunk)
        case ["derived", dataset, _, *_]:
            return dataset not in there.datasets
        case ["site", "datasets", dataset, _, *_]:
            return dataset not in there.datasets
        case ["site", "comparisons", name, _, *_]:
            return name not in there.comparisons
        case ["site", "docs", *page]:
            return "/".join(["docs", *page]) not in there.docs
        case ["site", paper, _, *_] | ["reports", paper, _, *_]:
            return paper not in there.papers
    return False


def what(path: str) -> str:
    """Name the data set, paper, comparison or text that a made file is of."""
    known = folders()
    match _parts(path):
        case ["derived", "papers", paper, *_]:
            return f"{known.reports}/{paper}"
        case [_, "comparisons", name, *_]:
            return f"comparison {name}"
        case ["derived", dataset, *_] | ["site", "datasets", dataset, *_]:
            return f"{known.raw}/{dataset}"
        case ["site", "docs", *_]:
            return "text of the documentation"
        case ["site", paper, *_] | ["reports", paper, *_]:
            return f"{known.reports}/{paper}"
    return path


def _parts(path: str) -> list[str]:
    """Return the parts of a path below a folder of the study, after a word for that folder."""
    known = folders()
    tops = {"derived": known.derived, "site": known.site, "reports": known.reports}
    for word, top in tops.items():
        if path.startswith(f"{top}/"):
            return [word, *path.removeprefix(f"{top}/").split("/")]
    return [path]


def gone_files(paths: Iterable[str], there: There) -> list[str]:
    """List the made files that are there, of what is gone."""
    return sorted(p for p in paths if is_gone(p, there) and os.path.lexists(p))
