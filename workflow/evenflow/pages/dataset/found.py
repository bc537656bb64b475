"""What the sanity checks found in a data set: a fold a check, the worst first."""

from __future__ import annotations

from urllib.parse import quote

import polars as pl

from ...markdown import NOTHING
from ...paths import printable
from ...render.element import Html, element, folded, prose, table, together
from .offers import Offers
from .remedies import remedy_of, shown_lines

MAX_EXAMPLES = 8  # different messages of a check on the page; the table has them all
MAX_PLACES = 20  # of findings that say the same


def findings(finding: pl.DataFrame, offers: Offers) -> Html:
    """Return the findings; what many share is said once, with its runs."""
    if finding.is_empty():
        return element("p", "None: every check passed.")
    words = (
        "An error makes a number on this page wrong or missing. A warning means that a number may "
        "be wrong, a note is for information. The table `finding` lists all of them."
    )
    parts = [element("p", prose(words), class_="note")]
    groups = finding.partition_by("severity", "check", as_dict=True, maintain_order=True)
    for (severity, check), part in groups.items():
        messages = part["message"].unique(maintain_order=True).head(MAX_EXAMPLES)
        alike = [part.filter(message=message) for message in messages]
        rows = [
            [printable(message), _places(same)]
            for message, same in zip(messages, alike, strict=True)
        ]
        left = len(part) - sum(map(len, alike))
        more = element("p", prose(f"{left:,} more in the table `finding`."), class_="note")
        said = remedy_of(part)
        remedy = element("p", "Remedy: ", prose(said.words), ".", class_="rem")
        if severity == "note":  # of others the box above has the lines
            remedy = together(remedy, shown_lines(said, offers))
        shown = table(["What", "Where"], rows, label=f"Findings of {check}")
        title = together(
            element("b", severity, class_=severity),
            f" {check} ",
            element("span", f"{len(part):,}", class_="count"),
        )
        parts.append(folded(title, remedy, shown, more if left else ""))
    return together(parts)


def _places(rows: pl.DataFrame) -> Html:
    """Return the runs, flows and lines of findings that say the same."""
    places = [_place(row) for row in rows.head(MAX_PLACES).rows(named=True)]
    if len(rows) > len(places):
        places.append(Html(f"and {len(rows) - len(places):,} more"))
    known = [place for place in places if place]
    return together([part for place in known for part in ("; ", place)][1:]) or Html(NOTHING)


def _place(row: dict) -> Html:
    """Return where a finding is, its run as a link that opens it."""
    parts: list[object] = []
    if row["run_id"] is not None:
        parts.append(run_link(row["run_id"]))
    if row["flow_id"] is not None:
        parts.append(f"flow {row['flow_id']}")
    if row["path"] and row["path"] != row["run_id"]:  # the run of a single log has the log's name
        line = f":{row['line']}" if row["line"] is not None else ""
        parts.append(element("code", f"{row['path']}{line}"))
    return together([part for each in parts for part in (", ", each)][1:])


def run_link(run_id: str) -> Html:
    """Return a link that opens a run on the page."""
    name = printable(run_id) if run_id else "the only run"
    return element("a", name, href=f"#run={quote(run_id)}")
