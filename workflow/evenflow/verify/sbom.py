"""A software bill of materials: what the locks name, as CycloneDX 1.6 JSON.

https://cyclonedx.org/docs/1.6/json. It has no date and no number of its own: the same locks, where
the same packages are installed, give the same bytes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from typing import NamedTuple
from urllib.parse import quote

BLOCK = re.compile(r"^[A-Za-z0-9].*?(?=^[A-Za-z0-9]|\Z)", re.DOTALL | re.MULTILINE)
PINNED = re.compile(r"([\w.-]+)==([^\s;]+)(?: ; (.+?))? \\")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
VIA = re.compile(r"^ +#(?: via|  ) (\S.*)$", re.MULTILINE)
PROJECT = "evenflow"
LONGEST = 60  # characters of a licence's name; what is longer is its text


class Pinned(NamedTuple):
    """A package of a lock.

    marker: where it is installed, in the words of PEP 508 ('' is everywhere); hashes: the SHA-256
    of each file that pip may take; wanted_by: names of what needs it, PROJECT among them.
    """

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    wanted_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL (https://github.com/package-url/purl-spec)."""
        return f"pkg:pypi/{self.name}@{quote(self.version, safe='')}"


def locked_packages(lock: str) -> list[Pinned]:
    """Return the packages of a lock that uv wrote with hashes, in its order."""
    packages = []
    for block in BLOCK.findall(lock):
        pinned = PINNED.match(block)
        assert pinned, block  # BLOCK begins as it
        name, version, marker = pinned.groups()
        # 'evenflow (pyproject.toml)' and '-r file.in' are the project's own wishes
        wanted_by = tuple(PROJECT if " " in by else by for by in VIA.findall(block))
        hashes = tuple(HASH.findall(block))
        packages.append(Pinned(plain_name(name), version, marker or "", hashes, wanted_by))
    return packages


def plain_name(name: str) -> str:
    """Return the name of a package as indexes spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_licences(package: Pinned) -> list[dict]:
    """Return the licences that a package says it has, where this very version is installed."""
    try:
        about = metadata.metadata(package.name)
    except metadata.PackageNotFoundError:
        return []
    return stated_licences(about) if about["Version"] == package.version else []


def stated_licences(about: metadata.PackageMetadata) -> list[dict]:
    """Return what the metadata of a package say of its licence, as CycloneDX has it.

    The best that there is of: an SPDX expression (PEP 639), classifiers, a name.
    """
    declared = {"acknowledgement": "declared"}
    if about["License-Expression"]:
        return [{"expression": about["License-Expression"]} | declared]
    classifiers = about.get_all("Classifier") or []
    names = [c.split(" :: ")[-1] for c in classifiers if c.startswith("License :: ")]
    written = (about["License"] or "").strip()
    if not names and 0 < len(written) <= LONGEST and "\n" not in written:
        names = [written]
    return [{"license": {"name": name} | declared} for name in names]


def bill_of_materials(
    citation: Mapping,
    runs: Iterable[Pinned],
    builds: Iterable[Pinned],
    licences: Callable[[Pinned], list[dict]] = installed_licences,
    name: str = PROJECT,
) -> dict:
    """Return the CycloneDX document of a project.

    Args:
        citation: the content of CITATION.cff.
        runs: what is installed to run and to develop it.
        builds: what is installed before, to build packages that have no wheel.
        licences: of a package.
        name: of the project.
    """
    root = f"{name}@{citation['version']}"
    required = {package.purl: package for package in runs}
    packages = {package.purl: package for package in builds} | required
    refs = defaultdict(list)  # by name: one may have several versions, for several Pythons
    for purl, package in packages.items():
        refs[package.name].append(purl)
    needs: dict[str, set[str]] = {ref: set() for ref in (root, *packages)}
    for purl, package in packages.items():
        for by in package.wanted_by:
            for ref in [root] if by == PROJECT else refs[by]:
                needs[ref].add(purl)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": name,
                "version": str(citation["version"]),
                "description": citation["title"],
                "licenses": [{"license": {"id": citation["license"]}}],
            }
        },
        "components": [
            _component(packages[purl], purl in required, licences) for purl in sorted(packages)
        ],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(needed)} for ref, needed in sorted(needs.items())
        ],
    }


def _component(package: Pinned, required: bool, licences: Callable) -> dict:
    # what CycloneDX calls the files that a package may be installed from, each with its hash: which
    # of them it is depends on the machine. They have no other address here than the package's URL
    files = {
        "type": "distribution",
        "url": package.purl,
        "comment": "the files that pip may take",
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in package.hashes],
    }
    component = {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": "required" if required else "excluded",
        "licenses": licences(package),
        "purl": package.purl,
        "externalReferences": [files],
    }
    if package.marker:
        where = {"name": f"{PROJECT}:environment-marker", "value": package.marker}
        component["properties"] = [where]
    return {key: value for key, value in component.items() if value}
