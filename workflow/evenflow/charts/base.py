"""Charts that several figures share. Units: Mb/s, ms and % only here and in prose."""

from __future__ import annotations

import json
import re
import warnings
from html import escape
from pathlib import Path

import altair as alt
import polars as pl
import vl_convert

from ..evidence.say import TAG
from ..files import atomic_path
from ..printed import printed
from .describe import describe
from .fonts import own_fonts
from .panels import spec_of
from .theme import FONT, TEXT, dark_style, house_style

# the same cell marked in all panels is one selection, and meant
warnings.filterwarnings("ignore", message="Automatically deduplicated selection parameter")
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
VIEW = re.compile(r"(\bview_)\d+\b")  # name of a view
DATA = re.compile(r"(\bdata-)[0-9a-f]{32}\b")  # name that Altair gives data: a hash of them
GRADIENT = re.compile(r"(\bgradient_)\d+\b")
UNREAD = re.compile(r' (?:aria-[a-z]+|role|font-family)="[^"]*"')
SPEC_ID = "vega-lite"  # of the element of an SVG that holds its specification
NO_RUN = "no run yet"
NOTHING = {  # a chart without data
    "data": {"values": [{"text": "There is no value to show."}]},
    "mark": "text",
    "encoding": {"text": {"field": "text"}},
    "width": 300,
    "height": 40,
}
DIGITS = 5  # significant, of the data in it
SHARED = 3  # of a card of 350 px: sites that show it beside a link ask for 1,000 and more
# columns that a reader of a live chart is told of, or that lead to the runs behind a mark
ASKED = {"dataset_id", "part", "run_id", "scenario_id", "role", "ccas", "base_rtt_s", "buffer_bdp"}
ASKED |= {"n", "n_runs", "n_cells", "ci_low", "ci_high", "sd", "metric", "verdict"}
ASKED |= {"simulation_n", "testbed_n", "simulation", "testbed", "d", "w", "aqm", "mean", "panel"}
ASKED |= {"simulation_mean", "testbed_mean", "welch_low", "welch_high", "contested", "is_sure"}
ASKED |= {"unsteady"}


def save_chart(chart: alt.TopLevelMixin | dict, path: str | Path) -> None:
    """Write a chart, or its specification, in the house style as SVG, atomically.

    One that has no data is a sentence: Vega-Lite gives it a size that no renderer reads.

    The SVG carries what its data say in words (`describe`), as <desc>, for the alternative text of
    the figure, and its colours on dark pages. It carries its own Vega-Lite specification with the
    data (`live_spec`) too, in an element <metadata> that draws nothing: from it the pages in HTML
    draw the chart again, as one to ask.
    """
    spec = spec_of(chart)
    if spec.get("datasets") and not any(spec["datasets"].values()):
        spec = NOTHING
    named = renumbered(DATA, renumbered(VIEW, json.dumps(spec), 1), 1)
    spec = house_style(json.loads(named))
    with own_fonts():
        svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
    svg = slim(renumbered(GRADIENT, svg, 0))
    head, end, rest = svg.partition(">")
    carried = f"<desc>{escape(describe(spec), quote=False)}</desc>"
    carried += f"<style>{dark_style()}</style>"
    live = json.dumps(live_spec(spec), ensure_ascii=False, separators=(",", ":"))
    carried += f'<metadata id="{SPEC_ID}">{escape(live, quote=False)}</metadata>'
    with atomic_path(path) as temporary:
        temporary.write_text(f"{head}{end}{carried}{rest}", encoding="utf-8")


def save_figure(chart: alt.TopLevelMixin | dict | None, path: str | Path) -> None:
    """Write a chart as SVG; an empty file where there is nothing to draw."""
    if chart is None:
        with atomic_path(path) as temporary:
            temporary.write_bytes(b"")
    else:
        save_chart(chart, path)


