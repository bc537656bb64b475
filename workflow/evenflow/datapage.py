"""The page of a data set, as markdown: what it is, what was found, and every table to take away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import yaml

from .checks import SEVERITIES
from .dataset_charts import (
    MAX_LEVELS,
    MAX_POINTS,
    METRICS,
    example_runs,
    n_not_drawn,
    placed_scenarios,
)
from .describe import read_description
from .factors import MIX, ROLE
from .render.pages import as_sentence, escape_markdown, escape_prose
from .reporting import NOTHING, ledger_table, markdown_table, number
from .theme import in_order, variant_name
from .windows import SHORT

MAX_EXAMPLES = 8  # findings of a check on the page; the table has them all
MAX_SCENARIOS = 700  # rows on the page
MAX_RUN_ROWS = 600
MANY_ROWS = 40  # tables with more rows are folded
MAX_FLOWS = 3  # flows with a column of their own
NO_BREAK = "\u00a0"
PREFIX = "mean_throughput_bps_flow"


def dataset_page(
    about: Mapping,
    tables: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Path],
    files: Mapping[str, Mapping[str, Path]],
    settings: Mapping,
) -> str:
    """Return the page of a data set.

    Args:
        about: dataset.yml, or nothing.
        tables: run, flow, window, flow_metric, run_metric, cell, weight, ledger, finding,
            assumption.
        figures: by name, 'runs', 'flow_means' and the metrics; empty files are not shown.
        files: the tables to download: {table: {'parquet': path, 'csv': path}}, beside the page.
        settings: of config.yaml: warmup_s, seconds, and confidence.
    """
    run = tables["run"]
    shown = {name: path for name, path in figures.items() if path.stat().st_size}
    parts = [
        introduction(about),
        facts(about, tables),
        verdict(tables["finding"], run),
        "# What is assumed, and what is missing {#sec-assumed}",
        assumptions(
            pl.concat(
                [
                    *([tables["assumption"]] if "assumption" in tables else []),
                    window_assumptions(tables["window"], tables["flow"], settings["warmup_s"]),
                ]
            )
        ),
        missing(about, tables),
        "# Findings {#sec-findings}",
        findings(tables["finding"]),
    ]
    if len(run):
        parts += [
            "# Fairness {#sec-fairness}",
            window_text(tables["window"]),
            fairness(tables, shown, settings),
            "# Throughput of the flows {#sec-throughput}",
            throughput(tables, shown, settings),
            "# Over time {#sec-time}",
            over_time(tables, shown),
            "# Scenarios {#sec-scenarios}",
            scenarios(tables, settings),
            "# Runs {#sec-runs}",
            runs(tables),
        ]
    parts += [
        "# Ledger {#sec-ledger}",
        ledger(tables["ledger"]),
        "# Tables to download {#sec-tables}",
        downloads(files),
        "# How the numbers are made {#sec-terms}",
        TERMS,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


TERMS = """
Steady state
:   The samples of a run that its metrics are computed from, the same time for all of its flows.
    Intervals of another length than most are left out.

Mean throughput
:   Bytes of the steady state over its seconds: payload, not packets with headers.

Jain's index
:   (Σ x)² / (N Σ x²) of the mean throughput x of the N flows of a run: 1 when all get the same, 1/N
    when one gets all. Undefined for a run in which no flow carried anything.

Flow 1 / flow 2
:   Ratio of their mean throughput, in runs of two flows. Drawn on a logarithmic scale.

Utilisation
:   Sum of the flows' mean throughput over the bandwidth of the bottleneck. Headers take some of it.

NRU
:   Normalised resource usage, 10 log₁₀ of a flow's throughput over what its congestion control gets
    against its like (runs of role calibration) in the same place: 0 dB is as much. The system-NRU
    is the mean over a run's flows.

Interval
:   Student's t interval of the mean over the repeats of a scenario. The run is the unit, not the
    second. None for one repeat, or for repeats that are all the same.
