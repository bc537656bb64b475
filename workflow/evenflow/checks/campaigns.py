"""Check of what a folder holds: one campaign of measurements, or clearly several."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import polars as pl

from ..markdown import first_of
from ..places import folders, is_study
from .finding import findings

NEEDED = {"path", "run_id", "start_epoch_s", "local", "peer"}  # columns of stream
DAY_S = 86_400.0
APART_DAYS, APART = 30.0, 3.0  # between campaigns: so long, and so many times what one took
SHOWN = 4  # campaigns that are named


class Part(NamedTuple):
    """What is known of the runs in a folder of the data set."""

    name: str
    n_runs: int
    made_with: tuple[str, ...]  # platform and tool
    dates: tuple[float, float] | None  # of the first and the last connection, s since 1970
    networks: frozenset[str]
    shapes: frozenset[tuple]  # of the paths below it


def several_campaigns(run: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find a data set whose folders clearly are campaigns of their own.

    They are where folders were measured with other tools, on other platforms, or a month and
    several times their own length apart; and where they share neither a network nor the shape of
    a name. Folders of one campaign differ in settings, hosts and days.

    Args:
        run: the table.
        stream: the parsed table, with the path of each log.
    """
    none = findings(run.clear(), CHECK, "warning", pl.lit(""), "")
    if not set(stream.columns) >= NEEDED or run.is_empty():
        return none
    parts = _parts(run, stream)
    for apart, why in ((_by_tool, "other tools"), (_by_date, "months apart"), (_by_place, PLACES)):
        groups = apart(parts)
        if len(groups) > 1:
            return _found(run, groups, why)
    return none


CHECK = "several campaigns"
OF_WORDS = r"[^\W_]+"  # letters and digits
PLACES = "other networks and names of other shapes"


def _found(run: pl.DataFrame, groups: list[list[Part]], why: str) -> pl.DataFrame:
    said = []
    for group in groups[:SHOWN]:
        n = sum(part.n_runs for part in group)
        names = first_of([f"{part.name}/" for part in group], SHOWN)
        tools = " and ".join(dict.fromkeys(p.made_with[-1] for p in group if p.made_with))
        runs = "1 run" if n == 1 else f"{n} runs"
        said.append(f"{names} ({runs}{f' of {tools}' if tools else ''})")
    left = f"; and {len(groups) - SHOWN} more" if len(groups) > SHOWN else ""
    message = f"the folder holds several campaigns ({why}): {'; '.join(said)}{left}"
    dataset = run["dataset_id"][0] if "dataset_id" in run.columns else "the data set"
    folder = Path(folders().raw, dataset)
    parts = [[part.name for part in group] for group in groups]
    to_do = (_linked if folder.is_symlink() else _moved) if is_study() else _reported
    what, commands = to_do(folder, parts)
    more = f", and so on with {len(commands) - SHOWN} more" if len(commands) > SHOWN else ""
    shown = ", ".join(f"`{command}`" for command in commands[:SHOWN])
    remedy = f"{what}: {shown}{more}; nothing to do if they belong on one page"
    return findings(pl.DataFrame({"run_id": [None]}), CHECK, "warning", pl.lit(message), remedy)


def _moved(folder: Path, groups: list[list[str]]) -> tuple[str, list[str]]:
    """Return what to do with a folder of the study, and commands: the first campaign stays."""
    commands = []
    for first, *others in groups[1:]:
        there = quote(f"{folder}-{first.replace('/', '-')}")
        parts = " ".join(quote(str(folder / name)) for name in (first, *others))
        commands.append(f"mkdir {there} && mv {parts} {there}" if others else f"mv {parts} {there}")
    return f"move all but one into folders of their own in {folder.parent}", commands


def _linked(folder: Path, groups: list[list[str]]) -> tuple[str, list[str]]:
    """Return what to do with a link of the study to a folder elsewhere, and commands.

    They say nothing of the machine, as pages and tables are published.
    """
    names = [name for group in groups for name in group]
    links = [quote(f"{folder}-{name.replace('/', '-')}") for name in names]
    there = f'"$(realpath {quote(str(folder))})"'
    commands = [f"ln -s {there}/{quote(n)} {link}" for n, link in zip(names, links, strict=True)]
    return f"link to each, and then remove the link {folder}", commands


