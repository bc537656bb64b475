"""Start a new report from workflow/template: `make paper NAME=my-paper DATA=my-logs`.

Writes the folder reports/<name>/, which is all of it. Never overwrites.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from evenflow.papers.find import OF_THE_SITE
from evenflow.places import TEMPLATE, THEME, folders
from evenflow.render import escape_markdown

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def fault(root: Path, name: str, data: str) -> str | None:
    """Return why a report of this name and data set cannot be started, with the remedy."""
    datasets = sorted(path.name for path in (root / folders().raw).iterdir() if path.is_dir())
    folder = root / folders().reports / name
    if not NAME.fullmatch(name):
        return f"'{name}' is no name for a report. Remedy: lower-case words joined by -"
    if name in OF_THE_SITE:
        return f"the site has a folder '{name}' of its own. Remedy: another name"
    if data not in datasets:
        return (
            f"{folders().raw}/{data}: no such data set. Remedy: DATA= one of {', '.join(datasets)}"
        )
    if folder.exists():
        return f"{folder} is there already. Remedy: another name, or remove the old report"
    return None


def start(root: Path, name: str, data: str) -> list[Path]:
    """Write the folder of a new report; return its files."""
    folder = root / folders().reports / name
    title = name.replace("-", " ").capitalize()
    words = {"PAPER_NAME": name, "PAPER_TITLE": title, "DATA_SET": quoted(data)}
    words["DATA_NAME"] = escape_markdown(data)
    shutil.copytree(TEMPLATE, folder, ignore=shutil.ignore_patterns("__*"))
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        path.write_text(text, encoding="utf-8")
    shutil.copy(THEME / "_quarto.yml", folder)
    return sorted(folder.iterdir())


def quoted(text: str) -> str:
    """Return a word of YAML, in quotes: a folder's name may hold what YAML reads otherwise."""
    return "'" + text.replace("'", "''") + "'"


def main() -> None:
    """Read the command line; start the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", help="of the report: lower-case words joined by -")
    parser.add_argument("data", help="the data set that it is made of, a folder of data/raw")
    given, root = parser.parse_args(), Path.cwd()
    problem = fault(root, given.name, given.data)
    if problem:
        sys.exit(f"error: {problem}")
    for path in start(root, given.name, given.data):
        print(path.relative_to(root))
    page = f"{folders().site}/{given.name}/index.html"
    print(f"To make it: make {page}")
    print("To change it: docs/guides/writing-a-paper.md")


if __name__ == "__main__":
    main()
