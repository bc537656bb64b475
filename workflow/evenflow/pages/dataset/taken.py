"""What was taken as what, how that is known, which time counts: three lines, each with how sure.

How sure is said by the code that decided it (columns `certainty` and `about` of the table
`assumption`); what nothing is assumed of is given, by dataset.yml or a record, or told by the logs.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

import polars as pl

from ...checks.traces import NOTHING_READ
from ...ingest.entities import DEFAULT, GIVEN, GUESS, JOINED, LOGS_SAY, NAMES_SAY, WHAT, WINDOW
from ...metrics.fairness import compared
from ...metrics.windows import ONE_INTERVAL, of_samples
from ...render.element import Html, element, prose, together
from ...scalars import scalar
from ...statistics.factors import MIX, ROLE
from .subject import Subject, axis_parts, flow_names, kind_name, many, plain, the_flow

CERTAINTIES = [GIVEN, LOGS_SAY, NAMES_SAY, DEFAULT, GUESS]  # the surest first
SAYS_SO = re.compile(r"^(unknown|the sender's report)")  # of values that are no part of a line
IN_THE_FIRST_LINE = ("files",)  # assumptions whose words add nothing to it
NUMBER = re.compile(r"^\d[\d,]*, ")  # of runs, before how they are known
MAX_SENTENCES = 3  # of the second line
MAX_VALUES = 3  # of a factor that are named one by one
LATER_S = 1.0  # from how much on a flow starts later than another
LONG_WORDS = 20  # characters, of a value of a factor


class Line(NamedTuple):
    """A line: words, how sure it is, and the lines of dataset.yml that would say it otherwise."""

    words: Html
    certainty: str
    yaml: list[str]


def taken_as(subject: Subject) -> list[Line]:
    """Return the lines; the second and third are one where dataset.yml says both."""
    what = Line(_what(subject), *_certainty(subject, WHAT))
    least, yaml = _certainty(subject, JOINED)
    joined = Line(_joined(subject, least), least, yaml)
    window = _window(subject)
    if joined.certainty == window.certainty == GIVEN:
        said = element("code", "dataset.yml")
        words = together(window.words, " Runs, flows and repeats are as ", said, " says.")
        return [what, Line(words, GIVEN, [])]
    return [what, joined, window]


def n_guesses(lines: list[Line]) -> int:
    """Return how many lines are guesses."""
    return sum(line.certainty == GUESS for line in lines)


def _certainty(subject: Subject, about: str) -> tuple[str, list[str]]:
    """Return the least certain of what is assumed about something, and the YAML that says it."""
    rows = _assumed(subject, about)
    levels = [row["certainty"] for row in rows] or [_unassumed(subject)]
    least = max(levels, key=CERTAINTIES.index)
    return least, list(dict.fromkeys(row["yaml"] for row in rows if row["yaml"]))


def _unassumed(subject: Subject) -> str:
    """Return who says what is not assumed: dataset.yml where it says more than a title."""
    said = {"defaults", "files", "flows", "runs"} & set(subject.about)
    records = subject.tables["run"]["made_by"].drop_nulls().is_in(["", "{}"]).not_().any()
    return GIVEN if said or records else LOGS_SAY


def _assumed(subject: Subject, about: str) -> list[dict]:
    table = subject.tables.get("assumption")
    if table is None:
        return []
    rows = table.filter(about=about).rows(named=True)
    named = [row for row in rows if row["what"] != "title" and not SAYS_SO.match(row["value"])]
    return [row for row in named if row["certainty"] in CERTAINTIES]


def _what(subject: Subject) -> Html:
    """Return what there is: runs of flows, settings by their factors, the tool, the link."""
    n_runs, settings = len(subject.runs), subject.settings
    n_flows = sorted({len(run.kinds) for run in subject.runs})
    flows = f"{n_flows[0]}" if len(n_flows) == 1 else f"{n_flows[0]} to {n_flows[-1]}"
    count = f"{many(n_runs, 'run')} of {flows} flow{'' if n_flows == [1] else 's'}"
    if any(kind == "" for flows in subject.series for _, kind in flows):
        count += " and cross traffic"
    per = sorted({len(setting.runs) for setting in settings})
    times = f"{per[0]}" if len(per) == 1 else f"{per[0]} to {per[-1]}"
    if len(settings) > 1:
        factors = _factors(subject)
        by = f" ({' × '.join(factors)})" if factors else ""
        repeats = "one run each" if per == [1] else f"{times} runs each"
        text = f": {many(len(settings), 'setting')}{by}, {repeats}."
    else:
        who = " and ".join(map(kind_name, dict.fromkeys(subject.runs[0].kinds)))
        unknown = not who or who.startswith("flow ")
        repeated = f", repeated {times} times." if n_runs > 1 else "."
        text = f" ({'congestion control not known' if unknown else who}){repeated}"
    logs = subject.tables["ledger"].filter(entry="file").filter(pl.col("lines_sample") > 0)
    tools = _tools(subject) or "logs"
    text += f" {tools}, {many(len(logs), 'log')} read"
    path = _path(subject)
    return together(element("b", count), text, f"; {', '.join(path)}." if path else ".")


def _tools(subject: Subject) -> str:
    run = subject.tables["run"].filter(pl.col("tool").is_not_null())
    tools = run.select("tool", "tool_version").unique().sort("tool", "tool_version").rows()
    words = [" ".join(filter(None, pair)) for pair in tools]
    if not words:
        logs = subject.tables["ledger"].filter(pl.col("lines_sample") > 0, entry="file")
        words = sorted(set(logs["format"].drop_nulls()))
    return " and ".join(words)


def _factors(subject: Subject) -> list[str]:
    """Return the factors in words: 'RTT (10–200 ms; 8 values)'."""
    if subject.placed is None:
        return []
    table = subject.placed.table
    found, told = [], False
    hidden = {"scenario_id", "panel", ROLE, MIX, *subject.placed.following}
    for name in table.columns:
        values = table[name].drop_nulls().unique().sort().to_list()
        if name in hidden or len(values) < 2:
            continue
        word, unit = axis_parts(name)
        found.append(f"{word} ({_values(values, unit)})")
        told |= _tells_mixes(subject, table[name].to_list())
    kinds = {run.kinds for run in subject.runs}
    return found if told or len(kinds) < 2 else [_mixes(kinds), *found]


def _mixes(kinds: Collection[tuple[str, ...]]) -> str:
    """Return how many there are of what runs hold: '3 kinds of flow', '8 mixes of flows'."""
    what = "kinds of flow" if all(len(of) == 1 for of in kinds) else "mixes of flows"
    return f"{len(kinds)} {what}"


def _tells_mixes(subject: Subject, values: list) -> bool:
    """Return whether each value of a factor, listed by setting, goes with one mix of flows."""
    pairs = {(values[run.setting], run.kinds) for run in subject.runs}
    return len({value for value, _ in pairs}) == len(pairs)


def _values(values: list, unit: str) -> str:
    behind = f" {unit}" if unit else ""
    if isinstance(values[0], str):
        if max(map(len, values)) > LONG_WORDS or len(values) > MAX_VALUES + 1:
            return f"{len(values)} values"
        return ", ".join(values)
    if len(values) <= MAX_VALUES:
        return ", ".join(map(plain, values)) + behind
    return f"{plain(values[0])}–{plain(values[-1])}{behind}; {len(values)} values"


def _path(subject: Subject) -> list[str]:
    """Return what is known of the path: its link and RTT where all runs share them."""
    run, flow = subject.tables["run"], subject.tables["flow"]
    rtts = (flow if (ours := compared(flow)).is_empty() else ours)["base_rtt_s"]
    words = []
    for values, unit, symbol, name in (
        (run["bottleneck_bps"], 1e6, "Mb/s", "link"),
        (rtts, 1e-3, "ms", "RTT"),
    ):
        known = values.drop_nulls().unique(maintain_order=True)
        if known.is_empty():
            words.append(f"{name} not known")
        elif len(known) == 1:
            of_all = " where it is known" if values.null_count() else ""
            words.append(f"{name} {plain(known[0] / unit)} {symbol}{of_all}")
    later = _later(subject)
    return [*words, later] if later else words


def _later(subject: Subject) -> str:
    """Return how much later flows start than the first of their run; nothing where they do not.

    It is said of all runs of several flows, or nothing: the flow itself where it alone is later.
    """
    flow = compared(subject.tables["flow"]).sort("run_id", "flow_id")
    if "start_is_assumed" not in flow.columns:
        flow = flow.with_columns(start_is_assumed=pl.lit(False))
    is_first = pl.int_range(pl.len()).over("run_id") == 0  # where only the others are told, it is 0
    known = pl.when(~pl.col("start_is_assumed") | is_first).then("start_s")
    of_runs = flow.group_by("run_id", maintain_order=True).agg(known.alias("starts"))["starts"]
    starts = [of.to_list() for of in of_runs if len(of) > 1]
    if any(None in of for of in starts):
        return ""
    apart = [[start - min(of) for start in of] for of in starts]
    late = [[place for place, by in enumerate(of) if by >= LATER_S] for of in apart]
    if not any(late):
        return ""
    low, high = (plain(of(map(max, apart)), 0) for of in (min, max))
    span = low if low == high else f"{low} to {high}"
    places = {place for of in late for place in of}
    if len(places) > 1 or {len(of) for of in apart} != {len(apart[0])}:
        return f"the last flow starts {span} s after the first"
    names = flow_names(run for run in subject.runs if len(run.flows) > 1)
    return f"{the_flow(names[places.pop()])} starts {span} s later"


def _joined(subject: Subject, least: str) -> Html:
    """Return how it is known which log is of which run and flow, and what repeats another.

    What is least certain, which the line's mark is about, comes first.
    """
    rows = [row for row in _assumed(subject, JOINED) if row["what"] != "left out"]
    if not rows:
        who = {GIVEN: "dataset.yml", LOGS_SAY: ""}[_unassumed(subject)]
        if who:
            return together("Runs, flows and repeats as ", element("code", who), " says.")
        return Html("Runs and flows follow from the contents of the logs.")
    parts = []
    for row in sorted(rows, key=lambda row: (row["certainty"] != least, row["what"] != "runs")):
        said = f"{_capital(NUMBER.sub('', row['value']))}: {row['because']}."
        if row["what"] not in IN_THE_FIRST_LINE and not row["what"].startswith("factor "):
            parts.append(said)
    left = len({row["value"] for row in _assumed(subject, JOINED) if row["what"] == "left out"})
    if left:
        parts.insert(
            MAX_SENTENCES - 1, f"{many(left, 'run')} {'is' if left == 1 else 'are'} left out."
        )
    if not parts:
        parts = ["Runs and flows follow from the names of the files."]
    return prose(" ".join(dict.fromkeys(parts[:MAX_SENTENCES])))


def _window(subject: Subject) -> Line:
    """Return over which time means are, and who says so."""
    checks = subject.tables["finding"]["check"]
    window = of_samples(subject.tables["window"], subject.tables["flow_metric"])
    without = checks.is_in(["run of traces alone", NOTHING_READ]).sum() == len(subject.runs)
    if without or window.is_empty():
        return Line(Html("There is no mean: no log has a sample of throughput."), LOGS_SAY, [])
    who = set(window.filter(pl.col("warmup_from") != ONE_INTERVAL)["warmup_from"])
    certainty, yaml = _certainty(subject, WINDOW)
    sure = GIVEN if who == {"dataset.yml"} else DEFAULT
    if not who:
        sure = certainty
    elif _assumed(subject, WINDOW):
        sure = max(sure, certainty, key=CERTAINTIES.index)
    words = window_words(window)
    starts = [row for row in _assumed(subject, WINDOW) if row["what"] == "start_s"]
    if any(row["certainty"] == GUESS for row in starts):
        words += " Flows without a known start are assumed to start together."
    return Line(prose(words), sure, [] if sure == GIVEN else yaml)


def window_words(window: pl.DataFrame) -> str:
    """Return over which time the means of runs are; `code` in backquotes.

    Args:
        window: the table of the data set, of the runs that have samples.
    """
    steady = window.filter(pl.col("warmup_from") != ONE_INTERVAL)
    if steady.is_empty():
        return "Means are over whole runs, including slow start: a log has only one interval."
    start, end = steady["warmup_s"].drop_nulls(), steady["end_s"].drop_nulls()
    span = f"{_span(start)} to {_span(end)} s" if len(end) else f"{_span(start)} s to the end"
    said = {
        "dataset.yml": ", as `dataset.yml` says",
        "config.yaml": ", the default of `config.yaml`",
    }
    who = steady["warmup_from"].unique().sort().to_list()
    by = said.get(who[0], "") if len(who) == 1 else ""
    if "run length" in who:
        by = (
            ": runs are short, so a tenth of the time that their flows share, but at least two "
            "reports, is left out"
        )
    words = f"Means are over {span} of each run{by}. "
    words += (
        "Where all flows of a run report equally often, a report that begins up to one interval "
        "before counts, too."
    )
    whole = len(window) - len(steady)
    if whole:
        runs = many(whole, "run")
        words += f" For {runs} with only one interval they are over the whole run."
    return words


def _span(values: pl.Series) -> str:
    low, high = scalar(values.min()), scalar(values.max())
    if low is None:
        return "0"
    ends = dict.fromkeys(plain(value, 1) for value in (low, high))
    return "–".join(ends)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
