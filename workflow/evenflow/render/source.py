"""Read a report's index.qmd and replace its shortcodes.

Quarto replaces ``{{< var >}}`` and ``{{< include >}}`` itself, but prints a mark such as
``?var:name`` for a name that it does not know and goes on, and does not promise shortcodes inside
attribute values such as ``fig-alt``. So they are replaced here, before either renderer sees the
text: both get the same characters, and a wrong name stops the run. Conditional blocks are decided
here too, from the variables: text that is not shown need not resolve.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import yaml

from ..charts.describe import read_description
from ..errors import did_you_mean
from ..files import yaml_of
from .errors import RenderError
from .findings import Lost, bind_findings
from .named import CONDITION, SHORTCODE

EXECUTABLE_CELL = re.compile(r"^\s*(`{3,}|~{3,})\s*\{\s*(?![.#=])(?P<language>[A-Za-z]\w*)")
MARKED_KEYS = ("abstract", "title")  # of the header, where they are blocks
CONCLUSION = re.compile(r"^#+\s.*\b[Cc]onclusions?\b")
FENCE = re.compile(r"^\s*(```|~~~)")
# where a span would not be one, or would be lost: headings, fences, code, mathematics, link targets
# and attributes
NO_SPAN = re.compile(r"^\s*(#|:{3,}).*$|`[^`]*`|\$[^$]+\$|\]\([^)]*\)|\{[^}]*\}")
BEHIND_CITATION = re.compile(r"@[\w:-]+\s*$")  # [brackets] there would be its locator
LABELLED_FIGURE = re.compile(r"\]\((?P<file>[^)\s]+)\)\{#(?P<label>fig-[\w-]+)")
ALTERNATIVE = re.compile(r'fig-alt="[^"]*')
LABELLED_BLOCK = re.compile(r":{3,}\s*\{#(?P<label>tbl-[\w-]+)")


@dataclass(frozen=True)
class Source:
    """The text of a report with its shortcodes replaced and its findings bound.

    ``origin[i]`` is the (file, line number) that line ``i`` of ``text`` came from; ``lost`` are the
    findings that the claims do not support.
    """

    path: Path
    text: str
    origin: list[tuple[Path, int]]
    lost: tuple[Lost, ...] = ()

    def locate(self, token: str) -> str:
        """Say where ``token`` first stands as a whole word, as ``file:line``; else the file."""
        whole = re.compile(rf"(?<![\w-]){re.escape(token)}(?![\w-])")
        for line, (path, number) in zip(self.text.split("\n"), self.origin, strict=True):
            if whole.search(line):
                return f"{path}:{number}"
        return str(self.path)


def read_source(
    report_dir: Path,
    traced: Collection[str] = (),
    claims: Mapping[str, pl.DataFrame] | None = None,
) -> Source:
    """Read ``report_dir/index.qmd``, with includes, conditional blocks and variables replaced.

    Values of variables in ``traced`` become spans ``[value]{.evidence of="name"}`` where they stand
    in running text, captions or tables: not in the YAML header, headings, code, mathematics and
    attributes.

    Findings are bound to ``claims`` (`findings.read_claims`), but in code; None leaves them as they
    are.

    To the alternative text of a figure is added what it says of its data itself (`describe`).

    Raises RenderError naming file and line for a missing include, an unknown variable, a condition
    that is neither yes nor no or is never closed, a finding of nothing, any other shortcode and an
    executable cell; all problems of the file are reported at once.
    """
    qmd = report_dir / "index.qmd"
    if not qmd.is_file():
        raise RenderError(f"{qmd}: not found; a report directory needs an index.qmd")
    variables = read_variables(report_dir / "_variables.yml")
    problems: list[str] = []
    lines, origin = [], []
    shown = _shown_lines(qmd, variables, problems)
    lost: list[Lost] = []
    within = key = ""  # the header or code, which hold no running text; the key of the header
    for path, number, line in _lines_with_includes(shown, report_dir, problems):
        where = f"{path}:{number}"
        fence = FENCE.match(line) if within != "header" else line.strip() == "---"
        if fence:
            within = "" if within else "code"
        elif path == qmd and number == 1 and line.strip() == "---":
            within = "header"
        if cell := EXECUTABLE_CELL.match(line):
            problems.append(
                f"{where}: executable cell {{{cell['language']}}}; reports hold no code, "
                "move the computation to a rule and include its output"
            )
        # a block of the header (abstract: |) is markdown; other values may be quoted, and are not
        in_block = within == "header" and key in MARKED_KEYS and line.startswith(" ")
        marked = traced if in_block or not (within or fence) else ()
        line = _replace_variables(line, variables, where, problems, marked)
        if within != "header":
            key = ""
        elif line[:1].strip():
            key = line.partition(":")[0]
        if claims is not None and within != "code":
            line = bind_findings(line, claims, where, problems, lost, key)
        lines.append(_describe_figure(line, report_dir))
        origin.append((path, number))
    if problems:
        raise RenderError(problems)
    return Source(qmd, "\n".join(lines), origin, tuple(lost))


def _describe_figure(line: str, report_dir: Path) -> str:
    """Add what the data of a figure say to its alternative text."""
    figure, alt = LABELLED_FIGURE.search(line), ALTERNATIVE.search(line)
    if not figure or not alt or not (words := read_description(report_dir / figure["file"])):
        return line
    return f"{line[: alt.end()]} {words}{line[alt.end() :]}"


def pieces_and_variables(report_dir: Path) -> tuple[dict[str, str], dict[str, str]]:
    """Return what a report shows that has a source: {label: file} and {variable: its text}.

    Figures and included tables with a label, in the order of the text; variables of the text, of
    included files and of captions, not of conditions.
    """
    variables = read_variables(report_dir / "_variables.yml")
    labels: dict[str, str] = {}
    named: set[str] = set()
    block = ""
    for _, _, line in _shown_lines(report_dir / "index.qmd", variables, []):
        if figure := LABELLED_FIGURE.search(line):
            labels[figure["label"]] = figure["file"]
        if begin := LABELLED_BLOCK.match(line):
            block = begin["label"]
        for shortcode in SHORTCODE.finditer(line):
            if shortcode["name"] == "var":
                named.add(shortcode["argument"])
            elif shortcode["name"] == "include" and block:
                labels[block], block = shortcode["argument"], ""
    return labels, {name: variables[name] for name in sorted(named & variables.keys())}


def main_variables(report_dir: Path) -> list[str]:
    """Return the variables of the abstract and of the conclusions, in the order of the text."""
    variables = read_variables(report_dir / "_variables.yml")
    found: dict[str, None] = {}
    in_header = in_conclusion = False
    for _, number, line in _shown_lines(report_dir / "index.qmd", variables, []):
        if line.strip() == "---":
            in_header = number == 1
        elif line.startswith("#"):
            in_conclusion = bool(CONCLUSION.match(line))
        if in_header or in_conclusion:
            names = (f["argument"] for f in SHORTCODE.finditer(line) if f["name"] == "var")
            found |= dict.fromkeys(name for name in names if name in variables)
    return list(found)


def read_variables(path: Path) -> dict[str, str]:
    """Read ``_variables.yml`` as a flat mapping from dotted name to the text to print.

    Values must be strings or integers: a float such as 0.40 would be printed as 0.4. Returns an
    empty mapping when there is no such file.
    """
    if not path.is_file():
        return {}
    try:
        tree = yaml_of(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise RenderError(f"{path}: not valid YAML; {error}") from error
    if not isinstance(tree, dict):
        raise RenderError(f"{path}: must be a mapping from names to values")
    flat: dict[str, str] = {}
    problems: list[str] = []
    _flatten(tree, "", flat, path, problems)
    if problems:
        raise RenderError(problems)
    return flat


def _flatten(tree: dict, prefix: str, flat: dict, path: Path, problems: list[str]) -> None:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            _flatten(value, f"{name}.", flat, path, problems)
        elif isinstance(value, bool) or not isinstance(value, (str, int)):
            problems.append(
                f"{path}: {name} is of type {type(value).__name__}; write it as a quoted string "
                "with the digits to print"
            )
        elif "\n" in str(value).strip():
            problems.append(f"{path}: {name} has several lines; use an include for blocks of text")
        else:
            flat[name] = str(value).strip()


def _shown_lines(qmd: Path, variables: dict[str, str], problems: list[str]):
    """Yield (file, line number, line) of what is shown, without the fences of conditional blocks.

    A block begins with ``::::: {.content-visible when-meta="name"}`` (or ``unless-meta``) and ends
    at a line of as many colons, at least four; ``name`` is a variable that is yes or no.
    In a block that is not shown variables may be missing, those of other conditions too.
    """
    opened: list[tuple[str, bool, str]] = []  # fence, shown, where
    for number, line in enumerate(qmd.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{qmd}:{number}"
        if begin := CONDITION.fullmatch(line):
            hidden = not all(shown for _, shown, _ in opened)
            value = variables.get(begin["name"])
            if value not in ("yes", "no") and not hidden:
                known = (name for name, text in variables.items() if text in ("yes", "no"))
                problems.append(
                    f"{where}: the condition {begin['name']!r} is not a variable that is 'yes' or "
                    f"'no' in _variables.yml ({did_you_mean(begin['name'], known)})"
                )
            opened.append((begin["fence"], (value == "yes") == (begin["word"] == "when"), where))
        elif opened and line.strip() == opened[-1][0]:
            opened.pop()
        elif all(shown for _, shown, _ in opened):
            yield qmd, number, line
    for fence, _, where in opened:
        problems.append(f"{where}: this conditional block is never closed; add a line '{fence}'")


def _lines_with_includes(lines, report_dir: Path, problems: list[str]):
    """Yield (file, line number, line), with included files in the place of their shortcodes."""
    for qmd, number, line in lines:
        shortcode = SHORTCODE.fullmatch(line.strip())
        if shortcode is None or shortcode["name"] != "include":
            yield qmd, number, line
            continue
        included = report_dir / shortcode["argument"]
        if not included.is_file():
            problems.append(
                f"{qmd}:{number}: include {shortcode['argument']} not found in {report_dir}; "
                "correct the path or add the file to the inputs of the rule"
            )
            continue
        included_lines = included.read_text(encoding="utf-8").splitlines()
        for included_number, included_line in enumerate(included_lines, start=1):
            yield included, included_number, included_line


def _replace_variables(
    line: str,
    variables: dict[str, str],
    where: str,
    problems: list[str],
    traced: Collection[str] = (),
) -> str:
    blank = SHORTCODE.sub(lambda shortcode: "v" * len(shortcode[0]), line)
    unmarked = [found.span() for found in NO_SPAN.finditer(blank)]

    def markable(shortcode: re.Match, text: str) -> bool:
        start = shortcode.start()
        return (
            shortcode["argument"] in traced
            and text != ""
            and not set(text) & set("[]")
            and not any(first <= start < last for first, last in unmarked)
            and not BEHIND_CITATION.search(line[:start])
        )

    def value(shortcode: re.Match) -> str:
        name, argument = shortcode["name"], shortcode["argument"]
        if name == "include":
            problems.append(
                f"{where}: an include must stand on a line of its own in index.qmd, "
                "and an included file may not include another"
            )
        elif name != "var":
            problems.append(
                f"{where}: shortcode {name!r} is not one that reports may use (var, include)"
            )
        elif argument not in variables:
            problems.append(
                f"{where}: unknown variable {argument!r}; add it to _variables.yml or correct the "
                f"name ({did_you_mean(argument, variables)})"
            )
        else:
            text = variables[argument]
            marked = f'[{text}]{{.evidence of="{argument}"}}'
            return marked if markable(shortcode, text) else text
        return shortcode[0]

    if "{{{<" in line:
        problems.append(f"{where}: escaped shortcodes ({{{{{{< >}}}}}}) are not supported")
        return line
    return SHORTCODE.sub(value, line)
