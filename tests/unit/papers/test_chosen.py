"""What a run is about, and what the screen says of it."""

from pathlib import Path

import pytest
from evenflow.errors import DataError
from evenflow.papers.chosen import chosen_papers, missing_datasets, named_datasets
from evenflow.papers.find import Paper, Piece
from evenflow.papers.steps import step_of
from evenflow.schema import read_document


@pytest.fixture
def papers(tmp_path):
    for name, further in (("one", "{old: c}"), ("two", "{}")):
        (tmp_path / name).mkdir()
        text = f"datasets: {{lab: a, field: b}}\nfurther: {further}\n"
        (tmp_path / name / "paper.yml").write_text(text)
    return {name: Paper(str(tmp_path / name), "derived") for name in ("one", "two")}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The configuration of a study, as its errors name it."""
    monkeypatch.chdir(tmp_path)
    text = "papers: [two, tow]\ndatasets: [a, e]\ncomparisons:\n  mine: {of: b, against: d}\n"
    Path("config.yaml").write_text(text)
    return read_document("config.yaml")


def test_without_a_choice_all_papers_are_made(papers, file):
    assert chosen_papers(papers, None, "reports", file) == papers
    assert chosen_papers(papers, [], "reports", file) == {}
    assert [*chosen_papers(papers, ["two"], "reports", file)] == ["two"]


def test_a_paper_that_there_is_not_is_named_with_the_nearest(papers, file):
    said = r"^config.yaml:1: papers: there is no paper tow.*'two'.*paper\.yml"
    with pytest.raises(DataError, match=said):
        chosen_papers(papers, ["two", "tow"], "reports", file)
    with pytest.raises(DataError, match=r"^papers: there is no paper x.*known: none \(a folder"):
        chosen_papers({}, ["x"], "reports", file)  # as of `--config papers=[x]`: no line says it


def test_data_sets_of_papers_and_of_comparisons_must_be_there(papers, file, tmp_path):
    named = named_datasets(["a", "e"], [papers["one"]], {"mine": {"of": "b", "against": "d"}}, file)
    assert named.keys() == {"a", "b", "c", "d", "e"}
    for name in ("a", "b", "c"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        (tmp_path / "raw" / name / "flow.log").touch()
    assert missing_datasets({name: named[name] for name in "abc"}, "raw") == {}
    said = "^config.yaml:2: datasets: raw/e: there is no such data set.*known: a, b, c"
    with pytest.raises(DataError, match=said):  # nothing else was asked for
        missing_datasets(named, "raw")


def test_what_a_paper_or_a_comparison_names_and_is_gone_is_said_with_each_line(papers, file):
    sides = {"mine": {"of": "b", "against": "c"}}
    named = named_datasets([], [papers["one"]], sides, file)
    Path("raw/b2").mkdir(parents=True)
    Path("raw/b2/flow.log").touch()
    missing = missing_datasets(named, "raw")
    assert missing.keys() == {"a", "b", "c"}
    said = str(DataError(**missing["b"]))
    assert "one/paper.yml:1: datasets.field: raw/b: there is no such data set" in said
    assert "config.yaml:4 (comparisons.mine.of) names it too" in said
    assert "did you mean 'b2'?" in said


def test_of_a_folder_that_is_there_and_can_be_no_data_set_it_is_said_why(tmp_path):
    for name in ("papers", "comparisons", "a{b}"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flow.log").touch()
        with pytest.raises(
            DataError, match=r"the folder's name (is reserved|has brackets)"
        ) as found:
            missing_datasets({name: [("comparisons.mine.of", {})]}, str(tmp_path))
        assert f"{tmp_path}/{name}: " in str(found.value)
        assert "Remedy: rename the folder" in str(found.value)


def test_a_module_is_said_by_its_name_or_by_what_it_makes():
    pieces = [Piece("table", "x", "m", 1, ()), Piece("figure", "y", "m", 2, ())]
    assert step_of({"claims": pieces}) == "Judging the claims"
    assert step_of({"late_comers": pieces}) == "Drawing: late comers"
    both = step_of({"numbers": pieces, "tables": pieces})
    assert both == "Writing the numbers and the tables"
