"""What is assumed of a data set, what it does not say, and the lines of dataset.yml to add."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import polars as pl

from ...ingest.assumptions import settled
from ...ingest.entities import DEFAULT, LOGS_SAY, WINDOW, Assumption
from ...markdown import NOTHING
from ...metrics.fairness import compared, of_tcp
from ...metrics.windows import ONE_INTERVAL, SHORT
from ...render.element import Html, element, prose, table, together
from ...scalars import scalar
from .merging import keys_of, merged_yaml
from .offers import Offers

MAX_VALUE = 200  # characters of a value on the page


def window_assumptions(
    window: pl.DataFrame,
    flow: pl.DataFrame,
    configured_s: float,
    confirmed: Collection[str] = (),
    latest_s: float = math.inf,
) -> pl.DataFrame:
    """Return what is assumed of the steady state: rows of the table `assumption`, or none.

    Args:
        window: the table of a data set, of the runs that have samples.
        flow: the table.
        configured_s: start of the steady state in config.yaml, seconds.
        confirmed: what dataset.yml says is known.
        latest_s: when the steady state can start at the latest (`latest_start`).
    """
    derived, whole = (window.filter(warmup_from=who) for who in ("run length", ONE_INTERVAL))
    rows = []
    if len(derived):
        last_start = (
            compared(flow).group_by("run_id", maintain_order=True).agg(pl.col("start_s").max())
        )
        after = derived.join(last_start, on="run_id").select(pl.col("warmup_s") - pl.col("start_s"))
        value = f"{_span(after['warmup_s'])} s after the last flow's start, at "
        value += f"{_span(derived['warmup_s'])} s"
        because = (
            f"{_some(derived, window, 'is', 'are')} shorter than {SHORT:g} times the "
            f"{configured_s:g} s of config.yaml (or not all flows had begun by then), and "
            "dataset.yml names no start: a tenth of the time that all flows of a run share, at "
            "least two reports"
        )
        yaml = _start_as_yaml(window, latest_s)
        rows.append(Assumption("start of the steady state", value, because, yaml, DEFAULT, WINDOW))
    if len(whole):
        which = _some(whole, window, "has", "have")
        because = f"{which} a log of one interval: no warm-up can be cut off"
        rows.append(Assumption("steady state", "the whole run", because, "", LOGS_SAY, WINDOW))
    schema = dict.fromkeys(Assumption._fields, pl.String)
    return pl.DataFrame(settled(rows, confirmed), schema=schema, orient="row")


def _some(part: pl.DataFrame, window: pl.DataFrame, one: str, several: str) -> str:
    """Return the beginning of a sentence on some of the runs, up to its verb."""
    if len(part) == len(window):
        return f"the runs {several}"
    return f"{len(part):,} runs {several}" if len(part) > 1 else f"1 run {one}"


def _span(values: pl.Series) -> str:
    low, high = scalar(values.min()), scalar(values.max())
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def latest_start(window: pl.DataFrame, flow_metric: pl.DataFrame) -> float:
    """Return the latest start of the steady state that leaves half of every run's, seconds.

    A run whose window has no end of its own ends with its samples.
    """
    seconds = (pl.col("n_samples") * pl.col("interval_s")).max().alias("covered_s")
    covered = flow_metric.group_by("run_id", maintain_order=True).agg(seconds)
    ends = pl.coalesce("end_s", pl.col("warmup_s") + pl.col("covered_s"))
    half_way = (
        window.filter(pl.col("warmup_from") != ONE_INTERVAL)
        .join(covered, on="run_id", how="left", maintain_order="left")
        .select(half_s=(pl.col("warmup_s") + ends) / 2)
    )
    return scalar(half_way["half_s"].min()) or math.inf


def _start_as_yaml(window: pl.DataFrame, latest_s: float) -> str:
    """Return the line of dataset.yml that says where the steady state starts.

    It would hold for all runs: a comment where these have their own starts, as one line would move
    means of some of them. It is the latest that leaves something of every run to average.
    """
    starts = window.filter(pl.col("warmup_from") != ONE_INTERVAL)["warmup_s"].unique().sort()
    if len(starts) == 1:
        return f"steady_state: {{warmup_s: {starts[0]:.10g}}}"
    fitting = starts.filter(starts <= latest_s)
    start = fitting[-1] if len(fitting) else starts[0]
    return (
        "# no line says the same, as each run has its own start; with one for all:\n"
        f"# steady_state: {{warmup_s: {start:.10g}}}"
    )


def assumptions(assumption: pl.DataFrame, offers: Offers) -> Html:
    """Return what is assumed, alike rows once, each with the lines that say it or say otherwise."""
    lacks = pl.col("value").str.contains("^unknown($| for flow)")
    known, unknown = assumption.filter(~lacks), assumption.filter(lacks)
    if assumption.is_empty():
        words = "Nothing: `dataset.yml` and the logs contain all that the analysis needs."
        return element("p", prose(words))
    alike = known.group_by("what", "because", "certainty", maintain_order=True).agg(
        pl.col("value"), pl.col("yaml").drop_nulls()
    )
    rows = [
        [
            what,
            together(values[0][:MAX_VALUE], _more(len(values))),
            element("span", sure, class_=f"sure {sure.replace(' ', '-')}"),
            prose(because or NOTHING),
            offers.shown(merged_yaml(lines), "the lines" if any(lines) else ""),
        ]
        for what, because, sure, values, lines in alike.rows()
    ]
    header = ["What", "Taken as", "Certainty", "Because", "To state or change it"]
    shown = table(header, rows, label="What was assumed") if rows else ""
    lines = merged_yaml(unknown["yaml"].to_list())
    reasons = unknown.select("what", "because").unique(maintain_order=True).rows()
    why = [element("li", prose(f"{what}: {because}.")) for what, because in reasons]
    fill = element("p", "Unknown, please fill in:"), element("ul", why), offers.shown(lines)
    return together(shown, fill if lines else "")


def _more(n: int) -> str:
    return f" and {n - 1:,} more" if n > 1 else ""


def assumed_keys(tables: Mapping[str, pl.DataFrame]) -> dict:
    """Return what ingest put in the place of missing keys of dataset.yml."""
    if "assumption" not in tables:
        return {}
    return keys_of(tables["assumption"]["yaml"])


def missing(about: Mapping, tables: Mapping[str, pl.DataFrame]) -> Html:
    """Return what the data set does not say, what the page lacks for it, and what to add."""
    run, flow, assumed = tables["run"], tables["flow"], assumed_keys(tables)
    rows = [
        [f"{key} of the data set", "the page cannot show it", f"{key}: {example}"]
        for key, example in (
            ("title", "what was measured"),
            ("source", "who measured it, and where"),
            ("licence", "CC-BY-4.0"),
            ("platform", "testbed"),
        )
        if not about.get(key) and key not in assumed
    ]
    if len(run):
        lacks = {
            "congestion control": (
                of_tcp(flow)["cca"],
                "flows are distinguished by number only",
            ),
            "round-trip time": (flow["base_rtt_s"], "no chart over the RTT"),
            "bandwidth of the bottleneck": (
                run["bottleneck_bps"],
                "no utilisation, and no check of the sum of the flows",
            ),
            "buffer": (
                run.select(pl.coalesce("buffer_bytes", "buffer_bdp")).to_series(),
                "no chart over the buffer",
            ),
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
            rows.append(["repeats", "no confidence intervals", line])
        if not (run["role"] == "calibration").any() and (run["n_flows"] > 1).any():
            line = 'files: [{path: "{role}/{cca}/r{repeat}/flow{flow}.log"}]'
            rows.append(
                [
                    "runs of role calibration (each congestion control against itself)",
                    "no NRU",
                    line,
                ]
            )
    if not rows:
        return Html("")
    text = (
        "Missing information, each with an example of a line of `dataset.yml` that adds it "
        "(placeholders in paths and a table `runs.csv` work, too):"
    )
    cells = [[a, b, element("code", c)] for a, b, c in rows]
    shown = table(["Missing", "Without it", "For example"], cells, label="What is missing")
    return together(element("p", prose(text)), shown)
