"""Where things are: the workflow's own files by where this file lies, a study's by where we are.

Own files: in a clone the package lies in workflow/, beside rules, scripts, queries, schemas, theme
and template; a wheel has the same folders below the package. Plain paths, not Snakemake's
`workflow.source_path`, which copies each file to another place in every run.

A study's files are relative to the working folder, at places that are settings with defaults
(`folders`). A run hands them to its jobs in the environment, and keeps them in .evenflow/ for
commands that read no configuration.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .errors import DataError

PACKAGE = Path(__file__).resolve().parent
IS_INSTALLED = (PACKAGE / "workflow/rules").is_dir()  # from a wheel
WORKFLOW = PACKAGE / "workflow" if IS_INSTALLED else PACKAGE.parent
SNAKEFILE = str(WORKFLOW / "Snakefile")
SCHEMAS, THEME = WORKFLOW / "schemas", WORKFLOW / "theme"
TEMPLATE, STUDY = WORKFLOW / "template", WORKFLOW / "study"  # of a paper, of a study of one's own
DEFAULTS = WORKFLOW / "defaults.yaml"
PROFILE = WORKFLOW.parent / "profiles" / "default"
LOCK, ENVIRONMENT = WORKFLOW.parent / "requirements.lock", WORKFLOW.parent / "environment.yml"
DOCS = WORKFLOW.parent / "docs"
WHERE_DOCS = "`evenflow --help` says where docs/ is"  # in what is kept, the same on every machine
DATA_MODEL = DOCS / "reference/data-model.md"
SNAKEFILES = ("Snakefile", "workflow/Snakefile")  # of a study, as Snakemake finds it
CONFIGS = ("config/config.yaml", "config.yaml")  # of a study: the first that is there, or none
TOLERANCES = "config/verify.yaml"  # of a study that is verified; without it that of a new study
CITATION = "CITATION.cff"  # of a study that is archived
TO_FILL_IN = ("STUDY_TITLE", "TODAY")  # in the template of it
NO_CITATION = f"there is no {CITATION}, which says whose the archive is"
# of a study, written on command and then committed by its user
MANIFESTS, EXPECTED, PLANNED = "results/manifest", "results/expected", "results/planned.csv"
LOGS, DIST, ASIDE = "logs", "dist", "set-aside"  # of a study, written by runs
PLUGINS, TEXTS = "evenflow_plugins", "docs"  # of a study, read where they are there
# of a study, what evenflow reads or writes there beside its folders
OWN = {
    LOGS: "the logs of jobs",
    DIST: "the archive",
    ASIDE: "files that were set aside",
    MANIFESTS: "the lists of raw files",
    EXPECTED: "the expected values",
    PLANNED: "the plan of runs",
    **dict.fromkeys(("config", "config.yaml"), "settings"),
    **dict.fromkeys(("Snakefile", "workflow", "profiles"), "the workflow"),
    PLUGINS: "plug-ins",
    TEXTS: "the documentation",
    "experiments": "the descriptions of experiments",
}
# of a study, at its top: what a verification has no need of but for listed raw files
NOT_COPIED = ("data", LOGS, DIST, ASIDE, "tests", "benchmarks")
STATE = Path(".evenflow")  # of a study: what runs know
KEPT = STATE / "folders.json"  # of the last run
HANDED = "EVENFLOW_FOLDERS"  # in the environment of jobs


class Folders(NamedTuple):
    """The folders of a study, from the working folder; the defaults of the setting `folders`.

    Attributes:
        raw: a folder a data set.
        derived: tables that are made.
        reports: a folder a paper, and _site, the pages that are made.
    """

    raw: str = "data/raw"
    derived: str = "data/derived"
    reports: str = "reports"

    @property
    def site(self) -> str:
        """The folder of the pages."""
        return f"{self.reports}/_site"


def folders(known: Mapping[str, str] = os.environ) -> Folders:
    """Return the folders of the study, as the run that this is a job of says, or the last one."""
    said = known.get(HANDED)
    if said is None:
        with suppress(OSError):
            said = KEPT.read_text(encoding="utf-8")
    return _folders(said or "{}")


@cache
def _folders(said: str) -> Folders:
    with suppress(TypeError, ValueError):
        return Folders(**json.loads(said))
    return Folders()


def hand(found: Folders) -> None:
    """Hand the folders of the study to this process and those that it starts."""
    os.environ[HANDED] = json.dumps(found._asdict())


def named(whole: Path) -> str:
    """Return a path as jobs name it: from the working folder where it lies below it, else whole.

    So what a study that holds its tool records is the same on every machine; and Snakemake adds no
    prefix to a whole path.
    """
    here = Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)


def own(path: str | Path = "") -> str:
    """Return a file of the workflow as jobs name it."""
    return named(WORKFLOW / path)


def package() -> str:
    """Return the folder of the package as jobs name it."""
    return named(PACKAGE)


def said(path: str | Path) -> str:
    """Name a file for a reader: workflow/... wherever it lies, else from the working folder."""
    whole = Path.cwd() / path
    for top, name in ((WORKFLOW, "workflow"), (PACKAGE, "workflow/evenflow")):
        if whole.is_relative_to(top):
            return f"{name}/{whole.relative_to(top).as_posix()}"
    return named(whole)


def holds_tool() -> bool:
    """Say whether the study in the working folder holds the tool, as the repository of evenflow."""
    return WORKFLOW.is_relative_to(Path.cwd())


def typed(command: str, by_make: str | None = None) -> str:
    """Return a command of evenflow as it is typed here: a study by hand has no Makefile of ours.

    Args:
        command: the words after `evenflow`.
        by_make: those after `make`; None: the same.
    """
    ours = holds_tool() and not IS_INSTALLED
    with suppress(OSError):
        ours |= "EVENFLOW" in Path("Makefile").read_text(encoding="utf-8", errors="replace")
    words = command if by_make is None else by_make
    return f"make {words}".rstrip() if ours else f"evenflow {command}"


def typed_to_list(accept: bool = False) -> str:
    """Return what is typed to list the raw files, and to keep the numbers that follow from them."""
    by_make = "manifest expected" + (" ACCEPT=1" if accept else "")
    return typed(f"manifest {'--accept ' if accept else ''}&& evenflow expected", by_make)


def not_filled_in() -> list[str]:
    """Return the words of the study's file of authors that are still those of the template."""
    text = Path(CITATION).read_text(encoding="utf-8", errors="replace")
    title, day = TO_FILL_IN
    return [word for word, left in ((title, title), (day, f": {day}\n")) if left in text]


