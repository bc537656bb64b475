"""Formats that a job did without: an edit of one of their modules does not run the job again.

A job that looks at logs has all format modules among its inputs (`imports`), as any of them may
recognise a log. It depends on the modules of the formats that its logs have, and on what recognises
the others: names, signatures and what else `detect_format` goes by.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from .. import plugins
from ..imports import named, reached
from ..runs.places import PLACE, write_whole
from ..runs.receipts import Read, digest_of, saw_raw
from . import FORMATS

RECOGNITION = "what recognises the formats of logs"  # as receipts name it
KNOWN = PLACE / "recognition.json"  # {digest of the modules' texts: what `recognition` returned}
HERE = Path(__file__).parent
GOES_BY = ("SIGNATURE", "PATH", "BESIDE")  # of a format, where it has them, and `confirm`


def done_without(inputs: Mapping[str, Read]) -> set[str]:
    """Return those of a job's inputs that are of formats which it has not asked for.

    A helper module counts as one of each format that imports it. Nothing is left out where it
    cannot be known what recognises formats; else the job's receipt says it (`RECOGNITION`).

    Args:
        inputs: what the job has read, as it was before.
    """
    places = {path: Path(path).resolve() for path in inputs if path.endswith((".py", ".c"))}
    added = {path.resolve() for path in plugins.files("formats")}
    ours = {path for path, file in places.items() if file.parent == HERE or file in added}
    if not ours:
        return set()
    of_ours = {places[path]: inputs[path] for path in ours if path.endswith(".py")}
    as_read = _digest({file: state[2] for file, state in of_ours.items() if state})
    recognised = recognition(as_read)
    if not recognised or as_read != _of_modules():  # not loaded, or edited meanwhile
        return set()
    if not KNOWN.is_file() or as_read not in KNOWN.read_text(encoding="utf-8"):
        write_whole(KNOWN, json.dumps({as_read: recognised}))
    saw_raw(RECOGNITION, recognised)
    asked_for = {file for name in FORMATS.asked_for for file in FORMATS.files_of(name)}
    needed = {HERE / "__init__.py", *asked_for, *(places[path] for path in places.keys() - ours)}
    needed |= reached(needed, HERE.parent, named)
    return {path for path in ours if places[path] not in needed}


def recognition(of_modules: str | None = None) -> str:
    """Return a digest of what recognises formats; '' where one of them cannot be loaded.

    Args:
        of_modules: digest of the modules' texts, where it is known.
    """
    with suppress(OSError, ValueError, AttributeError):
        if found := json.loads(KNOWN.read_bytes()).get(of_modules or _of_modules()):
            return str(found)
    try:
        modules = [(str(name), FORMATS.look_at(name)) for name in FORMATS]
    except Exception:  # whatever an edit broke: the jobs that load the module say what
        return ""
    said = [
        (name, [getattr(module, key, None) for key in GOES_BY], _confirms(module))
        for name, module in sorted(modules)
    ]
    return sha256(repr(said).encode()).hexdigest()


def _confirms(module: ModuleType) -> str:
    """Return the text of a module whose code confirms that a log is of its format."""
    if module.__file__ is None or not hasattr(module, "confirm"):
        return ""
    return Path(module.__file__).read_text(encoding="utf-8")


def _of_modules() -> str:
    added = (path for path in plugins.files("formats") if path.suffix == ".py")
    return _digest({path: digest_of(path) for path in (*HERE.glob("*.py"), *added)})


def _digest(texts: Mapping[Path, str | None]) -> str:
    return sha256(
        repr(sorted((path.name, text) for path, text in texts.items())).encode()
    ).hexdigest()
