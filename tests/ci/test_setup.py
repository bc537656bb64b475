"""`make` sets up from files with a hash alone, with every Python of the machine. Needs a network.

Not the whole environment, which takes minutes: what is built here, and what that is built with.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^[A-Za-z0-9].*?(?=^[A-Za-z0-9]|\Z)", re.DOTALL | re.MULTILINE)
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
CAN_MAKE_ENVIRONMENTS = "import ensurepip, venv, sys; print(sys.executable)"
# environment, its lock, what of it has no wheel
ENVIRONMENTS = [
    (".venv", "requirements.lock", "connection-pool"),
    (".venv-cff", "requirements-cff.lock", "docopt"),
]


def python(version: str) -> str:
    """The Python of a version; skips where this machine has none that can make environments."""
    command = [f"python{version}", "-c", CAN_MAKE_ENVIRONMENTS]
    found = shutil.which(command[0]) and subprocess.run(command, capture_output=True, text=True)
    if not found or found.returncode:
        pytest.skip(f"there is no Python {version} here that can make environments")
    return found.stdout.strip()


def name_of(block: str) -> str:
    return re.split(r"[=\s]", block)[0].lower().replace("_", "-")


def packages(lock: Path) -> dict[str, str]:
    """The lines of a lock by package."""
    return {name_of(block): block for block in BLOCK.findall(lock.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("environment", "lock", "built"), ENVIRONMENTS)
def test_pip_takes_no_file_without_a_hash(tmp_path, version, environment, lock, built):
    executable = python(version)
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "requirements-build.lock", tmp_path)
    (tmp_path / lock).write_text(packages(ROOT / lock)[built], encoding="utf-8")
    log = tmp_path / "pip.log"
    # a home of its own: a wheel that was built before would be taken from pip's cache
    done = subprocess.run(
        ["make", f"{environment}/.ready", f"PYTHON={executable}"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PIP_LOG": str(log)},
        capture_output=True,
        text=True,
    )
    said = log.read_text(encoding="utf-8")
    if done.returncode and re.search("NewConnectionError|Temporary failure|timed out", said):
        pytest.skip("there is no network")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / environment / ".ready").is_file()
    assert f"Building wheel for {built}" in said
    assert "install build dependencies" not in said  # by a pip of its own, which checks no hash
    collected = {name_of(found) for found in re.findall(r"\bCollecting (\S+)", said)}
    known = {built, *packages(ROOT / "requirements-build.lock")}
    assert built in collected and collected <= known
