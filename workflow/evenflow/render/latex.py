"""A paper's numbers as macros of LaTeX, for papers that take them from here."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .errors import RenderError

SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # what pdfLaTeX has no letter for, as of its release of 2018 and later, which reads UTF-8
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u2009": r"\,",
    "−": "$-$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "µ": r"$\mu$",
    "μ": r"$\mu$",
    "β": r"$\beta$",
    "σ": r"$\sigma$",
}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))
EXPONENT = re.compile(f"[{''.join(RAISED)}]+")
DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
CODE = re.compile(r"`([^`]+)`")
WORD = re.compile(r"[A-Za-z]+|[0-9]")


def latex_text(words: str) -> str:
    """Return plain words as text of LaTeX, or of a field of BibTeX, that prints the same."""
    parts, end = [], 0
    for found in EXPONENT.finditer(words):
        digits = "".join(RAISED[sign] for sign in found[0])
        parts += [_plain(words[end : found.start()]), f"$^{{{digits}}}$"]
        end = found.end()
    return "".join([*parts, _plain(words[end:])])


def latex_number(printed: str) -> str:
    r"""Return a number as _variables.yml has it, whose `code` is markdown, as text of LaTeX."""
    parts = CODE.split(printed)  # code is every second one
    return "".join(
        rf"\texttt{{{latex_text(part)}}}" if i % 2 else latex_text(part)
        for i, part in enumerate(parts)
    )


def macro_name(paper: str, number: str) -> str:
    r"""Return the macro of a number of a paper, of letters alone: hstcpBuffersAtTenModel.

    LaTeX's names have no digits, so that 20 is TwoZero.

    Args:
        paper: the name of its folder.
        number: its name in _variables.yml, with dots.
    """
    words = [DIGITS[int(word)] if word.isdigit() else word for word in WORD.findall(paper)]
    begin = words[0][:1].lower() + words[0][1:] if words else "paper"
    words = [*words[1:], *(DIGITS[int(w)] if w.isdigit() else w for w in WORD.findall(number))]
    return begin + "".join(word[:1].upper() + word[1:] for word in words)


def latex_numbers(paper: str, numbers: Mapping[str, str]) -> str:
    r"""Return a file of LaTeX that has a `\newcommand` for every number of a paper.

    Args:
        paper: the name of its folder.
        numbers: {name: as it is printed} (`source.read_variables`).

    Raises:
        RenderError: two numbers would have the same macro.
    """
    lines = [
        f"% Numbers of the paper {paper}, made by evenflow from its data. Write \\input{{{paper}}}",
        "% in the preamble, and a macro where its number is to be printed; its name is behind it.",
    ]
    taken: dict[str, str] = {}
    for name, value in numbers.items():
        macro = macro_name(paper, name)
        if macro in taken:
            raise RenderError(
                f"{paper}: {taken[macro]} and {name} are both \\{macro} in LaTeX; rename one"
            )
        taken[macro] = name
        lines.append(f"\\newcommand{{\\{macro}}}{{{latex_number(value)}}}% {name}")
    return "\n".join([*lines, ""])


def _plain(words: str) -> str:
    return "".join(SIGNS.get(sign, sign) for sign in words)
