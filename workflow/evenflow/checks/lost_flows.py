"""Checks of runs with fewer flows than they should have."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from functools import cache
from typing import NamedTuple

import polars as pl

from ..ingest.pooling import FILES, FROM_LOGS
from ..ingest.ways import VARIANTS
from ..markdown import first_of
from .finding import findings

SHOWN = 4  # logs that are named
# factors that a run may have, or lack, because a flow of it is missing
OF_FLOWS = {FILES, VARIANTS, *FROM_LOGS}
HERE = "its index and shares are those of the flows that are here"


class Of(NamedTuple):
    """What is compared of a run: how many flows it has, and in which logs."""

    run_id: str
    n_flows: int
    logs: tuple[str, ...]


def missing_flows(run: pl.DataFrame, flow: pl.DataFrame, stream: pl.DataFrame) -> pl.DataFrame:
    """Find runs with fewer flows than most whose names differ from theirs in numbers only.

    Not where factors differ (`flows4/run1`), nor where the logs are as many: with -P one log holds
    any number of flows.

    Args:
        run, flow: the tables.
        stream: the parsed table, with the path of each log.
    """
    alike: dict[tuple[str, str], list[Of]] = defaultdict(list)  # by name and factors
    for one, factors in _runs(run, flow, stream):
        for name in {re.sub("[0-9]+", "#", path) for path in one.logs}:
            alike[name, factors].append(one)
    lost: dict[str, tuple[Of, Of, int]] = {}  # the run, one that is whole, and how many are
    for of_name in alike.values():
        count = Counter(one.n_flows for one in of_name)
        usual = max(count, key=lambda n: (count[n], n))
        whole = [one for one in of_name if one.n_flows == usual]
        if 2 * len(whole) <= len(of_name) != 2:
            continue  # a number that nobody named may be that of the flows
        for one in of_name:
            if one.n_flows < usual and len(one.logs) < len(whole[0].logs):
                lost[one.run_id] = one, whole[0], len(whole)
    rows = pl.DataFrame(
        [(run_id, _of_fewer(*found)) for run_id, found in sorted(lost.items())],
        schema={"run_id": pl.String, "said": pl.String},
        orient="row",
    )
    remedy = "add the log that is missing; nothing to do if the flows that are here ran alone"
    return findings(rows, "missing flow", "warning", pl.col("said"), remedy)


def _runs(run: pl.DataFrame, flow: pl.DataFrame, stream: pl.DataFrame) -> list[tuple[Of, str]]:
    """Return the runs, and the factors that do not follow from their flows."""
    n_flows = Counter(flow["run_id"].to_list())
    logs: dict[str, set[str]] = defaultdict(set)
    for run_id, path in stream.select("run_id", "path").drop_nulls().iter_rows():
        logs[run_id].add(path)
    return [
        (Of(run_id, n_flows[run_id], tuple(sorted(logs[run_id]))), _without_flows(factors))
        for run_id, factors in run.select("run_id", "factors").sort("run_id").iter_rows()
        if run_id in logs
    ]


@cache
def _without_flows(factors: str) -> str:
    found = json.loads(factors)
    return json.dumps({key: found[key] for key in sorted(found.keys() - OF_FLOWS)})


def _of_fewer(run: Of, whole: Of, n_whole: int) -> str:
    others = "another run like it has" if n_whole == 1 else f"{n_whole:,} runs like it have"
    return f"it has {_flows(run)}, {others} {_flows(whole)}: {HERE}"


def _flows(run: Of) -> str:
    flows = "1 flow" if run.n_flows == 1 else f"{run.n_flows} flows"
    return f"{flows} ({first_of(run.logs, SHOWN)})"


def listed_in_vain(run: pl.DataFrame) -> pl.DataFrame:
    """Find runs whose names list more congestion controls than they have flows.

    Args:
        run: the table.
    """
    listed = pl.col("factors").str.json_path_match(f"$.{VARIANTS}")
    n_flows = pl.col("n_flows") + pl.col("n_cross_traffic")
    rows = run.with_columns(listed=listed).filter(
        n_flows > 0, pl.col("listed").str.count_matches(",") + 1 > n_flows
    )
    message = pl.format(
        f"its name lists {{}}, and its logs have {{}} flow{{}}, {{}}: {HERE}",
        "listed",
        n_flows,
        pl.when(n_flows == 1).then(pl.lit("")).otherwise(pl.lit("s")),
        pl.coalesce(
            pl.format("of {}", pl.col("ccas").str.replace_all("-", ", ")),
            pl.lit("of which of them it does not say"),
        ),
    )
    known = pl.col("ccas").is_not_null()
    add = (
        "add the log of the flow that is missing, or join the runs that ran together in a table "
        "runs.csv; if this flow was alone, "
    )
    said = f"{add}nothing to do"
    unsaid = f"{add}say which one it is there (columns run, flow, cca)"
    parts = [(rows.filter(known), said), (rows.filter(~known), unsaid)]
    name = "flow in the name only"
    return pl.concat([findings(of, name, "warning", message, remedy) for of, remedy in parts])
