"""`snakemake verify`: what was tampered with is found; on tiny data sets and one paper.

One run makes everything; then the project is tampered with in two ways, and verified once.
"""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import started
from evenflow.markdown import NO_BREAK_SPACE
from small_project import commit
from test_workflow import ROOT, built_project

CONFIG = """
datasets: [tiny-testbed, tiny-ns2]
steady_state: {warmup_s: 20, sensitivity_warmup_s: [20]}
"""
CELL = "data/derived/tiny-testbed/cell.parquet"
FIGURE = "reports/tiny-paper/figures/throughput.svg"
PAGE = "reports/_site/tiny-paper/index.html"
VARIABLES = "reports/tiny-paper/_variables.yml"
OTHER_PAGE = "reports/_site/datasets/tiny-ns2/index.html"
OTHER_TABLE = "reports/tiny-paper/tables/claims.md"
LOG = "data/raw/tiny-testbed/comparison/newreno-bic/rtt25_opb60/r1/flow1.server.log.gz"


def snakemake(project: Path, *words: str) -> subprocess.CompletedProcess:
    """Run Snakemake; what it says as stdout and as stderr apart."""
    command = [sys.executable, "-m", "snakemake", *told(project, *words)]
    return subprocess.run(
        command, cwd=project, env=environment(), capture_output=True, text=True, timeout=1200
    )


def told(project: Path, *words: str) -> list[str]:
    config = str(project / "config/tiny.yaml")
    return ["--cores", "2", "--quiet", "all", "--configfile", config, *words]


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": started.path_of_tests()}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A git repository whose raw files are listed, with everything made and the numbers kept."""
    folder = built_project(tmp_path_factory, "verify")
    (folder / "config/tiny.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / PAGE).unlink()  # to be rendered from a commit
    for target in ("write_manifest", "write_expected", "all"):
        if target == "all":
            commit(folder)
        done = started.snakemake(folder, *told(folder, "--", target), env=environment())
        assert done.returncode == 0, done.stdout[-3000:]
    assert "Rendered from commit" in (folder / PAGE).read_text(encoding="utf-8")
    return folder


def alter(path: Path, old: str, new: str) -> None:
    """Change a text in a file, and give the file the time that it had."""
    about, text = path.stat(), path.read_text(encoding="utf-8")
    assert old in text, path
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))


def everything(project: Path) -> dict[str, bytes]:
    """Return the files of the project, but for Snakemake's own and logs."""
    files = (path for path in project.rglob("*") if path.is_file())
    own = (".snakemake", ".evenflow", "logs", "__pycache__")
    kept = (path for path in files if not set(own) & set(path.relative_to(project).parts))
    return {path.relative_to(project).as_posix(): path.read_bytes() for path in kept}