"""


# ---- what it is ---------------------------------------------------------------------------------


def code(text: object) -> str:
    """Return text as code that may stand in a table; as plain text where code cannot hold it."""
    text = str(text)
    if not text:  # the name of the only run of a folder without subfolders
        return "*the only run*"
    return escape_markdown(text) if "|" in text or "`" in text else f"`{text}`"


def introduction(about: Mapping) -> str:
    """Return who measured what."""
    source = about.get("source")
    text = str(source) if source else "Who measured this is not said"
    return escape_prose(as_sentence(text))


def facts(about: Mapping, tables: Mapping[str, pl.DataFrame]) -> str:
    """Return the table of what the data set holds."""
    run, flow, ledger_ = tables["run"], tables["flow"], tables["ledger"]
    assumed = assumed_keys(tables)
    files = ledger_.filter(entry="file")
    repeats = run.group_by("scenario_id").len()["len"]
    unknown = "*not said*"
    made = [json.loads(text or "{}") for text in run["made_by"]]
    tools = [" ".join(filter(None, pair)) for pair in run.select("tool", "tool_version").rows()]
    versions = sorted({f"{k} {v}" for m in made for k, v in m.get("versions", {}).items()})
    rows = {
        "Platform": about.get("platform")
        or _words(run["platform"])
        or (f"{assumed['platform']} (assumed)" if "platform" in assumed else unknown),
        "Licence": about.get("licence") or unknown,
        "Tool": _words(pl.Series(tools, dtype=pl.String)) or _formats(tables) or unknown,
        "Made": _dates(made, tables) or unknown,
        "Runs": f"{len(run):,}",
        "Scenarios": f"{len(repeats):,}, with {_span(repeats)} "
        f"{'run' if repeats.max() == 1 else 'runs'} each",
        "Roles": _counts(run["role"]),
        "Flows a run": _span(run["n_flows"]),
        "Protocol": ", ".join(protocols(tables)).upper(),
        "Congestion control": ", ".join(
            map(variant_name, in_order(list(set(flow["cca"].drop_nulls()))))
        )
        or unknown,
        "Bottleneck (Mb/s)": _numbers(run["bottleneck_bps"], 1e6) or unknown,
        "RTT (ms)": _numbers(flow["base_rtt_s"], 1e-3) or unknown,
        "Buffer": _buffers(run) or unknown,
        "Length of a run (s)": _numbers(run["duration_s"], 1) or unknown,
        "Raw files": f"{len(files):,}, {number(files['bytes'].sum() / 1e6, 1)} MB on disk, "
        f"{files['lines'].sum():,} lines",
        "Samples": f"{files['lines_sample'].sum():,} lines, "
        f"{tables['flow_metric']['n_samples'].sum():,} samples in the steady state",
    }
    table = markdown_table(
        ["", ""], [[name, _cell(value)] for name, value in rows.items() if value], numeric_from=2
    )
    if not versions:
        return table
    lines = "\n".join(f"- {escape_markdown(version)}" for version in versions)
    return f'{table}\n\n::: {{.fold title="Versions that made it ({len(versions)})"}}\n{lines}\n:::'


def _cell(text: object) -> str:
    text = str(text)
    return text if text.startswith("*") else escape_markdown(text)


def assumed_keys(tables: Mapping[str, pl.DataFrame]) -> dict:
    """Return what ingest put in the place of missing keys of dataset.yml."""
    if "assumption" not in tables:
        return {}
    return yaml.safe_load(merged_yaml(tables["assumption"]["yaml"].to_list())) or {}


def protocols(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return the protocols that the logs name: 'tcp', 'udp'."""
    return sorted(set(tables["stream"]["protocol"].drop_nulls())) if "stream" in tables else []


def _formats(tables: Mapping[str, pl.DataFrame]) -> str:
    """Return the formats of the logs with samples, and the versions that the logs name."""
    logs = tables["ledger"].filter(pl.col("lines_sample") > 0, entry="file")
    versions = (
        tables["stream"]["tool_version"] if "stream" in tables else pl.Series([], dtype=pl.String)
    )
    return " ".join(filter(None, [_words(logs["format"]), _words(versions)]))


def _words(values: pl.Series) -> str:
    return ", ".join(str(value) for value in values.drop_nulls().unique().sort() if value)


def _counts(values: pl.Series) -> str:
    counts = values.drop_nulls().value_counts(sort=True).rows()
    return ", ".join(f"{n:,} {value}" for value, n in counts)


