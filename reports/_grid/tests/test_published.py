"""What the originals of the two papers printed, and what stands beside it."""

import inspect
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.papers.make import load
from evenflow.reporting.setups import dataset_facts

from ..printed import printed_surfaces

REPORTS = Path(__file__).parents[2]
COLUMNS = [
    *("part", "dataset_id", "metric", "role", "ccas", "min", "mean", "max", "stddev"),
    *("n_cells", "n_runs", "n_runs_max"),
]


class Paper:
    def __init__(self, name: str) -> None:
        self.folder = REPORTS / name
        design = load(self.folder / "design.py")
        self.published = pl.read_csv(self.folder / "published.csv", infer_schema=False)
        self.values = printed_surfaces(self.published, list(design.MEASURES), "published.csv")
        what, ours = ("jfi", "comparison", "x-y"), (1.0, 1.0, 1.0, 0.0, 15, 3, 3)
        rows = [(part, part, *what, *ours) for part in design.PLATFORMS]
        summary = pl.DataFrame(rows, schema=COLUMNS, orient="row")
        self.printed = load(self.folder / "metrics.py").printed(self.published, summary, "p")


@pytest.fixture(scope="module", params=["ns2-vs-testbed", "on-path-buffering"])
def paper(request):
    return Paper(request.param)


def test_every_printed_value_is_in_the_table(paper):
    shown = set(paper.printed.select("item", "statistic").rows())
    assert shown == set(paper.published.select("item", "statistic").rows())


def test_the_committed_values_are_possible(paper):
    table = paper.values
    assert table["paper"].unique().to_list() == [paper.folder.name]
    wide = table.pivot("statistic", index=["item", "platform", "case"], values="value")
    assert (wide["min"] <= wide["mean"]).all() and (wide["mean"] <= wide["max"]).all()
    assert not table.select("item", "statistic").is_duplicated().any()
    assert table.filter(quantity="jfi")["value"].is_between(0, 1).all()


def test_every_row_of_the_deviations_names_a_fact_that_is_computed(paper):
    rows = yaml.safe_load((paper.folder / "authors.yml").read_text(encoding="utf-8"))
    source = inspect.getsource(dataset_facts)
    assert rows and [row["ours"] for row in rows if f'"{row["ours"]}":' not in source] == []


def test_the_range_of_the_index_is_that_of_the_equation():
    table = Paper("on-path-buffering").printed.filter(part="equation")
    found = dict(table.select("statistic", "measured").rows())
    # (1 + 100)^2 / (2 (1 + 100^2)), and equal throughputs
    assert found == pytest.approx({"min": 10201 / 20002, "max": 1.0})


def test_the_minima_that_two_flows_cannot_have_are_as_printed():
    """Jain's index of two flows is at least 0.5; the paper prints 0.40, 0.37 and 0.21."""
    below = Paper("ns2-vs-testbed").values.filter(pl.col("value") < 0.5)
    assert sorted(below["value"]) == [0.21, 0.21, 0.37, 0.40]
    assert set(below["platform"]) == {"testbed"}
