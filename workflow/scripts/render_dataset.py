"""Render the page of a data set."""

from pathlib import Path

import evenflow  # noqa: F401 (before Polars: it hands on the threads of the job)
import polars as pl
from evenflow.pages.dataset import dataset_page, read_about
from evenflow.render import render_page
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(inputs: dict, folder: str, theme: str, settings: dict, html: str) -> None:
    """Read dataset.yml, the tables, the figures and the published tables of a data set."""
    about = read_about(Path(folder, "dataset.yml"))
    published = {
        Path(parquet).stem: {"parquet": Path(parquet), "csv": Path(csv)}
        for parquet, csv in zip(inputs["parquet"], inputs["csv"], strict=True)
    }
    small = [name for name, paths in published.items() if paths["csv"].suffix == ".csv"]
    tables = {name: read_table(published[name]["parquet"]) for name in small}
    tables["stream"] = pl.concat(map(read_table, inputs["stream"]))
    figures = {Path(path).stem: Path(path) for path in inputs["figures"]}
    text = dataset_page(about, tables, figures, published, settings)
    title = about.get("title") or Path(folder).name
    images = next(iter(figures.values())).parent
    render_page(text, title, Path(html), Path(theme), toc=True, resources=images)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.folder, params.theme, params.settings, snakemake.output.html)
