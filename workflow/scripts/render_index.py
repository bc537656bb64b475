"""Render the page that leads to every report and to the page of every data set."""

import re
import tempfile
from pathlib import Path

import yaml
from evenflow.files import write_text
from evenflow.glance import glance_markdown, read_claims
from evenflow.render import as_sentence, escape_markdown, render_index, report_summary
from evenflow.scripting import reporting_errors
from evenflow.search import with_search

TITLE = "evenflow"
INTRODUCTION = (
    "Papers on how competing TCP flows share a link. Every figure and every number in them was "
    "computed from the raw logs of the data sets below. `make verify` checks that."
)
WORKFLOW = """# Workflow

Each word is a rule of the workflow; a line leads down to a rule that uses its output. Blue: what
starts from the raw logs, or from formulas alone.

![The rules of the workflow.]({name}){{#fig-workflow fig-alt="{alt}"}}"""


def paper(folder: Path) -> dict[str, str]:
    """What the index says of the report in this folder, and where its outputs lie."""
    name = folder.name
    links = {"html": f"{name}/index.html", "pdf": f"{name}/{name}.pdf"}
    return {**report_summary(folder), **links}


def dataset(yml: Path) -> dict[str, str]:
    """What the index says of the data set with this dataset.yml, and where its page lies."""
    about = yaml.safe_load(yml.read_text(encoding="utf-8"))
    source = about.get("source") or "Its dataset.yml does not say where it is from"
    return {
        "title": about.get("title", yml.parent.name),
        "description": as_sentence(str(source)),
        "html": f"datasets/{yml.parent.name}/index.html",
    }


def glance(papers: dict[Path, dict[str, str]]) -> str:
    """Return the panel of results of the papers (by folder) that have a scorecard."""
    found = {}
    for folder, about in papers.items():
        scorecard = folder / "tables/claims.md"
        claims = read_claims(scorecard.read_text("utf-8")) if scorecard.is_file() else []
        if claims:
            title = escape_markdown(about["title"])
            found[folder.name] = (title, f"{folder.name}/index.html#tbl-claims", claims)
    return glance_markdown(found) if found else ""


def workflow_section(svg: Path) -> str:
    """Return the section with the picture of the workflow."""
    rules = sorted(set(re.findall(r">([a-z]+_[a-z_]+)</text>", svg.read_text("utf-8"))))
    alt = f"Graph of {len(rules)} rules: {', '.join(rules)}"
    return WORKFLOW.format(name=svg.name, alt=alt)


def main(inputs: dict, theme: str, html: str) -> None:
    """Write the index of the reports and data sets of these inputs (qmd, yml, pages, workflow)."""
    output = Path(html)
    papers = {Path(qmd).parent: paper(Path(qmd).parent) for qmd in inputs["qmd"]}
    datasets = [dataset(Path(yml)) for yml in inputs["yml"]]
    introduction = "\n\n".join([INTRODUCTION, glance(papers)])
    svg = Path(inputs["workflow"])
    parts = {"more": [workflow_section(svg)], "resources": svg.parent}
    with tempfile.TemporaryDirectory() as temporary:
        plain = Path(temporary) / "index.html"
        render_index(papers.values(), datasets, TITLE, plain, Path(theme), introduction, **parts)
        page = plain.read_text("utf-8")
    pages = {Path(p).relative_to(output.parent).as_posix(): Path(p) for p in inputs["pages"]}
    write_text(html, with_search(page, {k: path.read_text("utf-8") for k, path in pages.items()}))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs = dict(snakemake.input.items())
        main(inputs, snakemake.params.theme, snakemake.output.html)
