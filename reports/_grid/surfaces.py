"""What claims on surfaces measure: statistics of the means of cells on a grid of RTT and buffer.

A function here returns the `measure` of a `Claim` for a `Sentence` of claims.yml, whose cases are
variants. It is given a `Subject`, the runs of one data set. All variants of a sentence, and its
control, are of the same cells; a cell that is uncontested of one of the variants is left out of
all. The cells of a sentence are 'all', or conditions with 'and' between them: 'rtt_ms <= 50', where
the number may be a reading; 'rtt_ms in mid_ms', a reading of two; 'free', where no flow can
be window-limited, and 'bound', where one can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl
from evenflow.claims.cases import Case, Measured, Part, Steady, asked, measurements, with_plan
from evenflow.claims.sentences import Sentence
from evenflow.congestion_controls import pairing_name, variant_name
from evenflow.errors import did_you_mean
from evenflow.evidence.runs import run_ref
from evenflow.markdown import span_of
from evenflow.metrics.catalogue import FLOOR_BPS
from evenflow.statistics.outcomes import ALL
from evenflow.statistics.stratified import Cell, Key, Quantity, cell
from evenflow.statistics.surfaces import PLACE

from .grid_runs import BUFFER, RTT, curve, grid_of, grid_runs, rise, uncontested
from .tcp_windows import is_free

NULL = "newreno-newreno"  # a variant against itself: nothing can be there
EPSILON = 1e-9  # RTTs and buffers are compared as numbers with a point
INDEX = 0.001  # the resolution of an index

Place = tuple[float, float]  # RTT (s), buffer (BDP)


def _flow(name: str) -> Quantity:
    return Quantity(name, "dB", FLOOR_BPS, of_flow=True)


# the columns of a cell's values
QUANTITIES = (
    _flow("level1"),
    _flow("level2"),
    _flow("flow1"),
    _flow("flow2"),
    Quantity("both", "dB", FLOOR_BPS),
    Quantity("jfi", resolution=INDEX, least=0.5, most=1.0),
    Quantity("share2", resolution=INDEX, least=0.0, most=1.0, of_flow=True),
    Quantity("first", least=0.0, most=1.0),  # whether flow 1 has more
)
COLUMN = {quantity.name: i for i, quantity in enumerate(QUANTITIES)}


@dataclass(frozen=True)
class Subject:
    """What claims are measured on: the runs of a data set, and those that it is compared with.

    name: of the data set. platform: what the originals call it; a sentence may be about one
    platform alone. runs, against: results of `grid_runs`; against is None for a data set that
    is compared with nothing. grid: the cells of all claims. weight_from: whose throughput in the
    calibration is the weight of an NRU: 'place', 'flow2' or 'all'. again: some of the same runs,
    made again with something changed, by what.
    """

    name: str
    platform: str
    runs: pl.DataFrame
    grid: pl.DataFrame
    against: pl.DataFrame | None = None
    weight_from: str = "place"
    again: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @cached_property
    def cells(self) -> dict[Hashable, Cell]:
        """Return the cells of both sides: {(side, role, ccas, RTT, buffer): its runs}."""
        found = cells_of(self.runs, "here")
        return found if self.against is None else found | cells_of(self.against, "there")

    @cached_property
    def calm(self) -> tuple[set[tuple], set[tuple]]:
        """Return the cells that are uncontested here, and there, PLACE."""
        return _calm(self.runs), set() if self.against is None else _calm(self.against)


def cells_of(runs: pl.DataFrame, side: str) -> dict[Hashable, Cell]:
    """Return the runs by cell: {(side, role, ccas, RTT, buffer): values of QUANTITIES}.

    Args:
        runs: result of `grid_runs.grid_runs`; with part, which names its runs, with n_planned, if
            there is a plan, and unsteady, if it is known.
    """
    flows = [
        pl.col(f"mean_throughput_bps_flow{i}").clip(lower_bound=FLOOR_BPS).alias(f"flow{i}")
        for i in (1, 2)
    ]

    def db(value: pl.Expr) -> pl.Expr:
        return 10 * value.log10()

    one, two = pl.col("flow1"), pl.col("flow2")
    runs = runs.sort(*PLACE, "repeat", "run_id")
    whole = measurements(runs)
    table = runs.with_columns(flows).select(
        *PLACE,
        ahead=(two / one).log(),
        level1=pl.col("level_db_flow1").fill_null(float("nan")),
        level2=pl.col("level_db_flow2").fill_null(float("nan")),
        flow1=db(one),
        flow2=db(two),
        both=db((one + two) / 2),
        jfi="jfi",
        share2=two / (one + two),
        first=(one > two).cast(pl.Float64),
    )
    rows: dict[tuple, list] = {}
    ref = runs.select(run_ref()).to_series() if "part" in runs.columns else [None] * len(runs)
    plan = runs["n_planned"] if "n_planned" in runs.columns else [None] * len(runs)
    steady = runs["unsteady"] if "unsteady" in runs.columns else [None] * len(runs)
    for *place, run, n_planned, unsteady, ahead, values, measured in zip(
        *(table[name] for name in PLACE),
        ref,
        plan,
        steady,
        table["ahead"],
        table.select(quantity.name for quantity in QUANTITIES).rows(),
        whole,
        strict=True,
    ):
        of_run = (values, measured, ahead, unsteady, run, n_planned)
        rows.setdefault((side, *place), []).append(of_run)
    found: dict[Key, Cell] = {}
    for key, of in rows.items():
        values, measured, ahead, unsteady, names, (n_planned, *_) = zip(*of, strict=True)
        more = {"pool": key[:3], "ahead": ahead, "planned": n_planned, "unsteady": unsteady}
        found[key] = cell(values, measured, runs=tuple(filter(None, names)), **more)
    return found


def _calm(runs: pl.DataFrame) -> set[tuple]:
    """Return the uncontested cells of runs, PLACE."""
    return set(uncontested(runs).rows())


def runs_of_parts(
    run: Mapping[str, pl.DataFrame],
    run_metric: Mapping[str, pl.DataFrame],
    flow_metric: Mapping[str, pl.DataFrame],
) -> pl.DataFrame:
    """Return `grid_runs.grid_runs` of several data sets, with the column part."""
    return pl.concat(
        grid_runs(run[part], run_metric[part], flow_metric[part]).select(
            pl.lit(part).alias("part"), pl.all()
        )
        for part in run
    )


def with_plans(
    runs: pl.DataFrame, run: Mapping[str, pl.DataFrame], planned: pl.DataFrame
) -> pl.DataFrame:
    """Return runs of several data sets with what was planned (`cases.with_plan`).

    Args:
        runs: with part and run_id.
        run: the table `run` by part.
        planned: results/planned.csv.
    """
    of_parts = (
        with_plan(of_part.select("run_id", "dataset_id", "scenario_id"), planned).select(
            pl.lit(part).alias("part"), "run_id", "n_planned"
        )
        for part, of_part in run.items()
    )
    return runs.join(pl.concat(of_parts), on=["part", "run_id"], maintain_order="left")


def planned_runs(
    part: str,
    run: pl.DataFrame,
    run_metric: pl.DataFrame,
    flow_metric: pl.DataFrame,
    planned: pl.DataFrame,
) -> pl.DataFrame:
    """Return runs of one data set, or some of them, with the column part and what was planned.

    Args:
        part: of the paper.
        run, run_metric, flow_metric: tables of a data set; run may have some of its runs.
        planned: results/planned.csv.
    """
    runs = grid_runs(run, run_metric, flow_metric).with_columns(part=pl.lit(part))
    return with_plans(runs, {part: run}, planned)


def subjects_of(
    surface_run: pl.DataFrame,
    platforms: Mapping[str, str],
    grid: Mapping,
    *,
    weight_from: str = "place",
    simulation: str | None = None,
) -> dict[str, Subject]:
    """Return {part: what claims are measured on}.

    Args:
        surface_run: result of `runs_of_parts`.
        platforms: part -> platform, in the order of the subjects.
        grid: the cells of all claims, as `grid_runs.grid_of` takes it.
        simulation: the part that the others are compared with.
    """
    cells = grid_of(grid)
    of = {part: surface_run.filter(part=part) for part in platforms}
    return {
        part: Subject(
            part,
            platform,
            of[part],
            cells,
            of.get(simulation) if simulation and part != simulation else None,
            weight_from,
        )
        for part, platform in platforms.items()
    }


def pairing(role: str, cca: str) -> tuple[str, str]:
    """Return role and ccas of a variant's surface: against NewReno, or against itself.

    Args:
        cca: the variant; or both, 'cubic-bbr', which are their own surface.
    """
    if "-" in cca:
        return role, cca
    return role, f"{cca}-{cca}" if role == "calibration" else f"newreno-{cca}"


class Surface:
    """The means of the cells of one pairing, as statistics read them.

    rtt (s), buffer (BDP): where the cells lie, shape (n,). Of each cell by name, shape (n,): the
    columns of QUANTITIES, throughputs in dB of 1 bit/s, and nru1, nru2, system: NRU in dB with the
    weight of the calibration in the same cell.
    """

    def __init__(self, means, surface: tuple, places: Sequence[Place], weight: str):
        self.surface, self.places, self.weight, self._means = surface, places, weight, means
        self._values = self._of(*surface[1:])

    def _of(self, role: str, ccas: str) -> np.ndarray:
        side = self.surface[0]
        return np.array([self._means[side, role, ccas, *place] for place in self.places])

    @property
    def rtt(self) -> np.ndarray:
        return np.array([rtt for rtt, _ in self.places])

    @property
    def buffer(self) -> np.ndarray:
        return np.array([buffer for _, buffer in self.places])

    def __getitem__(self, name: str) -> np.ndarray:
        if name == "system":
            return (self["nru1"] + self["nru2"]) / 2
        if name in ("nru1", "nru2"):
            return self._values[:, COLUMN[f"level{name[-1]}"]] - self._weight(int(name[-1]))
        return self._values[:, COLUMN[name]]

    def _weight(self, flow: int) -> np.ndarray:
        """Return what a flow's variant has against itself, dB of 1 bit/s.

        The calibration of the other flow's variant is not asked for: it does not enter.
        """
        of_place = {
            "all": ("both", "both"),
            "flow2": ("flow2", "flow2"),
            "place": ("flow1", "flow2"),
        }
        cca, column = self.surface[2].split("-")[flow - 1], of_place[self.weight][flow - 1]
        return self._of("calibration", f"{cca}-{cca}")[:, COLUMN[column]]


Statistic = Callable[[Surface], float | None]
Measure = Callable[[Subject], Measured]


CONDITION = re.compile(r"(\w+) (<=|>=|<|>|=|in) (\S+)")
AXES = {"rtt_ms": pl.col(RTT) * 1000, "buffer_pct": pl.col(BUFFER) * 100}
COMPARED: dict[str, Callable[[pl.Expr, float], pl.Expr]] = {
    "<=": lambda axis, bound: axis <= bound + EPSILON,
    ">=": lambda axis, bound: axis >= bound - EPSILON,
    "<": lambda axis, bound: axis < bound - EPSILON,
    ">": lambda axis, bound: axis > bound + EPSILON,
    "=": lambda axis, bound: (axis - bound).abs() <= EPSILON,
}


def places_of(said: Sentence, subject: Subject) -> list[Place]:
    """Return the places of the grid that the cells of a sentence are (see the module)."""
    return list(subject.grid.filter(where(said, said.cells, subject)).rows())


def where(said: Sentence, cells: str, subject: Subject) -> pl.Expr:
    """Return whether a row, base_rtt_s and buffer_bdp, is one of some cells of a sentence.

    Raises:
        DataError: for cells that are none; names file and line.
    """
    conditions = [_condition(said, one, subject) for one in cells.split(" and ")]
    return pl.all_horizontal(conditions)


def _condition(said: Sentence, text: str, subject: Subject) -> pl.Expr:
    if text == "all":
        return pl.lit(True)
    if text in ("free", "bound"):
        free = is_free(subject.runs)
        return free if text == "free" else ~free
    found = CONDITION.fullmatch(text)
    if not found or found[1] not in AXES:
        remedy = f"write all, free, bound, or as '{next(iter(AXES))} <= 50'"
        raise said.wrong(f"{text!r} are no cells", remedy)
    axis, bound = AXES[found[1]], said.readings.get(found[3], found[3])
    pair = isinstance(bound, list) and len(bound) == 2
    try:
        if pair and found[2] == "in":
            low, high = map(float, bound)
            return COMPARED[">="](axis, low) & COMPARED["<="](axis, high)
        return COMPARED[found[2]](axis, float(bound))
    except (KeyError, TypeError, ValueError) as error:
        remedy = did_you_mean(found[3], said.readings)
        problem = f"{text!r}: {found[3]} is no number or reading that fits"
        raise said.wrong(problem, remedy) from error


def contested_places(
    subject: Subject,
    surfaces: Iterable[tuple[str, str]],
    places: Sequence[Place],
    *,
    both_sides: bool = False,
) -> list[Place]:
    """Return the places at which every one of some surfaces is contested, on both sides if so."""
    here, there = subject.calm
    lost = here | there if both_sides else here
    surfaces = list(surfaces)
    return [p for p in places if not any((*surface, *p) in lost for surface in surfaces)]


def _note(places: Sequence[Place], all_places: Sequence[Place]) -> str:
    n = len(all_places) - len(places)
    return f"{n} uncontested {'cell' if n == 1 else 'cells'} left out" if n else ""


def name_of(key: tuple) -> str:
    """Return a cell in print: 'newreno-bic at 25 ms, 20 %'."""
    _, _, ccas, rtt, buffer = key
    return f"{ccas} at {1000 * rtt:g} ms, {100 * buffer:g} %"


def case_of(
    cells: Mapping[Hashable, Cell],
    parts: Mapping[str, Part],
    places: Sequence[Place],
    all_places: Sequence[Place],
    quantifier: str = ALL,
) -> Case:
    """Return a case of parts; where no cell is left, what lacks."""
    note = _note(places, all_places)
    if not places or not parts:
        return Case(note=note or "no cell of the grid is left")
    return Case(parts, cells, QUANTITIES, quantifier, note=note, name=name_of)


def with_steady(
    places: Sequence[Place], build: Callable[[Sequence[Place]], dict[str, Case]]
) -> dict[str, Case]:
    """Return the cases of a sentence, each with what it is without the places that are not steady.

    A place goes for claim, weights, control and all variants at once: if one of the cells that any
    of them asks for there is unsteady.

    Args:
        places: of the sentence.
        build: from places to its cases.
    """
    found = build(places)
    cells = {key: case.cells[key] for case in found.values() for key in _asked(case)}
    if all(of.unsteady is None for of in cells.values()):
        return found
    out = {key[-2:] for key, of in cells.items() if of.unsteady and isinstance(key, tuple)}
    left = [place for place in places if place not in out]
    steady = build(left)
    about = len(out), len(places), _span(left), _ends(left) != _ends(places)
    return {
        name: replace(case, steady=Steady(steady.get(name, Case()), *about))
        for name, case in found.items()
    }


def steady_places(
    subject: Subject, surfaces: Iterable[tuple[str, str]], places: Sequence[Place]
) -> list[Place]:
    """Return the places at which no cell of some surfaces, role and ccas, is unsteady."""
    surfaces = list(surfaces)
    cells = subject.cells
    return [
        place
        for place in places
        if not any(
            (found := cells.get(("here", *surface, *place))) and found.unsteady
            for surface in surfaces
        )
    ]


def _asked(case: Case) -> set[Hashable]:
    return {key for part in case.parts.values() for key in asked(case, part)}


def _ends(places: Sequence[Place]) -> list[tuple[float, float]]:
    """Return the least and the largest RTT, and buffer."""
    return [(min(axis), max(axis)) for axis in zip(*places, strict=True)]


def _span(places: Sequence[Place]) -> str:
    """Return the range of places in words: '25 to 100 ms and 20 to 100 %'."""
    if not places:
        return ""
    rtts, buffers = (pl.Series(axis) for axis in zip(*places, strict=True))
    return f"{span_of(1000 * rtts)} ms and {span_of(100 * buffers)} %"


def each_variant(
    said: Sentence,
    statistic: Statistic | Mapping[str, Statistic],
    *,
    role: str = "comparison",
    contested: bool = True,
    by: Callable[[Sequence[Place]], Mapping[str, Sequence[Place]]] | None = None,
) -> Measure:
    """Measure a statistic on the surface of every variant, or pair, of a sentence, a case each.

    Its control is NewReno against NewReno, in the same cells.

    Args:
        statistic: of the cells of a surface; several by name are folded by the quantifier.
        contested: leave out uncontested cells, as statements on fairness must.
        by: from the cells to groups of them, by name; each is judged by itself: `each_place`,
            `each_rtt`, `each_pair`.
    """
    several = statistic if isinstance(statistic, Mapping) else {"": statistic}

    def measure(subject: Subject) -> Measured:
        if not said.is_about(subject.platform):
            return None
        every = places_of(said, subject)
        surfaces = [pairing(role, cca) for cca in said.cases]
        places = contested_places(subject, surfaces, every) if contested else every
        control = ("here", *pairing(role, "newreno")) if said.control else None

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            found = {}
            for cca, surface in zip(said.cases, surfaces, strict=True):
                of = ("here", *surface)
                parts = {
                    ", ".join(filter(None, (name, at))): _part(each, of, control, group, subject)
                    for name, each in several.items()
                    for at, group in (by(kept) if by else {"": kept}).items()
                }
                case = case_of(subject.cells, parts, kept, every, said.quantifier)
                found[pairing_name(cca)] = case
            return found

        return with_steady(places, build)

    return measure


def each_place(places: Sequence[Place]) -> dict[str, list[Place]]:
    """Return each cell by itself."""
    return {_at([place]): [place] for place in places}


def each_pair(places: list[Place]) -> dict[str, list[Place]]:
    """Return each two cells."""
    return {_at(pair): list(pair) for pair in combinations(places, 2)}


def each_rtt(places: list[Place]) -> dict[str, list[Place]]:
    """Return the cells of each RTT that has both ends of the buffers."""
    ends = {min(b for _, b in places), max(b for _, b in places)} if places else set()
    found: dict[float, list[Place]] = {}
    for rtt, buffer in places:
        found.setdefault(rtt, []).append((rtt, buffer))
    return {
        f"{1000 * rtt:g} ms": group
        for rtt, group in found.items()
        if len(ends) > 1 and ends <= {buffer for _, buffer in group}
    }


def _at(places: Sequence[Place]) -> str:
    return ", ".join(f"{1000 * rtt:g} ms and {100 * buffer:g} %" for rtt, buffer in places)


def _part(
    statistic: Statistic, of: tuple, control: tuple | None, places: Sequence[Place], subject
) -> Part:
    """Return a statistic of a surface as a part; with its curve, if it has one."""

    def on(surface: tuple, function: Callable) -> Callable:
        return lambda means: function(Surface(means, surface, places, subject.weight_from))

    its_curve = getattr(statistic, "curve", None)
    return Part(
        on(of, statistic),
        None if control is None else on(control, statistic),
        None if its_curve is None else on(of, its_curve),
        control_is="" if control is None else "NewReno against NewReno, in the same cells",
    )


def together(
    said: Sentence,
    statistics: Mapping[str, Callable[[Mapping[str, Surface]], float | None]],
    *,
    role: str = "comparison",
    points: bool = False,
    case: str = "",
) -> Measure:
    """Measure statistics of several variants' surfaces at once; they are folded.

    Args:
        statistics: name -> of {variant: its surface}, all of the same cells.
        points: whether each is a correlation over the cells.
        case: its name.
    """

    def measure(subject: Subject) -> Measured:
        if not said.is_about(subject.platform):
            return None
        surfaces = {cca: ("here", *pairing(role, cca)) for cca in said.cases}
        every = places_of(said, subject)
        places = contested_places(subject, [s[1:] for s in surfaces.values()], every)

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            def on(function: Callable) -> Callable:
                return lambda means: function(
                    {
                        cca: Surface(means, surface, kept, subject.weight_from)
                        for cca, surface in surfaces.items()
                    }
                )

            parts = {
                name: Part(on(of), points=len(kept) if points else None)
                for name, of in statistics.items()
            }
            return {case: case_of(subject.cells, parts, kept, every, said.quantifier)}

        return with_steady(places, build)

    return measure


def differences(said: Sentence, value: str, *, each_case: bool = False) -> Measure:
    """Measure, cell by cell, what the simulation has less what a testbed has.

    Each cell is judged by itself and the cells are folded: a mean of sizes is no statistic (where
    nothing differs its interval covers nothing). A cell that is uncontested on either side of one
    variant does not count.

    Args:
        value: column of QUANTITIES.
        each_case: a case for each variant, instead of all cells of all in one.
    """

    def measure(subject: Subject) -> Measured:
        if subject.against is None:
            return None
        every = places_of(said, subject)
        surfaces = {cca: pairing("comparison", cca) for cca in said.cases}
        places = contested_places(subject, surfaces.values(), every, both_sides=True)

        def build(kept: Sequence[Place]) -> dict[str, Case]:
            found: dict[str, dict[str, Part]] = {}
            for cca, surface in surfaces.items():
                parts = found.setdefault(variant_name(cca) if each_case else "", {})
                for place in kept:
                    name = _at([place]) if each_case else f"{variant_name(cca)} at {_at([place])}"
                    parts[name] = Part(_difference(surface, place, COLUMN[value]))
            return {
                case: case_of(subject.cells, parts, kept, every, said.quantifier)
                for case, parts in found.items()
            }

        return with_steady(places, build)

    return measure


def _difference(surface: tuple, place: Place, column: int) -> Callable:
    here, there = (("here", *surface, *place), ("there", *surface, *place))
    return lambda means: float(means[there][column] - means[here][column])


# ---- statistics of a surface --------------------------------------------------------------------


def mean_of(value: str) -> Statistic:
    """Return the statistic: mean over the cells."""
    return lambda cells: float(cells[value].mean())


def rise_of(value: str, axis: str) -> Statistic:
    """Return the statistic: how much the value rises over an axis (`grid_runs.rise`).

    It has a curve: a trend is judged where that is monotone.
    """

    def both(cells: Surface) -> tuple[np.ndarray, np.ndarray]:
        return (cells.rtt, cells.buffer) if axis == RTT else (cells.buffer, cells.rtt)

    def statistic(cells: Surface) -> float | None:
        return rise(*both(cells), cells[value])

    # what a statistic carries along (`cases.Part.curve`)
    statistic.curve = lambda cells: curve(*both(cells), cells[value])  # type: ignore[attr-defined]
    return statistic


def inside_less_outside(said: Sentence, value: str) -> Measure:
    """Measure the mean over the cells `inside` of a sentence less that over its others."""

    def measure(subject: Subject) -> Measured:
        inside = set(subject.grid.filter(where(said, said.inside, subject)).rows())

        def statistic(cells: Surface) -> float | None:
            there = np.array([place in inside for place in cells.places])
            if there.all() or not there.any():
                return None
            return float(cells[value][there].mean() - cells[value][~there].mean())

        return each_variant(said, statistic)(subject)

    return measure


__all__ = [
    "BUFFER",
    "EPSILON",
    "NULL",
    "RTT",
    "Subject",
    "Surface",
    "differences",
    "each_pair",
    "each_place",
    "each_rtt",
    "each_variant",
    "inside_less_outside",
    "mean_of",
    "planned_runs",
    "rise_of",
    "runs_of_parts",
    "steady_places",
    "subjects_of",
    "together",
    "with_plans",
    "with_steady",
]
