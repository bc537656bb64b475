"""The command `evenflow`: its words are those of the docs, and a study that it starts is whole."""

import ast
import os
import re
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import yaml
from evenflow import places
from evenflow.command import parser
from evenflow.commands import doctor, init, library, paper
from evenflow.configuration import with_defaults
from evenflow.errors import DataError
from evenflow.schema import read_yaml, validate

ROOT = Path(__file__).parents[3]
GUIDES = [ROOT / f"docs/guides/{name}.md" for name in ("own-study", "remove")]
GUIDE = "".join(path.read_text(encoding="utf-8") for path in GUIDES)
COMMANDS = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")


def evenflow(folder: Path, *words: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(places.WORKFLOW), "COLUMNS": "200"}
    words = (sys.executable, "-m", "evenflow.command", *words)
    return subprocess.run(words, cwd=folder, env=env, text=True, capture_output=True)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("init")
    return folder / "my-study", evenflow(folder, "init", "my-study")


def test_the_words_of_each_command_are_those_of_the_docs(tmp_path):
    said = re.findall(r"^    (\w+) +(\S.*)$", evenflow(tmp_path, "--help").stdout, re.MULTILINE)
    assert said == re.findall(r"^\| `evenflow (\w+)` \| (.*) \|$", COMMANDS, re.MULTILINE)
    assert len(said) == 12


def test_a_study_is_said_as_the_guide_has_it_and_its_snakefile_is_the_guide_s(study):
    folder, done = study
    assert done.returncode == 0, done.stderr
    assert f"```text\n{done.stdout}```" in GUIDE
    snakefile, *_ = re.findall(r"```python\n(from evenflow\.places.*?)```", GUIDE, re.DOTALL)
    assert (folder / "Snakefile").read_text() == snakefile


def test_what_a_shell_is_told_after_init_is_quoted(tmp_path, capsys):
    assert init.init(tmp_path / "my study") == 0
    assert f"cd '{tmp_path}/my study' && make" in capsys.readouterr().out


