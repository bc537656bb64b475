"""What the sanity checks found in a data set, and whether its numbers can be trusted."""

from __future__ import annotations

import polars as pl

from ...checks.finding import SEVERITIES
from ...markdown import NOTHING, markdown_table
from ...paths import printable
from ...render.pages import escape_markdown
from .parts import code

MAX_EXAMPLES = 8  # different messages of a check on the page; the table has them all
MAX_PLACES = 20  # of findings that say the same


def trust(finding: pl.DataFrame, run: pl.DataFrame) -> str:
    """Return in one box whether the numbers below can be trusted."""
    n = {severity: (finding["severity"] == severity).sum() for severity in SEVERITIES}
    if run.is_empty():
        text = "No run of this data set could be read. The [findings](#sec-findings) say why."
        return f'::: {{.callout-important title="No run"}}\n{text}\n:::'
    if not n["error"] and not n["warning"]:
        return (
            '::: {.callout-tip title="No errors, no warnings"}\n'
            "The sanity checks ([findings](#sec-findings)) found nothing that speaks against the "
            "numbers below.\n:::"
        )
    kind, errors = ("important", n["error"]) if n["error"] else ("warning", 0)
    counts = [f"{errors:,} errors"] if errors > 1 else ["1 error"] if errors else []
    counts += [f"{n['warning']:,} warnings"] if n["warning"] > 1 else []
    counts += ["1 warning"] if n["warning"] == 1 else []
    severe = finding.filter(severity="error" if errors else "warning")["check"]
    worst = severe.value_counts().sort("count", "check", descending=[True, False])
    names = ", ".join(f"{check} ({n})" for check, n in worst.head(4).rows())
    return (
        f'::: {{.callout-{kind} title="{" and ".join(counts)}"}}\n'
        f"The sanity checks ([findings](#sec-findings)) name: {names}.\n:::"
    )


def findings(finding: pl.DataFrame) -> str:
    """Return the findings, the worst first, a fold a check; what many share is said once."""
    if finding.is_empty():
        return "None: every check passed."
    parts = [
        "An error makes a number on this page wrong or missing, a warning may; a note is good to "
        "know. The [table](#sec-tables) `finding` has them all."
    ]
    groups = finding.partition_by("severity", "check", as_dict=True, maintain_order=True)
    for (severity, check), part in groups.items():
        messages = part["message"].unique(maintain_order=True).head(MAX_EXAMPLES)
        alike = [part.filter(message=message) for message in messages]
        rows = [
            [escape_markdown(printable(message)), _places(same)]
            for message, same in zip(messages, alike, strict=True)
        ]
        left = len(part) - sum(map(len, alike))
        more = f"{left:,} more in the table `finding`." if left else ""
        remedies = part["remedy"].unique(maintain_order=True)
        remedy = "Remedy: " + "; or ".join(escape_markdown(text) for text in remedies) + "."
        table = markdown_table(["What", "Where"], rows, numeric_from=2)
        title = f"{severity}: {check} ({len(part):,})"
        parts.append(f'::: {{.fold title="{title}"}}\n{remedy}\n\n{table}\n\n{more}\n:::')
    return "\n\n".join(parts)


def _places(rows: pl.DataFrame) -> str:
    """Return the runs, flows and lines of findings that say the same."""
    places = [_place(row) for row in rows.head(MAX_PLACES).rows(named=True)]
    if len(rows) > len(places):
        places.append(f"and {len(rows) - len(places):,} more")
    return "; ".join(place for place in places if place) or NOTHING


def _place(row: dict) -> str:
    place = [code(row["run_id"])] if row["run_id"] is not None else []
    place += [f"flow {row['flow_id']}"] if row["flow_id"] is not None else []
    if row["path"]:
        line = f":{row['line']}" if row["line"] is not None else ""
        place.append(code(f"{row['path']}{line}"))
    return ", ".join(dict.fromkeys(place))  # the run of a single log has the log's name
