"""Measure how fast logs are read, against the usual tools; write docs/explanation/performance.md.

    run.py OUTPUT [--runs N] [--trace-seconds S]        (make bench)

Every comparison runs both sides in turn on the same files and the same two cores, checks that both
give the same numbers, and takes medians; times are those of the whole process from outside, and of
reading and parsing alone as benchmarks/read.py measures it. The data are made in a temporary
directory: logs of data/raw, many times over, and what iperf3 and ns-2 write here.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import polars as pl

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent
SERVER_LOGS = "data/raw/testbed-router/*/*/*/*/flow?.server.log.gz"
N_LOGS = 6000
MANY = 3  # times as many logs, where start-up should not count
JSON_BYTES = 100 * 10**6
READ_FORMATS = {"iperf2": "iperf 2 text", "ns2-trace": "ns-2 trace", "iperf3-json": "iperf3 JSON"}


WORKFLOW = "## The whole workflow\n"  # what benchmarks/workflow.py writes, below; it is kept
WANTED = {"iperf 2 text": 1, "iperf3 JSON": 1, "ns-2 trace": 5}  # times as fast


class Cost(NamedTuple):
    """What a process cost: seconds and CPU-seconds; and what it printed."""

    wall_s: float
    cpu_s: float
    output: str


def run(command: list[str], folder: Path) -> Cost:
    """Run a command to its end on the cores of this process."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        output.seek(0)
        text = output.read().decode()
    if status:
        raise SystemExit(f"{' '.join(command[:4])} ... failed with status {status}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, text)


def reader(format_name: str, output: Path, listed: Path, warm: bool = False) -> list[str]:
    """Return the command that reads the logs of a list."""
    script = [sys.executable, str(HERE / "read.py"), format_name, str(output), str(listed)]
    return [*script, "warm"] if warm else script


def compare(ours: list[str], theirs: list[str], folder: Path, runs: int, inside: bool) -> dict:
    """Run two commands in turn; return the medians, `ratio` is theirs over ours.

    inside: of ours count only the seconds that it prints, those of reading and parsing.
    """
    pairs, peak = [], 0
    for _ in range(runs):
        mine, other = run(ours, folder), run(theirs, folder)
        said = json.loads(mine.output)
        peak = max(peak, said["peak"])
        if inside:
            mine = mine._replace(wall_s=said["wall"], cpu_s=said["cpu"])
        pairs.append((mine, other))
    middle = statistics.median
    return {
        "ours": middle(m.wall_s for m, _ in pairs),
        "theirs": middle(t.wall_s for _, t in pairs),
        "ratio": middle(t.wall_s / m.wall_s for m, t in pairs),
        "cpu_ratio": middle(t.cpu_s / m.cpu_s for m, t in pairs),
        "peak": peak,
        "output": pairs[-1][1].output,
    }


def list_files(paths: list[Path], file: Path) -> Path:
    """Write paths to a file, one a line."""
    file.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return file


def copy_logs(sources: list[bytes], folder: Path, n: int) -> list[Path]:
    """Write n plain logs, the sources in turn."""
    paths = [folder / f"run{i // 2:05d}" / f"flow{i % 2 + 1}.log" for i in range(n)]
    for i, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sources[i % len(sources)])
    return paths


def size_of(paths: list[Path]) -> int:
    """Return the bytes of files."""
    return sum(path.stat().st_size for path in paths)


