"""`make`, as the README promises it, from states that nobody prepared.

A copy of the project with tiny data sets as our own, and strangers' folders among them; it is
made, broken, killed and mended in turn. The tests of this module follow each other: each begins in
the state in which the one before ended.
"""

import html
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from small_project import add_make, configure
from test_workflow import ROOT, TINY, built_project, copy_project

ARCHIVES = ROOT / "tests/fixtures/archives"
OURS = sorted(path.name for path in TINY.iterdir() if path.is_dir())
PAPERS = ["tiny-paper"]
WRONG = "title: Mine\ndefaults: {botleneck_mbps: 100}\n"
OF_A_FOLDER = {"read_logs", "settle_runs", "render_dataset"}


def fresh_project(folder: Path) -> Path:
    """A copy that never built anything, with the programs of here and tiny data."""
    copy_project(folder)
    add_make(folder)
    configure(folder, "datasets")  # all that lie in data/raw
    return folder


def make(project: Path):
    """Say `make`; return the finished process."""
    return subprocess.run(["make"], cwd=project, text=True, timeout=900,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip


def rules(done) -> dict[str, int]:
    """Return how many jobs of each rule were to run, as `make` says it, or else as Snakemake."""
    plan = re.search(r"^\d+ jobs?: (.*)$", done.stdout, re.MULTILINE)
    if plan:
        return {rule: int(n) for rule, n in map(str.split, plan[1].split(", "))}
    stats = re.search(r"^Job stats:\n.*\n-.*\n((?:\S+ +\d+\n)*)total", done.stdout, re.MULTILINE)
    return {} if not stats else {r: int(n) for r, n in map(str.split, stats[1].splitlines())}


def text_of(project: Path, page: str) -> str:
    page = (project / "reports/_site" / page).read_text(encoding="utf-8")
    page = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


def linked(project: Path) -> set[str]:
    """Return the links of the index; each must lead to a page."""
    index = (project / "reports/_site/index.html").read_text(encoding="utf-8")
    found = set(re.findall(r'href="([^"#:]+)"', index))
    for link in found:
        assert (project / "reports/_site" / link).is_file(), link
    return found


def dataset_page(name: str) -> str:
    return f"datasets/{name}/index.html"


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A project of which Snakemake made most, and `make` with four dropped folders the rest.

    And how that went. `test_screen.py` and the tutorial begin where nothing was made.
    """
    project = built_project(tmp_path_factory, "make")
    add_make(project)
    configure(project, "datasets")  # all that lie in data/raw
    raw = project / "data/raw"
    shutil.copytree(ARCHIVES / "course-project", raw / "good-logs")
    shutil.copytree(ARCHIVES / "killed-clients", raw / "one-broken")
    (raw / "no-log").mkdir()
    (raw / "no-log/notes.txt").write_text("We measured on Tuesday.\n")
    shutil.copytree(ARCHIVES / "course-project", raw / "wrong-yml")
    (raw / "wrong-yml/dataset.yml").write_text(WRONG)
    return project, make(project)


def test_four_folders_dropped_into_a_project(first):
    project, done = first
    assert done.returncode != 0
    said = done.stdout[-1500:]
    assert "data/raw/wrong-yml could not be made:" in said
    assert "data/raw/wrong-yml/dataset.yml:2: " in said
    assert "Remedy: " in said and "bottleneck_mbps" in said
    assert "Traceback" not in done.stdout
    assert {
        *(dataset_page(name) for name in (*OURS, "good-logs", "one-broken", "no-log", "wrong-yml")),
        *(f"{paper}/index.html" for paper in PAPERS),
        *(f"{paper}/{paper}.pdf" for paper in PAPERS),
    } <= linked(project)
    assert "Who got how much" in text_of(project, dataset_page("good-logs"))
    assert "Who got how much" in text_of(project, dataset_page("one-broken"))
    nothing = text_of(project, dataset_page("no-log"))
    assert "notes.txt" in nothing and "What would help" in nothing
    wrong = text_of(project, dataset_page("wrong-yml"))
    assert "dataset.yml:2" in wrong and "bottleneck_mbps" in wrong
    assert not (project / "data/derived/wrong-yml/run.parquet").exists()


def test_what_failed_fails_until_it_is_mended(first):
    project, _ = first
    again = make(project)
    assert again.returncode != 0
    assert "data/raw/wrong-yml/dataset.yml:2: " in again.stdout
    assert set(rules(again)) <= OF_A_FOLDER | {"render_index", "all"}
    (project / "data/raw/wrong-yml/dataset.yml").write_text("title: [not YAML\n")
    broken = make(project)
    assert broken.returncode != 0
    assert "data/raw/wrong-yml could not be made:" in broken.stdout
    assert "not valid YAML" in text_of(project, dataset_page("wrong-yml"))
    (project / "data/raw/wrong-yml/dataset.yml").write_text(WRONG.replace("bot", "bott"))
    assert make(project).returncode == 0
    assert "Who got how much" in text_of(project, dataset_page("wrong-yml"))
    assert "Nothing to be done" in make(project).stdout


def test_one_folder_more_makes_its_own_page_and_the_index(first):
    project, _ = first
    shutil.copytree(ARCHIVES / "no-metadata", project / "data/raw/one-more")
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert rules(done) == dict.fromkeys({*OF_A_FOLDER, "render_index", "all"}, 1)
    assert dataset_page("one-more") in linked(project)


def test_a_folder_that_is_gone_leaves_nothing_behind(first):
    project, _ = first
    (project / "data/raw/good-logs").rename(project / "data/raw/renamed")
    shutil.rmtree(project / "data/raw/one-more")
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    links = linked(project)
    assert dataset_page("renamed") in links
    for name in ("good-logs", "one-more"):
        assert dataset_page(name) not in links
        assert not (project / "reports/_site/datasets" / name).exists()
        assert not (project / "data/derived" / name).exists()


def test_a_log_of_ours_that_breaks_takes_what_was_made_of_it_along(first):
    project, _ = first
    log = min((project / "data/raw/tiny-testbed").rglob("flow1.server.log.gz"))
    whole, times = log.read_bytes(), log.stat()
    log.write_bytes(whole[: len(whole) // 2])
    for _ in range(2):
        done = make(project)
        assert done.returncode != 0
        assert log.relative_to(project).as_posix() in done.stdout[-1500:]
        assert not (project / "data/derived/tiny-testbed/run.parquet").exists()
        for paper in PAPERS:  # about it
            assert log.name in text_of(project, f"{paper}/index.html")
            assert not (project / f"reports/_site/{paper}/{paper}.pdf").exists()
        assert "could not be made" in text_of(project, "index.html")
        assert "Who got how much" in text_of(project, dataset_page("tiny-ns2"))
    log.write_bytes(whole)
    os.utime(log, ns=(times.st_atime_ns, times.st_mtime_ns))
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"{PAPERS[0]}/{PAPERS[0]}.pdf" in linked(project)


def test_a_data_set_of_a_paper_that_is_moved_away_stops_only_what_is_about_it(first):
    project, _ = first
    raw, away = project / "data/raw", project.parent / "away"
    (raw / "tiny-testbed").rename(away)
    (raw / "renamed/dataset.yml").write_text("title: Another title\n")
    for _ in range(2):
        done = make(project)
        assert done.returncode != 0
        said = "datasets.testbed: data/raw/tiny-testbed: there is no such data set"
        assert said in done.stdout[-1500:]
        assert not (project / "data/derived/tiny-testbed").exists()
        assert not (project / "reports/_site/datasets/tiny-testbed").exists()
        for paper in PAPERS:
            assert f"reports/{paper}/paper.yml:" in text_of(project, f"{paper}/index.html")
            assert "there is no such data set" in text_of(project, f"{paper}/index.html")
            assert not (project / f"reports/_site/{paper}/{paper}.pdf").exists()
        assert "Another title" in text_of(project, dataset_page("renamed"))
        assert dataset_page("tiny-ns2") in linked(project)
    published = subprocess.run(
        ["make", "publish", f"DIR={project.parent / 'copy'}"], cwd=project, capture_output=True
    )
    assert published.returncode != 0 and b"Nothing was copied" in published.stderr
    away.rename(raw / "tiny-testbed")
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"{PAPERS[0]}/{PAPERS[0]}.pdf" in linked(project)


def test_what_was_altered_by_hand_is_made_again(first):
    project, _ = first
    page = project / "reports/_site" / dataset_page("tiny-ns2")
    table = project / "data/derived/tiny-ns2/run_metric.parquet"
    whole = page.read_bytes()
    page.write_bytes(b"")
    table.write_bytes(table.read_bytes()[:-100])
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    for path in (page, table):
        assert f"{path.relative_to(project)} was changed after it was made" in done.stdout
    assert page.read_bytes() == whole


def test_a_damaged_table_is_named_and_made_again(first):
    """Of the same size and time, so that only who reads it can see it."""
    project, _ = first
    table = project / "data/derived/tiny-ns2/sample.parquet"
    whole, times = table.read_bytes(), table.stat()
    table.write_bytes(whole[:-50] + bytes(50))
    os.utime(table, ns=(times.st_atime_ns, times.st_mtime_ns))
    (project / "data/derived/tiny-ns2/flow_metric.parquet").unlink()
    done = make(project)
    assert done.returncode != 0
    assert "data/derived/tiny-ns2/sample.parquet: the table is damaged" in done.stdout[-2500:]
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert table.read_bytes() == whole


def test_a_run_that_was_killed_needs_no_word_but_make(first):
    project, _ = first
    (project / "data/raw/tiny-ns2/dataset.yml").touch()
    running = subprocess.Popen(["make"], cwd=project, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    locks = project / ".snakemake/locks"
    until = time.monotonic() + 60
    while not list(locks.glob("*.lock")):
        assert running.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    second = make(project)  # two at once
    assert second.returncode != 0
    assert "another run is using this folder (process" in second.stdout
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert list(locks.glob("*.lock"))
    # named as evenflow's temporary files are, and DuckDB's, but of nobody knows whom
    tables = project / "reports/_site/datasets/tiny-ns2/tables"
    others = [tables / ".run.csv.abcdefgh", tables / "tmp_.run.csv.abcdefgh"]
    for path in others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Removing the lock of a run that was killed" in done.stdout
    assert all(path.exists() for path in others)
    assert {path.name for path in tables.glob(".*")} == {".run.csv.abcdefgh"}
    assert "Nothing to be done" in make(project).stdout
