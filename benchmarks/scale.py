"""Measure data sets of many runs: what each rule takes, one run more, nothing to do.

    scale.py FOLDER RUNS... [--tree T] [--targets page|tables]

In FOLDER (a new one, outside of the repository) for each number of runs a project with one data
set, `scale`: the runs of one of ours, as often as it takes, its files linked (FOLDER is on the same
disk). Made are the tables of the data set, or its page; then one run more, which is copied, then
nothing. With --tree it is the workflow of another checkout, to compare with. Writes
FOLDER/scale.md: CPU time and peak memory of every process, by rule. Wall times say little on a
machine with other work; CPU times and peaks do.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "data/raw/testbed-router"
NAME = "scale"
TABLES = ["finding", "run_file", "cell", "sensitivity"]
# read by every Python that starts: a line a script, when it has ended
WATCH = """
import atexit, json, os, re, resource, sys, time
def say(begin=time.time()):
    name = re.search(r"\\\\.(\\\\w+)\\\\.py$", sys.argv[0] if sys.argv else "")
    used = resource.getrusage(resource.RUSAGE_SELF)
    about = [name[1] if name else "snakemake", used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]
    with open({path!r}, "a") as out:
        out.write(json.dumps([*about, time.time() - begin]) + "\\\\n")
atexit.register(say)
"""


def make_project(folder: Path, tree: Path) -> None:
    """Copy the workflow of a checkout, without papers and data sets."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=tree, text=True).split("\0")
    for name in filter(None, names):
        if name.startswith(("data/raw/", "tests/", "results/")) or re.match("reports/[^_]", name):
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / name, folder / name)


def link_runs(folder: Path, first: int, last: int) -> None:
    """Add runs to the data set: links to those of SOURCE, again and again in new folders."""
    runs = sorted(record.parent for record in SOURCE.rglob("run.json"))
    for i in range(first, last):
        run = runs[i % len(runs)]
        target = folder / f"copy{i // len(runs)}" / run.relative_to(SOURCE)
        target.mkdir(parents=True)
        for file in run.iterdir():
            # symbolic links take longer to look at than files; another link changes those before
            (os.link if first == 0 else shutil.copy2)(file, target / file.name)


def describe(folder: Path) -> None:
    """Write dataset.yml: copies are repeats."""
    text = (SOURCE / "dataset.yml").read_text(encoding="utf-8")
    text = text.replace('path: "', 'path: "copy{copy}/') + "pool_over: [copy]\n"
    folder.mkdir(parents=True)
    (folder / "dataset.yml").write_text(text, encoding="utf-8")


def snakemake(project: Path, targets: list[str]) -> dict[str, list]:
    """Make targets; return {rule or what: [processes, CPU s, peak MB, wall s]}."""
    said = project / "usage.jsonl"
    said.unlink(missing_ok=True)
    (project / "watch").mkdir(exist_ok=True)
    watch = WATCH.format(path=str(said)).replace("\\\\", "\\")
    (project / "watch/sitecustomize.py").write_text(watch, encoding="utf-8")
    begin = time.perf_counter()
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--", *targets]
    paths = {"PYTHONPATH": str(project / "watch")}
    with (project / "snakemake.log").open("w") as log:
        done = subprocess.run(command, cwd=project, stdout=log, stderr=log, env=os.environ | paths)
    wall = time.perf_counter() - begin
    if done.returncode:
        raise SystemExit(f"the workflow failed: see {project}/snakemake.log")
    found: dict[str, list] = {}
    for line in said.read_text(encoding="utf-8").splitlines():
        name, cpu, peak, took = json.loads(line)
        of_rule = found.setdefault(name, [0, 0.0, 0.0, 0.0])
        of_rule[:] = [of_rule[0] + 1, of_rule[1] + cpu, max(of_rule[2], peak), of_rule[3] + took]
    found["all"] = [sum(n for n, *_ in found.values()), sum(c for _, c, *_ in found.values()),
                    max(p for *_, p, _ in found.values()), wall]  # fmt: skip
    return found


def measure(folder: Path, runs: int, tree: Path, targets: list[str]) -> dict[str, dict]:
    """Measure a data set of so many runs."""
    make_project(folder, tree)
    raw = folder / "data/raw" / NAME
    describe(raw)
    link_runs(raw, 0, runs)
    found = {"everything": snakemake(folder, targets)}
    link_runs(raw, runs, runs + 1)
    return found | {"one run more": snakemake(folder, targets),
                    "nothing to do": snakemake(folder, targets)}  # fmt: skip


def table(runs: int, measured: dict[str, dict]) -> str:
    """Return rows of a table in markdown: a rule each of what was done."""
    return "\n".join(
        f"| {runs:,} | {what} | `{rule}` | {n} | {cpu:.1f} | {peak:.0f} | {wall:.0f} |"
        for what, by_rule in measured.items()
        for rule, (n, cpu, peak, wall) in sorted(by_rule.items(), key=lambda item: -item[1][1])
        if cpu >= 0.05 * by_rule["all"][1]
    )


HEAD = """| runs | what | rule | processes | CPU, s | peak of one, MB | wall, s |
|--:|---|---|--:|--:|--:|--:|"""


def main() -> None:
    """Measure all that was asked for, smallest first."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", type=int, nargs="+")
    parser.add_argument("--tree", type=Path, default=ROOT, help="checkout whose workflow it is")
    parser.add_argument("--targets", choices=["page", "tables"], default="page")
    options = parser.parse_args()
    targets = [f"data/derived/{NAME}/{name}.parquet" for name in TABLES]
    if options.targets == "page":
        targets.append(f"reports/_site/datasets/{NAME}/index.html")
    options.folder.mkdir(parents=True, exist_ok=True)
    out, rows = options.folder / "scale.md", [HEAD]
    for runs in sorted(options.runs):
        found = measure(options.folder / str(runs), runs, options.tree, targets)
        rows.append(table(runs, found))
        out.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
