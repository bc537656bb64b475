"""What files were made from, as the receipts of the jobs that made them say."""

from __future__ import annotations

from collections.abc import Iterable

from ..places import CONFIGS, TOLERANCES, said
from ..runs.receipts import made_by

CODE = ("workflow/", *CONFIGS, TOLERANCES)  # and the modules of a paper's folder


def is_code(path: str) -> bool:
    """Say whether an input of a job is code or configuration, not data."""
    return said(path).startswith(CODE) or path.endswith(".py")


def trace(paths: Iterable[str]) -> dict[str, dict]:
    """Return {path: {rule, inputs, code}} of the files and of all that they were made from."""
    records, made = made_by(), {}
    ahead = list(paths)
    while ahead:
        path = ahead.pop()
        if path in made or path not in records:
            continue
        inputs = sorted(records[path].inputs)
        made[path] = {
            "rule": records[path].rule,
            "inputs": [name for name in inputs if not is_code(name)],
            "code": sorted(said(name) for name in inputs if is_code(name)),
        }
        ahead += made[path]["inputs"]
    return dict(sorted(made.items()))
