"""Version and date of a release are the same wherever they stand."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_changelog_citation_and_wheel_say_the_same_version():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[1]
    assert CITATION["version"] == newest == about["tool"]["hatch"]["version"]["fallback-version"]


def test_the_newest_tag_is_of_no_later_version():
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("these files are in no git repository")
    words = ["git", "tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname"]
    tags = subprocess.run(words, cwd=ROOT, text=True, capture_output=True).stdout.split()
    if not tags:
        pytest.skip("nothing is released yet")
    assert tags[0] == f"v{CITATION['version']}"
