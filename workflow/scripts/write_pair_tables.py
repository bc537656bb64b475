"""Write the tables of the report on high-speed-fairness as markdown."""

import json
from pathlib import Path

import polars as pl
from evenflow import high_speed_report as report
from evenflow.deviations import about_dataset, deviation_table, plain, source_list
from evenflow.files import write_text
from evenflow.high_speed_claims import claims_table
from evenflow.high_speed_data import coverage_table, data_table, data_variables, facts
from evenflow.schema import read_yaml
from evenflow.scripting import reporting_errors
from evenflow.selfcheck_report import selfcheck_table
from evenflow.tables import read_table

OF_PAPER = ("pair_metric", "pair_cell", "rtt_fit", "pair_share", "pair_sensitivity")
OF_DATASET = ("run", "flow", "window", "ledger")


def main(inputs: dict, datasets: dict[str, str], low_share: float, outputs: list[str]) -> None:
    """Read the tables of the data sets (lists in the order of their parts) and of the paper.

    Args:
        inputs: paths by name.
        datasets: {part: data set}.
        low_share: of both flows' throughput; runs in which a flow gets less are listed.
        outputs: a table each, named after it.
    """
    pairs, cells, fits, shares, moved = (read_table(inputs[name]) for name in OF_PAPER)
    parts = list(datasets)
    described, said, about = {}, {}, {}
    for i, (part, name) in enumerate(datasets.items()):
        run, flow, window, ledger = (read_table(inputs[table][i]) for table in OF_DATASET)
        states = recorded(inputs["tcp_state"][i], inputs["sample"][i])
        mine = pairs.filter(part=part)
        about[name] = about_dataset(name, list(inputs["about"]))
        title = plain(about[name].get("title", name))
        described[part] = data_variables(run, flow, ledger, mine, title)
        said[name] = facts(run, flow, window, states, mine, about[name])
    published = pl.read_csv(inputs["published"], schema_overrides={"value": pl.String})
    makers = {
        "data": lambda: data_table(described),
        "sources": lambda: source_list(about),
        "deviations": lambda: deviation_table(read_yaml(inputs["authors"])[0], said),
        "coverage": lambda: coverage_table(cells, parts),
        "published": lambda: report.published_table(published, cells, parts),
        "fits": lambda: report.fit_table(fits, parts),
        "mean-shares": lambda: report.share_table(shares, parts),
        "starved": lambda: report.starved_table(pairs, parts, low_share),
        "platforms": lambda: report.platform_table(cells),
        "sensitivity": lambda: report.sensitivity_table(moved, parts),
        "verdicts": lambda: report.verdict_table(moved, parts),
        "claims": lambda: claims_table(cells, parts),
        "cells": lambda: report.cell_table(cells, parts),
        "selfcheck": lambda: selfcheck(inputs.get("selfcheck")),
    }
    for output in outputs:
        write_text(output, makers[Path(output).stem]())


def recorded(tcp_state: str, sample: str) -> list[str]:
    """Return what a data set has of its senders: variables of tcp_state, columns of sample."""
    variables = pl.scan_parquet(tcp_state).select("variable").unique().collect()["variable"]
    columns = ("cwnd_bytes", "rtt_s")
    there = pl.scan_parquet(sample).select(pl.col(columns).is_not_null().any()).collect()
    return [*variables, *(name for name in columns if there[name][0])]


def selfcheck(path: str | None) -> str:
    """Return the self-check of the testbed, nothing where the report is not of our testbed."""
    return selfcheck_table(json.loads(Path(path).read_text(encoding="utf-8"))) if path else ""


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = dict(snakemake.input.items())
        params, outputs = snakemake.params, list(snakemake.output)
        main(inputs, params.datasets, params.low_share, outputs)
