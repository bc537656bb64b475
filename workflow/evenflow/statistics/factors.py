"""What the scenarios of a data set differ in: the factors that its page groups and draws by."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import polars as pl

from ..congestion_controls import pairing_name, variant_name
from ..scalars import scalar

# column of `run`: (name in print, unit of print in the column's unit, digits)
NUMERIC = {
    "base_rtt_s": ("RTT (ms)", 1e-3, 3),
    "buffer_bdp": ("Buffer (% of BDP)", 0.01, 1),
    "buffer_bytes": ("Buffer (kB)", 1e3, 1),
    "bottleneck_bps": ("Bottleneck (Mb/s)", 1e6, 3),
    "n_flows": ("Flows", 1, 0),
    "n_cross_traffic": ("Flows of cross traffic", 1, 0),
    "duration_s": ("Length (s)", 1, 1),
}
MIX, ROLE = "Flows' congestion control", "Role"
WORDS = {"aqm": "AQM"}
ALWAYS = [ROLE, MIX]  # in the name of every panel
GRID_FILLED = 0.5  # share of its cells that a grid of two factors must have,
PANEL_FILLED = 0.33  # and the panels of it on average
MAX_LINES = 8  # apart by colour in one panel
RTT_OF_FLOW = "RTT of flow"
MAX_FLOWS_WITH_RTT = 4  # flows of a run whose own RTTs are factors


def mix_name(ccas: str | None, n_flows: int | None) -> str:
    """Return the congestion controls of a run in print, 'NewReno – BIC' or '10 × CUBIC'."""
    if not ccas:
        return "not known"
    names = ccas.split("-")
    if n_flows != len(names):  # some flows are not known
        return f"{pairing_name(ccas)}, others not known"
    if len(names) <= 2:
        return pairing_name(ccas)
    kinds = sorted(set(names), key=names.index)
    return ", ".join(f"{names.count(cca)} × {variant_name(cca)}" for cca in kinds)


def free_factors(run: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the free factors of each run: what the column `factors` of the table `run` says."""
    return [json.loads(text) if text else {} for text in run["factors"]]


