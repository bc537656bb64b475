"""Take the charts' specifications out of a report's SVG files and put them into its HTML, live.

A chart that carries its Vega-Lite specification (`charts.save_chart`) stays an image in print, in
the PDF and without JavaScript; with it, the page draws the chart anew when it comes into view. The
page holds Vega once.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

from .evidence import packed

SPEC = re.compile(r'<metadata id="vega-lite">(.*?)</metadata>', re.DOTALL)
# what is read out of a chart in the page; one that is an image has an alternative text instead
ARIA = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')


def as_image(svg: str) -> str:
    """Return a chart (SVG) without what an image does not show, a third of its length or more."""
    return ARIA.sub("", SPEC.sub("", svg))


def take_specs(report_dir: Path, parts: Mapping[str, Mapping]) -> dict[str, dict]:
    """Return {label: specification} of the figures of a report, and take them out of their files.

    Args:
        report_dir: a scratch copy of the report: the images in it lose what the page holds anyway.
        parts: of the report's record; figures have a file whose name ends in .svg.
    """
    specs = {}
    for label, part in parts.items():
        file = Path(part["file"])
        path = report_dir / "figures" / file.name
        if file.suffix != ".svg" or not path.is_file():
            continue
        svg = path.read_text(encoding="utf-8")
        if found := SPEC.search(svg):
            specs[label] = json.loads(html.unescape(found[1]))
            path.write_text(as_image(svg), encoding="utf-8")
    return specs


def add_charts(page: str, specs: Mapping[str, dict], vega: str) -> str:
    """Return the page with the charts' specifications and Vega, both packed until they are wanted.

    Args:
        page: the HTML of a report, with the script of its record.
        specs: of its figures by label; without any the page stays as it is.
        vega: JavaScript that defines `vegaEmbed`.
    """
    if not specs:
        return page
    head, script, tail = page.partition('<script type="text/plain" id="provenance">')
    added = f'<script type="text/plain" id="charts">{packed(specs)}</script>\n'
    added += f'<script type="text/plain" id="vega">{packed(vega)}</script>\n'
    return head + added + script + tail
