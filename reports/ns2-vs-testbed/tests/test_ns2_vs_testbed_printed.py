"""What the original printed, and what stands beside it."""

import inspect
from pathlib import Path

import polars as pl
import yaml
from evenflow.papers.make import load
from evenflow.reporting.setups import dataset_facts

from ..._grid.printed import printed_surfaces

FOLDER = Path(__file__).parents[1]
metrics, design = load(FOLDER / "metrics.py"), load(FOLDER / "design.py")
PUBLISHED = pl.read_csv(FOLDER / "published.csv", infer_schema=False)
SUMMARY = pl.DataFrame(
    [
        (part, part, "jfi", "comparison", "x-y", 1.0, 1.0, 1.0, 0.0, 15, 3, 3)
        for part in design.PLATFORMS
    ],
    schema=[
        *("part", "dataset_id", "metric", "role", "ccas", "min", "mean", "max", "stddev"),
        *("n_cells", "n_runs", "n_runs_max"),
    ],
    orient="row",
)


def test_every_printed_value_is_in_the_table():
    table = metrics.printed(PUBLISHED, SUMMARY, "p")
    shown = set(table.select("item", "statistic").rows())
    assert shown == set(PUBLISHED.select("item", "statistic").rows())


def test_the_committed_values_are_possible():
    table = printed_surfaces(PUBLISHED, list(design.MEASURES), "published.csv")
    assert table["paper"].unique().to_list() == [FOLDER.name]
    wide = table.pivot("statistic", index=["item", "platform", "case"], values="value")
    assert (wide["min"] <= wide["mean"]).all() and (wide["mean"] <= wide["max"]).all()
    assert not table.select("item", "statistic").is_duplicated().any()
    indices = table.filter(quantity="jfi")["value"]
    assert indices.is_between(0, 1).all()


def test_the_minima_that_two_flows_cannot_have_are_as_printed():
    """Jain's index of two flows is at least 0.5; the paper prints 0.40, 0.37 and 0.21."""
    table = printed_surfaces(PUBLISHED, list(design.MEASURES), "published.csv")
    below = table.filter(pl.col("value") < 0.5)
    assert sorted(below["value"]) == [0.21, 0.21, 0.37, 0.40]
    assert set(below["platform"]) == {"testbed"}


def test_every_row_of_the_deviations_names_a_fact_that_is_computed():
    rows = yaml.safe_load((FOLDER / "authors.yml").read_text(encoding="utf-8"))
    source = inspect.getsource(dataset_facts)
    assert rows and [row["ours"] for row in rows if f'"{row["ours"]}":' not in source] == []
