"""dataset.yml: what it says of a data set, and what it may not say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isclose
from pathlib import Path
from typing import Any

from ...errors import DataError, did_you_mean
from ...files import USUAL_LIMITS, Limits, beyond, own_file
from ...places import SCHEMAS
from ...schema import read_yaml, validate
from ..entities import Description, Pattern
from .known_settings import other_spelling, setting_meant
from .patterns import MARKS

SCHEMA = SCHEMAS / "dataset.schema.json"


def read_dataset(folder: str | Path, limits: Limits = USUAL_LIMITS) -> Description:
    """Read and check dataset.yml of a folder.

    Args:
        folder: the data set.
        limits: of the file's size and of what its aliases stand for, of the number of patterns.

    Returns:
        What it says; nothing where there is no dataset.yml.

    Raises:
        DataError: a misspelt key, a value of the wrong type or unit, more than the limits allow.
    """
    # here: what compiles them takes a second to load
    from ...formats import FAMILIES, FORMATS, IGNORE

    path = Path(folder) / "dataset.yml"
    content, lines = read_yaml(path, limits) if own_file(folder, path.name) else ({}, {})
    content = content or {}
    validate(content, SCHEMA, path=path, lines=lines)
    if (n := len(content.get("files", []))) > limits.patterns:
        problem, line = (
            f"there are {n:,} patterns, more than {limits.patterns:,}",
            lines.get(("files",)),
        )
        remedy = "match more files with a pattern, or name them in a table runs.csv"
        raise beyond("limits.patterns", problem, remedy, path=path, line=line)
    _refuse_two_buffers(content.get("defaults", {}), path, lines)
    _refuse_no_sentence(content.get("confirmed", []), path, lines)
    known = [*FORMATS, *(FAMILIES.keys() - FORMATS.keys()), IGNORE]
    patterns = []
    for index, said in enumerate(content.get("files", [])):
        pattern = Pattern(**said, line=lines.get(("files", index, "format")))
        if pattern.format is not None and pattern.format not in known:
            problem = f"unknown format '{pattern.format}'"
            remedy = did_you_mean(pattern.format, known)
            raise DataError(problem, path=path, line=pattern.line, remedy=remedy)
        _refuse_value(pattern, path, lines, index)
        _refuse_braces(pattern, path, lines, index)
        _refuse_other_spellings(pattern, path, lines, index)
        patterns.append(pattern)
    flows = {int(flow): dict(keys or {}) for flow, keys in content.get("flows", {}).items()}
    return Description(path, **{**content, "files": patterns, "flows": flows}, lines=lines)


def _refuse_two_buffers(defaults: dict[str, Any], path: Path, lines: dict) -> None:
    """Refuse a buffer in % that is not the one as a fraction: only one of them would count."""
    if not {"buffer_bdp", "buffer_pct"} <= defaults.keys():
        return
    fraction, percent = defaults["buffer_bdp"], defaults["buffer_pct"]
    if not isclose(100 * fraction, percent, rel_tol=1e-6):
        problem = f"defaults: buffer_bdp: {fraction} and buffer_pct: {percent} are two buffers"
        line = lines.get(("defaults", "buffer_pct"))
        raise DataError(problem, path=path, line=line, remedy="delete the one that is wrong")


def _refuse_no_sentence(confirmed: Sequence[str], path: Path, lines: dict) -> None:
    """Refuse to confirm what no page can say: its sentences begin with what they are about."""
    for i, said in enumerate(confirmed):
        if ": " not in said:
            problem = f"confirmed: '{said}' is not a sentence of a page: it has no colon"
            remedy = "copy the line of dataset.yml that the page shows beside what it says"
            line = lines.get(("confirmed", i))
            raise DataError(problem, path=path, line=line, remedy=remedy)


def _refuse_braces(pattern: Pattern, path: Path, lines: dict, index: int) -> None:
    """Refuse a placeholder that can be no name, and a brace of none: it would match nothing."""
    from ...formats import IGNORE

    text = pattern.path
    if pattern.format == IGNORE:
        for character in MARKS:
            text = text.replace(f"[{character}]", "")
    bad = [name for name in re.findall(r"\{([^{}]*)\}", text) if not name.isidentifier()]
    if bad:
        problem = f"'{{{bad[0]}}}' is not a placeholder: a name has letters, digits and _ only"
        remedy = "begin the name with a letter, as in {flow}"
    elif re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", text)):
        problem = f"a brace in '{text}' opens or ends no placeholder"
        remedy = "write {flow} where the name of a file has the number of its flow"
    else:
        return
    line = lines.get(("files", index, "path"), lines.get(("files", index)))
    raise DataError(f"files: {problem}", path=path, line=line, remedy=remedy)


def _refuse_other_spellings(pattern: Pattern, path: Path, lines: dict, index: int) -> None:
    """Refuse placeholders that are settings but for their spelling, as {RTT_ms}."""
    from ...formats import IGNORE

    line = lines.get(("files", index, "path"), lines.get(("files", index)))
    names = re.findall(r"\{(\w+)\}", pattern.path) if pattern.format != IGNORE else []
    for name in names:
        if meant := setting_meant(name):
            raise other_spelling(f"files: the placeholder '{{{name}}}'", meant, path, line)


def _refuse_value(pattern: Pattern, path: Path, lines: dict, index: int) -> None:
    """Refuse a pattern of two-column files that does not say its value, and one that needs none."""
    from ...formats import TWO_COLUMN, two_column

    declared, line = pattern.format, lines.get(("files", index))
    if declared == TWO_COLUMN and pattern.value is None:
        problem = "nothing says what the second column of the files is"
        remedy = f"add 'value:' with one of {', '.join(two_column.VALUES)}"
    elif pattern.value is not None and declared != TWO_COLUMN:
        problem = "'value:' says what the second column of a two-column file is"
        remedy = f"add 'format: {TWO_COLUMN}', or delete it"
        line = lines.get(("files", index, "value"))
    else:
        return
    raise DataError(problem, path=path, line=line, remedy=remedy)
