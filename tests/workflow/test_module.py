"""The workflow as a Snakemake module, in a study elsewhere, next to rules and files of others.

The study has a Snakefile of a few lines and the logs of three runs: no configuration, no paper.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import started

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "workflow"
MODULE = """from evenflow.places import SNAKEFILE
module evenflow:
    snakefile: SNAKEFILE
{with_}
use rule * from evenflow{as_}
"""
GUIDE = (ROOT / "docs/guides/own-study.md").read_text(encoding="utf-8")
# as the guide prints them
BY_HAND, OWN_RULES, DEPLOYED = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
# rules of others, with an output where evenflow's are
MINE = """
rule mine:
    input: "data/derived/mine/run.parquet"
    output: "data/derived/own/mine.txt"
    shell: "echo mine > {output}"
rule top:
    default_target: True
    input: rules.evenflow_all.input, "data/derived/own/mine.txt"
"""
TABLES, SITE = "data/derived", "reports/_site"
PAGE = f"{SITE}/datasets/mine/index.html"
# of others, before the first run: where evenflow writes, with names as its own temporary files'
STRANGERS = [
    f"{TABLES}/thesis/result.csv",
    f"{TABLES}/mine/notes.txt",
    f"{TABLES}/gone/run.parquet",
    f"{TABLES}/own/.notes.markdown",
    f"{SITE}/notes/index.html",
    f"{SITE}/datasets/mine/.own.abcdefgh",
    f"{SITE}/.git/HEAD",
    "reports/draft/figures/mine.svg",
    "experiments/theirs/rules.smk",
    "logs/mine.log",
    "thesis.tex",
]
AHEAD_S = 2e9  # 2033


def log(port: int) -> str:
    lines = [f"[  3] local 10.0.0.2 port 5001 connected with 10.0.0.1 port {port}"]
    lines += ["[ ID] Interval       Transfer     Bandwidth"]
    lines += [
        f"[  3] {t:.1f}-{t + 1:.1f} sec  5.60 MBytes  {46 + t % 3}.0 Mbits/sec" for t in range(60)
    ]
    return "\n".join(lines) + "\n"


def make_study(folder: Path, raw: str = "data/raw", with_: str = "", as_: str = "") -> Path:
    logs = folder / raw / "mine"
    logs.mkdir(parents=True)
    for run in range(1, 4):
        (logs / f"cubic_run{run}.log").write_text(log(40000 + run))
    (folder / "Snakefile").write_text(MODULE.format(with_=with_, as_=as_))
    return folder


def snakemake(folder: Path, *words: str) -> subprocess.CompletedProcess:
    env = {key: value for key, value in os.environ.items() if not key.startswith("EVENFLOW_")}
    env |= {"PYTHONPATH": str(WORKFLOW)}
    return started.snakemake(folder, "--cores", "2", *words, env=env)


def put_strangers(folder: Path) -> None:
    for name in STRANGERS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("theirs")
        os.utime(folder / name, (AHEAD_S, AHEAD_S))


def state(folder: Path) -> dict[str, tuple]:
    """What is known of each file, but of Snakemake's memory, by path."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.relative_to(folder).parts:
            about = path.stat()
            seen = (path.read_bytes(), about.st_mtime_ns, about.st_ctime_ns)
            found[path.relative_to(folder).as_posix()] = seen
    return found


def only_look(study: Path) -> None:
    """Say each word that only looks: no file has changed after it, but for .snakemake."""
    before = state(study)
    for words in (["-n"], ["--list"], ["--lint"], ["--summary"], ["--dag"]):
        done = snakemake(study, *words)
        assert done.returncode == 0 or words == ["--lint"], done.stdout[-3000:]
        assert "Traceback" not in done.stdout and state(study) == before, words


def strangers(folder: Path) -> dict[str, tuple]:
    return {name: seen[:2] for name, seen in state(folder).items() if name in STRANGERS}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A study with strangers' files and rules, as it was looked at, and made; and what was said."""
    study = make_study(tmp_path_factory.mktemp("study") / "study", as_=" as evenflow_*")
    with (study / "Snakefile").open("a") as snakefile:
        snakefile.write(MINE)
    put_strangers(study)
    before = state(study)
    only_look(study)
    done = snakemake(study)
    assert done.returncode == 0, done.stdout[-3000:]
    return study, before


