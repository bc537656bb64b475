"""The names of the metrics, read off the text of the catalogue: the rules need them, not Polars."""

from __future__ import annotations

import ast
from pathlib import Path

CATALOGUE = Path(__file__).with_name("catalogue.py")


def metric_names(grain: str) -> list[str]:
    """List the metrics of a grain ('run', 'flow') in the order of the catalogue."""
    found = []
    for node in ast.parse(CATALOGUE.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            words = {key.arg: key.value for key in getattr(mark, "keywords", [])}
            if "grain" in words and ast.literal_eval(words["grain"]) == grain:
                found.append(node.name)
    return found
