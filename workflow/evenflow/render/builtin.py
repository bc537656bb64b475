"""Render a checked report with pandoc and typst, where Quarto is not installed."""

import importlib.metadata
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .crossref import Target
from .errors import RenderError
from .layout import for_html, for_typst, number_captions
from .pandoc import pandoc_version, run_pandoc

# The date written into every PDF, by Quarto's typst too, so that the same input gives the same
# bytes. Seconds since 1970.
FIXED_TIME_S = 0


def renderer_name() -> str:
    """The renderer with its versions; raises RenderError where typst is not installed."""
    try:
        typst_version = importlib.metadata.version("typst")
    except importlib.metadata.PackageNotFoundError as error:
        raise RenderError("typst not found; install the Python package typst, or Quarto") from error
    return f"pandoc {pandoc_version()} and typst {typst_version} (evenflow's built-in path)"


def render_with_pandoc(
    document: dict,
    targets: dict[str, Target],
    defaults: dict,
    scratch: Path,
    theme: Path,
    name: str,
    renderer: str,
    about: str = "",
) -> tuple[Path, Path]:
    """Write ``index.html`` and ``<name>.pdf`` into ``scratch``, a copy of the report directory.

    ``document`` is the checked tree with its references resolved, ``defaults`` the metadata of
    _quarto.yml, ``renderer`` the name for the footer, ``about`` markdown for the PDF's first page:
    version, day, data sets. Returns the paths of both files. Raises RenderError.
    """
    document = number_captions(document, targets)
    metadata = scratch / "metadata.json"
    rendered_by = {"rendered-by": f"Rendered by {renderer}", "about-this": about}
    # no escapes: pandoc reads it as YAML, which has none of two halves for a character
    metadata.write_text(json.dumps(defaults | rendered_by, ensure_ascii=False), encoding="utf-8")
    html, typ, pdf = scratch / "index.html", scratch / f"{name}.typ", scratch / f"{name}.pdf"
    common = ["--from=json", f"--metadata-file={metadata.name}", "--standalone", "--wrap=none"]
    common += ["--citeproc", "--number-sections", "--toc", f"--toc-depth={defaults['toc-depth']}"]
    with ThreadPoolExecutor() as pool:  # pandoc is a process of its own: both at once
        page = pool.submit(
            run_pandoc,
            [*common, "--to=html5", *html_options(theme)],
            json.dumps(for_html(document, targets)),
            cwd=scratch,
        )
        typ.write_text(
            run_pandoc(
                # Without the extension 'citations' pandoc prints citeproc's own citations; without
                # 'smart' the quotes that it read: typst makes a prime of ' behind a digit.
                [*common, "--to=typst-citations-smart", f"--template={theme / 'report.typ'}"],
                json.dumps(for_typst(document, targets)),
                cwd=scratch,
            ),
            encoding="utf-8",
        )
        _compile_typst(typ, pdf)
        html.write_text(page.result(), encoding="utf-8")
    return html, pdf


def _compile_typst(typ: Path, pdf: Path) -> None:
    import typst  # only here: an environment with Quarto does not need it

    try:
        # The fonts inside typst only: the PDF is the same on a machine with other fonts or none.
        typst.compile(
            typ, output=pdf, root=typ.parent, ignore_system_fonts=True, timestamp=FIXED_TIME_S
        )
    except typst.TypstError as error:
        raise RenderError(f"typst: {error.diagnostic}") from error


def html_options(theme: Path) -> list[str]:
    """Pandoc's options for one self-contained HTML file in the theme."""
    return [
        f"--template={theme / 'report.html'}",
        f"--css={theme / 'report.css'}",
        "--embed-resources",
        "--mathml",
    ]
