"""Check YAML files (config.yaml, dataset.yml) against their JSON schemas, naming key and line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from .errors import DataError, did_you_mean


def read_yaml(path: str | Path) -> tuple[Any, dict[tuple, int]]:
    """Read a YAML file.

    Returns:
        The content, and the line number (from 1) of every key path in it.

    Raises:
        DataError: the file is not valid YAML, or repeats a key.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        problem = f"not text in UTF-8 ({error.reason} at byte {error.start})"
        raise DataError(problem, path=path, remedy="save the file as UTF-8") from error
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"not valid YAML: {getattr(error, 'problem', error)}"
        remedy = "correct the indentation or quoting at this line"
        line = mark.line + 1 if mark else None
        raise DataError(problem, path=path, line=line, remedy=remedy) from error
    return content, dict(_key_lines(node, (), path))


def _key_lines(node: yaml.Node | None, prefix: tuple, path: object):
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            name = yaml.safe_load(key.value) if key.tag.endswith(":int") else key.value
            if name in seen:
                problem = f"the key '{name}' stands here a second time"
                remedy = "keep one of the two"
                raise DataError(problem, path=path, line=key.start_mark.line + 1, remedy=remedy)
            seen.add(name)
            yield (*prefix, name), key.start_mark.line + 1
            yield from _key_lines(value, (*prefix, name), path)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield (*prefix, index), value.start_mark.line + 1
            yield from _key_lines(value, (*prefix, index), path)


def validate(content: Any, schema_path: str | Path, *, path: object, lines: dict | None = None):
    """Check `content` against a JSON schema.

    Args:
        content: what was read from `path`.
        schema_path: the JSON schema.
        path: the file to name in errors.
        lines: line number of every key path (from `read_yaml`).

    Raises:
        DataError: the first violation, with key, line and remedy.
    """
    schema = json.loads(Path(schema_path).read_text(encoding="utf-8"))
    # JSON keys are strings, YAML's `1:` is a number; a date is one of YAML's types, not of JSON's
    content = json.loads(json.dumps(content, default=str))
    validator = jsonschema.Draft202012Validator(schema)
    found = sorted(validator.iter_errors(content), key=lambda error: list(map(str, error.path)))
    if not found:
        return
    error = found[0]
    keys = tuple(error.absolute_path)
    lines = {tuple(map(str, key)): line for key, line in (lines or {}).items()}
    where = ".".join(map(str, keys)) or "the top level"
    if error.validator == "additionalProperties":
        known, patterns = (error.schema.get(k, {}) for k in ("properties", "patternProperties"))
        unknown = next(
            key
            for key in error.instance
            if key not in known and not any(re.search(pattern, key) for pattern in patterns)
        )
        line = lines.get((*map(str, keys), unknown))
        problem = f"unknown key '{unknown}' in {where}"
        remedy = did_you_mean(unknown, known) if known else "keys here are the numbers 1, 2, ..."
        raise DataError(problem, path=path, line=line, remedy=remedy)
    description = error.schema.get("description", "")
    remedy = f"see its description in {Path(schema_path).name}" + (
        f": {description}" if description else ""
    )
    line = lines.get(tuple(map(str, keys)))
    raise DataError(f"{where}: {error.message}", path=path, line=line, remedy=remedy)
