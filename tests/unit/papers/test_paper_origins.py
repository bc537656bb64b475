"""What parts of a paper's folder are made of, and what is kept of it: read off its functions."""

from pathlib import Path

import pytest
from evenflow.errors import DataError
from evenflow.papers.find import Paper
from evenflow.papers.origins import read_by_function

MODULE = """
from evenflow.papers import paper

@paper.figure
def curve():
    ...

@paper.figure
def two_lines(point, run):
    ...

@paper.metric
def point(cell, confidence):
    ...

@paper.number
def count(point):
    ...
"""


def a_paper(folder: Path, about: str) -> Paper:
    """A paper of one module, of data sets with the tables run and cell."""
    folder.mkdir()
    (folder / "all.py").write_text(MODULE)
    (folder / "paper.yml").write_text(about)
    return Paper(str(folder), "derived", {"confidence": 0.95}, {"run", "cell"})


def test_a_part_is_made_of_what_its_function_reads_not_of_all_that_its_job_reads(tmp_path):
    paper = a_paper(tmp_path / "mine", "datasets: {a: lab, b: sim}")
    assert read_by_function(paper) == {
        f"{paper.folder}/figures/curve.svg": [],
        f"{paper.folder}/figures/two-lines.svg": [
            "derived/papers/mine/point.parquet",
            "derived/lab/run.parquet",
            "derived/sim/run.parquet",
        ],
        "derived/papers/mine/point.parquet": [
            "derived/lab/cell.parquet",
            "derived/sim/cell.parquet",
        ],
    }


@pytest.mark.parametrize(
    ("datasets", "table", "kept"),
    [
        ("{a: lab}", "point", {"point": "derived/papers/mine/point.parquet"}),
        ("{a: lab}", "cell", {"cell": "derived/lab/cell.parquet"}),
        (
            "{a: lab, b: sim}",
            "cell",
            {"cell-a": "derived/lab/cell.parquet", "cell-b": "derived/sim/cell.parquet"},
        ),
    ],
)
def test_of_a_paper_a_table_is_kept_or_one_of_each_data_set(tmp_path, datasets, table, kept):
    paper = a_paper(tmp_path / "mine", f"datasets: {datasets}\ncondensed: {table}")
    assert paper.condensed == kept
    assert a_paper(tmp_path / "other", f"datasets: {datasets}").condensed == {}


def test_a_table_to_keep_that_nothing_makes_is_named(tmp_path):
    paper = a_paper(tmp_path / "mine", "datasets: {a: lab}\ncondensed: cel")
    with pytest.raises(DataError, match="did you mean 'cell'"):
        _ = paper.condensed
