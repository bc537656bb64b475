"""What others put where evenflow works: files, folders, links and repositories of many kinds."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from pathlib import Path

from place import OURS, PAPER, STRANGERS

DERIVED, SITE = "data/derived", "reports/_site"
AHEAD_S, LONG_AGO_S = 2e9, 5  # 2033 and 1970
OUTSIDE = "../outside"  # of the project: where links lead
TEXTS = [
    f"{DERIVED}/mine/result.csv",
    f"{DERIVED}/mine/more/result.parquet",
    f"{DERIVED}/.my.settings",  # an ending of 8 characters, as temporary files had
    f"{DERIVED}/{OURS}/notes.txt",
    f"{DERIVED}/{OURS}/.notes.abcdefgh",
    f"{DERIVED}/{OURS}/.DS_Store",
    f"{DERIVED}/{OURS}/chunks/0007/own.csv",
    f"{DERIVED}/{STRANGERS}/parsed/own.csv",
    f"{DERIVED}/parts.csv",
    f"{DERIVED}/papers/talk.md",
    f"{DERIVED}/papers/another/own.csv",
    f"{DERIVED}/comparisons/own/own.csv",
    f"{DERIVED}/experiments/run.bin",
    f"{DERIVED}/vega.js.old",
    f"{SITE}/talk/slides.html",
    f"{SITE}/.site.htaccess",
    f"{SITE}/.nojekyll",
    f"{SITE}/CNAME",
    f"{SITE}/index.html.bak",
    f"{SITE}/index.html~",
    f"{SITE}/tmp_.x.abcdefgh",
    f"{SITE}/{PAPER}/extra.css",
    f"{SITE}/{PAPER}/figures/.figure.12345678",
    f"{SITE}/datasets/{OURS}/own.html",
    f"{SITE}/datasets/{OURS}/tables/own.csv",
    f"{SITE}/datasets/{STRANGERS}/tables/more.csv.gz",
    f"{SITE}/datasets/old/index.html",
    f"{SITE}/comparisons/x.html",
    f"{SITE}/names with spaces/'quotes\" {{braces}} [x] * ?.txt",
    f"{SITE}/\N{PILE OF POO}.html",
    f"{SITE}/line\nbreak.txt",
    f"{SITE}/{'long' * 60}",
    f"reports/{PAPER}/figures/mine.png",
    f"reports/{PAPER}/tables/.mine.abcdefgh",
    f"reports/{PAPER}/provenance.docx",
    "thesis/draft.tex",
    "thesis/data/derived/x.csv",
    "notes.txt",
    "logs/mine.log",
    "logs/read_logs/mine.log",
    "dist/talk.zip",
    "set-aside/mine.txt",
    "results/expected/README.md",
    "results/mine.csv",
    f"{OUTSIDE}/file.csv",
    f"{OUTSIDE}/folder/inside.csv",
    f"{OUTSIDE}/folder/index.html",
]
LINKS = {  # where: to what
    f"{SITE}/link.csv": f"{OUTSIDE}/file.csv",
    f"{SITE}/latest": PAPER,
    f"{SITE}/datasets/linked": f"{OUTSIDE}/folder",
    f"{SITE}/dangling": f"{OUTSIDE}/nothing",
    f"{SITE}/loop": "loop",
    f"{SITE}/up": ".",
    f"{DERIVED}/linked": f"{OUTSIDE}/folder",
    f"{DERIVED}/{OURS}/linked": f"{OUTSIDE}/folder",
    "linked": f"{OUTSIDE}/folder",
}
DATED = {
    "thesis/draft.tex": AHEAD_S,
    f"{SITE}/CNAME": AHEAD_S,
    f"{OUTSIDE}/folder/inside.csv": AHEAD_S,
    f"{DERIVED}/parts.csv": LONG_AGO_S,
}


def put_strangers(project: Path) -> dict[Path, tuple]:
    """Put them all into a built project; return what each is like (`look`)."""
    there = set(_all(project))
    for number, name in enumerate(TEXTS):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"another's {number}\n")
    for name, target in LINKS.items():
        leads = project / target if target.startswith("..") else target
        (project / name).symlink_to(leads)
    for name in (f"{DERIVED}/empty", f"{SITE}/datasets/{OURS}/empty"):
        (project / name).mkdir()
    for name in (f"{SITE}/pipe", "thesis/pipe"):
        os.mkfifo(project / name)
    _socket(project / DERIVED)
    for name, mode in (("read-only.csv", 0o400), ("closed.csv", 0), ("program", 0o6755)):
        (project / DERIVED / name).write_text("another's\n")
        (project / DERIVED / name).chmod(mode)
    os.link(project / OUTSIDE / "file.csv", project / DERIVED / "hard-link.csv")
    table = project / DERIVED / OURS / "run.parquet"
    (project / DERIVED / OURS / "run (copy).parquet").write_bytes(table.read_bytes())
    Path(os.fsdecode(bytes(project / SITE) + b"/b\xff\xfe.txt")).write_text("another's\n")
    with (project / DERIVED / "sparse.bin").open("wb") as handle:
        handle.truncate(2**31)
    for name, seconds in DATED.items():
        os.utime(project / name, (seconds, seconds))
    _repository(project / SITE)
    _repository(project / DERIVED / "mine")
    (project / SITE / "sealed").mkdir()
    (project / SITE / "sealed/page.html").write_text("another's\n")
    (project / SITE / "sealed").chmod(0o500)
    return {path: look(path) for path in set(_all(project)) - there}


def _socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)  # the path of a socket may have 107 bytes
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("socket")
    os.chdir(here)


def _repository(folder: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder)]
    for words in (["init", "-q", "."], ["add", "--", "."], ["commit", "-qm", "sent"]):
        subprocess.run([*git, *words], check=True, capture_output=True)


def _all(project: Path) -> list[Path]:
    tops = [project / name for name in ("data/derived", "reports", "thesis", "logs", "dist")]
    tops += [project / name for name in ("set-aside", "results", OUTSIDE)]
    found = [Path(folder, name) for top in tops for folder, *both in os.walk(top)
             for names in both for name in names]  # fmt: skip
    return [
        *found,
        *(project / name for name in ("notes.txt", "linked") if os.path.lexists(project / name)),
    ]


def look(path: Path) -> tuple | None:
    """Return what a file is like: kind, permissions, size, time, content; None where it is gone.

    A folder's time and size change where files of ours come and go in it.
    """
    try:
        about = path.lstat()
    except OSError:
        return None
    found: tuple = (about.st_mode,)
    if not stat.S_ISDIR(about.st_mode):
        found += (about.st_size, about.st_mtime_ns, about.st_ino)
    if stat.S_ISLNK(about.st_mode):
        found += (str(path.readlink()),)
    if stat.S_ISREG(about.st_mode) and about.st_size < 2**20 and os.access(path, os.R_OK):
        found += (path.read_bytes(),)
    return found


def lost(before: dict[Path, tuple]) -> list[str]:
    """Say what became of those that are not as before."""
    found = []
    for path, was in sorted(before.items()):
        now = look(path)
        if now != was:
            found.append(f"{path} {'is gone' if now is None else 'was altered'}")
    return found
