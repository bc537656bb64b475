"""evenflow: from raw logs of competing TCP flows to the tables behind a paper.

The package knows logs, windows, metrics, statistics and charts. It never mentions the workflow
engine, its configuration or an output path: those belong to the Snakefile and its scripts.
"""

from importlib import import_module
from typing import Any

from . import interrupts, threads  # noqa: F401 (before Polars is imported)

LIBRARY = ("read", "page")  # docs/guides/library.md


def __getattr__(name: str) -> Any:
    """Load what the library offers when it is asked for: it stands above all rooms."""
    if name in LIBRARY:
        return getattr(import_module(".commands.library", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
