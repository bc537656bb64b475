"""Check YAML files (config.yaml, dataset.yml) against their JSON schemas, naming key and line."""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from .errors import DataError, did_you_mean
from .files import USUAL_LIMITS, Limits, beyond


class Document(dict):
    """What a YAML file holds, with the file and the line of every key path in it."""

    def __init__(self, content: dict, path: object, lines: dict[tuple, int]):
        super().__init__(content)
        self.path, self.lines = path, lines

    def where(self, keys: tuple, value: object) -> dict[str, Any]:
        """Return path and line of a value, as a DataError has them.

        Nothing where the file does not say this value: a setting may be of the command line.
        """
        said: Any = self
        with suppress(KeyError, IndexError, TypeError):
            for key in keys:
                said = said[key]
            if said == value:
                return {"path": self.path, "line": self.lines.get(keys)}
        return {}


MOST = 2**63 - 1  # the largest integer that the tables hold
CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")  # a terminal obeys some


def read_yaml(path: str | Path, limits: Limits = USUAL_LIMITS) -> tuple[Any, dict[tuple, int]]:
    """Read a YAML file.

    Returns:
        The content, and the line number (from 1) of every key path in it.

    Raises:
        DataError: the file is not valid YAML, repeats a key, cannot be read, is beyond the limits
            yaml_bytes and yaml_values, or has a number that YAML takes for another one.
    """
    text = read_text(path, limits.yaml_bytes)
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        _refuse_expansion(node, path, limits.yaml_values)
        lines = dict(_key_lines(node, (), path))  # first: construction takes '<<' apart
        content = None if node is None else loader.construct_document(node)
    except RecursionError as error:
        remedy = "write it with fewer levels"
        raise DataError("the YAML is nested too deep", path=path, remedy=remedy) from error
    except (ValueError, KeyError, OverflowError, AttributeError) as error:  # a date, number, tag
        problem = f"a value cannot be what it looks like: {error}"
        remedy = "put text between quotes, and write numbers and dates as they are"
        raise DataError(problem, path=path, remedy=remedy) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = f"not valid YAML: {getattr(error, 'problem', error)}"
        remedy = "correct the indentation or quoting at this line"
        line = mark.line + 1 if mark else None
        raise DataError(problem, path=path, line=line, remedy=remedy) from error
    return content, lines


def read_document(path: str | Path) -> Any:
    """Read a YAML file: where it holds keys, a `Document`. Raises as `read_yaml`."""
    content, lines = read_yaml(path)
    if not isinstance(content, dict):
        return content
    return Document(content, path, lines)


def read_text(path: str | Path, most_bytes: float | None = None) -> str:
    """Read a text file in UTF-8.

    Raises:
        DataError: it may not be read, is in another encoding, or larger than `most_bytes`.
    """
    path = Path(path)
    try:
        if most_bytes and path.stat().st_size > most_bytes:
            problem = f"the file has more than {most_bytes:,} bytes"
            remedy = "match more files with a pattern, or put what differs into runs.csv"
            raise beyond("limits.yaml_bytes", problem, remedy, path=path)
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        problem = f"not text in UTF-8 ({error.reason} at byte {error.start})"
        raise DataError(problem, path=path, remedy="save the file as UTF-8") from error
    except OSError as error:
        remedy = "give this user the right to read it (chmod u+r)"
        raise DataError(f"{error.strerror}", path=path, remedy=remedy) from error
    if found := CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        problem, remedy = f"a control character ({found[0]!r})", "delete it: it prints nothing"
        raise DataError(problem, path=path, line=line, remedy=remedy)
    return text


def _refuse_expansion(node: yaml.Node | None, path: object, most: float) -> None:
    """Refuse YAML whose aliases lead back to themselves, or stand for too much."""
    sizes: dict[int, int] = {}  # by the node's id: nodes with what their aliases stand for

    def size_of(node: yaml.Node) -> int:
        known = sizes.get(id(node))
        if known == 0:
            line = node.start_mark.line + 1
            problem, remedy = "an alias refers to a part that contains it", "write the values out"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        if known is None:
            sizes[id(node)] = 0  # under way
            pairs = isinstance(node, yaml.MappingNode)
            parts = [n for pair in node.value for n in pair] if pairs else node.value
            scalar = isinstance(node, yaml.ScalarNode)
            sizes[id(node)] = known = 1 if scalar else 1 + sum(map(size_of, parts))
        return known

    if node is not None and (size := size_of(node)) > most:
        problem = f"with its aliases written out it has {size:,} values, more than {most:,}"
        remedy = "write fewer, or match more files with a pattern"
        raise beyond("limits.yaml_values", problem, remedy, path=path)


