"""Find words and turns in our prose that readers stumble over: `make lint`.

workflow/prose.yml lists them, each with what to write instead. Read are the texts (.md, .qmd) that
people write, without code, quotations and the addresses of links, and what the code says: the
strings in it, without docstrings. Text between the comments `<!-- verbatim -->` and
`<!-- /verbatim -->` is somebody else's and is passed over.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PLACES = (
    "*.md",
    "config/*.md",
    "docs/**/*.md",
    "experiments/*/*.md",
    "reports/*/README.md",
    "reports/*/index.qmd",
    "workflow/template/*.qmd",
    "workflow/study/**/*.md",
)
CODE = ("workflow/**/*.py", "workflow/**/*.smk", "workflow/Snakefile")
LEAST_WORDS = 3  # of a string: shorter ones are names of things
LEFT_OUT = {"history-of-numbers.md"}  # history: it says what was said
NO_PROSE = re.compile(
    r"""<!--\s*verbatim\s*-->.*?(?:<!--\s*/verbatim\s*-->|\Z)
    | <!--.*?-->
    | ^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$
    | (?<=\n\n)(?:(?:[ ]{4}|\t)[^\n]*\n+)+     # an indented block
    | ^[ ]{0,3}>[^\n]*                          # a quoted block
    | `[^`]+`
    | \{\{<.*?>\}\}                               # a shortcode
    | (?<=\])\{\.finding[^{}\n]*\}               # what a sentence is bound to
    | (?<=\]\()[^)\s]+                          # where a link leads
    | “[^”]*” | ‘[^’]*’ | (?<![\w=])'[^'\n]+'(?!\w) | (?<![\w=])"[^"\n]+"(?!\w)
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def pages(root: Path) -> list[Path]:
    """Return the texts to read, sorted."""
    found = {path for place in PLACES for path in root.glob(place)}
    return sorted(path for path in found if path.name not in LEFT_OUT)


def code(root: Path) -> list[Path]:
    """Return the files of code whose messages are read, sorted."""
    return sorted({path for place in CODE for path in root.glob(place)})


def messages(text: str) -> list[tuple[int, str]]:
    """Return the strings of several words in a file of code, each with its first line.

    A Snakefile's rules are no Python: there a string is what is between quotes in one line.
    """
    try:
        found = list(_strings(ast.parse(text)))
    except SyntaxError:
        lines = enumerate(text.split("\n"), 1)
        found = [(n, string) for n, line in lines for string in re.findall(r'"([^"]*)"', line)]
    return [(line, said) for line, said in found if len(said.split()) >= LEAST_WORDS]


def _strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the strings below a node; X takes the place of a value, its format is left out."""
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr):
            parts = (v.value if isinstance(v, ast.Constant) else "X" for v in child.values)
            yield child.lineno, "".join(map(str, parts))
            for part in child.values:
                if isinstance(part, ast.FormattedValue):
                    yield from _strings(part)
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value
        elif not (child is first and _is_docstring(child)):
            yield from _strings(child)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def prose(text: str) -> str:
    """Return a text of the same lines and lengths in which what is no prose is blank."""
    return NO_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def read_turns(path: Path) -> list[tuple[re.Pattern, str]]:
    """Return what to find, and what to write instead."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        (re.compile(entry["find"].replace(" ", r"\s+"), re.IGNORECASE), entry["say"])
        for entry in entries
    ]


def stumbles(text: str, turns: list[tuple[re.Pattern, str]]) -> list[tuple[int, str, str]]:
    """Return line, what is there and what to write instead, in the order of the text."""
    text = prose(text)
    found = [
        (match.start(), " ".join(match[0].split()), say)
        for pattern, say in turns
        for match in pattern.finditer(text)
    ]
    return [(text.count("\n", 0, at) + 1, there, say) for at, there, say in sorted(found)]


def main() -> int:
    """Print what is found, a line each; return 1 if anything is."""
    turns = read_turns(ROOT / "workflow/prose.yml")
    lines = [
        f"{path.relative_to(ROOT)}:{line}: '{there}': {say}"
        for path in pages(ROOT)
        for line, there, say in stumbles(path.read_text(encoding="utf-8"), turns)
    ]
    lines += [
        f"{path.relative_to(ROOT)}:{line}: '{there}': {say}"
        for path in code(ROOT)
        for line, said in messages(path.read_text(encoding="utf-8"))
        for _, there, say in stumbles(said, turns)
    ]
    print("\n".join(lines) or "The prose has none of the turns in workflow/prose.yml.")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
