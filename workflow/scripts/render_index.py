"""Render the page that leads to every report and to the page of every data set."""

from pathlib import Path

import yaml
from evenflow.render import render_index, report_summary
from evenflow.scripting import reporting_errors

TITLE = "evenflow"
INTRODUCTION = (
    "Papers on how competing TCP flows share a link. Every figure and every number in them was "
    "computed from the raw logs of the data sets below."
)


def paper(qmd: Path) -> dict[str, str]:
    """What the index says of the report with this index.qmd, and where its outputs lie."""
    name = qmd.parent.name
    links = {"html": f"{name}/index.html", "pdf": f"{name}/{name}.pdf"}
    return {**report_summary(qmd.parent), **links}


def dataset(yml: Path) -> dict[str, str]:
    """What the index says of the data set with this dataset.yml, and where its page lies."""
    about = yaml.safe_load(yml.read_text(encoding="utf-8"))
    return {
        "title": about.get("title", yml.parent.name),
        "description": about.get("source", "Its dataset.yml does not say where it is from."),
        "html": f"datasets/{yml.parent.name}/index.html",
    }


def main(qmds: list[str], ymls: list[str], theme: str, html: str) -> None:
    """Write the index of these reports and data sets."""
    papers = [paper(Path(qmd)) for qmd in qmds]
    datasets = [dataset(Path(yml)) for yml in ymls]
    render_index(papers, datasets, TITLE, Path(html), Path(theme), INTRODUCTION)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = snakemake.input
        main(inputs.qmd, inputs.yml, snakemake.params.theme, snakemake.output.html)
