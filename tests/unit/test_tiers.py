"""What `make test` covers: every room, a workflow from logs to a page, the papers, a browser.

The rest is left to `make test-all`; tests/conftest.py says how.
"""

from pathlib import Path

import pytest

from tests import conftest
from tests.conftest import FIRST, SAMPLED, THOROUGH

ROOT = Path(__file__).parents[2]
PAPERS = [path.parent for path in ROOT.glob("reports/*/paper.yml")]
CAMPAIGNS = [path.parent for path in ROOT.glob("experiments/*/tests")]


def rooms() -> list[str]:
    folders = (ROOT / "workflow/evenflow").iterdir()
    return [path.name for path in folders if path.is_dir() and path.name != "__pycache__"]


def test_make_test_covers_what_matters_most(request):
    config = request.config
    if config.option.markexpr != "not thorough" or "tests/workflow" not in config.args:
        pytest.skip("this is not `make test`")
    items = request.session.items
    folders = {folder for item in items for folder in item.path.parents}
    wanted = [ROOT / "tests/unit" / room for room in rooms()]
    wanted += [folder / "tests" for folder in (*PAPERS, *CAMPAIGNS) if (folder / "tests").exists()]
    assert [folder for folder in wanted if folder not in folders] == []
    of_workflow = [item for item in items if ROOT / "tests/workflow" in item.path.parents]
    used = {name for item in of_workflow for name in item.fixturenames}
    assert {"project", "browser"} <= used


def test_what_is_left_to_make_test_all_is_there():
    named = [name.partition("::") for name in (*THOROUGH, *SAMPLED, *FIRST)]
    assert [path for path, _, _ in named if not (ROOT / path).exists()] == []
    assert [
        test for path, _, test in named if test and f"def {test}(" not in (ROOT / path).read_text()
    ] == []


def test_where_the_time_is_over_no_case_begins(monkeypatch):
    conftest.pytest_runtest_setup()
    monkeypatch.setattr(conftest, "UNTIL", 0.0)
    with pytest.raises(pytest.skip.Exception, match="EVENFLOW_UNTIL"):
        conftest.pytest_runtest_setup()
