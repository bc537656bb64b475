"""More kinds of layout for generator.py --kinds: tests of UDP (iperf 2 and iperf3), and nuttcp's.

They stand in a file of their own, as a folder of a seed depends on the list of kinds. The shapes
are those of tests/fixtures/formats. A flow of UDP has no congestion control, whatever is beside it.
"""

from __future__ import annotations

import random

DATAGRAM = {"iperf3-udp": 1448, "iperf2.0-udp": 1470}  # bytes, the usual ones
MEBI = 2**20
RULE, DASHES = "-" * 59, ("- " * 25).rstrip()


def kinds(generator) -> list:
    """Return kinds of layout for each of the tools, whose writers are made known to generator."""
    generator.WRITERS |= {
        "iperf3-udp": lambda F, log: _iperf3(generator, F, log),
        "iperf2.0-udp": lambda F, log: _iperf2(generator, F, log),
        "nuttcp": _nuttcp,
    }
    generator.REFUSED |= {
        "iperf3-udp": generator.REFUSED["iperf3"],
        "iperf2.0-udp": generator.REFUSED["iperf2.0"],
        "nuttcp": "nuttcp-t: v6.1.2: Error: connect: Connection refused\nerrno=111\n",
    }
    generator.TOOLS += [name for name in generator.WRITERS if name not in generator.TOOLS]

    def in_names(F, run, flow, end):
        words = F.said(run, cca=F.tool == "nuttcp")
        return F.sep.join([*words, F.rep(run), F.fl(flow)]) + generator._end(F, end, F.sep)

    def in_folders(F, run, flow, end):
        words = F.said(run, cca=F.tool == "nuttcp") or ["measured"]
        return f"{F.sep.join(words)}/{F.rep(run)}/{F.fl(flow)}" + generator._end(F, end)

    def one_a_run(F, run, flow, end):
        return F.sep.join(["udp", *F.said(run, cca=False), F.rep(run)]) + generator._end(F, end)

    of_udp = {"factors": ("rtt", "buffer", "rate", "loss"), "always": (), "flows": (1, 2, 3, 4)}
    found = []
    for tool in DATAGRAM:
        for name, path in (("names", in_names), ("folders", in_folders)):
            found.append(
                generator.Kind(f"{name} say all, {tool}", path, tools={tool}, **of_udp),
            )
        found.append(
            generator.Kind(
                f"parallel, {tool}",
                one_a_run,
                tools={tool},
                grouping="parallel",
                **of_udp | {"flows": (2, 3)},
            )
        )
    for name, path in (("names", in_names), ("folders", in_folders)):
        # it says no address, nor whose log it is
        found.append(
            generator.Kind(f"{name} say all, nuttcp", path, tools={"nuttcp"}, ends=("client",))
        )
    return found


def _without_control(log) -> None:
    """Let no flow of UDP have a congestion control; called once names are made."""
    for run, _ in log.tests:
        for flow in run.flows:
            flow.cca = None


def _ends(generator, F, log, flow) -> str:
    here, there = (flow.server, flow.sport), (flow.client, flow.cport)
    if log.end == "client":
        here, there = there, here
    here, there = generator._seen(F, log, here, there)
    word = "connected to" if "iperf3" in F.tool else "connected with"
    return f"local {here[0]} port {here[1]} {word} {there[0]} port {there[1]}"


