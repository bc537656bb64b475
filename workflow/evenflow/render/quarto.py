"""Render a checked report with Quarto, where it is on the PATH.

Quarto's options come from the report's _quarto.yml; only the footer's text is given here.
Options of the command line: https://quarto.org/docs/cli/render.html
"""

import shutil
import subprocess
from pathlib import Path

from .errors import RenderError

# What Quarto 1.4 to 1.8 prints in the place of what it could not resolve.
UNRESOLVED = ("?@fig-", "?@tbl-", "?@eq-", "?@sec-", "?var:", "?meta:", "quarto-unresolved-ref")


def quarto_command() -> str | None:
    """The path of the quarto executable, or None where there is none."""
    return shutil.which("quarto")


def render_with_quarto(text: str, scratch: Path, name: str) -> tuple[Path, Path]:
    """Write ``index.html`` and ``<name>.pdf`` into ``scratch``, a copy of the report directory.

    ``text`` is the report with its shortcodes replaced. Returns the paths of both files. Raises
    RenderError with Quarto's own output when it fails or leaves a reference unresolved.
    """
    quarto = quarto_command()
    if quarto is None:
        raise RenderError("quarto not found on the PATH")
    (scratch / "index.qmd").write_text(text, encoding="utf-8")
    rendered_by = f"rendered-by:Rendered by Quarto {_run([quarto, '--version'], scratch).strip()}"
    for format_, output in (("html", "index.html"), ("typst", f"{name}.pdf")):
        command = [quarto, "render", "index.qmd", "--to", format_, "--output", output]
        _run([*command, "-M", rendered_by], scratch)
        if not (scratch / output).is_file():
            raise RenderError(f"quarto render --to {format_} made no {output}; run it by hand")
    html, pdf = scratch / "index.html", scratch / f"{name}.pdf"
    rendered = html.read_text(encoding="utf-8")
    marks = [mark for mark in UNRESOLVED if mark in rendered]
    if marks:
        raise RenderError(
            f"quarto left unresolved marks in {html.name}: {', '.join(marks)}; "
            "a construct outside the subset of docs/rendering.md?"
        )
    return html, pdf


def _run(command: list[str], cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip()
        raise RenderError(f"{' '.join(command[:4])} failed with {done.returncode}: {said}")
    return done.stdout
