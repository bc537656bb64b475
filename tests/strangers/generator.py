#!/usr/bin/env python3
"""Draw folders of logs as strangers make them, with the truth about each beside it.

    python generator.py --seed 1 --count 400 OUT [--kinds FILE] [--only-extra]

OUT/raw/<name>/      a folder of logs, to be dropped into data/raw as it is
OUT/truth/<name>.json   what is true of it (never inside the folder); GENERATOR.md explains the keys

A folder is drawn in three steps: a kind of layout (how people name files and folders), dimensions
(flows, repeats, factors, tool, ends, clocks, ports, starts), and accidents (missing, failed, empty,
cut, copied logs, a second campaign). Folder number i of seed N depends on N and i alone.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import random
import shutil
import string
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

# ---- what ran ---------------------------------------------------------------------------------


@dataclass
class Flow:
    number: int
    cca: str
    start: int  # s after the run's start
    length: int
    client: str
    server: str
    cport: int
    sport: int
    bytes: list[int] = field(default_factory=list)  # received, a second
    back: bool = False  # the server sends


@dataclass
class Run:
    key: str
    scenario: str
    settings: dict
    repeat: int
    epoch: int
    flows: list[Flow]
    index: int = 0  # of the folder's runs
    net: str = ""
    campaign: str = ""


@dataclass
class Log:
    path: str
    end: str  # client or server
    tool: str
    tests: list[tuple[Run, list[Flow]]]
    text: bytes = b""
    status: str = "good"
    of: str = ""  # copies: of which path
    note: str = ""


VALUES = {
    "cca": ["cubic", "bbr", "reno", "vegas", "htcp", "westwood", "illinois", "bbr2"],
    "rtt": [5, 10, 20, 40, 50, 80, 100, 160, 200],
    "buffer": [10, 20, 25, 50, 100, 150, 200, 400, 500, 1000],
    "rate": [10, 20, 50, 100, 200, 500],
    "loss": [0.1, 0.5, 1, 2],
}
TOOLS = ["iperf3-json"] * 5 + ["iperf3"] * 4 + ["iperf2.1"] * 3 + ["iperf2.1-e"] * 3
TOOLS += ["iperf2.0"] * 3 + ["iperf2-csv"] * 1 + ["iperf3-V"] * 1
DATED = {"iperf3-json", "iperf2.1-e", "iperf2-csv", "iperf3-V", "flent"}


class Folder:
    """What a folder is about; kinds read it to name files."""

    def __init__(self, rng: random.Random, kind: Kind, name: str):
        self.rng, self.kind, self.name = rng, kind, name
        pick = rng.choice
        self.tool = pick([t for t in TOOLS if t in kind.tools])
        self.n_flows = pick([n for n in (1, 2, 2, 2, 2, 3, 4, 4, 5, 6) if n in kind.flows])
        self.n_repeats = pick([n for n in (1, 2, 3, 3, 3, 4, 5, 5) if n in kind.repeats])
        n_factors = pick([n for n in (0, 1, 1, 2, 2, 3) if n >= len(kind.needs)])
        free = [f for f in kind.factors if f not in kind.needs]
        rng.shuffle(free)
        self.factors = [*kind.needs, *free[: n_factors - len(kind.needs)]]
        if "cca" in kind.always and "cca" not in self.factors and rng.random() < 0.7:
            self.factors.insert(0, "cca")
        self.ends = pick(
            [
                e
                for e in ("client", "client", "server", "server", "both", "both", "both")
                if e in kind.ends
            ]
        )
        self.grouping = kind.grouping or "flow"
        self.length = pick([10, 12, 15, 20])
        self.dated = self.tool in DATED
        starts = ["together"] * 5 + (
            ["stagger", "long"] if self.dated else ["stagger"] * (rng.random() < 0.3)
        )
        self.starts = (
            pick(starts)
            if self.n_flows > 1 and kind.starts is None
            else (kind.starts or "together")
        )
        if self.grouping == "parallel" or self.tool == "iperf2-csv":
            self.starts = "together"
        self.addresses = (
            pick(["one pair", "one pair", "pairs", "many to one", "subnets"])
            if kind.addresses is None
            else kind.addresses
        )
        if kind.addresses == "pairs":
            self.addresses = pick(["pairs", "subnets"])
        self.ports = pick(["ephemeral"] * 5 + ["counted", "fixed"])
        self.nat = self.ends == "both" and rng.random() < 0.06
        self.clock = pick([0, 0, 0, 1, 1, 3600]) if kind.join == "names" else pick([0, 0, 1])
        self.zone = pick(["UTC", "UTC", "CET"])
        self.gap = pick([2, 5, 30, 120])
        self.base = int(datetime(2024, 3, 1, tzinfo=UTC).timestamp()) + rng.randrange(
            0, 300 * 86400
        )
        self.net = pick(["10.0.0", "10.10.1", "192.168.56", "192.168.1", "172.16.4"])
        self.sep = pick(["_", "_", "-"])
        self.style = {
            "rtt": pick(["rtt{}", "rtt{}ms", "{}ms", "RTT_{}ms", "rtt={}ms"]),
            "rate": pick(["{}mbit", "{}Mbps", "bw{}", "{}M", "rate{}mbit"]),
            "buffer": pick(["buf{}pkts", "{}pkts", "buf{}kB", "queue{}", "q{}"]),
            "loss": pick(["loss{}", "{}loss", "loss{}pct"]),
        }
        self.case = pick([str, str, str, str.upper if self.sep == "_" else str, str.capitalize])
        self.versus = pick(["_vs_", "-vs-", "-", "_"])
        self.run_word = pick(["run", "run", "rep", "trial", "iter", "run_", "test", "r"])
        self.first = pick([1, 1, 1, 0])
        self.pad = pick([0, 0, 0, 2])
        self.flow_word = pick(["flow", "flow", "f", "stream"])
        self.end_word = pick(
            [
                ("client", "server"),
                ("client", "server"),
                ("sender", "receiver"),
                ("snd", "rcv"),
                ("iperf_c", "iperf_s"),
            ]
        )
        self.textext = pick([".log", ".txt", ".log", ".out"])
        self.date_style = pick(
            ["%Y-%m-%d_%H-%M-%S", "%Y%m%d-%H%M%S", "%Y-%m-%dT%H_%M_%S", "%d-%m-%Y_%H-%M", "epoch"]
        )
        if self.date_style.endswith("%M"):
            self.gap = 120  # no two runs in a minute
        self.fixed = {
            "rtt": pick(VALUES["rtt"]),
            "rate": pick(VALUES["rate"]),
            "buffer": pick(VALUES["buffer"]),
            "loss": 0,
        }
        self.accidents: list[str] = []
        self.also: dict = {}  # what a kind remembers

    # -- names ------------------------------------------------------------------------------------

    def ext(self) -> str:
        return {"iperf3-json": ".json", "iperf2-csv": ".csv", "flent": ".flent", "ns2": ".tr"}.get(
            self.tool, self.textext
        )

    def variants(self, run: Run) -> list[str]:
        return list(dict.fromkeys(f.cca for f in run.flows))

    def pair(self, run: Run, sep: str | None = None) -> str:
        """The variants of a run; 'a_vs_b' of two."""
        return (sep or self.versus).join(self.case(c) for c in self.variants(run))

    def said(self, run: Run, cca: bool = True, sep: str | None = None) -> list[str]:
        """Words for the settings of a run that vary in the folder, in a fixed order."""
        words = [self.pair(run)] if cca else []
        words += [
            self.style[f].format(run.settings[f])
            for f in ("rate", "rtt", "buffer", "loss")
            if f in self.factors
        ]
        return words

    def words(self, run: Run, cca: bool = True) -> str:
        return self.sep.join(self.said(run, cca))

    def rep(self, run: Run, word: str | None = None) -> str:
        number = str(run.repeat - 1 + self.first)
        return f"{self.run_word if word is None else word}{number.zfill(self.pad) if self.pad else number}"

    def fl(self, flow: Flow) -> str:
        return f"{self.flow_word}{flow.number}"

    def end(self, end: str) -> str:
        return self.end_word[end == "server"]

    def date(self, run: Run) -> str:
        if self.date_style == "epoch":
            return str(run.epoch)
        return datetime.fromtimestamp(run.epoch, UTC).strftime(self.date_style)

    def hash(self, run: Run) -> str:
        drawn = random.Random(f"{self.name}{run.key}")
        return "".join(drawn.choice("0123456789abcdef") for _ in range(8)) + "a1"

    # -- what ran ---------------------------------------------------------------------------------

    def scenarios(self) -> list[dict]:
        """Settings of each scenario; at most 8."""
        rng, found = self.rng, [dict(self.fixed)]
        for n, factor in enumerate(self.factors):
            if factor == "cca":
                continue
            values = sorted(
                rng.sample(
                    VALUES[factor], min(len(VALUES[factor]), rng.choice([2, 2, 3]) if n < 2 else 2)
                )
            )
            found = [{**s, factor: v} for s in found for v in values]
        same = self.n_flows == 1 or self.kind.one_cca or rng.random() < 0.35
        if self.kind.own_cca and self.n_flows > 1:
            same = False
        ccas = rng.sample(VALUES["cca"], 6)
        sets = [[c] for c in ccas] if same else [[ccas[0], c] for c in ccas[1:]]
        if self.kind.own_cca and self.n_flows > 2:
            sets = [ccas[: self.n_flows] if self.n_flows <= 6 else ccas]
        n_sets = rng.choice([2, 2, 3]) if "cca" in self.factors and len(sets) > 1 else 1
        found = [{**s, "ccas": c} for c in sets[:n_sets] for s in found]
        return found[:8]

    def runs(self) -> list[Run]:
        rng, runs = self.rng, []
        epoch = self.base
        scenarios = self.scenarios()
        while len(scenarios) * self.n_repeats * self.n_flows > 72 and self.n_repeats > 1:
            self.n_repeats -= 1
        while len(scenarios) * self.n_flows * self.n_repeats > 72:
            scenarios.pop()
        fixed = [rng.randrange(40000, 60000) for _ in range(self.n_flows)]
        counted = rng.randrange(33000, 50000)
        weights = [1.0, 1.45, 2.1, 0.7, 3.0, 0.5][: self.n_flows]
        rng.shuffle(weights)
        order = [(s, r) for s in range(len(scenarios)) for r in range(1, self.n_repeats + 1)]
        if rng.random() < 0.25:  # repeats in rounds
            order = [(s, r) for r in range(1, self.n_repeats + 1) for s in range(len(scenarios))]
        for index, (s, repeat) in enumerate(order):
            settings = scenarios[s]
            flows = []
            for i in range(self.n_flows):
                ccas = settings["ccas"]
                cca = ccas[i * len(ccas) // self.n_flows] if len(ccas) < self.n_flows else ccas[i]
                client, server, sport = self._ends(i)
                if self.ports == "fixed":
                    cport = fixed[i]
                elif self.ports == "counted":
                    counted += 2
                    cport = counted
                else:
                    cport = rng.randrange(32768, 60999)
                    while any(f.cport == cport for f in flows):
                        cport = rng.randrange(32768, 60999)
                if self.grouping == "parallel":
                    client, server, sport = self._ends(0)
                start, length = self._times(i)
                flows.append(Flow(i + 1, cca, start, length, client, server, cport, sport))
            if self.kind.back:
                flows[-1].back = True
                flows[-1].client, flows[-1].server, flows[-1].sport = (
                    flows[0].client,
                    flows[0].server,
                    flows[0].sport,
                )
            run = Run(f"s{s}r{repeat}", f"s{s}", settings, repeat, epoch, flows, index)
            tilt = [w * (1.25 if (s + i) % 2 else 1) for i, w in enumerate(weights)]
            link = (
                4e5 if self.tool == "ns2" else settings["rate"] * 1e6
            )  # traces have nine lines a packet
            part = (
                0.95 / 4 ** (len(scenarios) - 1 - s) if self.kind.steep else 0.95 - 0.07 * (s % 6)
            )
            _carry(rng, run, tilt, link * part, 1040 if self.tool == "ns2" else 1448)
            runs.append(run)
            epoch += max(f.start + f.length for f in flows) + self.gap + rng.randrange(0, 3)
        return runs

    def _ends(self, i: int) -> tuple[str, str, int]:
        port = 5201 if "iperf3" in self.tool else 5001
        own = "iperf3" in self.tool or (
            self.grouping in ("flow", "sequence") and self.ends != "client"
        )
        if self.addresses == "one pair":  # one host has one server a port
            return f"{self.net}.1", f"{self.net}.2", port + (i if own else 0)
        if self.addresses == "subnets":  # a dumbbell: every host has a network of its own
            return f"192.168.{i + 11}.2", f"192.168.{i + 21}.2", port
        if self.addresses == "pairs":
            return f"{self.net}.{i + 1}", f"{self.net}.{i + 101}", port
        return f"{self.net}.{i + 11}", f"{self.net}.2", port + (i if own else 0)

    def _times(self, i: int) -> tuple[int, int]:
        if self.starts == "stagger":
            return 3 * i, self.length + 8
        if self.starts == "long":
            return (0, 2 * self.length + 6 * self.n_flows) if i == 0 else (4 + (i - 1) * 8, 6)
        return 0, self.length


def _carry(
    rng: random.Random, run: Run, weights: list[float], capacity: float, packet: int
) -> None:
    """Fill in what each flow carried: its share among those that are active, give or take 3 %."""
    own = [w * rng.gauss(1, 0.03) for w in weights]
    for i, flow in enumerate(run.flows):
        for t in range(flow.start, flow.start + flow.length):
            active = [
                own[k]
                for k, f in enumerate(run.flows)
                if f.start <= t < f.start + f.length and f.back == flow.back
            ]
            share = own[i] / sum(active)
            flow.bytes.append(
                max(1, round(capacity / 8 * share * rng.gauss(1, 0.008) / packet)) * packet
            )


def window(run: Run) -> tuple[int, int] | None:
    """The time that all flows share, after 2 s of warm-up; None where there is none."""
    begin = max(f.start for f in run.flows) + 2
    end = min(f.start + f.length for f in run.flows)
    return (begin, end) if end - begin >= 3 else None


def mean_bps(flow: Flow, span: tuple[int, int]) -> float:
    part = flow.bytes[span[0] - flow.start : span[1] - flow.start]
    return 8 * sum(part) / len(part)


# ---- the tools' own words -----------------------------------------------------------------------


def _scaled(number: float, base: int, units: str) -> str:
    for unit in units:
        if number < base * 0.9995 or unit == units[-1]:
            break
        number /= base
    places = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{number:4.{places}f} {unit.strip()}"


def _bytes(n: float) -> str:
    return _scaled(n, 1024, " KMG") + "Bytes"


def _bits(n: float) -> str:
    return _scaled(n, 1000, " KMG") + "bits"


QUANTUM = {"iperf2": 131072, "iperf3": 13032}  # bytes: whole writes; iperf3's may be partial


def _sent(flow: Flow, tool: str) -> list[int]:
    """What the sender's socket took: whole writes, the first second with the socket's buffer."""
    taken, due, step = [], 300_000, QUANTUM[tool[:6]]
    for n in flow.bytes:
        due += n
        whole = due // step * step
        taken.append(whole)
        due -= whole
    return taken


def _side_bytes(flow: Flow, end: str, tool: str) -> tuple[list[int], bool]:
    sends = (end == "client") != flow.back
    return (_sent(flow, tool) if sends else flow.bytes), sends


def iperf2(F: Folder, log: Log, version: str) -> str:
    dashes = "-" * 60
    lines, first = [], True
    enhanced = version == "2.1-e"
    label = 1 if version.startswith("2.1") else 3 if log.end == "client" else 4
    for run, flows in log.tests:
        base = flows[0]
        if first or log.end == "client":
            lines.append(dashes)
            who = (
                f"Server listening on TCP port {base.sport}"
                if log.end == "server"
                else f"Client connecting to {base.server}, TCP port {base.sport}"
            )
            if enhanced:
                pid = 20000 + F.rng.randrange(9000)
                who += f" with pid {pid}" + (
                    f" ({len(flows)} flows)" if log.end == "client" else ""
                )
            lines.append(who)
            if enhanced:
                lines.append(
                    "Read buffer size:  128 KByte (Dist bin width=16.0 KByte)"
                    if log.end == "server"
                    else "Write buffer size: 131072 Byte"
                )
            if log.end == "client" and F.also.get("Z"):
                lines.append(f"TCP congestion control set to {base.cca}")
            if enhanced and log.end == "client":
                lines.append("TOS set to 0x0 (Nagle on)")
            lines += [
                "TCP window size:  128 KByte (default)"
                if log.end == "server"
                else "TCP window size: 85.0 KByte (default)",
                dashes,
            ]
        labels = {}
        for flow in flows:
            labels[flow.number] = label
            here, there = ((flow.server, flow.sport), (flow.client, flow.cport))
            if log.end == "client":
                here, there = there, here
            here, there = _seen(F, log, here, there)
            text = (
                f"[{label:3d}] local {here[0]}"
                + ("%eth0" if enhanced else "")
                + f" port {here[1]} connected with {there[0]} port {there[1]}"
            )
            if enhanced:
                text += f" (sock={label + 2})" + (" (peer 2.1.8)" if log.end == "server" else "")
            if version.startswith("2.1"):
                text += " (icwnd/mss/irtt=14/1448/%d)" % (run.settings["rtt"] * 1000)
            if enhanced:
                text += (
                    " (ct=%.2f ms)" % run.settings["rtt"] if log.end == "client" else ""
                ) + f" on {_clock(F, log, run, flow)}"
            lines.append(text)
            label += 1
        if enhanced:
            lines.append(
                "[ ID] Interval            Transfer    Bandwidth       "
                + (
                    "Reads=Dist"
                    if log.end == "server"
                    else "Write/Err  Rtry     Cwnd/RTT(var)        NetPwr"
                )
            )
        elif first or version.startswith("2.1"):
            lines.append("[ ID] Interval       Transfer     Bandwidth")
        first = False

        def row(flow: Flow, a: float, b: float, n: int) -> str:
            span = f"{a:.4f}-{b:.4f} sec" if version.startswith("2.1") else f"{a:4.1f}-{b:4.1f} sec"
            text = f"[{labels[flow.number]:3d}] {span}  {_bytes(n)}  {_bits(8 * n / (b - a))}/sec"
            if enhanced and log.end == "server":
                reads = n // 5800 + 1
                text += f"  {reads}={reads}:0:0:0:0:0:0:0"
            elif enhanced:
                rtt = run.settings["rtt"] * 1000
                text += f"  {n // 131072}/0          0      {64 + flow.number:3d}K/{rtt}({rtt // 20}) us  {n / max(rtt, 1):.0f}"
            return text

        counted = {f.number: _side_bytes(f, log.end, F.tool)[0] for f in flows}
        longest = max(f.length for f in flows)
        for t in range(longest):
            live = [f for f in flows if t < f.length]
            lines += [row(f, t, t + 1, counted[f.number][t]) for f in live]
            if len(flows) > 1 and flows[0].start == flows[-1].start:
                total = sum(counted[f.number][t] for f in live)
                lines.append(
                    row(flows[0], t, t + 1, total)
                    .replace(f"[{labels[flows[0].number]:3d}]", "[SUM]", 1)
                    .split("  " + str(total // 5800 + 1) + "=")[0]
                    if not enhanced
                    else "[SUM] "
                    + f"{t:.4f}-{t + 1:.4f} sec  {_bytes(total)}  {_bits(8 * total)}/sec"
                )
        over = 0.3 if not version.startswith("2.1") else 0.0612
        lines += [row(f, 0.0, f.length + over, sum(counted[f.number])) for f in flows]
        if version == "2.0":
            label = 4 if log.end == "server" else 3
    return "\n".join(lines) + "\n"


def _seen(F: Folder, log: Log, here: tuple, there: tuple) -> tuple[tuple, tuple]:
    """Behind a NAT the client calls itself by an address that the server never sees."""
    if F.nat:
        if log.end == "client":
            return ("192.168.178.20", here[1]), there
        return here, ("203.0.113.7", _translated(there[1]))
    return here, there


def _translated(port: int) -> int:
    return 1024 + port * 7 % 60000


def _epoch(F: Folder, log: Log, run: Run, flow: Flow) -> int:
    host = flow.server if log.end == "server" else flow.client
    off = F.clock if F.clock and sum(map(ord, host)) % 2 else 0
    return run.epoch + flow.start + off


def _clock(F: Folder, log: Log, run: Run, flow: Flow) -> str:
    at = datetime.fromtimestamp(_epoch(F, log, run, flow), UTC)
    return (at + timedelta(hours=F.zone == "CET")).strftime("%Y-%m-%d %H:%M:%S") + f" ({F.zone})"


def iperf2_csv(F: Folder, log: Log) -> str:
    lines = []
    for run, flows in log.tests:
        counted = {f.number: _side_bytes(f, log.end, F.tool)[0] for f in flows}
        for a, b, final in [
            *((t, t + 1, False) for t in range(flows[0].length)),
            (0, flows[0].length, True),
        ]:
            for i, flow in enumerate(flows):
                n = sum(counted[flow.number][a:b])
                at = datetime.fromtimestamp(_epoch(F, log, run, flow) + b, UTC).strftime(
                    "%Y%m%d%H%M%S"
                )
                here, there = ((flow.client, flow.cport), (flow.server, flow.sport))
                if log.end == "server":
                    here, there = there, here
                lines.append(
                    f"{at},{here[0]},{here[1]},{there[0]},{there[1]},{3 + i + (log.end == 'server')},{a:.1f}-{b:.1f},{n},{8 * n // (b - a)}"
                )
    return "\n".join(lines) + "\n"


def iperf3_text(F: Folder, log: Log, verbose: bool = False) -> str:
    lines = []
    rule = "-" * 59
    dashes = "- " * 25
    for number, (run, flows) in enumerate(log.tests, start=1):
        base = flows[0]
        at = datetime.fromtimestamp(_epoch(F, log, run, base), UTC).strftime(
            "%a, %d %b %Y %H:%M:%S GMT"
        )
        cookie = "".join(
            random.Random(run.key + str(base.number)).choices(
                string.ascii_lowercase + "234567", k=36
            )
        )
        if log.end == "server":
            lines += [rule, f"Server listening on {base.sport} (test #{number})", rule]
            if verbose:
                lines.append(f"Time: {at}")
            lines.append(
                f"Accepted connection from {_seen(F, log, (base.server, 0), (base.client, 0))[1][0]}, port {base.cport - 2}"
            )
            if verbose:
                lines += [f"      Cookie: {cookie}", "      TCP MSS: 0 (default)"]
        else:
            if verbose:
                lines += [
                    "iperf 3.12",
                    "Linux host 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC x86_64",
                    "Control connection MSS 1448",
                    f"Time: {at}",
                ]
            lines.append(f"Connecting to host {base.server}, port {base.sport}")
            if verbose:
                lines += [f"      Cookie: {cookie}", "      TCP MSS: 1448 (default)"]
        ids = [
            5 + 2 * i if log.end == "client" else 5 + (i and 1) + 2 * i for i in range(len(flows))
        ]
        for i, flow in zip(ids, flows):
            here, there = ((flow.server, flow.sport), (flow.client, flow.cport))
            if log.end == "client":
                here, there = there, here
            here, there = _seen(F, log, here, there)
            lines.append(
                f"[{i:3d}] local {here[0]} port {here[1]} connected to {there[0]} port {there[1]}"
            )
        if verbose:
            lines.append(
                f"Starting Test: protocol: TCP, {len(flows)} streams, 131072 byte blocks, omitting 0 seconds, {base.length} second test, tos 0"
            )
        both = any(f.back for f in flows) and not all(f.back for f in flows)
        sends = any(_side_bytes(f, log.end, F.tool)[1] for f in flows)
        role = "[Role] " if both else " "
        head = f"[ ID]{role}Interval           Transfer     Bitrate" + (
            "         Retr" if sends else ""
        )
        lines.append(head + ("  Cwnd" if sends else ""))
        shown = {f.number: _side_bytes(f, log.end, F.tool) for f in flows}

        def row(i: int, flow: Flow, a: float, b: float, n: int, tail: str) -> str:
            way = (
                f"[{'TX' if shown[flow.number][1] else 'RX'}-{'C' if log.end == 'client' else 'S'}]"
                if both
                else ""
            )
            return f"[{i:3d}]{way} {a:6.2f}-{b:<6.2f} sec  {_bytes(n)}  {_bits(8 * n / (b - a))}/sec{tail}"

        for t in range(max(f.length for f in flows)):
            for i, flow in zip(ids, flows):
                counted, sending = shown[flow.number]
                tail = f"{0:5d}   {90 + flow.number:4.0f} KBytes       " if sending else " " * 18
                lines.append(row(i, flow, t, t + 1, counted[t], tail))
            if len(flows) > 1 and not both:
                total = sum(shown[f.number][0][t] for f in flows)
                lines.append(
                    f"[SUM] {t:6.2f}-{t + 1:<6.2f} sec  {_bytes(total)}  {_bits(8 * total)}/sec"
                    + (f"{0:5d}             " if sends else " " * 18)
                )
                lines.append(dashes.rstrip() if t + 1 < base.length else "")
                if not lines[-1]:
                    lines.pop()
        lines += [
            dashes.rstrip(),
            f"[ ID]{role}Interval           Transfer     Bitrate"
            + ("         Retr" if sends else ""),
        ]
        for i, flow in zip(ids, flows):
            counted, sending = shown[flow.number]
            if log.end == "client" or sending:
                lines.append(
                    row(
                        i,
                        flow,
                        0,
                        flow.length,
                        sum(_sent(flow, F.tool)),
                        f"{0:5d}             sender",
                    )
                )
            if log.end == "client" or not sending:
                lines.append(
                    row(
                        i,
                        flow,
                        0,
                        flow.length + 0.02,
                        sum(flow.bytes),
                        "                  receiver",
                    )
                )
        if log.end == "client":
            if verbose:
                lines.append(f"snd_tcp_congestion {base.cca}")
                lines.append(f"rcv_tcp_congestion {base.cca}")
            lines += ["", "iperf Done."]
    return "\n".join(lines) + "\n"


def _cjson(value: object, depth: int = 1) -> str:
    """Print as cJSON does, which iperf3 uses."""
    if isinstance(value, dict):
        if not value:
            return "{\n" + "\t" * (depth - 1) + "}"
        inside = ",\n".join(
            "\t" * depth + f'"{k}":\t{_cjson(v, depth + 1)}' for k, v in value.items()
        )
        return "{\n" + inside + "\n" + "\t" * (depth - 1) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_cjson(v, depth + 1) for v in value) + "]"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) else repr(value)
    return json.dumps(value)


def iperf3_json(F: Folder, log: Log) -> str:
    documents = []
    for run, flows in log.tests:
        base, jitter = flows[0], random.Random(run.key + log.end + str(flows[0].number))
        at = _epoch(F, log, run, base)
        sockets = [
            5 + 2 * i if log.end == "client" else 5 + (i and 1) + 2 * i for i in range(len(flows))
        ]
        connected = []
        for socket, flow in zip(sockets, flows):
            here, there = ((flow.server, flow.sport), (flow.client, flow.cport))
            if log.end == "client":
                here, there = there, here
            here, there = _seen(F, log, here, there)
            connected.append(
                {
                    "socket": socket,
                    "local_host": here[0],
                    "local_port": here[1],
                    "remote_host": there[0],
                    "remote_port": there[1],
                }
            )
        cookie = "".join(
            random.Random(F.name + run.key + str(base.number)).choices(
                string.ascii_lowercase + "234567", k=36
            )
        )
        stamp = {
            "time": datetime.fromtimestamp(at, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT"),
            "timesecs": at,
        }
        start = {
            "connected": connected,
            "version": "iperf 3.12",
            "system_info": "Linux host 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC x86_64",
        }
        test = {
            "protocol": "TCP",
            "num_streams": sum(not f.back for f in flows) or 1,
            "blksize": 131072,
            "omit": 0,
            "duration": base.length,
            "bytes": 0,
            "blocks": 0,
            "reverse": int(all(f.back for f in flows)),
            "tos": 0,
            "target_bitrate": 0,
        }
        if log.end == "client":
            start |= {
                "timestamp": stamp,
                "connecting_to": {"host": base.server, "port": base.sport},
                "cookie": cookie,
                "tcp_mss_default": 1448,
            }
        else:
            start |= {
                "sock_bufsize": 0,
                "sndbuf_actual": 16384,
                "rcvbuf_actual": 131072,
                "timestamp": stamp,
                "accepted_connection": {
                    "host": connected[0]["remote_host"],
                    "port": base.cport - 2,
                },
                "cookie": cookie,
                "tcp_mss_default": 0,
            }
        start |= {"target_bitrate": 0, "test_start": test}
        edges = [0.0]
        for t in range(base.length):
            edges.append(round(t + 1 + jitter.uniform(0, 0.0004), 6))
        intervals = []
        late = (
            F.also.get("late end", {}).get((run.key, base.number)) if log.end == "server" else None
        )
        for t in range(base.length):
            rows = [
                _json_row(
                    s,
                    f,
                    log.end,
                    edges[t],
                    edges[t + 1],
                    _side_bytes(f, log.end, F.tool)[0][t],
                    run,
                )
                for s, f in zip(sockets, flows)
            ]
            intervals.append(
                {
                    "streams": rows,
                    "sum": _json_sum([r for r, f in zip(rows, flows) if f.back == base.back]),
                }
            )
            other = [r for r, f in zip(rows, flows) if f.back != base.back]
            if other:
                intervals[-1]["sum_bidir_reverse"] = _json_sum(other)
        if late:
            rows = [
                _json_row(
                    s, f, log.end, edges[-1], edges[-1] + late, round(f.bytes[-1] * 0.08), run
                )
                for s, f in zip(sockets, flows)
            ]
            intervals.append({"streams": rows, "sum": _json_sum(rows)})
        ends = []
        for socket, flow in zip(sockets, flows):
            sent, got = sum(_sent(flow, F.tool)), sum(flow.bytes)
            span = edges[-1]
            knows = log.end == "client" or flow.back
            s = {
                "socket": socket,
                "start": 0,
                "end": span,
                "seconds": span,
                "bytes": sent if knows else 0,
                "bits_per_second": 8 * sent / span if knows else 0,
            }
            if knows and (log.end == "client") != flow.back:
                rtt = run.settings["rtt"] * 1000
                s |= {
                    "retransmits": 0,
                    "max_snd_cwnd": 131072,
                    "max_snd_wnd": 3266560,
                    "max_rtt": rtt + 900,
                    "min_rtt": rtt,
                    "mean_rtt": rtt + 300,
                }
            sends = (log.end == "client") != flow.back
            r = {
                "socket": socket,
                "start": 0,
                "end": span + 0.02,
                "seconds": span,
                "bytes": got,
                "bits_per_second": 8 * got / span,
            }
            ends.append({"sender": {**s, "sender": sends}, "receiver": {**r, "sender": sends}})
        total = lambda side: {
            k: sum(e[side].get(k, 0) for e in ends)
            if k in ("bytes", "bits_per_second")
            else ends[0][side].get(k)
            for k in ("start", "end", "seconds", "bytes", "bits_per_second", "sender")
        }
        end = {
            "streams": ends,
            "sum_sent": total("sender"),
            "sum_received": total("receiver"),
            "cpu_utilization_percent": {
                "host_total": 0.06,
                "host_user": 0.05,
                "host_system": 0,
                "remote_total": 1.4,
                "remote_user": 0.6,
                "remote_system": 0.8,
            },
        }
        if log.end == "client":
            end |= {"sender_tcp_congestion": base.cca, "receiver_tcp_congestion": "cubic"}
        else:
            end |= {"receiver_tcp_congestion": "cubic"}
        document = _cjson({"start": start, "intervals": intervals, "end": end}) + "\n"
        documents.append(document * (2 if (run.key, base.number) in F.also.get("twice", ()) else 1))
    return "".join(documents)


def _json_row(socket: int, flow: Flow, end: str, a: float, b: float, n: int, run: Run) -> dict:
    sends = (end == "client") != flow.back
    row = {
        "socket": socket,
        "start": a,
        "end": b,
        "seconds": b - a,
        "bytes": n,
        "bits_per_second": 8 * n / (b - a),
    }
    if sends:
        rtt = run.settings["rtt"] * 1000
        row |= {
            "retransmits": 0,
            "snd_cwnd": 118736,
            "snd_wnd": 3266560,
            "rtt": rtt + 300,
            "rttvar": 90,
            "pmtu": 1500,
        }
    return {**row, "omitted": False, "sender": sends}


def _json_sum(rows: list[dict]) -> dict:
    keys = [
        k
        for k in rows[0]
        if k
        in (
            "start",
            "end",
            "seconds",
            "bytes",
            "bits_per_second",
            "retransmits",
            "omitted",
            "sender",
        )
    ]
    return {
        k: sum(r[k] for r in rows)
        if k in ("bytes", "bits_per_second", "retransmits")
        else rows[0][k]
        for k in keys
    }


def flent(F: Folder, log: Log) -> str:
    ((run, flows),) = log.tests
    at = datetime.fromtimestamp(run.epoch, UTC)
    step, lead, names = (
        0.5,
        5.0,
        [f"TCP upload::{f.number}" for f in flows] if len(flows) > 1 else ["TCP upload"],
    )
    n = int((flows[0].length + 2 * lead) / step) + 1
    results = {"Ping (ms) ICMP": [round(run.settings["rtt"] + 0.1 * (i % 7), 3) for i in range(n)]}
    raw, meta = (
        {},
        {
            "Ping (ms) ICMP": {
                "COMMAND": "/usr/bin/fping",
                "IDX": len(flows),
                "MEAN_VALUE": run.settings["rtt"] + 0.3,
                "RUNNER": "PingRunner",
                "UNITS": "ms",
            }
        },
    )
    for i, (name, flow) in enumerate(zip(names, flows)):
        values = [None] * n
        raw[name] = []
        for t, b in enumerate(flow.bytes):
            for half in (0, 1):
                k = int((lead + t + half * step) / step) + 1
                values[k] = round(8 * b / 1e6, 2)
                raw[name].append(
                    {"dur": 0.5, "t": run.epoch + lead + t + (half + 1) * step, "val": values[k]}
                )
        results[name] = values
        mean = round(8 * sum(flow.bytes) / len(flow.bytes) / 1e6, 2)
        meta[name] = {
            "BYTES_RECVD": sum(flow.bytes),
            "BYTES_SENT": sum(flow.bytes),
            "COMMAND": f"/usr/bin/netperf -P 0 -v 0 -D -0.50 -4  -H {flow.server} -p 12865 -t TCP_STREAM -l {flow.length} -F /dev/urandom -f m",
            "CONG_CONTROL": flow.cca,
            "ELAPSED_TIME": float(flow.length),
            "IDX": i,
            "MEAN_VALUE": mean,
            "RUNNER": "NetperfDemoRunner",
            "TCP_MSS": 1448,
            "UNITS": "Mbits/s",
        }
    title = f"{F.words(run)}"
    stamp = at.strftime("%Y-%m-%dT%H:%M:%S")
    metadata = {
        "BATCH_NAME": None,
        "BATCH_TIME": None,
        "BATCH_TITLE": None,
        "BATCH_UUID": None,
        "DATA_FILENAME": log.path.rpartition("/")[2],
        "FAILED_RUNNERS": 0,
        "FLENT_VERSION": "2.1.1",
        "HOST": flows[0].server,
        "HOSTS": [flows[0].server],
        "IP_VERSION": 4,
        "KERNEL_NAME": "Linux",
        "KERNEL_RELEASE": "6.1.0-18-amd64",
        "LENGTH": flows[0].length,
        "LOCAL_HOST": "lab",
        "NAME": "tcp_nup" if len(flows) > 1 else "tcp_upload",
        "NOTE": None,
        "SERIES_META": meta,
        "STEP_SIZE": step,
        "SYSCTLS": {"net.ipv4.tcp_congestion_control": flows[0].cca},
        "T0": stamp + ".797100Z",
        "TEST_PARAMETERS": {"upload_streams": str(len(flows))} if len(flows) > 1 else {},
        "TIME": stamp + ".601555Z",
        "TITLE": title,
        "TOTAL_LENGTH": flows[0].length + 10,
    }
    document = {
        "metadata": metadata,
        "raw_values": raw,
        "results": results,
        "version": 4,
        "x_values": [i * step for i in range(n)],
    }
    return json.dumps(document, indent=2, sort_keys=True)


def ns2_trace(F: Folder, log: Log) -> str:
    """`trace-all`, without acknowledgements: +, - and r of the data on three hops of a dumbbell."""
    ((run, flows),) = log.tests
    n, lines, uid = len(flows), [], 0
    mirrored = F.also.get("mirrored") and run.index % 2
    events = []
    for flow in flows:
        seq, nodes = 0, [flow.number - 1, n, n + 1, n + 1 + flow.number]
        if mirrored:
            nodes = nodes[::-1]
        for t, b in enumerate(flow.bytes):
            count = b // 1040
            for k in range(count):
                at = flow.start + t + (k + flow.number / 10) / count * 0.9
                seq, uid = seq + 1, uid + 1
                for here, there, delay in zip(
                    nodes, nodes[1:], (0.001, run.settings["rtt"] / 4000, 0.001)
                ):
                    tail = f"{here} {there} tcp 1040 ------- {flow.number} {nodes[0]}.0 {nodes[-1]}.0 {seq} {uid}"
                    events += [(at, "+", tail), (at, "-", tail), (at + delay, "r", tail)]
                    at += delay
    for at, what, tail in sorted(events, key=lambda e: (e[0], "+-r".index(e[1]))):
        lines.append(f"{what} {at:.6f} {tail}")
    return "\n".join(lines) + "\n"


WRITERS = {
    "iperf2.0": lambda F, log: iperf2(F, log, "2.0"),
    "iperf2.1": lambda F, log: iperf2(F, log, "2.1"),
    "iperf2.1-e": lambda F, log: iperf2(F, log, "2.1-e"),
    "iperf2-csv": iperf2_csv,
    "iperf3": iperf3_text,
    "iperf3-V": lambda F, log: iperf3_text(F, log, verbose=True),
    "iperf3-json": iperf3_json,
    "flent": flent,
    "ns2": ns2_trace,
}
REFUSED = {
    "iperf2.0": "connect failed: Connection refused\n",
    "iperf2-csv": "connect failed: Connection refused\n",
    "iperf3": "iperf3: error - unable to connect to server: Connection refused\n",
    "iperf3-V": "iperf 3.12\nLinux host 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC x86_64\niperf3: error - the server is busy running a test. try again later\n",
    "iperf3-json": _cjson(
        {
            "start": {
                "connected": [],
                "version": "iperf 3.12",
                "system_info": "Linux host 6.1.0-18-amd64",
            },
            "intervals": [],
            "end": {},
            "error": "unable to connect to server: Connection refused",
        }
    )
    + "\n",
}
REFUSED["iperf2.1"] = REFUSED["iperf2.1-e"] = (
    "-" * 60
    + "\nClient connecting to 10.0.0.2, TCP port 5001\nTCP window size: 16.0 KByte (default)\n"
    + "-" * 60
    + "\ntcp connect failed: Connection refused\n[  1] local 0.0.0.0 port 0 connected with 10.0.0.2 port 5001\n"
)

# ---- kinds of layout ----------------------------------------------------------------------------

TEXT = {"iperf2.0", "iperf2.1", "iperf2.1-e", "iperf3", "iperf3-V"}
ANY = TEXT | {"iperf3-json", "iperf2-csv"}


@dataclass
class Kind:
    """How people name files.

    join: what a careful reader can tell from the names alone about which logs ran together:
    'names' (they say it), 'weak' (they may be read in two ways), 'none'.
    pool: the same of which runs are repeats.
    """

    name: str
    path: object  # (F, run, flow or None, end or None) -> path without extension
    join: str = "names"
    pool: str = "names"
    tools: set = field(default_factory=lambda: ANY)
    flows: tuple = (1, 2, 3, 4, 5, 6)
    repeats: tuple = (1, 2, 3, 4, 5)
    factors: tuple = ("cca", "rtt", "buffer", "rate", "loss")
    needs: tuple = ()
    always: tuple = ("cca",)
    ends: tuple = ("client", "server", "both")
    grouping: str = "flow"  # a log a flow and end; 'parallel': a test (-P); 'server': clients' one a flow, the server's one a test
    starts: str | None = None
    addresses: str | None = None
    one_cca: bool = False
    own_cca: bool = False
    back: bool = False
    weight: int = 1
    also: object = None  # (F) -> None, sets F.also
    shows: tuple = ()  # settings that names say even where they do not vary
    steep: bool = (
        False  # each value of the first factor carries four times what the one before does
    )
    worlds: str | None = None  # the same tests in several places: 'at once' or 'in turn'
    words: tuple = ()  # what the places are called
    same_addresses: bool | None = None  # whether the places have the same private ones
    clients_at: bool = False  # places are hosts that measured against one server
    other_tool: str | None = None  # that logged flows 2, 4, ...
    sidecars: bool = False  # now and then a log of ss or a trace of cwnd lies beside each log


KINDS: list[Kind] = []


def kind(name: str, **about):
    def add(path):
        KINDS.append(Kind(name, path, **about))
        return path

    return add


def _end(F: Folder, end: str, sep: str = "_") -> str:
    """The end's word, where both have logs."""
    return f"{sep}{F.end(end)}" if F.ends == "both" else ""


