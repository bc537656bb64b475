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


def blocks_of(heading: str) -> list[list[list[str]]]:
    """The words of the commands in each block of a section of the guide."""
    section = GUIDE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"\n\n((?: {4}[^\n]*\n)+)", section)
    return [[shlex.split(line) for line in block.splitlines()] for block in blocks]


def test_a_light_clone_makes_the_page_of_what_is_dropped_in(tmp_path):
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("these files are in no git repository")
    (clone, _, *more), (fetch, make) = blocks_of("A light clone")
    assert clone[:2] == ["git", "clone"] and clone[-2:] == ["ADDRESS", "evenflow"]
    # --shared: no copy of the repository. Without --filter, which not every address offers
    words = [word for word in clone if not word.startswith("--filter")]
    words = [*words[:2], "--shared", *words[2:-2], str(ROOT), "evenflow"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    folder = tmp_path / "evenflow"
    for words in more:
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    files = [path for path in folder.rglob("*") if ".git" not in path.parts and path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_MB * 1e6
    assert not list(Path(folder, "data").glob("raw/*/")) and not list(folder.glob("reports/*/"))
    shutil.copytree(ROOT / "tests/fixtures/archives/powershell", folder / "data/raw/mine")
    done = snakemake(folder, "-n")
    assert done.returncode == 0, done.stdout[-3000:]
    jobs = {*re.findall(r"^(\w+) +1$", done.stdout, re.MULTILINE)}
    assert {"read_logs", "render_dataset", "render_index"} <= jobs
    # what is wanted of ours is fetched later, with all that it needs
    subprocess.run(fetch, cwd=folder, check=True, capture_output=True)
    there = {path.name for top in ("data/raw", "reports") for path in folder.glob(f"{top}/*/")}
    wanted = {Path(word).name for word in fetch[3:]}
    assert there - {"mine", "_site"} == wanted
    assert make[0] == "make"
    done = snakemake(folder, "-n", "--", make[1])
    assert done.returncode == 0 and re.search(r"^render_report +1$", done.stdout, re.MULTILINE)