def test_a_data_set_next_to_rules_and_files_of_others_is_made_and_they_are_left(built):
    study, before = built
    assert {k: v[:2] for k, v in before.items() if k in STRANGERS} == strangers(study)
    run = pl.read_parquet(study / TABLES / "mine/run.parquet")
    assert len(run) == 3
    page = (study / PAGE).read_text(encoding="utf-8")
    assert "workflow/" not in page or str(WORKFLOW) not in page
    assert "Made with" in page  # which evenflow: a commit, or files of no repository
    assert (study / TABLES / "own/mine.txt").read_text() == "mine\n"
    assert (study / SITE / "index.html").is_file()
    assert "Nothing to be done" in snakemake(study).stdout


def test_receipts_and_what_was_made_follow_what_is_gone_and_strangers_stay(built):
    """The hooks of a run work in a module: what is gone goes, what was edited is set aside."""
    study, _ = built
    before = strangers(study)
    (study / PAGE).write_text("my own words")
    done = snakemake(study, "--", PAGE)
    assert done.returncode == 0 and f"{PAGE} was changed after it was made" in done.stdout
    assert [p.read_text() for p in study.glob("set-aside/*/reports/**/*.html")] == ["my own words"]
    text = (study / "Snakefile").read_text()
    (study / "data/raw/mine").rename(study / "data/raw/renamed")
    (study / "Snakefile").write_text(text.replace("derived/mine/", "derived/renamed/"))
    try:
        done = snakemake(study)
        assert done.returncode == 0, done.stdout[-3000:]
        assert not (study / TABLES / "mine/run.parquet").exists()
        assert (study / f"{SITE}/datasets/renamed/index.html").is_file()
        assert strangers(study) == before
    finally:
        (study / "data/raw/renamed").rename(study / "data/raw/mine")
        (study / "Snakefile").write_text(text)


def test_looking_with_receipts_and_a_run_without_them_leave_strangers(built):
    study, _ = built
    before = strangers(study)
    assert len(before) == len(STRANGERS)
    only_look(study)
    shutil.rmtree(study / ".evenflow")
    only_look(study)
    done = snakemake(study)  # nothing is known of what lies there: it is set aside, and made again
    assert done.returncode == 0, done.stdout[-3000:]
    assert strangers(study) == before and (study / PAGE).is_file()
    assert "Nothing to be done" in snakemake(study).stdout


def test_a_job_that_fails_is_said_at_the_end_and_its_page_has_a_notice(tmp_path):
    study = make_study(tmp_path / "study")
    (study / "data/raw/mine/dataset.yml").write_text("titel: x\n")
    done = snakemake(study)
    assert done.returncode and "data/raw/mine could not be made" in done.stdout
    assert "could not be made" in (study / PAGE).read_text(encoding="utf-8")


def test_folders_of_a_study_may_have_other_names(tmp_path):
    places = "{'raw': 'logs-of-mine', 'derived': 'ev/tables', 'reports': 'ev/pages'}"
    study = make_study(tmp_path / "study", "logs-of-mine", f"    config: {{'folders': {places}}}")
    (study / "ev/tables/old").mkdir(parents=True)
    (study / "ev/tables/old/theirs.csv").write_text("theirs")
    done = snakemake(study)
    assert done.returncode == 0, done.stdout[-3000:]
    page = study / "ev/pages/_site/datasets/mine/index.html"
    assert "logs-of-mine/mine/dataset.yml" in page.read_text(encoding="utf-8")
    assert (study / "ev/tables/mine/run.parquet").is_file()
    assert not (study / "data").exists() and not (study / "reports").exists()
    (study / "logs-of-mine/mine").rename(study / "logs-of-mine/renamed")
    done = snakemake(study)
    assert done.returncode == 0, done.stdout[-3000:]
    assert not page.exists() and not (study / "ev/tables/mine").exists()
    assert (study / "ev/tables/old/theirs.csv").read_text() == "theirs"
    clean = [sys.executable, "-m", "evenflow.runs.clean"]
    subprocess.run(clean, cwd=study, env=os.environ | {"PYTHONPATH": str(WORKFLOW)}, check=True)
    left = {path.name for path in (study / "ev").rglob("*") if path.is_file()}
    assert left == {"theirs.csv"}


