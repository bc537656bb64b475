"""The commit that a file is made from, and whether the tree had changes that are not in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from . import places

NAMED = 5  # changed files that are named
AS_OF = "EVENFLOW_REVISIONS"  # in the environment of jobs: of papers by name, None: of none


def describe_revision(root: str | Path, within: Sequence[str] = ()) -> dict | None:
    """Return {commit, date, clean, changed} of the git repository whose top is `root`, else None.

    date: of the commit, as 2026-11-26. changed: the first NAMED changed or untracked files, and how
    many more there are; of those `within` folders of it, if any are named. None as well where git
    is not installed, and in a folder that only lies inside another's repository.
    """
    root = Path(root).resolve()
    top = _git(root, "rev-parse", "--show-toplevel")
    said = _git(root, "log", "-1", "--abbrev=12", "--format=%h %cs")
    if not top or not said or Path(top.strip()).resolve() != root:
        return None
    status = (_git(root, "status", "--porcelain", "--", *within) or "").splitlines()
    changed = [line[3:] for line in status[:NAMED]]
    changed += [f"{len(status) - NAMED} more"] if len(status) > NAMED else []
    commit, date = said.split()
    return {"commit": commit, "date": date, "clean": not status, "changed": changed}


def revision_of(paper: str) -> dict | None:
    """Return the revision that a paper is rendered from: `rendering_as_of`, else that of here."""
    asked = os.environ.get(AS_OF)
    return describe_revision(Path.cwd()) if asked is None else json.loads(asked).get(paper)


@contextmanager
def rendering_as_of(revisions: Mapping[str, dict | None]) -> Iterator[None]:
    """Have what is run inside render papers as of these revisions, wherever it runs.

    A copy of a project is in no git repository, and its papers would say so.
    """
    os.environ[AS_OF] = json.dumps(revisions)
    try:
        yield
    finally:
        del os.environ[AS_OF]


def revision_note(revision: dict | None) -> str:
    """Return what a page's footer says of it: 'Rendered from commit 1a2b3c'."""
    if revision is None:
        return "Rendered from files outside any git repository"
    changes = "" if revision["clean"] else " with changes that are not committed"
    return f"Rendered from commit {revision['commit']}{changes}"


def tool_note() -> str | None:
    """Return which evenflow makes a page: 'Made with evenflow 0.2.0'.

    None where the study holds its tool: the commit of the study says it.
    """
    if places.holds_tool():
        return None
    if places.IS_INSTALLED:
        return f"Made with evenflow {version('evenflow')}"
    # of the code alone: to look through a repository with raw logs takes as long as to make a page
    revision = describe_revision(places.WORKFLOW.parent, [places.WORKFLOW.name])
    if revision is None:
        return "Made with an evenflow outside any git repository"
    changes = "" if revision["clean"] else ", with changes that are not committed"
    return f"Made with evenflow of commit {revision['commit']}{changes}"


def _git(root: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout
