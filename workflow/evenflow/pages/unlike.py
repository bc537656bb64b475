"""What else differs between two data sets that are compared: the settings that are on no grid."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import polars as pl

from ..formats.options import USUAL
from ..ingest.pooling import APART, APART_S, FROM_LOGS
from ..markdown import first_of
from ..metrics.fairness import compared
from ..statistics.factors import free_factors
from ..statistics.surfaces import CELL, SURFACE, runs_in_cells

PLACE = [*SURFACE, *CELL]
WORDS = {
    "platform": "Platform",
    "tool": "Tool",
    "aqm": "Queue",
    "mss_bytes": "Segment size (bytes)",
    "side": "Samples of",
    "n_cross_traffic": "Flows of cross traffic",
}
VERSION, HOSTS = "Version of the tool", "Addresses of senders and receivers"
SECONDS = {"warmup_s": "Start of the steady state (s)", "end_s": "End of the steady state (s)"}
STARTS = ["Start of the first flow (s)", "Start of the second flow (s)"]
DURATION, PLANNED = "Length (s)", "Requested duration (s)"
# what logs print of how a tool was told to send (`formats.options`), as within a data set
OPTIONS = {
    name: "Protocol" if name == "protocol" else says[:1].upper() + says[1:]
    for name, long in FROM_LOGS.items()
    if name not in ("hosts", "segment_bytes", "planned_s", "length_s", "start_s")
    for says in (long.removeprefix("the "),)
}
TOLD = {**OPTIONS, "hosts": HOSTS}  # within a data set they are factors if runs differ in them
NAMES = [
    *WORDS.values(), VERSION, HOSTS, *OPTIONS.values(), DURATION, PLANNED, *STARTS,
    *SECONDS.values(),
]  # fmt: skip
# no difference where one side does not know them: most logs do not say
OF_BOTH = [VERSION, HOSTS, OPTIONS["protocol"]]
NO_OPTION = [USUAL, "0"]  # what is known of one side only, but says that nothing was asked for
SIZES = ("tcp_window", "udp_buffer", "block")
BYTES = re.compile(r"(\d+)(?: bytes?)?")
SLIGHT, SLIGHT_S = 0.05, 0.5  # times up to this share, or so many seconds, apart are alike
LISTED = 4  # values of a setting
UNKNOWN = "not known"


class Unlike(NamedTuple):
    """A setting that differs or is known of one side: its values there, and in how many cells."""

    setting: str
    of: str
    against: str
    n_cells: int

    @property
    def is_known(self) -> bool:
        """Whether it is known of both sides, so that it differs for certain."""
        return UNKNOWN not in (self.of, self.against)


def unlike_settings(
    sides: list[tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]],
    match: pl.DataFrame,
) -> tuple[list[Unlike], list[str]]:
    """Return the settings that differ in cells that are compared, and those known on no side.

    Args:
        sides: of either data set the tables run, flow, window and stream (of its chunks).
        match: result of `comparison.cell_match`.
    """
    cells = match.filter("compared").select(PLACE)
    words, seconds = (
        [make(*side).join(cells, on=PLACE, how="semi") for side in sides]
        for make in (_words, _seconds)
    )
    key = [*PLACE, "setting"]
    text = _value(words[0]).join(_value(words[1]), on=key, how="full", coalesce=True, suffix="_t")
    one_side = pl.col("value").is_null() | pl.col("value_t").is_null()
    slight = pl.col("setting").is_in(OF_BOTH) | (
        pl.coalesce("value", "value_t").is_in(NO_OPTION)
        & pl.col("setting").is_in(list(OPTIONS.values()))
    )
    text = text.filter(pl.col("value").ne_missing(pl.col("value_t")), ~(one_side & slight))
    means = [
        of.group_by(key, maintain_order=True).agg(pl.col("value").mean()).drop_nulls("value")
        for of in seconds
    ]
    times = means[0].join(means[1], on=key, suffix="_t").filter(_apart())
    times = times.with_columns(
        pl.col("value", "value_t").round(1).map_elements("{:g}".format, pl.String)
    )
    found = []
    for (setting,), rows in pl.concat([text, times.select(text.columns)]).group_by(
        "setting", maintain_order=True
    ):
        found.append(
            Unlike(str(setting), _listed(rows["value"]), _listed(rows["value_t"]), len(rows))
        )
    known = {name for of in words for name in of.drop_nulls("value")["setting"]}
    found = sorted(found, key=lambda one: [*NAMES, one.setting].index(one.setting))
    return found, [name for name in WORDS.values() if name not in known]


def _words(
    run: pl.DataFrame, flow: pl.DataFrame, window: pl.DataFrame, stream: pl.DataFrame
) -> pl.DataFrame:
    """Return PLACE, setting and value, as text: of every run, or of each of its flows."""
    factors = [
        {"run_id": run_id, "setting": TOLD.get(name, name), "value": str(value)}
        for run_id, of_run in zip(run["run_id"], free_factors(run), strict=True)
        for name, value in of_run.items()
    ]
    of_factors = pl.DataFrame(
        factors, schema=dict.fromkeys(("run_id", "setting", "value"), pl.String)
    )
    named = {**WORDS, "tool_version": VERSION}
    of_runs, of_flows = (
        table.select(
            "run_id", pl.col(name for name in named if name in table.columns).cast(pl.String)
        )
        .rename(named, strict=False)
        .unpivot(index="run_id", variable_name="setting")
        for table in (run, compared(flow))
    )
    said = pl.concat([of_runs, of_flows, of_factors, _of_streams(flow, stream)])
    return runs_in_cells(run).join(said, on="run_id")


def _of_streams(flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, setting and value of what logs print of how the compared flows were sent."""
    own = _of_compared(flow, stream).sort("run_id", "flow_id", maintain_order=True)
    found = []
    for run_id, protocol, options in own.select("run_id", "protocol", "options").rows():
        said = {"protocol": protocol, **json.loads(options or "{}")}
        found += [
            (run_id, OPTIONS.get(name, name), _size(str(value)) if name in SIZES else str(value))
            for name, value in said.items()
            if value is not None
        ]
    counts = own.filter("counts")
    ends = zip(*(counts[name] for name in ("run_id", "side", "local", "peer")), strict=True)
    hosts: dict[str, list[str]] = {}
    for run_id, side, *two in ends:
        of_flow = [(end or "").rpartition(":")[0] or UNKNOWN for end in two]
        of_flow = of_flow[::-1] if side == "receiver" else of_flow
        hosts.setdefault(run_id, []).append(" > ".join(of_flow))
    found += [
        (run_id, HOSTS, ", ".join(dict.fromkeys(of_run)))
        for run_id, of_run in hosts.items()
        if UNKNOWN not in " ".join(of_run)
    ]
    schema = dict.fromkeys(("run_id", "setting", "value"), pl.String)
    return pl.DataFrame(found, schema=schema, orient="row")


