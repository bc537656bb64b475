"""A clone without raw data and papers, by the guide's commands, works for a study."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from test_module import ROOT, snakemake

GUIDE = (ROOT / "docs/guides/own-study.md").read_text(encoding="utf-8")
MOST_MB = 40  # of files; 28 in November 2026


OWN = ("data/raw/my-logs/flow1.log", "reports/my-paper/paper.yml")  # of a user


def blocks_of(heading: str) -> list[str]:
    """The commands in each block of a section of the guide."""
    section = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"\n\n((?: {4}[^\n]*\n)+)", section)
    return [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in blocks]


def sh(folder: Path, commands: str) -> None:
    done = subprocess.run(["sh", "-e", "-c", commands], cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, (commands, done.stderr)


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", *who, *words], cwd=folder, text=True, capture_output=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def light_clone(source: Path, folder: Path) -> Path:
    """A clone of a repository by the commands of the guide."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("these files are in no git repository")
    commands, _ = blocks_of("A light clone")
    # --shared: no copy of the repository. Without --filter, which not every address offers
    assert "--filter=blob:none" in commands and " ADDRESS evenflow\n" in commands
    commands = commands.replace("--filter=blob:none", "--shared")
    sh(folder, commands.replace("ADDRESS", shlex.quote(str(source))))
    return folder / "evenflow"


def test_a_light_clone_makes_the_page_of_what_is_dropped_in(tmp_path):
    folder = light_clone(ROOT, tmp_path)
    fetch, make = blocks_of("A light clone")[1].splitlines()
    files = [path for path in folder.rglob("*") if ".git" not in path.parts and path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_MB * 1e6
    assert not list(Path(folder, "data").glob("raw/*/")) and not list(folder.glob("reports/*/"))
    # the README's `cp -r` would else copy the logs themselves as data/raw
    assert (folder / "data/raw").is_dir() and (folder / "reports").is_dir()
    shutil.copytree(ROOT / "tests/fixtures/archives/powershell", folder / "data/raw/mine")
    done = snakemake(folder, "-n")
    assert done.returncode == 0, done.stdout[-3000:]
    jobs = {*re.findall(r"^(\w+) +1$", done.stdout, re.MULTILINE)}
    assert {"read_logs", "render_dataset", "render_index"} <= jobs
    # what is wanted of ours is fetched later, with all that it needs
    sh(folder, fetch)
    there = {path.name for top in ("data/raw", "reports") for path in folder.glob(f"{top}/*/")}
    wanted = {Path(word).name for word in shlex.split(fetch)[3:]}
    assert there - {"mine", "_site"} == wanted
    make, target = make.split()
    assert make == "make"
    done = snakemake(folder, "-n", "--", target)
    assert done.returncode == 0 and re.search(r"^render_report +1$", done.stdout, re.MULTILINE)


def files_in(folder: Path) -> set[str]:
    """The files of data and papers."""
    paths = (path for top in ("data", "reports") for path in (folder / top).rglob("*"))
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file()}


def test_own_folders_in_a_light_clone_are_committed_and_stay_there(tmp_path):
    ours = tmp_path / "ours"
    for name in (
        "data/raw/ns2/a",
        "data/raw/README.md",
        "reports/theirs/paper.yml",
        "reports/_grid/x",
    ):
        (ours / name).parent.mkdir(parents=True, exist_ok=True)
        (ours / name).write_text(name)
    git(ours, "init")
    git(ours, "add", "--all")
    git(ours, "commit", "--message", "first")
    folder = light_clone(ours, tmp_path)
    assert [p.name for p in folder.glob("*/**/*") if ".git" not in p.parts] == ["raw", "README.md"]
    for name in OWN:
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("mine")
    git(folder, "add", "-A")
    git(folder, "commit", "--message", "mine")
    assert {*OWN} <= {*git(folder, "ls-files").split()}
    # a pull with a change of what is left out, of what is there, and with a new data set
    for name in ("data/raw/ns2/a", "data/raw/README.md", "data/raw/new/b"):
        (ours / name).parent.mkdir(exist_ok=True)
        (ours / name).write_text("changed")
    git(ours, "add", "--all")
    git(ours, "commit", "--message", "second")
    git(folder, "pull", "--no-rebase", "--no-edit")
    assert files_in(folder) == {*OWN, "data/raw/README.md", "data/raw/new/b"}
    [leave_out] = re.findall(r"`(git sparse-checkout add '!.*?)`", GUIDE)
    sh(folder, leave_out.replace("NAME", "new"))
    sh(folder, "git sparse-checkout add '/data/raw/ns2/' '/reports/theirs/'")
    now = {*OWN, "data/raw/README.md", "data/raw/ns2/a", "reports/theirs/paper.yml"}
    assert files_in(folder) == now
    assert git(folder, "status", "--porcelain") == ""
    sh(folder, "git sparse-checkout disable")
    assert files_in(folder) == now | {"data/raw/new/b", "reports/_grid/x"}
