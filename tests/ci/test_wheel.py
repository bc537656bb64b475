"""The wheel holds what the checkout has, and works outside of it, in an empty environment.

As a new user has it: a home of their own, and of the checkout nothing. Needs a network.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
ARCHIVES = ROOT / "tests/fixtures/archives"
GUIDES = [ROOT / f"docs/guides/{name}.md" for name in ("own-study", "update", "remove")]
GUIDE = "".join(path.read_text(encoding="utf-8") for path in GUIDES)
BESIDE = ("profiles/default/config.yaml", "environment.yml", "requirements.lock")
BESIDE += ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md")  # pages of docs lead to these
BESIDE += tuple(path.relative_to(ROOT).as_posix() for path in ROOT.glob("experiments/*/README.md"))
SOURCES = ("workflow", "docs", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", *BESIDE)
PACKAGES = ("evenflow", "snakemake_logger_plugin_evenflow")
# what else lies there beside folders are the tools of those who develop evenflow
OF_WORKFLOW = ("Snakefile", "defaults.yaml")
IMPORT_ALL = """
import importlib, pkgutil, evenflow
for found in pkgutil.walk_packages(evenflow.__path__, "evenflow."):
    if ".workflow." not in found.name:
        importlib.import_module(found.name)
"""
COMPILED = "evenflow/formats/__compiled__/scanners-"
EDITED = "scripts/render_dataset.py"
NOTHING = "Nothing to be done (all requested files are present and up to date)."
PAGE = "reports/_site/datasets/mine/index.html"


def fallback(source: Path) -> str:
    """The version of files outside any git repository."""
    return re.search(r'fallback-version = "(.*?)"', (source / "pyproject.toml").read_text())[1]


def state(folder: Path) -> dict[str, tuple]:
    """Bytes and times of each file, by path."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


