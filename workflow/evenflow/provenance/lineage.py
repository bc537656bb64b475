"""What files were made from, as the receipts of the jobs that made them say."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from ..places import CONFIGS, TOLERANCES, said
from ..runs.receipts import made_by

CODE = ("workflow/", *CONFIGS, TOLERANCES)  # and the modules of a paper's folder


def trace(paths: Iterable[str]) -> dict[str, dict]:
    """Return {path: {rule, inputs, code}} of the files and of all that they were made from.

    code: those of the inputs that are code or configuration, not data.
    """
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
            "inputs": [name for name in inputs if not is_code(name)],
            "code": sorted(name_of(name) for name in inputs if is_code(name)),
        }
        ahead += made[path]["inputs"]
    return dict(sorted(made.items()))
