"""Number what a report can refer to, and turn references into links with those numbers.

The numbering and the words are Quarto's (its Lua filters crossref/refs.lua, format.lua and
sections.lua were read for this): one counter each for figures, tables and equations that carry a
label, hierarchical numbers for sections, letters for the parts of a figure; "Figure 1",
"Figure 1 (a)", "Table 1", "Equation 1", "Section 1.1", joined by ", ".
"""

import re
import string
from dataclasses import dataclass

from ..markdown import NO_BREAK_SPACE
from .pandoc import attribute, elements, strings, walk
from .source import Source

WORDS = {"fig": "Figure", "tbl": "Table", "eq": "Equation", "sec": "Section"}
EQUATION_LABEL = re.compile(r"^\{#(eq-[\w-]+)\}$")
REFERENCE = re.compile(rf"^({'|'.join(WORDS)})-.+")
NO_ENTRY = "citation @{key} has no entry in the bibliography; add one or correct the key"
NUMBERED = ("Figure", "Table", "Div", "Header", "Para", "Plain")


@dataclass(frozen=True)
class Target:
    """A thing with a number: its kind (a key of WORDS), number as printed, and letter if a part."""

    kind: str
    number: str
    letter: str = ""

    @property
    def number_text(self) -> str:
        return f"{self.number} ({self.letter})" if self.letter else self.number

    @property
    def name(self) -> str:
        return f"{WORDS[self.kind]}{NO_BREAK_SPACE}{self.number_text}"


def number_targets(document: dict, source: Source, problems: list[str]) -> dict[str, Target]:
    """Number every labelled figure, part of a figure, table, equation and section.

    Returns a mapping from label to Target. Appends to ``problems`` labels defined twice.
    """
    targets: dict[str, Target] = {}
    counts = dict.fromkeys(("fig", "tbl", "eq"), 0)
    section = [0] * 6
    seen_parts: set[int] = set()

    def add(label: str, target: Target) -> None:
        if label in targets:
            problems.append(f"{source.locate('#' + label)}: label {label!r} is defined twice")
        targets[label] = target

    def add_counted(label: str) -> None:
        kind = label.split("-")[0]
        counts[kind] += 1
        add(label, Target(kind, str(counts[kind])))

    for element in elements(document["blocks"], *NUMBERED):
        contents = element["c"]
        if element["t"] == "Header":
            level, (label, classes, _) = contents[0], contents[1]
            if "unnumbered" not in classes:
                section[level - 1] += 1
                section[level:] = [0] * (6 - level)
            if label.startswith("sec-"):
                number = ".".join(str(part) for part in section[:level])
                add(label, Target("sec", number))
        elif element["t"] in ("Para", "Plain"):
            for label, _ in labelled_equations(contents):
                add_counted(label)
        elif is_float(element) and id(element) not in seen_parts:
            label = contents[0][0]
            add_counted(label)
            for letter, part in zip(string.ascii_lowercase, parts(element), strict=False):
                add(part["c"][0][0], Target("fig", targets[label].number, letter))
                seen_parts.add(id(part))
    return targets


def is_float(element: dict) -> bool:
    """Whether this is a figure or table with a label to refer to it by."""
    return element["t"] in ("Figure", "Table", "Div") and element["c"][0][0].startswith(
        ("fig-", "tbl-")
    )


def parts(element: dict) -> list[dict]:
    """The labelled figures inside a figure ``::: {#fig-x layout-ncol=2}``."""
    if element["t"] != "Div" or not element["c"][0][0].startswith("fig-"):
        return []
    return [figure for figure in elements(element["c"][1], "Figure") if figure["c"][0][0]]


def labelled_equations(inlines: list[dict]) -> list[tuple[str, int]]:
    """The (label, index of the Math) of ``$$ ... $$ {#eq-x}`` among the inlines of a paragraph."""
    found = []
    for index, inline in enumerate(inlines):
        label = EQUATION_LABEL.match(inline["c"]) if inline["t"] == "Str" else None
        before = [i for i in range(index) if inlines[i]["t"] not in ("Space", "SoftBreak")]
        if label and before and is_display_math(inlines[before[-1]]):
            found.append((label[1], before[-1]))
    return found


def is_display_math(inline: dict) -> bool:
    return inline["t"] == "Math" and inline["c"][0]["t"] == "DisplayMath"


def resolve_references(
    document: dict,
    targets: dict[str, Target],
    citation_keys: set[str],
    source: Source,
    problems: list[str],
) -> dict:
    """Replace ``@fig-x`` and its like by links, and check that every citation has its entry.

    Appends to ``problems`` what does not resolve, with file and line.
    """

    def visit(element: dict) -> list | None:
        if element["t"] != "Cite":
            return None
        citations = element["c"][0]
        keys = [citation["citationId"] for citation in citations]
        references = [key for key in keys if REFERENCE.match(key)]
        for key in keys:
            where = source.locate("@" + key)
            if key in references and key not in targets:
                problems.append(
                    f"{where}: @{key} refers to nothing; correct the name, or put the label "
                    f"{{#{key}}} at the {WORDS[key.split('-')[0]].lower()} that is meant"
                )
            elif key not in references and key not in citation_keys:
                problems.append(f"{where}: {NO_ENTRY.format(key=key)}")
        if not references:
            return None
        if len(references) < len(keys):
            problems.append(
                f"{source.locate('@' + references[0])}: one pair of brackets holds both citations "
                "and cross-references; use one pair for each"
            )
        if any(citation["citationSuffix"] for citation in citations):
            problems.append(
                f"{source.locate('@' + references[0])}: text after the label of a cross-reference "
                "in brackets would be lost; write it outside the brackets"
            )
        return _links([citation for citation in citations if citation["citationId"] in targets])

    def _links(citations: list[dict]) -> list[dict]:
        inlines: list[dict] = []
        for citation in citations:
            target = targets[citation["citationId"]]
            if citation["citationPrefix"]:
                number = strings(target.number_text)
                words = [*citation["citationPrefix"], *strings(NO_BREAK_SPACE), *number]
            elif citation["citationMode"]["t"] == "SuppressAuthor":
                words = strings(target.number_text)
            else:
                words = strings(target.name)
            inlines += [*strings(","), {"t": "Space"}] if inlines else []
            link = attribute(classes=["quarto-xref"])
            inlines.append({"t": "Link", "c": [link, words, [f"#{citation['citationId']}", ""]]})
        return inlines

    for cite in elements(document["meta"], "Cite"):
        for key in (citation["citationId"] for citation in cite["c"][0]):
            where = source.locate("@" + key)
            if REFERENCE.match(key):
                problems.append(
                    f"{where}: @{key} is in the metadata, where cross-references do not "
                    "work; refer to it in the text"
                )
            elif key not in citation_keys:
                problems.append(f"{where}: {NO_ENTRY.format(key=key)}")
    return {**document, "blocks": walk(document["blocks"], visit)}
