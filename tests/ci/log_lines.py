"""What the lines of a run's logs say, read here anew: nothing of evenflow is imported.

Which lines is what `run_file` lists of a run, as the panel of a number does: path, first and last
line. Everything else is read from these lines: of each flow the bytes of each second, its RTT, the
queue, the drops, and the record of how the run was made.
"""

import gzip
import json
import lzma
import re
from functools import cache
from pathlib import Path
from statistics import fmean

import polars as pl

ROOT = Path(__file__).parents[2]
DERIVED, RAW = ROOT / "data/derived", ROOT / "data/raw"
IPERF = re.compile(r"\]\s+([\d.]+)-\s*([\d.]+) sec\s+(\d+) Bytes\s+(\d+) bits/sec")
SERVERS = (".server.log.gz", ".server.log.xz")
SEGMENT_BPS = 8 * 1448  # a segment a second: what a flow that carries nothing counts as


@cache
def listed(dataset: str) -> dict[str, list[tuple]]:
    """{run: its (path, first line, last line)} of the data set's table of files."""
    found: dict[str, list[tuple]] = {}
    table = pl.read_parquet(DERIVED / dataset / "run_file.parquet")
    for run, *of in table.select("run_id", "path", "first_line", "last_line").rows():
        found.setdefault(run, []).append(tuple(of))
    return found


def lines(dataset: str, run: str, ending: str | tuple[str, ...]) -> dict[str, list[str]]:
    """{path: the listed lines} of the run's logs whose names end so."""
    found = {}
    for path, first, last in listed(dataset)[run]:
        if path.endswith(ending) and first is not None:
            opened = {"gz": gzip.open, "xz": lzma.open}.get(path.rpartition(".")[2], open)
            with opened(RAW / dataset / path, "rt") as file:
                text = file.read()
            found[path] = text.splitlines()[first - 1 : last]
    return found


def only(found: dict[str, list[str]]) -> list[str]:
    """The lines of the one log that there is."""
    (of,) = found.values()
    return of


@cache
def record(dataset: str, run: str) -> dict:
    """How the run was made, by its own record."""
    return json.loads("\n".join(only(lines(dataset, run, "run.json"))))


@cache
def samples(dataset: str, run: str) -> dict[int, list[tuple]]:
    """{flow: its (start s, end s, bytes, RTT s or None)} on the clock of the run."""
    found: dict[int, list[tuple]] = {}
    if logs := lines(dataset, run, "goodput.log.gz"):
        rows = [[float(word) for word in row.split()[:5]] for row in only(logs)]
        ends = sorted({row[0] for row in rows})
        step = ends[1] - ends[0] if len(ends) > 1 else 1.0  # a line a second, or every ten
        for end, flow, size, _, rtt in rows:
            found.setdefault(int(flow), []).append((end - step, end, size, rtt))
        return dict(sorted(found.items()))
    starts = record(dataset, run)["flows"]
    for path, rows in lines(dataset, run, SERVERS).items():
        flow = re.search(r"flow(\d+)", path)[1]
        shift = starts[flow]["start_s"]
        of = [m for m in map(IPERF.search, rows) if m]
        found[int(flow)] = [
            (shift + float(m[1]), shift + float(m[2]), float(m[3]), None) for m in of
        ]
    return dict(sorted(found.items()))


def rate(of: list[tuple]) -> float:
    """Throughput of samples, bit/s."""
    return 8 * sum(size for _, _, size, _ in of) / sum(end - start for start, end, _, _ in of)


@cache
def rates(dataset: str, run: str) -> list[float]:
    """Throughput of each flow, bit/s."""
    return [rate(of) for of in samples(dataset, run).values()]


def jain(dataset: str, run: str) -> float:
    of = rates(dataset, run)
    return sum(of) ** 2 / (len(of) * sum(x * x for x in of))


@cache
def halves(dataset: str, run: str) -> list[tuple[list, list]]:
    """The samples of each flow in both halves of the time that is read."""
    of = samples(dataset, run)
    ends = [time for flow in of.values() for start, end, *_ in flow for time in (start, end)]
    half_way = (min(ends) + max(ends)) / 2
    return [
        (
            [s for s in flow if sum(s[:2]) / 2 < half_way],
            [s for s in flow if sum(s[:2]) / 2 >= half_way],
        )
        for flow in of.values()
    ]


def drift(dataset: str, run: str) -> float:
    """The most that a flow's share of the bytes changes between the halves."""
    carried = [[sum(s[2] for s in half) for half in flow] for flow in halves(dataset, run)]
    first, second = map(sum, zip(*carried, strict=True))
    return max(abs(a / first - b / second) for a, b in carried)


def factor(one: float, other: float) -> float:
    one, other = max(one, SEGMENT_BPS), max(other, SEGMENT_BPS)
    return max(one / other, other / one)


def flow_change(dataset: str, run: str) -> float:
    return max(factor(rate(a), rate(b)) for a, b in halves(dataset, run))


def use_change(dataset: str, run: str) -> float:
    of = halves(dataset, run)
    return factor(sum(rate(a) for a, _ in of), sum(rate(b) for _, b in of))


def unsteady(dataset: str, run: str) -> bool:
    return flow_change(dataset, run) > 1.5 or drift(dataset, run) > 0.1


def mean_rtts(dataset: str, run: str) -> list[float]:
    """Mean RTT of each flow with what waits in the queue, s."""
    return [fmean(s[3] for s in of if s[3] > 0) for of in samples(dataset, run).values()]


@cache
def queue(dataset: str, run: str) -> list[list[float]]:
    """The rows of the queue's log: time, bytes, packets, then arrived, departed, dropped so far."""
    rows = (row.split() for row in only(lines(dataset, run, "queue.log.gz")))
    return [[float(of[i]) for i in (0, 3, 4, 5, 6, 7)] for of in rows]


def link_use(dataset: str, run: str) -> float:
    """Share of the time in which the bottleneck sent: packets that left times their mean size."""
    rows = queue(dataset, run)
    size = sum(of[1] for of in rows) / sum(of[2] for of in rows)
    rate_bps = 1e6 * record(dataset, run)["run"]["bottleneck_mbps"]
    return (rows[-1][4] - rows[0][4]) * size * 8 / (rate_bps * (rows[-1][0] - rows[0][0]))


@cache
def drop_events(dataset: str, run: str) -> list[list[tuple[float, str]]]:
    """Drops less than the longest RTT apart: of each event (time, whose packet)."""
    made = record(dataset, run)
    gap = max(of["rtt_ms"] for of in made["flows"].values()) / 1000
    events: list[list[tuple[float, str]]] = []
    for row in only(lines(dataset, run, "drops.tr.gz")):
        of = row.split()
        time, flow = float(of[1]), of[7]
        if not events or time - events[-1][-1][0] >= gap:
            events.append([])
        events[-1].append((time, flow if flow in made["flows"] else "background"))
    return events
