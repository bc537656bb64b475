"""Tables of the report, in markdown."""

from __future__ import annotations

import polars as pl
from evenflow.charts.theme import BACKGROUND_KINDS
from evenflow.claims.scorecard import case_numbers, scorecard
from evenflow.evidence.cells import made_of
from evenflow.markdown import NOTHING, markdown_table, number, span_of
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.setups import deviation_table, source_list

from .design import BACKGROUNDS, LINUX, OWN, source_rate
from .metrics import geometric_mean
from .theory import HSTCP_EXPONENT, fairness_by_theory
from .words import (
    MARK,
    PRINTED,
    background_name,
    describe_data,
    digits_of,
    facts,
    scenario_name,
    value,
)

FR = "fairness_ratio_12"
IMPLEMENTATIONS = {OWN: "ns-2's Scalable", LINUX: "Linux's Scalable"}

# measure of burstiness -> name in print
NAMES = {
    "bpdd": "log BPDD",
    "bpdd_foreground": "BPDD, foreground",
    "bpdd_background": "BPDD, background",
    "p": "P",
    "p_foreground": "P, events with a foreground loss",
    "time_above_s": "time above 97.5 % (bins)",
    "cov": "CoV of all arrivals",
    "cov_background": "CoV of the background",
    "fairness_ratio_12": "FR",
    "beta_measured": "β",
}
# of published.csv, in print
QUANTITY_NAMES = {
    "flows_losing_per_drop_event": "Flows that lose per event",
    "fairness_ratio": "FR",
    "rtt_ratio": "RTT ratio",
    "time_queue_above_97.5pct_per_event": "Time above 97.5 % per event",
    "losses_in_one_event": "Losses in one event (here: the mean, BPDD)",
    "bpdd": "BPDD",
}
CASE_NAMES = {
    "bursty-10-sources": "10 sources",
    "smooth-1000-sources": "1000 sources",
    "flow1-flow2": "flows 1 and 2",
    "exponential-5Mbps-sources": "exponential, 5 Mb/s",
    "exponential-25kbps-sources": "exponential, 25 kb/s",
    "hstcp-droptail-bursty": "HighSpeed, 5 Mb/s",
    "stcp-droptail-bursty": "Scalable, 5 Mb/s",
    "hstcp-droptail-smooth": "HighSpeed, 25 kb/s",
    "stcp-droptail-smooth": "Scalable, 25 kb/s",
}


@paper.table
def data(
    run: pl.DataFrame,
    placed_run: pl.DataFrame,
    scenario: pl.DataFrame,
    ledger: pl.DataFrame,
    thresholds: dict,
) -> str:
    """Return what the data set holds."""
    about = describe_data(run, placed_run, scenario, ledger, thresholds)
    names = {
        "tool": "Simulator",
        "n_runs": "Runs",
        "n_scenarios": "Scenarios",
        "repeats": "Runs per scenario",
        "n_few": f"Scenarios with fewer than {about['few_events']} drop events",
        "variants": "Variants",
        "queues": "Queues",
        "backgrounds": "Backgrounds",
        "duration_s": "Length of a run (s)",
        "window_s": "of which steady state (s)",
        "n_events": "Drop events",
        "n_losses": "Losses in them",
        "n_files": "Raw files",
        "raw_mb": "Raw size, compressed (MB)",
        "n_lines": "Lines",
        "n_rejected_lines": "of which rejected",
        "made_when": "Made",
    }
    rows = [[name, about[key]] for key, name in names.items()]
    return markdown_table(["", f"`{about['id']}`"], rows, numeric_from=2)


@paper.table
def sources(about: dict, parts: dict) -> str:
    """Return where the data are from."""
    return source_list({parts["simulation"]: about})


@paper.table
def deviations(
    run: pl.DataFrame,
    flow: pl.DataFrame,
    placed_run: pl.DataFrame,
    about: dict,
    authors: list[dict],
    parts: dict,
) -> str:
    """Return what the authors did and what this run did."""
    return deviation_table(authors, {parts["simulation"]: facts(run, flow, placed_run, about)})


