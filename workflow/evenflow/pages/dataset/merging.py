"""Lines of dataset.yml put together, keys that several of them name merged."""

from __future__ import annotations

from collections.abc import Iterable

import yaml

from ...files import yaml_of


def merged_yaml(snippets: list[str | None]) -> str:
    """Return snippets of dataset.yml as one block, keys that several of them name merged.

    Lists are put one behind the other; of two values of one key the first stays. Comments, lines to
    fill in, come last as they are.
    """
    comments: list[str] = []  # of a snippet each: a line may stand in several
    for snippet in snippets:
        lines = [line for line in (snippet or "").splitlines() if line.startswith("#")]
        if lines and "\n".join(lines) not in comments:
            comments.append("\n".join(lines))
    merged = keys_of(snippets)
    return "\n".join([keys_as_yaml(merged), "\n\n".join(comments)]).strip()


def keys_as_yaml(said: dict) -> str:
    """Return keys of dataset.yml and their values as it has them."""
    return "\n".join(_key_as_yaml(key, value) for key, value in said.items())


def without_comments(snippet: str | None) -> str:
    """Return the lines that say something: of many runs the comments are long, and slow to read."""
    return "\n".join(line for line in (snippet or "").splitlines() if not line.startswith("#"))


def keys_of(snippets: Iterable[str | None]) -> dict:
    """Return what snippets say together."""
    merged: dict = {}
    for snippet in map(without_comments, snippets):
        _merge(merged, yaml_of(snippet) or {})
    return merged


def _key_as_yaml(key: str, value: object) -> str:
    """Return a key on a line of its own, so that others can be added."""
    style = None if isinstance(value, dict | list) else False
    dumped = yaml.safe_dump(
        {key: value}, sort_keys=False, default_flow_style=style, allow_unicode=True, width=1000
    )
    return dumped.rstrip()


def _merge(into: dict, new: dict) -> None:
    for key, value in new.items():
        old = into.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            old += [item for item in value if item not in old]
        else:
            into.setdefault(key, value)
