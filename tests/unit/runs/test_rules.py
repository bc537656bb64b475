"""What rules say of themselves, for reports."""

from types import SimpleNamespace

import pytest
from evenflow.places import SNAKEFILE, WORKFLOW, Folders
from evenflow.runs.rules import described_rules, is_setting, tables_of_datasets


def rule(name, output, script="../scripts/read_logs.py", **params):
    file = WORKFLOW / "rules/ingest.smk"
    return SimpleNamespace(name=name, output=[output], script=script, snakefile=file, params=params)


RULES = [
    rule("read_logs", "data/derived/{dataset,[^/]+}/flow.parquet", state=None, most=3),
    rule("claims_mine", "data/derived/papers/mine/claim.parquet", folder="data/raw"),
    rule("claims_yours", "data/derived/papers/yours/claim.parquet"),
    rule("bundle_vega", "data/derived/vega.js"),
    rule("render_report", "reports/_site/mine/index.html"),
    rule("check_folders", "data/derived/x/y.parquet", script=None),
]


def test_a_report_has_the_rules_of_its_pieces_with_script_line_and_settings():
    found = described_rules(RULES, Folders(), {"yours"})
    assert [*found] == ["read_logs", "claims_mine"]
    assert found["read_logs"]["script"] == "workflow/scripts/read_logs.py"
    assert found["read_logs"]["settings"] == {"most": 3}
    lines = (WORKFLOW / "rules/ingest.smk").read_text().splitlines()
    assert lines[found["read_logs"]["line"] - 1] == "rule read_logs:"
    assert found["claims_mine"]["settings"] == {}  # a folder is none


def test_tables_of_any_data_set_are_known_by_the_wildcard():
    assert tables_of_datasets(RULES, "data/derived") == {"flow"}


@pytest.mark.parametrize("value", [3, "flow2", {"a": [1, 2.5]}, True])
def test_numbers_and_words_are_settings(value):
    assert is_setting(value)


@pytest.mark.parametrize("value", [SNAKEFILE, None, {"a": ["x/y"]}, len])
def test_paths_and_functions_are_not(value):
    assert not is_setting(value)
