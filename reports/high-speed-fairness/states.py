"""What the senders of a run did over time: congestion window, threshold, RTT, throughput.

The testbed's reader of TCP_INFO and ns-2's logs name these differently; here they are one table.
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl
from evenflow.charts.base import NO_RUN, note
from evenflow.charts.panels import below, beside, panel_title, titled
from evenflow.charts.theme import PLATFORMS, SPARE, series_colours
from evenflow.congestion_controls import pairing_name, variant_name
from evenflow.evidence.say import carried
from evenflow.papers import paper

from . import messages
from .metrics import QUEUES

MBPS, CWND, SSTHRESH, RTT = "throughput", "cwnd", "ssthresh", "RTT"
UNITS = {MBPS: "Throughput (Mb/s)", CWND: "Window (packets)", RTT: "RTT (ms)"}
NEVER = 2.0**30  # packets; a threshold as high was never set (Linux: 0x7fffffff)
VARIABLES = {"cwnd_packets": CWND, "ssthresh_packets": SSTHRESH, "srtt_s": RTT}
WIDTH, HEIGHT = 275, 62  # of a panel, px
STYLES = {CWND: [1, 0], SSTHRESH: [3, 2]}
ALIKE = alt.Scale(domain=["flow 1", "flow 2"], range=[SPARE[4], SPARE[0]])  # light, dark


def states_of(
    run_id: str, flow: pl.DataFrame, sample: pl.DataFrame, state: pl.DataFrame
) -> pl.DataFrame:
    """Return what each sender of a run did, about a value a second.

    Args:
        run_id: of the run.
        flow, sample, state: `flow`, `sample` and `tcp_state` of its data set. Window and RTT come
            from `tcp_state` where it has them, else from `sample`.

    Returns:
        t_s (the run's clock), flow_id, quantity (throughput Mb/s, cwnd and ssthresh packets, RTT
        ms), value; in order. Of several values within a second the last; thresholds that were
        never set are left out.
    """
    flows = flow.filter(run_id=run_id).select("flow_id", "start_s", "mss_bytes")
    samples = sample.filter(run_id=run_id).join(flows, on="flow_id")
    samples = samples.filter(pl.col("t_end_s") > pl.col("start_s"))
    measured = {
        MBPS: pl.col("throughput_bps") / 1e6,
        CWND: pl.col("cwnd_bytes") / pl.col("mss_bytes"),
        RTT: pl.col("rtt_s"),
    }
    named = [
        samples.select("flow_id", pl.col("t_end_s").alias("t_s"), value.alias("value"))
        .with_columns(quantity=pl.lit(name))
        .drop_nulls()
        for name, value in measured.items()
    ]
    states = state.filter(pl.col("run_id") == run_id, pl.col("variable").is_in(list(VARIABLES)))
    states = states.join(flows, on="flow_id").filter(pl.col("t_s") >= pl.col("start_s"))
    states = states.with_columns(quantity=pl.col("variable").replace(VARIABLES))
    columns = ["flow_id", "quantity", "t_s", "value"]
    known = states.select("flow_id", "quantity").unique(maintain_order=True)
    sampled = pl.concat([table.select(columns) for table in named])
    both = pl.concat(
        [states.select(columns), sampled.join(known, on=["flow_id", "quantity"], how="anti")]
    )
    return (
        both.filter((pl.col("quantity") != SSTHRESH) | (pl.col("value") < NEVER))
        .with_columns(
            value=pl.when(quantity=RTT).then(pl.col("value") * 1000).otherwise("value"),
            second=pl.col("t_s").floor(),
        )
        .sort("flow_id", "quantity", "t_s", maintain_order=True)
        .group_by("flow_id", "quantity", "second", maintain_order=True)
        .last()
        .select("t_s", "flow_id", "quantity", "value")
    )


def example_run(pairs: pl.DataFrame, example: Mapping) -> dict | None:
    """Return the run of `pair_metric` that is an example (its first repeat), None where none is.

    Args:
        pairs: rows of one data set.
        example: ccas ('newreno-bic'), rtt_ms (of both flows), queue.
    """
    first, second = example["ccas"].split("-")
    rtt1, rtt2 = map(float, example["rtt_ms"])
    found = pairs.filter(cca1=first, cca2=second, rtt1_ms=rtt1, rtt2_ms=rtt2).filter(
        queue=example["queue"]
    )
    return found.sort("repeat", "run_id").row(0, named=True) if len(found) else None


def state_chart(examples: list[tuple[Mapping, dict[str, pl.DataFrame | None]]]) -> dict:
    """Return throughput, window with threshold, and RTT over time: a column a platform.

    Args:
        examples: of each run that is drawn what config.yaml says of it, and by part its
            `sender_states`, None where no run is there.
    """
    blocks = []
    for example, states in examples:
        names, said = _flow_names(example["ccas"]), _said(example)
        columns = [
            below(*_panels(table, names), title=panel_title(PLATFORMS[part][0], said))
            for part, table in states.items()
        ]
        blocks.append(beside(*columns, spacing=24, resolve={"color": "shared"}))
    return below(*blocks, spacing=26, resolve={"color": "independent"})


def _said(example: Mapping) -> str:
    rtts = " and ".join(f"{rtt:g}" for rtt in dict.fromkeys(example["rtt_ms"]))
    return f"{pairing_name(example['ccas'])}, {rtts} ms, {QUEUES[example['queue']]}"


def _flow_names(ccas: str) -> dict[int, str]:
    first, second = map(variant_name, ccas.split("-"))
    return {1: "flow 1", 2: "flow 2"} if first == second else {1: first, 2: second}


def _panels(states: pl.DataFrame | None, names: dict[int, str]) -> list[alt.Chart]:
    if states is None:
        return [note(NO_RUN, WIDTH, HEIGHT)] * len(UNITS)
    named = states.with_columns(
        flow=pl.col("flow_id").replace_strict(names, return_dtype=pl.String)
    )
    last = list(UNITS)[-1]
    flows, end_s = list(names.values()), states["t_s"].max()  # all panels have one axis of time
    return [_panel(named, quantity, flows, end_s, quantity == last) for quantity in UNITS]


def _panel(
    states: pl.DataFrame, quantity: str, names: list[str], end_s: float, is_last: bool
) -> alt.Chart:
    colours = ALIKE if names == ALIKE["domain"] else series_colours(names)
    drawn = [CWND, SSTHRESH] if quantity == CWND else [quantity]
    table = states.filter(pl.col("quantity").is_in(drawn))
    x = alt.X(
        "t_s:Q",
        title="Time (s)" if is_last else None,
        axis=alt.Axis(grid=False),
        scale=alt.Scale(domain=[0, end_s], nice=False),
    )
    axis = alt.Axis(tickCount=4, format=",.0f", minExtent=46)  # as wide in all panels
    marks = {
        "x": x,
        "y": alt.Y("value:Q", title=UNITS[quantity], axis=axis),
        "color": alt.Color("flow:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
    }
    if quantity == CWND:
        scale = alt.Scale(domain=list(STYLES), range=list(STYLES.values()))
        marks["strokeDash"] = alt.StrokeDash("quantity:N", scale=scale, legend=None)
    # a threshold holds until it is set again
    lines = alt.Chart(table, width=WIDTH, height=HEIGHT)
    shape = "step-after" if quantity == CWND else "linear"
    return lines.mark_line(strokeWidth=1, interpolate=shape).encode(**marks)


@paper.figure
def sender_states(pair_metric, flow, sample, tcp_state, examples) -> dict:
    drawn, runs = [], []
    for example in examples:
        states = {}
        for part in flow:
            run = example_run(pair_metric.filter(part=part), example)
            if run is not None:
                runs.append(run)
                lazy = (flow[part].lazy(), sample[part], tcp_state[part])
                of_run = (table.filter(run_id=run["run_id"]).collect() for table in lazy)
                run = states_of(run["run_id"], *of_run).with_columns(*carried(run))
            states[part] = run
        drawn.append((example, states))
    return titled(state_chart(drawn), messages.sender_states(runs))
