"""The table 'what the authors did, what this run did': its right side is computed from the data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from ..charts.theme import AQM_NAMES
from ..congestion_controls import in_order, pairing_name, variant_name
from ..evidence.cells import made_of
from ..markdown import NOTHING, code, escape_markdown, listed, markdown_table, span_of
from ..provenance.made import days_made
from ..scalars import scalar
from ..schema import read_yaml
from ..statistics.factors import free_factors
from ..statistics.surfaces import on_the_grid

UNSAID = "not stated"
SETTINGS = Path(__file__).with_suffix(".yml")


def dataset_facts(
    run: pl.DataFrame, flow: pl.DataFrame, flow_metric: pl.DataFrame, about: dict
) -> dict[str, str]:
    """Return what can be said of a data set in the words of the table of deviations.

    Args:
        run, flow, flow_metric: its tables.
        about: its dataset.yml; may be empty.

    Returns:
        {fact: text}; the facts are those that a row of `authors.yml` may name under `ours`.
    """
    placed = on_the_grid(run)
    used = flow.join(placed.select("run_id", "role"), on="run_id")
    measured = flow_metric.join(placed.select("run_id"), on="run_id")
    compared = placed.filter(pl.col("role") == "comparison")
    n_grid = compared["base_rtt_s"].n_unique() * compared["buffer_bdp"].n_unique()
    cells = compared.group_by("ccas", maintain_order=True).agg(
        pl.col("scenario_id").n_unique().alias("n")
    )["n"]
    start2 = used.filter(pl.col("flow_id") == 2)["start_s"]
    left_out = len(run) - len(placed)
    return {
        "licence": plain(about.get("licence", UNSAID)),
        "platform": platform_in_words(run) or UNSAID,
        "settings": settings_in_words(placed) or NOTHING,
        "bottleneck": with_unit(run["bottleneck_bps"] / 1e6, "Mb/s"),
        "queue": _queues(placed) or UNSAID,
        "rtt": with_unit(placed["base_rtt_s"] * 1000, "ms"),
        "buffer": with_unit(placed["buffer_bdp"] * 100, "% of the BDP"),
        "pairings": _pairings(placed, "comparison"),
        "calibration": _pairings(placed, "calibration"),
        "cells": f"{span_of(cells)} of {n_grid} per pairing",
        "runs": str(len(placed))
        + (f"; {left_out} more have no place on the grid" if left_out else ""),
        "repeats": span_of(placed.group_by("scenario_id", maintain_order=True).len()["len"]),
        "duration": with_unit(run["duration_s"], "s"),
        "window": with_unit(measured["warmup_s"], "s"),
        "start2": f"{span_of(start2, 2)} s" if start2.drop_nulls().len() else UNSAID,
        "measurement": _measurement(used, measured),
        "samples": _samples(compared, flow_metric),
    }


def by_name(parts: Mapping[str, str], *tables: Mapping) -> dict:
    """Return {data set: its table, or a tuple of its tables}.

    Args:
        parts: {part: data set}.
        tables: {part: table}.
    """
    found = {name: tuple(of[part] for of in tables) for part, name in parts.items()}
    return {name: of[0] if len(of) == 1 else of for name, of in found.items()}


def titles_of(parts: Mapping[str, str], about: Mapping[str, Mapping]) -> dict[str, str]:
    """Return the title of the data set in each part, its name where it has none (markdown).

    Args:
        parts: {part: data set}.
        about: dataset.yml by part.
    """
    return {part: plain(about[part].get("title", name)) for part, name in parts.items()}


def plain(text: object) -> str:
    """Return a text of dataset.yml as markdown on one line, its markup escaped."""
    return escape_markdown(" ".join(str(text).replace("`", "").split()))


def _words(table: pl.DataFrame, column: str) -> str:
    return ", ".join(table[column].drop_nulls().unique().sort().to_list())


def _queues(table: pl.DataFrame) -> str:
    return _words(table.with_columns(pl.col("aqm").replace(AQM_NAMES)), "aqm")


def with_unit(values: pl.Series, unit: str) -> str:
    """Return numbers in words with their unit; 'not stated' where there are none."""
    text = listed(values)
    return f"{text} {unit}" if text else UNSAID


def _pairings(placed: pl.DataFrame, role: str) -> str:
    """Return the pairings of a role: 'NewReno against BIC, CUBIC; BIC against BIC'."""
    pairings = in_order(
        placed.filter(pl.col("role") == role)["ccas"].unique(maintain_order=True).to_list()
    )
    if role == "calibration":
        return ", ".join(pairing_name(ccas) for ccas in pairings) or "none"
    against: dict[str, list[str]] = {}
    for ccas in pairings:
        first, second = ccas.split("-")
        against.setdefault(variant_name(first), []).append(variant_name(second))
    return "; ".join(f"{first} against {', '.join(them)}" for first, them in against.items())


def platform_in_words(run: pl.DataFrame) -> str:
    """Return platform, tools and kernels: 'testbed, iperf 2.1.8, kernel 6.12.117', 'ns-2 2.35'."""
    versions = versions_in_words(run)
    names = run["platform"].drop_nulls().unique().sort().to_list()
    tools = {version.split(" ")[0].replace("-", "") for version in versions}
    return ", ".join([*(name for name in names if name not in tools), *versions])


def versions_in_words(run: pl.DataFrame) -> list[str]:
    """Return the versions that run records name: the tool's, the kernel's."""
    tools = run.select("tool", "tool_version").unique().sort("tool", "tool_version").rows()
    kernels = {
        made["versions"].get("kernel")
        for made in map(json.loads, run["made_by"].unique(maintain_order=True))
        if isinstance(made.get("versions"), dict)
    } - {None}
    named = [" ".join(filter(None, tool)) for tool in tools]
    return [*named, *(f"kernel {kernel}" for kernel in sorted(map(str, kernels)))]


def settings_in_words(placed: pl.DataFrame) -> str:
    """Return the free factors of the runs in the words of setups.yml: 'jitter ± 50 µs; ...'."""
    words = read_yaml(SETTINGS)[0]
    found: dict[str, set] = {}
    for factors in free_factors(placed.unique("factors", maintain_order=True)):
        for name, value in factors.items():
            text = f"{value:g}" if isinstance(value, float) else str(value)
            of = words.get(name, {})
            said = of.get("values", {}).get(text, of.get("form", "{}").format(text))
            found.setdefault(of.get("name", name.replace("_", " ")), set()).add(plain(said))
    return "; ".join(
        f"{plain(name)}: {', '.join(sorted(values)[:4])}{', ...' if len(values) > 4 else ''}"
        for name, values in sorted(found.items())
    )


def _measurement(flow: pl.DataFrame, measured: pl.DataFrame) -> str:
    interval = listed(measured["interval_s"])
    side = _words(flow, "side")
    return f"a report every {interval} s, at the {side}" if interval else UNSAID


def _samples(compared: pl.DataFrame, flow_metric: pl.DataFrame) -> str:
    """Return how many samples of the steady state the comparison of a pairing has."""
    counts = (
        compared.join(flow_metric, on="run_id")
        .group_by("ccas", maintain_order=True)
        .agg(pl.col("n_samples").sum())
    )
    low, high = scalar(counts["n_samples"].min()), scalar(counts["n_samples"].max())
    if low is None:
        return UNSAID
    return f"{low:,} per pairing" if low == high else f"{low:,} to {high:,} per pairing"


def deviation_table(rows: list[dict], facts: dict[str, dict[str, str]]) -> str:
    """Return the table of deviations, a column a data set.

    Args:
        rows: what the authors did (reports/<paper>/authors.yml): what, authors, ours (a fact).
        facts: result of `dataset_facts` by the data set's name.
    """
    table = [
        [row["what"], row["authors"], *(mine[row["ours"]] for mine in facts.values())]
        for row in rows
    ]
    header = ["", "The authors", *map(code, facts)]
    return markdown_table(header, table, numeric_from=len(header))


def source_list(abouts: dict[str, dict]) -> str:
    """Return where the data are from, an item a data set.

    Args:
        abouts: dataset.yml by the data set's name.
    """
    items = []
    for name, about in abouts.items():
        title = f", {plain(about['title'])}" if "title" in about else ""
        source, licence = (plain(about.get(key, UNSAID)) for key in ("source", "licence"))
        items.append(f"- {code(name)}{title}. Source: {source}. Licence: {licence}.")
    return "\n".join(items)


def runs_table(runs: Iterable[pl.DataFrame]) -> str:
    """Return a row a data set: runs, pairings, cells and when they were made.

    Args:
        runs: the table `run` of each data set.
    """
    rows = []
    for run in runs:
        rows.append(
            [
                code(run["dataset_id"][0]),
                ", ".join(
                    map(
                        pairing_name,
                        in_order(run["ccas"].drop_nulls().unique(maintain_order=True).to_list()),
                    )
                ),
                *made_of(
                    run,
                    listed(run["base_rtt_s"] * 1000),
                    listed(run["buffer_bdp"] * 100),
                    str(run["scenario_id"].n_unique()),
                    str(len(run)),
                    " to ".join(sorted(set(days_made(run["made_by"])))),
                ),
            ]
        )
    header = ["Data set", "Flow 1 – flow 2", "RTT (ms)", "Buffer (% of BDP)", "Scenarios", "Runs"]
    return markdown_table([*header, "Made"], rows, numeric_from=4)
