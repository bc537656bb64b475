"""The charts of hstcp-buffers. Units: %, Gb/s, packets and seconds, as the paper's axes."""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl
from evenflow.charts.base import NO_RUN, note, span
from evenflow.charts.panels import below, beside, panel_title, spec_of
from evenflow.charts.theme import ACCENT, DASHES, EMPTY, SPARE, TEXT
from evenflow.evidence.say import carried, tags_of
from evenflow.kit.panels import looks
from evenflow.markdown import scientific

from . import highspeed
from .design import (
    AQMS,
    LINK,
    MODEL,
    link_name,
    places_of,
    queue_name,
    source_name,
    sources_of,
)

WIDTH, HEIGHT = 250, 190
MIN_PERCENT = 1.8  # where the axis of the buffer begins; the smallest of the paper's is 2 %
SHOWN = 4  # every so many round trips of it have a circle
EPOCHS = 3  # drawn of the sawtooth
LOSS_LINES = "#7f7f7f"
RATES = {"loss_rate": "Drops", "cut_rate": "Window cuts"}
RATE_WIDTH, RATE_DOMAIN = 128, [0.5, 3000]  # px; ends of the axis of what is over the model's p
# source of values (design.SOURCES) -> colour, shape
LOOKS = {
    MODEL: (SPARE[6], "stroke"),
    "sack1": (SPARE[0], "circle"),
    "linux": (SPARE[1], "triangle-up"),
    "sack1-slow": (SPARE[2], "square"),
    "printed": (SPARE[3], "diamond"),
}
UNKNOWN = (LOSS_LINES, "cross")


def source_looks(sources: list[str]) -> dict:
    """Return the fixed colours and shapes of sources; grey crosses for unknown ones."""
    of = {source_name(source): LOOKS.get(source, UNKNOWN) for source in sources}
    return looks("source", of, title=None, orient="top")


def window_dynamics(p: float, rtt_s: float) -> alt.LayerChart:
    """Return the paper's Figure 1: the window over three losses, closed form and RFC's steps.

    Args:
        p: loss rate.
        rtt_s: round-trip time.
    """
    found = highspeed.epoch(p, rtt_s)
    curve = pl.concat(
        pl.DataFrame(
            {
                "t_s": found.t_s + i * found.duration_s,
                "window": found.window,
                "epoch": [i] * len(found.t_s),
            }
        )
        for i in range(EPOCHS)
    )
    # the RFC's algorithm, from (1 - b) w on: a(w) packets a round trip
    steps, w, t = [], float(found.window[0]), 0.0
    while w < found.window[-1]:
        steps.append({"t_s": t + found.duration_s, "window": w})
        w, t = w + float(highspeed.increase(w)), t + rtt_s
    steps = steps[::SHOWN]
    low = float(found.window[0] * 0.8)
    base = alt.Chart(curve, width=520, height=200).encode(
        x=alt.X("t_s:Q", title="Time (s)"),
        y=alt.Y(
            "window:Q",
            title="Window (packets)",
            scale=alt.Scale(domain=[low, float(found.window[-1] * 1.12)], nice=False, clamp=True),
        ),
    )
    middle = base.transform_filter("datum.epoch == 1").transform_calculate(floor=f"{low}")
    labels = pl.DataFrame(
        [
            (1.5 * found.duration_s, low * 1.09, f"{found.packets:,.0f} packets"),
            (1.5 * found.duration_s, float(found.window[-1] * 1.07), f"{found.duration_s:.1f} s"),
        ],
        schema=["t_s", "window", "text"],
        orient="row",
    )
    ends = pl.DataFrame(
        {
            "t_s": [found.duration_s],
            "to": [2 * found.duration_s],
            "window": [float(found.window[-1] * 1.03)],
        }
    )
    at = {"x": "t_s:Q", "y": "window:Q"}
    return alt.layer(
        middle.mark_area(color=EMPTY).encode(y2=alt.Y2("floor:Q")),
        base.mark_line(color=ACCENT, strokeWidth=2).encode(detail="epoch:N"),
        alt.Chart(pl.DataFrame(steps)).mark_point(color=TEXT, size=26, strokeWidth=1).encode(**at),
        alt.Chart(ends).mark_rule(color=TEXT).encode(**at, x2="to:Q"),
        alt.Chart(labels).mark_text(color=TEXT, fontSize=11).encode(**at, text="text:N"),
    )


