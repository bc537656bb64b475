"""What is measured of a run is its own, whatever other runs there are, in any order of rows."""

import numpy as np
import polars as pl
import pytest
from evenflow.metrics.burstiness import (
    arrival_covs,
    burst_metrics,
    default_gaps,
    drop_events,
    event_metrics,
    events_with_time_above,
    gap_sensitivity,
    queue_limits,
)
from evenflow.metrics.measured import measure, measured_cases
from evenflow.metrics.windows import in_window
from polars.testing import assert_frame_equal

STEADY = {"sensitivity_warmup_s": [10, 20]}
NRU = {"weight_from": "flow2", "floor_segments": 1, "sensitivity_floor_segments": [0.1, 10]}
# run: how long it and its samples are (s), of every flow its start, its rate in both halves (Mb/s)
RUNS = {
    "a": (80, 1, [(0, 60, 30), (5, 30, 60)]),
    "b": (60, 5, [(0, 10, 10), (10, 10, 10), (0, 70, 50)]),
    "c": (40, 1, [(0, 95, 90)]),
}


def measurable(seed: int = 5) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Samples, flows and runs, of different numbers of flows and lengths."""
    random = np.random.default_rng(seed)
    run, flow, sample = [], [], []
    for run_id, (seconds, length, flows) in RUNS.items():
        run.append((run_id, float(seconds), None, 1e8, 0.05))
        for flow_id, (start, first, second) in enumerate(flows, 1):
            flow.append((run_id, flow_id, "cubic", 1448, float(start)))
            for t in range(start, seconds, length):
                mbps = (first if t < seconds / 2 else second) * random.uniform(0.5, 1.5)
                n_bytes = int(mbps * 1e6 / 8) * length
                rate = n_bytes * 8 / length
                sample.append((run_id, flow_id, float(t), float(t + length), n_bytes, rate))
    columns = ["run_id", "duration_s", "warmup_s", "bottleneck_bps", "base_rtt_s"]
    flow_columns = ["run_id", "flow_id", "cca", "mss_bytes", "start_s"]
    sample_columns = ["run_id", "flow_id", "t_start_s", "t_end_s", "bytes", "throughput_bps"]
    return (
        pl.DataFrame(sample, schema=sample_columns, orient="row"),
        pl.DataFrame(flow, schema=flow_columns, orient="row"),
        pl.DataFrame(run, schema=columns, orient="row").cast({"warmup_s": pl.Float64}),
    )


def measured(sample, flow, run) -> dict[str, pl.DataFrame]:
    window, flows, runs = measure(sample, flow, run, 20.0, 1.0)
    cases = measured_cases(sample, flow, in_window(run, window), STEADY, NRU)
    return {"window": window, "flows": flows, "runs": runs, "cases": cases}


def bursty() -> dict[str, pl.DataFrame]:
    """Drops, flows, bins of 5 ms and windows of two runs that have little in common."""
    drops = {
        "a": [(1.0, 1), (1.001, 2), (1.002, 100), (2.0, 100), (2.001, 1), (3.5, 3)],
        "b": [(0.4, 2), (1.0005, 1), (2.9, 2), (2.95, 2)],
    }
    rtts = {"a": [0.045, 0.09, 0.135], "b": [0.02, 0.3]}
    queue = {"a": 97, "b": 60}
    window = {"a": (0.5, 4.0), "b": (0.0, 3.0)}
    tables = {
        "drops": [(r, t, flow) for r, some in drops.items() for t, flow in some],
        "flows": [(r, k, rtt, 948) for r, some in rtts.items() for k, rtt in enumerate(some, 1)],
        "windows": [(r, *ends) for r, ends in window.items()],
        "runs": [(r, 100_000, None) for r in drops],
        "bins": [
            (r, k * 0.005, (k + 1) * 0.005, 3 + (k * (7 if r == "a" else 3)) % 5, q, k % 2)
            for r, most in queue.items()
            for k in range(800)
            for q in [most if k % 200 < 5 else 20 + k % 7]
        ],
    }
    columns = {
        "drops": {"run_id": pl.String, "t_s": pl.Float64, "flow_id": pl.Int32},
        "flows": {
            "run_id": pl.String,
            "flow_id": pl.Int32,
            "base_rtt_s": pl.Float64,
            "mss_bytes": pl.Int32,
        },
        "windows": {"run_id": pl.String, "warmup_s": pl.Float64, "end_s": pl.Float64},
        "runs": {"run_id": pl.String, "buffer_bytes": pl.Int64, "buffer_packets": pl.Int64},
        "bins": {
            "run_id": pl.String,
            "t_start_s": pl.Float64,
            "t_end_s": pl.Float64,
            "arrived_packets": pl.Int64,
            "queue_packets": pl.Int64,
            "background_packets": pl.Int64,
        },
    }
    return {n: pl.DataFrame(rows, schema=columns[n], orient="row") for n, rows in tables.items()}


def burstiness(drops, flows, windows, runs, bins) -> dict[str, pl.DataFrame]:
    bins = bins.sort("run_id", "t_start_s").lazy()  # as the table is
    limits = queue_limits(runs, flows, bins)
    events = drop_events(drops, flows, default_gaps(flows), windows)
    timed = events_with_time_above(events, bins, windows, limits, 0.9)
    covs = arrival_covs(bins, windows, [0.01])
    return {
        "gaps": default_gaps(flows),
        "limits": limits,
        "events": timed,
        "covs": covs,
        "each": event_metrics(events, flows),
        "burst": burst_metrics(timed, flows, windows, limits, covs),
        "sensitivity": gap_sensitivity(drops, flows, windows, [0.001, 0.6]),
    }


KINDS = {
    "samples": (lambda: dict(zip(("sample", "flow", "run"), measurable(), strict=True)), measured),
    "bursts": (bursty, burstiness),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_measured_of_a_run_is_the_same_next_to_other_runs(kind):
    made, measures = KINDS[kind]
    tables = made()
    together = measures(**tables)
    for run_id in tables["flow" if kind == "samples" else "flows"]["run_id"].unique().sort():
        alone = measures(**{n: table.filter(run_id=run_id) for n, table in tables.items()})
        for name, table in alone.items():
            # Polars divides by a column of one value another way: the last digit may differ
            assert_frame_equal(together[name].filter(run_id=run_id), table, rel_tol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_matter_and_tables_come_sorted(kind, seed):
    made, measures = KINDS[kind]
    tables = made()
    wanted = measures(**tables)
    shuffled = {n: table.sample(fraction=1, shuffle=True, seed=seed) for n, table in tables.items()}
    for name, table in measures(**shuffled).items():
        assert_frame_equal(table, wanted[name], rel_tol=1e-12)
        by = [c for c in ("parameter", "value", "run_id", "flow_id") if c in table.columns]
        if name != "sensitivity":
            assert_frame_equal(table, table.sort(by, nulls_last=True, maintain_order=True))


def test_runs_are_measured_at_all():
    """The other tests would pass on tables without rows."""
    found = measured(*measurable())
    assert {name: len(table) for name, table in found.items()} == {
        "window": 3,
        "flows": 6,
        "runs": 3,
        "cases": 6 * (2 + 2 + 3 + 1),
    }
    assert found["runs"]["drift"].null_count() == 1  # of the run of one flow
    assert found["runs"].filter(run_id="a")["drift"][0] > 0.15
    bursts = burstiness(**bursty())
    assert bursts["burst"].select("run_id", "n_events", "losses").rows() == [
        ("a", 3, 6),
        ("b", 3, 4),
    ]
    assert bursts["burst"]["time_above_s"].to_list() == pytest.approx([0.025, 0.0])
