"""Log formats: one module each, all of the same shape.

A format module has

    NAME       the name that dataset.yml uses
    TOOL       the program that writes it
    PLATFORM   what it runs on, as dataset.yml names it: testbed, ns2, ns3; None where it may be any
    CLOCK      'flow' (times count from the start of the flow's own log) or 'run'
    SIGNATURE  regular expression that the beginning of a log of this format matches, or None
    PATH       where content does not say it: regular expression that the file's name matches too
    confirm()  where that is not enough: whether the beginning of a log, as text, is of this format
    UNKNOWN_LINE  the reason for which foreign lines are rejected, where it rejects any
    COMPLAINT  regular expression of the words in which such a log says why it measures nothing
    NO_CONNECTION  regular expression of what a test without any connection leaves in a log
    WAITED     regular expression of what a server leaves that is ended while it waits for a test
    TESTS      True where a log is of one test of throughput, so that without intervals it measured
               nothing; logs of other formats are traces then
    NAMES_FLOWS  True where `label` is a name that whoever measured knows a flow by
    BESIDE     names of formats whose lines such a log may hold as well
    parse()    from logs (`logs.Log`) to those of `tables.TABLES` that the format gives, and always
               the tables `fate` and `rejected`, which account for every byte
    scan_batch(), tables()  what parse() does, in two steps, where that is faster: from a batch of
               logs, by threads, then from what several calls gave, at once. Of the formats here the
               first is in a module of its own, which ends with _scan: it does without Polars, which
               is imported meanwhile

Text formats are lists of line shapes (`shapes`, `lexing`). Nothing else in evenflow knows how a log
looks. docs/reference/formats.md lists formats, versions and fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from .. import plugins
from ..errors import DataError
from ..places import page
from .logs import FATES as FATES
from .logs import Log as Log
from .recognise import NO_LOG, recognise
from .terminal import without_escapes

NEEDED = ("NAME", "TOOL", "PLATFORM", "CLOCK", "SIGNATURE", "parse")  # of a format


class Formats(Mapping[Any, ModuleType]):
    """The modules of this folder that name a format, by this name: imported when asked for.

    A job reads logs of one or two formats, and many read none: importing all takes a tenth of a
    second. Formats of plug-ins (`plugins`) are imported where one asks for more than these modules.

    Attributes:
        asked_for: names of formats that this process has asked for; not those that it only looked
            at to recognise logs. An edit of any other changes nothing here (`others`).
    """

    def __init__(self) -> None:
        self.asked_for: set[str | None] = set()

    @cached_property
    def _texts(self) -> dict[str, Path]:
        return {m.name: Path(__file__).with_name(f"{m.name}.py") for m in iter_modules(__path__)}

    @cached_property
    def _own(self) -> dict[str | None, str]:
        named = re.compile(rb'^NAME = "(.+)"$', re.MULTILINE)
        found = {name: named.search(path.read_bytes()) for name, path in self._texts.items()}
        return {match[1].decode(): name for name, match in found.items() if match}

    @cached_property
    def _added(self) -> dict[str | None, ModuleType]:
        added: dict[str | None, ModuleType] = {}
        for module in plugins.modules("formats"):
            if lacking := [name for name in NEEDED if not hasattr(module, name)]:
                problem = f"a format needs {', '.join(lacking)}"
                remedy = f"see {page('guides/extending.md')}"
                raise DataError(problem, path=module.__file__, remedy=remedy)
            taken = module.NAME in self._own or module.NAME in added
            plugins.refuse_taken(module.NAME, taken, module.__file__, "format")
            added[module.NAME] = module
        return added

    def __getitem__(self, name: str | None) -> ModuleType:
        module = self.look_at(name)
        self.asked_for.add(name)
        return module

    def look_at(self, name: str | None) -> ModuleType:
        """Return the module of a format, to recognise logs by it."""
        if name not in self._own:
            return self._added[name]
        return import_module(f".{self._own[name]}", __name__)

    def scanner(self, name: str | None) -> Callable[[Sequence[Log]], Any] | None:
        """Return the `scan_batch` of a format; None where it has none."""
        self.asked_for.add(name)
        if name not in self._own:
            return getattr(self._added.get(name), "scan_batch", None)
        scanner = f"{self._own[name]}_scan"
        return import_module(f".{scanner}", __name__).scan_batch if scanner in self._texts else None

    def files_of(self, name: str | None) -> list[Path]:
        """List the files of a format and its scanner; of a plug-in, what it imports as well."""
        if name in self._own:
            stem, here = self._own[name], Path(__file__).parent
            return [p for p in here.glob(f"{stem}*") if p.stem in (stem, f"{stem}_scan")]
        module = self._added.get(name)
        if not module or not module.__file__:
            return []
        return [*plugins.files_of_module(module.__name__, Path(module.__file__).resolve())]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._added

    def __iter__(self) -> Iterator[Any]:
        return iter([*self._own, *self._added])

    def __len__(self) -> int:
        return len(self._own) + len(self._added)


# a new format is a file and no line here
FORMATS = Formats()
RUN_RECORD, TWO_COLUMN = "run-record", "two-column"
# formats of one tool, that `format:` may confuse: which of them a log is, its content says
_IPERF2, _IPERF3 = ("iperf2", "iperf2-csv"), ("iperf3", "iperf3-json")
FAMILIES = {
    "iperf": (*_IPERF2, *_IPERF3),
    **dict.fromkeys(_IPERF2, _IPERF2),
    **dict.fromkeys(_IPERF3, _IPERF3),
}
METADATA = "metadata"  # dataset.yml, runs.csv, README: about the data set, no logs of it
HIDDEN = "hidden"  # files whose name, or that of a folder of theirs, begins with a full stop
IGNORE = "ignore"  # files that dataset.yml declares to be no logs
UNKNOWN = "unknown"  # files of no known format, in a folder that names no patterns
DOUBTFUL = "doubtful"  # files of which too little is what the format that they begin as has
EMPTY = "empty"  # files that hold nothing and are no logs by their names
NO_FILE = "no-file"  # links that lead nowhere or to folders, pipes, sockets, devices
COPY = "copy"  # files that say what another file says, in a folder that names no patterns
# words of reasons in the ledger that others look for: before the reason why a run is left out, and
# why it is excluded; of a log of a test without a flow
WITH_ITS_RUN = "its run is left out: "
EXCLUDED = "excluded in dataset.yml: "
NO_TEST = "no connection was made: a test that failed"
TABLE_OF_RUNS = "it may say what the runs were"  # of a table that dataset.yml could name
HIDDEN_LOG = "it is a log by its content:"  # of a hidden file, before the format
LEFT_OUT = "left-out"  # files of a run that is left out under `on_error: quarantine`
UNREADABLE = "unreadable"  # the file for which it is
# fate and reason of every line of files that no format module parses
UNPARSED = {
    METADATA: ("header", "describes the data set"),
    HIDDEN: ("skipped", "hidden: not read"),
    IGNORE: ("header", "declared not to be a log in dataset.yml"),
    UNKNOWN: ("skipped", NO_LOG),
    DOUBTFUL: ("skipped", "too little of it is a log"),
    EMPTY: ("skipped", "the file is empty"),
    COPY: ("skipped", "it is a copy of another file"),
    LEFT_OUT: ("skipped", "its run is left out"),
}
NO_LOGS = (UNKNOWN, DOUBTFUL, EMPTY, NO_FILE, COPY)  # in a folder that names no patterns
SIGNATURE_BYTES = 4096
USUAL_BYTES = 512  # nearly all logs show by then what they are


@cache
def _signatures() -> dict[str, Callable]:
    """Return what finds the signature of each format that has one."""
    signatures = {name: FORMATS.look_at(name).SIGNATURE for name in FORMATS}
    return {
        name: re.compile(signature, re.MULTILINE).search
        for name, signature in signatures.items()
        if signature
    }


@cache
def _beside() -> dict[str, set[str]]:
    """Return the formats whose lines logs of a format may hold as well."""
    return {name: set(getattr(FORMATS.look_at(name), "BESIDE", ())) for name in FORMATS}


def detect_format(content: bytes, path: str | Path) -> str:
    """Return the name of the format whose signature the beginning of a log matches.

    Raises:
        DataError: no format, or more than one, matches.
    """
    found = _matching(content[:USUAL_BYTES], path, FORMATS)
    found = found or _matching(content[:SIGNATURE_BYTES], path, FORMATS)
    wider = [name for name, besides in _beside().items() if not besides.isdisjoint(found)]
    found = [*found, *_matching(content[:SIGNATURE_BYTES], path, set(wider) - set(found))]
    beside = {name for other in found for name in _beside().get(other, ())}
    found = [name for name in found if name not in beside]
    if len(found) == 1:
        return found[0]
    kind = None if found else recognise(content, path)
    if kind:
        remedy = (
            f"{kind.help or 'it is not a log'}; or name it in dataset.yml with 'format: ignore'"
        )
        raise DataError(f"{kind.what}: not read", path=path, remedy=remedy)
    problem = "the format is not recognised" if not found else f"may be any of {', '.join(found)}"
    remedy = f"say 'format:' with its pattern in dataset.yml (known: {', '.join(FORMATS)})"
    raise DataError(problem, path=path, remedy=remedy)


def settle_format(declared: str, content: bytes, path: str | Path) -> str:
    """Return the format of a log for which dataset.yml declares one.

    Within a tool's family (FAMILIES) the content decides; else what is declared counts, unless the
    content shows that it is another format and nothing of the declared one.

    Raises:
        DataError: the content is evidently another format, or known not to be read.
    """
    family = FAMILIES.get(declared, (declared,))
    if declared in FORMATS and FORMATS[declared].SIGNATURE is None:
        return declared
    own = _matching(content[:SIGNATURE_BYTES], path, family)
    try:
        found = detect_format(content, path)
    except DataError as error:
        kind = recognise(content, None)  # a name proves nothing against what is declared
        if kind is None or own:
            if declared in FORMATS:
                return own[0] if len(own) == 1 else declared
            raise
        remedy = error.remedy
        found = kind.what
    else:
        if found in family:
            return found
        if own:
            return declared
        remedy = f"write 'format: {found}', or leave 'format:' out"
    problem = f"'format: {declared}' for {Path(path).name}, which seems to be {found}"
    raise DataError(problem, path=path, remedy=remedy)


def _matching(head: bytes, path: str | Path, names: Collection[str]) -> list[str]:
    if not names:
        return []
    text = without_escapes(head).decode("latin-1").replace("\r\n", "\n")
    signatures = _signatures()
    signed = [name for name in names if name in signatures and signatures[name](text)]
    modules = {name: FORMATS.look_at(name) for name in signed}
    return [
        name
        for name, module in modules.items()
        if (not hasattr(module, "PATH") or re.search(module.PATH, Path(path).name))
        and (not hasattr(module, "confirm") or module.confirm(text))
    ]
