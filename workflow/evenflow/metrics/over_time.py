"""Throughput over time of each run, as the points that the page of its data set draws.

A point is a byte, a share of the run's highest: right to 0.2 % of it. They are made where the
samples of a run are read, so that a page reads none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from .fairness import sample_length
from .windows import is_stump

NO_SAMPLE = 255
TOP = 254  # the byte of the run's highest point
SLACK = 1.1  # of the most points: 301 intervals need not become 151 pairs
OF_SERIES = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes"]
POINTS = {
    "run_id": pl.String,
    "n_flows": pl.Int64,
    "n_points": pl.Int64,
    "step_s": pl.Float64,
    "top_mbps": pl.Float64,
    "points": pl.Binary,
}


def points_table(samples: Iterable[pl.DataFrame], flow: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return throughput over time, a row a run that has samples.

    Args:
        samples: OF_SERIES of the table `sample`, some whole runs at a time, so that they are never
            in memory all at once.
        flow: the table, cross traffic too.
        most: points of a flow.

    Returns:
        POINTS, in the order of the samples: how many flows the run has and points each of them,
        seconds of a point, Mb/s of TOP, and the bytes of the points, flow by flow in the order of
        flow_id; NO_SAMPLE where there is none.
    """
    flows: dict[str, list[int]] = {}
    for run, number in flow.select("run_id", "flow_id").sort("run_id", "flow_id").rows():
        flows.setdefault(run, []).append(number)
    rows: list[tuple] = []
    for some in samples:
        runs = some["run_id"].unique(maintain_order=True).to_list()
        of_runs = [flows.get(run, []) for run in runs]
        places = pl.DataFrame(
            [(n, f, row) for n, numbers in enumerate(of_runs) for row, f in enumerate(numbers)],
            schema={"run_id": pl.UInt32, "flow_id": pl.Int32, "row": pl.Int64},
            orient="row",
        )
        part = (
            some.with_columns(pl.col("run_id").rle_id())  # numbers are compared in less time
            .filter(~is_stump() & (pl.col("t_start_s") >= 0) & (sample_length() > 0))
            .drop_nulls("bytes")
            .join(places, on=["run_id", "flow_id"], how="inner", maintain_order="left")
        )
        for n, points in _of_part(part, np.array([*map(len, of_runs)]), most):
            rows.append((runs[n], len(of_runs[n]), *points))
    return pl.DataFrame(rows, schema=POINTS, orient="row")


def _of_part(part: pl.DataFrame, n_flows: np.ndarray, most: int) -> Iterator[tuple[int, tuple]]:
    """Yield (run, the last columns of POINTS) of the samples of some runs, by their place."""
    interval, last = sample_length().median().alias("interval"), pl.col("t_end_s").max()
    span = part.group_by("run_id").agg(interval, last).sort("run_id")
    runs, intervals, ends = (span[name].to_numpy() for name in ("run_id", "interval", "t_end_s"))
    steps = intervals * np.ceil(ends / intervals / (SLACK * most)).clip(1)  # whole intervals
    n = np.rint(ends / steps).clip(1).astype(np.int64)
    begins = np.concatenate([[0], np.cumsum(n_flows[runs] * n)]).astype(np.int64)
    of = np.searchsorted(runs, part["run_id"].to_numpy())
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
        yield run, (int(n[i]), round(float(steps[i]), 4), round(top, 3), data.tobytes())
