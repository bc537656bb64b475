"""The subset of markdown that reports may use: what both renderers and both formats show alike.

Each function yields what is wrong with an element of one kind, with where it is and the remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from .crossref import WORDS, labelled_equations
from .pandoc import elements, text_of
from .source import Source

STRAY_LABEL = re.compile(rf"^\{{#({'|'.join(WORDS)})-[\w-]+\}}$")
NOT_HERE = "is not in the subset that reports may use"


def check_structure(document: dict, source: Source, problems: list[str]) -> None:
    """Append to ``problems`` what one of the two renderers or of the two formats would lose."""
    every = list(elements(document["blocks"], *CHECKS))
    problems += _first_heading([e for e in every if e["t"] == "Header"], source)
    for kind, check in CHECKS.items():
        for element in every:
            if element["t"] == kind and check:
                problems += check(element, source)


def _first_heading(headers: list[dict], source: Source) -> Iterator[str]:
    if headers and headers[0]["c"][0] != 1:
        title = text_of(headers[0]["c"][2])
        yield (
            f"{source.path}: the first heading, {title!r}, must be of level 1 ('# {title}'); "
            "the numbers of the sections start there"
        )


def _figure(figure: dict, source: Source) -> Iterator[str]:
    if not figure["c"][0][0].startswith("fig-"):
        caption = text_of(figure["c"][1])
        yield (
            f"{source.path}: the figure with the caption {caption[:60]!r} has no label; "
            "add {#fig-name}"
        )


def _image(image: dict, source: Source) -> Iterator[str]:
    (_, _, pairs), _, (target, _) = image["c"]
    where = source.locate(target)
    if not dict(pairs).get("fig-alt"):
        yield f"{where}: image {target} has no fig-alt; describe it there"
    if "://" in target:
        yield f"{where}: image {target} is on the network; put it into files"
    elif not (source.path.parent / target).is_file():
        yield (
            f"{where}: image {target} not found in {source.path.parent}; "
            "correct the path or add the figure to the inputs of the rule"
        )


def _table(table: dict, source: Source) -> Iterator[str]:
    caption = text_of(table["c"][1])
    if caption and not table["c"][0][0].startswith("tbl-"):
        yield (
            f"{source.path}: the table with the caption {caption[:60]!r} has no label; "
            "write ': caption {#tbl-name}'"
        )


def _div(box: dict, source: Source) -> Iterator[str]:
    identifier, classes, pairs = box["c"][0]
    what = f"block '::: {{{' '.join(['.' + name for name in classes])}}}'"
    for name in classes:
        # a fold is for generated pages, which Quarto never renders
        fold = name == "fold" and source.path.suffix == ".qmd"
        if fold or name.startswith(("content-", "panel-", "column-")):
            yield f"{source.path}: {what} {NOT_HERE}"
    callout = any(name.startswith("callout-") for name in classes)
    allowed = {"title"} if callout or "fold" in classes else {"layout-ncol"}
    for key, _ in pairs:
        if key not in allowed:
            place = source.locate(f"#{identifier}") if identifier else f"{source.path}: {what}"
            yield f"{place}: attribute {key!r} {NOT_HERE}"
    if identifier.startswith(("fig-", "tbl-")):
        yield from _float(identifier, box["c"][1], source)


def _float(identifier: str, blocks: list[dict], source: Source) -> Iterator[str]:
    kinds = [block["t"] for block in blocks]
    said = f"{source.locate(f'#{identifier}')}: {identifier}"
    if len(kinds) < 2 or kinds[-1] != "Para":
        yield f"{said} has no caption; its last paragraph must be one"
    elif identifier.startswith("tbl-") and kinds != ["Table", "Para"]:
        yield f"{said} must hold one table and its caption"
    elif identifier.startswith("fig-") and {*kinds[:-1]} != {"Figure"}:
        yield f"{said} must hold labelled figures and a caption, with an empty line between any two"


def _raw(raw: dict, source: Source) -> Iterator[str]:
    format_, text = raw["c"]
    if not text.lstrip().startswith("<!--"):
        yield (
            f"{source.path}: raw {format_} {text.strip()[:60]!r} would be lost in one of the "
            "two formats; write it as markdown"
        )


def _note(note: dict, source: Source) -> Iterator[str]:
    for paragraph in elements(note["c"], "Para", "Plain"):
        for label, _ in labelled_equations(paragraph["c"]):
            yield (
                f"{source.locate('#' + label)}: {label} is in a footnote, where its number would "
                "depend on the renderer; move the equation to the text"
            )


def _paragraph(paragraph: dict, source: Source) -> Iterator[str]:
    used = {f"{{#{label}}}" for label, _ in labelled_equations(paragraph["c"])}
    for word in (inline["c"] for inline in paragraph["c"] if inline["t"] == "Str"):
        # one that is escaped, as what an error says on a notice, is words
        if STRAY_LABEL.match(word) and word not in used and word in source.text:
            yield (
                f"{source.locate(word[1:-1])}: label {word} is attached to nothing; put it behind "
                "a caption, an equation or a heading"
            )


# kinds of pandoc's elements, in the order in which problems are listed
CHECKS: dict[str, Callable[[dict, Source], Iterator[str]] | None] = {
    "Header": None,  # of the first one alone
    "Figure": _figure,
    "Image": _image,
    "Table": _table,
    "Div": _div,
    "RawBlock": _raw,
    "RawInline": _raw,
    "Note": _note,
    "Para": _paragraph,
    "Plain": _paragraph,
}
