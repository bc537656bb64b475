"""Render one report directory: check the whole of it first, then write both files or none."""

import json
import shutil
import sys
from pathlib import Path

import yaml

from ..files import atomic_path, write_text
from ..runs.scratch import job_folder
from .builtin import render_with_pandoc, renderer_name
from .crossref import number_targets, resolve_references
from .errors import RenderError
from .evidence import add_evidence
from .findings import read_claims
from .live import add_charts, take_specs
from .pandoc import bibliography_keys, parse_markdown
from .policy import with_policy
from .quarto import find_quarto, render_with_quarto
from .reach import within_reach
from .site import Place, on_first_page, with_header
from .source import read_source
from .subset import check_structure

# Keys of _quarto.yml that concern Quarto alone; the others are metadata for both renderers.
QUARTO_ONLY = ("project", "format")


def render_report(
    report_dir: Path,
    html: Path,
    pdf: Path,
    theme: Path,
    revision: dict | None = None,
    vega: Path | None = None,
    claims: Path | None = None,
    lost: Path | None = None,
    place: Place | None = None,
) -> str:
    """Render ``report_dir`` to ``html`` and ``pdf``, with Quarto where it is on the PATH.

    Where it is not, is too old or fails, pandoc and typst do it; that it is there all the same is
    printed and named in the footer. ``theme`` is the directory with the templates, the style sheets
    and the project file that every report shares. A report with a ``provenance.json``
    gets its marks and its panel; ``revision`` (``revision.describe_revision``) goes into the
    panel and the footer of the HTML. ``vega``, a file of JavaScript, makes its figures live.
    Findings are bound to the table ``claims``; those that it does not support any more are marked,
    and listed in the file ``lost``, a line each, without any where all are supported. ``place`` is
    where the page stands in the site, for the header; None: it has none.
    Returns the name of the renderer, as in the footer.

    Raises RenderError naming file, line or key and remedy for everything that does not resolve;
    neither output is touched then.
    """
    report_dir, theme = Path(report_dir), Path(theme).resolve()
    record = read_record(report_dir / "provenance.json", revision)
    of_claims = read_claims(claims, record["of_part"] if record else None)
    source = read_source(report_dir, record["numbers"] if record else (), of_claims)
    defaults = read_project(report_dir, theme)
    document = parse_markdown(source.text)
    problems: list[str] = []
    check_structure(document, source, problems)
    targets = number_targets(document, source, problems)
    keys = bibliography_keys(report_dir / defaults["bibliography"])
    document = resolve_references(document, targets, keys, source, problems)
    if problems:
        raise RenderError(problems)

    with job_folder() as temporary:
        scratch = temporary / "report"
        shutil.copytree(report_dir, scratch)
        # _quarto.yml finds the theme as '../_theme'.
        shutil.copytree(theme, temporary / "_theme")
        name = Path(pdf).stem
        specs = take_specs(scratch, record["pieces"]) if record and vega else {}
        about = on_first_page(place) if place else ""
        made, renderer = _by_quarto(source.text, scratch, name, about)
        if made is None:
            how = (scratch, theme, name, renderer, about)
            made = render_with_pandoc(document, targets, defaults, *how)
        page = within_reach(made[0].read_text(encoding="utf-8"))
        if record:
            script = (theme / "report.js").read_text(encoding="utf-8")
            where = {"repository": place.site.repository} if place else {}
            page = add_evidence(page, {**record, **where}, script)
            if specs and vega:
                page = add_charts(page, specs, vega.read_text(encoding="utf-8"), theme)
        page = with_header(page, place, theme) if place else page
        made[0].write_text(with_policy(page), encoding="utf-8")
        with atomic_path(html) as new_html, atomic_path(pdf) as new_pdf:
            shutil.copyfile(made[0], new_html)
            shutil.copyfile(made[1], new_pdf)
        if lost:
            write_text(lost, "\n".join(map(str, source.lost)))
    return renderer


def _by_quarto(
    text: str, scratch: Path, name: str, about: str
) -> tuple[tuple[Path, Path] | None, str]:
    """Return what Quarto made, or None where it is not there or fails, and what renders the report.

    Args:
        text, scratch, name, about: as for `render_with_quarto`.
    """
    quarto, version, note = find_quarto()
    if quarto:
        try:
            made = render_with_quarto(quarto, version, text, scratch, name, about)
            return made, f"Quarto {version}"
        except RenderError as error:
            # a paper made otherwise, and said so in its footer, is worth more than none
            print(f"warning: {error}", file=sys.stderr)
            note = f"Quarto {version} is installed but failed"
    if note:
        print(f"warning: {note}; rendering without it", file=sys.stderr)
    return None, "; ".join(filter(None, [renderer_name(), note]))


def renderer_here() -> str:
    """What renders reports on this machine, with its version, as a page's footer says it.

    The rules take it for a parameter: another renderer makes the pages again.
    """
    quarto, version, note = find_quarto()
    if quarto:
        return f"Quarto {version}"
    try:
        return "; ".join(filter(None, [renderer_name(), note]))
    except RenderError as error:  # of no concern before a report is rendered, which says it
        return str(error)


def read_record(path: Path, revision: dict | None) -> dict | None:
    """Read a report's record of provenance, where it has one, and add the revision."""
    if not path.is_file():
        return None
    return json.loads(path.read_text(encoding="utf-8")) | {"revision": revision}


def read_project(report_dir: Path, theme: Path) -> dict:
    """Read the report's _quarto.yml and return the metadata in it.

    It must say the same as the theme's: Quarto takes its options from it, the built-in path is
    written to those options, and a private change would make the two documents differ.
    """
    path, shared = report_dir / "_quarto.yml", theme / "_quarto.yml"
    if not path.is_file():
        raise RenderError(f"{path}: not found; copy {shared} there")
    project = yaml.safe_load(path.read_text(encoding="utf-8"))
    expected = yaml.safe_load(shared.read_text(encoding="utf-8"))
    if project != expected:
        keys = sorted(
            key
            for key in {**(project or {}), **expected}
            if (project or {}).get(key) != expected.get(key)
        )
        raise RenderError(
            f"{path}: key {', '.join(keys)} differs from {shared}; copy that file over it, "
            "or change it there for all reports"
        )
    return {key: value for key, value in project.items() if key not in QUARTO_ONLY}