def test_names_that_begin_with_a_dash_are_no_options(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert init.init(Path("-dash")) == 0
    said = capsys.readouterr().out.rpartition("then: ")[2]
    assert said == "cd ./-dash && make\n"
    study = tmp_path / "-dash"
    (study / "data/raw/-x").mkdir(parents=True)
    bin_ = tmp_path / "evenflow"
    bin_.write_text(f'#!/bin/sh\nexec {sys.executable} -m evenflow.command "$@"\n')
    bin_.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": str(places.WORKFLOW), "EVENFLOW": str(bin_)}

    def make(*words: str) -> str:
        done = subprocess.run(["make", *words], cwd=study, env=env, text=True, capture_output=True)
        return done.stdout + done.stderr

    assert "reports/x/paper.yml" in make("paper", "NAME=x", "DATA=-x")
    assert "'-n' cannot be the name of a report" in make("paper", "NAME=-n", "DATA=-x")
    for words in (("trace", "NUMBER=-n 1"), ("publish", "DIR=-d")):
        assert "usage:" not in make(*words), words


def test_settings_lock_profile_and_citation_of_a_study_are_whole(study):
    folder, _ = study
    config, _ = read_yaml(folder / "config/config.yaml")
    validate(with_defaults(config or {}), places.SCHEMAS / "config.schema.json", path="config")
    example = re.sub(r"^# ?", "", (folder / "config/config.yaml").read_text(), flags=re.MULTILINE)
    example = yaml.safe_load(example.partition("For example:\n")[2])
    validate(with_defaults(example), places.SCHEMAS / "config.schema.json", path="config")
    same = {"config/verify.yaml": "config/verify.yaml", "requirements.lock": "requirements.lock"}
    same["profiles/default/config.yaml"] = "profiles/default/config.yaml"
    for name, ours in same.items():
        assert (folder / name).read_bytes() == (ROOT / ours).read_bytes(), name
    citation = yaml.safe_load((folder / "CITATION.cff").read_text())
    assert citation["date-released"] == date.today() and "My study" in citation["title"]
    left = [path for path in folder.rglob("*") if path.is_file() and "STUDY_" in path.read_text()]
    assert left == []


def test_a_study_passes_over_the_same_differences_as_ours(study):
    ours, theirs = (folder / "config/verify.yaml" for folder in (ROOT, study[0]))
    assert theirs.read_text("utf-8") == ours.read_text("utf-8")


def test_the_environment_of_a_study_has_the_packages_of_ours_and_evenflow(study):
    ours, theirs = (
        yaml.safe_load(path.read_text())["dependencies"]
        for path in (ROOT / "environment.yml", study[0] / "environment.yml")
    )
    *packages, pip = theirs
    assert packages[:-1] == ours[: len(packages) - 1] and packages[-1] == "pip"
    assert "quarto >=1.9" in packages and not any(word.startswith("pytest") for word in packages)
    assert len(pip["pip"]) == 1 and pip["pip"][0].startswith("evenflow")


def test_each_target_of_a_study_s_makefile_is_a_command_and_in_the_guide(study):
    text = (study[0] / "Makefile").read_text()
    [phony] = re.findall(r"^\.PHONY: all always (.*)$", text, re.MULTILINE)
    commands = re.findall(r"^\| `evenflow (\w+)` ", COMMANDS, re.MULTILINE)
    for target in phony.split():
        assert target in commands and f"evenflow {target}" in GUIDE, target
        done = subprocess.run(["make", "-n", target, "EVENFLOW=evenflow"], cwd=study[0], text=True,
                              capture_output=True)  # fmt: skip
        assert done.returncode == 0 and re.search(rf"^evenflow {target}\b", done.stdout), done


def test_guides_say_of_what_a_study_s_makefile_lacks_that_it_is_of_a_clone(study):
    text = (study[0] / "Makefile").read_text()
    [phony] = re.findall(r"^\.PHONY: all always (.*)$", text, re.MULTILINE)
    for path in (ROOT / "docs/guides").glob("*.md"):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            named = re.findall(r"(?:`|\n    )make ([a-z][a-z-]+)(?![\w/.-])", f"\n{paragraph}")
            assert {*named} <= {*phony.split()} or "clone of evenflow" in paragraph, (path, named)


def test_git_leaves_out_what_is_made(study):
    if not shutil.which("git"):
        pytest.skip("there is no git")
    folder, _ = study
    made = ["data/derived/x/run.parquet", "reports/_site/index.html", "logs/a.log"]
    made += ["reports/p/figures/a.svg", "reports/p/_variables.yml", ".evenflow/made/x.json"]
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    words = ["git", "check-ignore", *made, "data/raw/x/a.log", "reports/p/index.qmd"]
    said = subprocess.run(words, cwd=folder, text=True, capture_output=True).stdout
    assert said.splitlines() == made


def test_nothing_is_written_where_something_is(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("theirs")
    done = evenflow(tmp_path, "init", "mine")
    assert done.returncode and "there is something already. Remedy: " in done.stderr
    assert [path.name for path in (tmp_path / "mine").rglob("*")] == ["thesis.tex"]


def test_a_reader_that_ends_early_is_no_error():
    """`evenflow doctor | head -1`."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "evenflow.command", "doctor"]
    env = {**os.environ, "PYTHONPATH": str(places.WORKFLOW)}
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=env, text=True)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (1, "")


OF_A_STUDY = [["make"], ["verify"], ["archive"], ["manifest"], ["paper", "x", "--data", "y"]]
OF_A_STUDY += [["trace", "x 1"], ["publish", "site"], ["clean"]]


@pytest.mark.parametrize("words", OF_A_STUDY, ids=lambda words: words[0])
def test_outside_of_a_study_a_command_says_what_to_do(tmp_path, words):
    done = evenflow(tmp_path, *words)
    assert done.returncode and "Remedy: " in done.stderr and "evenflow init" in done.stderr
    assert f"error: {tmp_path}: there is no Snakefile, so it is not a study." in done.stderr
    assert "Traceback" not in done.stderr and not list(tmp_path.iterdir())


def test_a_folder_with_a_link_to_a_folder_alone_names_it(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "real").mkdir()
    (tmp_path / "logs/inner").symlink_to(tmp_path / "real")
    done = evenflow(tmp_path, "report", "logs")
    assert "behind inner, a link to a folder" in done.stderr
    assert f"are not followed: {tmp_path / 'real'}" in done.stderr


def test_what_report_made_can_be_published_and_cleaned(tmp_path):
    """Its folder has no Snakefile."""
    (tmp_path / places.STATE).mkdir()
    done = evenflow(tmp_path, "publish", "site")
    assert "nothing was made yet" in done.stderr and not (tmp_path / "site").exists()
    assert evenflow(tmp_path, "clean").returncode == 0


@pytest.mark.parametrize("words", [["report", ""], ["report", "x", "-o", ""], ["init", ""]])
def test_a_folder_without_a_name_is_not_the_present_one(tmp_path, words):
    done = evenflow(tmp_path, *words)
    assert done.returncode == 2 and "it is empty: name a folder" in done.stderr
    assert not list(tmp_path.iterdir())


def test_of_logs_without_a_name_there_is_no_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for does in (lambda: library.read(""), lambda: library.page("", "out")):
        with pytest.raises(DataError, match="Remedy: name the folder that holds the logs"):
            does()


def test_a_paper_of_no_data_set_and_one_of_no_name_are_said_to_be_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data/raw/lab").mkdir(parents=True)
    (tmp_path / "data/raw/lab/flow.log").touch()
    said = r"which data set b is made of. Remedy: .*evenflow paper b --data \.\.\. \(one of lab\)"
    with pytest.raises(DataError, match=said):
        paper.check(tmp_path, "b", "")
    with pytest.raises(DataError, match=r"what the paper is called. Remedy: .* --data lab"):
        paper.check(tmp_path, "", "lab")
    with pytest.raises(
        DataError, match=r"data/raw/lba: there is no such.*\(did you mean 'lab'\?\)"
    ):
        paper.check(tmp_path, "b", "lba")


@pytest.mark.parametrize("ours", [True, False])
def test_what_to_type_next_works_in_a_study_by_hand_too(tmp_path, monkeypatch, ours):
    """It has no Makefile, or one of its own, and no pages of the documentation."""
    (tmp_path / "data/raw/lab").mkdir(parents=True)
    (tmp_path / "data/raw/lab/flow.log").touch()
    (tmp_path / "Snakefile").touch()
    makefile = (places.STUDY / "Makefile").read_text() if ours else "thesis.pdf: thesis.tex\n"
    (tmp_path / "Makefile").write_text(makefile)
    said = evenflow(tmp_path, "paper", "p2", "--data", "lab").stdout
    page = "reports/_site/p2/index.html"
    assert f"To make it: {'make' if ours else 'evenflow make'} {page}\n" in said
    said = evenflow(tmp_path, "trace", "p2 0.3").stdout
    assert f"none is: {'make' if ours else 'evenflow make'})" in said
    assert ("make trace NUMBER='paper 0.30'" if ours else "evenflow trace 'paper 0.30'") in said
    monkeypatch.chdir(tmp_path)
    assert Path(places.page("guides/verifying.md")).is_file()


def test_the_doctor_says_what_an_archive_lacks_and_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert doctor.archive() == []
    (tmp_path / "Snakefile").touch()
    [row] = doctor.archive()
    assert row.how == doctor.LESS and "there is no CITATION.cff" in row.said
    subprocess.run(re.search(r"Remedy: (cp .*), and", row.said)[1], shell=True, check=True)
    [row] = doctor.archive()
    assert row.how == doctor.LESS and "STUDY_TITLE and TODAY" in row.said
    citation = tmp_path / "CITATION.cff"
    filled = citation.read_text().replace("STUDY_TITLE", "Mine").replace("TODAY", "2026-11-30")
    citation.write_text(filled)
    assert doctor.archive()[0].how == doctor.GOOD


@pytest.mark.parametrize("target", ["manifest", "expected", "verify", "archive"])
def test_the_screen_speaks_the_words_of_users(target, monkeypatch):
    said = []
    monkeypatch.setattr("evenflow.commands.start.make", lambda *words: said.append(words) or 0)
    given = parser().parse_args([target])
    assert given.does(given) == 0
    words = ["make", "--dry-run", target]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    command = next(line for line in made.splitlines() if "-m snakemake" in line)
    assert said[0][:2] == ("--logger", "evenflow") and "--logger evenflow" in command
    assert command.split()[-2:] == [*said[0][-2:]]  # the same rule


def test_a_paper_of_a_folder_whose_name_is_reserved_is_not_started(tmp_path):
    (tmp_path / "Snakefile").touch()
    (tmp_path / "data/raw/papers").mkdir(parents=True)
    (tmp_path / "data/raw/papers/flow.log").touch()
    done = evenflow(tmp_path, "paper", "mine", "--data", "papers")
    assert done.returncode and "data/raw/papers: the folder's name is reserved" in done.stderr
    assert "Remedy: rename the folder" in done.stderr and not (tmp_path / "reports").exists()


ADDRESSES = {
    '{"url": "https://example.org/evenflow-1.whl"}': "evenflow @ https://example.org/evenflow-1.whl",
    '{"url": "https://example.org/evenflow", "vcs_info": {"vcs": "git", "commit_id": "1a2b"}}': (
        "evenflow @ git+https://example.org/evenflow@1a2b"
    ),
    '{"url": "file:///home/me/evenflow-1.whl"}': "evenflow==0.3.0",
    None: "evenflow==0.3.0",
}


@pytest.mark.parametrize("said", ADDRESSES)
def test_a_study_asks_for_the_evenflow_that_started_it(monkeypatch, said):
    class Installed:
        version = "0.3.0"

        def read_text(self, name):
            return said if name == "direct_url.json" else None

    monkeypatch.setattr(init, "distribution", lambda name: Installed())
    assert init.own_requirement() == ADDRESSES[said]


def test_the_doctor_says_what_is_missing_and_what_to_do(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert doctor.doctor() == 0
    rows = capsys.readouterr().out.splitlines()
    what = ["Python", "packages", "study", "folder", "scratch", "cache", "disk", "locale", "papers"]
    assert [row.split()[1] for row in rows] == [*what, "fonts", "git"]
    assert rows[2].startswith("less    study     there is no Snakefile, so this is not a study.")
    monkeypatch.setattr(doctor, "needed", lambda: ["polars", "not-there-at-all"])
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert doctor.doctor() == 1
    said = capsys.readouterr().out
    assert re.search(r"^MISSING packages  not-there-at-all not installed\. Remedy: ", said, re.M)
    assert re.search(r"^less    git ", said, re.M)
    assert "typst" in said


def test_the_doctor_says_whether_pages_can_name_a_commit(monkeypatch, tmp_path):
    if not shutil.which("git"):
        pytest.skip("there is no git")
    monkeypatch.chdir(tmp_path)
    assert doctor.git() == ("git", doctor.GOOD, "installed")
    Path("Snakefile").touch()
    assert doctor.study().how == doctor.GOOD
    _, how, said = doctor.git()
    assert how == doctor.LESS and "Remedy: git init; git add --all; git commit" in said
    who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*who, "init"], check=True, capture_output=True)
    _, how, said = doctor.git()
    assert how == doctor.LESS and "nothing is committed here" in said and "git init" not in said
    subprocess.run([*who, "add", "--all"], check=True)
    subprocess.run([*who, "commit", "-m", "a"], check=True, capture_output=True)
    assert doctor.git() == ("git", doctor.GOOD, "pages name the commit of the study")


def test_the_doctor_asks_for_the_packages_of_the_project():
    about = (ROOT / "pyproject.toml").read_text()
    assert {"snakemake", "polars", "duckdb", "typst"} <= {*doctor.needed()}
    assert all(f'"{name}>=' in about for name in doctor.needed())
    assert "pytest" not in doctor.needed()
    assert {*parser()._subparsers._group_actions[0].choices} >= {"report", "init", "doctor"}


DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef)


@pytest.mark.parametrize("path", sorted(places.PACKAGE.rglob("*.py")), ids=lambda path: path.name)
def test_a_text_that_names_a_page_of_the_documentation_says_where_it_is(path):
    """A study of one's own has no docs/: messages give the whole path, what is kept a way there."""
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    docstrings = {id(n.body[0].value) for n in nodes if isinstance(n, DEFINITIONS) and n.body
                  and isinstance(n.body[0], ast.Expr)}  # fmt: skip
    parts = {id(part) for n in nodes if isinstance(n, ast.JoinedStr) for part in n.values}
    texts = [ast.unparse(n) for n in nodes if isinstance(n, (ast.Constant, ast.JoinedStr))
             and id(n) not in docstrings | parts]  # fmt: skip
    named = [text for text in texts if re.search(r"docs/[a-z]+/[\w-]+\.md\b", text)]
    named = [text for text in named if not text.startswith("'docs/")]  # a path alone
    assert [text for text in named if "WHERE_DOCS" not in text] == []
