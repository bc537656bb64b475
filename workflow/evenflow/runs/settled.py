"""Whether a command has anything to do: known in some 0.1 s, before Snakemake is started.

A command that has ended well leaves a note, with a digest of all that decides what Snakemake would
do: each file of the study and of the tool by size, times and inode, the packages, Python,
the environment, and the command. While nothing of it differs, nothing is to be done. Where any of
it does, or cannot be known, Snakemake looks, by contents; so whatever is edited, added, removed,
touched or installed costs a start of Snakemake, and never a result.

`ctime` is what nobody can set: an edit that keeps size and time of change shows by it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from .. import places
from .clearing import ASIDE, LIST
from .known import AHEAD_S, Known
from .locking import RUN, AnotherRunError, hold_run
from .places import PLACE, write_whole

NOTES = PLACE / "settled"
# at the top of a study, and read by no rule: memories of Snakemake, git, and what runs its tests
NOT_READ = (".snakemake", ".git", ".venv", ".hypothesis", ".pytest_cache", ".ruff_cache")
COMPILED = "__pycache__"
OF_SHELL = ("_", "OLDPWD", "PWD", "SHLVL")  # differ from call to call, and decide nothing
# not in the command, and decide what is read: in doubt about the files that they name
OF_SNAKEMAKE = "SNAKEMAKE_"
NOTHING = "Nothing to be done (all requested files are present and up to date)."  # as Snakemake
MANY = 100_000  # files: to look at more before and after each run would cost more than it gains
RACE_S = 0.05  # what was changed as late may change again at the same time, by the system's clock

State = tuple[int, ...]  # bytes, times of change in ns (mtime, ctime), inode, device


class UnknownError(Exception):
    """It cannot be known what a folder holds."""


class Seen(NamedTuple):
    """What was seen: files of the study, by path, and those followed; a digest of the rest."""

    files: dict[str, tuple]
    around: str


class Command:
    """A command that makes something of a study, looked at before it is started.

    Args:
        study: its folder.
        words: the command.
        env: the environment that it gets.
        followed: folders elsewhere that links in the study lead to.
    """

    def __init__(
        self,
        study: Path,
        words: Sequence[str],
        env: Mapping[str, str],
        followed: Iterable[Path] = (),
    ) -> None:
        self.study, self.words, self.env = study, words, dict(env)
        self.followed = [path.resolve() for path in followed]
        name = sha256(json.dumps([*words]).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self.note = study / NOTES / f"{name}.json"
        self.at = time.time()  # s, before anything is read
        self.before = self._look()

    def said(self) -> list[str] | None:
        """Return what was said at the end of the last time, if nothing can have changed since."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(self.note.read_bytes())
            # by a clock that was set back, times of the past may be of the future
            plugged = all(_state(Path(p).stat()) == (*s,) for p, s in kept["plugins"].items())
            same = self.before and kept["seen"] == _digest(self.before)
            if same and plugged and kept["at"] <= time.time():
                return [str(line) for line in kept["said"]]
        return None

    def forget(self) -> None:
        """Have no note: the command is going to be started."""
        self.note.unlink(missing_ok=True)

    def keep(self, said: Iterable[str]) -> None:
        """Leave a note that the command has ended well, if what it read is what it was before.

        Args:
            said: lines for the next time.
        """
        if not self.before or RUN in os.environ:
            return
        with chdir(self.study), suppress(AnotherRunError, OSError):
            lock = hold_run()
            if lock is None:
                return
            with lock:
                known, now = Known(), time.time()
                for path in known.files:
                    known.is_ours(path)
                known.keep_times()  # that Snakemake gave to outputs: part of what is seen
                after = self._look()
                well = after and _is_as_read(self.before, after, known, now)
                plugged = {str(p): _state(p.stat()) for p in _elsewhere(known)}
                well = well and all(s[2] < (self.at - RACE_S) * 1e9 for s in plugged.values())
                if after and well and not _has_more_to_say(known):
                    kept = {"at": now, "seen": _digest(after), "said": [*said], "plugins": plugged}
                    write_whole(self.note, json.dumps(kept))
            os.environ.pop(RUN)

    def _look(self) -> Seen | None:
        env = self.env
        if any(name.startswith((OF_SNAKEMAKE, "EVENFLOW_")) for name in env):
            return None
        try:
            files = dict(_files(self.study, self.followed))
            for place in self.followed:
                files |= {str(place / name): seen for name, seen in _files(place, [])}
            tool = [*_files(places.WORKFLOW, []), *_files(places.PROFILE, [])]
        except (OSError, UnknownError):
            return None
        around = [
            [*self.words],
            {name: env[name] for name in sorted(env) if name not in OF_SHELL},
            [sys.version, os.geteuid(), sorted(os.getgroups())],
            tool,
            _packages(),
            _program(env),
        ]
        return Seen(files, sha256(repr(around).encode("utf-8", "surrogateescape")).hexdigest())


