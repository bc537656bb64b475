"""What is assumed of a data set, what it does not say, and the lines of dataset.yml to add."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl
import yaml

from ...markdown import NOTHING, markdown_table
from ...metrics.fairness import compared, of_tcp
from ...metrics.windows import MOST, ONE_INTERVAL, SHORT
from ...render.pages import escape_markdown
from .parts import MANY_ROWS, code, cut_short, folded

ASSUMPTION = ("what", "value", "because", "yaml", "certainty", "about")  # columns of the table


def window_assumptions(
    window: pl.DataFrame, flow: pl.DataFrame, configured_s: float
) -> pl.DataFrame:
    """Return what is assumed of the steady state: rows of ASSUMPTION, or none.

    Args:
        window, flow: the tables of a data set.
        configured_s: start of the steady state in config.yaml, seconds.
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
            "dataset.yml names no start: a tenth of the time that all flows of a run share"
        )
        yaml = _start_as_yaml(window)
        rows.append(("start of the steady state", value, because, yaml, "default", "window"))
    if len(whole):
        which = _some(whole, window, "has", "have")
        because = f"{which} a log of one interval: no warm-up can be cut off"
        rows.append(("steady state", "the whole run", because, "", "from logs", "window"))
    schema = dict.fromkeys(ASSUMPTION, pl.String)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _some(part: pl.DataFrame, window: pl.DataFrame, one: str, several: str) -> str:
    """Return the beginning of a sentence on some of the runs, up to its verb."""
    if len(part) == len(window):
        return f"the runs {several}"
    return f"{len(part):,} runs {several}" if len(part) > 1 else f"1 run {one}"


def _span(values: pl.Series) -> str:
    low, high = values.min(), values.max()
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def _start_as_yaml(window: pl.DataFrame) -> str:
    """Return the line of dataset.yml that says where the steady state starts.

    It holds for all runs, so it is the latest start of any; a comment where that would take more
    than half of the window from a run.
    """
    steady = window.filter(pl.col("warmup_from") != ONE_INTERVAL)
    start_s = steady["warmup_s"].max()
    left, had = steady["end_s"] - start_s, steady["end_s"] - steady["warmup_s"]
    if (left >= (1 - MOST) * had).fill_null(False).all():
        return f"steady_state: {{warmup_s: {start_s:.10g}}}"
    return (
        f"# no steady_state: the runs differ too much for one start, {start_s:.10g} s would leave "
        "some of them too little; each keeps its own"
    )


def assumptions(assumption: pl.DataFrame, most: int) -> str:
    """Return what is assumed, and the lines of dataset.yml that would say it: `most` of each."""
    known = assumption.filter(~pl.col("value").str.starts_with("unknown"))  # those are in `missing`
    if assumption.is_empty():
        return "Nothing is assumed: dataset.yml and the logs say all that the analysis needs."
    rows = [
        [escape_markdown(row[key] or NOTHING) for key in ("what", "value", "certainty", "because")]
        for row in known.head(most).rows(named=True)
    ]
    title = f"{len(known):,} assumptions"
    columns = ["Assumed", "Value", "How sure", "Because"]
    table = folded(columns, rows, 4, title) if rows else ""
    parts = [table, cut_short(len(rows), len(known), "assumption")]
    block = merged_yaml(assumption["yaml"].to_list())
    if block:
        parts.append("What is right of it should be said. These lines do, in `dataset.yml`:")
        parts.append(_block(block, most))
    return "\n\n".join(part for part in parts if part)


def _block(text: str, most: int) -> str:
    """Return lines of YAML to copy, a long block folded, one of more than `most` cut."""
    lines = text.splitlines()
    block, n_lines = "\n".join(lines[:most]), len(lines)
    block = f"```yaml\n{block}\n```"
    if n_lines <= MANY_ROWS:
        return block
    words = f"{n_lines:,} lines for dataset.yml" + f", the first {most:,}" * (n_lines > most)
    rest = f"\n\n{cut_short(most, n_lines, 'assumption')}" if n_lines > most else ""
    return f'::: {{.fold title="{words}"}}\n{block}{rest}\n:::'


def assumed_keys(tables: Mapping[str, pl.DataFrame]) -> dict:
    """Return what ingest put in the place of missing keys of dataset.yml."""
    if "assumption" not in tables:
        return {}
    return _merged(_without_comments(text) for text in tables["assumption"]["yaml"])


def merged_yaml(snippets: list[str | None]) -> str:
    """Return snippets of dataset.yml as one block, keys that several of them name merged.

    Lists are put one behind the other; of two values of one key the first stays. Comments, lines to
    fill in, come last as they are.
    """
    comments: list[str] = []  # of a snippet each: a line may stand in several
    for snippet in snippets:
        lines = [line for line in (snippet or "").splitlines() if line.startswith("#")]
        if lines and "\n".join(lines) not in comments:
            comments.append("\n".join(lines))
    merged = _merged(map(_without_comments, snippets))
    said = [_key_as_yaml(key, value) for key, value in merged.items()]
    return "\n".join([*said, "\n\n".join(comments)]).strip()


def _without_comments(snippet: str | None) -> str:
    """Return the lines that say something: of many runs the comments are long, and slow to read."""
    return "\n".join(line for line in (snippet or "").splitlines() if not line.startswith("#"))


def _merged(snippets: Iterable[str]) -> dict:
    merged: dict = {}
    for snippet in snippets:
        _merge(merged, yaml.safe_load(snippet) or {})
    return merged


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
            "congestion control": (
                of_tcp(flow)["cca"],
                "flows are told apart by number only",
            ),
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
