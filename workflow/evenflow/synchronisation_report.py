"""Numbers and tables of the report on `synchronisation`: formatted strings and markdown.

A scenario with fewer than FEW_EVENTS drop events is marked with a dagger wherever it is printed.
"""

from __future__ import annotations

import polars as pl

from .charts.theme import AQM_NAMES, BACKGROUND_KINDS
from .congestion_controls import variant_name
from .markdown import NOTHING, markdown_table, number, span_of
from .provenance.made import made_when
from .synchronisation import (
    AQMS,
    BACKGROUNDS,
    BURSTY_50,
    FEW_EVENTS,
    HSTCP_EXPONENT,
    SACK_DROPTAIL,
    SMOOTH_50,
    VARIANTS,
    select,
    theory,
)
from .synchronisation_claims import (
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    STRONG_R,
    Tables,
    judge,
)

MARK = "†"  # fewer than FEW_EVENTS drop events
# metric of `burst_cell` -> name in print, factor to the printed unit, digits
PRINTED = {
    "bpdd": ("BPDD (packets)", 1, 0),
    "bpdd_foreground": ("of them foreground", 1, 0),
    "p": ("P (%)", 100, 0),
    "flows_losing": ("flows losing", 1, 1),
    "time_full_s": ("time above (s)", 1, 2),
    "cov": ("CoV", 1, 2),
    "cov_background": ("CoV of the background", 1, 2),
    "fairness_ratio_12": ("FR", 1, 2),
    "rtt_ratio_12": ("RTT ratio", 1, 2),
    "beta_measured": ("β", 1, 2),
    "beta_base": ("β, base RTT", 1, 2),
}
NAMES = {
    "bpdd": "BPDD",
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
    "flows_losing_per_drop_event": "Flows losing in an event",
    "fairness_ratio": "FR",
    "rtt_ratio": "RTT ratio",
    "time_queue_above_97.5pct_per_event": "Time above 97.5 % an event",
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


def scenario_name(row: dict) -> str:
    """Return a scenario in words: 'SACK, DropTail, Pareto 40 × 5 Mb/s'."""
    return f"{variant_name(row['variant'])}, {queue_name(row['aqm'])}, {background_name(row)}"


def background_name(row: dict) -> str:
    """Return a scenario's background in words: 'Pareto 40 × 5 Mb/s', 'FTP1', 'none'."""
    kind = BACKGROUND_KINDS.get(row["background"], (row["background"],))[0]
    label = row["label"]
    return label if label.lower().startswith(row["background"]) else f"{kind} {label}"


def queue_name(aqm: str) -> str:
    """Return a queue discipline's name in print."""
    return AQM_NAMES.get(aqm, aqm)


def value(row: dict, metric: str, interval: bool = True) -> str:
    """Return a scenario's value with its interval: '3.81 (3.60 to 4.02)'; a dash where none."""
    _, factor, digits = PRINTED[metric]
    mean, low, high = (row.get(f"{metric}{end}") for end in ("", "_low", "_high"))
    if mean is None:
        return NOTHING
    text = number(mean * factor, digits)
    if interval and low is not None:
        text += f" ({number(low * factor, digits)} to {number(high * factor, digits)})"
    return text


def scenario_rows(scenarios: pl.DataFrame) -> str:
    """Return the table of all scenarios: runs, events and every metric's mean over the runs."""
    metrics = ["bpdd", "bpdd_foreground", "p", "time_full_s", "cov", "cov_background"]
    metrics += ["fairness_ratio_12", "rtt_ratio_12", "beta_measured"]
    rows = [
        [
            scenario_name(row),
            str(row["n_runs"]),
            f"{row['n_events']:,}{MARK if row['few_events'] else ''}",
            *(value(row, metric, interval=False) for metric in metrics),
        ]
        for row in scenarios.rows(named=True)
    ]
    header = ["Scenario", "n", "Events", *(PRINTED[metric][0] for metric in metrics)]
    return markdown_table(header, rows, numeric_from=1)


def interval_rows(scenarios: pl.DataFrame) -> str:
    """Return the table of scenarios with several runs: the metrics with their intervals."""
    metrics = ["bpdd", "flows_losing", "fairness_ratio_12", "beta_measured"]
    rows = [
        [
            scenario_name(row) + (MARK if row["few_events"] else ""),
            str(row["n_runs"]),
            *(value(row, metric) for metric in metrics),
        ]
        for row in scenarios.filter(pl.col("n_runs") > 1).rows(named=True)
    ]
    header = ["Scenario", "n", *(PRINTED[metric][0] for metric in metrics)]
    rows = rows or [["no scenario has repeats", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=1)


def seed_rows(scenarios: pl.DataFrame) -> str:
    """Return the table of seeds: a row a scenario, the seeds of its repeats in order."""
    rows = [
        [scenario_name(row), ", ".join(str(seed) for seed in row["seeds"] if seed is not None)]
        for row in scenarios.rows(named=True)
    ]
    return markdown_table(["Scenario", "Seeds of its runs"], rows, numeric_from=2)


def correlation_rows(correlations: pl.DataFrame) -> str:
    """Return the table of correlations with FR: SACK under DropTail, all kinds and each."""
    of_sack = pl.col("ccas").str.split("-").list.unique().list.join("") == "sack"
    found = correlations.filter(of_sack, aqm="droptail", y="fairness_ratio_12")
    rows = []
    for kind in ["all", *BACKGROUNDS]:
        for x in NAMES:
            of_x = found.filter(background=kind, x=x)
            if of_x.is_empty() or of_x["n"].max() < 3:
                continue
            by_method = {row["method"]: row for row in of_x.rows(named=True)}
            name = BACKGROUND_KINDS[kind][0] if kind in BACKGROUND_KINDS else kind
            cells = [_interval(by_method.get(method)) for method in ("pearson", "spearman")]
            rows.append([name, NAMES[x], str(of_x["n"].max()), *cells])
    header = ["Background", "FR against", "Scenarios", "Pearson's r", "Spearman's ρ"]
    rows = rows or [["fewer than three scenarios", *[NOTHING] * (len(header) - 1)]]
    return markdown_table(header, rows, numeric_from=2)


def _interval(row: dict | None) -> str:
    if row is None or row["r"] is None:
        return NOTHING
    text = number(row["r"], 2)
    if row["ci_low"] is not None:
        text += f" ({number(row['ci_low'], 2)} to {number(row['ci_high'], 2)})"
    return text


def gap_rows(sensitivity: pl.DataFrame, runs: pl.DataFrame) -> str:
    """Return how the events of each SACK scenario under DropTail move with the gap.

    Args:
        sensitivity: the table `burst_sensitivity`.
        runs: result of `run_table`.
    """
    means = gap_means(sensitivity, runs)
    gaps = means["gap_s"].unique().sort().to_list()
    rows = []
    for scenario_id in means["scenario_id"].unique(maintain_order=True):
        of_scenario = means.filter(scenario_id=scenario_id)
        cells = {
            row["gap_s"]: f"{number(row['bpdd'], 0)} / {number(100 * row['p'], 0)}"
            for row in of_scenario.drop_nulls("bpdd").rows(named=True)
        }
        first = of_scenario.row(0, named=True)
        rows.append([background_name(first), *(cells.get(gap, NOTHING) for gap in gaps)])
    default = set(means.filter("is_default")["gap_s"])
    names = [f"{1000 * gap:g} ms{' (default)' if gap in default else ''}" for gap in gaps]
    return markdown_table(["Background", *names], rows, numeric_from=1)


def gap_means(sensitivity: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return bpdd and p of each SACK scenario under DropTail by gap, means over its runs."""
    columns = ["scenario_id", "background", "label"]
    return (
        select(runs, **SACK_DROPTAIL)
        .select("run_id", *columns)
        .with_row_index("order")
        .join(sensitivity, on="run_id")
        .group_by(*columns, "gap_s", "is_default")
        .agg(pl.col("bpdd", "p", "n_events").mean(), pl.col("order").min())
        .sort("order", "gap_s")
        .drop("order")
    )


def printed_rows(compared: pl.DataFrame) -> str:
    """Return the table of printed values beside ours.

    Args:
        compared: result of `synchronisation.printed_and_measured`.
    """
    rows = []
    for row in compared.rows(named=True):
        _, _, digits = PRINTED[row["metric"]]
        printed = ("< " if row["statistic"] == "upper bound" else "") + row["printed"]
        ours = number(row["measured"], digits)
        if row["low"] is not None:
            ours += f" ({number(row['low'], digits)} to {number(row['high'], digits)})"
        ours += MARK if row["few_events"] and row["measured"] is not None else ""
        count = f"{row['n_runs']}" if row["n_scenarios"] < 2 else f"{row['n_scenarios']} scenarios"
        name = f"{QUANTITY_NAMES[row['quantity']]}: {CASE_NAMES[row['case']]}"
        unit = "" if row["unit"] == "1" else row["unit"].removesuffix(" per drop event")
        rows.append([row["where"], name, unit, printed, ours, count if ours != NOTHING else "0"])
    header = ["Place", "Quantity and case", "Unit", "Printed", "Here", "n"]
    return markdown_table(header, rows, numeric_from=3)


def theory_rows(scenarios: pl.DataFrame) -> str:
    """Return FR beside what theory gives for the measured RTT ratio, a row a scenario."""
    rows = []
    for row in scenarios.drop_nulls(["rtt_ratio_12", "fairness_ratio_12"]).rows(named=True):
        of = theory(row["rtt_ratio_12"])
        hstcp = of["synchronised HSTCP"] if row["variant"] == "highspeed" else None
        rows.append(
            [
                scenario_name(row) + (MARK if row["few_events"] else ""),
                str(row["n_runs"]),
                value(row, "fairness_ratio_12"),
                number(of["independent"], 2),
                number(of["synchronised"], 2),
                number(hstcp, 2),
                value(row, "beta_measured"),
                value(row, "beta_base"),
            ]
        )
    header = ["Scenario", "n", "FR", "RTT ratio", "its square", f"its power {HSTCP_EXPONENT:g}"]
    header += ["β", "β, base RTT"]
    return markdown_table(header, rows, numeric_from=1)


def data_rows(about: dict) -> str:
    """Return what the data set holds (result of `data_variables`)."""
    names = {
        "tool": "Simulator",
        "n_runs": "Runs",
        "n_scenarios": "Scenarios",
        "repeats": "Runs a scenario",
        "n_few": f"Scenarios of fewer than {FEW_EVENTS} drop events",
        "variants": "Variants",
        "queues": "Queues",
        "backgrounds": "Backgrounds",
        "duration_s": "Length of a run (s)",
        "window_s": "of it steady state (s)",
        "n_events": "Drop events",
        "n_losses": "Losses in them",
        "n_files": "Raw files",
        "raw_mb": "Raw size, compressed (MB)",
        "n_lines": "Lines",
        "n_rejected_lines": "of them rejected",
        "made_when": "Made",
    }
    rows = [[name, about[key]] for key, name in names.items()]
    return markdown_table(["", f"`{about['id']}`"], rows, numeric_from=2)


def data_variables(
    run: pl.DataFrame, by_run: pl.DataFrame, scenarios: pl.DataFrame, ledger: pl.DataFrame
) -> dict:
    """Return what the report says of the data set as a whole."""
    placed = run.join(by_run.select("run_id"), on="run_id", how="semi")
    files = ledger.filter(pl.col("entry") == "file")
    kinds = [kind for kind in BACKGROUNDS if kind in scenarios["background"].to_list()]
    return {
        "id": run["dataset_id"][0],
        "tool": " ".join(filter(None, (placed["tool"][0], placed["tool_version"][0]))),
        "n_runs": str(len(placed)),
        "n_other_runs": str(len(run) - len(placed)),
        "n_scenarios": str(len(scenarios)),
        "repeats": span_of(scenarios["n_runs"]),
        "n_repeated": str((scenarios["n_runs"] > 1).sum()),
        "n_few": str(scenarios["few_events"].sum()),
        "few_events": str(FEW_EVENTS),
        "variants": _listed(scenarios["variant"], VARIANTS, variant_name),
        "queues": _listed(scenarios["aqm"], AQMS, queue_name),
        "backgrounds": ", ".join(BACKGROUND_KINDS[kind][0] for kind in kinds),
        "bottleneck_mbps": span_of(placed["bottleneck_bps"] / 1e6),
        "buffer_packets": span_of(by_run["queue_limit_packets"]),
        "duration_s": span_of(placed["duration_s"]),
        "window_s": span_of(by_run["window_s"]),
        "gap_ms": span_of(by_run["gap_s"] * 1000),
        "n_events": f"{by_run['n_events'].sum():,}",
        "n_losses": f"{by_run['losses'].sum():,}",
        "n_files": f"{len(files):,}",
        "raw_mb": number(files["bytes"].sum() / 1e6, 1),
        "n_lines": f"{files['lines'].sum():,}",
        "n_rejected_lines": f"{files['lines_rejected'].sum():,}",
        "made_when": made_when(placed["made_by"]),
    }


def _listed(values: pl.Series, order: list[str], name) -> str:
    found = values.unique().to_list()
    known = [each for each in order if each in found]
    return ", ".join(map(name, [*known, *sorted(set(found) - set(known))]))


def case_variables(scenarios: pl.DataFrame) -> dict:
    """Return {bursty, smooth: {metric: text, scenario, n, n_events}} of Figure 1's scenarios."""
    tree = {}
    for name, wanted in (("bursty", BURSTY_50), ("smooth", SMOOTH_50)):
        found = select(scenarios, **wanted)
        row = found.row(0, named=True) if len(found) else {}
        tree[name] = {metric: value(row, metric) for metric in PRINTED}
        tree[name] |= {
            "scenario": row.get("scenario_id", NOTHING),
            "n": str(row.get("n_runs", 0)),
            "n_events": f"{row.get('n_events', 0):,}{MARK if row.get('few_events') else ''}",
        }
    return tree


def ratio_variables(scenarios: pl.DataFrame) -> dict:
    """Return the RTT ratios of flows 1 and 2: with the queue (span over scenarios), without."""
    ratio = scenarios["rtt_ratio_12"].drop_nulls()
    mean = ratio.mean() if len(ratio) else None
    return {
        "measured": span_of(ratio, 2),
        "measured_mean": number(mean, 2),
        "square": number(None if mean is None else mean**2, 2),
        "hstcp": number(None if mean is None else mean**HSTCP_EXPONENT, 2),
        "base": span_of(scenarios["base_rtt_ratio_12"], 2),
        "exponent_hstcp": f"{HSTCP_EXPONENT:g}",
    }


def claim_variables(tables: Tables) -> dict:
    """Return each claim's verdict and evidence by its key, and the counts of verdicts."""
    judged = judge(tables)
    verdicts = [verdict for _, verdict, _ in judged]
    return {
        "n": str(len(judged)),
        "n_reproduced": str(verdicts.count(REPRODUCED)),
        "n_not_reproduced": str(verdicts.count(NOT_REPRODUCED)),
        "n_not_testable": str(verdicts.count(NOT_TESTABLE)),
        "strong_r": f"{STRONG_R:g}",
        "verdict": {claim.key: verdict for claim, verdict, _ in judged},
        "evidence": {claim.key: text for claim, _, text in judged},
    }


def facts(
    run: pl.DataFrame, flow: pl.DataFrame, by_run: pl.DataFrame, about: dict
) -> dict[str, str]:
    """Return what can be said of the data set in the words of the table of deviations.

    Args:
        run, flow: its tables.
        by_run: result of `run_table`.
        about: its dataset.yml; may be empty.

    Returns:
        {fact: text}; the facts are those that a row of authors.yml may name under `ours`.
    """
    placed = run.join(by_run.select("run_id"), on="run_id", how="semi")
    flows = flow.join(by_run.select("run_id"), on="run_id", how="semi")
    tools = placed.select("tool", "tool_version").unique().sort("tool", "tool_version").rows()
    rtts = flows.group_by("flow_id").agg(pl.col("base_rtt_s").first()).sort("flow_id")
    udp = by_run.filter(pl.col("sources").is_not_null())
    packets = flows["mss_bytes"].drop_nulls()
    return {
        "platform": "; ".join(" ".join(filter(None, tool)) for tool in tools) or NOTHING,
        "bottleneck": f"{span_of(placed['bottleneck_bps'] / 1e6)} Mb/s",
        "buffer": f"{span_of(by_run['queue_limit_packets'])} packets",
        "packet": f"{span_of(packets)} bytes of payload",
        "rtts": ", ".join(number(1000 * rtt, 0) for rtt in rtts["base_rtt_s"].drop_nulls())
        + " ms, round trip without queue",
        "variants": _listed(by_run["variant"], VARIANTS, variant_name),
        "queues": _listed(by_run["aqm"], AQMS, queue_name),
        "udp": f"{span_of(udp['source_kbps'])} kb/s a source, {span_of(udp['aggregate_mbps'])} Mb/s"
        if len(udp)
        else "none",
        "ftp": _loads(by_run, "ftp"),
        "http": _loads(by_run, "http"),
        "duration": f"{span_of(placed['duration_s'])} s",
        "window": f"{span_of(by_run['window_s'])} s",
        "gap": f"{span_of(by_run['gap_s'] * 1000)} ms",
        "events": f"{span_of(by_run['n_events'])} a run",
        "repeats": span_of(by_run.group_by("scenario_id").len()["len"]),
        "bins": f"{span_of(by_run['bin_s'] * 1000)} ms, in {by_run['bin_s'].count()} of "
        f"{len(by_run)} runs",
        "licence": str(about.get("licence", "not said")),
    }


def _loads(by_run: pl.DataFrame, kind: str) -> str:
    found = select(by_run, background=kind)["label"].unique(maintain_order=True).to_list()
    return ", ".join(found) or "none"