def _is_as_read(before: Seen, after: Seen, known: Known, now_s: float) -> bool:
    """Say whether inputs are what they were, and outputs what receipts say.

    What is now as it was before, Snakemake has seen, and found nothing to do.
    """
    changed = {
        name
        for name in {*before.files, *after.files}
        if before.files.get(name) != after.files.get(name) and not _is_state(name)
    }
    made = changed & {*known.files}
    theirs = (s for name, s in after.files.items() if name not in made and not _is_state(name))
    newest = max((ctime for states in theirs for _, _, ctime, *_ in states), default=0)
    return (
        before.around == after.around
        and changed <= {*known.files, *known.logs}
        and all(map(known.is_ours, made))
        and all(known.files[name][1] <= (now_s + AHEAD_S) * 1e9 for name in made)
        and all(receipt.good for receipt in known.receipts.values())
        and not any(known.begun)
        and newest < (now_s - RACE_S) * 1e9
    )


def _elsewhere(known: Known) -> set[Path]:
    """Return what jobs read of installed plug-ins: of a package only the version is seen."""
    tool = {places.PACKAGE, places.WORKFLOW}
    read = map(Path, known.read())
    elsewhere = (path for path in read if path.is_absolute() and tool.isdisjoint(path.parents))
    return {path for path in elsewhere if path.is_file()}


def _is_state(name: str) -> bool:
    return name.startswith(f"{PLACE}/")


def _has_more_to_say(known: Known) -> bool:
    """Say whether a run that finds nothing to do has a word for the user all the same."""
    lost = (path for path in known.files if path.endswith("/lost_findings.txt"))
    return any(Path(path).read_bytes().strip() for path in lost) or any(ASIDE.glob(f"*/{LIST}"))


def _digest(seen: Seen) -> str:
    text = repr((sorted(seen.files.items()), seen.around))
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _files(top: Path, followed: Sequence[Path]) -> list[tuple[str, tuple[State, ...]]]:
    """List what is below a folder, by path from it: what a link is, and what it leads to.

    Raises:
        UnknownError: a link leads to a folder that is not followed, or there are too many files.
        OSError: a folder may not be looked into, or something went while it was looked at.
    """
    found: list[tuple[str, tuple[tuple[int, ...], ...]]] = []
    todo = [""]
    while todo:
        folder = todo.pop()
        if len(found) > MANY:
            raise UnknownError(f"more than {MANY} files")
        with os.scandir(top / folder) as entries:
            inside = sorted(entries, key=lambda entry: entry.name)
        for entry in inside:
            name = f"{folder}{entry.name}"
            if entry.name == COMPILED or (not folder and entry.name.startswith(NOT_READ)):
                continue
            if name == str(NOTES):
                continue
            state = _state(entry.stat(follow_symlinks=False))
            if entry.is_dir(follow_symlinks=False):
                todo.append(f"{name}/")
            elif not entry.is_symlink():
                found.append((name, (state,)))
            elif not entry.is_dir():
                target = Path(entry.path)
                states = (state, _state(target.stat())) if target.exists() else (state,)
                found.append((name, states))
            elif (top / name).resolve() in followed:
                found.append((name, (state,)))
            else:
                raise UnknownError(name)
    return found


def _state(about: os.stat_result) -> State:
    times = about.st_mtime_ns, about.st_ctime_ns  # rights show by ctime
    return about.st_size, *times, about.st_ino, about.st_dev


def _packages() -> list:
    """List what lies at the top of the folders that Python imports from, and when it was put there.

    Each package has a folder of its version, X-1.0.dist-info, which an installer makes anew. The
    time of a folder of modules changes as Python compiles them, which uv leaves to the first use.
    """
    found = []
    for place in sys.path:
        with suppress(OSError), os.scandir(place or ".") as entries:
            if "site-packages" in place or "dist-packages" in place:
                inside = (e for e in entries if e.name != COMPILED)
                found.append((place, sorted((e.name, _put(e)) for e in inside)))
    return found


def _put(entry: os.DirEntry) -> int:
    about = entry.stat()
    is_of_modules = entry.is_dir() and not entry.name.endswith((".dist-info", ".egg-info"))
    return about.st_ino if is_of_modules else about.st_ctime_ns


def _program(env: Mapping[str, str]) -> tuple | None:
    """Return which Quarto would render."""
    path = shutil.which("quarto", path=env.get("PATH"))
    return (path, _state(os.stat(path))) if path else None  # noqa: PTH116


def main() -> int:
    """Start Snakemake with the words of this process, if anything is to do here."""
    words = [sys.executable, "-m", "snakemake", *sys.argv[1:]]
    command = Command(Path.cwd(), words, os.environ)
    if command.said() is not None:
        print(NOTHING, file=sys.stderr)
        return 0
    command.forget()
    with subprocess.Popen(words) as process:
        # the terminal sends an interrupt to both, and Snakemake ends in its own way
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        code = process.wait()
    if not code:
        command.keep([])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
