"""Throughput of both flows over one run, a panel a data set.

The raw material of every surface: one run of the same cell on each platform, the first repeat. A
data set that lacks the cell shows the nearest that it has. The shaded part is the steady state that
metrics are computed from.
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl
from evenflow.charts.panels import beside, panel_title, titled
from evenflow.charts.theme import EMPTY, variant_scale
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.evidence.say import carried
from evenflow.statistics.surfaces import nearest_run, on_the_grid

WIDTH = 240  # px, of a panel; less where there are many, whose labels a page would make too small
ALL_PX, LEGEND_PX, AXIS_PX = 730, 90, 62
HEADROOM = 1.1  # of the axis over the bandwidth of the bottleneck


def panel(
    sample: pl.DataFrame, flow: pl.DataFrame, run: dict, window: dict, ccas: list[str], width: float
) -> alt.LayerChart:
    """Return both flows' throughput (Mb/s) against the run's clock (s).

    Args:
        sample: of the run.
        flow: table of the data set.
        run: row of the run in `run`.
        window: its row in `window`: what is shaded.
        ccas: congestion controls of all panels.
        width: px.
    """
    end_s = run["duration_s"] or sample["t_end_s"].max()
    flow = flow.filter(pl.col("run_id") == run["run_id"])
    table = (
        sample.filter(pl.col("t_end_s") <= end_s)
        .join(flow.select("flow_id", "cca", "start_s"), on="flow_id")
        .filter(pl.col("t_start_s") >= pl.col("start_s"))
        .with_columns(
            (pl.col("throughput_bps") / 1e6).alias("mbps"),
            pl.col("cca").map_elements(variant_name, return_dtype=pl.String).alias("variant"),
            *carried(run),
        )
    )
    most = run["bottleneck_bps"] / 1e6 if run["bottleneck_bps"] else table["mbps"].max()
    top = [0, HEADROOM * (most or 1)]
    cell = f"{run['base_rtt_s'] * 1000:g} ms, {run['buffer_bdp'] * 100:g} % of BDP"
    title = panel_title(run["dataset_id"], f"{pairing_name(run['ccas'])}, {cell}")
    steady = {"from": [window["warmup_s"]], "to": [window["end_s"] or end_s]}
    shade = alt.Chart(pl.DataFrame(steady))
    lines = alt.Chart(table).encode(
        x=alt.X("t_end_s:Q", title="Time (s)", scale=alt.Scale(domain=[0, end_s])),
        y=alt.Y("mbps:Q", title="Throughput (Mb/s)", scale=alt.Scale(domain=top, clamp=True)),
        color=alt.Color("variant:N", scale=variant_scale("color", ccas), title="Flow 1, flow 2"),
        strokeDash=alt.StrokeDash("variant:N", scale=variant_scale("strokeDash", ccas)),
    )
    return alt.layer(
        shade.mark_rect(color=EMPTY).encode(x="from:Q", x2="to:Q"),
        lines.mark_line(strokeWidth=1.4),
        title=title,
    ).properties(width=width, height=170)


def time_series_chart(
    sample: Mapping[str, pl.LazyFrame],
    flow: Mapping[str, pl.DataFrame],
    run: Mapping[str, pl.DataFrame],
    window: Mapping[str, pl.DataFrame],
    example: Mapping,
) -> dict:
    """Return the run of each data set that is nearest to an example.

    Args:
        sample, flow, run, window: tables by part.
        example: ccas, rtt_ms, buffer_pct.
    """
    drawn = []
    for part, runs in run.items():
        compared = on_the_grid(runs).filter(pl.col("role") == "comparison")
        nearest = nearest_run(compared, example)
        of_run = window[part].row(by_predicate=pl.col("run_id") == nearest["run_id"], named=True)
        samples = sample[part].filter(pl.col("run_id") == nearest["run_id"]).collect()
        samples = samples.sort("flow_id", "t_start_s")
        drawn.append((samples, flow[part], nearest, of_run))
    ccas = in_order(list({cca for _, _, run, _ in drawn for cca in run["ccas"].split("-")}))
    width = min(WIDTH, (ALL_PX - LEGEND_PX) // len(drawn) - AXIS_PX)
    panels = (panel(*tables, ccas, width) for tables in drawn)
    return titled(beside(*panels, spacing=24), message_of(drawn))


def message_of(drawn: list[tuple]) -> str:
    """Return the share of flow 2 in the steady state of each run, by data set."""
    shares: dict[str, list[str]] = {}
    for sample, _, run, window in drawn:
        end = window["end_s"] or sample["t_end_s"].max()
        steady = sample.filter(pl.col("t_end_s").is_between(window["warmup_s"], end))
        by_flow = dict(
            steady.group_by("flow_id", maintain_order=True).agg(pl.col("bytes").sum()).rows()
        )
        share = f"{by_flow.get(2, 0) / (sum(by_flow.values()) or 1):.0%}".replace("%", " %")
        shares.setdefault(variant_name(run["ccas"].split("-")[-1]), []).append(
            f"{share} in {run['dataset_id']}"
        )
    said = "; ".join(f"{name} {', '.join(of)}" for name, of in shares.items())
    return f"Flow 2's share of the traffic in the steady state: {said}"