def _numbers(values: pl.Series, unit: float) -> str:
    found = sorted({round(value / unit, 3) for value in values.drop_nulls()})
    if len(found) > 12:
        return f"{len(found)} values from {found[0]:g} to {found[-1]:g}"
    return ", ".join(f"{value:g}" for value in found)


def _from_to(values: pl.Series) -> str:
    """Return one or two numbers one by one, more as 'low to high'."""
    found = values.drop_nulls().round(2).unique().sort()
    return (
        _numbers(found, 1).replace(",", " or")
        if len(found) <= 2
        else f"{found[0]:g} to {found[-1]:g}"
    )


def _span(values: pl.Series) -> str:
    low, high = values.min(), values.max()
    return NOTHING if low is None else str(low) if low == high else f"{low} to {high}"


def _buffers(run: pl.DataFrame) -> str:
    if share := _numbers(run["buffer_bdp"], 0.01):
        return f"{share} % of the bandwidth-delay product"
    size = _numbers(run["buffer_bytes"], 1e3)
    return f"{size} kB" if size else ""


def _dates(made: list[dict], tables: Mapping[str, pl.DataFrame]) -> str:
    dates = sorted({m["date"][:10] for m in made if m.get("date")})
    if not dates and "stream" in tables:
        epochs = tables["stream"]["start_epoch_s"].drop_nulls()
        stamps = (epochs * 1000).cast(pl.Int64).cast(pl.Datetime("ms")).dt.date()
        dates = [str(date) for date in stamps.unique().sort()]
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else ""


def verdict(finding: pl.DataFrame, run: pl.DataFrame) -> str:
    """Return in one box whether the numbers below can be trusted."""
    n = {severity: (finding["severity"] == severity).sum() for severity in SEVERITIES}
    if run.is_empty():
        text = "No run of this data set could be read. The [findings](#sec-findings) say why."
        return f'::: {{.callout-important title="No run"}}\n{text}\n:::'
    if not n["error"] and not n["warning"]:
        return (
            '::: {.callout-tip title="No errors, no warnings"}\n'
            "The sanity checks ([findings](#sec-findings)) found nothing that speaks against the "
            "numbers below.\n:::"
        )
    kind, errors = ("important", n["error"]) if n["error"] else ("warning", 0)
    counts = [f"{errors:,} errors"] if errors > 1 else ["1 error"] if errors else []
    counts += [f"{n['warning']:,} warnings"] if n["warning"] > 1 else []
    counts += ["1 warning"] if n["warning"] == 1 else []
    worst = finding.filter(severity="error" if errors else "warning")["check"].value_counts(
        sort=True
    )
    names = ", ".join(f"{check} ({n})" for check, n in worst.head(4).rows())
    return (
        f'::: {{.callout-{kind} title="{" and ".join(counts)}"}}\n'
        f"The sanity checks ([findings](#sec-findings)) name: {names}.\n:::"
    )


# ---- what is assumed, what is missing, what was found -------------------------------------------


