"""Tables and numbers of 'Why do ns-2 and the testbed differ?'."""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import in_order, pairing_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.say import count, nothing, phrase, say
from evenflow.kit.names import in_print
from evenflow.markdown import NOTHING, markdown_table, number, span_of, word

from .._grid.printed import STATISTICS
from .._grid.words import place_in_words
from .changes import CHANGED
from .models import MODELS, REFERENCE, distance_summary, model_order

QUANTITY = ("jfi", "mean_throughput_bps_flow2", "flow_nru_db_flow2", "system_nru_db")


def quantity(metric: str) -> str:
    """Return a metric in print: 'Throughput of flow 2, Mb/s'."""
    of = in_print(metric)
    return f"{of.name}, {of.unit}" if of.unit else of.name


def distance_markdown(distance: pl.DataFrame) -> str:
    """Return a row a printed surface and model: printed and measured, and their distance.

    The reference stands beside a model that has fewer cells, as it is on these; in the table's last
    two columns, which are left out where every model has all of the reference's cells.

    Args:
        distance: rows of one platform, result of `models.distance_table`.
    """
    rows = []
    surfaces = distance.select("paper", "item").unique(maintain_order=True)
    for paper, item in surfaces.rows():
        of_item = distance.filter(paper=paper, item=item)
        for i, model in enumerate(
            model_order(of_item["model"].unique(maintain_order=True).to_list())
        ):
            mine = of_item.filter(model=model)
            head = [surface_name(mine.row(0, named=True)), *made_of(mine, joined(mine, "printed"))]
            rows.append(
                [
                    *(head if i == 0 else ["", ""]),
                    model,
                    *made_of(
                        mine,
                        str(mine["n_cells"][0]),
                        joined(mine, "measured"),
                        mean_distance(mine, "distance"),
                    ),
                ]
            )
            if mine["n_cells"][0] < of_item["n_cells"].max():
                beside = joined(mine, "reference"), mean_distance(mine, "reference_distance")
                rows[-1] += made_of(mine, *beside)
    header = ["Panel", "Printed", "Model", "Cells", "Measured", "Distance"]
    header += ["Reference, same cells", "Its distance"]
    width = max((len(row) for row in rows), default=len(header))
    whole = [row + [NOTHING] * (width - len(row)) for row in rows]
    return markdown_table(header[:width], whole or [[NOTHING] * width], numeric_from=3)


def joined(surface: pl.DataFrame, column: str) -> str:
    """Return the statistics of one surface and model: '0.93 / 0.99 / 1.00'."""
    values = dict(surface.select("statistic", column).rows())
    digits = in_print(surface["metric"][0]).digits
    return " / ".join(number(values[s], digits) for s in STATISTICS if s in values)


def mean_distance(surface: pl.DataFrame, column: str) -> str:
    """Return the mean distance over the statistics of one surface and model."""
    return number(surface[column].mean(), in_print(surface["metric"][0]).digits + 1)


def surface_name(row: dict) -> str:
    """Return 'Fig. 4(c), NewReno – BIC, JFI'."""
    place, letter = row["item"].removeprefix("fig")[:-1], row["item"][-1]
    unit = in_print(row["metric"]).unit or "JFI"
    return f"Fig. {place}({letter}), {pairing_name(row['ccas'])}, {unit}"


def summary_markdown(distance: pl.DataFrame) -> str:
    """Return a row a quantity and model: mean distance to the printed numbers, reference beside."""
    rows = []
    order = [(model.platform, metric, model.name) for metric in QUANTITY for model in MODELS]
    found = sorted(
        distance_summary(distance).rows(named=True),
        key=lambda row: order.index((row["platform"], row["metric"], row["model"])),
    )
    for row in found:
        digits = in_print(row["metric"]).digits + 1
        is_reference = REFERENCE[row["platform"]] == row["model"]
        cells = span_of(pl.Series([row["n_cells_min"], row["n_cells_max"]]))
        rows.append(
            [
                row["platform"],
                quantity(row["metric"]),
                row["model"],
                *made_of(
                    distance.filter(**{key: row[key] for key in ("platform", "metric", "model")}),
                    str(row["n_surfaces"]),
                    cells,
                    str(row["n_numbers"]),
                    number(row["distance"], digits),
                    NOTHING if is_reference else number(row["reference_distance"], digits),
                    NOTHING if is_reference else f"{row['n_nearer']} / {row['n_farther']}",
                ),
            ]
        )
    header = ["Printed", "Quantity", "Model", "Surfaces", "Cells each", "Numbers", "Distance"]
    header += ["Reference's", "Nearer / farther"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)


