"""Render the page of a comparison of two data sets."""

from pathlib import Path

from evenflow.formats.others import done_without
from evenflow.pages.comparison import Side, comparison_page, comparison_title
from evenflow.pages.dataset import read_about
from evenflow.pages.downloads import published
from evenflow.provenance.record import FILE_COLUMNS, run_records
from evenflow.render import render_page
from evenflow.render.live import copied_figures, make_live
from evenflow.render.site import Site, of_comparison
from evenflow.runs.scratch import job_folder
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import join_chunks, read_table

import polars as pl


def main(
    inputs: dict,
    sides: dict[str, str],
    raw: str,
    theme: str,
    settings: dict,
    html: str,
    site: dict,
) -> None:
    """Read tables of both data sets, and the tables and figures of the comparison."""
    compared = [
        Side(
            name,
            read_about(Path(raw, name, "dataset.yml")),
            *(read_table(path) for path in inputs[side]),
            join_chunks(inputs[f"{side}_stream"]),
        )
        for side, name in ((side, sides[side]) for side in ("of", "against"))
    ]
    files = published(inputs["parquet"], inputs["csv"])
    tables = {name: read_table(paths["parquet"]) for name, paths in files.items()}
    figures = {Path(path).stem: Path(path) for path in inputs["figures"]}
    title = comparison_title(*compared)
    with job_folder() as folder:
        copies, specs = copied_figures(figures, folder)
        text = comparison_page(*compared, tables, copies, files, settings)
        place = of_comparison(Path(html).parent.name, sides.values(), Site(**site))
        render_page(text, title, Path(html), Path(theme), toc=True, resources=folder, place=place)
    if not specs:
        return
    of_runs = pl.DataFrame(schema=["run_id", *FILE_COLUMNS])
    record = {
        "runs": {side.name: run_records(side.run, of_runs) for side in compared},
        "pieces": {label: {"runs": [{"dataset": list(sides.values())}]} for label in specs},
        "datasets": "../../datasets/",
    }
    make_live(Path(html), specs, record, Path(theme), Path(inputs["vega"]))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0], done_without):
        inputs, params = dict(snakemake.input.items()), snakemake.params
        html = snakemake.output.html
        main(inputs, params.sides, params.raw, params.theme, params.settings, html, params.site)
