"""Take the charts' specifications out of a report's SVG files and put them into its HTML, live.

A chart that carries its Vega-Lite specification (`charts.base.save_chart`) stays an image in print,
in the PDF and without JavaScript; with it, the page draws the chart anew when it comes into view.
The page holds Vega once.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from html import unescape
from pathlib import Path

from ..charts.theme import dark_style
from ..files import write_text
from .evidence import packed, with_script
from .policy import with_policy

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
        if file.suffix == ".svg" and path.is_file() and (spec := take_spec(path)):
            specs[label] = spec
    return specs


def read_spec(path: Path) -> dict | None:
    """Return the specification that an SVG carries, None if it is no chart."""
    found = SPEC.search(path.read_text(encoding="utf-8"))
    return json.loads(unescape(found[1])) if found else None


def take_spec(path: Path) -> dict | None:
    """Return the specification that an SVG carries, and take it out of the file."""
    if spec := read_spec(path):
        path.write_text(as_image(path.read_text(encoding="utf-8")), encoding="utf-8")
    return spec


def copied_figures(
    figures: Mapping[str, Path], folder: Path
) -> tuple[dict[str, Path], dict[str, dict]]:
    """Copy the figures of a page into a folder, and return the copies and their specifications.

    Args:
        figures: by name; an SVG each, or an empty file.

    Returns:
        (paths of the copies, without their specifications, by name; the specifications by the
        label of the figure on the page, 'fig-' and its name)
    """
    copies, specs = {}, {}
    for name, path in figures.items():
        copies[name] = Path(shutil.copy(path, folder))
        if spec := take_spec(copies[name]):
            specs[label_of(name)] = spec
    return copies, specs


def label_of(name: str) -> str:
    """Return the label of a figure of a page: 'fig-flow-means' of flow_means."""
    return f"fig-{name.replace('_', '-')}"


def make_live(
    html: Path, specs: Mapping[str, dict], record: Mapping, theme: Path, vega: Path
) -> None:
    """Make the charts of a page live that has no provenance: of a data set, of a comparison.

    Args:
        html: the page, which is replaced.
        specs: as of `add_charts`.
        record: what the script reads: `runs` by data set, as `provenance.record.run_records` has
            them; `pieces` by label, with the conditions of their runs; `datasets`, the way from the
            page to those of data sets.
        theme: folder with the script, report.js.
        vega: as of `add_charts`, a file.
    """
    script = (theme / "report.js").read_text(encoding="utf-8")
    added = with_script(record, script)
    head, end, tail = html.read_text(encoding="utf-8").rpartition("</body>")
    page = add_charts(f"{head}{added}{end}{tail}", specs, vega.read_text(encoding="utf-8"), theme)
    write_text(html, with_policy(page))


def add_charts(page: str, specs: Mapping[str, dict], vega: str, theme: Path) -> str:
    """Return the page with the charts' specifications and Vega, both packed until they are wanted.

    With them each figure has a menu that it can be taken away by.

    Args:
        page: the HTML of a report, with the script of its record.
        specs: of its figures by label; without any the page stays as it is.
        vega: JavaScript that defines `vegaEmbed`.
        theme: folder with the script of the menus, take.js.
    """
    if not specs:
        return page
    head, script, tail = page.partition('<script type="text/plain" id="provenance">')
    added = f'<script type="text/plain" id="charts">{packed(specs)}</script>\n'
    added += f'<script type="text/plain" id="vega">{packed(vega)}</script>\n'
    added += f"<style>{dark_style('.live-chart')}</style>\n"
    menus = f"<script>\n{(theme / 'take.js').read_text(encoding='utf-8')}</script>\n"
    before, end, after = f"{head}{added}{script}{tail}".rpartition("</body>")
    return f"{before}{menus}{end}{after}" if end else f"{after}{menus}"
