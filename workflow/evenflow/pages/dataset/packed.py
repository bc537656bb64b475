"""What the page's script draws from: settings, runs, files, and throughput over time."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Sequence

import polars as pl

from ...evidence.say import ranges
from ...metrics.over_time import POINTS
from ...places import folders
from ...statistics.surfaces import is_contested
from .answer import Row
from .subject import Subject, distinct, flow_names, kind_name, numbers_of, spoken


def packed(data: bytes) -> str:
    """Return bytes compressed, in base64: browsers unpack it themselves (DecompressionStream)."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def as_bytes(value: object) -> bytes:
    """Return a structure as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def of_settings(subject: Subject, rows: Sequence[Row] = ()) -> dict:
    """Return what charts over the factors need before anything is unpacked.

    Args:
        rows: of the answer, whose numbers lead to the runs of their settings.
    """
    axes = subject.axes
    levels = [sorted({setting.levels[i] for setting in subject.settings}) for i in range(len(axes))]
    panels = subject.panels
    place = {panel: n for n, panel in enumerate(panels)}
    kinds = {kind: n for n, kind in enumerate(subject.kinds)}
    return {
        "name": subject.name,
        "raw": folders().raw,
        "fair": subject.fair,
        "confidence": subject.confidence,
        "axes": [{"label": axis, "levels": of} for axis, of in zip(axes, levels, strict=True)],
        "panels": distinct([spoken(panel) for panel in panels]),
        "kinds": [kind_name(kind) for kind in subject.kinds],
        "settings": [
            [
                place[setting.panel],
                *(of.index(at) for of, at in zip(levels, setting.levels, strict=True)),
            ]
            for setting in subject.settings
        ],
        "flows": {"names": flow_names(subject.runs), "numbers": numbers_of(subject.runs)},
        "of_panel": [[kinds[kind] for kind in _kinds_of_panel(subject, panel)] for panel in panels],
        "metrics": [
            {
                "key": m.name,
                "label": m.label,
                "digits": m.digits,
                "scale": m.scale,
                "meaning": m.meaning,
                "middle": m.middle,
            }
            for m in subject.metrics
        ],
        "uncontested": _uncontested(subject),
        "answer": [[ranges(row.settings), [kinds[kind] for kind in row.kinds]] for row in rows],
    }


def _uncontested(subject: Subject) -> list[int]:
    """Return the settings in which no run lost a packet at the bottleneck."""
    run = subject.tables["run"]
    contested = run.select("scenario_id", contested=is_contested(run, "scenario_id"))
    free = set(contested.filter(~pl.col("contested"))["scenario_id"])
    return [n for n, setting in enumerate(subject.settings) if setting.id in free]


def _kinds_of_panel(subject: Subject, panel: str) -> Sequence[str]:
    found = [
        subject.runs[run].kinds
        for setting in subject.settings
        if setting.panel == panel
        for run in setting.runs[:1]
    ]
    return max(found, key=len, default=())


def of_runs(subject: Subject, heads: list, files: list) -> dict:
    """Return what is said of runs: values, warnings, files, window, and where their points are."""
    tables, runs = subject.tables, subject.runs
    ids = pl.DataFrame({"run_id": [run.id for run in runs]}, schema={"run_id": pl.String})
    of_run = ids.join(tables["run_metric"], on="run_id", how="left", maintain_order="left")
    window = ids.join(tables["window"], on="run_id", how="left", maintain_order="left")
    kinds = {kind: n for n, kind in enumerate(subject.kinds)} | {"": -1}
    mixes: dict[tuple, int] = {}
    mix = [
        mixes.setdefault(tuple(kinds[kind] for _, kind in flows), len(mixes))
        for flows in subject.series
    ]
    numbers: dict[tuple, int] = {}
    numbered = [
        numbers.setdefault(tuple(number for number, _ in flows), len(numbers))
        for flows in subject.series
    ]
    return {
        "ids": [run.id for run in runs],
        "scenarios": [setting.id for setting in subject.settings],
        "n": [len(setting.runs) for setting in subject.settings],
        "repeat": [run.repeat for run in runs],
        "flags": {n: list(run.flags) for n, run in enumerate(runs) if run.flags},
        "mixes": list(mixes),
        "mix": mix,
        "numbers": list(numbers),
        "numbered": numbered,
        "x": [
            [_rounded(mean, 1e6, 3 if mean and mean > 1e5 else 6) for mean in run.means]
            for run in runs
        ],
        "metrics": {
            m.name: [_rounded(value, m.factor, m.digits + 2) for value in of_run[m.name]]
            for m in subject.metrics
        },
        "cells": _cells(subject),
        "window": [list(row) for row in window.select("warmup_s", "end_s").rows()],
        "heads": heads,
        "files": files,
    }


def _cells(subject: Subject) -> dict[str, list]:
    """Return [mean, low end, high end of the interval] of each metric and setting."""
    cell = subject.tables["cell"].select("scenario_id", "metric", "mean", "ci_low", "ci_high")
    found = {(scenario, metric): row for scenario, metric, *row in cell.rows()}
    nothing = [None, None, None]
    return {
        m.name: [
            [
                _rounded(value, m.factor, m.digits + 2)
                for value in found.get((s.id, m.name), nothing)
            ]
            for s in subject.settings
        ]
        for m in subject.metrics
    }


def _rounded(value: float | None, factor: float, digits: int) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return round(value / factor, digits)


def files_of_runs(subject: Subject) -> list[list]:
    """Return the raw files of each run: [path, '~' for the run's folder, and its lines]."""
    ledger = subject.tables["ledger"].filter(pl.col("run_id").is_not_null(), entry="file")
    found: dict[str, list] = {}
    for run, path, lines in ledger.select("run_id", "path", "lines").rows():
        inside = path.startswith(f"{run}/")
        found.setdefault(run, []).append([f"~{path[len(run) :]}" if inside else path, lines])
    return [found.get(run.id, []) for run in subject.runs]


def series(subject: Subject, points: pl.DataFrame) -> tuple[list, bytes]:
    """Return throughput over time, packed.

    Args:
        points: `over_time.POINTS` of all runs.

    Returns:
        (of each run [flows, points of a flow, seconds of a point, Mb/s of TOP], or 0 for a run
        without samples; the bytes of all runs, flow by flow)
    """
    known = {run: (head, of_run) for run, *head, of_run in points.select(*POINTS).rows()}
    found = [known.get(run.id, (0, b"")) for run in subject.runs]
    return [head for head, _ in found], b"".join(of_run for _, of_run in found)
