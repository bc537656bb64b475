"""Imports of the library go downwards: a room imports the rooms before it, no paper, no circle."""

import ast
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "workflow/evenflow"
# from the bottom to the top; the modules next to the rooms are between the first and the others
ROOMS = ["runs", "evidence", "formats", "ingest", "statistics", "claims", "metrics", "checks"]
ROOMS += ["charts", "render", "provenance", "reporting", "papers", "pages", "verify", "commands"]
MODULES = sorted(PACKAGE.rglob("*.py"))
PROGRAM = "command.py"  # stands above all rooms


def rooms_imported(path: Path) -> set[str]:
    """The rooms, or modules next to them, that a module imports."""
    parts = path.relative_to(PACKAGE).parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = [*parts[:-1]][: len(parts) - node.level]
            names = node.module.split(".") if node.module else [a.name for a in node.names]
            found |= {above[0]} if above else ({names[0]} if node.module else set(names))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("evenflow"):
            found.add("evenflow")  # absolute: for those outside of the library
    return found


def test_every_folder_of_the_library_is_a_room():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == set(ROOMS)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_a_module_imports_from_the_rooms_below(path):
    parts = path.relative_to(PACKAGE).parts
    here = ROOMS.index(parts[0]) if len(parts) > 1 else len(ROOMS) if path.name == PROGRAM else 0
    found = rooms_imported(path)
    assert "evenflow" not in found
    assert {room for room in found if room in ROOMS and ROOMS.index(room) > here} == set()


def test_modules_have_no_circle():
    arrows = {}
    for path in MODULES:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        above = {PACKAGE.joinpath(*parts)}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                names = [base / alias.name for alias in node.names]
                above |= {n for n in (base, *names) if n.with_suffix(".py").is_file()}
        arrows[PACKAGE.joinpath(*parts)] = above - {PACKAGE.joinpath(*parts)}
    while free := {name for name, above in arrows.items() if not above & set(arrows)}:
        arrows = {name: above for name, above in arrows.items() if name not in free}
    assert sorted(path.name for path in arrows) == []


def test_no_paper_and_no_data_set_is_named_in_what_all_papers_share():
    root = PACKAGE.parents[1]
    places = ["evenflow", "rules", "scripts", "queries", "schemas", "theme"]
    kinds = (".py", ".yml", ".smk", ".sql", ".json")
    shared = [path for place in places for path in (root / "workflow" / place).rglob("*.*")]
    shared = [path for path in shared if path.suffix in kinds] + [root / "workflow/Snakefile"]
    names = {path.parent.name for path in root.glob("reports/*/paper.yml")}
    names |= {path.parent.name for path in root.glob("data/raw/*/dataset.yml")}
    names = {spelt for name in names for spelt in (name, name.replace("-", "_"))}
    named = {
        f"{path.relative_to(root)}: {name}"
        for path in shared
        for name in names
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", path.read_text(encoding="utf-8"))
    }
    assert named == set()
