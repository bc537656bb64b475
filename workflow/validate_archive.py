"""Validate an archive: RO-Crate metadata by roc-validator, Data Packages by frictionless, the bill
of materials by CycloneDX's schema.

Run in an environment of its own (requirements/archive.lock): `make check-archive`.
"""

import io
import json
import os
import sys
import tempfile
import zipfile
from importlib.resources import files
from pathlib import Path

import requests
import requests.adapters
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from frictionless import validate
from rocrate_validator.models import ValidationSettings
from rocrate_validator.services import validate as validate_crate

PROFILE = "ro-crate-1.1"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"


def local_context(_, request: requests.PreparedRequest, **options) -> requests.Response:
    """Answer a request for the context of RO-Crate 1.1 from the package rocrate, offline."""
    context = files("rocrate").joinpath("data/ro-crate.jsonld").read_bytes()
    if request.url != CONTEXT or json.loads(context)["@id"] != CONTEXT:
        raise requests.ConnectionError(f"validation needs no {request.url}", request=request)
    response = requests.Response()
    response.status_code, response.url, response.request = 200, request.url, request
    response.headers["Content-Type"] = "application/ld+json"
    response.raw = io.BytesIO(context)
    return response


def crate_faults(folder: Path) -> list[str]:
    """Return what in the RO-Crate in a folder its specification does not allow."""
    requests.adapters.HTTPAdapter.send = local_context
    settings = ValidationSettings(str(folder), profile_identifier=PROFILE, no_cache=True)
    return [f"RO-Crate: {issue.message}" for issue in validate_crate(settings).get_issues()]


def package_faults(descriptor: Path) -> list[str]:
    """Return what is wrong with a Data Package and with the tables that it describes."""
    os.chdir(descriptor.parent)
    report = validate(descriptor.name)
    wrong = [error.message for task in report.tasks for error in task.errors]
    wrong += [error.message for error in report.errors]
    return [f"{descriptor.parent.name}: {message}" for message in wrong]


def bill_faults(bill: Path) -> list[str]:
    """Return what is wrong with a bill of materials: by its schema, and what it does not list."""
    if not bill.is_file():
        return [f"{bill.name}: it is missing"]
    text = bill.read_text(encoding="utf-8")
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error:
        where = "/".join(map(str, error.data.absolute_path))
        return [f"{bill.name}: {where}: {error.data.message}"]
    content = json.loads(text)
    listed = {part["bom-ref"] for part in content["components"]}
    listed.add(content["metadata"]["component"]["bom-ref"])
    named = {ref for entry in content["dependencies"] for ref in entry.get("dependsOn", [])}
    return [f"{bill.name}: {ref} is needed and not listed" for ref in sorted(named - listed)]


def main(archive: str) -> int:
    """Print every fault of an archive; return how many there are."""
    if not Path(archive).is_file():
        sys.exit(f"error: {archive}: there is no such archive. Remedy: make archive")
    with tempfile.TemporaryDirectory(prefix="evenflow-archive-") as temporary:
        folder = Path(temporary).resolve()
        zipfile.ZipFile(archive).extractall(folder)
        faults = crate_faults(folder) + bill_faults(folder / "sbom.cdx.json")
        descriptors = sorted(folder.rglob("datapackage.json"))
        for descriptor in descriptors:
            faults += package_faults(descriptor)
        os.chdir("/")
    for fault in faults:
        print(fault)
    valid = f"RO-Crate 1.1, {len(descriptors)} Data Packages, CycloneDX 1.6"
    print(f"{archive}: {valid}, {len(faults)} faults")
    return len(faults)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1]), 1))