def power_axis(lowest: int, highest: int) -> alt.Axis:
    """Return an axis with the powers of ten between two exponents, written as powers."""
    exponents = range(lowest, highest + 1)
    labels = ", ".join(f"'{scientific(10.0**exponent, 0)}'" for exponent in exponents)
    which = f"round(log(datum.value) / LN10) - ({lowest})"
    return alt.Axis(values=[10.0**e for e in exponents], labelExpr=f"[{labels}][{which}]")


RESPONSE_LINES = {
    "HighSpeed TCP": (ACCENT, [1, 0]),
    "standard TCP": (TEXT, [6, 3]),
    "p(w) as printed": (SPARE[1], [2, 2]),
}


def response_function(table: dict[float, int]) -> alt.LayerChart:
    """Return window against loss rate: HighSpeed TCP, standard TCP, the literal p(w), RFC 3649.

    Args:
        table: the RFC's, loss rate to window (packets).
    """
    p = np.logspace(-10, -2, 161)
    parameters = highspeed.RFC3649
    windows = {
        "HighSpeed TCP": highspeed.window(p),
        "standard TCP": parameters.w_low * np.sqrt(parameters.p_low / p),
        "p(w) as printed": highspeed.window(p, reading="literal"),
    }
    lines = pl.concat(
        pl.DataFrame({"p": p, "window": w, "line": [name] * len(p)}) for name, w in windows.items()
    )
    points = pl.DataFrame({"p": list(table), "window": [float(w) for w in table.values()]})
    names = list(RESPONSE_LINES)
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=300)
    at = {
        "x": alt.X(
            "p:Q",
            title="Loss rate p",
            scale=alt.Scale(type="log"),
            axis=power_axis(-10, -2),
        ),
        "y": alt.Y(
            "window:Q",
            title="Window w (packets)",
            scale=alt.Scale(type="log"),
            axis=power_axis(1, 8),
        ),
    }
    colours, dashes = zip(*RESPONSE_LINES.values(), strict=True)
    drawn = (
        alt.Chart(lines, width=420, height=240)
        .mark_line()
        .encode(
            **at,
            color=alt.Color("line:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
            strokeDash=alt.StrokeDash(
                "line:N", scale=alt.Scale(domain=names, range=dashes), legend=legend
            ),
        )
    )
    dots = alt.Chart(points).mark_point(color=TEXT, size=40, filled=False).encode(**at)
    return drawn + dots


def _of(table: pl.DataFrame, place: tuple[float, str]) -> pl.DataFrame:
    return table.filter(pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])


