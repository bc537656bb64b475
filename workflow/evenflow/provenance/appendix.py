"""The appendix on provenance: in short what the pages' records say, for paper and for printing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from ..markdown import NOTHING, code, escape_markdown, markdown_table
from ..places import folders
from ..render.evidence import anchor
from ..schema import read_yaml

SOURCES = Path(__file__).with_suffix(".yml")
HEAD = """# Provenance {{#sec-provenance .unnumbered}}

What was computed from what, as recorded by the workflow while it ran. In the HTML version every
number with a dotted underline, and the word 'source' after every caption, opens the same record
with the rows, the runs, and for each log a command that prints the lines. Lines are counted from 1
in the decompressed file.
"""


def appendix(record: Mapping) -> str:
    """Return the section on provenance as markdown.

    Args:
        record: of the report: pieces, numbers, made, rules, data.
    """
    blocks = [HEAD.format()]
    blocks += [_block("tbl-provenance-data", _data(record), "The raw data.")]
    if record["pieces"]:
        words = "What each figure and table was made from, of how many runs, and the function"
        where = f"of `{folders().reports}/{record['paper']}` that made it"
        blocks += [_block("tbl-provenance-pieces", _pieces(record), f"{words} {where}.")]
    if record["printed"]:
        words = "The numbers of the abstract and the conclusions, and what each is computed from."
        blocks += [_block("tbl-provenance-numbers", _numbers(record), words)]
    return "\n".join(blocks)


def _block(label: str, table: str, caption: str) -> str:
    return f"::: {{#{label}}}\n\n{table}\n\n{caption}\n:::\n"


def _data(record: Mapping) -> str:
    rows = [
        [
            code(name),
            f"{data['runs']:,}",
            f"{data['files']:,}",
            f"{data['lines']:,}",
            f"`{data['sha256'][:16]}`",
        ]
        for name, data in record["data"].items()
    ]
    header = ["Data set", "Runs", "Raw files", "Lines used", "SHA-256 of the files' digests"]
    return markdown_table(header, rows, numeric_from=1)


def _pieces(record: Mapping) -> str:
    rows, words = [], read_yaml(SOURCES)[0]
    for label, piece in record["pieces"].items():
        inputs = record["made"].get(piece["file"], {}).get("inputs", [])
        runs = sum(len(record["runs"].get(d, [])) for of in piece["runs"] for d in of["dataset"])
        script, function, _ = record["functions"].get(piece["file"], ("", "", 0))
        rows.append(
            [
                f"[@{label}]{{#{anchor(label)}}}",
                _in_words(inputs, words) or "formulas",
                f"`{function}` in `{PurePath(script).name}`" if function else NOTHING,
                f"{runs:,}" if runs else NOTHING,
            ]
        )
    return markdown_table(["", "Made from", "Function", "Runs"], rows, numeric_from=3)


def _numbers(record: Mapping) -> str:
    rows = [
        [f"[{number['text']}]{{#{anchor(name)}}}", _as_markdown(number["sentence"])]
        for name, number in ((name, record["numbers"][name]) for name in record["printed"])
    ]
    return markdown_table(["Number", "Where it is from"], rows, numeric_from=2)


def _as_markdown(sentence: str) -> str:
    """Return a sentence, which may name data sets and runs, as markdown; its quotes are curly."""
    return re.sub(r"\\(['\"])", r"\1", escape_markdown(sentence))


def _in_words(paths: Iterable[str], words: Mapping[str, str]) -> str:
    """Return what tables and files hold, in the words of appendix.yml: 'claims, printed values'."""
    names = [PurePath(path).stem for path in paths]
    return ", ".join(dict.fromkeys(words.get(name, f"`{name}`") for name in names))
