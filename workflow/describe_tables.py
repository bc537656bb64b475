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
HEAD = """# What rows and columns are

What a row is and what its columns are, of the tables that published numbers are printed from: in
the words of the panels. `make reference` writes this page from
`workflow/evenflow/provenance/tables.yml`, and a test compares the two. [Data model](data-model.md)
has all columns of the tables of data sets, with types and units.

A column that ends in `_low` or `_high` is an end of the interval of the column before. A key names
a row: it is what a panel calls the row by. [Metrics](#metrics) are the same in every table.
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
    said = f"A row is {about['row']}."
    if keys:
        said += f" Its keys: {keys}."
    said += f" Computed from logs of: {', '.join(reads)}." if reads else " No log is behind it."
    said += "".join(f" No log is behind `{column}`." for column in about.get("typed", []))
    rows = [f"| `{column}` | {means} |" for column, means in about["columns"].items()]
    table = ["", "| column | what it is |", "|---|---|", *rows] if rows else []
    return "\n".join([f"## `{name}`", "", said, *table, ""])


def metrics() -> str:
    """Return the section of the metrics of the registry."""
    rows = [f"| `{name}` | {of.label} |" for name, of in sorted(METRICS.items())]
    return "\n".join(["## Metrics", "", "| column | what it is |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
