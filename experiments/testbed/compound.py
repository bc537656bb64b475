"""Reads compound.log: the two windows of Compound TCP, a line per round trip and per loss.

    python -m experiments.testbed.compound RUN TRACE.csv    RUN: a run made with --trace

kernel/tcp_compound.c prints the lines. Windows, diff and gamma are in segments, dwnd and the two
others to 1/256 of one; times in s since the first line, RTTs in s.
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path

LINE = re.compile(
    r"compound (?P<event>round|loss|timeout) us (?P<us>\d+) host (?P<host>\S+) lwnd (?P<lwnd>\d+) "
    r"dwnd256 (?P<dwnd>\d+) before256 (?P<before>\d+) limited (?P<limited>\d) "
    r"diff256 (?P<diff>\d+) gamma256 (?P<gamma>\d+) rtt_us (?P<rtt>\d+) base_us (?P<base>\d+)"
)
# segments; the defaults of tcp_compound.c, as are the constants in the functions below
LOW_WINDOW, GAMMA, GAMMA_LOW = 41, 30, 5


@dataclass(frozen=True)
class Step:
    """The state after an event: `round` (dwnd's step once per RTT), `loss` or `timeout`."""

    t_s: float
    host: str
    event: str
    lwnd: int
    dwnd: float
    dwnd_before: float
    limited: bool  # the window, not the application or a socket buffer, held the sender back
    diff: float
    gamma: float
    rtt_s: float
    base_rtt_s: float


def parse_trace(text: str) -> list[Step]:
    """The steps of all flows in order of time; lines of anything else are left out."""
    found = list(LINE.finditer(text))
    zero = min((int(line["us"]) for line in found), default=0)
    return [
        Step(
            t_s=(int(line["us"]) - zero) / 1e6, host=line["host"], event=line["event"],
            lwnd=int(line["lwnd"]), dwnd=int(line["dwnd"]) / 256,
            dwnd_before=int(line["before"]) / 256, limited=line["limited"] == "1",
            diff=int(line["diff"]) / 256, gamma=int(line["gamma"]) / 256,
            rtt_s=int(line["rtt"]) / 1e6, base_rtt_s=int(line["base"]) / 1e6,
        )
        for line in found
    ]  # fmt: skip


def read_trace(run: Path) -> list[Step]:
    """The steps of a run's directory. FileNotFoundError when it was made without --trace."""
    return parse_trace(gzip.decompress((run / "compound.log.gz").read_bytes()).decode())


def expected_diff(step: Step) -> float:
    """Segments in queues, win (1 - base RTT / RTT); in floating point."""
    window = step.lwnd + int(step.dwnd_before)
    return window * max(0.0, 1 - step.base_rtt_s / step.rtt_s)


def expected_dwnd(step: Step) -> float:
    """The delay window that a round must leave (Tan et al. 2006); in floating point."""
    window = step.lwnd + int(step.dwnd_before)
    if step.diff >= step.gamma:
        return max(step.dwnd_before - step.diff, 0.0)
    if window < LOW_WINDOW or not step.limited:
        return step.dwnd_before
    return step.dwnd_before + max(window**0.75 / 8 - 1, 0.0)


def expected_gamma(last: Step) -> float:
    """Gamma after a loss that follows the round `last`; in floating point."""
    diff_reno = last.lwnd * max(0.0, 1 - last.base_rtt_s / last.rtt_s)
    return min(max(last.gamma / 5 + 4 / 5 * 3 / 4 * diff_reno, GAMMA_LOW), GAMMA)


def tunings(steps: list[Step]) -> list[tuple[Step, Step]]:
    """(last round, loss) of each loss that tuned gamma: not the second loss since a round."""
    found: list[tuple[Step, Step]] = []
    last: dict[str, Step | None] = {}
    for step in steps:
        round_before = last.get(step.host)
        if step.event == "loss" and round_before:
            found.append((round_before, step))
        last[step.host] = step if step.event == "round" else None
    return found


def main(words: list[str]) -> int:
    run, target = map(Path, words)
    with target.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([field.name for field in fields(Step)])
        for step in read_trace(run):
            row = asdict(step) | {"limited": int(step.limited)}
            writer.writerow(
                f"{value:.6g}" if isinstance(value, float) and name != "t_s" else value
                for name, value in row.items()
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
