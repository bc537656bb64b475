"""The page of a comparison of two data sets, as markdown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import polars as pl

from ..charts.describe import read_description
from ..congestion_controls import in_order, pairing_name
from ..markdown import NOTHING, all_of, code, escape_markdown, listed, markdown_table, number
from ..paths import printable
from ..reporting.differences import difference_table, verdict_sensitivity_table
from ..scalars import scalar
from ..statistics.surfaces import on_the_grid
from .dataset.accounting import ABOUT_TABLES, UNITS
from .dataset.parts import size_in_words
from .dataset.subject import many
from .unlike import NAMES, Unlike, unlike_settings


class Side(NamedTuple):
    """A data set that is compared: its name, dataset.yml or nothing, and tables."""

    name: str
    about: Mapping
    run: pl.DataFrame
    finding: pl.DataFrame
    flow: pl.DataFrame
    window: pl.DataFrame
    stream: pl.DataFrame

    @property
    def title(self) -> str:
        """Return its title, its name where it has none."""
        return str(self.about.get("title", self.name))


def comparison_title(of: Side, against: Side) -> str:
    """Return the title of the page, plain text: '<data set> against <data set>'."""
    if of.title == against.title:
        return f"{of.name} against {against.name}"
    return f"{of.title} against {against.title}"


def comparison_page(
    of: Side,
    against: Side,
    tables: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Path],
    files: Mapping[str, Mapping[str, Path]],
    settings: Mapping,
) -> str:
    """Return the page of a comparison.

    Args:
        of, against: the data set that is compared, and the one that it is compared with.
        tables: cell_match, difference, verdict_sensitivity.
        figures: difference-surfaces and verdicts; empty files where there is nothing to compare.
        files: the tables to download: {table: {'parquet': path, 'csv': path}}, beside the page.
        settings: confidence, equivalence_margin_jfi, fdr.
    """
    parts = [
        f"Jain's index of {_link(of)}, here S, compared with that of {_link(against)}, here T. "
        "A cell is a pairing of congestion controls, in the order of the flows, at one bandwidth, "
        "round-trip time and buffer. Runs of role calibration are left out.",
        _warned(of, against),
        "# What is compared {#sec-sides}",
        _sides(of, against),
        "# Which cells both have {#sec-cells}",
        _cells(tables["cell_match"]),
        _crowded(of, against, tables["cell_match"]),
        _without_index(of, against, tables["cell_match"]),
    ]
    if tables["difference"].is_empty():
        parts += [NOTHING_TO_COMPARE if len(_in_both(tables["cell_match"])) else NOT_COMPARED]
    else:
        unlike, unknown = unlike_settings(
            [(side.run, side.flow, side.window, side.stream) for side in (of, against)],
            tables["cell_match"],
        )
        parts += ["# What else differs {#sec-else}", _else(unlike, unknown)]
        parts += _differences(against, unlike, tables, figures, settings)
    parts += ["# What was found wrong with the data {#sec-findings}", _findings(of, against)]
    parts += ["# Tables to download {#sec-tables}", downloads(files)]
    return "\n\n".join(part for part in parts if part) + "\n"


NOTHING_TO_COMPARE = "**There is no cell to compare**, though both have some."
NOT_COMPARED = (
    "**There is no cell to compare.** Two runs belong to the same cell if they have the same "
    "congestion controls (in the order of the flows), bandwidth, round-trip time and buffer. If "
    "names and logs do not contain them, write them into `dataset.yml`: `cca`, "
    "`bottleneck_mbps`, `rtt_ms`, and `buffer_pct`, `buffer_bytes` or `buffer_packets`."
)


def _link(side: Side) -> str:
    target = f"../../datasets/{quote(side.name)}/index.html"
    return f"[{escape_markdown(side.name)}](<{target}>)"


def _sides(*sides: Side) -> str:
    """Return what the data sets hold, a column each, and which runs have no place on the grid."""
    placed = [on_the_grid(side.run) for side in sides]
    pairings = [in_order(runs["ccas"].unique(maintain_order=True).to_list()) for runs in placed]
    rows = {
        "Title": [escape_markdown(side.title) for side in sides],
        "Runs": [f"{len(side.run):,}" for side in sides],
        "of which with a place on the grid": [f"{len(runs):,}" for runs in placed],
        "Bandwidth (Mb/s)": [listed(s.run["bottleneck_bps"] / 1e6) or NOTHING for s in sides],
        "RTT (ms)": [listed(s.run["base_rtt_s"] * 1000) or NOTHING for s in sides],
        "Buffer (% of BDP)": [listed(s.run["buffer_bdp"] * 100) or NOTHING for s in sides],
        "First flow – second flow": [
            ", ".join(escape_markdown(pairing_name(ccas)) for ccas in known) or NOTHING
            for known in pairings
        ],
    }
    names = [f"{letter}: {code(side.name)}" for letter, side in zip("ST", sides, strict=True)]
    table = markdown_table(["", *names], [[name, *of] for name, of in rows.items()], numeric_from=3)
    note = "Runs of two flows, next to cross traffic or not, have a place on the grid if all of "
    note += f"this is known.{_placeless(*sides)}"
    return f"{table}\n\n{note}"


def _placeless(*sides: Side) -> str:
    """Say what the runs lack that have no place on the grid; nothing where all have one."""
    said = []
    for letter, side in zip("ST", sides, strict=True):
        runs = side.run.join(on_the_grid(side.run), on="run_id", how="anti")
        of_two = runs.filter(n_flows=2)
        lacks = {
            "two flows": len(runs) - len(of_two),
            "the congestion control of every flow": of_two["ccas"].null_count(),
            "an RTT that all flows share": of_two["base_rtt_s"].null_count(),
            "a buffer": of_two["buffer_bdp"].null_count(),
        }
        words = [f"{what} ({n:,})" for what, n in lacks.items() if n]
        if words:
            said.append(f" {many(len(runs), 'run')} of {letter} without: {', '.join(words)}.")
    return "".join(said)


def _warned(*sides: Side) -> str:
    """Say above all else that errors were found in a data set; nothing where there are none."""
    counts = [len(side.finding.filter(severity="error")) for side in sides]
    wrong = [
        f"{letter} has {'1 error' if n == 1 else f'{n:,} errors'}"
        for letter, n in zip("ST", counts, strict=True)
        if n
    ]
    if not wrong:
        return ""
    said = " and ".join(wrong)
    return f"**Do not use these numbers yet**: {said}; [what was found](#sec-findings) says which."


def _findings(*sides: Side) -> str:
    """Return what the sanity checks found in both data sets, a row a check, the worst first."""
    rows, notes = [], []
    for letter, side in zip("ST", sides, strict=True):
        found = side.finding
        n_notes = len(found.filter(severity="note"))
        if n_notes:
            notes.append(f"{letter} {n_notes:,}")
        severe = found.filter(pl.col("severity") != "note")
        groups = severe.partition_by("severity", "check", as_dict=True, maintain_order=True)
        for (severity, check), of_check in groups.items():
            message = escape_markdown(printable(of_check["message"][0]))
            rows.append([letter, severity, check, f"{len(of_check):,}", message])
    said = f" Notes are on the pages of the data sets: {', '.join(notes)}." if notes else ""
    if not rows:
        return f"Neither data set has an error or a warning.{said}"
    table = markdown_table(["", "", "Check", "Findings", "The first"], rows, numeric_from=5)
    links = " and ".join(f"{_link(side)}" for side in sides)
    return f"{table}\n\nWhere each is, and what settles it, is on {links}.{said}"


def _cells(match: pl.DataFrame) -> str:
    """Return how many cells of each pairing the data sets have, and how many are compared."""
    rows = []
    for ccas in in_order(match["ccas"].unique(maintain_order=True).to_list()):
        cells = match.filter(ccas=ccas)
        both = _in_both(cells)
        rows.append(
            [
                escape_markdown(pairing_name(ccas)),
                *(str((cells[f"{side}_n"] > 0).sum()) for side in ("of", "against")),
                str(len(both)),
                str(both["compared"].sum()),
            ]
        )
    rows = rows or [[NOTHING] * 5]
    header = ["First flow – second flow", "Cells of S", "Cells of T", "In both", "Compared"]
    return markdown_table(header, rows, numeric_from=1)


def _else(unlike: list[Unlike], unknown: list[str]) -> str:
    """Return what else differs in the cells that are compared, a row a setting."""
    parts = []
    if unlike:
        rows = [
            [*(escape_markdown(printable(text)) for text in one[:3]), f"{one.n_cells:,}"]
            for one in unlike
        ]
        header = ["", "S", "T", "In cells"]
        parts += [
            "Runs of one cell have the same congestion controls, bandwidth, round-trip time and "
            "buffer. This differs nevertheless, or is known of one side only, and may be why a "
            "cell differs:",
            markdown_table(header, rows, numeric_from=3),
        ]
    else:
        parts.append("Nothing else that is known differs in the cells that are compared.")
    if unknown:
        parts.append(f"Not known of either data set: {', '.join(map(_in_text, unknown))}.")
    return "\n\n".join(parts)


def _in_text(setting: str) -> str:
    """Return the name of a setting within a sentence; a free factor's as it is written."""
    name = setting.partition(" (")[0].lower() if setting in NAMES else setting
    return escape_markdown(printable(name))


