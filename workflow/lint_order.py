"""Find where the order of rows is left to chance, which threads decide: `make lint`; --mend mends.

Polars returns groups and distinct values in any order unless it is told to keep that of the rows.
A mean over them differs in its last digits from run to run, and so does every list of them. So
`group_by`, `unique` and `mode` say `maintain_order=True` (measured on 2 million rows: no slower),
unless what they return is sorted at once, or is the right side of a join, or a set.
`value_counts` cannot say so and is sorted, `sort=True` or not: that leaves ties in any order.
A LazyFrame is worse: joins lose their order, and sums of numbers with a fraction differ however the
groups are ordered. Filter and select there, and `collect()` before anything is joined or summed.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("workflow/**/*.py", "reports/*/*.py", "experiments/**/*.py")
KEEP = "maintain_order=True"
CAN_KEEP = {"group_by", "unique", "mode"}
ANY_ORDER = CAN_KEEP | {"value_counts"}
# what follows in the chain, or is called with it, and does not care
SORTS = {"sort", "n_unique"}
TAKES_ANY = {"sorted", "set", "frozenset", "len"}
OTHER_LIBRARIES = {"np", "numpy"}


def left_to_chance(text: str) -> Iterator[ast.Call]:
    """Yield the calls of a module's text whose rows may come in any order."""
    tree = ast.parse(text)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        of = node.func.value
        other = isinstance(of, ast.Name) and of.id in OTHER_LIBRARIES
        if node.func.attr in ANY_ORDER and not (other or keeps(node) or is_sorted(node, above)):
            yield node


def keeps(call: ast.Call) -> bool:
    """Return whether a call says that it keeps the order."""
    return any(ast.unparse(word) == KEEP for word in call.keywords)


def is_sorted(node: ast.expr, above: dict[ast.AST, ast.AST]) -> bool:
    """Return whether the order of what an expression returns is lost, or set, right after it."""
    outer = above.get(node)
    if isinstance(outer, ast.Attribute):
        return outer.attr in SORTS or is_sorted(outer, above)
    if isinstance(outer, ast.Subscript) and outer.value is node:
        return is_sorted(outer, above)
    if isinstance(outer, ast.Call) and outer.func is node:
        return is_sorted(outer, above)
    if isinstance(outer, ast.Call) and outer.args[:1] == [node]:
        how = next((ast.unparse(w.value) for w in outer.keywords if w.arg == "how"), "")
        joins = isinstance(outer.func, ast.Attribute) and outer.func.attr == "join"
        return ast.unparse(outer.func) in TAKES_ANY or (joins and how not in ("'full'", "'right'"))
    return False


def mended(text: str) -> str:
    """Return the text of a module in which those calls that can keep the order do."""
    lines = text.encode().splitlines(keepends=True)  # ast counts bytes
    calls = [call for call in left_to_chance(text) if call.func.attr in CAN_KEEP]
    for call in sorted(calls, key=lambda c: (c.end_lineno, c.end_col_offset), reverse=True):
        line, end = lines[call.end_lineno - 1], call.end_col_offset - 1
        before = b"".join(lines[: call.end_lineno - 1]) + line[:end]
        comma = b"" if before.rstrip().endswith((b"(", b",")) else b", "
        lines[call.end_lineno - 1] = line[:end] + comma + KEEP.encode() + line[end:]
    return b"".join(lines).decode()


def main(root: Path, words: list[str]) -> int:
    """Say each place, with its remedy, and return whether there is any."""
    found = 0
    for path in sorted({path for place in PLACES for path in root.glob(place)}):
        text = path.read_text(encoding="utf-8")
        if "--mend" in words and mended(text) != text:
            path.write_text(text := mended(text), encoding="utf-8")
        for call in left_to_chance(text):
            name, where = call.func.attr, path.relative_to(root)
            remedy = f"add {KEEP}" if name in CAN_KEEP else "sort what it returns, by all columns"
            print(f"{where}:{call.end_lineno}: {name} leaves the order of rows to chance: {remedy}")
            found += 1
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(ROOT, sys.argv[1:]))
