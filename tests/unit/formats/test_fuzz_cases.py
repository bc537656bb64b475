"""Inputs of the fuzzers (tests/fuzz): damaged logs that took new ways through the code."""

from pathlib import Path

import pytest
from evenflow.errors import DataError
from evenflow.formats import FORMATS, Log
from evenflow.formats.shapes import count_lines
from evenflow.formats.tables import parse_logs

CASES = Path(__file__).parents[2] / "fixtures/fuzz"


@pytest.mark.parametrize("case", sorted(CASES.glob("*/*")), ids=lambda path: path.name)
def test_a_case_of_the_fuzzers_is_accounted_for(case):
    content = case.read_bytes()
    assert case.parent.name in FORMATS
    try:
        tables = parse_logs(case.parent.name, [Log(0, content, case)])
    except DataError:
        return
    fate = tables["fate"]
    assert (fate["lines"].sum(), fate["bytes"].sum()) == (count_lines(content), len(content))
    assert len(tables["rejected"]) == fate.filter(fate["fate"] == "rejected")["lines"].sum()
