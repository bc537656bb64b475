"""Write docs/reference/dictionary.md from the words of tables: `make reference`.

workflow/evenflow/provenance/tables.yml says what rows and columns are in words; panels, the
appendix in print and `make trace` read it. A column that is a metric has its words in the registry.
"""

import sys
from pathlib import Path

from evenflow.metrics.catalogue import METRICS
from evenflow.provenance.behind import FLOWS, WORDS
from evenflow.provenance.words import KEYS
from evenflow.schema import read_yaml

ROOT = Path(__file__).parents[1]
PAGE = Path("docs/reference/dictionary.md")
HEAD = """# Dictionary of rows and columns

This page describes the rows and columns of the tables behind published numbers, in the words that
the panels use. `make reference` writes it from `workflow/evenflow/provenance/tables.yml`, and a
test compares the two. [Data model](data-model.md) describes all columns of the tables of data
sets, with types and units.

Columns that end in `_low` or `_high` are the ends of the interval of the preceding column. Keys are
the columns by which a panel names a row. [Metrics](#metrics) are the same in every table.
"""


def page() -> str:
    """Return the page."""
    words = read_yaml(WORDS)[0]
    parts = [HEAD, *(of_table(name, about) for name, about in sorted(words.items())), metrics()]
    return "\n".join(parts)


def of_table(name: str, about: dict) -> str:
    """Return the section of a table: what a row is, its keys, its columns."""
    keys = ", ".join(
        f"`{key}` ({KEYS[key]})" if key in KEYS else f"`{key}`" for key in about["keys"]
    )
    reads = about.get("reads", FLOWS)
    said = f"Each row is {about['row']}."
    if keys:
        said += f" Keys: {keys}."
    said += f" Computed from these logs: {', '.join(reads)}." if reads else " No log is behind it."
    said += "".join(f" No log is behind `{column}`." for column in about.get("typed", []))
    rows = [f"| `{column}` | {means} |" for column, means in about["columns"].items()]
    table = ["", "| column | meaning |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## `{name}`", "", said, *table, ""])


def metrics() -> str:
    """Return the section of the metrics of the registry."""
    rows = [f"| `{name}` | {of.label} |" for name, of in sorted(METRICS.items())]
    return "\n".join(["## Metrics", "", "| column | meaning |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
