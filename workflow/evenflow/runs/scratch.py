"""Scratch places: of a job, and a copy of a project in which listed files make all of it again."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .. import places
from ..errors import DataError
from .locking import is_alive, process_in_full
from .places import write_whole

PROGRESS = re.compile(r"^(\d+) of (\d+) steps \((\d+)%\) done", re.MULTILINE)
MARK = ".evenflow-scratch"  # in a scratch folder: whose it is
OF_JOBS = Path(".snakemake/tmp")  # of a project; each run empties it at its start
OF_SNAKEMAKE = OF_JOBS / "of-snakemake"  # the path of Snakemake's own folder of the last run


@contextmanager
def job_folder() -> Iterator[Path]:
    """Yield an empty folder that is removed at the end; outside of a project, in the system's."""
    place = OF_JOBS.absolute() if OF_JOBS.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="evenflow-", dir=place) as temporary:
        yield Path(temporary)


def empty_job_folders(of_snakemake: str | Path) -> None:
    """Remove what killed runs left of temporary files, Snakemake's own folder among them.

    Args:
        of_snakemake: that of this run, for the next.
    """
    left = Path(OF_SNAKEMAKE.read_text(errors="replace")) if OF_SNAKEMAKE.is_file() else None
    if left and left.name.startswith("snakemake") and left.parent == Path(tempfile.gettempdir()):
        shutil.rmtree(left, ignore_errors=True)
    shutil.rmtree(OF_JOBS, ignore_errors=True)
    OF_JOBS.mkdir(parents=True)
    OF_SNAKEMAKE.write_text(str(of_snakemake))


@contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """Yield an empty folder that is removed at the end; those that killed runs left, at once.

    Args:
        name: what the folder's name begins with.
    """
    for mark in Path(tempfile.gettempdir()).glob(f"{name}-*/{MARK}"):
        with suppress(OSError):
            ours = mark.stat().st_uid == os.getuid() and not mark.parent.is_symlink()
            said = mark.read_text(encoding="utf-8", errors="replace")
            if ours and said and is_alive(said) is False:
                shutil.rmtree(mark.parent, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as temporary:
        write_whole(Path(temporary, MARK), process_in_full())
        yield Path(temporary)


def copy_project(
    root: Path,
    folder: Path,
    left_out: Sequence[str],
    made: Sequence[str],
    only: Collection[str] | None = None,
) -> None:
    """Copy a project without its data and what was made in it.

    Args:
        root: the project.
        folder: the new place, empty or not there.
        left_out: names in `root` that are not copied; hidden files never are.
        made: patterns, relative to `root`, of generated files and folders.
        only: files that may be copied, as paths from `root`; None: all.
    """
    generated = {path for pattern in made for path in root.glob(pattern)}

    def is_other(path: Path) -> bool:
        return only is not None and path.is_file() and path.relative_to(root).as_posix() not in only

    def ignored(where: str, names: list[str]) -> set[str]:
        here = Path(where)
        hidden = {name for name in names if name.startswith(".") or name == "__pycache__"}
        odd = {name for name in names if _is_odd(here / name) or is_other(here / name)}
        return hidden | odd | {name for name in names if here / name in generated}

    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(root.iterdir()):
        if path.name.startswith(".") or path.name in left_out or path in generated:
            continue
        if _is_odd(path) or is_other(path):
            continue
        if path.is_dir():
            shutil.copytree(path, folder / path.name, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy2(path, folder / path.name)


def _is_odd(path: Path) -> bool:
    """Say whether this is no part of a project: a pipe, a link to nothing or to where it lies."""
    if path.is_symlink() and path.is_dir():
        return path.parent.resolve().is_relative_to(path.resolve())
    return not path.is_file() and not path.is_dir()


def copy_listed(root: Path, folder: Path, listed: Mapping[str, str]) -> None:
    """Copy raw files; what arrives is what was listed.

    Raises:
        DataError: the content of a file is not the one listed.
    """
    for name, digest in listed.items():
        data = (root / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise DataError(
                "the content changed while it was copied", path=name, remedy="try again"
            )
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def run_logged(command: Sequence[str], folder: Path, log: Path, say: Callable[[str], None]) -> int:
    """Run a command in a folder, its output into a log; say how far it is every tenth.

    Returns:
        The exit code.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if not places.IS_INSTALLED and not places.holds_tool():
        env["PYTHONPATH"] = str(places.WORKFLOW)  # of a study whose tool is a checkout elsewhere
    tenth = -1
    with log.open("w", encoding="utf-8") as handle:
        process = subprocess.Popen(
            list(command),
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        for line in process.stdout or ():
            handle.write(line)
            steps = PROGRESS.match(line)
            if steps and int(steps[3]) // 10 > tenth:
                tenth = int(steps[3]) // 10
                say(f"{steps[1]} of {steps[2]} steps done")
        return process.wait()


def made_files(root: Path, patterns: Sequence[str], without: Sequence[str] = ()) -> list[str]:
    """List the files that a workflow made, as paths from `root`, sorted."""
    paths = {path for pattern in patterns for path in root.glob(pattern)}
    files = {file for path in paths for file in ([path] if path.is_file() else path.rglob("*"))}
    names = (path.relative_to(root).as_posix() for path in files if path.is_file())
    return sorted(name for name in names if not name.startswith(tuple(without)))


def regenerate(
    root: Path,
    folder: Path,
    layout: Mapping[str, Sequence[str]],
    listed: Mapping[str, str],
    command: Sequence[str],
    say: Callable[[str], None],
    only: Collection[str] | None = None,
) -> None:
    """Make a project's outputs again in another place, from the listed raw files only.

    Args:
        root: the project, which is only read.
        folder: the scratch place.
        layout: left_out and made, as `copy_project` has them.
        listed: SHA-256 of each raw file, by its path from `root`.
        command: what makes the outputs, run in `folder`.
        say: is told of progress.
        only: as `copy_project` has it.

    Raises:
        DataError: the command failed; with the end of what it said.
    """
    copy_project(root, folder, layout["left_out"], layout["made"], only)
    copy_listed(root, folder, listed)
    log = folder / "regenerate.log"
    if run_logged(command, folder, log, say):
        last = log.read_text(encoding="utf-8", errors="replace")[-3000:]
        problem = f"the outputs could not be made again. The end of what was said:\n{last}\n"
        raise DataError(problem, path=folder, remedy="see above; what fails there fails here too")
