"""The configuration of a study: what it says itself, on top of the defaults of the workflow."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import PurePosixPath
from typing import Any

from . import places
from .errors import DataError
from .schema import read_yaml

# of each folder another name than its own that it may have
FREE = {"raw": "raw-logs", "derived": "results/tables", "reports": "results/pages"}
YES_OR_NO = {"accept_changed", "alone"}
WORDS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def defaults() -> dict[str, Any]:
    """Return the defaults of the whole configuration."""
    return {"folders": places.Folders()._asdict(), **read_yaml(places.DEFAULTS)[0]}


def with_defaults(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with the defaults of what it does not say."""
    found = merged(defaults(), said)
    for key in YES_OR_NO & found.keys():  # Snakemake knows `--config key=True` alone
        found[key] = WORDS.get(str(found[key]).lower(), found[key])
    return found


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with others on top, section by section; lists are replaced, not joined."""
    both = dict(below)
    for key, value in above.items():
        under = both.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            value = merged(under, value)
        both[key] = value
    return both


def comparisons_of(
    config: Mapping[str, Any], path: object, lines: Mapping | None
) -> dict[str, dict[str, str]]:
    """Return the comparisons of a study, {name: {'of': data set, 'against': data set}}.

    Args:
        config, path, lines: as for `folders_of`.

    Raises:
        DataError: a data set is compared with itself, which finds it equivalent whatever it holds.
    """
    found = config.get("comparisons") or {}
    for name, sides in found.items():
        if sides["of"] == sides["against"]:
            line = (lines or {}).get(("comparisons", name, "against"))
            problem = f"comparisons.{name}: {sides['of']!r} is compared with itself"
            remedy = "name another data set as `against`, or remove the comparison"
            raise DataError(problem, path=path, line=line, remedy=remedy)
    return found


def folders_of(config: Mapping[str, Any], path: object, lines: Mapping | None) -> places.Folders:
    """Return where a study has its files.

    Args:
        config: the configuration.
        path: of its file, for errors.
        lines: {key, as a tuple: line} of that file, where there is one.

    Raises:
        DataError: a folder lies outside of the working folder, is hidden, lies in another, or is,
            holds or lies in what evenflow reads or writes beside these folders.
    """
    found = config["folders"]
    for key, place in found.items():
        parts, line = PurePosixPath(place).parts, (lines or {}).get(("folders", key))
        if not parts or any(part.startswith((".", "/")) or {*part} & {*"{}"} for part in parts):
            remedy = "name a folder below the working folder, as results/tables; it may be a link"
            raise DataError(
                f"folders.{key}: {place!r} cannot be used", path=path, line=line, remedy=remedy
            )
        if parts != tuple(place.split("/")):
            found = {**found, key: "/".join(parts)}
        if why := _taken(key, PurePosixPath(*parts)):
            remedy = f"name a folder that has no other use, such as {FREE[key]}"
            raise DataError(f"folders.{key}: {why}", path=path, line=line, remedy=remedy)
    for one, other in permutations(found, 2):
        if PurePosixPath(found[one]).is_relative_to(found[other]):
            line = (lines or {}).get(("folders", one))
            problem = (
                f"folders.{one}: {found[one]} is {found[other]}, of folders.{other}, or inside it"
            )
            raise DataError(
                problem, path=path, line=line, remedy="name folders that do not contain each other"
            )
    return places.Folders(**found)


def _taken(key: str, place: PurePosixPath) -> str | None:
    """Return why a place is none for a folder of a study, in words; None where it is."""
    for name, what in places.OWN.items():
        if place.is_relative_to(name):
            how = "is" if str(place) == name else f"lies in {name},"
            return f"{place} {how} where evenflow has {what}"
        if PurePosixPath(name).is_relative_to(place):
            return f"{place} holds {name}, where evenflow has {what}"
    if key == "reports" and place.parts[0] in places.NOT_COPIED:
        top = place.parts[0]
        return f"{place} lies in {top}: a verification copies only raw logs from there"
    return None
