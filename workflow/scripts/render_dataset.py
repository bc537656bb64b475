"""Render the page of a data set, with the tables to download beside it."""

import gc
from pathlib import Path

from evenflow.files import write_text
from evenflow.formats.others import done_without
from evenflow.pages.dataset import dataset_page, read_about
from evenflow.pages.dataset.offers import text_of
from evenflow.pages.downloads import publish, published
from evenflow.render.policy import with_policy
from evenflow.render.site import Site, dataset_version, of_dataset, with_header
from evenflow.runs.scripting import reporting_errors
from evenflow.tables import read_table

import polars as pl


def main(inputs: dict, params: dict, outputs: dict) -> None:
    """Read dataset.yml and the tables of a data set that papers use; publish them, write its page.

    Args:
        inputs: paths of tables, those to publish; and of each chunk of the data set, points and
            stream.
        params: folder, theme, settings (of `dataset_page`), papers and site (`render.site`).
        outputs: parquet and csv, of the tables in their order; html.
    """
    publish(inputs["tables"], outputs["parquet"], outputs["csv"])
    files = published(outputs["parquet"], outputs["csv"])
    small = [name for name, paths in files.items() if paths["csv"].suffix == ".csv"]
    tables = {name: read_table(files[name]["parquet"]) for name in small}
    tables["stream"] = pl.concat(map(read_table, inputs["stream"]))
    folder, theme = Path(params["folder"]), Path(params["theme"])
    about = read_about(folder / "dataset.yml")
    page = dataset_page(
        folder.name,
        about,
        text_of(folder),
        tables,
        pl.concat(map(read_table, inputs["points"])),
        files,
        params["settings"],
        theme,
    )
    ledger = tables["ledger"].filter(entry="file")
    version = dataset_version(dict(ledger.select("path", "sha256").rows()))
    site = Site(**params["site"])
    place = of_dataset(folder.name, params["papers"], site, about, version)
    write_text(Path(outputs["html"]), with_policy(with_header(page, place, theme)))


if __name__ == "__main__":
    gc.disable()  # nothing large here is in a cycle; looking for cycles took a tenth of the time
    with reporting_errors(snakemake.log[0], done_without):
        main(snakemake.input, dict(snakemake.params.items()), snakemake.output)