def _with_percent(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns((pl.col("fraction") * 100).alias("buffer_pct"))


def _largest(table: pl.DataFrame) -> int | None:
    """Return the largest buffer of a link (packets), of which the others are fractions."""
    if "k" not in table.columns or table.is_empty():
        return None
    last = table.sort("fraction").row(-1, named=True)  # the least rounded
    return round(last["k"] / last["fraction"])


def _buffer_axis(largest: int | None) -> alt.X:
    ticks = [2, 5, 10, 20, 50, 100]
    of = "the largest" if largest is None else f"{largest:,} packets"
    return alt.X(
        "buffer_pct:Q",
        title=f"Buffer (% of {of})",
        scale=alt.Scale(type="log", domain=[MIN_PERCENT, 100], nice=False, clamp=True),
        axis=alt.Axis(values=ticks, format="~g", grid=True),
    )


def utilisation_chart(
    model: pl.DataFrame, cells: pl.DataFrame, printed: pl.DataFrame, aqm: str
) -> dict:
    """Return Figures 3 and 4 (DropTail) or 7 and 8 (RED): utilisation against the buffer.

    Args:
        model: LINK, fraction, k, utilisation: the reading taken.
        cells: PLACE, mean, ci_low, ci_high, n of the metric utilisation; a cell of one run has an
            open mark.
        printed: bottleneck_bps, aqm, fraction, value.
        aqm: 'droptail' or 'red'.
    """
    mine = [t.filter(pl.col("aqm") == aqm) for t in (model, cells, printed)]
    model, cells, printed = (_with_percent(t) for t in mine)
    known = ["model", *sources_of(cells), *(["printed"] if len(printed) else [])]
    lowest = min([0.9, *cells["mean"], *cells["ci_low"].drop_nulls(), *model["utilisation"]])
    low = np.floor(10 * max(0.0, lowest)) * 10
    y = {"title": "Utilisation (%)", "scale": alt.Scale(domain=[low, 100], clamp=True)}
    panels = []
    for place in places_of(model, cells):
        points, curve, paper = (_of(t, place) for t in (cells, model, printed))
        n = f"n = {span(points['n'])} a point" if len(points) else "no runs"
        panels.append(
            _utilisation_panel(curve, points, paper, known, y).properties(
                title=panel_title(f"{link_name(place[0])}, {queue_name(aqm)}", n),
                width=WIDTH,
                height=HEIGHT,
            )
        )
    return beside(*panels, spacing=22)


def _named(table: pl.DataFrame, source: pl.Expr, value: str) -> pl.DataFrame:
    """Return a table's points with their source by name in print and the value in %."""
    name = source.map_elements(source_name, return_dtype=pl.String)
    return table.with_columns(name.alias("source"), (pl.col(value) * 100).alias("percent"))


def _utilisation_panel(
    curve: pl.DataFrame,
    points: pl.DataFrame,
    paper: pl.DataFrame,
    known: list[str],
    y: dict,
) -> alt.LayerChart:
    x = _buffer_axis(_largest(curve))
    look = source_looks(known)
    model = _named(curve, pl.lit("model"), "utilisation")
    measured = _named(points, pl.col("implementation"), "mean").with_columns(
        pl.col("ci_low", "ci_high") * 100
    )
    # one table, so that the words about a panel are of what was measured as well
    together = pl.concat([model, measured], how="diagonal_relaxed")
    base = alt.Chart(together).encode(x=x, color=look["color"])
    line = base.transform_filter("!isValid(datum.n)").mark_line(strokeWidth=1.6)
    layers = [line.encode(y=alt.Y("percent:Q", **y))]
    bars = base.transform_filter("isValid(datum.ci_low)")
    layers.append(bars.mark_rule(clip=True).encode(y=alt.Y("ci_low:Q", **y), y2="ci_high:Q"))
    at = {"y": alt.Y("percent:Q", **y), "shape": look["shape"]}
    repeated, single = (base.transform_filter(f"datum.n {n}") for n in ("> 1", "== 1"))
    layers.append(repeated.mark_point(filled=True, size=45, opacity=1).encode(**at))
    layers.append(
        single.mark_point(filled=True, fill="white", size=45, opacity=1, strokeWidth=1.4).encode(
            **at, stroke=look["color"]
        )
    )
    if len(paper):
        layers.append(
            alt.Chart(_named(paper, pl.lit("printed"), "value"))
            .mark_point(filled=False, size=90, strokeWidth=1.8)
            .encode(x=x, y=alt.Y("percent:Q", **y), **look)
        )
    return alt.layer(*layers)


def loss_chart(rates: pl.DataFrame) -> dict:
    """Return what is dropped, and how often windows are cut, over the model's loss rate.

    A row for drops and one for cuts, a panel a link and queue; at one the model is right. Rates of
    0 have no place on the logarithm: panels count them.

    Filled: means of repeats; open: one run.

    Args:
        rates: result of `design.rate_ratios`.
    """
    if rates.is_empty():
        return spec_of(note(NO_RUN))
    rates = _with_percent(rates)
    known = sources_of(rates)
    lines = []
    for metric, name in RATES.items():
        of_metric = rates.filter(metric=metric)
        panels = []
        for place in places_of(rates):
            mine = _of(of_metric, place)
            zeros = len(mine.filter(pl.col("ratio") == 0))
            said = f"{name}; {zeros} without any" if zeros else name
            panels.append(
                _rate_panel(mine.filter(pl.col("ratio") > 0), known, first=not panels).properties(
                    title=panel_title(f"{link_name(place[0])}, {queue_name(place[1])}", said),
                    width=RATE_WIDTH,
                    height=110,
                )
            )
        lines.append(beside(*panels, spacing=10, resolve={"y": "shared"}))
    return below(*lines, spacing=14)


def _rate_panel(points: pl.DataFrame, known: list[str], *, first: bool) -> alt.LayerChart:
    """Return one panel; the first of a row names its axis."""
    x = _buffer_axis(None)
    x.title, x.axis = "Buffer (% of the largest)", alt.Axis(values=[2, 10, 100], format="d")
    scale = alt.Scale(type="log", domain=RATE_DOMAIN, nice=False)
    shown = {"title": "Ratio to the model's loss rate"} if first else {"title": None}
    axis = alt.Axis(values=[1, 10, 100, 1000], format="d", labels=first, **shown)
    look = source_looks(known)
    look["shape"].legend = alt.Legend(title=None)
    name = pl.col("implementation").map_elements(source_name, return_dtype=pl.String)
    measured = points.with_columns(source=name)
    base = alt.Chart(measured).encode(x=x, y=alt.Y("ratio:Q", scale=scale, axis=axis), **look)
    one = alt.Chart(pl.DataFrame({"ratio": [1.0]})).mark_rule(color=TEXT, strokeWidth=1)
    return alt.layer(
        one.encode(y=alt.Y("ratio:Q", scale=scale, axis=axis)),
        base.transform_filter("datum.n > 1").mark_point(filled=True, size=45, opacity=1),
        base.transform_filter("datum.n == 1").mark_point(filled=False, size=40, opacity=1),
    )


def two_flow_chart(state: pl.DataFrame, queue: pl.DataFrame, runs: pl.DataFrame) -> dict:
    """Return Figures 5 and 6: both windows above the queue, a column a run.

    Args:
        state: run_id, flow_id, t_end_s, cwnd_packets.
        queue: run_id, t_s, queue_packets.
        runs: PLACE, k, run_id, warmup_s, rtts (list of names of the flows), in the order drawn.
    """
    if runs.is_empty():
        return _nothing("no runs of two flows")
    columns = []
    for run in runs.rows(named=True):
        windows = state.filter(pl.col("run_id") == run["run_id"]).with_columns(
            pl.col("flow_id")
            .replace_strict(dict(enumerate(run["rtts"], 1)), return_dtype=pl.String)
            .alias("flow"),
            *carried(run),
        )
        queued = queue.filter(pl.col("run_id") == run["run_id"]).with_columns(*carried(run))
        title = panel_title(
            f"{source_name(run['implementation'])}, buffer {run['k']:,} packets",
            f"{100 * run['fraction']:g} % of the BDP of the bottleneck",
        )
        end = float(max(windows["t_end_s"].max() or 1, queued["t_s"].max() or 1))
        time = alt.X("t:Q", title="Time (s)", scale=alt.Scale(domain=[0, end], nice=False))
        colours = alt.Scale(domain=run["rtts"], range=SPARE[: len(run["rtts"])])
        dashes = alt.Scale(domain=run["rtts"], range=DASHES[: len(run["rtts"])])
        legend = alt.Legend(title=None)
        lines = (
            alt.Chart(windows.rename({"t_end_s": "t"}), width=WIDTH, height=130, title=title)
            .mark_line(strokeWidth=1.1)
            .encode(
                x=time,
                y=alt.Y("cwnd_packets:Q", title="Window (packets)"),
                color=alt.Color("flow:N", scale=colours, legend=legend),
                strokeDash=alt.StrokeDash("flow:N", scale=dashes, legend=legend),
            )
        )
        area = (
            alt.Chart(queued.rename({"t_s": "t"}), width=WIDTH, height=90)
            .mark_line(strokeWidth=0.9, color=TEXT)
            .encode(
                x=time,
                y=alt.Y(
                    "queue_packets:Q",
                    title="Queue (packets)",
                    scale=alt.Scale(domain=[0, run["k"]]),
                ),
            )
        )
        columns.append(below(lines, area, spacing=8))
    rows = [beside(*columns[i : i + 2], spacing=20) for i in range(0, len(columns), 2)]
    return below(*rows, spacing=20)


def _nothing(text: str) -> dict:
    nothing = alt.Chart(pl.DataFrame({"text": [text]}), width=WIDTH, height=40)
    return below(nothing.mark_text(color=TEXT, fontSize=12).encode(text="text:N"))


def warmup_chart(sensitivity: pl.DataFrame, kept: pl.DataFrame) -> dict:
    """Return how far each run's utilisation moves with the start of the steady state.

    Args:
        sensitivity: LINK, run_id, start, utilisation; start 'MSER-5' is drawn apart.
        kept: run_id, utilisation: with the start that the report takes.
    """
    moved = sensitivity.join(kept, on="run_id", suffix="_kept").with_columns(
        (100 * (pl.col("utilisation") - pl.col("utilisation_kept"))).alias("moved"),
        pl.col("aqm").map_elements(queue_name, return_dtype=pl.String),
    )
    fixed = sorted(
        (s for s in moved["start"].unique(maintain_order=True) if s != "MSER-5"), key=float
    )
    names = list(AQMS.values())
    most = float(np.ceil(moved["moved"].abs().max() or 1))
    legend = alt.Legend(title=None, orient="top")
    panels = []
    for (rate, n_flows), part in (
        moved.sort(*LINK, "run_id", "start")
        .partition_by("bottleneck_bps", "n_flows", as_dict=True, maintain_order=True)
        .items()
    ):
        base = alt.Chart(
            part.select("run_id", "start", "moved", "aqm", *tags_of(part)),
            width=175,
            height=150,
            title=panel_title(
                f"{link_name(rate)}, {n_flows} flows", f"{part['run_id'].n_unique()} runs"
            ),
        ).encode(
            x=alt.X(
                "start:N",
                sort=[*fixed, "MSER-5"],
                title="Start of the steady state (s)",
                axis=alt.Axis(labelAngle=0),
            ),
            y=alt.Y("moved:Q", title="Change (points)", scale=alt.Scale(domain=[-most, most])),
            color=alt.Color("aqm:N", scale=alt.Scale(domain=names, range=SPARE[:2]), legend=legend),
        )
        starts = base.transform_filter("datum.start != 'MSER-5'")
        estimated = base.transform_filter("datum.start == 'MSER-5'")
        panels.append(
            starts.mark_line(strokeWidth=0.8, opacity=0.7).encode(detail="run_id:N")
            + estimated.mark_point(filled=False, size=30, opacity=1)
        )
    return beside(*panels, spacing=18)


def shares_chart(shares: pl.DataFrame) -> dict:
    """Return the throughput of each flow against its RTT, a panel a queue, a mark a run and flow.

    Args:
        shares: result of `design.flow_shares`.
    """
    if shares.is_empty():
        return _nothing("no runs")
    look = source_looks(sources_of(shares))
    drawn = shares.with_columns(
        pl.col("implementation").map_elements(source_name, return_dtype=pl.String).alias("source"),
        (pl.col("base_rtt_s") * 1000).alias("rtt_ms"),
    )
    panels = []
    for aqm in AQMS:
        mine = drawn.filter(pl.col("aqm") == aqm)
        if mine.is_empty():
            continue
        runs = mine.group_by("source", maintain_order=True).agg(pl.col("run_id").n_unique())[
            "run_id"
        ]
        title = panel_title(queue_name(aqm), f"{span(runs)} runs per implementation")
        base = alt.Chart(
            mine.select("source", "run_id", "rtt_ms", "mbps", *tags_of(mine)),
            width=WIDTH,
            height=HEIGHT,
            title=title,
        ).encode(
            x=alt.X("rtt_ms:Q", title="RTT of the flow (ms)", scale=alt.Scale(zero=False)),
            y=alt.Y(
                "mbps:Q",
                title="Throughput (Mb/s)",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=[n * 10**e for e in range(5) for n in (1, 2, 5)], format="~g"),
            ),
            color=look["color"],
        )
        lines = base.mark_line(strokeWidth=1).encode(detail="run_id:N")
        marks = base.mark_point(filled=True, size=35, opacity=1).encode(shape=look["shape"])
        panels.append(lines + marks)
    return beside(*panels, spacing=22)


