"""What a data set holds, and which of its flows stalled: numbers and tables of reports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import polars as pl

from ..congestion_controls import in_order, pairing_name
from ..evidence.cells import made_of
from ..evidence.say import Said, phrase, say
from ..markdown import NOTHING, code, listed, markdown_table, number, span_of
from ..provenance.made import days_made
from ..scalars import scalar

LONG_MS = 200 - 1e-6  # from this RTT on a path counts as long


def dataset_variables(
    run: pl.DataFrame,
    flow: pl.DataFrame,
    flow_metric: pl.DataFrame,
    ledger: pl.DataFrame,
    stalled_s: float,
) -> dict:
    """Return what a report says of a data set: runs, repeats, grid, files, lines, stalls."""
    repeats = run.group_by("scenario_id", maintain_order=True).len()["len"]
    files = ledger.filter(pl.col("entry") == "file")
    stalled = stalled_runs(flow_metric, stalled_s)
    compared = flow_metric.filter(pl.col("flow_nru_db").is_not_null())
    second = flow.filter(pl.col("flow_id") == 2)["start_s"]
    first, last = days_made(run["made_by"])
    window_1 = flow_metric.filter(pl.col("flow_id") == 1)["n_samples"]
    found = {
        "id": run["dataset_id"][0],
        "n_runs": str(len(run)),
        "n_calibration": str((run["role"] == "calibration").sum()),
        "n_comparison": str((run["role"] == "comparison").sum()),
        "n_scenarios": str(len(repeats)),
        "repeats": span_of(repeats),
        "rtts_ms": listed(run["base_rtt_s"] * 1000) or NOTHING,
        "buffers_pct": listed(run["buffer_bdp"] * 100) or NOTHING,
        "pairings": ", ".join(
            map(pairing_name, in_order(run["ccas"].drop_nulls().unique(maintain_order=True)))
        ),
        "bottleneck_mbps": listed(run["bottleneck_bps"] / 1e6) or NOTHING,
        "duration_s": listed(run["duration_s"]) or NOTHING,
        "start2_min_s": number(scalar(second.min()), 2),
        "start2_max_s": number(scalar(second.max()), 2),
        "n_window_flow1": span_of(window_1),
        "tool": " ".join(filter(None, (run["tool"][0], run["tool_version"][0]))) or NOTHING,
        "made_from": first,
        "made_to": last,
        "n_files": f"{len(files):,}",
        "raw_mb": number(int(files["bytes"].sum()) / 1e6, 1),
        "n_lines": f"{files['lines'].sum():,}",
        "n_sample_lines": f"{files['lines_sample'].sum():,}",
        "n_rejected_lines": f"{files['lines_rejected'].sum():,}",
        "n_window_samples": f"{flow_metric['n_samples'].sum():,}",
        "n_missing_samples": f"{flow_metric['n_missing_samples'].sum():,}",
        "n_zero_samples": f"{flow_metric['n_zero_samples'].sum():,}",
        "n_floored_samples": f"{compared['n_floored_samples'].sum():,}",
        "n_stalled_runs": str(stalled["run_id"].n_unique()),
        "n_starved_flows": str((flow_metric["mean_throughput_bps"] == 0).sum()),
    }
    of = dict.fromkeys(("n_files", "raw_mb", *(k for k in found if k.endswith("_lines"))), files)
    of["n_window_flow1"] = flow_metric
    of |= dict.fromkeys((k for k in found if k.endswith(("_samples", "_flows"))), flow_metric)
    of |= {"n_stalled_runs": flow_metric, "start2_min_s": flow, "start2_max_s": flow}
    return {key: made_of(of.get(key, run), text)[0] for key, text in found.items()}


def described(
    run: Mapping[str, pl.DataFrame],
    flow: Mapping[str, pl.DataFrame],
    flow_metric: Mapping[str, pl.DataFrame],
    ledger: Mapping[str, pl.DataFrame],
    stalled_s: float,
) -> dict[str, dict]:
    """Return what a report says of each data set, by part; tables by part."""
    return {
        part: dataset_variables(runs, flow[part], flow_metric[part], ledger[part], stalled_s)
        for part, runs in run.items()
    }


def made_when_said(runs: Sequence[pl.DataFrame]) -> Said:
    """Return the days on which runs were made: 'on 2026-11-20', 'from 2026-11-20 to 2026-11-22'.

    Args:
        runs: tables `run`, tagged; a run without a date counts as a dash.
    """
    day = pl.col("made_by").str.json_path_match("$.date").str.slice(0, 10).fill_null(NOTHING)
    first = [say(of, day.min(), words="first day on which runs were made") for of in runs]
    last = [say(of, day.max(), words="last day on which runs were made") for of in runs]
    ends = min(first), max(last)
    if ends[0] == ends[1]:
        return phrase("on {}", ends[0], behind=[*first, *last])
    return phrase("from {} to {}", *ends, behind=[*first, *last])


def dataset_table(variables: dict[str, dict]) -> str:
    """Return what each data set of a paper holds, a column a data set.

    Args:
        variables: result of `described`.
    """
    names = {
        "tool": "Tool",
        "rtts_ms": "RTT (ms)",
        "buffers_pct": "Buffer (% of BDP)",
        "n_runs": "Runs",
        "n_calibration": "of which calibration",
        "n_comparison": "of which comparison",
        "repeats": "Repeats per scenario",
        "n_files": "Raw files",
        "raw_mb": "Raw size, compressed (MB)",
        "n_lines": "Lines",
        "n_sample_lines": "of which samples",
        "n_rejected_lines": "of which rejected",
        "n_window_samples": "Samples in the steady state",
        "n_missing_samples": "Samples missing from it",
        "n_zero_samples": "Samples without a byte in it",
        "n_stalled_runs": "Runs with a stalled flow",
        "made_from": "First run made on",
        "made_to": "Last run made on",
    }
    rows = [[name, *(table[key] for table in variables.values())] for key, name in names.items()]
    header = ["", *(code(table["id"]) for table in variables.values())]
    return markdown_table(header, rows, numeric_from=1)


def host_table(run: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return what the testbed's runs measured of themselves, a row a run that says it.

    Args:
        run: tables by part.

    Returns:
        part, run_id, rtt_error_ms (largest of its flows), n_reordered, n_drops_elsewhere (packets
        lost elsewhere than at the bottleneck), queue_fill (largest backlog over the buffer, null
        where no packet was lost), kernel; in the order of parts and runs.
    """
    rows = []
    for part, runs in run.items():
        for row in runs.rows(named=True):
            seen = json.loads(row["observed"] or "{}")
            if "rtt_ms" not in seen:
                continue
            rtt_ms = row["base_rtt_s"] * 1000
            fill = seen["queue_max_bytes"] / row["buffer_bytes"] if seen["drops"] else None
            errors = [abs(measured - rtt_ms) for measured in seen["rtt_ms"].values()]
            kernel = json.loads(row["made_by"])["versions"]["kernel"]
            counts = seen["reordering"], seen["drops_elsewhere"]
            rows.append((part, row["run_id"], max(errors), *counts, fill, kernel))
    schema = {"part": pl.String, "run_id": pl.String, "rtt_error_ms": pl.Float64}
    schema |= dict.fromkeys(("n_reordered", "n_drops_elsewhere"), pl.Int64)
    schema |= {"queue_fill": pl.Float64, "kernel": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def stalled_runs(flow_metric: pl.DataFrame, stalled_s: float) -> pl.DataFrame:
    """Return the flows that carried nothing for longer than `stalled_s` of the steady state."""
    return flow_metric.filter(pl.col("zero_s") > stalled_s).sort("run_id", "flow_id")
