"""Draws Compound's two windows, and the queue that it estimates, from traced runs.

    python -m experiments.testbed.draw_compound OUT.svg RUN[:FROM-TO] ...    FROM, TO in s

RUN: a directory that was made with --trace. One column per run, time since the first loss.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import polars as pl
from evenflow.charts.base import save_chart

from experiments.testbed.compound import Step, read_trace

WINDOWS = {"lwnd": "loss window", "dwnd": "delay window"}
QUEUE = {"diff": "queued, estimated", "gamma": "gamma"}
COLOURS = {"loss window": "#000000", "delay window": "#009E73",
           "queued, estimated": "#0072B2", "gamma": "#D55E00"}  # fmt: skip


def lines(steps: list[Step], names: dict[str, str], x_title: str | None) -> alt.Chart:
    """One panel: the named fields of the steps against time, in segments."""
    rows = pl.DataFrame(
        [
            {"t_s": step.t_s, "segments": float(getattr(step, field)), "what": name}
            for step in steps
            for field, name in names.items()
        ]
    )
    return (
        alt.Chart(rows, width=330, height=130)
        .mark_line(strokeWidth=1, interpolate="step-after")
        .encode(
            x=alt.X("t_s", title=x_title, scale=alt.Scale(nice=False)),
            y=alt.Y("segments", title="segments"),
            color=alt.Color(
                "what", title=None, scale=alt.Scale(domain=list(COLOURS), range=[*COLOURS.values()])
            ),
        )
    )


def chart(runs: dict[str, list[Step]]) -> alt.TopLevelMixin:
    """Title -> steps, one column each: the windows above, queue and gamma below."""
    columns = [
        alt.vconcat(
            lines(steps, WINDOWS, None).properties(title=title),
            lines([s for s in steps if s.event == "round"], QUEUE, "time, s"),
        )
        for title, steps in runs.items()
    ]
    return alt.hconcat(*columns)


def main(words: list[str]) -> int:
    runs = {}
    for word in words[1:]:
        place, _, span = word.partition(":")
        begin, end = map(float, span.split("-")) if span else (0.0, float("inf"))
        runs[Path(place).name] = [s for s in read_trace(Path(place)) if begin <= s.t_s <= end]
    save_chart(chart(runs), words[0])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
