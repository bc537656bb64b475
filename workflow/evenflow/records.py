"""What the outputs of each job were like when it ended, so that a later change can be seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from .files import write_text

# a file a job: {"inputs": [path], "outputs": {path: [size, time of change in ns, SHA-256]}}
RECORDS = Path(".snakemake/made")


def keep_record(inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """Keep what a job was made from, and what its outputs are like."""
    made = {path: [*state_of(path), digest_of(path)] for path in outputs if Path(path).is_file()}
    if made:
        _write(_record_of(outputs), {"inputs": list(inputs), "outputs": made})


def forget(outputs: Iterable[str]) -> None:
    """Remove the record of a job."""
    if outputs:
        _record_of(outputs).unlink(missing_ok=True)


def outdated() -> dict[str, str]:
    """Return {output that must be made again: why}: changed since, or made of what is gone.

    Snakemake sees neither: it does not miss a file where what was made of it is there. It gives
    outputs a new time when their job has ended: what has another time is compared by its
    content, and the time is kept. A damaged record says nothing of its outputs. A job that has got
    another output may have left a record under its old name: the newest record of an output counts.
    """
    paths = sorted(RECORDS.glob("*.json"), key=lambda path: (path.stat().st_mtime_ns, path))
    records = {path: _read(path) for path in paths}
    newest = {name: path for path, record in records.items() for name in record["outputs"]}
    for path, record in records.items():
        mine = {k: v for k, v in record["outputs"].items() if newest[k] == path}
        records[path] = record | {"outputs": mine}
    why, gone = {}, set()
    for path, record in records.items():
        newer = {}
        for name, (*state, digest) in record["outputs"].items():
            if not Path(name).is_file():
                gone.add(name)
            elif state_of(name) != state and digest_of(name) == digest:
                newer[name] = [*state_of(name), digest]
            elif state_of(name) != state:
                why[name] = "was changed after it was made"
        if newer:
            _write(path, record | {"outputs": record["outputs"] | newer})
    for record in records.values():
        lost = sorted(gone.intersection(record["inputs"]))
        for name in record["outputs"] if lost else ():
            why.setdefault(name, f"was made of {lost[0]}, which is gone")
    return {name: reason for name, reason in why.items() if name not in gone}


def state_of(path: str | Path) -> list[int]:
    """Return size and time of change (in ns) of a file."""
    stat = Path(path).stat()
    return [stat.st_size, stat.st_mtime_ns]


def digest_of(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _record_of(outputs: Iterable[str]) -> Path:
    """Name the record of a job after the first of its outputs."""
    name = hashlib.sha256(min(map(str, outputs)).encode()).hexdigest()
    return RECORDS / f"{name}.json"


def _read(path: Path) -> dict:
    with suppress(ValueError, KeyError, TypeError):
        record = json.loads(path.read_text(encoding="utf-8"))
        return {"inputs": list(record["inputs"]), "outputs": dict(record["outputs"])}
    return {"inputs": [], "outputs": {}}


def _write(path: Path, record: dict) -> None:
    write_text(path, json.dumps(record))
