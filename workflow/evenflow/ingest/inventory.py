"""Every file of a data set: what it holds, its format, the run and flow that its path names."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..files import (
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
    IGNORE,
    METADATA,
    NO_FILE,
    UNKNOWN,
    UNPARSED,
    UNREADABLE,
    detect_format,
    settle_format,
)
from ..paths import Found, list_files, shown_path
from .dataset import LABEL, cca_of_flow, fits, path_pattern, run_of_path, scenario_of_path, typed

UNDOCUMENTED = re.compile(r"(^|/)(README|LICEN[CS]E|CHANGES)[^/]*$|(^|/)\.", re.IGNORECASE)
# name of the first file in an Office, OpenDocument, EPUB, Java or NumPy file
DOCUMENT = re.compile(rb"\[Content_Types\]|mimetype|_rels/|META-INF/|AndroidManifest|[^/]*\.npy")
LARGE_BYTES = 32 * 2**20  # a log this large (compressed: an eighth) is read in blocks, not whole
KEPT_BYTES = 256 * 2**20  # of contents kept between the inventory and the parsing


def inventory(
    folder: str | Path,
    dataset: dict[str, Any],
    rows: dict[str, dict],
    limits: Limits = USUAL_LIMITS,
) -> list[dict]:
    """List every file of a data set, read it, and say what it is.

    Args:
        folder: the data set.
        dataset: what `read_dataset` returned.
        rows: settings of single files by path, from runs.csv.
        limits: of the sizes of files and logs.

    Returns:
        A dict a file, sorted by path: path (relative, as `shown_path` writes it), file (Path),
        placed (whether a pattern or a row says what it is), sha256, bytes, content_sha256
        (of the decompressed content: compressed copies differ in their headers), content
        (decompressed bytes, None when it is to be read again), readable, problem (why not), format,
        run_id, scenario_id, flow_id (null where its path does not say), settings (from its path
        and its row).

    Raises:
        DataError: a file that no pattern matches, whose format is unknown, or that cannot be read;
            of these only the last where the data set names no patterns.
    """
    folder = Path(folder)
    patterns = [
        (entry, path_pattern(entry["path"], globs=entry.get("format") == IGNORE))
        for entry in dataset["files"]
    ]
    lenient = dataset["on_error"] == "quarantine"
    placing = any(pattern.get("format") != IGNORE for pattern, _ in patterns)
    entries: list[dict] = []
    kept = 0
    for found in list_files(folder):
        file = found.path
        path = shown_path(file.relative_to(folder))
        entry = {"path": path, "file": file, "run_id": None, "scenario_id": None, "flow_id": None}
        entry |= {
            "file_id": len(entries),
            "settings": {},
            "content": None,
            "placed": False,
            "readable": False,
            "problem": None,
        }
        try:
            entry |= _place(path, file, patterns, dataset, rows)
            entry["placed"] = entry["format"] is not None or "values" in entry or path in rows
            if found.problem:
                entry |= _without_content(entry, found, lenient)
                entries.append(entry)
                continue
            entry |= _read(entry, limits)
            limits = limits._replace(
                dataset_bytes=limits.dataset_bytes - (entry["content_bytes"] or 0)
            )
            entry["format"] = _format(entry, file, dataset, lenient or not placing)
            _refuse_large(entry, limits)
            if rows and not placing and entry["run_id"] is None and entry["format"] in FORMATS:
                raise _no_row(dataset, file)
        except DataError as error:
            if not lenient:
                raise
            entry |= {"problem": error.problem, "format": UNREADABLE, "readable": False}
            entry |= {"content": None} | _identity(file)
        if entry["content"] is not None:
            kept += len(entry["content"])
            if kept > KEPT_BYTES:
                entry["content"] = None
        entries.append(entry)
    _name_runs(entries, dataset.get("pool_over", ()))
    return entries


def _name_runs(entries: list[dict], over: Sequence[str]) -> None:
    """Give the files that a pattern placed the run and the scenario of their paths."""
    placed = [e for e in entries if "values" in e]
    of_flow = cca_of_flow([(e["template"], e["values"]) for e in placed])
    for entry in placed:
        path = (entry["template"], entry["values"], entry["template"] in of_flow)
        if entry["run_id"] is None:  # runs.csv has not named it
            entry["run_id"] = run_of_path(*path)
        entry["scenario_id"] = scenario_of_path(*path, over)


def is_described(dataset: dict[str, Any], rows: dict[str, dict]) -> bool:
    """Return whether dataset.yml or runs.csv say which files are which; else it is inferred."""
    return bool(rows) or any(entry.get("format") != IGNORE for entry in dataset["files"])


def _place(path: str, file: Path, patterns: list, dataset: dict, rows: dict) -> dict:
    """Return format, run, flow and settings of a file as its path and its row say."""
    if path in ("dataset.yml", dataset.get("runs")) or UNDOCUMENTED.search(path):
        return {"format": METADATA}
    placed: dict[str, Any] = {}
    for said, pattern in patterns:
        match = fits(pattern, path)
        if not match:
            continue
        if said.get("format") == IGNORE:
            return {"format": IGNORE}
        values = match.groupdict()
        settings = {key: typed(key, value, file) for key, value in values.items()}
        placed = {
            "template": said["path"],
            "values": values,
            "format": said.get("format"),
            "declared_line": said.get("line"),
            "value": said.get("value"),
            "flow_id": settings.pop("flow", None),
            "settings": {k: v for k, v in settings.items() if not LABEL.fullmatch(k)},
        }
        break
    if path in rows:
        row = dict(rows[path])
        run = row.pop("run", None) or (None if placed else path)
        placed = {"format": None, "flow_id": None, "settings": {}, **placed, "run_id": run}
        placed["flow_id"] = row.pop("flow", placed["flow_id"])
        placed["settings"] = placed["settings"] | row
    if placed:
        return placed
    if all(said.get("format") == IGNORE for said, _ in patterns):
        return {"format": None}
    tried = "; ".join(said["path"] for said, _ in patterns) or "none"
    problem = f"no pattern under 'files:' in dataset.yml matches this path (patterns: {tried})"
    remedy = (
        "correct the name or the pattern (numeric placeholders match digits only), or add a "
        "pattern with 'format: ignore' for files that are no logs"
    )
    raise DataError(problem, path=file, remedy=remedy)


def _no_row(dataset: dict, file: Path) -> DataError:
    problem = f"the log has no row in {dataset['runs']}, which names files"
    remedy = "add a row for it; if it is no log, or not wanted, name it in dataset.yml under "
    return DataError(problem, path=file, remedy=remedy + "'files:' with 'format: ignore'")


def _without_content(entry: dict, found: Found, lenient: bool) -> dict:
    """Return what is known of a link, a pipe, a device, a folder that may not be read.

    Raises:
        DataError: a pattern or a row says that it is a log.
    """
    declared = entry["format"] in UNPARSED
    if entry["placed"] and not declared and not lenient:
        remedy = "put the file itself there, or name it in dataset.yml with 'format: ignore'"
        raise DataError(found.problem, path=entry["file"], remedy=remedy)
    kind = entry["format"] if declared else UNREADABLE if found.lost else NO_FILE
    return {"format": kind, "problem": found.problem, "content_bytes": None}


def _read(entry: dict, limits: Limits) -> dict:
    """Return content, size and digest of a file; of a large one only size and digest."""
    file, format_name = entry["file"], entry["format"]
    try:
        with file.open("rb") as handle:
            size = os.fstat(handle.fileno()).st_size
            packed = compression(handle.read(8))
            handle.seek(0)
            large = size > (LARGE_BYTES // 8 if packed else LARGE_BYTES)
            data = b"" if large else handle.read()
    except OSError as error:
        remedy = "give this user the right to read it (chmod u+r), or copy it again"
        raise DataError(f"{error.strerror}", path=file, remedy=remedy) from error
    if size > limits.dataset_bytes:
        raise too_large_a_dataset(file)
    if large:
        known = _identity(file)
        total, digest = size, known["sha256"]
        if packed:
            unpacked, total = hashlib.sha256(), 0
            try:
                for piece in read_pieces(file, limits):
                    total += len(piece)
                    unpacked.update(piece)
            except DataError as error:
                if format_name != IGNORE:
                    raise
                return {**known, "problem": error.problem}
            digest = unpacked.hexdigest()
        return {**known, "content_bytes": total, "content_sha256": digest, "readable": True}
    try:
        content = decompressed(data, file, limits)
    except DataError:
        if format_name != IGNORE:
            raise
        content = data
    if len(content) > limits.dataset_bytes:  # of a small file, which is decompressed at once
        raise too_large_a_dataset(file)
    found = {}
    if (not content or content.isspace()) and not _may_be_empty(format_name):
        if entry["placed"]:
            raise empty_log(file)
        found = {"format": EMPTY}
    if format_name != IGNORE and _is_archive(content):
        problem = "an archive of files: unpacked into the folder they are read"
        if entry["placed"]:
            remedy = "unpack it, or name it in dataset.yml with 'format: ignore'"
            raise DataError(problem, path=file, remedy=remedy)
        found = {"format": DOUBTFUL, "problem": problem}
    digest = sha256_hex(data)
    return {
        **found,
        "sha256": digest,
        "content_sha256": digest if content is data else sha256_hex(content),
        "bytes": size,
        "content_bytes": len(content),
        "content": content,
        "readable": True,
    }


def _refuse_large(entry: dict, limits: Limits) -> None:
    """Refuse a log that would not fit into the memory; of one that is read in blocks any size."""
    module = FORMATS.get(entry["format"])
    in_memory = module and not getattr(module, "READS_BLOCKS", False)
    if in_memory and entry["content_bytes"] > limits.log_bytes:
        problem = f"the log has more than {limits.log_bytes:g} bytes, decompressed"
        remedy = "split it into a log a test"
        raise beyond("limits.log_bytes", problem, remedy, path=entry["file"])


def _is_archive(content: bytes) -> bool:
    """Say whether a file is a tar or zip archive; documents and programs are zip archives too."""
    is_zip = content.startswith(b"PK\3\4")
    document = is_zip and DOCUMENT.match(content[30:70])
    return (is_zip and not document) or content[257:262] == b"ustar"


def empty_log(file: Path) -> DataError:
    """Return the error of a log that holds nothing."""
    problem = "the log is empty: the program that should write it died or never ran"
    remedy = "delete the run so that it is made anew, or set 'on_error: quarantine'"
    return DataError(problem, path=file, remedy=remedy)


def _identity(file: Path) -> dict:
    """Return the digest and size of a file, null where it cannot be read."""
    known = {"sha256": None, "bytes": None, "content_bytes": None}
    try:
        known["bytes"] = file.stat().st_size
        with file.open("rb") as handle:
            known["sha256"] = hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError:
        pass  # the ledger says why: the same error is the file's `problem`
    return known


def _may_be_empty(format_name: str | None) -> bool:
    """Return whether a file of this format (None: still to be detected) may hold nothing."""
    if format_name is None:
        return False
    return getattr(FORMATS.get(format_name), "MAY_BE_EMPTY", format_name not in FORMATS)


def _format(entry: dict, file: Path, dataset: dict, lenient: bool) -> str:
    """Return the format of a file: as declared where that fits, else as its content says."""
    declared = entry["format"]
    if declared is None:
        return _detect(entry, file, lenient)
    if declared in UNPARSED or not entry["content_bytes"]:
        return declared
    try:
        return settle_format(declared, _head(entry), file)
    except DataError as error:
        line = entry["declared_line"]
        problem = f"{error.problem} (line {line} of dataset.yml)"
        path = dataset["path"]
        raise DataError(problem, path=path, line=line, remedy=error.remedy) from error


def _head(entry: dict) -> bytes:
    if entry["content"] is not None:
        return entry["content"]
    return next(read_pieces(entry["file"]), b"")


def _detect(entry: dict, file: Path, lenient: bool) -> str:
    try:
        return detect_format(_head(entry), file)
    except DataError:
        if entry.get("values") or entry["run_id"] is not None or not lenient:
            raise
        return UNKNOWN


def content_of(entry: dict) -> bytes:
    """Return the content of a readable file, read again where it was not kept."""
    if entry["content"] is not None:
        return entry["content"]
    if entry["content_bytes"] > LARGE_BYTES:
        return b"".join(read_pieces(entry["file"]))
    return decompressed(entry["file"].read_bytes(), entry["file"])
