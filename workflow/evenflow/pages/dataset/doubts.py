"""Can the numbers be trusted: what is wrong, the worst first, and what it does to the answer."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ...checks.steadiness import NO_STEADY_STATE
from ...render.element import Html, element, folded, prose, together
from ...statistics.steady import is_unsteady
from .answer import index_words_apart
from .offers import Offers
from .remedies import Remedy, remedy_of, shown_remedy
from .subject import Subject, many, spoken

SHOWN = 2  # doubts at once
SLIGHT = 0.02  # of many rows a change of Jain's index up to this is not told row by row
SAME = 1e-6  # a change of Jain's index that is none
KINDS = {"error": "err", "warning": "warn"}
# what a check means for the numbers, where its message is of one run only
MEANS = {
    "few samples in the steady state": "The mean is over fewer than ten reports. Without a warm-up "
    "there would be more, but slow start would be included.",
}


class Doubt(NamedTuple):
    """A check that found something: its severity, how many, what it does, what settles it."""

    severity: str
    check: str
    where: str
    meaning: str
    effect: str
    remedy: Remedy


def doubts(subject: Subject) -> list[Doubt]:
    """Return what the checks found, errors first, then by the number of runs."""
    severe = subject.tables["finding"].filter(pl.col("severity") != "note")
    groups = severe.partition_by("severity", "check", as_dict=True, maintain_order=True)

    def weight(item: tuple) -> tuple:
        (severity, _), rows = item
        return severity != "error", -len(_runs_of(subject, rows))

    found = []
    for (severity, check), rows in sorted(groups.items(), key=weight):
        message = rows["message"][0]
        meaning = MEANS.get(check, f"{message[:1].upper()}{message[1:]}.")
        where = _where(subject, rows)
        where = "" if meaning.startswith(f"{where} ") else where  # nor twice
        found.append(
            Doubt(severity, check, where, meaning, _effect(subject, rows), remedy_of(rows))
        )
    return found


def _where(subject: Subject, rows: pl.DataFrame) -> str:
    n, of = len(_runs_of(subject, rows)), len(subject.runs)
    if not n:
        n_files = rows["path"].drop_nulls().n_unique()
        return many(n_files, "file") if n_files else "the data set"
    if n >= of:
        return {1: "the run", 2: "both runs"}.get(of, f"all {of:,} runs")
    return f"{n:,} of {of:,} runs"


def _runs_of(subject: Subject, rows: pl.DataFrame) -> set[str]:
    """Return the runs that findings are about; of the one on all unsteady runs these."""
    if rows["check"][0] != NO_STEADY_STATE:
        return set(rows["run_id"].drop_nulls())
    return set(subject.tables["run_metric"].filter(is_unsteady())["run_id"])


def _effect(subject: Subject, rows: pl.DataFrame) -> str:
    """Return what Jain's index would be without the runs of a finding.

    Over the same settings: else what changes is which settings are asked. How many settings become
    fair or unfair, and how many would have no run left, is said beside it.
    """
    bad = _runs_of(subject, rows)
    known = [run for run in subject.runs if run.jfi is not None and len(run.kinds) > 1]
    if not known or not bad:
        return ""
    if bad >= {run.id for run in known}:
        return "No run would be left without them." if len(subject.runs) > len(bad) else ""
    if bad.isdisjoint(run.id for run in known):
        return "They have no Jain’s index: it is the same without them."
    every, kept = (
        _by_setting(run for run in known if not (left and run.id in bad)) for left in (False, True)
    )
    turned = [n for n in kept if (kept[n] >= subject.fair) != (every[n] >= subject.fair)]
    moved = []
    for panel in subject.panels:
        of = [n for n in kept if subject.settings[n].panel == panel]
        if of:
            before, after = (sum(means[n] for n in of) / len(of) for means in (every, kept))
            turns = (before >= subject.fair) != (after >= subject.fair)
            by = abs(after - before)
            moved.append(((by >= SLIGHT) * by, turns, by, before, after, panel))
    # the largest change; of slight ones rather one that crosses what is fair
    *_, turns, by, before, after, panel = max(moved, key=lambda each: each[:3])
    if by < SAME and not turned:
        text = "Without them Jain’s index is the same"
    elif by < SLIGHT and len(moved) > 1 and not turns:
        text = f"Without them Jain’s index changes by at most {SLIGHT:g} in any row"
    else:
        was, is_ = index_words_apart(before, after, subject.fair)
        text = f"Without them Jain’s index of {spoken(panel)} is {is_}, not {was}"
    text += f", over the same settings{_turned(kept, turned, subject.fair)}"
    empty = len(every) - len(kept)
    left = f"; {many(empty, 'setting')} would have no run left" if empty else ""
    return f"{text}{left}."


def _turned(kept: dict[int, float], turned: list[int], fair: float) -> str:
    """Return in words how many settings become fair or unfair; nothing where none does."""
    n = sum(kept[setting] >= fair for setting in turned)
    counts = {"fair": n, "unfair": len(turned) - n}
    if len(kept) == 1:
        return "".join(f": this is {word}" for word, n in counts.items() if n)
    become = {word: "becomes" if n == 1 else "become" for word, n in counts.items()}
    said = [f"{many(n, 'setting')} {become[word]} {word}" for word, n in counts.items() if n]
    return f": {' and '.join(said)}" if said else ""


def _by_setting(runs) -> dict[int, float]:
    found: dict[int, list[float]] = {}
    for run in runs:
        found.setdefault(run.setting, []).append(run.jfi)
    return {setting: sum(of) / len(of) for setting, of in found.items()}


def doubts_box(subject: Subject, found: list[Doubt], guesses: int, offers: Offers) -> Html:
    """Return the box: what is wrong, or that nothing is; amber where something is a guess."""
    notes = len(subject.tables["finding"].filter(severity="note"))
    if not found:
        title = "Nothing speaks against these numbers"
        if guesses:
            lines = "line above is a guess" if guesses == 1 else "lines above are guesses"
            title = f"The checks found nothing, but {guesses} {lines}"
        read = together(", with ", many(notes, "note"), " (", _link("findings", "read"), ")")
        passed = together("All checks passed", read if notes else "", ".")
        return _box("warn" if guesses else "ok", title, element("p", passed))
    flagged = {check for run in subject.runs for check in run.flags}
    items = [element("li", _said(doubt, offers, _flag(doubt) in flagged)) for doubt in found]
    parts = [element("ul", items[:SHOWN])]
    if len(items) > SHOWN:
        parts.append(folded(f"{len(items) - SHOWN} more", element("ul", items[SHOWN:])))
    worst = found[0].severity
    title = "Look at this before you use the numbers"
    if worst == "error":
        title = "Do not use these numbers yet"
    return _box(KINDS[worst], title, *parts)


def _link(section: str, words: str) -> Html:
    return element("a", words, href=f"#{section}")


def _box(kind: str, title: str, *parts: Html) -> Html:
    return element("section", element("h2", title), *parts, class_=f"box {kind}", id="trust")


def _flag(doubt: Doubt) -> str:
    """Return what runs carry that a doubt is about (`Run.flags`)."""
    return f"{doubt.severity}: {doubt.check}"


def _said(doubt: Doubt, offers: Offers, of_runs: bool) -> Html:
    where: object = doubt.where
    if of_runs:  # a link that opens them
        where = element("a", where, class_="evidence", href="#findings", data_check=_flag(doubt))
    effect = together(" ", element("b", doubt.effect)) if doubt.effect else ""
    return together(
        element("b", doubt.severity, class_=doubt.severity),
        " ",
        element("b", f"{doubt.check[:1].upper()}{doubt.check[1:]}"),
        ": ",
        together(where, ". ") if where else "",
        prose(doubt.meaning),
        effect,
        " ",
        shown_remedy(doubt.remedy, offers),
    )
