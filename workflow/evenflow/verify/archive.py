"""A deposit: the files of a project in one zip, with RO-Crate and Data Package metadata.

RO-Crate: https://w3id.org/ro/crate/1.1. Data Package: https://specs.frictionlessdata.io (v1).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import unicodedata
import zipfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from shlex import quote

import polars as pl

from ..errors import DataError
from ..files import atomic_path
from ..paths import shown_path
from ..places import typed_to_list
from ..tables import read_table

EPOCH = (1980, 1, 1, 0, 0, 0)  # of every entry: the earliest that a zip can say
PACKED = (".gz", ".xz", ".zst", ".bz2", ".parquet", ".pdf", ".png")  # not worth compressing again
NAMED = 20  # files that an error names
LICENCES = {  # as dataset.yml writes them -> where they can be read
    "CC-BY-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "MIT": "https://spdx.org/licenses/MIT",
}
FIELD_TYPES = (
    (pl.Boolean, "boolean"),
    (pl.String, "string"),
    (pl.Categorical, "string"),
    (pl.List, "array"),
)
COLUMN = re.compile(r"^\| \**`(\w+)`\** \| \w+ \|.*\| ([^|]+) \|$", re.MULTILINE)


def project_files(root: Path, left_out: Iterable[str]) -> list[str]:
    """List a project's own files: those that git tracks, else all but hidden and left-out ones.

    Args:
        root: the project.
        left_out: files and folders, as paths from `root`, that were made and are not its own.
    """
    tracked = _files_of_git(root)
    if tracked is None:
        return _files_without_git(root, left_out)
    return sorted(name for name in tracked if (root / name).is_file())


def refuse_untracked(
    root: Path, left_out: Iterable[str], needed: Iterable[str], packed: Collection[str]
) -> None:
    """Refuse an archive that would lack files which git does not track.

    What git neither tracks nor ignores may belong to the project, or be private: only its user
    knows. What is needed to verify the archive must be in it even if git ignores it.

    Args:
        root: the project; nothing is refused where it is no git repository.
        left_out: as `project_files` has it.
        needed: files without which nobody can verify the archive.
        packed: all files that the archive will hold.

    Raises:
        DataError: for all of them; the first `NAMED` are named.
    """
    others = _files_of_git(root, "--others", "--exclude-standard")
    if others is None:
        return
    inside = tuple(name for name in others if name.endswith("/"))  # of other repositories
    own = _files_without_git(root, left_out)
    unseen = {name for name in own if name.startswith(inside)} | {*others}.intersection(own)
    for names, what, option in (
        (unseen, "git does not track", ""),
        ({*needed} - unseen, "git ignores, but the archive needs,", "--force "),
    ):
        lost = sorted(names.difference(packed))
        if not lost:
            continue
        words = " ".join(quote(shown_path(name)) for name in lost[:NAMED])
        more = f" and {len(lost) - NAMED} more (see git status)" if len(lost) > NAMED else ""
        problem = f"the archive would lack {len(lost)} files that {what} such as {lost[0]}"
        remedy = f"git add {option}{'-- ' if lost[0].startswith('-') else ''}{words}{more}"
        if not option:
            remedy += "; name in .gitignore what does not belong into the archive"
        raise DataError(problem, remedy=remedy)


def _files_of_git(root: Path, *which: str) -> list[str] | None:
    """List files as `git ls-files` does, from `root`; None where it is no repository."""
    git = shutil.which("git")
    if not git or not (root / ".git").exists():
        return None
    command = [git, "-C", str(root), "ls-files", "-z", *which]
    listed = subprocess.run(command, capture_output=True, check=True).stdout.split(b"\0")
    return [name.decode("utf-8", "surrogateescape") for name in listed if name]


def _files_without_git(root: Path, left_out: Iterable[str]) -> list[str]:
    without = {str(root / name) for name in left_out}

    def kept(folder: str, name: str) -> bool:
        hidden = name.startswith(".") and name not in (".ci", ".gitignore")
        return not hidden and name != "__pycache__" and str(Path(folder, name)) not in without

    found = []
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if kept(folder, name)]
        found += [Path(folder, name) for name in files if kept(folder, name)]
    # a pipe or socket that somebody keeps there would be waited for for ever
    return sorted(path.relative_to(root).as_posix() for path in found if path.is_file())


def check_names(names: Iterable[str]) -> None:
    """Refuse names of files that would be others where a zip is unpacked.

    Names in a zip are text, and unzip leaves control characters out of them: the manifests would
    name files that are not there.

    Raises:
        DataError: a name is not UTF-8, or has a control character.
    """
    for name in sorted(names):
        wrong = None
        if any("\udc80" <= character <= "\udcff" for character in name):  # bytes of no UTF-8
            wrong = "is not UTF-8"
        elif any(unicodedata.category(character) == "Cc" for character in name):
            wrong = "has a control character"
        if wrong:
            problem = f"the name {wrong}, so that it would be another one out of a zip"
            remedy = f"rename the file, then {typed_to_list(accept=True)}, and commit results/"
            raise DataError(problem, path=shown_path(name), remedy=remedy)


def write_zip(path: str | Path, entries: Mapping[str, Path | bytes]) -> None:
    """Write a zip, atomically; the same entries give the same bytes.

    Args:
        path: of the zip.
        entries: by name, a file, whose permission to run is kept, or a content.
    """
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, entry in sorted(entries.items()):
            content = entry if isinstance(entry, bytes) else entry.read_bytes()
            runs = not isinstance(entry, bytes) and entry.stat().st_mode & 0o100
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system = 3  # Unix, so that permissions are read
            info.external_attr = (0o100755 if runs else 0o100644) << 16
            info.compress_type = (
                zipfile.ZIP_STORED if name.endswith(PACKED) else zipfile.ZIP_DEFLATED
            )
            archive.writestr(info, content, compresslevel=6)


# ---- Data Package -------------------------------------------------------------------------------


def column_descriptions(data_model: str) -> dict[str, dict[str, str]]:
    """Return what the page of the data model says of every column, by table."""
    tables = {}
    for section in data_model.split("\n### ")[1:]:
        name = re.match(r"`(\w+)`", section)
        if name:
            tables[name[1]] = dict(COLUMN.findall(section))
    return tables


def text_tables(paths: Iterable[Path], target: Path) -> dict[Path, Path]:
    """Write Parquet tables as CSV into a folder; return {CSV: Parquet}.

    A list becomes its JSON, as Table Schema has it for its type `array`.
    """
    target.mkdir(parents=True)
    tables = {target / f"{p.stem}.csv": p for p in sorted(paths)}
    for text, path in tables.items():
        table = read_table(path)
        lists = [name for name, kind in table.schema.items() if kind == pl.List]
        as_json = [
            pl.Series(name, [None if v is None else json.dumps(v) for v in table[name].to_list()])
            for name in lists
        ]
        table.with_columns(as_json).write_csv(text)
    return tables


def table_package(
    name: str, about: Mapping[str, str], tables: Mapping[Path, Path], described: Mapping[str, dict]
) -> dict:
    """Return the Data Package descriptor of the CSV files of a data set or paper, beside them.

    Args:
        name: of the data set or paper.
        about: title and licence, where its dataset.yml says them.
        tables: CSV file -> the Parquet file of the same table.
        described: descriptions of columns, by table.
    """
    resources = []
    for path, parquet in tables.items():
        table = path.name.removesuffix(".gz").removesuffix(".csv")  # gap.runs: the runs of gap
        schema = pl.read_parquet_schema(parquet)
        words = described.get(table, {})
        fields = [
            {"name": column, "type": field_type(kind)}
            | ({"description": words[column]} if column in words else {})
            for column, kind in schema.items()
        ]
        data = path.read_bytes()
        resource = {
            "name": table.replace("_", "-"),
            "path": path.name,
            "profile": "tabular-data-resource",
            "format": "csv",
            "mediatype": "text/csv",
            "encoding": "utf-8",
            "bytes": len(data),
            "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
            "schema": {"fields": fields, "missingValues": [""]},
        }
        if path.suffix == ".gz":
            resource["compression"] = "gz"
        resources.append(resource)
    licence = about.get("licence")
    package: dict[str, object] = {
        "profile": "tabular-data-package",
        "name": re.sub(r"[^a-z0-9._-]+", "-", name.lower()),
        "title": about.get("title", name),
    }
    if licence in LICENCES:
        package["licenses"] = [{"name": licence, "path": LICENCES[licence]}]
    return package | {"resources": resources}


def field_type(kind: pl.DataType) -> str:
    """Return the Table Schema type of a column."""
    if kind.is_integer():
        return "integer"
    if kind.is_float():
        return "number"
    if kind.is_temporal():
        return "datetime"
    return next((word for polars, word in FIELD_TYPES if kind == polars), "any")


# ---- RO-Crate -----------------------------------------------------------------------------------


def ro_crate(citation: Mapping, parts: Iterable[Mapping[str, str]], workflow: str) -> dict:
    """Return the RO-Crate 1.1 metadata document of a deposit.

    Args:
        citation: the content of CITATION.cff.
        parts: of each file or folder that is described: id (its path; a folder ends with /), name,
            description, and licence and format where known.
        workflow: path of the workflow's main file, one of the parts.
    """
    authors = [
        {"@id": f"#author-{number}", "@type": _agent(author), "name": _name(author)}
        for number, author in enumerate(citation["authors"], start=1)
    ]
    entities, licences = [], {citation["license"]}
    for part in parts:
        entity: dict[str, object] = {
            "@id": part["id"],
            "@type": "Dataset" if part["id"].endswith("/") else "File",
            "name": part["name"],
            "description": part["description"],
        }
        if part["id"] == workflow:
            entity["@type"] = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
            entity["programmingLanguage"] = {"@id": "https://snakemake.github.io"}
        if part.get("format"):
            entity["encodingFormat"] = part["format"]
        if part.get("licence") in LICENCES:
            entity["license"] = {"@id": LICENCES[part["licence"]]}
            licences.add(part["licence"])
        entities.append(entity)
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": citation["title"],
        "description": (
            "Raw logs of competing TCP flows, the tables and papers made of them, and the workflow "
            "that makes them. `make verify` checks the logs and makes everything again."
        ),
        "datePublished": str(citation["date-released"]),
        "version": str(citation["version"]),
        "license": {"@id": LICENCES[citation["license"]]},
        "author": [{"@id": author["@id"]} for author in authors],
        "keywords": ", ".join(citation.get("keywords", [])),
        "mainEntity": {"@id": workflow},
        "hasPart": [{"@id": entity["@id"]} for entity in entities],
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    language = {
        "@id": "https://snakemake.github.io",
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "url": {"@id": "https://snakemake.github.io"},
    }
    said = [
        {"@id": LICENCES[name], "@type": "CreativeWork", "name": name, "identifier": name}
        for name in sorted(licences)
    ]
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [descriptor, root, *entities, *authors, *said, language],
    }


def _agent(author: Mapping) -> str:
    return "Person" if "family-names" in author else "Organization"


def _name(author: Mapping) -> str:
    return author.get("name") or f"{author.get('given-names', '')} {author['family-names']}".strip()


def json_bytes(content: object) -> bytes:
    """Return JSON with a line a key, as UTF-8."""
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")
