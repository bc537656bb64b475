"""Nothing that evenflow did not make is removed, altered or dated, whatever make and snakemake do.

Some eighty files, folders, links, pipes and repositories of others lie in the project, in
data/derived and in the site; after each command bytes, times and existence of every one of them are
as before, and what evenflow made is what an undisturbed build made.
"""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from built import PAGE, Project, nothing_to_do, run, set_aside, snakemake, touch_raw
from place import OURS, PAPER, ROOT, STRANGERS
from strangers import AHEAD_S, DERIVED, SITE, look, lost, put_strangers

LOOKS = [
    ["-n"],
    ["-n", "-F"],
    ["--list"],
    ["--lint"],
    ["--summary"],
    ["--detailed-summary"],
    ["--dag"],
    ["--rulegraph"],
    ["--list-untracked"],
    ["--unlock"],
    ["--report", "report-of-mine.html"],
    ["-n", "--delete-all-output"],
]
REFUSED = [["--touch"], ["--no-hooks"], ["--delete-all-output"], ["--delete-temp"]]
# of the Makefile: not tried here as they work elsewhere, or need a network, or minutes
NOT_TRIED = {
    "test": "it tests a copy of the project in folders of its own",
    "test-rest": "it tests copies as well",
    "test-all": "it tests copies as well",
    "mutants": "it changes copies in folders of its own, for minutes",
    "bench": "it measures in folders of its own, for minutes",
    "bench-workflow": "it measures in folders of its own, for minutes",
    "coverage": "it tests a copy, as `make test`, for minutes",
    "wheels": "it needs a network, and writes below dist/ only",
    "doctor": "it looks at the machine, and writes nothing",
    "trace": "it looks at what was made, and writes nothing",
    "audit": "it needs a network, and reads requirements.lock only",
    "check-archive": "it needs a network, and reads dist/evenflow.zip only",
    "lint": "its tools read only; what it says of Snakemake is tried as --lint",
    "always": "it is nothing",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory)


# ---- looking ------------------------------------------------------------------------------------


@pytest.mark.parametrize("remembered", [True, False])
def test_commands_that_only_look_change_no_file(project, remembered):
    """Strangers' and made ones, bytes and times, with what is remembered and without."""
    work = project.fresh()
    strangers = put_strangers(work)
    ours = {work / name: look(work / name) for name in project.expected}
    if not remembered:
        shutil.rmtree(work / ".snakemake")
        shutil.rmtree(work / ".evenflow", ignore_errors=True)
    for words in LOOKS if remembered else LOOKS[:3]:
        snakemake(work, *words, "--cores", "1")
        assert not lost(strangers), words
        assert not lost(ours), words
        assert remembered or not (work / ".evenflow").exists(), words


@pytest.mark.parametrize("words", REFUSED, ids=lambda words: words[0])
def test_what_would_date_or_remove_whatever_lies_there_is_refused_with_a_sentence(project, words):
    work = project.fresh()
    strangers = put_strangers(work)
    ours = {work / name: look(work / name) for name in project.expected}
    done = snakemake(work, *words, "--cores", "1")
    assert done.returncode and ". Remedy: " in done.stdout and "Traceback" not in done.stdout
    assert not lost(strangers) and not lost(ours)


# ---- running ------------------------------------------------------------------------------------