def save_picture(svg: str | Path, png: str | Path) -> None:
    """Write a figure that was saved as SVG as PNG too, SHARED times as large, atomically."""
    with own_fonts():
        image = vl_convert.svg_to_png(Path(svg).read_text(encoding="utf-8"), scale=SHARED)
    with atomic_path(png) as temporary:
        temporary.write_bytes(image)


def renumbered(name: re.Pattern, text: str, start: int) -> str:
    """Return a text in which names are numbered in their order.

    Views and gradients are counted on from figure to figure of a process: left so, a figure would
    be another file for those that were drawn before it. A hash of data is another one where their
    last bit is, on another processor.

    Args:
        name: pattern of the names; its first group is what stands before the number.
        start: number of the first.
    """
    found = dict.fromkeys(one[0] for one in name.finditer(text))
    order = {old: number for number, old in enumerate(found, start)}
    return name.sub(lambda one: f"{one[1]}{order[one[0]]}", text)


def slim(svg: str) -> str:
    """Return an image without what nobody reads of each of its marks: roles, labels, the font.

    A page shows it as an image with an alternative text. The font is said once.
    """
    svg = UNREAD.sub("", svg)
    return svg.replace("<svg ", f'<svg font-family="{FONT}" ', 1)


def live_spec(spec: dict) -> dict:
    """Return a specification with no more data than its page needs.

    Of the data the columns that the specification names, and of the others those that say which
    runs a mark is of and how sure it is (ASKED), and its row (TAG); numbers with DIGITS significant
    digits.
    """
    datasets = spec.get("datasets", {})
    rest = {name: part for name, part in spec.items() if name != "datasets"}
    named = json.dumps(rest, ensure_ascii=False)
    columns = {name for rows in datasets.values() for row in rows for name in row}
    kept = {
        c
        for c in columns
        if c in ASKED or c.startswith(TAG) or re.search(rf"\b{re.escape(c)}\b", named)
    }
    slim = {
        name: [{c: _short(v) for c, v in row.items() if c in kept} for row in rows]
        for name, rows in datasets.items()
    }
    return spec | {"datasets": slim}


def _short(value: object) -> object:
    if isinstance(value, float):
        return float(printed(value, lambda value: repr(float(f"{value:.{DIGITS}g}"))))
    return value


def on_grid(table: pl.DataFrame) -> pl.DataFrame:
    """Add the axes of the papers' surfaces: rtt_ms and buffer_pct, from base_rtt_s, buffer_bdp."""
    return table.with_columns(
        (pl.col("base_rtt_s") * 1000).round(3).alias("rtt_ms"),
        (pl.col("buffer_bdp") * 100).round(1).alias("buffer_pct"),
    )


def span(n: pl.Series, between: str = "–") -> str:
    """Return the smallest and the largest of some counts, '1–3', or the one that all are."""
    low, high = n.min(), n.max()
    return f"{low}" if low == high else f"{low}{between}{high}"


def coverage(n: pl.Series) -> str:
    """Return how many cells a surface has and of how many runs: '40 cells, n = 1–3'.

    Args:
        n: the number of runs behind each cell that has a value.
    """
    if n.is_empty():
        return "no runs"
    return f"{len(n)} {'cell' if len(n) == 1 else 'cells'}, n = {span(n)}"


def coverage_of_both(difference: pl.DataFrame, missing: str = "no cell in common") -> str:
    """Return the same of a difference surface: S the simulation's runs a cell, T the testbed's.

    `missing`: what to say where there is no cell.
    """
    if difference.is_empty():
        return missing
    n = {side: span(difference[f"{side}_n"]) for side in ("simulation", "testbed")}
    cells = "cell" if len(difference) == 1 else "cells"
    return f"{len(difference)} {cells}; S: n = {n['simulation']}, T: n = {n['testbed']}"


def note(text: str, width: int = 460, height: int = 60) -> alt.Chart:
    """Return an empty panel that says why it is empty."""
    data = pl.DataFrame({"text": [text]})
    return alt.Chart(data, width=width, height=height).mark_text(color=TEXT).encode(text="text:N")
