"""Trace what the pieces of a report were made from, in Snakemake's own records of what ran."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path

from evenflow.files import write_text
from evenflow.scripting import reporting_errors

RECORDS = Path(".snakemake/metadata")
NAME_CHARACTERS = 254  # a longer name is split into folders, as snakemake.persistence.file does
CODE = ("workflow/", "config/")  # and the modules of a paper's folder
STATE = ".snakemake/"  # of the raw files, which are listed by themselves


def read_record(path: str) -> dict:
    """Return Snakemake's record of the job that made a file; empty where no job did."""
    name = urlsafe_b64encode(path.encode()).decode()
    parts = [name[i : i + NAME_CHARACTERS] for i in range(0, len(name), NAME_CHARACTERS)]
    record = RECORDS.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])
    return json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}


def is_code(path: str) -> bool:
    """Say whether an input of a job is code or configuration, not data."""
    return path.startswith(CODE) or path.endswith(".py")


def trace(paths: list[str]) -> dict[str, dict]:
    """Return {path: {rule, inputs, code}} of the files and of all that they were made from."""
    made: dict[str, dict] = {}
    ahead = list(paths)
    while ahead:
        path = ahead.pop()
        record = read_record(path)
        if path in made or not record:
            continue
        inputs = record["input"]
        made[path] = {
            "rule": record["rule"],
            "inputs": [name for name in inputs if not (is_code(name) or name.startswith(STATE))],
            "code": [name for name in inputs if is_code(name)],
        }
        ahead += made[path]["inputs"]
    return dict(sorted(made.items()))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        lineage = trace(list(snakemake.input.pieces))
        write_text(snakemake.output[0], json.dumps(lineage, indent=1))
