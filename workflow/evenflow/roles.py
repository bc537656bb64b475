"""Names that papers which have no folder yet import."""

from __future__ import annotations

from .markdown import listed

__all__ = ["listed", "rerun_title"]
ROLE_NAMES = {"testbed": "testbed", "simulation": "simulator"}


def rerun_title(titles: dict[str, str], written_about: list[str]) -> str:
    """Return the second part of a report's title: what it was made of.

    Args:
        titles: the title of the data set in each role (markdown).
        written_about: the roles whose data sets are those that the text was written about.
    """
    others = {part: title for part, title in titles.items() if part not in written_about}
    if not others:
        return "a reproduction"
    if len(others) == 1 or len(set(others.values())) == 1:
        return f're-run on data set "{next(iter(others.values()))}"'
    named = [f'"{title}" ({ROLE_NAMES[part]})' for part, title in others.items()]
    return f"re-run on data sets {', '.join(named[:-1])} and {named[-1]}"
