"""What the page's script draws from: settings, runs, files, and throughput over time.

Throughput over time is a byte a point, as a share of the run's highest (255: none): right to 0.2 %
of it. The samples come some runs at a time, so that they are never in memory all at once.
"""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from ...evidence.say import ranges
from ...metrics.fairness import sample_length
from ...metrics.windows import is_stump
from ...places import folders
from ...statistics.surfaces import is_contested
from .answer import Row
from .subject import Subject, distinct, kind_name, spoken

MAX_POINTS = 300  # of a flow
FEW_POINTS = 100  # of a flow where runs are many
MANY_RUNS = 10_000
NO_SAMPLE = 255
TOP = 254  # the byte of the run's highest point
SLACK = 1.1  # of MAX_POINTS: 301 intervals need not become 151 pairs
OF_SERIES = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes"]


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
    return {
        "ids": [run.id for run in runs],
        "scenarios": [setting.id for setting in subject.settings],
        "n": [len(setting.runs) for setting in subject.settings],
        "repeat": [run.repeat for run in runs],
        "flags": {n: list(run.flags) for n, run in enumerate(runs) if run.flags},
        "mixes": list(mixes),
        "mix": mix,
        "x": [[_rounded(mean, 1e6, 3) for mean in run.means] for run in runs],
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


# ---- over time -----------------------------------------------------------------------------------


def series(subject: Subject, samples: Iterable[pl.DataFrame]) -> tuple[list, bytes]:
    """Return throughput over time, packed.

    Args:
        samples: OF_SERIES of the table `sample`, some whole runs at a time.

    Returns:
        (of each run [flows, points of a flow, seconds of a point, Mb/s of TOP], or 0 for a run
        without samples; the bytes of all runs, flow by flow)
    """
    most = MAX_POINTS if len(subject.runs) <= MANY_RUNS else FEW_POINTS
    number = {run.id: n for n, run in enumerate(subject.runs)}
    heads: list = [0] * len(subject.runs)
    points: list[bytes] = [b""] * len(subject.runs)
    for some in samples:
        ids = some["run_id"].unique(maintain_order=True)
        part = some.with_columns(pl.col("run_id").rle_id())  # numbers are compared in less time
        part = part.filter(~is_stump() & (pl.col("t_start_s") >= 0) & (sample_length() > 0))
        part = part.drop_nulls("bytes").join(
            _places(subject, number, ids),
            on=["run_id", "flow_id"],
            how="inner",
            maintain_order="left",
        )
        for run, head, data in _of_part(subject, part, most):
            heads[run], points[run] = head, data
    return heads, b"".join(points)


def _places(subject: Subject, number: dict[str, int], ids: Iterable[str]) -> pl.DataFrame:
    """Return, of the flows of some runs, their run's number on the page and their row there.

    `run_id` is the place of the run in `ids`.
    """
    kinds = {"run_id": pl.UInt32, "flow_id": pl.Int32, "run": pl.Int32, "row": pl.Int64}
    known = {place: number[name] for place, name in enumerate(ids) if name in number}
    rows = [
        (place, flow, run, row)
        for place, run in known.items()
        for row, (flow, _) in enumerate(subject.series[run])
    ]
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _of_part(subject: Subject, part: pl.DataFrame, most: int) -> Iterator[tuple[int, list, bytes]]:
    """Yield (run, head, points) of the samples of some runs; `run` is their number."""
    interval, last = sample_length().median().alias("interval"), pl.col("t_end_s").max()
    span = part.group_by("run").agg(interval, last).sort("run")
    whole = (pl.col("t_end_s") / pl.col("interval") / (SLACK * most)).ceil().clip(1)
    step = (pl.col("interval") * whole).alias("step")  # so many whole intervals
    span = span.with_columns(step, (pl.col("t_end_s") / step).round().clip(1).alias("n"))
    runs, steps, n = span["run"].to_list(), span["step"].to_numpy(), span["n"].to_numpy()
    n = n.astype(np.int64)
    sizes = n * np.array([len(subject.series[run]) for run in runs], dtype=np.int64)
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    of = np.searchsorted(runs, part["run"].to_numpy())
    at = np.floor((part["t_start_s"].to_numpy() + 1e-6) / steps[of]).astype(np.int64)
    inside = at < n[of]  # not a last part shorter than half a point
    place = (begins[of] + part["row"].to_numpy() * n[of] + at)[inside]
    megabits = part["bytes"].to_numpy()[inside] * 8e-6
    seconds = (part["t_end_s"] - part["t_start_s"]).to_numpy()[inside]
    carried, lasted = (
        np.bincount(place, weights=weights, minlength=begins[-1]).astype(float)  # whole if empty
        for weights in (megabits, seconds)
    )
    known = lasted > 0
    rate = np.divide(carried, lasted, out=np.zeros_like(carried), where=known)
    for i, run in enumerate(runs):
        one = slice(begins[i], begins[i + 1])
        top = rate[one].max(initial=0.0)
        shares = rate[one] / top if top > 0 else rate[one]
        data = np.where(known[one], np.round(TOP * shares), NO_SAMPLE).astype(np.uint8)
        head = [len(subject.series[run]), int(n[i]), round(float(steps[i]), 4), round(top, 3)]
        yield run, head, data.tobytes()
