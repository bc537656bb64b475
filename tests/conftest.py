"""Settings of all tests, and which of them `make test` leaves to `make test-all`."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
# what starts whole workflows, kills them, or looks at a built site: left to `make test-all` but for
# the tests that are marked `quick`. All else is in `make test` unless it is marked `thorough`
THOROUGH = ("ci", "faults", "workflow")

# the same examples every time, however slow the machine: a test that fails here fails everywhere
settings.register_profile(
    "evenflow",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("evenflow")

# workers side by side have a processor each; the tables are the same with any number of threads
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# a make that a test starts says what a user's says, and not that it is the make of `make test`
for name in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):
    os.environ.pop(name, None)


def pytest_collection_modifyitems(items):
    """Mark as thorough what lies in the folders above; `make test` says `-m "not thorough"`."""
    for item in items:
        quick, thorough = (item.get_closest_marker(name) for name in ("quick", "thorough"))
        if quick and thorough:
            raise pytest.UsageError(f"{item.nodeid}: marked as quick and as thorough")
        if not quick and any(TESTS / folder in item.path.parents for folder in THOROUGH):
            item.add_marker("thorough")


@pytest.fixture(scope="module")
def browser():
    import chromium  # of tests/ci: few tests need it

    if None in (chromium.PROGRAM, chromium.DRIVER):
        pytest.skip(chromium.MISSING)
    with chromium.browser() as tab:
        yield tab
