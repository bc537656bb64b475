"""Look the locked packages up in the public advisories: `make audit`.

pip-audit asks the package index that pip uses by default, which has the advisories of the Python
Packaging Advisory Database. It ends well where the index knows nothing of a package, or of any:
here that is no audit, and said.

Run in an environment of its own (requirements/audit.lock).
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

FOUND, NOT_AUDITED = 1, 2  # exit codes
OPTIONS = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]


def look_up(lock: Path) -> list[dict]:
    """Return what pip-audit says of each package of a lock; nothing where it could not ask."""
    command = [sys.executable, "-m", "pip_audit", *OPTIONS, "--requirement", str(lock)]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["dependencies"]
    except ValueError:  # it prints no JSON where it fails
        last = done.stderr.strip().rpartition("\n")[2]
        return [{"name": str(lock), "skip_reason": last}]


def advisories(package: Mapping) -> list[str]:
    """Return a line for each advisory on a package."""
    return [
        f"{package['name']} {package['version']}: {' '.join([found['id'], *found['aliases']])}, "
        f"fixed in {', '.join(found['fix_versions']) or 'no version yet'}"
        for found in package.get("vulns", [])
    ]


def audit(locks: Iterable[Path], look_up=look_up) -> int:
    """Print what the advisories say of the packages of locks; return the exit code.

    Args:
        locks: the smallest first: where nothing is known of any of its packages, the advisories
            cannot be had, and the next ones are not asked for.
        look_up: what is said of the packages of a lock.
    """
    n_audited, lines, unknown = 0, [], []
    for lock in locks:
        packages = look_up(lock)
        known = [package for package in packages if "skip_reason" not in package]
        unknown += [package for package in packages if "skip_reason" in package]
        if not known:
            why = unknown[-1]["skip_reason"] if unknown else "there is no package"
            print(f"{lock} was not audited: {why}")
            print("Remedy: try again with a network connection and an index that has advisories")
            return NOT_AUDITED
        n_audited += len(known)
        lines += [f"{lock}: {line}" for package in known for line in advisories(package)]
    for package in unknown:
        print(f"not audited: {package['name']}: {package['skip_reason']}")
    for line in lines:
        print(line)
    print(f"{n_audited} locked packages were audited: {len(lines)} advisories")
    if lines:
        print("Remedy: make the lock again with the newer version (the lock's first lines say how)")
    return FOUND if lines else NOT_AUDITED if unknown else 0


if __name__ == "__main__":
    locks = [Path("requirements.lock"), *Path("requirements").glob("*.lock")]
    sys.exit(audit(sorted(locks, key=lambda lock: lock.stat().st_size)))
