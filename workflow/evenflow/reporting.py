"""Numbers and tables of the reports on the grid of RTT and buffer, formatted.

A report's text holds no number of its own; it names the variables that are made here.
"""

from __future__ import annotations

import json

import polars as pl

from .congestion_controls import in_order, pairing_name
from .markdown import NOTHING, PRINTED, markdown_table, number, span_of, word
from .provenance.made import days_made
from .published import EQUATION, QUANTITIES
from .roles import listed
from .statistics.surfaces import matched_ends

TESTED = ("different", "both", "equivalent", "inconclusive")  # verdicts of cells with repeats
STATISTICS = ("min", "mean", "max", "stddev")


def summary_variables(summary: pl.DataFrame, published: pl.DataFrame) -> dict:
    """Return {part: {role: {metric: {pairing: {min, mean, max, stddev, n_cells, n_runs}}}}}.

    Every pairing that the paper printed or that any part has is there for every part and metric,
    with dashes where no run gives it: the text of a report reads on a partly filled grid too.
    """
    measurable = published.filter(pl.col("part") != EQUATION)
    pairings = pl.concat([t.select("role", "ccas") for t in (summary, measurable)]).unique()
    known = {
        (row["part"], row["role"], row["metric"], row["ccas"]): row
        for row in summary.rows(named=True)
    }
    tree: dict = {}
    for part in summary["part"].unique(maintain_order=True):
        for role, ccas in pairings.sort("role", "ccas").rows():
            for metric, (unit, digits) in PRINTED.items():
                row = known.get((part, role, metric, ccas), {})
                leaf = {
                    s: number(None if row.get(s) is None else row[s] / unit, digits)
                    for s in STATISTICS
                }
                leaf |= {key: str(row.get(key, 0)) for key in ("n_cells", "n_runs")}
                metrics = tree.setdefault(part, {}).setdefault(role, {})
                metrics.setdefault(metric, {})[word(ccas)] = leaf
    return tree


def edge_variables(surface: pl.DataFrame, summary: dict) -> dict:
    """Return the means over the cells at the edges of each surface; see `surfaces.matched_ends`.

    Args:
        surface: the paper's surfaces, with the column part.
        summary: result of `summary_variables`: the surfaces that a report may name.

    Returns:
        {part: {role: {metric: {pairing: {min_rtt, max_rtt, min_buffer, max_buffer}}}}}, strings.
    """
    keys = ["part", "role", "metric", "ccas"]
    surfaces = surface.partition_by(keys, as_dict=True)
    tree: dict = {}
    for part, roles in summary.items():
        for role, metrics in roles.items():
            for metric, pairings in metrics.items():
                unit, digits = PRINTED[metric]
                for name in pairings:
                    cells = surfaces.get((part, role, metric, name.replace("_", "-")))
                    leaf = {}
                    for axis, column in (("rtt", "base_rtt_s"), ("buffer", "buffer_bdp")):
                        ends = None if cells is None else matched_ends(cells, column)
                        for end, value in zip(("min", "max"), ends or (None, None), strict=True):
                            printed = None if value is None else value / unit
                            leaf[f"{end}_{axis}"] = number(printed, digits)
                    of_metric = tree.setdefault(part, {}).setdefault(role, {})
                    of_metric.setdefault(metric, {})[name] = leaf
    return tree


