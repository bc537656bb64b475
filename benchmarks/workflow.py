"""Measure the whole workflow; add it to docs/explanation/performance.md.

    workflow.py OUTPUT [--folder F] [--whole-grid]        (make bench-workflow)

In a folder outside of the repository: the tracked files and the data sets (with --whole-grid those
of the grid as large as they are to become, which full_grid.py makes). Measured are: everything from
nothing; one run's logs more, of the data set that two papers are made of; that run changed, and
only the page of its data set asked for; a run of each other paper changed. In a second folder the
first two again, with Snakemake's own benchmark of every job: that tells the rules apart, and takes
time itself.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))
from evenflow.papers.find import find_papers  # noqa: E402

HEADING = "## The whole workflow"
CORES = 2
EVERYTHING, ONE_MORE = "everything", "one run more"
ONE_CHANGED = "one run changed, its data set's page"
WANTED_S = {EVERYTHING: 300}  # of wall time; of the others:
WANTED_AGAIN_S = 30
WANTED_MB = 1500  # of memory, any rule
OF_THE_REPOSITORY = "on the logs of this repository"
OF_THE_GRID = "on data of the size of the whole grid, made of the logs of this repository"
OF_THE_GRID += " (`benchmarks/full_grid.py`; they are no measurements and not kept)"
DONE = re.compile(r"^(\d+) of \1 steps \(100%\) done$", re.MULTILINE)  # Snakemake's last word
# of a rule; every one has its own
LOG = re.compile(r'^( +)log:\n +(f?)"logs/(\S+)\.log",\n', re.MULTILINE)


def a_run(dataset: str) -> str:
    """Return the folder of a run with as many repeats as any, from the root of the project."""
    runs = [record.parent for record in (ROOT / "data/raw" / dataset).rglob("run.json")]
    repeats = Counter(run.parent for run in runs)
    return max(runs, key=lambda run: (repeats[run.parent], run)).relative_to(ROOT).as_posix()


def runs_to_change() -> tuple[str, dict[str, str]]:
    """Return a data set that is the first of most papers, and a run of each paper without it."""
    papers = {
        name: list(paper.all_parts.values())
        for name, paper in find_papers(str(ROOT / "reports"), derived="").items()
    }
    ((most, _),) = Counter(datasets[0] for datasets in papers.values()).most_common(1)
    return most, {name: a_run(found[0]) for name, found in papers.items() if most not in found}


DATASET, OTHER_RUNS = runs_to_change()
ONE_RUN = a_run(DATASET)
ITS_PAGE = f"reports/_site/datasets/{DATASET}/index.html"


def prepare(folder: Path, whole_grid: bool, every_job: bool) -> Path:
    """Copy the repository, make or copy its data sets, take one run away; return the folder.

    With `every_job` Snakemake's own benchmark of each job is added to the rules.
    """
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, names):
        if not name.startswith("data/raw/"):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    # Snakemake has no option that benchmarks every rule
    for rules in (folder / "workflow/rules").glob("*.smk") if every_job else ():
        text = rules.read_text(encoding="utf-8")
        add = r'\g<0>\1benchmark:\n\1    \2"benchmark/\3.tsv",\n'
        rules.write_text(LOG.sub(add, text), encoding="utf-8")
    if whole_grid and not (folder / "data/raw").exists():
        script = [sys.executable, str(ROOT / "benchmarks/full_grid.py")]
        subprocess.run([*script, ROOT / "data/raw", folder / "data/raw"], cwd=ROOT, check=True)
    for source in (ROOT / "data/raw").glob("*/"):  # what is not made: as it is
        if not (folder / "data/raw" / source.name).exists():
            shutil.copytree(source, folder / "data/raw" / source.name)
    (folder / ONE_RUN).rename(folder / "one-run")
    return folder


def add_run(folder: Path) -> None:
    """Put back the run that `prepare` took away."""
    (folder / "one-run").rename(folder / ONE_RUN)


def snakemake(folder: Path, *targets: str) -> dict:
    """Run the workflow to its end or to targets; return wall and CPU time, load, number of jobs."""
    begin, times = time.perf_counter(), os.times()
    command = [sys.executable, "-m", "snakemake", "--cores", str(CORES), *targets]
    with (folder / "snakemake.log").open("w") as log:
        status = subprocess.run(command, cwd=folder, stdout=log, stderr=log).returncode
    wall, after = time.perf_counter() - begin, os.times()
    if status:
        raise SystemExit(f"the workflow failed: see {folder}/snakemake.log")
    cpu = sum(after[i] - times[i] for i in (2, 3))  # user and system time of the children
    n_jobs = int(DONE.findall((folder / "snakemake.log").read_text(encoding="utf-8"))[-1])
    return {"wall": wall, "cpu": cpu, "load": os.getloadavg()[1], "n_jobs": n_jobs}


def benchmark_jobs(folder: Path) -> pl.DataFrame:
    """Run the workflow; return rule, s, cpu_time (s) and max_rss (MB) of every job."""
    shutil.rmtree(folder / "benchmark", ignore_errors=True)
    snakemake(folder)
    tables = [
        pl.read_csv(path, separator="\t", null_values=["-", "NA"])
        .select(pl.col("s", "max_rss", "cpu_time").cast(pl.Float64))
        .with_columns(rule=pl.lit(path.parent.name))
        for path in sorted((folder / "benchmark").rglob("*.tsv"))
    ]
    return pl.concat(tables)


def rule_table(whole: pl.DataFrame, again: pl.DataFrame) -> str:
    """Return a row a rule: jobs, times, memory, and the CPU time of the second run."""
    sums = (
        whole.group_by("rule")
        .agg(pl.len().alias("n"), pl.sum("cpu_time", "s"), pl.max("max_rss"))
        .join(again.group_by("rule").agg(pl.sum("cpu_time").alias("again")), on="rule", how="left")
        .with_columns(share=100 * pl.col("cpu_time") / pl.col("cpu_time").sum())
        .sort("cpu_time", descending=True)
    )
    rows = [
        f"| `{r['rule']}` | {r['n']} | {r['cpu_time']:.1f} | {r['share']:.1f} % | {r['s']:.1f} "
        f"| {r['max_rss'] or 0:.0f} | {r['again'] or 0:.1f} |"
        for r in sums.rows(named=True)
    ]
    head = "| rule | jobs | CPU, s | share | wall, s | peak, MB | CPU, s, one run more |"
    return "\n".join([head, "|---|--:|--:|--:|--:|--:|--:|", *rows])


def section(
    measured: dict[str, dict], jobs: dict[str, pl.DataFrame], data: str, files: int, raw_mb: float
) -> str:
    """Return the part of docs/explanation/performance.md."""
    rows = [
        f"| {name} | {m['n_jobs']} | {m['wall']:.0f} | {WANTED_S.get(name, WANTED_AGAIN_S)} "
        f"| {m['cpu']:.0f} | {m['load']:.1f} |"
        for name, m in measured.items()
    ]
    whole, again = jobs[EVERYTHING], jobs[ONE_MORE]
    peak = whole.sort("max_rss", nulls_last=False).row(-1, named=True)
    n_cores = len(os.sched_getaffinity(0))
    within = "No rule needs" if peak["max_rss"] <= WANTED_MB else "**Not every rule stays below**"
    return f"""{HEADING}

