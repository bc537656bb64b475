"""Which folders of data/raw are data sets, and why others can be none."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ...errors import did_you_mean
from ...markdown import first_of
from ...paths import holds_files, printable

# folders and files of data/derived that are of no data set
RESERVED = ("papers", "experiments", "comparisons", "vega.js")
MAX_NAME_BYTES = 200  # of the 255 that file systems have, for '.<name>.sha256.<8 characters>'
# what Snakemake takes for a rule that has its own output for input (io.PeriodicityDetector)
PERIODIC = re.compile(r"(.+?)\1{19}$")


def find_datasets(raw: str | Path) -> list[str]:
    """Return the names of the data sets: the folders of data/raw that hold files.

    Left out are those that `refused_entries` names.
    """
    return sorted(path.name for path in _entries(raw) if path.is_dir() and not _refusal(path.name))


def refused_entries(raw: str | Path) -> dict[str, tuple[str, str]]:
    """Return {name: (problem, remedy)} of what lies in data/raw and can be no data set."""
    refused = {}
    for path in _entries(raw):
        if path.is_file():
            remedy = "put it into a folder of its own: each folder of data/raw is a data set"
            refused[path.name] = ("the file belongs to no data set", remedy)
        elif problem := _refusal(path.name):
            refused[path.name] = (f"the folder's name {problem}", "rename the folder")
    return refused


def why_no_dataset(raw: str | Path, name: str) -> tuple[str, str]:
    """Return why there is no data set of a name, and the remedy.

    Files that lie in data/raw itself may be its logs: so `cp -r` puts them where data/raw was not.
    """
    refused, there = refused_entries(raw), find_datasets(raw)
    if name in refused:
        return refused[name]
    problem = "there is no such data set"
    loose = sorted(printable(one) for one in refused if Path(raw, one).is_file())
    what = f"the files that lie in {raw} itself ({first_of(loose, 3)})" if loose else "its logs"
    ways = [f"put {what} into a folder {raw}/{name}"]
    if there:
        ways.insert(bool(loose), f"correct the name ({did_you_mean(name, there)})")
    return problem, ", or ".join(ways)


def _entries(raw: str | Path) -> list[Path]:
    """Return the files and the folders with files in data/raw, but hidden ones and its README."""
    if not Path(raw).is_dir():
        return []
    found = [path for path in Path(raw).iterdir() if not path.name.startswith(".")]
    files = [path for path in found if path.is_file() and not path.name.startswith("README")]
    return files + [path for path in found if path.is_dir() and holds_files(path)]


def _refusal(name: str) -> str | None:
    """Return why a folder of this name cannot be carried through the workflow, or None."""
    if name in RESERVED:
        return "is reserved: it is that of something which evenflow makes in data/derived"
    if len(os.fsencode(name)) > MAX_NAME_BYTES:
        return f"has more than {MAX_NAME_BYTES} bytes: names of outputs are made of it"
    if set(name) & set("{}<>"):
        return "has brackets {} or <>, which Snakemake takes for names of its own"
    if found := PERIODIC.search(name):
        return f"ends in 20 times '{found[1]}', which Snakemake takes for a rule that calls itself"
    if not name.isprintable():  # nor is what is no UTF-8
        return "has a line break, or another character that cannot be printed"
    return None
