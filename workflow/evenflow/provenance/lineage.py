"""What files were made from, as the receipts of the jobs that made them say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from ..places import CONFIGS, TOLERANCES, said
from ..runs.receipts import made_by

CODE = ("workflow/", *CONFIGS, TOLERANCES)  # and the modules of a paper's folder


def trace(
    paths: Iterable[str], inputs_of: Mapping[str, Sequence[str]] | None = None
) -> dict[str, dict]:
    """Return {path: {rule, inputs, code}} of the files and of all that they were made from.

    Args:
        paths: of the files.
        inputs_of: {path: what it was made from}, where a file was made from less than its job read,
            or from what the job made itself.

    Returns:
        code: those of the job's inputs that are code or configuration, not data.
    """
    known = inputs_of or {}
    records, made = made_by(), {}
    name_of = cache(said)  # the same hundred modules are inputs of every job

    def is_code(path: str) -> bool:
        return path.endswith(".py") or name_of(path).startswith(CODE)

    ahead = list(paths)
    while ahead:
        path = ahead.pop()
        if path in made or path not in records:
            continue
        inputs = sorted(records[path].inputs)
        made[path] = {
            "rule": records[path].rule,
            "inputs": list(known.get(path, [name for name in inputs if not is_code(name)])),
            "code": sorted(name_of(name) for name in inputs if is_code(name)),
        }
        ahead += made[path]["inputs"]
    return dict(sorted(made.items()))
