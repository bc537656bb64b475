"""All tables of a report on the grid of RTT and buffer, from the tables of a paper."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from . import reporting
from .claims import claims_table
from .deviations import dataset_facts, deviation_table, source_list
from .paper_claims import CLAIMS
from .selfcheck_report import selfcheck_table


def report_tables(
    paper: str,
    parts: Mapping[str, Mapping[str, pl.DataFrame]],
    of_paper: Mapping[str, pl.DataFrame],
    differences: Mapping[str, tuple[pl.DataFrame, pl.DataFrame]],
    said: Mapping[str, object],
    settings: Mapping[str, object],
) -> dict[str, str]:
    """Return every table that the data give: {name: markdown}.

    Args:
        paper: key of CLAIMS.
        parts: run, flow, flow_metric, ledger, sensitivity by the data set's role in the paper.
        of_paper: surface, published.
        differences: by the testbed's role, the difference table and its sensitivity; may be empty.
        said: about (dataset.yml by role), authors (rows of authors.yml), and, where the testbed is
            ours, selfcheck.
        settings: stalled_s, weight_from.
    """
    names = {part: tables["run"]["dataset_id"][0] for part, tables in parts.items()}
    stalled_s, weight_from = settings["stalled_s"], settings["weight_from"]
    facts, variables = {}, {}
    for part, tables in parts.items():
        three = [tables[name] for name in ("run", "flow", "flow_metric")]
        facts[names[part]] = dataset_facts(*three, said["about"][part])
        variables[part] = reporting.dataset_variables(*three, tables["ledger"], stalled_s)

    def named(*wanted: str) -> dict:
        """Return some tables of every data set by its name."""
        found = {names[part]: tuple(tables[w] for w in wanted) for part, tables in parts.items()}
        return {name: t[0] if len(t) == 1 else t for name, t in found.items()}

    against = {names[part]: pair for part, pair in differences.items()}
    plain = {part: table for part, (table, _) in differences.items()}
    made = {
        "datasets": reporting.dataset_table(variables),
        "sources": source_list({names[part]: about for part, about in said["about"].items()}),
        "deviations": deviation_table(said["authors"], facts),
        "claims": claims_table(CLAIMS[paper], of_paper["surface"], plain),
        "published": reporting.printed_table(of_paper["published"]),
        "stalled": reporting.stalled_table(named("flow_metric"), stalled_s),
        "sensitivity": reporting.sensitivity_table(named("sensitivity", "run"), weight_from),
    }
    if against:
        verdicts = {name: table for name, (table, _) in against.items()}
        made["verdicts"] = reporting.difference_table(verdicts)
        made["verdict-sensitivity"] = reporting.verdict_sensitivity_table(against)
    if "selfcheck" in said:
        made["selfcheck"] = selfcheck_table(said["selfcheck"])
    return made
