"""Names that papers which have no folder yet import; see `reporting.setups`."""

from __future__ import annotations

from pathlib import Path

from .reporting.setups import (
    UNSAID,
    deviation_table,
    plain,
    settings_in_words,
    source_list,
    versions_in_words,
    with_unit,
)
from .schema import read_yaml

__all__ = [
    "UNSAID", "about_dataset", "deviation_table", "plain", "settings_in_words", "source_list",
    "versions_in_words", "with_unit",
]  # fmt: skip


def about_dataset(name: str, paths: list[str]) -> dict:
    """Return the dataset.yml of a data set; nothing where it has none.

    Args:
        name: of the data set.
        paths: the dataset.yml of several data sets, each in its folder.
    """
    own = [path for path in paths if Path(path).parent.name == name]
    return (read_yaml(own[0])[0] or {}) if own else {}
