"""What is installed: pyproject.toml, environment.yml and requirements.lock say the same."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
import yaml
from evenflow.render.quarto import OLDEST
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
LOCKS = [
    "requirements.lock",
    *sorted(f"requirements/{p.name}" for p in ROOT.glob("requirements/*.lock")),
]
# name on PyPI -> name on conda-forge, where they differ
CONDA_NAMES = {
    "duckdb": "python-duckdb",
    "pypandoc-binary": "pypandoc",  # and pandoc, which the wheel holds
    "snakemake": "snakemake-minimal",
    "typst": "typst-py",
}
CONDA_ONLY = {"python", "pandoc", "quarto", "c-compiler"}
PINNED = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+?)( ;.*?)? \\$", re.MULTILINE)


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def wanted() -> dict[str, SpecifierSet]:
    """Return the bounds of pyproject.toml by name."""
    lines = [*project()["dependencies"], *project()["optional-dependencies"]["dev"]]
    requirements = [Requirement(line) for line in lines]
    return {canonicalize_name(r.name): r.specifier for r in requirements}


def in_conda() -> dict[str, SpecifierSet]:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    pairs = (line.partition(" ")[::2] for line in environment["dependencies"])
    return {name: SpecifierSet(bounds) for name, bounds in pairs}


def locked(text: str = LOCK) -> dict[str, Version]:
    return {canonicalize_name(name): Version(v) for name, v, _ in PINNED.findall(text)}


def test_conda_has_the_packages_and_bounds_of_pyproject():
    translated = {CONDA_NAMES.get(name, name): bounds for name, bounds in wanted().items()}
    conda = in_conda()
    assert {name: conda[name] for name in conda if name not in CONDA_ONLY} == translated
    assert conda["python"] == SpecifierSet(project()["requires-python"])
    environment = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(environment)["channels"] == ["conda-forge", "bioconda"]


def test_conda_brings_a_quarto_that_is_used():
    assert in_conda()["quarto"] == SpecifierSet(f">={'.'.join(map(str, OLDEST))}")


@pytest.mark.parametrize("name", sorted(wanted()))
def test_the_lock_holds_a_version_within_the_bounds(name):
    assert locked()[name] in wanted()[name]


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_hashes_and_an_exact_version(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]
    assert len(blocks) == len(PINNED.findall(text)) > 0
    for block in blocks:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block.split("\n")[0]


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_names_no_index(name):
    # the command that made it is in a comment; what counts is that nothing points to a place
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"://|(?m:^--?(i|f|index|extra-index|find-links|trusted))", text)


def test_what_builds_the_environment_is_not_replaced_by_it():
    build = locked((ROOT / "requirements/build.lock").read_text(encoding="utf-8"))
    assert "setuptools" in build
    assert {name: locked().get(name, version) for name, version in build.items()} == build


@pytest.mark.parametrize(
    ("environment", "locks"),
    [
        (".venv", ["requirements", "requirements/compiler"]),  # the second where there is none
        (".venv-archive", ["requirements/archive"]),
    ],
)
def test_make_installs_what_builds_first_and_lets_pip_fetch_nothing_else(
    tmp_path, environment, locks
):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    (tmp_path / "requirements").mkdir()
    for name in ("Makefile", "requirements/build.lock", *(f"{lock}.lock" for lock in locks)):
        shutil.copy(ROOT / name, tmp_path / name)
    command = ["make", "--dry-run", f"{environment}/.ready"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    installs = re.findall(r"-m pip install ([^&|;}\n]*)", done.stdout)
    options = "--quiet --require-hashes --no-build-isolation --requirement"
    wanted = [f"{options} {lock}.lock" for lock in ("requirements/build", *locks)]
    assert [install.strip() for install in installs] == wanted


@pytest.mark.parametrize(
    ("python", "remade"),
    [
        (f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', False),
        ("#!/no/such/python\n", True),  # that of the system was upgraded, or the machine is another
        ('#!/bin/sh\nexec "$0.of.another.version" "$@"\n', True),
    ],
)
def test_an_environment_whose_python_is_gone_is_made_again(tmp_path, python, remade):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    (tmp_path / "requirements").mkdir()
    for name in ("Makefile", "requirements/build.lock", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").write_text(python)
    (tmp_path / ".venv/bin/python").chmod(0o755)
    (tmp_path / ".venv/.ready").touch()
    # what others set for themselves is none of its business
    environment = {**os.environ, "PYTHONHOME": "/no/such/folder", "PYTHONPATH": "/no/such/folder"}
    command = ["make", "--dry-run", ".venv/.ready"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert ("-m venv --clear .venv" in done.stdout) == remade
    assert ("is not there any more: .venv is made again" in done.stdout) == remade
    assert (tmp_path / ".venv/.ready").exists() == (not remade)


@pytest.mark.parametrize(
    ("there", "set_to", "here"),
    [
        ([], {"HOME": "home"}, True),  # it is not there
        (["home/"], {"HOME": "home"}, False),
        (["home/.cache/snakemake/"], {"HOME": "home"}, False),
        (["home/.cache/snakemake"], {"HOME": "home"}, True),  # a file: nobody can write below it
        (["home/.cache"], {"HOME": "home"}, True),
        (["home/.cache", "cache/"], {"HOME": "home", "XDG_CACHE_HOME": "cache"}, False),
        (["home/"], {"HOME": "home", "XDG_CACHE_HOME": "no/cache"}, True),
        ([], {}, True),  # there is no home: the project's own takes its place
    ],
)
def test_caches_are_kept_where_they_can_be_written(tmp_path, there, set_to, here):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in there:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(parents=True) if name.endswith("/") else path.write_text("")
    environment = {"PATH": os.environ["PATH"]}
    environment |= {name: str(tmp_path / value) for name, value in set_to.items()}
    command = ["make", "--dry-run", "--print-data-base", "clean"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    found = re.findall(r"^XDG_CACHE_HOME :?= (.*)$", done.stdout, re.MULTILINE)
    assert (found == [f"{tmp_path}/.snakemake/cache"]) == here
    assert (f"\nHOME := {tmp_path}/.snakemake\n" in done.stdout) == ("HOME" not in set_to)


def test_a_project_of_somebody_else_is_refused():
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    with tempfile.TemporaryDirectory() as folder:  # which every user reaches, as pytest's are not
        project = Path(folder)
        shutil.copy(ROOT / "Makefile", project)
        (project / "data/derived").mkdir(parents=True)
        # no permission stops root
        user = {"user": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        command = ["make", "--dry-run", "clean"]

        def said() -> str:
            done = subprocess.run(command, cwd=project, capture_output=True, text=True, **user)
            return done.stderr

        for path, mode in ((project, 0o777), (project / "data/derived", 0o555)):
            path.chmod(mode)
        assert "data/derived: you may not write there" in said()
        (project / "data/derived").chmod(0o777)
        assert "you may not" not in said()
        project.chmod(0o555)
        assert " .: you may not write there" in said()
        project.chmod(0o755)


# host names of registries and mirrors, with a class around the dot so that this file has none
HOSTS = [
    r"pypi[.]org",
    r"pythonhosted[.]org",
    r"conda[.]anaconda[.]org",
    r"repo[.]anaconda[.]com",
    r"registry[.]npmjs[.]org",
    r"registry[.]yarnpkg[.]com",
    r"crates[.]io/api",
    r"static[.]crates[.]io",
    r"proxy[.]golang[.]org",
    r"rubygems[.]org",
    r"(deb|security)[.]debian[.]org",
    r"(archive|ports)[.]ubuntu[.]com",
    r"--(extra-)?index-url[ =]+[^ ]*:",
    r"(artifactory|nexus|devpi)[.:/]",
]


def tracked_lines(pattern: str, *where: str) -> str:
    """Return the lines of tracked files that match an extended regular expression."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    command = ["git", "-C", str(ROOT), "grep", "-nIE", pattern, "--", ".", *where]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode > 1:
        pytest.skip(f"not a git checkout: {found.stderr}")
    return found.stdout


def test_no_tracked_file_names_a_registry():
    assert tracked_lines("|".join(HOSTS)) == ""


def test_no_tracked_file_names_a_folder_of_the_machine_that_made_it():
    assert tracked_lines(r"/(root|home/[a-z]+|work|Users)/[a-z.]+", ":!tests", ":!reports") == ""
