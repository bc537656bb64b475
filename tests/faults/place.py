"""A small project, built once undisturbed, and copies of it that faults are done to.

The project has a data set of ours, a stranger's, and a paper about the first. Whatever happened to
a copy, a plain `snakemake --cores 2`, which is what `make` says, must bring it to the same bytes.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests/workflow"), str(ROOT / "workflow")]
from small_project import built_once, configure  # noqa: E402
from started import path_of_tests  # noqa: E402
from test_workflow import copy_project  # noqa: E402

OURS, STRANGERS, PAPER = "tiny-testbed", "server-only", "one-report"
ROOTS_CAPABILITIES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: linux/capability.h
DROP_CAPABILITY = 24  # PR_CAPBSET_DROP: linux/prctl.h
LIMIT_S = 1800  # a run that takes longer hangs
MADE = ("data/derived", "reports/_site", f"reports/{PAPER}")  # where a run writes
STATE, RECEIPTS = ".snakemake", ".evenflow"
# a page that says that something could not be made: its words are in evenflow.notices
NOTICE = "could not be made"


def obey_permissions() -> None:
    """Stop at what permissions forbid, where it is root who runs this (Linux)."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in ROOTS_CAPABILITIES if os.geteuid() == 0 else ():
        if libc.prctl(DROP_CAPABILITY, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


class Place:
    """Where faults are done: `saved` is the undisturbed build, `work` the copy of the day.

    Attributes:
        expected: SHA-256 of all that lies where a run writes, after the undisturbed build, by path.
        sources: what lay there before it.
        seconds: what that build took.
        words: what Snakemake is told, as the Makefile does it.
        python: what starts it; more than a path where it is another user's.
        env: what more is in its environment.
    """

    def __init__(self, keep: bool = False, paper: bool = True, built: Path | None = None) -> None:
        """Build the project, or take one that was (`build`)."""
        self.root = Path(tempfile.mkdtemp(prefix="evenflow-faults-"))
        self.saved, self.work = self.root / "saved", self.root / "work"
        self.tmp, self.home = self.root / "tmp", self.root / "home"
        self.keep, self.mounted, self.words = keep, False, ["--cores", "2"]
        self.python, self.env = [sys.executable], {}
        for folder in (self.tmp, self.home):
            folder.mkdir()
        if built:
            self.saved, about = built / "saved", json.loads((built / "about.json").read_text())
            self.seconds, self.sources = about["seconds"], set(about["sources"])
            self.restore()
            self.expected = self.made()
            return
        fresh_project(self.work, paper)
        self.sources = set(self.made())
        started = time.monotonic()
        done = self.make("undisturbed")
        self.seconds = time.monotonic() - started
        if done.returncode:
            raise RuntimeError(f"the undisturbed build failed:\n{done.output[-3000:]}")
        self.expected = self.made()
        self.copy(self.work, self.saved)

    @staticmethod
    def copy(source: Path, target: Path) -> None:
        """Copy a folder with times and owners."""
        subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True)

    def restore(self) -> None:
        """Make `work` what the undisturbed build was, and the temporary folder empty."""
        self.clear()
        self.work.mkdir()
        self.copy(self.saved, self.work)
        for left in self.tmp.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()

    def mount(self, size: int) -> bool:
        """Put `work` on a disk of its own of that many bytes; False where this user may not."""
        folder = self.root / "disk"
        folder.mkdir(exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
        if os.geteuid() or subprocess.run(command, capture_output=True).returncode:
            return False
        self.mounted = True
        self.copy(self.work, folder)
        subprocess.run(["umount", str(folder)], check=True)
        subprocess.run([*command[:-1], str(self.work)], check=True)
        self.copy(self.saved, self.work)
        return True

    def resize(self, size: int) -> None:
        """Give the disk of `mount` another size."""
        command = ["mount", "-o", f"remount,size={size}", str(self.work)]
        subprocess.run(command, check=True)

    def clear(self) -> None:
        """Remove `work`."""
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.work)], check=True)
            self.mounted = False
        for folder in [path for path in self.work.rglob("*") if path.is_dir()]:
            folder.chmod(0o755)
        shutil.rmtree(self.work, ignore_errors=True)

    def close(self) -> None:
        """Remove everything."""
        if not self.keep:
            self.clear()
            shutil.rmtree(self.root, ignore_errors=True)

    def start(self, name: str, limits: Callable | None = None) -> Run:
        """Begin a run in a process group of its own."""
        return Run(self, name, limits)

    def make(self, name: str = "run") -> Run:
        """Run to the end."""
        run = self.start(name)
        run.wait()
        return run

    def made(self) -> dict[str, str]:
        """Return the SHA-256 of each file where a run writes, by path, but of Python's caches."""
        paths = [path for top in MADE for path in (self.work / top).rglob("*")]
        return {
            path.relative_to(self.work).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in paths
            if path.is_file() and path.parent.name != "__pycache__"
        }

    def outputs(self) -> list[str]:
        """List what the undisturbed build made, without the paper's sources."""
        return sorted(self.expected.keys() - self.sources)


