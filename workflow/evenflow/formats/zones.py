"""Zones of dates in logs: their offset from UTC, where the name leaves no doubt.

A log's dates count from 1970 in UTC where their zone is known. Else they are what a clock on the
wall said, with the name of its zone (empty where the log gives none): such dates are compared among
themselves only, for two places may call two zones alike.
"""

from __future__ import annotations

import re

HOUR_S = 3600
OFFSET = re.compile(r"(?:UTC|GMT)?([-+])(\d\d?)(?::?(\d\d))?")
# hours; as tzdata uses them in this century. Not there, as more than one zone has the name: BST
# (Britain, and once Bangladesh), CDT, CST (America, China, Cuba), IST (India, Ireland, Israel), PST
# (America, Philippines), SST
HOURS = {
    "UTC": 0, "GMT": 0, "UCT": 0, "Z": 0, "WET": 0, "WEST": 1, "CET": 1, "CEST": 2, "MET": 1,
    "MEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "WAT": 1, "CAT": 2, "EAT": 3, "SAST": 2, "PKT": 5,
    "WIB": 7, "WITA": 8, "WIT": 9, "HKT": 8, "JST": 9, "KST": 9, "AWST": 8, "ACST": 9.5,
    "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "AST": -4, "ADT": -3, "NST": -3.5,
    "NDT": -2.5, "EST": -5, "EDT": -4, "MST": -7, "MDT": -6, "PDT": -7, "AKST": -9, "AKDT": -8,
    "HST": -10,
}  # fmt: skip


def offset_s(zone: str | None) -> float | None:
    """Return how far a zone's clocks are ahead of UTC, seconds; None where its name is not enough.

    Numbers, as strftime's %z and the abbreviations of many zones have them, say it: '+0530', '-03'.
    """
    if not zone:
        return None
    if number := OFFSET.fullmatch(zone):
        hours, minutes = int(number[2]), int(number[3] or 0)
        if hours > 14 or minutes > 59:
            return None
        return (hours * 60 + minutes) * (60 if number[1] == "+" else -60)
    return HOURS[zone] * HOUR_S if zone in HOURS else None


def in_utc(clock_s: float, zone: str | None) -> tuple[float, str | None]:
    """Return a date as seconds since 1970, and its zone: None where they count from 1970 in UTC.

    Args:
        clock_s: seconds from 1970 to the date, as if its clock were that of UTC.
        zone: what the log calls its zone, if anything.
    """
    offset = offset_s(zone)
    return (clock_s, zone or "") if offset is None else (clock_s - offset, None)
