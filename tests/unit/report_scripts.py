"""What the tests of scripts share: a script as a module."""

import importlib.util
from types import ModuleType

from raw_data import ROOT


def script(name: str) -> ModuleType:
    """Load a script of workflow/scripts by its path there without the ending."""
    path = ROOT / f"workflow/scripts/{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
