"""What the logs of failed jobs say, in problem and remedy."""

from evenflow.errors import DataError
from evenflow.runs.failures import split_message, summary


def test_an_error_in_the_data_is_taken_apart():
    error = DataError("the file is cut", path="a.log", remedy="copy it again")
    assert split_message(f"{error}\n", "logs/x.log") == ("a.log: the file is cut", "copy it again")


def test_an_error_of_the_project_ends_with_pythons_own_and_says_which_log_has_the_rest():
    problem, remedy = split_message("Traceback ...\n  line\nKeyError: 'x'\n", "logs/x.log")
    assert problem == "KeyError: 'x'" and remedy.startswith("see logs/x.log; ")


def test_a_log_without_a_word_is_no_error_of_its_own():
    assert split_message("\n", "logs/x.log")[0] == "it says nothing"


def test_the_summary_has_three_lines_for_each():
    said = summary({"data/raw/x": ("is cut", "copy it"), "y": ("z", "w")})
    assert said.split("\n") == [
        "", "data/raw/x could not be made:", "  is cut", "  Remedy: copy it",
        "", "y could not be made:", "  z", "  Remedy: w",
    ]  # fmt: skip


def test_what_makes_nothing_is_named_by_what_it_does():
    said = summary({}, {"Listing the raw files": ("a.log has changed", "put it back")})
    assert said.split("\n") == [
        "", "Listing the raw files: failed", "  a.log has changed", "  Remedy: put it back",
    ]  # fmt: skip
