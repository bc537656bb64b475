"""What the logs of failed jobs say: what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

REMEDY = ". Remedy: "  # between problem and remedy in the message of a DataError


def split_message(text: str, log: str) -> tuple[str, str]:
    """Return problem and remedy of what a job's log says; `log` is its path.

    The log of an error in the data is a DataError's message; that of an error in the project ends
    with Python's own.
    """
    problem, found, remedy = text.strip().partition(REMEDY)
    if found:
        return problem, remedy
    last = text.strip().splitlines()[-1:] or ["it says nothing"]
    return last[0], f"see {log}; if it looks like a mistake of evenflow, please report it"


def summary(
    failed: Mapping[str, tuple[str, str]], acts: Mapping[str, tuple[str, str]] | None = None
) -> str:
    """Return three lines for each data set or report that failed: which, what, what to do.

    Args:
        failed: problem and remedy of what could not be made.
        acts: the same of what makes nothing, as a verification.
    """
    heads = {f"{subject} could not be made:": said for subject, said in failed.items()}
    heads |= {f"{act}: failed": said for act, said in (acts or {}).items()}
    lines = []
    for head, (problem, remedy) in heads.items():
        lines += ["", head, f"  {problem}", f"  Remedy: {remedy}"]
    return "\n".join(lines)
