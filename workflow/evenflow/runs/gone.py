"""Which made files belong to what is gone: data sets, their chunks, papers, comparisons, docs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple


class There(NamedTuple):
    """What is there, whatever was chosen for this run.

    Attributes:
        datasets: folders of data/raw, and names that are no data set's.
        papers: folders of reports/.
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
    parts = path.split("/")
    match parts:
        case ["data", "derived", "papers", paper, _, *_]:
            return paper not in there.papers
        case ["data", "derived", "comparisons", name, _, *_]:
            return name not in there.comparisons
        case ["data", "derived", dataset, "chunks", chunk, _, *_]:
            return dataset not in there.datasets or not there.has_chunk(dataset, chunk)
        case ["data", "derived", dataset, _, *_]:
            return dataset not in there.datasets
        case ["reports", "_site", "datasets", dataset, _, *_]:
            return dataset not in there.datasets
        case ["reports", "_site", "comparisons", name, _, *_]:
            return name not in there.comparisons
        case ["reports", "_site", "docs", *page]:
            return "/".join(["docs", *page]) not in there.docs
        case ["reports", "_site", paper, _, *_]:
            return paper not in there.papers
        case ["reports", paper, _, *_] if paper != "_site":
            return paper not in there.papers
    return False


def what(path: str) -> str:
    """Name the folder of data/raw or reports/, comparison or text that a made file is of."""
    parts = path.split("/")
    match parts:
        case ["data", "derived", "papers", paper, *_]:
            return f"reports/{paper}"
        case [_, _, "comparisons", name, *_]:
            return f"comparison {name}"
        case ["data", "derived", dataset, *_] | ["reports", "_site", "datasets", dataset, *_]:
            return f"data/raw/{dataset}"
        case ["reports", "_site", "docs", *_]:
            return "text of the documentation"
        case ["reports", "_site", paper, *_] | ["reports", paper, *_]:
            return f"reports/{paper}"
    return path


def gone_files(paths: Iterable[str], there: There) -> list[str]:
    """List the made files that are there, of what is gone."""
    return sorted(p for p in paths if is_gone(p, there) and os.path.lexists(p))