Written by `benchmarks/workflow.py` on {datetime.now(UTC):%Y-%m-%d}:
`snakemake --cores {CORES}` with Python {platform.python_version()} without set-up, {data}:
{files:,} files, {raw_mb:.0f} MB compressed. Load is the mean number of processes,
including ours, that were ready to run in the last five minutes, on {n_cores} cores; CPU
time depends less on others.

| what | jobs | wall, s | wanted, s | CPU, s | load |
|---|--:|--:|--:|--:|--:|
{chr(10).join(rows)}

{within} more than {WANTED_MB} MB; most has `{peak["rule"]}`,
{peak["max_rss"]:.0f} MB. The next table is per rule. It comes from a second pass, because
Snakemake's benchmarks take time themselves. What Snakemake itself takes is in the table above only.

{rule_table(whole, again)}
"""


def main() -> None:
    """Measure, and write the section at the end of the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--folder", type=Path, help="kept; else a temporary one")
    parser.add_argument("--whole-grid", action="store_true", help="as large as it is to become")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="evenflow-bench-") as temporary:
        parent = options.folder or Path(temporary)
        folder = prepare(parent / "timed", options.whole_grid, every_job=False)
        measured = {EVERYTHING: snakemake(folder)}
        add_run(folder)
        measured[ONE_MORE] = snakemake(folder)
        (folder / ONE_RUN / "run.json").touch()
        measured[ONE_CHANGED] = snakemake(folder, ITS_PAGE)
        snakemake(folder)
        for paper, run in OTHER_RUNS.items():
            (folder / run / "run.json").touch()
            measured[f"one run changed, {paper}"] = snakemake(folder)
        second = prepare(parent / "benchmarked", options.whole_grid, every_job=True)
        jobs = {EVERYTHING: benchmark_jobs(second)}
        add_run(second)
        jobs[ONE_MORE] = benchmark_jobs(second)
        raw = [path for path in (folder / "data/raw").rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in raw) / 1e6
        data = OF_THE_GRID if options.whole_grid else OF_THE_REPOSITORY
        text = section(measured, jobs, data, len(raw), size)
    page, _, old = options.output.read_text(encoding="utf-8").partition(HEADING)
    _, heading, others = old.partition("\n## ")  # of other sections, which are kept
    options.output.write_text(f"{page.rstrip()}\n\n{text}{heading}{others}", encoding="utf-8")


if __name__ == "__main__":
    main()