@kind("names say all", weight=3, sidecars=True)
def _(F, run, flow, end):
    s = F.sep
    return s.join([*F.said(run), F.rep(run), F.fl(flow)]) + _end(F, end, s)


@kind("folders say all", weight=3, sidecars=True)
def _(F, run, flow, end):
    return "/".join([*F.said(run), F.rep(run), F.fl(flow)]) + _end(F, end)


@kind("a folder a setting, run in the name", weight=2)
def _(F, run, flow, end):
    return F.words(run) + f"/{F.rep(run)}{F.sep}{F.fl(flow)}" + _end(F, end, F.sep)


@kind("folders server and client", ends=("both",), weight=2)
def _(F, run, flow, end):
    return f"{F.end(end)}/{F.sep.join([*F.said(run), F.rep(run), F.fl(flow)])}"


@kind(
    "s and r are sender and receiver",
    ends=("both",),
    tools={"iperf3-json", "iperf2.1-e", "iperf3-V"},
    flows=(2, 3, 4),
)
def _(F, run, flow, end):
    top = F.words(run) + "/" if len(F.factors) else ""
    return f"{top}fix{run.repeat - 1}/{'s' if end == 'client' else 'r'}{flow.number}"


@kind("folders named by hosts", join="names", addresses="pairs", ends=("client", "server"))
def _(F, run, flow, end):
    return f"h{flow.number}/{F.sep.join([*F.said(run), F.rep(run)])}"


