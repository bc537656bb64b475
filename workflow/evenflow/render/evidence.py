"""Put a report's record of provenance into its HTML: marks that lead to it, and the panel's script.

What renders the text is the same for both renderers, and so are the classes and labels in its HTML
that are looked for here. The text changes only by the word 'source' behind captions.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Mapping, Sequence
from itertools import count

from ..places import folders
from ..revision import revision_note

NUMBER = re.compile(
    r'<span class="evidence" data-of="(?P<name>[^"]+)">(?P<text>(?:(?!<span).)*?)</span>', re.DOTALL
)
BODY = re.compile(r"(?<=<tbody>).*?(?=</tbody>)", re.DOTALL)
ROW = re.compile(r"<tr[ >].*?</tr>", re.DOTALL)
IN_CELL = re.compile(r"(<td[^>]*>)(.*?)(?=</td>)", re.DOTALL)
CAPTION_END = re.compile(r"(?:</p>)?\s*</figcaption>")
NAME = re.compile(r"<figcaption[^>]*>\s*(?:<p>)?\s*((?:Figure|Table)\s[\d.]+)")


def anchor(name: str) -> str:
    """Return the anchor of a part (its label) or of a number in the appendix."""
    kept = "".join(c if c.isalnum() else "-" for c in name)
    return "from-" + "-".join(filter(None, kept.split("-")))


def add_evidence(html: str, record: Mapping, script: str) -> str:
    """Return the page with marks at numbers and captions, the record as JSON, and the script.

    Args:
        html: of a report whose numbers stand in spans of the class `evidence`.
        record: of the report, with `revision`.
        script: JavaScript that shows the record.
    """

    def number(found: re.Match) -> str:
        if found["name"] not in record["numbers"]:
            return found["text"]
        here = anchor(found["name"]) if found["name"] in record["printed"] else "sec-provenance"
        return f'<a class="evidence" href="#{here}" data-of="{found["name"]}">{found["text"]}</a>'

    html = NUMBER.sub(number, html)
    for label in record["pieces"]:
        html = _mark_caption(html, label)
    for label, cells in record.get("cells", {}).items():
        html = _mark_cells(html, label, cells)
    added = with_script(record, script)
    # in HTML alone: the PDF is the same, byte by byte, from the same data
    html = html.replace("</footer>", f"<p>{revision_note(record.get('revision'))}</p>\n</footer>")
    head, end, tail = html.rpartition("</body>")
    return f"{head}{added}{end}{tail}"


def with_script(record: Mapping, script: str) -> str:
    """Return a record, with the folders of the study, and the script that reads it, as HTML."""
    text = packed({**record, "folders": folders()._asdict()})
    return f"""<script type="text/plain" id="provenance">{text}</script>
<script>
{script}</script>
"""


def packed(record: object) -> str:
    """Return a structure as JSON, compressed and in base64: thousands of runs are long.

    Browsers unpack it by themselves (DecompressionStream). The same structure gives the same text.
    """
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _mark_caption(html: str, label: str) -> str:
    """Put the word 'source' at the end of the caption of the figure or table with a label."""
    start = html.find(f'id="{label}"')
    caption = html.find("<figcaption", start)
    end = CAPTION_END.search(html, caption) if start >= 0 and caption >= 0 else None
    if end is None:
        return html
    named = NAME.match(html, caption)
    name = " ".join(named[1].split()) if named else label
    mark = (
        f' <a class="evidence-source" href="#{anchor(label)}" data-of="{label}"'
        f' aria-label="Source of {name}">source</a>'
    )
    return html[: end.start()] + mark + html[end.start() :]


def cell_name(label: str, row: int, column: int) -> str:
    """Return what a cell of a table in print is called: 'tbl-x:3:5', from 0 below the head."""
    return f"{label}:{row}:{column}"


def _mark_cells(html: str, label: str, cells: Sequence) -> str:
    """Make links of the cells of a table that rows are behind.

    Args:
        cells: [row, [columns], ...], as the record has them. A cell that is a link already, or has
            one, stays.
    """
    start = html.find(f'id="{label}"')
    body = BODY.search(html, start) if start >= 0 else None
    if body is None:
        return html
    wanted: dict[int, set[int]] = {}
    for row, columns, *_ in cells:
        wanted.setdefault(row, set()).update(columns)
    rows = count()

    def marked_row(found: re.Match) -> str:
        row = next(rows)
        columns = count()

        def marked(cell: re.Match) -> str:
            begin, text = cell.groups()
            column = next(columns)
            if column not in wanted.get(row, ()) or not text.strip() or "<a " in text:
                return cell[0]
            of = f'href="#{anchor(label)}" data-of="{cell_name(label, row, column)}"'
            return f'{begin}<a class="evidence" {of}>{text}</a>'

        return IN_CELL.sub(marked, found[0]) if row in wanted else found[0]

    return html[: body.start()] + ROW.sub(marked_row, body[0]) + html[body.end() :]
