"""Changelog, citation, wheel and tag say the same version and date."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASES = re.findall(r"^## (\d\S*) \((\d{4}-\d\d-\d\d)\)$", CHANGELOG, re.MULTILINE)


def git(*words: str) -> str:
    """What git says of this repository; a skip where these files are in none."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("these files are in no git repository")
    return subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True).stdout


def test_changelog_citation_and_wheel_say_the_same_version_and_date():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    said = (CITATION["version"], str(CITATION["date-released"]))
    assert RELEASES[0] == said == (about["tool"]["hatch"]["version"]["fallback-version"], said[1])


def test_the_changelog_has_its_changes_by_release_and_kind():
    headings = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    releases = [f"{version} ({day})" for version, day in RELEASES]
    assert headings in (releases, ["Unreleased", *releases])
    assert sorted(RELEASES, key=lambda release: release[1], reverse=True) == RELEASES
    kinds = ["Added", "Changed", "Fixed"]
    for section in re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]:
        found = re.findall(r"^### (.*)$", section, re.MULTILINE)
        assert found and found == [kind for kind in kinds if kind in found], section[:40]
    assert re.findall(r"^- .*\n[^-\n].*", CHANGELOG, re.MULTILINE) == []  # a change is one line


def test_each_tag_is_a_release_and_that_of_this_commit_the_newest():
    # a clone without tags, as of a forge's CI, has nothing to compare
    versions = [version for version, _ in RELEASES]
    tags = git("tag", "--list", "v[0-9]*", "--merged", "HEAD").split()
    assert [tag for tag in tags if tag.removeprefix("v") not in versions] == []
    here = git("tag", "--list", "v[0-9]*", "--points-at", "HEAD").split()
    assert here in ([], [f"v{versions[0]}"])