@kind(
    "hosts numbered in names",
    join="names",
    addresses="many to one",
    flows=(2, 3, 4),
    ends=("client", "server"),
    repeats=(1, 2, 3),
)
def _(F, run, flow, end):
    words = [*F.said(run)] + ([F.rep(run)] if F.n_repeats > 1 else []) + [f"h{flow.number}"]
    return "lab/" + "-".join(words)


@kind("bare number of a trial", flows=(1,), join="names", weight=2)
def _(F, run, flow, end):
    return F.sep.join([*F.said(run), str(run.repeat)]) + _end(F, end)


@kind("parallel, -P", grouping="parallel", flows=(2, 3, 4, 6), one_cca=True, weight=2)
def _(F, run, flow, end):
    return F.sep.join([*F.said(run), f"P{F.n_flows}", F.rep(run)]) + _end(F, end)


@kind(
    "pair in the folder, own variant in the name",
    own_cca=True,
    flows=(2,),
    repeats=(2, 3, 4, 5),
    factors=("buffer", "cca"),
    tools=TEXT | {"iperf3-json"},
    weight=2,
)
def _(F, run, flow, end):
    number = f"_{_rank(F, run)}_" if "buffer" in F.factors else ""
    pair = F.pair(run, "-").lower().replace("bbr2", "bbrv2")
    return f"{pair}/trial{run.repeat}/{flow.cca}{number}" + _end(F, end)