def window_assumptions(
    window: pl.DataFrame, flow: pl.DataFrame, configured_s: float
) -> pl.DataFrame:
    """Return what is assumed of the steady state: a row (what, value, because, yaml), or none.

    Args:
        window, flow: the tables of a data set.
        configured_s: start of the steady state in config.yaml, seconds.
    """
    derived = window.filter(warmup_from="run length")
    rows = []
    if len(derived):
        last_start = flow.group_by("run_id").agg(pl.col("start_s").max())
        after = derived.join(last_start, on="run_id").select(pl.col("warmup_s") - pl.col("start_s"))
        low, high = derived["warmup_s"].min(), derived["warmup_s"].max()
        span = f"at {low:g} s" if low == high else f"at {low:g} to {high:g} s"
        because = (
            f"the runs are shorter than {SHORT:g} times the {configured_s:g} s of config.yaml, and "
            "dataset.yml names no start: a tenth of the time that all flows run"
        )
        value = f"{after['warmup_s'].min():.4g} s after the last flow's start, {span}"
        line = f"steady_state: {{warmup_s: {high:g}}}"
        rows.append(("start of the steady state", value, because, line))
    schema = dict.fromkeys(("what", "value", "because", "yaml"), pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def assumptions(assumption: pl.DataFrame) -> str:
    """Return what is assumed, and the lines of dataset.yml that would say it."""
    known = assumption.filter(~pl.col("value").str.starts_with("unknown"))  # those are in `missing`
    if assumption.is_empty():
        return "Nothing is assumed: dataset.yml and the logs say all that the analysis needs."
    rows = [
        [escape_markdown(row[key] or NOTHING) for key in ("what", "value", "because")]
        for row in known.rows(named=True)
    ]
    table = _folded(["Assumed", "Value", "Because"], rows, 3, f"{len(rows)} assumptions")
    block = merged_yaml(assumption["yaml"].to_list())
    if not block:
        return table
    text = "What is right of it should be said. These lines do, in `dataset.yml` of the folder:"
    return f"{table if rows else ''}\n\n{text}\n\n```yaml\n{block}\n```"


def merged_yaml(snippets: list[str | None]) -> str:
    """Return snippets of dataset.yml as one block, keys that several of them name merged.

    Lists are put one behind the other; of two values of one key the first stays. Comments, lines to
    fill in, come last as they are.
    """
    merged: dict = {}
    comments: list[str] = []
    for snippet in snippets:
        _merge(merged, yaml.safe_load(snippet or "") or {})
        lines = (snippet or "").splitlines()
        comments += [line for line in lines if line.startswith("#") and line not in comments]
    said = [_key_as_yaml(key, value) for key, value in merged.items()]
    return "\n".join([*said, *comments])


def _key_as_yaml(key: str, value: object) -> str:
    """Return a key on a line of its own, so that others can be added."""
    style = None if isinstance(value, dict | list) else False
    dumped = yaml.safe_dump(
        {key: value}, sort_keys=False, default_flow_style=style, allow_unicode=True, width=1000
    )
    return dumped.rstrip()


def _merge(into: dict, new: dict) -> None:
    for key, value in new.items():
        old = into.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            old += [item for item in value if item not in old]
        else:
            into.setdefault(key, value)


def missing(about: Mapping, tables: Mapping[str, pl.DataFrame]) -> str:
    """Return what the data set does not say, what the page lacks for it, and what to add."""
    run, flow, assumed = tables["run"], tables["flow"], assumed_keys(tables)
    rows = [
        [f"{key} of the data set", "the page cannot say it", f"{key}: {example}"]
        for key, example in (
            ("title", "what was measured"),
            ("source", "who measured it, where it is from"),
            ("licence", "CC-BY-4.0"),
            ("platform", "testbed"),
        )
        if not about.get(key) and key not in assumed
    ]
    if len(run):
        lacks = {
            "congestion control": (flow["cca"], "flows are told apart by number only"),
            "round-trip time": (flow["base_rtt_s"], "nothing is drawn over it"),
            "bandwidth of the bottleneck": (
                run["bottleneck_bps"],
                "no utilisation, and no check of the sum of the flows",
            ),
            "buffer": (run["buffer_bytes"], "nothing is drawn over it"),
        }
        lines = {
            "congestion control": "flows: {1: {cca: cubic}, 2: {cca: bbr}}",
            "round-trip time": "defaults: {rtt_ms: 50}",
            "bandwidth of the bottleneck": "defaults: {bottleneck_mbps: 100}",
            "buffer": "defaults: {buffer_pct: 100}",
        }
        for name, (values, without) in lacks.items():
            n = values.null_count()
            if n:
                part = "" if n == len(values) else f" of {n:,} of {len(values):,}"
                rows.append([f"{name}{part}", without, lines[name]])
        if run["run_id"].n_unique() == run["scenario_id"].n_unique():
            line = 'files: [{path: "{cca}/run{repeat}/flow{flow}.log"}]'
            rows.append(["repeats", "no interval says how much a number can be trusted", line])
        if not (run["role"] == "calibration").any() and run["n_flows"].max() > 1:
            line = 'files: [{path: "{role}/{cca}/r{repeat}/flow{flow}.log"}]'
            rows.append(
                [
                    "runs of role calibration (each congestion control against its like)",
                    "no NRU",
                    line,
                ]
            )
    if not rows:
        return ""
    text = (
        "Missing, with an example of the line of `dataset.yml` that would say it; placeholders in "
        "paths and a table `runs.csv` do too:"
    )
    cells = [[escape_markdown(a), escape_markdown(b), code(c)] for a, b, c in rows]
    table = markdown_table(["Missing", "Without it", "For example"], cells, numeric_from=3)
    return f"{text}\n\n{table}"


def findings(finding: pl.DataFrame) -> str:
    """Return the findings, the worst first, a fold a check with its first examples."""
    if finding.is_empty():
        return "None: every check passed."
    parts = [
        "An error makes a number below wrong or missing, a warning may; a note is good to know. "
        "The [table](#sec-tables) `finding` has them all."
    ]
    groups = finding.partition_by("severity", "check", as_dict=True, maintain_order=True)
    for (severity, check), part in groups.items():
        rows = []
        for row in part.head(MAX_EXAMPLES).rows(named=True):
            place = [code(row["run_id"])] if row["run_id"] is not None else []
            place += [f"flow {row['flow_id']}"] if row["flow_id"] is not None else []
            if row["path"]:
                line = f":{row['line']}" if row["line"] is not None else ""
                place.append(code(f"{row['path']}{line}"))
            rows.append([", ".join(place) or NOTHING, escape_markdown(row["message"])])
        more = f"{len(part) - len(rows):,} more in the table `finding`." if len(part) > 8 else ""
        remedies = part["remedy"].unique(maintain_order=True)
        remedy = "Remedy: " + "; or ".join(escape_markdown(text) for text in remedies) + "."
        table = markdown_table(["Where", "What"], rows, numeric_from=2)
        title = f"{severity}: {check} ({len(part):,})"
        parts.append(f'::: {{.fold title="{title}"}}\n{remedy}\n\n{table}\n\n{more}\n:::')
    return "\n\n".join(parts)


# ---- results ------------------------------------------------------------------------------------


def window_text(window: pl.DataFrame) -> str:
    """Return which part of the runs the metrics are of, and who says so."""
    sentences = []
    who = {
        "dataset.yml": "as dataset.yml says",
        "config.yaml": "as config/config.yaml says",
        "run length": "which is assumed, since they are short ([here](#sec-assumed))",
    }
    for name, words in who.items():
        part = window.filter(warmup_from=name)
        if len(part):
            runs_ = "All runs" if len(part) == len(window) else f"{len(part):,} runs"
            start = _from_to(part["warmup_s"])
            sentences.append(f"{runs_} count from {start} s on, {words}.")
    if window["end_s"].null_count() < len(window):
        sentences.append(f"They count to {_from_to(window['end_s'])} s.")
    return " ".join(sentences)


CAPTIONS = {
    "jfi": "Jain's index: 1 where all flows get the same.",
    "throughput_ratio": "Mean throughput of flow 1 over that of flow 2.",
    "utilisation": "What the flows carry together of the bottleneck's bandwidth.",
    "system_nru_db": "System-NRU: 0 dB where flows get what they get against their like.",
}


def fairness(tables: Mapping, shown: Mapping[str, Path], settings: Mapping) -> str:
    """Return the figures of the metrics, and why those that are not there are not."""
    cell, run, flow = tables["cell"], tables["run"], tables["flow"]
    metrics = [name for name in METRICS if name in shown]
    _, axes = placed_scenarios(run, flow)
    parts = []
    if len(axes) < 2 and len(metrics) > 1:
        panels = "\n\n".join(_figure(f"{m}", CAPTIONS[m], shown[m], CAPTIONS[m]) for m in metrics)
        caption = f"Fairness of every scenario. {_interval_words(cell, settings)}"
        parts.append(f"::: {{#fig-metrics layout-ncol=2}}\n{panels}\n\n{caption}\n:::")
    else:
        words = _interval_words(cell, settings) if len(axes) < 2 else ""
        over = (
            f"Means over the repeats, by {axes[0]} and {axes[1]}; white: no runs."
            if len(axes) == 2
            else words
        )
        parts += [_figure(m, f"{CAPTIONS[m]} {over}", shown[m], CAPTIONS[m]) for m in metrics]
    if left := n_not_drawn(run, flow):
        parts.append(f"{left:,} more sets of scenarios are not drawn; @tbl-scenarios has them.")
    reasons = []
    if run["scenario_id"].n_unique() == 1:
        reasons.append(
            "There is one scenario: nothing to compare, its numbers are in @tbl-scenarios."
        )
    elif not axes:
        reasons.append("No factor that is a number varies, so that scenarios have a row each.")
    if (run["n_flows"] == 1).all():
        reasons.append(
            "Every run has one flow, so that there is no fairness to speak of: Jain's index of one "
            "flow is 1."
        )
    if "udp" in protocols(tables):
        reasons.append(
            "Flows of UDP send as fast as they are told, whatever the others do: their fairness is "
            "that of what arrived."
        )
    known = set(cell["metric"])
    if "throughput_ratio" not in known:
        reasons.append(
            "The ratio of two flows is of runs with two flows that both carry something."
        )
    if "utilisation" not in known:
        reasons.append("Utilisation needs the bandwidth of the bottleneck (`bottleneck_mbps`).")
    if "system_nru_db" not in known:
        reasons.append("NRU needs runs of role calibration (`role`).")
    return "\n\n".join([*parts, " ".join(reasons)])


def throughput(tables: Mapping, shown: Mapping[str, Path], settings: Mapping) -> str:
    """Return the figure of the flows' means."""
    if "flow_means" not in shown:
        return "One flow of one scenario has a mean: it is in @tbl-scenarios."
    _, axes = placed_scenarios(tables["run"], tables["flow"])
    words = "Mean throughput of every flow in the steady state."
    if len(axes) == 2:
        words += f" Up to {MAX_LEVELS} levels of {axes[1]} are drawn; @tbl-scenarios has all."
    caption = f"{words} {_interval_words(tables['cell'], settings)}"
    return _figure("flow-means", caption, shown["flow_means"], words)


def over_time(tables: Mapping, shown: Mapping[str, Path]) -> str:
    """Return the figure of runs over time."""
    run = tables["run"]
    if "runs" not in shown:
        return "No flow of any run has a sample."
    drawn = len(example_runs(run, tables["flow"]))
    if drawn == len(run):
        which = "Every run over time"
    else:
        which = f"The first repeats of {drawn} scenarios over time, of {len(run):,} runs"
    caption = (
        f"{which}; the steady state is shaded. Flows with more than {MAX_POINTS} samples are "
        "averaged to as many points."
    )
    return _figure(
        "runs", caption, shown["runs"], "Throughput of each flow of some runs over time."
    )


def _figure(name: str, caption: str, path: Path, alt: str) -> str:
    label, words = name.replace("_", "-"), f"{alt} {read_description(path)}".strip()
    return f'![{caption}]({path.name}){{#fig-{label} fig-alt="{words}"}}'


def _interval_words(cell: pl.DataFrame, settings: Mapping) -> str:
    if cell["ci_low"].null_count() == len(cell):
        return "There are no repeats that differ, so there are no intervals."
    return (
        f"Bars: {100 * settings['confidence']:g} % intervals over the repeats; they end where the "
        "metric does, and are cut where they leave the axis."
    )


def scenarios(tables: Mapping, settings: Mapping) -> str:
    """Return the table of scenarios: factors, number of runs, and the metrics with intervals."""
    cell, run, flow = tables["cell"], tables["run"], tables["flow"]
    placed, _ = placed_scenarios(run, flow)
    repeats = dict(run.group_by("scenario_id").len().rows())
    values = {(r["scenario_id"], r["metric"]): r for r in cell.rows(named=True)}
    hidden = ("scenario_id", "panel", "is_calibration", "rank")
    columns = [c for c in placed.columns if c not in hidden]
    if placed[ROLE].n_unique() == 1:
        columns.remove(ROLE)
    if placed.select(columns).is_duplicated().any():
        columns = ["scenario_id", *columns]
    metrics = [
        (f"{PREFIX}{n}", f"Flow {n} (Mb/s)", 1e6, 1)
        for n in sorted(set(flow["flow_id"]))
        if flow["flow_id"].max() <= MAX_FLOWS
    ]
    metrics += [
        ("jfi", "Jain's index", 1, 3),
        ("throughput_ratio", "Flow 1 / flow 2", 1, 2),
        ("utilisation", "Utilisation (%)", 0.01, 1),
        ("system_nru_db", "System-NRU (dB)", 1, 2),
    ]
    metrics = [m for m in metrics if m[0] in set(cell["metric"])]
    rows = []
    for row in placed.head(MAX_SCENARIOS).rows(named=True):
        cells = [_factor(name, row[name]) for name in columns]
        cells.append(str(repeats[row["scenario_id"]]))
        cells += [
            _with_interval(values.get((row["scenario_id"], metric)), unit, digits)
            for metric, _, unit, digits in metrics
        ]
        rows.append(cells)
    names = {MIX: "Congestion control", "scenario_id": "Scenario"}
    header = [*(names.get(c, c) for c in columns), "Runs", *(m[1] for m in metrics)]
    caption = (
        f"Scenarios: means over the repeats, with {100 * settings['confidence']:g} % intervals "
        "where there are repeats that differ. Intervals end where the metric does: Jain's index of "
        "N flows lies between 1/N and 1. {#tbl-scenarios}"
    )
    first = sum(c in ("scenario_id", ROLE, MIX) for c in columns)
    table = markdown_table([escape_markdown(h) for h in header], rows, numeric_from=first)
    table = f"{table}\n\n: {caption}"
    if len(rows) > MANY_ROWS:
        table = f'::: {{.fold title="All {len(rows):,} scenarios"}}\n{table}\n:::'
    if len(placed) > len(rows):
        table += f"\n\n{_first_of(len(rows), len(placed), 'cell')}"
    return table


def _factor(name: str, value: object) -> str:
    if value is None:
        return NOTHING
    if name == "scenario_id":
        return code(value)
    return f"{value:g}" if isinstance(value, float) else escape_markdown(str(value))


def _with_interval(row: Mapping | None, unit: float, digits: int) -> str:
    if row is None:
        return NOTHING
    text = number(row["mean"] / unit, digits)
    if row["ci_low"] is None:
        return text
    low, high = (number(row[end] / unit, digits) for end in ("ci_low", "ci_high"))
    return f"{text} ({low}{NO_BREAK}to{NO_BREAK}{high})"


def runs(tables: Mapping) -> str:
    """Return the table of runs, a fold a scenario's panel where there are many."""
    run, flow_metric = tables["run"], tables["flow_metric"]
    placed, _ = placed_scenarios(run, tables["flow"])
    of_flows = flow_metric.sort("run_id", "flow_id").group_by("run_id", maintain_order=True)
    of_flows = of_flows.agg(
        pl.col("mean_throughput_bps"), pl.col("n_samples").sum(), pl.col("n_missing_samples").sum()
    )
    table = (
        placed.select("scenario_id", "panel")
        .join(run, on="scenario_id", maintain_order="left_right")
        .join(of_flows, on="run_id", maintain_order="left")
        .join(tables["run_metric"].drop("n_flows"), on="run_id", maintain_order="left")
        .join(tables["window"].select("run_id", start_s="warmup_s"), on="run_id", how="left")
    )
    optional = [
        ("throughput_ratio", 1, 2, "Flow 1 / flow 2"),
        ("utilisation", 0.01, 1, "Util. (%)"),
    ]
    optional = [o for o in optional if table[o[0]].is_not_null().any()]
    header = ["Run", "Steady from (s)", "Flows (Mb/s)", "Jain's index"]
    header += [*(o[3] for o in optional), "Samples", "Missing"]
    panels = []
    shown = table.head(MAX_RUN_ROWS)
    for (panel,), part in shown.partition_by("panel", as_dict=True, maintain_order=True).items():
        rows = [
            [
                code(row["run_id"]),
                number(row["start_s"], 1).removesuffix(".0"),
                _means(row["mean_throughput_bps"]),
                number(row["jfi"], 3),
                *(
                    number(None if row[m] is None else row[m] / unit, digits)
                    for m, unit, digits, _ in optional
                ),
                f"{row['n_samples']:,}",
                NOTHING if row["n_missing_samples"] is None else f"{row['n_missing_samples']:,}",
            ]
            for row in part.rows(named=True)
        ]
        panels.append((panel, rows))
    if len(shown) <= MANY_ROWS:
        rows = [row for _, part in panels for row in part]
        text = markdown_table(header, rows, numeric_from=1)
    else:
        folds = [_folded(header, rows, 1, f"{p}: {len(rows):,} runs", 0) for p, rows in panels]
        text = "\n\n".join(folds)
    if len(table) > len(shown):
        text += f"\n\n{_first_of(len(shown), len(table), 'run_metric')}"
    return text


def _first_of(shown: int, n: int, table: str) -> str:
    return f"The first {shown:,} of {n:,}; the [table](#sec-tables) `{table}` has them all."


def _means(means: list[float | None]) -> str:
    """Return the flows' means in Mb/s; of many flows the smallest, the middle and the largest."""
    mbps = [None if mean is None else mean / 1e6 for mean in means]
    if len(mbps) <= MAX_FLOWS:
        return " + ".join(number(value, 1) for value in mbps)
    known = sorted(value for value in mbps if value is not None)
    if not known:
        return NOTHING
    ends = " … ".join(number(v, 1) for v in (known[0], known[len(known) // 2], known[-1]))
    return f"{ends} ({len(mbps)} flows)"


# ---- accounting ---------------------------------------------------------------------------------


def ledger(table: pl.DataFrame) -> str:
    """Return where the bytes of the raw files went, and which lines could not be read."""
    parts = [
        "Every byte of every raw file is accounted for: as a sample, a header, a summary of "
        "samples, skipped for a reason, or rejected.",
        ledger_table(table),
    ]
    lines = table.filter(entry="line")
    if len(lines):
        rows = [
            [
                code(f"{row['path']}:{row['line']}"),
                escape_markdown(row["reason"] or NOTHING),
                code((row["text"] or "")[:80]),
            ]
            for row in lines.head(MANY_ROWS).rows(named=True)
        ]
        title = f"Rejected lines: {len(lines):,}" + (f", the first {MANY_ROWS}" * (len(lines) > 40))
        parts.append(_folded(["Where", "Why", "Line"], rows, 3, title, 0))
    left = table.filter(pl.col("format").is_in(["left-out", "unreadable"]), entry="file")
    if len(left):
        rows = [
            [code(row["path"]), escape_markdown(row["reason"] or NOTHING)]
            for row in left.head(MANY_ROWS).rows(named=True)
        ]
        parts.append(_folded(["File", "Why"], rows, 2, f"Files left out: {len(left):,}", 0))
    return "\n\n".join(parts)


ABOUT_TABLES = {
    "run": "runs and their settings",
    "flow": "flows of the runs",
    "sample": "report intervals, with file and line",
    "queue_sample": "the bottleneck's queue",
    "packet_drop": "dropped packets",
    "tcp_state": "variables of the senders",
    "window": "the steady state of each run",
    "weight": "what a congestion control gets against its like",
    "flow_metric": "means and NRU of the flows",
    "run_metric": "Jain's index, ratio, NRU, utilisation of the runs",
    "cell": "means and intervals of the scenarios",
    "finding": "what the sanity checks found",
    "assumption": "what is assumed",
    "ledger": "where every byte of the raw files went",
}


def downloads(files: Mapping[str, Mapping[str, Path]]) -> str:
    """Return the links to the tables beside the page."""
    rows = []
    for table, paths in files.items():
        links = [
            f"[{path.name}](<tables/{path.name}>) ({_size(path.stat().st_size)})"
            for path in (paths["parquet"], paths["csv"])
        ]
        rows.append([code(table), ABOUT_TABLES.get(table, ""), *links])
    text = (
        "The columns, with units, are in `docs/data-model.md`. Units are SI: bit/s, bytes, seconds."
    )
    return f"{text}\n\n{markdown_table(['Table', 'Holds', 'Parquet', 'CSV'], rows, numeric_from=4)}"


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{max(n_bytes, 100) / 1e3:.1f} kB"


def _folded(
    header: list[str], rows: list[list[str]], numeric_from: int, title: str, many: int = MANY_ROWS
) -> str:
    table = markdown_table(header, rows, numeric_from=numeric_from)
    if len(rows) <= many:
        return table
    return f'::: {{.fold title="{title.replace(chr(34), chr(39))}"}}\n{table}\n:::'


def read_about(path: Path) -> dict:
    """Return dataset.yml, or nothing where there is none."""
    return yaml.safe_load(path.read_text(encoding="utf-8")) or {} if path.is_file() else {}
