"""Durations in names that the logs contradict: factors, and not the lengths of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import polars as pl

from ..formats import RUN_RECORD
from ..markdown import first_of
from .described.patterns import renamed
from .entities import GUESS, WINDOW, Assumption, Entry, Group, Stream
from .offered import MAX_VALUES, table_of

DURATION, NAMED = "duration_s", "named_duration_s"  # the setting, and the factor in its place
# a log may end so many of its intervals after the run: the last report is late. But no more than a
# share of the run, where it has few intervals, and at least so many seconds
BEYOND, SHARE, LEAST_S = 2, 0.5, 1.0


def slack_s(duration_s: float, interval_s: float) -> float:
    """Return how far from a run's end a log may end that is said to end with it."""
    return max(LEAST_S, min(BEYOND * interval_s, SHARE * duration_s))


def withdraw_durations(
    entries: Iterable[Entry], groups: Mapping[str, Group], interval: pl.DataFrame, given: bool
) -> list[Assumption]:
    """Make a factor of the durations in names, if the logs of a run contradict its own.

    Of those in all names: what they count is the same in each.

    Args:
        entries: the inventory, placed by inferred templates; templates, values and settings of
            those with a duration are changed.
        groups: the runs.
        interval: the parsed intervals.
        given: whether dataset.yml or runs.csv say how long runs are.

    Returns:
        What is asked, if it is not given.
    """
    lengths = interval.select("file_id", "stream", s=pl.col("t_end_s") - pl.col("t_start_s"))
    of_stream = lengths.group_by("file_id", "stream", maintain_order=True).agg(pl.median("s"))
    interval_s = {(file_id, stream): s for file_id, stream, s in of_stream.rows()}
    said: dict[str, float] = {}
    ran: dict[str, float] = {}  # of the runs whose logs say otherwise: how long they took
    for name, group in groups.items():
        named = {e.settings[DURATION] for e in group.files if DURATION in e.settings}
        if len(named) == 1 and all(e.format != RUN_RECORD for e in group.files):
            (said[name],) = named
            ran_s = _otherwise_s(said[name], group.streams, interval_s)
            if ran_s is not None:
                ran[name] = ran_s
    if not ran:
        return []
    texts = {e.values[DURATION] for e in entries if DURATION in e.values}
    for entry in (e for e in entries if DURATION in e.values):
        new = {DURATION: NAMED}
        entry.template = renamed(entry.template, new)
        entry.values = {new.get(key, key): value for key, value in entry.values.items()}
        if entry.settings.pop(DURATION, None) is not None:
            entry.settings[NAMED] = entry.values[NAMED]
    return [] if given else [_row(sorted(texts, key=float), said, ran)]


def _otherwise_s(
    duration_s: float, streams: Sequence[Stream], interval_s: Mapping[tuple, float]
) -> float | None:
    """Return how long a run took by its logs, if it is not the duration; else None.

    A flow alone took longer: flows that start later may end later. Or all ended earlier, as they
    were to. Where a sender says how long it sent, a receiver is not asked: it goes on until all
    buffers are empty.
    """
    logged = [s for s in streams if s.measures and s.end_s is not None]
    every = [interval_s[key] for s in logged if (key := (s.file_id, s.stream)) in interval_s]
    slack = slack_s(duration_s, median(every) if every else 0.0)
    sending = [s for s in logged if s.side == "sender"] or logged
    planned = [s.planned_s for s in logged if s.planned_s]
    if any(abs(s - duration_s) <= slack for s in planned):
        return None
    longest_s = max((_ran_s(s) for s in sending), default=0.0)
    if longest_s > duration_s + slack:
        return longest_s
    epochs = [s.start_epoch_s for s in logged if s.start_epoch_s is not None]
    one_clock = len(epochs) == len(logged) and len({s.zone for s in logged}) == 1
    if len(planned) < len(logged) or not (one_clock or len(logged) == 1):
        return None
    first_s = min(epochs, default=0.0)
    end_s = max((s.start_epoch_s or first_s) - first_s + _ran_s(s) for s in logged)
    whole = all(_ran_s(s) >= (s.planned_s or 0.0) - slack for s in logged)
    return end_s if whole and end_s < duration_s - slack else None


def _ran_s(stream: Stream) -> float:
    """Return how long a connection took by its log."""
    began_s = (stream.start_s or 0.0) if stream.clock == "run" else 0.0
    return (stream.end_s or 0.0) - began_s


def _row(texts: Sequence[str], said: Mapping[str, float], ran: Mapping[str, float]) -> Assumption:
    shown = first_of([f"'{text}'" for text in texts], MAX_VALUES)
    value = f"{shown} in names, kept as the factor {NAMED}, not as {DURATION}"
    run, ran_s = next(iter(ran.items()))
    because = f"the logs of {len(ran):,} of {len(said):,} runs say otherwise: those of {run} say "
    because += f"{ran_s:.6g} s, its name {said[run]:g}"
    if len({*said.values()}) == 1:
        head = "# if it is the length of each run all the same:"
        yaml = f"{head}\n# defaults: {{{DURATION}: {said[run]:g}}}"
    else:
        yaml = table_of(DURATION, said, "if they are the lengths of the runs all the same:")
    return Assumption(DURATION, value, because, yaml, GUESS, WINDOW)