# numbers that YAML 1.1 reads otherwise than they look: 040 is 32, 1:30 is 90, 0x10 is 16 and 1_5 is
# 15; 1_000 is what it looks like
_MISREAD = re.compile(r"[-+]?(?:0[0-9xb_].*|(?![1-9][0-9]{0,2}(?:_[0-9]{3})+$).*[_:].*)")


def _refuse_misread(node: yaml.ScalarNode, prefix: tuple, path: object) -> None:
    """Refuse a number that is not in plain digits: YAML has it for another one."""
    if node.tag.rpartition(":")[2] not in ("int", "float") or not _MISREAD.fullmatch(node.value):
        return
    number = yaml.safe_load(node.value)
    if abs(number) <= MOST:  # else refused as too large
        where = f"{'.'.join(map(str, prefix))}: " if prefix else ""
        problem = f"{where}YAML reads {node.value} as {number}"
        remedy = "write a number in digits alone, as 40 or 0.5; put text between quotes"
        raise DataError(problem, path=path, line=node.start_mark.line + 1, remedy=remedy)


def _key_lines(node: yaml.Node | None, prefix: tuple, path: object):
    if isinstance(node, yaml.ScalarNode):
        _refuse_misread(node, prefix, path)
    elif isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # a list or mapping: refused where the content is made
            _refuse_misread(key, prefix, path)
            name = yaml.safe_load(key.value) if key.tag.endswith(":int") else key.value
            if name in seen:
                problem = f"the key '{name}' is here twice"
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
    _refuse_unfit(content, (), path, lines or {})
    schema = json.loads(Path(schema_path).read_text(encoding="utf-8"))
    # JSON keys are strings, YAML's `1:` is a number; a date is one of YAML's types, not of JSON's
    content = json.loads(json.dumps(content, default=str))
    import jsonschema  # here: who only reads a file need not wait for it

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
        forms = [entry.get("title", f"of the form {p}") for p, entry in patterns.items()]
        remedy = did_you_mean(unknown, known) if known else f"keys here are {forms[0]}"
        raise DataError(problem, path=path, line=line, remedy=remedy)
    if error.validator == "uniqueItems":
        values = error.instance
        twice = next(n for n, value in enumerate(values) if value in values[:n])
        line = lines.get((*map(str, keys), str(twice)))
        problem, remedy = f"{where}: {values[twice]} is here twice", "keep one of the two"
        raise DataError(problem, path=path, line=line, remedy=remedy)
    if "propertyNames" in error.absolute_schema_path:  # the key itself is at fault
        keys = (*keys, error.instance)
        where = ".".join(map(str, keys))
    description = error.schema.get("description", "")
    remedy = f"see its description in {Path(schema_path).name}" + (
        f": {description}" if description else ""
    )
    line = lines.get(tuple(map(str, keys)))
    raise DataError(f"{where}: {error.message}", path=path, line=line, remedy=remedy)


def _refuse_unfit(content: Any, keys: tuple, path: object, lines: dict) -> None:
    """Refuse what no table or page can hold: .nan, .inf, integers of more than 64 bits, escapes."""
    if isinstance(content, dict | list):
        parts = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in parts:
            _refuse_unfit(value, (*keys, key), path, lines)
    elif isinstance(content, float) and not math.isfinite(content):
        _refuse_value(f"{content} is not a finite number", keys, path, lines)
    elif isinstance(content, int) and abs(content) > MOST:
        _refuse_value("the integer has more than 64 bits", keys, path, lines)
    elif isinstance(content, bytes | set | tuple):
        _refuse_value("a set or bytes where text or a number should be", keys, path, lines)
    elif isinstance(content, str) and CONTROL.search(content):
        _refuse_value("the text has a control character, or none of Unicode", keys, path, lines)


def _refuse_value(problem: str, keys: tuple, path: object, lines: dict) -> None:
    where = ".".join(map(str, keys))
    remedy = "write what can be read, or leave the key out where it is not known"
    raise DataError(f"{where}: {problem}", path=path, line=lines.get(keys), remedy=remedy)
