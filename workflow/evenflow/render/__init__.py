"""Turn a report directory into one self-contained HTML file and one PDF.

A report is a directory with ``index.qmd``, ``refs.bib``, ``_quarto.yml`` and the generated
``_variables.yml``, ``figures/`` and ``tables/``. Quarto renders it where it is installed, pandoc
and typst where it is not; both get the same checked text. The subset of Quarto's markdown that
reports may use is written down in ``docs/explanation/rendering.md``.
"""

from ..markdown import escape_markdown
from .errors import RenderError
from .live import as_image
from .pages import (
    as_sentence,
    escape_prose,
    page_renderer_here,
    render_page,
    report_summary,
)
from .policy import with_policy
from .report import render_report, renderer_here

__all__ = [
    "RenderError",
    "as_image",
    "as_sentence",
    "escape_markdown",
    "escape_prose",
    "page_renderer_here",
    "render_page",
    "render_report",
    "renderer_here",
    "report_summary",
    "with_policy",
]
