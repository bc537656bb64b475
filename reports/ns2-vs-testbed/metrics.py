"""Tables of the paper: its surfaces, their summaries, and what was printed beside these."""

from __future__ import annotations

import polars as pl
from evenflow.papers import paper
from evenflow.reporting.printed import printed_and_measured, printed_surfaces
from evenflow.statistics import surfaces

from .design import MEASURES


@paper.metric
def surface(cell, run) -> pl.DataFrame:
    return surfaces.surfaces_of_parts(cell, run)


@paper.metric
def summary(surface) -> pl.DataFrame:
    return surfaces.surface_summary(surface, ["part", "dataset_id"])


@paper.metric
def printed(published, summary, paper_name) -> pl.DataFrame:
    said = printed_surfaces(published, list(MEASURES), f"reports/{paper_name}/published.csv")
    return printed_and_measured(said, summary, MEASURES)
