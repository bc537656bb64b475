"""`make publish DIR=...`: copy the pages that evenflow made, for a web server or gh-pages.

Nothing else is copied: no `.git`, no file of others, no mark, no page of a paper that is not made
any more. In DIR, what an earlier call copied and is as it left it is replaced or removed; whatever
else is there stays.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..documentation import FIRST
from ..paths import printable
from ..places import OWN, STATE, TEXTS, folders, typed
from .known import Known
from .locking import AnotherRunError, hold_run
from .places import is_inside, prune, write_whole
from .receipts import digest_of, is_plain

# at the top of a study, and no place for pages
OF_OTHERS = (str(STATE), ".snakemake", ".venv", ".github")
INDEX = "index.html"
LIST = ".evenflow-published"  # in DIR: SHA-256 by path of what was copied there


def publish(target: Path) -> str:
    """Copy the pages; return a sentence on what was done.

    Raises:
        ValueError: with a sentence: pages that are not as they were made, files in the way.
    """
    known, site = Known(), f"{folders().site}/"
    made = {path.removeprefix(site): path for path in known.receipt_of if path.startswith(site)}
    pages = _led_to(made, known, site)
    if not pages:
        raise ValueError("nothing was made yet. Remedy: make")
    notices = {p for r in known.receipts.values() if not r.good for p in r.outputs}
    for path in pages.values():
        if path in notices or not known.is_ours(path):
            what = "says why it could not be made" if path in notices else "is not as it was made"
            raise ValueError(f"{path} {what}. Remedy: make, until it ends well")
    before = _listed(target)
    for name in pages:
        _refuse_others(target, name, before)
    gone = [name for name in before if name not in pages and _as_listed(target, name, before)]
    now = {name: digest_of(path) for name, path in sorted(pages.items())}
    # listed before they are there, so that a call that was killed leaves nothing of nobody's
    write_whole(target / LIST, json.dumps(before | now))
    for name, path in pages.items():
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        temporary = copy.with_name(f".{secrets.token_hex(8)}")
        shutil.copyfile(path, temporary)
        temporary.replace(copy)
    for name in gone:
        (target / name).unlink()
        prune((target / name).parent, [target])
    write_whole(target / LIST, json.dumps(now))
    return f"{len(now)} files are in {target}, {len(gone)} of before are removed."


def _led_to(made: dict[str, str], known: Known, site: str) -> dict[str, str]:
    """Return the pages of what the first page leads to; all where there is no first page.

    Others are of a data set or paper that was left out when that was made, and may be of old data.
    """
    if INDEX not in made:
        return made
    inputs = known.receipts[known.receipt_of[made[INDEX]]].inputs
    shown = {_subject(path.removeprefix(site)) for path in inputs if path.startswith(site)}
    return {name: path for name, path in made.items() if _subject(name) in {*shown, ()}}


def _subject(page: str) -> tuple[str, ...]:
    """Return the folder of a data set, comparison or paper that a page is in; () of the site's."""
    folders_above = page.split("/")[:-1]
    return (*folders_above[: 2 if folders_above[:1] in (["datasets"], ["comparisons"]) else 1],)


def refuse_target(target: Path) -> None:
    """Refuse a folder for a site that is something else already.

    Raises:
        ValueError: it is, or holds, the study; it is, lies in or holds a folder of the study that
            evenflow reads or writes, or one of git; it lies in raw logs or a paper that a link of
            the study leads to.
    """
    here, place, known = Path.cwd().resolve(), target.resolve(), folders()
    other = "Remedy: choose a folder for the site alone, such as ../my-site"
    if here.is_relative_to(place):
        what = "is" if here == place else "holds"
        raise ValueError(f"{target} {what} the folder of the study. {other}")
    if ".git" in place.parts:
        raise ValueError(f"{target} lies in the files of git. {other}")
    if place.is_relative_to(Path(known.site).resolve()):
        raise ValueError(f"{target} is where the pages are made. {other}")
    taken = [*known, *OWN, *OF_OTHERS]
    if not Path(FIRST).is_file():
        taken.remove(TEXTS)  # no documentation, but a name that web servers ask for
    for name in taken:
        if place.is_relative_to(Path(name).resolve()):
            raise ValueError(f"{target} is {name} of the study, or lies in it. {other}")
        if Path(name).resolve().is_relative_to(place):
            raise ValueError(f"{target} holds {name} of the study. {other}")
    for top in (known.raw, known.reports):
        for path in Path(top).iterdir() if Path(top).is_dir() else ():
            if path.is_symlink() and place.is_relative_to(path.resolve()):
                raise ValueError(f"{target} is {path} of the study, or lies in it. {other}")


def _listed(target: Path) -> dict[str, str]:
    with suppress(OSError, ValueError, AttributeError):
        said = json.loads((target / LIST).read_bytes())
        return {name: str(digest) for name, digest in said.items() if is_inside(name)}
    return {}


def _as_listed(target: Path, name: str, listed: dict[str, str]) -> bool:
    path = target / name
    above = [target / part for part in list(Path(name).parents)[:-1]]
    if any(folder.is_symlink() for folder in above) or not is_plain(str(path)):
        return False
    return name in listed and digest_of(path) == listed[name]


def _refuse_others(target: Path, name: str, listed: dict[str, str]) -> None:
    """Refuse to write over what is not of an earlier call."""
    for part in [*list(Path(name).parents)[-2::-1], Path(name)]:
        path, last = target / part, part == Path(name)
        if os.path.lexists(path) and (path.is_symlink() or (not last and not path.is_dir())):
            raise ValueError(f"{path} is in the way. Remedy: remove it, or choose another folder")
    path = target / name
    if not os.path.lexists(path) or _as_listed(target, name, listed):
        return
    if not is_plain(str(path)) or digest_of(path) != digest_of(f"{folders().site}/{name}"):
        why = f"was not put there by `{typed('publish')}`, or was changed since"
        raise ValueError(f"{path} {why}. Remedy: remove it, or choose another folder")


def main(words: list[str], make: Callable[[], int] = lambda: 0) -> int:
    """Publish into the folder that is named; 1 where that may not be.

    Args:
        words: the folder.
        make: makes the pages anew where something has changed, and returns 0 where that went well.
    """
    if len(words) != 1 or not words[0]:
        said = typed("publish ../my-site", "publish DIR=../my-site")
        print(f"Say where to: {said}", file=sys.stderr)
        return 1
    target = Path(words[0])
    try:
        refuse_target(target)
        if code := make():
            print("Nothing was copied: the pages could not be made.", file=sys.stderr)
            return code
        lock = hold_run()
        print(printable(publish(target)), file=sys.stderr)
    except (ValueError, OSError, AnotherRunError) as error:
        print(printable(error), file=sys.stderr)
        return 1
    return 0 if lock else 1
