"""Small changes to the text of a module, each of which a test should notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

SWAPPED = {  # operators
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
METHODS = {"min": "max", "first": "last", "any": "all", "sum": "mean", "floor": "ceil"}
METHODS |= {"is_null": "is_not_null", "median": "mean", "head": "tail", "n_unique": "len"}
METHODS |= {other: name for name, other in METHODS.items()}
WORDS = {"left": "inner", "inner": "left", "semi": "anti", "anti": "semi", "full": "left"}
WORDS |= {"both": "left", "right": "left", "forward": "backward", "backward": "forward"}
SAID = {"how", "closed", "strategy", "keep"}  # keywords whose words are swapped
# calls without which a chain still works
LEFT_OUT = {"filter", "sort", "fill_null", "fill_nan", "drop_nulls", "drop_nans", "unique", "abs"}
LEFT_OUT |= {"over", "clip", "round", "head", "strip", "lower", "with_columns", "shift"}
PASSED_OVER = {"maintain_order", "alias"}  # keywords and calls that change no value


class Change(NamedTuple):
    """One change: the text from `start` to `end` (bytes) becomes `new`."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str
    function: str  # dotted, '' at the top of the module

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}:{self.line} ({self.function or 'module'}): {old} -> {new}"

    def applied(self, text: str) -> str:
        """Return a module's text with the change."""
        data = text.encode()
        return (data[: self.start] + self.new.encode() + data[self.end :]).decode()


def changes_of(path: str, text: str) -> list[Change]:
    """List all small changes to a module, in the order of its text.

    Annotations, decorators, docstrings and words (but those of SAID) stay.
    """
    offsets = [0]
    for line in text.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    found = []
    for node, function in _nodes(ast.parse(text), ()):
        start = offsets[node.lineno - 1] + node.col_offset
        end = offsets[node.end_lineno - 1] + node.end_col_offset
        old = text.encode()[start:end].decode()
        for new in _others(node):
            found.append(Change(path, node.lineno, start, end, old, new, ".".join(function)))
    return sorted(found, key=lambda change: (change.start, change.end, change.new))


def _nodes(node: ast.AST, function: tuple[str, ...]) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Yield the parts of a module that are run, each with the function that it is in."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        function = (*function, node.name)
        children = [*node.body]
        if isinstance(node, ast.FunctionDef):
            children += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    elif isinstance(node, ast.AnnAssign):
        children = [node.value] if node.value else []
    elif isinstance(node, ast.JoinedStr) or is_for_types(node):  # words; imports that nothing runs
        children = []
    else:
        children = [*ast.iter_child_nodes(node)]
        if isinstance(node, ast.Call):
            children = [c for c in children if getattr(c, "arg", None) not in PASSED_OVER]
    if hasattr(node, "lineno"):
        yield node, function
    for child in children:
        yield from _nodes(child, function)


def is_for_types(node: ast.AST) -> bool:
    """Return whether it is `if TYPE_CHECKING:`."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def _of_words(node: ast.BinOp) -> bool:
    """Return whether it joins words or paths: with another operator any call would fail."""
    words = [n for n in (node.left, node.right) if isinstance(getattr(n, "value", None), str)]
    paths = isinstance(node.left, ast.Name) and node.left.id in ("folder", "root", "path")
    return paths or bool(words) or isinstance(node.right, ast.JoinedStr)


def _others(node: ast.AST) -> Iterator[str]:
    """Yield the texts that a part of a module may become."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        swapped = [SWAPPED[type(node.ops[0])](), *node.ops[1:]]
        yield f"({ast.unparse(ast.Compare(node.left, swapped, node.comparators))})"
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPPED and not _of_words(node):
        yield f"({ast.unparse(ast.BinOp(node.left, SWAPPED[type(node.op)](), node.right))})"
    elif isinstance(node, ast.BoolOp):
        yield f"({ast.unparse(ast.BoolOp(SWAPPED[type(node.op)](), node.values))})"
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield f"({ast.unparse(node.operand)})"  # not, ~ and - left out
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield str(not node.value)
        elif isinstance(node.value, (int, float)):
            yield repr(node.value + 1)
    elif isinstance(node, ast.keyword) and node.arg in SAID:
        word = getattr(node.value, "value", None)
        if word in WORDS:
            yield f'{node.arg}="{WORDS[word]}"'
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        of, name = node.func.value, node.func.attr
        if name in METHODS:
            yield ast.unparse(ast.Call(ast.Attribute(of, METHODS[name]), node.args, node.keywords))
        if name in LEFT_OUT and not isinstance(of, ast.Constant):
            yield f"({ast.unparse(of)})"