def _iperf3(generator, F, log) -> str:
    _without_control(log)
    lines, heads = [], ("Total Datagrams", "Jitter    Lost/Total Datagrams")
    for run, flows in log.tests:
        sends = log.end == "client"
        base = flows[0]
        if sends:
            lines.append(f"Connecting to host {base.server}, port {base.sport}")
        else:
            client = generator._seen(F, log, (base.server, 0), (base.client, 0))[1][0]
            lines += [RULE, f"Server listening on {base.sport} (test #1)", RULE]
            lines.append(f"Accepted connection from {client}, port {base.cport - 2}")
        ids = dict(zip((f.number for f in flows), range(5, 99, 2), strict=False))
        lines += [f"[{ids[f.number]:3d}] {_ends(generator, F, log, f)}" for f in flows]
        head = "[ ID] Interval           Transfer     Bitrate         "
        lines.append(head + heads[not sends])

        def row(flow, a, b, n, tail, ids=ids) -> str:
            rate = generator._bits(8 * n / (b - a))
            span = f"{a:6.2f}-{b:<6.2f} sec  {generator._bytes(n)}  {rate}/sec"
            return f"[{ids[flow.number]:3d}] {span}  {tail}"

        drawn = random.Random(f"{run.key}{log.end}")
        for t in range(base.length):
            for flow in flows:
                n = flow.bytes[t]
                datagrams = round(n / DATAGRAM["iperf3-udp"])
                late = f"{drawn.uniform(0.001, 0.05):.3f} ms  0/{datagrams} (0%)  "
                lines.append(row(flow, t, t + 1, n, f"{datagrams}  " if sends else late))
        lines += [DASHES, head + heads[True]]
        for flow in flows:
            n = sum(flow.bytes)
            of_all = f"0/{round(n / DATAGRAM['iperf3-udp'])} (0%)"
            if sends:
                lines.append(row(flow, 0, flow.length, n, f"0.000 ms  {of_all}  sender"))
            lines.append(row(flow, 0, flow.length, n, f"0.012 ms  {of_all}  receiver"))
        lines += ["", "iperf Done."] if sends else []
    return "\n".join(lines) + "\n"


def _iperf2(generator, F, log) -> str:
    _without_control(log)
    rule, lines = "-" * 60, []
    for _, flows in log.tests:
        base, sends = flows[0], log.end == "client"
        if sends:
            what = [f"Client connecting to {base.server}, UDP port {base.sport}"]
            what.append("Sending 1470 byte datagrams")
        else:
            what = [f"Server listening on UDP port {base.sport}", "Receiving 1470 byte datagrams"]
        lines += [rule, *what, "UDP buffer size:  208 KByte (default)", rule]
        ids = {f.number: 3 + i for i, f in enumerate(flows)}
        lines += [f"[{ids[f.number]:3d}] {_ends(generator, F, log, f)}" for f in flows]
        tail = "" if sends else "        Jitter   Lost/Total Datagrams"
        lines.append("[ ID] Interval       Transfer     Bandwidth" + tail)

        def row(flow, a, b, n, counted, ids=ids) -> str:
            amounts = f"{generator._bytes(n)}  {generator._bits(8 * n / (b - a))}/sec"
            text = f"[{ids[flow.number]:3d}] {a:4.1f}-{b:4.1f} sec  {amounts}"
            datagrams = round(n / DATAGRAM["iperf2.0-udp"])
            return text + (f"   0.012 ms    0/{datagrams:5d} (0%)" if counted else "")

        for t in range(base.length):
            lines += [row(f, t, t + 1, f.bytes[t], not sends) for f in flows]
        lines += [row(f, 0, f.length, sum(f.bytes), not sends) for f in flows]
        for flow in flows if sends else ():
            n = sum(flow.bytes)
            lines.append(f"[{ids[flow.number]:3d}] Sent {round(n / 1470)} datagrams")
            lines.append(f"[{ids[flow.number]:3d}] Server Report:")
            lines.append(row(flow, 0, flow.length, n, True))
    return "\n".join(lines) + "\n"


def _nuttcp(F, log) -> str:
    lines = []
    for run, (flow,) in log.tests:
        for n in flow.bytes:
            lines.append(f"{n / MEBI:10.4f} MB /   1.00 sec = {8e-6 * n:9.4f} Mbps     0 retrans")
        n, rtt_ms = sum(flow.bytes), run.settings["rtt"]
        of_all = f"{n / MEBI:10.4f} MB / {flow.length + 0.01:6.2f} sec"
        rate = f"{8e-6 * n / flow.length:9.4f} Mbps"
        lines += ["", f"{of_all} = {rate} 24 %TX 0 %RX 0 retrans {rtt_ms}.16 msRTT"]
    return "\n".join(lines) + "\n"
