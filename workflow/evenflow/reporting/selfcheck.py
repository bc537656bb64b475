"""The virtual testbed's self-check (data/testbed-selfcheck*.json) as reports print it.

Each check compares what a run measured with what is known beforehand; `experiments/testbed` makes
them.
"""

from __future__ import annotations

import re

import polars as pl

from ..markdown import markdown_table, span_of

LONE = "goodput of a lone"  # how checks of lone flows begin
WHERE = re.compile(r": (?:router|netem-limit), .*")  # the scenario, in the name of a check


def selfcheck_variables(report: dict) -> dict[str, str]:
    """Return how many checks were made and passed, on what, and what lone flows carried in Mb/s."""
    checks = report["checks"]
    lone = [check for check in checks if check["name"].startswith(LONE)]
    return {
        "n_checks": str(len(checks)),
        "n_passed": str(sum(check["passed"] for check in checks)),
        "date": report["made_by"]["date"][:10],
        "kernel": report["made_by"]["versions"]["kernel"],
        "iperf": report["made_by"]["versions"]["iperf"],
        "n_lone": str(len(lone)),
        "lone_mbps": span_of(pl.Series([c["measured"] for c in lone], dtype=pl.Float64), 2),
        "expected_mbps": span_of(pl.Series([c["expected"] for c in lone], dtype=pl.Float64), 2),
    }


def check_rows(report: dict) -> pl.DataFrame:
    """Return a row a check: name, passed, lone, measured, expected, unit; date, kernel, iperf.

    lone: whether it is of the goodput of a lone flow. measured, expected: null of what is no
    number. date: the day of the self-check.
    """

    def as_number(value: object) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value)

    made = report["made_by"]
    whole = {"date": made["date"][:10], "kernel": made["versions"]["kernel"]}
    whole |= {"iperf": made["versions"]["iperf"]}
    rows = [
        {
            "name": check["name"],
            "passed": bool(check["passed"]),
            "lone": check["name"].startswith(LONE),
            "measured": as_number(check["measured"]),
            "expected": as_number(check["expected"]),
            "unit": check["unit"],
        }
        | whole
        for check in report["checks"]
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def selfcheck_table(report: dict) -> str:
    """Return what was expected, what was measured in how many runs, and by how much.

    Runs of which the same was expected share a row, with the smallest and the largest measured
    value; one that failed has its own.
    """
    alike: dict[tuple, list] = {}
    for check in report["checks"]:
        kind = WHERE.sub("", check["name"]) if check["passed"] else check["name"]
        key = (kind, check["expected"], check["tolerance"], check["unit"], check["passed"])
        alike.setdefault(key, []).append(check["measured"])
    kinds = list(dict.fromkeys(key[0] for key in alike))
    rows = [
        [
            kind,
            str(len(measured)),
            _printed(expected),
            _span(measured),
            "equal" if tolerance is None else f"± {tolerance:g}",
            unit,
            "passed" if passed else "**failed**",
        ]
        for (kind, expected, tolerance, unit, passed), measured in sorted(
            alike.items(), key=lambda item: kinds.index(item[0][0])
        )
    ]
    header = ["Check", "Runs", "Expected", "Measured", "Tolerance", "Unit", "Verdict"]
    return markdown_table(header, rows, numeric_from=len(header))


def _printed(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _span(values: list) -> str:
    """Return the value of all, or 'smallest to largest'."""
    low, high = _printed(min(values)), _printed(max(values))
    return low if low == high else f"{low} to {high}"
