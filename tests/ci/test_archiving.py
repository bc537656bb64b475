"""An archive of tiny data: valid, complete, and verified where it is unpacked."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/workflow"))
from small_project import commit  # noqa: E402
from test_verification import CONFIG, snakemake  # noqa: E402
from test_workflow import copy_project  # noqa: E402

MORE = ("docs", "CITATION.cff", "Makefile", "README.md")
MORE += ("requirements.lock", "requirements/build.lock")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The archive of a project with tiny data sets and one paper."""
    folder = copy_project(tmp_path_factory.mktemp("archive") / "evenflow")
    for name in MORE:
        source = ROOT / name
        (folder / name).parent.mkdir(exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    (folder / "config/tiny.yaml").write_text(CONFIG, encoding="utf-8")
    refused = snakemake(folder, "--", "write_archive")
    assert refused.returncode != 0
    assert "no raw file is listed. Remedy: make manifest" in refused.stderr
    odd = os.fsencode(folder / "data/raw/tiny-testbed/README ü'\\[*].caf") + b"\xe9"
    Path(os.fsdecode(odd)).write_text("A name that is not UTF-8.\n")
    assert snakemake(folder, "--", "write_manifest").returncode == 0
    refused = snakemake(folder, "--", "write_archive")
    assert refused.returncode != 0 and not (folder / "dist").exists()
    assert "the name is not UTF-8" in refused.stderr and "Remedy: rename" in refused.stderr
    Path(os.fsdecode(odd)).rename(os.fsdecode(odd[:-1]))
    renamed = snakemake(folder, "--config", "accept_changed=True", "--", "write_manifest")
    assert renamed.returncode == 0, renamed.stderr
    for target in ("write_expected", "write_archive"):
        if target == "write_archive":  # what was written since the commit would be lost
            refused = snakemake(folder, "--", target)
            assert refused.returncode != 0 and not (folder / "dist").exists()
            assert "Remedy: git add results/expected/" in refused.stderr, refused.stderr[-3000:]
        commit(folder)  # what is deposited is that of a repository; it is unpacked where none is
        done = snakemake(folder, "--", target)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder / "dist/evenflow.zip"


def test_unpacked_elsewhere_it_verifies(archive, tmp_path):
    folder = tmp_path / "elsewhere"
    zipfile.ZipFile(archive).extractall(folder)
    done = snakemake(folder, "--", "verify")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything agrees." in done.stdout
    assert "DIFFERS" not in done.stdout
    compared = next(line for line in done.stdout.splitlines() if "pages made here" in line)
    assert int(compared.split()[-3]) > 50 and compared.split()[-2:] == ["0", "agrees"]


def environment(folder: Path, name: str) -> Path:
    """Return the programs of an environment made from a lock of the project."""
    lock = ROOT / f"requirements/{name}.lock"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [folder / "bin/python", "-m", "pip", "install", "-q", "--require-hashes"]
    for requirements in (ROOT / "requirements/build.lock", lock):
        command = [*install, "--no-build-isolation", "-r", requirements]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"the validators cannot be installed here: {done.stderr[-300:]}")
    return folder / "bin"


@pytest.fixture(scope="module")
def validator(tmp_path_factory):
    """A Python with the validators, from their lock."""
    return environment(tmp_path_factory.mktemp("validators"), "archive") / "python"


def test_the_citation_is_valid_cff(tmp_path):
    command = [environment(tmp_path / "cff", "cff") / "cffconvert", "--validate", "--infile"]
    assert subprocess.run([*command, ROOT / "CITATION.cff"]).returncode == 0
    wrong = (ROOT / "CITATION.cff").read_text(encoding="utf-8").replace("title:", "titel:", 1)
    (tmp_path / "wrong.cff").write_text(wrong, encoding="utf-8")
    assert subprocess.run([*command, tmp_path / "wrong.cff"]).returncode == 1


def validated(python: Path, archive: Path) -> subprocess.CompletedProcess:
    command = [python, ROOT / "workflow/validate_archive.py", archive]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_its_metadata_are_valid(validator, archive):
    done = validated(validator, archive)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "RO-Crate 1.1, 3 Data Packages, CycloneDX 1.6, 0 faults" in done.stdout


def test_an_archive_that_is_not_there_is_named(validator, tmp_path):
    done = validated(validator, tmp_path / "none.zip")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "Remedy: make archive" in done.stderr


def test_the_validators_see_what_is_wrong(validator, archive, tmp_path):
    """A crate without a date, a table with a word where a number was, a component of no kind."""
    with zipfile.ZipFile(archive) as whole, zipfile.ZipFile(tmp_path / "bad.zip", "w") as bad:
        for name in whole.namelist():
            content = whole.read(name)
            if name == "ro-crate-metadata.json":
                crate = json.loads(content)
                root = next(entity for entity in crate["@graph"] if entity["@id"] == "./")
                del root["datePublished"]
                content = json.dumps(crate).encode()
            if name.endswith("tables/run_metric.csv"):
                content = content.replace(b"0.", b"O.", 1)
            if name == "sbom.cdx.json":
                content = content.replace(b'"library"', b'"libary"', 1)
            bad.writestr(name, content)
    done = validated(validator, tmp_path / "bad.zip")
    assert done.returncode == 1
    for said in ("RO-Crate: ", "tables: ", "sbom.cdx.json: components/0/type: 'libary'"):
        assert said in done.stdout
