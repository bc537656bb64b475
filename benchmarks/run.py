"""Measure how fast logs are read, against what one would use instead.

    run.py OUTPUT [--runs N] [--trace-seconds S]        (make bench)

OUTPUT is docs/explanation/performance.md. Every comparison runs all ways in turn on the same files,
checks that they give the same numbers, and takes medians of the whole process, on one core and on
two. The data are made in a temporary directory: logs of data/raw, many times over, and what iperf3
and ns-2 write here.
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
from pathlib import Path
from typing import NamedTuple

import polars as pl
from evenflow.formats.building import SOURCES, compile_library

ROOT = Path(__file__).parents[1]
HERE = Path(__file__).parent
SERVER_LOGS = "data/raw/testbed-router/*/*/*/*/flow?.server.log.gz"
DOCUMENT = "tests/fixtures/formats/iperf3-json/3.12/parallel.client.json"
N_LOGS = 6000
MANY = 3  # times as many logs, where start-up should not count
JSON_BYTES = 100 * 10**6
ONE_FILE_BYTES = 10**9
OTHERS = ROOT / ".venv-bench/bin/python"  # with the packages of requirements/bench.lock
WORKFLOW = "## The whole workflow\n"  # what benchmarks/workflow.py writes, below; it is kept


class Cost(NamedTuple):
    """What a process cost: seconds, CPU-seconds, most memory in bytes; and what it printed."""

    wall_s: float
    cpu_s: float
    peak: int
    output: str


class Way(NamedTuple):
    """A way to read the logs: its name, its command, and the cores that it gets.

    tables: it writes ours; else it prints `log bytes` a line.
    """

    name: str
    command: list[str]
    cores: int = 1
    tables: bool = False


def run(way: Way, folder: Path) -> Cost:
    """Run a command to its end."""
    cost = folder / "cost.json"
    measure = [sys.executable, "-I", "-S", str(HERE / "measure.py"), str(cost), str(way.cores)]
    done = subprocess.run([*measure, *way.command], cwd=folder, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{way.name} failed with status {done.returncode}")
    return Cost(**json.loads(cost.read_text(encoding="utf-8")), output=done.stdout)


def ours(format_name: str, output: Path, listed: Path, cores: int) -> Way:
    """Return our way: all tables, as Parquet."""
    script = [sys.executable, str(HERE / "read.py"), format_name, str(output), str(listed)]
    return Way("evenflow", script, cores, tables=True)


def other(name: str, listed: Path, cores: int = 1) -> Way:
    """Return a way of `others.py`."""
    return Way(name, [str(OTHERS), str(HERE / "others.py"), name, str(listed)], cores)


class Goal(NamedTuple):
    """What ours is to reach on all cores: `times` as fast as `way`, `wall_s`, or `peak` (bytes)."""

    way: str = ""
    times: float = 0.0
    wall_s: float = 0.0
    peak: float = 0.0


def compare(
    ways: list[Way], what: str, size: int, folder: Path, runs: int, result, goal: Goal | None = None
) -> list[dict]:
    """Run ways in turn; return a row for each, in which `ratio` is the first's time over its own.

    result: from a way and what it printed to what it found, which must be the same for all. The
    row of which a goal is says in `goal` what was reached.
    """
    costs: list[list[Cost]] = [[] for _ in ways]
    for _ in range(runs):
        for way, seen in zip(ways, costs, strict=True):
            seen.append(run(way, folder))
    middle, first, rows = statistics.median, costs[0], []
    expected = result(ways[0], first[-1].output)
    for way, seen in zip(ways, costs, strict=True):
        ratios = sorted(f.wall_s / s.wall_s for f, s in zip(first, seen, strict=True))
        row = {"what": what, "bytes": size, "by": way.name, "cores": way.cores}
        row |= {"wall": middle(s.wall_s for s in seen), "cpu": middle(s.cpu_s for s in seen)}
        row |= {"ratio": middle(ratios), "least": ratios[0], "most": ratios[-1]}
        row["cpu_ratio"] = middle(f.cpu_s / s.cpu_s for f, s in zip(first, seen, strict=True))
        row["peak"] = max(s.peak for s in seen)
        row["equal"] = result(way, seen[-1].output) == expected
        rows.append(row)
        print(row, flush=True)
    if goal:
        mine = max((i for i, way in enumerate(ways) if way.tables), key=lambda i: ways[i].cores)
        of = {way.name: seen for way, seen in zip(ways, costs, strict=True) if not way.tables}
        rows[mine]["goal"] = reached(goal, of.get(goal.way, []), costs[mine])
        print(f"{what}: {rows[mine]['goal']}", flush=True)
    return rows


def reached(goal: Goal, theirs: list[Cost], ours: list[Cost]) -> str:
    """Say what was reached of a goal, of the median run."""
    if goal.times:
        times = statistics.median(t.wall_s / o.wall_s for t, o in zip(theirs, ours, strict=True))
        is_so, said = times >= goal.times, f"{times:.2f} times as fast as {goal.way}"
        wanted = f"{goal.times:g} times"
    elif goal.wall_s:
        wall_s = statistics.median(o.wall_s for o in ours)
        is_so, said, wanted = wall_s <= goal.wall_s, f"{wall_s:.2f} s", f"{goal.wall_s:g} s"
    else:
        peak = max(o.peak for o in ours)
        is_so, said = peak <= goal.peak, f"{peak / 1e6:.0f} MB"
        wanted = f"{goal.peak / 1e6:g} MB"
    return f"{said} (goal: {wanted}): {'reached' if is_so else 'not reached'}"


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


def flow_bytes(output: Path, paths: list[Path]):
    """Return what says how many bytes each log has, by its way."""

    def found(way: Way, printed: str) -> dict[str, int]:
        if not way.tables:
            said = (line.rsplit(" ", 1) for line in printed.splitlines())
            return {name: int(total) for name, total in said}
        flows = pl.read_parquet(f"{output}.interval.parquet").group_by("file_id")
        return {str(paths[i]): int(n) for i, n in flows.agg(pl.sum("bytes")).rows()}

    return found


def rows_of_iperf(folder: Path, runs: int) -> list[dict]:
    """Text of iperf 2: the bytes of each flow."""
    sources = [gzip.decompress(path.read_bytes()) for path in sorted(ROOT.glob(SERVER_LOGS))]
    paths = copy_logs(sources, folder / "iperf", MANY * N_LOGS)
    rows, output = [], folder / "iperf-tables"
    goals = {
        10: Goal(wall_s=0.25),
        N_LOGS: Goal("mawk, usual", 0.85),
        len(paths): Goal("mawk, usual", 1.1),
    }
    for n in (10, N_LOGS // 10, N_LOGS, len(paths)):
        used = paths[:n]
        listed = list_files(used, folder / f"iperf.{n}.list")
        names = [str(path) for path in used]
        ways = [
            Way("mawk, tightest", ["mawk", "-f", str(HERE / "flow_bytes_tight.awk"), *names]),
            Way("mawk, usual", ["mawk", "-f", str(HERE / "flow_bytes.awk"), *names]),
            *(ours("iperf2", output, listed, cores) for cores in (1, 2)),
        ]
        if n == N_LOGS:
            ways += [other("re_text", listed), other("duckdb_text", listed, 2)]
            ways += [other("pandas_text", listed)]
        what = f"iperf 2 text, {n} files"
        found = flow_bytes(output, used)
        rows += compare(ways, what, size_of(used), folder, runs, found, goals.get(n))
    return rows + rows_of_gzip(folder, runs, paths[:N_LOGS]) + rows_of_one_file(folder)


def rows_of_one_file(folder: Path) -> list[dict]:
    """A gigabyte of reports of one flow in one file: for the memory, so it is read once."""
    path, output = folder / "one" / "server.log", folder / "one-tables"
    path.parent.mkdir()
    report = "[  1] {}.0000-{}.0000 sec  {} Bytes  95915520 bits/sec  180=0:0:0:0:180:0:0:0\n"
    with path.open("w", encoding="ascii") as log:
        log.write("[  1] local 10.0.3.1 port 5001 connected with 10.0.1.1 port 40001\n")
        i = 0
        while log.tell() < ONE_FILE_BYTES:
            many = range(i, i + 100_000)
            log.write("".join(report.format(i, i + 1, 11_989_440 + i % 1000) for i in many))
            i = many.stop
    listed = list_files([path], folder / "one.list")
    ways = [
        Way("mawk, tightest", ["mawk", "-f", str(HERE / "flow_bytes_tight.awk"), str(path)]),
        *(ours("iperf2", output, listed, cores) for cores in (1, 2)),
    ]
    found, goal = flow_bytes(output, [path]), Goal(peak=1e9)
    what = "iperf 2 text, one file"
    rows = compare(ways, what, size_of([path]), folder, 1, found, goal)
    path.unlink()
    return rows


def rows_of_gzip(folder: Path, runs: int, plain: list[Path]) -> list[dict]:
    """The same logs, compressed: the bytes of all."""
    paths = [path.with_suffix(".log.gz") for path in plain]
    for path, packed in zip(plain, paths, strict=True):
        packed.write_bytes(gzip.compress(path.read_bytes(), 6))
    listed, output = list_files(paths, folder / "gzip.list"), folder / "gzip-tables"
    script = f"xargs gzip -dc < '{listed}' | mawk -f '{HERE}/flow_bytes_piped.awk'"
    ways = [
        Way("gzip -dc, mawk", ["sh", "-c", script], 2),
        *(ours("iperf2", output, listed, cores) for cores in (1, 2)),
    ]
    of_flows = flow_bytes(output, paths)
    what = f"iperf 2 text, {len(paths)} files of gzip"
    return compare(
        ways, what, size_of(plain), folder, runs, lambda *said: sum(of_flows(*said).values())
    )


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
    rows, output = [], folder / "trace-tables"

    def found(way: Way, printed: str) -> set:
        if way.tables:
            return by_second(output)
        return {tuple(map(int, line.split())) for line in printed.splitlines()}

    for path in (cut(trace, 0.1), trace):
        listed = list_files([path], folder / "trace.list")
        ways = [
            *(
                Way(f"mawk, {name}", ["mawk", "-f", str(HERE / f"trace_{kind}.awk"), str(path)])
                for name, kind in (("tightest", "tight"), ("usual", "usual"))
            ),
            *(ours("ns2-trace", output, listed, cores) for cores in (1, 2)),
        ]
        what = f"ns-2 trace, {'whole' if path == trace else 'a tenth'}"
        goal = Goal("mawk, usual", 7) if path == trace else None
        rows += compare(ways, what, size_of([path]), folder, runs, found, goal)
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
    """JSON of iperf3: the bytes of each log."""
    document = make_json(folder)
    paths = copy_logs([document], folder / "json", JSON_BYTES // len(document))
    rows, output = [], folder / "json-tables"
    for n in (10, len(paths)):
        used = paths[:n]
        listed = list_files(used, folder / f"json.{n}.list")
        ways = [
            *(other(name, listed) for name in ("orjson_loop", "json_loop", "msgspec_typed")),
            *(ours("iperf3-json", output, listed, cores) for cores in (1, 2)),
        ]
        ways += [other("duckdb_json", listed, 2)] if n == len(paths) else []
        what = f"iperf3 JSON, {n} files"
        goal = Goal("orjson_loop", 0.9) if n == len(paths) else None
        found = flow_bytes(output, used)
        rows += compare(ways, what, size_of(used), folder, runs, found, goal)
    return rows


def make_json(folder: Path) -> bytes:
    """Return a document of 200 intervals of two streams: from iperf3 over the loopback, or where
    there is none, a shorter one of iperf3's, lengthened."""
    if shutil.which("iperf3"):
        server = subprocess.Popen(["iperf3", "-s", "-1", "-p", "52011"], stdout=subprocess.DEVNULL)
        time.sleep(1)
        client = ["iperf3", "-c", "127.0.0.1", "-p", "52011", "-P", "2", "-b", "50M", "-t", "20"]
        document = run(Way("iperf3", [*client, "-i", "0.1", "-J"]), folder).output.encode()
        server.wait(timeout=30)
        return document
    document = json.loads((ROOT / DOCUMENT).read_text(encoding="utf-8"))
    template, document["intervals"] = document["intervals"][0], []
    for i in range(200):
        interval = json.loads(json.dumps(template))
        for part in (*interval["streams"], interval["sum"]):
            span = {"start": i * 0.1, "end": (i + 1) * 0.1, "seconds": 0.1}
            part |= {**span, "bytes": part["bytes"] + 7 * i}
        document["intervals"].append(interval)
    return json.dumps(document, indent="\t").encode()