def _table(F: Folder) -> None:
    """The table whose rows the numbers in names are: no log, and nothing that could be read of it."""
    F.also["texts"] = {"buffersizes.txt": "".join(f"{64 * 4**i}kb\n" for i in range(4))}


def _rank(F: Folder, run: Run) -> int:
    """1, 2, ... of the run's buffer among those of the folder."""
    return sorted({r["buffer"] for r in F.also["scenarios"]}).index(run.settings["buffer"]) + 1


@kind(
    "queue's size in the folder",
    flows=(1,),
    repeats=(1,),
    factors=("buffer",),
    needs=("buffer",),
    ends=("client", "server"),
)
def _(F, run, flow, end):
    return f"{F.pair(run)}-q{run.settings['buffer']}/iperf"


@kind(
    "server's address and port in the name",
    ends=("client",),
    join="names",
    tools={"iperf3", "iperf3-json"},
    addresses="one pair",
    flows=(2, 3, 4),
)
def _(F, run, flow, end):
    top = F.words(run, cca=False) or "baseline"
    return f"{top}{F.sep}{F.pair(run)}/{F.rep(run)}/sender-{flow.server}-{flow.sport}-{flow.length}-{flow.cca}"


@kind(
    "chain of bare numbers",
    own_cca=True,
    flows=(2,),
    repeats=(1,),
    factors=("buffer", "rate", "rtt"),
    needs=("buffer", "rate"),
    always=(),
    join="weak",
    ends=("client",),
)
def _(F, run, flow, end):
    s = run.settings
    return f"{s['buffer']}_{s['rate']}_{s['rtt']}_{flow.cca}"


