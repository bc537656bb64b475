"""Write the tables of a report as markdown; one that the paper does not have is an empty file."""

import json
from pathlib import Path

from evenflow.deviations import about_dataset
from evenflow.files import write_text
from evenflow.report_tables import report_tables
from evenflow.schema import read_yaml
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table

OF_DATASETS = ("run", "flow", "flow_metric", "ledger", "sensitivity")


def main(inputs: dict, paper: str, datasets: dict[str, str], settings: dict, outputs: list[str]):
    """Read the tables of a paper (lists in the order of its roles); write those of its report."""
    parts = {
        part: {name: read_table(inputs[name][i]) for name in OF_DATASETS}
        for i, part in enumerate(datasets)
    }
    of_paper = {name: read_table(inputs[name]) for name in ("surface", "published")}
    pairs = zip(inputs.get("difference", []), inputs.get("verdict_sensitivity", []), strict=True)
    differences = {
        Path(path).stem.removeprefix("difference_"): tuple(map(read_table, (path, moved)))
        for path, moved in pairs
    }
    paths = inputs.get("about", [])
    said = {
        "about": {part: about_dataset(name, paths) for part, name in datasets.items()},
        "authors": read_yaml(inputs["authors"])[0],
    }
    if "selfcheck" in inputs:
        said["selfcheck"] = json.loads(Path(inputs["selfcheck"]).read_text(encoding="utf-8"))
    tables = report_tables(paper, parts, of_paper, differences, said, settings)
    for path in outputs:
        write_text(path, tables.get(Path(path).stem, ""))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, inputs = snakemake.params, dict(snakemake.input.items())
        paper, outputs = snakemake.wildcards.paper, list(snakemake.output)
        main(inputs, paper, params.datasets, params.settings, outputs)
