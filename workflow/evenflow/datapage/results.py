"""The results of a data set: its figures, and the tables of its scenarios and runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ..describe import read_description
from ..factors import MIX, ROLE
from ..markdown import NO_BREAK_SPACE, NOTHING, markdown_table, number
from ..placing import MAX_LEVELS, MAX_POINTS, METRICS, Placed, example_runs, n_not_drawn
from ..render.pages import escape_markdown
from .facts import protocols
from .parts import MANY_ROWS, code, cut_short, folded, numbers

MAX_SCENARIOS = 700  # rows on the page
MAX_RUN_ROWS = 600
MAX_FLOWS = 3  # flows with a column of their own
PREFIX = "mean_throughput_bps_flow"
CAPTIONS = {
    "jfi": "Jain's index: 1 where all flows get the same.",
    "throughput_ratio": "Mean throughput of flow 1 over that of flow 2.",
    "utilisation": "What the flows carry together of the bottleneck's bandwidth.",
    "system_nru_db": "System-NRU: 0 dB where flows get what they get against their like.",
}


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
            runs_ = "All runs" if len(part) == len(window) else f"{len(part):,} runs"
            start = _from_to(part["warmup_s"])
            sentences.append(f"{runs_} count from {start} s on, {words}.")
    if window["end_s"].null_count() < len(window):
        sentences.append(f"They count to {_from_to(window['end_s'])} s.")
    return " ".join(sentences)


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
        panels = "\n\n".join(_figure(f"{m}", CAPTIONS[m], shown[m], CAPTIONS[m]) for m in metrics)
        caption = f"Fairness of every scenario. {_interval_words(cell, settings)}"
        parts.append(f"::: {{#fig-metrics layout-ncol=2}}\n{panels}\n\n{caption}\n:::")
    else:
        words = _interval_words(cell, settings) if len(axes) < 2 else ""
        over = (
            f"Means over the repeats, by {axes[0]} and {axes[1]}; white: no runs."
            if len(axes) == 2
            else words
        )
        parts += [_figure(m, f"{CAPTIONS[m]} {over}", shown[m], CAPTIONS[m]) for m in metrics]
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
    if (run["n_flows"] == 1).all():
        reasons.append(
            "Every run has one flow, so that there is no fairness to speak of: Jain's index of one "
            "flow is 1."
        )
    if "udp" in protocols(tables):
        reasons.append(
            "Flows of UDP send as fast as they are told, whatever the others do: their fairness is "
            "that of what arrived."
        )
    known = set(cell["metric"])
    if "throughput_ratio" not in known:
        reasons.append(
            "The ratio of two flows is of runs with two flows that both carry something."
        )
    if "utilisation" not in known:
        reasons.append("Utilisation needs the bandwidth of the bottleneck (`bottleneck_mbps`).")
    if "system_nru_db" not in known:
        reasons.append("NRU needs runs of role calibration (`role`).")
    return "\n\n".join([*parts, " ".join(reasons)])


def throughput(
    tables: Mapping, placed: Placed, shown: Mapping[str, Path], settings: Mapping
) -> str:
    """Return the figure of the flows' means."""
    if "flow_means" not in shown:
        return "One flow of one scenario has a mean: it is in @tbl-scenarios."
    words = "Mean throughput of every flow in the steady state."
    if len(placed.axes) == 2:
        second = placed.axes[1]
        words += f" Up to {MAX_LEVELS} levels of {second} are drawn; @tbl-scenarios has all."
    caption = f"{words} {_interval_words(tables['cell'], settings)}"
    return _figure("flow-means", caption, shown["flow_means"], words)


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
    repeats = dict(run.group_by("scenario_id").len().rows())
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
    metrics += [
        ("jfi", "Jain's index", 1, 3),
        ("throughput_ratio", "Flow 1 / flow 2", 1, 2),
        ("utilisation", "Utilisation (%)", 0.01, 1),
        ("system_nru_db", "System-NRU (dB)", 1, 2),
    ]
    metrics = [m for m in metrics if m[0] in set(cell["metric"])]
    rows = []
    for row in placed.head(MAX_SCENARIOS).rows(named=True):
        cells = [_factor(name, row[name]) for name in columns]
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


def runs(tables: Mapping, placed: pl.DataFrame) -> str:
    """Return the table of runs, a fold a scenario's panel where there are many."""
    run, flow_metric = tables["run"], tables["flow_metric"]
    of_flows = flow_metric.sort("run_id", "flow_id").group_by("run_id", maintain_order=True)
    of_flows = of_flows.agg(
        pl.col("mean_throughput_bps"), pl.col("n_samples").sum(), pl.col("n_missing_samples").sum()
    )
    table = (
        placed.select("scenario_id", "panel")
        .join(run, on="scenario_id", maintain_order="left_right")
        .join(of_flows, on="run_id", maintain_order="left")
        .join(tables["run_metric"].drop("n_flows"), on="run_id", maintain_order="left")
        .join(tables["window"].select("run_id", start_s="warmup_s"), on="run_id", how="left")
    )
    optional = [
        ("throughput_ratio", 1, 2, "Flow 1 / flow 2"),
        ("utilisation", 0.01, 1, "Util. (%)"),
    ]
    optional = [o for o in optional if table[o[0]].is_not_null().any()]
    header = ["Run", "Steady from (s)", "Flows (Mb/s)", "Jain's index"]
    header += [*(o[3] for o in optional), "Samples", "Missing"]
    panels = []
    shown = table.head(MAX_RUN_ROWS)
    for (panel,), part in shown.partition_by("panel", as_dict=True, maintain_order=True).items():
        rows = [
            [
                code(row["run_id"]),
                number(row["start_s"], 1).removesuffix(".0"),
                _means(row["mean_throughput_bps"]),
                number(row["jfi"], 3),
                *(
                    number(None if row[m] is None else row[m] / unit, digits)
                    for m, unit, digits, _ in optional
                ),
                f"{row['n_samples']:,}",
                NOTHING if row["n_missing_samples"] is None else f"{row['n_missing_samples']:,}",
            ]
            for row in part.rows(named=True)
        ]
        panels.append((panel, rows))
    if len(shown) <= MANY_ROWS:
        rows = [row for _, part in panels for row in part]
        text = markdown_table(header, rows, numeric_from=1)
    else:
        folds = [folded(header, rows, 1, f"{p}: {len(rows):,} runs", 0) for p, rows in panels]
        text = "\n\n".join(folds)
    if len(table) > len(shown):
        text += f"\n\n{cut_short(len(shown), len(table), 'run_metric')}"
    return text


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