def test_what_was_tampered_with_is_found_and_nothing_else(project):
    """A number changed by hand in a table; a figure and a page older than their data.

    And an expected value that is another one than the logs give.
    """
    surface = project / "data/derived/papers/tiny-paper/surface.parquet"
    kept = "results/expected/tiny-paper/published.md"
    altered = (CELL, FIGURE, PAGE, kept, VARIABLES, OTHER_PAGE, OTHER_TABLE)
    right = {path: (project / path).read_bytes() for path in altered}
    cell = pl.read_parquet(project / CELL)
    cell.with_columns(mean=pl.col("mean") * 1.001).write_parquet(project / CELL)
    # the figure is drawn of other data, and then older than its data
    fresh = surface.read_bytes()
    old = pl.read_parquet(surface).with_columns(mean=pl.col("mean") * 0.9)
    old.write_parquet(surface)
    done = snakemake(project, "--allowed-rules", "figures_tiny-paper", "render_report", "--", PAGE)
    assert done.returncode == 0, done.stdout + done.stderr
    surface.write_bytes(fresh)
    assert (project / FIGURE).stat().st_mtime < surface.stat().st_mtime
    assert (project / FIGURE).read_bytes() != right[FIGURE]
    slash = f"{NO_BREAK_SPACE}/{NO_BREAK_SPACE}"
    wrong = right[kept].decode().replace(f"27.1{slash}36.8", f"27.1{slash}38.8")
    assert wrong != right[kept].decode()
    (project / kept).write_text(wrong, encoding="utf-8")
    # by one in their last digit, with size and time as they were: a number of runs, a mean
    alter(project / VARIABLES, "n_runs: '12'", "n_runs: '13'")
    alter(project / OTHER_PAGE, "24 runs", "25 runs")
    alter(project / OTHER_TABLE, "at most 0.90", "at most 0.91")
    before = everything(project)

    done = snakemake(project, "--", "verify")

    assert done.returncode != 0
    assert "error: not everything agrees" in done.stderr
    said = done.stdout
    found = {line.split(", ")[0] for line in said.splitlines() if line.startswith("DIFFERS: ")}
    drawn = {path for path in found if path.endswith(".svg")}
    assert f"DIFFERS: {FIGURE}" in drawn
    assert all("/tiny-paper/figures/" in path for path in drawn)
    pages = {path for path in found if "/tiny-paper/" in path and "_site" in path}
    assert f"DIFFERS: {PAGE}" in pages
    # names the commit and no figure: it was made again in no repository, as of the same commit
    assert f"DIFFERS: {PAGE.replace('index.html', 'tiny-paper.bib')}" not in pages
    by_one = {f"DIFFERS: {path}" for path in (VARIABLES, OTHER_PAGE, OTHER_TABLE)}
    record = "reports/tiny-paper/provenance.json"  # of the page of the other figure, made with it
    others = {f"DIFFERS: {path}" for path in (CELL, "tiny-paper/published.md", record)}
    assert found - drawn - pages == others | by_one
    assert f"DIFFERS: {CELL}, mean, row 1: here" in said
    row = next(line for line in said.splitlines() if "Flow 2, newreno-newreno" in line)
    row = row.replace(NO_BREAK_SPACE, " ")
    cells = [cell.strip() for cell in row.split("  ") if cell.strip()]
    ours, now = "27.1 / 38.8 / 46.5 (2)", "27.1 / 36.8 / 46.5 (2)"
    assert cells[1:] == ["8.1 / 25.7 / 49.4", ours, now, "DIFFERS"]
    assert everything(project) == before  # a verification changes nothing
    for path, content in right.items():
        (project / path).write_bytes(content)


def test_a_raw_log_altered_by_one_byte_is_named_before_anything_runs(project):
    log = project / LOG
    right = log.read_bytes()
    content = bytearray(right)
    content[9] ^= 1  # the operating system in the header of gzip: no byte of the log itself
    assert gzip.decompress(bytes(content)) == gzip.decompress(right)
    log.write_bytes(bytes(content))
    try:
        done = snakemake(project, "--", "verify")
        listed = snakemake(project, "--", "write_manifest")
    finally:
        log.write_bytes(right)
    assert done.returncode != 0
    assert f"ALTERED: {LOG}\n" in done.stdout
    assert "Making everything anew" not in done.stdout
    # and it does not slip into the manifest
    assert listed.returncode != 0
    assert "1 altered, 0 missing" in listed.stderr + listed.stdout


def test_a_raw_log_that_was_altered_on_purpose_is_listed_as_it_is_now(project):
    manifest = project / "results/manifest/raw/tiny-testbed.sha256"
    log = project / LOG
    right, listed = log.read_bytes(), manifest.read_bytes()
    make = ["make", "--dry-run", "manifest", "ACCEPT=1"]
    said = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    command = next(line for line in said.splitlines() if line.endswith("-- write_manifest"))
    log.write_bytes(right + gzip.compress(b"\n"))
    try:
        done = snakemake(project, *command[command.index("--config ") :].split())
        now = manifest.read_bytes()
    finally:
        log.write_bytes(right)
        manifest.write_bytes(listed)
    assert done.returncode == 0, done.stdout + done.stderr
    changed = set(now.splitlines()) ^ set(listed.splitlines())
    assert changed and all(LOG.rpartition("/")[2].encode() in line for line in changed)
