"""`make mutants` changes what it says, counts what a test notices, and nothing in the project."""

import hashlib
import shutil
from pathlib import Path

import pytest
import try_changes
import yaml
from changes import changes_of

ROOT = Path(__file__).parents[2]
CODE = '''"""A module."""

LIMIT = 3


def above(values: list[int], limit: int = LIMIT) -> list[int]:
    """Return the values above a limit."""
    return [value for value in values if value > limit]


def never_tested(x):
    return x + 1
'''
WEAK = "from evenflow.kit import above\n\n\ndef test_above():\n    assert above([1, 9]) == [9]\n"
STRONG = WEAK + "    assert above([3, 4]) == [4]\n"


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("a < b", ["(a <= b)"]),
        ("a == b", ["(a != b)"]),
        ("a is None", ["(a is not None)"]),
        ("a + b", ["(a - b)"]),
        ("a * 8", ["(a / 8)", "9"]),
        ("a and b", ["(a or b)"]),
        ("not a", ["(a)"]),
        ("~a & b", ["(~a | b)", "(a)"]),
        ("True", ["False"]),
        ("1.5", ["2.5"]),
        ("t.min()", ["t.max()"]),
        ("(2**x).sum()", ["(2 ** x).mean()", "(2 * x)", "3"]),
        ("t.filter(k)", ["(t)"]),
        ("t.join(u, how='left')", ['how="inner"']),
        ("a if c else b", ["(b if c else a)"]),
        ("f(x='word')", []),
        ("folder / name", []),
        ("word + 's'", []),
        ("t.group_by(k, maintain_order=True)", []),
    ],
)
def test_each_kind_of_change_is_made(text, becomes):
    found = changes_of("m.py", f"y = {text}\n")
    assert sorted(change.new for change in found) == sorted(becomes)
    for change in found:
        assert compile(change.applied(f"y = {text}\n"), "m.py", "exec")


def test_words_annotations_and_docstrings_stay():
    text = 'def f(x: 3 = 4) -> 5:\n    """Return 6."""\n    return f"{x + 7}"\n'
    assert [change.old for change in changes_of("m.py", text)] == ["4"]


def test_a_change_is_in_its_place_after_letters_of_several_bytes():
    text = "u = 'µs'; x = 1 < u\n"
    applied = {change.applied(text) for change in changes_of("m.py", text)}
    assert applied == {"u = 'µs'; x = (1 <= u)\n", "u = 'µs'; x = 2 < u\n"}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one room of one module, and its test."""
    root = tmp_path / "project"
    (root / "workflow/evenflow").mkdir(parents=True)
    (root / "workflow/evenflow/__init__.py").touch()
    (root / "workflow/evenflow/kit.py").write_text(CODE, encoding="utf-8")
    shutil.copytree(ROOT / "tests/mutants", root / "tests/mutants")
    (root / "tests/unit").mkdir()
    rooms = {"code": ["workflow/evenflow/kit.py"], "tests": ["tests/unit"]}
    (root / "tests/mutants/rooms.yml").write_text(yaml.safe_dump(rooms), encoding="utf-8")
    monkeypatch.setattr(try_changes, "ROOT", root)
    monkeypatch.setattr(try_changes, "HERE", root / "tests/mutants")
    return root


def tree(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.thorough  # it starts pytest
def test_a_boundary_that_no_test_tries_survives(project, capsys):
    (project / "tests/unit/test_kit.py").write_text(WEAK, encoding="utf-8")
    before = tree(project)
    assert try_changes.main(["--seed", "1", "--jobs", "2"]) == 1
    said = capsys.readouterr().out
    assert "survived: workflow/evenflow/kit.py:8 (above): value > limit -> (value >= limit)" in said
    listed = said.partition("Not caught:")[2]
    assert listed.count("no test calls it") == 2 and "never_tested" in listed
    assert tree(project) == before


@pytest.mark.thorough  # it starts pytest
def test_with_the_boundary_tried_and_the_rest_listed_the_goal_is_reached(project, capsys):
    (project / "tests/unit/test_kit.py").write_text(STRONG, encoding="utf-8")
    code = "workflow/evenflow/kit.py (never_tested)"
    listed = [{"change": f"{code}: {c}", "reason": "why"} for c in ("x + 1 -> (x - 1)", "1 -> 2")]
    path = project / "tests/mutants/equivalent.yml"
    path.write_text(yaml.safe_dump(listed), encoding="utf-8")
    assert try_changes.main(["--seed", "1", "--jobs", "2"]) == 0
    said = capsys.readouterr().out
    assert "2 of 2 caught: 100.0%" in said and said.count(": why") == 2


UNCALLED = '''"""What no function of its own name runs in the thread of a test."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass
class Rate:
    unit: float = 1.0


def _doubled(x):
    return x * 2


TABLE = (_doubled(1), _doubled(2))


def _more(x):
    return x + 1


def in_a_thread(x):
    with ThreadPoolExecutor() as pool:
        return pool.submit(_more, x).result()
'''
OF_UNCALLED = """from evenflow.kit import TABLE, Rate, in_a_thread

FOUND = in_a_thread(1)


def test_rate():
    assert (Rate().unit, in_a_thread(1)) == (1.0, 2)


def test_table():
    assert (TABLE, FOUND) == ((2, 4), 2)
"""


@pytest.mark.thorough  # it starts pytest
def test_bodies_of_classes_threads_and_what_runs_at_import_are_called(project, capsys):
    (project / "workflow/evenflow/kit.py").write_text(UNCALLED, encoding="utf-8")
    (project / "tests/unit/test_kit.py").write_text(OF_UNCALLED, encoding="utf-8")
    assert try_changes.main(["--seed", "1", "--jobs", "2"]) == 0
    said = capsys.readouterr().out
    assert "7 of 7 caught: 100.0%" in said and "try no" not in said


@pytest.mark.thorough  # it starts pytest
def test_tests_that_fail_by_themselves_prove_nothing(project):
    (project / "tests/unit/test_kit.py").write_text(WEAK.replace("[9]", "[8]"), encoding="utf-8")
    with pytest.raises(SystemExit, match="fail without any change"):
        try_changes.main(["--seed", "1", "--jobs", "1"])


def test_the_same_seed_draws_the_same():
    rooms = yaml.safe_load((ROOT / "tests/mutants/rooms.yml").read_text(encoding="utf-8"))
    drawn = [try_changes.draw(rooms["code"], 41, 200) for _ in range(2)]
    assert drawn[0] == drawn[1] and len(set(drawn[0])) == 200
    assert drawn[0] != try_changes.draw(rooms["code"], 42, 200)


def test_what_is_listed_as_equivalent_is_a_change_that_there_is():
    rooms = yaml.safe_load((ROOT / "tests/mutants/rooms.yml").read_text(encoding="utf-8"))
    there = {try_changes.name_of(change) for change in try_changes.draw(rooms["code"], 1, 10**6)}
    listed = yaml.safe_load((ROOT / "tests/mutants/equivalent.yml").read_text(encoding="utf-8"))
    assert [entry["change"] for entry in listed or [] if entry["change"] not in there] == []
    assert all(entry["reason"] for entry in listed or [])