def _in_both(match: pl.DataFrame) -> pl.DataFrame:
    return match.filter(pl.col("of_n") > 0, pl.col("against_n") > 0)


def _without_index(of: Side, against: Side, match: pl.DataFrame) -> str:
    """Say in which cells of both no run has a Jain's index; nothing where there are none."""
    both, said = _in_both(match), []
    for key, side in (("of", of), ("against", against)):
        without = both.filter(pl.col(f"{key}_known") == 0)
        if len(without):
            said.append(
                f"In {many(len(without), 'cell')} no run of {code(side.name)} has a Jain's index, "
                f"the first {_place(without.row(0, named=True))}"
            )
    if not said:
        return ""
    return (
        f"{'; '.join(said)}. In the steady state the flows carried nothing, have no sample, or do "
        "not overlap in time: the data set's page says which. Such cells are not compared."
    )


def _place(cell: Mapping) -> str:
    """Return where on the grid a cell is, in words."""
    return (
        f"{pairing_name(cell['ccas'])} at {cell['base_rtt_s'] * 1000:g} ms and "
        f"{cell['buffer_bdp'] * 100:g} % of the BDP"
    )


def _crowded(of: Side, against: Side, match: pl.DataFrame) -> str:
    """Say of which data set cells hold several scenarios; nothing where none does."""
    said = []
    for key, side in (("of", of), ("against", against)):
        crowded = match.filter(pl.col(f"{key}_scenarios") > 1)
        if len(crowded):
            row = crowded.row(0, named=True)
            cells = "1 cell" if len(crowded) == 1 else f"{len(crowded)} cells"
            said.append(
                f"{cells} of {code(side.name)} {'holds' if len(crowded) == 1 else 'hold'} several "
                f"scenarios, {_place(row)} {row[f'{key}_scenarios']}"
            )
    if not said:
        return ""
    return (
        f"{'; '.join(said)}. They differ in something that is not on the grid and do not repeat "
        "each other, so such cells are not compared. If they are repeats, name what tells them "
        "apart `{repeat}` in `dataset.yml`; else compare a data set of one of them."
    )


