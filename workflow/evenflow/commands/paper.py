"""`evenflow paper NAME --data X`: start a paper from the template. Never overwrites.

In this repository `make paper NAME=my-paper DATA=my-logs`. The folder reports/<name>/ is all of it.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from ..errors import DataError
from ..ingest.described.folders import refused_entries, why_no_dataset
from ..papers.find import OF_THE_SITE
from ..places import TEMPLATE, THEME, folders, page, typed
from ..render import escape_markdown
from ..runs.scratch import job_folder

IGNORED = shutil.ignore_patterns("__*")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def check(root: Path, name: str, data: str) -> None:
    """Raise a DataError, with the remedy, where a paper of this name cannot be started."""
    raw, folder = folders().raw, root / folders().reports / name
    inside = (root / raw).iterdir() if (root / raw).is_dir() else ()
    datasets = sorted(path.name for path in inside if path.is_dir())
    refused = refused_entries(root / raw)
    problem = remedy = ""
    if not name:
        problem = "nothing says what the paper is called"
        remedy = to_start("my-paper", data or "my-logs")
    elif not NAME.fullmatch(name):
        problem = f"'{name}' cannot be the name of a report"
        remedy = "lower-case words joined by -"
    elif name in OF_THE_SITE:
        problem, remedy = f"the site has a folder '{name}' of its own", "another name"
    elif not data:
        problem = f"nothing says which data set {name} is made of"
        there = f"one of {', '.join(datasets)}" if datasets else f"the name of a folder in {raw}"
        remedy = f"say it: {to_start(name, '...')} ({there})"
    elif data in refused:
        problem, remedy = refused[data]
        problem = f"{raw}/{data}: {problem}"
    elif data not in datasets:
        problem, remedy = why_no_dataset(raw, data)
        problem = f"{raw}/{data}: {problem}"
    elif folder.exists():
        problem = f"{folder} exists already"
        remedy = "another name, or remove the old report"
    if problem:
        raise DataError(problem, remedy=remedy)


def start(root: Path, name: str, data: str) -> list[Path]:
    """Write the folder of a new report; return its files.

    It is made elsewhere and moved: half a folder would be a paper to the workflow.
    """
    folder = root / folders().reports / name
    title = name.replace("-", " ").capitalize()
    words = {"PAPER_NAME": name, "PAPER_TITLE": title, "DATA_SET": quoted(data)}
    words["DATA_NAME"] = escape_markdown(data)
    with job_folder() as temporary:
        new = Path(shutil.copytree(TEMPLATE, temporary / name, ignore=IGNORED))
        for path in new.iterdir():
            text = path.read_text(encoding="utf-8")
            for word, value in words.items():
                text = text.replace(word, value)
            path.write_text(text, encoding="utf-8")
        shutil.copy(THEME / "_quarto.yml", new)
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(new, folder)
    return sorted(folder.iterdir())


def to_start(name: str, data: str) -> str:
    """Return the command that starts a paper."""
    data = shlex.quote(data)
    return typed(f"paper {name} --data {data}", f"paper NAME={name} DATA={data}")


def quoted(text: str) -> str:
    """Return a word of YAML, in quotes: a folder's name may hold what YAML reads otherwise."""
    return "'" + text.replace("'", "''") + "'"


def paper(name: str, data: str) -> int:
    """Start a paper of the study in the working folder; say its files and what comes next."""
    root = Path.cwd()
    check(root, name, data)
    for path in start(root, name, data):
        print(path.relative_to(root))
    made = f"{folders().site}/{name}/index.html"
    print(f"To make it: {typed(f'make {made}', made)}")
    print(f"To change it: {page('guides/writing-a-paper.md')}")
    return 0
