"""What the page of a data set is about: its settings, runs and flows, in the order of the page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple

import polars as pl

from ...charts.placing import Placed, placed_scenarios
from ...congestion_controls import in_order, variant_name
from ...metrics.fairness import compared
from ...metrics.registry import Metric, of_grain

MOST_DIGITS = 6  # after the point of Mb/s: a bit a second
LONG_NAME = 48  # characters; of longer names what they share is left out
LONG_PARTS = 64  # of a name whose parts say what they are: they wrap where there is no room
UNIT = re.compile(r"(.*) \((.*)\)")
IN_PANEL = re.compile(r", ([^,(]+) \(([^)]+)\) ([^,]+)")  # ', Bottleneck (Mb/s) 10'
UNKNOWN = "not known"  # what a panel's mix of congestion controls is called then
ORDINALS = ("first", "second", "third", "fourth")
COMPARISON = re.compile(r" \(comparison\)(?=,|$)")


class Setting(NamedTuple):
    """A scenario: what its runs have in common. `levels`: of the axes of `Subject.axes`."""

    id: str
    panel: str
    levels: tuple[float, ...]
    runs: list[int]


class Run(NamedTuple):
    """A run. `kinds`, `means` (bit/s), `flows` (their numbers): of the flows that are compared.

    flags: its warnings.
    """

    id: str
    setting: int
    repeat: int
    kinds: tuple[str, ...]
    means: tuple[float | None, ...]
    jfi: float | None
    flags: tuple[str, ...]
    flows: tuple[int, ...]


@dataclass(frozen=True)
class Subject:
    """A data set as its page sees it.

    kinds: what flows are told apart by, in order: a congestion control, 'UDP', 'flow 1'.
    series: of each run its flows, cross traffic too: (flow_id, kind or '' for cross traffic).
    """

    name: str
    about: Mapping
    tables: Mapping[str, pl.DataFrame]
    fair: float  # Jain's index from which a setting is called fair
    confidence: float
    placed: Placed | None = None
    settings: list[Setting] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    series: list[list[tuple[int, str]]] = field(default_factory=list)

    @property
    def axes(self) -> list[str]:
        """Return the factors that are drawn along."""
        return self.placed.axes if self.placed else []

    @property
    def panels(self) -> list[str]:
        """Return the panels in order."""
        return list(dict.fromkeys(setting.panel for setting in self.settings))

    @property
    def metrics(self) -> list[Metric]:
        """Return the metrics of runs that this data set has, without those of one flow alone.

        Flows 1 and 2 in the words of a metric are the first and the second that are compared.
        """
        table = self.tables["run_metric"]
        known = [m for m in of_grain("run") if table[m.name].is_not_null().any()]
        alone = all(len(run.kinds) <= 1 for run in self.runs)
        first, second = (*flow_names(r for r in self.runs if len(r.flows) == 2), "", "")[:2]
        if not (alone or (first, second) in (("", ""), ("flow 1", "flow 2"))):
            known = [_renamed(m, {"flow 1": first, "flow 2": second}) for m in known]
        return [m for m in known if not (alone and m.name in ("jfi", "throughput_ratio"))]


def subject(
    name: str, about: Mapping, tables: Mapping[str, pl.DataFrame], settings: Mapping
) -> Subject:
    """Return what the page is about.

    Args:
        name: of the folder.
        about: dataset.yml, or nothing.
        tables: as of `dataset_page`.
        settings: `equivalence_margin_jfi` and `confidence`.
    """
    fair = 1 - settings["equivalence_margin_jfi"]
    given = Subject(name, about, tables, fair, settings["confidence"])
    run = tables["run"]
    if run.is_empty():
        return given
    placed = placed_scenarios(run, tables["flow"])
    order = {scenario: n for n, scenario in enumerate(placed.table["scenario_id"])}
    place = pl.col("scenario_id").replace_strict(order, return_dtype=pl.Int64)
    run = run.with_columns(place.alias("setting")).sort("setting", "repeat", "run_id")
    kinds, series = _flows(tables["flow"])
    means = _means(tables["flow_metric"])
    jfi = dict(tables["run_metric"].select("run_id", "jfi").rows())
    flags = _flags(tables["finding"])
    runs = [
        Run(
            r, n, repeat, kinds.get(r, ()), means.get(r, ()), jfi.get(r), flags.get(r, ()),
            tuple(flow for flow, kind in series.get(r, []) if kind),
        )
        for r, n, repeat in run.select("run_id", "setting", "repeat").rows()
    ]  # fmt: skip
    found = [
        Setting(row["scenario_id"], row["panel"], tuple(row[axis] for axis in placed.axes), [])
        for row in placed.table.rows(named=True)
    ]
    for number, each in enumerate(runs):
        found[each.setting].runs.append(number)
    every = list(dict.fromkeys(k for flows in series.values() for _, k in flows if k))
    known = in_order(sorted(k for k in every if not _is_number(k)))
    numbered = sorted((k for k in every if _is_number(k)), key=lambda k: int(k.split()[1]))
    shown = [series.get(each.id, []) for each in runs]
    return Subject(
        name, about, tables, fair, settings["confidence"], placed, found, runs,
        [*known, *numbered], shown,
    )  # fmt: skip


def carried_nothing(run: Run) -> bool:
    """Return whether the flows of a run carried nothing in the steady state, as far as is known."""
    return bool(run.means) and all(mean == 0 for mean in run.means)


def _is_number(kind: str) -> bool:
    return kind.startswith("flow ")


def _flows(flow: pl.DataFrame) -> tuple[dict[str, tuple], dict[str, list]]:
    """Return the kinds of the flows that are compared, and all flows with theirs, of each run."""
    datagrams = pl.lit(None, pl.String)
    if {"protocol", "traffic"} <= set(flow.columns):
        of = pl.coalesce("traffic", "protocol").str.to_uppercase()
        datagrams = pl.when(pl.col("protocol") != "tcp").then(of)
    numbered = pl.format("flow {}", "flow_id")
    named = flow.with_columns(pl.coalesce("cca", datagrams, numbered).alias("kind"))
    counted = compared(named).select("run_id", "flow_id").with_columns(pl.lit(True).alias("counts"))
    named = named.join(counted, on=["run_id", "flow_id"], how="left").sort("run_id", "flow_id")
    kinds: dict[str, list] = {}
    series: dict[str, list] = {}
    for run, number, kind, counts in named.select("run_id", "flow_id", "kind", "counts").rows():
        series.setdefault(run, []).append((number, kind if counts else ""))
        if counts:
            kinds.setdefault(run, []).append(kind)
    return {run: tuple(of) for run, of in kinds.items()}, series


def _means(flow_metric: pl.DataFrame) -> dict[str, tuple]:
    table = flow_metric.filter(~pl.col("cross_traffic")).sort("run_id", "flow_id")
    means: dict[str, list] = {}
    for run, mean in table.select("run_id", "mean_throughput_bps").rows():
        means.setdefault(run, []).append(mean)
    return {run: tuple(of) for run, of in means.items()}


def _flags(finding: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the errors and warnings of each run, each check once."""
    severe = finding.filter(pl.col("severity") != "note", pl.col("run_id").is_not_null())
    flags: dict[str, dict] = {}
    for run, severity, check in severe.select("run_id", "severity", "check").rows():
        flags.setdefault(run, {})[f"{severity}: {check}"] = None
    return {run: tuple(of) for run, of in flags.items()}


