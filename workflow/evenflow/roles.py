"""Data sets in the roles of a paper: what a role needs, and how the report names them.

A data set that cannot play its role at all is refused, with what it lacks and what to do; one that
lacks a part (a variant, some cells) has empty cells and dashes there.
"""

from __future__ import annotations

from itertools import pairwise

import polars as pl

from .congestion_controls import in_order, pairing_name
from .errors import DataError

STANDARD = "newreno"  # both papers compare the others with it, as flow 1
# paper: the runs that it cannot be made without, and why
NEEDED = {
    "on-path-buffering": {
        "comparison": "it compares NewReno with other variants",
        "calibration": "it weighs each flow by what its variant gets against its like (NRU)",
    },
    "ns2-vs-testbed": {"comparison": "it compares NewReno with other variants"},
}
# paper: the roles that it has; the second testbed may be left out, of the last paper either
ROLES = {
    "on-path-buffering": ("testbed", "testbed_alternative"),
    "ns2-vs-testbed": ("testbed", "testbed_alternative", "simulation"),
    "hstcp-buffers": ("simulation",),
    "high-speed-fairness": ("simulation", "testbed"),
}
GRID_PAPERS = ("on-path-buffering", "ns2-vs-testbed")  # two flows on the grid of RTT and buffer
NOBODY = (None, "", "null")  # Snakemake hands on a null of the command line as a word
ROLE_NAMES = {
    "testbed": "testbed",
    "testbed_alternative": "second testbed",
    "simulation": "simulator",
}


def cast(papers: dict[str, dict], given: dict[str, str | None]) -> dict[str, dict[str, str]]:
    """Return which data set plays which role in which paper.

    Args:
        papers: {paper: {role: data set, or None for nobody}, or None}. A paper that nobody plays
            in is left out.
        given: {role: data set}, for every paper of GRID_PAPERS that has the role: a simulation of
            theirs is none of another paper's. Who gives a testbed gives all of it: the second
            testbed of `papers` is then left out, unless it is given too.
    """
    given = {part: name for part, name in given.items() if name not in NOBODY}
    cast = {}
    for paper, roles in papers.items():
        if roles in NOBODY:
            continue
        named = {part: name for part, name in roles.items() if name not in NOBODY}
        if paper in GRID_PAPERS:
            if "testbed" in given:
                named.pop("testbed_alternative", None)
            named |= {part: name for part, name in given.items() if part in ROLES[paper]}
        if named:
            parts = ROLES.get(paper, tuple(named))  # of a report of one's own: as they are given
            cast[paper] = {part: named[part] for part in parts if part in named}
    return cast


def check_role(paper: str, part: str, runs: pl.DataFrame, placed: pl.DataFrame) -> None:
    """Refuse a data set that cannot play a role in a paper.

    Args:
        paper: key of NEEDED.
        part: the role that the data set was given.
        runs: the table `run`, not empty.
        placed: those of them that have a place on the grid (`surfaces.on_the_grid`).

    Raises:
        DataError: names what is missing and the remedy.
    """
    dataset = runs["dataset_id"][0]
    lead = f"{dataset} cannot be the {ROLE_NAMES[part]} of {paper}"

    def refuse(problem: str, remedy: str) -> None:
        raise DataError(f"{lead}: {problem}", path=f"{dataset}/dataset.yml", remedy=remedy)

    for role, why in NEEDED[paper].items():
        of_role = runs.filter(pl.col("role") == role)
        if of_role.is_empty():
            refuse(
                f"it has no {role} run ({why})",
                f"say which runs are it, by {{role}} in the path or `defaults: {{role: {role}}}`; "
                "if there are none, the paper cannot be made of this data set",
            )
        if placed.filter(pl.col("role") == role).is_empty():
            refuse(f"no {role} run {_misplaced(of_role)}", _place_remedy(of_role))
    pairings = placed.filter(pl.col("role") == "comparison")["ccas"].unique().to_list()
    if not any(ccas.split("-")[0] == STANDARD for ccas in pairings):
        named = ", ".join(map(pairing_name, in_order(pairings)))
        refuse(
            f"flow 1 is NewReno in none of its pairings ({named})",
            "the paper is about NewReno against others; if flow 1 ran it under another name "
            "(Linux says reno), write newreno",
        )
    _refuse_crowded_cells(placed, refuse)


def check_surface(paper: str, part: str, dataset: str, surface: pl.DataFrame) -> None:
    """Refuse a data set for on-path-buffering none of whose cells has an NRU.

    Args:
        paper, part, dataset: as in `check_role`.
        surface: the surfaces of the data set.

    Raises:
        DataError: says why, and the remedy.
    """
    if paper == "on-path-buffering" and "system_nru_db" not in surface["metric"].to_list():
        raise DataError(
            f"{dataset} cannot be the {ROLE_NAMES[part]} of {paper}: no comparison run has "
            "calibration runs of both its variants at its RTT, buffer and bandwidth, hence no NRU",
            path=f"{dataset}/dataset.yml",
            remedy="add calibration runs (both flows the same variant) of the cells compared, or "
            "correct rtt_ms, buffer_pct and bottleneck_mbps where they should agree",
        )


