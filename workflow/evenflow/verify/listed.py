"""What a verification and an archive go by: which raw files, what is made of them and is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError
from ..ingest.described.folders import find_datasets
from ..papers.find import Paper
from ..places import MANIFESTS, Folders
from ..schema import read_yaml

GENERAL = (
    ("Snakefile", "Workflow", "The Snakemake workflow, from raw logs to papers", "text/x-python"),
    ("README.md", "Read me", "What this is and how to use it", "text/markdown"),
    ("requirements.lock", "Environment", "Python packages with hashes, for pip", "text/plain"),
    (
        "requirements/build.lock",
        "What builds the environment",
        "Packages with hashes, for pip, that those without a wheel are built with",
        "text/plain",
    ),
    (
        "sbom.cdx.json",
        "Bill of materials",
        "CycloneDX: every package of the environment, with hashes, licences and dependencies",
        "application/vnd.cyclonedx+json",
    ),
    ("environment.yml", "Environment for conda", "The same packages for conda", "text/yaml"),
    ("results/", "Manifests and expected values", "What `make verify` compares with", ""),
    ("docs/", "Documentation", "Data model, definitions, how the data were made", ""),
)
DATA_MODEL = "docs/reference/data-model.md"


class Study(NamedTuple):
    """What is made in a study.

    Attributes:
        folders: where its files are.
        datasets: names of the data sets that are made.
        papers: by name.
        comparisons: {name: {'of': data set, 'against': data set}}.
    """

    folders: Folders
    datasets: list[str]
    papers: Mapping[str, Paper]
    comparisons: Mapping[str, Mapping[str, str]]


def manifests(study: Study) -> dict[str, list[str]]:
    """Map the manifests of raw files, those to be written included, to what they list.

    What they list is a folder and, after it, the folders in it that are left out.
    """
    raw, derived = study.folders.raw, study.folders.derived
    listed = {path.stem for path in Path(MANIFESTS, "raw").glob("*.sha256")}
    names = sorted(listed | {*find_datasets(raw)})
    found = {f"{MANIFESTS}/raw/{name}.sha256": [f"{raw}/{name}"] for name in names}
    return found | {f"{MANIFESTS}/data.sha256": ["data", raw, derived]}


def is_listed(*datasets: str) -> bool:
    """Say whether data sets have manifests of their raw files."""
    return all(Path(MANIFESTS, "raw", f"{name}.sha256").is_file() for name in datasets)


def listed_config(study: Study, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration without the papers and data sets that have no manifest yet."""
    papers = [name for name, paper in study.papers.items() if is_listed(*paper.all_datasets)]
    compared = {
        name: sides for name, sides in study.comparisons.items() if is_listed(*sides.values())
    }
    found = {**config, "papers": papers, "comparisons": compared}
    if config.get("datasets"):
        found["datasets"] = [*filter(is_listed, study.datasets)]
    return found


def expected_files(study: Study) -> dict[str, str]:
    """Map the names below results/expected/ to the made files that they are kept from.

    Kept are the numbers and tables of every report, its most condensed table, and of every data set
    what its cells amount to. What needs a data set without a manifest is left out.
    """
    derived = study.folders.derived
    listed = filter(is_listed, study.datasets)
    found = {f"datasets/{name}.csv": f"{derived}/{name}/cell.parquet" for name in listed}
    for name, paper in study.papers.items():
        if not is_listed(*paper.all_datasets):
            continue
        found[f"{name}/_variables.yml"] = f"{paper.folder}/_variables.yml"
        found |= {f"{name}/{piece.file}.md": paper.path(piece) for piece in paper.pieces("table")}
        found |= {f"{name}/{kept}.csv": path for kept, path in paper.condensed.items()}
    return found


def made_of(study: Study) -> dict[str, list[str]]:
    """Map the beginnings of made files' paths to the data sets that they are made of."""
    known, named = study.folders, {*study.datasets}
    found = {
        f"{folder}/{name}/": [name]
        for name in study.datasets
        for folder in (known.derived, f"{known.site}/datasets")
    }
    for name, paper in study.papers.items():
        named.update(paper.all_datasets)
        for folder in (f"{known.derived}/papers", known.reports, known.site):
            found[f"{folder}/{name}/"] = paper.all_datasets
    for name, sides in study.comparisons.items():
        named.update(sides.values())
        for folder in (known.derived, known.site):
            found[f"{folder}/comparisons/{name}/"] = sorted(sides.values())
    ends = (f"{known.site}/index.html", f"{known.site}/search.html")
    return found | dict.fromkeys(ends, sorted(named))


def archive_parts(study: Study) -> list[dict[str, str]]:
    """List what the metadata of the archive describes: files and folders with their meaning."""
    derived, site = study.folders.derived, study.folders.site
    parts = [part for part in GENERAL if part[0] == "sbom.cdx.json" or Path(part[0]).exists()]
    raw = {f"{study.folders.raw}/{name}/": name for name in find_datasets(study.folders.raw)}
    about = "Logs and their dataset.yml"
    parts += [(path, f"Raw logs of {name}", about, "") for path, name in raw.items()]
    for name in study.datasets:
        parts.append((f"{derived}/{name}/", f"Tables of {name}", f"Parquet; {DATA_MODEL}", ""))
        parts.append(
            (
                f"{site}/datasets/{name}/tables/datapackage.json",
                f"Tables of {name} as CSV",
                "Data Package descriptor of the CSV files next to it",
                "application/json",
            )
        )
    for name in study.papers:
        folder = f"{derived}/papers/{name}/"
        parts.append((folder, f"Tables of {name}", f"Parquet; {DATA_MODEL}", ""))
        about = f"The paper {name}, re-done from the raw logs"
        for path, kind in (("index.html", "text/html"), (f"{name}.pdf", "application/pdf")):
            parts.append((f"{site}/{name}/{path}", f"{name}, {path}", about, kind))
    for name, sides in study.comparisons.items():
        about = f"Comparison of {sides['of']} against {sides['against']}"
        parts.append((f"{derived}/comparisons/{name}/", f"Tables of {name}", DATA_MODEL, ""))
        page = f"{site}/comparisons/{name}/index.html"
        parts.append((page, f"{name}, index.html", about, "text/html"))
    keys = ("id", "name", "description", "format")
    found = [dict(zip(keys, part, strict=True)) for part in parts]
    return [of | {"licence": licence(of["id"])} if of["id"] in raw else of for of in found]


def licence(folder: str) -> str:
    """Return the licence that a data set's dataset.yml names, nothing where it names none."""
    path = Path(folder, "dataset.yml")
    try:
        about = read_yaml(path)[0] if path.is_file() else None
    except DataError:  # the data set's own jobs say what is wrong: it must not stop the others
        return ""
    return about.get("licence", "") if isinstance(about, dict) else ""
