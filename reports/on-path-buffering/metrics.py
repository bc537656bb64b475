"""Tables of the paper: its surfaces, their summaries, and what was printed beside these."""

from __future__ import annotations

import polars as pl
from evenflow.metrics.fairness import two_flow_curve
from evenflow.papers import paper
from evenflow.reporting.printed import printed_and_computed, printed_and_measured, printed_surfaces
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
    path = f"reports/{paper_name}/published.csv"
    said = printed_surfaces(published, list(MEASURES), path)
    index = two_flow_curve()["jfi"]  # Figure 2
    ends = {"min": index.min(), "mean": None, "max": index.max(), "stddev": None}
    computed = printed_and_computed(published, ends, path)
    return pl.concat([printed_and_measured(said, summary, MEASURES), computed])