def check_common_cells(simulation: pl.DataFrame, testbed: pl.DataFrame, names: list[str]) -> None:
    """Refuse a simulator and a testbed that have no cell in common.

    Args:
        simulation, testbed: ccas, bottleneck_bps, base_rtt_s, buffer_bdp; one row a run.
        names: of both data sets.

    Raises:
        DataError: names both grids.
    """
    cell = ["ccas", "bottleneck_bps", "base_rtt_s", "buffer_bdp"]
    if simulation.join(testbed, on=cell, how="semi").is_empty():
        grids = [
            f"{name} has {grid_in_words(table)}"
            for name, table in zip(names, (simulation, testbed), strict=True)
        ]
        raise DataError(
            f"{' and '.join(names)} have no cell in common: {'. '.join(grids)}",
            remedy="ns2-vs-testbed compares cells of the same pairing, bandwidth, RTT and buffer: "
            "give it two data sets that share some",
        )


def _misplaced(runs: pl.DataFrame) -> str:
    """Say why runs have no place on the grid, by what the first of them lacks."""
    if (runs["n_flows"] != 2).all():
        return "has two flows"
    two = runs.filter(pl.col("n_flows") == 2)
    lacking = {
        "the congestion control of both flows": two["ccas"].is_null(),
        "one round-trip time for both flows": two["base_rtt_s"].is_null(),
        "a buffer in % of the bandwidth-delay product": two["buffer_bdp"].is_null(),
    }
    return "has " + " and ".join(what for what, null in lacking.items() if null.any())


def _place_remedy(runs: pl.DataFrame) -> str:
    if (runs["n_flows"] != 2).all():
        return "give the paper runs of two flows; for more see the data set's own page"
    return (
        "say cca1 and cca2, rtt_ms and buffer_pct (or buffer_bytes or buffer_packets, with "
        "bottleneck_mbps), in the path or under `defaults:`"
    )


def _refuse_crowded_cells(placed: pl.DataFrame, refuse) -> None:
    """Refuse scenarios that would lie upon each other: they differ in what the paper has not."""
    cell = ["role", "ccas", "base_rtt_s", "buffer_bdp"]
    crowded = (
        placed.sort("scenario_id")
        .group_by(cell, maintain_order=True)
        .agg(pl.col("scenario_id").unique(maintain_order=True))
        .filter(pl.col("scenario_id").list.len() > 1)
    )
    if len(crowded):
        row = crowded.row(0, named=True)
        place = f"{row['base_rtt_s'] * 1000:g} ms and {row['buffer_bdp'] * 100:g} % of the BDP"
        refuse(
            f"{len(crowded)} cells hold several scenarios; at {place}, "
            f"{pairing_name(row['ccas'])}, they are {', '.join(row['scenario_id'][:3])}",
            "if they are repeats of each other, name what tells them apart {repeat}; else give "
            "the paper a data set of one of them (bandwidth, location, ...) only",
        )


def grid_in_words(runs: pl.DataFrame) -> str:
    """Return the grid of comparison runs: bandwidths, RTTs, buffers and pairings."""
    axes = (
        ("bottleneck_bps", 1e-6, "Mb/s"),
        ("base_rtt_s", 1000, "ms"),
        ("buffer_bdp", 100, "% of the BDP"),
    )
    words = []
    for column, factor, unit in axes:
        words.append(f"{listed(runs[column] * factor) or 'no'} {unit}")
    pairings = in_order(runs["ccas"].drop_nulls().unique().to_list())
    return "; ".join([*words, ", ".join(map(pairing_name, pairings))])


def listed(values: pl.Series) -> str:
    """Return numbers in words: '25, 100', or '25 to 400 by 25' where there are many in even steps.

    Nulls are left out; without a value the text is empty.
    """
    found = sorted({round(value, 3) for value in values.drop_nulls()})
    steps = {round(b - a, 3) for a, b in pairwise(found)}
    if len(found) > 3 and len(steps) == 1:
        return f"{found[0]:g} to {found[-1]:g} by {steps.pop():g}"
    return ", ".join(f"{value:g}" for value in found)


def rerun_title(titles: dict[str, str], written_about: list[str]) -> str:
    """Return the second part of a report's title: what it was made of.

    Args:
        titles: the title of the data set in each role (markdown).
        written_about: the roles whose data sets are those that the text was written about.
    """
    others = {part: title for part, title in titles.items() if part not in written_about}
    if not others:
        return "a reproduction"
    if len(others) == 1 or len(set(others.values())) == 1:
        return f're-run on data set "{next(iter(others.values()))}"'
    named = [f'"{title}" ({ROLE_NAMES[part]})' for part, title in others.items()]
    return f"re-run on data sets {', '.join(named[:-1])} and {named[-1]}"