def page(rows: list[dict], skipped: list[str], runs: int) -> str:
    """Return docs/explanation/performance.md."""
    table = [
        "| input | size | way | cores | wall, s | CPU, s | times as fast as the first "
        "| by CPU time | peak | same result |",
        "|---|--:|---|--:|--:|--:|--:|--:|--:|---|",
    ]
    for r in rows:
        spread = f"{r['ratio']:.2f} ({r['least']:.2f} to {r['most']:.2f})"
        table.append(
            f"| {r['what']} | {r['bytes'] / 1e6:.3g} MB | {r['by']} | {r['cores']} "
            f"| {r['wall']:.2f} | {r['cpu']:.2f} | {spread} | {r['cpu_ratio']:.2f} "
            f"| {r['peak'] / 1e6:.0f} MB | {'yes' if r['equal'] else '**no**'} |"
        )
    table += [f"| {what} | | skipped | | | | | | | |" for what in skipped]
    goals = [f"- {r['what']}, {r['cores']} cores: {r['goal']}" for r in rows if "goal" in r]
    made, load = f"{datetime.now(UTC):%Y-%m-%d}", os.getloadavg()[2]
    return f"""# Performance

Written by `make bench` on {made}: Python {platform.python_version()}, {processor()}, {runs} runs of
all ways in turn, medians of the whole process. For each input the other ways are compared with
the first; the ratio is followed by the smallest and the largest of the runs. On average {load:.1f}
processes, including ours, were ready to run. If that is more than the number of cores, only CPU
times are meaningful.

{chr(10).join(goals)}

{chr(10).join(table)}

- *evenflow* is `benchmarks/read.py`: Python starts, imports Polars, reads, and writes all tables as
  Parquet. Every sample names its line, and every byte is accounted for. The others only compute
  sums.
- iperf 2: the server logs of `data/raw/testbed-router`, repeated many times. mawk sums the bytes of
  each flow, as one usually writes it (`benchmarks/flow_bytes.awk`) and as fast as we could make
  it. For gzip files it sums the bytes of all logs, which it reads through a pipe.
- `re_text`, `pandas_text`, `duckdb_text`, `json_loop`, `orjson_loop`, `msgspec_typed` and
  `duckdb_json` are the alternatives in Python (`benchmarks/others.py`), with the packages of
  `requirements/bench.lock`. jc has no parser of iperf.
- ns-2: a trace that ns-2 makes (`benchmarks/make_trace.tcl`). `trace_usual.awk` names all fields of
  every line, as the usual scripts do. `trace_tight.awk` is as fast as we could make it.
- iperf3: a document of 200 intervals, repeated many times.
- The rule `read_logs` also hashes every file (SHA-256, about 0.5 s for each GB), checks the labels
  and determines to which flow each log belongs. These figures do not include that.

Memory: traces, and logs of iperf 2 of more than 32 MB, are scanned in pieces of 4 MB. For a
longer log only the tables take more memory, 44 bytes per report. The contents of other logs are
held in memory, too, up to 256 MB of them between the inventory and the parsing.

## The scanners

The scanners of logs are C, {sources()} lines (`workflow/evenflow/formats/*.c`), called by ctypes.
`make` has them compiled in set-up, which took {compile_s():.1f} s here; if there is no
compiler, it downloads one (100 MB, 400 on the disk) and removes it afterwards. The compiled files
are kept next to the modules, or in the user's cache directory if that folder is not writable. If
neither is writable, they are not kept. `EVENFLOW_SCANNERS` names another folder. Jobs that start at
the same time may each compile. Files are replaced as a whole.

Until 2026-11-26 Numba compiled the scanners, which took 0.4 of the 0.8 s for reading ten logs, and
206 MB of the 1,564 MB of `.venv`.

## Repeating the measurements

    make bench

It takes some minutes, and needs 2 GB in the temporary directory (`TMPDIR`) and mawk. Without ns-2
its rows are skipped. Other programs on the machine affect the results. `make bench-workflow`
measures what is below.
"""


