"""Write one table of a report as markdown."""

import json
from pathlib import Path

import polars as pl
from evenflow import reporting
from evenflow.claims import claims_table
from evenflow.deviations import about_dataset, dataset_facts, deviation_table, source_list
from evenflow.files import write_text
from evenflow.paper_claims import CLAIMS
from evenflow.schema import read_yaml
from evenflow.scripting import reporting_errors


def differences(inputs: dict) -> dict[str, pl.DataFrame]:
    """Return the difference table against each testbed, by its part in the paper."""
    paths = inputs.get("difference", [])
    return {Path(path).stem.removeprefix("difference_"): pl.read_parquet(path) for path in paths}


def main(
    inputs: dict, paper: str, table: str, parts: list[str], stalled_s: float, output: str
) -> None:
    """Read what `table` needs of a paper's tables (lists in the order of `parts`); write it."""

    def read(name: str) -> list[pl.DataFrame]:
        return [pl.read_parquet(path) for path in inputs.get(name, [])]

    runs = read("run")
    names = [run["dataset_id"][0] for run in runs]
    if table == "datasets":
        rows = zip(runs, read("flow"), read("flow_metric"), read("ledger"), strict=True)
        variables = [reporting.dataset_variables(*row, stalled_s) for row in rows]
        text = reporting.dataset_table(dict(zip(parts, variables, strict=True)))
    elif table == "sources":
        text = source_list({name: about_dataset(name, inputs.get("about", [])) for name in names})
    elif table == "deviations":
        about = [about_dataset(name, inputs.get("about", [])) for name in names]
        rows = zip(runs, read("flow"), read("flow_metric"), about, strict=True)
        facts = dict(zip(names, (dataset_facts(*row) for row in rows), strict=True))
        text = deviation_table(read_yaml(inputs["authors"])[0], facts)
    elif table == "claims":
        surface = pl.read_parquet(inputs["surface"])
        text = claims_table(CLAIMS[paper], surface, differences(inputs))
    elif table == "selfcheck":
        text = reporting.selfcheck_table(json.loads(Path(inputs["selfcheck"]).read_text()))
    elif table == "published":
        text = reporting.printed_table(pl.read_parquet(inputs["published"]))
    elif table == "stalled":
        named = dict(zip(names, read("flow_metric"), strict=True))
        text = reporting.stalled_table(named, stalled_s)
    elif table == "sensitivity":
        pairs = zip(read("sensitivity"), runs, strict=True)
        text = reporting.sensitivity_table(dict(zip(names, pairs, strict=True)))
    elif table == "verdicts":
        by_part = dict(zip(parts, names, strict=True))
        tables = {by_part[part]: table for part, table in differences(inputs).items()}
        text = reporting.difference_table(tables)
    else:
        raise ValueError(f"no table '{table}'")
    write_text(output, text)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        paper, table = snakemake.wildcards.paper, snakemake.wildcards.table
        inputs = dict(snakemake.input.items())
        main(inputs, paper, table, params.parts, params.stalled_s, snakemake.output[0])
