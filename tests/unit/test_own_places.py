"""Where the tool and a study have their files: names in one module, and what it says of paths."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from evenflow import places
from evenflow.configuration import FREE, defaults, folders_of, merged, with_defaults
from evenflow.documentation import FOLDER
from evenflow.errors import DataError
from evenflow.plugins import PLACE
from evenflow.revision import tool_note
from evenflow.runs.clearing import ASIDE

WORKFLOW = Path(__file__).parents[2] / "workflow"
SHARED = [WORKFLOW / "Snakefile"]
SHARED += [p for p in WORKFLOW.rglob("*") if p.suffix in (".py", ".smk") and p.parent != WORKFLOW]
# in quotes, and no word of a sentence
BEGINS = r"data/|reports/|config/|reports[\"']|workflow/"
INSIDE = r"[^\"' ]*(?:data/raw|data/derived|/reports/|reports/_site|config/config)"
LITERAL = re.compile(rf"[\"'](?:{BEGINS}|{INSIDE})[^\"' ]*[\"']")
WITHOUT = re.compile(r'"""[\s\S]*?"""|#.*')  # docstrings and comments
# of scripts and templates of pages, all of it: a sentence of theirs has no folder's name either
OF_PAGES = (".js", ".css", ".html", ".sql", ".typ")
IN_PAGES = re.compile(r"data/raw|data/derived|reports/|config/")
COMMENTS = re.compile(r"/\*[\s\S]*?\*/|<!--[\s\S]*?-->|(?<!:)//.*|--.*")
# what a study, and a paper, is started with: the defaults as its files have them
STARTED = ("study", "template")
# names that a reader reads, whatever the folders are; the catalogue's own
SAID = {'"workflow/"', '"workflow/evenflow"', '"workflow/rules"'}


def test_folders_of_a_study_and_of_the_tool_stand_in_one_module_only():
    found = {
        (path.relative_to(WORKFLOW).as_posix(), literal)
        for path in SHARED
        for literal in LITERAL.findall(WITHOUT.sub("", path.read_text()))
        if path.name != "places.py" and literal not in SAID and "template" not in path.parts
    }
    assert found == set()


def test_scripts_and_templates_of_pages_name_no_folder_of_a_study():
    paths = [path for path in WORKFLOW.rglob("*") if path.suffix in OF_PAGES]
    assert len(paths) > 20
    for path in paths:
        if path.relative_to(WORKFLOW).parts[0] not in STARTED:
            text = COMMENTS.sub("", path.read_text(encoding="utf-8"))
            assert IN_PAGES.findall(text) == [], path


def test_a_file_of_the_tool_is_named_alike_wherever_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(WORKFLOW.parent)
    assert places.own("rules/x.smk") == "workflow/rules/x.smk"
    assert places.package() == "workflow/evenflow" and tool_note() is None
    monkeypatch.chdir(tmp_path)
    assert places.own("rules/x.smk") == str(WORKFLOW / "rules/x.smk")
    for name in ("rules/x.smk", "evenflow/files.py"):
        assert places.said(WORKFLOW / name) == f"workflow/{name}"
    assert places.said("reports/mine/numbers.py") == "reports/mine/numbers.py"
    assert tool_note().startswith("Made with an evenflow ") or "commit" in tool_note()


def test_folders_are_those_of_the_run_else_of_the_last_one_else_the_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert places.folders({}) == places.Folders("data/raw", "data/derived", "reports")
    places.KEPT.parent.mkdir()
    places.KEPT.write_text(json.dumps({"derived": "a/b"}))
    found = places.folders({})
    assert (found.derived, found.site) == ("a/b", "reports/_site")
    found = places.folders({places.HANDED: '{"reports": "c"}'})
    assert (found.derived, found.site) == ("data/derived", "c/_site")
    places.KEPT.write_text("damaged")
    assert places.folders({}) == places.Folders()
    assert places.HANDED not in os.environ


def test_what_is_said_lies_on_top_of_what_is_not():
    below = {"a": {"b": 1, "c": [1, 2]}, "d": 3}
    assert merged(below, {"a": {"c": [9]}, "e": 4}) == {"a": {"b": 1, "c": [9]}, "d": 3, "e": 4}
    assert merged(below, {"a": 5, "d": {"x": 1}}) == {"a": 5, "d": {"x": 1}}
    assert below == {"a": {"b": 1, "c": [1, 2]}, "d": 3}
    assert defaults()["folders"] == places.Folders()._asdict()


@pytest.mark.parametrize(
    ("word", "meant"), [(True, True), ("true", True), (1, True), ("no", False)]
)
def test_yes_and_no_of_the_command_line_may_be_written_as_one_likes(word, meant):
    assert with_defaults({"accept_changed": word})["accept_changed"] is meant
    assert with_defaults({"accept_changed": "perhaps"})["accept_changed"] == "perhaps"  # refused
    assert "accept_changed" not in with_defaults({})


WRONG = ["../out", "/tmp/out", ".hidden", "a/.b", "a{b}", "", "data/raw", "data/raw/x", "data"]


@pytest.mark.parametrize("place", WRONG)
def test_a_folder_that_cannot_be_is_named_with_its_line(place):
    config = {"folders": places.Folders()._asdict() | {"derived": place}}
    with pytest.raises(DataError, match=r"config\.yaml.*folders\."):
        folders_of(config, "config.yaml", {("folders", "derived"): 4})


TAKEN = {
    "raw": ["logs", "logs/mine", "results", "results/manifest", "dist", "set-aside", "config"],
    "derived": ["logs", "config", "results", "results/expected/x", "workflow/x", "profiles"],
    "reports": ["logs", "results", "evenflow_plugins", "docs", "data", "data/pages", "tests/x"],
}


@pytest.mark.parametrize(("key", "place"), [(k, p) for k, of in TAKEN.items() for p in of])
def test_a_folder_is_none_that_evenflow_reads_or_writes_for_something_else(key, place):
    elsewhere = {"raw": "a", "derived": "b", "reports": "c"}
    said = rf"config\.yaml:4: folders\.{key}: {place}.* Remedy: name a folder .*, such as (\S+)$"
    with pytest.raises(DataError, match=said) as found:
        config = {"folders": elsewhere | {key: place}}
        folders_of(config, "config.yaml", {("folders", key): 4})
    free = re.search(said, str(found.value))[1]
    assert folders_of({"folders": elsewhere | {key: free}}, "config.yaml", None)


def test_the_folders_of_the_guide_may_be():
    guide = (WORKFLOW.parent / "docs/guides/own-study.md").read_text(encoding="utf-8")
    [said] = re.findall(r"`(folders: {.*?})`", guide)
    config = yaml.safe_load(said)
    assert folders_of(config, "config.yaml", None) == places.Folders(**config["folders"])
    assert config["folders"] == FREE


def test_whatever_rules_write_to_is_known_as_taken():
    known = [*places.Folders(), str(places.STATE), *places.OWN]
    for path in (WORKFLOW / "rules").glob("*.smk"):
        for name in re.findall(r'^ +(?:update\()?f?"([\w-]+)/', path.read_text(), re.MULTILINE):
            assert name in known, (path, name)
    assert {str(PLACE), str(ASIDE), FOLDER} <= {*places.OWN}
    covered = {*places.OWN, "workflow/Snakefile", *places.CONFIGS[:1]}  # which lies in config/
    assert {*places.SNAKEFILES, *places.CONFIGS} <= covered and "config" in places.OWN


def test_a_folder_may_end_in_a_slash():
    config = {"folders": places.Folders()._asdict() | {"derived": "results/tables/"}}
    assert folders_of(config, "config.yaml", None).derived == "results/tables"


def test_the_command_says_its_version_where_nothing_is_installed(tmp_path):
    words = [sys.executable, "-m", "evenflow.command", "--version"]
    env = {**os.environ, "PYTHONPATH": str(WORKFLOW)}
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("evenflow "), done.stderr
