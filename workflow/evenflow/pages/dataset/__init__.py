"""The page of a data set, as markdown: what it is, what was found, and every table to take away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import yaml

from ...charts.placing import placed_scenarios
from ...runs.receipts import saw
from .accounting import downloads, ledger
from .assumed import assumptions, missing, window_assumptions
from .facts import facts, introduction
from .found import findings, trust
from .nothing import nothing_read
from .results import fairness, over_time, runs, scenarios, throughput, window_text


def dataset_page(
    about: Mapping,
    tables: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Path],
    files: Mapping[str, Mapping[str, Path]],
    settings: Mapping,
) -> str:
    """Return the page of a data set.

    Args:
        about: dataset.yml, or nothing.
        tables: run, flow, window, flow_metric, run_metric, cell, weight, ledger, finding,
            assumption.
        figures: by name, 'runs', 'flow_means' and the metrics; empty files are not shown.
        files: the tables to download: {table: {'parquet': path, 'csv': path}}, beside the page.
        settings: of config.yaml: warmup_s, seconds; confidence; page_rows, of a table or a block of
            lines on the page, which says where the rest is.
    """
    run = tables["run"]
    shown = {name: path for name, path in figures.items() if path.stat().st_size}
    parts = [introduction(about)]
    if run.is_empty():
        parts += [
            trust(tables["finding"], run),
            "# What is here {#sec-files}",
            nothing_read(tables["ledger"]),
        ]
    else:
        placed = placed_scenarios(run, tables["flow"])
        parts += [
            facts(about, tables),
            trust(tables["finding"], run),
            "# Fairness {#sec-fairness}",
            window_text(tables["window"]),
            fairness(tables, placed, shown, settings),
            "# Throughput of the flows {#sec-throughput}",
            throughput(tables, placed, shown, settings),
            "# Over time {#sec-time}",
            over_time(tables, shown),
            "# Scenarios {#sec-scenarios}",
            scenarios(tables, placed.table, settings),
            "# Runs {#sec-runs}",
            runs(tables, placed.table, settings["page_rows"]),
        ]
    parts += ["# Findings {#sec-findings}", findings(tables["finding"])]
    if len(run):
        assumed = [tables["assumption"]] if "assumption" in tables else []
        of_window = window_assumptions(tables["window"], tables["flow"], settings["warmup_s"])
        parts += [
            "# What is assumed, and what is missing {#sec-assumed}",
            assumptions(pl.concat([*assumed, of_window]), settings["page_rows"]),
            missing(about, tables),
        ]
    parts += [
        "# Ledger {#sec-ledger}",
        ledger(tables["ledger"]),
        "# Tables to download {#sec-tables}",
        downloads(files),
        "# How the numbers are made {#sec-terms}",
        TERMS,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


TERMS = """
Steady state
:   The samples of a run that its metrics are computed from, the same time for all of its flows.
    Intervals count by their length. Left out is a last one shorter than half of the others, and
    what the tool itself marks as omitted (iperf3 -O).

Mean throughput
:   Bytes of the steady state over its seconds: payload, not packets with headers.

Jain's index
:   (Σ x)² / (N Σ x²) of the mean throughput x of the N flows of a run: 1 when all get the same, 1/N
    when one gets all. Undefined for a run in which no flow carried anything.

Flow 1 / flow 2
:   Ratio of their mean throughput, in runs of two flows. Drawn on a logarithmic scale.

Utilisation
:   Sum of the flows' mean throughput over the bandwidth of the bottleneck. Headers take some of it.

NRU
:   Normalised resource usage, 10 log₁₀ of a flow's throughput over what its congestion control gets
    against its like (runs of role calibration) in the same place: 0 dB is as much. The system-NRU
    is the mean over a run's flows.

Interval
:   Student's t interval of the mean over the repeats of a scenario. The run is the unit, not the
    second. None for one repeat, or for repeats that are all the same.
"""


def read_about(path: Path) -> dict:
    """Return dataset.yml, or nothing where there is none."""
    there = saw(path, path.is_file())
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {} if there else {}
