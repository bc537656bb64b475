"""A receipt a job: what it read, and what it made, as they were.

A receipt is written when its job has ended well. What was read has the state that it had *before*
the job read it, so what changed meanwhile shows in the next run; *not there* is a state too.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .journal import end_journal
from .places import PLACE, is_inside, is_of_study, roots, write_whole

MADE, READ = PLACE / "made", PLACE / "read"
LARGE_BYTES = 16 * 2**20  # a table or page that is read and larger is known by its size and time
NO_FILE = "no file"
CHANGED = "changed while it was read"

# [bytes, time of change in ns, SHA-256, or None of a large table; inode, its time of change in ns,
# which nobody can set]; not there. An older version kept no inode.
Read = list | None
Made = list  # [bytes, time of change in ns, inode, SHA-256]
# digests of what is known of raw files (`raw_state`): paths, sizes and times; inodes; contents
Raw = list[str]


class Receipt(NamedTuple):
    """What is kept of a job that ended well.

    Attributes:
        rule: its name.
        inputs: what its rule says that it reads, by path.
        seen: what else it read, by path.
        raw: states of the raw files that it read, by data set or chunk of one; of what else is no
            file the first digest alone, the others are ''.
        outputs: by path.
        logs: by path.
        good: False for a notice in the place of a page.
    """

    rule: str
    inputs: dict[str, Read]
    outputs: dict[str, Made]
    seen: dict[str, Read] = {}  # noqa: RUF012
    raw: dict[str, Raw] = {}  # noqa: RUF012
    logs: dict[str, Made] = {}  # noqa: RUF012
    good: bool = True


_seen: dict[str, Read] = {}
_raw: dict[str, Raw] = {}


def digest_of(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb", buffering=0) as handle:  # noqa: PTH123, for many small files
        return hashlib.file_digest(handle, "sha256").hexdigest()


def read_state(path: str | Path) -> Read:
    """Return the state of what is going to be read: size, time, content, and inode.

    A large table has no digest: it was made, and its own receipt has one.
    """
    try:
        about = os.stat(path)  # noqa: PTH116
        if not stat.S_ISREG(about.st_mode):
            return [about.st_size, about.st_mtime_ns, NO_FILE]
        is_large = about.st_size > LARGE_BYTES and str(path).startswith(
            tuple(f"{top}/" for top in roots())
        )
        digest = None if is_large else digest_of(path)
    except (OSError, ValueError):
        return None
    return [about.st_size, about.st_mtime_ns, digest, about.st_ino, about.st_ctime_ns]


def made_state(path: str | Path) -> Made:
    """Return the state of a file that was made."""
    about = os.lstat(path)
    return [about.st_size, about.st_mtime_ns, about.st_ino, digest_of(path)]


def saw(path: str | Path, there: bool) -> bool:
    """Keep what a file is like that this job is going to read, or misses, though no rule says so.

    Args:
        path: of the file.
        there: whether it is, as the job has found it: it may be away for a moment.

    Returns:
        `there`.
    """
    name = str(path)
    if PLACE.is_dir() and is_inside(name):
        state = read_state(name) if there else None
        # read twice, and not the same both times: never the same again
        before = _seen.get(name, state)
        same = (before and before[:3]) == (state and state[:3])
        _seen[name] = before if same else [-1, 0, None]
    return there


def saw_raw(name: str, state: str, inodes: str = "", contents: str = "") -> None:
    """Keep of which state of raw files this job's outputs are, as digests."""
    _raw[name] = [state, inodes, contents]


def read_states(paths: Iterable[str]) -> dict[str, Read]:
    """Return the states of what a job is going to read."""
    return {path: read_state(path) for path in map(str, paths)}


def keep_receipt(
    rule: str,
    inputs: Mapping[str, Read],
    outputs: Iterable[str],
    logs: Iterable[str] = (),
    good: bool = True,
) -> None:
    """Write the receipt of a job that has ended, and end its journal."""
    made, written = _made_states(outputs), _made_states(logs)
    if made:
        write_receipt(Receipt(rule, dict(inputs), made, dict(_seen), dict(_raw), written, good))
    for log in written:
        receipt_path([log]).unlink(missing_ok=True)
    _seen.clear()
    _raw.clear()
    end_journal()


def keep_log(rule: str, log: str) -> None:
    """Write a receipt of the log of a job that failed, in a project that keeps receipts."""
    if PLACE.is_dir():
        write_receipt(Receipt(rule, {}, {}, logs=_made_states([log])))


