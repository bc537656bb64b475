"""Every file of a data set: what it holds, its format, the run and flow that its path names."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import DataError
from ..files import (
    BLOCK_BYTES,
    USUAL_LIMITS,
    Limits,
    beyond,
    compression,
    decompressed,
    read_pieces,
    sha256_hex,
    too_large_a_dataset,
)
from ..formats import (
    DOUBTFUL,
    EMPTY,
    FORMATS,
    HIDDEN,
    HIDDEN_LOG,
    IGNORE,
    METADATA,
    NO_FILE,
    TABLE_OF_RUNS,
    UNKNOWN,
    UNPARSED,
    UNREADABLE,
    detect_format,
    settle_format,
)
from ..paths import Found, list_files, shown_path
from .contents import LARGE_BYTES, head_of
from .described.known_settings import LABEL, typed
from .described.of_flows import ccas_beside_settings, own_settings_of_flows
from .described.patterns import matches, path_pattern, run_of_path, scenario_of_path
from .entities import Description, Entry, Pattern, Row

UNDOCUMENTED = re.compile(r"(^|/)(README|LICEN[CS]E|CHANGES)[^/]*$", re.IGNORECASE)
OUT_OF_SIGHT = re.compile(r"(^|/)\.")
# name of the first file in an Office, OpenDocument, EPUB, Java or NumPy file
DOCUMENT = re.compile(rb"\[Content_Types\]|mimetype|_rels/|META-INF/|AndroidManifest|[^/]*\.npy")
KEPT_BYTES = 256 * 2**20  # of contents kept between the inventory and the parsing


def inventory(
    folder: str | Path,
    dataset: Description,
    rows: dict[str, Row],
    limits: Limits = USUAL_LIMITS,
    inside: Iterable[str] | None = None,
) -> list[Entry]:
    """List every file of a data set, read it, and say what it is.

    Args:
        folder: the data set.
        dataset: what `read_dataset` returned.
        rows: of single files by path, from runs.csv.
        limits: of the sizes of files and logs.
        inside: folders of the data set, where only what is in these is to be listed
            (`chunks`).

    Returns:
        The files, sorted by path, with their contents as far as these are kept, and what their
        paths and rows say.

    Raises:
        DataError: a file that no pattern matches, whose format is unknown, or that cannot be read;
            of these only the last where the data set names no patterns.
    """
    folder = Path(folder)
    patterns = [
        (said, path_pattern(said.path, globs=said.format == IGNORE)) for said in dataset.files
    ]
    lenient = dataset.on_error == "quarantine"
    placing = any(said.format != IGNORE for said, _ in patterns)
    entries: list[Entry] = []
    refused: list[tuple[Entry, DataError]] = []
    kept = 0
    listed = [(shown_path(f.path.relative_to(folder)), f) for f in list_files(folder, inside)]
    first = _first_matches([path for path, _ in listed], patterns)
    for path, found in listed:
        entry = Entry(len(entries), path, found.path)
        try:
            _place(entry, first.get(path), dataset, rows)
            if found.problem:
                _judge_unread(entry, found, lenient)
                entries.append(entry)
                continue
            _read(entry, limits)
            limits = limits._replace(
                dataset_bytes=limits.dataset_bytes - (entry.content_bytes or 0)
            )
            entry.format = _format(entry, dataset, lenient or not placing)
            if entry.format == HIDDEN:
                entry.problem = _hidden_log(entry)
            if entry.format == UNKNOWN and dataset.runs is None:
                entry.problem = _table_of_runs(entry)
            _refuse_large(entry, limits)
            if rows and not placing and entry.run_id is None and entry.format in FORMATS:
                raise _no_row(dataset, entry.file)
        except DataError as error:
            if not (lenient or dataset.exclude):
                raise
            refused.append((entry, error))
            entry.problem, entry.format, entry.readable = error.problem, UNREADABLE, False
            entry.content, entry.content_bytes = None, None
            _identify(entry)
        if entry.content is not None:
            kept += len(entry.content)
            if kept > KEPT_BYTES:
                entry.content = None
        entries.append(entry)
    _name_runs(entries, dataset.pool_over)
    for entry, refusal in refused:
        if not lenient and entry.run_id not in dataset.exclude:
            raise refusal
    return entries


def _name_runs(entries: list[Entry], over: Sequence[str]) -> None:
    """Give the files that a pattern placed the run and the scenario of their paths."""
    placed = [e for e in entries if e.template]
    ccas = ccas_beside_settings([(e.template, e.values) for e in placed])
    paths = [(e.template, e.values, ("cca",) * (e.template in ccas)) for e in placed]
    of_flows = own_settings_of_flows(paths)
    for entry, path, settings in zip(placed, paths, of_flows, strict=True):
        template, values, of_flow = path
        if entry.run_id is None:  # runs.csv has not named it
            entry.run_id = run_of_path(template, values, (*of_flow, *settings))
        entry.scenario_id = scenario_of_path(template, values, (*of_flow, *settings), over)


def is_described(dataset: Description, rows: dict[str, Row]) -> bool:
    """Return whether dataset.yml or runs.csv say which files are which; else it is inferred."""
    return bool(rows) or any(said.format != IGNORE for said in dataset.files)


def _first_matches(
    paths: list[str], patterns: list[tuple[Pattern, re.Pattern]]
) -> dict[str, tuple[Pattern, re.Match]]:
    """Return of each path that a pattern fits the first that does, and its match."""
    first: dict[str, tuple[Pattern, re.Match]] = {}
    for said, pattern in patterns:
        found = matches(pattern, [path for path in paths if path not in first])
        first |= {path: (said, match) for path, match in found.items()}
    return first


def _place(
    entry: Entry,
    fit: tuple[Pattern, re.Match] | None,
    dataset: Description,
    rows: dict[str, Row],
) -> None:
    """Fill in format, run, flow and settings of a file as its path and its row say.

    Args:
        entry: the file.
        fit: the pattern that its path matches, and the match; None where none does.
        dataset: what `read_dataset` returned.
        rows: of single files by path, from runs.csv.
    """
    path = entry.path
    if path in ("dataset.yml", dataset.runs) or UNDOCUMENTED.search(path):
        entry.format, entry.placed = METADATA, True
        return
    if OUT_OF_SIGHT.search(path):
        entry.format, entry.placed = HIDDEN, True
        return
    if fit:
        said, match = fit
        if said.format == IGNORE:
            entry.format, entry.placed = IGNORE, True
            return
        values = match.groupdict()
        settings = {key: typed(key, value, entry.file) for key, value in values.items()}
        entry.template, entry.values, entry.placed = said.path, values, True
        entry.format, entry.declared_line, entry.value = said.format, said.line, said.value
        entry.flow_id = settings.pop("flow", None)
        entry.settings = {k: v for k, v in settings.items() if not LABEL.fullmatch(k)}
    if path in rows:
        row = rows[path]
        entry.run_id = row.run or (None if entry.placed else path)
        entry.flow_id = entry.flow_id if row.flow is None else row.flow
        entry.settings = entry.settings | row.settings
        entry.placed = True
    if entry.placed or all(said.format == IGNORE for said in dataset.files):
        return
    tried = "; ".join(said.path for said in dataset.files) or "none"
    problem = f"no pattern under 'files:' in dataset.yml matches this path (patterns: {tried})"
    remedy = (
        "correct the name or the pattern (numeric placeholders match digits only), or add a "
        "pattern with 'format: ignore' for files that are not logs"
    )
    if path == "runs.csv" and dataset.runs is None:
        remedy = f"say 'runs: runs.csv' in dataset.yml if it says what the runs were, or {remedy}"
    starred = [s.path for s in dataset.files if s.format != IGNORE and "*" in s.path]
    if starred:
        remedy = (
            f"'*' stands for other text only in patterns with 'format: ignore'. In '{starred[0]}' "
            "write a placeholder for each text that differs: {repeat} or {run} for what tells "
            "repetitions apart, {flow} for the number of a flow, any other name for a factor; and "
            "a placeholder for each folder"
        )
    raise DataError(problem, path=entry.file, remedy=remedy)


def _no_row(dataset: Description, file: Path) -> DataError:
    problem = f"the log has no row in {dataset.runs}, which names files"
    remedy = "add a row for it; if it is not a log, or not wanted, name it in dataset.yml under "
    return DataError(problem, path=file, remedy=remedy + "'files:' with 'format: ignore'")


def _judge_unread(entry: Entry, found: Found, lenient: bool) -> None:
    """Fill in what is known of a link, a pipe, a device, a folder that may not be read.

    Raises:
        DataError: a pattern or a row says that it is a log.
    """
    declared = entry.format in UNPARSED
    if entry.placed and not declared and not lenient:
        remedy = "put the file itself there, or name it in dataset.yml with 'format: ignore'"
        raise DataError(str(found.problem), path=entry.file, remedy=remedy)
    entry.problem = found.problem
    if not declared:
        entry.format = UNREADABLE if found.lost else NO_FILE


def _read(entry: Entry, limits: Limits) -> None:
    """Fill in content, size and digest of a file; of a large one only size and digest."""
    file, format_name = entry.file, entry.format
    try:
        with file.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            packed = compression(handle.read(8))
            handle.seek(0)
            large = size > (LARGE_BYTES // 8 if packed else LARGE_BYTES)
            data = b"" if large else handle.read(size)
            endless = not size and handle.read(1)
    except OSError as error:
        remedy = "give this user the right to read it (chmod u+r), or copy it again"
        raise DataError(f"{error.strerror}", path=file, remedy=remedy) from error
    if endless:
        remedy = "copy what is in it to a file, or delete it"
        raise DataError("no file on a disk: it holds more than it says", path=file, remedy=remedy)
    if size > limits.dataset_bytes:
        raise too_large_a_dataset(file)
    if large:
        _read_large(entry, size, packed, limits)
        return
    try:
        content = decompressed(data, file, limits)
    except DataError:
        if format_name != IGNORE:
            raise
        content = data
    if len(content) > limits.dataset_bytes:  # of a small file, which is decompressed at once
        raise too_large_a_dataset(file)
    if (not content or content.isspace()) and not _may_be_empty(format_name):
        if entry.placed:
            raise empty_log(file)
        entry.format = EMPTY
    if format_name != IGNORE and _is_archive(content):
        problem = "an archive of files: unpacked into the folder they are read"
        if entry.placed:
            remedy = "unpack it, or name it in dataset.yml with 'format: ignore'"
            raise DataError(problem, path=file, remedy=remedy)
        entry.format, entry.problem = DOUBTFUL, problem
    entry.sha256, entry.bytes = sha256_hex(data), size
    entry.content_sha256 = entry.sha256 if content is data else sha256_hex(content)
    entry.content, entry.content_bytes, entry.readable = content, len(content), True


def _read_large(entry: Entry, size: int, packed: str | None, limits: Limits) -> None:
    """Fill in sizes and digests of a file that is read in pieces."""
    _identify(entry)
    total, digest = size, entry.sha256
    if packed:
        unpacked, total = hashlib.sha256(), 0
        try:
            for piece in read_pieces(entry.file, limits):
                total += len(piece)
                unpacked.update(piece)
        except DataError as error:
            if entry.format != IGNORE:
                raise
            entry.problem = error.problem
            return
        digest = unpacked.hexdigest()
    entry.content_bytes, entry.content_sha256, entry.readable = total, digest, True


def _refuse_large(entry: Entry, limits: Limits) -> None:
    """Refuse a log that would not fit into the memory; of one that is read in blocks any size."""
    module = FORMATS.get(entry.format)
    in_memory = module and not getattr(module, "READS_BLOCKS", False)
    if in_memory and (entry.content_bytes or 0) > limits.log_bytes:
        problem = f"the log has more than {limits.log_bytes:g} bytes, decompressed"
        remedy = "split it into a log a test"
        raise beyond("limits.log_bytes", problem, remedy, path=entry.file)


def _is_archive(content: bytes) -> bool:
    """Say whether a file is a tar or zip archive; documents and programs are zip archives too."""
    is_zip = content.startswith(b"PK\3\4")
    document = is_zip and DOCUMENT.match(content[30:70])
    return (is_zip and not document) or content[257:262] == b"ustar"


def empty_log(file: Path) -> DataError:
    """Return the error of a log that holds nothing."""
    problem = "the log is empty: the program that should write it died or never ran"
    remedy = "delete the run so that it is made again, or set 'on_error: quarantine'"
    return DataError(problem, path=file, remedy=remedy)


def _identify(entry: Entry) -> None:
    """Fill in size and digest of a file, null where it cannot be read."""
    entry.sha256 = entry.bytes = None
    try:
        entry.bytes = entry.file.stat().st_size
        with entry.file.open("rb") as handle:
            digest, left = hashlib.sha256(), entry.bytes
            while piece := handle.read(min(left, BLOCK_BYTES)):
                digest.update(piece)
                left -= len(piece)
        entry.sha256 = digest.hexdigest()
    except OSError:
        pass  # the ledger says why: the same error is the file's `problem`


def _may_be_empty(format_name: str | None) -> bool:
    """Return whether a file of this format (None: still to be detected) may hold nothing."""
    if format_name is None:
        return False
    return getattr(FORMATS.get(format_name), "MAY_BE_EMPTY", format_name not in FORMATS)


def _format(entry: Entry, dataset: Description, lenient: bool) -> str:
    """Return the format of a file: as declared where that matches, else as its content says."""
    declared = entry.format
    if declared is None:
        return _detect(entry, lenient)
    if declared in UNPARSED or not entry.content_bytes:
        return declared
    try:
        return settle_format(declared, head_of(entry), entry.file)
    except DataError as error:
        line = entry.declared_line
        problem = f"{error.problem} (line {line} of dataset.yml)"
        raise DataError(problem, path=dataset.path, line=line, remedy=error.remedy) from error


def _hidden_log(entry: Entry) -> str | None:
    """Return what the ledger says of a hidden file that is a log by its content."""
    try:
        found = detect_format(head_of(entry), entry.file)
    except DataError:
        return None
    return f"{UNPARSED[HIDDEN][1]}; {HIDDEN_LOG} {found}"


def _table_of_runs(entry: Entry) -> str | None:
    """Return what the ledger says of a table that may be meant as runs.csv; None of others."""
    header = head_of(entry).partition(b"\n")[0].decode("utf-8-sig", "replace")
    columns = [name.strip().strip('"').lower() for name in re.split("[,;\t]", header)]
    key = next((name for name in ("run", "path") if name in columns), None)
    if entry.folder or key is None or len(columns) < 2 or len(set(columns)) < len(columns):
        return None
    return f"a table with a column '{key}': not read; {TABLE_OF_RUNS}"


def _detect(entry: Entry, lenient: bool) -> str:
    try:
        return detect_format(head_of(entry), entry.file)
    except DataError:
        if entry.values or entry.run_id is not None or not lenient:
            raise
        return UNKNOWN
