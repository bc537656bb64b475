"""`evenflow init FOLDER`: a repository of one's own, which `make` and `snakemake` build at once.

Its files are those of workflow/study. Nothing that is there is written over.
"""

from __future__ import annotations

import json
import re
import shutil
from datetime import date
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from shlex import quote

from ..errors import DataError
from ..places import ENVIRONMENT, LOCK, PROFILE, STUDY, TO_FILL_IN, Folders

HIDDEN = "dot-"  # instead of a dot in the names of the templates: a wheel leaves hidden files out
OF_DEVELOPERS = "  # to develop"  # in environment.yml: what follows is not for a study
OWN = "requirements-evenflow.txt"


def init(folder: Path) -> int:
    """Write a study into a folder that is empty or not there; say what comes next.

    Raises:
        DataError: something is there.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        remedy = "name a folder that is not there yet"
        raise DataError("there is something already", path=folder, remedy=remedy)
    title = re.sub(r"[^\w.-]+", " ", folder.resolve().name).replace("-", " ").strip() or "study"
    words = dict(zip(TO_FILL_IN, (title.capitalize(), date.today().isoformat()), strict=True))
    try:
        for source in sorted(path for path in STUDY.rglob("*") if path.is_file()):
            parts = source.relative_to(STUDY).parts
            target = folder.joinpath(*(re.sub(f"^{HIDDEN}", ".", part) for part in parts))
            text = source.read_text(encoding="utf-8")
            for word, value in words.items():
                text = text.replace(word, value)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        shutil.copytree(PROFILE, folder / "profiles/default")
        shutil.copyfile(LOCK, folder / "requirements.lock")
        (folder / OWN).write_text(f"{own_requirement()}\n", encoding="utf-8")
        (folder / "environment.yml").write_text(environment_of_study(), encoding="utf-8")
    except OSError as error:
        remedy = "name a folder where you may write"
        raise DataError(f"{error.strerror}", path=error.filename, remedy=remedy) from None
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        print(path)
    # a name that begins with a dash is an option to a shell
    place = f"./{folder}" if str(folder).startswith("-") else str(folder)
    print(f"Put a folder of logs into {folder / Folders().raw}, then: cd {quote(place)} && make")
    return 0


def own_requirement() -> str:
    """Return what has pip install this evenflow: the address that pip was told, or the version."""
    try:
        found = distribution("evenflow")
    except PackageNotFoundError:
        return "evenflow"
    said = json.loads(found.read_text("direct_url.json") or "{}")
    address = str(said.get("url", ""))
    if not address.startswith("https://"):  # a file of this machine is on no other
        return f"evenflow=={found.version}"
    of_git = said.get("vcs_info")
    return f"evenflow @ git+{address}@{of_git['commit_id']}" if of_git else f"evenflow @ {address}"


def environment_of_study() -> str:
    """Return the environment of conda for a study: that of evenflow, and evenflow itself."""
    text, _, _ = ENVIRONMENT.read_text(encoding="utf-8").partition(OF_DEVELOPERS)
    packages = re.sub(r"\A(#.*\n)*", "", text).replace("name: evenflow", "name: study", 1)
    head = "# conda env create -f environment.yml; conda activate study; snakemake --cores all\n"
    return f"{head}{packages}  - pip\n  - pip:\n      - {own_requirement()}\n"