def sources() -> int:
    """Return how many lines of C there are."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES)


def compile_s() -> float:
    """Return the seconds that compiling the scanners takes."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        compile_library(Path(folder) / "scanners.so")
        return time.perf_counter() - begin


def processor() -> str:
    """Return the name of the processor."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((x.partition(": ")[2] for x in lines if x.startswith("model name")), "?")


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--trace-seconds", type=int, default=150)
    options = parser.parse_args()
    if not shutil.which("mawk"):
        raise SystemExit("mawk is not installed: it is what is compared with")
    os.environ["PYTHONPATH"] = str(ROOT / "workflow")
    rows, skipped = [], []
    with tempfile.TemporaryDirectory(prefix="evenflow-bench-") as name:
        folder = Path(name)
        rows += rows_of_iperf(folder, options.runs)
        shutil.rmtree(folder / "iperf")
        rows += rows_of_json(folder, options.runs)
        trace = make_trace(folder, options.trace_seconds)
        if trace:
            rows += rows_of_trace(folder, options.runs, trace)
        else:
            skipped.append("ns-2 trace: ns is not installed")
    before = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
    _, heading, others = before.partition(WORKFLOW)
    text = page(rows, skipped, options.runs)
    options.output.write_text(text + (f"\n{heading}{others}" if heading else ""), encoding="utf-8")
    if not all(row["equal"] for row in rows):
        raise SystemExit("the results differ: see the last column")


if __name__ == "__main__":
    main()
