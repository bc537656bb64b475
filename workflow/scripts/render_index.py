"""Render the page that leads to every report and every data set.

Snakemake: params.reports (report directories), params.datasets (a list of mappings with title,
description and html), params.title, params.introduction (markdown), params.theme, output.html.
A report is linked where the rule render_report puts it: <name>/index.html and <name>/<name>.pdf
beside the index.
"""

from pathlib import Path

from evenflow.render import render_index, report_summary


def main(reports, datasets, title: str, introduction: str, theme: str, html: str) -> None:
    papers = []
    for report in map(Path, reports):
        links = {"html": f"{report.name}/index.html", "pdf": f"{report.name}/{report.name}.pdf"}
        papers.append({**report_summary(report), **links})
    render_index(papers, datasets, title, Path(html), Path(theme), introduction)


if __name__ == "__main__":
    main(
        reports=snakemake.params.reports,
        datasets=snakemake.params.datasets,
        title=snakemake.params.title,
        introduction=snakemake.params.get("introduction", ""),
        theme=snakemake.params.theme,
        html=snakemake.output.html,
    )
