"""Checks the virtual testbed against what is known beforehand; nothing is run that fails here.

    python -m experiments.testbed.selfcheck REPORT.json [--quick | --high-speed]

Writes a JSON report: {"record": "evenflow-selfcheck/1", "made_by": {...}, "checks": [{name,
expected, measured, tolerance, unit, passed, how}, ...]}. Exit status 1 when a check fails; the
report is written all the same. --quick takes fewer and shorter runs (for CI).
--high-speed: instead, each congestion control of the 900 Mb/s study alone on its shortest path.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from experiments.filing import RunError, now, read_commit
from experiments.testbed import compound
from experiments.testbed.run import HERE, kernel_cache, run, versions
from experiments.testbed.scenario import (
    FRAME_BYTES,
    KERNEL_CCA,
    MSS_BYTES,
    Scenario,
    buffer_bytes,
    buffer_packets,
)

HIGH_SPEED_CCA = ("newreno", "bic", "cubic", "htcp", "highspeed", "scalable")
RATE_MBPS = 100
SEED = 20090401


def check(name: str, expected: object, measured: object, tolerance: float | None, unit: str,
          how: str) -> dict[str, object]:  # fmt: skip
    """One row of the report. `tolerance` None: must be equal; else the largest |difference|."""
    if tolerance is None:
        passed = measured == expected
    else:
        passed = measured is not None and abs(measured - expected) <= tolerance
    return {"name": name, "expected": expected, "measured": measured, "tolerance": tolerance,
            "unit": unit, "passed": passed, "how": how}  # fmt: skip


def scenarios(quick: bool) -> dict[str, Scenario]:
    """Label -> run. Each run serves several checks."""
    length = 20 if quick else 60
    common = {"seed": SEED, "duration_s": length, "start2_s": length / 2, "role": "calibration"}
    wanted = {
        f"pair rtt{rtt} {cca}": Scenario(cca, cca, rtt, pct, **common)
        for rtt, cca, pct in (
            [(25, "newreno", 60)] if quick else
            [(25, "newreno", 60), (50, "bic", 20), (100, "cubic", 20), (200, "bic", 60),
             (400, "newreno", 20), (100, "bic", 100)]
        )
    }  # fmt: skip
    wanted["alone"] = Scenario("newreno", None, 25, 100, SEED, duration_s=length)
    # `today`: an access link faster than the bottleneck, so that its queue fills and overflows
    wanted["compound alone"] = Scenario(
        "compound", None, 50, 100, SEED, host_profile="today", duration_s=length, trace=True
    )
    # without fq at the sender BBR is paced by TCP itself
    wanted["bbr alone"] = Scenario(
        "bbr", None, 50, 100, SEED, host_profile="today", duration_s=length
    )
    wanted["newreno and compound"] = Scenario(
        "newreno", "compound", 25, 20, trace=True, **(common | {"start2_s": length / 4})
    )
    wanted["same seed"] = wanted["pair rtt25 newreno"]
    wanted["other seed"] = Scenario("newreno", "newreno", 25, 60, **(common | {"seed": SEED + 1}))
    wanted["netem-limit"] = Scenario(
        "newreno", "bic", 100, 20, router_model="netem-limit", **common
    )
    return wanted


def high_speed_scenarios() -> dict[str, Scenario]:
    """Label -> run: each congestion control alone at 900 Mb/s, for the 900 Mb/s study."""
    common = {"rate_mbps": 900, "duration_s": 30, "host_profile": "high-speed", "tcp_info": True}
    return {f"{cca} alone": Scenario(cca, None, 16, 100, SEED, **common) for cca in HIGH_SPEED_CCA}


def goodput_mbps(log: bytes, after_s: float) -> float:
    """Mean of a server log's one-second reports that begin at `after_s` or later, Mb/s."""
    rates = [
        int(rate) / 1e6
        for begin, end, rate in re.findall(
            r"\] (\d+\.\d+)-(\d+\.\d+) sec +\d+ Bytes +(\d+) bits/sec", log.decode()
        )
        if float(begin) >= after_s and abs(float(end) - float(begin) - 1) < 0.02
    ]
    return sum(rates) / len(rates)


def logs_of(directory: Path) -> dict[str, bytes]:
    """Name -> content of all logs of a run."""
    return {path.name: gzip.decompress(path.read_bytes()) for path in directory.glob("*.log.gz")}


