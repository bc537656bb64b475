"""evenflow: from raw logs of competing TCP flows to the tables behind a paper.

The package knows logs, windows, metrics, statistics and charts. It never mentions the workflow
engine, its configuration or an output path: those belong to the Snakefile and its scripts.
"""

from . import threads  # noqa: F401 (before Polars is imported)
