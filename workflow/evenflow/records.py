"""What each job made of what, and what its outputs were like when it ended.

So a later change can be seen, and what a report was made from be traced.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .files import write_text

RECORDS = Path(".snakemake/made")  # a file a job


class Record(NamedTuple):
    """What is kept of a job that ended well."""

    rule: str
    inputs: list[str]
    outputs: dict[str, list]  # path: [size, time of change in ns, SHA-256]


def keep_record(rule: str, inputs: Iterable[str], outputs: Iterable[str]) -> None:
    """Keep the rule of a job, what it was made from, and what its outputs are like."""
    made = {path: [*state_of(path), digest_of(path)] for path in outputs if Path(path).is_file()}
    if made:
        _write(_record_of(outputs), Record(rule, list(inputs), made))


def made_by() -> dict[str, Record]:
    """Return {output: the record of the job that made it}."""
    return {path: record for record in _records().values() for path in record.outputs}


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
    records = _records()
    why, gone = {}, set()
    for path, record in records.items():
        newer = {}
        for name, (*state, digest) in record.outputs.items():
            if not Path(name).is_file():
                gone.add(name)
            elif state_of(name) != state and digest_of(name) == digest:
                newer[name] = [*state_of(name), digest]
            elif state_of(name) != state:
                why[name] = "was changed after it was made"
        if newer:
            _write(path, record._replace(outputs=record.outputs | newer))
    for record in records.values():
        lost = sorted(gone.intersection(record.inputs))
        for name in record.outputs if lost else ():
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


def _records() -> dict[Path, Record]:
    """Return the records by their files; what two jobs made, as rules change, is the later's."""
    written = {path: path.stat().st_mtime_ns for path in RECORDS.glob("*.json")}
    found, taken = {}, set()
    for path in sorted(written, key=lambda path: (-written[path], path)):
        record = _read(path)
        own = {name: state for name, state in record.outputs.items() if name not in taken}
        found[path] = record._replace(outputs=own)
        taken |= own.keys()
    return dict(sorted(found.items()))


def _read(path: Path) -> Record:
    with suppress(ValueError, KeyError, TypeError):
        record = json.loads(path.read_text(encoding="utf-8"))
        return Record(str(record["rule"]), list(record["inputs"]), dict(record["outputs"]))
    return Record("", [], {})


def _write(path: Path, record: Record) -> None:
    write_text(path, json.dumps(record._asdict()))