def topology_chart(links: list[dict], access_bps: list[float]) -> alt.LayerChart:
    """Return the topology, the original's Figure 2: senders, the bottleneck, the receivers.

    Args:
        links: of paper.yml, the links that many flows share.
        access_bps: rates of the senders' links that were run.
    """
    drawn = ["1", "2", "…", "N"]
    ys = np.linspace(3, 0, len(drawn))
    nodes = [("S" + name, 0.0, y) for name, y in zip(drawn, ys, strict=True)]
    nodes += [("R1", 1.5, 1.5), ("R2", 3.5, 1.5)]
    nodes += [("D" + name, 5.0, y) for name, y in zip(drawn, ys, strict=True)]
    wires = [(0.0, float(y), 1.5, 1.5) for y in ys] + [(3.5, 1.5, 5.0, float(y)) for y in ys]
    rates = " or ".join(f"{link['bottleneck_mbps'] / 1e3:g}" for link in links)
    sides = " or ".join(f"{rate / 1e9:g}" for rate in sorted(access_bps, reverse=True))
    words = [
        (2.5, 1.8, f"{rates} Gb/s"),
        (2.5, 1.2, "the one finite buffer"),
        (0.75, 3.3, f"{sides} Gb/s" if sides else "senders' links"),
        (4.25, 3.3, "no queue"),
    ]
    at = {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-0.4, 5.4])),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[-0.5, 3.6])),
    }
    names = ["x", "y", "x2", "y2"]
    thin = alt.Chart(pl.DataFrame(wires, schema=names, orient="row"), width=520, height=170)
    thick = alt.Chart(pl.DataFrame([(1.5, 1.5, 3.5, 1.5)], schema=names, orient="row"))
    points = alt.Chart(pl.DataFrame(nodes, schema=["text", "x", "y"], orient="row"))
    said = alt.Chart(pl.DataFrame(words, schema=["x", "y", "text"], orient="row"))
    ends = {"x2": "x2:Q", "y2": "y2:Q"}
    return alt.layer(
        thin.mark_rule(color=LOSS_LINES).encode(**at, **ends),
        thick.mark_rule(color=ACCENT, strokeWidth=4).encode(**at, **ends),
        points.mark_point(filled=True, fill="white", stroke=TEXT, size=620, opacity=1).encode(**at),
        points.mark_text(color=TEXT, fontSize=11).encode(**at, text="text:N"),
        said.mark_text(color=TEXT, fontSize=11).encode(**at, text="text:N"),
    )