@pytest.mark.parametrize("snakefile", [DEPLOYED, DEPLOYED.replace("configfile:", "# ")])
def test_in_the_layout_that_snakedeploy_writes(tmp_path, snakefile):
    """Its Snakefile is workflow/Snakefile, and hands the configuration on; or nothing of it."""
    study = make_study(tmp_path / "study")
    (study / "Snakefile").unlink()
    (study / "workflow").mkdir()
    (study / "workflow/Snakefile").write_text(snakefile)
    (study / "config").mkdir()
    (study / "config/config.yaml").write_text("steady_state: {warmup_s: 30}\n")
    done = snakemake(study, "--", f"{TABLES}/mine/window.parquet")
    assert done.returncode == 0, done.stdout[-3000:]
    window = pl.read_parquet(study / TABLES / "mine/window.parquet")
    assert set(window["warmup_s"]) == {30.0}
    done = snakemake(study, "-n", "--config", "papers=['nosuch']")
    assert done.returncode and "there is no paper nosuch" in done.stdout, done.stdout


@pytest.mark.parametrize("name", ["as evenflow_*", "as ev_*", ""])
@pytest.mark.parametrize("first", [True, False])
def test_by_default_a_study_s_own_rule_all_is_made_or_ours(tmp_path, name, first):
    """Wherever it stands; without one, or with rules of other names, it is ours."""
    ours = f"use rule * from evenflow {name}"
    own = "rule mine:\n    output: 'mine.txt'\n    shell: 'echo mine > {output}'\n"
    study = make_study(tmp_path / "study")
    module = BY_HAND.replace("use rule * from evenflow", ours)
    (study / "Snakefile").write_text(own + module if first else module + own)
    said = snakemake(study, "-n").stdout
    assert "Rendering the page of mine" in said and "rule mine:" not in said, said
    if name:
        own = f"rule all:\n    input: 'mine.txt'\n{own}"
        (study / "Snakefile").write_text(own + module if first else module + own)
        said = snakemake(study, "-n").stdout
        assert "rule all:" in said and "rule mine:" in said and "render" not in said, said


@pytest.mark.parametrize("paths", ["prefix: 'ev'", "replace_prefix: {'data/derived/': 'ev/'}"])
def test_a_prefix_is_refused_with_a_sentence_that_names_folders(tmp_path, paths):
    done = snakemake(make_study(tmp_path / "study", with_=f"    {paths}"), "-n")
    assert done.returncode and "Remedy: " in done.stdout and "`folders:`" in done.stdout


SAID = {
    "an unknown key": ("nru:\n  floor_segment: 2\n", ":2: unknown key 'floor_segment' in nru"),
    "a folder outside": ("folders: {raw: ../logs}\n", ":1: folders.raw: '../logs' cannot be used"),
    "a folder in another": ("folders:\n  derived: reports/x\n", ":2: folders.derived: reports/x"),
    "no section": ("nru: 3\n", ":1: nru: 3 is not of type 'object'"),
}


@pytest.mark.parametrize("name", ["config.yaml", "config/config.yaml"])
@pytest.mark.parametrize("case", SAID)
def test_what_a_study_s_configuration_says_wrong_is_named_with_its_line(tmp_path, case, name):
    study = make_study(tmp_path / "study")
    text, problem = SAID[case]
    (study / name).parent.mkdir(exist_ok=True)
    (study / name).write_text(text)
    done = snakemake(study, "-n")
    assert done.returncode and f"{name}{problem}" in done.stdout, done.stdout


def test_a_study_says_only_what_differs(tmp_path):
    study = make_study(tmp_path / "study")
    (study / "config.yaml").write_text("# short runs\nsteady_state: {warmup_s: 30}\n")
    done = snakemake(study, "--", f"{TABLES}/mine/window.parquet")
    assert done.returncode == 0, done.stdout[-3000:]
    window = pl.read_parquet(study / TABLES / "mine/window.parquet")
    assert set(window["warmup_from"]) == {"config.yaml"} and set(window["warmup_s"]) == {30.0}
    (study / "config.yaml").write_text("# nothing is said\n")
    assert snakemake(study, "-n").returncode == 0