def checks_of_runs(
    wanted: dict[str, Scenario], records: dict[str, dict]
) -> list[dict[str, object]]:
    """The rows that every run has, from what it recorded."""
    rows = []
    for label, record in records.items():
        scenario, seen = wanted[label], record["observed"]
        if label in ("same seed", "other seed"):
            continue
        where = f"{scenario.router_model}, RTT {scenario.rtt_ms} ms, OPB {scenario.buffer_pct} %"
        for flow, rtt in sorted(seen["rtt_ms"].items()):
            rows.append(check(
                f"ping RTT, path {flow}: {where}", scenario.rtt_ms, rtt, 0.1, "ms",
                "median of ten ICMP echoes before the flows start"))  # fmt: skip
        if scenario.router_model == "router" and seen["drops"]:
            rows.append(check(
                f"largest bottleneck queue: {where}", buffer_bytes(scenario),
                seen["queue_max_bytes"], FRAME_BYTES, "bytes",
                "largest backlog, counted by the kernel at each packet; equal to the configured "
                "buffer within one frame, the most that a drop-tail queue can leave unused"
            ))  # fmt: skip
        if scenario.router_model == "netem-limit":
            rows.append(check(
                f"largest bottleneck queue: {where}", buffer_packets(scenario),
                seen["queue_max_packets"], 0, "packets",
                "largest backlog, counted by the kernel at each packet"))  # fmt: skip
        for flow, cca in (("1", scenario.cca1), ("2", scenario.cca2)):
            if cca:
                rows.append(check(
                    f"congestion control of flow {flow}: {where}", KERNEL_CCA[cca],
                    seen["cca"][flow], None, "", "read from the live socket (ss -ti)"
                ))  # fmt: skip
        rows.append(check(
            f"reordered packets: {where}", 0, seen["reordering"], 0, "packets",
            "TCPSACKReorder, TCPRenoReorder and TCPTSReorder of all hosts"))  # fmt: skip
        rows.append(check(
            f"drops elsewhere than at the bottleneck: {where}", 0, seen["drops_elsewhere"], 0,
            "packets", "all fifo and netem queues"))  # fmt: skip
    return rows


def checks_of_contents(logs: dict[str, dict[str, bytes]]) -> list[dict[str, object]]:
    """The rows that look into the logs of particular runs of `scenarios`."""
    rows = []
    expected = RATE_MBPS * MSS_BYTES / FRAME_BYTES
    alone = goodput_mbps(logs["alone"]["flow1.server.log.gz"], after_s=10)
    rows.append(check(
        "goodput of a lone flow at 100 Mb/s", round(expected, 3), round(alone, 3),
        round(0.005 * expected, 3), "Mb/s",
        f"{MSS_BYTES}/{FRAME_BYTES} of the bottleneck; server's reports after 10 s"))  # fmt: skip
    alone = goodput_mbps(logs["compound alone"]["flow1.server.log.gz"], after_s=10)
    rows.append(check(
        "goodput of a lone compound flow at 100 Mb/s", round(expected, 3), round(alone, 3),
        round(0.005 * expected, 3), "Mb/s", "server's reports after 10 s"))  # fmt: skip
    alone = goodput_mbps(logs["bbr alone"]["flow1.server.log.gz"], after_s=10)
    rows.append(check(
        "goodput of a lone bbr flow at 100 Mb/s", round(expected, 3), round(alone, 3),
        round(0.03 * expected, 3), "Mb/s", "server's reports after 10 s; it may empty the pipe for "
        "200 ms in every 10 s to measure the RTT"))  # fmt: skip
    for label in ("compound alone", "newreno and compound"):
        rows += checks_of_compound(label, logs[label]["compound.log.gz"])
    base = "pair rtt25 newreno"
    for name, label, same in (("same seed: logs identical", "same seed", True),
                              ("other seed: logs identical", "other seed", False)):  # fmt: skip
        rows.append(check(
            name, same, logs[label] == logs[base], None, "",
            "all logs of two runs, byte by byte"))  # fmt: skip
    rows.append(check(
        "seed changes the flows, not only the record", True,
        logs["other seed"]["flow1.server.log.gz"] != logs[base]["flow1.server.log.gz"], None, "",
        "server log of flow 1, seed against seed + 1, same start of flow 2"))  # fmt: skip
    return rows


