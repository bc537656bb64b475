"""Write _variables.yml of a report: every number that its text uses, as formatted strings."""

import json
from pathlib import Path

import polars as pl
import yaml
from evenflow import reporting
from evenflow.files import write_text
from evenflow.scripting import reporting_errors


def main(inputs: dict, parts: list[str], settings: dict, output: str) -> None:
    """Read the tables of a paper (lists in the order of `parts`, its roles); write variables."""
    tables = {
        name: [pl.read_parquet(path) for path in inputs[name]]
        for name in ("run", "flow", "flow_metric", "ledger")
    }
    stalled_s = settings["statistics"]["stalled_s"]
    data = zip(*tables.values(), strict=True)
    selfcheck = json.loads(Path(inputs["selfcheck"]).read_text(encoding="utf-8"))
    published = pl.read_parquet(inputs["published"])
    summary = reporting.summary_variables(pl.read_parquet(inputs["summary"]), published)
    variables = {
        "settings": reporting.setting_variables(settings),
        "selfcheck": reporting.selfcheck_variables(selfcheck),
        "data": {
            part: reporting.dataset_variables(*mine, stalled_s)
            for part, mine in zip(parts, data, strict=True)
        },
        "observed": {
            part: reporting.observed_variables(run)
            for part, run in zip(parts, tables["run"], strict=True)
        },
        "summary": summary,
        "edge": reporting.edge_variables(pl.read_parquet(inputs["surface"]), summary),
        "printed": reporting.printed_variables(published),
    }
    if inputs.get("difference"):
        variables["difference"] = {
            Path(path).stem.removeprefix("difference_"): reporting.difference_variables(
                pl.read_parquet(path)
            )
            for path in inputs["difference"]
        }
    write_text(output, yaml.safe_dump(variables, allow_unicode=True, sort_keys=False))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.parts, params.settings, snakemake.output[0])
