"""The faults: each does one thing to a run or to what it left, and ends with the fault mended.

A fault takes the place and its random numbers and returns what it did, in words. It raises
AssertionError where something is wrong already, Skip where it cannot be done here.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from place import MADE, NOTICE, OURS, PAPER, RECEIPTS, STATE, STRANGERS, Place, Run

DISK_BYTES = 400 * 2**20  # more than the project ever takes
SECONDS_OF_START = 2.0  # what Snakemake takes before anything happens, at least
FAILING = ("line", "cut", "description", "misspelt", "unreadable")  # ways in which an input fails
TRIES = 4  # a run that was over before the fault came is begun again


class Skip(Exception):
    """The fault cannot be done on this machine."""


def unsettle(place: Place, random: Random) -> float:
    """Give a run something to do; return what part of the whole build that is, roughly."""
    way = random.choice(["all", "log", "log", *["outputs"] * 7])
    if way == "all":
        for name in place.outputs():
            (place.work / name).unlink()
        shutil.rmtree(place.work / STATE)
        return 1.0
    if way == "log":
        of = random.choice([OURS, STRANGERS])
        logs = sorted(path for path in (place.work / "data/raw" / of).rglob("*") if path.is_file())
        random.choice(logs).touch()
        return 0.9 if of == OURS else 0.5
    names = place.outputs()
    if random.random() < 0.7:  # mostly a few jobs, not all that follow from a table of ours
        names = [name for name in names if not name.startswith(f"data/derived/{OURS}/")]
    for name in random.sample(names, random.randint(1, 3)):
        (place.work / name).unlink()
    return 0.4


def disturbed(place: Place, random: Random, strike: Callable[[Run], str | None]) -> str:
    """Start a run, strike at a random moment of it, and wait for it; return what `strike` did.

    Half of the moments are those in which a file is being written.
    """
    for attempt in range(TRIES):
        place.restore()
        share = unsettle(place, random)
        moment = random.uniform(0, share * place.seconds / 2**attempt)
        writing = random.random() < 0.5
        run, started = place.start("disturbed"), time.monotonic()
        while run.going() and time.monotonic() - started < moment:
            time.sleep(0.01)
        while writing and run.going() and not being_written(place):
            pass
        when = f"after {time.monotonic() - started:.1f} s"
        done = strike(run) if run.going() else None
        if done:
            return f"{done} {when}{', as a file was written' if writing else ''}"
        run.wait()
    raise Skip("the run was always over before")


def being_written(place: Place) -> bool:
    """Say whether there is a file that will be renamed into its place."""
    for folder in (f"data/derived/{OURS}", f"data/derived/{STRANGERS}", "reports"):
        for _, _, names in os.walk(place.work / folder):
            if any(name.startswith(".") for name in names):
                return True
    return False


def signal_main(place: Place, random: Random, number: signal.Signals) -> str:
    """Only Snakemake gets it; what it had started may go on."""

    def strike(run: Run) -> str:
        os.kill(run.pid, number)
        run.wait()
        return f"{number.name} to the main process"

    return disturbed(place, random, strike)


def signal_group(place: Place, random: Random, number: signal.Signals) -> str:
    """As the terminal does for Ctrl-C, and the system when it runs out of memory or ends."""

    def strike(run: Run) -> str:
        os.killpg(run.pid, number)
        run.wait()
        return f"{number.name} to the group"

    return disturbed(place, random, strike)


def signal_child(place: Place, random: Random, number: signal.Signals) -> str:
    """A job or a part of it dies."""

    def strike(run: Run) -> str | None:
        while run.going():
            children = run.children()
            if children:
                try:
                    os.kill(random.choice(children), number)
                except ProcessLookupError:
                    continue
                run.wait()
                return f"{number.name} to one of {len(children)} children (exit {run.returncode})"
            time.sleep(0.01)
        return None

    return disturbed(place, random, strike)


def two_kills(place: Place, random: Random) -> str:
    """A run is killed, and so is the one after it."""
    said = signal_main(place, random, signal.SIGKILL)
    run = place.start("disturbed")
    time.sleep(random.uniform(SECONDS_OF_START, place.seconds / 2))
    run.kill_group()
    return f"{said}, then SIGKILL to the group of the next run"


def disk_full(place: Place, random: Random) -> str:
    """The disk that the project lies on has no room left, the temporary folder has."""
    place.restore()
    if not place.mount(DISK_BYTES):
        raise Skip("only root may mount a small disk")
    unsettle(place, random)
    disk = os.statvfs(place.work)
    used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    room = random.choice([0, random.randint(0, 2**16), random.randint(0, 4 * 2**20)])
    place.resize(used + room)
    run = place.make("disturbed")
    place.resize(DISK_BYTES)
    return f"{room} bytes of room (exit {run.returncode})"


def limited(place: Place, random: Random, kind: int, low: float, high: float, unit: str) -> str:
    """Run with a limit of the operating system (RLIMIT_...)."""
    place.restore()
    unsettle(place, random)
    most = int(low * (high / low) ** random.random())

    def limits() -> None:
        if kind == resource.RLIMIT_FSIZE:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # an error then, as with a full disk
        resource.setrlimit(kind, (most, most))

    run = place.start("disturbed", limits)
    run.wait()
    return f"{most / 2**20:.2f} MiB {unit} (exit {run.returncode})"


def read_only(place: Place, random: Random) -> str:
    """A folder that a run writes to may not be written to."""
    place.restore()
    unsettle(place, random)
    folders = [place.work / name for name in (STATE, RECEIPTS) if (place.work / name).is_dir()]
    for top in MADE:
        folders += [path for path in (place.work / top).rglob("*") if path.is_dir()]
    folder = random.choice(folders)
    folder.chmod(0o555)
    run = place.make("disturbed")
    if folder.exists():  # an empty folder of what must be made again may be gone
        folder.chmod(0o755)
    return f"{folder.relative_to(place.work)} (exit {run.returncode})"


def damage(path: Path, random: Random) -> str:
    """Damage a file in one of the ways in which size or time show it."""
    content = path.read_bytes()
    way = random.choice(["cut", "emptied", "removed", "edited", "other bytes"])
    if way == "removed":
        path.unlink()
    elif way == "edited":
        path.write_bytes(content + b"\n<p>an edit</p>\n")
    elif way == "other bytes":  # of the same size
        at = random.randrange(len(content) or 1)
        other = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] if content else b"x"
        path.write_bytes(other)
    else:
        path.write_bytes(content[: random.randrange(len(content) or 1)] if way == "cut" else b"")
    return way


def damaged_output(place: Place, random: Random) -> str:
    """What was made is altered while nothing runs."""
    place.restore()
    names = random.sample(place.outputs(), random.choice([1, 1, 1, 3]))
    return ", ".join(f"{name} {damage(place.work / name, random)}" for name in names)


def damaged_meanwhile(place: Place, random: Random) -> str:
    """What was made is altered while a run goes on, which may be making it or reading it."""

    def strike(run: Run) -> str | None:
        there = [name for name in place.outputs() if (place.work / name).is_file()]
        if not there:
            return None
        name = random.choice(there)
        try:
            way = damage(place.work / name, random)
        except FileNotFoundError:  # removed by the run in this moment
            return None
        run.wait()
        return f"{name} {way} (exit {run.returncode})"

    return disturbed(place, random, strike)


def damaged_state(place: Place, random: Random) -> str:
    """What Snakemake and the project remember is damaged."""
    place.restore()
    state = place.work / STATE
    way = random.choice(["record", "record", "all", "markers", "lock"])
    if way == "all":
        gone = random.choice([[STATE], [RECEIPTS], [STATE, RECEIPTS]])
        for name in gone:
            shutil.rmtree(place.work / name)
        return f"{' and '.join(gone)} removed"
    if way == "markers":  # every output is said to be half made
        for path in sorted((state / "metadata").iterdir()):
            marker = state / "incomplete" / path.name
            marker.write_text("")
        return "all marked as incomplete"
    if way == "lock":
        lock = place.work / RECEIPTS / "run.lock"
        lock.write_text(random.choice(["", "x", "elsewhere 1\n", "\0" * 99]))
        return "run.lock overwritten"
    both = [p for name in (STATE, RECEIPTS) for p in (place.work / name).rglob("*")]
    kept = [p for p in both if p.is_file() and "log" not in p.parts]
    paths = random.sample(sorted(kept), min(len(kept), random.choice([1, 5, 50])))
    ways = [damage(path, random) for path in paths]
    first = paths[0].relative_to(place.work).as_posix()
    return f"{first[:50]} {ways[0]}, and {len(paths) - 1} more files of {STATE} and {RECEIPTS}"


def break_input(place: Place, random: Random) -> tuple[str, Callable[[], None]]:
    """Break what a data set is read from; return what was done, and what mends it."""
    way, folder = random.choice(FAILING), place.work / "data/raw" / OURS
    path = random.choice(sorted(folder.rglob("flow*.log.gz")))
    if way in ("description", "misspelt"):
        path = folder / "dataset.yml"
    content, times = path.read_bytes(), path.stat()
    if way == "line":
        path.write_bytes(b"[  3]  0.0- 1.0 sec  1x.2 MBytes  94.4 Mbits/sec\n" * 3)
    elif way == "cut":
        path.write_bytes(content[: len(content) * 2 // 3])
    elif way == "description":
        path.write_bytes(content + b"\n  - [broken\n")
    elif way == "misspelt":
        path.write_bytes(content + b"\ntilte: misspelt\n")
    else:
        path.chmod(0)

    def mend() -> None:
        path.chmod(0o644)
        if way == "unreadable":
            return
        path.write_bytes(content)
        if random.random() < 0.5:  # put back from a copy
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    return f"{path.relative_to(place.work)} {way}", mend


def stale(place: Place) -> list[str]:
    """List what stands that is made of OURS, which cannot be read now, and what lacks of the rest.

    The paper is about OURS.
    """
    made = place.made()
    about = (f"data/derived/{OURS}/", f"data/derived/papers/{PAPER}/", f"reports/{PAPER}/")
    about += (f"reports/_site/datasets/{OURS}/", f"reports/_site/{PAPER}/")
    found = []
    for name in place.outputs():
        of_ours = name.startswith(about)
        notice = name.endswith("index.html") and name in made
        if of_ours and notice and NOTICE in (place.work / name).read_text(encoding="utf-8"):
            continue
        if of_ours and name in made:
            found.append(f"{name} stands")
        elif of_ours or name in ("reports/_site/index.html", "reports/_site/search.html"):
            continue
        elif made.get(name) != place.expected[name]:
            found.append(f"{name} is not as it should be")
    return found


def must_fail_twice(place: Place, what: str) -> None:
    for time_ in ("first", "second"):
        run = place.make("failing")
        assert run.returncode, f"{what}: the {time_} run with it ended with 0"
        wrong = stale(place)
        assert not wrong, f"{what}: after the {time_} run {'; '.join(wrong[:5])}"


def failing_input(place: Place, random: Random) -> str:
    """An input breaks; every run fails until it is mended."""
    place.restore()
    if random.random() < 0.5:
        unsettle(place, random)
    said, mend = break_input(place, random)
    must_fail_twice(place, said)
    mend()
    return said


def failing_meanwhile(place: Place, random: Random) -> str:
    """An input breaks while a run goes on."""
    broken = []

    def strike(run: Run) -> str:
        broken.append(break_input(place, random))
        run.wait()
        return f"{broken[-1][0]} (exit {run.returncode})"

    said = disturbed(place, random, strike)
    if random.random() < 0.6:
        must_fail_twice(place, said)
    broken[-1][1]()
    return said


LINUX_SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
AS, FSIZE = resource.RLIMIT_AS, resource.RLIMIT_FSIZE
# in the order in which they take turns: the first dozen has one of each sort
KINDS: dict[str, Callable[[Place, Random], str]] = {
    "SIGKILL of main": partial(signal_main, number=signal.SIGKILL),
    "SIGTERM of the group": partial(signal_group, number=signal.SIGTERM),
    "SIGKILL of a child": partial(signal_child, number=signal.SIGKILL),
    "disk full": disk_full,
    "address space": partial(limited, kind=AS, low=2**28, high=2**33, unit="of addresses"),
    "read-only folder": read_only,
    "damaged output": damaged_output,
    "failing input": failing_input,
    "damaged state": damaged_state,
    "damaged output during a run": damaged_meanwhile,
    "SIGKILL of the group": partial(signal_group, number=signal.SIGKILL),
    "SIGINT of main": partial(signal_main, number=signal.SIGINT),
    "file size": partial(limited, kind=FSIZE, low=2**8, high=2**22, unit="a file"),
    "failing input during a run": failing_meanwhile,
    "two kills": two_kills,
    "SIGTERM of main": partial(signal_main, number=signal.SIGTERM),
    "SIGINT of the group": partial(signal_group, number=signal.SIGINT),
    "SIGTERM of a child": partial(signal_child, number=signal.SIGTERM),
    "SIGINT of a child": partial(signal_child, number=signal.SIGINT),
}
