"""The page of a data set: what was taken as what, who got how much, can it be trusted, all else.

The first screen is HTML and needs no script. What a reader can turn (charts over factors and time,
tables of settings and runs) is drawn by `dataset.js` of the theme from what `packed` puts into the
page. The page is one file and loads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import yaml

from ...files import own_file
from .offers import Offers
from .page import empty_page, full_page
from .subject import subject


def dataset_page(
    name: str,
    about: Mapping,
    text: str,
    tables: Mapping[str, pl.DataFrame],
    points: pl.DataFrame,
    files: Mapping[str, Mapping[str, Path]],
    settings: Mapping,
    theme: Path,
) -> str:
    """Return the page of a data set, HTML without its policy.

    Args:
        name: of its folder.
        about, text: dataset.yml, parsed and as it is; nothing where there is none.
        tables: run, flow, window, flow_metric, run_metric, cell, ledger, finding, assumption,
            stream.
        points: `over_time.points_table` of the runs.
        files: the tables to download: {table: {'parquet': path, 'csv': path}}, beside the page.
        settings: of config.yaml: warmup_s, seconds; confidence; equivalence_margin_jfi; page_rows,
            of a block of lines on the page.
        theme: folder with dataset.css and dataset.js.
    """
    found = subject(name, about, tables, settings)
    offers = Offers(name, text, settings["page_rows"])
    if not found.runs:
        return empty_page(found, offers, files, theme)
    return full_page(found, offers, points, files, settings["warmup_s"], theme)


def read_about(path: Path) -> dict:
    """Return dataset.yml, or nothing where there is none.

    Raises:
        DataError: see `own_file`.
    """
    there = own_file(path.parent, path.name)
    return yaml.safe_load(there.read_text(encoding="utf-8")) or {} if there else {}
