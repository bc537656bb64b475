"""More kinds of layout for generator.py --kinds: two tools in one folder.

They stand in a file of their own, as a folder of a seed depends on the list of kinds.
"""

from __future__ import annotations

from dataclasses import replace

TOOLS = {"iperf2.1": "iperf3", "iperf2.1-e": "iperf3-V"}  # undated ones, and such with dates


def kinds(generator) -> list:
    """Return the generator's kinds with a log a flow, of which every second is another tool's."""
    return [
        replace(kind, name=f"{kind.name}, two tools", tools={one}, other_tool=other)
        for kind in generator.KINDS
        if kind.grouping == "flow" and one_log_a_flow(kind)
        for one, other in TOOLS.items()
        if one in kind.tools
    ]


def one_log_a_flow(kind) -> bool:
    return not kind.back and kind.flows != (1,) and not kind.sidecars