def _reported(folder: Path, groups: list[list[str]]) -> tuple[str, list[str]]:
    """Return what to do with a folder that `evenflow report` only reads, and commands."""
    logs = [_from_home(folder.resolve() / name) for group in groups for name in group]
    return "give each a page of its own", [f"evenflow report {path}" for path in logs]


def _from_home(path: Path) -> str:
    """Return a path as a shell reads it anywhere; it need not say who its user is."""
    with suppress(RuntimeError, ValueError):
        return f"~/{quote(str(path.relative_to(Path.home())))}"
    return quote(str(path))


def _parts(run: pl.DataFrame, stream: pl.DataFrame) -> list[Part]:
    """Return the folders in which runs lie that share no folder further down; none where some
    runs lie beside such folders, or in several of them."""
    known = stream.select(sorted(NEEDED)).join(
        run.select("run_id", "platform", "tool"), on="run_id"
    )
    levels = known["path"].str.split("/")
    shortest = known.select(pl.col("path").str.count_matches("/", literal=True).min()).item() or 0
    depth = next((i for i in range(shortest) if levels.list.get(i).n_unique() > 1), None)
    if depth is None:
        return []
    below = levels.list.slice(depth + 1)
    known = known.select(
        "run_id",
        "start_epoch_s",
        *(pl.col(end).str.extract(r"(?s)^(.*):") for end in ("local", "peer")),  # without the port
        made_with=pl.struct("platform", "tool"),
        name=levels.list.head(depth + 1).list.join("/"),
        # how many folders and words the path of a log has below that of its part
        marks=below.list.join("/").str.replace_all(OF_WORDS, ""),
    )
    if known.n_unique(["run_id", "name"]) > known.n_unique(["run_id"]):
        return []
    parts = known.group_by("name", maintain_order=True).agg(
        pl.col("run_id").n_unique(),
        pl.col("made_with", "local", "peer", "marks").unique(maintain_order=True),
        undated=pl.col("start_epoch_s").has_nulls(),
        first=pl.col("start_epoch_s").min(),
        last=pl.col("start_epoch_s").max(),
    )
    return [_part(row) for row in parts.sort("name").iter_rows(named=True)]


def _part(row: dict) -> Part:
    made_with = [tuple(said for said in of.values() if said) for of in row["made_with"]]
    hosts = {host for host in (*row["local"], *row["peer"]) if host and "." in host}
    return Part(
        row["name"],
        row["run_id"],
        made_with[0] if len(set(made_with)) == 1 else (),
        None if row["undated"] else (row["first"], row["last"]),
        frozenset(host.rpartition(".")[0] for host in hosts),
        frozenset(tuple(map(len, marks.split("/"))) for marks in row["marks"]),
    )


def _by_tool(parts: list[Part]) -> list[list[Part]]:
    """Return the parts by what they were measured with; one group where that is not known."""
    if not all(part.made_with for part in parts):
        return []
    groups: dict[tuple, list[Part]] = defaultdict(list)
    for part in parts:
        groups[part.made_with].append(part)
    return list(groups.values())


def _by_date(parts: list[Part]) -> list[list[Part]]:
    """Return the parts by when they were measured, a long pause between groups."""
    dated = [(part.dates, part) for part in parts if part.dates is not None]
    if not parts or len(dated) < len(parts):
        return []
    dated.sort(key=lambda pair: pair[0])
    longest_s = max(last_s - first_s for (first_s, last_s), _ in dated)
    pause_s = max(APART_DAYS * DAY_S, APART * longest_s)
    groups: list[list[Part]] = [[]]
    end_s = dated[0][0][1]
    for (first_s, last_s), part in dated:
        if first_s - end_s > pause_s:
            groups.append([])
        groups[-1].append(part)
        end_s = max(end_s, last_s)
    return groups


def _by_place(parts: list[Part]) -> list[list[Part]]:
    """Return the parts as groups that share a network or the shape of a name."""
    if not all(part.networks for part in parts):
        return []
    groups: list[list[Part]] = []
    for part in parts:
        near = [g for g in groups if any(_alike(part, other) for other in g)]
        groups = [g for g in groups if g not in near] + [[*(p for g in near for p in g), part]]
    return groups


def _alike(one: Part, other: Part) -> bool:
    return bool(one.networks & other.networks or one.shapes & other.shapes)
