"""The marks of a paper's functions: `from evenflow.papers import paper`, then `@paper.figure`.

    metric  returns a table (polars.DataFrame): data/derived/papers/<paper>/<function>.parquet, and
            where its rows carry their runs (`runs=True`) <function>.runs.parquet
    figure  returns a chart (Altair): reports/<paper>/figures/<function>.svg
    table   returns markdown: reports/<paper>/tables/<function>.md, and <function>.cells.json, the
            rows that its cells were made of (`evenflow.evidence.cells`)
    number  returns numbers (`evenflow.evidence.say`), a tree of them or one: the branch <function>
            of _variables.yml
    claim   returns how a claim of claims.yml is measured (`evenflow.claims.sentences`)

An underscore of a function's name is a hyphen in the name of its figure or table. The parameters
name what a function reads: `find.Paper.reads`. The marks do nothing by themselves, and their module
imports nothing: an edit of what draws charts must not run the tables again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection


def metric(made: Callable | None = None, *, runs: bool = False) -> Callable:
    """Mark a function that makes a table.

    Args:
        runs: whether it has lists of runs in columns (`evenflow.evidence.runs`). It is read off
            the text: write True. A table without them has runs for rows, or none are behind it.
    """
    return made or (lambda function: function)


def figure(made: Callable | None = None, *, of: Collection[str] = ()) -> Callable:
    """Mark a function that draws a figure.

    Args:
        of: parts of the paper that the figure is of, where it is not of all that it reads. It is
            read off the text: write strings.
    """
    return made or (lambda function: function)


table = figure  # of a table in print


def number(made: Callable) -> Callable:
    """Mark a function that makes numbers of the text: `evenflow.evidence.say` makes each.

    The tables that it is given carry the place of each of their rows.
    """
    return made


def claim(made: Callable) -> Callable:
    """Mark a function that measures a claim."""
    made.of_claim = True  # type: ignore[attr-defined]  # a mark that `claims_of` looks for
    return made