@kind(
    "topology's name, clients c and servers x",
    ends=("both",),
    tools={"iperf2-csv", "iperf3-json", "iperf3"},
    addresses="pairs",
    flows=(2, 3, 5),
    factors=("cca", "rtt", "rate", "buffer"),
    one_cca=True,
    shows=("rtt", "rate", "buffer"),
)
def _(F, run, flow, end):
    s = run.settings
    top = f"Dumbbell_{s['rate']}mbit_{s['rtt']}ms_{s['buffer']}pkts_0loss_{F.n_flows}flows_22tcpbuf_{run.flows[0].cca}"
    return f"{top}/run{run.repeat}/csvs/{'c' if end == 'client' else 'x'}{flow.number}"


@kind("folders named by a date", weight=2, sidecars=True)
def _(F, run, flow, end):
    return f"{F.words(run)}/{F.date(run)}/{F.fl(flow)}" + _end(F, end)


@kind("folders named by a hash")
def _(F, run, flow, end):
    return f"{F.words(run)}/{F.hash(run)}/{F.fl(flow)}" + _end(F, end)


@kind("date in the name", flows=(1, 2), weight=1)
def _(F, run, flow, end):
    flow_word = f"_{F.fl(flow)}" if F.n_flows > 1 else ""
    return f"{F.words(run)}_{F.date(run)}{flow_word}" + _end(F, end)