class Place:
    """An environment with the wheel, and the home of its user."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home, self.venv = folder, folder / "home", folder / "venv"
        self.source, self.dist = folder / "source", folder / "dist"
        self.home.mkdir()
        for name in SOURCES:
            ignore = shutil.ignore_patterns("__pycache__", ".*")
            path, copy = ROOT / name, self.source / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, copy, ignore=ignore)
            else:
                shutil.copy(path, copy)
        subprocess.run([sys.executable, "-m", "venv", self.venv], check=True)
        for lock in ("requirements/build.lock", "requirements.lock"):
            self.pip("--require-hashes", "--no-build-isolation", "--requirement", str(ROOT / lock))
        self.wheel = self.build()
        self.pip("--no-deps", str(self.wheel))

    def run(
        self, *words: str, cwd: Path | None = None, bin_: Path | None = None
    ) -> subprocess.CompletedProcess:
        """Run a program of the environment, or of another, as a user of it does."""
        bin_ = bin_ or self.venv / "bin"
        env = {"HOME": str(self.home), "PATH": f"{bin_}:/usr/bin:/bin", "LANG": "C.UTF-8"}
        env["UV_SYSTEM_CERTS"] = "1"  # as pip: the machine's, which those of a network may be among
        program = shutil.which(words[0], path=env["PATH"])
        return subprocess.run([program, *words[1:]], cwd=cwd or self.home, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip

    def pip(self, *words: str) -> None:
        done = self.run("python", "-m", "pip", "install", "--quiet", *words)
        if re.search("NewConnectionError|Temporary failure|timed out", done.stdout):
            pytest.skip("there is no network")
        assert done.returncode == 0, done.stdout[-3000:]

    def build(self, source: Path | None = None) -> Path:
        words = ["python", "-m", "hatchling", "build", "-t", "wheel", "-d", str(self.dist)]
        done = self.run(*words, cwd=source or self.source)
        assert done.returncode == 0, done.stdout[-3000:]
        return max(self.dist.glob("*.whl"), key=lambda path: path.stat().st_mtime_ns)

    def newer(self, folder: Path, number: str) -> Path:
        """A wheel of another version, with another script."""
        shutil.copytree(self.source, folder)
        about, script = folder / "pyproject.toml", folder / "workflow" / EDITED
        about.write_text(about.read_text().replace(f'"{fallback(folder)}"', f'"{number}"'))
        script.write_text(script.read_text() + "# another\n")
        return self.build(folder)

    @property
    def installed(self) -> Path:
        [found] = self.installed_all()
        return found

    def installed_all(self) -> list[Path]:
        return [*self.venv.glob("lib/python*/site-packages/evenflow")]


# what the guide says of the screen, by command
SCREENS = dict(re.findall(r"^\*\*`evenflow (\w+)`\*\*\n\n```text\n(.*?)```", GUIDE, re.M | re.S))


def says(words: str, screen: str) -> bool:
    """Whether the lines stand there, in this order; `…` is anything, alone in a line any lines."""
    rest = screen
    for part in re.split(r"^…\n", words, flags=re.MULTILINE):
        pattern = ".*?".join(map(re.escape, part.split("…")))
        found = re.search(rf"^{pattern}", rest, re.MULTILINE)
        if not found:
            return False
        rest = rest[found.end() :]
    return True


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_what_the_checkout_has(place):
    expected = set()
    for path in (path for path in (place.source / "workflow").rglob("*") if path.is_file()):
        name = path.relative_to(place.source / "workflow")
        if "__pycache__" in name.parts:
            continue
        if name.parts[0] in PACKAGES:
            expected.add(name.as_posix())
        elif len(name.parts) > 1 or name.name in OF_WORKFLOW:
            expected.add(f"evenflow/workflow/{name.as_posix()}")
    docs = (path for path in (place.source / "docs").rglob("*") if path.is_file())
    beside = {*BESIDE, *(path.relative_to(place.source).as_posix() for path in docs)}
    expected |= {f"evenflow/{name}" for name in beside}
    names = {name for name in ZipFile(place.wheel).namelist() if ".dist-info/" not in name}
    compiled = {name for name in names if name.startswith(COMPILED)}
    assert names - compiled == expected
    assert place.wheel.name.startswith(f"evenflow-{fallback(place.source)}-")
    if shutil.which("cc"):  # for this machine, of any Python
        assert {Path(name).suffix for name in compiled} == {".so", ".sha256"}
        assert "-py3-none-" in place.wheel.name and not place.wheel.name.endswith("-any.whl")


def test_the_wheel_of_a_tagged_commit_has_the_version_of_the_changelog(place, tmp_path):
    """And one of a clone without tags is built, of a version of development."""
    if not shutil.which("git"):
        pytest.skip("there is no git")
    [released] = re.findall(r"^## (\d\S*) ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[:1]
    clone = tmp_path / "clone"
    shutil.copytree(place.source, clone)
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "x"]):
        assert place.run("git", *words, cwd=clone).returncode == 0

    def version() -> str:
        words = ["python", "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
        done = place.run(*words, cwd=clone)
        assert done.returncode == 0, done.stdout[-3000:]
        return re.search(r"evenflow-([^-]+)-", done.stdout.split("/")[-1])[1]

    assert ".dev" in version()
    place.run("git", "tag", f"v{released}", cwd=clone)
    assert version() == released == fallback(place.source)


LEX = "from evenflow.formats.lexing import lex; print(lex(b'1 2').shapes)"


@pytest.mark.skipif(shutil.which("cc") is None, reason="the wheel was made without a compiler")
def test_the_scanners_of_the_wheel_need_no_compiler(place):
    done = place.run("python", "-c", f"import os; os.environ['CC'] = 'false'; {LEX}")
    assert done.stdout == "['0 0']\n"


def test_the_usual_builder_makes_the_same_wheel_from_its_archive(place, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "tools"], check=True)
    tools = tmp_path / "tools/bin"
    got = place.run("python", "-m", "pip", "install", "--quiet", "build", bin_=tools)
    if got.returncode:
        pytest.skip(f"there is no build here: {got.stdout[-300:]}")
    words = ["python", "-m", "build", "--outdir", str(tmp_path / "dist")]
    done = place.run(*words, cwd=place.source, bin_=tools)
    assert done.returncode == 0, done.stdout[-3000:]
    assert len(list((tmp_path / "dist").glob("evenflow-*.tar.gz"))) == 1
    [made] = (tmp_path / "dist").glob("*.whl")
    files = ({n for n in ZipFile(p).namelist() if "/" in n} for p in (made, place.wheel))
    assert len({frozenset(names) for names in files}) == 1


def test_help_says_where_the_documentation_is(place):
    said = place.run("evenflow", "--help").stdout
    page = Path(re.search(r"^Documentation: (.+)$", said, re.MULTILINE)[1])
    assert page == place.installed / "docs/README.md" and page.is_file()


def test_every_module_can_be_imported(place):
    done = place.run("python", "-c", IMPORT_ALL)
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize("name", ["powershell", "course-project", "no-log"])
def test_a_folder_of_logs_gets_its_page_and_nothing_is_written_into_it(place, name):
    logs = place.home / name
    if name == "no-log":
        logs.mkdir()
        (logs / "notes.txt").write_text("We measured on Tuesday.\n")
    else:
        shutil.copytree(ARCHIVES / name, logs)
    before = state(logs)
    done = place.run("evenflow", "report", name)
    assert done.returncode == 0, done.stdout[-3000:]
    page = place.home / f"evenflow-{name}/reports/_site/datasets/{name}/index.html"
    *found, last = done.stdout.splitlines()[-6:]
    assert last == f"Page: {page}" and page.is_file()
    words = [line.partition(":")[0] for line in found]
    assert words == ["Files", "Runs", "Lines", "Findings", "Assumed"]
    said = re.findall(r"^\$ (\S+/python -m snakemake .*)$", done.stdout, re.MULTILINE)
    assert len(said) == 1 and str(place.installed / "workflow/Snakefile") in said[0]
    text = page.read_text(encoding="utf-8")
    assert f"Made with evenflow {fallback(place.source)}" in text
    assert 'href="../' not in text  # there are no other pages
    if name == "course-project":  # the example of the guide
        assert "\n".join(found) in GUIDE
    again = place.run("evenflow", "report", name)
    assert again.stdout.splitlines() == [NOTHING, *found, last] and NOTHING in GUIDE
    assert state(logs) == before


REFUSED = {
    "no folder": (["nowhere"], "there is no such folder"),
    "in the logs": (["there", "-o", "there/out"], "which is only read"),
    "of others": (["there", "-o", "theirs"], "there are files that evenflow did not make"),
    "a study": (["there", "-o", "study-there"], "it is a study of its own"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_with_a_remedy(place, case):
    for name in ("there/a.log", "theirs/b.txt", "study-there/Snakefile"):
        (place.home / name).parent.mkdir(exist_ok=True)
        (place.home / name).write_text("theirs\n")
    before = state(place.home)
    words, problem = REFUSED[case]
    done = place.run("evenflow", "report", *words)
    assert done.returncode == 1 and problem in done.stdout and "Remedy: " in done.stdout
    assert "Traceback" not in done.stdout and state(place.home) == before


def rules_to_run(done: subprocess.CompletedProcess) -> set[str]:
    assert done.returncode == 0, done.stdout[-3000:]
    table = re.findall(r"^(\w+) +\d+$", done.stdout, re.MULTILINE)  # of jobs by rule
    return {*table} - {"total"}


def test_a_study_of_three_lines_and_an_update_that_makes_only_what_changed_again(place, tmp_path):
    snakefile, *_ = re.findall(r"```python\n(from evenflow\.places.*?)```", GUIDE, re.DOTALL)
    study = place.home / "study"
    shutil.copytree(ARCHIVES / "powershell", study / "data/raw/mine")
    (study / "Snakefile").write_text(snakefile)
    for name in ("data/derived/mine/own.csv", "reports/_site/own/index.html", "thesis.tex"):
        (study / name).parent.mkdir(parents=True, exist_ok=True)
        (study / name).write_text("theirs")
    theirs = {name: seen for name, seen in state(study).items() if seen[0] == b"theirs"}
    done = place.run("snakemake", "--cores", "2", cwd=study)
    assert done.returncode == 0, done.stdout[-3000:]

    def dry() -> set[str]:
        return rules_to_run(place.run("snakemake", "-n", cwd=study))

    def old() -> None:  # as uv gives them from its cache
        for path in place.installed.rglob("*"):
            os.utime(path, (1e9, 1e9))

    place.pip("--no-deps", "--force-reinstall", str(place.wheel))  # with the times of now
    assert dry() == set()
    old()
    assert dry() == set()
    tables = state(study / "data/derived")
    place.pip("--no-deps", str(place.newer(tmp_path / "newer", "7.7.7")))
    changed = {"render_dataset", "render_index", "all"}  # the index searches the page
    assert dry() == changed
    old()
    assert dry() == changed
    done = place.run("snakemake", "--cores", "2", cwd=study)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Made with evenflow 7.7.7" in (study / PAGE).read_text(encoding="utf-8")
    assert state(study / "data/derived") == tables
    assert theirs == {name: seen for name, seen in state(study).items() if name in theirs}
    assert dry() == set()


# the guide's commands, and with them an update by a newer wheel
INSTALLERS = {"uv": ["uv", "tool", "install"], "pipx": ["pipx", "install"]}


@pytest.mark.parametrize("name", INSTALLERS)
def test_tools_install_the_command_and_an_update_makes_only_what_changed_again(
    place, tmp_path, name
):
    words, python = INSTALLERS[name], ["--python", sys.executable]
    assert f"{' '.join(words)} " in GUIDE
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "tools"], check=True)
    tools, out = tmp_path / "tools/bin", place.home / f"by-{name}"
    got = place.run("python", "-m", "pip", "install", "--quiet", name, bin_=tools)
    if got.returncode:
        pytest.skip(f"there is no {name} here: {got.stdout[-300:]}")

    def install(wheel: Path, *more: str) -> None:
        done = place.run(*words, *python, *more, str(wheel), bin_=tools)
        assert done.returncode == 0, done.stdout[-3000:]

    def report() -> list[str]:
        done = place.run(
            "evenflow", "report", "logs", "-o", str(out), bin_=place.home / ".local/bin"
        )
        assert done.returncode == 0, done.stdout[-3000:]
        assert done.stdout.splitlines()[-1] == f"Page: {page}"
        return done.stdout.splitlines()

    page = out / "reports/_site/datasets/logs/index.html"
    shutil.copytree(ARCHIVES / "powershell", place.home / "logs", dirs_exist_ok=True)
    install(place.wheel)
    report()
    assert report()[0] == NOTHING
    if name == "uv":  # pipx installs all packages again each time, which takes minutes
        install(place.wheel, "--force")
        assert NOTHING in report()  # by Snakemake, or without it
    install(place.newer(tmp_path / "newer", "7.7.8"), "--force")
    assert "1 job: render_dataset 1" in report()
    assert "Made with evenflow 7.7.8" in page.read_text(encoding="utf-8")
    assert report()[0] == NOTHING
    remove = [*words[:-1], "uninstall", "evenflow"]
    assert " ".join(remove) in GUIDE
    done = place.run(*remove, bin_=tools)
    assert done.returncode == 0, done.stdout[-3000:]
    assert not (place.home / ".local/bin/evenflow").exists() and page.is_file()


def test_a_repository_of_ones_own_from_its_start_to_its_removal(place, tmp_path):
    """By the guide's commands: a data set, a paper, a verification, an archive, an update."""

    def say(*words: str) -> str:
        assert words == ("git", "init") or " ".join(words[:2]) in GUIDE, words
        done = place.run(*words, cwd=study)
        assert done.returncode == 0, done.stdout[-3000:]
        command = words[1] if words[0] == "evenflow" else [*words, "make"][1]
        if command in SCREENS and command not in heard:
            assert says(SCREENS[command], done.stdout), (words, done.stdout)
            heard.add(command)
        return done.stdout

    place.pip("--no-deps", "--force-reinstall", str(place.wheel))  # another test has a newer one
    study, heard, site = place.home / "my-study", set(), "reports/_site"
    started = place.run("evenflow", "init", "my-study")
    assert started.returncode == 0 and f"```text\n{started.stdout}```" in GUIDE
    mine = state(study)
    assert mine["requirements-evenflow.txt"][0].decode() == f"evenflow=={fallback(place.source)}\n"
    shutil.copytree(ARCHIVES / "powershell", study / "data/raw/my-logs")
    assert "$ " in say("make") and (study / site / "datasets/my-logs/index.html").is_file()
    assert NOTHING in say("snakemake", "--cores", "all")
    say("make", "paper", "NAME=my-paper", "DATA=my-logs")
    say("make", f"{site}/my-paper/index.html")
    say("make")
    assert (study / site / "my-paper/my-paper.pdf").is_file()
    say("evenflow", "manifest")
    say("evenflow", "expected")
    assert (study / "results/expected/my-paper/_variables.yml").is_file()
    assert "Everything agrees." in say("make", "verify")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "--all"], [*who, "commit", "-qm", "x"]):
        assert place.run("git", *words, cwd=study).returncode == 0
    say("make", "doctor")
    shutil.rmtree(study / ".git")
    say("make", "archive")
    names = ZipFile(study / "dist/evenflow.zip").namelist()
    assert {"Snakefile", "sbom.cdx.json", "ro-crate-metadata.json"} <= {*names}
    assert f"{site}/my-paper/my-paper.pdf" in names
    say("make", "trace", "NUMBER=my-paper data.n_runs")
    say("make", "publish", "DIR=../my-site")
    place.pip("--no-deps", "--force-reinstall", str(place.newer(tmp_path / "newer", "7.7.9")))
    try:
        say("make")
        assert "Everything agrees." in say("make", "verify")
    finally:
        place.pip("--no-deps", "--force-reinstall", str(place.wheel))
    say("evenflow", "clean")
    assert heard == {*SCREENS}
    assert not list((study / "data/derived").rglob("*.parquet"))
    place.run("python", "-m", "pip", "uninstall", "-qy", "evenflow")
    try:
        assert not (place.venv / "bin/evenflow").exists() and not place.installed_all()
        assert {name: seen for name, seen in state(study).items() if name in mine} == mine
        assert (study / "data/raw/my-logs").is_dir() and (study / "reports/my-paper").is_dir()
    finally:
        place.pip("--no-deps", str(place.wheel))
