"""What the tests of reports' scripts share: a script as a module, and a report to make anew."""

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

from raw_data import ROOT


def script(name: str) -> ModuleType:
    """Load a script of workflow/scripts by its path there without the ending."""
    path = ROOT / f"workflow/scripts/{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copy_report(folder: Path, paper: str) -> Path:
    """Copy a report's own files and the theme below a folder, without anything that rules make."""
    report = folder / f"reports/{paper}"
    for name in ("figures", "tables"):
        (report / name).mkdir(parents=True)
    shutil.copytree(ROOT / "reports/_theme", folder / "reports/_theme")
    for path in (ROOT / f"reports/{paper}").iterdir():
        if path.is_file():
            shutil.copy(path, report / path.name)
    return report