def build(folder: Path, paper: bool) -> None:
    """Build a project for places to take."""
    place = Place(paper=paper)
    folder.mkdir()
    place.copy(place.saved, folder / "saved")
    about = {"seconds": place.seconds, "sources": sorted(place.sources)}
    (folder / "about.json").write_text(json.dumps(about))
    place.close()


def shared_place(tmp_path_factory, paper: bool) -> Place:
    """Return a place whose project is built once for all modules."""
    name = f"place-{'with' if paper else 'without'}-paper"
    built = built_once(tmp_path_factory, name, lambda folder: build(folder, paper))
    return Place(paper=paper, built=built)


class Run:
    """A run of Snakemake in `work`, as `make` starts it; what it says is in `output`."""

    def __init__(self, place: Place, name: str, limits: Callable | None) -> None:
        self.log = place.root / f"{name}.log"
        env = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        env |= {"HOME": str(place.home), "TMPDIR": str(place.tmp)}
        env |= {"PATH": path_of_tests()} | place.env

        def prepare() -> None:
            obey_permissions()
            signal.signal(
                signal.SIGINT, signal.SIG_DFL
            )  # ignored where this runs in the background
            if limits:
                limits()

        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*place.python, "-m", "snakemake", *place.words],
                cwd=place.work, env=env, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=prepare,
            )  # fmt: skip
        self.pid = self.process.pid

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def returncode(self) -> int | None:
        return self.process.returncode

    def wait(self) -> int:
        """Wait for the end.

        Raises:
            AssertionError: the run hangs; it is killed.
        """
        try:
            return self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            self.kill_group()
            raise AssertionError(f"the run hangs after {LIMIT_S} s") from None

    def going(self) -> bool:
        return self.process.poll() is None

    def kill_group(self) -> None:
        """Kill the run with all its processes."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def children(self) -> list[int]:
        """List the processes that descend from the run (Linux)."""
        parents = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                stat = (folder / "stat").read_text(errors="replace").rpartition(")")[2]
                parents[int(folder.name)] = int(stat.split()[1])
        found, more = set(), {self.pid}
        while more:
            found |= more
            more = {child for child, parent in parents.items() if parent in more} - found
        return sorted(found - {self.pid})


def fresh_project(folder: Path, paper: bool) -> None:
    """Copy the project without anything made, with two tiny data sets and, if asked, a paper."""
    copy_project(folder)
    shutil.rmtree(folder / "data/raw/tiny-ns2")
    for other in folder.glob("reports/*/paper.yml"):
        shutil.rmtree(other.parent)
    shutil.copytree(ROOT / "tests/fixtures/archives" / STRANGERS, folder / "data/raw" / STRANGERS)
    configure(folder, "datasets", "comparisons")  # all that lie in data/raw
    if paper:
        command = [sys.executable, "-m", "evenflow.command", "paper", PAPER, "--data", OURS]
        env = {**os.environ, "PYTHONPATH": "workflow"}
        subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
