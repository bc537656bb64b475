"""The results of a data set: its figures, and the tables of its scenarios and runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from ...charts.describe import read_description
from ...charts.placing import MAX_LEVELS, MAX_POINTS, Placed, example_runs, n_not_drawn
from ...markdown import NO_BREAK_SPACE, NOTHING, markdown_table, number
from ...metrics.catalogue import METRICS
from ...metrics.fairness import cross_traffic
from ...metrics.registry import of_grain
from ...metrics.windows import ONE_INTERVAL
from ...render.pages import escape_markdown
from ...statistics.factors import MIX, ROLE
from ...statistics.surfaces import is_contested
from .facts import compares_datagrams, cross_traffic_kinds
from .parts import MANY_ROWS, code, cut_short, folded, numbers

MAX_FLOWS = 3  # flows with a column of their own
NOT_PLAIN = re.compile("[^A-Za-z0-9]")
PREFIX = "mean_throughput_bps_flow"


def window_text(window: pl.DataFrame) -> str:
    """Return which part of the runs the metrics are of, and who says so."""
    sentences = []
    who = {
        "dataset.yml": "as dataset.yml says",
        "config.yaml": "as config/config.yaml says",
        "run length": "which is assumed, since they are short ([here](#sec-assumed))",
    }
    for name, words in who.items():
        part = window.filter(warmup_from=name)
        if len(part):
            start = _from_to(part["warmup_s"])
            sentences.append(f"{_that_count(part, window)} from {start} s on, {words}.")
    ends = window.filter(pl.col("warmup_from") != ONE_INTERVAL)["end_s"].drop_nulls()
    if len(ends):
        sentences.append(f"Samples up to {_from_to(ends)} s count.")
    whole = window.filter(warmup_from=ONE_INTERVAL)
    if len(whole):
        sentences.append(
            f"{_that_count(whole, window)} as a whole: a log has one interval only, so that no "
            "warm-up can be cut off. Such means include slow start and are of no steady state."
        )
    return " ".join(sentences)


def _that_count(part: pl.DataFrame, window: pl.DataFrame) -> str:
    """Return the beginning of a sentence: 'All runs count', '1 run of 5 counts'."""
    n, of = len(part), len(window)
    if n == of:
        return "All runs count" if n > 1 else "The run counts"
    return f"{n:,} runs of {of:,} count" if n > 1 else f"1 run of {of:,} counts"


def _from_to(values: pl.Series) -> str:
    """Return one or two numbers one by one, more as 'low to high'."""
    found = values.drop_nulls().round(2).unique().sort()
    return (
        numbers(found, 1).replace(",", " or")
        if len(found) <= 2
        else f"{found[0]:g} to {found[-1]:g}"
    )


def fairness(tables: Mapping, placed: Placed, shown: Mapping[str, Path], settings: Mapping) -> str:
    """Return the figures of the metrics, and why those that are not there are not."""
    cell, run, axes = tables["cell"], tables["run"], placed.axes
    metrics = [name for name in METRICS if name in shown]
    parts = []
    if len(axes) < 2 and len(metrics) > 1:
        panels = "\n\n".join(
            _figure(f"{m}", METRICS[m].meaning, shown[m], METRICS[m].meaning) for m in metrics
        )
        caption = f"Fairness of every scenario. {_interval_words(cell, settings)}"
        parts.append(f"::: {{#fig-metrics layout-ncol=2}}\n{panels}\n\n{caption}\n:::")
    else:
        words = _interval_words(cell, settings) if len(axes) < 2 else ""
        over = (
            f"Means over the repeats, by {axes[0]} and {axes[1]}; empty: no runs, or none that has "
            f"the value{_hatched(run)}."
            if len(axes) == 2
            else words
        )
        parts += [
            _figure(m, f"{METRICS[m].meaning} {over}", shown[m], METRICS[m].meaning)
            for m in metrics
        ]
    if left := n_not_drawn(placed):
        parts.append(f"{left:,} more sets of scenarios are not drawn; @tbl-scenarios has them.")
    reasons = []
    if run["scenario_id"].n_unique() == 1:
        reasons.append(
            "There is one scenario: nothing to compare, its numbers are in @tbl-scenarios."
        )
    elif not axes:
        reasons.append(
            "No factor that is a number varies while others stay, so that scenarios have a row "
            "each."
        )
    if placed.following:
        reasons.append(
            "Not in the figures are factors that follow from those that are: "
            f"{', '.join(placed.following)} (@tbl-scenarios)."
        )
    if (run["n_flows"] == 1).all() and len(tables["run_metric"].drop_nulls("jfi")):
        reasons.append(
            "Every run has one flow, so that there is no fairness to speak of: Jain's index of one "
            "flow is 1."
        )
    reasons += beside(tables)
    if compares_datagrams(tables):
        reasons.append(
            "Flows of UDP send as fast as they are told, whatever the others do: their fairness is "
            "that of what arrived."
        )
    known = set(cell["metric"])
    absent = [m.needs for m in of_grain("run") if m.name not in known and m.needs]
    reasons += list(dict.fromkeys(absent))
    return "\n\n".join([*parts, " ".join(reasons)])


def beside(tables: Mapping) -> list[str]:
    """Return what is said of cross traffic, and of runs of which traces alone are known."""
    run, flow, sentences = tables["run"], tables["flow"], []
    with_it = run.join(cross_traffic(flow), on="run_id", how="semi")
    if len(with_it):
        kinds = ", ".join(cross_traffic_kinds(flow))
        runs_ = (
            "every run" if len(with_it) == len(run) else f"{len(with_it):,} of {len(run):,} runs"
        )
        sentences.append(
            f"Cross traffic ({kinds}) runs next to the flows that are compared in {runs_}: it is "
            "drawn and counts in utilisation, and is in no measure of fairness. `cross_traffic: "
            "false` of a flow in `dataset.yml` compares it too."
        )
    metric = tables["flow_metric"]
    silent = run.join(metric.filter(pl.col("n_samples") > 0), on="run_id", how="anti")
    if len(silent) and (tables["finding"]["check"] == "run of traces alone").any():
        sentences.append("Runs of which traces alone are known have no throughput and no fairness.")
    return sentences


def throughput(
    tables: Mapping, placed: Placed, shown: Mapping[str, Path], settings: Mapping
) -> str:
    """Return the figure of the flows' means."""
    if "flow_means" not in shown:
        return "One flow of one scenario has a mean: it is in @tbl-scenarios."
    alt = words = "Mean throughput of every flow in the steady state."
    if len(placed.axes) == 2:
        second = placed.axes[1]
        words += f" Up to {MAX_LEVELS} levels of {second} are drawn; @tbl-scenarios has all."
    caption = f"{words} {_interval_words(tables['cell'], settings)}"
    return _figure("flow-means", caption, shown["flow_means"], alt)


