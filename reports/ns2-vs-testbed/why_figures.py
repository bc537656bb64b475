"""Figures of 'Why do ns-2 and the testbed differ?'.

Ranges: printed surfaces beside models, min to max as a bar, mean as a tick; a panel a surface.
Below each model, thin and grey, the platform's reference on the same cells.

Changes: Jain's index with one thing of the testbed changed. Open circle: the base, with the
interval in which a further run of it would be expected (grey, where it has repeats). Full circle:
with the change. Diamond: ns-2 in the same cell.
"""

from __future__ import annotations

from json import dumps

import altair as alt
import polars as pl
from evenflow.charts.base import coverage, span
from evenflow.charts.panels import (
    ROWS,
    below,
    beside,
    filled,
    panel_title,
    spec_of,
    titled,
    wrapped,
)
from evenflow.charts.theme import ACCENT, RULE, SPARE, TEXT
from evenflow.congestion_controls import in_order, pairing_name
from evenflow.evidence.say import tags_of
from evenflow.kit.names import heading_of

from .._grid.words import place_in_words
from .changes import CHANGED
from .models import REFERENCE, distance_summary, model_order

SHOWN = {metric: heading_of(metric) for metric in ("jfi", "mean_throughput_bps_flow2")}
PRINTED_NAME, NOT_RUN = "printed", "not run"
PANEL_WIDTH, COLUMNS = 112, 4  # px


def bars(rows: pl.DataFrame) -> pl.DataFrame:
    """Return name, kind (printed, model, reference), low, mean, high of one surface, and rows."""
    wide = rows.pivot("statistic", index=["model", "n_cells"], values=["measured", "reference"])
    tags = {
        tag: dict(rows.group_by("model", maintain_order=True).agg(tag).rows())
        for tag in tags_of(rows)
    }
    printed = dict(rows.select("statistic", "printed").unique(maintain_order=True).rows())
    found = [(PRINTED_NAME, PRINTED_NAME, printed["min"], printed["mean"], printed["max"])]
    behind = [[rows[tag].to_list() for tag in tags]]
    for row in wide.rows(named=True):
        kinds = ["measured"] if row["model"] in REFERENCE.values() else ["measured", "reference"]
        for kind in kinds:
            values = (row[f"{kind}_{statistic}"] for statistic in ("min", "mean", "max"))
            found.append((row["model"], kind, *values))
            behind.append([of[row["model"]] for of in tags.values()])
    drawn = pl.DataFrame(found, schema=["name", "kind", "low", "mean", "high"], orient="row")
    return drawn.with_columns(
        pl.Series(tag, [of[i] for of in behind], dtype=pl.List(pl.Int32))
        for i, tag in enumerate(tags)
    )


def panel(metric: str, domain: list[float], names: dict[str, str], *, named: bool) -> dict:
    """Return bars of a surface, of ROWS, over a scale that panels share, a line a model.

    Args:
        metric: key of SHOWN.
        domain: of the scale.
        names: of all models of a figure; and how many cells each has, in words.
        named: whether the lines have their names; the panel at its left has them else.
    """
    words = " + ".join(
        [
            "datum.value",
            *(f"(datum.value == {dumps(n)} ? ', {of}' : '')" for n, of in names.items()),
        ]
    )
    axis = alt.Axis(ticks=False, domain=False, labelLimit=220, labels=named, labelExpr=words)
    y = alt.Y("name:N", sort=list(names), title=None, scale=alt.Scale(domain=list(names)),
              axis=axis)  # fmt: skip
    scale = alt.Scale(domain=domain, zero=False, nice=False, clamp=True)
    ticks = alt.Axis(tickCount=4, labelFlush=False, labelOverlap="greedy", labelSeparation=6)
    x = alt.X("low:Q", title=SHOWN[metric], scale=scale, axis=ticks)
    base = alt.Chart(ROWS, width=PANEL_WIDTH, height=22 * len(names)).encode(y=y)
    layers = []
    for kind, colour, size, shift in (
        ("reference", RULE, 3, 7),
        ("measured", ACCENT, 6, 0),
        (PRINTED_NAME, TEXT, 6, 0),
    ):
        mine = base.transform_filter(f"datum.kind == '{kind}'")
        layers.append(mine.mark_rule(color=colour, size=size, yOffset=shift).encode(x=x, x2="high"))
        layers.append(
            mine.mark_point(
                shape="stroke", angle=90, size=140, color=colour, strokeWidth=2, yOffset=shift,
                opacity=1,
            ).encode(x="mean:Q")
        )  # fmt: skip
    absent = base.transform_filter(f"datum.kind == '{NOT_RUN}'")
    said = absent.mark_text(text=NOT_RUN, align="left", fontSize=9, color=TEXT, dx=8)
    return spec_of(alt.layer(*layers, said.encode(x=alt.value(0))))


def cells_of(rows: pl.DataFrame, model: str) -> str:
    """Return how many cells a model has on the surfaces of a figure: '64 cells'."""
    n = rows.filter(model=model)["n_cells"]
    return f"{span(n)} {'cell' if n.max() == 1 else 'cells'}" if len(n) else ""