# ---- words ---------------------------------------------------------------------------------------


def kind_name(kind: str) -> str:
    """Return what a kind of flow is called in print."""
    return variant_name(kind)


def numbers_of(runs: Iterable[Run]) -> list[int | None]:
    """Return the number of each compared flow by its place; None where runs differ in it."""
    places = zip_longest(*{run.flows for run in runs})
    known = [{number for number in at if number is not None} for at in places]
    return [at.pop() if len(at) == 1 else None for at in known]


def flow_names(runs: Iterable[Run]) -> list[str]:
    """Return what each compared flow is called by its place: 'flow 0', or by the place itself.

    Flows are numbered as in the table `flow`: from 0, or with cross traffic among them. Only where
    runs differ in the number of the flow at a place it is the 'first flow'.
    """
    numbers = enumerate(numbers_of(runs))
    return [_at_place(at) if number is None else f"flow {number}" for at, number in numbers]


def _renamed(of: Metric, names: Mapping[str, str]) -> Metric:
    """Return a metric whose words name flows otherwise."""
    found = re.compile("|".join(names), re.IGNORECASE)
    label = found.sub(lambda match: names[match[0].lower()], of.label)
    meaning = found.sub(lambda match: the_flow(names[match[0].lower()]), of.meaning)
    return replace(of, label=f"{label[:1].upper()}{label[1:]}", meaning=meaning)