def rows_of_iperf(folder: Path, runs: int) -> list[dict]:
    """Text of iperf 2: sum the bytes of each flow, against mawk."""
    sources = [gzip.decompress(path.read_bytes()) for path in sorted(ROOT.glob(SERVER_LOGS))]
    paths = copy_logs(sources, folder / "iperf", MANY * N_LOGS)
    rows = []
    for n, inside in ((N_LOGS // 10, True), (N_LOGS, True), (N_LOGS, False), (len(paths), False)):
        used, output = paths[:n], folder / "iperf"
        names = [str(path.relative_to(folder)) for path in used]
        listed = list_files(used, folder / "iperf.list")
        theirs = ["mawk", "-f", str(HERE / "flow_bytes.awk"), *names]
        row = compare(reader("iperf2", output, listed, inside), theirs, folder, runs, inside)
        said = dict(line.split() for line in row.pop("output").splitlines())
        flows = (
            pl.read_parquet(f"{output}.interval.parquet").group_by("file_id").agg(pl.sum("bytes"))
        )
        found = {names[i]: total for i, total in flows.rows()}
        row["equal"] = found == {name: int(total) for name, total in said.items()}
        what = f"iperf 2 text, {n} files"
        rows.append({**row, "what": what, "bytes": size_of(used), "inside": inside, "by": "mawk"})
    return rows


def make_trace(folder: Path, seconds: int) -> Path | None:
    """Let ns-2 make a trace; None where it is not installed."""
    if not shutil.which("ns"):
        return None
    trace = folder / "ns2.tr"
    subprocess.run(["ns", str(HERE / "make_trace.tcl"), str(seconds), str(trace)], check=True)
    return trace


def cut(trace: Path, share: float) -> Path:
    """Write the first part of a trace, whole lines."""
    with trace.open("rb") as source:
        head = source.read(int(trace.stat().st_size * share))
    part = trace.with_name("part.tr")
    part.write_bytes(head[: head.rfind(b"\n") + 1])
    return part


def rows_of_trace(folder: Path, runs: int, trace: Path) -> list[dict]:
    """A wired trace of ns-2: bytes and drops by second and flow, against two scripts of mawk."""
    cases = [
        (cut(trace, 0.1), True, "trace_tight"),
        (trace, True, "trace_tight"),
        (trace, True, "trace_usual"),
        (trace, False, "trace_tight"),
        (trace, False, "trace_usual"),
    ]
    rows = []
    for path, inside, script in cases:
        listed, output = list_files([path], folder / "trace.list"), folder / "trace"
        theirs = ["mawk", "-f", str(HERE / f"{script}.awk"), str(path)]
        ours = reader("ns2-trace", output, listed, inside)
        row = compare(ours, theirs, folder, runs, inside)
        said = {tuple(map(int, line.split())) for line in row.pop("output").splitlines()}
        row["equal"] = said == by_second(output)
        what = f"ns-2 trace, `{script}.awk`"
        rows.append({**row, "what": what, "bytes": size_of([path]), "inside": inside, "by": "mawk"})
    return rows


def by_second(output: Path) -> set[tuple[int, int, int, int]]:
    """Return (second, flow, bytes received, packets dropped) as `read.py` wrote them.

    A stream of the benchmark's trace has the number of its flow.
    """
    second = pl.col("t_start_s").cast(pl.Int64).alias("second")
    interval = pl.read_parquet(f"{output}.interval.parquet").filter(pl.col("packets") > 0)
    drop = pl.read_parquet(f"{output}.drop.parquet")
    dropped = drop.group_by(second=pl.col("t_s").floor().cast(pl.Int64), stream="flow_id").agg(
        dropped=pl.len().cast(pl.Int64)
    )
    rows = interval.select(second, "stream", "bytes").join(
        dropped, on=["second", "stream"], how="left"
    )
    return set(rows.with_columns(pl.col("dropped").fill_null(0)).rows())


def rows_of_json(folder: Path, runs: int) -> list[dict]:
    """JSON of iperf3, against loading it with orjson."""
    document = make_json(folder)
    paths = copy_logs([document], folder / "json", JSON_BYTES // len(document))
    total = sampled_bytes(json.loads(document))
    rows = []
    for n, inside in ((len(paths) // 10, True), (len(paths), True), (len(paths), False)):
        used, output = paths[:n], folder / "json"
        listed = list_files(used, folder / "json.list")
        theirs = [sys.executable, str(HERE / "load_json.py"), str(listed)]
        row = compare(reader("iperf3-json", output, listed, inside), theirs, folder, runs, inside)
        row.pop("output")
        interval = pl.read_parquet(f"{output}.interval.parquet")
        flows = interval.group_by("file_id").agg(pl.sum("bytes"))
        row["equal"] = dict(flows.rows()) == dict.fromkeys(range(n), total)
        what = f"iperf3 JSON, {n} files"
        rows.append({**row, "what": what, "bytes": size_of(used), "inside": inside, "by": "orjson"})
    return rows


def make_json(folder: Path) -> bytes:
    """Let iperf3 write a document of 200 intervals of two streams, over the loopback."""
    server = subprocess.Popen(["iperf3", "-s", "-1", "-p", "52011"], stdout=subprocess.DEVNULL)
    time.sleep(1)
    client = ["iperf3", "-c", "127.0.0.1", "-p", "52011", "-P", "2", "-b", "50M", "-t", "20"]
    document = run([*client, "-i", "0.1", "-J"], folder).output.encode()
    server.wait(timeout=30)
    return document


def sampled_bytes(document: dict) -> int:
    """Return the bytes of all intervals but those that the test omits."""
    streams = [s for interval in document.get("intervals", []) for s in interval["streams"]]
    return sum(s["bytes"] for s in streams if not s["omitted"])


def page(rows: list[dict], skipped: list[str], compile_s: dict[str, float], runs: int) -> str:
    """Return docs/explanation/performance.md."""
    table = [
        "| input | size | measured | ours, s | theirs, s | times as fast | by CPU time | peak "
        "| same result |",
        "|---|--:|---|--:|--:|--:|--:|--:|---|",
    ]
    for r in rows:
        measured = "reading and parsing" if r["inside"] else "whole process"
        table.append(
            f"| {r['what']} | {r['bytes'] / 1e6:.0f} MB | {measured} | {r['ours']:.2f} "
            f"| {r['theirs']:.2f} ({r['by']}) | {r['ratio']:.1f} ({WANTED[kind(r)]}) "
            f"| {r['cpu_ratio']:.1f} | {r['peak'] / 1e6:.0f} MB "
            f"| {'yes' if r['equal'] else '**no**'} |"
        )
    table += [f"| {what} | | skipped | | | | | | |" for what in skipped]
    linear = []
    for small, large in pairwise(rows):
        if kind(small) == kind(large) and (
            small["bytes"] * 5 < large["bytes"] and small["inside"] and large["inside"]
        ):
            times, cost = large["bytes"] / small["bytes"], large["ours"] / small["ours"]
            linear.append(
                f"- {kind(small)}: {times:.1f} times the input took {cost:.1f} times as long."
            )
    compiled = [f"{READ_FORMATS[name]} {s:.0f} s" for name, s in compile_s.items()]
    cores = len(os.sched_getaffinity(0))
    made, load = f"{datetime.now(UTC):%Y-%m-%d}", os.getloadavg()[2]
    return f"""# Performance

Written by `make bench` on {made}: Python {platform.python_version()}, {processor()}, {cores} cores,
{runs} runs of both sides in turn, medians, in wall-clock seconds. 'Times as fast' is the median
over the pairs of their time over ours; what we want is in brackets. On average {load:.1f}
processes, ours among them, wanted to run. 'By CPU time' depends less on other programs and counts
both cores. 'Peak' is that of memory.

{chr(10).join(table)}

{shortfall(rows)}

- *Reading and parsing* is `ingest.parse_entries`: from the files on disk to all tables in memory.
  *Whole process* is `benchmarks/read.py`: Python starts, imports Polars and Numba, loads what is
  compiled, reads, and writes Parquet. mawk and orjson are always the whole process, on one core.
  They make sums or Python objects. Ours makes tables in which every sample names its line, and
  accounts for every byte.
- iperf 2: the server logs of `data/raw/testbed-router`, repeated many times. One mawk over all
  files sums the bytes of each flow (`benchmarks/flow_bytes.awk`).
- ns-2: a trace that ns-2 makes (`benchmarks/make_trace.tcl`). `trace_usual.awk` names all fields of
  every line, as the usual scripts do. `trace_tight.awk` is as fast as we could make it.
- iperf3: a document that iperf3 writes here, repeated many times, which orjson loads one by one.
- The rule `read_logs` also hashes every file (SHA-256, about 0.5 s for each GB), checks the labels
  and settles which log is which flow. That is not in these figures.

## Growth

{chr(10).join(linear)}

Memory: traces are scanned in pieces of 4 MB, so a longer trace takes no more, except for its
drops and its seconds. For other logs the tables stay in memory, and contents of up to 256 MB
between the inventory and the parsing.

## First use

The scanners are compiled by `make` in set-up, or when they are first used.
Once, this takes: {", ".join(compiled)}.
Numba keeps the result next to the modules, in the user's cache directory where they cannot be
written, and nowhere where that cannot be written either. `NUMBA_CACHE_DIR` names another place.
Jobs that start at once may each compile. Files are replaced as a whole.

## Again

    make bench

It takes some minutes (and the whole workflow below as many as it says), 2 GB in the temporary
directory (`TMPDIR`), mawk, and, or their rows are skipped, iperf3 with orjson
(`pip install orjson`) and ns. Other programs on the machine disturb it.
"""


def shortfall(rows: list[dict]) -> str:
    """Say which comparisons are slower than wanted."""
    slow = [
        f"{r['what']}, {'reading and parsing' if r['inside'] else 'whole process'}"
        for r in rows
        if r["ratio"] < WANTED[kind(r)]
    ]
    return "Slower than wanted: " + "; ".join(slow) + "." if slow else "All are as fast as wanted."


def kind(row: dict) -> str:
    """Return what a row is a measurement of: a key of WANTED."""
    return row["what"].partition(",")[0]


def processor() -> str:
    """Return the name of the processor."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((x.partition(": ")[2] for x in lines if x.startswith("model name")), "?")


def compile_time(format_name: str, log: Path, folder: Path) -> float:
    """Return the seconds that reading one log takes longer when nothing is compiled yet."""
    listed = list_files([log], folder / "one.list")
    cache = folder / f"cache-{format_name}"
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
    command = reader(format_name, folder / "one", listed)
    seconds = [json.loads(run(command, folder).output)["wall"] for _ in range(2)]
    del os.environ["NUMBA_CACHE_DIR"]
    return seconds[0] - seconds[1]


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trace-seconds", type=int, default=150)
    options = parser.parse_args()
    if not shutil.which("mawk"):
        raise SystemExit("mawk is not installed: it is what is compared with")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    os.environ["PYTHONPATH"] = str(ROOT / "workflow")
    rows, skipped, compile_s = [], [], {}
    with tempfile.TemporaryDirectory(prefix="evenflow-bench-") as name:
        folder = Path(name)
        print("iperf 2", flush=True)
        rows += rows_of_iperf(folder, options.runs)
        compile_s["iperf2"] = compile_time("iperf2", folder / "iperf/run00000/flow1.log", folder)
        shutil.rmtree(folder / "iperf")
        print("iperf3 JSON", flush=True)
        if shutil.which("iperf3") and find_spec("orjson"):
            rows += rows_of_json(folder, options.runs)
            one = folder / "json/run00000/flow1.log"
            compile_s["iperf3-json"] = compile_time("iperf3-json", one, folder)
        else:
            skipped.append("iperf3 JSON: iperf3 or orjson is not installed")
        print("ns-2", flush=True)
        trace = make_trace(folder, options.trace_seconds)
        if trace:
            rows += rows_of_trace(folder, options.runs, trace)
            compile_s["ns2-trace"] = compile_time("ns2-trace", folder / "part.tr", folder)
        else:
            skipped.append("ns-2 trace: ns is not installed")
    before = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
    _, heading, others = before.partition(WORKFLOW)
    text = page(rows, skipped, compile_s, options.runs)
    options.output.write_text(text + (f"\n{heading}{others}" if heading else ""), encoding="utf-8")
    if not all(row["equal"] for row in rows):
        raise SystemExit("the results differ: see the last column")


if __name__ == "__main__":
    main()
