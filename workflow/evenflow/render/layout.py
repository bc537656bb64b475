"""Write figures, tables, equations and callouts for HTML or for typst, with their numbers.

``number_captions`` is the same for both formats; ``for_html`` and ``for_typst`` then replace what
pandoc's writers have no element for. Quarto's own HTML and PDF print the same words in the same
order (floatreftarget.lua, equations.lua and callout.lua were read for this).
"""

from html import escape

from ..markdown import GAP, length, line_length
from .crossref import Target, is_float, labelled_equations
from .pandoc import (
    attribute,
    div,
    parse_markdown,
    plain,
    raw_block,
    raw_inline,
    strings,
    text_of,
    walk,
)

CALLOUTS = {
    "callout-note": "Note",
    "callout-tip": "Tip",
    "callout-warning": "Warning",
    "callout-caution": "Caution",
    "callout-important": "Important",
}
# At the foot of a page a figure leaves a table that goes on over pages in one piece.
FIGURES_OF_APPENDIX = "#show figure.where(kind: image): set figure(placement: bottom)"


def number_captions(document: dict, targets: dict[str, Target]) -> dict:
    """Put "Figure 1: " and its like before captions, and take alternative texts from fig-alt.

    Block figures ``::: {#fig-x layout-ncol=2}`` become a Figure that holds a grid; block tables
    ``::: {#tbl-x}`` become a Table with its caption.
    """

    def visit(element: dict) -> list | None:
        if element["t"] == "Image":
            return [_with_alternative_text(element)]
        if element["t"] == "Table":
            return [_with_headings(element)]
        if element["t"] == "Div" and is_float(element):
            identifier, blocks = element["c"][0][0], element["c"][1]
            caption = [blocks[-1] | {"t": "Plain"}]
            if identifier.startswith("tbl-"):
                table = list(blocks[0]["c"])
                table[0] = attribute(identifier)
                table[1] = [None, caption]
                return walk([{"t": "Table", "c": table}], visit)
            columns = dict(element["c"][0][2]).get("layout-ncol", "1")
            grid = div(attribute(classes=["panel-grid"], columns=columns), blocks[:-1])
            figure = {
                "t": "Figure",
                "c": [attribute(identifier, ["panel"]), [None, caption], [grid]],
            }
            return walk([figure], visit)
        if element["t"] == "Div" and dict(element["c"][0][2]).get("layout-ncol"):
            columns = dict(element["c"][0][2])["layout-ncol"]
            grid = div(attribute(classes=["panel-grid"], columns=columns), element["c"][1])
            return walk([grid], visit)
        return None

    def prefix(element: dict) -> list | None:
        if element["t"] not in ("Figure", "Table"):
            return None
        contents = list(element["c"])
        label = contents[0][0]
        if label in targets:
            target = targets[label]
            words = f"({target.letter})" if target.letter else f"{target.name}:"
            contents[1] = [None, [plain([*strings(words), {"t": "Space"}, *_inlines(contents[1])])]]
        return [{**element, "c": walk(contents, prefix)}]

    return {**document, "blocks": walk(walk(document["blocks"], visit), prefix)}


def _with_headings(table: dict) -> dict:
    """Return a table whose rows with a first cell alone go over its whole width.

    They are headings of the rows below them; markdown's pipe tables have no other way to say so.
    """
    contents = list(table["c"])
    contents[4] = [
        [attributes, n_heads, head, [_one_cell(row) for row in rows]]
        for attributes, n_heads, head, rows in contents[4]
    ]
    return {"t": "Table", "c": contents}


def _one_cell(row: list) -> list:
    attributes, cells = row
    first, *others = cells
    emphasised = len(first[-1]) == 1 and [i["t"] for i in first[-1][0]["c"]] == ["Emph"]
    alone = bool(first[-1]) and not any(cell[-1] for cell in others)
    if not others or not alone or (len(others) == 1 and not emphasised):
        return row
    wide = [first[0], {"t": "AlignLeft"}, first[2], len(cells), first[-1]]
    return [attributes, [wide]]


def _inlines(caption: list) -> list[dict]:
    return [inline for block in caption[1] for inline in block["c"]]


def _with_alternative_text(image: dict) -> dict:
    (identifier, classes, pairs), caption, target = image["c"]
    alt = dict(pairs).get("fig-alt", "")
    pairs = [[key, value] for key, value in pairs if key != "fig-alt"]
    return {"t": "Image", "c": [[identifier, classes, [*pairs, ["alt", alt]]], caption, target]}


def for_html(document: dict, targets: dict[str, Target]) -> dict:
    """Replace tables, grids, callouts and labelled equations by what HTML needs."""

    def visit(element: dict) -> list | None:
        if element["t"] == "Table":
            return _table_html(element)
        if element["t"] == "Div":
            (identifier, classes, pairs), blocks = element["c"]
            if kind := _callout_kind(classes):
                title = div(attribute(classes=["callout-title"]), [plain(_callout_title(element))])
                body = [title, *walk(_callout_body(element), visit)]
                return [div(attribute(identifier, ["callout", kind]), body)]
            if "fold" in classes:
                summary = escape(dict(pairs).get("title", "More"), quote=False)
                opening = raw_block("html", f"<details><summary>{summary}</summary>")
                return [opening, *walk(blocks, visit), raw_block("html", "</details>")]
            if "panel-grid" in classes:
                style = f"--columns: {int(dict(pairs)['columns'])}"
                return [div(attribute(classes=["panel-grid"], style=style), walk(blocks, visit))]
        if element["t"] in ("Para", "Plain"):
            return [{**element, "c": walk(_equations_html(element["c"]), visit)}]
        return None

    def _equations_html(inlines: list[dict]) -> list[dict]:
        for label, index in labelled_equations(inlines):
            kind, tex = inlines[index]["c"]
            # Quarto prints the number so too where the mathematics is MathML.
            tex = rf"{tex.rstrip()} \qquad({targets[label].number})"
            math = {"t": "Math", "c": [kind, tex]}
            span = {"t": "Span", "c": [attribute(label, ["equation"]), [math]]}
            inlines = [*inlines[:index], span, *_after_label(inlines, index, label)]
        return inlines

    return {**document, "blocks": walk(document["blocks"], visit)}