def lowest_variables(surface: pl.DataFrame) -> dict:
    """Return where flow 2 gets least beside NewReno, by its flow-NRU, and what both flows have.

    Args:
        surface: the paper's surfaces, with the column part.

    Returns:
        {part: {pairing, rtt_ms, buffer_pct, nru_db, n_runs, flow1_mbps, flow2_mbps, limit_mbps,
        as_bounded}}, strings. limit_mbps is the buffer's share of the bottleneck, which is what a
        limit that also counts the packets on their way lets through; as_bounded is 'yes' where two
        NewReno flows leave a tenth of the bottleneck unused on the part `testbed` at this RTT,
        whatever the buffer, and flow 1 has, to 2 %, the mean that it has there.
    """
    compared = surface.filter(role="comparison")
    alike = surface.filter(part="testbed", role="calibration", ccas="newreno-newreno")
    tree = {}
    lowest = compared.filter(metric="flow_nru_db_flow2").drop_nulls("mean").sort("mean")
    for row in lowest.unique("part", keep="first", maintain_order=True).rows(named=True):
        cell = compared.filter(part=row["part"], scenario_id=row["scenario_id"])
        mean = dict(cell.select("metric", "mean").rows())
        flow1_bps, flow2_bps = (mean[f"mean_throughput_bps_flow{k}"] for k in (1, 2))
        beside = alike.filter(base_rtt_s=row["base_rtt_s"])
        bounded_bps = beside.filter(metric="mean_throughput_bps_flow1")["mean"].mean()
        used = beside.filter(metric="utilisation")["mean"].max()
        leaves_room = used is not None and used < 0.9
        as_bounded = leaves_room and abs(flow1_bps / bounded_bps - 1) <= 0.02
        tree[row["part"]] = {
            "pairing": pairing_name(row["ccas"]),
            "rtt_ms": f"{row['base_rtt_s'] * 1000:g}",
            "buffer_pct": f"{row['buffer_bdp'] * 100:g}",
            "nru_db": number(row["mean"], PRINTED["flow_nru_db_flow2"][1]),
            "n_runs": str(row["n"]),
            "flow1_mbps": number(flow1_bps / 1e6, 1),
            "flow2_mbps": number(flow2_bps / 1e6, 1),
            "limit_mbps": number(row["buffer_bdp"] * row["bottleneck_bps"] / 1e6, 1),
            "as_bounded": "yes" if as_bounded else "no",
        }
    return tree


def printed_variables(published: pl.DataFrame) -> dict:
    """Return {item: {statistic: printed value}}, e.g. fig3b.max, as strings."""
    tree: dict = {}
    rows = published.select("item", "metric", "statistic", "value").unique().sort(pl.all())
    for item, metric, statistic, value in rows.rows():
        tree.setdefault(item, {})[statistic] = number(value, PRINTED[metric][1])
    return tree


