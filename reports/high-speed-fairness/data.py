"""What the report on `high-speed-fairness` says of its data sets: numbers, coverage, deviations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import product

import polars as pl
from evenflow.charts.theme import PLATFORM_NAMES
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.markdown import NOTHING, counted, listed, markdown_table, number, span_of
from evenflow.provenance.made import made_when
from evenflow.reporting.setups import (
    plain,
    platform_in_words,
    settings_in_words,
    versions_in_words,
    with_unit,
)

from .metrics import QUEUES, RTTS_MS, VARIANTS, VIEW_NAMES, VIEWS, design


def data_variables(
    run: pl.DataFrame, flow: pl.DataFrame, ledger: pl.DataFrame, pairs: pl.DataFrame, title: str
) -> dict[str, str]:
    """Return what the report says of a data set as a whole.

    Args:
        run, flow, ledger: its tables.
        pairs: its rows of `pair_metric`.
        title: of its dataset.yml.
    """
    placed = run.join(pairs.select("run_id"), on="run_id", how="semi")
    second = flow.join(pairs.select("run_id"), on="run_id", how="semi").filter(flow_id=2)
    files = ledger.filter(pl.col("entry") == "file")
    cells = pairs.select("view", "queue", "cca1", "cca2", "rtt1_ms", "rtt2_ms").unique(
        maintain_order=True
    )
    known = cells.join(design(), on=cells.columns, how="semi")
    return {
        "id": run["dataset_id"][0],
        "title": title,
        "tool": ", ".join(versions_in_words(run)) or NOTHING,
        "n_runs": str(len(placed)),
        "n_other_runs": str(len(run) - len(placed)),
        "n_cells": str(len(known)),
        "n_design": str(len(design())),
        "repeats": span_of(pairs.group_by(cells.columns, maintain_order=True).len()["len"]),
        "rtts_ms": listed(pairs["rtt2_ms"]) or NOTHING,
        "queues": ", ".join(QUEUES[q] for q in QUEUES if q in pairs["queue"].to_list()) or NOTHING,
        "bottleneck_mbps": span_of(placed["bottleneck_bps"] / 1e6),
        "duration_s": span_of(placed["duration_s"]),
        "start2_s": span_of(second["start_s"], 1),
        "utilisation_pct": span_of(100 * pairs["utilisation"], 1),
        "n_files": f"{len(files):,}",
        "raw_mb": number(files["bytes"].sum() / 1e6, 2),
        "n_lines": f"{files['lines'].sum():,}",
        "n_rejected_lines": f"{files['lines_rejected'].sum():,}",
        "made_when": made_when(placed["made_by"]),
    }


SENDER_WORDS = {"srtt_s": "rtt"}
DATA_ROWS = {
    "tool": "Made with",
    "n_runs": "Runs",
    "n_other_runs": "Runs that the paper does not use",
    "n_cells": "Cells of the paper's design with a run",
    "n_design": "Cells of the paper's design",
    "repeats": "Runs per cell",
    "rtts_ms": "RTT of flow 2 (ms)",
    "queues": "Queues",
    "duration_s": "Length of a run (s)",
    "start2_s": "Flow 2 begins at (s)",
    "utilisation_pct": "Both flows' payload (% of the bottleneck)",
    "n_files": "Raw files",
    "raw_mb": "Raw size, compressed (MB)",
    "n_lines": "Lines",
    "n_rejected_lines": "of which rejected",
    "made_when": "Made",
}


def data_table(data: Mapping[str, dict]) -> str:
    """Return what each data set holds, a column a data set (results of `data_variables`)."""
    rows = [[name, *(about[key] for about in data.values())] for key, name in DATA_ROWS.items()]
    return markdown_table(["", *(f"`{a['id']}`" for a in data.values())], rows, numeric_from=1)


def facts(
    run: pl.DataFrame,
    flow: pl.DataFrame,
    window: pl.DataFrame,
    states: list[str],
    pairs: pl.DataFrame,
    about: dict,
) -> dict[str, str]:
    """Return what can be said of a data set in the words of the table of deviations.

    Args:
        run, flow, window: its tables.
        states: what is recorded of its senders, as `tcp_state` and `sample` name it.
        pairs: its rows of `pair_metric`.
        about: its dataset.yml; may be empty.

    Returns:
        {fact: text}; the facts are those that a row of authors.yml may name under `ours`.
    """
    ids = pairs.select("run_id")
    placed, flows, windows = (t.join(ids, on="run_id", how="semi") for t in (run, flow, window))
    second = flows.filter(flow_id=2)
    ccas = [cca for cca in VARIANTS if cca in flows["cca"].to_list()]
    senders = {SENDER_WORDS.get(name, name.rsplit("_", 1)[0]) for name in states}
    return {
        "platform": platform_in_words(run),
        "settings": settings_in_words(placed.with_columns(factors=_free_factors())) or NOTHING,
        "bottleneck": with_unit(placed["bottleneck_bps"] / 1e6, "Mb/s"),
        "queues": _counted(pairs["queue"].replace(QUEUES), list(QUEUES.values())),
        "rtts": with_unit(pairs["rtt2_ms"], "ms"),
        "variants": ", ".join(map(variant_name, ccas)) or NOTHING,
        "views": _counted(pairs["view"].replace(VIEW_NAMES), list(VIEW_NAMES.values())),
        "start2": f"{span_of(second['start_s'], 2)} s",
        "duration": with_unit(placed["duration_s"], "s"),
        "window": f"{span_of(windows['warmup_s'])} to {span_of(windows['end_s'])} s",
        "repeats": span_of(pairs.group_by("scenario_id", maintain_order=True).len()["len"]),
        "runs": str(len(placed)),
        "side": ", ".join(flows["side"].drop_nulls().unique().sort()) or NOTHING,
        "senders": ", ".join(sorted(senders)) or "none",
        "licence": plain(about.get("licence", "not stated")),
    }


def _free_factors() -> pl.Expr:
    """Return the factors of runs without view and queue, which have rows of their own."""

    def others(text: str) -> str:
        known = json.loads(text)
        return json.dumps({k: v for k, v in known.items() if k not in ("view", "queue")})

    return pl.col("factors").map_elements(others, return_dtype=pl.String)


def _counted(values: pl.Series, order: list[str]) -> str:
    """Return how many runs have each value: '3 MB (5 runs)'."""
    counts = Counter(values.to_list())
    named = [f"{name} ({counted(counts[name], 'run')})" for name in order if counts[name]]
    return ", ".join(named) or NOTHING


def coverage_table(cells: pl.DataFrame, parts: list[str]) -> str:
    """Return how many pairs of each view and queue have a run, by RTT: '3 / 5 (1 to 2)'.

    In brackets the runs per cell.
    """
    planned = Counter(design().select("view", "queue", "rtt2_ms").rows())
    rows = []
    for part, view, queue in product(parts, VIEWS, QUEUES):
        rows.append([PLATFORM_NAMES[part], VIEW_NAMES[view], QUEUES[queue]])
        for rtt in map(float, RTTS_MS):
            at = cells.filter(part=part, view=view, queue=queue, rtt2_ms=rtt)
            n_all = planned[view, queue, rtt]
            runs = f" ({span_of(at['n'])})" if len(at) else ""
            rows[-1] += made_of(at, f"{len(at)} / {n_all}{runs}" if n_all else NOTHING)
    header = ["Platform", "View", "Queue", *(f"{rtt} ms" for rtt in RTTS_MS)]
    return markdown_table(header, rows, numeric_from=3)


def described(run, flow, ledger, pair_metric, about) -> dict[str, dict[str, str]]:
    """Return {part: result of `data_variables`}; parameters as the paper's functions have them."""
    return {
        part: data_variables(
            run[part],
            flow[part],
            ledger[part],
            pair_metric.filter(part=part),
            plain(about[part].get("title", run[part]["dataset_id"][0])),
        )
        for part in run
    }


def recorded(tcp_state: pl.LazyFrame, sample: pl.LazyFrame) -> list[str]:
    """Return what a data set has of its senders: variables of tcp_state, columns of sample."""
    variables = tcp_state.select("variable").unique().sort("variable").collect()["variable"]
    columns = ("cwnd_bytes", "rtt_s")
    there = sample.select(pl.col(columns).is_not_null().any()).collect()
    return [*variables, *(name for name in columns if there[name][0])]