def over_time(tables: Mapping, shown: Mapping[str, Path]) -> str:
    """Return the figure of runs over time."""
    run = tables["run"]
    if "runs" not in shown:
        return "No flow of any run has a sample."
    drawn = len(example_runs(run, tables["flow"]))
    if drawn == len(run):
        which = "Every run over time"
    else:
        which = f"The first repeats of {drawn} scenarios over time, of {len(run):,} runs"
    caption = (
        f"{which}; the steady state is shaded. Flows with more than {MAX_POINTS} samples are "
        "averaged to as many points."
    )
    return _figure(
        "runs", caption, shown["runs"], "Throughput of each flow of some runs over time."
    )


def _hatched(run: pl.DataFrame) -> str:
    """Return what a hatched cell of a surface means; nothing where there is none."""
    if is_contested(run, "scenario_id").all():
        return ""
    return "; hatched: no run lost a packet at the bottleneck, so nothing is contested"


def _figure(name: str, caption: str, path: Path, alt: str) -> str:
    label, words = name.replace("_", "-"), f"{alt} {read_description(path)}".strip()
    return f'![{caption}]({path.name}){{#fig-{label} fig-alt="{words}"}}'


def _interval_words(cell: pl.DataFrame, settings: Mapping) -> str:
    if cell["ci_low"].null_count() == len(cell):
        return "There are no repeats that differ, so there are no intervals."
    return (
        f"Bars: {100 * settings['confidence']:g} % intervals over the repeats; they end where the "
        "metric does, and are cut where they leave the axis."
    )