@pytest.mark.parametrize("text", [None, "# nothing is said\n", "nru: {floor_segments: 3}\n"])
def test_a_setting_of_the_command_line_counts_whatever_the_file_says(tmp_path, text):
    """`evenflow manifest --accept` and `evenflow verify` hand settings on like this."""
    study = make_study(tmp_path / "study")
    if text:
        (study / "config.yaml").write_text(text)
    done = snakemake(study, "-n", "--config", "papers=['nosuch']")
    said = "papers: there is no paper nosuch. Remedy: known: none (a folder of reports/"
    assert done.returncode and said in done.stdout, done.stdout


def evenflow(folder: Path, *words: str) -> subprocess.CompletedProcess:
    env = {key: value for key, value in os.environ.items() if not key.startswith("EVENFLOW_")}
    env |= {"PYTHONPATH": str(WORKFLOW)}
    command = [sys.executable, "-m", "evenflow.command", *words]
    return subprocess.run(
        command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def test_every_command_works_in_the_study_with_rules_of_its_own_that_the_guide_prints(tmp_path):
    study = make_study(tmp_path / "study")
    (study / "data/raw/mine").rename(study / "data/raw/my-logs")
    (study / "Snakefile").write_text(OWN_RULES)
    for words in (["make"], ["manifest"], ["expected"], ["verify"]):
        done = evenflow(study, *words)
        assert done.returncode == 0, (words, done.stdout[-3000:])
        assert "localrules" not in done.stdout
    assert "Everything agrees." in done.stdout
    assert (study / TABLES / "own/mine.txt").is_file()
    assert (study / SITE / "datasets/my-logs/index.html").is_file()
    done = evenflow(study, "archive")
    remedy = re.search(r"no CITATION.cff.*\s+Remedy: (cp \S+ CITATION.cff),", done.stdout)
    assert "Cannot restore" not in done.stdout
    assert done.returncode and remedy, done.stdout[-3000:]
    assert subprocess.run(remedy[1], shell=True, cwd=study).returncode == 0
    done = evenflow(study, "archive")
    assert done.returncode and "still has STUDY_TITLE and TODAY" in done.stdout
    citation = study / "CITATION.cff"
    filled = citation.read_text().replace("STUDY_TITLE", "Mine").replace("TODAY", "2026-11-30")
    citation.write_text(filled)
    done = evenflow(study, "archive")
    assert done.returncode == 0 and (study / "dist/evenflow.zip").is_file(), done.stdout[-3000:]


def test_a_change_is_accepted_where_the_settings_are_in_the_snakefile(tmp_path):
    study = make_study(tmp_path / "study", with_="    config: {'nru': {'floor_segments': 3}}")
    assert evenflow(study, "manifest").returncode == 0
    (study / "data/raw/mine/cubic_run1.log").write_text(log(40009))
    done = evenflow(study, "manifest")
    assert done.returncode and "evenflow manifest --accept" in done.stdout, done.stdout[-3000:]
    done = evenflow(study, "manifest", "--accept")
    assert done.returncode == 0, done.stdout[-3000:]


def test_settings_in_the_snakefile_count_for_every_command_beside_a_file_of_the_study_s(tmp_path):
    """The commands hand all settings on: a module that has its own reads no file all the same."""
    study = make_study(tmp_path / "study", with_="    config: {'nru': {'floor_segments': 3}}")
    (study / "config").mkdir(exist_ok=True)
    (study / "config/config.yaml").write_text("samples: of a study\n")
    for words in (["manifest"], ["expected"], ["verify"]):
        done = evenflow(study, *words)
        assert done.returncode == 0, (words, done.stdout[-3000:])


def test_a_configuration_that_is_a_list_is_refused_with_its_name(tmp_path):
    study = make_study(tmp_path / "study", with_="    config: config")
    (study / "config.yaml").write_text("- papers\n")
    done = evenflow(study, "make")
    assert done.returncode and "Remedy" in done.stdout and "Traceback" not in done.stdout