def test_runs_of_all_of_one_page_of_a_part_and_killed_ones_leave_strangers_alone(project):
    work = project.fresh()
    strangers = put_strangers(work)
    touch_raw(work)
    done = snakemake(work, "--cores", "2", "--config", f"datasets=[{STRANGERS}]", "papers=[]")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not lost(strangers), "a part"
    assert not project.missing(f"{SITE}/index.html", f"{SITE}/search.html"), "a part"
    touch_raw(work)
    killed = subprocess.Popen(["make"], cwd=work, start_new_session=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    for line in killed.stdout:
        if line.startswith(b"2 of"):
            break
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not lost(strangers), "killed"
    (work / PAGE).unlink()
    assert run(work, "make", PAGE).returncode == 0
    assert not lost(strangers), "one page"
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not lost(strangers) and not project.missing() and not set_aside(work)
    assert nothing_to_do(work)


def test_what_was_made_of_data_sets_and_papers_that_are_gone_goes_once_and_nothing_else(project):
    work = project.fresh()
    strangers = put_strangers(work)
    (work / "data/raw" / STRANGERS).rename(work / "data/raw/renamed")
    paper = work / "reports" / PAPER
    for name in ("paper.yml", "index.qmd"):
        (paper / name).unlink()
    ours = set(project.expected)
    assert "tidy" in snakemake(work, "-n").stdout
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not lost(strangers)
    of_gone = re.compile(
        rf"/{STRANGERS}/|/papers/{PAPER}/|{SITE}/{PAPER}/|/{PAPER}/(figures|tables)/"
    )
    assert not [name for name in ours if of_gone.search(name) and look(work / name)]
    assert (work / f"{SITE}/datasets/renamed/index.html").is_file()
    again = run(work, "make")
    assert "Nothing to be done" in again.stdout and "again" not in again.stdout


def test_a_run_that_fails_leaves_strangers_alone(project):
    work = project.fresh()
    strangers = put_strangers(work)
    description = work / "data/raw" / OURS / "dataset.yml"
    whole = description.read_bytes()
    description.write_bytes(whole + b"\n  - [broken\n")
    assert run(work, "make").returncode
    assert not lost(strangers) and "not made" in (work / PAGE).read_text(encoding="utf-8")
    description.write_bytes(whole)
    assert run(work, "make").returncode == 0
    assert not lost(strangers) and not project.missing() and not set_aside(work)


TRIED = ["manifest", "expected", "archive", "verify", "reference", "paper", "publish", "clean"]


def test_the_makefile_has_no_target_that_is_not_tried():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    assert set(targets.split()) == {*TRIED, "all", *NOT_TRIED}


def test_every_target_of_the_makefile_leaves_strangers_alone(project):
    work = project.fresh()
    strangers = put_strangers(work)
    for target in TRIED:
        words = {"paper": ["NAME=new", f"DATA={OURS}"], "publish": ["DIR=../published"]}
        done = run(work, "make", target, *words.get(target, []))
        assert not lost(strangers), f"{target}: {done.stdout[-2000:]}"
        assert done.returncode == 0, f"{target}: {done.stdout[-3000:]}"
        if target == "archive":
            refused_archive_leaves_the_last(work)
            assert not lost(strangers), "refused archive"
        if target == "paper":
            shutil.rmtree(work / "reports/new")
        if target == "publish":
            published = made_in(work.parent / "published")
            assert f"{PAPER}/index.html" in published and ".git/HEAD" not in published
    left = [
        name for name in project.expected if name.startswith((DERIVED, SITE)) and look(work / name)
    ]
    assert not left


def made_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def refused_archive_leaves_the_last(work: Path) -> None:
    archive, page = work / "dist/evenflow.zip", work / PAGE
    last, content = archive.read_bytes(), page.read_bytes()
    log = next(p for p in sorted((work / "data/raw" / STRANGERS).iterdir()) if p.is_file())
    whole = log.read_bytes()
    log.write_bytes(whole + b"x\n")
    assert run(work, "make", "archive").returncode
    assert archive.read_bytes() == last
    log.write_bytes(whole)
    assert run(work, "make").returncode == 0 and page.read_bytes() == content


# ---- what lies where evenflow must write --------------------------------------------------------


def test_a_page_that_was_edited_is_made_again_and_the_edit_is_kept(project):
    work = project.fresh()
    (work / PAGE).write_text("my own words")
    done = run(work, "make")
    assert done.returncode == 0 and not project.missing()
    assert f"{PAGE} was changed after it was made: it is made again" in done.stdout
    [kept] = set_aside(work)
    assert kept.read_text() == "my own words"
    assert f"{PAGE}: what was there is now in {kept.relative_to(work)}" in done.stdout
    assert nothing_to_do(work) and kept.exists()


def a_link(work: Path, path: Path) -> Path:
    target = work.parent / "theirs.html"
    target.write_text("theirs")
    path.unlink()
    path.symlink_to(target)
    return target


def a_folder(work: Path, path: Path) -> Path:
    path.unlink()
    (path / "deep").mkdir(parents=True)
    (path / "deep/theirs.html").write_text("theirs")
    return path / "deep/theirs.html"


def a_device(work: Path, path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/null")


def a_pipe(work: Path, path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_linked_folder(work: Path, path: Path) -> Path:
    shutil.copytree(path.parent, work.parent / "web")
    shutil.rmtree(path.parent)
    path.parent.symlink_to(work.parent / "web")
    theirs = work.parent / "web/theirs.html"
    theirs.write_text("theirs")
    return theirs


def a_file_for_a_folder(work: Path, path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("theirs")


OF_ITS_FOLDER = (a_linked_folder, a_file_for_a_folder)


# each way at a place of its own, so that one run meets all of them
IN_THE_WAY = {
    f"{SITE}/index.html": a_link,
    PAGE: a_folder,
    f"{SITE}/search.html": a_device,
    f"reports/{PAPER}/provenance.json": a_pipe,
    f"{SITE}/datasets/{STRANGERS}/index.html": a_linked_folder,
    f"{SITE}/{PAPER}/index.html": a_file_for_a_folder,
    f"{DERIVED}/{STRANGERS}/cell.parquet": a_folder,
    f"{DERIVED}/{OURS}/cell.parquet": a_device,
}


def test_what_lies_where_evenflow_must_write_is_set_aside(project):
    work = project.fresh()
    before, kept = {}, set()
    for name, way in IN_THE_WAY.items():
        path = work / name
        theirs = way(work, path)
        if theirs and not theirs.is_relative_to(work):
            before[theirs] = look(theirs)
        kept.add(str((path.parent if way in OF_ITS_FOLDER else path).relative_to(work)))
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    assert not project.missing() and not lost(before) and len(before) == 2
    aside = [path.relative_to(work).as_posix() for path in (work / "set-aside").rglob("*")]
    assert not [name for name in kept if not any(path.endswith(f"/{name}") for path in aside)]
    theirs = [path.read_text() for path in set_aside(work) if path.is_file()]
    assert theirs.count("theirs") == 4  # those of two folders, a file, and one by its link
    assert nothing_to_do(work)


# ---- two checkouts, modules ---------------------------------------------------------------------


def test_a_second_checkout_on_one_folder_of_results_is_refused(project):
    work = project.fresh()
    second = work.parent / "second"
    subprocess.run(["cp", "-a", work, second], check=True)
    shutil.rmtree(second / DERIVED)
    (second / DERIVED).symlink_to(work / DERIVED)
    shutil.rmtree(second / "data/raw" / STRANGERS)
    ours = {work / name: look(work / name) for name in project.expected}
    done = run(second, "make")
    assert done.returncode and f"belong to the checkout {work}. Remedy: " in done.stdout
    assert not lost(ours)
    # and where each leads to a third place
    (work / DERIVED).rename(work.parent / "results")
    for checkout in (work, second):
        (checkout / DERIVED).unlink(missing_ok=True)
        (checkout / DERIVED).symlink_to(work.parent / "results")
    done = run(work, "make")
    assert done.returncode == 0, done.stdout[-3000:]
    done = run(second, "make")
    assert done.returncode and f"belong to the checkout {work}. Remedy: " in done.stdout
    assert not project.missing()


STUDY = """
module evenflow:
    snakefile: "{tool}/workflow/Snakefile"
    config: config
configfile: "config/config.yaml"
use rule * from evenflow
rule mine:
    output: "mine.txt"
    shell: "echo mine > {{output}}"
"""


def without_papers(page: bytes) -> bytes:
    """Return the page of a data set as it is where no paper uses it: its header names none."""
    return re.sub(rb"\n<div><dt>In the papers</dt>.*?</div>", b"", page)


def without_tool(page: bytes) -> bytes:
    """Return the page of a study as it is in the checkout of the tool, whose commit it names."""
    return re.sub(
        rb"<footer>\n<p>Made with[^<]*</p>\n</footer>\n|<p>Made with[^<]*</p>\n", b"", page
    )


def test_as_a_module_a_data_set_s_page_is_made_and_nothing_else_is_touched(project):
    tool = project.fresh()
    study = tool.parent / "study"
    for folder in ("data/raw", "config", "thesis"):
        (study / folder).mkdir(parents=True)
    (study / "config/config.yaml").symlink_to(tool / "config/config.yaml")
    (study / "Snakefile").write_text(STUDY.format(tool=tool))
    shutil.copytree(tool / "data/raw" / OURS, study / "data/raw" / OURS)
    (study / "thesis/draft.tex").write_text("theirs")
    os.utime(study / "thesis/draft.tex", (AHEAD_S, AHEAD_S))
    for name in (
        f"{DERIVED}/mine/x.csv",
        f"{SITE}/.git/HEAD",
        f"{SITE}/.site.htaccess",
        "mine.txt",
    ):
        (study / name).parent.mkdir(parents=True, exist_ok=True)
        (study / name).write_text("theirs")
    (study / "mine.txt").write_text("theirs")
    links = {p: look(p) for p in study.rglob("*") if p.is_symlink() or p.is_file()}
    of_tool = {p: look(p) for p in tool.rglob("*") if p.is_file() and "__pycache__" not in p.parts
               and ".snakemake" not in p.parts}  # fmt: skip
    looks = [["-n", "--", PAGE], ["--dag", "--", PAGE], ["--list"], ["--lint"], ["--summary"]]
    for words in looks:
        snakemake(study, *words)
        assert not lost(links) and not lost(of_tool), words
        assert not (study / ".evenflow").exists(), words
    done = snakemake(study, "--cores", "2", "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    assert not lost(links) and not lost(of_tool)
    made = without_tool((study / PAGE).read_bytes())
    assert made == without_papers(project.expected[PAGE])
    assert json.loads(next((study / ".evenflow/made").iterdir()).read_text())["rule"]
    (study / PAGE).write_text("my own words")
    done = snakemake(study, "--cores", "2", "--", PAGE)
    made = without_tool((study / PAGE).read_bytes())
    assert made == without_papers(project.expected[PAGE])
    assert [path.read_text() for path in set_aside(study)] == ["my own words"]
    touched = snakemake(study, "--touch", "--cores", "1", "--", PAGE)
    assert touched.returncode and "--touch" in touched.stdout
    assert not lost(links) and not lost(of_tool)
    assert "Nothing to be done" in snakemake(study, "--cores", "2", "--", PAGE).stdout