def the_flow(name: str) -> str:
    """Return a name of `flow_names` within a sentence: 'flow 0', 'the first flow'."""
    return name if name.startswith("flow ") else f"the {name}"


def _at_place(place: int) -> str:
    return f"{ORDINALS[place]} flow" if place < len(ORDINALS) else f"flow at place {place + 1}"


def plain(value: float | str | None, digits: int = 3) -> str:
    """Return a number without needless digits: '25', '0.5', '1,200'."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    whole = f"{value:,.{digits}f}"
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def rate(bps: float) -> str:
    """Return Mb/s in print: with one digit after the point, of less than 1 Mb/s with two digits."""
    mbps = bps / 1e6
    if not 0 < mbps < 1:
        return f"{mbps:,.{1 if bps < 1e9 else 0}f}"
    mbps = float(f"{mbps:.1e}")
    return f"{mbps:.{min(MOST_DIGITS, 1 - math.floor(math.log10(mbps)))}f}"


def many(n: int, one: str, several: str = "") -> str:
    """Return '1 run', '3,200 runs'."""
    return f"{n:,} {one if n == 1 else several or one + 's'}"


def axis_parts(axis: str) -> tuple[str, str]:
    """Return the name and the unit of an axis: 'RTT', 'ms'."""
    found = UNIT.fullmatch(axis)
    return (found[1], found[2]) if found else (axis, "")


def level(axis: str, value: float | str | None) -> str:
    """Return a value of an axis in words: 'RTT 25 ms'."""
    name, unit = axis_parts(axis)
    return f"{name} {plain(value)} {unit}".strip()


def spoken(panel: str) -> str:
    """Return the name of a panel as it is said: units behind numbers, nothing that is
    usual or not known."""
    said = IN_PANEL.sub(r", \1 \3 \2", COMPARISON.sub("", panel))
    if said == UNKNOWN:
        return f"congestion control {UNKNOWN}"
    return said.removeprefix(f"{UNKNOWN}, ")


def distinct(names: list[str]) -> list[str]:
    """Return names; long ones without the parts that all of them have, so that they stay apart.

    Parts are what commas part ('buffer 100') or, where this does not make them short, words.
    """
    if len(names) < 2 or max(map(len, names)) <= LONG_NAME:
        return names
    parts = [name.split(", ") for name in names]
    short = [
        ", ".join(part for part in of if any(part not in each for each in parts)) for of in parts
    ]
    apart = len(set(short)) == len(names) and all(short)
    if apart and short != names and max(map(len, short)) <= LONG_PARTS:
        return short
    parts = [list(dict.fromkeys(re.findall(r"[^/_+, ]+", name))) for name in names]
    common = set(parts[0]).intersection(*parts[1:])
    short = [" ".join(p for p in of if p not in common) for of in parts]
    if len(set(short)) < len(names) or not all(short):
        return names
    return short


def setting_name(setting: Setting, axes: list[str]) -> str:
    """Return what a setting is called: its panel and the levels of the axes."""
    return ", ".join([spoken(setting.panel), *map(level, axes, setting.levels)])
