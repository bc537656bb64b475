"""Render a checked report with Quarto, where one that can be used is on the PATH.

Quarto's options come from the report's _quarto.yml; only the footer's text is given here.
Options of the command line: https://quarto.org/docs/cli/render.html
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from ..places import page
from .builtin import FIXED_TIME_S
from .errors import RenderError

# Before it, a callout in a PDF needs a package of typst that Quarto fetches from the network.
OLDEST = (1, 9)
# What Quarto 1.4 to 1.8 prints in the place of what it could not resolve.
UNRESOLVED = ("?@fig-", "?@tbl-", "?@eq-", "?@sec-", "?var:", "?meta:", "quarto-unresolved-ref")
# Colours and the moves of a cursor (ECMA-48, control sequences). NO_COLOR does not end the latter:
# quarto-cli issue 14419.
TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# As the keys of _quarto.yml: options are taken from the key of the whole name
FORMATS = ("html", "typst-smart")
WARNING = re.compile(r"\[?WARN")  # Quarto's own warnings start so, and those of its pandoc


def find_quarto() -> tuple[str | None, str, str]:
    """Look for a Quarto on the PATH that can render.

    Returns its executable and its version, or None and ``""``; and the reason why the one that is
    there cannot be used, ``""`` if none is there or it can. Takes 0.01 s: Quarto's launcher reads
    its version from a file.
    """
    quarto = shutil.which("quarto")
    if quarto is None:
        return None, "", ""
    try:
        version = _run([quarto, "--version"]).stdout.strip()
    except (RenderError, OSError):
        return None, "", "Quarto is installed but `quarto --version` fails"
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return None, "", f"Quarto {version} is installed but older than {oldest}"
    return quarto, version, ""


def render_with_quarto(
    quarto: str, version: str, text: str, scratch: Path, name: str, about: str = ""
) -> tuple[Path, Path]:
    """Write ``index.html`` and ``<name>.pdf`` into ``scratch``, a copy of the report directory.

    ``quarto`` is the executable, ``version`` its version for the footer, ``text`` the report with
    its shortcodes replaced, ``about`` the line of the PDF's first page. Returns the paths of both
    files. Raises RenderError with Quarto's own output when it fails or leaves a reference
    unresolved; prints its warnings.
    """
    (scratch / "index.qmd").write_text(text, encoding="utf-8")
    rendered_by = f"rendered-by:Rendered by Quarto {version}"
    for format_, output in zip(FORMATS, ("index.html", f"{name}.pdf"), strict=True):
        command = [quarto, "render", "index.qmd", "--to", format_, "--output", output]
        said = ["-M", rendered_by] + (["-M", f"about-this:{about}"] if about else [])
        done = _run([*command, *said], scratch)
        for line in filter(WARNING.match, done.stderr.splitlines()):
            print(f"warning: quarto render --to {format_}: {line}", file=sys.stderr)
        if not (scratch / output).is_file():
            raise RenderError(f"quarto render --to {format_} made no {output}; run it by hand")
    html, pdf = scratch / "index.html", scratch / f"{name}.pdf"
    rendered = html.read_text(encoding="utf-8")
    marks = [mark for mark in UNRESOLVED if mark in rendered]
    if marks:
        raise RenderError(
            f"quarto left unresolved marks in {html.name}: {', '.join(marks)}; "
            f"a construct outside the subset of {page('explanation/rendering.md')}?"
        )
    return html, pdf


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """The environment of Quarto's process, from that of this one.

    ``SOURCE_DATE_EPOCH`` is the date that typst writes into the PDF. ``NO_COLOR`` is for Deno,
    which runs Quarto, and for typst; a variable that asks for colours would win over it.
    """
    kept = {k: v for k, v in inherited.items() if k not in ("FORCE_COLOR", "CLICOLOR_FORCE")}
    return kept | {"SOURCE_DATE_EPOCH": str(FIXED_TIME_S), "NO_COLOR": "1"}


def _run(command: list[str], cwd: Path | None = None) -> subprocess.CompletedProcess:
    """Run Quarto; return its process with what it said, without the codes of a terminal."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(os.environ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    done.stdout, done.stderr = TERMINAL.sub("", done.stdout), TERMINAL.sub("", done.stderr)
    if done.returncode != 0:
        said = (done.stderr + done.stdout).strip()
        raise RenderError(f"{' '.join(command[:4])} failed with {done.returncode}: {said}")
    return done