def distrust(paths: Iterable[str]) -> None:
    """Have the next run look at the content of damaged files, whatever their size and time."""
    for place, (receipt, _) in read_receipts().items():
        damaged = receipt.outputs.keys() & set(paths)
        if damaged:
            said = json.loads(Path(place).read_bytes())
            for path in damaged:
                said["outputs"][path][1:3] = 0, 0
            write_whole(Path(place), json.dumps(said))


def _made_states(paths: Iterable[str]) -> dict[str, Made]:
    return {path: made_state(path) for path in map(str, paths) if is_plain(path)}


def is_plain(path: str) -> bool:
    """Say whether a file is there, and no link to one."""
    with suppress(OSError):
        return stat.S_ISREG(os.lstat(path).st_mode)
    return False


def receipt_path(outputs: Iterable[str]) -> Path:
    """Name the receipt of a job after the first of its outputs."""
    name = min(map(str, outputs)).encode("utf-8", "surrogateescape")
    return MADE / f"{hashlib.sha256(name).hexdigest()[:32]}.json"


def write_receipt(receipt: Receipt) -> None:
    """Write a receipt; what its job read of code and settings into a file that jobs share."""
    own = {k: v for k, v in receipt.inputs.items() if is_of_study(k)}
    shared = {k: v for k, v in receipt.inputs.items() if k not in own}  # alike for many jobs
    text = json.dumps(shared, sort_keys=True)
    name = _shared_name(text.encode())
    if read_shared(name) is None:  # not there, or damaged
        write_whole(READ / f"{name}.json", text)
    kept = receipt._asdict() | {"inputs": own, "shared": name}
    write_whole(receipt_path(receipt.outputs or receipt.logs), json.dumps(kept))


def read_receipts() -> dict[str, tuple[Receipt, str]]:
    """Return the receipts by their files, the older first, each with the name of its shared set.

    Inputs are without those of the set (`read_shared`). A damaged receipt says nothing.
    """
    found: dict[str, tuple[Receipt, str]] = {}
    if not MADE.is_dir():
        return found
    with os.scandir(MADE) as entries:
        dated = sorted((e.stat().st_mtime_ns, e.path) for e in entries if e.name.endswith(".json"))
    for _, path in dated:
        try:
            with open(path, "rb") as handle:  # noqa: PTH123
                found[path] = _receipt(json.loads(handle.read()))
        except (ValueError, KeyError, TypeError, AttributeError, OSError):
            continue
    return found


def _receipt(said: dict) -> tuple[Receipt, str]:
    inputs, seen = (_reads(said[key]) for key in ("inputs", "seen"))
    outputs, logs = (_makes(said[key]) for key in ("outputs", "logs"))
    raw = {str(name): _raw_state(state) for name, state in said["raw"].items()}
    good = said["good"] is True
    return Receipt(str(said["rule"]), inputs, outputs, seen, raw, logs, good), str(said["shared"])


def _raw_state(said: str | list) -> Raw:
    if isinstance(said, str):  # of an older version
        return [said, "", ""]
    state, inodes, contents = map(str, said)
    return [state, inodes, contents]


def _makes(said: dict) -> dict[str, Made]:
    found = {}
    for path, (size, time_ns, inode, digest) in said.items():
        if not is_inside(path):
            raise ValueError(path)
        found[path] = [int(size), int(time_ns), int(inode), str(digest)]
    return found


def _reads(said: dict) -> dict[str, Read]:
    if any(state is not None and len(state) not in (3, 5) for state in said.values()):
        raise ValueError
    return said


def _shared_name(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]


def read_shared(name: str) -> dict[str, Read] | None:
    """Return what jobs read alike; None where it is damaged or gone: its name is its hash."""
    with suppress(ValueError, TypeError, AttributeError, OSError):
        text = (READ / f"{name}.json").read_bytes()
        return _reads(json.loads(text)) if _shared_name(text) == name else None
    return None


def made_by() -> dict[str, Receipt]:
    """Return {output: the receipt of the job that made it}, with all that it read."""
    found: dict[str, Receipt] = {}
    shared: dict[str, dict] = {}
    for receipt, name in read_receipts().values():
        if name not in shared:
            shared[name] = read_shared(name) or {}
        whole = receipt._replace(inputs=shared[name] | receipt.inputs)
        found |= dict.fromkeys(receipt.outputs, whole)
    return found
