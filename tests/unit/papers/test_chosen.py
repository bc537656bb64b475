"""What a run is about, and what the screen says of it."""

import pytest
from evenflow.errors import DataError
from evenflow.papers.chosen import chosen_papers, named_datasets, refuse_missing
from evenflow.papers.find import Paper, Piece
from evenflow.papers.steps import step_of


@pytest.fixture
def papers(tmp_path):
    for name, further in (("one", "{old: c}"), ("two", "{}")):
        (tmp_path / name).mkdir()
        text = f"datasets: {{lab: a, field: b}}\nfurther: {further}\n"
        (tmp_path / name / "paper.yml").write_text(text)
    return {name: Paper(str(tmp_path / name), "derived") for name in ("one", "two")}


def test_without_a_choice_all_papers_are_made(papers):
    assert chosen_papers(papers, None, "reports") == papers
    assert chosen_papers(papers, [], "reports") == {}
    assert [*chosen_papers(papers, ["two"], "reports")] == ["two"]


def test_a_paper_that_there_is_not_is_named_with_the_nearest(papers):
    with pytest.raises(DataError, match=r"there is no paper tow.*'two'.*paper\.yml"):
        chosen_papers(papers, ["tow"], "reports")


def test_data_sets_of_papers_and_of_comparisons_must_be_there(papers, tmp_path):
    named = named_datasets([papers["one"]], [{"of": "b", "against": "d"}])
    assert named == {"a", "b", "c", "d"}
    for name in ("a", "b", "c"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        (tmp_path / "raw" / name / "flow.log").touch()
    refuse_missing({"a", "c"}, str(tmp_path / "raw"))
    with pytest.raises(DataError, match=r"raw/d: there is no such data set.*there are: a, b, c"):
        refuse_missing(named, str(tmp_path / "raw"))


def test_a_module_is_said_by_its_name_or_by_what_it_makes():
    pieces = [Piece("table", "x", "m", 1, ()), Piece("figure", "y", "m", 2, ())]
    assert step_of({"claims": pieces}) == "Judging the claims"
    assert step_of({"late_comers": pieces}) == "Drawing: late comers"
    both = step_of({"numbers": pieces, "tables": pieces})
    assert both == "Writing the numbers and the tables"
