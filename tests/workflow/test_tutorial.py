"""The tutorial, followed to the letter: what it says to type is typed, and what it shows is there.

Its blocks say what they are: `sh` is typed, `text` is on the screen after that, `yaml` is a file,
`python` is typed in one session. Its table is one of the page.
"""

import re
import shutil
import subprocess
import sys

import pytest
import yaml
from evenflow.tables import read_table
from terminal import run_in_terminal
from test_make import fresh_project, text_of
from test_workflow import ROOT

TUTORIAL = (ROOT / "docs/tutorial/README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
EXAMPLE = "course-project"
SETTING_UP = "Setting up .venv from requirements.lock, which takes a minute or two"


def sentence(pattern: str) -> re.Match:
    """What the tutorial says, wherever its lines break."""
    found = re.search(pattern, re.sub(r"\s+", " ", TUTORIAL))
    assert found, f"the tutorial does not say {pattern}"
    return found


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The project at the end, and of each `text` block what was on the screen and on the page."""
    project = fresh_project(tmp_path_factory.mktemp("tutorial") / "evenflow")
    for folder in (*project.glob("data/raw/*/"), *project.glob("reports/*/paper.yml")):
        shutil.rmtree(folder if folder.is_dir() else folder.parent)
    config = yaml.safe_load((ROOT / "workflow/defaults.yaml").read_text(encoding="utf-8"))
    (project / "config/config.yaml").write_text(yaml.safe_dump(config | {"comparisons": {}}))
    archive = f"tests/fixtures/archives/{EXAMPLE}"
    shutil.copytree(ROOT / archive, project / archive)
    said = project / f"data/raw/{EXAMPLE}/dataset.yml"
    assert said.relative_to(project).as_posix() in TUTORIAL
    shown, screen, page, end = [], "", "", 0
    for block in BLOCK.finditer(TUTORIAL):
        kind, words = block.groups()
        before, end = TUTORIAL[end : block.start()], block.end()
        if "Write `titel:` instead of `title:`" in before:
            said.write_text(words_of(said).replace("title:", "titel:"))
        if "Put `title:` back" in before:
            said.write_text(words_of(said).replace("titel:", "title:"))
        if kind == "sh" and not words.startswith("git clone"):
            _, now = run_in_terminal(["bash", "-c", words], project)
            screen = str(now)
            made = project / f"reports/_site/datasets/{EXAMPLE}/index.html"
            page = text_of(project, f"datasets/{EXAMPLE}/index.html") if made.exists() else ""
        elif kind == "yaml":
            said.write_text(words)
        elif kind == "text":
            shown.append((words, screen, page))
    return project, shown, page


def words_of(path) -> str:
    return path.read_text(encoding="utf-8")


def timeless(text: str) -> list[str]:
    return re.sub(r"\b\d+ (s|min)\b", r"N \1", text).splitlines()


def test_the_screen_is_what_the_tutorial_shows(followed):
    _, shown, _ = followed
    assert len(shown) == 4
    for words, screen, _ in shown:
        lines, on_screen = timeless(words.replace(f"{SETTING_UP}\n", "")), timeless(screen)
        begin = on_screen.index(lines[0])
        assert on_screen[begin : begin + len(lines)] == lines, screen
        assert lines == on_screen or "could not be made" in words, screen  # else all of it


def test_the_set_up_says_what_the_tutorial_shows():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f'echo "{SETTING_UP.replace(".venv", "$(VENV)")}"' in makefile
    assert f"{SETTING_UP}\n" in TUTORIAL


def test_the_table_is_on_the_page(followed):
    _, shown, _ = followed
    page = shown[1][2]
    rows = re.findall(r"^ +\| ((?:CUBIC|BBR) .*) \|$", TUTORIAL, re.MULTILINE)
    assert len(rows) == 4
    for row in rows:  # the index as the answer prints it
        name, _, _, index = row.split(" | ")
        assert re.search(rf"{name} .*? {float(index):.2f} ", page), name
    assert sentence(r"\*\*(Fair in 2 of 4 settings)\*\*")[1] in page
    unsteady = sentence(r"(3 of 12 runs are not steady)")[1]
    moved = sentence(r"by no more than (0\.02) in any setting")[1]
    assert unsteady in page and f"changes by at most {moved} in any row" in page
    assert "Means are over 2 to 15 s" in page
    assert "12 runs of 2 flows : 4 settings" in page and "3 runs each" in page


def test_the_page_moves_as_the_tutorial_says(followed):
    project, shown, page = followed
    assert "Utilisation (%)" in page and "Utilisation (%)" not in shown[1][2]
    assert re.search("Means are over 5 to 15 s of each run, as +dataset.yml +says", page)
    buffers = sentence(r"the buffer \((\d+) and (\d+) % of the bandwidth-delay product\)").groups()
    assert f"{', '.join(buffers)} % of the bandwidth-delay product" in page
    cell = read_table(project / f"data/derived/{EXAMPLE}/cell.parquet")
    low, high = map(int, sentence(r"utilisation, which is between (\d+) and (\d+) %").groups())
    used = cell.filter(metric="utilisation")["mean"] * 100
    assert low < used.min() < low + 1 and high - 1 < used.max() < high
    index = cell.filter(metric="jfi").sort("scenario_id")["mean"][0]
    said = sentence(r"index of BBR against Reno at 20 ms is now (0\.\d+)")[1]
    assert said == f"{index:.3f}"
    assumed = read_table(project / f"data/derived/{EXAMPLE}/assumption.parquet")
    assert assumed["what"].to_list() == ["side"] and sentence("the sender's report counts")


def test_what_is_typed_into_python_runs(followed):
    project, _, _ = followed
    typed = "\n".join(words for kind, words in BLOCK.findall(TUTORIAL) if kind == "python")
    done = subprocess.run(
        [sys.executable, "-c", typed], cwd=project, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "shape: (4, 5)" in done.stdout and "shape: (3, 6)" in done.stdout


def test_a_page_of_a_misspelt_data_set_is_not_made(followed):
    project, _, _ = followed
    page = "reports/_site/datasets/course-projekt/index.html"
    code, screen = run_in_terminal(["make", page], project)
    assert code != 0 and not (project / page).exists()
    said = "data/raw/course-projekt: there is no such data set. Remedy: correct the name"
    assert f"{said} (did you mean 'course-project'?)" in str(screen)
    assert "Traceback" not in str(screen)
