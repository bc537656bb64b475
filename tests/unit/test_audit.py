"""`make audit`: what is found is said, and what was not looked up is no good news.

What pip-audit says of a package is as pip-audit 2.10 prints it.
"""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FINE = {"name": "fine", "version": "1.0", "vulns": []}
UNSAFE = {
    "name": "unsafe",
    "version": "3.1.6",
    "vulns": [
        {
            "id": "PYSEC-2026-1",
            "fix_versions": ["3.1.7"],
            "aliases": ["CVE-2026-1"],
            "description": "Text\nof many lines",
        },
        {"id": "PYSEC-2026-2", "fix_versions": [], "aliases": [], "description": ""},
    ],
}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found"}


@pytest.fixture(scope="module")
def audit():
    spec = importlib.util.spec_from_file_location("audit", ROOT / "workflow/audit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("said", "code", "printed"),
    [
        ([[FINE], [FINE, FINE]], 0, ["3 locked packages were audited: 0 advisories"]),
        (
            [[FINE], [UNSAFE, FINE]],
            1,
            [
                "1.lock: unsafe 3.1.6: PYSEC-2026-1 CVE-2026-1, fixed in 3.1.7",
                "1.lock: unsafe 3.1.6: PYSEC-2026-2, fixed in no version yet",
                "3 locked packages were audited: 2 advisories",
            ],
        ),
        ([[FINE], [FINE, UNKNOWN]], 2, ["not audited: unknown: Dependency not found"]),
        ([[UNKNOWN, UNKNOWN], [UNSAFE]], 2, ["0.lock was not audited: Dependency not found"]),
        ([[], [UNSAFE]], 2, ["0.lock was not audited: there is no package"]),
    ],
)
def test_only_what_was_looked_up_is_good_news(audit, capsys, said, code, printed):
    locks = [Path(f"{number}.lock") for number in range(len(said))]
    asked = iter(said)
    assert audit.audit(locks, lambda lock: next(asked)) == code
    lines = capsys.readouterr().out.splitlines()
    assert set(printed) <= set(lines)
    assert (code == 0) == (not any("Remedy: " in line or "not audited" in line for line in lines))


def test_where_pip_audit_cannot_run_its_reason_is_said(audit, capsys, tmp_path):
    lock = tmp_path / "a.lock"
    lock.write_text("")
    assert audit.audit([lock]) == 2  # here pip-audit is not installed
    assert f"{lock} was not audited: " in capsys.readouterr().out