def range_chart(distance: pl.DataFrame, platform: str) -> dict:
    """Return the surfaces of one platform, a row a quantity; a model that was not run says so."""
    table = distance.filter(pl.col("metric").is_in(list(SHOWN)), platform=platform)
    models = model_order(table["model"].unique(maintain_order=True).to_list())
    grid = []
    for metric in (name for name in SHOWN if name in table["metric"].to_list()):
        of_metric = table.filter(metric=metric)
        names = {PRINTED_NAME: ""} | {name: cells_of(of_metric, name) for name in models}
        names = {name: of for name, of in names.items() if of or name == PRINTED_NAME}
        names[PRINTED_NAME] = "in the original"
        ends = {
            statistic: [
                of_metric.filter(statistic=statistic)[name]
                for name in ("printed", "measured", "reference")
            ]
            for statistic in ("min", "max")
        }
        low, high = min(map(pl.Series.min, ends["min"])), max(map(pl.Series.max, ends["max"]))
        domain = [low - 0.03 * (high - low), high]
        panels = []
        for paper, item in of_metric.select("paper", "item").unique(maintain_order=True).rows():
            rows = of_metric.filter(paper=paper, item=item)
            title = panel_title(f"Fig. {item.removeprefix('fig')}", pairing_name(rows["ccas"][0]))
            drawn = bars(rows)
            absent = [name for name in names if name not in drawn["name"].to_list()]
            nothing = pl.DataFrame({"name": absent, "kind": [NOT_RUN] * len(absent)})
            drawn = pl.concat([drawn, nothing], how="diagonal")
            first = len(panels) % COLUMNS == 0
            panels.append(filled(panel(metric, domain, names, named=first), drawn, title))
        grid.append(wrapped(*panels, columns=COLUMNS, spacing={"row": 14, "column": 16}))
    return titled(below(*grid, spacing=18), range_message(table))


def range_message(table: pl.DataFrame) -> str:
    """Return how far from the printed numbers of Jain's index each model is in the mean, and in
    brackets how far its platform's reference is on the same cells.
    """
    summary = distance_summary(table.filter(metric="jfi"))
    tried = [row for row in summary.rows(named=True) if row["model"] not in REFERENCE.values()]
    if not tried:
        return "No model was run"
    said = [f"{r['model']} {r['distance']:.2f} ({r['reference_distance']:.2f})" for r in tried]
    reference = REFERENCE[tried[0]["platform"]]
    return (
        f"Mean distance from the printed index (in brackets: {reference}, same cells): "
        f"{', '.join(said)}"
    )


CHANGE_NAMES = ("ns-2", "base", "changed")
RANK = {name: rank for rank, name in enumerate(CHANGED)}


def change_panel(order: list[str], *, named: bool) -> alt.LayerChart:
    """Return one change and pairing, of ROWS: a line a cell, from the base to the changed testbed.

    Args:
        order: names of the cells.
        named: whether the lines have their names; the panel at its left has them else.
    """
    axis = alt.Axis(ticks=False, domain=False, labels=named)
    y = alt.Y("cell:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=axis)
    scale = alt.Scale(domain=[0.5, 1], clamp=True)
    base = alt.Chart(ROWS, width=150, height=15 * len(order)).encode(y=y)

    def at(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title="Jain's index", scale=scale)

    kinds = alt.Scale(domain=CHANGE_NAMES, range=[SPARE[1], TEXT, ACCENT])
    shapes = alt.Scale(domain=CHANGE_NAMES, range=["diamond", "circle", "circle"])

    def points(column: str, kind: str, **mark: object) -> alt.Chart:
        return (
            base.transform_calculate(kind=f"'{kind}'")
            .mark_point(size=42, opacity=1, **mark)
            .encode(
                x=at(column),
                color=alt.Color("kind:N", title=None, scale=kinds),
                shape=alt.Shape("kind:N", title=None, scale=shapes),
            )
        )

    return alt.layer(
        base.mark_bar(color=RULE, opacity=0.6, height=8).encode(
            x=at("expected_low"), x2="expected_high"
        ),
        base.mark_rule(color=ACCENT, strokeWidth=1.5).encode(x=at("base_jfi"), x2="jfi"),
        points("simulation_jfi", "ns-2", filled=True),
        points("base_jfi", "base", filled=False, fill="white"),
        points("jfi", "changed", filled=True),
    )


def change_chart(change: pl.DataFrame) -> dict:
    """Return Jain's index with one thing changed: a row a change, a column a pairing.

    Args:
        change: result of `changes.change_table`. Changes and pairings that were not run have no
            panel.
    """
    table = change.with_columns(
        pl.struct("base_rtt_s", "buffer_bdp")
        .map_elements(place_in_words, return_dtype=pl.String)
        .alias("cell")
    ).sort(pl.col("what").replace_strict(RANK), "buffer_bdp", "base_rtt_s")
    rows = []
    for (what,), of_change in table.group_by("what", maintain_order=True):
        order = of_change["cell"].unique(maintain_order=True).to_list()
        panels = []
        for ccas in in_order(of_change["ccas"].unique(maintain_order=True).to_list()):
            cells = of_change.filter(ccas=ccas)
            title = panel_title(CHANGED[what], pairing_name(ccas), coverage(cells["n"]))
            panels.append(filled(spec_of(change_panel(order, named=not panels)), cells, title))
        rows.append(beside(*panels, spacing=16))
    return titled(below(*rows, spacing=14), change_message(table))


def change_message(change: pl.DataFrame) -> str:
    """Return which change moves a cell most."""
    moved = change.with_columns(by=(pl.col("jfi") - pl.col("base_jfi")).abs())
    row = moved.sort("by", "cell").row(-1, named=True)
    return (
        f"Jain's index moves most with {CHANGED[row['what']]}: from {row['base_jfi']:.2f} to "
        f"{row['jfi']:.2f} ({pairing_name(row['ccas'])}, {row['cell']})"
    )
