"""Lines of dataset.yml that settle a doubt or an assumption, and the whole file with some of them.

Each can be ticked; the page's script merges the ticked ones into what dataset.yml says now: two
remedies of one key, pasted one after the other, would be refused. Keys that no remedy touches keep
their text, comments included.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ...files import own_file, yaml_of
from ...places import folders
from ...render.element import Html, element, folded, together
from .merging import merged_yaml, without_comments
from .subject import many

MAX_LINES = 700  # of YAML on the page, where `page_rows` is not at hand
FEW_LINES = 4  # that are shown without unfolding


@dataclass
class Offers:
    """The remedies that the page offers, in the order in which it shows them.

    dataset: the name of the folder; text: of its dataset.yml; most: lines of a block on the page;
    merges: whether the page has a script, and a section with the whole file.
    """

    dataset: str
    text: str = ""
    most: int = MAX_LINES
    merges: bool = True
    lines: list[str] = field(default_factory=list)
    changing: list[str] = field(default_factory=list)  # of these, what gives other numbers
    apart: set[str] = field(default_factory=set)  # and what is to be ticked by itself only

    def shown(
        self, snippet: str, title: str = "", changes: bool = False, apart: bool = False
    ) -> Html:
        """Return lines of dataset.yml to tick or copy; comments are to be filled in first.

        Args:
            snippet: the lines.
            title: what they are folded under.
            changes: whether they give other numbers: then what was assumed counts before them
                where all that is offered is put together.
            apart: whether they take something away, so that they are not put together with others.
        """
        if not snippet.strip():
            return Html("")
        if changes:
            self.changing.append(snippet)
        if apart:
            self.apart.add(snippet)
        block = self.block(snippet)
        if not _active(snippet) or not self.merges:
            return folded(
                title or ("the lines" if _active(snippet) else "the line to fill in"),
                block,
                class_="in",
            )
        number = self._number(snippet)
        tick = element(
            "label",
            element("input", type="checkbox", data_remedy=number),
            " into ",
            element("a", "dataset.yml", href="#settle"),
            class_="tick",
        )
        few = snippet.count("\n") < FEW_LINES
        if title or not few:
            words = title or f"{many(snippet.count(chr(10)) + 1, 'line')} for dataset.yml"
            return folded(words, block, tick, class_="in")
        return together(block, tick)

    def block(self, snippet: str) -> Html:
        """Return lines of YAML with a button that copies them; of very many the first."""
        lines = snippet.splitlines()
        kept = "\n".join(lines[: self.most])
        more = len(lines) - self.most
        note = f"The first {self.most:,} of {len(lines):,} lines." if more > 0 else ""
        return together(copied(kept), element("p", note, class_="note") if note else "")

    def _number(self, snippet: str) -> int:
        if snippet not in self.lines:
            self.lines.append(snippet)
        return self.lines.index(snippet)

    def data(self) -> dict:
        """Return what the script merges: dataset.yml by its keys, and the offered values."""
        offered = [yaml_of(without_comments(lines)) or {} for lines in self.lines]
        return {"file": blocks(self.text), "offers": offered}

    def section(self, missing: Html) -> Html:
        """Return the part of the page with the whole file."""
        together_with = [lines for lines in self.lines if lines not in self.apart]
        every = merged_yaml(sorted(together_with, key=self.changing.__contains__))
        path = element("code", f"{folders().raw}/{self.dataset}/dataset.yml")
        now = "as it is now, with the lines that are ticked on this page"
        if not self.text:
            now = "which does not exist yet, with the lines that are ticked on this page"
        return element(
            "section",
            element("h2", "dataset.yml"),
            element("p", path, f", {now}. To settle them, save this file and run make."),
            element("div", copied(self.text), id="merged", class_="scripted"),
            folded("All proposed lines, merged", self.block(every)) if every else "",
            missing,
            id="settle",
        )


def copied(code: str) -> Html:
    """Return code with a button that copies it."""
    button = element("button", "Copy", type="button", class_="copy scripted")
    text = element("pre", element("code", code), tabindex=0)
    return element("div", text, button, class_="paste")


def text_of(folder: Path) -> str:
    """Return the text of a folder's dataset.yml, empty where there is none."""
    there = own_file(folder, "dataset.yml")
    return there.read_text(encoding="utf-8") if there else ""


def blocks(text: str) -> list[list]:
    """Return dataset.yml as its parts: [key, its value, its lines]; the key of comments is null."""
    node = yaml.compose(text, Loader=yaml.SafeLoader) if text.strip() else None
    if not isinstance(node, yaml.MappingNode):
        return [[None, None, text]] if text.strip() else []
    if node.flow_style:  # the whole in braces: it has no lines of its own
        return [[key, value, ""] for key, value in yaml.safe_load(text).items()]
    values = yaml.safe_load(text)
    starts = [key.start_mark.index for key, _ in node.value]
    before = text[: starts[0]] if starts else ""
    found = [[None, None, before.removesuffix("\n")]] if before.strip() else []
    ends = [*starts[1:], len(text)]
    for (key, _), start, end in zip(node.value, starts, ends, strict=True):
        found.append([key.value, values.get(key.value), text[start:end].removesuffix("\n")])
    return found


def _active(snippet: str) -> bool:
    return bool(without_comments(snippet).strip())


def as_json(value: object) -> Html:
    """Return a value as JSON that may stand in a script element."""
    text = json.dumps(value, separators=(",", ":"), default=str)
    return Html(text.replace("<", r"\u003c"))
