"""Render the page of a data set: what it is, its scenarios, its stalled flows, its ledger."""

from pathlib import Path

import polars as pl
import yaml
from evenflow import reporting
from evenflow.render import render_page
from evenflow.scripting import reporting_errors


def page(dataset: dict, tables: dict[str, pl.DataFrame], stalled_s: float) -> str:
    """Return the page as markdown."""
    names = ("run", "flow", "flow_metric", "ledger")
    run, flow, flow_metric, ledger = (tables[name] for name in names)
    about = reporting.dataset_variables(run, flow, flow_metric, ledger, stalled_s)
    name = about["id"]
    return f"""{dataset.get("source", "The source is not said: add `source:` to dataset.yml.")}

Licence: {dataset.get("licence", "not said: add `licence:` to dataset.yml")}. Platform:
{dataset.get("platform", "not said")}. Tool: {about["tool"]}.

{reporting.dataset_table({name: about})}

# Scenarios

Means over the repeats, each of the steady state of its run.

{reporting.scenario_table(tables["cell"], run)}

# Stalled flows

Flows that carried nothing for more than {stalled_s:g} s of the steady state. They are kept in every
mean.

{reporting.stalled_table({name: flow_metric}, stalled_s)}

# Left out, or worth a second look

Runs and lines that were left out; logs of different runs that are the same; flows that together
carry far more or less than the bottleneck is said to have.

{reporting.doubts_table(run, flow_metric, ledger)}

# Ledger

Every byte of every raw file is accounted for, in the table `ledger` of this data set.

{reporting.ledger_table(ledger)}
"""


def main(inputs: dict[str, str], theme: str, stalled_s: float, html: str) -> None:
    """Read dataset.yml and the tables of a data set; write its page."""
    dataset = yaml.safe_load(Path(inputs["yml"]).read_text(encoding="utf-8"))
    names = ("run", "flow", "cell", "flow_metric", "ledger")
    tables = {name: pl.read_parquet(inputs[name]) for name in names}
    text = page(dataset, tables, stalled_s)
    title = dataset.get("title", Path(inputs["yml"]).parent.name)
    render_page(text, title, Path(html), Path(theme))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.theme, params.stalled_s, snakemake.output.html)