@paper.table
def scenarios(scenario: pl.DataFrame) -> str:
    """Return the table of all scenarios: runs, events and every metric's mean over the runs."""
    metrics = ["bpdd", "bpdd_foreground", "p", "time_full_s", "cov", "cov_background"]
    metrics += ["fairness_ratio_12", "rtt_ratio_12", "beta_measured"]
    rows = [
        [
            scenario_name(row),
            *made_of(
                row,
                str(row["n_runs"]),
                f"{row['n_events']:,}{MARK if row['few_events'] else ''}",
                *(value(row, metric, interval=False) for metric in metrics),
            ),
        ]
        for row in scenario.rows(named=True)
    ]
    header = ["Scenario", "n", "Events", *(PRINTED[metric][0] for metric in metrics)]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def intervals(scenario: pl.DataFrame) -> str:
    """Return the table of scenarios with several runs: the metrics with their intervals."""
    metrics = ["bpdd", "flows_losing", "fairness_ratio_12", "beta_measured"]
    rows = [
        [
            scenario_name(row) + (MARK if row["few_events"] else ""),
            *made_of(row, str(row["n_runs"]), *(value(row, metric) for metric in metrics)),
        ]
        for row in scenario.filter(pl.col("n_runs") > 1).rows(named=True)
    ]
    header = ["Scenario", "n", *(PRINTED[metric][0] for metric in metrics)]
    rows = rows or [["no scenario has repeats", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def seeds(scenario: pl.DataFrame) -> str:
    """Return the table of seeds: a row a scenario, the seeds of its repeats in order."""
    rows = [
        [
            scenario_name(row),
            *made_of(row, ", ".join(str(seed) for seed in row["seeds"] if seed is not None)),
        ]
        for row in scenario.rows(named=True)
    ]
    return markdown_table(["Scenario", "Seeds of its runs"], rows, numeric_from=2)


@paper.table
def theory(scenario: pl.DataFrame) -> str:
    """Return FR next to what theory gives for the measured RTT ratio, a row a scenario."""
    rows = []
    for row in scenario.drop_nulls(["rtt_ratio_12", "fairness_ratio_12"]).rows(named=True):
        of = fairness_by_theory(row["rtt_ratio_12"])
        hstcp = of["synchronised HSTCP"] if row["variant"] == "highspeed" else None
        rows.append(
            [
                scenario_name(row) + (MARK if row["few_events"] else ""),
                *made_of(
                    row,
                    str(row["n_runs"]),
                    value(row, "fairness_ratio_12"),
                    number(of["independent"], 2),
                    number(of["synchronised"], 2),
                    number(hstcp, 2),
                    value(row, "beta_measured"),
                    value(row, "beta_base"),
                ),
            ]
        )
    header = ["Scenario", "n", "FR", "RTT ratio", "RTT ratio squared"]
    header.append(f"RTT ratio to the power {HSTCP_EXPONENT:g}")
    header += ["β", "β, base RTT"]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def correlations(burst_correlation: pl.DataFrame) -> str:
    """Return the table of correlations with FR: SACK under DropTail, all kinds and each."""
    of_sack = pl.col("ccas").str.split("-").list.unique(maintain_order=True).list.join("") == "sack"
    found = burst_correlation.filter(of_sack, aqm="droptail", y="fairness_ratio_12")
    rows = []
    for kind in ["all", *BACKGROUNDS]:
        for x in NAMES:
            of_x = found.filter(background=kind, x=x)
            if of_x.is_empty() or of_x["n"].max() < 3:
                continue
            by_method = {row["method"]: row for row in of_x.rows(named=True)}
            name = BACKGROUND_KINDS[kind][0] if kind in BACKGROUND_KINDS else kind
            cells = [_interval(by_method.get(method)) for method in ("pearson", "spearman")]
            rows.append([name, NAMES[x], *made_of(of_x, str(of_x["n"].max())), *cells])
    header = ["Background", "Log FR against", "Scenarios", "Pearson's r", "Spearman's ρ"]
    rows = rows or [["fewer than three scenarios", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=2)


def _interval(row: dict | None) -> str:
    if row is None or row["r"] is None:
        return NOTHING
    text = number(row["r"], 2)
    if row["ci_low"] is not None:
        text += f" ({number(row['ci_low'], 2)} to {number(row['ci_high'], 2)})"
    return made_of(row, text)[0]


@paper.table
def gaps(gap_mean: pl.DataFrame) -> str:
    """Return how the events of each SACK scenario under DropTail move with the gap."""
    widths = gap_mean["gap_s"].unique().sort().to_list()
    rows = []
    for scenario_id in gap_mean["scenario_id"].unique(maintain_order=True):
        of_scenario = gap_mean.filter(scenario_id=scenario_id)
        cells = {
            row["gap_s"]: made_of(row, f"{number(row['bpdd'], 0)} / {number(100 * row['p'], 0)}")[0]
            for row in of_scenario.drop_nulls("bpdd").rows(named=True)
        }
        first = of_scenario.row(0, named=True)
        rows.append([background_name(first), *(cells.get(gap, NOTHING) for gap in widths)])
    default = set(gap_mean.filter("is_default")["gap_s"])
    names = [f"{1000 * gap:g} ms{' (default)' if gap in default else ''}" for gap in widths]
    return markdown_table(["Background", *names], rows, numeric_from=1)


@paper.table
def published(printed: pl.DataFrame) -> str:
    """Return the printed values next to ours."""
    rows = []
    for row in printed.rows(named=True):
        _, _, digits = PRINTED[row["metric"]]
        original = ("< " if row["statistic"] == "upper bound" else "") + row["printed"]
        digits = digits_of(row["measured"], digits)
        ours = number(row["measured"], digits)
        if row["low"] is not None:
            ours += f" ({number(row['low'], digits)} to {number(row['high'], digits)})"
        ours += MARK if row["few_events"] and row["measured"] is not None else ""
        count = f"{row['n_runs']}" if row["n_scenarios"] < 2 else f"{row['n_scenarios']} scenarios"
        name = f"{QUANTITY_NAMES[row['quantity']]}: {CASE_NAMES[row['case']]}"
        unit = "" if row["unit"] == "1" else row["unit"].removesuffix(" per drop event")
        cells = made_of(row, original, ours, count if ours != NOTHING else "0")
        rows.append([row["where"], name, unit, *cells])
    header = ["Place", "Quantity and case", "Unit", "Printed", "Here", "n"]
    return markdown_table(header, rows, numeric_from=3)


@paper.table
def claims(claim: pl.DataFrame, parts: dict) -> str:
    """Return the scorecard: a row a sentence of the original."""
    return scorecard(claim, {parts["simulation"]: "Here"})


@paper.table
def evidence(claim: pl.DataFrame, parts: dict) -> str:
    """Return the numbers behind the scorecard, a row a case."""
    return case_numbers(claim, {parts["simulation"]: "Here"})


@paper.table
def findings(claim: pl.DataFrame, parts: dict) -> str:
    """Return findings of our own, a row a case."""
    return case_numbers(claim, {parts["simulation"]: "Here"}, own=True)


@paper.table
def completeness(completeness: pl.DataFrame, paper_name: str) -> str:
    """Return what of the original is here, and why not."""
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table
def cutoffs(cutoff_mean: pl.DataFrame) -> str:
    """Return FR by the start of the steady state, a row a scenario of several runs."""
    starts = cutoff_mean["cutoff_s"].unique().sort().to_list()
    rows = []
    for scenario_id in cutoff_mean["scenario_id"].unique(maintain_order=True):
        of_scenario = cutoff_mean.filter(scenario_id=scenario_id)
        by_start = {row["cutoff_s"]: row for row in of_scenario.rows(named=True)}
        first = next(iter(by_start.values()))
        cells = [
            made_of(by_start[start], value(by_start[start], FR))[0]
            if start in by_start
            else NOTHING
            for start in starts
        ]
        mser5 = span_of(pl.Series([first["mser5_least_s"], first["mser5_most_s"]]))
        n, mser5 = made_of(first, str(first["n"]), mser5)
        rows.append([scenario_name(first), n, *cells, mser5])
    header = ["Scenario", "n", *(f"From {start:g} s" for start in starts), "MSER-5 (s)"]
    rows = rows or [["no scenario has repeats", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def averages(average: pl.DataFrame, confidence: float) -> str:
    """Return FR of Scalable by run and by the window that it is averaged over."""
    windows = average.select("from_s", "to_s").unique().sort("from_s", "to_s").rows()
    rows = []
    for (implementation, kbps), table in average.group_by(
        "implementation", "source_kbps", maintain_order=True
    ):
        name = f"{IMPLEMENTATIONS[implementation]}, {source_rate(kbps)}"
        for (repeat, lead_s), run in table.group_by("repeat", "lead_s", maintain_order=True):
            cells = [_ratio(run, window) for window in windows]
            rows.append([name, str(repeat), *made_of(run, number(lead_s, 2)), *cells])
        means = [
            geometric_mean(_in_window(table, window)[FR], FR, confidence) for window in windows
        ]
        # an interval of what has not settled says nothing of a mean
        cells = [
            made_of(_in_window(table, window), value(mean, FR, interval=window[0] > 0))[0]
            for mean, window in zip(means, windows, strict=True)
        ]
        rows.append([name, "mean", NOTHING, *cells])
    header = ["Senders and sources", "Run", "Flow 1 starts earlier by (s)"]
    header += [f"{begin:g} to {end:g} s" for begin, end in windows]
    rows = rows or [["no run of Scalable", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=1)


def _in_window(table: pl.DataFrame, window: tuple[float, float]) -> pl.DataFrame:
    return table.filter(from_s=window[0], to_s=window[1]).drop_nulls(FR)


def _ratio(run: pl.DataFrame, window: tuple[float, float]) -> str:
    found = _in_window(run, window)
    return made_of(found, value({FR: found[FR][0]}, FR))[0] if len(found) else NOTHING