@kind(
    "trial before the variant",
    join="weak",
    own_cca=True,
    flows=(2,),
    factors=("rtt", "buffer", "rate"),
    always=(),
)
def _(F, run, flow, end):
    top = F.words(run, cca=False)
    return f"{top + '/' if top else ''}runs/t{run.repeat}_{flow.cca}" + _end(F, end)


@kind(
    "prefix of the end, number of the flow", ends=("both", "server"), grouping="flow", sidecars=True
)
def _(F, run, flow, end):
    return f"{F.words(run)}/{run.repeat}/iperf_{'c' if end == 'client' else 's'}_{flow.number}"


@kind(
    "one server's log a run",
    ends=("both",),
    grouping="server",
    tools={"iperf2.0", "iperf2.1", "iperf2.1-e"},
    addresses="many to one",
    flows=(2, 3, 4, 5),
)
def _(F, run, flow, end):
    base = f"{F.words(run)}/{F.rep(run)}"
    return f"{base}/server" if end == "server" else f"{base}/client{flow.number}"


@kind(
    "elephant and mice",
    starts="long",
    tools={"iperf3-json", "iperf2.1-e"},
    flows=(3, 4),
    ends=("client", "server"),
    weight=2,
)
def _(F, run, flow, end):
    return f"{F.words(run)}{F.sep}{F.rep(run)}/" + (
        "elephant" if flow.number == 1 else f"mouse_{flow.number - 2}"
    )


@kind(
    "one server's log for all tests",
    ends=("both", "server"),
    grouping="sequence",
    tools={"iperf3", "iperf2.0", "iperf2.1", "iperf2.1-e", "iperf3-json"},
    addresses="one pair",
    flows=(1,),
    weight=2,
)
def _(F, run, flow, end):
    if end == "server":
        return f"server{'_' + F.words(run) if F.ends == 'server' else ''}"
    return f"client_{F.words(run)}_{F.rep(run)}"


@kind(
    "two servers' logs for all tests",
    ends=("both", "server"),
    grouping="sequence",
    tools={"iperf3", "iperf2.0", "iperf2.1-e", "iperf3-json"},
    addresses="pairs",
    flows=(2,),
    join="names",
)
def _(F, run, flow, end):
    if end == "server":
        return f"netlab-{'ab'[flow.number - 1]}{'_' + F.words(run) if F.ends == 'server' else ''}"
    return f"client_{F.words(run)}_{F.rep(run)}_{flow.number}"


@kind(
    "two directions, --bidir",
    back=True,
    grouping="parallel",
    tools={"iperf3-json", "iperf3"},
    flows=(2,),
    one_cca=True,
    ends=("client",),
)
def _(F, run, flow, end):
    return f"{F.words(run)}_bidir_{F.rep(run)}"


@kind(
    "words that mean something to the maker",
    flows=(1, 2),
    factors=("rate",),
    needs=("rate",),
    always=(),
)
def _(F, run, flow, end):
    rates = sorted({r["rate"] for r in F.also["scenarios"]})
    word = ["baseline", "tuned", "wifi", "lab"][rates.index(run.settings["rate"])]
    flow_word = f"_{F.fl(flow)}" if F.n_flows > 1 else ""
    return f"{word}/{F.pair(run)}_{F.rep(run)}{flow_word}" + _end(F, end)


@kind(
    "row of a table as the setting",
    own_cca=True,
    flows=(2, 4),
    repeats=(1,),
    factors=("buffer",),
    needs=("buffer",),
    always=(),
    addresses="many to one",
    pool="none",
    join="weak",
    ends=("client",),
    tools={"iperf3", "iperf3-json", "iperf2.1"},
    steep=True,
    also=_table,
)
def _(F, run, flow, end):
    return f"{flow.cca}_h{flow.number + 9}_{_rank(F, run)}_"


@kind(
    "ns-2 traces",
    tools={"ns2"},
    factors=("cca", "rtt", "buffer"),
    flows=(1, 2, 3),
    repeats=(1, 2, 3),
    grouping="trace",
    ends=("server",),
    sidecars=True,
)
def _(F, run, flow, end):
    return f"{F.words(run)}/{F.rep(run)}/out"


@kind(
    "Flent's own names",
    tools={"flent"},
    flows=(1, 2, 3),
    one_cca=True,
    grouping="parallel",
    ends=("client",),
    repeats=(1, 2, 3),
)
def _(F, run, flow, end):
    at = datetime.fromtimestamp(run.epoch, UTC).strftime("%Y-%m-%dT%H%M%S.601555")
    return f"{'tcp_nup' if F.n_flows > 1 else 'tcp_upload'}-{at}.{F.words(run).replace('-', '_').replace('=', '_')}"


@kind(
    "two labs at once",
    flows=(2, 3),
    ends=("client", "server"),
    tools={"iperf3-json", "iperf2.1-e", "iperf3"},
    repeats=(1, 2, 3),
    factors=("cca", "rtt"),
    worlds="at once",
    words=("lab-a", "lab-b"),
)
def _(F, run, flow, end):
    return f"{run.net}/{F.sep.join([*F.said(run), F.rep(run), F.fl(flow)])}"


@kind(
    "two labs at once, variants alone in names",
    own_cca=True,
    flows=(2,),
    join="weak",
    ends=("client",),
    tools={"iperf3-json", "iperf2.1-e"},
    repeats=(1, 2),
    factors=("rtt",),
    always=(),
    worlds="at once",
    words=("lab-a", "lab-b"),
    weight=2,
)
def _(F, run, flow, end):
    words = F.said(run, cca=False) + ([F.rep(run)] if F.n_repeats > 1 else [])
    return "/".join([run.net, *words, flow.cca])


@kind(
    "places measured one after another",
    flows=(1,),
    worlds="in turn",
    words=("paris", "lyon", "nice"),
    repeats=(1, 2, 3),
    factors=("cca", "rtt"),
    same_addresses=False,
    weight=2,
)
def _(F, run, flow, end):
    return f"{run.net}/{F.sep.join([*F.said(run), F.rep(run)])}" + _end(F, end)


@kind(
    "numbered hosts one after another",
    flows=(1,),
    worlds="in turn",
    words=("h1", "h2", "h3"),
    repeats=(1, 2, 3),
    factors=("cca", "rtt"),
    tools={"iperf3-json", "iperf2.1-e", "iperf3-V"},
    ends=("client",),
    same_addresses=False,
    clients_at=True,
)
def _(F, run, flow, end):
    return f"{run.net}/{F.sep.join([*F.said(run), F.rep(run)])}"