def scenario_factors(run: pl.DataFrame, flow: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the scenarios of a data set with the factors that they differ in.

    Args:
        run, flow: the tables of a data set.

    Returns:
        A table with a row a scenario: scenario_id, and each factor by its name in print, in its
        unit of print; and the names of those that are numbers. Factors with one value, and free
        ones that repeat another, are left out, but for ROLE and MIX, which are always there. Where
        runs have different numbers of flows, MIX names each congestion control once, so that it is
        one line over that number.
    """
    first = run.sort("scenario_id", "repeat", "run_id").unique(
        "scenario_id", keep="first", maintain_order=True
    )
    counted = first["n_flows"].n_unique() > 1
    first = first.join(_known_ccas(flow), on="run_id", how="left", maintain_order="left")
    columns: dict[str, list] = {
        "scenario_id": first["scenario_id"].to_list(),
        ROLE: first["role"].to_list(),
        MIX: [
            _kinds(ccas) if counted else mix_name(ccas, n)
            for ccas, n in first.select(pl.coalesce("ccas", "known"), "n_flows").rows()
        ],
    }
    for column, (name, unit, digits) in NUMERIC.items():
        if column not in first.columns:
            continue
        if column == "buffer_bytes" and first["buffer_bdp"].is_not_null().any():
            continue  # follows from the bandwidth-delay product
        columns[name] = (first[column].cast(pl.Float64) / unit).round(digits).to_list()
    columns |= _flow_rtts(first, flow)
    columns |= {name: first[column].to_list() for column, name in WORDS.items()}
    free = free_factors(first)
    for key in sorted({key for row in free for key in row}):
        values = _numbers([row.get(key) for row in free])
        if values not in columns.values():  # {n}flows/ in the path says the number of flows again
            columns[key.replace("_", " ")] = values
    kept = {
        name: values
        for name, values in columns.items()
        if name in ("scenario_id", ROLE, MIX) or len({v for v in values if v is not None}) > 1
    }
    table = pl.DataFrame(kept, strict=False)
    numeric = [name for name in kept if table[name].dtype.is_numeric()]
    return table, numeric


def _known_ccas(flow: pl.DataFrame) -> pl.DataFrame:
    """Return the congestion controls of each run that are known: run_id, known ('newreno-bic')."""
    of_run = flow.filter(~pl.col("cross_traffic")).sort("run_id", "flow_id").drop_nulls("cca")
    return of_run.group_by("run_id", maintain_order=True).agg(known=pl.col("cca").str.join("-"))


def _kinds(ccas: str | None) -> str:
    names = ccas.split("-") if ccas else []
    return (
        ", ".join(variant_name(cca) for cca in sorted(set(names), key=names.index)) or "not known"
    )


def _flow_rtts(first: pl.DataFrame, flow: pl.DataFrame) -> dict[str, list]:
    """Return the RTT of each flow where the flows of a run have different ones."""
    if first["base_rtt_s"].is_not_null().all() or (first["n_flows"] > MAX_FLOWS_WITH_RTT).any():
        return {}
    rtts = {(run, n): rtt for run, n, rtt in flow.select("run_id", "flow_id", "base_rtt_s").rows()}
    return {
        f"{RTT_OF_FLOW} {n} (ms)": [
            None if rtts.get((run, n)) is None else round(rtts[run, n] * 1000, 3)
            for run in first["run_id"]
        ]
        for n in sorted(set(flow["flow_id"]))
    }


def _numbers(values: list) -> list:
    """Return values as numbers where all of them are, else as text."""
    known = [value for value in values if value is not None]
    try:
        [float(value) for value in known]
    except (TypeError, ValueError):
        return [None if value is None else str(value) for value in values]
    return [None if value is None else float(value) for value in values]


def drawn_along(table: pl.DataFrame, numeric: list[str]) -> tuple[list[str], list[str]]:
    """Return along what scenarios are drawn, and the factors that tell apart their panels.

    Two numbers that span a grid, one number, or none, so that there are as few panels as can be.
    Where a number would leave each scenario alone in a panel of its own, and the panels are too
    many for one chart, there is none: a row a scenario. Factors that follow from the others in
    these scenarios (`following`) tell nothing apart.

    Args:
        table, numeric: results of `scenario_factors`.

    Returns:
        The axes, that of more levels first, and the other factors that are needed, by their names
        in `table`.
    """
    along = [name for name in numeric if table[name].is_not_null().all()]
    along.sort(key=lambda name: -table[name].n_unique())
    choices = [list(pair) for pair in combinations(along, 2)] + [[name] for name in along]
    best: tuple[list[str], list[str]] = [], _needed(table, [])
    fewest = len(table) + 1
    for axes in choices:
        others = _needed(table, axes)
        n_panels = len(table.select(ALWAYS + others).unique())
        if len(axes) == 2 and not _is_grid(table, axes, n_panels):
            continue
        alone = 2 * n_panels > len(table) and n_panels > MAX_LINES
        if n_panels < fewest and not alone:
            best, fewest = (axes, others), n_panels
    return best


def following(table: pl.DataFrame, axes: list[str], others: list[str]) -> list[str]:
    """Return the factors that follow from those that scenarios are drawn by."""
    return [c for c in table.columns if c not in ("scenario_id", *ALWAYS, *axes, *others)]


def _needed(table: pl.DataFrame, axes: list[str]) -> list[str]:
    """Return the factors without which scenarios on the same axes could not be told apart.

    What follows from others is left out: numbers of the network first (a name that whoever ran it
    gave says more), then factors of few levels, then those with long words.
    """
    left = [c for c in table.columns if c not in ("scenario_id", *ALWAYS, *axes)]
    of_network = [name for name, *_ in NUMERIC.values()]

    def in_turn(name: str) -> tuple:
        if name in of_network or name.startswith(RTT_OF_FLOW):
            return 0, -left.index(name)
        words = scalar(table[name].cast(pl.String).str.len_chars().mean()) or 0
        return 1, table[name].n_unique(), -words

    def n_apart(factors: list[str]) -> int:
        return len(table.select(ALWAYS + axes + factors).unique())

    n_all = n_apart(left)
    for name in sorted(left, key=in_turn):
        without = [factor for factor in left if factor != name]
        if n_apart(without) == n_all:
            left = without
    return left


def _is_grid(table: pl.DataFrame, axes: list[str], n_panels: int) -> bool:
    """Whether scenarios fill enough of the cells of two factors, together and in a panel each."""
    levels = [table[axis].n_unique() for axis in axes]
    n_cells = levels[0] * levels[1]
    filled = len(table.select(axes).unique())
    return (
        min(levels) > 1
        and filled >= GRID_FILLED * n_cells
        and len(table) >= PANEL_FILLED * n_cells * n_panels
    )


def panel_names(table: pl.DataFrame, others: list[str]) -> pl.Series:
    """Return the panel of each scenario: congestion controls, role and `others`, in words."""
    roles = table[ROLE].n_unique() > 1
    words = []
    for row in table.select(ALWAYS + others).rows(named=True):
        parts = [row.pop(MIX)]
        role = row.pop(ROLE)
        parts += [f"({role})"] if roles and role else []
        parts += [f"{name} {_plain(value)}" for name, value in row.items() if value is not None]
        words.append(", ".join(parts).replace(", (", " ("))
    return pl.Series("panel", words, dtype=pl.String)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