def to_cite() -> str:
    """Return the command that gives a study its file of authors, to be filled in."""
    return f"cp {shlex.quote(str(STUDY / CITATION))} {CITATION}"


def page(name: str) -> str:
    """Say where a page of the documentation is, for who reads it in the working folder.

    Not for what is kept in tables and pages, which would be another on every machine: these name
    docs/..., and add WHERE_DOCS.
    """
    return named(DOCS / name)


def is_study() -> bool:
    """Say whether the working folder is a study."""
    return any(Path(name).is_file() for name in SNAKEFILES)


TO_A_STUDY = "go to the folder of a study, or start one: evenflow init my-study"


def refuse_no_study(made: bool = False) -> None:
    """Refuse to do something with the study in the working folder if there is none.

    Args:
        made: a folder in which evenflow has made something will do, as that of `evenflow report`.

    Raises:
        DataError: there is no study.
    """
    here = Path.cwd()
    if not is_study() and not (made and STATE.is_dir()):
        raise DataError("there is no Snakefile, so it is not a study", path=here, remedy=TO_A_STUDY)


def tolerances_of_study() -> str:
    """Return what a verification of the study in the working folder goes by, its own or ours."""
    return TOLERANCES if Path(TOLERANCES).is_file() else named(STUDY / TOLERANCES)


def config_of_study() -> str | None:
    """Return the configuration file of the study in the working folder, if it has one."""
    return next((name for name in CONFIGS if Path(name).is_file()), None)
