"""Which modules a script is made of: an edit of one of them must run its rule again."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from evenflow.imports import imported_modules

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "workflow/evenflow"
SCRIPTS = ROOT / "workflow/scripts"


def names(script: Path, package: Path) -> list[str]:
    return [path.relative_to(package).as_posix() for path in imported_modules(script, package)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import kit.one", ["one.py"]),
        ("import kit.one as first, kit.two as second", ["one.py", "two.py"]),
        ("from kit.one import thing", ["one.py"]),
        ("from kit import one as two  # not three", ["__init__.py", "one.py"]),
        (
            "from kit import (\n    one,  # the first\n    two,\n)",
            ["__init__.py", "one.py", "two.py"],
        ),
        ("def run():\n    from kit.two import thing", ["two.py"]),
        ("from kit.deep.low import thing", ["deep/low.py", "one.py"]),
        ("from kit.deep import thing", ["deep/__init__.py", "two.py"]),
        ("from kit.three import thing", ["one.py", "three.py", "two.py"]),
        ("import kitchen.one, polars\nfrom other import kit", []),
        ("from kit.all import thing", ["all/__init__.py", "all/low.py", "all/words.yml", "one.py"]),
        ("# import kit.one\ntext = 'from kit.one import thing'", []),
    ],
)
def test_the_modules_are_those_of_the_import_statements(tmp_path, line, found):
    package = tmp_path / "kit"
    for folder in ("deep", "all"):
        (package / folder).mkdir(parents=True)
    content = {
        "__init__.py": "",
        "one.py": "import os",
        "two.py": "import re",
        "three.py": "from . import two\nfrom .one import (\n    thing,\n)",
        "deep/__init__.py": "from ..two import thing",
        "deep/low.py": "from ..one import thing",
        "all/__init__.py": "for found in iter_modules(__path__):\n    import_module(found.name)",
        "all/low.py": "from ..one import thing",
        "all/words.yml": "",
    }
    for name, text in content.items():
        (package / name).write_text(text)
    (package / "deep/back").symlink_to(package)  # adds nothing, and is not followed for ever
    script = tmp_path / "script.py"
    script.write_text(line)
    if line.startswith("from kit.three"):  # of a package a name that is a module
        found = sorted({*found, "__init__.py"})
    assert names(script, package) == found


def test_a_folder_beside_the_package_may_import_its_own_modules(tmp_path):
    package = tmp_path / "kit"
    package.mkdir()
    (package / "one.py").write_text("")
    module = tmp_path / "paper/figures.py"
    module.parent.mkdir()
    module.write_text("from .one import thing\nfrom . import two\nfrom kit.one import thing\n")
    assert names(module, package) == ["one.py"]


@pytest.mark.parametrize("script", ["read_logs", "compute_comparison", "figures/draw_comparison"])
def test_what_python_loads_for_a_script_is_found(script):
    code = "import runpy, sys; runpy.run_path(sys.argv[1]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(SCRIPTS / f"{script}.py")],
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = [name.split(".")[1:] for name in done.stdout.split() if name.startswith("evenflow.")]
    files = {"/".join(parts) + ".py" for parts in loaded if not (PACKAGE / Path(*parts)).is_dir()}
    assert len(files) > 3
    assert files <= set(names(SCRIPTS / f"{script}.py", PACKAGE))


def test_every_rule_with_a_script_has_its_modules_as_inputs():
    """By its script's own name: a copied line would watch the modules of another."""
    texts = [path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk")]
    rules = [block for text in texts for block in re.split(r"(?m)^rule ", text)[1:]]
    scripts = 0
    for block in rules:
        script = re.search(r'script:\s+"\.\./scripts/(.+)\.py"', block)
        if script:
            scripts += 1
            assert f'code=modules_of("{script[1]}"),' in block, block.partition(":")[0]
    assert scripts >= 20
