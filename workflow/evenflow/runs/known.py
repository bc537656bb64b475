"""What is known at the start of a run: which files are ours, and which must be made again.

A file is ours if a receipt or a journal names it, no part of its path is a link that may not be
one (`places.free_parts`), and it is what they say: by size, time and inode, in doubt by content.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from . import receipts
from .journal import Begun, end_journals, read_journals
from .places import is_committed, is_inside, link_above, link_on_way, prune, write_whole
from .receipts import Made, Raw, Read, Receipt, digest_of

OLDER = Path(".snakemake/made")  # of an older version: what was made, not of what
AHEAD_S = 2  # file systems round by no more; what is further ahead is of a clock that was wrong


class Known:
    """The receipts and journals of a project.

    Attributes:
        files: [size, time, inode, SHA-256 or None] of each file that is ours, by path.
        logs: the same of logs.
        receipt_of: the file of the receipt that names a path.
    """

    def __init__(self) -> None:
        self.receipts: dict[str, Receipt] = {}  # by their files
        self.receipt_of: dict[str, str] = {}
        self.files: dict[str, Made] = {}
        self.logs: dict[str, Made] = {}
        self._shared: dict[str, str] = {}
        self._changed: set[str] = set()  # receipts whose files have got another time
        self._digests: dict[tuple, str] = {}
        self._links: dict[str, str | None] = {}
        self._well: dict[str, bool] = {}  # whether files are as made, when looked at first
        self._shared_well: dict[str, str | None] = {}
        self._inputs_well: dict[str, tuple] = {}
        for path, (receipt, shared) in receipts.read_receipts().items():
            self.receipts[path], self._shared[path] = receipt, shared
            for name, state in receipt.outputs.items():
                self.receipt_of[name], self.files[name] = path, state
            self.logs |= receipt.logs
        for name, state in _older().items():
            self.files.setdefault(name, state)
        self.begun: Begun = read_journals()
        for name, state in self.begun.renamed.items():
            self.files.setdefault(name, state)

    def read(self) -> set[str]:
        """Return the paths of all that jobs read."""
        found = {name for of in self.receipts.values() for name in (*of.inputs, *of.seen)}
        for shared in {*self._shared.values()}:
            found |= (receipts.read_shared(shared) or {}).keys()
        return found

    def is_ours(self, path: str) -> bool:
        """Say whether what lies at a path is what evenflow put there."""
        state = self.files.get(path) or self.logs.get(path)
        return state is not None and self._is_as_made(path, state)

    def _is(self, path: str, state: Made) -> bool:
        if path not in self._well:
            self._well[path] = self._is_as_made(path, state)
        return self._well[path]

    def _is_as_made(self, path: str, state: Made) -> bool:
        try:
            about = os.lstat(path)
        except (OSError, ValueError):
            return False
        if not stat.S_ISREG(about.st_mode) or about.st_size != state[0]:
            return False
        if link_above(path.rpartition("/")[0], self._links):
            return False
        if about.st_mtime_ns == state[1] and about.st_ino == state[2]:
            return True
        if not state[3] or self._digest(path, about) != state[3]:
            return False
        # Snakemake gives outputs a new time when their job has ended: no digest next time
        state[1:3] = about.st_mtime_ns, about.st_ino
        if path in self.receipt_of:
            self._changed.add(self.receipt_of[path])
        return True

    def _digest(self, path: str, about: os.stat_result) -> str | None:
        key = (path, about.st_size, about.st_mtime_ns, about.st_ino)
        if key not in self._digests:
            try:
                self._digests[key] = digest_of(path)
            except OSError:  # it may not be read: nobody knows
                return None
        return self._digests[key]

    def why_again(
        self, outputs: Sequence[str], raw_now: Callable[[str, Raw], Raw | None], now_s: float
    ) -> str | None:
        """Say why a job must run again; None where all is as it read and left it.

        Args:
            outputs: all of the job.
            raw_now: returns the state of raw files as it is, by what `saw_raw` calls them, and by
                the state that they had.
            now_s: the time, in s since 1970.
        """
        place = self.receipt_of.get(outputs[0], "")
        receipt = self.receipts.get(place)
        if not receipt or any(self.receipt_of.get(path) != place for path in outputs):
            lies = next((path for path in outputs if os.path.lexists(path)), None)
            return f"{lies} is on no receipt" if lies else f"{outputs[0]} is not there"
        if not receipt.good:
            return f"{outputs[0]} says why it could not be made"
        for path in outputs:
            if not self._is(path, self.files[path]):
                there = os.path.lexists(path)
                return f"{path} {'was changed after it was made' if there else 'is not there'}"
            if self.files[path][1] > (now_s + AHEAD_S) * 1e9:
                return f"{path} has a time in the future, by a clock that was wrong"
        changed = self._changed_input(receipt, self._shared[place])
        changed = changed or next(
            (name for name in receipt.raw if not self._is_raw(place, name, raw_now)), None
        )
        return f"{changed} was changed since {outputs[0]} was made" if changed else None

    def _is_raw(self, place: str, name: str, raw_now: Callable[[str, Raw], Raw | None]) -> bool:
        raw = self.receipts[place].raw
        kept, now = raw[name], raw_now(name, raw[name])
        if now is None or now[0] != kept[0] or now[2] != (kept[2] or now[2]):
            return False
        if now != kept:  # copied, or kept by an older version: not read again next time
            raw[name] = now
            self._changed.add(place)
        return True

    def _changed_input(self, receipt: Receipt, shared: str) -> str | None:
        if shared not in self._shared_well:
            states = receipts.read_shared(shared)
            lost = f"{receipts.READ}/{shared}.json"
            self._shared_well[shared] = lost if states is None else self._first_changed(states)
        found = self._shared_well[shared] or self._first_changed(receipt.inputs)
        return found or self._first_changed(receipt.seen)

    def _first_changed(self, states: dict[str, Read]) -> str | None:
        return next((path for path, state in states.items() if not self._same(path, state)), None)

    def _same(self, path: str, state: Read) -> bool:
        """Say whether what a job read is what it was."""
        kept = tuple(state) if state else None
        known = self._inputs_well.get(path)  # mostly many jobs read a file in one state
        if known and known[0] == kept:
            return known[1]
        same = self._is_same(path, state)
        self._inputs_well[path] = (kept, same)
        return same

    def _is_same(self, path: str, state: Read) -> bool:
        made = self.files.get(path)  # mostly: looked at once, as an output
        if made and state and made[0] == state[0] and self._is(path, made) and made[1] == state[1]:
            return True
        try:
            about = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            about = None
        if about is None or state is None:
            return about is None and state is None
        if about.st_size != state[0]:
            return False
        if state[2] == receipts.NO_FILE:
            return about.st_mtime_ns == state[1] and not stat.S_ISREG(about.st_mode)
        if [about.st_mtime_ns, about.st_ino, about.st_ctime_ns] == [state[1], *state[3:]]:
            return True
        if state[2] is None:
            return about.st_mtime_ns == state[1]
        return self._digest(path, about) == state[2]

    def keep_times(self) -> None:
        """Write the times and inodes that files have got since into receipts."""
        for path in map(Path, self._changed):
            raw = self.receipts[str(path)].raw
            kept = {n: self.files[n] for n in self.receipts[str(path)].outputs}
            with suppress(ValueError, KeyError, TypeError, OSError):
                said = json.loads(path.read_bytes())
                digests = [{n: s[3] for n, s in of.items()} for of in (said["outputs"], kept)]
                if digests[0] == digests[1]:  # else a job has run since
                    write_whole(path, json.dumps(said | {"outputs": kept, "raw": raw}))
        self._changed.clear()

    def forget(self, outputs: Iterable[str]) -> None:
        """Remove the receipts that name files, which are not there any more."""
        for path in outputs:
            if path in self.receipt_of:
                Path(self.receipt_of[path]).unlink(missing_ok=True)

    def remove(self, paths: Iterable[str], tops: Iterable[str]) -> list[str]:
        """Remove what is ours of these files and the folders that this leaves empty; return those.

        Args:
            paths: files.
            tops: folders that stay, even if they are empty.
        """
        removed = []
        for path in paths:
            if self.is_ours(path):
                Path(path).unlink()
                removed.append(path)
        for folder in {Path(path).parent for path in removed}:
            if not link_on_way(folder.as_posix(), self._links):
                prune(folder, tops)
        return removed

    def end_begun(self) -> None:
        """Remove what killed jobs left: temporary files, files without a receipt, journals."""
        for path in sorted(self.begun.temporary):
            if receipts.is_plain(path) and not link_on_way(path, self._links):
                Path(path).unlink()
        for path in self.begun.renamed.keys() - self.receipt_of.keys():
            if self.is_ours(path) and not is_committed(path):
                Path(path).unlink()
        end_journals()
        for left in receipts.MADE.glob("*.json.*"):  # a receipt that was being written
            left.unlink(missing_ok=True)

    def drop_shared(self) -> None:
        """Remove what jobs read alike that no receipt names any more."""
        named = {f"{name}.json" for name in self._shared.values()}
        for path in receipts.READ.glob("*"):
            if path.name not in named:
                path.unlink(missing_ok=True)


def _older() -> dict[str, Made]:
    found = {}
    for path in OLDER.glob("*.json"):
        with suppress(ValueError, KeyError, TypeError, AttributeError, OSError):
            for name, (size, time_ns, digest) in json.loads(path.read_bytes())["outputs"].items():
                if is_inside(name):
                    found[name] = [int(size), int(time_ns), 0, str(digest)]
    return found