def checks_of_lone_flows(
    wanted: dict[str, Scenario], logs: dict[str, dict[str, bytes]]
) -> list[dict[str, object]]:
    """A flow that is alone fills the link, whatever its congestion control."""
    rows = []
    for label, scenario in wanted.items():
        expected = scenario.rate_mbps * MSS_BYTES / FRAME_BYTES
        alone = goodput_mbps(logs[label]["flow1.server.log.gz"], after_s=10)
        rows.append(check(
            f"goodput of a lone {scenario.cca1} flow at {scenario.rate_mbps} Mb/s",
            round(expected, 3), round(alone, 3), round(0.005 * expected, 3), "Mb/s",
            f"{MSS_BYTES}/{FRAME_BYTES} of the bottleneck; RTT {scenario.rtt_ms} ms, buffer 1 BDP; "
            "server's reports after 10 s"))  # fmt: skip
    return rows


def checks_of_compound(label: str, trace: bytes) -> list[dict[str, object]]:
    """Compound's two windows and gamma, each step against its equation."""
    steps = compound.parse_trace(trace.decode())
    rounds = [step for step in steps if step.event == "round"]
    queued = [step for step in rounds if step.diff >= step.gamma and step.dwnd_before]
    grown = [step for step in rounds if step.dwnd > step.dwnd_before]
    gammas = [abs(s.gamma - compound.expected_gamma(last)) for last, s in compound.tunings(steps)]

    def worst(name: str, errors: list[float], tolerance: float, of: str) -> dict[str, object]:
        largest = round(max(errors), 4) if errors else None
        return check(f"{name}: {label}", 0, largest, tolerance, "segments",
                     f"largest difference from the equation, of {len(errors)} {of}; the kernel "
                     "counts 1/256")  # fmt: skip

    return [
        check(f"the delay window grew, and shrank when the queue had grown: {label}", True,
              bool(grown) and bool(queued) and all(s.dwnd < s.dwnd_before for s in queued),
              None, "", f"kernel's trace: {len(grown)} rounds of growth, {len(queued)} with a "
              "delay window and at least gamma segments queued"),
        worst("queued segments", [abs(s.diff - compound.expected_diff(s)) for s in rounds],
              0.005, "rounds"),
        worst("step of the delay window", [abs(s.dwnd - compound.expected_dwnd(s)) for s in rounds],
              0.005, "rounds"),
        # a lone flow's first losses end slow start, before the first round; they tune nothing
        *([worst("gamma", gammas, 0.02, "losses")] if gammas else []),
    ]  # fmt: skip


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="experiments.testbed.selfcheck")
    parser.add_argument("report", type=Path, metavar="REPORT.json")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--high-speed", action="store_true", help="lone flows at 900 Mb/s")
    parser.add_argument("--limit-s", type=float, default=300, help="wall clock of one run")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args(words)
    wanted = high_speed_scenarios() if arguments.high_speed else scenarios(arguments.quick)
    began = time.monotonic()
    try:
        cache = kernel_cache()
        with tempfile.TemporaryDirectory(prefix="evenflow-selfcheck.") as scratch:
            places = {label: Path(scratch) / label.replace(" ", "_") for label in wanted}

            def one(label: str) -> dict:
                print(f"self-check: {label}", file=sys.stderr)
                return run(wanted[label], places[label], arguments.limit_s, "selfcheck")

            with ThreadPoolExecutor(arguments.workers) as pool:
                records = dict(zip(wanted, pool.map(one, wanted), strict=True))
            logs = {label: logs_of(place) for label, place in places.items()}
    except RunError as error:
        print(f"self-check failed: {error}", file=sys.stderr)
        return 1
    rows = checks_of_runs(wanted, records)
    rows += checks_of_lone_flows(wanted, logs) if arguments.high_speed else checks_of_contents(logs)
    report = {
        "record": "evenflow-selfcheck/1",
        "made_by": {
            "command": "python -m experiments.testbed.selfcheck REPORT.json"
            + (" --quick" if arguments.quick else "")
            + (" --high-speed" if arguments.high_speed else ""),
            "commit": read_commit(HERE),
            "date": now(),
            "versions": versions(cache),
            "wall_s": round(time.monotonic() - began, 1),
        },
        "checks": rows,
    }
    arguments.report.parent.mkdir(parents=True, exist_ok=True)
    new = arguments.report.with_name(f".{arguments.report.name}.new")
    new.write_text(json.dumps(report, indent=1, sort_keys=True) + "\n")
    new.replace(arguments.report)
    failed = [row for row in rows if not row["passed"]]
    for row in failed:
        print(f"FAILED {row['name']}: expected {row['expected']}, measured {row['measured']}",
              file=sys.stderr)  # fmt: skip
    print(f"self-check: {len(rows) - len(failed)} of {len(rows)} passed, {arguments.report}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