def for_typst(document: dict, targets: dict[str, Target]) -> dict:
    """Replace grids, callouts and labelled equations by what typst needs."""

    def visit(element: dict) -> list | None:
        if element["t"] == "Div":
            (identifier, classes, pairs), blocks = element["c"]
            if identifier == "refs":
                return [element, raw_block("typst", FIGURES_OF_APPENDIX)]
            if kind := _callout_kind(classes):
                return [
                    raw_block("typst", f'#callout("{kind.removeprefix("callout-")}", ['),
                    plain(_callout_title(element)),
                    raw_block("typst", "], ["),
                    *walk(_callout_body(element), visit),
                    raw_block("typst", "])"),
                ]
            if "panel-grid" in classes:
                columns = int(dict(pairs)["columns"])
                cells = [raw_block("typst", f"#grid(columns: (1fr,) * {columns}, gutter: 1em, [")]
                for block in walk(blocks, visit):
                    cells += [block, raw_block("typst", "], [")]
                return [*cells[:-1], raw_block("typst", "])")]
        if element["t"] == "Table" and _fits_page(element):
            return [_with_free_widths(element)]
        if element["t"] in ("Para", "Plain"):
            return [{**element, "c": walk(_equations_typst(element["c"]), visit)}]
        return None

    def _equations_typst(inlines: list[dict]) -> list[dict]:
        for label, index in labelled_equations(inlines):
            opening = f'#math.equation(block: true, numbering: _ => "({targets[label].number})", ['
            numbered = [
                raw_inline("typst", opening),
                inlines[index],
                raw_inline("typst", f"])<{label}>"),
            ]
            inlines = [*inlines[:index], *numbered, *_after_label(inlines, index, label)]
        return inlines

    return {**document, "blocks": walk(document["blocks"], visit)}


def _after_label(inlines: list[dict], index: int, label: str) -> list[dict]:
    """The inlines behind the ``{#label}`` that follows the equation at ``index``."""
    for position in range(index, len(inlines)):
        if inlines[position] == {"t": "Str", "c": f"{{#{label}}}"}:
            return inlines[position + 1 :]
    raise ValueError(f"no label {label} behind inline {index}")


def _fits_page(table: dict) -> bool:
    """Whether the longest cells of all columns stand side by side on a line of a page."""
    _, _, _, (_, head), bodies, (_, foot) = table["c"]
    rows = [*head, *(row for _, _, *parts in bodies for part in parts for row in part), *foot]
    whole = max(len(row) for _, row in rows)  # headings of rows are of one cell
    cells = [
        [length(text_of(cell[-1], "`")) for cell in row] for _, row in rows if len(row) == whole
    ]
    widths = [max(column) + GAP for column in zip(*cells, strict=False)]
    return sum(widths) <= line_length(len(widths))


def _with_free_widths(table: dict) -> dict:
    """A table whose columns are as wide as they need, not as pandoc read from the source."""
    columns = [[align, {"t": "ColWidthDefault"}] for align, _ in table["c"][2]]
    return {"t": "Table", "c": [*table["c"][:2], columns, *table["c"][3:]]}


def _table_html(table: dict) -> list[dict]:
    """A table in a figure, caption first."""
    attributes, caption, *rest = _with_free_widths(table)["c"]
    identifier, classes, pairs = attributes
    bare = {"t": "Table", "c": [["", classes, pairs], [None, []], *rest]}
    anchor = f' id="{identifier}"' if identifier else ""
    blocks = [raw_block("html", f'<figure{anchor} class="table">')]
    if caption[1]:
        blocks.append(raw_block("html", "<figcaption>"))
        blocks += caption[1]
        blocks.append(raw_block("html", "</figcaption>"))
    return [*blocks, bare, raw_block("html", "</figure>")]


def _callout_kind(classes: list[str]) -> str:
    return next((name for name in classes if name in CALLOUTS), "")


def _callout_title(callout: dict) -> list[dict]:
    """Its title attribute, else the heading that it starts with, else the name of its kind."""
    (_, classes, pairs), blocks = callout["c"]
    if title := dict(pairs).get("title"):
        return parse_markdown(title)["blocks"][0]["c"]
    if blocks and blocks[0]["t"] == "Header":
        return blocks[0]["c"][2]
    return strings(CALLOUTS[_callout_kind(classes)])


def _callout_body(callout: dict) -> list[dict]:
    blocks = callout["c"][1]
    titled = dict(callout["c"][0][2]).get("title")
    return blocks[1:] if blocks and blocks[0]["t"] == "Header" and not titled else blocks