@kind(
    "variants one after another in a repeat's folder",
    flows=(1,),
    factors=("cca", "rtt", "buffer"),
    needs=("cca",),
    repeats=(2, 3, 4, 5),
    weight=2,
)
def _(F, run, flow, end):
    top = F.words(run, cca=False)
    return "/".join([*([top] if top else []), F.rep(run), F.case(flow.cca)]) + _end(F, end)


@kind(
    "near and far, the same ports",
    flows=(1, 2),
    ends=("both",),
    worlds="in turn",
    words=("near", "far"),
    same_addresses=True,
    tools={"iperf3", "iperf2.0", "iperf2.1", "iperf3-json"},
    repeats=(1, 2, 3),
    factors=("cca",),
)
def _(F, run, flow, end):
    words = [*F.said(run), F.rep(run)] + ([F.fl(flow)] if F.n_flows > 1 else [])
    return f"{run.net}/{F.sep.join(words)}" + _end(F, end)


TOOLS += ["ns2", "flent"]

# ---- a folder -----------------------------------------------------------------------------------


def make_logs(F: Folder, runs: list[Run]) -> list[Log]:
    logs: dict[tuple[str, str], Log] = {}
    ends = ("client", "server") if F.ends == "both" else (F.ends,)
    for run in runs:
        for end in ends:
            whole = F.grouping in ("parallel", "trace") or (
                F.grouping == "server" and end == "server"
            )
            for part in [run.flows] if whole else [[f] for f in run.flows]:
                path = F.kind.path(F, run, part[0], end) + F.ext()
                if run.campaign:
                    path = f"{run.campaign}/{path}"
                log = logs.setdefault((path, end), Log(path, end, F.tool, []))
                log.tests.append((run, part))
    if F.grouping != "sequence":
        assert all(len(log.tests) == 1 for log in logs.values()), (
            F.kind.name,
            "two runs, one path",
        )
    assert len({path for path, _ in logs}) == len(logs), (F.kind.name, "two ends, one path")
    return list(logs.values())


def sidecars(F: Folder, logs: list[Log]) -> list[Log]:
    """What people let run beside the tests: `ss -tin` every second, or the trace of a variable."""
    found = []
    for log in logs:
        if log.end == F.ends or log.end == "client":
            for run, flows in log.tests:
                for flow in flows:
                    head = log.path.removesuffix(F.ext())
                    folder, slash, leaf = head.rpartition("/")
                    path = (
                        f"{folder}{slash}cwnd{flow.number}.tr"
                        if F.tool == "ns2"
                        else f"{folder}{slash}ss_{leaf}.txt"
                    )
                    found.append(Log(path, "sender", F.tool, [(run, [flow])], status="sidecar"))
    return found


def sidecar(F: Folder, log: Log) -> str:
    ((run, (flow,)),) = log.tests
    lines = []
    for t, n in enumerate(flow.bytes):
        cwnd = 20 + (7 * t + flow.number) % 30
        if F.tool == "ns2":
            lines.append(
                f"{flow.start + t:.5f}  {flow.number - 1}  0  {len(run.flows) + 1 + flow.number}  0  cwnd_ {cwnd:.3f} "
            )
            continue
        rtt = run.settings["rtt"] + 0.3
        lines += [
            f"{_epoch(F, log, run, flow) + t}.{100000000 + 37 * t:09d}",
            "State    Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess",
            f"ESTAB    0      269328     {flow.client}:{flow.cport}    {flow.server}:{flow.sport}",
            f"\t {flow.cca} wscale:10,10 rto:224 rtt:{rtt:.3f}/2.542 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:{cwnd} ssthresh:44 bytes_sent:{sum(flow.bytes[: t + 1])} bytes_acked:{sum(flow.bytes[: t + 1])} bytes_received:28 send {8 * n}bps lastsnd:8 lastrcv:1008 pacing_rate {10 * n}bps delivery_rate {8 * n}bps busy:1008ms unacked:35 rcv_space:14480 rcv_ssthresh:64088 notsent:218648 minrtt:0.017 snd_wnd:1253376",
        ]
    return "\n".join(lines) + "\n"


def accidents(F: Folder, runs: list[Run], logs: list[Log]) -> list[Log]:
    """Draw what went wrong in a folder, and change its logs."""
    rng = F.rng
    wanted = [
        a
        for a in ("missing", "empty", "failed", "truncated", "copy", "late end", "twice")
        if rng.random() < 0.09
    ]
    if F.tool in ("ns2", "flent"):
        wanted = [a for a in wanted if a in ("empty", "copy")]
    for accident in wanted[:2]:
        simple = [log for log in logs if len(log.tests) == 1 and log.status == "good"]
        if accident == "missing" and F.n_flows > 1 and F.grouping in ("flow", "server"):
            run, number = rng.choice(runs), rng.randrange(F.n_flows) + 1
            gone = [
                log
                for log in simple
                if log.tests[0][0] is run and [f.number for f in log.tests[0][1]] == [number]
            ]
            if gone and not any(len(log.tests[0][1]) > 1 for log in logs):
                logs = [log for log in logs if log not in gone]
                run.flows[number - 1].start += 0
                F.also.setdefault("no log", set()).add((run.key, number))
                F.accidents.append(accident)
        elif accident in ("empty", "failed", "truncated") and len(simple) > 2:
            log = rng.choice([log for log in simple if log.status == "good"])
            log.status = accident
            F.accidents.append(accident)
        elif accident == "copy" and simple:
            log = rng.choice([log for log in simple if log.status == "good"])
            head, dot, tail = log.path.rpartition(".")
            path = rng.choice(
                [
                    f"{head} (1).{tail}",
                    f"{head}-copy.{tail}",
                    f"backup/{log.path}",
                    f"{head}_old.{tail}",
                ]
            )
            logs = [*logs, Log(path, log.end, log.tool, log.tests, status="copy", of=log.path)]
            F.accidents.append(accident)
        elif accident == "late end" and F.tool == "iperf3-json" and F.ends != "client":
            run = rng.choice(runs)
            F.also["late end"] = {(run.key, f.number): 10.05 for f in run.flows}
            F.accidents.append(accident)
        elif accident == "twice" and F.tool == "iperf3-json":
            run = rng.choice(runs)
            F.also["twice"] = {(run.key, run.flows[0].number)}
            F.accidents.append(accident)
    return logs


