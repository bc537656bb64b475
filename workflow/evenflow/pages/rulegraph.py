"""The picture of a workflow: which rule needs what another one makes, from top to bottom."""

from __future__ import annotations

import re
from collections.abc import Iterable

import altair as alt
import polars as pl

from ..charts.theme import ACCENT, BLANK, RULE, TEXT

NODE = re.compile(r'^\s*(\d+)\[label = "([^"]+)"', re.MULTILINE)
EDGE = re.compile(r"^\s*(\d+) -> (\d+)", re.MULTILINE)
WIDTH, LINE, IN_A_LINE = 860, 34, 6  # px, px, rules beside each other


def read_rulegraph(dot: str) -> set[tuple[str, str]]:
    """Read a graph in DOT: pairs of a rule and one that needs its output."""
    names = dict(NODE.findall(dot))
    edges = {(names[a], names[b]) for a, b in EDGE.findall(dot)}
    return {(a, b) for a, b in edges if a != b}  # a rule that needs what it made of other names


def reduced(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the edges without those that a longer way says already."""
    after: dict[str, set[str]] = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    reach: dict[str, set[str]] = {}

    def beyond(name: str) -> set[str]:
        if name not in reach:
            nearest = after.get(name, set())
            reach[name] = nearest.union(*map(beyond, nearest))
        return reach[name]

    return {(a, b) for a, b in edges if not any(b in beyond(c) for c in after[a] if c != b)}


def places(edges: Iterable[tuple[str, str]]) -> pl.DataFrame:
    """Return where every rule stands: rule, depth, x from 0 to 1, and line from the top.

    The depth is the number of steps after a first rule. Rules of a depth stand beside each other,
    in as many lines as they need, each where those that it needs stand: lines cross little.
    """
    before: dict[str, set[str]] = {}
    for a, b in sorted(edges):
        before.setdefault(b, set()).add(a)
        before.setdefault(a, set())
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths:
            depths[name] = 1 + max(map(depth, before[name]), default=-1)
        return depths[name]

    deepest = max(map(depth, before))
    x: dict[str, float] = {}
    rows, line = [], 0
    for d in range(deepest + 1):
        mates = sorted(name for name in before if depths[name] == d)
        mates.sort(key=lambda name: sum(x[b] for b in before[name]) / max(len(before[name]), 1))
        n_lines = -(-len(mates) // IN_A_LINE)
        for start in range(n_lines):
            beside = mates[start::n_lines]
            x |= {name: (i + 0.5) / len(beside) for i, name in enumerate(beside)}
            rows += [(name, d, x[name], line) for name in beside]
            line += 1
    return pl.DataFrame(rows, schema=["rule", "depth", "x", "line"], orient="row")


def rulegraph_chart(dot: str) -> alt.LayerChart:
    """Return the picture of a rule graph in DOT, from the raw logs at the top to the pages."""
    edges = reduced({(a, b) for a, b in read_rulegraph(dot) if b != "all"})
    nodes = places(edges)
    at = {rule: (x, line) for rule, _, x, line in nodes.rows()}
    lines = pl.DataFrame(
        [(at[a][0], at[a][1] + 0.2, at[b][0], at[b][1] - 0.2) for a, b in sorted(edges)],
        schema=["x", "y", "x2", "y2"],
        orient="row",
    )
    height = (nodes["line"].max() + 1) * LINE
    x = alt.Scale(domain=[0, 1], nice=False)
    y = alt.Scale(domain=[height / LINE - 0.5, -0.5], nice=False)
    drawn = (
        alt.Chart(lines)
        .mark_rule(color=RULE, strokeWidth=1)
        .encode(
            x=alt.X("x:Q", scale=x, axis=None),
            y=alt.Y("y:Q", scale=y, axis=None),
            x2="x2",
            y2="y2",
        )
    )
    words = alt.Chart(nodes.with_columns(first=pl.col("depth") == 0)).encode(
        x=alt.X("x:Q", scale=x, axis=None), y=alt.Y("line:Q", scale=y, axis=None), text="rule"
    )
    halo = words.mark_text(fontSize=10, stroke=BLANK, strokeWidth=5, strokeJoin="round")
    colour = alt.condition("datum.first", alt.value(ACCENT), alt.value(TEXT))
    labels = words.mark_text(fontSize=10).encode(color=colour)
    return alt.layer(drawn, halo, labels).properties(width=WIDTH, height=height)
