"""When the flows of a run began: by the run's clock, by dates, or as their logs say."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .entities import Group, Span, Stream
from .joining.clocks import on_one_clock
from .joining.units import host_of

DATE_RESOLUTION_S = 1.5  # dates in logs are whole seconds: flows this close began together


def after_first_s(epochs: Mapping[Any, float | None]) -> dict[Any, float]:
    """Return how long after the first each began, s: 0 for all unless dates say it of all.

    Args:
        epochs: when each began, seconds since 1970.
    """
    known = {key: epoch_s for key, epoch_s in epochs.items() if epoch_s is not None}
    if len(known) < len(epochs):
        return dict.fromkeys(epochs, 0.0)
    first_s = min(known.values(), default=0.0)
    return {key: epoch_s - first_s for key, epoch_s in known.items()}


def span_of(run: Group) -> Span | None:
    """Return when a run began and ended by the dates in its logs; None where they do not say it."""
    measuring = [s for s in run.streams if s.measures]
    dated = [(s.start_epoch_s, s.end_s) for s in measuring if s.start_epoch_s is not None]
    zones = {s.zone for s in measuring}
    if not dated or len(dated) < len(measuring) or len(zones) > 1:
        return None
    start_s = min(epoch_s for epoch_s, _ in dated)
    return Span(start_s, max(epoch_s + (end_s or 0.0) for epoch_s, end_s in dated), zones.pop())


def begun_s(first: Stream, after_s: float) -> float:
    """Return how long after the run's first flow one began, s, as far as dates or its log say it.

    Args:
        first: a stream of the flow.
        after_s: how long after by dates.
    """
    return after_s if after_s > DATE_RESOLUTION_S else first.start_s or 0.0


RECEIVERS = re.compile(r"server|receiver|recv|rcv|dst|sink", re.IGNORECASE)


def counting_stream(streams: list[Stream]) -> Stream:
    """Return the stream whose report counts: the receiver's where there is one.

    Where no log says its side (plain CSV of iperf 2.1 and later) a name that says 'server' does.
    """

    def rank(stream: Stream) -> tuple:
        known = ("receiver", None, "sender").index(stream.side)
        hinted = stream.side is None and not RECEIVERS.search(stream.path)
        return not stream.measures, known, stream.quoted, hinted

    return min(streams, key=rank)


def said_by(streams: list[Stream], key: str) -> Any:
    return next((said for s in streams if (said := getattr(s, key)) is not None), None)


def began(groups: dict[Any, list[Stream]]) -> Mapping[Any, float | None]:
    """Return when each group of streams began, seconds since 1970; None where no log says it.

    Nor where the zones of their dates cannot be compared (`formats.zones`); of a group that has
    dates of several the one of a known zone counts. Clocks that are whole zones of time off are set
    right (`clocks.on_one_clock`).
    """
    dates = _dates(groups)
    spans = {
        key: (epoch_s, max((s.end_s or 0.0) for s in groups[key]))
        for key, epoch_s in dates.items()
        if epoch_s is not None
    }
    return on_one_clock(spans) if len(spans) == len(dates) else dates


def _dates(groups: dict[Any, list[Stream]]) -> dict[Any, float | None]:
    """Return the dates at which groups of streams began, as logs have them.

    Those of one host that dates them all, as the server of all, where there is one: the clocks of
    several agree to a second or so only.
    """
    dates = {}
    one_clock = _host_of_all(groups)
    for key, streams in groups.items():
        dated = [s for s in streams if s.start_epoch_s is not None]
        first = min(dated, key=lambda s: (s.zone is not None, _host(s) != one_clock), default=None)
        dates[key] = (first.start_epoch_s, first.zone) if first else (None, None)
    zones = {zone for epoch_s, zone in dates.values() if epoch_s is not None}
    return {key: epoch_s if len(zones) < 2 else None for key, (epoch_s, _) in dates.items()}


def _host_of_all(groups: dict[Any, list[Stream]]) -> str | None:
    """Return the host that wrote dated logs of all groups; None without one, or of several ends."""
    of_file: dict[int, set[str]] = defaultdict(set)
    for stream in (s for streams in groups.values() for s in streams):
        of_file[stream.file_id].add(_host(stream))
    hosts = [
        {
            _host(s)
            for s in streams
            if s.start_epoch_s is not None and len(of_file[s.file_id]) == 1 and _host(s)
        }
        for streams in groups.values()
    ]
    return min(set.intersection(*hosts), default=None) if hosts else None


def _host(stream: Stream) -> str:
    return host_of(stream.local or "")


def logged_start(
    flow: int,
    of_flow: list[Stream],
    epochs: Mapping[int, float | None],
    members: dict[int, list[Stream]],
) -> dict[str, Any]:
    """Return when a flow began on the run's clock, where logs say it for every flow.

    Else all connections are taken to begin together. A flow begins after what its test omitted.
    """
    if of_flow[0].clock == "run":
        return {"start_s": said_by(of_flow, "start_s"), "start_from": "log"}
    omitted_s = {number: _omitted_s(streams) for number, streams in members.items()}
    known = {n: epoch - omitted_s[n] for n, epoch in epochs.items() if epoch is not None}
    if len(known) == len(epochs):
        whole = all(epoch == int(epoch) for epoch in known.values())
        together_s = DATE_RESOLUTION_S if whole else 0.0
        first = min(known.values())
        after_s = {n: epoch - first for n, epoch in known.items()}
        starts = {n: (s if s >= together_s else 0.0) + omitted_s[n] for n, s in after_s.items()}
        moved = _dates(members) != epochs
        return {
            "start_s": starts[flow] - min(starts.values()),
            "start_from": "clock" if moved else "log",
        }
    files = {counting_stream(streams).file_id for streams in members.values()}
    if len(files) == 1 and counting_stream(of_flow).start_s is not None:
        return {"start_s": counting_stream(of_flow).start_s, "start_from": "log"}
    assumed_s = omitted_s[flow] - min(omitted_s.values())
    return {"start_from": "assumed"} | ({"start_s": assumed_s} if assumed_s else {})


def _omitted_s(streams: list[Stream]) -> float:
    """Return how long the test of a flow ran before what counts began (iperf3 -O), seconds."""
    options = [json.loads(s.options or "{}") for s in streams]
    return max(float(said.get("omit_s", 0)) for said in options)
