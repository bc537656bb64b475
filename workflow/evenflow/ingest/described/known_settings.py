"""The settings that dataset.yml, names of files, runs.csv and run records may give.

Everything else is a free factor.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ...congestion_controls import cca_name
from ...errors import DataError, plainly_spelt
from ...schema import MOST

# settings that files, runs.csv and records may give; everything else is a free factor
NUMBERS = {
    "bottleneck_mbps": float,
    "rtt_ms": float,
    "buffer_bdp": float,
    "buffer_pct": float,
    "buffer_bytes": int,
    "buffer_packets": int,
    "start_s": float,
    "duration_s": float,
    "mss_bytes": int,
    "repeat": int,
    "seed": int,
    "flow": int,
}
WORDS = ("aqm", "cca", "role", "platform", "tool", "tool_version")
FLOW_KEYS = ("cca", "start_s", "rtt_ms", "mss_bytes", "cross_traffic")
FLOW_ONLY = ("cca", "start_s", "cross_traffic")  # of these never settings of a run
YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
ROLES = ("calibration", "comparison")
ENDS = re.compile(
    r"flow|side|variable|host[0-9]*"
)  # placeholders that tell the logs of one run apart
# what is not of the run where its logs differ; 'hosts' is what evenflow calls the addresses
OF_ENDS = re.compile(r"side|hosts|(?:place|host)[0-9]*")
LABEL = re.compile(r"side|variable|host[0-9]*|run[0-9]*")  # placeholders that are no settings
# names of placeholders and columns that mean something; with a number behind some of them
MEANT = re.compile(
    rf"{'|'.join((*NUMBERS, *WORDS, *FLOW_KEYS, LABEL.pattern))}|(?:{'|'.join(FLOW_KEYS)})[0-9]+"
)
REPETITIONS = ("repeat", "seed")  # settings that only tell the repeats of a scenario apart
# settings that evenflow finds itself; factors of these names would be lost
NO_SETTINGS = ("run_id", "scenario_id", "factors", "warmup_s", "made_by", "observed")
MOST_OF_COUNT = 2**31 - 1  # of flows and repeats: the tables hold them as 32-bit integers


def typed(key: str, value: Any, path: object, line: int | None = None) -> Any:
    """Convert a setting from text to its type.

    Raises:
        DataError: the key is no setting; the value is not a number where one is needed, negative,
            a fraction where a whole number is needed, not a known role, or neither yes nor no.
    """
    if key in NO_SETTINGS:
        problem = f"'{key}' is the name of what evenflow fills in itself"
        remedy = f"call the placeholder, or the column, 'my_{key}'"
        raise DataError(problem, path=path, line=line, remedy=remedy)
    if key in NUMBERS:
        try:
            # to Python '1_5' is 15
            number = float(value if "_" not in str(value) else "no number")
        except (TypeError, ValueError) as error:
            problem, remedy = f"{key}: '{value}' is not a number", "write digits without a unit"
            raise DataError(problem, path=path, line=line, remedy=remedy) from error
        whole = NUMBERS[key] is int
        if not 0 <= number < float("inf") or (whole and number != int(number)):
            kind = "a whole number" if whole else "a number"
            remedy = "correct it, and mind the unit that the key names"
            problem = f"{key}: {value} is not {kind} from 0 up"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        if whole and number > (MOST_OF_COUNT if key in ("flow", "repeat") else MOST):
            problem, remedy = f"{key}: {value} is too large a number", "write a smaller one"
            raise DataError(problem, path=path, line=line, remedy=remedy)
        return NUMBERS[key](number)
    if re.fullmatch("cca[0-9]*", key):
        return cca_name(value)
    if key == "cross_traffic" and not isinstance(value, bool):
        if str(value).lower() not in YES_NO:
            problem, remedy = (
                f"cross_traffic: '{value}' is neither yes nor no",
                "write true or false",
            )
            raise DataError(problem, path=path, line=line, remedy=remedy)
        return YES_NO[str(value).lower()]
    if key == "role" and value not in ROLES:
        remedy = f"use one of: {', '.join(ROLES)}"
        raise DataError(f"unknown role '{value}'", path=path, line=line, remedy=remedy)
    return value


def split_numbered(
    settings: dict[str, Any], path: Path, line: int | None = None
) -> tuple[dict[int, dict], dict[str, Any]]:
    """Split 'cca1', 'cca2' (the flows' own settings) from those of the run.

    Raises:
        DataError: as `typed`.
    """
    numbered: dict[int, dict] = {}
    plain = {}
    for key, value in settings.items():
        match = re.fullmatch(rf"({'|'.join(FLOW_KEYS)})(\d+)", key)
        if match:
            value = typed(match[1], value, path, line)
            numbered.setdefault(int(match[2]), {})[match[1]] = value
        else:
            plain[key] = value
    return numbered, plain


def setting_meant(name: str) -> str | None:
    """Return the setting that a name is but for capitals, hyphens or blanks; None if it is none."""
    plain = plainly_spelt(name)
    return plain if plain != name and MEANT.fullmatch(plain) else None


def other_spelling(what: str, meant: str, path: Path, line: int | None) -> DataError:
    problem = f"{what} is not the setting {meant}: it would be a factor of that name"
    remedy = f"did you mean '{meant}'? If not, give the factor another name"
    return DataError(problem, path=path, line=line, remedy=remedy)
