"""The whole page of a data set: its sections in order, contents beside them, style, script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from ...metrics import catalogue  # noqa: F401, fills the registry
from ...metrics.fairness import cross_traffic, is_opposite
from ...metrics.registry import of_grain
from ...metrics.windows import of_samples
from ...render.element import Html, element, folded, prose, text, together
from .accounting import downloads, ledger
from .answer import Row, answer_rows, sentence
from .assumed import assumptions, latest_start, missing, window_assumptions
from .doubts import Doubt, doubts, doubts_box
from .facts import compares_datagrams, confirmed, cross_traffic_kinds, facts, source_of
from .found import findings
from .merging import merged_yaml
from .nothing import nothing_read
from .offers import Offers, as_json
from .packed import as_bytes, files_of_runs, of_runs, of_settings, packed, series
from .palette import palette
from .parts import source
from .pictured import answer_table
from .subject import Subject, carried_nothing, many
from .taken import n_guesses, taken_as

IN_TERMS = ("jfi", "system_nru_db")  # metrics that TERMS explain
FEW_RUNS = 24  # all of which are drawn over time; then time comes before the factors
TERMS = {
    "Steady state": "The samples of a run that its metrics are computed from, the same time for "
    "all of its flows, as near as their reports allow. Intervals are weighted by their length. "
    "A last interval shorter than half of the others is left out, and so are those that the tool "
    "marks as omitted (iperf3 -O).",
    "Mean throughput": "Bytes of the steady state over its seconds: payload, not packets with "
    "headers.",
    "Jain’s index": "(Σ x)² / (N Σ x²) of the mean throughput x of the N flows of a run: 1 when "
    "all get the same, 1/N when one gets all. Undefined for a run in which no flow carried "
    "anything.",
    "NRU": "Normalised resource usage, 10 log₁₀ of a flow’s throughput divided by that of its "
    "congestion control against itself (runs of role calibration) in the same place: 0 dB means "
    "that they are equal. The system-NRU is the mean over a run’s flows.",
    "Harm": "The share of its throughput that a flow loses to its competitor, as against another "
    "flow of its own congestion control (runs of role calibration): 0 if it loses nothing, 1 if it "
    "starves, below 0 if it gains.",
    "MSER-5": "A rule that proposes how much of the beginning of a run to leave out: as much as "
    "makes the mean of the rest most precise, at most half. If it proposes half, the flow may not "
    "have reached a steady state (White 1997).",
    "Interval": "Student’s t interval of the mean over the repeats of a setting. The run is the "
    "unit, not the second. There is none for one repeat, or for identical repeats.",
}


def full_page(
    subject: Subject,
    offers: Offers,
    points: pl.DataFrame,
    files: Mapping[str, Mapping[str, Path]],
    warmup_s: float,
    theme: Path,
) -> str:
    """Return the page of a data set with runs."""
    tables = subject.tables
    known = subject.about.get("confirmed", ())
    window = of_samples(tables["window"], tables["flow_metric"])
    of_window = window_assumptions(
        window, tables["flow"], warmup_s, known, latest_start(window, tables["flow_metric"])
    )
    assumed = [tables["assumption"]] if "assumption" in tables else []
    assumption = pl.concat([*assumed, of_window])
    subject = Subject(**{**vars(subject), "tables": {**tables, "assumption": assumption}})
    lines, rows, found = taken_as(subject), answer_rows(subject), doubts(subject)
    guesses = n_guesses(lines)
    first = [
        _heading(subject, found, guesses),
        _taken(lines, offers),
        _answer(subject, rows),
        doubts_box(subject, found, guesses, offers),
    ]
    measured = any(mean is not None for run in subject.runs for mean in run.means)
    charts = {"factors": ("By factor", 0)} if subject.axes and measured else {}
    heads, over_time = series(subject, points)
    charts |= {"time": ("Over time", 0)} if any(heads) else {}
    if len(subject.runs) <= FEW_RUNS:
        charts = dict(reversed(charts.items()))
    body = [
        *first,
        *(_chart(name, title) for name, (title, _) in charts.items()),
        _rows("settings", "Settings"),
        _rows("runs", "Runs"),
        _section("findings", "Findings", findings(tables["finding"], offers)),
        _section("assumed", "What was assumed", assumptions(assumption, offers)),
        offers.section(missing(subject.about, tables)),
        *_about(subject, files),
        element("dialog", id="setting", aria_labelledby="setting-title"),
        element("div", id="tip", aria_hidden="true", hidden=True),
    ]
    contents = {
        "answer": ("Who got how much", 0),
        "trust": ("Can I trust it", len(found)),
        **charts,
        "settings": ("Settings", len(subject.settings)),
        "runs": ("Runs", len(subject.runs)),
        "findings": ("Findings", len(tables["finding"])),
        "assumed": ("Assumed", len(assumption)),
        "settle": ("dataset.yml", 0),
        "about": ("About", 0),
        "files": ("Files and tables", 0),
        "terms": ("How the numbers are made", 0),
    }
    late = of_runs(subject, heads, files_of_runs(subject))
    data = [
        _data("now", as_json(of_settings(subject, rows)), "application/json"),
        _data("offers", as_json(offers.data()), "application/json"),
        _data("late", Html(packed(as_bytes(late))), "text/plain"),
        _data("points", Html(packed(over_time)), "text/plain"),
    ]
    return _framed(subject, contents, body, data, theme)


def empty_page(
    subject: Subject, offers: Offers, files: Mapping[str, Mapping[str, Path]], theme: Path
) -> str:
    """Return the page of a data set without a run: what each kind of file was taken for."""
    tables, offers = subject.tables, replace(offers, merges=False)
    found = doubts(subject)
    body = [
        element("h1", _title(subject)),
        element("p", "No run of this data set could be read. The findings say why.", class_="lead"),
        element("p", prose(source_of(subject.about))),
        confirmed(subject.about.get("confirmed", ())),
        _section("files", "What is here", nothing_read(tables["ledger"])),
        doubts_box(subject, found, 0, offers) if found else "",
        _section("findings", "Findings", findings(tables["finding"], offers)),
        _section("ledger", "Where every byte went", ledger(tables["ledger"])),
        _section("tables", "Tables", downloads(files)),
    ]
    contents = {
        "files": ("What is here", 0),
        **({"trust": ("What is wrong", len(found))} if found else {}),
        "findings": ("Findings", len(tables["finding"])),
        "ledger": ("Where every byte went", 0),
        "tables": ("Tables", 0),
    }
    return _framed(subject, contents, body, [], theme)


# ---- sections ------------------------------------------------------------------------------------


def _title(subject: Subject) -> str:
    return str(subject.about.get("title") or subject.name)


def _heading(subject: Subject, found: list[Doubt], guesses: int) -> Html:
    """Return the title with what is to be looked at; never green where something is a guess."""
    worst, words = "fine", "checks passed"
    if found:
        worst, words = found[0].severity, f"{many(len(found), 'thing')} to look at"
        if worst == "error":
            words += " before use"
    elif guesses:
        worst, words = "warning", f"checks passed, {many(guesses, 'guess', 'guesses')}"
    chip = element("a", words, href="#trust", class_=f"chip {worst}")
    return element("h1", _title(subject), " ", chip)


def _taken(lines: list, offers: Offers) -> Html:
    items = []
    for line in lines:
        sure = element("span", line.certainty, class_=f"sure {line.certainty.replace(' ', '-')}")
        more = offers.shown(merged_yaml(line.yaml), "Is that right?")
        items.append(element("li", sure, element("span", line.words, " ", more)))
    words = "How the files were interpreted, and how certain that is"
    return element("ul", items, class_="taken", aria_label=words)


def _answer(subject: Subject, rows: list[Row]) -> Html:
    beside = [element("p", prose(words), class_="note") for words in _beside(subject)]
    return element(
        "section",
        element("h2", sentence(subject, rows), *_source_of_all(rows)),
        answer_table(subject, rows),
        beside,
        id="answer",
    )


def _source_of_all(rows: list[Row]) -> list[object]:
    """Return the word that opens what the numbers of the sentence are from."""
    if not rows:
        return []
    words = "Source of this sentence"
    what = "fair" if any(row.fair is not None and not row.alone for row in rows) else "total"
    numbers = [row.number for row in rows]
    return [" ", element("small", source("source", what, numbers, aria_label=words))]


def _beside(subject: Subject) -> list[str]:
    """Return what the answer does not say: cross traffic, datagrams, runs that are in no row."""
    tables, sentences = subject.tables, []
    run, flow = tables["run"], tables["flow"]
    with_it = run.join(cross_traffic(flow), on="run_id", how="semi")
    why = tables["assumption"].filter(what="cross_traffic")
    if len(with_it):
        kinds = ", ".join(cross_traffic_kinds(flow))
        sentences.append(
            f"Cross traffic ({kinds}) runs next to the flows that are compared in "
            f"{_of(len(with_it), len(run))}: it is drawn{_in_utilisation(cross_traffic(flow))} "
            "in fairness. To compare it, write `cross_traffic: false` into `dataset.yml`."
        )
        sentences += [f"{_capital(v)}: {because}." for v, because in why["value", "because"].rows()]
    if compares_datagrams(tables):
        sentences.append(
            "UDP flows send at their configured rate, whatever the others do: their fairness is "
            "computed from what arrived."
        )
    several = [run for run in subject.runs if len(run.kinds) > 1]
    nothing = [run for run in several if carried_nothing(run)]
    if nothing:
        counts = "it counts" if len(nothing) == 1 else "they count"
        sentences.append(
            f"Nothing was carried in the steady state of {_of(len(nothing), len(several))} of "
            f"several flows: {counts} as 0 in the throughput, and in no share or Jain’s index."
        )
    without = [run for run in several if run.jfi is None and not carried_nothing(run)]
    if without:
        sentences.append(
            f"Without Jain’s index: {_of(len(without), len(several))} of several flows. Their "
            "flows do not overlap in time, or one has no sample in the steady state."
        )
        if any(None in run.means for run in without):
            sentences[-1] += " A run without a sample is in none of these means."
    if (tables["finding"]["check"] == "run of traces alone").any():
        sentences.append("Runs with traces only have no throughput and no fairness.")
    return sentences


def _in_utilisation(cross: pl.DataFrame) -> str:
    """Return how cross traffic counts in utilisation, before what it does not count in."""
    opposite = cross.select(is_opposite(cross).alias("opposite"))["opposite"]
    if not opposite.any():
        return " and counts in utilisation, but not"
    if opposite.all():
        return ", but counts neither in utilisation nor"
    return " and, except for what goes in the opposite direction, counts in utilisation, but not"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _of(n: int, of: int) -> str:
    return "every run" if n == of else f"{n:,} of {many(of, 'run')}"


def _section(name: str, title: str, *parts: Html) -> Html:
    return element("section", element("h2", title), *parts, id=name)


def _chart(name: str, title: str) -> Html:
    """Return the place of a chart, which the script fills."""
    figure = element(
        "figure",
        element("div", class_="legend"),
        element("div", class_="grid"),
        element("figcaption"),
        class_="chart",
    )
    return element(
        "section",
        element("h2", title),
        element("div", class_="controls"),
        figure,
        id=name,
        class_="scripted",
    )


def _rows(name: str, title: str) -> Html:
    return element(
        "section", element("h2", title), element("div", class_="rows"), id=name, class_="scripted"
    )


def _about(subject: Subject, files: Mapping[str, Mapping[str, Path]]) -> list[Html]:
    tables = subject.tables
    absent = [m.needs for m in of_grain("run") if not _is_known(tables["cell"], m.name) and m.needs]
    terms = {
        **TERMS,
        **{m.label: m.meaning for m in subject.metrics if m.name not in IN_TERMS},
    }
    said = [[element("dt", term), element("dd", words)] for term, words in terms.items()]
    terms_ = element("dl", said, class_="facts")
    lacks = [element("p", prose(words), class_="note") for words in dict.fromkeys(absent)]
    return [
        _section("about", "About", facts(subject.about, tables)),
        _section("files", "Files and tables", ledger(tables["ledger"]), downloads(files)),
        _section("terms", "How the numbers are made", folded("Definitions", terms_), *lacks),
    ]


def _is_known(cell: pl.DataFrame, metric: str) -> bool:
    return (cell["metric"] == metric).any()


# ---- the frame -----------------------------------------------------------------------------------


def _data(name: str, content: Html, kind: str) -> Html:
    return Html(f'<script type="{kind}" id="{name}">{content}</script>\n')


def _framed(
    subject: Subject,
    contents: Mapping[str, tuple[str, int]],
    body: list,
    data: list[Html],
    theme: Path,
) -> str:
    style = (theme / "dataset.css").read_text(encoding="utf-8") + palette(subject.kinds)
    script = (theme / "dataset.js").read_text(encoding="utf-8") if data else ""
    links = element("ol", [_entry(*item) for item in contents.items()])
    menu = folded("On this page", links, class_="menu")
    page = [
        element("header", element("b", subject.name), menu, class_="top"),
        element(
            "div",
            element("nav", links, class_="side", aria_label="On this page"),
            element("main", body, id="main"),
            class_="wrap",
        ),
    ]
    title = f"{_title(subject)}: evenflow"
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
    )
    run = f"<script>\n{script}</script>\n" if script else ""
    return f"{head}{together(page)}\n{together(data)}{run}</body>\n</html>\n"


def _entry(name: str, said: tuple[str, int]) -> Html:
    words, n = said
    count = element("span", f"{n:,}", class_="count") if n else ""
    return element("li", element("a", words, count, href=f"#{name}"))