def change_markdown(change: pl.DataFrame) -> str:
    """Return a row a change and pairing: over its cells, the index before and after."""
    rows = []
    for what in sorted(change["what"].unique(), key=list(CHANGED).index):
        of_what = change.filter(what=what)
        for ccas in in_order(of_what["ccas"].unique(maintain_order=True).to_list()):
            cells = of_what.filter(ccas=ccas)
            largest = cells.sort(pl.col("difference").abs(), descending=True).row(0, named=True)
            tested = cells["outside"].drop_nulls()
            rows.append(
                [
                    CHANGED[what],
                    pairing_name(ccas),
                    *made_of(cells, str(len(cells)), number(cells["base_jfi"].mean(), 2)),
                    *made_of(cells, number(cells["jfi"].mean(), 2)),
                    *made_of(largest, plus(largest["difference"]), place_in_words(largest)),
                    *made_of(
                        cells,
                        f"{tested.sum()} of {len(tested)}",
                        f"{span_of(cells['base_n'])} / {span_of(cells['n'])}",
                    ),
                ]
            )
    header = ["Changed", "Pairing", "Cells", "JFI before", "After", "Largest change", "At"]
    header += ["Outside", "Runs per cell"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)


def distance_variables(distance: pl.DataFrame) -> dict:
    """Return {model: {metric: {distance, reference, n_numbers}}} and {model: {paper: {surface:
    {distance, reference_distance}}}} of every model.

    Args:
        distance: result of `models.distance_table` of both papers, tagged.
    """
    tree: dict = {}
    known = distance.drop_nulls(["distance", "reference_distance"])
    for model in MODELS:
        of_model = known.filter(model=model.name)
        at = tree.setdefault(model.key, {})
        for metric in QUANTITY:
            of = of_model.filter(metric=metric)
            digits = in_print(metric).digits + 1
            at[metric] = {
                "distance": say(of, pl.col("distance").mean(), digits=digits),
                "reference": say(of, pl.col("reference_distance").mean(), digits=digits),
                "n_numbers": count(of, words="printed numbers that the model is set beside"),
            }
        mine = distance.filter(model=model.name)
        for paper, item, metric in (
            mine.select("paper", "item", "metric").unique().sort(pl.all()).rows()
        ):
            of = mine.filter(paper=paper, item=item)
            digits = in_print(metric).digits + 1
            at.setdefault(word(paper), {})[item] = {
                name: say(of, pl.col(name).mean(), digits=digits)
                for name in ("distance", "reference_distance")
            }
    return tree


def change_variables(change: pl.DataFrame) -> dict:
    """Return what the text says of each change.

    Returns:
        {change: {run ('yes' where it has cells), n_cells, before, after (means over the cells),
        largest, at, at_pairing, max_rtt_ms, max_rtt_before, max_rtt_after, max_rtt_used_before,
        max_rtt_used_after (over the cells of its largest RTT; used: utilisation in %)}}.
    """
    tree = {}
    for what in CHANGED:
        cells = change.filter(what=what)
        top = cells.filter(pl.col("base_rtt_s") == pl.col("base_rtt_s").max())
        largest = cells.sort(pl.col("difference").abs(), descending=True).head(1)
        at = nothing()
        if len(largest):
            ms, pct = (
                say(largest, 1000 * pl.col("base_rtt_s"), style="g"),
                say(largest, 100 * pl.col("buffer_bdp"), style="g"),
            )
            at = phrase("{} ms, {} %", ms, pct)
        pairing = say(largest, "ccas", words="the pairing of the largest change")
        tree[word(what)] = {
            "run": "yes" if len(cells) else "no",
            "n_cells": count(cells, words="cells that were run with the change"),
            "before": say(cells, pl.col("base_jfi").mean(), digits=2),
            "after": say(cells, pl.col("jfi").mean(), digits=2),
            "largest": say(largest, "difference", digits=2, style="+"),
            "at": at,
            "at_pairing": phrase(pairing_name(pairing), behind=[pairing]) if len(largest) else at,
            "max_rtt_ms": say(top, pl.col("base_rtt_s") * 1000, style="g"),
            "max_rtt_before": say(top, pl.col("base_jfi").mean(), digits=2),
            "max_rtt_after": say(top, pl.col("jfi").mean(), digits=2),
            "max_rtt_used_before": say(top, 100 * pl.col("base_utilisation").mean()),
            "max_rtt_used_after": say(top, 100 * pl.col("utilisation").mean()),
        }
    return tree


def plus(value: float) -> str:
    """Return a difference with its sign, two digits."""
    text = number(value, 2)
    return text if text.startswith("−") or float(text) == 0 else f"+{text}"