def dataset_variables(
    run: pl.DataFrame,
    flow: pl.DataFrame,
    flow_metric: pl.DataFrame,
    ledger: pl.DataFrame,
    stalled_s: float,
) -> dict:
    """Return what a report says of a data set: runs, repeats, grid, files, lines, stalls."""
    repeats = run.group_by("scenario_id").len()["len"]
    files = ledger.filter(pl.col("entry") == "file")
    stalled = stalled_runs(flow_metric, stalled_s)
    compared = flow_metric.filter(pl.col("flow_nru_db").is_not_null())
    second = flow.filter(pl.col("flow_id") == 2)["start_s"]
    first, last = days_made(run["made_by"])
    window_1 = flow_metric.filter(pl.col("flow_id") == 1)["n_samples"]
    return {
        "id": run["dataset_id"][0],
        "n_runs": str(len(run)),
        "n_calibration": str((run["role"] == "calibration").sum()),
        "n_comparison": str((run["role"] == "comparison").sum()),
        "n_scenarios": str(len(repeats)),
        "repeats": span_of(repeats),
        "rtts_ms": listed(run["base_rtt_s"] * 1000) or NOTHING,
        "buffers_pct": listed(run["buffer_bdp"] * 100) or NOTHING,
        "pairings": ", ".join(map(pairing_name, in_order(run["ccas"].drop_nulls().unique()))),
        "bottleneck_mbps": listed(run["bottleneck_bps"] / 1e6) or NOTHING,
        "duration_s": listed(run["duration_s"]) or NOTHING,
        "start2_min_s": number(second.min(), 2),
        "start2_max_s": number(second.max(), 2),
        "n_window_flow1": span_of(window_1),
        "tool": " ".join(filter(None, (run["tool"][0], run["tool_version"][0]))) or NOTHING,
        "made_from": first,
        "made_to": last,
        "n_files": f"{len(files):,}",
        "raw_mb": number(files["bytes"].sum() / 1e6, 1),
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


def observed_variables(run: pl.DataFrame) -> dict:
    """Return what the testbed's runs measured of themselves: RTT error, reordering, queue."""
    rows = [(row, json.loads(row["observed"])) for row in run.rows(named=True)]
    rows = [(row, seen) for row, seen in rows if "rtt_ms" in seen]
    if not rows:
        return {}
    errors = [
        abs(rtt_ms - row["base_rtt_s"] * 1000) for row, s in rows for rtt_ms in s["rtt_ms"].values()
    ]
    filled = [s["queue_max_bytes"] / row["buffer_bytes"] for row, s in rows if s["drops"]]
    versions = [json.loads(text)["versions"] for text in run["made_by"]]
    return {
        "max_rtt_error_ms": number(max(errors), 3),
        "n_reordered": str(sum(s["reordering"] for _, s in rows)),
        "n_timeouts": f"{sum(sum(s['timeouts'].values()) for _, s in rows):,}",
        "n_drops": f"{sum(s['drops'] for _, s in rows):,}",
        "n_drops_elsewhere": str(sum(s["drops_elsewhere"] for _, s in rows)),
        "queue_fill_min_pct": number(100 * min(filled), 2) if filled else NOTHING,
        "queue_fill_max_pct": number(100 * max(filled), 2) if filled else NOTHING,
        "kernel": ", ".join(sorted({v["kernel"] for v in versions})),
    }


def stalled_runs(flow_metric: pl.DataFrame, stalled_s: float) -> pl.DataFrame:
    """Return the flows that carried nothing for longer than `stalled_s` of the steady state."""
    return flow_metric.filter(pl.col("zero_s") > stalled_s).sort("run_id", "flow_id")


def stalled_table(parts: dict[str, pl.DataFrame], stalled_s: float) -> str:
    """Return the table of stalled flows, every one by the name of its run.

    Args:
        parts: flow_metric by the data set's name.
        stalled_s: seconds without a byte from which a flow counts.
    """
    rows = [
        [
            f"`{dataset}`",
            f"`{row['run_id']}`",
            str(row["flow_id"]),
            number(row["zero_s"], 0),
            number(row["mean_throughput_bps"] / 1e6, 2),
        ]
        for dataset, table in parts.items()
        for row in stalled_runs(table, stalled_s).rows(named=True)
    ]
    rows = rows or [["none", NOTHING, NOTHING, NOTHING, NOTHING]]
    header = ["Data set", "Run", "Flow", "Without a byte (s)", "Mean (Mb/s)"]
    return markdown_table(header, rows, numeric_from=2)


def printed_table(published: pl.DataFrame) -> str:
    """Return the table of printed values beside ours, a row a panel of the paper.

    Ours have the number of their cells in brackets.

    Args:
        published: result of `published.printed_and_measured`.
    """
    parts = published["part"].unique(maintain_order=True).to_list()
    names = dict(published.select("part", "dataset_id").unique().rows())
    order = [part for part in ("simulation", "testbed", "testbed_alternative") if part in parts]
    rows = []
    panels = published.unique(["item"], maintain_order=True, keep="first")
    for panel in panels.rows(named=True):
        mine = published.filter(pl.col("item") == panel["item"])
        digits = PRINTED[QUANTITIES[panel["quantity"]][0]][1]
        statistics = [s for s in STATISTICS if s in mine["statistic"].to_list()]
        first = mine.filter(pl.col("part") == mine["part"][0])
        printed = dict(first.select("statistic", "value").rows())
        cells = [" / ".join(number(printed[s], digits) for s in statistics)]
        if panel["part"] == EQUATION:
            ours = dict(first.select("statistic", "measured").rows())
            values = " / ".join(number(ours[s], digits) for s in statistics)
            rows.append([_panel_name(panel), *cells, f"{values} (@eq-jfi)"])
            rows[-1] += [NOTHING] * (len(order) - 1)
            continue
        for part in order:
            of_part = mine.filter(pl.col("part") == part)
            ours = dict(of_part.select("statistic", "measured").rows())
            if any(value is not None for value in ours.values()):
                values = " / ".join(number(ours[s], digits) for s in statistics)
                cells.append(f"{values} ({of_part['n_cells'].max()})")
            else:
                cells.append(NOTHING)
        rows.append([_panel_name(panel), *cells])
    header = ["Panel", "Printed", *(f"`{names[part]}`" for part in order)]
    return markdown_table(header, rows, numeric_from=1)


def _panel_name(panel: dict) -> str:
    if panel["part"] == EQUATION:
        return f"Fig. {panel['item'].removeprefix('fig')}, two flows, JFI"
    number_, letter = panel["item"].removeprefix("fig")[:-1], panel["item"][-1]
    unit = {"Mbit/s": "Mb/s", "dB": "dB", "1": "JFI"}[panel["unit"]]
    return f"Fig. {number_}({letter}), {pairing_name(panel['ccas'])}, {unit}"


def difference_variables(difference: pl.DataFrame) -> dict:
    """Return counts of a difference table, by pairing and for all: {pairing: {count: string}}."""
    tree = {
        word(ccas): _difference_counts(part)
        for (ccas,), part in difference.partition_by("ccas", as_dict=True).items()
    }
    return {**dict(sorted(tree.items())), "all": _difference_counts(difference)}


def _difference_counts(part: pl.DataFrame) -> dict:
    verdicts = part["verdict"].to_list()
    return {
        "n_cells": str(len(part)),
        "n_significant_printed": str(int(part["significant_printed"].sum())),
        "n_different": str(verdicts.count("different")),
        "n_both": str(verdicts.count("both")),
        "n_equivalent": str(verdicts.count("equivalent")),
        "n_inconclusive": str(verdicts.count("inconclusive")),
        "n_untestable": str(verdicts.count("no variance")),
        "n_single": str(verdicts.count("one run")),
        "n_repeated": str(part["significant_printed"].count()),
        "n_simulation_fairer": str(int((part["d"] > 0).sum())),
        "mean_abs_d": number(part["d"].abs().mean(), 2),
        "max_abs_d": number(part["d"].abs().max(), 2),
        "mean_d": number(part["d"].mean(), 2),
    }


def difference_table(differences: dict[str, pl.DataFrame]) -> str:
    """Return the count of verdicts, a row a testbed and pairing."""
    rows = []
    for name, table in differences.items():
        for ccas in in_order(table["ccas"].unique().to_list()):
            c = _difference_counts(table.filter(pl.col("ccas") == ccas))
            keys = ["n_cells", "n_significant_printed", "n_different", "n_both", "n_equivalent"]
            keys += ["n_inconclusive", "n_untestable", "n_single", "mean_abs_d", "max_abs_d"]
            rows.append([f"`{name}`", pairing_name(ccas), *(c[key] for key in keys)])
    header = ["Testbed", "Pairing", "Cells", "W ≥ 0", "Different", "Both", "Equivalent"]
    header += ["Inconclusive", "No variance", "One run", "mean \\|D\\|", "max \\|D\\|"]
    return markdown_table(header, rows, numeric_from=2)


SENSITIVITY = {  # parameter of the table `sensitivity`: its name in print
    "warmup_s": "steady state from (s)",
    "warmup_mser5": "steady state from",
    "floor_segments": "NRU floor (segments)",
    "weight_from": "NRU weight from",
}


def sensitivity_rows(
    sensitivity: pl.DataFrame, run: pl.DataFrame, weight_from: str
) -> list[list[str]]:
    """Return how far the means over all comparison cells move with each parameter.

    Rows: parameter, value, mean JFI, mean flow-NRU of flow 2 and system-NRU (dB), over cells of all
    pairings, and the number of cells in which flow 2 changes from a lower to a higher share than it
    gets against its like, or back (the sign of its flow-NRU, on-path-buffering Table 2).

    Args:
        sensitivity, run: tables of a data set.
        weight_from: the value of that parameter in config.yaml: what the others are compared with.
    """
    metrics = ["jfi", "flow_nru_db_flow2", "system_nru_db"]
    place = run.filter(pl.col("role") == "comparison").select("run_id", "scenario_id")
    cells = (
        sensitivity.join(place, on="run_id")
        .group_by("parameter", "value", "scenario_id")
        .agg(pl.col(metrics).mean())
        .sort("parameter", "value", "scenario_id", nulls_last=True)
    )
    share = pl.col("flow_nru_db_flow2").sign()
    default = cells.filter(parameter="weight_from", value=weight_from)
    table = (
        cells.join(default.select("scenario_id", share.alias("share")), on="scenario_id")
        .with_columns((share != pl.col("share")).alias("changed"))
        .group_by("parameter", "value", maintain_order=True)
        .agg(pl.col(metrics).mean(), pl.col("changed").sum(), pl.col("share").count().alias("n"))
    )
    return [
        [
            SENSITIVITY[row["parameter"]],
            row["value"] or "MSER-5",
            number(row["jfi"], 3),
            number(row["flow_nru_db_flow2"], 2),
            number(row["system_nru_db"], 2),
            f"{row['changed']} of {row['n']}" if row["n"] else NOTHING,
        ]
        for row in _in_order(table)
    ]


def _in_order(table: pl.DataFrame) -> list[dict]:
    """Return the rows of a table by parameter and value."""
    order = list(SENSITIVITY)
    return sorted(
        table.rows(named=True), key=lambda r: (order.index(r["parameter"]), _key(r["value"]))
    )


def _key(value: str | None) -> tuple:
    try:
        return (0, float(value), "")
    except (TypeError, ValueError):
        return (1, 0.0, value or "")


def sensitivity_table(parts: dict[str, tuple[pl.DataFrame, pl.DataFrame]], weight_from: str) -> str:
    """Return the sensitivity of several data sets (sensitivity, run), one below the other."""
    rows = [
        [f"`{name}`", *row]
        for name, tables in parts.items()
        for row in sensitivity_rows(*tables, weight_from)
    ]
    header = ["Data set", "Parameter", "Value", "JFI", "flow-NRU of flow 2", "system-NRU"]
    return markdown_table([*header, "Share changes"], rows, numeric_from=2)


def verdict_sensitivity_table(parts: dict[str, tuple[pl.DataFrame, pl.DataFrame]]) -> str:
    """Return how the verdicts on simulation against testbed move with the steady state's start.

    Args:
        parts: by the testbed's name, the difference table and the same for other starts, with
            parameter and value.
    """
    rows = []
    cell = ["ccas", "bottleneck_bps", "base_rtt_s", "buffer_bdp"]
    for name, (default, moved) in parts.items():
        known = default.select(*cell, was="verdict", was_printed="significant_printed")
        both = moved.join(known, on=cell).with_columns(
            (pl.col("verdict") != pl.col("was")).alias("changed"),
            (pl.col("significant_printed") != pl.col("was_printed")).alias("changed_printed"),
        )
        counts = both.group_by("parameter", "value", maintain_order=True).agg(
            pl.len().alias("n"),
            pl.col("significant_printed", "changed_printed", "changed").sum(),
            *((pl.col("verdict") == v).sum().alias(v) for v in TESTED),
        )
        columns = ["n", "significant_printed", "changed_printed", *TESTED, "changed"]
        rows += [
            [
                f"`{name}`",
                f"{row['value']} s" if row["value"] else "MSER-5",
                *(str(row[column]) for column in columns),
            ]
            for row in _in_order(counts)
        ]
    header = ["Testbed", "From", "Cells", "W ≥ 0", "W ≥ 0 changes"]
    header += [verdict.capitalize() for verdict in TESTED] + ["Verdict changes"]
    return markdown_table(header, rows, numeric_from=2)


def setting_variables(settings: dict) -> dict:
    """Return the parameters of the analysis as strings, shares in %."""
    statistics, nru, example = settings["statistics"], settings["nru"], settings["example_run"]
    return {
        "warmup_s": f"{settings['steady_state']['warmup_s']:g}",
        "floor_segments": f"{nru['floor_segments']:g}",
        "weight_from": nru["weight_from"],
        "confidence_pct": f"{100 * statistics['confidence']:g}",
        "equivalence_margin_jfi": f"{statistics['equivalence_margin_jfi']:g}",
        "fdr_pct": f"{100 * statistics['fdr']:g}",
        "stalled_s": f"{statistics['stalled_s']:g}",
        "example": {
            "pairing": pairing_name(example["ccas"]),
            "rtt_ms": f"{example['rtt_ms']:g}",
            "buffer_pct": f"{example['buffer_pct']:g}",
        },
    }


def dataset_table(variables: dict[str, dict]) -> str:
    """Return what each data set of a paper holds, a column a data set.

    Args:
        variables: result of `dataset_variables` by role in the paper.
    """
    names = {
        "tool": "Tool",
        "rtts_ms": "RTT (ms)",
        "buffers_pct": "Buffer (% of BDP)",
        "n_runs": "Runs",
        "n_calibration": "of them calibration",
        "n_comparison": "of them comparison",
        "repeats": "Repeats a scenario",
        "n_files": "Raw files",
        "raw_mb": "Raw size, compressed (MB)",
        "n_lines": "Lines",
        "n_sample_lines": "of them samples",
        "n_rejected_lines": "of them rejected",
        "n_window_samples": "Samples in the steady state",
        "n_missing_samples": "Samples missing from it",
        "n_zero_samples": "Samples without a byte in it",
        "n_stalled_runs": "Runs with a stalled flow",
        "made_from": "Made from",
        "made_to": "Made to",
    }
    rows = [
        [name, *(str(table[key]) for table in variables.values())] for key, name in names.items()
    ]
    header = ["", *(f"`{table['id']}`" for table in variables.values())]
    return markdown_table(header, rows, numeric_from=1)
