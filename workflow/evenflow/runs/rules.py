"""What Snakemake's rules say of themselves, for reports and for the graph of papers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from .. import places
from ..imports import lines_of_rules


def tables_of_datasets(rules: Iterable[Any], derived: str) -> set[str]:
    """Return the names of the tables that rules make of any data set.

    Args:
        rules: Snakemake's; it writes the wildcard with its constraint: {dataset,[^/]+}.
        derived: folder of tables.
    """
    table = re.compile(rf"{re.escape(derived)}/\{{dataset\b[^}}]*\}}/(\w+)\.parquet")
    made = [table.fullmatch(str(path)) for rule in rules for path in rule.output]
    return {found[1] for found in made if found}


def described_rules(
    rules: Iterable[Any], known: places.Folders, others: Collection[str] = ()
) -> dict[str, dict]:
    """Return {rule: its file, line, script and settings} of what makes the pieces of a report.

    Only these: settings of other rules change with every data set or paper that is added.

    Args:
        rules: Snakemake's.
        known: the folders of the study.
        others: names of other papers, whose rules end with them.
    """
    ends = tuple(f"_{name}" for name in others)
    return {
        rule.name: _described(rule)
        for rule in rules
        if not rule.name.endswith(ends) and _makes_a_piece(rule, known)
    }


def _makes_a_piece(rule: Any, known: places.Folders) -> bool:
    made = str(rule.output[0]) if rule.output else ""
    if not isinstance(rule.script, str) or not made.startswith(
        (f"{known.derived}/", f"{known.reports}/")
    ):
        return False
    # else of the site, of no report
    return not made.startswith(known.site) and Path(made).parent != Path(known.derived)


def _described(rule: Any) -> dict:
    file = str(rule.snakefile)
    return {
        "file": places.said(file),
        "line": lines_of_rules(file).get(rule.name),
        "script": places.said((Path(file).parent / rule.script).resolve()),
        "settings": {k: v for k, v in rule.params.items() if is_setting(v)},
    }


def is_setting(value: object) -> bool:
    """Say whether a parameter of a rule is a number, a word or a structure of these."""
    if isinstance(value, dict):
        return all(map(is_setting, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_setting, value))
    return isinstance(value, (bool, int, float, str)) and "/" not in str(value)