def scenarios(tables: Mapping, placed: pl.DataFrame, settings: Mapping) -> str:
    """Return the table of scenarios: factors, number of runs, and the metrics with intervals."""
    cell, run, flow = tables["cell"], tables["run"], tables["flow"]
    repeats = dict(run.group_by("scenario_id", maintain_order=True).len().rows())
    values = {(r["scenario_id"], r["metric"]): r for r in cell.rows(named=True)}
    columns = [c for c in placed.columns if c not in ("scenario_id", "panel")]
    if placed[ROLE].n_unique() == 1:
        columns.remove(ROLE)
    if placed.select(columns).is_duplicated().any():
        columns = ["scenario_id", *columns]
    metrics = [
        (f"{PREFIX}{n}", f"Flow {n} (Mb/s)", 1e6, 1)
        for n in sorted(set(flow["flow_id"]))
        if flow["flow_id"].max() <= MAX_FLOWS
    ]
    metrics += [(m.name, m.label, m.factor, m.digits) for m in of_grain("run")]
    metrics = [m for m in metrics if m[0] in set(cell["metric"])]
    rows = []
    for row in placed.head(settings["page_rows"]).rows(named=True):
        cells = [_factor(name, row[name]) for name in columns]
        cells[0] = f"[]{{#{scenario_anchor(row['scenario_id'])}}}{cells[0]}"
        cells.append(str(repeats[row["scenario_id"]]))
        cells += [
            _with_interval(values.get((row["scenario_id"], metric)), unit, digits)
            for metric, _, unit, digits in metrics
        ]
        rows.append(cells)
    names = {MIX: "Congestion control", "scenario_id": "Scenario"}
    header = [*(names.get(c, c) for c in columns), "Runs", *(m[1] for m in metrics)]
    caption = (
        f"Scenarios: means over the repeats, with {100 * settings['confidence']:g} % intervals "
        "where there are repeats that differ. Intervals end where the metric does: Jain's index of "
        "N flows lies between 1/N and 1. {#tbl-scenarios}"
    )
    first = sum(c in ("scenario_id", ROLE, MIX) for c in columns)
    table = markdown_table([escape_markdown(h) for h in header], rows, numeric_from=first)
    table = f"{table}\n\n: {caption}"
    if len(rows) > MANY_ROWS:
        table = f'::: {{.fold title="All {len(rows):,} scenarios"}}\n{table}\n:::'
    if len(placed) > len(rows):
        table += f"\n\n{cut_short(len(rows), len(placed), 'cell')}"
    return table


def scenario_anchor(scenario_id: str) -> str:
    """Return the anchor of a scenario's row, another for each: report.js has the same rule."""
    return "scenario-" + NOT_PLAIN.sub(lambda found: f"-{ord(found[0]):x}-", scenario_id)


def _factor(name: str, value: object) -> str:
    if value is None:
        return NOTHING
    if name == "scenario_id":
        return code(value)
    return f"{value:g}" if isinstance(value, float) else escape_markdown(str(value))


def _with_interval(row: Mapping | None, unit: float, digits: int) -> str:
    if row is None:
        return NOTHING
    text = number(row["mean"] / unit, digits)
    if row["ci_low"] is None:
        return text
    low, high = (number(row[end] / unit, digits) for end in ("ci_low", "ci_high"))
    return f"{text} ({low}{NO_BREAK_SPACE}to{NO_BREAK_SPACE}{high})"