def second_campaign(F: Folder, runs: list[Run]) -> list[Run]:
    """The same settings again, months later, on a link of which half was used by others."""
    again = []
    segment = 1040 if F.tool == "ns2" else 1448
    for run in runs[: max(1, len(runs) // 2)]:
        flows = [
            Flow(
                f.number,
                f.cca,
                f.start,
                f.length,
                f.client,
                f.server,
                f.cport if F.ports == "fixed" else F.rng.randrange(32768, 60999),
                f.sport,
                [max(segment, n * 4 // 9 // segment * segment) for n in f.bytes],
                f.back,
            )
            for f in run.flows
        ]
        key = f"b{run.key}"
        again.append(
            Run(
                key,
                f"b{run.scenario}",
                run.settings,
                run.repeat,
                run.epoch + 90 * 86400,
                flows,
                run.index,
                run.net,
                F.also["campaign"],
            )
        )
    return again


def elsewhere(F: Folder, runs: list[Run]) -> list[Run]:
    """The same tests in another place (network, site, host): at the same time, or afterwards."""
    words = F.kind.words[: F.rng.choice([2, 2, 3])]
    same = F.kind.same_addresses if F.kind.same_addresses is not None else F.rng.random() < 0.5
    span = runs[-1].epoch - runs[0].epoch + 300
    found = []
    for n, word in enumerate(words):
        for run in runs:

            def move(ip: str, of_client: bool) -> str:
                head, _, tail = ip.rpartition(".")
                net = head.rpartition(".")[2]
                if n == 0 or same or (F.kind.clients_at and not of_client):
                    return ip
                return (
                    f"{head}.{int(tail) + 20 * n}"
                    if F.kind.clients_at
                    else f"10.{76 + n}.{net}.{tail}"
                )

            flows = []
            for f in run.flows:
                carried = (
                    [max(1, b * 5**n // 2**n // 1448) * 1448 for b in f.bytes] if n else f.bytes
                )
                port = (
                    f.cport
                    if n == 0 or F.ports == "fixed" or (same and F.rng.random() < 0.2)
                    else F.rng.randrange(32768, 60999)
                )
                flows.append(
                    Flow(
                        f.number,
                        f.cca,
                        f.start,
                        f.length,
                        move(f.client, True),
                        move(f.server, False),
                        port,
                        f.sport,
                        carried,
                        f.back,
                    )
                )
            while len({f.cport for f in flows}) < len(flows):
                flows[-1].cport = F.rng.randrange(32768, 60999)
            epoch = run.epoch + (n * span if F.kind.worlds == "in turn" else 0)
            key = run.key if n == 0 else f"w{n}{run.key}"
            found.append(
                Run(
                    key,
                    run.scenario if n == 0 else f"w{n}{run.scenario}",
                    run.settings,
                    run.repeat,
                    epoch,
                    flows,
                    run.index,
                    word,
                )
            )
    return found


def knowable(F: Folder, run: Run, logs: list[Log]) -> bool:
    """Whether a careful reader of the files can tell that the logs of a run are one run."""
    its = [
        log
        for log in logs
        if log.status in ("good", "truncated") and any(r is run for r, _ in log.tests)
    ]
    if len(its) < 2:
        return True
    if F.starts == "long" and not any(
        f.number == 1 for log in its for r, flows in log.tests if r is run for f in flows
    ):
        return False  # the short ones alone never ran at the same time
    if (
        F.grouping == "sequence"
        and F.ends == "both"
        and not F.dated
        and (F.ports == "fixed" or F.nat)
    ):
        return False  # which test of the server's log is whose?
    if F.grouping == "sequence" and F.ends == "both" and F.ports == "fixed" and F.clock == 3600:
        return False  # nor do dates tell
    if (
        F.kind.join == "weak"
        and F.addresses == "subnets"
        and len({log.path.rpartition("/")[0] for log in its}) > 1
    ):
        return False  # hosts of one test in folders of their own, or labs that measured at the same time
    if F.clock == 3600:  # dates contradict names, unless they always do by the same hour
        return F.kind.join == "names" and F.also["n runs"] >= 3
    return F.kind.join == "names" or F.dated


def write_folder(seed: int, index: int, kinds: list[Kind], out: Path) -> dict:
    rng = random.Random(f"{seed}-{index}")
    chosen = rng.choices(kinds, [k.weight for k in kinds])[0]
    name = f"d{seed:03d}-{index:03d}"
    F = Folder(rng, chosen, name)
    F.also["Z"] = rng.random() < 0.3
    F.also["mirrored"] = rng.random() < 0.4
    if chosen.also:
        chosen.also(F)
    original = F.scenarios
    drawn: list[dict] = []

    def scenarios() -> list[dict]:
        drawn.extend(original())
        return list(drawn)

    F.scenarios = scenarios
    runs = F.runs()
    F.also["scenarios"] = [r.settings for r in runs]
    F.also["n runs"] = len(runs)
    if chosen.worlds:
        runs = elsewhere(F, runs)
    elif rng.random() < 0.08 and F.grouping != "sequence" and F.tool != "flent":
        F.also["campaign"] = rng.choice(["old", "second try", "after-fix", "2nd", "broken_buffer"])
        runs += second_campaign(F, runs)
        F.accidents.append("second campaign")
    logs = make_logs(F, runs)
    beside = (
        sidecars(F, logs)
        if chosen.sidecars
        and F.tool not in ("iperf2-csv", "flent")
        and not F.nat
        and rng.random() < 0.2
        else []
    )
    if beside:
        F.accidents.append("sidecars")
    logs = [*accidents(F, runs, logs), *beside]
    by_path = {}
    for log in logs:
        if log.status == "copy":
            continue
        if chosen.other_tool and log.tests[0][1][0].number % 2 == 0:
            log.tool = chosen.other_tool
        F.tool, tool = log.tool, F.tool
        text = sidecar(F, log) if log.status == "sidecar" else WRITERS[F.tool](F, log)
        if log.status == "empty":
            text = ""
        elif log.status == "failed":
            text = REFUSED[F.tool]
        elif log.status == "truncated":
            text = text[: len(text) * rng.randrange(45, 75) // 100]
        F.tool = tool
        log.text = by_path[log.path] = text.encode()
    for log in logs:
        if log.status == "copy":
            log.text = by_path[log.of]
    if F.tool == "ns2":
        call_twins_copies(logs)
    if F.tool == "flent":
        packed = rng.random() < 0.5
        for log in logs:
            if packed and log.text:
                log.text, log.path = gzip.compress(log.text, mtime=0), log.path + ".gz"
    rng.shuffle(logs)
    raw = out / "raw" / name
    shutil.rmtree(raw, ignore_errors=True)
    for log in logs:
        file = raw / log.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(log.text)
    for path, text in (F.also.get("texts") or {}).items():
        (raw / path).parent.mkdir(parents=True, exist_ok=True)
        (raw / path).write_text(text, encoding="utf-8")
    truth = _truth(F, runs, logs, name, seed, index)
    (out / "truth").mkdir(parents=True, exist_ok=True)
    (out / "truth" / f"{name}.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return truth


def call_twins_copies(logs: list[Log]) -> None:
    """Call traces copies that equal another one to the byte.

    Simulations of one seed are one: a careful reader counts the second no repeat (seed 2, folder
    78: run_1 and run_2 of htcp_RTT_5ms).
    """
    first: dict[bytes, Log] = {}
    for log in sorted(logs, key=lambda log: (len(log.path), log.path)):
        twin = first.setdefault(log.text, log)
        if twin is not log and log.status == "good":
            log.status, log.of = "copy", twin.path


def _truth(F: Folder, runs: list[Run], logs: list[Log], name: str, seed: int, index: int) -> dict:
    def flows_of(run: Run) -> list[dict]:
        found = []
        step = QUANTUM.get(F.tool[:6]) if F.ends == "client" else 0
        gone = F.also.get("no log", set())
        present = [f for f in run.flows if (run.key, f.number) not in gone]
        shared = window(Run(run.key, "", {}, 0, 0, present)) if present else None
        for f in run.flows:
            mean = mean_bps(f, shared) if shared and f in present else None
            found.append(
                {
                    "flow": f.number,
                    "cca": f.cca,
                    "start_s": f.start,
                    "length_s": f.length,
                    "mean_bps": mean,
                    "tolerance": 0.05
                    + (8 * step / (mean * (shared[1] - shared[0])) if mean and step else 0),
                    "log": f in present,
                    "client_sends": not f.back,
                }
            )
        return found

    whole, shown = {}, {*F.factors, *F.kind.shows}
    for log in logs:
        for run, _ in log.tests:
            if log.status in ("truncated", "failed", "empty"):
                whole[run.key] = False
    return {
        "name": name,
        "seed": seed,
        "index": index,
        "kind": F.kind.name,
        "dimensions": {
            "tool": F.tool,
            "flows": F.n_flows,
            "repeats": F.n_repeats,
            "factors": len(F.factors),
            "ends": F.ends,
            "grouping": F.grouping,
            "dated": F.dated,
            "starts": F.starts,
            "addresses": F.addresses,
            "ports": F.ports,
            "nat": F.nat,
            "clock_offset_s": F.clock,
            "accidents": F.accidents or ["none"],
        },
        "names_join": F.kind.join,
        "names_pool": F.kind.pool,
        "runs": [
            {
                "run": r.key,
                "scenario": r.scenario,
                "repeat": r.repeat,
                "rtt_ms": r.settings["rtt"] if "rtt" in shown else None,
                "rate_mbps": r.settings["rate"] if "rate" in shown else None,
                "buffer": r.settings["buffer"] if "buffer" in shown else None,
                "buffer_unit": "{}pkts" if "buffer" in F.kind.shows else F.style["buffer"],
                "flows": flows_of(r),
                "join_knowable": knowable(F, r, logs),
                "pool_knowable": F.kind.pool == "names",
                "start_knowable": F.starts == "together"
                or F.tool == "ns2"
                or (F.dated and F.clock == 0),
                "whole": whole.get(r.key, True),
                "opposite": any(f.back for f in r.flows),
            }
            for r in runs
        ],
        "files": [
            {
                "path": log.path,
                "end": log.end,
                "status": log.status,
                "copy_of": log.of or None,
                "tests": [
                    {
                        "run": r.key,
                        "flows": [
                            {
                                "flow": f.number,
                                "client_port": _translated(f.cport)
                                if F.nat and log.end == "server"
                                else f.cport,
                            }
                            for f in flows
                        ],
                    }
                    for r, flows in log.tests
                    for _ in range(
                        1
                        + (
                            log.tool == "iperf3-json"
                            and (r.key, flows[0].number) in F.also.get("twice", ())
                        )
                    )
                ],
            }
            for log in sorted(logs, key=lambda log: log.path)
        ],
    }


def load_kinds(path: str) -> list[Kind]:
    """Load more kinds: a Python file with a function `kinds(generator)` that returns them."""
    spec = importlib.util.spec_from_file_location("more_kinds", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    import sys

    return module.kinds(sys.modules[__name__])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--first", type=int, default=1, help="number of the first folder")
    parser.add_argument("--kinds", help="a file with more kinds of layout")
    parser.add_argument(
        "--only-extra", action="store_true", help="draw from the kinds of --kinds alone"
    )
    options = parser.parse_args()
    extra = load_kinds(options.kinds) if options.kinds else []
    kinds = extra if options.only_extra else [*KINDS, *extra]
    for index in range(options.first, options.first + options.count):
        write_folder(options.seed, index, kinds, options.out)


if __name__ == "__main__":
    main()
