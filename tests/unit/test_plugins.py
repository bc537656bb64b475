"""The files of plug-ins: after an edit of any of them, what depends on them is made again."""

import sys
from pathlib import Path

import pytest
from evenflow import plugins
from evenflow.formats import Formats

MODULES = {
    "__init__.py": "",
    "words.py": "from . import deep\n",
    "deep/__init__.py": "",
    "metrics/shares.py": "from .aux import FACTOR\nfrom ..words import WORD\nimport polars\n",
    "metrics/aux/__init__.py": "from .numbers import FACTOR\n",
    "metrics/aux/numbers.py": "FACTOR = 1\n",
    "metrics/aux/notes.py": "",
    "formats/tool.py": "",
}
MADE_OF = {*MODULES} - {"metrics/aux/notes.py", "formats/tool.py"}


def write(folder: Path) -> None:
    for name, text in MODULES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_helpers_of_a_plug_in_are_files_of_it_packages_included(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / plugins.PLACE)
    assert plugins.files("metrics") == sorted(plugins.PLACE / name for name in MADE_OF)
    above = plugins.PLACE / "__init__.py"  # Python runs it first
    assert plugins.files("formats") == [above, plugins.PLACE / "formats/tool.py"]


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The folder of an installed package that has plug-ins."""
    package, about = tmp_path / "ourpackage", tmp_path / "ourpackage-1.0.dist-info"
    write(package)
    about.mkdir()
    points = "[evenflow.metrics]\nshares = ourpackage.metrics.shares\n"
    (about / "entry_points.txt").write_text(points)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ourpackage\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    plugins._points.cache_clear()
    yield package
    plugins._points.cache_clear()
    for name in [name for name in sys.modules if name.startswith("ourpackage")]:
        del sys.modules[name]


def test_so_are_other_modules_of_an_installed_package(installed):
    assert plugins.files("metrics") == sorted(installed / name for name in MADE_OF)


def test_a_format_asked_for_needs_its_helpers(tmp_path, monkeypatch):
    """A job's receipt leaves out files of formats that it has not asked for, but never these."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / plugins.PLACE / "formats"
    write(place.parent)
    lines = "NAME = TOOL = 'mine'\nPLATFORM = SIGNATURE = None\nCLOCK = 'run'\nparse = print\n"
    (place / "tool.py").write_text(f"from ..words import deep\n{lines}")
    monkeypatch.syspath_prepend(tmp_path)
    formats = Formats()
    found = {path.name for path in formats.files_of(next(f for f in formats if f == "mine"))}
    assert found == {"tool.py", "words.py", "__init__.py"}
    for name in [name for name in sys.modules if name.startswith(str(plugins.PLACE))]:
        del sys.modules[name]
