"""`make` sets up from files with a hash alone, with every Python of the machine. Needs a network.

What is built here and what that is built with, with every Python; the whole environment, which
takes minutes, and a data set made with it, with one Python that is not that of these tests.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.utils import parse_sdist_filename, parse_wheel_filename

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow"))
from test_folder_names import without_papers
from test_make import ARCHIVES, fresh_project

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^[A-Za-z0-9].*?(?=^[A-Za-z0-9]|\Z)", re.DOTALL | re.MULTILINE)
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
CAN_MAKE_ENVIRONMENTS = "import ensurepip, venv, sys; print(sys.executable)"
# environment, its lock, what of it has no wheel
ENVIRONMENTS = [
    (".venv", "requirements.lock", "connection-pool"),
    (".venv-cff", "requirements/cff.lock", "docopt"),
]


# where pyenv and uv keep Pythons that are not on the PATH
PLACES = [
    (Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions"), "{}.*/bin/python{}"),
    (Path.home() / ".local/share/uv/python", "cpython-{}.*/bin/python{}"),
]


def find_python(version: str) -> str | None:
    """Return the Python of a version that can make environments, where this machine has one."""
    on_path = shutil.which(f"python{version}")
    kept = [p for place, names in PLACES for p in place.glob(names.format(version, version))]
    for executable in [*([on_path] if on_path else []), *sorted(map(str, kept))]:
        command = [executable, "-c", CAN_MAKE_ENVIRONMENTS]
        found = subprocess.run(command, capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.strip()
    return None


def name_of(block: str) -> str:
    return re.split(r"[=\s]", block)[0].lower().replace("_", "-")


def packages(lock: Path) -> dict[str, str]:
    """The lines of a lock by package."""
    return {name_of(block): block for block in BLOCK.findall(lock.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("environment", "lock", "built"), ENVIRONMENTS)
def test_pip_takes_no_file_without_a_hash(tmp_path, version, environment, lock, built):
    executable = find_python(version)
    if executable is None:
        pytest.skip(f"there is no Python {version} here that can make environments")
    (tmp_path / "requirements").mkdir()
    for name in ("Makefile", "requirements/build.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / lock).write_text(packages(ROOT / lock)[built], encoding="utf-8")
    ready = ".installed" if environment == ".venv" else ".ready"  # the first compiles, too
    done, said = set_up(tmp_path, f"{environment}/{ready}", f"PYTHON={executable}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / environment / ready).is_file()
    assert f"Building wheel for {built}" in said
    known = {built, *packages(ROOT / "requirements/build.lock")}
    assert built in collected(said) and collected(said) <= known


def set_up(project: Path, *words: str, make: str = "make", **environment: str):
    """Say `make`; return the finished process and what pip logged, in which all has a hash."""
    log = project / "pip.log"
    # a home of its own: a wheel that was built before would be taken from pip's cache
    environment = {"HOME": str(project), "PIP_LOG": str(log), **environment}
    done = subprocess.run(
        [make, *words],
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    said = log.read_text(encoding="utf-8") if log.is_file() else ""
    if done.returncode and re.search("NewConnectionError|Temporary failure|timed out", said):
        pytest.skip("there is no network")
    assert "install build dependencies" not in said  # by a pip of its own, which checks no hash
    assert "yanked version" not in said  # taken back by those who published it
    return done, said


def collected(said: str) -> set[str]:
    """Return the names of the packages that pip looked for."""
    return {name_of(found) for found in re.findall(r"\bCollecting (\S+)", said)}


def pinned(lock: Path, python: str) -> dict[str, str]:
    """Return the versions of a lock by package, of those that a Python on this machine installs."""
    command = [python, "-c", "import platform; print(platform.python_version())"]
    version = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    found = {}
    for block in BLOCK.findall(lock.read_text(encoding="utf-8")):
        line, _, _ = block.partition("\\\n")
        package, _, marker = line.strip().partition(" ; ")
        if not marker or Marker(marker).evaluate({"python_full_version": version}):
            found[name_of(package)] = package.partition("==")[2]
    return found


def test_without_a_compiler_set_up_fetches_one_and_takes_it_away_again(tmp_path):
    shutil.copytree(
        ROOT / "workflow", tmp_path / "workflow", ignore=shutil.ignore_patterns("__pyc*")
    )
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    for name in ("Makefile", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "rm", "touch", "uname", "dirname", "cat", "mkdir", "ls", "env"):
        (tools / name).symlink_to(shutil.which(name))
    program = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name in ("tools/python3", ".venv/bin/python"):
        (tmp_path / name).write_text(program)
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".venv/.installed").touch()  # as if the packages were
    environment = {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache"), "CC": ""}
    make = shutil.which("make")
    done, said = set_up(tmp_path, ".venv/.ready", make=make, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No compiler for C works here" in done.stdout
    assert collected(said) == {"ziglang"}
    kept = {path.suffix for path in tmp_path.rglob("scanners-*")}
    assert kept == {".so", ".sha256"} and not (tmp_path / ".venv-compiler").exists()
    again, _ = set_up(tmp_path, ".venv/.ready", make=make, **environment)
    assert "up to date" in again.stdout


def test_another_python_makes_the_environment_and_a_data_set(tmp_path):
    ours = f"{sys.version_info.major}.{sys.version_info.minor}"
    others = {v: found for v in VERSIONS if v != ours and (found := find_python(v))}
    if not others:
        pytest.skip(f"there is no Python but {ours} here that can make environments")
    version, executable = others.popitem()  # the latest
    project = fresh_project(tmp_path / "evenflow")
    without_papers(project)
    shutil.rmtree(project / ".venv")
    for path in (project / "data/raw").glob("*/"):
        shutil.rmtree(path)
    shutil.copytree(ARCHIVES / "powershell", project / "data/raw/logs")
    report = project / "report.json"
    done, said = set_up(project, f"PYTHON={executable}", PIP_REPORT=str(report))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert (project / "reports/_site/datasets/logs/index.html").is_file()
    assert (project / f".venv/lib/python{version}").is_dir()
    locks = [ROOT / "requirements/build.lock", ROOT / "requirements.lock"]
    wanted = [pinned(lock, executable) for lock in locks]
    taken = {}
    for file in re.findall(r"(?:Downloading|Using cached) (\S+\.(?:whl|tar\.gz|zip))\b", said):
        parse = parse_wheel_filename if file.endswith(".whl") else parse_sdist_filename
        name, number, *_ = parse(file.rpartition("/")[2])
        taken[name] = str(number)
    assert taken == wanted[0] | wanted[1]
    hashes = set(re.findall(r"sha256:([0-9a-f]{64})", locks[1].read_text(encoding="utf-8")))
    installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    names = {name_of(x["metadata"]["name"]) for x in installed}
    assert names == wanted[1].keys() - wanted[0].keys()  # those of both were there before
    assert {x["download_info"]["archive_info"]["hashes"]["sha256"] for x in installed} <= hashes