def runs(tables: Mapping, placed: pl.DataFrame, most: int) -> str:
    """Return the table of runs, a fold a scenario's panel where there are many."""
    run, flow_metric = tables["run"], tables["flow_metric"]
    of_flows = flow_metric.sort("run_id", "flow_id").group_by("run_id", maintain_order=True)
    of_flows = of_flows.agg(
        pl.col("mean_throughput_bps", "cross_traffic"),
        pl.col("n_samples", "n_missing_samples", "n_stump_samples").sum(),
        pl.col("coverage").min(),
    )
    window = tables["window"].select("run_id", "warmup_from", start_s="warmup_s")
    table = (
        placed.select("scenario_id", "panel")
        .join(run, on="scenario_id", maintain_order="left_right")
        .join(of_flows, on="run_id", maintain_order="left")
        .join(tables["run_metric"].drop("n_flows"), on="run_id", maintain_order="left")
        .join(window, on="run_id", how="left")
    )
    columns = _run_columns(table)
    panels = []
    shown = table.head(most)
    for (panel,), part in shown.partition_by("panel", as_dict=True, maintain_order=True).items():
        rows = [
            [code(row["run_id"]), *(cell(row) for cell in columns.values())]
            for row in part.rows(named=True)
        ]
        panels.append((panel, rows))
    header = ["Run", *columns]
    if len(shown) <= MANY_ROWS:
        rows = [row for _, part in panels for row in part]
        text = markdown_table(header, rows, numeric_from=1)
    else:
        folds = [folded(header, rows, 1, f"{p}: {len(rows):,} runs", 0) for p, rows in panels]
        text = "\n\n".join(folds)
    if len(table) > len(shown):
        text += f"\n\n{cut_short(len(shown), len(table), 'run_metric')}"
    return "\n\n".join([text, *(words for name, words in OF_COLUMNS.items() if name in columns)])


LEFT_OUT, COVERED = "Left out", "Covered (%)"
NEARLY_ALL = 0.99  # of the window: what a flow that starts between two seconds covers
OF_COLUMNS = {
    LEFT_OUT: "Left out are stumps: last intervals of a flow, shorter than half of the others.",
    COVERED: "Covered: the share of the run's steady state that the samples of a flow cover, of "
    "the flow with the least. A mean is over the time that is covered.",
}


def _run_columns(table: pl.DataFrame) -> dict[str, Callable[[dict], str]]:
    """Return the columns of the table of runs that say something: what to write for a row."""

    def in_unit(metric: str, unit: float, digits: int) -> Callable[[dict], str]:
        return lambda row: number(None if row[metric] is None else row[metric] / unit, digits)

    def count(name: str) -> Callable[[dict], str]:
        return lambda row: NOTHING if row[name] is None else f"{row[name]:,}"

    columns = {}
    if table.select("warmup_from", "start_s").n_unique() > 1:  # else `window_text` says it once
        columns["Steady from (s)"] = _start
    columns["Flows (Mb/s)"] = lambda row: _all_means(
        row["mean_throughput_bps"], row["cross_traffic"]
    )
    for known in of_grain("run"):
        if table[known.name].is_not_null().any():
            columns[known.label] = in_unit(known.name, known.factor, known.digits)
    columns |= {"Samples": count("n_samples"), "Missing": count("n_missing_samples")}
    if (table["n_stump_samples"] > 0).any():
        columns[LEFT_OUT] = count("n_stump_samples")
    if (table["coverage"] < NEARLY_ALL).any():
        columns[COVERED] = in_unit("coverage", 0.01, 1)
    return columns


def _start(row: dict) -> str:
    if row["warmup_from"] == ONE_INTERVAL:
        return "whole run"
    return number(row["start_s"], 1).removesuffix(".0")


def _all_means(means: list[float | None] | None, cross: list[bool] | None) -> str:
    """Return the flows' means in Mb/s, and those of cross traffic apart; a queue has none."""
    if not means:
        return NOTHING
    parts = [[m for m, c in zip(means, cross, strict=True) if c == of] for of in (False, True)]
    return _means(parts[0]) + (f", cross traffic {_means(parts[1])}" if parts[1] else "")


def _means(means: list[float | None]) -> str:
    """Return the flows' means in Mb/s; of many flows the smallest, the middle and the largest."""
    mbps = [None if mean is None else mean / 1e6 for mean in means]
    if len(mbps) <= MAX_FLOWS:
        return " + ".join(number(value, 1) for value in mbps)
    known = sorted(value for value in mbps if value is not None)
    if not known:
        return NOTHING
    ends = " … ".join(number(v, 1) for v in (known[0], known[len(known) // 2], known[-1]))
    return f"{ends} ({len(mbps)} flows)"
