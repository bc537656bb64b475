"""Which made files belong to what is gone."""

import pytest
from evenflow.runs.gone import There, is_gone, what

DOCS = {"docs/index.html", "docs/guides/one.html"}
THERE = There({"lab", "papers"}, {"report"}, {"tiny"}, DOCS, lambda dataset, part: part == "0000")
STAY = [
    "data/derived/vega.js",
    "data/derived/lab/run.parquet",
    "data/derived/lab/chunks/0000/run.parquet",
    "data/derived/papers/report/x.parquet",
    "data/derived/comparisons/tiny/x.parquet",
    "reports/_site/index.html",
    "reports/_site/report/index.html",
    "reports/_site/datasets/lab/index.html",
    "reports/_site/comparisons/tiny/index.html",
    "reports/_site/docs/index.html",
    "reports/_site/docs/guides/one.html",
    "reports/report/figures/x.svg",
    "logs/read_logs/old.log",
    "dist/evenflow.zip",
]
GO = {
    "data/derived/old/run.parquet": "data/raw/old",
    "data/derived/old/chunks/0000/run.parquet": "data/raw/old",
    "data/derived/lab/chunks/0001/run.parquet": "data/raw/lab",
    "data/derived/papers/old/x.parquet": "reports/old",
    "data/derived/comparisons/old/x.parquet": "comparison old",
    "reports/_site/old/index.html": "reports/old",
    "reports/_site/datasets/old/index.html": "data/raw/old",
    "reports/_site/comparisons/old/index.html": "comparison old",
    "reports/_site/docs/guides/old.html": "text of the documentation",
    "reports/old/figures/x.svg": "reports/old",
    "reports/old/_variables.yml": "reports/old",
}


@pytest.mark.parametrize("path", STAY)
def test_what_is_of_something_that_is_there_stays(path):
    assert not is_gone(path, THERE)


@pytest.mark.parametrize("path", GO)
def test_what_is_of_something_that_is_gone_goes_and_is_named(path):
    assert is_gone(path, THERE)
    assert what(path) == GO[path]
