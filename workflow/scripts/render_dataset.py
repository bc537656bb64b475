"""Render the page of a data set."""

import gc
from pathlib import Path

from evenflow.pages.dataset import dataset_page, read_about
from evenflow.provenance.record import FILE_COLUMNS, run_records, run_series
from evenflow.render import render_page
from evenflow.render.live import copied_figures, make_live
from evenflow.scratch import job_folder
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table

import polars as pl

OF_SERIES = ["run_id", "flow_id", "t_start_s", "throughput_bps"]
MAX_SERIES = 4000  # runs of a page whose throughput over time is in it, for the live charts


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
    title = about.get("title") or Path(folder).name
    with job_folder() as folder_of_copies:
        copies, specs = copied_figures(figures, folder_of_copies)
        text = dataset_page(about, tables, copies, published, settings)
        render_page(text, title, Path(html), Path(theme), toc=True, resources=folder_of_copies)
    if specs:
        record = record_of(Path(folder).name, tables["run"], inputs["sample"], specs)
        make_live(Path(html), specs, record, Path(theme), Path(inputs["vega"]))


def record_of(name: str, run: pl.DataFrame, sample: list[str], specs: dict) -> dict:
    """Return what the page's live charts say of runs: `make_live`; `sample`: of every part."""
    series = None
    if len(run) <= MAX_SERIES:
        known = (pl.col("t_start_s") >= 0) & pl.col("throughput_bps").is_finite()
        samples = pl.concat(read_table(path, columns=OF_SERIES) for path in sample)
        series = run_series(samples.filter(known))
    files = pl.DataFrame(schema=["run_id", *FILE_COLUMNS])  # the page has a ledger
    return {
        "runs": {name: run_records(run, files, series)},
        "pieces": {label: {"runs": [{"dataset": [name]}]} for label in specs},
        "datasets": "",
    }


if __name__ == "__main__":
    gc.disable()  # nothing large here is in a cycle; looking for cycles took a tenth of the time
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        main(snakemake.input, params.folder, params.theme, params.settings, snakemake.output.html)
