"""Trace what the pieces of a report were made from, in the records of the jobs that ran."""

import json

from evenflow.files import write_text
from evenflow.places import said
from evenflow.runs.receipts import made_by
from evenflow.scripting import reporting_errors

CODE = ("workflow/", "config/", "config.yaml")  # and the modules of a paper's folder
STATE = ".snakemake/"  # of the raw files, which are listed by themselves


def is_code(path: str) -> bool:
    """Say whether an input of a job is code or configuration, not data."""
    return said(path).startswith(CODE) or path.endswith(".py")


def trace(paths: list[str]) -> dict[str, dict]:
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
            "inputs": [name for name in inputs if not (is_code(name) or name.startswith(STATE))],
            "code": sorted(said(name) for name in inputs if is_code(name)),
        }
        ahead += made[path]["inputs"]
    return dict(sorted(made.items()))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        lineage = trace(list(snakemake.input.pieces))
        write_text(snakemake.output[0], json.dumps(lineage, indent=1))
