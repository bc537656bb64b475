"""Run pandoc, and a few words for building its document tree in Python.

The tree is pandoc's JSON: every element is ``{"t": type, "c": contents}``; an attribute is
``[identifier, [class, ...], [[key, value], ...]]``. Source: the type Text.Pandoc.Definition of
pandoc-types 1.23.
"""

import functools
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from .errors import RenderError

# Quarto reads a .qmd with these extensions of pandoc's own markdown, all of them defaults.
READER = "markdown"
LEAVES = ("Str", "Space", "SoftBreak", "LineBreak")  # most of a tree; nothing is in them
TABLE_LABEL = re.compile(r"^\{#(tbl-[\w-]+)\}$")


@functools.cache
def pandoc_command() -> tuple[str, ...]:
    """The pandoc to run: that of the Python package, else one on the PATH, else Quarto's own."""
    package = importlib.util.find_spec("pypandoc")
    if package is not None and package.origin is not None:
        bundled = Path(package.origin).parent / "files" / "pandoc"
        if bundled.is_file():
            return (str(bundled),)
    if on_path := shutil.which("pandoc"):
        return (on_path,)
    if quarto := shutil.which("quarto"):
        return (quarto, "pandoc")
    raise RenderError("pandoc not found; install the Python package pypandoc_binary, or Quarto")


def run_pandoc(arguments: list[str], text: str, cwd: Path | None = None) -> str:
    """Run pandoc on ``text``; returns its output. Its warnings are errors too.

    Raises RenderError with pandoc's own message.
    """
    command = [*pandoc_command(), "--fail-if-warnings", *arguments]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, encoding="utf-8", cwd=cwd, check=False
    )
    if done.returncode != 0:
        raise RenderError(f"pandoc: {done.stderr.strip()}")
    return done.stdout


@functools.cache
def pandoc_version() -> str:
    """The version of the pandoc that is run, such as '3.9'."""
    return run_pandoc(["--version"], "").split()[1]


def parse_markdown(text: str) -> dict:
    """Parse markdown to pandoc's document tree."""
    document = json.loads(run_pandoc(["--from", READER, "--to", "json"], text))
    for table in elements(document["blocks"], "Table"):
        _take_label_from_caption(table)
    return document


def _take_label_from_caption(table: dict) -> None:
    """Make an attribute of a caption's ``{#tbl-x}``, as pandoc 3.9 does; older ones leave it."""
    for block in table["c"][1][1][-1:]:
        inlines = block["c"]
        label = TABLE_LABEL.match(inlines[-1]["c"]) if inlines[-1]["t"] == "Str" else None
        if label:
            table["c"][0][0] = label[1]
            del inlines[-1]
            while inlines and inlines[-1]["t"] in ("Space", "SoftBreak"):
                del inlines[-1]


def bibliography_keys(bib: Path) -> set[str]:
    """The citation keys of a .bib file."""
    if not bib.is_file():
        raise RenderError(f"{bib}: bibliography not found; correct the key 'bibliography'")
    try:
        references = run_pandoc(
            ["--from", "biblatex", "--to", "csljson"], bib.read_text(encoding="utf-8")
        )
    except RenderError as error:
        raise RenderError(f"{bib}: {error}") from error
    return {reference["id"] for reference in json.loads(references)}


def walk(node, visit: Callable[[dict], list | None]):
    """Rebuild a tree with ``visit`` called on every element, from the outside in.

    ``visit`` returns None to keep the element and go on inside it, or the list of elements that
    take its place (which are not visited again).
    """
    if isinstance(node, list):
        rebuilt: list = []
        for item in node:
            replacement = visit(item) if _is_element(item) else None
            if replacement is None:
                rebuilt.append(item if _is_leaf(item) else walk(item, visit))
            else:
                rebuilt.extend(replacement)
        return rebuilt
    if isinstance(node, dict):
        return {k: v if _is_leaf(v) else walk(v, visit) for k, v in node.items()}
    return node


def elements(node, *types: str) -> Iterable[dict]:
    """Yield the elements of these types, not of LEAVES, in document order, outer ones first."""
    ahead = [node]  # a stack: a recursive generator would hand each element up through all levels
    while ahead:
        node = ahead.pop()
        if isinstance(node, dict):
            if node.get("t") in types:
                yield node
            node = list(node.values())
        ahead += [item for item in reversed(node) if not _is_leaf(item)]


def _is_leaf(item) -> bool:
    if isinstance(item, dict):
        return item.get("t") in LEAVES
    return not isinstance(item, list)


def _is_element(item) -> bool:
    return isinstance(item, dict) and "t" in item


def text_of(node, code_mark: str = "") -> str:
    """The plain text of inlines or blocks, without footnotes and citations.

    `code_mark` stands before and after each piece of code.
    """
    if isinstance(node, list):
        return "".join(text_of(item, code_mark) for item in node)
    if not isinstance(node, dict):
        return ""
    kind, contents = node.get("t"), node.get("c", [])
    if kind == "Str":
        return contents
    if kind in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if kind == "Code":
        return f"{code_mark}{contents[1]}{code_mark}"
    if kind == "Math":
        return contents[1]
    if kind == "Quoted":
        opening, closing = "“”" if contents[0]["t"] == "DoubleQuote" else "‘’"
        return f"{opening}{text_of(contents[1], code_mark)}{closing}"
    if kind in ("Note", "Cite"):
        return ""
    return text_of(contents, code_mark)


def strings(text: str) -> list[dict]:
    """Inlines for a text without markup; its spaces may break, its no-break spaces not."""
    inlines: list[dict] = []
    for word in text.split(" "):
        inlines += [{"t": "Str", "c": word}] if word else []
        inlines.append({"t": "Space"})
    return inlines[:-1]


def attribute(identifier: str = "", classes: Iterable[str] = (), **pairs: str) -> list:
    return [identifier, list(classes), [[key, value] for key, value in pairs.items()]]


def div(attributes: list, blocks: list) -> dict:
    return {"t": "Div", "c": [attributes, blocks]}


def plain(inlines: list) -> dict:
    return {"t": "Plain", "c": inlines}


def raw_block(format_: str, text: str) -> dict:
    return {"t": "RawBlock", "c": [format_, text]}


def raw_inline(format_: str, text: str) -> dict:
    return {"t": "RawInline", "c": [format_, text]}
