"""Whether a command has nothing to do, without Snakemake: never where anything differs."""

import os
import sys
import time
from pathlib import Path

import pytest
from evenflow import places
from evenflow.runs import settled
from evenflow.runs.receipts import keep_receipt, read_states

WORDS = ["snakemake", "--", "page.html"]
ENV = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
PAGE = "reports/_site/datasets/mine/index.html"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study with a link to logs elsewhere, a tool and packages, and a page with its receipt."""
    for name in ("logs/a.log", "logs/deep/b.log", "tool/rules/x.smk", "profile/config.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    packages = tmp_path / "site-packages"
    (packages / "polars-2.dist-info").mkdir(parents=True)
    (packages / "polars").mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(packages)])
    monkeypatch.setattr(places, "WORKFLOW", tmp_path / "tool")
    monkeypatch.setattr(places, "PROFILE", tmp_path / "profile")
    folder = tmp_path / "study"
    (folder / "data/raw").mkdir(parents=True)
    (folder / "data/raw/mine").symlink_to(tmp_path / "logs")
    (folder / ".evenflow").mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv(settled.RUN, raising=False)  # other tests hold runs
    Path("notes.txt").write_text("theirs")
    before = read_states(["data/raw/mine/a.log"])
    Path(PAGE).parent.mkdir(parents=True)
    Path(PAGE).write_text("the page")
    keep_receipt("render_dataset", before, [PAGE])
    time.sleep(2 * settled.RACE_S)
    return folder


def command(study, words=WORDS, env=ENV):
    return settled.Command(study, words, env, [study.parent / "logs"])


def run(study, meanwhile=lambda: None):
    """A run of the command that ends well."""
    one = command(study)
    one.forget()
    meanwhile()
    time.sleep(2 * settled.RACE_S)
    one.keep(["Runs: 3"])


def test_an_edit_of_a_plug_in_of_an_installed_package_is_seen(study):
    """Of a package only the folder of its version is looked at, which an edit leaves as it is."""
    path = study.parent / "ourpackage/helper.py"
    path.parent.mkdir()
    path.write_text("FACTOR = 1\n")
    keep_receipt("render_dataset", read_states([str(path)]), [PAGE])
    time.sleep(2 * settled.RACE_S)
    run(study)
    assert command(study).said() == ["Runs: 3"]
    path.write_text("FACTOR = 2\n")
    assert command(study).said() is None
    run(study, meanwhile=lambda: path.write_text("FACTOR = 3\n"))
    assert command(study).said() is None


def test_what_ended_well_has_nothing_to_do_and_says_the_same(study):
    assert command(study).said() is None
    run(study)
    assert command(study).said() == ["Runs: 3"]
    assert command(study).said() == ["Runs: 3"]
    assert command(study, [*WORDS, "--forceall"]).said() is None
    command(study).forget()
    assert command(study).said() is None


def in_secret(path):
    """Another content of the same size and time of change."""
    before = path.stat()
    path.write_text("x" * before.st_size)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


LOG, OUT = "../logs/a.log", PAGE
CHANGES = {
    "a log is edited": lambda: Path(LOG).write_text("other words"),
    "a log is edited, with size and time as before": lambda: in_secret(Path(LOG)),
    "a log in a folder is touched": lambda: Path("../logs/deep/b.log").touch(),
    "a log is added": lambda: Path("../logs/deep/c.log").touch(),
    "a log is removed": Path(LOG).unlink,
    "a log is replaced by its copy": lambda: copy(Path(LOG)).replace(LOG),
    "logs cannot be read": lambda: Path(LOG).chmod(0),
    "the link leads elsewhere": lambda: relink(),
    "the page is removed": lambda: Path(OUT).unlink(),
    "the page is edited": lambda: in_secret(Path(OUT)),
    "a receipt is removed": lambda: next(Path(".evenflow/made").iterdir()).unlink(),
    "a configuration is there": lambda: Path("config.yaml").write_text("nru: {}"),
    "a file of others is there": lambda: Path("thesis.tex").touch(),
    "another run was here": lambda: Path(".evenflow/run.lock").write_text("vm 1 2 3"),
    "a killed job left a journal": lambda: journal(),
    "the tool is edited": lambda: in_secret(Path("../tool/rules/x.smk")),
    "the tool has a module more": lambda: Path("../tool/y.py").touch(),
    "the profile is another": lambda: Path("../profile/config.yaml").touch(),
    "a package is another": lambda: Path("../site-packages/polars-2.dist-info").rename(
        "../site-packages/polars-3.dist-info"
    ),
    "a package was installed again": lambda: Path(
        "../site-packages/polars-2.dist-info/RECORD"
    ).touch(),
    "a log is a link to a folder": lambda: Path("../logs/more").symlink_to("/usr"),
}


def copy(path):
    other = path.with_name("copy")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(0, path.stat().st_mtime_ns))
    return other


def relink():
    Path("data/raw/mine").unlink()
    Path("data/raw/mine").symlink_to("../../../tool")


def journal():
    Path(".evenflow/begun").mkdir(exist_ok=True)
    Path(".evenflow/begun/vm-1.jsonl").write_text('{"temporary": "data/derived/.x"}\n')


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_has_snakemake_look(study, what):
    run(study)
    assert command(study).said() == ["Runs: 3"]
    time.sleep(0.02)  # longer than the system's clock stands still
    CHANGES[what]()
    assert command(study).said() is None


@pytest.mark.parametrize("what", [name for name in CHANGES if "page" not in name])
def test_what_changes_while_it_is_made_is_not_taken_as_read(study, what):
    if "receipt" in what or "another run" in what:
        pytest.skip("a run does so itself")
    run(study, CHANGES[what])
    assert command(study).said() is None


@pytest.mark.parametrize("change", [Path.unlink, lambda page: page.write_text("my words")])
def test_a_page_that_is_not_as_its_receipt_says_is_not_settled(study, change):
    run(study, lambda: change(Path(PAGE)))
    assert command(study).said() is None


def test_what_snakemake_has_seen_and_left_is_settled(study):
    """As numbers that are kept, and not asked for by the command."""
    Path(PAGE).write_text("my words")
    run(study)
    assert command(study).said() == ["Runs: 3"]


def test_where_a_run_has_a_word_for_the_user_it_is_said_each_time(study):
    lost = Path("data/derived/papers/mine/lost_findings.txt")
    lost.parent.mkdir(parents=True)
    for text, said in (("NewReno is fair.\n", None), ("\n", ["Runs: 3"])):
        lost.write_text(text)
        keep_receipt("judge_claims", {}, [str(lost)])
        run(study)
        assert command(study).said() == said


def test_a_page_that_says_why_it_could_not_be_made_is_made_again(study):
    keep_receipt("notice", {}, [PAGE], good=False)
    run(study)
    assert command(study).said() is None


def test_a_clock_that_was_set_back_and_a_page_of_the_future_are_not_settled(study, monkeypatch):
    run(study)
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: 1.0)
        assert command(study).said() is None
    run(study, lambda: os.utime(PAGE, (4e9, 4e9)))
    assert command(study).said() is None


@pytest.mark.parametrize("name", ["LANG", "PATH", "SNAKEMAKE_PROFILE", "EVENFLOW_FOLDERS"])
def test_in_another_environment_snakemake_looks(study, name):
    run(study)
    assert command(study, env=ENV | {"SHLVL": "7"}).said() == ["Runs: 3"]
    assert command(study, env=ENV | {name: "/else"}).said() is None


def test_what_python_compiles_in_a_package_is_no_other_package(study):
    """As after an installation by uv, which leaves that to the first use."""
    packages = study.parent / "site-packages"
    run(study)
    (packages / "polars/__pycache__").mkdir()
    assert command(study).said() == ["Runs: 3"]
    (packages / "polars").rename(study.parent / "old")
    (packages / "polars").mkdir()
    assert command(study).said() is None
    run(study)
    (packages / "polars-2.dist-info/RECORD").touch()
    assert command(study).said() is None


def test_where_the_environment_names_files_that_are_not_looked_at_snakemake_looks(study):
    one = command(study, env=ENV | {"SNAKEMAKE_PROFILE": "/else"})
    one.keep([])
    assert not one.note.exists() and one.said() is None


def test_a_damaged_note_says_nothing(study):
    run(study)
    note = command(study).note
    for text in ("", "{}", "[]", '{"at": 0, "seen": "x", "said": []}', "\x00"):
        note.write_text(text)
        assert command(study).said() is None


def test_a_run_that_is_at_work_keeps_another_from_settling(study, monkeypatch):
    from evenflow.runs.locking import AnotherRunError

    def held():
        raise AnotherRunError("another run")

    monkeypatch.setattr(settled, "hold_run", held)
    run(study)
    assert command(study).said() is None


def test_of_very_many_files_nothing_is_kept(study, monkeypatch):
    monkeypatch.setattr(settled, "MANY", 0)
    run(study)
    assert not command(study).note.exists()
