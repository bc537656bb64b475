"""Files of ns-3's FlowMonitor."""

import re


def document(stats: list[str], classes: list[str]) -> bytes:
    """Return a file of the elements that have the counts of flows, and of those with their ends."""
    lines = ["<FlowMonitor>", "<FlowStats>", *stats, "</FlowStats>"]
    lines += ["<Ipv4FlowClassifier>", *classes, "</Ipv4FlowClassifier>", "</FlowMonitor>", ""]
    return "\n".join(lines).encode()


def totals(trace: bytes, more: float = 1.0) -> bytes:
    """Return FlowMonitor's file of the flows of a trace, with so many times their bytes."""
    packets: dict[tuple[str, ...], list[int]] = {}
    for line in trace.decode().splitlines():
        found = re.search(r"length: (\d+) (\S+) > (\S+)\) ns3::TcpHeader \((\d+) > (\d+)", line)
        if found and line.startswith("r ") and "/NodeList/3/" in line and "> 500" in line:
            n_bytes, *ends = found.groups()
            packets.setdefault(tuple(ends), []).append(int(n_bytes))
    times = 'timeFirstTxPacket="+1e+07ns" timeFirstRxPacket="+3e+07ns" '
    times += 'timeLastTxPacket="+2.9e+09ns" timeLastRxPacket="+3e+09ns"'
    stats, of = [], []
    for n, (ends, sizes) in enumerate(packets.items(), start=1):
        n_bytes = round(more * sum(sizes))
        counts = f'txBytes="{n_bytes}" rxBytes="{n_bytes}" txPackets="{len(sizes)}" '
        stats.append(f'<Flow flowId="{n}" {times} {counts}rxPackets="{len(sizes)}" '
                     'lostPackets="0"/>')  # fmt: skip
        source, sink, port, to = ends
        of.append(f'<Flow flowId="{n}" sourceAddress="{source}" destinationAddress="{sink}" '
                  f'protocol="6" sourcePort="{port}" destinationPort="{to}"/>')  # fmt: skip
    return document(stats, of)
