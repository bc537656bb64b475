"""Render the page of a data set."""

import gc
from pathlib import Path

from evenflow.files import write_text
from evenflow.pages.dataset import dataset_page, read_about
from evenflow.pages.dataset.offers import text_of
from evenflow.pages.dataset.packed import OF_SERIES
from evenflow.render.policy import with_policy
from evenflow.render.site import Site, of_dataset, with_header
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, runs_in_turn

import polars as pl


def main(
    inputs: dict, folder: str, theme: str, settings: dict, html: str, papers: list[str], site: dict
) -> None:
    """Read dataset.yml and the published tables of a data set that papers use; write its page."""
    published = {
        Path(parquet).stem: {"parquet": Path(parquet), "csv": Path(csv)}
        for parquet, csv in zip(inputs["parquet"], inputs["csv"], strict=True)
    }
    small = [name for name, paths in published.items() if paths["csv"].suffix == ".csv"]
    tables = {name: read_table(published[name]["parquet"]) for name in small}
    tables["stream"] = pl.concat(map(read_table, inputs["stream"]))
    page = dataset_page(
        Path(folder).name,
        read_about(Path(folder, "dataset.yml")),
        text_of(Path(folder)),
        tables,
        (part for path in inputs["sample"] for part in runs_in_turn(path, OF_SERIES)),
        published,
        settings,
        Path(theme),
    )
    place = of_dataset(Path(folder).name, papers, Site(**site))
    write_text(Path(html), with_policy(with_header(page, place, Path(theme))))


if __name__ == "__main__":
    gc.disable()  # nothing large here is in a cycle; looking for cycles took a tenth of the time
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(
            snakemake.input,
            params.folder,
            params.theme,
            params.settings,
            snakemake.output.html,
            params.papers,
            params.site,
        )