def _of_compared(flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Return the streams of the flows that are compared."""
    one = ["run_id", "flow_id"]
    ours = compared(flow).select(pl.col("run_id").cast(pl.String), pl.col("flow_id").cast(pl.Int32))
    return stream.with_columns(
        pl.col("run_id").cast(pl.String), pl.col("flow_id").cast(pl.Int32)
    ).join(ours, on=one, how="semi")


def _size(text: str) -> str:
    """Return a size as `read_options` does, also where a log has it in bytes."""
    number = BYTES.fullmatch(text)
    return f"{int(number[1]) / 1024:.3g} KByte" if number and int(number[1]) else text


def _seconds(
    run: pl.DataFrame, flow: pl.DataFrame, window: pl.DataFrame, stream: pl.DataFrame
) -> pl.DataFrame:
    """Return PLACE, setting and value, seconds, of every run."""
    key = {"index": "run_id", "variable_name": "setting"}
    found = [window.select("run_id", *SECONDS).rename(SECONDS).unpivot(**key)]
    if "duration_s" in run.columns:
        found.append(run.select("run_id", pl.col("duration_s").alias(DURATION)).unpivot(**key))
    planned = _of_compared(flow, stream).group_by("run_id", maintain_order=True)
    found.append(planned.agg(pl.col("planned_s").max().alias(PLANNED)).unpivot(**key))
    found.append(_starts(flow))
    return runs_in_cells(run).join(pl.concat(found), on="run_id")


def _starts(flow: pl.DataFrame) -> pl.DataFrame:
    """Return run_id, setting and value of the starts of flows that are known, in their order."""
    place = pl.int_range(pl.len()).over("run_id")
    flows = compared(flow).sort("run_id", "flow_id").with_columns(place.alias("place"))
    known = flows.filter(~pl.col("start_is_assumed"), pl.col("place") < len(STARTS))
    name = pl.col("place").replace_strict(dict(enumerate(STARTS)), return_dtype=pl.String)
    return known.select("run_id", name.alias("setting"), pl.col("start_s").alias("value"))


def _value(words: pl.DataFrame) -> pl.DataFrame:
    """Return the value of each setting in each cell, all values where there are several."""
    known = words.group_by(*PLACE, "setting", maintain_order=True).agg(
        pl.col("value").drop_nulls().unique().sort()
    )
    some = pl.col("value").list.len() > 0
    return known.with_columns(pl.when(some).then(pl.col("value").list.join(", ")))


def _apart() -> pl.Expr:
    one, other = pl.col("value"), pl.col("value_t")
    slight = pl.max_horizontal(SLIGHT * one, SLIGHT * other, pl.lit(SLIGHT_S))
    as_repeats = APART * pl.min_horizontal(one, other) + APART_S  # as within a data set
    measured = pl.col("setting").is_in(STARTS)
    return (one - other).abs() > pl.when(measured).then(as_repeats).otherwise(slight)


def _listed(values: pl.Series) -> str:
    """Return the values of a setting in words, in their order."""
    every = values.fill_null(UNKNOWN).unique(maintain_order=True).to_list()
    return first_of(every, LISTED, "; ")