def _differences(
    against: Side,
    unlike: list[Unlike],
    tables: Mapping[str, pl.DataFrame],
    figures: Mapping[str, Path],
    settings: Mapping,
) -> list[str]:
    """Return the sections on where the data sets differ, and how sure that is."""
    difference = tables["difference"]
    moved = {against.name: (difference, tables["verdict_sensitivity"])}
    margin, fdr = settings["equivalence_margin_jfi"], 100 * settings["fdr"]
    d = difference["d"]
    return [
        "# Difference surfaces {#sec-differences}",
        f"D = S − T is the difference of the cells' means; its mean over "
        f"{many(len(difference), 'cell')} is {number(scalar(d.mean()), 3)}, that of |D| "
        f"{number(scalar(d.abs().mean()), 3)}.{_contested(difference)} W = |D| − 2 sd of T's "
        "runs: a simple measure of significance, which uses neither the number of runs nor the "
        "spread of S.",
        _figure(
            figures["difference-surfaces"],
            "Top: D, positive where S is fairer; framed cells (W ≥ 0, but not if all runs are "
            "identical) differ by at least two standard deviations of T's runs. Bottom: W, for "
            "cells with repeats. Hatched cells are uncontested.",
            "Heat maps of the difference of Jain's index over RTT and buffer.",
        ),
        "# Verdicts {#sec-verdicts}",
        "The run is the unit. Welch's test asks whether the means differ, two one-sided tests "
        f"whether they lie within {margin:g} of each other; both are adjusted over the cells of a "
        f"pairing for a false discovery rate of {fdr:g} %. A cell is *different*, *equivalent*, "
        "*both* (it differs, but by less than the margin) or *inconclusive*. It has *no variance* "
        "if all runs are identical on both sides, and *one run* if a side has no repeats."
        f"{_taken_as_exact(difference)}",
        _not_alone(unlike),
        _figure(
            figures["verdicts"],
            "Results of the tests for each cell that can be tested.",
            "Heat maps of verdicts over RTT and buffer.",
        ),
        difference_table({against.name: difference}, "Against"),
        "# Sensitivity {#sec-sensitivity}",
        "The number of cells by verdict, and of those whose verdict changes, with other starts of "
        "the steady state and with the automatic estimate MSER-5.",
        verdict_sensitivity_table(moved, "Against"),
    ]


def _not_alone(unlike: list[Unlike]) -> str:
    """Say what a verdict may be due to besides; nothing where nothing else differs."""
    if not unlike:
        return ""
    surely, perhaps = (
        [_in_text(one.setting) for one in unlike if one.is_known == known]
        for known in (True, False)
    )
    words = [f"differ in {all_of(surely)}"] if surely else []
    words += [f"perhaps {'' if surely else 'differ '}in {all_of(perhaps)}"] if perhaps else []
    return f"S and T [{all_of(words)}](#sec-else), too: a verdict is of all of it together."


def _taken_as_exact(difference: pl.DataFrame) -> str:
    """Say in how many tested cells one side's runs are identical; nothing where there are none."""
    said = []
    tested = difference.filter(pl.col("welch_p").is_not_null())
    for letter, key, other in (("S", "simulation", "testbed"), ("T", "testbed", "simulation")):
        exact = tested.filter(f"{key}_deterministic", ~pl.col(f"{other}_deterministic"))
        if len(exact):
            said.append(f"all runs of {letter} are identical in {many(len(exact), 'cell')}")
    if not said:
        return ""
    return (
        f" But {' and '.join(said)}: the tests take their mean as exact there, and know only the "
        "spread of the other side. If these runs are copies, or nothing differs from run to run "
        "that would differ in a network, they say too much."
    )


def _contested(difference: pl.DataFrame) -> str:
    """Say what the mean of |D| is without uncontested cells; nothing where there are none."""
    contested = difference.filter("contested")
    if len(contested) == len(difference):
        return ""
    mean = number(scalar(contested["d"].abs().mean()), 3)
    cells = many(len(difference) - len(contested), "cell")
    return (
        f" In {cells} no run lost a packet at the bottleneck on "
        "one side or on both: the flows did not compete there. Without these cells the mean of "
        f"|D| is {mean}."
    )


def _figure(path: Path, caption: str, alt: str) -> str:
    words = f"{alt} {read_description(path)}".strip()
    return f'![{caption}]({path.name}){{#fig-{path.stem} fig-alt="{words}"}}'


def downloads(files: Mapping[str, Mapping[str, Path]]) -> str:
    """Return the links to the tables beside the page."""
    rows = []
    for table, paths in files.items():
        links = [
            f"[{path.name}](<tables/{path.name}>) ({size_in_words(path.stat().st_size)})"
            for path in (paths["parquet"], paths["csv"])
        ]
        rows.append([code(table), ABOUT_TABLES.get(table, ""), *links])
    table = markdown_table(["Table", "Holds", "Parquet", "CSV"], rows, numeric_from=4)
    return f"{UNITS}\n\n{table}"
